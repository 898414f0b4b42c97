// SPDX-License-Identifier: BSD-3-Clause
//
// The ways to prove two bodies apart over a part of a motion: between the poses of its ends, from
// the distance in its middle, as swept volumes, and with balls of displacements around its middle.
#include <algorithm>
#include <cmath>

#include "certify/motion_search.hpp"
#include "distance/closed_forms.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::span_hi;

}  // namespace

Vec3 MotionSearch::likely_direction(const Sides& sides, const Moment& first,
                                    const Moment& last) const noexcept {
  if (sides.body_b >= 0) {
    // Between the axes of the capsules around both, at the first moment.
    const Pose &X_OA = *first.X_OA, &X_OB = *first.X_OB;
    const NearestPoints nearest = nearest_of_segments(X_OA * sides.a->end_a, X_OA * sides.a->end_b,
                                                      X_OB * sides.b->end_a, X_OB * sides.b->end_b);
    const Vec3 n = nearest.p_b - nearest.p_a;
    if (squared_norm(n) > 1e-12) {
      return first.R_OM != nullptr ? transposed_times(*first.R_OM, n) : n;
    }
  }
  // In B's frame: from the spine of A, where it is half way, to the box around B.
  const BodyTables& a = *sides.a->tables;
  const auto in_b = [&](Vec3 p) {
    const Vec3 x = transposed_times(first.X_OB->R, *first.X_OA * p - first.X_OB->p);
    const Vec3 y = transposed_times(last.X_OB->R, *last.X_OA * p - last.X_OB->p);
    return 0.5 * (x + y);
  };
  const Box box{sides.b->centre - sides.b->half, sides.b->centre + sides.b->half};
  const auto nearest = [&](Vec3 p) {
    return Vec3{std::min(std::max(p.x, box.lo.x), box.hi.x),
                std::min(std::max(p.y, box.lo.y), box.hi.y),
                std::min(std::max(p.z, box.lo.z), box.hi.z)};
  };
  const Vec3 from = in_b(a.spine[0]), along = in_b(a.spine[1]) - from;
  const double length2 = squared_norm(along);
  Vec3 on_spine = from + 0.5 * along, on_box = nearest(on_spine);
  if (length2 > 0) {
    const double share = dot(on_box - from, along) / length2;
    on_spine = from + std::min(std::max(share, 0.0), 1.0) * along;
    on_box = nearest(on_spine);
  }
  Vec3 n = on_box - on_spine;
  if (!(squared_norm(n) > 0)) n = 0.5 * (box.lo + box.hi) - on_spine;
  n = first.X_OB->R * n;
  return first.R_OM != nullptr ? transposed_times(*first.R_OM, n) : n;
}

