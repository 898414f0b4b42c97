// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <stdexcept>

#include "bench/toleranced_bench.hpp"

namespace keepclear::bench {
namespace {

/// Of the paper: about one percent of the diameter.
constexpr double kTolerance = 0.01 * kDiameter;
/// Of the motion that is free: so that it is about as much work as the paper's.
constexpr double kGap = 0.02 * kDiameter;
/// How far below touching the one that collides is.
constexpr double kDepth = 0.05 * kDiameter;

struct Octagons {
  std::vector<Vec3> moving = octagon(1, 1), standing = octagon(1, 0.9);
  Polyhedron P = Polyhedron::polygon(moving), F = Polyhedron::polygon(standing);
  RationalMotion motion = tumbling_motion(moving, 0);
  PolygonWay way{moving, standing};
};

/// Equal weights in the vertices and in a point over the barycentre, a tenth of the diameter high.
DisplacementMetric paper_metric(std::span<const Vec3> vertices) {
  std::vector<Vec3> points(vertices.begin(), vertices.end());
  Vec3 centre;
  for (const Vec3& v : vertices) centre = centre + (1.0 / double(vertices.size())) * v;
  points.push_back(centre + Vec3{0, 0, 0.1 * kDiameter});
  return DisplacementMetric(points);
}

struct Variant {
  BezierBall ball = BezierBall::middle;
  bool paper_metric = false;
  bool nested = true;
  Ask ask = Ask::verdict;
};

const char* name_of(Ask ask) {
  return ask == Ask::verdict         ? "verdict"
         : ask == Ask::first_contact ? "first_contact"
         : ask == Ask::all_intervals ? "all_intervals"
                                     : "clearance";
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const BezierBall ball : {BezierBall::middle, BezierBall::smallest}) {
    for (const bool paper : {true, false}) {
      for (const bool nested : {false, true}) all.push_back({ball, paper, nested, Ask::verdict});
    }
  }
  for (const Ask ask : {Ask::first_contact, Ask::all_intervals, Ask::clearance}) {
    all.push_back({BezierBall::middle, false, true, ask});
  }
  return all;
}

TolerancedQuery query_of(const Octagons& octagons, const Variant& variant, double tolerance) {
  TolerancedOptions options;
  options.ask = variant.ask;
  options.tolerance = tolerance;
  options.nested = variant.nested;
  if (variant.paper_metric) options.metric = paper_metric(octagons.moving);
  return TolerancedQuery(octagons.P, {{octagons.F, "standing", 0}}, {}, options);
}

void ask_variant(const Octagons& octagons, const RationalMotion& motion, const Variant& variant,
                 TolerancedRow row, const TolerancedReport& report) {
  TolerancedQuery query = query_of(octagons, variant, row.tolerance);
  const CurvePointer curve = motion.curve(variant.ball);
  TolerancedResult answer;
  row.us = least_us([&] { answer = query(*curve); });
  row.contender = "keepclear";
  row.ball = variant.ball == BezierBall::middle ? "middle" : "smallest";
  row.metric = variant.paper_metric ? "paper" : "balanced";
  row.nested = variant.nested;
  row.ask = name_of(variant.ask);
  row.verdict = to_string(answer.verdict);
  row.clearance = answer.clearance;
  row.distance = answer.distance;
  row.balls = answer.balls;
  row.tests = answer.tests;
  row.depth = answer.depth;
  report(row);
}

/// FCL in poses between which nothing moves by more than the tolerance, until one collides.
void ask_fcl(const Octagons& octagons, const RationalMotion& motion, TolerancedRow row,
             const TolerancedReport& report) {
  FclMeshes fcl(octagons.P, octagons.F);
  const std::vector<Pose> poses =
      sampled([&](double t) { return motion.at(t); }, octagons.moving, row.tolerance);
  bool hit = false;
  row.us = least_us([&] {
    hit = std::any_of(poses.begin(), poses.end(), [&](const Pose& X) { return fcl.collide(X); });
  });
  row.contender = "fcl_sampled";
  row.verdict = hit ? "contact" : "no contact seen";
  row.samples = poses.size();
  report(row);

  const auto at = [&](double t) { return motion.at(t); };
  const WayLength way(at, octagons.moving);
  Stepped stepped;
  row.us = least_us([&] { stepped = step_by_distance(fcl, at, way, row.tolerance); });
  row.contender = "fcl_steps";
  row.verdict = stepped.arrived ? "free" : "undecided";
  row.samples = stepped.poses;
  report(row);
}

struct Example {
  const char* name;
  RationalMotion motion;
  double gap;
};

std::vector<Example> examples(const Octagons& octagons) {
  const RationalMotion near = octagons.way.with_gap(octagons.motion, kGap);
  return {{"near", near, kGap},
          {"colliding", near.moved({0, 0, -kGap - kDepth}), 0},
          {"away", near.moved({0, 0, kDiameter / 2}), kGap + kDiameter / 2}};
}

}  // namespace

