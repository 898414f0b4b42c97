// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of links that are not quite where they should be.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "certify/motion_balls.hpp"
#include "keepclear/distance.hpp"
#include "scene/world.hpp"

namespace keepclear::test {

/// A displacement less another one, as the metric has it: where the barycentre goes, and where the
/// axes go, each by the root of its moment. Its norm is that of the four together.
struct Off {
  Vec3 part[4];
};

/// Where a point goes with it, from where it is otherwise.
inline Vec3 off_at(const DisplacementMetric& metric, const Off& off, Vec3 x) {
  const Vec3 c = metric.coordinates(x);
  Vec3 sum = off.part[0];
  for (int k = 0; k < 3; ++k) sum = sum + (c[k] / std::sqrt(metric.moments()[k])) * off.part[k + 1];
  return sum;
}

/// The one of norm `deviation` that takes a point farthest along the unit direction n.
inline Off farthest_off(const DisplacementMetric& metric, Vec3 x, Vec3 n, double deviation) {
  const Vec3 c = metric.coordinates(x);
  const double by = deviation / metric.distortion(x);
  Off off{{by * n, {}, {}, {}}};
  for (int k = 0; k < 3; ++k) off.part[k + 1] = (by * c[k] / std::sqrt(metric.moments()[k])) * n;
  return off;
}

/// A body in a pose, its points off by as much as takes it farthest along n; what is round about
/// them stays as it is.
inline Body displaced(const MotionBalls::BodyMetric& of, const Body& body, const Pose& X, Vec3 n,
                      double deviation) {
  const Volume volume = body.volume();
  std::size_t far = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < volume.count; ++i) {
    const double along = dot(n, X * volume.point(i)) + deviation * of.distortion[i];
    if (along > most) most = along, far = i;
  }
  const Off off = farthest_off(of.metric, volume.point(far), n, deviation);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < volume.count; ++i) {
    points.push_back(X * volume.point(i) + off_at(of.metric, off, volume.point(i)));
  }
  return Body::hull(points, volume.radius);
}

/// How near the nearest two solids of a world come at q, at most, when bodies that joints move are
/// off as far as they may be, straight towards each other. `balls` has their metrics.
inline double displaced_distance(const World& world, const MotionBalls& balls,
                                 const std::vector<double>& q, double deviation) {
  const WorldData& data = world.data();
  DistanceQuery query(world);
  const Nearest near = query(q);
  const double apart = norm(near.point_b - near.point_a);
  if (near.a < 0 || !(apart > 1e-9)) return std::numeric_limits<double>::infinity();
  std::vector<BoundedPose> frames(static_cast<std::size_t>(data.kinematics.frame_count()));
  data.kinematics.forward(q, 0, frames);
  const Vec3 n = (1 / apart) * (near.point_b - near.point_a);
  std::vector<Body> side[2];
  for (const int s : {0, 1}) {
    const int solid = s == 0 ? near.a : near.b;
    for (std::size_t b = 0; b < data.bodies.size() && data.moves(solid); ++b) {
      if (data.bodies[b].solid != solid) continue;
      side[s].push_back(displaced(balls.of(static_cast<int>(b)), data.bodies[b].body,
                                  frames[static_cast<std::size_t>(data.bodies[b].frame)].X,
                                  s == 0 ? n : -n, deviation));
    }
    // What stands still has its nearest point.
    if (side[s].empty()) side[s].push_back(Body::sphere(s == 0 ? near.point_a : near.point_b, 0));
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Body& a : side[0]) {
    for (const Body& b : side[1]) least = std::min(least, distance(a, {}, b, {}).distance);
  }
  return least;
}

}  // namespace keepclear::test
