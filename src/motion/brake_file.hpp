// SPDX-License-Identifier: BSD-3-Clause
//
// The strict reader of brake files (docs/brake.md).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "keepclear/brake.hpp"
#include "robot/kinematics.hpp"

namespace keepclear {

/// A file of every joint that a world may have is far smaller.
inline constexpr std::size_t kMaxBrakeBytes = std::size_t{16} << 20;

/// read_brake of a text; `file` is for messages.
BrakeModel parse_brake(std::string_view text, const std::string& file,
                       const Kinematics& kinematics);

/// Numbers of a brake model are at most this, and decelerations at least its inverse: beyond it
/// they mean nothing, and within it no bound overflows.
inline constexpr double kLargestBrakeNumber = 1e30;
/// Why a brake model may not have those numbers for a joint, the member first; empty when it may.
std::string fault_of_brake(const JointBrake& brake);
/// Why that may be no latency; empty when it may.
std::string fault_of_latency(double latency);
/// A part of a latency is no longer than this, seconds: milliseconds are taken for seconds there.
inline constexpr double kLongestDelay = 10;
/// Why delays may not have those numbers, the member first; empty when they may.
std::string fault_of_delays(const BrakeDelays& delays);
/// Why the latency of a model, and its delays, may not be; empty when they may.
std::string fault_of_timing(const BrakeModel& model);

}  // namespace keepclear
