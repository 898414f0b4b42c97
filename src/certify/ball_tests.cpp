// SPDX-License-Identifier: BSD-3-Clause
#include "certify/ball_tests.hpp"

#include <algorithm>
#include <cmath>

#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::kU;

/// A ball whose points go farther than this share of the larger node is divided before the nodes
/// are.
constexpr double kCoarse = 0.5;

std::span<const std::array<double, 6>> corners_of(const PolyhedronData& data,
                                                  const FaceData& face) noexcept {
  return {data.corners.data() + face.first, face.last - face.first};
}

}  // namespace

Element moving_element(const BallItem& item) noexcept {
  switch (item.kind) {
    case BallItem::Kind::vertex_face:
    case BallItem::Kind::vertex_plane:
      return {Element::Kind::vertex, item.a};
    case BallItem::Kind::edge_edge:
      return {Element::Kind::edge, item.a};
    case BallItem::Kind::face_vertex:
      return {Element::Kind::face, item.a};
    default:
      return {};
  }
}

Element standing_element(const BallItem& item) noexcept {
  switch (item.kind) {
    case BallItem::Kind::vertex_face:
      return {Element::Kind::face, item.b};
    case BallItem::Kind::edge_edge:
      return {Element::Kind::edge, item.b};
    case BallItem::Kind::face_vertex:
      return {Element::Kind::vertex, item.b};
    default:
      return {};
  }
}

Standing::Standing(const FatBody& moving, std::vector<StandingBody> bodies,
                   std::vector<StandingPlane> planes, double margin)
    : bodies_(std::move(bodies)), planes_(std::move(planes)) {
  radius_ = moving.data().radius;
  const auto stretch = [](const PolyhedronData& data) {
    double most = 1;
    for (const FaceData& face : data.faces) most = std::max(most, face.stretch_hi);
    return most;
  };
  const double of_moving = stretch(moving.data());
  for (const StandingBody& standing : bodies_) {
    const PolyhedronData& data = standing.body.data();
    Other& other = others_.emplace_back();
    other.margin = std::max(margin, standing.margin);
    other.still_lo = (data.radius + other.margin) * (1 - 8 * kU);
    other.apart_hi = inflate(radius_ + data.radius + other.margin, 3);
    other.error_hi = data.error;
    other.stretch_hi = std::max(of_moving, stretch(data));
    for (const Vec3 v : data.vertices) {
      other.reach_hi = std::max(other.reach_hi, rounding::norm_hi(v));
    }
  }
  for (const StandingPlane& plane : planes_) {
    Other& other = others_.emplace_back();
    other.margin = std::max(margin, plane.margin);
    other.still_lo = other.margin;
    other.apart_hi = inflate(radius_ + other.margin, 2);
    const Vec3 n = (1 / norm(plane.normal)) * plane.normal;
    half_spaces_.push_back({n, plane.offset});
  }
}

BallTests::BallTests(const FatBody& moving, const Standing& standing)
    : moving_(moving),
      standing_(standing),
      placed_(moving.data()),
      radii_(standing.count()),
      radii_of_(standing.count(), 0) {}

void BallTests::list_all(std::vector<BallItem>& items) const {
  for (int i = 0; i < static_cast<int>(standing_.count()); ++i) {
    const bool plane = standing_.is_plane(i);
    if (!plane && standing_.body(i).nodes.empty()) continue;
    items.push_back({plane ? BallItem::Kind::node_plane : BallItem::Kind::nodes, i, 0, 0});
  }
}

void BallTests::begin(const Affine& g, double R, double reducible, double stretch,
                      double clearance) noexcept {
  rounder_ = standing_.rounder_hi(stretch);
  placed_.place(g);
  R_ = R, reducible_ = reducible, clearance_ = clearance;
  stretch_hi_ = rounding::stretch_hi(g.A);
  // A vertex in place: rounding, and what the vertex itself is off by, under any displacement of
  // the ball.
  const double rounded = gamma(6) * 2 * (stretch_hi_ * moving_.reach_hi() + rounding::span_hi(g.a));
  const double own = moving_.data().error * (stretch_hi_ + R * moving_.rho_slope_hi());
  shift_hi_ = inflate(rounded + own, 12);
  ++ball_;
}

