// SPDX-License-Identifier: BSD-3-Clause
//
// A polyhedron that moves, with the metric data of its elements ((4) and (6) of paper 4), computed
// once.
#pragma once

#include <vector>

#include "keepclear/displacement.hpp"
#include "sweep/fat_tests.hpp"

namespace keepclear {

class FatBody {
 public:
  FatBody(const Polyhedron& body, const DisplacementMetric& metric);

  const PolyhedronData& data() const noexcept { return body_.data(); }
  const DisplacementMetric& metric() const noexcept { return metric_; }

  double rho_hi(std::uint32_t vertex) const noexcept { return rho_hi_[vertex]; }
  const RhoOnEdge& on_edge(std::uint32_t edge) const noexcept { return on_edges_[edge]; }
  const RhoOnFace& on_face(std::uint32_t face) const noexcept { return on_faces_[face]; }
  /// At least the distortion of any point of a node.
  double node_rho_hi(std::uint32_t node) const noexcept { return node_rho_hi_[node]; }
  double largest_rho_hi() const noexcept { return node_rho_hi_.front(); }
  /// A distortion between the least and the largest: where growth_hi is tight.
  double typical_rho() const noexcept { return typical_rho_; }
  /// At least how much the distortion changes for each metre.
  double rho_slope_hi() const noexcept { return rho_slope_hi_; }
  /// At least the distance of any vertex from the origin.
  double reach_hi() const noexcept { return reach_hi_; }

 private:
  Polyhedron body_;
  DisplacementMetric metric_;
  std::vector<double> rho_hi_;
  std::vector<RhoOnEdge> on_edges_;
  std::vector<RhoOnFace> on_faces_;
  std::vector<double> node_rho_hi_;
  double typical_rho_ = 1, rho_slope_hi_ = 0, reach_hi_ = 0;
};

}  // namespace keepclear
