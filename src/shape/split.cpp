// SPDX-License-Identifier: BSD-3-Clause
#include "shape/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/certificate.hpp"
#include "shape/hull.hpp"
#include "shape/small_hull.hpp"

namespace keepclear {
namespace {

/// Places tried for a cut in each direction, plus one.
constexpr int kSlabs = 12;
/// A cut must save this share of the volume of what it cuts.
constexpr double kLeastSaving = 0.02;
/// Directions in which the points of a slab are extreme; the choice of a cut needs no others.
constexpr int kThinning = 32;

using Triangle = std::array<std::uint32_t, 3>;

struct Cut {
  Vec3 direction;
  double at = 0;
  double saved = 0;  ///< cubic metres; zero for no cut
};

struct Part {
  MeshPart mesh;
  Cut best;
};

/// One side of a plane: the triangles that reach it, cut off at it. Where an edge is cut depends on
/// its ends and the plane alone, so that two sides cut at the same place meet there, and two that
/// overlap leave no gap.
class Clipper {
 public:
  Clipper(const MeshPart& whole, Vec3 direction) : whole_(whole) {
    for (const Vec3& v : whole.vertices) {
      height_.push_back(dot(direction, v));
      largest_hi_ = std::max(largest_hi_, rounding::norm_hi(v));
    }
  }

  double lowest() const { return *std::min_element(height_.begin(), height_.end()); }
  double highest() const { return *std::max_element(height_.begin(), height_.end()); }

  /// What lies between two heights; infinite ones do not cut.
  MeshPart between(double low, double high) const {
    MeshPart part;
    std::unordered_map<std::uint32_t, std::uint32_t> kept;
    const auto keep = [&](const Corner& corner) {
      if (corner.source >= 0) {
        const auto [place, fresh] =
            kept.try_emplace(static_cast<std::uint32_t>(corner.source),
                             static_cast<std::uint32_t>(part.vertices.size()));
        if (!fresh) return place->second;
      }
      part.vertices.push_back(corner.at);
      return static_cast<std::uint32_t>(part.vertices.size() - 1);
    };
    std::vector<Corner> polygon, once;
    for (const Triangle& t : whole_.triangles) {
      const auto [least, most] = std::minmax({height_[t[0]], height_[t[1]], height_[t[2]]});
      if (most < low || least > high) continue;
      polygon.clear();
      for (const std::uint32_t v : t) {
        polygon.push_back({whole_.vertices[v], height_[v], static_cast<int>(v)});
      }
      clip(polygon, low, 1, once);
      clip(once, high, -1, polygon);
      if (polygon.size() < 3) continue;
      const std::uint32_t first = keep(polygon[0]);
      std::uint32_t last = keep(polygon[1]);
      for (std::size_t i = 2; i < polygon.size(); ++i) {
        const std::uint32_t next = keep(polygon[i]);
        part.triangles.push_back({first, last, next});
        last = next;
      }
    }
    // Of a point that was cut: a difference, a product and a sum in each coordinate, twice.
    const double cut_hi = rounding::inflate(16 * rounding::gamma(4) * largest_hi_, 8);
    part.error_hi = rounding::up(whole_.error_hi + cut_hi);
    return part;
  }

 private:
  struct Corner {
    Vec3 at;
    double height = 0;
    int source = -1;  ///< vertex of the whole; -1 for one that a cut made
  };

  /// Keeps what is above the height (sense 1) or below it (-1). A triangle that only touches the
  /// plane from the other side keeps a segment or a point of it, which its neighbours keep too.
  static void clip(const std::vector<Corner>& from, double height, int sense,
                   std::vector<Corner>& to) {
    to.clear();
    const auto is_in = [&](const Corner& c) { return sense * (c.height - height) >= 0; };
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Corner &a = from[i], &b = from[(i + 1) % from.size()];
      if (is_in(a)) to.push_back(a);
      if (is_in(a) != is_in(b)) to.push_back(cut(a, b, height));
    }
  }

  /// From the lower end to the higher, so that both sides of a plane find the same point.
  static Corner cut(const Corner& a, const Corner& b, double height) {
    const Corner& low = a.height <= b.height ? a : b;
    const Corner& high = a.height <= b.height ? b : a;
    const double t = std::clamp((height - low.height) / (high.height - low.height), 0.0, 1.0);
    return {low.at + t * (high.at - low.at), height, -1};
  }

