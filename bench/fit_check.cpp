// SPDX-License-Identifier: BSD-3-Clause
//
// Are the rivals as good as they are said to be? Shapes whose smallest box or capsule is known,
// turned at random, and small hulls against searches that are slow and simple.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/fit_bench.hpp"
#include "bench/fit_rivals.hpp"
#include "bench/fit_search.hpp"
#include "shape/hull.hpp"

namespace keepclear::bench {
namespace {

constexpr double kPi = std::numbers::pi;
struct Faults {
  int count = 0;

  void check(bool good, const std::string& what) {
    if (good) return;
    ++count;
    fmt::print("WRONG: {}\n", what);
  }
};

Pose random_pose(Uniform& uniform) {
  double q[4], length = 0;
  for (double& c : q) c = uniform.normal(), length += c * c;
  for (double& c : q) c /= std::sqrt(length);
  return {rotation_from_quaternion(q[0], q[1], q[2], q[3]),
          {uniform() - 0.5, uniform() - 0.5, uniform() - 0.5}};
}

Piece moved(const Piece& piece, const Pose& pose) {
  Piece result{{}, piece.radius};
  for (const Vec3& p : piece.points) result.points.push_back(pose * p);
  return result;
}

Piece box_piece(Vec3 size) {
  Piece piece;
  for (int i = 0; i < 8; ++i) {
    piece.points.push_back({(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y,
                            (i & 4 ? 0.5 : -0.5) * size.z});
  }
  return piece;
}

void contained(Faults& faults, const Piece& piece, const std::string& name) {
  faults.check(std::abs(sticks_out(piece, best_capsule(piece))) < 1e-12,
               name + " is in its capsule");
  faults.check(std::abs(sticks_out(piece, best_box(piece))) < 1e-12, name + " is in its box");
}

/// The best of the capsules along the edges of a box, which by symmetry go through its middle.
double capsule_of_box(Vec3 size) {
  double least = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double half = 0.5 * size[axis];
    const double u = size[(axis + 1) % 3], v = size[(axis + 2) % 3];
    const double across = 0.5 * std::hypot(u, v);
    for (int i = 0; i <= 4000; ++i) {
      const double radius = across * (1 + i / 4000.0);
      const double length = 2 * std::max(0.0, half - std::sqrt(radius * radius - across * across));
      least = std::min(least, kPi * radius * radius * (length + 4.0 / 3.0 * radius));
      if (length == 0) break;
    }
  }
  return least;
}

/// O'Rourke: the smallest box has two adjacent faces that each hold an edge. All pairs of edges,
/// the one angle that is left in small steps.
double box_by_edges(const Piece& piece) {
  const Hull hull = convex_hull(piece.points);
  std::vector<Vec3> edges;
  for (std::uint32_t i = 0; i < hull.vertices.size(); ++i) {
    for (std::uint32_t k = hull.first_neighbour[i]; k < hull.first_neighbour[i + 1]; ++k) {
      const std::uint32_t j = hull.neighbours[k];
      if (i < j) edges.push_back(unit(hull.vertices[j] - hull.vertices[i]));
    }
  }
  const auto extent = [&](Vec3 n) {
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    for (const Vec3& p : hull.vertices) {
      lo = std::min(lo, dot(n, p));
      hi = std::max(hi, dot(n, p));
    }
    return hi - lo;
  };
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& first : edges) {
    const auto [u, v] = across(first);
    for (const Vec3& second : edges) {
      for (int step = 0; step < 360; ++step) {
        const double angle = step * kPi / 360;
        const Vec3 n = std::cos(angle) * u + std::sin(angle) * v;
        const Vec3 m = cross(n, second);
        if (norm(m) < 1e-9) continue;
        const Vec3 across_second = unit(m);
        least =
            std::min(least, extent(n) * extent(across_second) * extent(cross(n, across_second)));
      }
    }
  }
  return least;
}

/// From many random segments, the plain way.
double capsule_by_chance(const Piece& piece, Uniform& uniform) {
  using Ends = Eigen::Vector<double, 6>;
  const auto value = [&](const Ends& x) {
    Capsule capsule{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, 0};
    capsule.radius = sticks_out(piece, capsule);
    return capsule.volume();
  };
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t start = 1; start <= 40; ++start) {
    Ends x;
    for (int i = 0; i < 6; ++i) x[i] = uniform() - 0.5;
    least = std::min(least, value(minimise<6>(value, x, 0.3, 500, start)));
  }
  return least;
}

