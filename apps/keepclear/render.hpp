// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a world: what `report --png` writes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "keepclear/world.hpp"
#include "page_pose.hpp"
#include "page_sweep.hpp"
#include "page_world.hpp"
#include "raster.hpp"

namespace keepclear::command {

/// From where: the x axis of the world is ahead, y on its left, z up.
enum class View { iso, front, left, top };
/// Nothing for a name that is none.
std::optional<View> view_called(const std::string& name);

struct RenderOptions {
  int width = 1600, height = 1000;
  View view = View::iso;
  int threads = 0;  ///< 0: one for each core; the picture does not depend on it
};

/// By distance, metres: contact is unmistakable, from half a metre on it is calm. NaN: not checked.
Light clearance_colour(double metres);

/// Shapes by the clearance of their solid, with the bodies that are checked as shells around them;
/// `volumes` translucent; the nearest pair joined by a line. Robots, and what is near them, fill
/// the picture.
Picture render(const World& world, const DrawnWorld& drawn, const PosedWorld& posed,
               std::span<const DrawnVolume> volumes, const RenderOptions& options);

}  // namespace keepclear::command
