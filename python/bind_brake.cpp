// SPDX-License-Identifier: BSD-3-Clause
#include "bind_pose.hpp"
#include "docstrings.hpp"
#include "guard_object.hpp"

namespace keepclear::python {
namespace {

py::object brake_class(const char* name) {
  return py::module_::import("keepclear._brake").attr(name);
}

JointBrake joint_brake_of(py::handle value) {
  if (!py::isinstance(value, brake_class("JointBrake"))) {
    throw py::type_error("a brake model has a JointBrake for each number of a configuration");
  }
  const py::object stops = value.attr("stops");
  if (!py::isinstance<py::bool_>(stops)) throw py::type_error("JointBrake.stops is True or False");
  const auto read = [&](const char* name) { return number_of(value.attr(name)); };
  return {.max_acceleration = read("max_acceleration"),
          .brake_deceleration = read("brake_deceleration"),
          .brake_deceleration_most = read("brake_deceleration_most"),
          .position_uncertainty = read("position_uncertainty"),
          .velocity_uncertainty = read("velocity_uncertainty"),
          .acceleration_uncertainty = read("acceleration_uncertainty"),
          .max_velocity = read("max_velocity"),
          .stops = stops.cast<bool>()};
}

py::object joint_to_python(const JointBrake& joint) {
  return brake_class("JointBrake")(joint.max_acceleration, joint.brake_deceleration,
                                   joint.brake_deceleration_most, joint.position_uncertainty,
                                   joint.velocity_uncertainty, joint.acceleration_uncertainty,
                                   joint.max_velocity, joint.stops);
}

constexpr const char* kAtOnce = "at once";
constexpr const char* kEndOfCycle = "end of cycle";

BrakeDelays delays_of(py::handle value) {
  if (!py::isinstance(value, brake_class("BrakeDelays"))) {
    throw py::type_error("the delays of a latency are BrakeDelays");
  }
  const py::object noticed = value.attr("missing_answer_noticed");
  if (!py::isinstance<py::str>(noticed)) {
    throw py::type_error("BrakeDelays.missing_answer_noticed is a text");
  }
  const auto word = noticed.cast<std::string>();
  if (word != kAtOnce && word != kEndOfCycle) {
    throw py::value_error(
        "BrakeDelays.missing_answer_noticed must be 'at once' or 'end of cycle', is '" + word +
        "'");
  }
  const auto read = [&](const char* name) { return number_of(value.attr(name)); };
  return {.age = read("age"),
          .cycle = read("cycle"),
          .communication = read("communication"),
          .brake_reaction = read("brake_reaction"),
          .missing_answer_noticed =
              word == kAtOnce ? MissingAnswer::at_once : MissingAnswer::end_of_cycle};
}

py::object delays_to_python(const std::optional<BrakeDelays>& delays) {
  if (!delays) return py::none();
  const bool at_once = delays->missing_answer_noticed == MissingAnswer::at_once;
  return brake_class("BrakeDelays")(delays->age, delays->cycle, delays->communication,
                                    delays->brake_reaction, at_once ? kAtOnce : kEndOfCycle);
}

}  // namespace

BrakeModel brake_of(py::handle value) {
  if (!py::isinstance(value, brake_class("BrakeModel"))) {
    throw py::type_error("the brake is a BrakeModel: read_brake(), uniform_brake() make them");
  }
  BrakeModel brake{.latency = number_of(value.attr("latency")), .joints = {}};
  const py::object delays = value.attr("delays");
  if (!delays.is_none()) brake.delays = delays_of(delays);
  for (const py::handle joint : value.attr("joints")) brake.joints.push_back(joint_brake_of(joint));
  return brake;
}

py::object to_python(const BrakeModel& brake) {
  py::list joints;
  for (const JointBrake& joint : brake.joints) joints.append(joint_to_python(joint));
  return brake_class("BrakeModel")(brake.latency, joints, delays_to_python(brake.delays));
}

void bind_brake(py::module_& m) {
  m.attr("JointBrake") = brake_class("JointBrake");
  m.attr("BrakeModel") = brake_class("BrakeModel");
  m.attr("BrakeDelays") = brake_class("BrakeDelays");
  m.def(
      "uniform_brake",
      [](const LoadedWorld& world, const py::object& latency, const py::object& joint) {
        const JointBrake each = joint_brake_of(joint);
        return to_python(py::isinstance(latency, brake_class("BrakeDelays"))
                             ? uniform_brake(world, delays_of(latency), each)
                             : uniform_brake(world, number_of(latency), each));
      },
      "world"_a, "latency"_a, "joint"_a, DOC(uniform_brake));
  m.def(
      "latency_of", [](const py::object& delays) { return latency_of(delays_of(delays)); },
      "delays"_a, DOC(latency_of));
  m.def(
      "latency_rule", [](const py::object& delays) { return latency_rule(delays_of(delays)); },
      "delays"_a, DOC(latency_rule));
  m.def(
      "latency_warning",
      [](const py::object& brake, double cycle) { return latency_warning(brake_of(brake), cycle); },
      "brake"_a, "cycle"_a, DOC(latency_warning));
  m.def(
      "read_brake",
      [](const LoadedWorld& world, const std::filesystem::path& file) {
        return to_python(read_brake(world, file));
      },
      "world"_a, "file"_a, DOC(read_brake));
}

}  // namespace keepclear::python
