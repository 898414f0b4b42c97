// SPDX-License-Identifier: BSD-3-Clause
//
// The strict readers of path and tube files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "keepclear/path.hpp"
#include "robot/kinematics.hpp"
#include "scene/json.hpp"

namespace keepclear {

/// About half an hour of seven joints, a thousand rows a second.
inline constexpr std::size_t kMaxPathBytes = std::size_t{256} << 20;

/// read_path of a text. The ending of `file` decides between CSV, JSON and YAML; with another one,
/// the text does. `rest` has a number for each variable.
Path parse_path(std::string_view text, const std::string& file, const Kinematics& kinematics,
                std::span<const double> rest);
/// The tree of a text that is JSON or YAML; nothing of CSV. `keys`: those of a kind that is known.
std::optional<json::Object> parse_path_tree(std::string_view text, const std::string& file,
                                            const json::Names& keys = {});
/// The "kind" of a path that says one; empty for what does not, or is too broken to tell.
std::string kind_of_path(std::string_view text, const std::string& file);
/// with_tube of a text.
Path parse_tube(std::string_view text, const std::string& file, const Kinematics& kinematics,
                const Path& path);

}  // namespace keepclear
