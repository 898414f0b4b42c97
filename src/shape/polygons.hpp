// SPDX-License-Identifier: BSD-3-Clause
//
// Polygons of a mesh file as triangles, for readers that know every corner of a face.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/certificate.hpp"
#include "shape/mesh.hpp"

namespace keepclear {

/// Adds polygons to a mesh as triangles that cover them and have the same corners. A flat polygon
/// becomes a fan from its first corner: it covers the polygon, convex or not, and more of one that
/// is not convex. A face that is not flat can be cut into triangles in several ways, and only who
/// made it knows which: all triangles of its corners count, up to kMostWarpedCorners.
class Polygons {
 public:
  Polygons(Mesh& mesh, const std::string& name) : mesh_(mesh), name_(name) {}

  /// `corners` are indices of mesh.vertices, which must be known by now. One or two corners become
  /// a triangle without area, so that none is lost; none, nothing. `where` names the face.
  void add(std::span<const std::uint32_t> corners, int line, const char* where, std::size_t index) {
    const std::size_t count = corners.size();
    if (count == 0) return;
    if (count < 3) return push(corners[0], corners[count - 1], corners[count - 1], line);
    if (count > 3 && is_warped(corners)) {
      if (count > kMostWarpedCorners) {
        throw Error(Error::Kind::malformed, name_, line,
                    std::string(where) + (index > 0 ? " " + std::to_string(index) : "") + " of " +
                        std::to_string(count) + " corners that is not flat",
                    "export the mesh as triangles");
      }
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i + 1; j < count; ++j) {
          for (std::size_t k = j + 1; k < count; ++k)
            push(corners[i], corners[j], corners[k], line);
        }
      }
      return;
    }
    for (std::size_t i = 2; i < count; ++i) push(corners[0], corners[i - 1], corners[i], line);
  }

  void push(std::uint32_t a, std::uint32_t b, std::uint32_t c, int line) {
    if (mesh_.triangles.size() >= kMaxMeshTriangles) {
      throw Error(Error::Kind::malformed, name_, line, "too many faces");
    }
    mesh_.triangles.push_back({a, b, c});
  }

  /// Drops vertices that no triangle uses, which are not part of the surface, and states the vertex
  /// error: that of `decimal` numbers, and what polygons that are nearly flat may be off by.
  void finish(bool decimal) {
    keep_used_vertices();
    double far_hi = 0;
    for (const Vec3& p : mesh_.vertices) far_hi = std::max(far_hi, rounding::norm_hi(p));
    mesh_.vertex_error = decimal ? rounding::up(rounding::kU * far_hi) + 2 * rounding::kEta : 0;
    mesh_.vertex_error += off_flat_hi(far_hi);
  }

  /// What polygons that are nearly flat may be off by, with vertices at most far_hi from the
  /// origin.
  double off_flat_hi(double far_hi) const {
    // Heights over a face round by a few products: less than 2^-46 of the largest coordinate.
    return has_flat_ ? rounding::inflate(warp_ + 0x1p-46 * far_hi, 4) : 0;
  }

  /// Of its size: a face that is thicker is not flat. What is thinner costs a vertex error of twice
  /// its thickness, so this only decides how much a mesh may grow. A face of many corners has too
  /// many triangles to take all, and is let off more: its file may round coordinates to few digits.
  static constexpr double kWarped = 1e-6, kWarpedOfMany = 2e-5;
  static constexpr std::size_t kMostWarpedCorners = 24;

 private:
  /// A little of what a face is off from flat is in the vertex error: any two ways to cut it are
  /// within the thickness of the corners of each other.
  bool is_warped(std::span<const std::uint32_t> corners) {
    points_.clear();
    for (const std::uint32_t c : corners) points_.push_back(mesh_.vertices[c]);
    const certificate::Spread spread = certificate::measure(points_);
    const double limit = corners.size() > kMostWarpedCorners ? kWarpedOfMany : kWarped;
    if (spread.thickness > limit * spread.length) return true;
    warp_ = std::max(warp_, 2 * spread.thickness);
    has_flat_ = true;
    return false;
  }

  void keep_used_vertices() {
    constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> renamed(mesh_.vertices.size(), kUnused);
    for (const auto& t : mesh_.triangles) {
      for (const std::uint32_t v : t) renamed[v] = 0;
    }
    std::uint32_t kept = 0;
    for (std::size_t v = 0; v < renamed.size(); ++v) {
      if (renamed[v] == kUnused) continue;
      mesh_.vertices[kept] = mesh_.vertices[v];
      renamed[v] = kept++;
    }
    mesh_.vertices.resize(kept);
    for (auto& t : mesh_.triangles) {
      for (std::uint32_t& v : t) v = renamed[v];
    }
  }

  Mesh& mesh_;
  const std::string& name_;
  std::vector<Vec3> points_;
  bool has_flat_ = false;  ///< polygons of more than three corners that became fans
  double warp_ = 0;        ///< the thickest of them
};

}  // namespace keepclear
