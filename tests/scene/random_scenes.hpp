// SPDX-License-Identifier: BSD-3-Clause
//
// Random scenes: small robots with every kind of joint and shape, objects of all shapes, attached
// ones, rules and margins.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "distance/generators.hpp"
#include "scene/scenes.hpp"

namespace keepclear::test {

using ShapeKind = keepclear::Shape::Kind;

inline std::string at(Vec3 xyz, Vec3 rpy = {}) {
  const auto s = [](double x) { return std::to_string(x) + " "; };
  return "<origin xyz=\"" + s(xyz.x) + s(xyz.y) + s(xyz.z) + "\" rpy=\"" + s(rpy.x) + s(rpy.y) +
         s(rpy.z) + "\"/>";
}
inline std::string collision(const std::string& geometry, const std::string& origin) {
  return "<collision>" + origin + "<geometry>" + geometry + "</geometry></collision>";
}

/// Small robots with every kind of joint and shape between them.
inline std::vector<std::string> small_robots() {
  return {
      robot(link("base", box(0.2)) + "<link name=\"one\">" + collision(box(0.15), at({0, 0, 0.2})) +
            collision("<cylinder radius=\"0.05\" length=\"0.4\"/>", at({0, 0, 0.4}, {0, 1, 0})) +
            "</link>" + link("two", "<capsule radius=\"0.06\" length=\"0.3\"/>") +
            link("tip", sphere(0.07)) +
            joint("a", "revolute", "base", "one", at({0, 0, 0.1}) + "<axis xyz=\"0 0 1\"/>") +
            joint("b", "revolute", "one", "two", at({0, 0.1, 0.6}) + "<axis xyz=\"0 1 0\"/>") +
            joint("c", "continuous", "two", "tip", at({0.1, 0, 0.4}) + "<axis xyz=\"1 1 0\"/>")),
      robot(link("base") + link("car", box(0.3)) + link("mast") +
            link("head", "<cylinder radius=\"0.1\" length=\"0.2\"/>") +
            joint("drive", "planar", "base", "car", "<axis xyz=\"0 0 1\"/>") +
            joint("lift", "prismatic", "car", "mast", at({0, 0, 0.3}) + "<axis xyz=\"0 0 1\"/>") +
            joint("pan", "continuous", "mast", "head",
                  at({0.1, 0, 0.2}) + "<axis xyz=\"0 1 0\"/>" +
                      "<mimic joint=\"lift\" multiplier=\"0.5\" offset=\"0.2\"/>")),
      robot(link("base", sphere(0.1)) + link("free", box(0.2)) +
            link("arm", "<capsule radius=\"0.05\" length=\"0.4\"/>") +
            joint("float", "floating", "base", "free", at({0.4, 0, 0.3}, {0.3, 0.2, 0.1})) +
            joint("swing", "revolute", "free", "arm", at({0, 0, 0.3}) + "<axis xyz=\"1 0 0\"/>")),
  };
}

inline Origin random_origin(Random& random, double reach) {
  Origin origin;
  origin.xyz = uniform(random, 0, reach) * random_unit(random);
  if (pick(random, 2)) {
    const double x = uniform(random, -1, 1), y = uniform(random, -1, 1), z = uniform(random, -1, 1);
    const double w = uniform(random, -1, 1);
    const double n = std::sqrt(x * x + y * y + z * z + w * w);
    // Off one by as much as is allowed, sometimes.
    const double s = (pick(random, 2) ? 1 : 1 + 5e-7) / n;
    origin.quaternion = Quaternion{s * x, s * y, s * z, s * w};
  } else {
    origin.rpy = uniform(random, 0, 3) * random_unit(random);
  }
  return origin;
}

inline keepclear::Shape random_scene_shape(Random& random, ShapeKind kind) {
  keepclear::Shape shape;
  shape.kind = kind;
  shape.radius = log_uniform(random, 0.02, 0.3);
  shape.length = log_uniform(random, 0.02, 1);
  shape.size.x = log_uniform(random, 0.01, 1);
  shape.size.y = log_uniform(random, 0.01, 1);
  shape.size.z = log_uniform(random, 0.01, 1);
  switch (kind) {
    case ShapeKind::plane:
      shape.normal = log_uniform(random, 1e-2, 1e2) * random_unit(random);
      shape.offset = -uniform(random, 1.5, 3);
      break;
    case ShapeKind::points:
      shape.radius = pick(random, 4) ? log_uniform(random, 1e-3, 0.05) : 0;
      for (int k = pick(random, 60); k >= 0; --k) {
        const Vec3 p = uniform(random, 0, 0.5) * random_unit(random);
        shape.points.push_back(p);
      }
      break;
    case ShapeKind::mesh:
      for (int k = 0; k < 12; ++k) {
        const Vec3 p = uniform(random, 0.1, 0.4) * random_unit(random);
        shape.points.push_back(p);
      }
      for (std::uint32_t k = 0; k < 4; ++k) {
        shape.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
      }
      break;
    case ShapeKind::octomap:
      shape.file = std::filesystem::path(KEEPCLEAR_CORPUS) / "octomap/ok/bits.bt";
      shape.unknown = pick(random, 2) ? UnknownSpace::free : UnknownSpace::occupied;
      break;
    default:
      break;
  }
  return shape;
}

inline Scene random_scene(Random& random, const Folder& folder) {
  Scene scene;
  scene.file = "random.json";
  const std::vector<std::string> urdfs = small_robots();
  const int robots = 1 + pick(random, 3);
  for (int r = 0; r < robots; ++r) {
    const std::string name = robots == 1 && pick(random, 2) ? "" : "r" + std::to_string(r);
    const auto which = static_cast<std::size_t>(pick(random, 3));
    const auto file = folder.write("robot" + std::to_string(which) + ".urdf", urdfs[which]);
    scene.robots.push_back(robot_of(name, file, random_origin(random, 1.5)));
  }
  const std::string first = scene.robots[0].name.empty() ? "" : scene.robots[0].name + '/';
  const int objects = 3 + pick(random, 12);
  for (int k = 0; k < objects; ++k) {
    constexpr std::array kinds{ShapeKind::box,     ShapeKind::sphere, ShapeKind::cylinder,
                               ShapeKind::capsule, ShapeKind::cone,   ShapeKind::mesh,
                               ShapeKind::points,  ShapeKind::box,    ShapeKind::plane,
                               ShapeKind::octomap};
    const ShapeKind kind = kinds[static_cast<std::size_t>(pick(random, 10))];
    const keepclear::Shape shape = random_scene_shape(random, kind);
    const Origin pose = kind == ShapeKind::plane ? Origin{} : random_origin(random, 2.5);
    scene.objects.push_back(object_of("o" + std::to_string(k), shape, pose));
  }
  // One or two are carried by the first robot, by a link with bodies or without.
  for (int k = pick(random, 3); k > 0; --k) {
    SceneObject& object = scene.objects[static_cast<std::size_t>(k)];
    const ShapeKind kind = object.shape.kind;
    if (kind == ShapeKind::plane || kind == ShapeKind::octomap) continue;
    object.pose = random_origin(random, 0.4);
    const std::string link = scene.robots[0].urdf.stem() == "robot0"   ? "tip"
                             : scene.robots[0].urdf.stem() == "robot1" ? "mast"
                                                                       : "arm";
    scene.attached.push_back({object.name, first + link, {"o0"}, "/attached"});
  }
  if (pick(random, 2)) scene.margin = uniform(random, 0, 0.1);
  for (int k = pick(random, 3); k > 0; --k) {
    const std::string a = "o" + std::to_string(pick(random, objects));
    const std::string b =
        pick(random, 2) && !scene.robots[0].name.empty() ? scene.robots[0].name : first + "base";
    if (pick(random, 2)) {
      scene.allow.push_back({a, b, "/allow"});
    } else {
      scene.margins.push_back({{a, b, "/margins"}, uniform(random, 0, 0.4)});
    }
  }
  return scene;
}

/// Many small things around one arm, so that what is found first is seldom what is nearest.
inline Scene crowd(const Folder& folder, std::uint64_t seed) {
  Random random(seed);
  Scene scene;
  const auto file = folder.write("crowd.urdf", small_robots()[0]);
  scene.robots.push_back(robot_of("", file));
  for (int k = 0; k < 400; ++k) {
    keepclear::Shape shape =
        random_scene_shape(random, pick(random, 2) ? ShapeKind::box : ShapeKind::sphere);
    shape.radius *= 0.1;
    shape.size = 0.1 * shape.size;
    Origin pose = random_origin(random, 0);
    pose.xyz = uniform(random, 0.5, 2.5) * random_unit(random);
    scene.objects.push_back(object_of("o" + std::to_string(k), shape, pose));
  }
  keepclear::Shape cloud;
  cloud.kind = ShapeKind::points;
  cloud.radius = 0.002;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 p = uniform(random, 0.5, 2) * random_unit(random);
    cloud.points.push_back(p);
  }
  scene.objects.push_back(object_of("cloud", cloud));
  return scene;
}

}  // namespace keepclear::test
