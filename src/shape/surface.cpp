// SPDX-License-Identifier: BSD-3-Clause
#include "shape/surface.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "rounding/infinity.hpp"
#include "shape/hull.hpp"

namespace keepclear {
namespace {

constexpr std::uint32_t kLeaf = 4;

/// Between neighbours of an icosahedron: what they are apart by, seen from its middle.
constexpr double kGridAngle = 1.1071487177940904;

/// Of its size: a radius below this rounds nothing off that could be seen.
constexpr double kSharp = 1e-6;

/// The share of a body's size that the search of farthest_from() may miss by. Its surface is off by
/// little more: at this level a direction is less than 0.16 from one of the grid, which puts the
/// triangles within 0.013 of the radius of where the body ends.
constexpr double kSearch = 0.004;
constexpr int kLevel = 3;
/// A search that takes longer than this is not worth its last share.
constexpr int kMostPatches = 100'000;

Vec3 unit(Vec3 v) {
  return (1 / norm(v)) * v;
}

Vec3 least(Vec3 a, Vec3 b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3 most(Vec3 a, Vec3 b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

double extent(std::span<const Vec3> points) {
  Vec3 lo = points.front(), hi = lo;
  for (const Vec3 p : points) lo = least(lo, p), hi = most(hi, p);
  return norm(hi - lo);
}

std::vector<Vec3> icosphere(int subdivisions) {
  const double g = 0.5 * (1 + std::sqrt(5.0));
  std::vector<Vec3> points;
  for (const double s : {-1.0, 1.0}) {
    for (const double t : {-g, g}) {
      points.push_back(unit({0, s, t}));
      points.push_back(unit({s, t, 0}));
      points.push_back(unit({t, 0, s}));
    }
  }
  Hull hull = convex_hull(points);
  std::vector<Triangle> faces = std::move(hull.facets);
  points = std::move(hull.vertices);
  for (int level = 0; level < std::clamp(subdivisions, 0, 6); ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [place, fresh] = middles.try_emplace(std::minmax(a, b), points.size());
      if (fresh) points.push_back(unit(points[a] + points[b]));
      return place->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : faces) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    faces = std::move(finer);
  }
  return points;
}

/// Any unit vector across a flat set of points; zero if they are on a line.
Vec3 normal_of_flat(std::span<const Vec3> points) {
  Vec3 best;
  const Vec3 origin = points.front();
  const Vec3 far = *std::max_element(points.begin(), points.end(), [&](Vec3 a, Vec3 b) {
    return squared_norm(a - origin) < squared_norm(b - origin);
  });
  for (const Vec3 p : points) {
    const Vec3 n = cross(far - origin, p - origin);
    if (squared_norm(n) > squared_norm(best)) best = n;
  }
  return squared_norm(best) > 0 ? unit(best) : best;
}

/// The triangles of a hull that has no facets: both sides of a polygon, a segment or a point.
Surface thin_surface(std::vector<Vec3> vertices) {
  const Vec3 n = normal_of_flat(vertices);
  const auto last = static_cast<std::uint32_t>(vertices.size() - 1);
  if (n == Vec3{}) return {std::move(vertices), {{0, last, last}}};
  Vec3 middle;
  for (const Vec3 p : vertices) middle = middle + (1.0 / (last + 1)) * p;
  const Vec3 u = unit(vertices.front() - middle), v = cross(n, u);
  const auto angle = [&](Vec3 p) { return std::atan2(dot(p - middle, v), dot(p - middle, u)); };
  std::stable_sort(vertices.begin(), vertices.end(),
                   [&](Vec3 a, Vec3 b) { return angle(a) < angle(b); });
  Surface surface{std::move(vertices), {}};
  for (std::uint32_t i = 1; i < last; ++i) {
    surface.triangles.push_back({0, i, i + 1});
    surface.triangles.push_back({0, i + 1, i});
  }
  return surface;
}

Surface surface_of(Hull hull) {
  if (hull.dimension == 3) return {std::move(hull.vertices), std::move(hull.facets)};
  return thin_surface(std::move(hull.vertices));
}

/// The point of segment ab nearest to p.
Vec3 nearest_on(Vec3 a, Vec3 b, Vec3 p) {
  const Vec3 d = b - a;
  const double length2 = squared_norm(d);
  const double t = length2 > 0 ? std::clamp(dot(p - a, d) / length2, 0.0, 1.0) : 0;
  return a + t * d;
}

/// Also of triangles without area.
double squared_distance(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
  return squared_norm(p - nearest_on_triangle(p, a, b, c));
}

double squared_distance(Vec3 p, const Box& box) {
  return squared_norm(p - most(box.lo, least(box.hi, p)));
}

/// A triangle of the body's surface, and the mesh triangle that is nearest to each of its corners.
struct Patch {
  std::array<Vec3, 3> p;
  std::array<std::uint32_t, 3> nearest;
  double bound = 0;  ///< no point of the patch is farther from the mesh
};

/// The distance from one mesh triangle is convex, so that its largest value over a patch is at a
/// corner; that from the mesh is no larger.
double bound_of(const Patch& patch, const TriangleTree& tree) {
  double bound = kInfinity;
  for (const std::uint32_t t : patch.nearest) {
    double largest = 0;
    for (const Vec3 p : patch.p) largest = std::max(largest, tree.distance(p, t));
    bound = std::min(bound, largest);
  }
  return bound;
}

}  // namespace

Vec3 nearest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 n = cross(b - a, c - a);
  const double n2 = squared_norm(n);
  if (n2 > 0 && dot(cross(b - a, p - a), n) >= 0 && dot(cross(c - b, p - b), n) >= 0 &&
      dot(cross(a - c, p - c), n) >= 0) {
    return p - (dot(p - a, n) / n2) * n;
  }
  const Vec3 on[] = {nearest_on(a, b, p), nearest_on(b, c, p), nearest_on(c, a, p)};
  return *std::min_element(std::begin(on), std::end(on), [&](Vec3 x, Vec3 y) {
    return squared_norm(p - x) < squared_norm(p - y);
  });
}

Surface triangulate(const Volume& body, int subdivisions) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < body.count; ++i) points.push_back(body.point(i));
  Hull hull = convex_hull(points);
  const double r = body.radius;
  if (r <= kSharp * extent(hull.vertices)) return surface_of(std::move(hull));
  const std::vector<Vec3>& core = hull.vertices;
  std::vector<Vec3> out;
  for (const Vec3 n : icosphere(subdivisions)) {
    const auto support = std::max_element(core.begin(), core.end(),
                                          [&](Vec3 a, Vec3 b) { return dot(a, n) < dot(b, n); });
    out.push_back(*support + r * n);
  }
  // Directions of which a corner is the support can be few and far from all of the grid: it is
  // followed from facet to facet over each edge.
  const double step = kGridAngle / std::exp2(std::clamp(subdivisions, 0, 6));
  const Surface faces = surface_of(hull);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Vec3> normals;  // by edge, in its direction
  for (const Triangle& t : faces.triangles) {
    const Vec3 across = cross(faces.vertices[t[1]] - faces.vertices[t[0]],
                              faces.vertices[t[2]] - faces.vertices[t[0]]);
    if (!(norm(across) > 0)) continue;
    const Vec3 n = unit(across);
    for (const std::uint32_t v : t) out.push_back(faces.vertices[v] + r * n);
    for (int k = 0; k < 3; ++k) normals[{t[k], t[(k + 1) % 3]}] = n;
  }
  for (const auto& [edge, n] : normals) {
    const auto [a, b] = edge;
    const auto other = normals.find({b, a});
    if (other == normals.end() || a > b) continue;
    const Vec3 out_of_face = cross(unit(faces.vertices[b] - faces.vertices[a]), n);
    const double angle = std::atan2(norm(cross(n, other->second)), dot(n, other->second));
    for (double turn = step; turn < angle; turn += step) {
      const Vec3 m = std::cos(turn) * n + std::sin(turn) * out_of_face;
      out.insert(out.end(), {faces.vertices[a] + r * m, faces.vertices[b] + r * m});
    }
  }
  return surface_of(convex_hull(out));
}

