// SPDX-License-Identifier: BSD-3-Clause
//
// Whether swept volumes contain what they should: random bodies on random chains, random
// configurations of a box, points of the bodies in 113 bits. Points that are clearly inside are
// told apart in doubles.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "robot/kinematics.hpp"
#include "sweep/stage.hpp"

namespace keepclear::oracle {

using Random = std::mt19937_64;

inline double uniform(Random& random, double lower, double upper) {
  return std::uniform_real_distribution<double>(lower, upper)(random);
}
inline Vec3 uniform_vec(Random& random, double size) {
  const double x = uniform(random, -size, size), y = uniform(random, -size, size);
  return {x, y, uniform(random, -size, size)};
}

/// An explicit volume V(radius; points).
struct PlainVolume {
  std::vector<Vec3> points;
  double radius = 0;
};

struct SweepTally {
  std::int64_t motions = 0, points = 0, in_quads = 0, unbounded = 0, outside = 0;
  double fullest = 0;  ///< the largest share of a radius that was used, by those in quads

  void add(const SweepTally& other) {
    motions += other.motions, points += other.points, in_quads += other.in_quads;
    unbounded += other.unbounded, outside += other.outside;
    fullest = std::max(fullest, other.fullest);
  }
};

/// Looks at points one by one.
class ContainmentJudge {
 public:
  ContainmentJudge(const PlainVolume& volume, SweepTally& tally)
      : hull_(volume.points), radius_(volume.radius), tally_(tally) {
    ++tally_.motions;
    if (std::isnan(radius_)) ++tally_.outside;
  }

  /// `at` is within `off` metres of the real point, which `exact` returns. Every hundredth is
  /// looked at in quads whatever doubles say.
  template <class Exact>
  void see(Vec3 at, double off, Exact exact) {
    ++tally_.points;
    if (radius_ == std::numeric_limits<double>::infinity()) {
      ++tally_.unbounded;
      return;
    }
    if (tally_.points % 100 != 0) {
      const double limit = radius_ - off;
      auto near = core_distance<double>(single_, {{}, widen<double>(at)}, hull_, {},
                                        std::max(limit, 0.0), memory_);
      if (!(near.upper <= limit)) {
        near = core_distance<double>(single_, {{}, widen<double>(at)}, hull_, {}, 0.0, near.active);
      }
      memory_ = near.active;
      if (near.upper <= limit) return;
    }
    see(exact());
  }

  /// In quads alone.
  void see(const QVec& at) {
    ++tally_.in_quads;
    const QPose X{{}, at};
    auto near = core_distance<Quad>(single_, X, hull_, {}, Quad(1e-22), memory_);
    if (!(near.upper <= radius_)) {
      near = core_distance<Quad>(single_, X, hull_, {}, Quad(0));
    }
    tally_.fullest = std::max(tally_.fullest, static_cast<double>(near.upper / radius_));
    if (!(near.upper <= radius_)) ++tally_.outside;
  }

 private:
  PointSet single_{std::vector<Vec3>{{0, 0, 0}}}, hull_;
  double radius_;
  SweepTally& tally_;
  ActiveSet memory_;
};

/// A point of a body, exactly: of the hull, or at the radius from a point of it.
inline QVec random_body_point(Random& random, const PlainVolume& body) {
  QVec at = widen<Quad>(body.points[random() % body.points.size()]);
  const auto mixes = random() % 4;
  for (std::uint64_t k = 0; k < mixes; ++k) {
    const Quad share = uniform(random, 0, 1);
    at = (1 - share) * at + share * widen<Quad>(body.points[random() % body.points.size()]);
  }
  if (random() % 4 == 0) return at;
  const QVec d = widen<Quad>(uniform_vec(random, 1));
  return at + (Quad(body.radius) / norm(d)) * d;
}

inline PlainVolume random_body(Random& random, int points) {
  PlainVolume body;
  body.radius = random() % 8 == 0 ? 0 : uniform(random, 0.001, 0.2);
  const Vec3 centre = uniform_vec(random, random() % 8 == 0 ? 20 : 0.5);
  for (int k = 0; k < points; ++k) body.points.push_back(centre + uniform_vec(random, 0.3));
  // On an axis, and in the origin.
  if (random() % 8 == 0) body.points[0] = {0, 0, uniform(random, -1, 1)};
  if (random() % 16 == 0) body.points[0] = {0, 0, 0};
  return body;
}

/// The volume behind a joint as it is seen before it.
inline PlainVolume swept(const Stage& stage, const PlainVolume& volume) {
  PlainVolume result;
  double lever = 0, reach = 0;
  for (const Vec3 p : volume.points) {
    lever = std::max(lever, lever_hi(stage, p));
    reach = std::max(reach, rounding::norm_hi(p));
    for (int k = 0; k < stage.count; ++k) result.points.push_back(stage.maps[k] * p);
  }
  result.radius = rounding::up(volume.radius + stage.growth_hi(lever, reach));
  return result;
}

/// A width in radians or metres, from none to more than a turn.
inline double random_width(Random& random) {
  constexpr double kWidths[] = {
      0, 1e-300, 1e-16, 1e-9, 0.01, std::numbers::pi / 2, std::numbers::pi, 2 * std::numbers::pi,
      7};
  if (random() % 3 == 0) return kWidths[random() % std::size(kWidths)];
  return uniform(random, 0, 1) * (random() % 4 == 0 ? 6.5 : 0.8);
}

/// A chain with its box: `joints` of the given type that move, or of any, with what is behind the
/// last of them.
struct SweptChain {
  RobotModel robot;
  std::vector<Interval> box;
  int last = 0;  ///< the link that carries the body

