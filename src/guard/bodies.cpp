// SPDX-License-Identifier: BSD-3-Clause
#include "guard/bodies.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;

void measure_points(GuardBodies& all, GuardBody& body) noexcept {
  Vec3 lo{all.x[body.first], all.y[body.first], all.z[body.first]}, hi = lo;
  for (std::uint32_t i = body.first; i < body.first + body.count; ++i) {
    lo = {std::min(lo.x, all.x[i]), std::min(lo.y, all.y[i]), std::min(lo.z, all.z[i])};
    hi = {std::max(hi.x, all.x[i]), std::max(hi.y, all.y[i]), std::max(hi.z, all.z[i])};
  }
  body.centre = 0.5 * (lo + hi);
  body.ball_hi = 0;
  body.reach_hi = norm_hi(body.centre);
  for (std::uint32_t i = body.first; i < body.first + body.count; ++i) {
    const Vec3 p{all.x[i], all.y[i], all.z[i]};
    body.ball_hi = std::max(body.ball_hi, inflate(norm_hi(p - body.centre), 2));
    body.reach_hi = std::max(body.reach_hi, norm_hi(p));
  }
}

GuardPose::GuardPose(const WorldData& data, const GuardBodies& all)
    : data_(data),
      all_(all),
      middle_(data.kinematics.variables().size()),
      half_hi_(middle_.size()),
      frames_(static_cast<std::size_t>(data.kinematics.frame_count())),
      motions_(frames_.size() * kMaxJointMotions),
      chains_(all.chain_size),
      chain_stamp_(frames_.size()),
      motion_stamp_(frames_.size()),
      body_stamp_(all.bodies.size()),
      x_(all.x.size()),
      y_(all.x.size()),
      z_(all.x.size()),
      centre_(all.bodies.size()),
      ball_hi_(all.bodies.size()),
      ways_(all.way_size),
      ways_after_(all.way_size),
      size_hi_(all.bodies.size()),
      error_hi_(all.bodies.size()),
      reach_(frames_.size()),
      chain_reach_(frames_.size()) {}

bool GuardPose::set(std::span<const Interval> box, int origin, int last) noexcept {
  is_set_ = false;
  origin_ = origin;
  if (++stamp_ == 0) {
    std::fill(chain_stamp_.begin(), chain_stamp_.end(), 0u);
    std::fill(motion_stamp_.begin(), motion_stamp_.end(), 0u);
    std::fill(body_stamp_.begin(), body_stamp_.end(), 0u);
    stamp_ = 1;
  }
  middle_of_box(data_.kinematics, box, middle_, half_hi_);
  is_set_ = data_.kinematics.forward(middle_, origin, last, frames_);
  return is_set_;
}

void GuardPose::fill_chain(int frame) noexcept {
  if (chain_stamp_[frame] == stamp_) return;
  chain_stamp_[frame] = stamp_;
  double reach = 0;
  SpreadMotion* chain = chains_.data() + all_.chain[frame];
  for (int f = frame; f != origin_ && f > 0; f = data_.kinematics.parent(f)) {
    const int parent = data_.kinematics.parent(f);
    SpreadMotion* own = motions_.data() + static_cast<std::size_t>(f) * kMaxJointMotions;
    if (motion_stamp_[f] != stamp_) {
      motion_stamp_[f] = stamp_;
      make_motions(data_.kinematics, f, frames_[parent].X, frames_[f].X, half_hi_, own);
      for (int i = 0; i < all_.motions_to[f] - all_.motions_to[parent]; ++i) {
        own[i].shared = all_.shared[own[i].number] != 0;
      }
      reach_[f] = norm_hi(frames_[f].X.p);
    }
    std::copy(own, own + (all_.motions_to[f] - all_.motions_to[parent]),
              chain + all_.motions_to[parent]);
    reach = std::max(reach, reach_[f]);
  }
  chain_reach_[frame] = reach;
}