void check_known(Faults& faults, Uniform& uniform) {
  for (int round = 0; round < 12; ++round) {
    const Vec3 size{0.05 + uniform(), 0.05 + uniform(), 0.05 + uniform()};
    Piece piece = box_piece(size);
    for (int i = 0; i < 50; ++i) {
      piece.points.push_back(
          {(uniform() - 0.5) * size.x, (uniform() - 0.5) * size.y, (uniform() - 0.5) * size.z});
    }
    piece = moved(piece, random_pose(uniform));
    const double box = best_box(piece).volume() / (size.x * size.y * size.z);
    faults.check(std::abs(box - 1) < 1e-6, fmt::format("box of a box: {:.9f}", box));
    const double capsule = best_capsule(piece).volume() / capsule_of_box(size);
    faults.check(capsule < 1 + 1e-5,
                 fmt::format("capsule of a box: {:.9f} of one along an edge", capsule));
    contained(faults, piece, "a box");
  }
  for (int round = 0; round < 8; ++round) {
    const Capsule real{{0, 0, -0.5 * uniform()}, {0, 0, 0.5 * uniform()}, 0.02 + 0.2 * uniform()};
    Piece piece;
    for (const Vec3& d : spread_directions(1500, true)) {
      piece.points.push_back((d.z < 0 ? real.a : real.b) + real.radius * d);
    }
    piece = moved(piece, random_pose(uniform));
    const double ratio = best_capsule(piece).volume() / real.volume();
    // The points are on the capsule's surface, a little apart.
    faults.check(ratio < 1 + 1e-6 && ratio > 0.98,
                 fmt::format("capsule of a capsule: {:.9f}", ratio));
    const double length = norm(real.b - real.a), across = 2 * real.radius;
    const double box = best_box(piece).volume() / (across * across * (across + length));
    faults.check(box < 1 + 1e-3 && box > 0.97, fmt::format("box of a capsule: {:.9f}", box));
    const Piece axis = moved({{real.a, real.b}, real.radius}, random_pose(uniform));
    const double same = best_capsule(axis).volume() / real.volume();
    faults.check(std::abs(same - 1) < 1e-6, fmt::format("capsule of two points: {:.9f}", same));
    const double flush = best_box(axis).volume() / (across * across * (across + length));
    faults.check(std::abs(flush - 1) < 1e-3, fmt::format("box of two points: {:.9f}", flush));
    contained(faults, piece, "a capsule");
  }
  // No facet of a regular tetrahedron lies in a face of its smallest box, a cube.
  const Piece corners{{{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}}, 0};
  for (int round = 0; round < 5; ++round) {
    const double box = best_box(moved(corners, random_pose(uniform))).volume();
    faults.check(std::abs(box - 1) < 1e-5,
                 fmt::format("box of a regular tetrahedron: {:.9f}", box));
  }
  // Flat, straight and single sets have boxes without volume, and capsules.
  contained(faults,
            moved({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}}, 0}, random_pose(uniform)),
            "a triangle");
  contained(faults, moved({{{0, 0, 0}, {1, 0, 0}, {0.2, 0, 0}}, 0}, random_pose(uniform)),
            "a segment");
  contained(faults, {{{0.1, 0.2, 0.3}}, 0.05}, "a ball");
  const double ball = best_capsule({{{0.1, 0.2, 0.3}}, 0.05}).volume();
  faults.check(std::abs(ball / (4.0 / 3.0 * kPi * 1.25e-4) - 1) < 1e-9, "capsule of a ball");
}

