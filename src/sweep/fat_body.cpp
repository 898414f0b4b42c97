// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/fat_body.hpp"

#include <algorithm>
#include <cmath>

#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::inflate;

/// Coordinates along the axes of the metric.
using Coordinates = std::array<Bounded, 3>;

Coordinates coordinates_of(const DisplacementMetric& metric, Vec3 x) {
  const Vec3 c = metric.coordinates(x);
  const double error = metric.coordinate_error_hi(x);
  return {Bounded{c.x, error}, Bounded{c.y, error}, Bounded{c.z, error}};
}

Coordinates minus(const Coordinates& a, const Coordinates& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// The scalar product of the metric's ellipsoid: sum of a b / moment.
Bounded product(const DisplacementMetric& metric, const Coordinates& a, const Coordinates& b) {
  Bounded sum;
  for (std::size_t k = 0; k < 3; ++k) {
    const double inverse = 1 / metric.moments()[k];
    sum = sum + Bounded{inverse, 2 * rounding::kU * inverse} * (a[k] * b[k]);
  }
  return sum;
}

}  // namespace

FatBody::FatBody(const Polyhedron& body, const DisplacementMetric& metric)
    : body_(body), metric_(metric) {
  const PolyhedronData& data = body_.data();
  double least = 1e300, most = 1;
  std::vector<Coordinates> at;
  at.reserve(data.vertices.size());
  for (const Vec3 v : data.vertices) {
    at.push_back(coordinates_of(metric_, v));
    rho_hi_.push_back(metric_.distortion_hi(v));
    least = std::min(least, rho_hi_.back());
    most = std::max(most, rho_hi_.back());
    reach_hi_ = std::max(reach_hi_, rounding::norm_hi(v));
  }
  typical_rho_ = std::sqrt(std::min(least, most) * most);
  double slope = 0;
  for (const double m : metric_.moments()) slope += 1 / std::sqrt(m);
  // |x - y| has coordinates of no more than that, but for the axes' rounding: axes are orthonormal
  // to 4e-14 (kAxesError), so their lengths to 2e-14.
  rho_slope_hi_ = inflate(slope * (1 + 1e-13), 10);
  const Bounded one{1, 0};
  for (const auto& [i, j] : data.edges) {
    const Coordinates along = minus(at[j], at[i]);
    on_edges_.push_back({(one + product(metric_, at[i], at[i])).hi(),
                         product(metric_, at[i], along).hi(), product(metric_, along, along).hi()});
  }
  for (const FaceData& face : data.faces) {
    const Coordinates& from = at[face.anchors[0]];
    const Coordinates along = minus(at[face.anchors[1]], from);
    Coordinates across = minus(at[face.anchors[2]], from);
    for (std::size_t k = 0; k < 3; ++k) across[k] = across[k] - face.lambda * along[k];
    on_faces_.push_back({one + product(metric_, from, from), product(metric_, from, along),
                         product(metric_, from, across), product(metric_, along, along),
                         product(metric_, along, across), product(metric_, across, across)});
  }
  // Of a leaf, everything that its elements span; of others, their children, which come later.
  node_rho_hi_.assign(data.nodes.size(), 1.0);
  for (std::size_t n = data.nodes.size(); n-- > 0;) {
    const PolyhedronNode& node = data.nodes[n];
    double& rho = node_rho_hi_[n];
    if (node.child != 0) {
      rho = std::max(node_rho_hi_[node.child], node_rho_hi_[node.child + 1]);
      continue;
    }
    for (std::uint32_t f = node.first_face; f < node.last_face; ++f) {
      const FaceData& face = data.faces[data.leaf_faces[f]];
      for (std::uint32_t t = face.first; t < face.last; ++t) {
        for (const std::uint32_t v : data.triangles[t]) rho = std::max(rho, rho_hi_[v]);
      }
    }
    for (std::uint32_t e = node.first_edge; e < node.last_edge; ++e) {
      for (const std::uint32_t v : data.edges[data.leaf_edges[e]]) rho = std::max(rho, rho_hi_[v]);
    }
    for (std::uint32_t v = node.first_vertex; v < node.last_vertex; ++v) {
      rho = std::max(rho, rho_hi_[data.leaf_vertices[v]]);
    }
  }
}

}  // namespace keepclear