void MotionSearch::try_chord(MotionItem& item, const Sides& sides, const Part& part,
                             double wanted) {
  const PosedWorld &first = poses_[part.pose_a], &last = poses_[part.pose_b];
  const int frame_a = data_.bodies[sides.body_a].frame;
  double beside = bounds_.excursion(sides.body_a, sides.meet).beside();
  if (sides.body_b >= 0) beside += bounds_.excursion(sides.body_b, sides.meet).beside();
  const double growth = inflate(beside + sides.loose(), 4);
  if (!(growth < 1e100)) return;
  const double enough = rounding::up(wanted + growth);
  rounding::PoseError error{std::max(first.error.rotation, last.error.rotation),
                            std::max(first.error.position, last.error.position)};
  const auto shown = [&](double lower, double rounding, Vec3 n) {
    take(item, rounding::down(lower - growth), growth, rounding, n, Method::chord, part);
  };
  if (sides.half_space != nullptr) {
    // Along the normal, which stands still, what is true of both ends is true between.
    double lower = kInfinity;
    for (const PosedWorld* at : {&first, &last}) {
      GjkCache cache;
      const PairAnswer answer =
          solve_views({nullptr, sides.half_space}, *sides.stands, {sides.a->tables, nullptr},
                      at->frames[frame_a], {}, cache, epa_);
      lower = std::min(lower, answer.signed_lower);
    }
    shown(lower, 0, -(sides.stands->X.R * sides.half_space->n));
    item.upper = lower;
    return;
  }
  Moment at_first{&first.frames[frame_a].X, nullptr, nullptr};
  Moment at_last{&last.frames[frame_a].X, nullptr, nullptr};
  if (sides.body_b >= 0) {
    const int frame_b = data_.bodies[sides.body_b].frame;
    at_first.X_OB = &first.frames[frame_b].X;
    at_last.X_OB = &last.frames[frame_b].X;
    if (sides.meet != data_.origin) {
      at_first.R_OM = &first.frames[sides.meet].X.R;
      at_last.R_OM = &last.frames[sides.meet].X.R;
    }
    if (!(squared_norm(item.n) > 0)) {
      // Balls first.
      Vec3 w_0 = bounds_.centre(first, sides.body_b) - bounds_.centre(first, sides.body_a);
      Vec3 w_1 = bounds_.centre(last, sides.body_b) - bounds_.centre(last, sides.body_a);
      double radii = bounds_.radius_hi(sides.body_a) + bounds_.radius_hi(sides.body_b) +
                     2 * (first.point_error_hi + last.point_error_hi);
      if (at_first.R_OM != nullptr) {
        radii += (error.rotation + gamma(16)) * (span_hi(w_0) + span_hi(w_1));
        w_0 = transposed_times(*at_first.R_OM, w_0);
        w_1 = transposed_times(*at_last.R_OM, w_1);
      }
      const double lower = balls_between_lo(w_0, w_1, inflate(radii, 8));
      if (lower > enough) {
        shown(lower, 0, w_0 + w_1);
        return;
      }
    }
  } else {
    at_first.X_OB = at_last.X_OB = &sides.stands->X;
    error.rotation = std::max(error.rotation, sides.stands->error.rotation);
    error.position = std::max(error.position, sides.stands->error.position);
  }
  const Vec3 start = squared_norm(item.n) > 0 ? item.n : likely_direction(sides, at_first, at_last);
  const double apart = std::max(span_hi(at_first.X_OB->p - at_first.X_OA->p),
                                span_hi(at_last.X_OB->p - at_last.X_OA->p));
  const double error_hi = between_error_hi(*sides.a, *sides.b, apart, error);
  const BetweenBound bound =
      bound_between(*sides.a, *sides.b, at_first, at_last, error_hi, start, enough);
  item.n = bound.n;
  item.upper = bound.upper;
  shown(bound.lower, error_hi, bound.n);
}

bool MotionSearch::seems_to_stay(const MotionItem& item, const Sides& sides, const Part& part,
                                 const PosedWorld& middle, double enough) const noexcept {
  const PosedWorld &first = poses_[part.pose_a], &last = poses_[part.pose_b];
  double bulge = 0, went = 0;
  for (const int body : {sides.body_a, sides.body_b}) {
    if (body < 0) continue;
    const auto in_meet = [&](const PosedWorld& at) {
      const Pose& X = at.frames[sides.meet].X;
      return transposed_times(X.R, bounds_.centre(at, body) - X.p);
    };
    bulge += bounds_.excursion(body, sides.meet).bulge;
    // Chords were not far from doing it, or nothing else is likely to.
    if (!(0.5 * bulge < item.upper - enough)) return false;
    // From the middle: what goes round comes back to where it began.
    const Vec3 centre = in_meet(middle);
    went += 2 * std::max(norm(in_meet(first) - centre), norm(in_meet(last) - centre));
  }
  return went + 0.5 * bulge < item.upper - enough;
}

