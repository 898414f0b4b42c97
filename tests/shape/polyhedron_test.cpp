// SPDX-License-Identifier: BSD-3-Clause
#include "shape/polyhedron.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "keepclear/error.hpp"
#include "shape/polyhedron_parts.hpp"

namespace keepclear {
namespace {

using Face = Polyhedron::Face;
using Triangle = Polyhedron::Triangle;

Vec3 at(const PolyhedronData& data, const FaceData& face, double u, double v) {
  const Vec3 v0 = data.vertices[face.anchors[0]], v1 = data.vertices[face.anchors[1]],
             v2 = data.vertices[face.anchors[2]];
  return v0 + u * (v1 - v0) + v * ((v2 - v0) - face.lambda * (v1 - v0));
}

double area(const PolyhedronData& data, const FaceData& face) {
  double sum = 0;
  for (std::uint32_t t = face.first; t < face.last; ++t) {
    const auto& [a, b, c] = data.triangles[t];
    sum +=
        norm(cross(data.vertices[b] - data.vertices[a], data.vertices[c] - data.vertices[a])) / 2;
  }
  return sum;
}

/// What src/shape/polyhedron.hpp promises of every polyhedron.
void expect_sound(const Polyhedron& polyhedron) {
  const PolyhedronData& data = polyhedron.data();
  for (const FaceData& face : data.faces) {
    ASSERT_LT(face.first, face.last);
    ASSERT_LT(face.shell, data.shells.size());
    const Vec3 along = data.vertices[face.anchors[1]] - data.vertices[face.anchors[0]];
    const Vec3 across = at(data, face, 0, 1) - data.vertices[face.anchors[0]];
    EXPECT_LE(std::abs(dot(along, across)), 1e-2 * norm(along) * norm(across));
    for (std::uint32_t t = face.first; t < face.last; ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double u = data.corners[t][2 * k], v = data.corners[t][2 * k + 1];
        const Vec3 p = data.vertices[data.triangles[t][k]];
        EXPECT_LE(norm(p - at(data, face, u, v)), data.error + 1e-15 * (norm(along) + norm(p)));
        EXPECT_LE(std::abs(u), face.most_u);
        EXPECT_LE(std::abs(v), face.most_v);
        EXPECT_LE(
            std::abs(1 - u - (1 - face.lambda) * v) + std::abs(u - face.lambda * v) + std::abs(v),
            face.stretch_hi * (1 + 1e-15));
      }
    }
  }
  ASSERT_EQ(data.is_loose.size(), data.edges.size());
  for (std::size_t e = 0; e < data.edges.size(); ++e) {
    // A vertex without an edge is one from itself to itself.
    const auto [from, to] = data.edges[e];
    EXPECT_TRUE(from < to || (from == to && data.is_loose[e])) << e;
  }
  auto sorted_edges = data.edges;
  std::sort(sorted_edges.begin(), sorted_edges.end());
  EXPECT_EQ(std::adjacent_find(sorted_edges.begin(), sorted_edges.end()), sorted_edges.end());
  const auto each_once = [](std::vector<std::uint32_t> list, std::size_t count) {
    std::sort(list.begin(), list.end());
    bool same = list.size() == count;
    for (std::uint32_t i = 0; same && i < count; ++i) same = list[i] == i;
    return same;
  };
  EXPECT_TRUE(each_once(data.leaf_faces, data.faces.size()));
  EXPECT_TRUE(each_once(data.leaf_edges, data.edges.size()));
  EXPECT_TRUE(each_once(data.leaf_vertices, data.vertices.size()));
  const PolyhedronNode& root = data.nodes.at(0);
  EXPECT_EQ(root.last_face - root.first_face, data.faces.size());
  EXPECT_EQ(root.last_edge - root.first_edge, data.edges.size());
  EXPECT_EQ(root.last_vertex - root.first_vertex, data.vertices.size());
  for (std::size_t n = 0; n < data.nodes.size(); ++n) {
    const PolyhedronNode& node = data.nodes[n];
    const auto inside = [&](std::uint32_t v) {
      return norm(data.vertices[v] - node.centre) <= node.radius_hi;
    };
    bool all = true;
    for (std::uint32_t i = node.first_face; i < node.last_face; ++i) {
      const FaceData& face = data.faces[data.leaf_faces[i]];
      for (std::uint32_t t = face.first; t < face.last; ++t) {
        for (const std::uint32_t v : data.triangles[t]) all = all && inside(v);
      }
    }
    for (std::uint32_t i = node.first_edge; i < node.last_edge; ++i) {
      for (const std::uint32_t v : data.edges[data.leaf_edges[i]]) all = all && inside(v);
    }
    for (std::uint32_t i = node.first_vertex; i < node.last_vertex; ++i) {
      all = all && inside(data.leaf_vertices[i]);
    }
    EXPECT_TRUE(all) << n;
    if (node.child == 0) continue;
    ASSERT_GT(node.child, n);
    const PolyhedronNode &a = data.nodes.at(node.child), &b = data.nodes.at(node.child + 1);
    EXPECT_TRUE(a.first_face == node.first_face && a.last_face == b.first_face &&
                b.last_face == node.last_face);
    EXPECT_TRUE(a.first_edge == node.first_edge && a.last_edge == b.first_edge &&
                b.last_edge == node.last_edge);
    EXPECT_TRUE(a.first_vertex == node.first_vertex && a.last_vertex == b.first_vertex &&
                b.last_vertex == node.last_vertex);
  }
}

TEST(Polyhedron, OfABoxHasItsElementsAndIsSolid) {
  const Polyhedron box = Polyhedron::box({1, 2, 3}, 0.1);
  EXPECT_EQ(box.vertices().size(), 8U);
  EXPECT_EQ(box.edges().size(), 12U);
  EXPECT_EQ(box.face_count(), 6U);
  EXPECT_TRUE(box.solid());
  EXPECT_EQ(box.radius(), 0.1);
  EXPECT_LT(box.error(), 1e-13);
  expect_sound(box);
}

TEST(Polyhedron, OfTouchingBoxesKeepsEachSolidByItself) {
  const Box both[] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 0, 0}, {2, 1, 1}}, {{0.5, 0, 0}, {1.5, 1, 1}}};
  const Polyhedron boxes = Polyhedron::boxes(both);
  EXPECT_EQ(boxes.vertices().size(), 24U);
  ASSERT_EQ(boxes.data().parts.size(), 3U);
  ASSERT_EQ(boxes.data().shells.size(), 3U);
  for (const PolyhedronShell& shell : boxes.data().shells) EXPECT_TRUE(shell.oriented);
  expect_sound(boxes);
}

