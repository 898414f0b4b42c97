// SPDX-License-Identifier: BSD-3-Clause
//
// What the own numbers of a DAE or glTF file say that its surface is: every polygon of every
// element that the scene shows, in the order in which assimp shows them. What assimp makes of the
// file is compared with it corner by corner. Equal corners make equal counts, extents and signed
// volumes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "keepclear/geometry.hpp"
#include "rounding/rounding.hpp"
#include "shape/foreign_words.hpp"

namespace keepclear::foreign {

/// An affine map, and an upper bound on its 3x3 norm.
struct Step {
  Mat3 A;
  Vec3 t;
  double norm_hi = 1;
};

inline double frobenius_hi(const Mat3& m) {
  return rounding::inflate(
      std::sqrt(squared_norm(m.row0) + squared_norm(m.row1) + squared_norm(m.row2)), 24);
}

inline Step step(const Mat3& A, Vec3 t) {
  return {A, t, frobenius_hi(A)};
}

/// One element of polygons.
struct Primitive {
  std::string place;  ///< for messages: what it is, and of which mesh
  int line = 0;
  bool has_surface = true;             ///< lines and points have none
  bool is_fan = false;                 ///< cut from the first corner, flat or not
  std::size_t positions = 0;           ///< index into SurfaceClaim::positions
  std::vector<std::uint32_t> corners;  ///< of all polygons, one after the other
  std::vector<std::uint32_t> sizes;    ///< corners of each polygon

  void add(std::initializer_list<std::uint32_t> polygon) {
    corners.insert(corners.end(), polygon);
    sizes.push_back(static_cast<std::uint32_t>(polygon.size()));
  }
};

/// A node that is shown: once for each way from the root to it.
struct Frame {
  int parent = -1;          ///< index into SurfaceClaim::frames; -1 for a root
  std::vector<Step> steps;  ///< from the node to its parent, the first to be applied first
};

struct SurfaceClaim {
  std::vector<std::vector<Vec3>> positions;
  std::vector<Primitive> primitives;
  std::vector<Frame> frames;
  struct Shown {
    std::size_t primitive;
    int frame;
  };
  std::vector<Shown> shown;
  TransformError error;
};

/// A point and how far (metres) it may be from the one that the file says.
struct BoundedPoint {
  Vec3 p;
  double error = 0;
};

/// Compares what assimp shows, in its order, with the claim.
class ClaimCheck {
 public:
  ClaimCheck(const SurfaceClaim& claim, const std::string& name) : claim_(claim), name_(name) {}

  /// The next element that is shown. Refuses if the file has no more.
  const Primitive& next() {
    if (next_ == claim_.shown.size())
      refuse(name_, 0, "assimp reads more than the file says", kHint);
    const SurfaceClaim::Shown& shown = claim_.shown[next_++];
    primitive_ = &claim_.primitives[shown.primitive];
    frame_ = shown.frame;
    corner_ = polygon_ = 0;
    const std::size_t points = claim_.positions[primitive_->positions].size();
    if (placed_.size() < points) {
      placed_.resize(points);
      placed_for_.resize(points, 0);
    }
    return *primitive_;
  }

  /// Refuses a polygon that is not the next one of the element.
  template <class Corner>
  void polygon(std::size_t size, const Corner& corner) {
    if (polygon_ == primitive_->sizes.size() || primitive_->sizes[polygon_] != size) {
      fail("polygon " + std::to_string(polygon_ + 1) +
           (polygon_ == primitive_->sizes.size()
                ? " is read, the element has " + std::to_string(polygon_)
                : " has " + std::to_string(primitive_->sizes[polygon_]) + " corners, " +
                      std::to_string(size) + " are read"));
    }
    for (std::size_t k = 0; k < size; ++k) {
      const BoundedPoint read = corner(k);
      const BoundedPoint said = placed(primitive_->corners[corner_ + k]);
      // Not within: nan is not.
      if (!(norm(read.p - said.p) <= rounding::inflate(read.error + said.error, 8))) {
        fail("corner " + std::to_string(k + 1) + " of polygon " + std::to_string(polygon_ + 1) +
             " is at " + in_words(said.p) + ", " + in_words(read.p) + " is read");
      }
    }
    corner_ += size;
    ++polygon_;
  }

  /// Refuses an element of which polygons are missing.
  void end_element() const {
    if (primitive_->has_surface && polygon_ != primitive_->sizes.size()) {
      fail(std::to_string(primitive_->sizes.size()) + " polygons, " + std::to_string(polygon_) +
           " are read");
    }
  }
  /// Refuses a file of which elements are missing.
  void end() {
    if (next_ == claim_.shown.size()) return;
    primitive_ = &claim_.primitives[claim_.shown[next_].primitive];
    fail("it is not read");
  }

  [[noreturn]] void fail(const std::string& what) const {
    refuse(name_, primitive_->line, primitive_->place + ": assimp misreads it: " + what, kHint);
  }

 private:
  static constexpr const char* kHint = "export the mesh as STL, OBJ or PLY";

  static std::string in_words(Vec3 p) {
    return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) +
           ")";
  }

  const BoundedPoint& placed(std::uint32_t index) {
    if (placed_for_[index] == next_) return placed_[index];
    placed_for_[index] = next_;
    BoundedPoint& x = placed_[index];
    x.p = claim_.positions[primitive_->positions][index];
    // A decimal number becomes the nearest double.
    x.error = rounding::kU * rounding::norm_hi(x.p) + 2 * rounding::kEta;
    for (int f = frame_; f >= 0; f = claim_.frames[f].parent) {
      for (const Step& step : claim_.frames[f].steps) {
        // Of a rotation by up to 720 degrees, the angle in radians is off by 26 u, its entries by
        // 16 u more each; the product and the sum of three rounded terms by 9 u: below 256 u.
        const double lost = 256 * rounding::kU;
        const double size_hi = step.norm_hi * (rounding::norm_hi(x.p) + x.error);
        x.error = step.norm_hi * x.error + lost * (size_hi + rounding::norm_hi(step.t));
        x.p = step.A * x.p + step.t;
      }
    }
    return x;
  }

  const SurfaceClaim& claim_;
  const std::string& name_;
  std::size_t next_ = 0;  ///< index of the next element that is shown
  const Primitive* primitive_ = nullptr;
  int frame_ = -1;
  std::size_t corner_ = 0, polygon_ = 0;
  std::vector<BoundedPoint> placed_;
  std::vector<std::size_t> placed_for_;  ///< the value of next_ that placed_ is for
};

}  // namespace keepclear::foreign