const BallTests::Radii& BallTests::radii_of(int i) noexcept {
  const auto at = static_cast<std::size_t>(i);
  if (radii_of_[at] == ball_) return radii_[at];
  radii_of_[at] = ball_;
  const Standing::Other& other = standing_.other(i);
  Radii& radii = radii_[at];
  // Differences of points round, and faces are spanned by three of them.
  const double size =
      2 * (stretch_hi_ * moving_.reach_hi() + rounding::span_hi(placed_.displacement().a)) +
      other.reach_hi;
  const double noise = other.stretch_hi * (shift_hi_ + other.error_hi + 64 * kU * size);
  const double more = std::max(0.0, clearance_ - other.margin);
  const double s = inflate(other.apart_hi + rounder_ + more + 4 * noise, 12);
  radii.growth = growth_hi(R_, s, moving_.typical_rho());
  radii.most = s;
  return radii;
}

bool BallTests::nodes_apart(const PolyhedronNode& a, double rho, const PolyhedronNode& b,
                            const Radii& radii) const noexcept {
  const Vec3 between = placed_.displacement() * a.centre - b.centre;
  const double reach = stretch_hi_ * a.radius_hi + b.radius_hi + R_ * rho + radii.most;
  return squared_norm(between) * (1 - 16 * kU) > inflate(reach * reach, 16);
}

void BallTests::sift(std::span<const BallItem> items, bool finest, std::vector<BallItem>& left) {
  for (const BallItem& item : items) {
    if (tests_ >= limit_) {
      left.push_back(item);
    } else if (item.kind == BallItem::Kind::nodes) {
      sift_nodes(item, finest, left);
    } else if (item.kind == BallItem::Kind::node_plane) {
      sift_plane(item, finest, left);
    } else if (!excludes(item)) {
      left.push_back(item);
    }
  }
}

void BallTests::sift_nodes(const BallItem& first, bool finest, std::vector<BallItem>& left) {
  const PolyhedronData& data_a = moving_.data();
  const PolyhedronData& data_b = standing_.body(first.other);
  const Radii& radii = radii_of(first.other);
  stack_.assign(1, first);
  while (!stack_.empty()) {
    const BallItem item = stack_.back();
    stack_.pop_back();
    const PolyhedronNode &a = data_a.nodes[item.a], &b = data_b.nodes[item.b];
    const double rho = moving_.node_rho_hi(item.a);
    ++tests_;
    if (nodes_apart(a, rho, b, radii)) continue;
    const double size_a = stretch_hi_ * a.radius_hi;
    if (tests_ >= limit_) {
      left.push_back(item);
    } else if (!finest && !(reducible_ * rho <= kCoarse * std::max(size_a, b.radius_hi))) {
      left.push_back(item);
    } else if (a.child == 0 && b.child == 0) {
      sift_leaves(item, left);
    } else if (b.child == 0 || (a.child != 0 && size_a >= b.radius_hi)) {
      stack_.push_back({item.kind, item.other, a.child, item.b});
      stack_.push_back({item.kind, item.other, a.child + 1, item.b});
    } else {
      stack_.push_back({item.kind, item.other, item.a, b.child});
      stack_.push_back({item.kind, item.other, item.a, b.child + 1});
    }
  }
}

void BallTests::sift_leaves(const BallItem& item, std::vector<BallItem>& left) {
  const PolyhedronData& data_a = moving_.data();
  const PolyhedronData& data_b = standing_.body(item.other);
  const PolyhedronNode &a = data_a.nodes[item.a], &b = data_b.nodes[item.b];
  const auto test = [&](BallItem::Kind kind, std::uint32_t i, std::uint32_t j) {
    const BallItem event{kind, item.other, i, j};
    if (!excludes(event)) left.push_back(event);
  };
  for (std::uint32_t i = a.first_vertex; i < a.last_vertex; ++i) {
    for (std::uint32_t j = b.first_face; j < b.last_face; ++j) {
      test(BallItem::Kind::vertex_face, data_a.leaf_vertices[i], data_b.leaf_faces[j]);
    }
  }
  for (std::uint32_t i = a.first_edge; i < a.last_edge; ++i) {
    for (std::uint32_t j = b.first_edge; j < b.last_edge; ++j) {
      test(BallItem::Kind::edge_edge, data_a.leaf_edges[i], data_b.leaf_edges[j]);
    }
  }
  for (std::uint32_t i = a.first_face; i < a.last_face; ++i) {
    for (std::uint32_t j = b.first_vertex; j < b.last_vertex; ++j) {
      test(BallItem::Kind::face_vertex, data_a.leaf_faces[i], data_b.leaf_vertices[j]);
    }
  }
}

