// SPDX-License-Identifier: BSD-3-Clause
//
// Random chains of joints with random bodies, cells of their numbers, and configurations in them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "proof/prover.hpp"
#include "scene/scenes.hpp"

namespace keepclear::test {

class CellDraw {
 public:
  explicit CellDraw(std::uint64_t seed) : random_(seed) {}

  double uniform(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  Vec3 vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size);
    return {x, y, uniform(-size, size)};
  }
  Vec3 unit() {
    for (;;) {
      const Vec3 v = vector(1);
      if (norm(v) > 0.1 && norm(v) <= 1) return (1 / norm(v)) * v;
    }
  }

  struct Wanted {
    bool floating = false, planar = true;
    int robots = 1, joints = 7;
  };

  /// A chain or a tree of one to seven joints, the last of which may follow the first, on a base
  /// anywhere, with objects of all kinds around it. Every body is a hull of 1 to 12 points with a
  /// radius. At most one floating joint, which comes last or first. Of two robots each is the same.
  World world(const Wanted& wanted) {
    const int joints = 1 + static_cast<int>(below(static_cast<std::uint64_t>(wanted.joints)));
    std::string parts = link("l0", sphere(0.1));
    const char* kinds[] = {"revolute", "revolute", "continuous", "prismatic", "planar"};
    const int ball = wanted.floating ? (below(2) == 0 ? 1 : joints) : 0;
    for (int i = 1; i <= joints; ++i) {
      const std::string name = "l" + std::to_string(i);
      parts += link(name, sphere(0.1));
      std::string rest = "<origin xyz=\"" + triple(0.6) + "\" rpy=\"" + triple(3) + "\"/>";
      std::string kind = i == ball ? "floating" : kinds[below(wanted.planar ? 5 : 4)];
      const bool follows = i == joints && i > 1 && i != ball && ball != 1 && below(3) == 0;
      if (i == 1 && i != ball) kind = "continuous";
      if (follows) kind = "revolute";
      if (kind != "floating") rest += "<axis xyz=\"" + triple(1) + "\"/>";
      if (follows) {
        rest += "<mimic joint=\"j1\" multiplier=\"" + std::to_string(uniform(-2, 2)) +
                "\" offset=\"" + std::to_string(uniform(-1, 1)) + "\"/>";
      }
      const int parent =
          below(4) == 0 ? static_cast<int>(below(static_cast<std::uint64_t>(i))) : i - 1;
      parts += joint("j" + std::to_string(i), kind, "l" + std::to_string(parent), name, rest);
    }
    const Folder folder;
    Scene scene;
    const std::filesystem::path urdf = folder.write("r.urdf", robot(parts));
    for (int r = 0; r < wanted.robots; ++r) {
      const std::string name = wanted.robots == 1 ? "" : r == 0 ? "left" : "right";
      const Vec3 away{r * 1.5, 0, 0};
      scene.robots.push_back(robot_of(name, urdf, {away + vector(1), vector(3), {}}));
    }
    using Kind = keepclear::Shape::Kind;
    const keepclear::Shape shapes[] = {
        box_shape({uniform(0.01, 1), uniform(0.01, 1), 0.1}), sphere_shape(uniform(0.01, 0.3)),
        round_shape(Kind::capsule, 0.05, uniform(0.1, 1)), round_shape(Kind::cone, 0.2, 0.3),
        plane_shape(vector(2), uniform(-3, -0.5))};
    for (const keepclear::Shape& shape : shapes) {
      const std::string name = "o" + std::to_string(scene.objects.size());
      scene.objects.push_back(object_of(name, shape, {vector(2), vector(3), {}}));
    }
    const World made = compile(scene, {.allow_no_pairs = true});
    const auto data = std::make_shared<WorldData>(made.data());
    for (WorldBody& body : data->bodies) body.body = random_body();
    return World(data);
  }

  /// Hinges move by up to `width`, slides by up to as many metres.
  std::vector<NumberLine> cell(const World& world, double width) {
    std::vector<NumberLine> lines;
    const double along = below(3) == 0 ? 0 : width, beside = below(3) == 0 ? 0 : width;
    for (const Variable& v : world.variables()) {
      const bool ball = v.name.find("/rot_") != std::string::npos;
      const double most = ball ? 0.2 : 1;
      NumberLine line{uniform(-1, 1) * (ball ? 1 : 3), 0, 0};
      if (below(4) != 0) line.v = most * uniform(-along, along);
      if (below(4) != 0) line.rho = most * uniform(0, beside);
      lines.push_back(line);
    }
    return lines;
  }

  /// A configuration in it: the corner number `corner`, while there are as many, or any. `t` for
  /// each path.
  std::vector<double> configuration(const World& world, const std::vector<NumberLine>& cell,
                                    const std::vector<int>& paths, std::uint64_t corner) {
    double t[2];
    const bool ends = corner < 256;
    for (double& share : t) {
      share = ends ? ((corner & 1) != 0 ? 1 : -1) : uniform(-1.2, 1.2);
      share = std::clamp(share, -1.0, 1.0);
      if (!paths.empty()) corner /= 2;
    }
    if (paths.empty()) t[1] = t[0], corner /= 2;
    std::vector<double> q;
    for (std::size_t k = 0; k < cell.size(); ++k) {
      double e = uniform(-1.5, 1.5);
      if (ends && cell[k].rho > 0) e = (corner & 1) != 0 ? 1 : -1, corner /= 2;
      e = std::clamp(e, -1.0, 1.0);
      const double share = t[paths.empty() ? 0 : static_cast<std::size_t>(paths[k])];
      q.push_back(cell[k].c + share * cell[k].v + e * cell[k].rho);
    }
    for (std::size_t k = 0; k + 3 < q.size(); ++k) {
      if (!world.variables()[k].name.ends_with("/rot_x")) continue;
      const double length =
          std::sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]);
      for (std::size_t i = 0; i < 4; ++i) q[k + i] /= length;
    }
    return q;
  }

  /// A turn of at most `radians` about an axis through o, then a shift of at most `metres`: mostly
  /// as far as it goes, and along n.
  Pose push(Vec3 o, double metres, double radians, Vec3 n) {
    const Vec3 axis = unit();
    const double angle = below(3) == 0 ? uniform(0, radians) : radians, half = 0.5 * angle;
    const Mat3 R = rotation_from_quaternion(std::sin(half) * axis.x, std::sin(half) * axis.y,
                                            std::sin(half) * axis.z, std::cos(half));
    const Vec3 shift = below(3) == 0 ? uniform(0, metres) * unit() : metres * n;
    return {R, o - R * o + shift};
  }

 private:
  std::string triple(double size) {
    const Vec3 v = vector(size);
    return std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z + 0.01);
  }
  Body random_body() {
    std::vector<Vec3> points;
    const Vec3 centre = vector(0.3);
    const double size = uniform(0.01, 0.4);
    for (std::uint64_t i = 1 + below(12); i > 0; --i) points.push_back(centre + vector(size));
    return Body::hull(points, below(3) == 0 ? 0 : uniform(0, 0.1));
  }

  std::mt19937_64 random_;
};

}  // namespace keepclear::test
