// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes for tests of keepclear::Watch. Hands are balls of radius 0.1 that slide along x, so that
// distances can be told by hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "keepclear/scene.hpp"
#include "keepclear/watch.hpp"
#include "oracle/watch_scenes.hpp"

namespace keepclear::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A base (a ball of radius 0.05 at the robot's origin) and what slides on it.
inline std::string slider(const std::string& hand) {
  return "<robot name=\"slider\"><link name=\"base\"><collision><geometry><sphere "
         "radius=\"0.05\"/></geometry></collision></link><link name=\"hand\">" +
         hand +
         "</link><joint name=\"slide\" type=\"prismatic\"><parent link=\"base\"/><child "
         "link=\"hand\"/><axis xyz=\"1 0 0\"/><limit lower=\"-100\" upper=\"100\" effort=\"1\" "
         "velocity=\"1\"/></joint></robot>";
}
inline const char* const kBall =
    "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>";

/// Scenes in memory; robots slide along x from where they stand.
class WatchTest : public ::testing::Test {
 protected:
  WatchTest() : folder_(0) {
    scene.name = "test";
    load.allow_no_pairs = true;
  }

  void add_robot(const std::string& name, Vec3 at, const std::string& hand = kBall) {
    SceneRobot robot;
    robot.name = name;
    robot.urdf = folder_.write(name + ".urdf", slider(hand));
    robot.base.xyz = at;
    scene.robots.push_back(robot);
  }
  void add_ball(const std::string& name, Vec3 at, double radius = 0.1) {
    SceneObject object;
    object.name = name;
    object.shape.kind = Shape::Kind::sphere;
    object.shape.radius = radius;
    object.pose.xyz = at;
    scene.objects.push_back(object);
  }
  void add_floor(double height) {
    SceneObject object;
    object.name = "floor";
    object.shape.kind = Shape::Kind::plane;
    object.shape.offset = height;
    scene.objects.push_back(object);
  }
  World world() const { return compile(scene, load); }

  Scene scene;
  LoadOptions load;

 private:
  oracle::ScratchFolder folder_;
};

inline WatchCycle step(Watch& watch, std::vector<double> q, double dt = 0.01) {
  return watch.step(q, dt);
}
inline const Imminent* find(const WatchCycle& cycle, int a, int b) {
  for (const Imminent& found : cycle.imminent) {
    if (found.a == std::min(a, b) && found.b == std::max(a, b)) return &found;
  }
  return nullptr;
}

}  // namespace keepclear::test
