// SPDX-License-Identifier: BSD-3-Clause
//
// YAML from strangers, as far as it says what JSON can say.
#pragma once

#include <string>
#include <string_view>

#include "scene/json.hpp"

namespace keepclear {

inline constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20;

/// The only document of a text, which must be an object; an empty one may follow, as `ros2 topic
/// echo` leaves it. Strict: no aliases, no key twice, the limits of JSON on nesting and size.
/// Throws Error with the line.
json::Object parse_yaml(std::string_view text, const std::string& file);

}  // namespace keepclear
