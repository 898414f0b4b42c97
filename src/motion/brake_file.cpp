// SPDX-License-Identifier: BSD-3-Clause
#include "motion/brake_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "keepclear/error.hpp"
#include "motion/box_file.hpp"
#include "rounding/mode.hpp"
#include "rounding/rounding.hpp"
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

struct Delay {
  const char* name;
  double BrakeDelays::*seconds;
};
constexpr Delay kDelays[] = {
    {"age", &BrakeDelays::age},
    {"cycle", &BrakeDelays::cycle},
    {"communication", &BrakeDelays::communication},
    {"brake_reaction", &BrakeDelays::brake_reaction},
};
constexpr const char* kMissing = "missing_answer_noticed";
constexpr const char* kAtOnce = "at once";
constexpr const char* kEndOfCycle = "end of cycle";

std::string fault_of_delay(const Delay& delay, double seconds) {
  if (!(seconds >= 0)) {
    return std::isnan(seconds) ? fmt::format("{} is not given", delay.name)
                               : fmt::format("{} must not be negative, is {}", delay.name, seconds);
  }
  if (seconds > kLongestDelay) {
    return fmt::format("{} must be at most {} s, is {}", delay.name, kLongestDelay, seconds);
  }
  if (delay.seconds == &BrakeDelays::cycle && seconds < 1 / kLargestBrakeNumber) {
    return fmt::format("{} must be above zero, is {}", delay.name, seconds);
  }
  return {};
}

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
        {},
        {"delays", "latency", "default", "joints"},
        "a brake file has delays (or latency), default and joints"};
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
                  } else if (key == "delays") {
                    read_delays(value, at);
                  } else if (key == "default") {
                    default_ = value;
                    check_members(value, at);
                  } else {
                    joints_ = value;
                  }
                });
    if (latency_ && delays_) {
      reader_.fail({}, "both 'latency' and 'delays' are given",
                   "remove 'latency': it is computed from the delays");
    }
    if (!latency_ && !delays_) {
      reader_.fail(
          {}, "'delays' is missing",
          "give the parts of the latency there, see docs/brake.md, or their sum as 'latency'");
    }
    return finish();
  }

 private:
  void read_delays(const Value& value, const Place& at) {
    const json::Object& object = reader_.object(value, at);
    json::Names names{kMissing};
    for (const Delay& delay : kDelays) names.emplace_back(delay.name);
    reader_.allow_keys(object, names, at);
    BrakeDelays delays;
    for (const Delay& delay : kDelays) {
      const Place here{&at, delay.name};
      const double seconds = reader_.number(reader_.required(object, delay.name, at), here);
      const std::string fault = fault_of_delay(delay, seconds);
      if (!fault.empty()) {
        reader_.fail(here, fault, seconds > kLongestDelay ? "it is a time in seconds" : "");
      }
      delays.*delay.seconds = seconds;
    }
    const Place here{&at, kMissing};
    const std::string& word = reader_.text(reader_.required(object, kMissing, at), here);
    if (word != kAtOnce && word != kEndOfCycle) {
      reader_.fail(
          here, fmt::format("must be \"{}\" or \"{}\"", kAtOnce, kEndOfCycle),
          fmt::format("\"{}\" where the controller waits for an answer until its cycle ends",
                      kEndOfCycle));
    }
    delays.missing_answer_noticed =
        word == kAtOnce ? MissingAnswer::at_once : MissingAnswer::end_of_cycle;
    delays_ = delays;
  }

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
    alone.max_acceleration = 0;
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
    BrakeModel model{.latency = delays_ ? latency_of(*delays_) : *latency_,
                     .joints = std::vector<JointBrake>(variables.size(), plain),
                     .delays = delays_};
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
    if (std::isnan(brake.max_acceleration)) {
      reader_.fail(at, "'max_acceleration' is missing",
                   "give it here or in \"default\"; 0 only if nothing speeds the joint up, gravity "
                   "included");
    }
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
  std::optional<BrakeDelays> delays_;
  std::optional<Value> default_, joints_;
};

}  // namespace

std::string fault_of_latency(double latency) {
  if (latency >= 0 && latency <= kLargestBrakeNumber) return {};
  if (std::isnan(latency)) return "the latency is not given";
  return fmt::format("{} is no latency: it must be from 0 to {} s", latency, kLargestBrakeNumber);
}

