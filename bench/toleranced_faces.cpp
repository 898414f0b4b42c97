// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include "bench/toleranced_bench.hpp"

namespace keepclear::bench {
namespace {

using Triangle = Polyhedron::Triangle;

struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  Polyhedron polyhedron() const { return Polyhedron::mesh(vertices, triangles); }
};

/// A closed grid: `around` by `across` places, round both ways.
template <typename Place>
Mesh ring(std::uint32_t around, std::uint32_t across, const Place& place) {
  Mesh mesh;
  for (std::uint32_t i = 0; i < around; ++i) {
    for (std::uint32_t j = 0; j < across; ++j) {
      const double u = 2 * std::numbers::pi * i / around, v = 2 * std::numbers::pi * j / across;
      mesh.vertices.push_back(place(u, v));
    }
  }
  for (std::uint32_t i = 0; i < around; ++i) {
    for (std::uint32_t j = 0; j < across; ++j) {
      const std::uint32_t next = (i + 1) % around, up = (j + 1) % across;
      const std::uint32_t a = i * across + j, b = next * across + j, c = next * across + up,
                          d = i * across + up;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

/// Two triangles a place, twice as many places around as across.
std::uint32_t across_for(std::size_t faces) {
  return static_cast<std::uint32_t>(std::lround(std::sqrt(double(faces) / 4)));
}

/// About the z axis.
Mesh torus(double major, double minor, std::size_t faces) {
  const std::uint32_t across = across_for(faces);
  return ring(2 * across, across, [=](double u, double v) {
    const double r = major + minor * std::cos(v);
    return Vec3{r * std::cos(u), r * std::sin(u), minor * std::sin(v)};
  });
}

/// A wheel with twelve teeth about the z axis, with a hole.
Mesh gear(double radius, std::size_t faces) {
  const std::uint32_t across = across_for(faces);
  return ring(2 * across, across, [=](double u, double v) {
    const double tooth = 0.06 * radius * std::tanh(3 * std::sin(12 * u));
    const double r = 0.7 * radius + (0.24 * radius + tooth) * std::cos(v);
    return Vec3{r * std::cos(u), r * std::sin(u), 0.2 * radius * std::sin(v)};
  });
}

Mat3 turned(Vec3 axis, double angle) {
  const double s = std::sin(angle / 2) / norm(axis);
  return rotation_from_quaternion(s * axis.x, s * axis.y, s * axis.z, std::cos(angle / 2));
}

/// What is measured without nesting has at most so many faces.
constexpr std::size_t kMostWithoutNesting = 3'000;

/// From pose to pose in one piece: the origin goes straight, the body turns at a constant rate.
struct Passing {
  const char* name;
  Mesh moving, standing;
  Vec3 from, to, axis;
  double angle;

  Pose at(double t) const { return {turned(axis, t * angle), from + t * (to - from)}; }
};

std::vector<Passing> passings(std::size_t faces) {
  std::vector<Passing> all;
  // A wheel through a ring that is a little wider than it, turning on the way.
  all.push_back({"wheel in ring",
                 gear(0.1, faces),
                 torus(0.15, 0.04, faces),
                 {0.004, 0, -0.2},
                 {-0.003, 0.003, 0.2},
                 {0.02, 0.01, 1},
                 2.5});
  // A link of a chain that turns within its neighbour.
  all.push_back({"free chain",
                 torus(0.1, 0.03, faces),
                 torus(0.1, 0.03, faces),
                 {0.1, 0, 0.015},
                 {0.1, 0.01, -0.015},
                 {1, 0.1, 0},
                 0.6});
  all.push_back({"colliding chain",
                 torus(0.1, 0.03, faces),
                 torus(0.1, 0.03, faces),
                 {0.1, 0, 0.03},
                 {0.1, 0.02, -0.03},
                 {1, 0.1, 0},
                 1.0});
  // Past each other, side by side.
  all.push_back({"wheel past wheel",
                 gear(0.1, faces),
                 gear(0.1, faces),
                 {-0.3, 0.05, 0.047},
                 {0.3, -0.05, 0.047},
                 {0, 0, 1},
                 2.8});
  return all;
}

/// The chain link stands upright in its neighbour.
Pose start_of(const Passing& passing) {
  return std::string(passing.name).ends_with("chain")
             ? Pose{turned({1, 0, 0}, std::numbers::pi / 2), {}}
             : Pose{};
}

double least_distance(FclMeshes& fcl, const std::vector<Pose>& poses) {
  double least = std::numeric_limits<double>::infinity();
  const std::size_t stride = std::max<std::size_t>(1, poses.size() / 100);
  for (std::size_t i = 0; i < poses.size(); i += stride) {
    least = std::min(least, fcl.distance(poses[i]));
  }
  return least;
}

void measure_passing(const Passing& passing, const TolerancedReport& report) {
  constexpr double kTolerance = 1e-3;
  constexpr std::size_t kBudget = 50'000'000;
  const Pose start = start_of(passing);
  Mesh own = passing.moving;
  for (Vec3& v : own.vertices) v = start * v;
  const Polyhedron moving = own.polyhedron(), standing = passing.standing.polyhedron();
  TolerancedRow row{.part = "faces", .motion = passing.name, .contender = ""};
  row.faces = own.triangles.size();
  row.tolerance = kTolerance;

  const auto at = [&](double t) { return passing.at(t); };
  const std::vector<Pose> poses = sampled(at, own.vertices, kTolerance);
  std::optional<FclMeshes> fcl;
  const double fcl_build_us = least_us([&] { fcl.emplace(moving, standing); }, 0.1, 3);
  row.gap = least_distance(*fcl, poses);

  const Pose ends[] = {passing.at(0), passing.at(1)};
  const double times[] = {0, 1};
  const CurvePointer curve = interpolated_curve(ends, times);
  for (const bool nested : {true, false}) {
    if (!nested && row.faces > kMostWithoutNesting) continue;
    TolerancedRow ours = row;
    TolerancedOptions options;
    options.ask = Ask::verdict;
    options.tolerance = kTolerance;
    options.nested = nested;
    options.budget = kBudget;
    std::optional<TolerancedQuery> query;
    ours.build_us = least_us(
        [&] {
          query.emplace(own.polyhedron(),
                        std::vector<StandingBody>{{passing.standing.polyhedron(), "standing", 0}},
                        std::vector<StandingPlane>{}, options);
        },
        0.1, 3);
    TolerancedResult answer;
    ours.us = least_us([&] { answer = (*query)(*curve); });
    ours.contender = "keepclear";
    ours.nested = nested;
    ours.metric = "balanced";
    ours.ask = "verdict";
    ours.verdict = to_string(answer.verdict);
    ours.clearance = answer.clearance;
    ours.distance = answer.distance;
    ours.balls = answer.balls;
    ours.tests = answer.tests;
    ours.depth = answer.depth;
    report(ours);
  }

  TolerancedRow theirs = row;
  bool hit = false;
  theirs.us = least_us([&] {
    hit = std::any_of(poses.begin(), poses.end(), [&](const Pose& X) { return fcl->collide(X); });
  });
  theirs.contender = "fcl_sampled";
  theirs.build_us = fcl_build_us;
  theirs.verdict = hit ? "contact" : "no contact seen";
  theirs.samples = poses.size();
  report(theirs);

  const WayLength way(at, own.vertices);
  Stepped stepped;
  theirs.us = least_us([&] { stepped = step_by_distance(*fcl, at, way, kTolerance); });
  theirs.contender = "fcl_steps";
  theirs.verdict = stepped.arrived ? "free" : "undecided";
  theirs.samples = stepped.poses;
  report(theirs);

  FclMeshes::Advanced advanced;
  theirs.us = least_us([&] { advanced = fcl->advance(ends[0], ends[1], 1000, 1e-4); });
  theirs.contender = "fcl_advance";
  theirs.verdict = advanced.collides ? "contact" : "no contact seen";
  theirs.samples = 0;
  report(theirs);
}

}  // namespace

void measure_faces(const TolerancedReport& report, std::size_t most) {
  for (const std::size_t faces : {1'000, 3'000, 10'000, 25'000, 50'000}) {
    if (faces > most) continue;
    for (const Passing& passing : passings(faces)) measure_passing(passing, report);
  }
}

}  // namespace keepclear::bench
