// SPDX-License-Identifier: BSD-3-Clause
//
// qhull proposes vertices and facets; nothing of what it says is believed. For every other input
// point we write down a convex combination of vertices and bound, rounding included, how far the
// point is from it. A point without such a certificate becomes a vertex itself. The argument is in
// docs/theory/hull.md.
#include "shape/hull.hpp"

#include <libqhull_r/qhull_ra.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <optional>
#include <set>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/certificate.hpp"

namespace keepclear {
namespace {

using Triangle = std::array<std::uint32_t, 3>;
using Edge = std::array<std::uint32_t, 2>;
namespace bound = rounding;
using namespace certificate;  // NOLINT(google-build-using-namespace)

/// Relative to the largest extent. A set thinner than this is taken as flat, and a point this near
/// to the hull is covered by `excess` instead of becoming a vertex: below a picometre for a part of
/// a metre, a thousand times the rounding that makes coplanar points look proud of their facet.
constexpr double kThin = 0x1p-40;

/// The points, each once, in coordinates about their middle and of size near one: scaled by a power
/// of two and shifted, so that neither a far-off frame nor huge numbers hurt.
struct LocalPoints {
  std::vector<Vec3> original, local;
  double scale = 1;        ///< local = scale (original - middle), up to `shift_error`
  double size = 0;         ///< largest extent of the local bounding box
  double shift_error = 0;  ///< at least the distance of a local point from its exact image
};

LocalPoints localise(std::span<const Vec3> points) {
  LocalPoints result;
  result.original.assign(points.begin(), points.end());
  const auto less = [](const Vec3& a, const Vec3& b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
  };
  std::sort(result.original.begin(), result.original.end(), less);
  result.original.erase(std::unique(result.original.begin(), result.original.end()),
                        result.original.end());
  Vec3 lo = result.original.front(), hi = lo;
  for (const Vec3& p : result.original) {
    lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
  }
  // Halves first: hi - lo may overflow where hi/2 - lo/2 does not.
  const Vec3 half = 0.5 * hi - 0.5 * lo;
  const Vec3 middle = 0.5 * lo + 0.5 * hi;
  const double reach = std::max({half.x, half.y, half.z});
  if (reach > 0) result.scale = std::ldexp(1.0, std::clamp(-std::ilogb(reach), -1000, 1000));
  const auto& s = result.scale;
  const auto place = [&](double x, double m) { return s * (0.5 * x - 0.5 * m) * 2; };
  double far_hi = 0;
  for (const Vec3& p : result.original) {
    const Vec3 q{place(p.x, middle.x), place(p.y, middle.y), place(p.z, middle.z)};
    result.local.push_back(q);
    far_hi = std::max(far_hi, bound::norm_hi(q));
  }
  // The difference is rounded once, relatively; halving and scaling are exact but for underflow.
  result.shift_error = 2 * bound::kU * far_hi + 8 * bound::kEta * std::max(1.0, s);
  result.size = 2 * s * reach;
  return result;
}

/// What a method proposes: vertices and edges as indices of local points, before the check.
struct Proposal {
  std::vector<std::uint32_t> vertices;  ///< ascending; of a polygon, in order around it
  std::vector<Triangle> facets;         ///< indices of local points, outward
  int dimension = 0;
};

/// qhull's facets of the points, triangulated; nothing when it gives up. Never joggled.
std::optional<Proposal> run_qhull(const std::vector<Vec3>& points) {
  if (points.size() > std::size_t{std::numeric_limits<int>::max()} / 4) return std::nullopt;
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});
  // qhull leaves its error paths by longjmp, caught inside qh_new_qhull: it unwinds C frames alone.
  // Its messages go to a buffer that is thrown away.
  std::array<char, 4096> messages;
  std::FILE* sink = fmemopen(messages.data(), messages.size(), "w");
  if (!sink) throw Error(Error::Kind::internal, "", 0, "out of memory for a hull");
  char options[] = "qhull Qt";
  qhT state;
  qh_zero(&state, sink);
  const int failed = qh_new_qhull(&state, 3, static_cast<int>(points.size()), coordinates.data(),
                                  False, options, nullptr, sink);
  std::optional<Proposal> result;
  if (!failed) {
    result.emplace();
    result->dimension = 3;
    for (facetT* facet = state.facet_list; facet && facet->next; facet = facet->next) {
      Triangle triangle{};
      std::size_t count = 0;
      vertexT *vertex, **vertexp;
      FOREACHvertex_(facet->vertices) {
        const auto id = static_cast<std::uint32_t>((vertex->point - coordinates.data()) / 3);
        if (count < 3) triangle[count] = id;
        ++count;
      }
      if (count != 3) {
        result.reset();
        break;
      }
      const Vec3 a = points[triangle[0]], b = points[triangle[1]], c = points[triangle[2]];
      const Vec3 outward{facet->normal[0], facet->normal[1], facet->normal[2]};
      if (dot(cross(b - a, c - a), outward) < 0) std::swap(triangle[1], triangle[2]);
      result->facets.push_back(triangle);
    }
  }
  int long_count = 0, long_bytes = 0;
  qh_freeqhull(&state, !qh_ALL);
  qh_memfreeshort(&state, &long_count, &long_bytes);
  std::fclose(sink);
  if (!result || result->facets.size() < 4) return std::nullopt;
  for (const Triangle& f : result->facets) {
    result->vertices.insert(result->vertices.end(), f.begin(), f.end());
  }
  auto& vertices = result->vertices;
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return result;
}

