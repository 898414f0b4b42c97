// SPDX-License-Identifier: BSD-3-Clause
#include "docstrings.hpp"

namespace keepclear::python {
namespace {

namespace fs = std::filesystem;
using FoundBox = Answer<BoxResult>;

std::string box_text(const FoundBox& r) {
  std::string text = std::string("BoxResult(") + to_string(r.verdict);
  if (r.verdict == Verdict::free) text += ", clearance=" + short_text(r.clearance);
  if (r.a >= 0) text += ", " + pair_text(r.solids, r.a, r.b);
  return text + ")";
}

JointBox box_from(const LoadedWorld& world, const py::object& box, const py::object& upper) {
  if (!upper.is_none()) return joint_box_of(world, py::make_tuple(box, upper), "box");
  if (py::isinstance<py::str>(box) || py::hasattr(box, "__fspath__")) {
    return read_box(world, box.cast<fs::path>());
  }
  return joint_box_of(world, box, "box");
}

FoundBox box_of(const LoadedWorld& world, const py::object& value, const py::object& upper,
                const py::kwargs& arguments) {
  Options options(arguments, "box");
  BoxOptions asked = box_options_of(options);
  options.done();
  const JointBox box = box_from(world, value, upper);
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (!(box[i].lower <= box[i].upper)) {
      usage("box: " + world.variables()[i].name + " from " + short_text(box[i].lower) + " to " +
                short_text(box[i].upper) + " is empty",
            "the lower end comes first");
    }
  }
  Signals signals;
  asked.progress = [&](double) { signals.check(); };
  BoxResult found;
  without_gil([&] { found = prove_box(world, box, asked); });
  return {std::move(found), world};
}

py::tuple box_state(const FoundBox& r) {
  std::map<int, std::string> names;
  for (const int solid : {r.a, r.b}) {
    if (solid >= 0) names.emplace(solid, r.solids.name(solid));
  }
  return py::make_tuple(r.verdict, r.clearance, r.a, r.b, to_numpy(r.q), r.distance, r.tests,
                        r.open_pairs, names);
}

FoundBox box_from_state(const py::tuple& t) {
  return {BoxResult{t[0].cast<Verdict>(), t[1].cast<double>(), t[2].cast<int>(), t[3].cast<int>(),
                    t[4].cast<std::vector<double>>(), t[5].cast<double>(), t[6].cast<std::size_t>(),
                    t[7].cast<std::size_t>()},
          Solids(t[8].cast<std::map<int, std::string>>())};
}

}  // namespace

BoxOptions box_options_of(Options& options) {
  BoxOptions asked;
  options.take("margin", asked.margin);
  options.take("tolerance", asked.tolerance);
  options.take("relative_tolerance", asked.relative_tolerance);
  options.take("budget", asked.budget);
  options.take("threads", asked.threads);
  require_threads(asked.threads);
  return asked;
}

void bind_box(py::module_& m) {
  py::class_<FoundBox> result(m, "BoxResult", DOC(BoxResult));
  result
      .def_property_readonly(
          "verdict", [](const FoundBox& r) { return r.verdict; }, DOC(BoxResult, verdict))
      .def_readonly("clearance", &FoundBox::clearance, DOC(BoxResult, clearance))
      .def_property_readonly(
          "q", [](const FoundBox& r) { return to_numpy(r.q); }, DOC(BoxResult, q))
      .def_readonly("distance", &FoundBox::distance, DOC(BoxResult, distance))
      .def_readonly("tests", &FoundBox::tests, DOC(BoxResult, tests))
      .def_readonly("open_pairs", &FoundBox::open_pairs, DOC(BoxResult, open_pairs))
      .def("__repr__", box_text)
      .def(py::pickle(&box_state, &box_from_state));
  def_pair(result);
  def_truth(result);
  m.def(
      "read_box",
      [](const LoadedWorld& world, const fs::path& file) {
        return to_numpy(read_box(world, file));
      },
      "world"_a, "file"_a, (DOC_TEXT(read_box) + " Shape (dof, 2): lower and upper.").c_str());
  py::class_<LoadedWorld>(py::object(m.attr("World")))
      .def("box", box_of, "box"_a, "upper"_a = py::none(),
           (DOC_TEXT(BoxQuery) +
            "\n\nbox: {joint: (lower, upper)}, where others keep their full range; an array "
            "(dof, 2); the lower ends, with `upper`; or a file.\nmargin: " +
            doc::BoxOptions_margin + "\ntolerance: " + doc::BoxOptions_tolerance +
            "\nrelative_tolerance: " + doc::BoxOptions_relative_tolerance +
            "\nbudget: " + doc::BoxOptions_budget + "\nthreads: " + doc::BoxOptions_threads)
               .c_str());
}

}  // namespace keepclear::python
