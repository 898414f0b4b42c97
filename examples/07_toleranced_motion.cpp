// SPDX-License-Identifier: BSD-3-Clause
//
// Does a body go through an opening, as planned, and as it is really moved? A tray is
// turned and pushed through a frame along a rational Bezier curve; then the same with every motion
// that stays within a few millimetres of it. With arguments, an object of a scene moves as a file
// says.
//
//   example_07_toleranced_motion [SCENE.json MOTION.json]
#include <cmath>
#include <cstdio>
#include <keepclear/error.hpp>
#include <keepclear/toleranced.hpp>
#include <string>
#include <vector>

namespace {

using keepclear::Affine;
using keepclear::Vec3;
using keepclear::Verdict;

void tell(const char* what, const keepclear::TolerancedQuery& query,
          const keepclear::TolerancedResult& result) {
  std::printf("%s: %s", what, to_string(result.verdict));
  if (result.verdict == Verdict::free) {
    std::printf(", at least %.4f m throughout", result.clearance);
  }
  std::printf("; %zu balls, %zu tests, depth %d\n", result.balls, result.tests, result.depth);
  for (const keepclear::TolerancedInterval& interval : result.intervals) {
    if (interval.status == Verdict::free) continue;
    const auto i = static_cast<std::size_t>(interval.other);
    const std::size_t bodies = query.bodies().size();
    const std::string name = i < bodies ? query.bodies()[i].name : query.planes()[i - bodies].name;
    std::printf("  %s from %.4f to %.4f: %s %u and %s %u of '%s'\n", to_string(interval.status),
                interval.from, interval.to, to_string(interval.moving.kind), interval.moving.index,
                to_string(interval.standing.kind), interval.standing.index, name.c_str());
  }
}

/// A plate with a square opening, 0.02 m thick: two faces with a hole each, and the walls between.
keepclear::Polyhedron frame(double half_outside, double half_inside) {
  std::vector<Vec3> corners;
  for (const double x : {-0.01, 0.01}) {
    for (const double half : {half_outside, half_inside}) {
      corners.insert(corners.end(),
                     {{x, -half, -half}, {x, half, -half}, {x, half, half}, {x, -half, half}});
    }
  }
  std::vector<keepclear::Polyhedron::Face> faces = {{{0, 1, 2, 3}, {{4, 5, 6, 7}}},
                                                    {{8, 9, 10, 11}, {{12, 13, 14, 15}}}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t next = (i + 1) % 4;
    faces.push_back({{i, next, next + 8, i + 8}});
    faces.push_back({{i + 4, next + 4, next + 12, i + 12}});
  }
  return keepclear::Polyhedron::faces(corners, faces);
}

/// Turned about z by `angle`, its origin at x.
Affine pose(double angle, double x) {
  return affine(keepclear::Pose{keepclear::rotation_from_rpy({0, 0, angle}), {x, 0, 0}});
}

int tour() {
  // 0.5 m long, 0.2 m wide: it fits through 0.3 m only if it is turned in time.
  const keepclear::Polyhedron tray = keepclear::Polyhedron::box({0.5, 0.2, 0.05});
  std::vector<keepclear::StandingBody> around;
  around.push_back({frame(1, 0.15), "frame", 0});
  keepclear::TolerancedQuery query(tray, around, {{{0, 0, 1}, -1, "floor"}});

  // Control points of a curve in the space of displacements: between poses it shrinks a little, as
  // such curves do, and that counts.
  const std::vector<Affine> in_time = {pose(1, -1), pose(0, -0.9), pose(0, 0), pose(0, 1)};
  const std::vector<double> weights = {1, 2, 2, 1};
  const keepclear::CurvePointer good = keepclear::rational_bezier_curve(in_time, weights);
  const keepclear::TolerancedResult planned = query(*good);
  tell("turned in time", query, planned);

  // Every motion that is nowhere farther off than that, as the root mean square over the corners.
  const keepclear::TolerancedResult moved = query(*good, 0.005);
  tell("within 5 mm   ", query, moved);

  const std::vector<Affine> too_late = {pose(1, -1), pose(1, -0.3), pose(1, 0), pose(0, 1)};
  const keepclear::TolerancedResult late =
      query(*keepclear::rational_bezier_curve(too_late, weights));
  tell("turned late   ", query, late);
  return planned.verdict == Verdict::free && moved.verdict == Verdict::free &&
                 moved.clearance < planned.clearance && late.verdict == Verdict::contact
             ? 0
             : 1;
}

int of_files(const char* scene, const char* motion) {
  const keepclear::ObjectMotion read = keepclear::read_object_motion(motion);
  keepclear::TolerancedQuery query =
      keepclear::object_query(keepclear::read_scene(scene), {}, read.object);
  tell(read.object.c_str(), query, query(*read.curve, read.deviation));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return argc > 2 ? of_files(argv[1], argv[2]) : tour();
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