/// The hull of points near a plane, by Andrew's monotone chain in the two coordinates that see the
/// plane best: those are input numbers, so equal ones stay equal. The points come sorted.
Proposal flat_hull(const std::vector<Vec3>& points, Vec3 normal) {
  const Vec3 n{std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)};
  const int drop = n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
  const int i = drop == 0 ? 1 : 0, j = drop == 2 ? 1 : 2;
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Vec3 &p = points[a], &q = points[b];
    return p[i] != q[i] ? p[i] < q[i] : p[j] < q[j];
  });
  const auto turns_left = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Vec3 u = points[b] - points[a], v = points[c] - points[a];
    return u[i] * v[j] - u[j] * v[i] > 0;
  };
  Proposal result;
  result.dimension = 2;
  auto& chain = result.vertices;
  for (int side = 0; side < 2; ++side) {
    const std::size_t floor = chain.size();
    for (const std::uint32_t p : order) {
      while (chain.size() >= floor + 2 && !turns_left(chain.end()[-2], chain.back(), p)) {
        chain.pop_back();
      }
      chain.push_back(p);
    }
    chain.pop_back();  // the other side begins with it
    std::reverse(order.begin(), order.end());
  }
  return result;
}

/// The direct certificate for flat proposals: the segment, or the fan of triangles of the polygon.
class FlatCheck {
 public:
  FlatCheck(const std::vector<Vec3>& points, const Proposal& hull) : points_(points), hull_(hull) {}

  /// At least the distance of p from the hull; `near` receives vertices to link p with.
  double distance_hi(Vec3 p, std::vector<std::uint32_t>& near) const {
    const auto& v = hull_.vertices;
    if (v.size() == 1) {
      near = {v[0]};
      return residual_hi(p, {{points_[v[0]], 1}});
    }
    if (v.size() == 2) {
      near = {v[0], v[1]};
      return segment_residual_hi(p, points_[v[0]], points_[v[1]]);
    }
    // The wedge of the fan about v[0] that p lies in, by bisection; its two neighbours as well, in
    // case rounding has put p on the wrong side of a diagonal.
    const Vec3 a = points_[v[0]];
    const Vec3 normal = cross(points_[v[v.size() / 3]] - a, points_[v[2 * v.size() / 3]] - a);
    std::size_t lo = 1, hi = v.size() - 1;
    while (hi - lo > 1) {
      const std::size_t mid = (lo + hi) / 2;
      (dot(cross(points_[v[mid]] - a, p - a), normal) >= 0 ? lo : hi) = mid;
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = lo > 1 ? lo - 1 : lo; k <= lo + 1 && k + 1 < v.size(); ++k) {
      const double r = triangle_residual_hi(p, a, points_[v[k]], points_[v[k + 1]]);
      if (r < best) {
        best = r;
        near = {v[0], v[k], v[k + 1]};
      }
    }
    return best;
  }

 private:
  const std::vector<Vec3>& points_;
  const Proposal& hull_;
};

