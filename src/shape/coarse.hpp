// SPDX-License-Identifier: BSD-3-Clause
//
// One simple body around several.
#pragma once

#include <span>

#include "keepclear/body.hpp"

namespace keepclear {

/// A capsule (or a ball) that contains all of `bodies`, which share a frame: in real arithmetic,
/// the rounding of its own making inside its radius. Not the smallest, but near it for link-like
/// bodies.
Body capsule_around(std::span<const Body> bodies);

}  // namespace keepclear
