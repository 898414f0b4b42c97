// SPDX-License-Identifier: BSD-3-Clause
//
// What one direction shows of two bodies over a box, against the bodies themselves at members of
// the box, placed in 113 bits straight from the description: built-in worlds, and random trees of
// every kind of joint with followers, in boxes from nothing to several radians.
#include <gtest/gtest.h>

#include "guard/guard_impl.hpp"
#include "robot/random_robots.hpp"
#include "scene/source.hpp"
#include "sweep/volumes_judge.hpp"

namespace keepclear {
namespace {

using oracle::QPose;
using oracle::Quad;
using oracle::QVec;
using oracle::widen;
using oracle::worlds::Random;

struct Tally {
  std::size_t looks = 0, wrong = 0, apart = 0, twins_differ = 0, rough = 0;
  double closest = 1e9;  ///< how tight the tightest bound was
};

/// The gap along n of two bodies at q, in the frame where they meet, radii taken off.
class GapJudge {
 public:
  GapJudge(const World& world, const RobotModel& robot)
      : data_(world.data()), robot_(robot), kinematics_(robot_) {
    link_of_frame_.assign(static_cast<std::size_t>(data_.kinematics.frame_count()), robot_.root);
    for (int f = 1; f < data_.kinematics.frame_count(); ++f) {
      for (const Joint& joint : robot_.joints) {
        if (joint.name == data_.kinematics.joint(f).name) link_of_frame_[f] = joint.child;
      }
    }
  }
  void place(std::span<const double> q) { links_ = kinematics_(q); }
  Quad gap(int frame, int a, int b, Vec3 n) const {
    const QVec wide = widen<Quad>(n);
    const QPose X_LW = oracle::worlds::inverse_of(links_[link_of_frame_[frame]]);
    const auto reach = [&](int body, Quad sign) {
      const WorldBody& from = data_.bodies[body];
      const QPose X = from.frame == frame ? QPose{} : X_LW * links_[link_of_frame_[from.frame]];
      const BodyTables& tables = from.body.tables();
      const QVec local = transposed_times(X.R, wide);
      Quad most = -1e30;
      for (std::size_t i = 0; i < tables.count; ++i) {
        most = std::max(most, sign * dot(local, widen<Quad>(tables.point(i))));
      }
      return most + sign * dot(wide, X.p) + norm(wide) * Quad(tables.radius);
    };
    return (-reach(a, 1) - reach(b, -1)) / norm(wide);
  }