void BallTests::sift_plane(const BallItem& first, bool finest, std::vector<BallItem>& left) {
  const PolyhedronData& data = moving_.data();
  const Standing::Plane& plane = standing_.plane(first.other);
  const Radii& radii = radii_of(first.other);
  stack_.assign(1, first);
  while (!stack_.empty()) {
    const BallItem item = stack_.back();
    stack_.pop_back();
    const PolyhedronNode& node = data.nodes[item.a];
    const double rho = moving_.node_rho_hi(item.a);
    ++tests_;
    const Vec3 centre = placed_.displacement() * node.centre;
    const double size = stretch_hi_ * node.radius_hi;
    const double out = dot(plane.normal, centre) - plane.offset;
    const double noise = 32 * kU * (rounding::span_hi(centre) + std::fabs(plane.offset));
    if (out > inflate(size + R_ * rho + radii.most + noise, 12)) continue;
    if (!finest && !(reducible_ * rho <= kCoarse * size)) {
      left.push_back(item);
    } else if (node.child != 0) {
      stack_.push_back({item.kind, item.other, node.child, 0});
      stack_.push_back({item.kind, item.other, node.child + 1, 0});
    } else {
      for (std::uint32_t i = node.first_vertex; i < node.last_vertex; ++i) {
        const BallItem event{BallItem::Kind::vertex_plane, item.other, data.leaf_vertices[i], 0};
        if (!excludes(event)) left.push_back(event);
      }
    }
  }
}

bool BallTests::excludes(const BallItem& item) noexcept {
  ++tests_;
  const PolyhedronData& data = moving_.data();
  const Radii& radii = radii_of(item.other);
  if (item.kind == BallItem::Kind::vertex_plane) {
    const Standing::Plane& plane = standing_.plane(item.other);
    const Vec3 p = placed_[item.a];
    const double noise = 32 * kU * (rounding::span_hi(p) + std::fabs(plane.offset));
    return dot(plane.normal, p) - plane.offset >
           inflate(R_ * moving_.rho_hi(item.a) + radii.most + noise, 8);
  }
  const PolyhedronData& other = standing_.body(item.other);
  if (item.kind == BallItem::Kind::edge_edge) {
    const auto& [i, j] = data.edges[item.a];
    const auto& [k, l] = other.edges[item.b];
    const Vec3 p0 = placed_[i], p1 = placed_[j], f0 = other.vertices[k], f1 = other.vertices[l];
    // Balls around both, of twice the size: most pairs are far apart.
    const double rho = std::max(moving_.rho_hi(i), moving_.rho_hi(j));
    const double reach = 2 * (R_ * rho + radii.most);
    const Vec3 between = (p0 + p1) - (f0 + f1);
    const double spans = std::sqrt(squared_norm(p1 - p0)) + std::sqrt(squared_norm(f1 - f0));
    const double apart = inflate(spans + reach, 16);
    if (squared_norm(between) * (1 - 16 * kU) > inflate(apart * apart, 2)) return true;
    return edge_is_clear(p0, p1, moving_.on_edge(item.a), radii.growth, f0, f1);
  }
  if (item.kind == BallItem::Kind::vertex_face) {
    const FaceData& face = other.faces[item.b];
    const double rho = moving_.rho_hi(item.a);
    return ball_is_clear(
        place_face(other.vertices[face.anchors[0]], other.vertices[face.anchors[1]],
                   other.vertices[face.anchors[2]], face.lambda),
        corners_of(other, face), placed_[item.a],
        inflate(radii.growth.scale * (rho * rho) + radii.growth.constant, 4));
  }
  if (item.kind == BallItem::Kind::face_vertex) {
    const FaceData& face = data.faces[item.a];
    return face_is_clear(place_face(placed_[face.anchors[0]], placed_[face.anchors[1]],
                                    placed_[face.anchors[2]], face.lambda),
                         corners_of(data, face), moving_.on_face(item.a), radii.growth,
                         other.vertices[item.b]);
  }
  return false;
}

}  // namespace keepclear
