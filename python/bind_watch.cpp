// SPDX-License-Identifier: BSD-3-Clause
#include "bind_pose.hpp"
#include "docstrings.hpp"
#include "guard_object.hpp"
#include "keepclear/watch.hpp"

namespace keepclear::python {
namespace {

/// What one cycle found, with a list of its own: that of the watch is valid until the next cycle.
struct WatchCycleObject {
  Verdict verdict = Verdict::undecided;
  std::vector<Imminent> imminent{};
  std::size_t unlisted = 0;
  Solids solids{};
};

struct WatchObject {
  WatchObject(py::object of, Watch made)
      : python_world(std::move(of)),
        world(python_world.cast<const LoadedWorld&>()),
        watch(std::move(made)) {}
  py::object python_world;
  World world;
  Watch watch;
};

WatchCycleObject step(WatchObject& self, py::handle q, py::handle dt) {
  const auto [numbers, seconds] = [&] {
    try {
      return std::pair(Doubles(q, "q", 1, 1), real_of(dt));
    } catch (...) {
      self.watch.reset();  // no state at all is refused like one that is wrong
      throw;
    }
  }();
  const WatchCycle cycle = self.watch.step(numbers.span(), seconds);
  return {.verdict = cycle.verdict,
          .imminent = {cycle.imminent.begin(), cycle.imminent.end()},
          .unlisted = cycle.unlisted,
          .solids = Solids(self.world)};
}

std::string watch_text(const Answer<Imminent>& pair) {
  return "Imminent(" + std::string(to_string(pair.verdict)) + ", " +
         pair_text(pair.solids, pair.a, pair.b) + ", distance=" + short_text(pair.distance) +
         ", tolerance=" + short_text(pair.tolerance) + ")";
}

void bind_cycles(py::module_& m) {
  py::class_<Answer<Imminent>> imminent(m, "Imminent", DOC(Imminent));
  imminent.def_readonly("verdict", &Answer<Imminent>::verdict, DOC(Imminent, verdict))
      .def_readonly("distance", &Answer<Imminent>::distance, DOC(Imminent, distance))
      .def_readonly("lower_bound", &Answer<Imminent>::lower_bound, DOC(Imminent, lower_bound))
      .def_readonly("tolerance", &Answer<Imminent>::tolerance, DOC(Imminent, tolerance))
      .def_property_readonly(
          "point_a", [](const Answer<Imminent>& self) { return to_numpy(self.point_a); },
          DOC(Imminent, point_a))
      .def_property_readonly(
          "point_b", [](const Answer<Imminent>& self) { return to_numpy(self.point_b); },
          DOC(Imminent, point_b))
      .def_readonly("coarse", &Answer<Imminent>::coarse)
      .def("__repr__", &watch_text);
  def_pair(imminent);

  py::class_<WatchCycleObject>(m, "WatchCycle",
                               "What one cycle found. bool() of it says whether it is free.")
      .def_readonly("verdict", &WatchCycleObject::verdict, DOC(WatchCycle, verdict))
      .def_property_readonly(
          "free", [](const WatchCycleObject& self) { return self.verdict == Verdict::free; },
          "Every checked pair is proved farther apart than its tolerance.")
      .def("__bool__", [](const WatchCycleObject& self) { return self.verdict == Verdict::free; })
      .def_property_readonly(
          "imminent",
          [](const WatchCycleObject& self) {
            py::list pairs;
            for (const Imminent& pair : self.imminent) {
              pairs.append(Answer<Imminent>(pair, self.solids));
            }
            return pairs;
          },
          DOC(WatchCycle, imminent))
      .def_readonly("unlisted", &WatchCycleObject::unlisted, DOC(WatchCycle, unlisted))
      .def("__repr__", [](const WatchCycleObject& self) {
        std::string text = "WatchCycle(" + std::string(to_string(self.verdict));
        if (!self.imminent.empty()) {
          text += ", " + std::to_string(self.imminent.size()) + " imminent";
        }
        return text + ")";
      });

  py::class_<WatchCounters>(m, "WatchCounters", DOC(WatchCounters))
      .def_readonly("cycles", &WatchCounters::cycles)
      .def_readonly("quiet", &WatchCounters::quiet, DOC(WatchCounters, quiet))
      .def_readonly("lookups", &WatchCounters::lookups, DOC(WatchCounters, lookups))
      .def_readonly("searches", &WatchCounters::searches, DOC(WatchCounters, searches))
      .def_readonly("splits", &WatchCounters::splits)
      .def_readonly("merges", &WatchCounters::merges)
      .def_readonly("long_moves", &WatchCounters::long_moves)
      .def_readonly("structural_changes", &WatchCounters::structural_changes,
                    DOC(WatchCounters, structural_changes))
      .def_readonly("kinematics", &WatchCounters::kinematics, DOC(WatchCounters, kinematics))
      .def_readonly("index", &WatchCounters::index, DOC(WatchCounters, index))
      .def_readonly("distances", &WatchCounters::distances, DOC(WatchCounters, distances))
      .def("__repr__", [](const WatchCounters& self) {
        return "WatchCounters(cycles=" + std::to_string(self.cycles) +
               ", searches=" + std::to_string(self.searches) + ")";
      });
}

}  // namespace

void bind_watch(py::module_& m) {
  bind_cycles(m);
  const WatchOptions unless;
  const std::string about =
      DOC_TEXT(Watch) + "\n\nmargin: " + DOC_TEXT(WatchOptions, margin) +
      "\nreaction_time, stopping_time: " + DOC_TEXT(WatchOptions, reaction_time) +
      "\nfine_below: " + DOC_TEXT(WatchOptions, fine_below) +
      "\nslack: " + DOC_TEXT(WatchOptions, slack) +
      "\nobjects_per_cell: " + DOC_TEXT(WatchOptions, objects_per_cell) +
      "\nsmallest_cell: " + DOC_TEXT(WatchOptions, smallest_cell) +
      "\nmax_listed: " + DOC_TEXT(WatchOptions, max_listed) +
      "\nmax_carried: " + DOC_TEXT(WatchOptions, max_carried) +
      "\nmax_partners: " + DOC_TEXT(WatchOptions, max_partners) +
      "\nprofile: " + DOC_TEXT(WatchOptions, profile);
  py::class_<WatchObject>(m, "Watch", about.c_str())
      .def(py::init([](const py::object& world, double margin, double reaction_time,
                       double stopping_time, double fine_below, double slack, int objects_per_cell,
                       double smallest_cell, std::size_t max_listed, std::size_t max_carried,
                       std::size_t max_partners, bool profile) {
             const WatchOptions asked{.margin = margin,
                                      .reaction_time = reaction_time,
                                      .stopping_time = stopping_time,
                                      .fine_below = fine_below,
                                      .slack = slack,
                                      .objects_per_cell = objects_per_cell,
                                      .smallest_cell = smallest_cell,
                                      .max_listed = max_listed,
                                      .max_carried = max_carried,
                                      .max_partners = max_partners,
                                      .profile = profile};
             if (!py::isinstance<LoadedWorld>(world)) throw py::type_error("the world is a World");
             const World& of = world.cast<const LoadedWorld&>();
             std::optional<Watch> made;
             without_gil([&] { made.emplace(of, asked); });
             return std::make_unique<WatchObject>(world, std::move(*made));
           }),
           "world"_a, py::kw_only(), "margin"_a = unless.margin,
           "reaction_time"_a = unless.reaction_time, "stopping_time"_a = unless.stopping_time,
           "fine_below"_a = unless.fine_below, "slack"_a = unless.slack,
           "objects_per_cell"_a = unless.objects_per_cell, "smallest_cell"_a = unless.smallest_cell,
           "max_listed"_a = unless.max_listed, "max_carried"_a = unless.max_carried,
           "max_partners"_a = unless.max_partners, "profile"_a = unless.profile)
      .def("step", &step, "q"_a, "dt"_a, DOC(Watch, step))
      .def(
          "attach",
          [](WatchObject& self, py::handle object, py::handle link, const py::iterable& touch) {
            const int thing = solid_of(self.world, object), by = solid_of(self.world, link);
            const std::vector<int> touched = solids_of(self.world, touch);
            return self.watch.attach(thing, by, touched);
          },
          "object"_a, "link"_a, "touch"_a = py::tuple(),
          (DOC_TEXT(Watch, attach) + " By index or by name.").c_str())
      .def(
          "release",
          [](WatchObject& self, py::handle object) {
            return self.watch.release(solid_of(self.world, object));
          },
          "object"_a, DOC(Watch, release))
      .def(
          "place",
          [](WatchObject& self, py::handle object, py::handle pose) {
            const int thing = solid_of(self.world, object);
            const Pose to = pose_of(pose, "pose");
            // A program that does not look at what comes back would go on with the object
            // elsewhere.
            if (!is_finite(to.p) || !is_finite(to.R.row0) || !is_finite(to.R.row1) ||
                !is_finite(to.R.row2)) {
              usage("pose has a number that is none");
            }
            return self.watch.place(thing, to);
          },
          "object"_a, "pose"_a,
          (DOC_TEXT(Watch, place) + " The pose is a 3x4 or 4x4 matrix, or an Origin.").c_str())
      .def(
          "expect_contact",
          [](WatchObject& self, py::handle link, py::handle object, double max_speed) {
            const int by = solid_of(self.world, link), thing = solid_of(self.world, object);
            return self.watch.expect_contact(by, thing, max_speed);
          },
          "link"_a, "object"_a, "max_speed"_a, DOC(Watch, expect_contact))
      .def(
          "reset", [](WatchObject& self) { self.watch.reset(); }, DOC(Watch, reset))
      .def_property_readonly(
          "counters", [](const WatchObject& self) { return self.watch.counters(); },
          DOC(WatchCounters))
      .def_readonly("world", &WatchObject::python_world)
      .def("__repr__", [](const WatchObject& self) { return "Watch(" + self.world.name() + ")"; });
}

}  // namespace keepclear::python
