// SPDX-License-Identifier: BSD-3-Clause
#include "certify/motion_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "certify/motion_lanes.hpp"
#include "sweep/layout.hpp"

namespace keepclear {
namespace {

using rounding::inflate;
using rounding::span_hi;

/// Radians: dividing by the norm rounds each number by one part in 2^53, a direction by no more,
/// and a rotation by twice that; both ends of an angle, and as much again to spare.
constexpr double kUnitError = 8 * rounding::kU;

/// At least the angle between the rotations of any two quaternions in a box of their four numbers,
/// as computed: what dividing by the norm rounds is inside.
double turn_within_hi(std::span<const Interval> numbers) {
  double half2 = 0, middle2 = 0;
  for (const Interval& i : numbers) {
    const double middle = 0.5 * i.lower + 0.5 * i.upper;
    const double half = std::max(i.upper - middle, middle - i.lower);
    half2 += half * half;
    middle2 += middle * middle;
  }
  // All are within the angle asin(half / middle) of the middle, any two within twice that, and a
  // rotation turns by twice the angle of its quaternion. Squares of numbers below 1e-154 underflow;
  // as long as the middle is no shorter than a thousandth, the last term is more than that. The
  // root, about ten roundings before it and a sine's inverse as good as a cosine are far within
  // 1e-12.
  const double sine = std::sqrt(half2 / middle2) * (1 + 1e-12);
  if (!(sine < 0.7 && middle2 > 1e-6)) return std::numeric_limits<double>::infinity();
  return 4 * std::asin(sine) * (1 + 1e-12) + kUnitError;
}

/// Widens the interval to hold that number, too.
void hold(Interval& numbers, double number) {
  numbers.lower = std::min(numbers.lower, number);
  numbers.upper = std::max(numbers.upper, number);
}

}  // namespace

void make_quaternions_unit(const Kinematics& kinematics, std::span<double> q) noexcept {
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    const FrameJoint& joint = kinematics.joint(f);
    if (joint.type != JointType::floating) continue;
    double* r = q.data() + joint.variable + 3;
    const double n = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int i = 0; i < 4; ++i) r[i] /= n;
  }
}

MotionBounds::MotionBounds(const WorldData& data)
    : data_(data),
      behind_(static_cast<std::size_t>(data.kinematics.frame_count())),
      usual_lever_(behind_.size(), 0.0),
      difference_(data.kinematics.variables().size()),
      off_(difference_.size()),
      tube_(difference_.size()),
      range_(difference_.size()),
      path_range_(difference_.size()),
      raw_(difference_.size()),
      steps_(behind_.size()) {
  const Kinematics& kinematics = data.kinematics;
  list_balls();
  width_ = balls_.size();
  row_of_.resize(width_);
  std::vector<std::size_t> order(width_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return balls_[a].frame < balls_[b].frame; });
  for (std::size_t at = 0; at < order.size(); ++at) {
    row_of_[order[at]] = at;
    const BodyBall& ball = balls_[order[at]];
    radius_hi_.push_back(ball.radius_hi);
    reach_hi_ = std::max(reach_hi_, rounding::norm_hi(ball.centre) + ball.radius_hi);
  }
  for (const WorldBody& body : data.bodies) {
    reach_hi_ = std::max(reach_hi_, inflate(body.body.tables().reach_hi + body.body.radius(), 1));
  }
  for (AlignedVector* sum : {&second_, &moved_sum_, &off_sum_, &tube_sum_}) sum->resize(width_);
  for (AlignedVector* out : {&bulge_, &moved_, &tube_out_}) {
    out->assign(width_ * behind_.size(), 0.0);
  }
  for (int f = 0; f < kinematics.frame_count(); ++f) {
    std::size_t begin = 0;
    while (begin < width_ && balls_[order[begin]].frame < f) ++begin;
    std::size_t end = begin;
    while (end < width_ && balls_[order[end]].frame <= kinematics.last_below(f)) ++end;
    behind_[f] = {begin, end};
    has_floating_ = has_floating_ || kinematics.joint(f).type == JointType::floating;
  }
  chain_.reserve(behind_.size());
  PosedWorld usual = make_posed();
  usual.q = kinematics.neutral();
  if (!pose(usual)) return;
  for (std::size_t b = 0; b < data.bodies.size(); ++b) {
    for (int f = data.bodies[b].frame; f != data.origin && f > 0; f = kinematics.parent(f)) {
      usual_lever_[f] = std::max(usual_lever_[f], lever_hi(static_cast<int>(b), f, usual));
    }
  }
}

