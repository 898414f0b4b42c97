// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of a model in place of the shapes of links: which link gets which, and the proof that they
// contain what they stand for.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/model.hpp"
#include "robot/kinematics.hpp"
#include "scene/link_shapes.hpp"
#include "scene/world.hpp"

namespace keepclear {

/// Stands in the note that World::notes() has of each model around visual geometry: what it says of
/// a verdict is for everyone who reads that, not only for those who read notes.
inline constexpr const char* kAroundVisual = "around: visual";

/// The bodies of one link: none for a link that has its shapes.
struct LinkBodies {
  std::shared_ptr<const BodyModel> model;
  std::vector<std::size_t> bodies;  ///< indices into model->bodies

  bool empty() const noexcept { return bodies.empty(); }
};

/// For each link what the options, the scene or a built-in robot say. Throws Error for a model that
/// names a link which is not there, or leaves out one that has geometry.
std::vector<LinkBodies> choose_bodies(const WorldModel& model, const LoadOptions& options);

struct BuiltBody {
  Body body;
  BodyInfo info;
};
/// The bodies of one link in the frame that carries it. Throws Error (malformed), naming model,
/// link and mesh, where they do not contain what they stand for. `meshes` has all of the link.
std::vector<BuiltBody> build_modelled(const Link& link, const LinkBodies& chosen,
                                      const BoundedPose& X_FL, const Meshes& meshes);

/// Whether bodies around what is seen contain what a link has for checking, too.
bool holds_collisions(const Link& link, const LinkBodies& chosen, const Meshes& meshes);

}  // namespace keepclear
