// SPDX-License-Identifier: BSD-3-Clause
//
// The robots that come with Keepclear, for scenes that name one instead of a file.
#pragma once

#include <string>
#include <string_view>

namespace keepclear {

/// The URDF of a built-in robot. Throws Error (missing) for a name that is none.
std::string_view builtin_urdf(const std::string& name);
/// Its SRDF; empty if it has none. Throws Error (missing) for a name that is no built-in robot.
std::string_view builtin_srdf(const std::string& name);

}  // namespace keepclear
