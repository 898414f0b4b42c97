// SPDX-License-Identifier: BSD-3-Clause
#include "shape/polyhedron.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "keepclear/error.hpp"
#include "rounding/mode.hpp"
#include "shape/body.hpp"
#include "shape/polyhedron_parts.hpp"

namespace keepclear {
namespace {

using polyhedron::build;
using polyhedron::Parts;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Error::Kind::usage, "", 0, what);
}

/// The six sides of a box whose corner i has the upper end along axis k where bit k of i is set.
constexpr std::uint32_t kBoxSides[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                           {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};

void add_box(Parts& parts, const Box& box, std::uint32_t group) {
  if (!(box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z)) {
    refuse("the ends of a box are not in order");
  }
  const auto first = static_cast<std::uint32_t>(parts.vertices.size());
  for (unsigned i = 0; i < 8; ++i) {
    parts.vertices.push_back(
        {i & 1U ? box.hi.x : box.lo.x, i & 2U ? box.hi.y : box.lo.y, i & 4U ? box.hi.z : box.lo.z});
    parts.groups.push_back(group);
  }
  for (const auto& side : kBoxSides) {
    const std::uint32_t ring[] = {first + side[0], first + side[1], first + side[2],
                                  first + side[3]};
    parts.add_ring(ring);
    parts.end_face();
  }
}

}  // namespace

Polyhedron Polyhedron::mesh(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                            double radius, double error) {
  rounding::require_mode();
  Parts parts;
  parts.vertices.assign(vertices.begin(), vertices.end());
  parts.corners.reserve(3 * triangles.size());
  parts.ring_ends.reserve(triangles.size());
  parts.face_ends.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    parts.add_ring(t);
    parts.end_face();
  }
  parts.radius = radius;
  parts.error = error;
  return build(parts);
}

Polyhedron Polyhedron::faces(std::span<const Vec3> vertices, std::span<const Face> faces,
                             double radius, double error) {
  rounding::require_mode();
  Parts parts;
  parts.vertices.assign(vertices.begin(), vertices.end());
  for (const Face& face : faces) {
    parts.add_ring(face.border);
    for (const auto& hole : face.holes) parts.add_ring(hole);
    parts.end_face();
  }
  parts.radius = radius;
  parts.error = error;
  return build(parts);
}

Polyhedron Polyhedron::polygon(std::span<const Vec3> border, double radius) {
  rounding::require_mode();
  Face face;
  for (std::uint32_t i = 0; i < border.size(); ++i) face.border.push_back(i);
  return faces(border, {&face, 1}, radius);
}

Polyhedron Polyhedron::segment(Vec3 a, Vec3 b, double radius) {
  rounding::require_mode();
  Parts parts;
  parts.vertices = {a, b};
  parts.edges = {{0, 1}};
  parts.radius = radius;
  return build(parts);
}

Polyhedron Polyhedron::points(std::span<const Vec3> points, double radius, double error) {
  rounding::require_mode();
  Parts parts;
  parts.vertices.assign(points.begin(), points.end());
  parts.loose_vertices = true;
  parts.radius = radius;
  parts.error = error;
  return build(parts);
}

Polyhedron Polyhedron::box(Vec3 size, double radius) {
  rounding::require_mode();
  if (!(size.x > 0 && size.y > 0 && size.z > 0)) refuse("the edges of a box must be positive");
  const Box box{-0.5 * size, 0.5 * size};
  return boxes({&box, 1}, radius);
}

Polyhedron Polyhedron::boxes(std::span<const Box> boxes, double radius) {
  rounding::require_mode();
  Parts parts;
  std::uint32_t group = 0;
  // Boxes that touch keep vertices of their own: each is a shell by itself.
  for (const Box& box : boxes) add_box(parts, box, group++);
  parts.radius = radius;
  return build(parts);
}

