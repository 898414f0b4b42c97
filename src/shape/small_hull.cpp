// SPDX-License-Identifier: BSD-3-Clause
#include "shape/small_hull.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

namespace keepclear {
namespace {

/// Shares of the size: what is nearer to a facet counts as on it, and a set that is no wider across
/// a line or a plane as on that. Far apart, so that a solid has facets worth the name.
constexpr double kOnFacet = 1e-10;
constexpr double kFlat = 1e-7;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Weights of the point of triangle abc next to p, by the region of its plane that p is above.
std::array<double, 3> nearest_in_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vec3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double t = d1 / (d1 - d3);
    return {1 - t, t, 0};
  }
  const Vec3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double t = d2 / (d2 - d6);
    return {1 - t, 0, t};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - t, t};
  }
  const double sum = va + vb + vc;
  return {va / sum, vb / sum, vc / sum};
}

Vec3 unit_or(Vec3 v, Vec3 otherwise) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : otherwise;
}

}  // namespace

/// Builds the hull point by point: what a new point sees of the surface goes, and the rim of that
/// is joined to the point. The surface stays closed throughout.
class SmallHullBuilder {
 public:
  SmallHullBuilder(SmallHull& hull, std::vector<std::uint32_t>& facet_of_edge)
      : h_(hull), facet_of_edge_(facet_of_edge), p_(hull.points_) {}

  void build() {
    h_.facets_.clear();
    h_.edges_.clear();
    h_.dimension_ = 0;
    const auto count = static_cast<std::uint32_t>(p_.size());
    if (count == 0) return;
    const std::uint32_t a = farthest([&](Vec3 x) { return squared_norm(x - p_[0]); });
    const std::uint32_t b = farthest([&](Vec3 x) { return squared_norm(x - p_[a]); });
    const double size = norm(p_[b] - p_[a]);
    if (!(size > 0)) return;
    h_.dimension_ = 1;
    const Vec3 along = (1 / size) * (p_[b] - p_[a]);
    const auto aside = [&](Vec3 x) { return (x - p_[a]) - dot(x - p_[a], along) * along; };
    const std::uint32_t c = farthest([&](Vec3 x) { return squared_norm(aside(x)); });
    if (!(norm(aside(p_[c])) > kFlat * size)) {
      h_.edges_.push_back({a, b, 0, 0});
      return;
    }
    const Vec3 normal = unit_or(cross(along, aside(p_[c])), {});
    const auto height = [&](Vec3 x) { return dot(x - p_[a], normal); };
    const std::uint32_t d = farthest([&](Vec3 x) { return std::abs(height(x)); });
    h_.size_ = size;
    eps_ = kOnFacet * size;
    facet_of_edge_.assign(std::size_t{count} * count, kNone);
    if (!(std::abs(height(p_[d])) > kFlat * size)) {
      h_.dimension_ = 2;
      build_flat(along, cross(normal, along), normal);
      if (h_.facets_.empty()) {  // as thin as that
        h_.dimension_ = 1;
        h_.edges_.push_back({a, b, 0, 0});
        return;
      }
    } else {
      h_.dimension_ = 3;
      build_solid(a, b, c, d, height(p_[d]) > 0);
    }
    collect_edges();
  }

 private:
  template <typename Measure>
  std::uint32_t farthest(const Measure& measure) const {
    std::uint32_t best = 0;
    double most = -1;
    for (std::uint32_t i = 0; i < p_.size(); ++i) {
      const double value = measure(p_[i]);
      if (value > most) {
        most = value;
        best = i;
      }
    }
    return best;
  }

  std::uint32_t& facet_of(std::uint32_t a, std::uint32_t b) {
    return facet_of_edge_[a * p_.size() + b];
  }

