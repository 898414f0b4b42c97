// SPDX-License-Identifier: BSD-3-Clause
#include "certify/ball_static.hpp"

#include <algorithm>
#include <cmath>

#include "distance/closed_forms.hpp"
#include "rounding/infinity.hpp"
#include "rounding/rounding.hpp"
#include "shape/surface.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::kU;

bool has_closed_part(const PolyhedronData& data) noexcept {
  return std::any_of(data.shells.begin(), data.shells.end(),
                     [](const PolyhedronShell& shell) { return shell.closed; });
}

enum class Sign { minus, unsure, plus };

/// The sign of the volume of abcd, for all points within `noise` of these.
Sign volume_sign(Vec3 a, Vec3 b, Vec3 c, Vec3 d, double noise) noexcept {
  const Vec3 x = b - a, y = c - a, z = d - a;
  const double volume = dot(cross(x, y), z);
  // Three factors, each off by twice the noise, and no longer than this with it.
  const double lx = rounding::norm_hi(x) + 2 * noise, ly = rounding::norm_hi(y) + 2 * noise,
               lz = rounding::norm_hi(z) + 2 * noise;
  const double error =
      inflate(2 * noise * (ly * lz + lx * lz + lx * ly) + gamma(16) * (lx * ly * lz), 24) + 1e-290;
  if (volume > error) return Sign::plus;
  return volume < -error ? Sign::minus : Sign::unsure;
}

/// Whether the segment pq meets the triangle t, for all points within `noise` of these. A touch of
/// the border counts as unsure. Up: along the normal of t.
enum class Crossing { no, unsure, yes_up, yes_down };
Crossing crossing(Vec3 p, Vec3 q, const Vec3* t, double noise) noexcept {
  const Sign at_p = volume_sign(t[0], t[1], t[2], p, noise);
  const Sign at_q = volume_sign(t[0], t[1], t[2], q, noise);
  if (at_p == at_q && at_p != Sign::unsure) return Crossing::no;
  int minus = 0, plus = 0;
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {2, 0}}) {
    const Sign side = volume_sign(p, q, t[i], t[j], noise);
    minus += side == Sign::minus, plus += side == Sign::plus;
  }
  if (minus > 0 && plus > 0) return Crossing::no;
  const bool between = at_p != Sign::unsure && at_q != Sign::unsure;
  if (!between || (minus != 3 && plus != 3)) return Crossing::unsure;
  return at_p == Sign::minus ? Crossing::yes_up : Crossing::yes_down;
}

/// True if a direction separates two triangles for all points within `noise` of theirs.
bool separated(const Vec3* a, const Vec3* b, double noise) noexcept {
  const Vec3 edges_a[] = {a[1] - a[0], a[2] - a[1], a[0] - a[2]};
  const Vec3 edges_b[] = {b[1] - b[0], b[2] - b[1], b[0] - b[2]};
  const auto apart_along = [&](Vec3 n) {
    // From a corner of A, so that what rounds is as small as the triangles and their distance.
    double most_a = 0, least_b = 0, most_b = 0, size = 0;
    for (int i = 0; i < 3; ++i) {
      const Vec3 to_a = a[i] - a[0], to_b = b[i] - a[0];
      const double on_a = dot(n, to_a), on_b = dot(n, to_b);
      most_a = std::max(most_a, on_a);
      least_b = i == 0 ? on_b : std::min(least_b, on_b);
      most_b = i == 0 ? on_b : std::max(most_b, on_b);
      size = std::max({size, rounding::span_hi(to_a), rounding::span_hi(to_b)});
    }
    double least_a = 0;
    for (int i = 1; i < 3; ++i) least_a = std::min(least_a, dot(n, a[i] - a[0]));
    const double off = inflate(rounding::norm_hi(n) * (4 * noise + gamma(16) * size), 8) + 1e-290;
    return least_b - most_a > off || least_a - most_b > off;
  };
  const Vec3 middle_a = a[0] + a[1] + a[2], middle_b = b[0] + b[1] + b[2];
  if (apart_along((1.0 / 3) * (middle_b - middle_a))) return true;
  const Vec3 n_a = cross(edges_a[0], edges_a[1]), n_b = cross(edges_b[0], edges_b[1]);
  if (apart_along(n_a) || apart_along(n_b)) return true;
  for (const Vec3 e : edges_a) {
    for (const Vec3 f : edges_b) {
      if (apart_along(cross(e, f))) return true;
    }
  }
  for (const Vec3 e : edges_a) {
    if (apart_along(cross(n_a, e)) || apart_along(e)) return true;
  }
  for (const Vec3 f : edges_b) {
    if (apart_along(cross(n_b, f)) || apart_along(f)) return true;
  }
  // Segments and points have normals of their own.
  const NearestPoints near = nearest_of_segments(a[0], a[1], b[0], b[1]);
  return apart_along(near.p_b - near.p_a);
}

}  // namespace

