// SPDX-License-Identifier: BSD-3-Clause
#include "motion/brake_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "keepclear/error.hpp"
#include "motion/box_file.hpp"
#include "rounding/mode.hpp"
#include "scene/json.hpp"
#include "scene/world.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

using json::Place;
using json::Value;

struct Member {
  const char* name;
  double JointBrake::*number;
};
constexpr Member kMembers[] = {
    {"max_acceleration", &JointBrake::max_acceleration},
    {"brake_deceleration", &JointBrake::brake_deceleration},
    {"brake_deceleration_most", &JointBrake::brake_deceleration_most},
    {"position_uncertainty", &JointBrake::position_uncertainty},
    {"velocity_uncertainty", &JointBrake::velocity_uncertainty},
    {"acceleration_uncertainty", &JointBrake::acceleration_uncertainty},
    {"max_velocity", &JointBrake::max_velocity},
};

json::Names member_names() {
  json::Names names;
  for (const Member& member : kMembers) names.emplace_back(member.name);
  names.emplace_back("stops");
  return names;
}

class BrakeReader {
 public:
  BrakeReader(const std::string& file, const Kinematics& kinematics)
      : reader_(file), kinematics_(kinematics) {}

  BrakeModel read(std::string_view text) {
    static const json::Sections sections{
        {}, {"latency", "default", "joints"}, "a brake file has latency, default and joints"};
    if (text.size() > kMaxBrakeBytes) {
      reader_.fail({}, fmt::format("larger than the limit of {} MiB", kMaxBrakeBytes >> 20));
    }
    json::parse(text, reader_.file(), sections,
                [&](std::string_view key, std::size_t, const Value& value) {
                  const Place top, at{&top, key};
                  if (key == "latency") {
                    latency_ = reader_.number(value, at);
                    const std::string fault = fault_of_latency(*latency_);
                    if (!fault.empty()) reader_.fail(at, fault);
                  } else if (key == "default") {
                    default_ = value;
                    check_members(value, at);
                  } else {
                    joints_ = value;
                  }
                });
    if (!latency_) reader_.fail({}, "'latency' is missing");
    return finish();
  }

 private:
  void check_members(const Value& value, const Place& at) {
    static const json::Names names = member_names();
    reader_.allow_keys(reader_.object(value, at), names, at);
  }

  /// Overwrites what is given.
  void apply(const Value& value, const Place& at, JointBrake& brake) const {
    const json::Object& object = reader_.object(value, at);
    for (const Member& member : kMembers) {
      if (const Value* number = json::find(object, member.name)) {
        brake.*member.number = reader_.number(*number, {&at, member.name});
        check(*number, {&at, member.name}, member);
      }
    }
    if (const Value* stops = json::find(object, "stops")) {
      const bool* flag = std::get_if<bool>(&stops->data);
      if (flag == nullptr) {
        reader_.fail({&at, "stops"},
                     fmt::format("must be true or false, is {}", json::kind_of(*stops)));
      }
      brake.stops = *flag;
    }
  }

  /// The member by itself: a fault has its own place then.
  void check(const Value& value, const Place& at, const Member& member) const {
    JointBrake alone;
    alone.brake_deceleration = 1 / kLargestBrakeNumber;
    alone.*member.number = reader_.number(value, at);
    const std::string fault = fault_of_brake(alone);
    if (!fault.empty()) reader_.fail(at, fault);
  }

  BrakeModel finish() {
    const Place top, at{&top, "joints"};
    const auto variables = kinematics_.variables();
    JointBrake plain;
    if (default_) apply(*default_, {&top, "default"}, plain);
    BrakeModel model{*latency_, std::vector<JointBrake>(variables.size(), plain)};
    if (joints_) {
      // Whole joints first, then single numbers of them: the order in the file means nothing.
      for (const bool whole : {true, false}) {
        for (const auto& [name, value] : reader_.object(*joints_, at)) {
          const Place here{&at, name};
          check_members(value, here);
          const bool is_joint = names_joint(name);
          if (is_joint != whole) continue;
          if (is_joint) {
            for (std::size_t i = 0; i < variables.size(); ++i) {
              if (variables[i].joint == name) apply(value, here, model.joints[i]);
            }
          } else {
            apply(value, here, model.joints[variable(name, here)]);
          }
        }
      }
    }
    for (std::size_t i = 0; i < variables.size(); ++i) require(variables[i], model.joints[i]);
    return model;
  }

  bool names_joint(std::string_view name) const {
    return std::ranges::any_of(kinematics_.variables(),
                               [&](const Variable& variable) { return variable.joint == name; });
  }

  std::size_t variable(std::string_view name, const Place& at) const {
    return box_variable(kinematics_, name, Error::Kind::malformed, reader_.file(), at.pointer());
  }

  void require(const Variable& variable, const JointBrake& brake) const {
    const Place top, joints{&top, "joints"}, at{&joints, variable.name};
    if (brake.brake_deceleration == 0) {
      reader_.fail(at, "'brake_deceleration' is missing",
                   "give it here or in \"default\": no joint stops by itself");
    }
    const std::string fault = fault_of_brake(brake);
    if (!fault.empty()) reader_.fail(at, fault);
  }

  json::Reader reader_;
  const Kinematics& kinematics_;
  std::optional<double> latency_;
  std::optional<Value> default_, joints_;
};

}  // namespace

std::string fault_of_latency(double latency) {
  if (latency >= 0 && latency <= kLargestBrakeNumber) return {};
  return fmt::format("{} is no latency: it must be from 0 to {} s", latency, kLargestBrakeNumber);
}

std::string fault_of_brake(const JointBrake& brake) {
  for (const Member& member : kMembers) {
    const double x = brake.*member.number;
    const bool may_be_infinite = member.number == &JointBrake::max_velocity ||
                                 member.number == &JointBrake::brake_deceleration_most;
    if (!(x >= 0)) return fmt::format("{} must not be negative, is {}", member.name, x);
    if (x > kLargestBrakeNumber && !may_be_infinite) {
      return fmt::format("{} must be at most {}, is {}", member.name, kLargestBrakeNumber, x);
    }
  }
  if (!(brake.brake_deceleration >= 1 / kLargestBrakeNumber)) {
    return fmt::format("brake_deceleration must be above zero, at least {}, is {}",
                       1 / kLargestBrakeNumber, brake.brake_deceleration);
  }
  if (!(brake.brake_deceleration_most >= brake.brake_deceleration)) {
    return fmt::format("brake_deceleration_most {} is below brake_deceleration {}",
                       brake.brake_deceleration_most, brake.brake_deceleration);
  }
  return {};
}

BrakeModel parse_brake(std::string_view text, const std::string& file,
                       const Kinematics& kinematics) {
  return BrakeReader(file, kinematics).read(text);
}

BrakeModel uniform_brake(const World& world, double latency, const JointBrake& joint) {
  rounding::require_mode();
  return {latency, std::vector<JointBrake>(world.data().kinematics.variables().size(), joint)};
}

BrakeModel read_brake(const World& world, const std::filesystem::path& file) {
  rounding::require_mode();
  return parse_brake(json::read_file(file, kMaxBrakeBytes), file.string(), world.data().kinematics);
}

}  // namespace keepclear
