// SPDX-License-Identifier: BSD-3-Clause
//
// The strict reader of files that move one object of a scene.
#pragma once

#include <string>
#include <string_view>

#include "keepclear/toleranced.hpp"

namespace keepclear {

/// "rational_bezier", "screw" and "poses".
bool is_object_kind(std::string_view kind);
/// is_object_motion and read_object_motion of a text; CSV is none.
bool says_object_motion(std::string_view text, const std::string& file);
ObjectMotion parse_object_motion(std::string_view text, const std::string& file);

}  // namespace keepclear