void StaticTests::place(const DisplacementBall& at, int other) noexcept {
  placed_.place(at.centre);
  // Singular values are at least the root of 1 - |A^T A - 1|; a ball of this radius stays round.
  // Where that is positive no entry is above 2, and entries of A^T A - 1 are off by less than 64u,
  // their norm by less than 200u: 3e-14, far less than the 1e-12 that is taken off.
  const Mat3 p = transpose(at.centre.A) * at.centre.A;
  const double off =
      std::sqrt(squared_norm(p.row0 - Vec3{1, 0, 0}) + squared_norm(p.row1 - Vec3{0, 1, 0}) +
                squared_norm(p.row2 - Vec3{0, 0, 1}));
  round_lo_ = standing_.radius() * std::sqrt(std::max(0.0, 1 - off - 1e-12)) * (1 - 1e-12);
  stretch_hi_ = rounding::stretch_hi(at.centre.A);
  const double reach = stretch_hi_ * moving_.reach_hi() + rounding::span_hi(at.centre.a);
  const Standing::Other& standing = standing_.other(other);
  const double own = moving_.data().error * (stretch_hi_ + at.radius * moving_.rho_slope_hi()) +
                     at.radius * moving_.largest_rho_hi();
  noise_ = inflate(own + standing.error_hi + 64 * kU * (reach + standing.reach_hi), 16);
}

void StaticTests::list_triangles(const PolyhedronNode& node, bool moving,
                                 const PolyhedronData& data, std::vector<Triangle>& list) {
  list.clear();
  const auto at = [&](std::uint32_t v) { return moving ? placed_[v] : data.vertices[v]; };
  for (std::uint32_t f = node.first_face; f < node.last_face; ++f) {
    const FaceData& face = data.faces[data.leaf_faces[f]];
    for (std::uint32_t t = face.first; t < face.last; ++t) {
      const auto& [i, j, k] = data.triangles[t];
      list.push_back({{at(i), at(j), at(k)}});
    }
  }
  // An edge of a face is in it; another may pierce something.
  for (std::uint32_t e = node.first_edge; e < node.last_edge; ++e) {
    const auto& [i, j] = data.edges[data.leaf_edges[e]];
    if (data.is_loose[data.leaf_edges[e]] == 0 || i == j) continue;
    list.push_back({{at(i), at(j), at(j)}});
  }
}

Verdict StaticTests::leaf_surfaces(const PolyhedronNode& a, const PolyhedronNode& b, int other) {
  list_triangles(a, true, moving_.data(), triangles_a_);
  list_triangles(b, false, standing_.body(other), triangles_b_);
  Verdict all = Verdict::free;
  for (const Triangle& ta : triangles_a_) {
    for (const Triangle& tb : triangles_b_) {
      ++tests_;
      if (separated(ta.p, tb.p, noise_)) continue;
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (crossing(ta.p[i], ta.p[j], tb.p, noise_) >= Crossing::yes_up ||
            crossing(tb.p[i], tb.p[j], ta.p, noise_) >= Crossing::yes_up) {
          return Verdict::contact;
        }
      }
      all = Verdict::undecided;
    }
  }
  return all;
}

