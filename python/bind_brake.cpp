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

}  // namespace

BrakeModel brake_of(py::handle value) {
  if (!py::isinstance(value, brake_class("BrakeModel"))) {
    throw py::type_error("the brake is a BrakeModel: read_brake(), uniform_brake() make them");
  }
  BrakeModel brake{.latency = number_of(value.attr("latency")), .joints = {}};
  for (const py::handle joint : value.attr("joints")) brake.joints.push_back(joint_brake_of(joint));
  return brake;
}

py::object to_python(const BrakeModel& brake) {
  py::list joints;
  for (const JointBrake& joint : brake.joints) joints.append(joint_to_python(joint));
  return brake_class("BrakeModel")(brake.latency, joints);
}

void bind_brake(py::module_& m) {
  m.attr("JointBrake") = brake_class("JointBrake");
  m.attr("BrakeModel") = brake_class("BrakeModel");
  m.def(
      "uniform_brake",
      [](const LoadedWorld& world, double latency, const py::object& joint) {
        return to_python(uniform_brake(world, latency, joint_brake_of(joint)));
      },
      "world"_a, "latency"_a, "joint"_a, DOC(uniform_brake));
  m.def(
      "read_brake",
      [](const LoadedWorld& world, const std::filesystem::path& file) {
        return to_python(read_brake(world, file));
      },
      "world"_a, "file"_a, DOC(read_brake));
}

}  // namespace keepclear::python
