// SPDX-License-Identifier: BSD-3-Clause
//
// Random models around random meshes against brute force: what is accepted contains every sampled
// point of the mesh, and what is refused leaves a triangle that no body holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "keepclear/model.hpp"
#include "scene/link_shapes.hpp"
#include "scene/worlds.hpp"

namespace keepclear {
namespace {

using Real = long double;
using Point = std::array<Real, 3>;

Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Real dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point exact(Vec3 p) {
  return {p.x, p.y, p.z};
}

/// The distance of p from the affine hull of the first `count` of v, if its foot is in their hull;
/// else a large number. Gram's equations by Cramer's rule.
Real foot_distance(const Point& p, const std::array<Point, 4>& v, int count) {
  constexpr Real kNone = 1e30L;
  Real g[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, h[3] = {0, 0, 0};
  for (int i = 0; i + 1 < count; ++i) {
    for (int j = 0; j + 1 < count; ++j) g[i][j] = dot(v[i + 1] - v[0], v[j + 1] - v[0]);
    h[i] = dot(v[i + 1] - v[0], p - v[0]);
  }
  const auto det = [](const Real(&m)[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  };
  const Real whole = det(g);
  if (std::abs(whole) < 1e-24L) return kNone;
  Real weights[3], sum = 0;
  for (int k = 0; k < 3; ++k) {
    Real m[3][3];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] = j == k ? h[i] : g[i][j];
    }
    weights[k] = det(m) / whole;
    if (weights[k] < 0) return kNone;
    sum += weights[k];
  }
  if (sum > 1) return kNone;
  Point foot = v[0];
  for (int k = 0; k + 1 < count; ++k) {
    for (int c = 0; c < 3; ++c) foot[c] += weights[k] * (v[k + 1][c] - v[0][c]);
  }
  return std::sqrt(dot(p - foot, p - foot));
}

/// The distance of p from the hull of a few points: the least over all their simplices.
Real hull_distance(const Point& p, const std::vector<Vec3>& points) {
  const int n = static_cast<int>(points.size());
  Real least = 1e30L;
  for (int bits = 1; bits < 1 << n; ++bits) {
    std::array<Point, 4> v{};
    int count = 0;
    for (int i = 0; i < n && count <= 4; ++i) {
      if ((bits >> i & 1) == 0) continue;
      if (count < 4)
        v[static_cast<std::size_t>(count)] = exact(points[static_cast<std::size_t>(i)]);
      ++count;
    }
    if (count <= 4) least = std::min(least, foot_distance(p, v, count));
  }
  return least;
}

/// A point of the mesh in the frame of the link, in long arithmetic all the way.
Point placed(Vec3 p, const Origin& at) {
  const Real cr = std::cos(Real{at.rpy.x}), sr = std::sin(Real{at.rpy.x});
  const Real cp = std::cos(Real{at.rpy.y}), sp = std::sin(Real{at.rpy.y});
  const Real cy = std::cos(Real{at.rpy.z}), sy = std::sin(Real{at.rpy.z});
  const Point rows[] = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                        {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                        {-sp, cp * sr, cp * cr}};
  return {dot(rows[0], exact(p)) + at.xyz.x, dot(rows[1], exact(p)) + at.xyz.y,
          dot(rows[2], exact(p)) + at.xyz.z};
}

struct Case {
  RobotModel robot;
  BodyModel model;
};

/// Triangles here and there, some flat in a point or a line, and bodies that hold them all but for
/// a factor that their radii are multiplied by.
Case random_case(std::mt19937_64& random, double factor) {
  const auto coordinate = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  const auto point = [&] { return Vec3{coordinate(), coordinate(), coordinate()}; };
  auto mesh = std::make_shared<Mesh>();
  const std::size_t vertices = 3 + random() % 12;
  for (std::size_t i = 0; i < vertices; ++i) mesh->vertices.push_back(point());
  for (std::size_t t = 0; t < 2 * vertices; ++t) {
    mesh->triangles.push_back({static_cast<std::uint32_t>(random() % vertices),
                               static_cast<std::uint32_t>(random() % vertices),
                               static_cast<std::uint32_t>(random() % vertices)});
  }
  if (random() % 4 == 0) mesh->vertex_error = 1e-7;
  Case made;
  made.robot = parse_urdf(test::robot(test::link("part")), "part.urdf", {}, {});
  Collision element;
  element.geometry.kind = Geometry::Kind::mesh;
  element.geometry.in_place = mesh;
  if (random() % 4 != 0) element.origin = {point(), 3 * point(), {}};
  Link& link = made.robot.links[0];
  link.collisions.push_back(element);
  const Collision* const elements[] = {&link.collisions[0]};
  const LinkShape shape = shape_of(link.collisions[0], read_meshes(elements, 1));

  const std::size_t bodies = 1 + random() % 3;
  made.model.file = "random.json";
  for (std::size_t b = 0; b < bodies; ++b) {
    ModelBody body{"part", 0, {}, ""};
    for (std::size_t p = 0; p < 1 + random() % 6; ++p) {
      // Near the mesh, sometimes one of its vertices or a point twice.
      const Vec3 at = shape.points[random() % vertices];
      body.points.push_back(random() % 3 == 0 ? at : at + 0.2 * point());
    }
    if (random() % 4 == 0) body.points.push_back(body.points[0]);
    made.model.bodies.push_back(std::move(body));
  }
  for (const auto& triangle : shape.triangles) {
    ModelBody& body = made.model.bodies[random() % bodies];
    const NearHull near(body.points);
    for (const std::uint32_t v : triangle) {
      body.radius =
          std::max(body.radius, needed_radius_hi(near, shape.points[v], shape.reach_hi()));
    }
  }
  for (ModelBody& body : made.model.bodies) body.radius *= factor;
  return made;
}

bool is_accepted(const Case& made, std::vector<BodyInfo>* infos = nullptr) {
  LoadOptions options;
  options.bodies = std::make_shared<const BodyModel>(made.model);
  try {
    const World world = compile_robot(made.robot, nullptr, options);
    if (infos != nullptr) infos->assign(world.bodies().begin(), world.bodies().end());
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed) << error.what();
    EXPECT_NE(std::string(error.what()).find("sticks out"), std::string::npos) << error.what();
    return false;
  }
}

TEST(RandomModels, AreAcceptedOnlyWhereTheyHoldEveryPointOfEveryTriangle) {
  std::mt19937_64 random(11);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    constexpr double kFactors[] = {1, 1 + 1e-9, 1 - 1e-6, 0.97, 0.8};
    const double factor = kFactors[i % 5];
    const Case made = random_case(random, factor);
    const Collision& element = made.robot.links[0].collisions[0];
    const Mesh& mesh = *element.geometry.in_place;
    const Real error = mesh.vertex_error;
    const bool taken = is_accepted(made);
    (taken ? accepted : refused)++;
    EXPECT_TRUE(taken || factor < 1);
    // A triangle may go from one body into another: each corner is in some body then, and below
    // any point.
    bool all_held = true, all_nearly = true;
    for (const auto& t : mesh.triangles) {
      bool nearly = false;
      std::array<bool, 3> held{};
      for (const ModelBody& body : made.model.bodies) {
        Real out = -1e30L;
        for (std::size_t k = 0; k < 3; ++k) {
          const Point p = placed(mesh.vertices[t[k]], element.origin);
          const Real here = hull_distance(p, body.points) + error - Real{body.radius};
          out = std::max(out, here);
          held[k] = held[k] || here <= 1e-16L;
        }
        nearly |= out <= -1e-12L;
      }
      all_held &= held[0] && held[1] && held[2];
      all_nearly &= nearly;
    }
    EXPECT_TRUE(all_held || !taken);
    EXPECT_TRUE(taken || !all_nearly);
    if (!taken) continue;
    // Any point of a triangle, not its corners alone.
    for (int s = 0; s < 300; ++s) {
      const auto& t = mesh.triangles[random() % mesh.triangles.size()];
      Real a = static_cast<Real>(random() >> 11) * 0x1p-53L;
      Real b = static_cast<Real>(random() >> 11) * 0x1p-53L;
      if (a + b > 1) a = 1 - a, b = 1 - b;
      Point p{};
      for (int k = 0; k < 3; ++k) {
        const Point v = placed(mesh.vertices[t[static_cast<std::size_t>(k)]], element.origin);
        const Real weight = k == 0 ? 1 - a - b : k == 1 ? a : b;
        for (std::size_t c = 0; c < 3; ++c) p[c] += weight * v[c];
      }
      EXPECT_TRUE(std::ranges::any_of(made.model.bodies, [&](const ModelBody& body) {
        return hull_distance(p, body.points) <= Real{body.radius} - error + 1e-16L;
      }));
    }
  }
  EXPECT_GT(accepted, 160);
  EXPECT_GT(refused, 100);
}