void GuardPose::place(int b) noexcept {
  if (body_stamp_[b] == stamp_) return;
  body_stamp_[b] = stamp_;
  const GuardBody& body = all_.bodies[b];
  fill_chain(body.frame);
  const BoundedPose& X = frames_[body.frame];
  const bool few = body.count <= kFewPoints;
  for (std::uint32_t i = body.first; few && i < body.first + body.count; ++i) {
    const Vec3 p = X.X * Vec3{all_.x[i], all_.y[i], all_.z[i]};
    x_[i] = p.x, y_[i] = p.y, z_[i] = p.z;
  }
  centre_[b] = X.X * body.centre;
  const double p_hi = std::max(chain_reach_[body.frame], norm_hi(X.X.p));
  // Of points and axes alike: those of frames nearer the root are off by no more than this one, and
  // an axis by its frame's rotation.
  const double size_hi =
      std::max(1.0, inflate(2 * p_hi + (1 + X.error.rotation) * body.reach_hi, 4));
  size_hi_[b] = size_hi;
  error_hi_[b] = inflate(rounding::transform_error(X.error, p_hi, 0, body.reach_hi) +
                             2 * (X.error.rotation + gamma(16)) * size_hi,
                         8);
  ball_hi_[b] = inflate(body.ball_hi * (1 + X.error.rotation) + 2 * error_hi_[b], 4);
  const SpreadMotion* chain = chains_.data() + all_.chain[body.frame];
  const int from = origin_ > 0 ? all_.motions_to[origin_] : 0;
  const int count = all_.motions_to[body.frame];
  double* ways = ways_.data() + body.way;
  double* after = ways_after_.data() + body.way;
  after[count] = 0;
  for (int k = count; k-- > from;) {
    ways[k] = keepclear::way_hi(chain[k], centre_[b], ball_hi_[b]);
    after[k] = inflate(after[k + 1] + ways[k], 1);
  }
}

std::uint64_t GuardPose::place_flops(int b) const noexcept {
  if (body_stamp_[b] == stamp_) return 0;
  const GuardBody& body = all_.bodies[b];
  const auto motions = static_cast<std::uint64_t>(all_.motions_to[body.frame]);
  // The points, the centre, its errors; the ways; and the motions, once a chain.
  return 90 + (body.count <= kFewPoints ? 18 * body.count : 0) + 30 * motions +
         (chain_stamp_[body.frame] == stamp_ ? 0 : 30 * motions);
}

std::uint64_t GuardPose::place_flops_most(std::size_t b) const noexcept {
  const GuardBody& body = all_.bodies[b];
  const int deepest = *std::max_element(all_.motions_to.begin(), all_.motions_to.end());
  const int motions = body.count > 0 ? all_.motions_to[body.frame] : deepest;
  const std::uint32_t points = body.count > 0 ? body.count : kFewPoints;
  return 90 + 18 * std::min(points, kFewPoints) + 60 * static_cast<std::uint64_t>(motions);
}

SpreadSide GuardPose::side(int b, int skip) const noexcept {
  const GuardBody& body = all_.bodies[b];
  const auto begin = static_cast<std::size_t>(skip);
  const std::size_t count = static_cast<std::size_t>(all_.motions_to[body.frame]) - begin;
  SpreadSide side;
  side.in_frame = body.count > kFewPoints;
  side.x = (side.in_frame ? all_.x : x_).data() + body.first;
  side.y = (side.in_frame ? all_.y : y_).data() + body.first;
  side.z = (side.in_frame ? all_.z : z_).data() + body.first;
  if (side.in_frame) side.X = frames_[body.frame].X;
  side.count = body.count;
  side.radius_hi = body.radius_hi;
  side.motions = {chains_.data() + all_.chain[body.frame] + begin, count};
  side.way_hi = {ways_.data() + body.way + begin, count};
  side.size_hi = size_hi_[b];
  side.error_hi = error_hi_[b];
  side.finish();
  return side;
}

SpreadSide GuardPose::rough_side(int b, int skip) const noexcept {
  SpreadSide rough = side(b, skip);
  rough.tables = all_.tables[b];
  rough.X = frames_[all_.bodies[b].frame].X;
  rough.centre = centre_[b];
  rough.ball_hi = ball_hi_[b];
  return rough;
}

}  // namespace keepclear
