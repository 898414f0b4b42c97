// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/toleranced.hpp"

#include "bind_displacement.hpp"
#include "docstrings.hpp"

namespace keepclear::python {
namespace {

struct QueryObject {
  explicit QueryObject(TolerancedQuery made) : query(std::move(made)) {}
  TolerancedQuery query;
  std::mutex mutex{};
};

struct MotionObject {
  std::string object;
  CurveObject curve;
  double deviation;
};

TolerancedOptions toleranced_options_of(Options options) {
  TolerancedOptions asked;
  options.take("ask", asked.ask);
  options.take("margin", asked.margin);
  options.take("tolerance", asked.tolerance);
  options.take("deviation", asked.deviation);
  options.take("depth", asked.depth);
  options.take("budget", asked.budget);
  options.take("nested", asked.nested);
  options.take("accuracy", asked.accuracy);
  options.take("relative_accuracy", asked.relative_accuracy);
  options.take("threads", asked.threads);
  options.take("metric", asked.metric);
  options.done();
  require_threads(asked.threads);
  return asked;
}

std::string options_text() {
  return "\n\nask, margin, tolerance: as of World.certify(). tolerance: " +
         DOC_TEXT(TolerancedOptions, tolerance) +
         "\ndeviation: " + DOC_TEXT(TolerancedOptions, deviation) +
         "\ndepth: " + DOC_TEXT(TolerancedOptions, depth) +
         "\nbudget: " + DOC_TEXT(TolerancedOptions, budget) +
         "\nnested: " + DOC_TEXT(TolerancedOptions, nested) +
         "\naccuracy, relative_accuracy: " + DOC_TEXT(TolerancedOptions, accuracy) +
         "\nthreads: " + DOC_TEXT(TolerancedOptions, threads) +
         "\nmetric: " + DOC_TEXT(TolerancedOptions, metric);
}

TolerancedResult ask(QueryObject& self, const CurveObject& curve,
                     const std::optional<double>& deviation) {
  TolerancedResult result;
  without_gil([&] {
    const std::lock_guard lock(self.mutex);
    result = deviation ? self.query(*curve.curve, *deviation) : self.query(*curve.curve);
  });
  return result;
}

void bind_standing(py::module_& m) {
  py::class_<StandingBody>(m, "StandingBody", DOC(StandingBody))
      .def(py::init([](Polyhedron body, std::string name, double margin) {
             return StandingBody{std::move(body), std::move(name), margin};
           }),
           "body"_a, "name"_a = "", "margin"_a = 0.0)
      .def_readonly("body", &StandingBody::body)
      .def_readonly("name", &StandingBody::name)
      .def_readonly("margin", &StandingBody::margin, DOC(StandingBody, margin))
      .def("__repr__",
           [](const StandingBody& self) { return "StandingBody('" + self.name + "')"; });
  py::class_<StandingPlane>(m, "StandingPlane", DOC(StandingPlane))
      .def(py::init([](Vec3 normal, double offset, std::string name, double margin) {
             return StandingPlane{normal, offset, std::move(name), margin};
           }),
           "normal"_a = Vec3{0, 0, 1}, "offset"_a = 0.0, "name"_a = "", "margin"_a = 0.0)
      .def_readonly("normal", &StandingPlane::normal)
      .def_readonly("offset", &StandingPlane::offset)
      .def_readonly("name", &StandingPlane::name)
      .def_readonly("margin", &StandingPlane::margin)
      .def("__repr__",
           [](const StandingPlane& self) { return "StandingPlane('" + self.name + "')"; });
}

void bind_results(py::module_& m) {
  py::class_<Element>(m, "Element", DOC(Element))
      .def_readonly("kind", &Element::kind)
      .def_readonly("index", &Element::index)
      .def("__repr__", [](const Element& self) {
        return "Element(" + std::string(to_string(self.kind)) + " " + std::to_string(self.index) +
               ")";
      });
  py::class_<TolerancedInterval>(m, "TolerancedInterval", DOC(TolerancedInterval))
      .def_readonly("start", &TolerancedInterval::from)
      .def_readonly("stop", &TolerancedInterval::to)
      .def_readonly("status", &TolerancedInterval::status)
      .def_readonly("other", &TolerancedInterval::other, DOC(TolerancedInterval, other))
      .def_readonly("moving", &TolerancedInterval::moving, DOC(TolerancedInterval, moving))
      .def_readonly("standing", &TolerancedInterval::standing)
      .def_readonly("time", &TolerancedInterval::time)
      .def_readonly("place", &TolerancedInterval::place)
      .def("__repr__", [](const TolerancedInterval& self) {
        return "TolerancedInterval(" + short_text(self.from) + " to " + short_text(self.to) + ", " +
               std::string(to_string(self.status)) + ")";
      });
  py::class_<TolerancedResult> result(m, "TolerancedResult",
                                      "What is known of the motion of one body.");
  def_truth(result);
  result.def_readonly("verdict", &TolerancedResult::verdict)
      .def_readonly("clearance", &TolerancedResult::clearance, DOC(TolerancedResult, clearance))
      .def_readonly("distance", &TolerancedResult::distance, DOC(TolerancedResult, distance))
      .def_readonly("time", &TolerancedResult::time)
      .def_readonly("other", &TolerancedResult::other)
      .def_readonly("first_contact", &TolerancedResult::first_contact,
                    DOC(TolerancedResult, first_contact))
      .def_property_readonly(
          "intervals", [](const TolerancedResult& self) { return self.intervals; },
          DOC(TolerancedResult, intervals))
      .def_readonly("balls", &TolerancedResult::balls, DOC(TolerancedResult, balls))
      .def_readonly("tests", &TolerancedResult::tests, DOC(TolerancedResult, tests))
      .def_readonly("depth", &TolerancedResult::depth, DOC(TolerancedResult, depth))
      .def("__repr__", [](const TolerancedResult& self) {
        std::string text = "TolerancedResult(" + std::string(to_string(self.verdict));
        if (self.verdict == Verdict::free) text += ", clearance=" + short_text(self.clearance);
        if (self.verdict == Verdict::contact) text += " at " + short_text(self.first_contact);
        return text + ")";
      });
}

}  // namespace

void bind_toleranced(py::module_& m) {
  bind_body(m);
  bind_polyhedron(m);
  bind_displacement(m);
  bind_standing(m);
  bind_results(m);
  py::class_<QueryObject>(m, "TolerancedQuery",
                          (DOC_TEXT(TolerancedQuery) + options_text()).c_str())
      .def(py::init([](Polyhedron moving, std::vector<StandingBody> bodies,
                       std::vector<StandingPlane> planes, const py::kwargs& options) {
             const TolerancedOptions asked = toleranced_options_of({options, "TolerancedQuery"});
             std::optional<TolerancedQuery> made;
             without_gil([&] {
               made.emplace(std::move(moving), std::move(bodies), std::move(planes), asked);
             });
             return std::make_unique<QueryObject>(std::move(*made));
           }),
           "moving"_a, "bodies"_a = std::vector<StandingBody>(),
           "planes"_a = std::vector<StandingPlane>())
      .def("__call__", &ask, "curve"_a, "deviation"_a = py::none(),
           "Proves a motion, of the options' deviation or another.")
      .def_property_readonly("metric", [](const QueryObject& self) { return self.query.metric(); })
      .def_property_readonly("moving", [](const QueryObject& self) { return self.query.moving(); })
      .def_property_readonly("bodies",
                             [](const QueryObject& self) {
                               const auto all = self.query.bodies();
                               return std::vector<StandingBody>(all.begin(), all.end());
                             })
      .def_property_readonly("planes",
                             [](const QueryObject& self) {
                               const auto all = self.query.planes();
                               return std::vector<StandingPlane>(all.begin(), all.end());
                             })
      .def("__repr__", [](const QueryObject& self) {
        return "TolerancedQuery(" + std::to_string(self.query.bodies().size()) + " bodies, " +
               std::to_string(self.query.planes().size()) + " planes)";
      });

  py::class_<MotionObject>(m, "ObjectMotion", DOC(ObjectMotion))
      .def_readonly("object", &MotionObject::object)
      .def_readonly("curve", &MotionObject::curve)
      .def_readonly("deviation", &MotionObject::deviation)
      .def("__repr__",
           [](const MotionObject& self) { return "ObjectMotion('" + self.object + "')"; });
  m.def(
      "is_object_motion", [](const std::filesystem::path& file) { return is_object_motion(file); },
      "file"_a, DOC(is_object_motion));
  m.def(
      "read_object_motion",
      [](const std::filesystem::path& file) {
        const ObjectMotion read = read_object_motion(file);
        return MotionObject{read.object, {read.curve}, read.deviation};
      },
      "file"_a, "The motion of an object from a path file. Throws Error, naming file and place.");
  m.def(
      "object_query",
      [](const py::object& scene, const std::string& object, const py::object& rest,
         const py::dict& load, const py::kwargs& options) {
        const Scene of =
            py::isinstance(scene, py::module_::import("keepclear._scene").attr("Scene"))
                ? scene.cast<Scene>()
                : read_scene(scene.cast<std::filesystem::path>());
        Options told(py::kwargs(load), "load");
        const LoadOptions loading = load_options_of(told);
        told.done();
        const TolerancedOptions asked = toleranced_options_of({options, "object_query"});
        std::optional<Doubles> numbers;
        if (!rest.is_none()) numbers.emplace(rest, "rest", 1, 1);
        std::optional<TolerancedQuery> made;
        without_gil(
            [&] { made.emplace(object_query(of, loading, object, asked, span_of(numbers))); });
        return std::make_unique<QueryObject>(std::move(*made));
      },
      "scene"_a, "object"_a, "rest"_a = py::none(), "load"_a = py::dict(),
      (DOC_TEXT(object_query) + "\n\nscene: a Scene, or a file\nload: keywords of load()" +
       options_text())
          .c_str());
}

}  // namespace keepclear::python