TriangleTree::TriangleTree(std::span<const Vec3> vertices, std::span<const Triangle> triangles)
    : vertices_(vertices), triangles_(triangles), order_(triangles.size()) {
  if (order_.empty()) return;
  std::iota(order_.begin(), order_.end(), 0U);
  std::vector<Vec3> centres;
  centres.reserve(triangles.size());
  for (const auto& [a, b, c] : triangles) {
    centres.push_back((1.0 / 3) * (vertices[a] + vertices[b] + vertices[c]));
  }
  nodes_.push_back({{}, 0, static_cast<std::uint32_t>(order_.size())});
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) split(node, centres);
}

void TriangleTree::split(std::uint32_t node, std::span<const Vec3> centres) {
  const std::uint32_t first = nodes_[node].first, last = nodes_[node].last;
  Box box{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}}, middles = box;
  for (std::uint32_t i = first; i < last; ++i) {
    for (const std::uint32_t v : triangles_[order_[i]]) {
      box = {least(box.lo, vertices_[v]), most(box.hi, vertices_[v])};
    }
    middles = {least(middles.lo, centres[order_[i]]), most(middles.hi, centres[order_[i]])};
  }
  nodes_[node].box = box;
  if (last - first <= kLeaf) return;
  const Vec3 wide = middles.hi - middles.lo;
  const int axis = wide.x >= wide.y ? (wide.x >= wide.z ? 0 : 2) : (wide.y >= wide.z ? 1 : 2);
  const std::uint32_t middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double at_a = centres[a][axis], at_b = centres[b][axis];
                     return at_a < at_b || (at_a == at_b && a < b);
                   });
  nodes_[node].child = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({{}, first, middle});
  nodes_.push_back({{}, middle, last});
}

