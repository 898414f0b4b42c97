// SPDX-License-Identifier: BSD-3-Clause
//
// Whole answers in 113 bits: the bodies of a world at poses of the reference kinematics. The
// library's own bodies are taken; that they contain their shapes is tested where they are made.
#include <gtest/gtest.h>

#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "scene/worlds.hpp"

namespace keepclear {
namespace {

using oracle::QPose;
using oracle::Quad;

class Judge {
 public:
  explicit Judge(const RobotModel& robot)
      : robot_(robot), world_(compile_robot(robot_, nullptr, {})), kinematics_(robot_) {
    for (const WorldBody& body : world_.data().bodies) {
      const Volume volume = body.body.volume();
      std::vector<Vec3> points;
      for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
      points_.emplace_back(points);
    }
    // The link that a frame is named after: its own pose there is the identity.
    for (int f = 0; f < world_.data().kinematics.frame_count(); ++f) {
      for (int l = 0; l < static_cast<int>(robot_.links.size()); ++l) {
        const Kinematics& k = world_.data().kinematics;
        if (k.frame_of_link(l) != f || !(k.pose_in_frame(l).X == Pose{})) continue;
        frame_link_.push_back(l);
        break;
      }
    }
  }

  const World& world() const { return world_; }

  void expect_right(DistanceQuery& query, const std::vector<double>& q) {
    const std::vector<QPose> X = kinematics_(q);
    const auto all = query.all_pairs(q);
    ASSERT_EQ(all.size(), world_.pairs().size());
    Quad least = 1e9;
    for (std::size_t p = 0; p < all.size(); ++p) {
      const LinkPair& pair = world_.data().link_pairs[p];
      Quad upper = 1e9;  // of the bodies; zero and below where they overlap
      bool inside = false;
      for (int i = pair.first; i < pair.last; ++i) {
        const BodyPair& bodies = world_.data().body_pairs[i];
        const WorldBody &a = world_.data().bodies[bodies.a], &b = world_.data().bodies[bodies.b];
        const auto truth = oracle::reference_distance(points_[bodies.a], X[frame_link_[a.frame]],
                                                      points_[bodies.b], X[frame_link_[b.frame]]);
        inside = inside || !(truth.upper > 0);
        upper = std::min(upper, truth.upper - Quad(a.body.radius()) - Quad(b.body.radius()));
      }
      least = std::min(least, upper);
      const Nearest& near = all[p];
      const std::string name = test::names_of(world_, near.a, near.b);
      ASSERT_LE(Quad(near.lower_bound), upper > 0 ? upper : Quad(0)) << name;
      ASSERT_GE(Quad(near.distance), (upper > 0 ? upper : Quad(0)) - Quad(1e-12)) << name;
      ASSERT_LE(Quad(near.distance), (upper > 0 ? upper : Quad(0)) + Quad(1e-9)) << name;
      if (near.verdict == Verdict::free) {
        ASSERT_GT(upper, Quad(0)) << name;
        ++free;
      } else if (near.verdict == Verdict::contact) {
        ASSERT_TRUE(inside || upper <= 0) << name;
        ++contact;
      } else {
        ASSERT_LT(upper, Quad(1e-9)) << name;
      }
    }
    const Nearest nearest = query(q);
    ASSERT_LE(Quad(nearest.lower_bound), least > 0 ? least : Quad(0));
    ASSERT_NEAR(nearest.distance, static_cast<double>(least > 0 ? least : Quad(0)), 1e-9);
    for (const double margin : {0.0, 0.03}) {
      const Verdict verdict = query.check(q, margin).verdict;
      if (verdict == Verdict::free) {
        ASSERT_GT(least, Quad(margin));
      } else if (verdict == Verdict::contact) {
        ASSERT_LE(least, Quad(margin));
      }
    }
  }

  int free = 0, contact = 0;

 private:
  RobotModel robot_;
  World world_;
  oracle::ReferenceKinematics kinematics_;
  std::vector<oracle::PointSet> points_;
  std::vector<int> frame_link_;
};

void expect_right_everywhere(const RobotModel& robot, int legs, int random_poses) {
  Judge judge(robot);
  DistanceQuery query(judge.world());
  for (const auto& q : test::smooth_poses(judge.world(), 2, legs, 30)) {
    judge.expect_right(query, q);
    if (testing::Test::HasFatalFailure()) return;
  }
  std::mt19937_64 random(3);
  for (int k = 0; k < random_poses; ++k) {
    judge.expect_right(query, test::random_pose(judge.world(), random));
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(judge.free, 100);
  EXPECT_GT(judge.contact, 10);
}

TEST(QueryOracle, TheBuiltinArmIsJudgedRightlyInEveryPair) {
  const auto file = std::filesystem::path(KEEPCLEAR_CORPUS) / "../../worlds/six_axis_arm.urdf";
  expect_right_everywhere(read_urdf(file, {}), 5, 300);
}

TEST(QueryOracle, EveryKindOfJointAndShapeIsJudgedRightly) {
  using test::joint;
  using test::link;
  const std::string urdf = test::robot(
      link("map", test::box(0.4)) + link("base", test::box(0.5)) + link("x") +
      link("arm", test::sphere(0.2)) + link("y") +
      link("tool", "<cylinder radius=\"0.1\" length=\"0.4\"/>") + link("z", test::box(0.1)) +
      link("other", "<capsule radius=\"0.1\" length=\"0.4\"/>") +
      joint("drive", "planar", "map", "base", "<axis xyz=\"0 0 1\"/>") +
      joint("j1", "revolute", "base", "x",
            "<origin xyz=\"0.6 0 0\" rpy=\"0.1 0.2 0.3\"/><axis xyz=\"1 2 3\"/>") +
      joint("j2", "prismatic", "x", "arm", "<axis xyz=\"1 0 1\"/>") +
      joint("j3", "continuous", "arm", "y", "<origin xyz=\"0.5 0 0\"/><axis xyz=\"0 1 0\"/>") +
      joint("j4", "continuous", "y", "tool",
            "<axis xyz=\"0 1 1\"/><mimic joint=\"j3\" multiplier=\"-0.7\" offset=\"0.3\"/>") +
      joint("j6", "fixed", "y", "z", "<origin xyz=\"0 0.3 0\" rpy=\"1 1 1\"/>") +
      joint("j5", "floating", "y", "other", "<origin xyz=\"0 0 0.3\" rpy=\"0 1 0\"/>"));
  expect_right_everywhere(parse_urdf(urdf, "test.urdf", {}, {}), 5, 500);
}

}  // namespace
}  // namespace keepclear