std::string fault_of_brake(const JointBrake& brake) {
  for (const Member& member : kMembers) {
    const double x = brake.*member.number;
    const bool may_be_infinite = member.number == &JointBrake::max_velocity ||
                                 member.number == &JointBrake::acceleration_uncertainty ||
                                 member.number == &JointBrake::brake_deceleration_most;
    if (std::isnan(x)) return fmt::format("{} is not given", member.name);
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

std::string fault_of_delays(const BrakeDelays& delays) {
  for (const Delay& delay : kDelays) {
    std::string fault = fault_of_delay(delay, delays.*delay.seconds);
    if (!fault.empty()) return fault;
  }
  const bool known = delays.missing_answer_noticed == MissingAnswer::at_once ||
                     delays.missing_answer_noticed == MissingAnswer::end_of_cycle;
  return known ? std::string() : fmt::format("{} is not known", kMissing);
}

std::string fault_of_timing(const BrakeModel& model) {
  if (!model.delays) return fault_of_latency(model.latency);
  if (std::string fault = fault_of_delays(*model.delays); !fault.empty()) {
    return "delays: " + fault;
  }
  if (model.latency == latency_of(*model.delays)) return {};
  return fmt::format("the latency {} is not the sum of its delays, {}", model.latency,
                     latency_of(*model.delays));
}

double latency_of(const BrakeDelays& delays) noexcept {
  if (!rounding::mode_is_right()) return std::numeric_limits<double>::quiet_NaN();
  const double cycles =
      delays.missing_answer_noticed == MissingAnswer::at_once ? delays.cycle : 2 * delays.cycle;
  // Four terms that are not negative, three roundings.
  const double sum = delays.age + cycles + delays.communication + delays.brake_reaction;
  return rounding::inflate(sum, 3);
}

std::string latency_rule(const BrakeDelays& delays) {
  return fmt::format(
      "age {:.6g} s + {}cycle {:.6g} s + communication {:.6g} s + brake_reaction {:.6g} s",
      delays.age, delays.missing_answer_noticed == MissingAnswer::at_once ? "" : "2 x ",
      delays.cycle, delays.communication, delays.brake_reaction);
}

std::string latency_warning(const BrakeModel& brake, double cycle) {
  // Time stamps are rounded, and what they are rounded to is no part of a cycle: 0.1 % of it is
  // more than that. A warning, no proof.
  constexpr double kStamps = 1.001;
  if (!(cycle > 0)) return {};
  if (brake.delays) {
    if (!(cycle > brake.delays->cycle * kStamps)) return {};
    return fmt::format(
        "states are up to {:.4g} s apart, more than the cycle of {:.4g} s in the delays: it must "
        "be "
        "the longest time from one state to the next, jitter included",
        cycle, brake.delays->cycle);
  }
  if (!(2 * cycle > brake.latency * kStamps)) return {};
  return fmt::format(
      "states are up to {:.4g} s apart, and the latency of {:.4g} s is shorter than two such "
      "cycles: it must hold one from a go to the next answer, and one more where a missing answer "
      "shows only when its cycle is over. Give its parts as \"delays\" in the brake file",
      cycle, brake.latency);
}

BrakeModel parse_brake(std::string_view text, const std::string& file,
                       const Kinematics& kinematics) {
  return BrakeReader(file, kinematics).read(text);
}

BrakeModel uniform_brake(const World& world, double latency, const JointBrake& joint) {
  rounding::require_mode();
  return {latency, std::vector<JointBrake>(world.data().kinematics.variables().size(), joint)};
}

BrakeModel uniform_brake(const World& world, const BrakeDelays& delays, const JointBrake& joint) {
  if (const std::string fault = fault_of_delays(delays); !fault.empty()) {
    throw Error(Error::Kind::usage, world.file(), 0, "delays: " + fault);
  }
  BrakeModel model = uniform_brake(world, latency_of(delays), joint);
  model.delays = delays;
  return model;
}

BrakeModel read_brake(const World& world, const std::filesystem::path& file) {
  rounding::require_mode();
  return parse_brake(json::read_file(file, kMaxBrakeBytes), file.string(), world.data().kinematics);
}

}  // namespace keepclear
