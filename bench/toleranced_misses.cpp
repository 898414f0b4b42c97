// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "bench/toleranced_bench.hpp"

namespace keepclear::bench {
namespace {

bool any_collides(FclMeshes& fcl, const std::vector<Pose>& poses) {
  return std::any_of(poses.begin(), poses.end(), [&](const Pose& X) { return fcl.collide(X); });
}

/// A motion of the family, where it just touches.
struct Touching {
  RationalMotion motion;
  std::uint64_t seed = 0;
};

std::vector<Touching> family(const PolygonWay& way, std::span<const Vec3> moving,
                             std::size_t motions, std::uint64_t seed) {
  std::vector<Touching> all;
  for (std::size_t k = 0; k < motions; ++k) {
    const std::uint64_t own = seed * 1'000'003 + k + 1;
    all.push_back({way.with_gap(tumbling_motion(moving, own), 0), own});
  }
  return all;
}

}  // namespace

std::vector<MissRow> measure_misses(std::size_t motions, std::uint64_t seed) {
  constexpr double kTolerance = 0.01 * kDiameter;
  // Shares of the tolerance.
  constexpr double kDepths[][2] = {{1e-4, 1e-3}, {1e-3, 1e-2}, {1e-2, 1e-1}, {1e-1, 1}};
  const std::vector<Vec3> moving = octagon(1, 1), standing = octagon(1, 0.9);
  const Polyhedron P = Polyhedron::polygon(moving), F = Polyhedron::polygon(standing);
  const PolygonWay way(moving, standing);
  const std::vector<Touching> touching = family(way, moving, motions, seed);
  TolerancedOptions options;
  options.ask = Ask::verdict;
  options.tolerance = kTolerance;
  TolerancedQuery query(P, {{F, "standing", 0}}, {}, options);
  FclMeshes fcl(P, F);
  std::vector<MissRow> rows;
  for (const auto& [from, to] : kDepths) {
    MissRow row;
    row.depth_from = from * kTolerance;
    row.depth_to = to * kTolerance;
    row.tolerance = kTolerance;
    row.motions = touching.size();
    const auto count = static_cast<double>(touching.size());
    for (const Touching& start : touching) {
      Random random(start.seed);
      const double depth = row.depth_from * std::pow(to / from, random());
      const RationalMotion motion = start.motion.moved({0, 0, -depth});
      const CurvePointer curve = motion.curve(BezierBall::middle);
      TolerancedResult answer;
      row.us += least_us([&] { answer = query(*curve); }, 0.01, 20) / count;
      row.contact += answer.verdict == Verdict::contact;
      row.undecided += answer.verdict == Verdict::undecided;
      row.free += answer.verdict == Verdict::free;
      row.balls += static_cast<double>(answer.balls) / count;
      TolerancedOptions closer = options;
      closer.tolerance = depth / 4;
      TolerancedQuery fine_query(P, {{F, "standing", 0}}, {}, closer);
      TolerancedResult proved;
      row.fine_us += least_us([&] { proved = fine_query(*curve); }, 0.01, 20) / count;
      row.fine_contact += proved.verdict == Verdict::contact;
      row.fine_undecided += proved.verdict == Verdict::undecided;
      row.free += proved.verdict == Verdict::free;
      row.confirmed +=
          proved.verdict == Verdict::contact && fcl.collide(motion.at(proved.first_contact));
      const auto at = [&](double t) { return motion.at(t); };
      bool hit = false;
      const std::vector<Pose> poses = sampled(at, moving, kTolerance);
      row.fcl_us += least_us([&] { hit = any_collides(fcl, poses); }, 0.01, 20) / count;
      row.samples += static_cast<double>(poses.size()) / count;
      row.fcl_missed += !hit && proved.verdict == Verdict::contact;
      const std::vector<Pose> closely = sampled(at, moving, kTolerance / 10);
      row.fcl_fine_us += least_us([&] { hit = any_collides(fcl, closely); }, 0.01, 20) / count;
      row.samples_fine += static_cast<double>(closely.size()) / count;
      row.fcl_missed_fine += !hit && proved.verdict == Verdict::contact;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace keepclear::bench
