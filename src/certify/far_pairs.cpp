// SPDX-License-Identifier: BSD-3-Clause
#include "certify/far_pairs.hpp"

#include <algorithm>

#include "rounding/infinity.hpp"
#include "sweep/layout.hpp"

namespace keepclear {
namespace {}  // namespace

FarPairs::FarPairs(const WorldData& data)
    : data_(data),
      depth_(static_cast<std::size_t>(data.kinematics.frame_count())),
      stages_(static_cast<std::size_t>(data.kinematics.frame_count())) {
  for (int f = 1; f < data.kinematics.frame_count(); ++f) {
    depth_[f] = depth_[data.kinematics.parent(f)] + 1;
  }
  std::size_t next = 0;
  for (const WorldBody& body : data.bodies) {
    first_.push_back(next);
    next += depth_[body.frame] + 1;
  }
  balls_.resize(next);
  for (const LinkPair& pair : data.link_pairs) {
    meeting_.push_back(meeting_frame(data.kinematics, pair.frame_a, pair.frame_b));
  }
}

void FarPairs::update(std::span<const Interval> box) noexcept {
  for (int f = 1; f < data_.kinematics.frame_count(); ++f) {
    make_stage(data_.kinematics, f, box, {1, 1}, stages_[f]);
  }
  for (std::size_t b = 0; b < data_.bodies.size(); ++b) {
    const WorldBody& body = data_.bodies[b];
    SweptBall around = ball_of(body.body.tables());
    for (int f = body.frame;; f = data_.kinematics.parent(f)) {
      balls_[first_[b] + depth_[f]] = {around.centre, around.whole_hi()};
      if (f == 0) break;
      around = carried(around, stages_[f]);
    }
  }
}

double FarPairs::links_lo(const LinkPair& pair) const noexcept {
  const int meeting = meeting_[static_cast<std::size_t>(&pair - data_.link_pairs.data())];
  double least = kInfinity;
  for (int i = pair.first; i < pair.last; ++i) {
    const Ball& a = ball(data_.body_pairs[i].a, meeting);
    const Ball& b = ball(data_.body_pairs[i].b, meeting);
    const double radii = rounding::up(a.radius_hi + b.radius_hi);
    // Written so that what is no number shows nothing.
    if (!(radii < 1e100)) return -kInfinity;
    least = std::min(least, ball_distance_lo(a.centre, b.centre, radii));
  }
  return least;
}

bool FarPairs::surroundings_beyond(int solid, double need) const noexcept {
  const Environment& env = data_.environment;
  bool beyond = true;
  for (std::size_t b = 0; b < data_.bodies.size() && beyond; ++b) {
    if (data_.bodies[b].solid != solid) continue;
    const Ball& around = ball(static_cast<int>(b), 0);
    env.index.visit(box_around(around.centre, around.radius_hi, need), [&](int id) {
      beyond = beyond && data_.rules.may_touch(solid, env.solid_of(static_cast<std::uint32_t>(id)));
    });
  }
  return beyond;
}

}  // namespace keepclear