  /// `otherwise` is the normal of a facet without an area.
  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c, Vec3 otherwise) {
    const auto index = static_cast<std::uint32_t>(h_.facets_.size());
    const Vec3 normal = unit_or(cross(p_[b] - p_[a], p_[c] - p_[a]), otherwise);
    h_.facets_.push_back({{a, b, c}, normal, dot(normal, p_[a])});
    facet_of(a, b) = facet_of(b, c) = facet_of(c, a) = index;
  }

  void build_solid(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d, bool above) {
    if (above) std::swap(b, c);  // d is to be behind abc
    for (const auto& [i, j, k] : {std::array{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}}) {
      add(i, j, k, {0, 0, 1});
    }
    // The farthest out first: those between them then lie within rounding of what is there, and
    // leave no slivers, whose normals would be anything.
    Vec3 middle;
    for (const Vec3& p : p_) middle = middle + p;
    middle = (1 / static_cast<double>(p_.size())) * middle;
    order_.clear();
    for (std::uint32_t i = 0; i < p_.size(); ++i) {
      if (i != a && i != b && i != c && i != d)
        order_.emplace_back(squared_norm(p_[i] - middle), i);
    }
    std::sort(order_.begin(), order_.end(), std::greater<>());
    for (const auto& [far, i] : order_) insert(i);
    // What was seen and is gone.
    std::size_t kept = 0;
    for (const SmallHull::Facet& facet : h_.facets_) {
      if (facet.v[0] != kNone) h_.facets_[kept++] = facet;
    }
    h_.facets_.resize(kept);
    std::fill(facet_of_edge_.begin(), facet_of_edge_.end(), kNone);
    for (std::uint32_t f = 0; f < kept; ++f) {
      const auto& v = h_.facets_[f].v;
      facet_of(v[0], v[1]) = facet_of(v[1], v[2]) = facet_of(v[2], v[0]) = f;
    }
  }

  /// What i sees, from the facet it is highest above outwards: one patch, whatever rounding says of
  /// facets elsewhere. If its rim is not one ring, the point is within rounding of the surface and
  /// is passed over.
  void insert(std::uint32_t i) {
    const Vec3 x = p_[i];
    const auto height = [&](std::uint32_t f) {
      return dot(h_.facets_[f].normal, x) - h_.facets_[f].offset;
    };
    const auto count = static_cast<std::uint32_t>(h_.facets_.size());
    std::uint32_t top = kNone;
    double highest = eps_;
    for (std::uint32_t f = 0; f < count; ++f) {
      if (h_.facets_[f].v[0] == kNone) continue;
      const double here = height(f);
      if (here > highest) {
        highest = here;
        top = f;
      }
    }
    if (top == kNone) return;
    seen_.assign(count, 0);
    patch_.assign(1, top);
    seen_[top] = 1;
    rim_.clear();
    for (std::size_t next = 0; next < patch_.size(); ++next) {
      const auto v = h_.facets_[patch_[next]].v;
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t beyond = facet_of(v[(k + 1) % 3], v[k]);
        // What lies in one plane with the point goes too: else the new facets would fold over it.
        if (seen_[beyond] || !(height(beyond) > -eps_)) continue;
        seen_[beyond] = 1;
        patch_.push_back(beyond);
      }
    }
    starts_.assign(p_.size(), 0);
    for (const std::uint32_t f : patch_) {
      const auto v = h_.facets_[f].v;
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t a = v[k], b = v[(k + 1) % 3];
        const std::uint32_t beyond = facet_of(b, a);
        if (seen_[beyond]) continue;
        if (starts_[a]++ > 0) return;
        rim_.push_back({a, b, beyond});
      }
    }
    if (rim_.size() < 3) return;
    for (const std::uint32_t f : patch_) h_.facets_[f].v[0] = kNone;
    for (const auto& [a, b, beyond] : rim_) add(a, b, i, h_.facets_[beyond].normal);
  }

  /// The polygon of a flat set by a monotone chain, as a fan of triangles on each side.
  void build_flat(Vec3 along, Vec3 side, Vec3 normal) {
    std::vector<std::uint32_t> order(p_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto u = [&](std::uint32_t i) { return dot(p_[i] - p_[0], along); };
    const auto v = [&](std::uint32_t i) { return dot(p_[i] - p_[0], side); };
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
      return u(i) != u(j) ? u(i) < u(j) : v(i) < v(j);
    });
    std::vector<std::uint32_t> ring;
    const auto turn = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
      return (u(j) - u(i)) * (v(k) - v(i)) - (v(j) - v(i)) * (u(k) - u(i));
    };
    const auto chain = [&](auto begin, auto end) {
      const std::size_t floor = ring.size() + 1;
      for (auto i = begin; i != end; ++i) {
        while (ring.size() > floor && !(turn(ring[ring.size() - 2], ring.back(), *i) > 0)) {
          ring.pop_back();
        }
        ring.push_back(*i);
      }
      ring.pop_back();
    };
    chain(order.begin(), order.end());
    chain(order.rbegin(), order.rend());
    if (ring.size() < 3) return;
    for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
      add(ring[0], ring[i], ring[i + 1], normal);
      add(ring[0], ring[i + 1], ring[i], -1 * normal);
    }
    // The sides share their diagonals, so each takes the outer edges of its own alone.
    std::fill(facet_of_edge_.begin(), facet_of_edge_.end(), kNone);
    const auto facet = [&](std::size_t i) {
      return static_cast<std::uint32_t>(2 * std::clamp<std::size_t>(i, 1, ring.size() - 2) - 2);
    };
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const std::uint32_t a = ring[i], b = ring[(i + 1) % ring.size()];
      facet_of(a, b) = facet(i);
      facet_of(b, a) = facet(i) + 1;
    }
  }

  void collect_edges() {
    for (std::uint32_t f = 0; f < h_.facets_.size(); ++f) {
      const auto& v = h_.facets_[f].v;
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t a = v[k], b = v[(k + 1) % 3];
        const std::uint32_t left = facet_of(a, b), right = facet_of(b, a);
        if (a < b && left == f && right != kNone) h_.edges_.push_back({a, b, left, right});
      }
    }
  }

  SmallHull& h_;
  std::vector<std::uint32_t>& facet_of_edge_;
  const std::vector<Vec3>& p_;
  std::vector<std::pair<double, std::uint32_t>> order_;
  std::vector<char> seen_, starts_;
  std::vector<std::uint32_t> patch_;
  std::vector<std::array<std::uint32_t, 3>> rim_;
  double eps_ = 0;
};