void measure_examples(const TolerancedReport& report) {
  const Octagons octagons;
  const double error = rigidity_error(octagons.motion);
  if (!(error < 1e-13)) throw std::runtime_error("the motion is not rigid");
  fmt::print("A^T A - 1 of the motion in 1000 places: at most {:.1e}\n", error);
  for (const Example& example : examples(octagons)) {
    TolerancedRow row{.part = "examples", .motion = example.name, .contender = ""};
    row.tolerance = kTolerance;
    row.gap = octagons.way.nearest(example.motion, 2000).distance;
    for (const Variant& variant : variants()) {
      ask_variant(octagons, example.motion, variant, row, report);
    }
    ask_fcl(octagons, example.motion, row, report);
  }
}

void measure_gaps(const TolerancedReport& report) {
  const Octagons octagons;
  constexpr double kShares[] = {0.2,   0.1,   0.05,   0.02,   0.01,  0.005,
                                0.002, 0.001, 0.0005, 0.0002, 0.0001};
  for (const double share : kShares) {
    const double gap = share * kDiameter;
    const RationalMotion motion = octagons.way.with_gap(octagons.motion, gap);
    TolerancedRow row{.part = "gaps", .motion = "near", .contender = ""};
    row.gap = octagons.way.nearest(motion, 2000).distance;
    row.tolerance = std::min(kTolerance, gap / 4);
    for (const BezierBall ball : {BezierBall::middle, BezierBall::smallest}) {
      for (const bool paper : {true, false}) {
        ask_variant(octagons, motion, {ball, paper, true, Ask::verdict}, row, report);
      }
    }
    ask_fcl(octagons, motion, row, report);
  }
}

void count_example_instructions() {
  const Octagons octagons;
  const auto count = [](const std::string& what, const auto& run) {
    CALLGRIND_ZERO_STATS;
    // The first fills what is kept and is not counted.
    run();
    CALLGRIND_TOGGLE_COLLECT;
    run();
    CALLGRIND_TOGGLE_COLLECT;
    const std::string label = "keepclear-bench," + what + ",1";
    CALLGRIND_DUMP_STATS_AT(label.c_str());
  };
  CALLGRIND_START_INSTRUMENTATION;
  for (const Example& example : examples(octagons)) {
    for (const Variant& variant : variants()) {
      TolerancedQuery query = query_of(octagons, variant, kTolerance);
      const CurvePointer curve = example.motion.curve(variant.ball);
      count(fmt::format("{},keepclear,{},{},{},{}", example.name,
                        variant.ball == BezierBall::middle ? "middle" : "smallest",
                        variant.paper_metric ? "paper" : "balanced",
                        variant.nested ? "nested" : "all", name_of(variant.ask)),
            [&] { query(*curve); });
    }
    FclMeshes fcl(octagons.P, octagons.F);
    const std::vector<Pose> poses =
        sampled([&](double t) { return example.motion.at(t); }, octagons.moving, kTolerance);
    count(fmt::format("{},fcl_sampled,,,,", example.name), [&] {
      std::any_of(poses.begin(), poses.end(), [&](const Pose& X) { return fcl.collide(X); });
    });
  }
  CALLGRIND_STOP_INSTRUMENTATION;
}

}  // namespace keepclear::bench