  SweptChain(Random& random, int joints, const std::vector<JointType>& types) {
    robot.name = "chain";
    robot.links.resize(1);
    robot.links[0].name = "link0";
    for (int k = 0; k < joints; ++k) {
      if (random() % 6 == 0) add(random, JointType::fixed);
      add(random, types[random() % types.size()]);
    }
    last = static_cast<int>(robot.links.size()) - 1;
    robot.build_tree();
  }

  /// A configuration of the box; ends of intervals now and then.
  std::vector<double> configuration(Random& random) const {
    std::vector<double> q;
    for (const Interval& i : box) {
      const auto kind = random() % 6;
      const double lower = std::max(i.lower, -10.0), upper = std::min(i.upper, 10.0);
      const double inside =
          std::clamp(lower + (upper - lower) * uniform(random, 0, 1), i.lower, i.upper);
      q.push_back(kind == 0 && std::isfinite(i.lower)   ? i.lower
                  : kind == 1 && std::isfinite(i.upper) ? i.upper
                                                        : inside);
    }
    for (std::size_t k = 0; k < quaternions.size(); ++k) {
      const std::size_t first = quaternions[k].first;
      for (int attempt = 0;; ++attempt) {
        double length = 0;
        for (std::size_t i = 0; i < 4; ++i) length += q[first + i] * q[first + i];
        length = std::sqrt(length);
        bool inside = length > 0.5;
        for (std::size_t i = 0; i < 4; ++i) {
          q[first + i] /= length;
          inside = inside && q[first + i] >= box[first + i].lower &&
                   q[first + i] <= box[first + i].upper;
        }
        if (inside) break;
        const Quaternion& o = quaternions[k].second;
        const double middle[] = {o.x, o.y, o.z, o.w};
        for (std::size_t i = 0; i < 4; ++i) {
          q[first + i] = attempt == 20
                             ? middle[i]
                             : uniform(random, box[first + i].lower, box[first + i].upper);
        }
        if (attempt == 20) break;
      }
    }
    return q;
  }

 private:
  std::vector<std::pair<std::size_t, Quaternion>> quaternions;  ///< first number, middle