SmallHull::SmallHull(std::span<const Vec3> points) {
  assign(points);
}

void SmallHull::assign(std::span<const Vec3> points) {
  points_.assign(points.begin(), points.end());
  SmallHullBuilder(*this, facet_of_edge_).build();
}

std::vector<Vec3> SmallHull::corners() const {
  std::vector<char> used(points_.size(), 0);
  for (const Facet& facet : facets_) {
    for (const std::uint32_t v : facet.v) used[v] = 1;
  }
  for (const Edge& edge : edges_) used[edge.a] = used[edge.b] = 1;
  if (dimension_ == 0 && !used.empty()) used[0] = 1;
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (used[i]) kept.push_back(points_[i]);
  }
  return kept;
}

SmallHull::Nearest SmallHull::nearest(Vec3 p) const {
  Nearest result;
  if (dimension_ == 0) {
    result.weight = {1, 0, 0};
    result.distance = norm(p - points_[0]);
    result.direction = unit_or(p - points_[0], {0, 0, 1});
    return result;
  }
  if (dimension_ == 1) {
    const auto [a, b, left, right] = edges_[0];
    const Vec3 ab = points_[b] - points_[a];
    const double t = std::clamp(dot(p - points_[a], ab) / squared_norm(ab), 0.0, 1.0);
    const Vec3 away = (p - points_[a]) - t * ab;
    const Vec3 across = std::abs(ab.x) < 0.6 * norm(ab) ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    result.v = {a, b, b};
    result.weight = {1 - t, t, 0};
    result.distance = norm(away);
    result.direction = unit_or(away, unit_or(cross(ab, across), {0, 0, 1}));
    return result;
  }
  // Outside, the nearest triangle is among those that p sees, or nearly so: of triangles in one
  // plane rounding decides which are seen. Inside, it may be any.
  double highest = -std::numeric_limits<double>::infinity();
  for (const Facet& f : facets_) highest = std::max(highest, dot(f.normal, p) - f.offset);
  const bool inside = dimension_ == 3 && !(highest > 0);
  result.distance = std::numeric_limits<double>::infinity();
  for (const Facet& f : facets_) {
    const double height = dot(f.normal, p) - f.offset;
    if (std::abs(height) >= result.distance) continue;
    if (dimension_ == 3 && !inside && height < -100 * kOnFacet * size_) continue;
    const Vec3 a = points_[f.v[0]], b = points_[f.v[1]], c = points_[f.v[2]];
    const auto w = nearest_in_triangle(p, a, b, c);
    const Vec3 away = p - (w[0] * a + w[1] * b + w[2] * c);
    const double distance = norm(away);
    if (distance >= result.distance) continue;
    const bool on_it = inside || distance < kOnFacet * size_;
    result = {distance, on_it ? f.normal : (1 / distance) * away, f.v, w};
  }
  if (inside) result.distance = -result.distance;
  return result;
}

