// SPDX-License-Identifier: BSD-3-Clause
//
// What bodies are fitted around: the shapes of the links, split or put together.
#pragma once

#include <string>
#include <vector>

#include "keepclear/fit.hpp"
#include "scene/link_shapes.hpp"
#include "scene/world.hpp"
#include "shape/fit_hull.hpp"
#include "shape/surface.hpp"

namespace keepclear {

/// One body to be fitted.
struct FitPiece {
  int link = 0;
  std::vector<int> elements;  ///< of elements_of(link)
  int part = 0, parts = 1;    ///< of one shape, when it was split
  /// What the search works on, in a frame S of its own: that of the shape, so that equal shapes are
  /// the same work wherever they are.
  FitInput input;
  Pose X_LS;
  /// What is to be proved inside, in the frame of the link, and how far around each point.
  std::vector<Vec3> points;
  std::vector<double> reach_hi;
  /// The surface, for measures, in the frame of the link.
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  double hull_volume = 0;
};

/// Those of all links of the robots, in their order.
std::vector<FitPiece> fit_pieces(const WorldModel& model, const Meshes& meshes,
                                 const FitOptions& options);

}  // namespace keepclear