/// The certificate for solid proposals: the ray from an inner point through p leaves the hull by
/// some facet; p is a combination of the inner point and that facet's corners. The facet is found
/// by walking. That may fail among bad facets, and then all of them are tried.
class SolidCheck {
 public:
  SolidCheck(const std::vector<Vec3>& points, const Proposal& hull, const Spread& spread)
      : points_(points), hull_(hull), spread_(spread) {
    find_inner(spread.normal);
    from_inner_.resize(points.size());
    for (const std::uint32_t v : hull.vertices) from_inner_[v] = spread.shape(points[v] - inner_);
    for (const Triangle& f : hull.facets) {
      const Vec3 a = from_inner_[f[0]];
      const Vec3 n = cross(from_inner_[f[1]] - a, from_inner_[f[2]] - a);
      const double height = dot(n, a);
      const bool usable = height > 0 && std::isfinite(1 / height);
      dual_.push_back(usable ? (1 / height) * n : Vec3{});
    }
    link_facets();
  }

  double distance_hi(Vec3 p, double enough, std::vector<std::uint32_t>& near) {
    const Vec3 ray = spread_.shape(p - inner_);
    last_ = walk(ray);
    std::size_t best_facet = last_;
    double best = facet_distance_hi(p, last_);
    if (best > enough) {
      for (const std::uint32_t next : beside_[last_]) consider(p, next, best, best_facet);
    }
    if (best > enough) {
      double height = 0;
      for (const Vec3& dual : dual_) height = std::max(height, dot(dual, ray));
      for (std::size_t f = 0; f < dual_.size() && best > enough; ++f) {
        // Facets that p is farther inside of cannot be where the ray leaves.
        if (dot(dual_[f], ray) >= (1 - 1e-6) * height) consider(p, f, best, best_facet);
      }
    }
    const Triangle& t = hull_.facets[best_facet];
    near.assign(t.begin(), t.end());
    return best;
  }

 private:
  /// A point well inside and at most inner_error_ away from a convex combination of vertices: the
  /// mean of some vertices, half and half with the middle of the two that are farthest apart across
  /// the thin direction, so that a lone apex cannot be overlooked.
  void find_inner(Vec3 normal) {
    const auto& v = hull_.vertices;
    const auto height = [&](std::uint32_t a) { return dot(points_[a], normal); };
    const auto by_height = [&](std::uint32_t a, std::uint32_t b) { return height(a) < height(b); };
    const auto [low, high] = std::minmax_element(v.begin(), v.end(), by_height);
    const std::size_t count = std::min<std::size_t>(v.size(), 64);
    Vec3 sum;
    double far_hi = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 p = points_[v[i * v.size() / count]];
      sum = sum + p;
      far_hi = std::max(far_hi, bound::norm_hi(p));
    }
    far_hi = std::max({far_hi, bound::norm_hi(points_[*low]), bound::norm_hi(points_[*high])});
    const double n = static_cast<double>(count);
    inner_ = (0.5 / n) * sum + 0.25 * (points_[*low] + points_[*high]);
    // Fewer than 64 + 8 roundings a coordinate, on terms whose sizes sum to at most 2 far.
    inner_error_ = bound::inflate(2 * bound::gamma(80) * far_hi, 8);
  }

  /// From facet to facet across the side that the ray is beyond, seen from the inner point. The
  /// side to begin with changes from step to step, so that no cycle lasts.
  std::size_t walk(Vec3 ray) const {
    std::size_t at = last_;
    for (std::size_t step = 0; step < hull_.facets.size() + 8; ++step) {
      bool crossed = false;
      for (std::size_t i = 0; i < 3 && !crossed; ++i) {
        const std::size_t k = (i + step) % 3;
        const Vec3 a = from_inner_[hull_.facets[at][k]];
        const Vec3 b = from_inner_[hull_.facets[at][(k + 1) % 3]];
        if (dot(cross(a, b), ray) < 0 && beside_[at][k] != at) {
          at = beside_[at][k];
          crossed = true;
        }
      }
      if (!crossed) break;
    }
    return at;
  }

  void link_facets() {
    struct Side {
      Edge edge;
      std::uint32_t facet, side;
    };
    std::vector<Side> sides;
    for (std::uint32_t f = 0; f < hull_.facets.size(); ++f) {
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t a = hull_.facets[f][k], b = hull_.facets[f][(k + 1) % 3];
        sides.push_back({{std::min(a, b), std::max(a, b)}, f, k});
      }
      beside_.push_back({f, f, f});
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
      return a.edge != b.edge ? a.edge < b.edge : a.facet < b.facet;
    });
    for (std::size_t i = 1; i < sides.size(); ++i) {
      const Side &a = sides[i - 1], &b = sides[i];
      if (a.edge != b.edge) continue;
      beside_[a.facet][a.side] = b.facet;
      beside_[b.facet][b.side] = a.facet;
    }
  }

  double facet_distance_hi(Vec3 p, std::size_t facet) const {
    const Triangle& t = hull_.facets[facet];
    const Vec3 a = points_[t[0]], b = points_[t[1]], c = points_[t[2]];
    // The triangle alone needs no inner point and is the tighter one on the surface itself.
    const double inside =
        tetrahedron_residual_hi(p, {inner_, a, b, c}, spread_, 0x1p-50) + inner_error_;
    if (inside <= kThin) return inside;
    return std::min(inside, triangle_residual_hi(p, a, b, c));
  }

  void consider(Vec3 p, std::size_t facet, double& best, std::size_t& best_facet) const {
    const double r = facet_distance_hi(p, facet);
    if (r < best) {
      best = r;
      best_facet = facet;
    }
  }

  const std::vector<Vec3>& points_;
  const Proposal& hull_;
  const Spread& spread_;
  Vec3 inner_;
  double inner_error_ = 0;
  std::vector<Vec3> from_inner_;  ///< the vertices from the inner point, shaped
  std::vector<Vec3> dual_;        ///< facet plane as {x : dual . x = 1}, shaped, from inner
  std::vector<Triangle> beside_;  ///< the facet across each side, or itself
  std::size_t last_ = 0;
};

