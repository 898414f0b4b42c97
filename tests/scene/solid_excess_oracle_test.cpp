// SPDX-License-Identifier: BSD-3-Clause
//
// SolidInfo::excess: how far pieces of standing objects reach beyond what their files say, in 113
// bits, with the decimal numbers of the files read in 113 bits too.
#include <gtest/gtest.h>
#include <quadmath.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "keepclear/world.hpp"
#include "scene/environment.hpp"
#include "scene/scenes.hpp"

namespace keepclear::test {
namespace {

using Quad = __float128;
using Point = std::array<Quad, 3>;

struct Standing {
  SolidInfo info;
  Environment environment;
};

Standing standing(const keepclear::Shape& shape, int parts = 1) {
  Scene scene;
  scene.objects.push_back(object_of("thing", shape));
  LoadOptions options;
  options.parts = parts;
  std::vector<SolidInfo> solids(1);
  std::vector<std::string> notes;
  Standing made;
  build_environment(scene, options, std::vector<int>{0}, solids, notes, made.environment);
  made.info = solids[0];
  return made;
}

Quad distance(const Point& a, const Point& b) {
  Quad sum = 0;
  for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrtq(sum);
}

/// A decimal number of some digits behind the point, and what it is.
struct Decimals {
  std::mt19937_64 random{7};
  std::string text;

