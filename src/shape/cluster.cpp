// SPDX-License-Identifier: BSD-3-Clause
//
// Clusters of triangles by repeated halving: of all clusters, the one whose best cut by an axis
// plane saves the most hull volume is cut next.
#include <algorithm>
#include <array>
#include <numeric>

#include "keepclear/error.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"

namespace keepclear {
namespace {

/// Places tried for a cut along each axis, less one.
constexpr std::size_t kSlices = 16;

using Triangles = std::vector<std::uint32_t>;

struct Cut {
  double saved = 0;  ///< volume of the hull minus those of the two sides; zero for no cut
  Triangles left, right;
};

struct Cluster {
  Triangles triangles;
  double volume = 0;
  Cut best;
};

class Splitter {
 public:
  explicit Splitter(const Mesh& mesh) : mesh_(mesh) {}

  Cluster cluster(Triangles triangles) const {
    Cluster result;
    result.triangles = std::move(triangles);
    result.volume = volume(convex_hull(corners(result.triangles)));
    for (int axis = 0; axis < 3; ++axis) try_axis(axis, result);
    return result;
  }

 private:
  std::vector<Vec3> corners(std::span<const std::uint32_t> triangles) const {
    std::vector<Vec3> points;
    points.reserve(3 * triangles.size());
    for (const std::uint32_t t : triangles) {
      for (const std::uint32_t v : mesh_.triangles[t]) points.push_back(mesh_.vertices[v]);
    }
    return points;
  }

  double centre(std::uint32_t triangle, int axis) const {
    const auto& t = mesh_.triangles[triangle];
    return mesh_.vertices[t[0]][axis] + mesh_.vertices[t[1]][axis] + mesh_.vertices[t[2]][axis];
  }

  /// Slices of equal count by centre; hulls of the first k and of the last k slices grow from those
  /// of the slices, so that the many triangles are looked at once.
  void try_axis(int axis, Cluster& cluster) const {
    Triangles order = cluster.triangles;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return centre(a, axis) < centre(b, axis);
    });
    const std::size_t slices = std::min(kSlices, order.size());
    const auto begin_of = [&](std::size_t slice) { return slice * order.size() / slices; };
    std::vector<std::vector<Vec3>> slice_points;
    for (std::size_t s = 0; s < slices; ++s) {
      const auto part = std::span(order).subspan(begin_of(s), begin_of(s + 1) - begin_of(s));
      slice_points.push_back(convex_hull(corners(part)).vertices);
    }
    const auto grow = [](std::vector<Vec3>& points, const std::vector<Vec3>& more) {
      points.insert(points.end(), more.begin(), more.end());
      Hull hull = convex_hull(points);
      points = std::move(hull.vertices);
      hull.vertices = points;
      return volume(hull);
    };
    std::vector<double> right_volume(slices + 1, 0);
    std::vector<Vec3> points;
    for (std::size_t s = slices; s-- > 1;) right_volume[s] = grow(points, slice_points[s]);
    points.clear();
    for (std::size_t s = 1; s < slices; ++s) {
      const double left_volume = grow(points, slice_points[s - 1]);
      const double saved = cluster.volume - left_volume - right_volume[s];
      if (saved > cluster.best.saved) {
        const auto middle = order.begin() + static_cast<std::ptrdiff_t>(begin_of(s));
        cluster.best = {saved, {order.begin(), middle}, {middle, order.end()}};
      }
    }
  }

  const Mesh& mesh_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> cluster_triangles(const Mesh& mesh, int parts) {
  if (parts < 1) throw Error(Error::Kind::usage, "", 0, "fewer than one part");
  if (mesh.triangles.empty()) throw Error(Error::Kind::usage, "", 0, "a mesh without triangles");
  Triangles all(mesh.triangles.size());
  std::iota(all.begin(), all.end(), 0U);
  if (parts == 1) return {all};
  const Splitter splitter(mesh);
  std::vector<Cluster> clusters;
  clusters.push_back(splitter.cluster(std::move(all)));
  while (clusters.size() < static_cast<std::size_t>(parts)) {
    const auto most = std::max_element(
        clusters.begin(), clusters.end(),
        [](const Cluster& a, const Cluster& b) { return a.best.saved < b.best.saved; });
    if (!(most->best.saved > 0)) break;  // no cut makes the whole smaller
    Cut cut = std::move(most->best);
    *most = splitter.cluster(std::move(cut.left));
    clusters.push_back(splitter.cluster(std::move(cut.right)));
  }
  std::vector<std::vector<std::uint32_t>> result;
  for (Cluster& c : clusters) {
    std::sort(c.triangles.begin(), c.triangles.end());
    result.push_back(std::move(c.triangles));
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace keepclear
