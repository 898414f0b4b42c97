// SPDX-License-Identifier: BSD-3-Clause
#include "motion/box_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "keepclear/error.hpp"
#include "robot/xml.hpp"
#include "rounding/mode.hpp"
#include "scene/json.hpp"
#include "scene/world.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

using json::Place;
using json::Value;

/// As Kinematics::is_configuration has it.
constexpr double kUnitTolerance = 1e-6;

/// The first of the four numbers of a rotation.
bool starts_quaternion(const Variable& variable) {
  return variable.type == "floating" && variable.name == variable.joint + "/rot_x";
}

/// A few names for a message.
template <typename Names>
std::string listed(const Names& names, const char* last) {
  constexpr std::size_t kMost = 8;
  std::string text;
  const std::size_t count = std::min(names.size(), kMost);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_last = i + 1 == count && names.size() <= kMost;
    if (i > 0) text += is_last ? last : ", ";
    text += text::quoted(names[i]);
  }
  return names.size() > kMost ? text + ", ..." : text;
}

/// What to write instead of a name that is no variable.
std::string hint_for(std::span<const Variable> variables, std::string_view name) {
  xml::Names all, of_joint, of_robots;
  const std::string behind_robot = "/" + std::string(name);
  for (const Variable& variable : variables) {
    all.push_back(variable.name);
    if (variable.joint == name) of_joint.push_back(variable.name);
    if (variable.name.ends_with(behind_robot)) of_robots.push_back(variable.name);
  }
  if (all.empty()) return "the world has no movable joint";
  if (!of_joint.empty()) return "this joint has several numbers: " + listed(of_joint, ", ");
  if (!of_robots.empty()) {
    return "with its robot, a joint is called robot/joint: " + listed(of_robots, " or ");
  }
  const std::string nearest = xml::did_you_mean(name, all);
  return nearest.empty() ? "there are " + listed(all, " and ") : nearest;
}

class BoxReader {
 public:
  BoxReader(const std::string& file, const Kinematics& kinematics)
      : reader_(file), kinematics_(kinematics), box_(full_range(kinematics)) {}

  JointBox read(std::string_view text) {
    static const json::Sections sections{{}, {"joints"}, "a box has \"joints\" and nothing else"};
    if (text.size() > kMaxBoxBytes) {
      reader_.fail({}, fmt::format("larger than the limit of {} MiB", kMaxBoxBytes >> 20));
    }
    bool seen = false;
    json::parse(text, reader_.file(), sections,
                [&](std::string_view key, std::size_t, const Value& value) {
                  const Place top;
                  read_joints(value, {&top, key});
                  seen = true;
                });
    if (!seen) reader_.fail({}, "'joints' is missing");
    const Place top;
    if (const std::string fault = fault_of_box(kinematics_, box_); !fault.empty()) {
      reader_.fail({&top, "joints"}, fault);
    }
    return std::move(box_);
  }

 private:
  void read_joints(const Value& value, const Place& at) {
    for (const auto& [name, interval] : reader_.object(value, at)) {
      const Place here{&at, name};
      const std::size_t variable =
          box_variable(kinematics_, name, Error::Kind::malformed, reader_.file(), here.pointer());
      box_[variable] = read_interval(interval, here);
      const std::string fault =
          fault_of_interval(kinematics_.variables()[variable], box_[variable]);
      if (!fault.empty()) reader_.fail(here, fault);
    }
  }

  /// [lower, upper], or one number for both.
  Interval read_interval(const Value& value, const Place& at) const {
    if (const auto* fixed = std::get_if<double>(&value.data)) return {*fixed, *fixed};
    const auto* ends = std::get_if<json::Array>(&value.data);
    if (ends == nullptr) {
      reader_.fail(at, fmt::format("must be [lower, upper], is {}", json::kind_of(value)));
    }
    if (ends->size() != 2) {
      reader_.fail(at, fmt::format("must be two numbers, lower and upper, is {}", ends->size()));
    }
    return {reader_.number((*ends)[0], {&at, {}, 0}), reader_.number((*ends)[1], {&at, {}, 1})};
  }