Polyhedron Polyhedron::placed(const Pose& X_AB, double rotation_error,
                              double position_error) const {
  rounding::require_mode();
  const auto is_error = [](double e) { return e >= 0 && std::isfinite(e); };
  if (!is_error(rotation_error) || !is_error(position_error)) {
    refuse("the error of a pose must be finite and not negative");
  }
  const double stretch_hi = rounding::deviation_from_rotation_hi(X_AB.R);
  if (!is_finite(X_AB.p) || !(stretch_hi <= 1e-6 + rotation_error)) {
    refuse("the pose of a polyhedron must be a rotation to within 1e-6, and finite");
  }
  if (X_AB == Pose{} && rotation_error == 0 && position_error == 0) return *this;
  auto data = std::make_shared<PolyhedronData>(*data_);
  PlacedPoints moved = place(data->vertices, X_AB, {rotation_error, position_error});
  data->vertices = std::move(moved.points);
  for (const Vec3 p : data->vertices) {
    if (!(std::abs(p.x) <= 1e9 && std::abs(p.y) <= 1e9 && std::abs(p.z) <= 1e9)) {
      refuse("a coordinate is beyond 1e9 m");
    }
  }
  double off_hi = 0;
  std::vector<std::uint32_t> corners;
  std::vector<polyhedron::FlatPoint> flat;
  for (FaceData& face : data->faces) {
    if (face.last - face.first == 1) {
      polyhedron::set_triangle(face, data->vertices);
      const double lambda = face.lambda;
      // Its corners need not come in the order of its anchors, nor all be its anchors.
      std::array<double, 6>& c = data->corners[face.first];
      bool own = true;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t v = data->triangles[face.first][k];
        const bool is0 = v == face.anchors[0], is1 = v == face.anchors[1];
        own = own && (is0 || is1 || v == face.anchors[2]);
        c[2 * k] = is0 ? 0 : is1 ? 1 : lambda;
        c[2 * k + 1] = is0 || is1 ? 0 : 1;
      }
      if (own) continue;
    }
    corners.clear();
    for (std::uint32_t t = face.first; t < face.last; ++t) {
      corners.insert(corners.end(), data->triangles[t].begin(), data->triangles[t].end());
    }
    // What stood for the face before, and what does now, are each off its vertices by as much.
    FaceData before = face;
    const double off = polyhedron::set_coordinates(before, data_->vertices, corners, flat) +
                       polyhedron::set_coordinates(face, data->vertices, corners, flat);
    if (!std::isfinite(off)) refuse("a face is too small for how far away it is placed");
    off_hi = std::max(off_hi, off);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      auto& c = data->corners[face.first + i / 3];
      c[2 * (i % 3)] = flat[i].u;
      c[2 * (i % 3) + 1] = flat[i].v;
    }
  }
  const double stretched = stretch_hi * (data->error + data->radius);
  data->error = rounding::inflate(data->error + moved.error_hi + off_hi + stretched, 8);
  polyhedron::fit_balls(*data);
  return Polyhedron(std::move(data));
}

std::span<const Vec3> Polyhedron::vertices() const noexcept {
  return data_->vertices;
}
std::span<const Polyhedron::Edge> Polyhedron::edges() const noexcept {
  return data_->edges;
}
std::size_t Polyhedron::face_count() const noexcept {
  return data_->faces.size();
}
std::span<const Polyhedron::Triangle> Polyhedron::triangles_of(std::size_t face) const noexcept {
  const FaceData& f = data_->faces[face];
  return std::span(data_->triangles).subspan(f.first, f.last - f.first);
}
double Polyhedron::radius() const noexcept {
  return data_->radius;
}
double Polyhedron::error() const noexcept {
  return data_->error;
}
bool Polyhedron::solid() const noexcept {
  return std::any_of(data_->shells.begin(), data_->shells.end(),
                     [](const PolyhedronShell& shell) { return shell.closed; });
}

}  // namespace keepclear
