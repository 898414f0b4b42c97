// SPDX-License-Identifier: BSD-3-Clause
//
// The strict readers of path and tube files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "keepclear/path.hpp"
#include "robot/kinematics.hpp"

namespace keepclear {

/// About half an hour of seven joints, a thousand rows a second.
inline constexpr std::size_t kMaxPathBytes = std::size_t{256} << 20;

/// read_path of a text. The ending of `file` decides between CSV, JSON and YAML; with another one,
/// the text does. `rest` has a number for each variable.
Path parse_path(std::string_view text, const std::string& file, const Kinematics& kinematics,
                std::span<const double> rest);
/// with_tube of a text.
Path parse_tube(std::string_view text, const std::string& file, const Kinematics& kinematics,
                const Path& path);

}  // namespace keepclear
