// SPDX-License-Identifier: BSD-3-Clause
//
// The inventory of a world as text for a report.
#pragma once

#include <string>
#include <vector>

#include "keepclear/world.hpp"
#include "page.hpp"

namespace keepclear::command {

/// The world, its joints, bodies, objects and pairs, and what was noted on the way.
std::vector<TextSection> world_sections(const World& world);

}  // namespace keepclear::command