/// No point of a body is farther than its excess from the hull of what it stands for.
TEST(RandomModels, ReachNoFartherThanTheirExcess) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    Case made = random_case(random, 1);
    made.model.bodies.resize(1);
    made.model.bodies[0].radius = 20;
    std::vector<BodyInfo> infos;
    ASSERT_TRUE(is_accepted(made, &infos));
    ASSERT_EQ(infos.size(), 1u);
    const ModelBody& body = made.model.bodies[0];
    const Collision& element = made.robot.links[0].collisions[0];
    const Mesh& mesh = *element.geometry.in_place;
    std::vector<Vec3> used;
    for (const auto& t : mesh.triangles) {
      for (const std::uint32_t v : t) {
        const Point p = placed(mesh.vertices[v], element.origin);
        used.push_back({double(p[0]), double(p[1]), double(p[2])});
      }
    }
    std::ranges::sort(used, [](Vec3 a, Vec3 b) { return a.x < b.x; });
    used.erase(std::unique(used.begin(), used.end()), used.end());
    EXPECT_GE(infos[0].volume, infos[0].hull_volume);
    for (int s = 0; s < 20; ++s) {
      const auto coordinate = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
      const Vec3 way{coordinate(), coordinate(), coordinate()};
      const Vec3 from = body.points[random() % body.points.size()];
      const Vec3 p = from + (body.radius / norm(way)) * way;
      EXPECT_LE(hull_distance(exact(p), used), Real{infos[0].excess} + 1e-12L);
    }
  }
}

}  // namespace
}  // namespace keepclear
