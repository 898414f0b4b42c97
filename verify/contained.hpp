// SPDX-License-Identifier: BSD-3-Clause
// Whether shapes are contained in convex bodies: each triangle, and each primitive as a solid.
#pragma once
#include <span>

#include "description.hpp"

namespace verify {

/// Of a shape outside its bodies by less than this, per metre of its size and distance, nothing is
/// said: poses and hulls are rounded.
constexpr double kOutside = 1e-9;

enum class Inside { yes, no, unknown };

/// The hull of some points, grown by a radius.
class Convex {
 public:
  explicit Convex(const Body& body);

  /// Is the ball of that radius about x in it, but for `slack`? `no`: it was not found to be, or it
  /// is larger than the body is round.
  Inside holds(const Point& x, double radius, double slack) const;
  double reach() const { return reach_; }

 private:
  std::vector<Point> points_;
  double radius_ = 0, reach_ = 0;
  Point least_ = {INFINITY, INFINITY, INFINITY}, most_ = {-INFINITY, -INFINITY, -INFINITY};
};

/// A body and where the shapes stand in its frame.
struct PlacedConvex {
  Convex body;
  Place from_link;
};

/// Empty if the shape is in the bodies: a primitive in one of them, each triangle in one or in
/// parts. Else in words where it is not. Throws CannotTell. `mesh`: of a mesh, scaled.
std::string why_outside(const Form& shape, const Mesh& mesh, const Place& place,
                        std::span<const PlacedConvex> bodies);

/// How far x is from the hull of points, from above. It is searched until it is enough, or is found
/// to be farther; then `apart` becomes true.
double distance_to_hull(std::span<const Point> points, const Point& x, double enough, bool& apart);

}  // namespace verify