void MotionSearch::try_ball(MotionItem& item, const Sides& sides, const Part& part,
                            const PosedWorld& middle, double wanted) {
  ++tests_;
  if (balled_ != part_number_) {
    balls_->begin(bounds_, poses_[part.pose_a], middle, poses_[part.pose_b]);
    balled_ = part_number_;
  }
  const auto more = [&](int solid) { return data_.moves(solid) ? options_.deviation : 0.0; };
  const FatConvex a = balls_->fat(sides.body_a, sides.meet, *sides.a, more(sides.solid_a));
  FatConvex b{sides.b, nullptr, 0, 0};
  if (sides.body_b >= 0) {
    b = balls_->fat(sides.body_b, sides.meet, *sides.b, more(sides.solid_b));
  }
  const double fat = inflate(a.growth_hi() + b.growth_hi(), 1);
  if (!(fat < 1e100)) return;
  const double base = inflate(sides.base, 2), growth = inflate(fat + base, 1);
  const auto shown = [&](double lower, double rounding, Vec3 n) {
    take(item, rounding::down(lower - base), growth, rounding, n, Method::ball, part);
  };
  const BoundedPose& X_OA = middle.frames[data_.bodies[sides.body_a].frame];
  if (sides.half_space != nullptr) {
    const double lower = bound_fat_half_space(a, X_OA, *sides.half_space, *sides.stands);
    shown(lower, 0, -(sides.stands->X.R * sides.half_space->n));
    if (options_.method == Method::ball) item.upper = lower;
    return;
  }
  Moment at{&X_OA.X, nullptr, nullptr};
  rounding::PoseError error = middle.error;
  if (sides.body_b >= 0) {
    at.X_OB = &middle.frames[data_.bodies[sides.body_b].frame].X;
    if (sides.meet != data_.origin) at.R_OM = &middle.frames[sides.meet].X.R;
  } else {
    at.X_OB = &sides.stands->X;
    error.rotation = std::max(error.rotation, sides.stands->error.rotation);
    error.position = std::max(error.position, sides.stands->error.position);
  }
  const Vec3 start = squared_norm(item.n) > 0 ? item.n : likely_direction(sides, at, at);
  const double apart = span_hi(at.X_OB->p - at.X_OA->p);
  const double error_hi = between_error_hi(*sides.a, *sides.b, apart, error);
  const BetweenBound bound = bound_fat(a, b, at, error_hi, start, inflate(wanted + base, 2));
  if (options_.method == Method::ball) item.n = bound.n, item.upper = bound.upper;
  shown(bound.lower, error_hi, bound.n);
}

PairAnswer MotionSearch::solve_at(const MotionItem& item, const Sides& sides, const PosedWorld& at,
                                  double stop_above) {
  PairOptions how;
  how.margin = sides.margin;
  how.stop_above = stop_above;
  how.verdict_only = options_.ask != Ask::clearance;
  GjkCache cache;
  const BoundedPose& X_A = at.frames[data_.bodies[sides.body_a].frame];
  if (sides.body_b >= 0) {
    return solve_views({sides.a->tables, nullptr}, X_A, {sides.b->tables, nullptr},
                       at.frames[data_.bodies[sides.body_b].frame], how, cache, epa_);
  }
  const PieceView view = bench_.view(data_.environment, static_cast<std::uint32_t>(item.other));
  return solve_views({sides.a->tables, nullptr}, X_A, view, *sides.stands, how, cache, epa_);
}

void MotionSearch::try_middle(MotionItem& item, const Sides& sides, const Part& part,
                              const PosedWorld& middle, double wanted, bool& contact) {
  ++tests_;
  const double nearer = bounds_.approach_hi(sides.body_a, sides.body_b, way_, middle);
  const double growth = inflate(nearer + sides.loose(), 4);
  double stop_above = wanted + growth;
  if (options_.ask == Ask::clearance) stop_above = std::max(stop_above, nearest_.distance);
  const PairAnswer answer = solve_at(item, sides, middle, stop_above);
  contact = answer.verdict == Verdict::contact;
  if (answer.distance < nearest_.distance) {
    nearest_.distance = std::max(answer.distance, 0.0);
    nearest_.place = middle.place;
    nearest_.a = sides.solid_a, nearest_.b = sides.solid_b;
    nearest_.q.assign(middle.q.begin(), middle.q.end());
  }
  if (sides.half_space == nullptr && squared_norm(answer.n) > 0) {
    item.n = sides.meet != data_.origin ? transposed_times(middle.frames[sides.meet].X.R, answer.n)
                                        : answer.n;
  }
  if (options_.method != Method::automatic && options_.method != Method::velocity) {
    // Only where dividing ends is the middle asked for more than a contact.
    if (!(growth <= 2 * options_.tolerance)) return;
  }
  take(item, rounding::down(answer.signed_lower - growth), growth, 0, item.n, Method::velocity,
       part);
}

