// SPDX-License-Identifier: BSD-3-Clause
//
// A body of a model while it is asked what it contains. Shared by those who prove a model and those
// who write the proof down.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"
#include "keepclear/model.hpp"
#include "shape/near_hull.hpp"

namespace keepclear {

/// How often a triangle may be halved in a row, and into how many pieces all of a mesh: beyond it a
/// model is refused, so that a stranger's file cannot keep the loader busy.
inline constexpr int kMostHalvings = 40;
inline constexpr int kMostPieces = 1'000'000;

class ContainingBody {
 public:
  /// The body must outlive it.
  explicit ContainingBody(const ModelBody& body);

  const ModelBody& body() const noexcept { return *body_; }
  const NearHull& near() const noexcept { return near_; }
  double volume() const noexcept { return volume_; }
  /// The radius with which it would contain every point within `reach_hi` of p. A point of the body
  /// itself is told apart, so that a ball of its own size is taken.
  double needed_hi(Vec3 p, double reach_hi) const;
  bool contains(Vec3 p, double reach_hi) const;
  /// Which of its points p is; -1: none.
  int own_point(Vec3 p) const;

 private:
  const ModelBody* body_;
  NearHull near_;
  double volume_;
  Box around_;  ///< a little larger than the body: what is outside of it is not inside
};

/// At least how far the middles of halved triangles with these corners are off: a middle rounds by
/// half an ulp of a coordinate, and errors of ends are handed on by halves.
double middles_off_hi(std::span<const Vec3> corners);
/// The side (0: first to second corner, ...) at which a triangle is halved: the longest.
int longest_side(const std::array<Vec3, 3>& corners);

/// Indices of bodies by their volumes, the least first.
std::vector<std::size_t> by_volume(std::span<const double> volumes);

}  // namespace keepclear