/// The points moved to a coarse grid, where nearly coplanar facets become coplanar.
std::vector<Vec3> snapped(const std::vector<Vec3>& points, double grid) {
  std::vector<Vec3> result;
  const auto snap = [&](double x) { return std::round(x / grid) * grid; };
  for (const Vec3& p : points) result.push_back({snap(p.x), snap(p.y), snap(p.z)});
  return result;
}

Proposal propose(const std::vector<Vec3>& points, const Spread& spread, double size) {
  if (spread.width <= kThin * size) {
    Proposal line;
    line.vertices = {std::min(spread.a, spread.b), std::max(spread.a, spread.b)};
    line.dimension = 1;
    if (spread.a == spread.b) line = {{spread.a}, {}, 0};
    return line;
  }
  if (spread.thickness > kThin * size) {
    const std::vector<Vec3> fat = shaped(points, spread);
    if (auto hull = run_qhull(fat)) return *std::move(hull);
    // qhull gave up on nearly parallel facets. Snapping is harmless: it only proposes.
    for (const double grid : {0x1p-44, 0x1p-38, 0x1p-32, 0x1p-26}) {
      if (auto hull = run_qhull(snapped(fat, grid))) return *std::move(hull);
    }
  }
  return flat_hull(points, spread.normal);
}

/// A promoted point starts with links to the corners of the facet next to it. It also needs those
/// around them, promoted ones included, because it may hide one of the corners from the others.
void widen(std::vector<Edge>& promoted, const Proposal& proposal) {
  std::multimap<std::uint32_t, std::uint32_t> around;
  std::set<std::uint32_t> corners;
  for (const Edge& e : promoted) {
    corners.insert(e[1]);
    around.emplace(e[1], e[0]);
  }
  for (const Triangle& f : proposal.facets) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!corners.contains(f[k])) continue;
      around.emplace(f[k], f[(k + 1) % 3]);
      around.emplace(f[k], f[(k + 2) % 3]);
    }
  }
  const std::vector<Edge> direct = promoted;
  for (const Edge& e : direct) {
    const auto [first, last] = around.equal_range(e[1]);
    for (auto it = first; it != last; ++it) promoted.push_back({e[0], it->second});
  }
}