void MotionSearch::make_stages(const Part& part) {
  staged_ = part_number_;
  const PosedWorld &first = poses_[part.pose_a], &last = poses_[part.pose_b];
  sweep_box_.resize(way_.size());
  for (std::size_t i = 0; i < way_.size(); ++i) {
    const double beside = inflate(bounds_.off()[i] + bounds_.tube()[i], 2);
    sweep_box_[i] = {rounding::down(std::min(first.q[i], last.q[i]) - beside),
                     rounding::up(std::max(first.q[i], last.q[i]) + beside)};
  }
  // Joints with two points each multiply: those nearest the base, whose levers are longest.
  int fine = 0;
  for (int f = data_.origin + 1; f <= data_.kinematics.last_below(data_.origin); ++f) {
    const FrameJoint& joint = data_.kinematics.joint(f);
    if (joint.type == JointType::floating) {
      // Quaternions within half the angle of their rotations; the step has four times that.
      const double near = inflate(0.25 * (bounds_.step(f).turn_off + bounds_.step(f).turn_tube), 3);
      for (int i = joint.variable + 3; i < joint.variable + 7; ++i) {
        sweep_box_[i] = {rounding::down(first.q[i] - near), rounding::up(first.q[i] + near)};
      }
    }
    const bool simple = joint.type == JointType::revolute || joint.type == JointType::continuous ||
                        joint.type == JointType::prismatic;
    const Interval own = sweep_box_[joint.variable];
    const bool worth = simple && own.upper - own.lower > 0.01 && fine < 5;
    fine += worth ? 1 : 0;
    make_stage(data_.kinematics, f, sweep_box_, worth ? JointOperator{2, 2} : JointOperator{1, 1},
               stages_[f]);
  }
}

std::span<const Stage* const> MotionSearch::chain_to(int meet, int frame,
                                                     std::vector<const Stage*>& chain) {
  chain.clear();
  for (int f = frame; f != meet; f = data_.kinematics.parent(f)) chain.push_back(&stages_[f]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

void MotionSearch::try_sweep(MotionItem& item, const Sides& sides, const Part& part,
                             double wanted) {
  ++tests_;
  if (staged_ != part_number_) make_stages(part);
  const double enough = inflate(wanted + sides.loose(), 3);
  const SweptBody a = sweep_body(*sides.a->tables,
                                 chain_to(sides.meet, data_.bodies[sides.body_a].frame, chain_a_));
  const auto shown = [&](double lower, double radius, double rounding, Vec3 n) {
    take(item, rounding::down(lower - inflate(sides.loose(), 2)), radius, rounding, n,
         Method::sweep, part);
  };
  if (sides.half_space != nullptr) {
    const double lower = bound_half_space(a, *sides.half_space, *sides.stands);
    item.upper = lower;
    shown(lower, a.radius_hi, a.error_hi, -(sides.stands->X.R * sides.half_space->n));
    return;
  }
  const BodyTables* other = sides.b->tables;
  if (sides.body_b >= 0) {
    chain_to(sides.meet, data_.bodies[sides.body_b].frame, chain_b_);
  } else {
    other = bench_.view(data_.environment, static_cast<std::uint32_t>(item.other)).tables;
    make_still_stage(*sides.stands, stages_.back());
    chain_b_.assign(1, &stages_.back());
  }
  const SweptBody b = sweep_body(*other, chain_b_);
  const Vec3 start = squared_norm(item.n) > 0 ? item.n : b.centre - a.centre;
  const SweptBound bound = bound_swept(a, b, start, enough);
  if (!(bound.lower > -kInfinity)) return;
  item.n = bound.n;
  if (options_.method == Method::sweep) item.upper = bound.lower;
  shown(bound.lower, a.radius_hi + b.radius_hi, a.error_hi + b.error_hi, bound.n);
}

}  // namespace keepclear
