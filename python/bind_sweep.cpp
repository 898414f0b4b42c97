// SPDX-License-Identifier: BSD-3-Clause
#include "docstrings.hpp"
#include "guard_object.hpp"
#include "keepclear/sweep.hpp"

namespace keepclear::python {
namespace {

struct SweepObject {
  SweepObject(const World& of, const SweepPlan& plan) : world(of), sweep(world, plan) {}
  World world;
  Sweep sweep;
};

/// A volume of one update, with points of its own: those of the sweep change with the next.
struct SweptVolumeObject {
  int body = 0, frame = 0;
  double radius = 0;
  std::vector<Vec3> points{};
};

std::vector<SweptVolumeObject> volumes_of(const SweepObject& self) {
  std::vector<SweptVolumeObject> result;
  for (const SweptVolume& swept : self.sweep.volumes()) {
    SweptVolumeObject& copy = result.emplace_back();
    copy.body = swept.body;
    copy.frame = swept.frame;
    copy.radius = swept.volume.radius;
    for (std::size_t i = 0; i < swept.volume.count; ++i) {
      copy.points.push_back(swept.volume.point(i));
    }
  }
  return result;
}

bool update(SweepObject& self, const py::object& box, const py::object& upper) {
  if (upper.is_none()) return self.sweep.update(joint_box_of(self.world, box, "box"));
  const Doubles from(box, "box", 1, 1), to(upper, "upper", 1, 1);
  if (from.shape(0) != to.shape(0)) usage("lower and upper ends differ in number");
  JointBox intervals;
  for (std::size_t i = 0; i < from.shape(0); ++i) {
    intervals.push_back({from.span()[i], to.span()[i]});
  }
  return self.sweep.update(intervals);
}

void bind_plans(py::module_& m) {
  py::class_<JointOperator>(m, "JointOperator", DOC(JointOperator))
      .def(py::init([](int turn, int slide) {
             return JointOperator{turn, slide};
           }),
           "turn"_a = 1, "slide"_a = 1)
      .def_readonly("turn", &JointOperator::turn, DOC(JointOperator, turn))
      .def_readonly("slide", &JointOperator::slide, DOC(JointOperator, slide))
      .def("__eq__", [](const JointOperator& a, const JointOperator& b) { return a == b; })
      .def(
          "__hash__",
          [](const JointOperator& self) { return py::hash(py::make_tuple(self.turn, self.slide)); })
      .def("__repr__", [](const JointOperator& self) {
        return "JointOperator(turn=" + std::to_string(self.turn) +
               ", slide=" + std::to_string(self.slide) + ")";
      });
  py::class_<SweepPlan>(m, "SweepPlan", DOC(SweepPlan))
      .def(py::init([](std::vector<JointOperator> operators) {
             return SweepPlan{std::move(operators)};
           }),
           "operators"_a)
      .def_property_readonly(
          "operators", [](const SweepPlan& self) { return self.operators; },
          "One for each of swept_joints().")
      .def("__eq__", [](const SweepPlan& a, const SweepPlan& b) { return a == b; })
      .def("__hash__",
           [](const SweepPlan& self) { return py::hash(py::tuple(py::cast(self.operators))); })
      .def("__repr__", [](const SweepPlan& self) {
        return "SweepPlan(" + std::to_string(self.operators.size()) + " joints)";
      });

  m.def(
      "swept_joints", [](const LoadedWorld& world) { return swept_joints(world); }, "world"_a,
      DOC(swept_joints));
  m.def(
      "uniform_plan",
      [](const LoadedWorld& world, int turn, int slide) {
        return uniform_plan(world, {turn, slide});
      },
      "world"_a, py::kw_only(), "turn"_a = 1, "slide"_a = 1, DOC(uniform_plan));
  m.def(
      "paper_plan", [](const LoadedWorld& world, int fine) { return paper_plan(world, fine); },
      "world"_a, "fine"_a, DOC(paper_plan));
  const AutomaticPlanOptions unless;
  m.def(
      "automatic_plan",
      [](const LoadedWorld& world, std::size_t points, const py::object& half_widths, int samples,
         unsigned seed) {
        AutomaticPlanOptions asked{.points = points, .samples = samples, .seed = seed};
        require_positive(samples, "samples");
        if (const auto row = optional_row(half_widths, "half_widths", world.dof())) {
          asked.half_widths.assign(row->span().begin(), row->span().end());
        }
        SweepPlan plan;
        without_gil([&] { plan = automatic_plan(world, asked); });
        return plan;
      },
      "world"_a, py::kw_only(), "points"_a = unless.points, "half_widths"_a = py::none(),
      "samples"_a = unless.samples, "seed"_a = unless.seed,
      (DOC_TEXT(automatic_plan) + "\n\npoints: " + DOC_TEXT(AutomaticPlanOptions, points) +
       "\nhalf_widths: " + DOC_TEXT(AutomaticPlanOptions, half_widths) +
       "\nsamples: " + DOC_TEXT(AutomaticPlanOptions, samples))
          .c_str());
}

}  // namespace

void bind_sweep(py::module_& m) {
  bind_plans(m);
  py::class_<SweptVolumeObject>(m, "SweptVolume", DOC(SweptVolume))
      .def_readonly("body", &SweptVolumeObject::body, DOC(SweptVolume, body))
      .def_readonly("frame", &SweptVolumeObject::frame, DOC(SweptVolume, frame))
      .def_readonly("radius", &SweptVolumeObject::radius, "Metres, around the points.")
      .def_property_readonly(
          "points", [](const SweptVolumeObject& self) { return to_numpy(self.points); },
          "(N, 3): every point within the radius of their hull is in the volume.")
      .def("__repr__", [](const SweptVolumeObject& self) {
        return "SweptVolume(body=" + std::to_string(self.body) +
               ", frame=" + std::to_string(self.frame) + ", " + std::to_string(self.points.size()) +
               " points, radius=" + short_text(self.radius) + ")";
      });
  py::class_<Answer<SweptClearance>> clearance(m, "SweptClearance", DOC(SweptClearance));
  clearance
      .def_readonly("clearance", &Answer<SweptClearance>::clearance, DOC(SweptClearance, clearance))
      .def("__repr__", [](const Answer<SweptClearance>& self) {
        return "SweptClearance(" + short_text(self.clearance) + ", " +
               pair_text(self.solids, self.a, self.b) + ")";
      });
  def_pair(clearance);

  py::class_<SweepObject>(m, "Sweep", DOC(Sweep))
      .def(py::init([](const LoadedWorld& world, const SweepPlan& plan) {
             return std::make_unique<SweepObject>(world, plan);
           }),
           "world"_a, "plan"_a)
      .def("update", &update, "box"_a, "upper"_a = py::none(),
           (DOC_TEXT(Sweep, update) +
            "\n\nbox: {joint: (lower, upper)}, others keep their full range; an array (dof, 2); or "
            "the lower ends, with `upper`.")
               .c_str())
      .def("volumes", &volumes_of, "Those of the last update, in the same order always.")
      .def_property_readonly(
          "point_count", [](const SweepObject& self) { return self.sweep.point_count(); },
          DOC(Sweep, point_count))
      .def(
          "clearance",
          [](SweepObject& self) {
            return Answer<SweptClearance>(self.sweep.clearance(), self.world);
          },
          DOC(Sweep, clearance))
      .def("__repr__", [](const SweepObject& self) {
        return "Sweep(" + self.world.name() + ", " + std::to_string(self.sweep.point_count()) +
               " points)";
      });
}

}  // namespace keepclear::python
