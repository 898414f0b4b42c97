// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/geometry.hpp"

namespace keepclear {

struct PolyhedronData;

/// Vertices, edges and flat faces, convex or not: a polygon, a mesh, loose edges and points. A part
/// that its faces close on all sides is solid. Every point within `radius` of it belongs to it.
/// Const and shared: copies are cheap.
class Polyhedron {
 public:
  using Triangle = std::array<std::uint32_t, 3>;
  using Edge = std::array<std::uint32_t, 2>;
  /// A flat face: the indices of its border, and those of the borders of its holes, each in order,
  /// either way round. Borders do not meet themselves or one another.
  struct Face {
    std::vector<std::uint32_t> border;
    std::vector<std::vector<std::uint32_t>> holes{};
  };

  // All throw Error (usage): values that are not finite, indices that name no vertex, borders of
  // fewer than three vertices, faces that are not flat (to a millionth of their size) or that
  // cannot be divided into triangles. Vertices at the same place become one.

  /// `error` (metres): how far each vertex may be from the one it stands for.
  static Polyhedron mesh(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                         double radius = 0, double error = 0);
  static Polyhedron faces(std::span<const Vec3> vertices, std::span<const Face> faces,
                          double radius = 0, double error = 0);
  /// One face.
  static Polyhedron polygon(std::span<const Vec3> border, double radius = 0);
  static Polyhedron segment(Vec3 a, Vec3 b, double radius = 0);
  static Polyhedron points(std::span<const Vec3> points, double radius = 0, double error = 0);
  /// A box of edge lengths `size` around the origin.
  static Polyhedron box(Vec3 size, double radius = 0);
  /// Many boxes along the axes, each solid by itself.
  static Polyhedron boxes(std::span<const Box> boxes, double radius = 0);
  /// Everything that belongs to a convex body.
  static Polyhedron of(const Body& body);

  /// The same, moved; what rounding moves is in its error.
  Polyhedron placed(const Pose& X_AB, double rotation_error = 0, double position_error = 0) const;

  std::span<const Vec3> vertices() const noexcept;
  /// Those of borders, and those of no face. A vertex without an edge is one from itself to itself.
  std::span<const Edge> edges() const noexcept;
  std::size_t face_count() const noexcept;
  /// A face divided into triangles, all vertices of which are its own.
  std::span<const Triangle> triangles_of(std::size_t face) const noexcept;
  double radius() const noexcept;
  double error() const noexcept;
  bool solid() const noexcept;  ///< some part of it is

  const PolyhedronData& data() const noexcept { return *data_; }
  explicit Polyhedron(std::shared_ptr<const PolyhedronData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const PolyhedronData> data_;
};

}  // namespace keepclear