void MotionBounds::list_balls() {
  std::vector<std::vector<int>> of_solid(data_.solids.size());
  for (std::size_t b = 0; b < data_.bodies.size(); ++b) {
    const BodyTables& tables = data_.bodies[b].body.tables();
    balls_.push_back({data_.bodies[b].frame, tables.centre, inflate(tables.bounding_radius_hi, 1)});
    of_solid[data_.bodies[b].solid].push_back(static_cast<int>(b));
  }
  ball_of_solid_.assign(data_.solids.size(), -1);
  for (std::size_t s = 0; s < of_solid.size(); ++s) {
    const std::vector<int>& bodies = of_solid[s];
    if (bodies.empty()) continue;
    ball_of_solid_[s] = bodies.front();
    if (bodies.size() == 1) continue;
    BodyBall all{data_.bodies[bodies.front()].frame, {}, 0};
    for (const int b : bodies) all.centre = all.centre + balls_[b].centre;
    all.centre = (1.0 / static_cast<double>(bodies.size())) * all.centre;
    for (const int b : bodies) {
      const double apart = rounding::norm_hi(balls_[b].centre - all.centre);
      all.radius_hi = std::max(all.radius_hi, inflate(apart + balls_[b].radius_hi, 4));
    }
    ball_of_solid_[s] = static_cast<int>(balls_.size());
    balls_.push_back(all);
  }
}

double MotionBounds::way_of(std::span<const double> from,
                            std::span<const double> to) const noexcept {
  double way = 0;
  for (int f = data_.origin + 1; f <= data_.kinematics.last_below(data_.origin); ++f) {
    const FrameJoint& joint = data_.kinematics.joint(f);
    const double d = std::fabs(to[joint.variable] - from[joint.variable]) * joint.gain_hi;
    way += joint.type == JointType::prismatic ? d : d * usual_lever_[f];
  }
  return way;
}

bool MotionBounds::pose_at(const PathData& path, double place, PosedWorld& posed) const noexcept {
  posed.place = place;
  position_at(path, place, posed.q.data());
  if (has_floating_) make_quaternions_unit(data_.kinematics, posed.q);
  return pose(posed);
}

bool MotionBounds::pose(PosedWorld& posed) const noexcept {
  const Kinematics& kinematics = data_.kinematics;
  if (!kinematics.forward(posed.q, data_.origin, posed.frames)) return false;
  posed.error = {};
  double far = 0;
  for (int f = data_.origin; f <= kinematics.last_below(data_.origin); ++f) {
    const BoundedPose& X = posed.frames[f];
    posed.error.rotation = std::max(posed.error.rotation, X.error.rotation);
    posed.error.position = std::max(posed.error.position, X.error.position);
    far = std::max(far, span_hi(X.X.p));
  }
  posed.point_error_hi = rounding::transform_error(posed.error, far, 0, reach_hi_);
  for (std::size_t b = 0; b < balls_.size(); ++b) {
    const Vec3 c = posed.frames[balls_[b].frame].X * balls_[b].centre;
    const std::size_t at = row_of_[b];
    posed.x[at] = c.x, posed.y[at] = c.y, posed.z[at] = c.z;
  }
  return true;
}