TEST(Polyhedron, MergesVerticesAndFindsWhatIsClosed) {
  // A tetrahedron as three corners a triangle, with both zeros, and a loose triangle elsewhere.
  const Vec3 o{0, -0.0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  std::vector<Vec3> soup{o, x, y, {0, 0, -0.0}, y, z, o, z, x, x, y, z};
  std::vector<Triangle> triangles{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}};
  const Polyhedron closed = Polyhedron::mesh(soup, triangles);
  EXPECT_EQ(closed.vertices().size(), 4U);
  EXPECT_EQ(closed.edges().size(), 6U);
  EXPECT_TRUE(closed.solid());
  EXPECT_EQ(closed.error(), 0);
  expect_sound(closed);
  soup.insert(soup.end(), {{5, 0, 0}, {6, 0, 0}, {5, 1, 0}});
  triangles.push_back({12, 13, 14});
  const Polyhedron more = Polyhedron::mesh(soup, triangles);
  ASSERT_EQ(more.data().parts.size(), 2U);
  ASSERT_EQ(more.data().shells.size(), 2U);
  EXPECT_TRUE(more.data().shells[0].closed);
  EXPECT_FALSE(more.data().shells[1].closed);
  triangles.erase(triangles.begin());
  EXPECT_FALSE(Polyhedron::mesh(soup, triangles).solid());
}

TEST(Polyhedron, LeavesOutFacesAsThinAsAnEdgeAndStaysClosed) {
  // The base is divided at the middle of one side, and a needle fills the crack.
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}};
  const std::vector<Triangle> triangles{{0, 4, 2}, {4, 1, 2}, {0, 1, 3}, {1, 2, 3},
                                        {2, 0, 3}, {0, 4, 1}, {2, 2, 3}};
  const Polyhedron p = Polyhedron::mesh(points, triangles);
  EXPECT_EQ(p.face_count(), 5U);
  EXPECT_TRUE(p.solid());
  EXPECT_EQ(p.edges().size(), 9U);
  EXPECT_LT(p.error(), 1e-14);
  expect_sound(p);
  const std::vector<Vec3> needle{{0, 0, 0}, {1, 0, 0}, {0.3, 1e-16, 0}};
  const Polyhedron thin = Polyhedron::mesh(needle, std::vector<Triangle>{{0, 1, 2}});
  EXPECT_EQ(thin.face_count(), 0U);
  EXPECT_EQ(thin.edges().size(), 3U);
  EXPECT_GE(thin.error(), 1e-16);
  EXPECT_LT(thin.error(), 1e-14);
  EXPECT_FALSE(thin.solid());
  expect_sound(thin);
}

