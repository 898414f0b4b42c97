// SPDX-License-Identifier: BSD-3-Clause
//
// Balls on a rail, and what stands before them: worlds in which distances can be told by hand.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "keepclear/scene.hpp"
#include "oracle/watch_scenes.hpp"

namespace keepclear::test {

inline constexpr double kPost = 1, kBall = 0.1;
/// Of the two balls, the first at x.
inline double rail_gap(double x) {
  return std::fabs(kPost - x) - 2 * kBall;
}

/// Balls on a rail along x: one before a post, or two; the folder must last as long as the scene.
inline Scene rail_scene(bool two, const oracle::ScratchFolder& folder,
                        Shape::Kind kind = Shape::Kind::sphere) {
  const std::string ball = "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>";
  std::string text = "<robot name=\"rail\"><link name=\"ground\"/>";
  for (const std::string name : {"a", "b"}) {
    if (name == "b" && !two) break;
    text += "<link name=\"" + name + "\">" + ball + "</link><joint name=\"slide_" + name +
            "\" type=\"prismatic\"><parent link=\"ground\"/><child link=\"" + name +
            "\"/><axis xyz=\"1 0 0\"/><limit lower=\"-100\" upper=\"100\" effort=\"1\" "
            "velocity=\"0\"/></joint>";
  }
  Scene scene;
  SceneRobot robot;
  robot.name = "r";
  robot.urdf = folder.write(two ? "two.urdf" : "rail.urdf", text + "</robot>");
  scene.robots.push_back(robot);
  if (two) return scene;
  SceneObject post;
  post.name = "post";
  post.shape.kind = kind;
  post.shape.radius = kBall;
  post.shape.length = kBall;
  post.shape.size = {kBall, kBall, kBall};
  if (kind == Shape::Kind::points) post.shape.points = {{0, 0, 0}, {0.01, 0, 0}};
  if (kind == Shape::Kind::plane) post.shape.offset = -1;
  if (kind == Shape::Kind::box) post.pose.quaternion = Quaternion{};
  post.pose.xyz = {kPost, 0, 0};
  scene.objects.push_back(post);
  scene.margins.push_back({{"r/a", "post", {}}, 0});
  return scene;
}
inline World rail_world(bool two) {
  const oracle::ScratchFolder folder(two ? 2 : 1);
  return compile(rail_scene(two, folder));
}
inline std::vector<Scene> rail_scenes(const oracle::ScratchFolder& folder) {
  std::vector<Scene> all;
  for (const Shape::Kind kind :
       {Shape::Kind::sphere, Shape::Kind::box, Shape::Kind::cylinder, Shape::Kind::capsule,
        Shape::Kind::cone, Shape::Kind::plane, Shape::Kind::points}) {
    all.push_back(rail_scene(false, folder, kind));
  }
  return all;
}

}  // namespace keepclear::test
