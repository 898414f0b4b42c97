// SPDX-License-Identifier: BSD-3-Clause
#include "docstrings.hpp"
#include "guard_object.hpp"

namespace keepclear::python {

RecorderObject::RecorderObject(std::shared_ptr<GuardObject> of, std::size_t cycles)
    : guard(std::move(of)),
      recorder(guard->world(), guard->brake, guard->options, guard->guard, cycles) {}

namespace {

struct RecordedCycleObject {
  RecordedCycle cycle;
  Solids solids;
};

py::object to_numpy_or_none(const std::vector<double>& values) {
  if (values.empty()) return py::none();
  return to_numpy(values);
}

LinkReason link_reason_of(std::uint16_t said) {
  return static_cast<LinkReason>(said);
}

void bind_recordings(py::module_& m) {
  py::class_<RecordedCycleObject>(m, "RecordedCycle", DOC(RecordedCycle))
      .def_property_readonly("time",
                             [](const RecordedCycleObject& self) { return self.cycle.time; })
      .def_property_readonly("age", [](const RecordedCycleObject& self) { return self.cycle.age; })
      .def_property_readonly("q",
                             [](const RecordedCycleObject& self) { return to_numpy(self.cycle.q); })
      .def_property_readonly("v",
                             [](const RecordedCycleObject& self) { return to_numpy(self.cycle.v); })
      .def_property_readonly(
          "command",
          [](const RecordedCycleObject& self) { return to_numpy_or_none(self.cycle.command); })
      .def_property_readonly(
          "ages", [](const RecordedCycleObject& self) { return to_numpy_or_none(self.cycle.ages); })
      .def_property_readonly("found",
                             [](const RecordedCycleObject& self) {
                               return Answer<GuardCycle>(self.cycle.found, self.solids);
                             })
      .def_property_readonly(
          "said", [](const RecordedCycleObject& self) { return link_reason_of(self.cycle.said); },
          DOC(RecordedCycle, said))
      .def_property_readonly(
          "state",
          [](const RecordedCycleObject& self) {
            const RecordedCycle& cycle = self.cycle;
            return py::make_tuple(cycle.time, to_numpy(cycle.q), to_numpy(cycle.v),
                                  to_numpy_or_none(cycle.command), cycle.age,
                                  to_numpy_or_none(cycle.ages));
          },
          "The arguments of Guard.step(): guard.step(*cycle.state).")
      .def("__repr__", [](const RecordedCycleObject& self) {
        const GuardCycle& found = self.cycle.found;
        return "RecordedCycle(time=" + number_text(self.cycle.time) + ", " +
               (found.action == Action::go ? "go"
                                           : "brake, " + std::string(name_of(found.reason))) +
               ")";
      });

  py::class_<RecordingObject>(m, "Recording", DOC(Recording))
      .def_property_readonly("world",
                             [](const RecordingObject& self) { return self.recording.world; })
      .def_property_readonly("name",
                             [](const RecordingObject& self) { return self.recording.name; })
      .def_property_readonly(
          "keepclear", [](const RecordingObject& self) { return self.recording.keepclear; },
          DOC(Recording, keepclear))
      .def_property_readonly(
          "brake", [](const RecordingObject& self) { return to_python(self.recording.brake); })
      .def_property_readonly(
          "options", [](const RecordingObject& self) { return to_dict(self.recording.options); },
          "As keywords of Guard().")
      .def_property_readonly("memory",
                             [](const RecordingObject& self) {
                               const auto& memory = self.recording.memory;
                               return py::bytes(reinterpret_cast<const char*>(memory.data()),
                                                memory.size());
                             })
      .def_property_readonly(
          "first", [](const RecordingObject& self) { return self.recording.first; },
          DOC(Recording, first))
      .def_property_readonly("cycles",
                             [](const RecordingObject& self) {
                               py::list cycles;
                               for (const RecordedCycle& cycle : self.recording.cycles) {
                                 cycles.append(RecordedCycleObject{cycle, self.solids});
                               }
                               return cycles;
                             })
      .def("__len__", [](const RecordingObject& self) { return self.recording.cycles.size(); })
      .def(
          "text", [](const RecordingObject& self) { return to_text(self.recording); }, DOC(to_text))
      .def(py::pickle([](const RecordingObject& self) { return py::str(to_text(self.recording)); },
                      [](const py::str& text) {
                        return RecordingObject{parse_recording(text.cast<std::string>(), ""), {}};
                      }))
      .def("__repr__", [](const RecordingObject& self) {
        return "Recording('" + self.recording.name + "', " +
               std::to_string(self.recording.cycles.size()) + " cycles)";
      });

  m.def(
      "parse_recording",
      [](const std::string& text, const std::string& file) {
        return RecordingObject{parse_recording(text, file), {}};
      },
      "text"_a, "file"_a = "", DOC(parse_recording));
  m.def(
      "read_recording",
      [](const std::filesystem::path& file) {
        return RecordingObject{read_recording(file), {}};
      },
      "file"_a,
      "Reads a recording that FlightRecorder.write() or `keepclear guard` wrote. Throws Error.");
  m.def(
      "restored_guard",
      [](const py::object& world, const RecordingObject& of, const std::string& file) {
        if (!py::isinstance<LoadedWorld>(world)) throw py::type_error("the world is a World");
        const Recording& recording = of.recording;
        return std::make_shared<GuardObject>(
            world, restored_guard(world.cast<const LoadedWorld&>(), recording, file),
            recording.brake, recording.options);
      },
      "world"_a, "recording"_a, "file"_a = "", DOC(restored_guard));
  m.def(
      "same_finding",
      [](const Answer<GuardCycle>& a, const Answer<GuardCycle>& b) { return same_finding(a, b); },
      "a"_a, "b"_a, DOC(same_finding));
}

}  // namespace

void bind_recorder(py::module_& m) {
  bind_enum<LinkReason>(m, "LinkReason", DOC_TEXT(LinkReason), doc::LinkReason_values);
  bind_recordings(m);
  py::class_<RecorderObject, std::shared_ptr<RecorderObject>>(m, "FlightRecorder",
                                                              DOC(FlightRecorder))
      .def(py::init([](const std::shared_ptr<GuardObject>& guard, std::size_t cycles) {
             guard->busy.require_idle();
             return std::make_shared<RecorderObject>(guard, cycles);
           }),
           "guard"_a, "cycles"_a = 1000,
           "At least the last `cycles` (1 to 1 000 000) can be written, never more than twice as "
           "many.")
      .def(
          "push",
          [](RecorderObject& self, double time, py::handle q, py::handle v,
             const py::object& command, double age, const py::object& ages, LinkReason said) {
            const StateNumbers numbers(time, q, v, command, age, ages);
            self.busy.require_idle();
            self.guard->busy.require_idle();
            self.recorder.push(numbers.state(), self.guard->guard,
                               static_cast<std::uint16_t>(said));
          },
          "time"_a, "q"_a, "v"_a, "command"_a = py::none(), "age"_a = 0.0, "ages"_a = py::none(),
          "said"_a = LinkReason::none,
          "After each Guard.step(), with the state that it was given. `said`: what the loop around "
          "the guard said instead of what the guard found.")
      .def(
          "restart",
          [](RecorderObject& self) {
            self.busy.require_idle();
            self.guard->busy.require_idle();
            self.recorder.restart(self.guard->guard);
          },
          DOC(FlightRecorder, restart))
      .def("__len__",
           [](const RecorderObject& self) {
             self.busy.require_idle();
             return self.recorder.size();
           })
      .def(
          "recording",
          [](const RecorderObject& self) {
            self.busy.require_idle();
            return RecordingObject{self.recorder.recording(), self.guard->solids};
          },
          "What was kept, with all that is needed to go through it again.")
      .def(
          "write",
          [](RecorderObject& self, const std::filesystem::path& file) {
            const Busy::Hold held(self.busy);
            without_gil([&] { self.recorder.write(file); });
          },
          "file"_a, DOC(FlightRecorder, write))
      .def("__repr__", [](const RecorderObject& self) {
        return "FlightRecorder(of " + self.guard->world().name() + ")";
      });
}

}  // namespace keepclear::python
