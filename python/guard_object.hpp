// SPDX-License-Identifier: BSD-3-Clause
//
// A guard as Python holds it, and what the files about guards share.
#pragma once

#include "bind.hpp"

namespace keepclear::python {

/// Says that an object is at work without the GIL: calls from another thread are refused meanwhile,
/// since a guard, a recorder and a watch are one object a thread. Changed with the GIL held only.
class Busy {
 public:
  class Hold {
   public:
    /// Throws Error (usage) where it is held already.
    explicit Hold(Busy& busy) : busy_(busy) {
      busy_.require_idle();
      busy_.held_ = true;
    }
    ~Hold() { busy_.held_ = false; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Busy& busy_;
  };
  /// Throws Error (usage) while it is held.
  bool is_idle() const { return !held_; }
  void require_idle() const {
    if (held_) usage("another thread is using this object", "make one for each thread");
  }

 private:
  bool held_ = false;
};

/// keepclear.Guard. Its calls hold the GIL, all but run().
struct GuardObject {
  GuardObject(py::object of, Guard made, BrakeModel model, const GuardOptions& asked);

  const World& world() const { return world_; }
  Answer<GuardCycle> found() const { return {guard.last(), solids}; }
  /// What f() makes of arguments. Where they hold no state at all, and it throws, the guard was
  /// asked all the same: what it saw before is nothing to rest on any more.
  template <typename F>
  auto state_of(const F& f) {
    try {
      return f();
    } catch (...) {
      if (busy.is_idle()) forget_state();
      throw;
    }
  }

  py::object python_world;
  BrakeModel brake;
  GuardOptions options;
  Guard guard;
  Solids solids;
  Busy busy{};

 private:
  void forget_state();

  World world_;
};

/// keepclear.FlightRecorder: that of one guard.
struct RecorderObject {
  RecorderObject(std::shared_ptr<GuardObject> of, std::size_t cycles);

  std::shared_ptr<GuardObject> guard;
  FlightRecorder recorder;
  Busy busy{};
};

/// keepclear.Recording: with the names of its world where that was at hand.
struct RecordingObject {
  Recording recording;
  Solids solids;
};

/// The numbers of a state, kept alive.
struct StateNumbers {
  StateNumbers(double at, py::handle positions, py::handle velocities, const py::object& commanded,
               double old, const py::object& each_old);
  GuardState state() const;

  double time, age;
  Doubles q, v;
  std::optional<Doubles> command, ages;
};

/// One number; TypeError for what is none.
double real_of(py::handle value);
/// As keywords of Guard().
py::dict to_dict(const GuardOptions& options);
/// A solid by its index or its name; Error (usage) for a name that there is not.
int solid_of(const World& world, py::handle value);
std::vector<int> solids_of(const World& world, const py::iterable& values);

/// keepclear.JointBrake and keepclear.BrakeModel are dataclasses of keepclear/_brake.py.
BrakeModel brake_of(py::handle value);
py::object to_python(const BrakeModel& brake);

void bind_brake(py::module_& m);
void bind_recorder(py::module_& m);
void bind_message(py::module_& m);

}  // namespace keepclear::python

namespace pybind11::detail {
KEEPCLEAR_ENUM(keepclear::LinkReason, "LinkReason");
}  // namespace pybind11::detail