Verdict StaticTests::surfaces(int other) {
  const PolyhedronData &data_a = moving_.data(), &data_b = standing_.body(other);
  Verdict all = Verdict::free;
  if (data_a.nodes.empty() || data_b.nodes.empty()) return all;
  stack_.assign(1, {0, 0});
  while (!stack_.empty()) {
    const auto [i, j] = stack_.back();
    stack_.pop_back();
    const PolyhedronNode &a = data_a.nodes[i], &b = data_b.nodes[j];
    const double size_a = stretch_hi_ * a.radius_hi;
    const Vec3 between = placed_.displacement() * a.centre - b.centre;
    const double reach = size_a + b.radius_hi + 2 * noise_;
    if (squared_norm(between) * (1 - 16 * kU) > inflate(reach * reach, 16)) continue;
    if (a.child == 0 && b.child == 0) {
      const Verdict here = leaf_surfaces(a, b, other);
      if (here == Verdict::contact) return here;
      if (here == Verdict::undecided) all = here;
    } else if (b.child == 0 || (a.child != 0 && size_a >= b.radius_hi)) {
      stack_.push_back({a.child, j});
      stack_.push_back({a.child + 1, j});
    } else {
      stack_.push_back({i, b.child});
      stack_.push_back({i, b.child + 1});
    }
  }
  return all;
}

bool StaticTests::count_crossings(Vec3 p, Vec3 q, bool in_moving, const PolyhedronData& data) {
  crossings_.assign(data.shells.size(), {});
  const double stretch = in_moving ? stretch_hi_ : 1;
  const auto off_segment = [&](Vec3 c) {
    const Vec3 d = q - p;
    const double t = std::clamp(dot(c - p, d) / squared_norm(d), 0.0, 1.0);
    return norm(c - (p + t * d));
  };
  node_stack_.assign(1, 0);
  while (!node_stack_.empty()) {
    const PolyhedronNode& node = data.nodes[node_stack_.back()];
    node_stack_.pop_back();
    ++tests_;
    const Vec3 centre = in_moving ? placed_.displacement() * node.centre : node.centre;
    const double reach = inflate(stretch * node.radius_hi + 4 * noise_, 8);
    // The parameter of the nearest point is off by less than 16u |c - p| / |d|, so the point by
    // less than 16u |c - p|, and the distance by as much and a few roundings of coordinates:
    // together less than the 64u of all sizes that are in the noise, four times of which are in
    // `reach`.
    if (off_segment(centre) > reach) continue;
    if (node.child != 0) {
      node_stack_.push_back(node.child);
      node_stack_.push_back(node.child + 1);
      continue;
    }
    for (std::uint32_t f = node.first_face; f < node.last_face; ++f) {
      const FaceData& face = data.faces[data.leaf_faces[f]];
      if (!data.shells[face.shell].closed) continue;
      for (std::uint32_t t = face.first; t < face.last; ++t) {
        Vec3 corners[3];
        for (std::size_t i = 0; i < 3; ++i) {
          const std::uint32_t v = data.triangles[t][i];
          corners[i] = in_moving ? placed_[v] : data.vertices[v];
        }
        ++tests_;
        const Crossing meets = crossing(p, q, corners, noise_);
        if (meets == Crossing::unsure) return false;
        if (meets == Crossing::no) continue;
        Crossings& shell = crossings_[face.shell];
        ++shell.all;
        shell.winding += (meets == Crossing::yes_up) == face.turned ? 1 : -1;
      }
    }
  }
  return true;
}

