// SPDX-License-Identifier: BSD-3-Clause
//
// What is true of a plan: by FCL in poses much denser than any validator looks at, and by a proof
// over the whole.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bench/planning_bench.hpp"
#include "keepclear/path.hpp"

namespace keepclear::bench {
namespace {

/// Parts of an edge over which the speed is taken as even.
constexpr int kParts = 64;
constexpr int kReachPoses = 2000;
constexpr double kTurn = 1e-4;  ///< radians

/// How far the bodies of the links are between two rows of poses: the corners of the boxes around
/// them, and no point of a body moves farther than the farthest corner.
class Movement {
 public:
  explicit Movement(const Scene& bodies) {
    for (const Shape& shape : bodies.shapes) {
      if (bodies.world.solids()[static_cast<std::size_t>(shape.link)].is_object) continue;
      Vec3 lo = shape.points.at(0), hi = lo;
      for (const Vec3& p : shape.points) {
        lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
        hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
      }
      for (int k = 0; k < 8; ++k) {
        corners_.push_back(
            {shape.link, {k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z}});
      }
    }
  }
  double operator()(std::span<const Pose> before, std::span<const Pose> after) const {
    double most = 0;
    for (const Corner& corner : corners_) {
      const auto solid = static_cast<std::size_t>(corner.solid);
      most = std::max(most, norm(after[solid] * corner.p - before[solid] * corner.p));
    }
    return most;
  }

 private:
  struct Corner {
    int solid;
    Vec3 p;
  };
  std::vector<Corner> corners_;
};

std::vector<double> between(const std::vector<double>& a, const std::vector<double>& b,
                            double share) {
  std::vector<double> q(a.size());
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = a[i] + share * (b[i] - a[i]);
  return q;
}

/// Poses along the plan until FCL collides.
void sample(const Arena& arena, const Plan& plan, FclChecker& fcl, SolidPoses& poses, double step,
            Judged& judged) {
  const Movement movement(arena.bodies);
  std::vector<Pose> at(arena.world.solids().size()), next(at);
  for (std::size_t e = 0; e + 1 < plan.states.size(); ++e) {
    const std::vector<double>&a = plan.states[e], &b = plan.states[e + 1];
    poses(a, at);
    for (int part = 0; part < kParts; ++part) {
      const double from = static_cast<double>(part) / kParts;
      poses(between(a, b, from), at);
      poses(between(a, b, from + 1.0 / kParts), next);
      const int steps = std::max(1, static_cast<int>(std::ceil(movement(at, next) / step)));
      for (int k = 0; k < steps; ++k) {
        poses(between(a, b, from + k / (1.0 * kParts * steps)), at);
        ++judged.poses;
        judged.sampled = fcl.check(at);
        if (judged.sampled) return;
      }
    }
  }
  poses(plan.states.back(), at);
  judged.sampled = fcl.check(at);
}

}  // namespace

std::vector<double> reach_of_joints(const World& world, const Scene& bodies, std::uint64_t seed) {
  const Movement movement(bodies);
  SolidPoses poses(world);
  Random random(seed);
  std::vector<Pose> at(world.solids().size()), next(at);
  std::vector<double> q(world.dof()), reach(world.dof(), 0.0);
  for (int k = 0; k < kReachPoses; ++k) {
    set_random(world, random, q);
    poses(q, at);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double was = q[i];
      q[i] += kTurn;
      poses(q, next);
      q[i] = was;
      reach[i] = std::max(reach[i], movement(at, next) / kTurn);
    }
  }
  return reach;
}

Judged judge(const Arena& arena, const Plan& plan, const PlanningOptions& options) {
  Judged judged;
  FclChecker fcl(arena.bodies);
  fcl.surround(arena.world, arena.objects);
  SolidPoses poses(arena.world);
  sample(arena, plan, fcl, poses, options.judge, judged);
  std::vector<double> times, rows;
  for (const std::vector<double>& q : plan.states) {
    times.push_back(static_cast<double>(times.size()));
    rows.insert(rows.end(), q.begin(), q.end());
  }
  CertifyOptions certify;
  certify.tolerance = options.tolerance;
  const Certificate whole = MotionQuery(arena.world, certify)(straight_path(times, rows));
  judged.verdict = whole.verdict;
  judged.clearance = whole.clearance;
  if (whole.verdict == Verdict::contact) {
    std::vector<Pose> at(arena.world.solids().size());
    judged.seen = poses(whole.q, at) && fcl.check(at);
  }
  return judged;
}

}  // namespace keepclear::bench
