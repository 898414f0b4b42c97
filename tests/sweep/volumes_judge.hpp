// SPDX-License-Identifier: BSD-3-Clause
//
// Judges the swept volumes of whole worlds: bodies at configurations of a box, placed in 113 bits
// straight from the description, must be inside; and nothing may come nearer than is claimed.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "keepclear/distance.hpp"
#include "keepclear/sweep.hpp"
#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "scene/source.hpp"
#include "scene/world.hpp"
#include "shape/support_table.hpp"

namespace keepclear::oracle::worlds {

using Random = std::mt19937_64;

/// From bits, so that the numbers are the same with every standard library.
inline double uniform(Random& random, double lower, double upper) {
  return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

inline bool is_quaternion(const Variable& v) {
  return v.name.find("/rot_") != std::string::npos;
}

/// A box around a random configuration: `width` radians, and a third of that in metres; an angle
/// moves by whole turns now and then. Quaternions get a box that holds unit ones.
inline JointBox random_box(const World& world, Random& random, double width) {
  JointBox box;
  std::vector<double> quaternion(4);
  int part = 0;
  for (const Variable& v : world.variables()) {
    double at = uniform(random, std::max(v.lower, -3.0), std::min(v.upper, 3.0));
    double half = 0.5 * width;
    if (is_quaternion(v)) {
      if (part == 0) {
        double n = 0;
        for (double& x : quaternion) x = uniform(random, -1, 1), n += x * x;
        for (double& x : quaternion) x = n > 0 ? x / std::sqrt(n) : 0.5;
      }
      at = quaternion[static_cast<std::size_t>(part)];
      part = (part + 1) % 4;
      half = std::max(0.25 * half, 1e-9);
    } else if (v.type == "prismatic" || v.type == "planar" || v.type == "floating") {
      if (!v.name.ends_with("/theta")) half /= 3;
    }
    box.push_back({at - half, at + half});
  }
  return box;
}

/// A configuration in a box, at its corners and faces half of the time.
inline std::vector<double> random_member(const World& world, const JointBox& box, Random& random) {
  std::vector<double> q;
  for (const Interval& i : box) {
    const auto where = random() % 4;
    q.push_back(where == 0   ? i.lower
                : where == 1 ? i.upper
                             : std::clamp(uniform(random, i.lower, i.upper), i.lower, i.upper));
  }
  for (std::size_t i = 0; i + 3 < q.size(); ++i) {
    if (!is_quaternion(world.variables()[i])) continue;
    // Of norm one and in the box: the middle is, and so is what is near it on the sphere.
    for (int tries = 0;; ++tries) {
      double n = 0;
      bool inside = true;
      for (std::size_t k = 0; k < 4; ++k) {
        const Interval& r = box[i + k];
        q[i + k] = 0.5 * (r.lower + r.upper);
        if (tries < 100)
          q[i + k] += uniform(random, 0.5 * (r.lower - r.upper), 0.5 * (r.upper - r.lower));
        n += q[i + k] * q[i + k];
      }
      for (std::size_t k = 0; k < 4; ++k) {
        q[i + k] /= std::sqrt(n);
        inside = inside && q[i + k] >= box[i + k].lower && q[i + k] <= box[i + k].upper;
      }
      if (inside || tries >= 100) break;
    }
    i += 3;
  }
  return q;
}

inline QMat transposed(const QMat& m) {
  return {{m.row0.x, m.row1.x, m.row2.x},
          {m.row0.y, m.row1.y, m.row2.y},
          {m.row0.z, m.row1.z, m.row2.z}};
}
inline QPose inverse_of(const QPose& X) {
  return {transposed(X.R), Quad(-1) * transposed_times(X.R, X.p)};
}

class SweepJudge {
 public:
  SweepJudge(const World& world, const RobotModel& robot)
      : world_(world), robot_(robot), kinematics_(robot_) {
    const Kinematics& compiled = world.data().kinematics;
    link_of_frame_.assign(static_cast<std::size_t>(compiled.frame_count()), robot_.root);
    for (int f = 1; f < compiled.frame_count(); ++f) {
      for (const Joint& joint : robot_.joints) {
        if (joint.name == compiled.joint(f).name) link_of_frame_[f] = joint.child;
      }
    }
  }

  /// Points that are outside their volume at q, of a few of each body, and directions in which a
  /// body reaches beyond its volume.
  std::size_t escapes(const Sweep& sweep, std::span<const double> q, Random& random) {
    const std::vector<QPose> links = kinematics_(q);
    std::size_t count = 0;
    for (const SweptVolume& swept : sweep.volumes()) {
      const WorldBody& body = world_.data().bodies[static_cast<std::size_t>(swept.body)];
      const BodyTables& tables = body.body.tables();
      const Volume& volume = swept.volume;
      if (!(volume.radius < std::numeric_limits<double>::infinity())) continue;
      const QPose& X_WM = links[link_of_frame_[swept.frame]];
      const QPose& X_WB = links[link_of_frame_[body.frame]];
      const QPose X_MB = swept.frame == body.frame ? QPose{} : inverse_of(X_WM) * X_WB;
      const Quad room = Quad(volume.radius) - tables.radius;
      std::vector<Vec3> points;
      for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
      const Vec3 one[] = {tables.point(random() % tables.count)};
      const auto near = reference_distance(PointSet(one), X_MB, PointSet(points), QPose{});
      if (near.upper > room) ++count;
      looked_ += 1;
      for (int k = 0; k < 4; ++k) {
        const Vec3 n{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
        const QVec wide = widen<Quad>(n);
        Quad reach = -1e30, need = -1e30;
        for (const Vec3& p : points) reach = std::max(reach, dot(wide, widen<Quad>(p)));
        const QVec local = transposed_times(X_MB.R, wide);
        for (std::size_t i = 0; i < tables.count; ++i) {
          need = std::max(need, dot(local, widen<Quad>(tables.point(i))));
        }
        if (need + dot(wide, X_MB.p) > reach + room * norm(wide)) ++count;
        looked_ += tables.count;
      }
    }
    return count;
  }

  /// Points of bodies that were looked at.
  std::size_t looked() const { return looked_; }

 private:
  World world_;
  RobotModel robot_;
  ReferenceKinematics kinematics_;
  std::vector<int> link_of_frame_;
  std::size_t looked_ = 0;
};

/// A random configuration within the limits, anywhere between there and the neutral one.
inline std::vector<double> random_configuration(const World& world, Random& random) {
  std::vector<double> q = world.neutral();
  const double share = uniform(random, 0, 1);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Variable& v = world.variables()[i];
    if (is_quaternion(v)) continue;
    const double at = uniform(random, std::max(v.lower, -3.0), std::min(v.upper, 3.0));
    q[i] += share * (at - q[i]);
  }
  return q;
}

/// A world in which links that are seldom seen `clear` metres apart, in less than half of all
/// random poses, may touch: neighbours but one, mostly. `left_out` is their number.
inline World without_near_pairs(const std::function<WorldSource()>& read, double clear,
                                std::size_t& left_out) {
  WorldSource source = read();
  const World world = compile_model(source.model, {});
  DistanceQuery query(world);
  Random random(1);
  std::vector<int> seen_clear(world.pairs().size(), 0);
  constexpr int kPoses = 300;
  for (int k = 0; k < kPoses; ++k) {
    const std::span<const Nearest> all = query.all_pairs(random_configuration(world, random));
    for (std::size_t p = 0; p < all.size(); ++p) seen_clear[p] += all[p].lower_bound >= clear;
  }
  source = read();
  if (!source.model.srdf) source.model.srdf.emplace();
  left_out = 0;
  for (std::size_t p = 0; p < seen_clear.size(); ++p) {
    const SolidInfo& a = world.solids()[static_cast<std::size_t>(world.pairs()[p].a)];
    const SolidInfo& b = world.solids()[static_cast<std::size_t>(world.pairs()[p].b)];
    if (2 * seen_clear[p] >= kPoses || a.is_object || b.is_object) continue;
    source.model.srdf->disabled.push_back({a.name, b.name, "seldom clear", 0});
    ++left_out;
  }
  return left_out == 0 ? world : compile_model(source.model, {});
}

/// What was seen of boxes around poses that are clear.
struct ClearBoxes {
  std::size_t poses = 0, tries = 0, shown = 0;
  double least = std::numeric_limits<double>::infinity();  ///< clearance that was shown
  double most_lost = 0;  ///< of the clearance at the pose, in its box
};

/// Boxes of `width` around `poses` random configurations of at least `clear` metres clearance; each
/// should be shown free by the volumes of `plan`.
inline ClearBoxes clear_boxes(const World& world, const SweepPlan& plan, std::size_t poses,
                              double clear, double width, std::uint64_t seed) {
  Random random(seed);
  DistanceQuery query(world);
  Sweep sweep(world, plan);
  ClearBoxes seen;
  for (; seen.poses < poses && seen.tries < 300 * poses; ++seen.tries) {
    const std::vector<double> q = random_configuration(world, random);
    if (query.check(q, clear).verdict != Verdict::free) continue;
    ++seen.poses;
    JointBox box;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double half = is_quaternion(world.variables()[i]) ? 0.125 * width : 0.5 * width;
      box.push_back({q[i] - half, q[i] + half});
    }
    if (!sweep.update(box)) continue;
    const double clearance = sweep.clearance().clearance;
    if (clearance > 0) ++seen.shown;
    seen.least = std::min(seen.least, clearance);
    seen.most_lost = std::max(seen.most_lost, query(q).distance - clearance);
  }
  return seen;
}

/// What was seen of random boxes and configurations in them.
struct JudgedBoxes {
  std::size_t boxes = 0, shown = 0, members = 0, points = 0;
  std::size_t escapes = 0;  ///< points outside their volume, or directions
  std::size_t refuted = 0;  ///< configurations nearer to contact than was claimed
};

/// Random boxes of `width`, random configurations in each.
inline void judge_boxes(const World& world, SweepJudge& judge, const SweepPlan& plan, double width,
                        int boxes, int members, Random& random, JudgedBoxes& tally) {
  Sweep sweep(world, plan);
  DistanceQuery query(world, {.tolerance = 1e-10, .signed_distance = true});
  for (int b = 0; b < boxes; ++b) {
    const JointBox box = random_box(world, random, width);
    if (!sweep.update(box)) ++tally.escapes;
    const SweptClearance claimed = sweep.clearance();
    ++tally.boxes;
    if (claimed.clearance > 0) ++tally.shown;
    for (int m = 0; m < members; ++m) {
      const std::vector<double> q = random_member(world, box, random);
      ++tally.members;
      tally.escapes += judge.escapes(sweep, q, random);
      const Nearest nearest = query(q);
      // Not (a <= b), so that what is no number counts.
      if (nearest.a >= 0 && !(claimed.clearance <= nearest.distance + 1e-12)) ++tally.refuted;
    }
  }
  tally.points = judge.looked();
}

}  // namespace keepclear::oracle::worlds