Hull assemble(const LocalPoints& set, Proposal& proposal, std::vector<Edge> edges) {
  Hull hull;
  hull.dimension = proposal.dimension;
  auto& kept = proposal.vertices;
  if (proposal.dimension == 2) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      edges.push_back({kept[i], kept[(i + 1) % kept.size()]});
    }
  } else if (proposal.dimension == 1) {
    edges.push_back({kept[0], kept[1]});
  }
  for (const Edge& e : edges) kept.insert(kept.end(), e.begin(), e.end());
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<std::uint32_t> index(set.original.size());
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    index[kept[i]] = i;
    hull.vertices.push_back(set.original[kept[i]]);
  }
  for (Triangle& f : proposal.facets) {
    hull.facets.push_back({index[f[0]], index[f[1]], index[f[2]]});
    for (std::size_t k = 0; k < 3; ++k) edges.push_back({f[k], f[(k + 1) % 3]});
  }
  const std::size_t one_way = edges.size();
  for (std::size_t i = 0; i < one_way; ++i) edges.push_back({edges[i][1], edges[i][0]});
  for (Edge& e : edges) e = {index[e[0]], index[e[1]]};
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  hull.first_neighbour.assign(hull.vertices.size() + 1, 0);
  for (const Edge& e : edges) {
    if (e[0] == e[1]) continue;
    ++hull.first_neighbour[e[0] + 1];
    hull.neighbours.push_back(e[1]);
  }
  std::partial_sum(hull.first_neighbour.begin(), hull.first_neighbour.end(),
                   hull.first_neighbour.begin());
  return hull;
}

}  // namespace

Hull convex_hull(std::span<const Vec3> points) try {
  if (points.empty()) throw Error(Error::Kind::usage, "", 0, "a hull of no points");
  for (const Vec3& p : points) {
    if (!is_finite(p))
      throw Error(Error::Kind::usage, "", 0, "a hull of points that are not finite");
  }
  if (points.size() > 0x7fffffff) throw Error(Error::Kind::usage, "", 0, "too many points");
  const LocalPoints set = localise(points);
  const Spread spread = measure(set.local);
  Proposal proposal = propose(set.local, spread, set.size);

  std::vector<char> is_vertex(set.local.size(), 0);
  for (const std::uint32_t v : proposal.vertices) is_vertex[v] = 1;
  // A flat proposal for a set that is not flat (qhull failed even on coarse grids) would promote
  // points in masses; accept what its thickness costs instead.
  const double enough = proposal.dimension == 3
                            ? kThin * set.size
                            : 4 * std::max(kThin * set.size, std::max(0.0, spread.thickness));
  const FlatCheck flat(set.local, proposal);
  std::optional<SolidCheck> solid;
  if (proposal.dimension == 3) solid.emplace(set.local, proposal, spread);
  double excess = 0;
  std::vector<Edge> promoted;
  std::vector<std::uint32_t> near;
  for (std::uint32_t i = 0; i < set.local.size(); ++i) {
    if (is_vertex[i]) continue;
    const Vec3 p = set.local[i];
    const double d = solid ? solid->distance_hi(p, enough, near) : flat.distance_hi(p, near);
    if (d <= enough) {
      excess = std::max(excess, d);
    } else {
      for (const std::uint32_t v : near) promoted.push_back({i, v});
    }
  }
  if (proposal.vertices.size() < set.local.size()) {
    // Both the point and the combination that certifies it were shifted.
    excess = bound::inflate(excess + 2 * set.shift_error, 4);
  }
  // In masses they would link everything with everything.
  if (promoted.size() <= 1000) widen(promoted, proposal);
  Hull hull = assemble(set, proposal, std::move(promoted));
  hull.excess = excess > 0 ? bound::up(excess / set.scale) : 0;
  return hull;
} catch (const std::bad_alloc&) {
  throw Error(Error::Kind::internal, "", 0, "out of memory for a hull");
}

double volume(const Hull& hull) {
  if (hull.vertices.empty()) return 0;
  const Vec3 origin = hull.vertices[0];
  double six_volumes = 0;
  for (const auto& f : hull.facets) {
    const Vec3 a = hull.vertices[f[0]] - origin, b = hull.vertices[f[1]] - origin,
               c = hull.vertices[f[2]] - origin;
    six_volumes += dot(a, cross(b, c));
  }
  return std::max(0.0, six_volumes / 6);
}

}  // namespace keepclear