double SmallHull::volume(double radius) const {
  using std::numbers::pi;
  const double r = radius;
  const double ball = 4.0 / 3.0 * pi * r * r * r;
  if (dimension_ == 0) return ball;
  if (dimension_ == 1) {
    return ball + pi * r * r * norm(points_[edges_[0].b] - points_[edges_[0].a]);
  }
  double inside = 0, area = 0, bend = 0;
  const Vec3 o = points_[0];
  for (const Facet& f : facets_) {
    const Vec3 a = points_[f.v[0]] - o, b = points_[f.v[1]] - o, c = points_[f.v[2]] - o;
    inside += dot(a, cross(b, c));
    area += norm(cross(b - a, c - a));
  }
  for (const Edge& e : edges_) {
    const Vec3 n = facets_[e.left].normal, m = facets_[e.right].normal;
    bend += norm(points_[e.b] - points_[e.a]) * std::atan2(norm(cross(n, m)), dot(n, m));
  }
  return inside / 6 + r * area / 2 + r * r * bend / 2 + ball;
}

void SmallHull::gradient(double radius, std::span<Vec3> by_point, double& by_radius) const {
  using std::numbers::pi;
  const double r = radius;
  std::fill(by_point.begin(), by_point.end(), Vec3{});
  by_radius = 4 * pi * r * r;
  if (dimension_ == 0) return;
  if (dimension_ == 1) {
    const auto [a, b, left, right] = edges_[0];
    const double length = norm(points_[b] - points_[a]);
    const Vec3 along = (1 / length) * (points_[b] - points_[a]);
    by_point[b] = pi * r * r * along;
    by_point[a] = -1 * by_point[b];
    by_radius += 2 * pi * r * length;
    return;
  }
  // The surface moves by what its points move: of a facet each vertex a third, of the cylinder
  // around an edge each end a half, of the sphere around a vertex all.
  for (const Facet& f : facets_) {
    const double area =
        norm(cross(points_[f.v[1]] - points_[f.v[0]], points_[f.v[2]] - points_[f.v[0]])) / 2;
    by_radius += area;
    for (const std::uint32_t v : f.v) by_point[v] = by_point[v] + (area / 3) * f.normal;
  }
  for (const Edge& e : edges_) {
    const Vec3 n = facets_[e.left].normal, m = facets_[e.right].normal;
    const double length = norm(points_[e.b] - points_[e.a]);
    if (!(length > 0)) continue;
    const Vec3 along = (1 / length) * (points_[e.b] - points_[e.a]);
    const double angle = std::atan2(norm(cross(n, m)), dot(n, m));
    by_radius += r * length * angle;
    const Vec3 side = (r * length / 2) * cross(along, n - m);
    const Vec3 tip = (r * r * angle / 2) * along;
    by_point[e.a] = by_point[e.a] + side - tip;
    by_point[e.b] = by_point[e.b] + side + tip;
  }
}

}  // namespace keepclear
