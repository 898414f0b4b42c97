// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "docstrings.hpp"
#include "guard_object.hpp"

namespace keepclear::python {
namespace {

using FoundCycle = Answer<GuardCycle>;

// --- Answers -------------------------------------------------------------------------------------

std::string cycle_text(const FoundCycle& cycle) {
  std::string text = "GuardCycle(";
  text += cycle.action == Action::go ? "go" : "brake";
  if (cycle.reason != Reason::free) text += ", " + std::string(name_of(cycle.reason));
  if (cycle.a >= 0) text += ", " + pair_text(cycle.solids, cycle.a, cycle.b);
  return text + ", bound=" + short_text(cycle.bound) + ", cycle=" + std::to_string(cycle.cycle) +
         ")";
}

/// The answers to many states, in their order: arrays of N.
struct GuardRun {
  explicit GuardRun(std::size_t size, Solids of)
      : go(size),
        action(size),
        reason(size),
        a(size),
        b(size),
        bound(size),
        scale(size),
        flops(size),
        cycle(size),
        solids(std::move(of)) {}

  std::size_t size() const { return static_cast<std::size_t>(go.size()); }
  FoundCycle at(std::size_t i) const {
    GuardCycle found;
    const auto place = static_cast<py::ssize_t>(i);
    found.action = static_cast<Action>(action.at(place));
    found.reason = static_cast<Reason>(reason.at(place));
    found.a = a.at(place);
    found.b = b.at(place);
    found.bound = bound.at(place);
    found.scale = scale.at(place);
    found.flops = flops.at(place);
    found.cycle = cycle.at(place);
    return {found, solids};
  }

  py::array_t<bool> go;
  py::array_t<std::uint8_t> action, reason;
  py::array_t<int> a, b;
  py::array_t<double> bound, scale;
  py::array_t<std::uint64_t> flops, cycle;
  Solids solids;
};

/// Where a run writes its answers: pointers, so that no Python object is touched without the GIL.
struct RunPlaces {
  explicit RunPlaces(GuardRun& run)
      : go(run.go.mutable_data()),
        action(run.action.mutable_data()),
        reason(run.reason.mutable_data()),
        a(run.a.mutable_data()),
        b(run.b.mutable_data()),
        bound(run.bound.mutable_data()),
        scale(run.scale.mutable_data()),
        flops(run.flops.mutable_data()),
        cycle(run.cycle.mutable_data()) {}

  void put(std::size_t i, const GuardCycle& found) const {
    go[i] = found.action == Action::go;
    action[i] = static_cast<std::uint8_t>(found.action);
    reason[i] = static_cast<std::uint8_t>(found.reason);
    a[i] = found.a;
    b[i] = found.b;
    bound[i] = found.bound;
    scale[i] = found.scale;
    flops[i] = found.flops;
    cycle[i] = found.cycle;
  }

  bool* go;
  std::uint8_t *action, *reason;
  int *a, *b;
  double *bound, *scale;
  std::uint64_t *flops, *cycle;
};

/// Rows of numbers, one for each of `rows` states; Error (usage) for another number of rows.
Doubles rows_of(py::handle value, const char* name, std::size_t rows) {
  Doubles numbers(value, name, 2, 2);
  if (numbers.shape(0) != rows) {
    usage(std::string(name) + " has " + std::to_string(numbers.shape(0)) + " rows for " +
              std::to_string(rows) + " times",
          "one for each state");
  }
  return numbers;
}
std::optional<Doubles> optional_rows(const py::object& value, const char* name, std::size_t rows) {
  if (value.is_none()) return std::nullopt;
  return rows_of(value, name, rows);
}

/// The states of a run, one a row.
class RunStates {
 public:
  RunStates(py::handle times, py::handle q, py::handle v, const py::object& command, py::handle age,
            const py::object& ages)
      : times_(times, "times", 1, 1),
        q_(rows_of(q, "q", rows())),
        v_(rows_of(v, "v", rows())),
        command_(optional_rows(command, "command", rows())),
        ages_(optional_rows(ages, "ages", rows())),
        age_(age, "age", 0, 1) {
    if (age_.dimensions() == 1 && age_.shape(0) != rows()) {
      usage("age is one number, or one a state");
    }
  }
  std::size_t rows() const { return times_.shape(0); }
  GuardState at(std::size_t i) const {
    return {.time = times_.span()[i],
            .q = q_.row(i),
            .v = v_.row(i),
            .command = command_ ? command_->row(i) : std::span<const double>(),
            .age = age_.span()[age_.dimensions() == 1 ? i : 0],
            .ages = ages_ ? ages_->row(i) : std::span<const double>()};
  }