JointStep MotionBounds::step_of(int frame) const noexcept {
  const FrameJoint& joint = data_.kinematics.joint(frame);
  const int v = joint.variable;
  JointStep step;
  // What does not move stays at zero; axes are of length one to a few roundings.
  const auto up = [&](double x) { return x > 0 ? inflate(x * joint.gain_hi, 8) : 0; };
  const auto sum = [&](std::span<const double> x, int count) {
    double total = 0;
    for (int i = 0; i < count; ++i) total += x[v + i];
    return total > 0 ? inflate(total, 12) : 0;
  };
  switch (joint.type) {
    case JointType::revolute:
    case JointType::continuous:
      step.turn = up(difference_[v]);
      step.turn_off = up(off_[v]);
      step.turn_tube = up(tube_[v]);
      break;
    case JointType::prismatic:
      step.slide = up(difference_[v]);
      step.slide_off = up(off_[v]);
      step.slide_tube = up(tube_[v]);
      break;
    case JointType::planar:
      step.slide = sum(difference_, 2);
      step.slide_off = sum(off_, 2);
      step.slide_tube = sum(tube_, 2);
      step.turn = difference_[v + 2];
      step.turn_off = off_[v + 2];
      step.turn_tube = tube_[v + 2];
      break;
    case JointType::floating: {
      step.slide = sum(difference_, 3);
      step.slide_off = sum(off_, 3);
      step.slide_tube = sum(tube_, 3);
      // Between the ends it turns about no axis that we know: with the rotation of one end in place
      // of that at each moment, a point is off by the angle between the two, and so is the other
      // end. What the tube adds is told apart: it does not become less on shorter parts.
      const auto first = static_cast<std::size_t>(v) + 3;
      const double wide = turn_within_hi(range().subspan(first, 4));
      const double own = turn_within_hi(std::span<const Interval>(path_range_).subspan(first, 4));
      step.turn_off = 2 * own;
      if (own < std::numeric_limits<double>::infinity() && wide > own) {
        step.turn_tube = inflate(2 * (wide - own), 2);
      }
      break;
    }
    default:
      break;
  }
  return step;
}

void MotionBounds::begin(const PathData& path, const PosedWorld& first,
                         const PosedWorld& last) noexcept {
  for (std::size_t i = 0; i < difference_.size(); ++i) {
    const double d = std::fabs(last.q[i] - first.q[i]);
    difference_[i] = d == 0 ? 0 : rounding::up(d);
  }
  deviation_from_chord(path, first.place, last.place, first.q.data(), last.q.data(), off_.data());
  tube_between(path, first.place, last.place, tube_.data());
  if (has_floating_) {
    path_ = &path;
    range_between(path, first.place, last.place, path_range_.data());
    // Where the ends are is computed: the poses there are of these numbers, not of the path's.
    for (const double place : {first.place, last.place}) {
      position_at(path, place, raw_.data());
      for (std::size_t i = 0; i < raw_.size(); ++i) hold(path_range_[i], raw_[i]);
    }
    for (std::size_t i = 0; i < range_.size(); ++i) {
      range_[i] = path_range_[i];
      if (!(tube_[i] > 0)) continue;
      range_[i] = {rounding::down(range_[i].lower - tube_[i]),
                   rounding::up(range_[i].upper + tube_[i])};
    }
  }
  for (AlignedVector* sum : {&second_, &moved_sum_, &off_sum_, &tube_sum_}) {
    std::fill(sum->begin(), sum->end(), 0.0);
  }
  // From the ends of the tree up: whatever a joint carries is summed up before it.
  for (int f = data_.kinematics.last_below(data_.origin); f > data_.origin; --f) {
    const auto [begin, end] = behind_[f];
    if (begin == end) continue;
    steps_[f] = step_of(f);
    const FrameJoint& joint = data_.kinematics.joint(f);
    const Pose &X_0 = first.frames[f].X, &X_1 = last.frames[f].X;
    const std::size_t to = row(data_.kinematics.parent(f));
    const JointRow turning{{X_0.R * joint.axis.a, X_1.R * joint.axis.a},
                           {X_0.p, X_1.p},
                           joint.type == JointType::floating,
                           std::max(axis_off_hi(first, joint), axis_off_hi(last, joint)),
                           std::max(first.error.position + first.point_error_hi,
                                    last.error.position + last.point_error_hi),
                           steps_[f],
                           begin,
                           end};
    carry_excursions(turning, {{first.x.data(), last.x.data()},
                               {first.y.data(), last.y.data()},
                               {first.z.data(), last.z.data()},
                               radius_hi_.data(),
                               second_.data(),
                               moved_sum_.data(),
                               off_sum_.data(),
                               tube_sum_.data(),
                               bulge_.data() + to,
                               moved_.data() + to,
                               tube_out_.data() + to});
  }
}