  const MeshPart& whole_;
  std::vector<double> height_;
  double largest_hi_ = 0;
};

/// Some of the points, extreme in directions all around.
std::vector<Vec3> thinned(const std::vector<Vec3>& points) {
  if (points.size() <= static_cast<std::size_t>(kThinning)) return points;
  std::vector<std::size_t> chosen;
  for (int i = 0; i < kThinning; ++i) {
    const double z = 1 - (2.0 * i + 1) / kThinning;
    const double angle = 2.399963229728653 * i;
    const double rho = std::sqrt(1 - z * z);
    const Vec3 u{rho * std::cos(angle), rho * std::sin(angle), z};
    std::size_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < points.size(); ++p) {
      const double here = dot(u, points[p]);
      if (here > most) {
        most = here;
        best = p;
      }
    }
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Vec3> few;
  for (const std::size_t p : chosen) few.push_back(points[p]);
  return few;
}

/// Volumes of the hulls of the first 1, 2, ... slabs. Plain ones: they choose a cut, no more.
std::vector<double> growing_volumes(const std::vector<std::vector<Vec3>>& slabs, bool backwards) {
  std::vector<double> volumes;
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    const auto& more = slabs[backwards ? slabs.size() - 1 - i : i];
    points.insert(points.end(), more.begin(), more.end());
    const SmallHull hull(points);
    volumes.push_back(hull.volume(0));
    if (hull.dimension() == 3) points = hull.corners();
  }
  return volumes;
}

Cut best_cut(const MeshPart& mesh) {
  const certificate::Spread spread = certificate::measure(mesh.vertices);
  std::vector<Vec3> directions{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (spread.thickness > 0) {
    directions.insert(directions.end(), {spread.along, spread.side, spread.normal});
  }
  Cut best;
  for (const Vec3& direction : directions) {
    const Clipper clipper(mesh, direction);
    const double low = clipper.lowest(), high = clipper.highest();
    const auto height = [&](int slab) {
      if (slab <= 0) return -std::numeric_limits<double>::infinity();
      if (slab >= kSlabs) return std::numeric_limits<double>::infinity();
      return low + (high - low) * slab / kSlabs;
    };
    std::vector<std::vector<Vec3>> slabs;
    for (int s = 0; s < kSlabs; ++s) {
      slabs.push_back(thinned(clipper.between(height(s), height(s + 1)).vertices));
    }
    const std::vector<double> below = growing_volumes(slabs, false);
    const std::vector<double> above = growing_volumes(slabs, true);
    for (int s = 1; s < kSlabs; ++s) {
      // The slabs are thinned, so they are compared with the whole as thinned.
      const double saved = below[kSlabs - 1] - below[s - 1] - above[kSlabs - 1 - s];
      if (saved > kLeastSaving * below[kSlabs - 1] && saved > best.saved) {
        best = {direction, height(s), saved};
      }
    }
  }
  return best;
}

Part make_part(MeshPart mesh, bool more) {
  mesh.hull_volume = volume(convex_hull(mesh.vertices));
  Part part{std::move(mesh), {}};
  if (more && part.mesh.hull_volume > 0) part.best = best_cut(part.mesh);
  return part;
}

MeshPart used_vertices(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
  MeshPart all;
  std::vector<std::uint32_t> place(vertices.size(), std::numeric_limits<std::uint32_t>::max());
  for (const Triangle& t : triangles) {
    Triangle kept{};
    for (int k = 0; k < 3; ++k) {
      std::uint32_t& p = place[t[k]];
      if (p == std::numeric_limits<std::uint32_t>::max()) {
        p = static_cast<std::uint32_t>(all.vertices.size());
        all.vertices.push_back(vertices[t[k]]);
      }
      kept[k] = p;
    }
    all.triangles.push_back(kept);
  }
  return all;
}

}  // namespace

std::vector<MeshPart> split_mesh(std::span<const Vec3> vertices,
                                 std::span<const Triangle> triangles, int parts, double overlap,
                                 std::vector<double>* volumes) {
  if (parts < 1) throw Error(Error::Kind::usage, "", 0, "fewer than one part");
  if (triangles.empty()) throw Error(Error::Kind::usage, "", 0, "a mesh without triangles");
  std::vector<Part> all;
  all.push_back(make_part(used_vertices(vertices, triangles), parts > 1));
  const auto tell_volume = [&] {
    if (volumes == nullptr) return;
    double sum = 0;
    for (const Part& part : all) sum += part.mesh.hull_volume;
    volumes->push_back(sum);
  };
  tell_volume();
  const double beyond = overlap * certificate::measure(all[0].mesh.vertices).length;
  while (all.size() < static_cast<std::size_t>(parts)) {
    const auto most = std::max_element(all.begin(), all.end(), [](const Part& a, const Part& b) {
      return a.best.saved < b.best.saved;
    });
    if (!(most->best.saved > 0)) break;
    constexpr double kFar = std::numeric_limits<double>::infinity();
    const Clipper clipper(most->mesh, most->best.direction);
    const double at = most->best.at;
    Part below = make_part(clipper.between(-kFar, at + beyond), true);
    Part above = make_part(clipper.between(at - beyond, kFar), true);
    *most = std::move(below);
    all.push_back(std::move(above));
    tell_volume();
  }
  std::vector<MeshPart> result;
  for (Part& part : all) result.push_back(std::move(part.mesh));
  return result;
}

}  // namespace keepclear