 private:
  Doubles times_, q_, v_;
  std::optional<Doubles> command_, ages_;
  Doubles age_;
};

std::unique_ptr<GuardRun> run(GuardObject& self, const py::object& times, const py::object& q,
                              const py::object& v, const py::object& command, const py::object& age,
                              const py::object& ages, const std::shared_ptr<RecorderObject>& into) {
  const RunStates states = self.state_of([&] {
    if (into && into->guard.get() != &self) usage("the recorder is that of another guard");
    return RunStates(times, q, v, command, age, ages);
  });
  const std::size_t rows = states.rows();

  auto found = std::make_unique<GuardRun>(rows, self.solids);
  const RunPlaces places(*found);
  const Busy::Hold held(self.busy);
  std::optional<Busy::Hold> recorder_held;
  if (into) recorder_held.emplace(into->busy);
  Signals signals;
  without_gil([&] {
    for (std::size_t i = 0; i < rows; ++i) {
      const GuardState state = states.at(i);
      self.guard.step(state);
      if (into) into->recorder.push(state, self.guard);
      places.put(i, self.guard.last());
      if (i % 256 == 255) signals.check();
    }
  });
  return found;
}

}  // namespace

// --- What other files use ------------------------------------------------------------------------

GuardObject::GuardObject(py::object of, Guard made, BrakeModel model, const GuardOptions& asked)
    : python_world(std::move(of)),
      brake(std::move(model)),
      options(asked),
      guard(std::move(made)),
      solids(python_world.cast<const LoadedWorld&>()),
      world_(python_world.cast<const LoadedWorld&>()) {}

/// A guard that restores what it saved is the same, and waits for a state.
void GuardObject::forget_state() {
  std::vector<std::byte> memory(guard.memory_size());
  guard.save(memory);
  guard.restore(memory);
}

StateNumbers::StateNumbers(double at, py::handle positions, py::handle velocities,
                           const py::object& commanded, double old, const py::object& each_old)
    : time(at), age(old), q(positions, "q", 1, 1), v(velocities, "v", 1, 1) {
  if (!commanded.is_none()) command.emplace(commanded, "command", 1, 1);
  if (!each_old.is_none()) ages.emplace(each_old, "ages", 1, 1);
}

GuardState StateNumbers::state() const {
  return {.time = time,
          .q = q.span(),
          .v = v.span(),
          .command = span_of(command),
          .age = age,
          .ages = span_of(ages)};
}

double real_of(py::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return number;
}

py::dict to_dict(const GuardOptions& o) {
  return py::dict("budget"_a = o.budget, "margin"_a = o.margin, "latch"_a = o.latch,
                  "graded"_a = o.graded, "horizon"_a = o.horizon,
                  "known_command"_a = o.known_command, "slices"_a = o.slices, "splits"_a = o.splits,
                  "max_age"_a = o.max_age, "max_gap"_a = o.max_gap,
                  "limit_tolerance"_a = o.limit_tolerance, "check_jumps"_a = o.check_jumps,
                  "max_world_age"_a = o.max_world_age, "max_carried"_a = o.max_carried,
                  "check_cycles"_a = o.check_cycles);
}

int solid_of(const World& world, py::handle value) {
  if (!py::isinstance<py::str>(value)) {
    const long index = PyLong_AsLong(value.ptr());
    if (index == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    // What names no solid is for the library to refuse.
    return static_cast<int>(std::clamp<long>(index, -1, std::numeric_limits<int>::max()));
  }
  const auto name = value.cast<std::string>();
  const int solid = world.find_solid(name);
  if (solid < 0) usage("there is no solid '" + name + "'", "World.solids lists them");
  return solid;
}

std::vector<int> solids_of(const World& world, const py::iterable& values) {
  if (py::isinstance<py::str>(values)) throw py::type_error("a list of solids, not one name");
  std::vector<int> solids;
  for (const py::handle value : values) solids.push_back(solid_of(world, value));
  return solids;
}

namespace {

void bind_cycles(py::module_& m) {
  py::class_<FoundCycle> cycle(m, "GuardCycle", DOC(GuardCycle));
  cycle
      .def_property_readonly(
          "go", [](const FoundCycle& self) { return self.action == Action::go; },
          "Proved: braking can wait for the next cycle. The same as bool(cycle).")
      .def("__bool__", [](const FoundCycle& self) { return self.action == Action::go; })
      .def_readonly("action", &FoundCycle::action)
      .def_readonly("reason", &FoundCycle::reason)
      .def_property_readonly(
          "why", [](const FoundCycle& self) { return name_of(self.reason); },
          "The reason as the command line prints it.")
      .def_readonly("bound", &FoundCycle::bound, DOC(GuardCycle, bound))
      .def_readonly("scale", &FoundCycle::scale, DOC(GuardCycle, scale))
      .def_readonly("flops", &FoundCycle::flops, DOC(GuardCycle, flops))
      .def_readonly("cycle", &FoundCycle::cycle, DOC(GuardCycle, cycle))
      .def("__repr__", &cycle_text)
      .def(py::pickle(
          [](const FoundCycle& c) {
            return py::make_tuple(c.action, c.reason, c.a, c.b, c.bound, c.scale, c.flops, c.cycle,
                                  c.solids.name(c.a), c.solids.name(c.b));
          },
          [](const py::tuple& t) {
            GuardCycle c;
            c.action = t[0].cast<Action>();
            c.reason = t[1].cast<Reason>();
            c.a = t[2].cast<int>();
            c.b = t[3].cast<int>();
            c.bound = t[4].cast<double>();
            c.scale = t[5].cast<double>();
            c.flops = t[6].cast<std::uint64_t>();
            c.cycle = t[7].cast<std::uint64_t>();
            return FoundCycle(
                c, Solids({{c.a, t[8].cast<std::string>()}, {c.b, t[9].cast<std::string>()}}));
          }));
  def_pair(cycle);

  py::class_<GuardCounters>(m, "GuardCounters", DOC(GuardCounters))
      .def_readonly("cycles", &GuardCounters::cycles)
      .def_readonly("brakes", &GuardCounters::brakes)
      .def_readonly("steps", &GuardCounters::steps, DOC(GuardCounters, steps))
      .def_readonly("looks", &GuardCounters::looks, DOC(GuardCounters, looks))
      .def_readonly("lookups", &GuardCounters::lookups, DOC(GuardCounters, lookups))
      .def("__repr__", [](const GuardCounters& self) {
        return "GuardCounters(cycles=" + std::to_string(self.cycles) +
               ", brakes=" + std::to_string(self.brakes) + ")";
      });

  py::class_<GuardRun>(
      m, "GuardRun",
      "The answers to many states, in their order: arrays of N numbers. Its length "
      "is N; its items are GuardCycle.")
      .def("__bool__",
           [](const GuardRun&) -> bool {
             throw py::value_error("many cycles are neither true nor false: use .go.all()");
           })
      .def_readonly("go", &GuardRun::go, "bool: proved, braking can wait.")
      .def_readonly("action", &GuardRun::action, "uint8: values of Action.")
      .def_readonly("reason", &GuardRun::reason, "uint8: values of Reason.")
      .def_readonly("a", &GuardRun::a, "int32: indices into World.solids; -1: none.")
      .def_readonly("b", &GuardRun::b, "int32: indices into World.solids; -1: none.")
      .def_readonly("bound", &GuardRun::bound, DOC(GuardCycle, bound))
      .def_readonly("scale", &GuardRun::scale, DOC(GuardCycle, scale))
      .def_readonly("flops", &GuardRun::flops, DOC(GuardCycle, flops))
      .def_readonly("cycle", &GuardRun::cycle, DOC(GuardCycle, cycle))
      .def("__len__", &GuardRun::size)
      .def("__getitem__",
           [](const GuardRun& self, py::ssize_t i) {
             const auto size = static_cast<py::ssize_t>(self.size());
             if (i < -size || i >= size) throw py::index_error("no such cycle");
             return self.at(static_cast<std::size_t>(i < 0 ? i + size : i));
           })
      .def("__repr__", [](const GuardRun& self) {
        const bool* const go = self.go.data();
        return "GuardRun(" + std::to_string(self.size()) + " cycles, " +
               std::to_string(std::count(go, go + self.size(), false)) + " brake)";
      });
}

}  // namespace

void bind_guard(py::module_& m) {
  bind_brake(m);
  bind_cycles(m);

  const GuardOptions unless;
  const std::string options =
      DOC_TEXT(Guard) + "\n\nCalls may come from any thread, one at a time.\n\nbudget: " +
      DOC_TEXT(GuardOptions, budget) + "\nmargin: " + DOC_TEXT(GuardOptions, margin) +
      "\nlatch: " + DOC_TEXT(GuardOptions, latch) + "\ngraded: " + DOC_TEXT(GuardOptions, graded) +
      "\nhorizon: " + DOC_TEXT(GuardOptions, horizon) +
      "\nknown_command: " + DOC_TEXT(GuardOptions, known_command) +
      "\nslices: " + DOC_TEXT(GuardOptions, slices) +
      "\nsplits: " + DOC_TEXT(GuardOptions, splits) +
      "\nmax_age: " + DOC_TEXT(GuardOptions, max_age) +
      "\nmax_gap: " + DOC_TEXT(GuardOptions, max_gap) +
      "\nlimit_tolerance: " + DOC_TEXT(GuardOptions, limit_tolerance) +
      "\ncheck_jumps: " + DOC_TEXT(GuardOptions, check_jumps) +
      "\nmax_world_age: " + DOC_TEXT(GuardOptions, max_world_age) +
      "\nmax_carried: " + DOC_TEXT(GuardOptions, max_carried) +
      "\ncheck_cycles: " + DOC_TEXT(GuardOptions, check_cycles);
  py::class_<GuardObject, std::shared_ptr<GuardObject>>(m, "Guard", options.c_str())
      .def(py::init([](const py::object& world, const py::object& brake, std::uint64_t budget,
                       double margin, bool latch, bool graded, double horizon, bool known_command,
                       int slices, int splits, double max_age, double max_gap,
                       double limit_tolerance, bool check_jumps, double max_world_age,
                       std::size_t max_carried, std::uint32_t check_cycles) {
             const GuardOptions asked{.budget = budget,
                                      .margin = margin,
                                      .latch = latch,
                                      .graded = graded,
                                      .horizon = horizon,
                                      .known_command = known_command,
                                      .slices = slices,
                                      .splits = splits,
                                      .max_age = max_age,
                                      .max_gap = max_gap,
                                      .limit_tolerance = limit_tolerance,
                                      .check_jumps = check_jumps,
                                      .max_world_age = max_world_age,
                                      .max_carried = max_carried,
                                      .check_cycles = check_cycles};
             if (!py::isinstance<LoadedWorld>(world)) throw py::type_error("the world is a World");
             const World& of = world.cast<const LoadedWorld&>();
             BrakeModel model = brake_of(brake);
             std::optional<Guard> made;
             without_gil([&] { made.emplace(of, model, asked); });
             return std::make_shared<GuardObject>(world, std::move(*made), std::move(model), asked);
           }),
           "world"_a, "brake"_a, py::kw_only(), "budget"_a = unless.budget,
           "margin"_a = unless.margin, "latch"_a = unless.latch, "graded"_a = unless.graded,
           "horizon"_a = unless.horizon, "known_command"_a = unless.known_command,
           "slices"_a = unless.slices, "splits"_a = unless.splits, "max_age"_a = unless.max_age,
           "max_gap"_a = unless.max_gap, "limit_tolerance"_a = unless.limit_tolerance,
           "check_jumps"_a = unless.check_jumps, "max_world_age"_a = unless.max_world_age,
           "max_carried"_a = unless.max_carried, "check_cycles"_a = unless.check_cycles)
      .def(
          "step",
          [](GuardObject& self, py::handle time, py::handle q, py::handle v,
             const py::object& command, py::handle age, const py::object& ages) {
            const StateNumbers numbers = self.state_of(
                [&] { return StateNumbers(real_of(time), q, v, command, real_of(age), ages); });
            self.busy.require_idle();
            self.guard.step(numbers.state());
            return self.found();
          },
          "time"_a, "q"_a, "v"_a, "command"_a = py::none(), "age"_a = 0.0, "ages"_a = py::none(),
          (DOC_TEXT(Guard, step) +
           "\n\nA state that is none brakes, and the reason says why: a wrong size, a NaN, a time "
           "that goes back. TypeError only for what holds no numbers at all. Arrays of float64 are "
           "not copied.\n\ntime: " +
           DOC_TEXT(GuardState, time) + "\ncommand: " + DOC_TEXT(GuardState, command) +
           "\nage: " + DOC_TEXT(GuardState, age) + "\nages: " + DOC_TEXT(GuardState, ages))
              .c_str())
      .def("run", &run, "times"_a, "q"_a, "v"_a, py::kw_only(), "command"_a = py::none(),
           "age"_a = 0.0, "ages"_a = py::none(), "recorder"_a = py::none(),
           "Many cycles at once, as step() would answer them one by one: times (N,), q and v "
           "(N, dof), command and ages likewise or none. Runs without the GIL. The recorder, if "
           "there is one, keeps the last of them.")
      .def_property_readonly(
          "last",
          [](const GuardObject& self) {
            self.busy.require_idle();
            return self.found();
          },
          "What the last cycle found.")
      .def(
          "reset",
          [](GuardObject& self) {
            self.busy.require_idle();
            self.guard.reset();
          },
          DOC(Guard, reset))
      .def(
          "set_margin",
          [](GuardObject& self, py::handle a, py::handle b, double margin) {
            const int first = solid_of(self.world(), a), second = solid_of(self.world(), b);
            if (!(margin >= 0) || std::isinf(margin)) usage("margin is not a distance");
            self.busy.require_idle();
            return self.guard.set_margin(first, second, margin);
          },
          "a"_a, "b"_a, "margin"_a, (DOC_TEXT(Guard, set_margin) + " By index or by name.").c_str())
      .def(
          "attach",
          [](GuardObject& self, py::handle object, py::handle link, const py::iterable& touch) {
            const int thing = solid_of(self.world(), object), by = solid_of(self.world(), link);
            const std::vector<int> touched = solids_of(self.world(), touch);
            self.busy.require_idle();
            return self.guard.attach(thing, by, touched);
          },
          "object"_a, "link"_a, "touch"_a = py::tuple(),
          (DOC_TEXT(Guard, attach) + " By index or by name.").c_str())
      .def(
          "release",
          [](GuardObject& self, py::handle object) {
            const int thing = solid_of(self.world(), object);
            self.busy.require_idle();
            return self.guard.release(thing);
          },
          "object"_a, DOC(Guard, release))
      .def(
          "confirm_world",
          [](GuardObject& self, double time) {
            self.busy.require_idle();
            return self.guard.confirm_world(time);
          },
          "time"_a, DOC(Guard, confirm_world))
      .def_property_readonly(
          "changed",
          [](const GuardObject& self) {
            self.busy.require_idle();
            return self.guard.changed();
          },
          DOC(Guard, changed))
      .def_property_readonly(
          "work_bound", [](const GuardObject& self) { return self.guard.work_bound(); },
          DOC(Guard, work_bound))
      .def_property_readonly(
          "hash", [](const GuardObject& self) { return self.guard.hash(); }, DOC(Guard, hash))
      .def_property_readonly(
          "counters",
          [](const GuardObject& self) {
            self.busy.require_idle();
            return self.guard.counters();
          },
          DOC(GuardCounters))
      .def_readonly("world", &GuardObject::python_world)
      .def_property_readonly("brake", [](const GuardObject& self) { return to_python(self.brake); })
      .def_property_readonly(
          "options", [](const GuardObject& self) { return to_dict(self.options); },
          "As keywords of Guard().")
      .def(
          "save",
          [](const GuardObject& self) {
            self.busy.require_idle();
            std::vector<std::byte> memory(self.guard.memory_size());
            self.guard.save(memory);
            return py::bytes(reinterpret_cast<const char*>(memory.data()), memory.size());
          },
          "All that a cycle depends on besides its state and the world: a guard of the same world, "
          "model and options that restores it goes on in the same way, bit by bit.")
      .def(
          "restore",
          [](GuardObject& self, const py::bytes& memory) {
            const auto text = static_cast<std::string_view>(memory);
            self.busy.require_idle();
            return self.guard.restore(std::as_bytes(std::span(text.data(), text.size())));
          },
          "memory"_a, DOC(Guard, restore))
      .def("__repr__", [](const GuardObject& self) {
        return "Guard(" + self.world().name() + ", latency=" + short_text(self.brake.latency) +
               " s)";
      });
  bind_recorder(m);
  bind_message(m);
}

}  // namespace keepclear::python