TEST(Polyhedron, DividesAFaceWithHoles) {
  // A plate of 4 x 3, askew, with two square holes and a vertex in the middle of a side.
  const Mat3 R = rotation_from_rpy({0.3, -0.8, 1.1});
  const auto put = [&](double x, double y) { return R * Vec3{x, y, 0} + Vec3{10, 2, -3}; };
  std::vector<Vec3> points{put(0, 0), put(2, 0), put(4, 0), put(4, 3), put(0, 3)};
  Face face{{0, 1, 2, 3, 4}, {}};
  for (const double x : {1.0, 3.0}) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (const auto& [dx, dy] : {std::pair{-0.5, 1.0}, {-0.5, 2.0}, {0.5, 2.0}, {0.5, 1.0}}) {
      points.push_back(put(x + dx, dy));
    }
    face.holes.push_back({first, first + 1, first + 2, first + 3});
  }
  const Polyhedron plate = Polyhedron::faces(points, {&face, 1});
  EXPECT_EQ(plate.face_count(), 1U);
  EXPECT_EQ(plate.edges().size(), 13U);
  EXPECT_NEAR(area(plate.data(), plate.data().faces[0]), 10, 1e-12);
  EXPECT_LT(plate.error(), 1e-13);
  EXPECT_FALSE(plate.solid());
  expect_sound(plate);
}

TEST(Polyhedron, DividesCombsAndSpirals) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> share(0.2, 1);
  for (int round = 0; round < 100; ++round) {
    // Around the origin with any reach: star-shaped, and as ragged as it comes.
    const int n = 3 + round;
    std::vector<Vec3> border;
    double expected = 0;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n, reach = share(random);
      border.push_back({reach * std::cos(angle), reach * std::sin(angle), 0.25});
    }
    for (std::size_t i = 0; i < border.size(); ++i) {
      expected += cross(border[i], border[(i + 1) % border.size()]).z / 2;
    }
    if (round % 2) std::reverse(border.begin(), border.end());
    const Polyhedron star = Polyhedron::polygon(border);
    EXPECT_NEAR(area(star.data(), star.data().faces[0]), expected, 1e-12) << n;
    expect_sound(star);
  }
  std::vector<Vec3> comb{{0, -1, 0}};
  for (int i = 0; i < 40; ++i) {
    comb.push_back({i + 0.0, 0, 0});
    comb.push_back({i + 0.5, i % 2 ? 1.0 : 0, 0});
  }
  comb.push_back({40, -1, 0});
  const Polyhedron teeth = Polyhedron::polygon(comb);
  EXPECT_NEAR(area(teeth.data(), teeth.data().faces[0]), 20 * 0.5 + 39.75, 1e-12);
}

TEST(Polyhedron, RefusesWhatMakesNone) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const auto one = [&](std::vector<std::uint32_t> border) {
    const Face face{std::move(border), {}};
    return Polyhedron::faces(square, {&face, 1});
  };
  EXPECT_EQ(one({0, 1, 2, 3}).face_count(), 1U);
  EXPECT_THROW(one({0, 2, 1, 3}), Error);  // crosses itself
  EXPECT_THROW(one({0, 1}), Error);
  EXPECT_THROW(one({0, 1, 4}), Error);
  EXPECT_THROW(
      Polyhedron::polygon(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 1e-4}, {0, 1, 0}}), Error);
  EXPECT_THROW(Polyhedron::points({}), Error);
  EXPECT_THROW(Polyhedron::mesh(square, {}), Error);
  EXPECT_THROW(Polyhedron::segment({0, 0, 0}, {NAN, 0, 0}), Error);
  EXPECT_THROW(Polyhedron::segment({0, 0, 0}, {1, 0, 0}, -1), Error);
  EXPECT_THROW(Polyhedron::box({1, 0, 1}), Error);
}

