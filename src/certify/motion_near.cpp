// SPDX-License-Identifier: BSD-3-Clause
//
// What may be near on a part of a motion: balls around solids and bodies, and the octree, leave out
// what is far away; the rest is tested.
#include <algorithm>
#include <cmath>

#include "certify/motion_search.hpp"

namespace keepclear {
namespace {

using rounding::inflate;

/// More than this near a body, and the part is divided before anything is tested.
constexpr std::size_t kMostPieces = 1024;

}  // namespace

void MotionSearch::process_all(const Part& part, std::vector<MotionItem>& left) {
  const PosedWorld& at = poses_[part.pose_a];
  const bool exact = options_.ask == Ask::clearance || options_.keep_proof;
  for (const LinkPair& pair : data_.link_pairs) {
    if (!counts(pair.solid_a) || !counts(pair.solid_b)) continue;
    const int meet = meeting_[static_cast<std::size_t>(&pair - data_.link_pairs.data())];
    const double margin = std::max(options_.margin, pair.margin);
    const bool one_robot = data_.solids[pair.solid_a].robot == data_.solids[pair.solid_b].robot;
    const auto is_far = [&](int a, int b, double& lower, double& growth) {
      const Excursion way_a = bounds_.excursion(a, meet), way_b = bounds_.excursion(b, meet);
      double loose = loose_ ? deviation_hi(a) + deviation_hi(b) : 0.0;
      if (!one_robot && !options_.base.empty()) {
        loose += base_hi(pair.solid_a, a, at) + base_hi(pair.solid_b, b, at);
      }
      const double beside = way_a.tube + way_b.tube + loose;
      growth = inflate(beside + way_a.moved + way_b.moved, 6);
      const double radii =
          inflate(bounds_.radius_hi(a) + bounds_.radius_hi(b) + growth + 2 * at.point_error_hi, 4);
      const Vec3 from = bounds_.centre(at, a), to = bounds_.centre(at, b);
      if (exact) {
        lower = ball_distance_lo(from, to, radii);
        return lower > wanted_of(margin, beside);
      }
      lower = margin;
      return balls_apart(from, to, radii, margin);
    };
    double lower = 0, growth = 0;
    if (pair.last - pair.first > 1 && !options_.keep_proof &&
        is_far(bounds_.ball_of_solid(pair.solid_a), bounds_.ball_of_solid(pair.solid_b), lower,
               growth)) {
      clearance_ = std::min(clearance_, lower);
      continue;
    }
    for (int i = pair.first; i < pair.last; ++i) {
      const BodyPair& bodies = data_.body_pairs[i];
      const bool far = is_far(bodies.a, bodies.b, lower, growth);
      if (far && !options_.keep_proof) {
        clearance_ = std::min(clearance_, lower);
        continue;
      }
      MotionItem item;
      item.body = bodies.a;
      item.other = i;
      if (far) {
        take(item, lower, growth, 2 * at.point_error_hi,
             bounds_.centre(at, bodies.b) - bounds_.centre(at, bodies.a), Method::velocity, part);
        prove(item, part, sides_of(item, at));
      } else if (!settle(item, part)) {
        left.push_back(item);
      }
    }
  }
  for (const Mover& mover : movers_) {
    if (!counts(mover.solid)) continue;
    if (few_boxes_ && mover.bodies.size() > 1 && !options_.keep_proof &&
        is_far_from_all(mover, part)) {
      continue;
    }
    for (const int body : mover.bodies) process_around(body, part, left);
  }
}

double MotionSearch::list_few(int body, const Part& part, double growth, double wanted) {
  const PosedWorld &first = poses_[part.pose_a], &last = poses_[part.pose_b];
  const double radius =
      inflate(bounds_.radius_hi(body) + growth + first.point_error_hi + last.point_error_hi, 4);
  const Vec3 from = bounds_.centre(first, body), to = bounds_.centre(last, body);
  if (options_.ask == Ask::clearance) {
    return list_near_boxes(*few_boxes_, from, to, radius, wanted, near_);
  }
  list_boxes_within(*few_boxes_, from, to, radius, wanted, near_);
  return wanted;
}

bool MotionSearch::is_far_from_all(const Mover& mover, const Part& part) {
  const int ball = bounds_.ball_of_solid(mover.solid);
  const Excursion way = bounds_.excursion(ball, data_.origin);
  const double loose = base_hi(mover.solid, ball, poses_[part.pose_a]) + deviation_hi(ball);
  const double growth = inflate(way.beside() + loose, 4);
  if (!(growth < 1e100)) return false;
  near_.clear();
  const double margin = std::max(options_.margin, data_.rules.margin_hi);
  const double beyond = list_few(ball, part, growth, wanted_of(margin, way.tube + loose));
  if (!near_.empty()) return false;
  clearance_ = std::min(clearance_, beyond);
  return true;
}

void MotionSearch::process_around(int body, const Part& part, std::vector<MotionItem>& left) {
  MotionItem around;
  around.kind = MotionItem::Kind::around;
  around.body = body;
  around.other = -1;
  const Sides sides = sides_of(around, poses_[part.pose_a]);
  const Excursion way = bounds_.excursion(body, data_.origin);
  const double wanted = wanted_of(sides.margin, way.tube + sides.loose());
  const double growth = inflate(way.beside() + sides.loose(), 4);
  double beyond = wanted + kLookFarther;
  near_.clear();
  ++tests_;
  if (few_boxes_ && growth < 1e100) {
    beyond = list_few(body, part, growth, wanted);
  } else if (!list_around(body, part, growth, beyond)) {
    left.push_back(around);
    return;
  } else if (!(growth < 1e100)) {
    beyond = kInfinity;  // all are listed
  }
  // What is not listed is farther away than that.
  take(around, beyond, growth, 0, {}, Method::chord, part);
  prove(around, part, sides);
  for (const int piece : near_) {
    const int solid = data_.environment.solid_of(static_cast<std::uint32_t>(piece));
    if (data_.rules.may_touch(sides.solid_a, solid)) continue;
    MotionItem item;
    item.kind = MotionItem::Kind::piece;
    item.body = body;
    item.other = piece;
    if (!settle(item, part)) left.push_back(item);
  }
}

bool MotionSearch::list_around(int body, const Part& part, double growth, double look) {
  const Environment& env = data_.environment;
  const WorldBody& of = data_.bodies[body];
  const BodyTables& tables = of.body.tables();
  const Box first = placed_box(tables, poses_[part.pose_a].frames[of.frame], 0);
  const Box last = placed_box(tables, poses_[part.pose_b].frames[of.frame], 0);
  Box both{{std::min(first.lo.x, last.lo.x), std::min(first.lo.y, last.lo.y),
            std::min(first.lo.z, last.lo.z)},
           {std::max(first.hi.x, last.hi.x), std::max(first.hi.y, last.hi.y),
            std::max(first.hi.z, last.hi.z)}};
  both = growth < 1e100
             ? grown(both, inflate(growth + look, 2))
             : Box{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
  // Dividing makes a list shorter only while the motion makes the volume larger than the body is.
  const bool limited =
      !(bounds_.excursion(body, data_.origin).moved < 0.25 * tables.bounding_radius_hi);
  env.index.visit(both, [&](int id) {
    if (near_.size() <= kMostPieces || !limited) near_.push_back(id);
  });
  if (near_.size() > kMostPieces && limited) return false;
  // The octree may hand them out in any order; ours depends on the scene alone.
  std::sort(near_.begin(), near_.end());
  return true;
}

}  // namespace keepclear