Verdict StaticTests::is_inside(Vec3 p, bool in_moving, const PolyhedronData& data, double size) {
  // Rays that no edge is likely to meet; any will do.
  static constexpr Vec3 kRays[] = {
      {0.8191, 0.4277, 0.3827},    {-0.3391, 0.8823, -0.3268}, {0.2219, -0.5717, 0.7899},
      {-0.6527, -0.3911, -0.6489}, {0.4789, 0.1987, -0.8551},  {0.0431, -0.9473, -0.3174},
      {-0.8879, 0.2791, 0.3656},   {0.5623, -0.7331, 0.3827},  {0.0713, 0.1129, 0.9910},
      {0.9871, -0.1213, 0.1047},   {-0.1531, 0.0797, -0.9850}, {0.1123, 0.9897, 0.0891}};
  for (const Vec3 ray : kRays) {
    if (!count_crossings(p, p + size * ray, in_moving, data)) continue;
    int around = 0;
    bool clear = true, doubtful = false;
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
      const Crossings& shell = crossings_[i];
      if (shell.all == 0) continue;
      if (data.shells[i].oriented) {
        around += shell.winding != 0 ? 1 : 0;
      } else {
        // Crossed an even number of times it may go round twice, or not at all.
        around += shell.all % 2;
        doubtful = doubtful || shell.all % 2 == 0;
      }
      clear = false;
    }
    if (clear || (around == 0 && !doubtful)) return Verdict::free;
    // Inside an even number of shells: one of them may bound a hollow of another.
    if (around % 2 == 1 && !doubtful) return Verdict::contact;
    // Another ray may get out.
  }
  return Verdict::undecided;
}

Verdict StaticTests::containment(int other) {
  const PolyhedronData &data_a = moving_.data(), &data_b = standing_.body(other);
  const Vec3 centre_a = placed_.displacement() * data_a.nodes[0].centre;
  const Vec3 centre_b = data_b.nodes[0].centre;
  const double radius_a = stretch_hi_ * data_a.nodes[0].radius_hi + 2 * noise_;
  const double radius_b = data_b.nodes[0].radius_hi + 2 * noise_;
  Verdict all = Verdict::free;
  const auto look = [&](Vec3 p, bool in_moving) {
    const Vec3 centre = in_moving ? centre_a : centre_b;
    const double radius = in_moving ? radius_a : radius_b;
    if (norm(p - centre) * (1 - 16 * kU) > inflate(radius, 4)) return false;
    const Verdict here = is_inside(p, in_moving, in_moving ? data_a : data_b, 4 * radius);
    if (here != Verdict::free) all = here;
    return here == Verdict::contact;
  };
  if (has_closed_part(data_b)) {
    for (const PolyhedronPart& part : data_a.parts) {
      if (look(placed_[part.vertex], false)) return all;
    }
  }
  if (has_closed_part(data_a)) {
    for (const PolyhedronPart& part : data_b.parts) {
      if (look(data_b.vertices[part.vertex], true)) return all;
    }
  }
  return all;
}