TEST(Polyhedron, OfLooseElementsHasNoFaces) {
  const Polyhedron line = Polyhedron::segment({0, 0, 0}, {1, 2, 3}, 0.5);
  EXPECT_EQ(line.edges().size(), 1U);
  expect_sound(line);
  const Polyhedron dot = Polyhedron::segment({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(dot.edges().size(), 1U);
  std::vector<Vec3> cloud;
  for (int i = 0; i < 100; ++i) cloud.push_back({0.1 * (i % 7), 0.2 * (i % 5), 0.3 * (i % 3)});
  const Polyhedron points = Polyhedron::points(cloud, 0.01, 0.001);
  EXPECT_EQ(points.vertices().size(), 100U);
  EXPECT_EQ(points.error(), 0.001);
  EXPECT_GT(points.data().nodes.size(), 30U);
  expect_sound(points);
}

TEST(Polyhedron, OfABodyHoldsTheBody) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<Vec3> many;
  for (int i = 0; i < 200; ++i) many.push_back({normal(random), normal(random), normal(random)});
  const Polyhedron solid = Polyhedron::of(Body::hull(many, 0.25));
  EXPECT_TRUE(solid.solid());
  EXPECT_GE(solid.radius(), 0.25);
  EXPECT_LT(solid.radius(), 0.25 + 1e-9);
  expect_sound(solid);
  const Polyhedron box = Polyhedron::of(Body::box({1, 2, 3}));
  EXPECT_TRUE(box.solid());
  EXPECT_EQ(box.vertices().size(), 8U);
  EXPECT_LT(box.radius(), 1e-12);
  std::vector<Vec3> plate;
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; j <= 4; ++j) plate.push_back({0.25 * i, 0.25 * j, 0.5 * i - 0.25 * j});
  }
  const Polyhedron flat = Polyhedron::of(Body::hull(plate));
  EXPECT_EQ(flat.face_count(), 1U);
  EXPECT_EQ(flat.edges().size(), 4U);
  EXPECT_LT(flat.radius() + flat.error(), 1e-12);
  expect_sound(flat);
  const Polyhedron capsule = Polyhedron::of(Body::capsule({0, 0, 0}, {0, 0, 1}, 0.1));
  EXPECT_EQ(capsule.edges().size(), 1U);
  const Polyhedron sphere = Polyhedron::of(Body::sphere({1, 2, 3}, 0.1));
  EXPECT_EQ(sphere.vertices().size(), 1U);
  EXPECT_EQ(sphere.radius(), 0.1);
}

TEST(Polyhedron, PlacedKeepsItsElementsAndOwnsUpToRounding) {
  const Polyhedron box = Polyhedron::box({1, 2, 3}, 0.1);
  EXPECT_EQ(&box.placed({}).data(), &box.data());
  const Pose X{rotation_from_rpy({0.1, 0.2, 0.3}), {100, -20, 3}};
  const Polyhedron moved = box.placed(X, 0, 1e-6);
  expect_sound(moved);
  EXPECT_GE(moved.error(), 1e-6);
  EXPECT_LT(moved.error(), 1e-6 + 1e-12);
  EXPECT_EQ(moved.radius(), 0.1);
  ASSERT_EQ(moved.edges().size(), 12U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_LT(norm(moved.vertices()[i] - X * box.vertices()[i]), 1e-12);
  }
  const Polyhedron mesh = Polyhedron::of(Body::box({1, 2, 3})).placed(X);
  expect_sound(mesh);
  EXPECT_TRUE(mesh.solid());
}

TEST(Polyhedron, OfManyTrianglesHasOneTree) {
  std::vector<Vec3> grid;
  std::vector<Triangle> triangles;
  const std::uint32_t n = 60;
  for (std::uint32_t i = 0; i <= n; ++i) {
    for (std::uint32_t j = 0; j <= n; ++j) {
      grid.push_back({0.1 * i, 0.1 * j, std::sin(0.3 * i) * std::cos(0.2 * j)});
      if (i == n || j == n) continue;
      const std::uint32_t a = i * (n + 1) + j, b = a + n + 1;
      triangles.push_back({a, b, a + 1});
      triangles.push_back({b, b + 1, a + 1});
    }
  }
  const Polyhedron sheet = Polyhedron::mesh(grid, triangles);
  EXPECT_EQ(sheet.face_count(), 2U * n * n);
  EXPECT_EQ(sheet.edges().size(), 3U * n * n + 2 * n);
  EXPECT_FALSE(sheet.solid());
  EXPECT_EQ(sheet.error(), 0);
  expect_sound(sheet);
}

TEST(Orientation, IsExact) {
  using polyhedron::FlatPoint;
  using polyhedron::orientation;
  const FlatPoint a{0.1, 0.1}, b{0.3, 0.3};
  EXPECT_EQ(orientation(a, b, {0.7, 0.7}), 0);
  EXPECT_EQ(orientation(a, b, {0.7, std::nextafter(0.7, 1)}), 1);
  EXPECT_EQ(orientation(a, b, {0.7, std::nextafter(0.7, 0)}), -1);
  EXPECT_EQ(orientation({0.5, 0.5}, {12, 12}, {24, std::nextafter(24.0, 25)}), 1);
}

}  // namespace
}  // namespace keepclear