  void add(Random& random, JointType type) {
    const int child = static_cast<int>(robot.links.size());
    Joint joint;
    joint.name = "joint" + std::to_string(child);
    joint.type = type;
    joint.parent = child - 1, joint.child = child;
    joint.origin.xyz = random() % 8 == 0 ? Vec3{} : uniform_vec(random, random() % 8 ? 0.5 : 50);
    if (random() % 3 != 0) joint.origin.rpy = uniform_vec(random, 4);
    robot.links.emplace_back().name = "link" + std::to_string(child);
    const auto add_interval = [&](double place, double width) {
      const double lower = uniform(random, -place, place);
      box.push_back({lower, lower + width});
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (type) {
      case JointType::fixed:
        break;
      case JointType::planar:
        joint.axis = {0, 0, 1};  // the one that the reference knows
        add_interval(1, random_width(random));
        add_interval(1, random_width(random));
        add_interval(4, random_width(random));
        break;
      case JointType::floating: {
        for (int i = 0; i < 3; ++i) add_interval(1, random_width(random));
        const Vec3 v = uniform_vec(random, 1);
        const double w = uniform(random, -1, 1), length = std::sqrt(squared_norm(v) + w * w);
        const Quaternion o{v.x / length, v.y / length, v.z / length, w / length};
        quaternions.emplace_back(box.size(), o);
        const double half = random() % 6 == 0 ? 0 : 0.5 * random_width(random);
        for (const double m : {o.x, o.y, o.z, o.w}) box.push_back({m - half, m + half});
        break;
      }
      default: {
        joint.axis = random() % 3 ? uniform_vec(random, 1) : Vec3{0, 0, 1};
        if (norm(joint.axis) < 1e-3) joint.axis = {0, 1, 0};
        if (mimic_one(random, joint)) break;
        const bool turns = type != JointType::prismatic;
        const double place = !turns ? 1 : random() % 16 == 0 ? 1e6 : 4;
        if (random() % 100 == 0) {
          box.push_back({-1, kInfinity});
        } else {
          add_interval(place, random_width(random));
        }
      }
    }
    robot.joints.push_back(joint);
  }

  /// Now and then, after an earlier hinge or slide.
  bool mimic_one(Random& random, Joint& joint) const {
    if (random() % 4 != 0) return false;
    for (int m = static_cast<int>(robot.joints.size()) - 1; m >= 0; --m) {
      const JointType type = robot.joints[static_cast<std::size_t>(m)].type;
      if (type == JointType::revolute || type == JointType::continuous ||
          type == JointType::prismatic) {
        joint.mimic = Mimic{m, random() % 16 ? uniform(random, -2, 2) : 0, uniform(random, -1, 1)};
        return true;
      }
    }
    return false;
  }
};

inline const std::vector<JointType>& all_joint_types() {
  static const std::vector<JointType> kTypes{JointType::revolute, JointType::continuous,
                                             JointType::revolute, JointType::prismatic,
                                             JointType::planar,   JointType::floating};
  return kTypes;
}

/// At least `points` body points behind chains of so many joints. Operators are drawn from
/// `operators`, as far as the points of the volume stay few; with none, hinges and slides are
/// swept evenly.
inline SweepTally judge_chains(std::int64_t points, std::uint64_t seed, int joints,
                               const std::vector<JointType>& types,
                               const std::vector<JointOperator>& operators,
                               int points_a_motion = 256) {
  constexpr std::size_t kPointsAtMost = 96;
  constexpr int kPointsAPose = 16;
  Random random(seed);
  SweepTally tally;
  while (tally.points < points) {
    const SweptChain chain(random, joints, types);
    const Kinematics kinematics(chain.robot);
    const ReferenceKinematics reference(chain.robot);
    const PlainVolume body = random_body(random, 1 + static_cast<int>(random() % 4));
    // Towards the root. What is fixed after the last joint that moves is in the body's place.
    const int frame = kinematics.frame_of_link(chain.last);
    PlainVolume volume = body;
    for (int f = frame; f > 0; f = kinematics.parent(f)) {
      const JointType type = kinematics.frame(f).type;
      Stage stage;
      if (operators.empty()) {
        make_even_stage(kinematics, f, chain.box, stage);
      } else {
        JointOperator op = operators[random() % operators.size()];
        const auto count = static_cast<std::size_t>(map_count(type, op));
        if (joints > 1 && volume.points.size() * count > kPointsAtMost) op = {1, 1};
        make_stage(kinematics, f, chain.box, op, stage);
      }
      volume = swept(stage, volume);
    }
    std::vector<QVec> exact;
    for (int k = 0; k < 4 * kPointsAPose; ++k) exact.push_back(random_body_point(random, body));
    ContainmentJudge judge(volume, tally);
    std::vector<BoundedPose> poses(static_cast<std::size_t>(kinematics.frame_count()));
    for (int pose = 0; pose < points_a_motion / kPointsAPose; ++pose) {
      const std::vector<double> q = chain.configuration(random);
      const bool known = kinematics.forward(q, 0, poses);
      const BoundedPose& X = poses[static_cast<std::size_t>(frame)];
      const auto link = static_cast<std::size_t>(chain.last);
      QPose X_exact;
      bool have_exact = false;
      for (int k = 0; k < kPointsAPose; ++k) {
        const QVec& p = exact[random() % exact.size()];
        const auto real = [&] {
          if (!have_exact) X_exact = reference(q)[link], have_exact = true;
          return X_exact * p;
        };
        if (!known) {
          judge.see(real()), ++tally.points;
          continue;
        }
        const Vec3 near = narrow(p), at = X.X * near;
        const double off = X.error.position + (X.error.rotation + 1e-14) * norm(near) +
                           1e-14 * (norm(at) + norm(X.X.p));
        judge.see(at, 2 * off, real);
      }
    }
  }
  return tally;
}

}  // namespace keepclear::oracle