double MotionBounds::lever_hi(int body, int frame, const PosedWorld& at) const noexcept {
  const FrameJoint& joint = data_.kinematics.joint(frame);
  const BoundedPose& X = at.frames[frame];
  const Vec3 arm = centre(at, body) - X.X.p;
  const double off = axis_off_hi(at, joint) * span_hi(arm) + at.error.position + at.point_error_hi;
  const Vec3 lever = joint.type == JointType::floating ? arm : cross(X.X.R * joint.axis.a, arm);
  return inflate(norm(lever) + off + radius_hi_[row_of_[body]], 32) + 0x1p-500;
}

int MotionBounds::meeting(int frame_a, int frame_b) const noexcept {
  return meeting_frame(data_.kinematics, frame_a, frame_b);
}

double MotionBounds::approach_hi(int body_a, int body_b, std::span<const double> way,
                                 const PosedWorld& at) noexcept {
  const Kinematics& kinematics = data_.kinematics;
  const int frame_a = data_.bodies[body_a].frame;
  const int frame_b = body_b >= 0 ? data_.bodies[body_b].frame : data_.origin;
  const int meet = meeting(frame_a, frame_b);
  chain_.clear();
  auto add = [&](int f) {
    const FrameJoint& joint = kinematics.joint(f);
    const int v = joint.variable;
    Link link{f, 0, 0, 0, 0};
    switch (joint.type) {
      case JointType::revolute:
      case JointType::continuous:
        link.turn = inflate(way[v] * joint.gain_hi, 2);
        break;
      case JointType::prismatic:
        link.slide = inflate(way[v] * joint.gain_hi, 8);
        break;
      case JointType::planar:
        link.slide = inflate(way[v] + way[v + 1], 8);
        link.turn = way[v + 2];
        break;
      default: {
        link.slide = inflate(way[v] + way[v + 1] + way[v + 2], 8);
        // The pose is of what is computed there, as those of the ends are.
        Interval held[4];
        position_at(*path_, at.place, raw_.data());
        for (std::size_t i = 0; i < 4; ++i) {
          const std::size_t number = static_cast<std::size_t>(v) + 3 + i;
          held[i] = range_[number];
          hold(held[i], raw_[number]);
        }
        link.turn = turn_within_hi(held);
      }
    }
    chain_.push_back(link);
  };
  for (int f = frame_b; f != meet; f = kinematics.parent(f)) add(f);
  const auto middle = static_cast<std::ptrdiff_t>(chain_.size());
  for (int f = frame_a; f != meet; f = kinematics.parent(f)) add(f);
  std::reverse(chain_.begin() + middle, chain_.end());
  // Either body may be farther from an axis than at the pose, by what the joints between move it.
  double moved = 0;
  for (std::size_t i = chain_.size(); i-- > 0;) {
    Link& link = chain_[i];
    link.from_a = lever_hi(body_a, link.frame, at) + sum_hi(moved);
    moved += link.turn * link.from_a + link.slide;
  }
  moved = 0;
  double nearer = 0;
  for (Link& link : chain_) {
    double lever = link.from_a;
    if (body_b >= 0) {
      link.from_b = lever_hi(body_b, link.frame, at) + sum_hi(moved);
      moved += link.turn * link.from_b + link.slide;
      lever = std::min(lever, link.from_b);
    }
    nearer += link.turn * lever + link.slide;
  }
  return sum_hi(nearer);
}

}  // namespace keepclear
