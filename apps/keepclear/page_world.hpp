// SPDX-License-Identifier: BSD-3-Clause
//
// A world for the page: what is checked, and what it stands for.
#pragma once

#include <string>
#include <vector>

#include "keepclear/world.hpp"
#include "page_geometry.hpp"
#include "scene/source.hpp"

namespace keepclear::command {

/// One thing to draw: triangles of a solid. What `report --png` draws, and what the page gets.
struct DrawnItem {
  enum class Layer { shape, hull, body };
  Layer layer = Layer::body;
  int solid = -1;
  int body = -1;   ///< of World::bodies(); -1 for none
  int frame = 0;   ///< 0: stands still
  Pose X_FI;       ///< in the frame
  int shape = -1;  ///< index of DrawnWorld::shapes
};
struct DrawnBox {
  Pose X_WB;
  Vec3 half;
  int solid = -1;
};
struct DrawnBall {
  Vec3 centre;
  double radius = 0;
  int solid = -1;
};
struct DrawnPlane {
  Vec3 point, normal;  ///< the solid is where normal . (p - point) <= 0
  int solid = -1;
};
struct DrawnWorld {
  std::vector<Grid> shapes;
  std::vector<DrawnItem> items;
  std::vector<DrawnBox> boxes;
  std::vector<DrawnBall> balls;
  std::vector<DrawnPlane> planes;
  std::vector<Box> cells;  ///< octree leaves that hold something
  bool thinned = false;
  std::size_t not_drawn = 0;  ///< pieces of objects beyond what is drawn
};
/// `around`: the geometry of links that stands in the layer of shapes.
DrawnWorld drawn_world(const World& world, const WorldSource& source,
                       Around around = Around::collision);

/// "rad", "m", or nothing for a part of a quaternion.
std::string unit_of(const Variable& variable);
/// A WorldDocument of document.ts.
std::string world_document(const World& world, const DrawnWorld& drawn);
/// What a body stands for, in short: the mesh without its folder, or the kind of shape.
std::string origin_of(const BodyInfo& body);

struct NamedState {
  std::string name;
  std::vector<double> q;
};
/// The neutral pose, then the states of the SRDFs (joints of other groups stay neutral), then the
/// first configuration of each task of a built-in world.
std::vector<NamedState> named_states(const World& world, const WorldSource& source,
                                     const std::string& builtin);
std::string json_of(const NamedState& state);

}  // namespace keepclear::command
