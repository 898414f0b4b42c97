// SPDX-License-Identifier: BSD-3-Clause
//
// The robots that come with Keepclear, for scenes that name one instead of a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "keepclear/model.hpp"

namespace keepclear {

/// The URDF of a built-in robot. Throws Error (missing) for a name that is none.
std::string_view builtin_urdf(const std::string& name);
/// Its SRDF; empty if it has none. Throws Error (missing) for a name that is no built-in robot.
std::string_view builtin_srdf(const std::string& name);
/// The scene of a built-in world; empty if it is a robot alone. Throws Error (missing) for a name
/// that is no built-in world.
std::string_view builtin_scene(const std::string& name);
/// The bodies that a built-in robot has unless it is told otherwise; null for one that has its
/// shapes.
std::shared_ptr<const BodyModel> builtin_own_model(const std::string& robot);

}  // namespace keepclear
