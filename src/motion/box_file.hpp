// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes of joint intervals, and the strict reader of their files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "keepclear/box.hpp"
#include "robot/kinematics.hpp"

namespace keepclear {

/// A file of every joint that a world may have is far smaller.
inline constexpr std::size_t kMaxBoxBytes = std::size_t{16} << 20;

JointBox full_range(const Kinematics& kinematics);
/// read_box of a text; `file` is for messages.
JointBox parse_box(std::string_view text, const std::string& file, const Kinematics& kinematics);

/// The index of the variable of that name. Throws Error (of that kind) when a box cannot name it,
/// with a hint to the name that may be meant; `place` stands before the message.
std::size_t box_variable(const Kinematics& kinematics, std::string_view name, Error::Kind kind,
                         const std::string& file, const std::string& place);
/// Why a box may not have that interval for a variable; empty when it may.
std::string fault_of_interval(const Variable& variable, const Interval& interval);
/// Why no configuration is in a box with good intervals: four numbers of a quaternion that cannot
/// be of length one. Empty when there is one.
std::string fault_of_box(const Kinematics& kinematics, const JointBox& box);

}  // namespace keepclear