bool StaticTests::share_a_point(int other) {
  const PolyhedronData &data_a = moving_.data(), &data_b = standing_.body(other);
  if (!has_closed_part(data_a) || !has_closed_part(data_b)) return false;
  Box box{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
  const auto cut = [&](const PolyhedronData& data, bool moving) {
    Vec3 lo{kInfinity, kInfinity, kInfinity}, hi{-kInfinity, -kInfinity, -kInfinity};
    for (std::uint32_t v = 0; v < data.vertices.size(); ++v) {
      const Vec3 p = moving ? placed_[v] : data.vertices[v];
      lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
      hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
    }
    box.lo = {std::max(box.lo.x, lo.x), std::max(box.lo.y, lo.y), std::max(box.lo.z, lo.z)};
    box.hi = {std::min(box.hi.x, hi.x), std::min(box.hi.y, hi.y), std::min(box.hi.z, hi.z)};
  };
  cut(data_a, true);
  cut(data_b, false);
  const double size_a = 4 * stretch_hi_ * data_a.nodes[0].radius_hi;
  const double size_b = 4 * data_b.nodes[0].radius_hi;
  // The middle of the box that both reach into, and a few places around it.
  for (const Vec3 share : {Vec3{0.5, 0.5, 0.5}, Vec3{0.31, 0.42, 0.63}, Vec3{0.73, 0.36, 0.41},
                           Vec3{0.44, 0.71, 0.28}, Vec3{0.61, 0.57, 0.77}}) {
    const Vec3 size = box.hi - box.lo;
    const Vec3 p = box.lo + Vec3{share.x * size.x, share.y * size.y, share.z * size.z};
    if (is_inside(p, true, data_a, size_a) == Verdict::contact &&
        is_inside(p, false, data_b, size_b) == Verdict::contact) {
      return true;
    }
  }
  return false;
}

Verdict StaticTests::classify(int other, const DisplacementBall& at) {
  if (!(at.radius < 1e100)) return Verdict::undecided;
  place(at, other);
  if (standing_.is_plane(other)) {
    const Standing::Plane& plane = standing_.plane(other);
    const Standing::Other& standing = standing_.other(other);
    Verdict all = Verdict::free;
    for (std::uint32_t v = 0; v < moving_.data().vertices.size(); ++v) {
      const double out = dot(plane.normal, placed_[v]) - plane.offset;
      const double noise =
          noise_ + 32 * kU * (rounding::span_hi(placed_[v]) + std::fabs(plane.offset));
      if (out + inflate(noise, 8) < standing.still_lo + round_lo_) return Verdict::contact;
      const double apart = standing.apart_hi + standing_.rounder_hi(at.stretch);
      if (!(out > inflate(apart + noise, 8))) all = Verdict::undecided;
    }
    return all;
  }
  if (moving_.data().nodes.empty() || standing_.body(other).nodes.empty()) return Verdict::free;
  const Verdict surface = surfaces(other);
  if (surface == Verdict::free) return containment(other);
  // Faces that lie in one another cross nowhere for certain.
  return surface == Verdict::undecided && share_a_point(other) ? Verdict::contact : surface;
}

StaticTests::Nearest StaticTests::nearest_elements(const BallItem& item) {
  const PolyhedronData& data = moving_.data();
  Nearest found;
  const auto take = [&](Vec3 p, Vec3 y) {
    const double d = norm(p - y);
    if (d < found.distance) found = {d, 0.5 * (p + y)};
  };
  if (item.kind == BallItem::Kind::vertex_plane) {
    const Standing::Plane& plane = standing_.plane(item.other);
    const Vec3 p = placed_[item.a];
    const double out = dot(plane.normal, p) - plane.offset;
    return {std::max(out, 0.0), p - out * plane.normal};
  }
  const PolyhedronData& other = standing_.body(item.other);
  if (item.kind == BallItem::Kind::edge_edge) {
    const auto& [i, j] = data.edges[item.a];
    const auto& [k, l] = other.edges[item.b];
    const NearestPoints near =
        nearest_of_segments(placed_[i], placed_[j], other.vertices[k], other.vertices[l]);
    take(near.p_a, near.p_b);
  } else if (item.kind == BallItem::Kind::vertex_face) {
    const FaceData& face = other.faces[item.b];
    for (std::uint32_t t = face.first; t < face.last; ++t) {
      const auto& [i, j, k] = other.triangles[t];
      take(placed_[item.a], nearest_on_triangle(placed_[item.a], other.vertices[i],
                                                other.vertices[j], other.vertices[k]));
    }
  } else if (item.kind == BallItem::Kind::face_vertex) {
    const FaceData& face = data.faces[item.a];
    const Vec3 y = other.vertices[item.b];
    for (std::uint32_t t = face.first; t < face.last; ++t) {
      const auto& [i, j, k] = data.triangles[t];
      take(nearest_on_triangle(y, placed_[i], placed_[j], placed_[k]), y);
    }
  }
  return found;
}

StaticTests::Nearest StaticTests::nearest(const BallItem& item, const Affine& g) {
  placed_.place(g);
  return nearest_elements(item);
}

bool StaticTests::too_near(const BallItem& item, const DisplacementBall& at) {
  if (!(at.radius < 1e100)) return false;
  if (item.kind == BallItem::Kind::nodes || item.kind == BallItem::Kind::node_plane) return false;
  place(at, item.other);
  const double limit = (standing_.other(item.other).still_lo + round_lo_) * (1 - 4 * kU);
  if (!(limit > 0)) return false;
  // Points of both were found, so that the real distance is no more than theirs and what they are
  // off by: four times the noise, for faces are spanned by three corners.
  const Nearest near = nearest_elements(item);
  return near.distance + inflate(8 * noise_, 8) < limit;
}

StaticTests::Nearest StaticTests::nearest(int other, const Affine& g, double beyond) {
  placed_.place(g);
  stretch_hi_ = rounding::stretch_hi(g.A);
  Nearest best;
  best.distance = beyond;
  const PolyhedronData& data_a = moving_.data();
  const auto take = [&](const BallItem& item) {
    const Nearest near = nearest_elements(item);
    if (near.distance < best.distance) best = near;
  };
  if (standing_.is_plane(other)) {
    for (std::uint32_t v = 0; v < data_a.vertices.size(); ++v) {
      take({BallItem::Kind::vertex_plane, other, v, 0});
    }
    return best;
  }
  const PolyhedronData& data_b = standing_.body(other);
  if (data_a.nodes.empty() || data_b.nodes.empty()) return best;
  stack_.assign(1, {0, 0});
  while (!stack_.empty()) {
    const auto [i, j] = stack_.back();
    stack_.pop_back();
    const PolyhedronNode &a = data_a.nodes[i], &b = data_b.nodes[j];
    const auto apart = [&](const PolyhedronNode& x, const PolyhedronNode& y) {
      return norm(g * x.centre - y.centre) - stretch_hi_ * x.radius_hi - y.radius_hi;
    };
    if (apart(a, b) >= best.distance) continue;
    if (a.child == 0 && b.child == 0) {
      for (std::uint32_t x = a.first_vertex; x < a.last_vertex; ++x) {
        for (std::uint32_t y = b.first_face; y < b.last_face; ++y) {
          take({BallItem::Kind::vertex_face, other, data_a.leaf_vertices[x], data_b.leaf_faces[y]});
        }
      }
      for (std::uint32_t x = a.first_edge; x < a.last_edge; ++x) {
        for (std::uint32_t y = b.first_edge; y < b.last_edge; ++y) {
          take({BallItem::Kind::edge_edge, other, data_a.leaf_edges[x], data_b.leaf_edges[y]});
        }
      }
      for (std::uint32_t x = a.first_face; x < a.last_face; ++x) {
        for (std::uint32_t y = b.first_vertex; y < b.last_vertex; ++y) {
          take({BallItem::Kind::face_vertex, other, data_a.leaf_faces[x], data_b.leaf_vertices[y]});
        }
      }
      continue;
    }
    const bool divide_a = b.child == 0 || (a.child != 0 && a.radius_hi >= b.radius_hi);
    std::pair<std::uint32_t, std::uint32_t> first{divide_a ? a.child : i, divide_a ? j : b.child};
    std::pair<std::uint32_t, std::uint32_t> second{divide_a ? a.child + 1 : i,
                                                   divide_a ? j : b.child + 1};
    // The nearer of the two is looked at first.
    if (apart(data_a.nodes[second.first], data_b.nodes[second.second]) <
        apart(data_a.nodes[first.first], data_b.nodes[first.second])) {
      std::swap(first, second);
    }
    stack_.push_back(second);
    stack_.push_back(first);
  }
  return best;
}

}  // namespace keepclear