void check_by_search(Faults& faults, Uniform& uniform) {
  for (int round = 0; round < 10; ++round) {
    Piece piece;
    const Vec3 size{0.3 + 0.7 * uniform(), 0.3 + 0.7 * uniform(), 0.3 + 0.7 * uniform()};
    for (int i = 0; i < 5 + 2 * round; ++i) {
      piece.points.push_back(
          {size.x * (uniform() - 0.5), size.y * (uniform() - 0.5), size.z * (uniform() - 0.5)});
    }
    const double hull = volume(convex_hull(piece.points));
    const double box = best_box(piece).volume(), edges = box_by_edges(piece);
    faults.check(
        box < (1 + 1e-6) * edges && box > 0.99 * edges && box > hull,
        fmt::format("box of {} points: {:.6f} of that by edges", piece.points.size(), box / edges));
    const double capsule = best_capsule(piece).volume();
    const double chance = capsule_by_chance(piece, uniform);
    faults.check(capsule < (1 + 1e-4) * chance && capsule > hull,
                 fmt::format("capsule of {} points: {:.6f} of that by chance", piece.points.size(),
                             capsule / chance));
    fmt::print("{:2} points: box {:.6f} of that by edges, capsule {:.6f} of that by chance\n",
               piece.points.size(), box / edges, capsule / chance);
  }
}

void check_spheres(Faults& faults, Uniform& uniform) {
  // A box in a row of spheres: the corner that is farthest out is known.
  const std::vector<Sphere> spheres{{{-0.2, 0, 0}, 0.2}, {{0, 0, 0}, 0.2}, {{0.2, 0, 0}, 0.2}};
  const Hull hull = convex_hull(box_piece({0.8, 0.3, 0.2}).points);
  const Mesh mesh{hull.vertices, hull.facets, 0};
  const double corner = norm(Vec3{0.2, 0.15, 0.1}) - 0.2;
  const double out = sticks_out(mesh, spheres, 1e-5);
  faults.check(std::abs(out - corner) < 2e-5, fmt::format("a corner sticks out {:.6f}", out));
  // The corners of a triangle inside spheres, its middle out of them.
  const Mesh triangle{{{0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(0.75), 0}}, {{0, 1, 2}}, 0};
  const std::vector<Sphere> at_corners{
      {triangle.vertices[0], 0.1}, {triangle.vertices[1], 0.1}, {triangle.vertices[2], 0.1}};
  const double middle = sticks_out(triangle, at_corners, 1e-5);
  faults.check(std::abs(middle - (std::sqrt(1.0 / 3.0) - 0.1)) < 2e-5,
               fmt::format("the middle of a triangle sticks out {:.6f}", middle));
  // Two balls: a known union, however they lie.
  const double r = 0.3, d = 0.25;
  const double both =
      2 * (4.0 / 3.0 * kPi * r * r * r) - kPi / 12 * (4 * r + d) * (2 * r - d) * (2 * r - d);
  for (int round = 0; round < 3; ++round) {
    const Pose pose = random_pose(uniform);
    const std::vector<Sphere> two{{pose * Vec3{0, 0, 0}, r}, {pose * Vec3{d, 0, 0}, r}};
    const double volume = union_volume(two) / both;
    faults.check(std::abs(volume - 1) < 1e-3, fmt::format("union of two balls: {:.6f}", volume));
  }
}

}  // namespace

bool self_check() {
  Faults faults;
  Uniform uniform(7);
  check_known(faults, uniform);
  check_by_search(faults, uniform);
  check_spheres(faults, uniform);
  fmt::print("{}\n",
             faults.count == 0 ? "self-check passed" : fmt::format("{} wrong", faults.count));
  return faults.count == 0;
}

}  // namespace keepclear::bench