 private:
  const WorldData& data_;
  RobotModel robot_;
  oracle::ReferenceKinematics kinematics_;
  std::vector<int> link_of_frame_;
  std::vector<QPose> links_;
};

void judge(const World& world, const RobotModel& robot, double width, int boxes, int members,
           Random& random, Tally& tally) {
  Guard::Impl guard(world, uniform_brake(world, 0.01, {20, 20}), {});
  GapJudge judge(world, robot);
  for (int k = 0; k < boxes; ++k) {
    JointBox box = oracle::worlds::random_box(world, random, width);
    // Some joints stand, some move little.
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (oracle::worlds::is_quaternion(world.variables()[i])) continue;
      const double middle = 0.5 * (box[i].lower + box[i].upper);
      const double share = random() % 3 == 0 ? 0 : random() % 2 == 0 ? 0.1 : 1;
      box[i] = {middle - share * (middle - box[i].lower), middle + share * (box[i].upper - middle)};
    }
    std::vector<std::vector<double>> configurations;
    for (int m = 0; m < members; ++m) {
      configurations.push_back(oracle::worlds::random_member(world, box, random));
    }
    for (int m = 0; m < members; ++m) {
      judge.place(configurations[m]);
      for (const GuardPair& pair : guard.pairs) {
        if (!pair.active || random() % 4 != 0) continue;
        const int last = std::max(guard.all.bodies[pair.a].frame, guard.all.bodies[pair.b].frame);
        if (!guard.fine.set(box, pair.origin, last)) continue;
        guard.fine.place(pair.a), guard.fine.place(pair.b);
        const SpreadSide a = guard.fine.side(pair.a, pair.skip);
        const SpreadSide b = guard.fine.side(pair.b, pair.skip);
        Vec3 n = guard.fine.centre(pair.b) - guard.fine.centre(pair.a);
        if (random() % 2) n = n + oracle::worlds::uniform(random, 0, 2) * Vec3{0.3, -0.5, 0.8};
        if (!(norm(n) > 1e-6)) n = {0, 0, 1};
        n = (1 / norm(n)) * n;
        // By tables, too: looser, and sound.
        const bool rough_a = guard.all.tables[pair.a] != nullptr;
        const bool rough_b = guard.all.tables[pair.b] != nullptr;
        const SpreadSide c = rough_a ? guard.fine.rough_side(pair.a, pair.skip) : a;
        const SpreadSide d = rough_b ? guard.fine.rough_side(pair.b, pair.skip) : b;
        const Quad real = judge.gap(pair.origin, pair.a, pair.b, n);
        for (const bool second : {false, true}) {
          const double lower = look_spread(a, b, n, second).lower;
          const double plain = look_spread_plain(a, b, n, second);
          const double rough = look_spread(c, d, n, second).lower;
          const double rough_plain = look_spread_plain(c, d, n, second);
          if (!(rough <= real) || !(rough_plain <= real)) ++tally.wrong;
          if (std::isfinite(rough) && std::fabs(rough - rough_plain) > 1e-9) ++tally.twins_differ;
          tally.rough += rough_a || rough_b ? 1u : 0u;
          ++tally.looks;
          if (!(lower <= real)) ++tally.wrong;
          if (!(plain <= real)) ++tally.wrong;
          if (lower > 0) ++tally.apart;
          // Of many points the lanes look at the outermost, and may show less.
          const double slack = 1e-9 * (1 + std::fabs(plain));
          const bool same = plain - lower <= slack || a.in_frame || b.in_frame;
          if (std::isfinite(lower) && (lower > plain + slack || !same)) ++tally.twins_differ;
          tally.closest = std::min(tally.closest, static_cast<double>(real - lower));
        }
      }
    }
  }
}

TEST(Spread, HoldsEveryPoseOfItsBoxesOnBuiltinWorlds) {
  Random random(3);
  for (const char* name : {"six_axis_arm", "two_arms", "humanoid"}) {
    const World world = load_builtin(name);
    const WorldSource source = read_builtin_source(name, {});
    Tally tally;
    for (const double width : {0.0, 1e-6, 0.01, 0.2, 1.0, 4.0}) {
      judge(world, source.model.robot, width, 3, 2, random, tally);
    }
    EXPECT_EQ(tally.wrong, 0u) << name;
    EXPECT_EQ(tally.twins_differ, 0u) << name;
    EXPECT_GT(tally.apart, tally.looks / 8) << name;
    EXPECT_EQ(tally.rough > 0, std::string(name) == "six_axis_arm") << name;
    EXPECT_LT(tally.closest, 1e-10) << name;
  }
}

TEST(Spread, HoldsEveryPoseOfItsBoxesOnRandomTrees) {
  Random random(7);
  Tally tally;
  for (int k = 0; k < 60; ++k) {
    RobotModel robot = testing_robots::random_tree(random, 2 + k % 9);
    for (Link& link : robot.links) {
      Collision collision;
      collision.geometry.kind = random() % 2 ? Geometry::Kind::box : Geometry::Kind::sphere;
      collision.geometry.size = {oracle::worlds::uniform(random, 0.05, 0.5), 0.1, 0.2};
      collision.geometry.radius = oracle::worlds::uniform(random, 0.05, 0.3);
      collision.origin.xyz = {oracle::worlds::uniform(random, -0.5, 0.5), 0.1, 0};
      link.collisions.push_back(collision);
    }
    const World world = compile_robot(robot, nullptr, {.allow_no_pairs = true});
    for (const double width : {0.0, 1e-6, 0.01, 0.3, 2.0}) {
      judge(world, robot, width, 1, 2, random, tally);
    }
  }
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_EQ(tally.twins_differ, 0u);
  EXPECT_GT(tally.looks, 1000u);
}

}  // namespace
}  // namespace keepclear
