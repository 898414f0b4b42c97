// SPDX-License-Identifier: BSD-3-Clause
//
// States that a guard once said go to, and must not.
#include <algorithm>
#include <optional>

#include "guard/guard_impl.hpp"
#include "keepclear/distance.hpp"
#include "scene/watch_bench.hpp"

namespace keepclear {
namespace {

std::string link(const std::string& name, bool has_box) {
  const char* box = "<collision><geometry><box size=\"0.1 0.1 0.1\"/></geometry></collision>";
  return "<link name=\"" + name + "\">" + (has_box ? box : "") + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& axis, double limit,
                  const std::string& more = "") {
  const std::string most = std::to_string(limit);
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/><axis xyz=\"" + axis + "\"/><limit lower=\"-" + most +
         "\" upper=\"" + most + "\" effort=\"1\" velocity=\"9\"/>" + more + "</joint>";
}

class GuardRegression : public test::WatchTest {
 protected:
  World world_of(const std::string& urdf, Vec3 post) {
    SceneRobot robot;
    robot.urdf = folder_.write("r.urdf", "<robot name=\"r\">" + urdf + "</robot>");
    scene.robots.push_back(robot);
    SceneObject object;
    object.name = "post";
    object.shape.kind = Shape::Kind::box;
    object.shape.size = {0.1, 0.1, 0.1};
    object.pose.xyz = post;
    scene.objects.push_back(object);
    return world();
  }
  oracle::ScratchFolder folder_{1};
};

TEST_F(GuardRegression, ASlideThatFollowsAnAngleGoesAsFarAsTheAngle) {
  // A slide is as long as its master's angle, which the box takes far beyond its limit.
  const World w =
      world_of(link("base", false) + link("arm", false) + link("cam", false) + link("tip", true) +
                   joint("h", "revolute", "base", "arm", "0 0 1", 9) +
                   joint("m", "revolute", "arm", "cam", "1 0 0", 0.1) +
                   joint("s", "prismatic", "cam", "tip", "1 0 0", 99, "<mimic joint=\"m\"/>"),
               {0, 5, 0});
  JointBrake brake;
  brake.max_velocity = 100;
  brake.max_acceleration = 0, brake.brake_deceleration = 2;
  const BrakeModel model = uniform_brake(w, 0.01, brake);
  GuardOptions options;
  options.check_jumps = false, options.budget = 10'000'000, options.limit_tolerance = 0.1;
  Guard guard(w, model, options);
  const Braking braking(w, model);
  DistanceQuery query(w);
  std::vector<Interval> box(2);
  int goes = 0, brakes = 0;
  for (int k = 0; k < 560; ++k) {
    const double q[] = {1.3 + 0.0005 * k, 0.1}, v[] = {0, 4.377};
    // It is the bounds that are carried over which must hold.
    const Action action = guard.step({0.001 * (k + 1), q, v});
    (action == Action::go ? goes : brakes) += 1;
    if (action != Action::go) continue;
    ASSERT_TRUE(braking.box({q, v}, kWholeBraking, box));
    for (int i = 0; i <= 100; ++i) {
      const double at[] = {q[0], box[1].lower + (box[1].upper - box[1].lower) * i / 100};
      ASSERT_GT(query(at).distance, 0) << k;
    }
  }
  EXPECT_GT(goes, 100);
  EXPECT_GT(brakes, 5);  // the last ones, once it comes too near
}

TEST_F(GuardRegression, TheSameBoxMayHaveOtherSlices) {
  const World w = world_of(link("base", false) + link("cart", false) + link("tip", true) +
                               joint("x", "prismatic", "base", "cart", "1 0 0", 9) +
                               joint("y", "prismatic", "cart", "tip", "0 1 0", 9),
                           {0.05, 0.31, 0});
  JointBrake brake;
  brake.max_velocity = 100;
  brake.max_acceleration = 200, brake.brake_deceleration = 2, brake.brake_deceleration_most = 2.2;
  brake.acceleration_uncertainty = 0;
  const BrakeModel model = uniform_brake(w, 0.2, brake);
  GuardOptions options;
  options.known_command = true, options.slices = 32, options.splits = 6;
  options.budget = 100'000'000;
  Guard guard(w, model, options);
  const double q[] = {0, 0}, v[] = {1, 1}, mild[] = {-2.5, -2.5}, hard[] = {-4.9, -2.5};
  EXPECT_EQ(guard.step({0.001, q, v, mild}), Action::go);
  // y goes on while x has stopped: into the post.
  EXPECT_EQ(guard.step({0.002, q, v, hard}), Action::brake);
}

TEST_F(GuardRegression, NobodyIsExcusedWhoWasNotLookedAt) {
  add_robot("left", {0, 0, 0});
  add_ball("part", {0, 0.15, 0});
  const World w = world();
  JointBrake brake;
  brake.max_velocity = 100;
  brake.max_acceleration = 0, brake.brake_deceleration = 1;
  GuardOptions options;
  options.check_jumps = false;
  Guard::Impl guard(w, uniform_brake(w, 0.1, brake), options);
  const int part = w.find_solid("part"), hand = w.find_solid("left/hand");
  const double v[] = {0};
  double time = 0;
  const auto step = [&](double q) {
    const double at[] = {q};
    return guard.step({time += 0.001, at, v});
  };
  step(1);
  ASSERT_TRUE(guard.attach(part, hand, {}));
  ASSERT_EQ(step(0), Action::go);
  ASSERT_TRUE(guard.release(part));
  EXPECT_EQ(step(0), Action::go);  // it touches what it has put down
  guard.options.budget = 0;
  EXPECT_EQ(step(0.01), Action::brake);
}

TEST_F(GuardRegression, MarginsStayWhoeverCarriesWhat) {
  add_robot("left", {0, 0, 0});
  add_robot("right", {0, 2, 0});
  add_ball("part", {0, 1, 0});
  add_ball("post", {3, 1, 0});
  const World w = world();
  JointBrake brake;
  brake.max_velocity = 100;
  brake.max_acceleration = 0, brake.brake_deceleration = 1;
  GuardOptions options;
  options.check_jumps = false;
  Guard guard(w, uniform_brake(w, 0.1, brake), options);
  const int part = w.find_solid("part"), right = w.find_solid("right/hand");
  const int left = w.find_solid("left/hand"), post = w.find_solid("post");
  const double v[] = {0, 0};
  double time = 0;
  const auto step = [&](double a, double b) {
    const double q[] = {a, b};
    return guard.step({time += 0.001, q, v});
  };
  EXPECT_EQ(step(0, 0), Action::go);
  EXPECT_TRUE(guard.set_margin(part, right, 1.5));
  EXPECT_EQ(step(0, 0), Action::brake);
  ASSERT_TRUE(guard.attach(part, left));
  EXPECT_EQ(step(0, 0), Action::brake);
  EXPECT_EQ(step(-5, 0), Action::go);
  // What is carried keeps what it is told from obstacles, too.
  EXPECT_EQ(step(2, -5), Action::go);
  EXPECT_TRUE(guard.set_margin(part, post, 0.9));
  EXPECT_EQ(step(2, -5), Action::brake);
  EXPECT_EQ(step(0, 5), Action::go);
  ASSERT_TRUE(guard.release(part));
  EXPECT_EQ(step(0, 0), Action::brake);
}

TEST_F(GuardRegression, WhatIsOlderThanTheLatencyIsStale) {
  add_robot("left", {0, 0, 0});
  const World w = world();
  JointBrake brake;
  brake.max_velocity = 100;
  brake.max_acceleration = 0, brake.brake_deceleration = 1;
  Guard guard(w, uniform_brake(w, 0.1, brake));
  const double q[] = {0}, v[] = {0};
  EXPECT_EQ(guard.step({0.001, q, v, {}, 0.09}), Action::go);
  EXPECT_EQ(guard.step({0.002, q, v, {}, 0.11}), Action::brake);
  EXPECT_EQ(guard.last().reason, Reason::stale);
  // And so is a robot that was not heard of for longer.
  EXPECT_EQ(guard.step({0.15, q, v}), Action::brake);
  EXPECT_EQ(guard.last().reason, Reason::time_jumps);
}

}  // namespace
}  // namespace keepclear
