// SPDX-License-Identifier: BSD-3-Clause
//
// One joint: the image of a point, in 113 bits, is within the growth of the hull of the mapped
// points. The point alone, so that nothing but growth is left for what the maps leave out.
#include <gtest/gtest.h>

#include "oracle/sweep_judge.hpp"

namespace keepclear {
namespace {

using namespace oracle;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

/// A joint between two links, and others that it may follow: joints to links of their own.
struct OneJoint {
  RobotModel robot;

  explicit OneJoint(JointType type, Vec3 axis = {0, 0, 1}, const Origin& origin = {}) {
    robot.links.resize(2);
    robot.links[0].name = "root", robot.links[1].name = "child";
    Joint joint;
    joint.name = "joint", joint.type = type, joint.parent = 0, joint.child = 1;
    joint.axis = axis, joint.origin = origin;
    robot.joints.push_back(joint);
  }
  /// The joint follows a hinge that follows a hinge, and so on.
  OneJoint& mimics(const std::vector<std::pair<double, double>>& chain) {
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const int link = static_cast<int>(robot.links.size());
      robot.links.emplace_back().name = "master" + std::to_string(k);
      Joint master;
      master.name = robot.links.back().name, master.type = JointType::continuous;
      master.parent = 0, master.child = link, master.axis = {0, 0, 1};
      robot.joints.push_back(master);
      robot.joints[k == 0 ? 0 : k].mimic =
          Mimic{static_cast<int>(robot.joints.size()) - 1, chain[k].first, chain[k].second};
    }
    return *this;
  }
  OneJoint& build() {
    robot.build_tree();
    return *this;
  }
};

int frame_of_child(const Kinematics& kinematics) {
  return kinematics.frame_of_link(1);
}

Vec3 random_point(Random& random, Vec3 axis) {
  switch (random() % 6) {
    case 0:
      return {0, 0, 0};
    case 1:
      return uniform(random, -2, 2) * axis;  // on the axis, or close to it
    case 2:
      return uniform_vec(random, 1e-200);
    case 3:
      return uniform_vec(random, 1e4);
    default:
      return uniform_vec(random, 1);
  }
}

Origin random_origin(Random& random) {
  Origin origin;
  if (random() % 4 != 0) origin.xyz = uniform_vec(random, random() % 4 == 0 ? 1e3 : 1);
  if (random() % 4 != 0) origin.rpy = uniform_vec(random, 4);
  return origin;
}

struct Sampled {
  SweepTally tally;
  int stages = 0;
};

/// Configurations of the box and images of points; `box` is of the joint's own numbers.
void sample(Random& random, const OneJoint& one, const std::vector<Interval>& box, JointOperator op,
            Sampled& sampled) {
  const Kinematics kinematics(one.robot);
  const ReferenceKinematics reference(one.robot);
  ASSERT_EQ(kinematics.variables().size(), box.size());
  Stage stage;
  make_stage(kinematics, frame_of_child(kinematics), box, op, stage);
  ASSERT_EQ(stage.count, map_count(one.robot.joints[0].type, op));
  for (int k = 0; k < stage.count; ++k) {
    ASSERT_LE(rounding::norm_hi(stage.maps[k].t), stage.t_hi * (1 + 1e-15));
  }
  ++sampled.stages;
  for (int points = 0; points < 3; ++points) {
    const PlainVolume body{{random_point(random, one.robot.joints[0].axis)}, 0};
    const PlainVolume volume = swept(stage, body);
    ContainmentJudge judge(volume, sampled.tally);
    for (int k = 0; k < 4; ++k) {
      std::vector<double> q;
      for (const Interval& i : box) {
        const double lower = i.lower == -kInfinity ? -1e9 : i.lower;
        const double upper = i.upper == kInfinity ? 1e9 : i.upper;
        const double at =
            std::clamp(uniform(random, 0, 1) * (upper - lower) + lower, i.lower, i.upper);
        q.push_back(random() % 3 == 0 ? lower : random() % 2 ? upper : at);
      }
      ++sampled.tally.points;
      if (volume.radius == kInfinity) {
        ++sampled.tally.unbounded;
        continue;
      }
      judge.see(reference(q)[1] * widen<Quad>(body.points[0]));
    }
  }
}

double any_width(Random& random) {
  const double widths[] = {0,       5e-324, 1e-300, 1e-170, 1e-16, 1e-12,   1e-6, 0.1, 1,
                           kPi / 2, 3,      kPi,    4,      5,     2 * kPi, 7,    100};
  return random() % 2 ? widths[random() % std::size(widths)] : uniform(random, 0, 6.5);
}
Interval any_interval(Random& random, double place) {
  const double lower = uniform(random, -place, place);
  return {lower, lower + any_width(random)};
}

Vec3 any_axis(Random& random) {
  switch (random() % 4) {
    case 0:
      return {0, 0, 1};
    case 1:
      return {0, -2.5, 0};
    case 2:
      return {1e-3, 1, 1e-7};  // almost along a coordinate
    default:
      return uniform_vec(random, 1e3);
  }
}

TEST(Stage, OfAHinge) {
  Random random(1);
  Sampled sampled;
  for (int round = 0; round < 800; ++round) {
    const auto type = round % 2 ? JointType::revolute : JointType::continuous;
    const OneJoint one = OneJoint(type, any_axis(random), random_origin(random)).build();
    const double places[] = {0, 1e-300, 3, 100, 1e6, 1e15};
    sample(random, one, {any_interval(random, places[random() % 6])},
           {1 + static_cast<int>(random() % kMaxArcPoints), 1}, sampled);
  }
  EXPECT_EQ(sampled.tally.outside, 0);
  EXPECT_EQ(sampled.tally.unbounded, 0);
  EXPECT_GT(sampled.tally.fullest, 0.99);
}

TEST(Stage, OfAHingeWithoutLimits) {
  Random random(2);
  Sampled sampled;
  for (int points = 1; points <= kMaxArcPoints; ++points) {
    const OneJoint one =
        OneJoint(JointType::continuous, any_axis(random), random_origin(random)).build();
    sample(random, one, {{-kInfinity, kInfinity}}, {points, 1}, sampled);
    sample(random, one, {{1, kInfinity}}, {points, 1}, sampled);
  }
  EXPECT_EQ(sampled.tally.outside, 0);
  EXPECT_EQ(sampled.tally.unbounded, 0);
}

TEST(Stage, OfASlide) {
  Random random(3);
  Sampled sampled;
  for (int round = 0; round < 500; ++round) {
    const OneJoint one =
        OneJoint(JointType::prismatic, any_axis(random), random_origin(random)).build();
    const double places[] = {0, 1e-300, 1, 1e6};
    sample(random, one, {any_interval(random, places[random() % 4])}, {1, 1 + round % 2}, sampled);
  }
  EXPECT_EQ(sampled.tally.outside, 0);
  EXPECT_EQ(sampled.tally.unbounded, 0);
  const auto bounded = sampled.tally.points;
  for (const Interval endless : {Interval{-kInfinity, kInfinity}, Interval{0, kInfinity}}) {
    sample(random, OneJoint(JointType::prismatic).build(), {endless}, {1, 1}, sampled);
    sample(random, OneJoint(JointType::prismatic).build(), {endless}, {1, 2}, sampled);
  }
  EXPECT_EQ(sampled.tally.unbounded, sampled.tally.points - bounded);
}

TEST(Stage, OfAPlanarJoint) {
  Random random(4);
  Sampled sampled;
  for (int round = 0; round < 500; ++round) {
    const OneJoint one = OneJoint(JointType::planar, {0, 0, 1}, random_origin(random)).build();
    const JointOperator ops[] = {{1, 1}, {2, 2}, {1, 2}, {2, 1}, {3, 2}, {12, 2}};
    const double place = random() % 3 == 0 ? 0 : 2;
    sample(random, one,
           {any_interval(random, place), any_interval(random, place), any_interval(random, 4)},
           ops[random() % 6], sampled);
  }
  EXPECT_EQ(sampled.tally.outside, 0);
  EXPECT_EQ(sampled.tally.unbounded, 0);
  EXPECT_GT(sampled.tally.fullest, 0.9);
}

TEST(Stage, OfAFloatingJoint) {
  // Quaternions in a box must be of norm one: the chain knows how to draw them.
  const std::vector<JointOperator> ops{{1, 1}, {2, 2}, {1, 2}, {2, 1}};
  const SweepTally tally = judge_chains(20'000, 5, 1, {JointType::floating}, ops, 64);
  EXPECT_EQ(tally.outside, 0);
  EXPECT_EQ(tally.unbounded, 0);
  EXPECT_GT(tally.fullest, 0.5);
}

/// Quaternions of the box [-1, 1]^4 are all rotations; so are those of one about zero.
TEST(Stage, OfAFloatingJointOfAnyRotation) {
  Random random(6);
  SweepTally tally;
  const OneJoint one = OneJoint(JointType::floating).build();
  const Kinematics kinematics(one.robot);
  const ReferenceKinematics reference(one.robot);
  for (const Interval part : {Interval{-1, 1}, Interval{-kInfinity, kInfinity}, Interval{-2, 5}}) {
    const std::vector<Interval> box{{0, 1}, {2, 2}, {-1, 1}, part, part, part, part};
    for (const JointOperator op : {JointOperator{1, 1}, JointOperator{2, 2}}) {
      Stage stage;
      make_stage(kinematics, 1, box, op, stage);
      const PlainVolume body{{uniform_vec(random, 1)}, 0};
      ContainmentJudge judge(swept(stage, body), tally);
      for (int k = 0; k < 50; ++k) {
        std::vector<double> q{uniform(random, 0, 1), 2, uniform(random, -1, 1)};
        const Vec3 v = uniform_vec(random, 1);
        const double w = uniform(random, -1, 1), length = std::sqrt(squared_norm(v) + w * w);
        for (const double x : {v.x, v.y, v.z, w}) q.push_back(x / length);
        judge.see(reference(q)[1] * widen<Quad>(body.points[0]));
      }
    }
  }
  EXPECT_EQ(tally.outside, 0);
}

/// The corners of the cover are hardly ever reached by quaternions of a box: here are its maps.
TEST(Stage, OfAFloatingJointHasTheMapsOfItsCover) {
  Random random(10);
  for (int round = 0; round < 100; ++round) {
    const OneJoint one = OneJoint(JointType::floating, {1, 0, 0}, random_origin(random)).build();
    const Kinematics kinematics(one.robot);
    const Vec3 v = uniform_vec(random, 1);
    const double w = uniform(random, -1, 1), length = std::sqrt(squared_norm(v) + w * w);
    const double half = uniform(random, 0, 0.3);
    std::vector<Interval> box{{0, 0}, {0, 0}, {0, 0}};
    std::vector<double> q{0, 0, 0};
    for (const double x : {v.x, v.y, v.z, w}) {
      q.push_back(x / length);
      box.push_back({x / length - half, x / length + half});
    }
    Stage stage;
    make_stage(kinematics, 1, box, {2, 1}, stage);
    ASSERT_EQ(stage.count, 6);
    const QMat R = ReferenceKinematics(one.robot)(q)[1].R;
    const QMat back{{R.row0.x, R.row1.x, R.row2.x},
                    {R.row0.y, R.row1.y, R.row2.y},
                    {R.row0.z, R.row1.z, R.row2.z}};
    // Every map is R (scale I + [w]x), with w on an axis of the frame.
    const double angle = 2 * std::asin(2 * half);
    const double c = std::cos(angle), scale = (1 + c) / 2, turn = std::sqrt(3) * std::sin(angle);
    for (int k = 0; k < 6; ++k) {
      const QMat A = back * widen<Quad>(Pose{stage.maps[k].M, {}}).R;
      Vec3 along;
      (k / 2 == 0 ? along.x : k / 2 == 1 ? along.y : along.z) = k % 2 ? -turn : turn;
      const Vec3 rows[] = {narrow(A.row0), narrow(A.row1), narrow(A.row2)};
      const Vec3 expected[] = {
          {scale, -along.z, along.y}, {along.z, scale, -along.x}, {-along.y, along.x, scale}};
      for (int i = 0; i < 3; ++i) EXPECT_LT(norm(rows[i] - expected[i]), 1e-5) << half;
    }
    EXPECT_GE(stage.per_lever_hi, 1 - scale);
  }
}

/// Multipliers and offsets of a chain of mimics.
std::vector<std::pair<double, double>> any_mimics(Random& random) {
  std::vector<std::pair<double, double>> chain(1 + random() % 3);
  for (auto& [multiplier, offset] : chain) {
    const double multipliers[] = {0, 1, -1, 1e-300, -3.7, 0.1, 1e3};
    multiplier = random() % 2 ? uniform(random, -3, 3) : multipliers[random() % 7];
    offset = random() % 3 ? uniform(random, -2, 2) : 0;
  }
  return chain;
}

TEST(Stage, OfJointsThatFollowOthers) {
  Random random(7);
  Sampled sampled;
  for (int round = 0; round < 600; ++round) {
    const JointType types[] = {JointType::revolute, JointType::continuous, JointType::prismatic};
    const OneJoint one = OneJoint(types[round % 3], any_axis(random), random_origin(random))
                             .mimics(any_mimics(random))
                             .build();
    const JointOperator ops[] = {{1, 1}, {2, 2}, {3, 2}, {7, 1}};
    const double place = random() % 4 == 0 ? 1e6 : 3;
    sample(random, one, {any_interval(random, place)}, ops[random() % 4], sampled);
  }
  EXPECT_EQ(sampled.tally.outside, 0);
}

TEST(Stage, TheImageOfAnIntervalContainsEveryImage) {
  Random random(8);
  for (int round = 0; round < 3000; ++round) {
    const OneJoint one = OneJoint(JointType::revolute).mimics(any_mimics(random)).build();
    const Kinematics kinematics(one.robot);
    const auto& frame = kinematics.frame(frame_of_child(kinematics));
    const Interval number = any_interval(random, 100);
    const Interval value = joint_interval(frame, std::vector<Interval>{number});
    for (const double q : {number.lower, number.upper}) {
      Quad image = q;
      for (const auto& [multiplier, offset] : frame.mimic) {
        image = Quad(multiplier) * image + offset;
      }
      EXPECT_GE(image, value.lower);
      EXPECT_LE(image, value.upper);
    }
    const auto [lower, upper] =
        joint_interval(frame, std::vector<Interval>{{number.lower, kInfinity}});
    EXPECT_LE(lower, value.lower);
    EXPECT_GE(upper, value.upper);
  }
}

TEST(Stage, EvenlyIsNearTheSameShareOfTheWay) {
  Random random(9);
  double fullest = 0;
  for (int round = 0; round < 2000; ++round) {
    const JointType types[] = {JointType::revolute, JointType::prismatic};
    OneJoint one(types[round % 2], any_axis(random), random_origin(random));
    if (random() % 3) one.mimics(any_mimics(random));
    one.build();
    const Kinematics kinematics(one.robot);
    const ReferenceKinematics reference(one.robot);
    const Interval number = any_interval(random, random() % 4 == 0 ? 1e6 : 3);
    Stage stage;
    make_even_stage(kinematics, frame_of_child(kinematics), std::vector<Interval>{number}, stage);
    ASSERT_EQ(stage.count, 2);
    const Vec3 p = random_point(random, one.robot.joints[0].axis);
    const double growth = stage.growth_hi(lever_hi(stage, p), rounding::norm_hi(p));
    ASSERT_TRUE(growth < kInfinity);
    const QVec first = widen<Quad>(stage.maps[0] * p), second = widen<Quad>(stage.maps[1] * p);
    for (int k = 0; k < 4; ++k) {
      const double q = k == 0   ? number.lower
                       : k == 1 ? number.upper
                                : std::clamp(uniform(random, number.lower, number.upper),
                                             number.lower, number.upper);
      const Quad width = Quad(number.upper) - number.lower;
      const Quad share = width > 0 ? (Quad(q) - number.lower) / width : 0;
      const QVec image = reference(std::vector<double>{q})[1] * widen<Quad>(p);
      const Quad off = norm(image - ((1 - share) * first + share * second));
      ASSERT_LE(off, growth) << number.lower << ' ' << number.upper;
      if (growth > 1e-100) fullest = std::max(fullest, static_cast<double>(off / growth));
    }
  }
  EXPECT_GT(fullest, 0.9);
}

TEST(Stage, EvenlyWithoutLimitsIsANumberOrInfinite) {
  for (const double multiplier : {0.0, 1.0, -2.0}) {
    OneJoint hinge(JointType::revolute), slide(JointType::prismatic);
    hinge.mimics({{multiplier, 1}}).build();
    slide.mimics({{multiplier, 1}}).build();
    Stage stage;
    for (const OneJoint& one : {hinge, slide}) {
      const Kinematics kinematics(one.robot);
      make_even_stage(kinematics, frame_of_child(kinematics),
                      std::vector<Interval>{{-kInfinity, kInfinity}}, stage);
      const double growth = stage.growth_hi(1, 1);
      EXPECT_FALSE(std::isnan(growth));
      const bool endless = one.robot.joints[0].type == JointType::prismatic && multiplier != 0;
      EXPECT_EQ(growth == kInfinity, endless);
    }
  }
}

}  // namespace
}  // namespace keepclear
