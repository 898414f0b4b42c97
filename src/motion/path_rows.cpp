// SPDX-License-Identifier: BSD-3-Clause
#include "motion/path_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "keepclear/error.hpp"
#include "motion/box_file.hpp"
#include "motion/path_data.hpp"
#include "rounding/rounding.hpp"
#include "shape/text.hpp"

namespace keepclear {

PathRows::PathRows(const Kinematics& kinematics, const std::string& file)
    : kinematics_(kinematics), file_(file) {
  const auto variables = kinematics.variables();
  for (std::size_t i = 0; i + 3 < variables.size(); ++i) {
    if (variables[i].type != "floating" || !variables[i].name.ends_with("/rot_x")) continue;
    quaternions_.push_back(i);
  }
}

void PathRows::add_name(std::string_view name, const std::string& place) {
  if (const std::string followed = followed_joint(kinematics_, name); !followed.empty()) {
    throw Error(Error::Kind::malformed, file_, 0,
                fmt::format("{}: {} follows {} (mimic)", place, text::quoted(name), followed),
                fmt::format("leave it out: it goes where {} sends it", followed));
  }
  const std::size_t variable =
      box_variable(kinematics_, name, Error::Kind::malformed, file_, place);
  if (std::ranges::find(variables_, variable) != variables_.end()) {
    throw Error(Error::Kind::malformed, file_, 0,
                fmt::format("{}: {} stands there twice", place, text::quoted(name)));
  }
  variables_.push_back(variable);
}

std::string PathRows::fault(std::size_t i, double number) const {
  return fault_of_interval(kinematics_.variables()[variables_[i]], {number, number});
}

std::string PathRows::fault(std::span<const double> q) const {
  for (const std::size_t i : quaternions_) {
    if (rounding::is_unit_quaternion(q[i], q[i + 1], q[i + 2], q[i + 3])) continue;
    const double length = std::hypot(std::hypot(q[i], q[i + 1]), std::hypot(q[i + 2], q[i + 3]));
    return fmt::format("the quaternion of joint {} has length {}, not 1",
                       text::quoted(kinematics_.variables()[i].joint), length);
  }
  return {};
}

Path PathRows::make_path(const std::function<Path()>& make) const {
  try {
    Path path = make();
    if (quaternions_.empty()) return path;
    PathData data = path.data();
    data.quaternions = quaternions_;
    return Path(std::make_shared<const PathData>(std::move(data)));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::usage) throw;
    throw Error(Error::Kind::malformed, file_, 0, error.what());
  }
}

std::string followed_joint(const Kinematics& kinematics, std::string_view joint) {
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    const Kinematics::Frame& frame = kinematics.frame(f);
    if (frame.joint.name != joint || frame.mimic.empty()) continue;
    return text::quoted(kinematics.variables()[static_cast<std::size_t>(frame.variable)].joint);
  }
  return {};
}

}  // namespace keepclear