  Quad next(long whole, int digits) {
    std::string word =
        std::to_string(std::uniform_int_distribution<long>(-whole, whole)(random)) + ".";
    for (int k = 0; k < digits; ++k) word += static_cast<char>('0' + random() % 10);
    text += word + " ";
    return strtoflt128(word.c_str(), nullptr);
  }
  Point point(long whole, int digits) {
    const Quad x = next(whole, digits), y = next(whole, digits), z = next(whole, digits);
    text += "\n";
    return {x, y, z};
  }
};

TEST(SolidExcess, HoldsBallsOfACloud) {
  const Folder folder;
  Decimals decimals;
  std::vector<Point> said;
  for (int i = 0; i < 2000; ++i) said.push_back(decimals.point(99999, 3));
  keepclear::Shape shape;
  shape.kind = keepclear::Shape::Kind::points;
  shape.file = folder.write("cloud.xyz", decimals.text);
  shape.radius = 0.03;
  const Standing made = standing(shape);
  ASSERT_EQ(made.environment.balls.size(), said.size());
  Quad most = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Ball& ball = made.environment.balls[i];
    const Quad off = distance({ball.centre.x, ball.centre.y, ball.centre.z}, said[i]);
    most = fmaxq(most, off + ball.radius - Quad(shape.radius));
  }
  EXPECT_LE(most, Quad(made.info.excess));
  // And not by chance: half of it is needed.
  EXPECT_GE(most, Quad(made.info.excess) / 2);
}

TEST(SolidExcess, IsZeroForACloudOfExactPoints) {
  keepclear::Shape shape;
  shape.kind = keepclear::Shape::Kind::points;
  shape.points = {{0.1, 0.2, 0.3}};
  shape.radius = 0.03;
  EXPECT_EQ(standing(shape).info.excess, 0);
}

TEST(SolidExcess, HoldsCellsOfAnOctomap) {
  // Eight leaves of the deepest level of one branch: all bits of depth to the same child.
  const Folder folder;
  std::string bytes = "# Octomap OcTree binary file\nid OcTree\nsize 24\nres 0.1\ndata\n";
  for (int depth = 1; depth < 16; ++depth) bytes += std::string("\x03\0", 2);  // first child: inner
  bytes += std::string("\xaa\xaa", 2);  // all children occupied
  keepclear::Shape shape;
  shape.kind = keepclear::Shape::Kind::octomap;
  shape.unknown = UnknownSpace::free;
  shape.file = folder.write("map.bt", bytes);
  Standing made;
  ASSERT_NO_THROW(made = standing(shape));
  ASSERT_FALSE(made.environment.boxes.empty());
  const Quad resolution = strtoflt128("0.1", nullptr);
  Quad most = 0;
  for (const BoxPiece& box : made.environment.boxes) {
    // A corner of the box, less the corner of the cell, whose coordinates are multiples of 0.1 m.
    for (int corner = 0; corner < 8; ++corner) {
      Point at{}, true_at{};
      for (int k = 0; k < 3; ++k) {
        at[k] = Quad(box.centre[k]) + (corner >> k & 1 ? 1 : -1) * Quad(box.half[k]);
        true_at[k] = rintq(at[k] / resolution) * resolution;
      }
      most = fmaxq(most, distance(at, true_at));
    }
  }
  EXPECT_LE(most, Quad(made.info.excess));
  EXPECT_GE(most, Quad(made.info.excess) / 3);
}

/// How far a body reaches beyond the hull of some points in many directions, at most.
Quad reach_beyond(const Body& body, const std::vector<Point>& said, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Volume volume = body.volume();
  Quad most = -1;
  for (int i = 0; i < 4000; ++i) {
    Point d = {normal(random), normal(random), normal(random)};
    const Quad length = distance(d, {0, 0, 0});
    Quad reach = -HUGE_VALQ, wanted = -HUGE_VALQ;
    for (std::size_t p = 0; p < volume.count; ++p) {
      const Vec3 at = volume.point(p);
      reach = fmaxq(reach, (d[0] * at.x + d[1] * at.y + d[2] * at.z) / length);
    }
    for (const Point& at : said) {
      wanted = fmaxq(wanted, (d[0] * at[0] + d[1] * at[1] + d[2] * at[2]) / length);
    }
    most = fmaxq(most, reach + volume.radius - wanted);
  }
  return most;
}

TEST(SolidExcess, HoldsTheHullOfAMesh) {
  const Folder folder;
  for (const bool scaled : {false, true}) {
    Decimals decimals;
    std::vector<Point> said;
    std::string text =
        "ply\nformat ascii 1.0\nelement vertex 200\nproperty double x\nproperty double y\n"
        "property double z\nelement face 198\nproperty list int int vertex_indices\nend_header\n";
    for (int i = 0; i < 200; ++i) said.push_back(decimals.point(9999, 4));
    text += decimals.text;
    for (int i = 0; i < 198; ++i) {
      text += "3 " + std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i + 2) +
              "\n";
    }
    keepclear::Shape shape;
    shape.kind = keepclear::Shape::Kind::mesh;
    shape.file = folder.write("mesh.ply", text);
    if (scaled) {
      shape.scale = {0.001, 0.001, 0.001};
      for (Point& p : said) {
        for (Quad& x : p) x *= strtoflt128("0.001", nullptr);
      }
    }
    const Standing made = standing(shape);
    ASSERT_EQ(made.environment.bodies.size(), 1U);
    const Quad most = reach_beyond(made.environment.bodies[0], said, decimals.random);
    EXPECT_LE(most, Quad(made.info.excess)) << scaled;
    // More than the radius alone: points that are off outwards are grown as well.
    EXPECT_GT(most, Quad(made.environment.bodies[0].radius())) << scaled;
  }
}

TEST(SolidExcess, HoldsACylinder) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  keepclear::Shape shape;
  shape.kind = keepclear::Shape::Kind::cylinder;
  shape.radius = 0.3;
  shape.length = 1.1;
  const Standing made = standing(shape);
  const Volume volume = made.environment.bodies.at(0).volume();
  for (int i = 0; i < 4000; ++i) {
    const Point d = {normal(random), normal(random), normal(random)};
    Quad reach = -HUGE_VALQ;
    for (std::size_t p = 0; p < volume.count; ++p) {
      const Vec3 at = volume.point(p);
      reach = fmaxq(reach, d[0] * at.x + d[1] * at.y + d[2] * at.z);
    }
    const Quad length = distance(d, {0, 0, 0});
    const Quad wanted = Quad(shape.radius) * sqrtq(d[0] * d[0] + d[1] * d[1]) +
                        Quad(shape.length) / 2 * fabsq(d[2]);
    EXPECT_LE((reach - wanted) / length + volume.radius, Quad(made.info.excess));
  }
}

}  // namespace
}  // namespace keepclear::test
