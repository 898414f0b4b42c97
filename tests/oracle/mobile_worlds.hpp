// SPDX-License-Identifier: BSD-3-Clause
//
// Random robots on bases that drive or fly, a short arm on each, among random obstacles.
#pragma once

#include <string>

#include "oracle/watch_scenes.hpp"

namespace keepclear::oracle {

enum class Base { driving, flying };

inline std::string mobile_link(const std::string& name, const std::string& geometry,
                               const std::string& origin = {}) {
  return "<link name=\"" + name + "\"><collision>" + origin + "<geometry>" + geometry +
         "</geometry></collision></link>";
}

/// A body on a planar or floating joint, up to `most_joints` hinges and slides on it, one of them
/// perhaps a mimic. Where they begin is random too: the planes of driving bases are tilted.
inline std::string mobile_robot(Dice& dice, Base base, int most_joints) {
  const bool flies = base == Base::flying;
  std::string text = "<robot name=\"mobile\"><link name=\"ground\"/>";
  text += mobile_link(
      "body", "<box size=\"" +
                  numbers({dice.real(0.1, 0.5), dice.real(0.1, 0.4), dice.real(0.05, 0.3)}) +
                  "\"/>");
  text += "<joint name=\"base\" type=\"" + std::string(flies ? "floating" : "planar") +
          "\"><parent link=\"ground\"/><child link=\"body\"/>" +
          (dice.happens(0.5) ? random_origin(dice, 0.1) : "") +
          (flies ? "" : "<axis xyz=\"0 0 1\"/>") + "</joint>";
  const int joints = dice.whole(0, most_joints);
  std::string before = "body", mimicked;
  for (int i = 1; i <= joints; ++i) {
    const std::string name = "arm" + std::to_string(i), length = number(dice.real(0.1, 0.4));
    const std::string radius = number(dice.real(0.02, 0.06));
    text += mobile_link(name,
                        dice.happens(0.5)
                            ? "<capsule radius=\"" + radius + "\" length=\"" + length + "\"/>"
                            : "<box size=\"" + radius + " " + radius + " " + length + "\"/>",
                        "<origin xyz=\"0 0 " + number(0.2) + "\"/>");
    static const std::vector<std::string> kinds = {"revolute", "revolute", "continuous",
                                                   "prismatic"};
    const std::string type = dice.one_of(kinds), joint = "joint" + std::to_string(i);
    text += "<joint name=\"" + joint + "\" type=\"" + type + "\"><parent link=\"" + before +
            "\"/><child link=\"" + name + "\"/><origin xyz=\"0 0 " +
            number(before == "body" ? 0.2 : 0.45) + "\" rpy=\"" + numbers(dice.vector(1)) +
            "\"/><axis xyz=\"" + numbers(dice.vector(1) + Vec3{0, 1.5, 0}) + "\"/>";
    if (type == "revolute" || type == "prismatic") {
      const std::string limit = type == "revolute" ? "1.8" : "0.3";
      text += "<limit lower=\"-" + limit + "\" upper=\"" + limit + "\" effort=\"1\" velocity=\"" +
              number(dice.real(1, 4)) + "\"/>";
      if (type == "revolute" && !mimicked.empty() && dice.happens(0.3)) {
        text += "<mimic joint=\"" + mimicked + "\" multiplier=\"-0.8\" offset=\"0.1\"/>";
      } else if (type == "revolute") {
        mimicked = joint;
      }
    }
    text += "</joint>";
    before = name;
  }
  return text + "</robot>";
}

/// One or two such robots, obstacles that keep a little away from their starts, perhaps a wall,
/// margins, and something in the hand of an arm.
inline Scene mobile_scene(Dice& dice, const ScratchFolder& folder, int most_robots = 2,
                          int most_joints = 3) {
  Scene scene;
  scene.name = "mobile";
  const int robots = dice.whole(1, most_robots);
  std::vector<std::string> names;
  for (int r = 0; r < robots; ++r) {
    SceneRobot robot;
    robot.name = "m" + std::to_string(r);
    const Base base = dice.happens(0.5) ? Base::driving : Base::flying;
    robot.urdf =
        folder.write(robot.name + ".urdf", mobile_robot(dice, base, r == 0 ? most_joints : 1));
    robot.base.xyz = Vec3{2.2 * r, 0, 0} + dice.vector(0.2);
    if (dice.happens(0.5)) robot.base.rpy = dice.vector(3);
    scene.robots.push_back(robot);
    names.push_back(robot.name + "/body");
  }
  const int objects = dice.whole(1, 12);
  for (int i = 0; i < objects; ++i) {
    SceneObject object;
    object.name = "object" + std::to_string(i);
    do {
      object.shape = random_shape(dice);
    } while (object.shape.kind == Shape::Kind::plane);
    object.pose.xyz = dice.vector(1.8);
    object.pose.rpy = dice.vector(3);
    // Nothing stands where a robot begins.
    for (int r = 0; r < robots; ++r) {
      const Vec3 from = object.pose.xyz - scene.robots[static_cast<std::size_t>(r)].base.xyz;
      if (norm(from) < 0.9) object.pose.xyz = object.pose.xyz + Vec3{0, 0, from.z < 0 ? -1.2 : 1.2};
    }
    if (dice.happens(0.06)) {
      object.shape.kind = Shape::Kind::box;
      object.shape.size = {0.1, 0.1, 0.1};
      object.pose.xyz = Vec3{0, 0, -0.3} + dice.vector(0.05);
      scene.attached.push_back({object.name, dice.one_of(names), {}, {}});
    }
    scene.objects.push_back(object);
  }
  if (dice.happens(0.4)) {
    SceneObject wall;
    wall.name = "wall";
    wall.shape.kind = Shape::Kind::plane;
    wall.shape.normal = dice.vector(1) + Vec3{0, 0, 1.1};
    wall.shape.offset = -2;
    scene.objects.push_back(wall);
  }
  if (dice.happens(0.3)) scene.margin = dice.decades(1e-4, 0.03);
  if (dice.happens(0.2)) {
    scene.margins.push_back({{names[0], scene.objects[0].name, {}}, dice.real(0, 0.05)});
  }
  return scene;
}

}  // namespace keepclear::oracle