  json::Reader reader_;
  const Kinematics& kinematics_;
  JointBox box_;
};

}  // namespace

std::size_t box_variable(const Kinematics& kinematics, std::string_view name, Error::Kind kind,
                         const std::string& file, const std::string& place) {
  const auto variables = kinematics.variables();
  const auto found = std::ranges::find(variables, name, &Variable::name);
  if (found != variables.end()) return static_cast<std::size_t>(found - variables.begin());
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    const Kinematics::Frame& frame = kinematics.frame(f);
    if (frame.joint.name != name || frame.mimic.empty()) continue;
    const std::string followed = text::quoted(variables[frame.variable].joint);
    throw Error(kind, file, 0, fmt::format("{}: this joint follows {} (mimic)", place, followed),
                fmt::format("give an interval for {} alone", followed));
  }
  throw Error(kind, file, 0,
              fmt::format("{}: the world has no variable {}", place, text::quoted(name)),
              hint_for(variables, name));
}

std::string fault_of_interval(const Variable& variable, const Interval& interval) {
  const bool angle = is_angle(variable);
  const double most = angle ? kLargestAngle : kLargestPosition;
  for (const double end : {interval.lower, interval.upper}) {
    if (!(std::fabs(end) <= most)) {
      return fmt::format("{} is beyond {} {}, the most that a configuration may hold", end, most,
                         angle ? "rad" : "m");
    }
  }
  if (interval.lower > interval.upper) {
    return fmt::format("the lower end {} is above the upper end {}", interval.lower,
                       interval.upper);
  }
  return {};
}

std::string fault_of_box(const Kinematics& kinematics, const JointBox& box) {
  const auto variables = kinematics.variables();
  for (std::size_t i = 0; i + 3 < variables.size(); ++i) {
    if (!starts_quaternion(variables[i])) continue;
    double least = 0, most = 0;  // of the squared length
    for (std::size_t k = i; k < i + 4; ++k) {
      const double a = std::fabs(box[k].lower), b = std::fabs(box[k].upper);
      const bool around_zero = box[k].lower <= 0 && box[k].upper >= 0;
      const double near = around_zero ? 0 : std::min(a, b), far = std::max(a, b);
      least += near * near;
      most += far * far;
    }
    if (std::sqrt(least) > 1 + kUnitTolerance || std::sqrt(most) < 1 - kUnitTolerance) {
      return fmt::format("no quaternion of joint {} in the box has length 1",
                         text::quoted(variables[i].joint));
    }
  }
  return {};
}

JointBox full_range(const Kinematics& kinematics) {
  // The next number above that of the header, which is below pi: a full turn has no gap.
  const double half_turn =
      std::nextafter(std::numbers::pi, std::numeric_limits<double>::infinity());
  JointBox box;
  for (const Variable& variable : kinematics.variables()) {
    const bool limited = std::isfinite(variable.lower) && std::isfinite(variable.upper);
    box.push_back(!limited && is_angle(variable) ? Interval{-half_turn, half_turn}
                                                 : Interval{variable.lower, variable.upper});
  }
  // What follows a joint without limits by a slide, or by half turns, is not where it was after one
  // turn: then there is no end to where the two can be.
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    const Kinematics::Frame& frame = kinematics.frame(f);
    if (frame.mimic.empty() || frame.returns_after_a_turn()) continue;
    const Variable& variable = kinematics.variables()[frame.variable];
    if (!std::isfinite(variable.lower) || !std::isfinite(variable.upper)) {
      box[frame.variable] = {variable.lower, variable.upper};
    }
  }
  return box;
}

JointBox parse_box(std::string_view text, const std::string& file, const Kinematics& kinematics) {
  return BoxReader(file, kinematics).read(text);
}

JointBox full_range(const World& world) {
  rounding::require_mode();
  return full_range(world.data().kinematics);
}

JointBox read_box(const World& world, const std::filesystem::path& file) {
  rounding::require_mode();
  return parse_box(json::read_file(file, kMaxBoxBytes), file.string(), world.data().kinematics);
}

}  // namespace keepclear