double TriangleTree::distance(Vec3 p, std::uint32_t t) const {
  const auto& [a, b, c] = triangles_[t];
  return std::sqrt(squared_distance(p, vertices_[a], vertices_[b], vertices_[c]));
}

TriangleTree::Nearest TriangleTree::nearest(Vec3 p) const {
  if (nodes_.empty()) return {kInfinity, 0};
  double best = kInfinity;
  std::uint32_t triangle = order_.front();
  // Halving 2^32 triangles ends within 32 steps, with one node put aside in each.
  std::array<std::pair<double, std::uint32_t>, 64> open;
  std::size_t count = 0;
  open[count++] = {squared_distance(p, nodes_[0].box), 0};
  while (count > 0) {
    const auto [nearer, index] = open[--count];
    if (nearer >= best) continue;
    const Node& node = nodes_[index];
    if (node.child == 0) {
      for (std::uint32_t i = node.first; i < node.last; ++i) {
        const auto& [a, b, c] = triangles_[order_[i]];
        const double d = squared_distance(p, vertices_[a], vertices_[b], vertices_[c]);
        if (d < best) best = d, triangle = order_[i];
      }
      continue;
    }
    std::pair<double, std::uint32_t> one{squared_distance(p, nodes_[node.child].box), node.child};
    std::pair<double, std::uint32_t> two{squared_distance(p, nodes_[node.child + 1].box),
                                         node.child + 1};
    if (one.first < two.first) std::swap(one, two);
    open[count++] = one;
    open[count++] = two;
  }
  return {std::sqrt(best), triangle};
}

double farthest_from(const Volume& body, const TriangleTree& tree) {
  if (tree.empty()) return kInfinity;
  const Surface surface = triangulate(body, kLevel);
  // Of a body no larger than the rounding of where it is, nothing can be said more closely.
  const double tolerance =
      kSearch * extent(surface.vertices) + 1e-12 * norm(surface.vertices.front());
  double farthest = 0;
  const auto ask = [&](Vec3 p) {
    const auto found = tree.nearest(p);
    farthest = std::max(farthest, found.distance);
    return found.triangle;
  };
  std::vector<std::uint32_t> nearest;
  for (const Vec3 p : surface.vertices) nearest.push_back(ask(p));
  const auto less = [](const Patch& a, const Patch& b) { return a.bound < b.bound; };
  std::priority_queue<Patch, std::vector<Patch>, decltype(less)> open(less);
  const auto add = [&](Patch patch) {
    patch.bound = bound_of(patch, tree);
    if (patch.bound > farthest + tolerance) open.push(patch);
  };
  for (const auto& [a, b, c] : surface.triangles) {
    add({{surface.vertices[a], surface.vertices[b], surface.vertices[c]},
         {nearest[a], nearest[b], nearest[c]}});
  }
  for (int round = 0; round < kMostPatches && !open.empty(); ++round) {
    if (!(open.top().bound > farthest + tolerance)) break;
    const Patch patch = open.top();
    open.pop();
    std::size_t longest = 0;  // the edge from this corner to the next is halved
    double length = -1;
    for (std::size_t i = 0; i < 3; ++i) {
      const double edge = squared_norm(patch.p[(i + 1) % 3] - patch.p[i]);
      if (edge > length) length = edge, longest = i;
    }
    const std::size_t next = (longest + 1) % 3;
    const Vec3 middle = 0.5 * (patch.p[longest] + patch.p[next]);
    const std::uint32_t found = ask(middle);
    for (const std::size_t replaced : {longest, next}) {
      Patch half = patch;
      half.p[replaced] = middle;
      half.nearest[replaced] = found;
      add(half);
    }
  }
  return farthest;
}

double farthest_from(const Volume& body, std::span<const Vec3> vertices,
                     std::span<const Triangle> triangles) {
  return farthest_from(body, TriangleTree(vertices, triangles));
}

}  // namespace keepclear
