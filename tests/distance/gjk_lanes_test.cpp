// SPDX-License-Identifier: BSD-3-Clause
//
// The lanes against gjk() and gjk_plain(), on every instruction set of the machine.
#include "distance/gjk_lanes.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "distance/generators.hpp"
#include "shape/hull.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

/// Runs `check` with each target in turn, then goes back to the best.
template <typename Check>
void on_every_target(const Check& check) {
  hwy::SetSupportedTargetsForTest(0);
  const auto targets = hwy::SupportedAndGeneratedTargets();
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Many pairs of all kinds: far apart, near contact, overlapping.
struct Pairs {
  std::deque<BodyTables> bodies;
  std::vector<Placement> placements;

  const BodyTables* add(const std::vector<Vec3>& points, double radius) {
    bodies.push_back(make_tables(convex_hull(points), radius));
    return &bodies.back();
  }
  void put(const BodyTables* a, const BodyTables* b, const Pose& X_AB) {
    placements.push_back({a, b, X_AB, placement_error_hi(*a, *b, X_AB, {1e-15, 1e-15})});
  }
};

std::vector<Vec3> ball_points(test::Random& random, int count, double size) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) points.push_back(size * test::random_unit(random));
  return points;
}

const Pairs& many_pairs() {
  static const Pairs made = [] {
    Pairs pairs;
    test::Random random(20240501);
    for (int k = 0; k < 400; ++k) {
      const auto kind_a = static_cast<test::Shape::Kind>(test::pick(random, 9));
      const auto kind_b = static_cast<test::Shape::Kind>(test::pick(random, 9));
      const test::Shape a = test::random_shape(random, kind_a);
      const test::Shape b = test::random_shape(random, kind_b);
      const BodyTables* body_a = pairs.add(a.points, a.radius);
      const BodyTables* body_b = pairs.add(b.points, b.radius);
      for (int pattern = 0; pattern + 1 < test::kPatternCount; ++pattern) {
        if (pattern == static_cast<int>(test::Pattern::far_away)) continue;
        const test::Placement at = test::place(random, a, b, static_cast<test::Pattern>(pattern));
        pairs.put(body_a, body_b, inverse(at.X_WA) * at.X_WB);
      }
    }
    for (const int count : {5, 20, 60, 200, 1000}) {
      const BodyTables* a = pairs.add(ball_points(random, count, 0.3), 0);
      const BodyTables* b = pairs.add(ball_points(random, 2 * count, 0.2), 0.01);
      for (int k = 0; k < 60; ++k) {
        const Vec3 p = test::uniform(random, 0.3, 1.2) * test::random_unit(random);
        pairs.put(a, b, {test::random_rotation(random), p});
      }
    }
    return pairs;
  }();
  return made;
}

struct Found {
  std::vector<GjkCache> caches;
  std::vector<GjkResult> results;
};

/// `together` tasks a call.
Found run_lanes(const std::vector<Placement>& placements, std::vector<GjkCache> caches,
                const GjkOptions& options, std::size_t together) {
  Found run{std::move(caches), std::vector<GjkResult>(placements.size())};
  std::vector<GjkTask> tasks;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    tasks.push_back({&placements[i], &run.caches[i], &run.results[i]});
  }
  for (std::size_t i = 0; i < tasks.size(); i += together) {
    gjk_lanes(std::span(tasks).subspan(i, std::min(together, tasks.size() - i)), options);
  }
  return run;
}

/// The separation along n by a scan of all points, over |n|.
double plain_separation(const Placement& pair, Vec3 n) {
  const Vec3 m = -transposed_times(pair.X_AB.R, n);
  const Vec3 a = pair.a->point(support_scan(*pair.a, n));
  const Vec3 b = pair.b->point(support_scan(*pair.b, m));
  return ((dot(n, pair.X_AB.p) - dot(m, b)) - dot(n, a)) / norm(n);
}

void expect_a_right_answer(const Placement& pair, const GjkResult& found,
                           const GjkOptions& options) {
  GjkResult plain, scalar;
  gjk_plain(pair, options, plain);
  GjkCache cold;
  gjk(pair, options, cold, scalar);
  const double slack = 8 * pair.error_hi;

  EXPECT_LE(found.lower, found.upper + slack);
  EXPECT_LE(found.lower, plain.upper + slack);
  EXPECT_LE(plain.lower, found.upper + slack);
  if (std::isfinite(found.lower)) {
    EXPECT_LE(found.lower, plain_separation(pair, found.n));
  }
  if (found.end == GjkResult::End::overlap) {
    EXPECT_LE(plain.lower, slack);
    return;
  }
  // Nearer contact than this, what converges depends on luck, with gjk() as well.
  if (plain.lower > 1e-7) {
    EXPECT_EQ(found.end, GjkResult::End::converged);
    EXPECT_LE(found.upper - found.lower, options.tolerance + slack);
    EXPECT_NEAR(found.upper, scalar.upper, 2 * options.tolerance + slack);
    EXPECT_NEAR(found.upper, plain.upper, 2 * options.tolerance + slack);
  }
  Vec3 v;
  double sum = 0;
  ASSERT_GE(found.simplex.size, 1);
  ASSERT_LE(found.simplex.size, 4);
  for (int i = 0; i < found.simplex.size; ++i) {
    const double weight = found.simplex.weight[i];
    EXPECT_GE(weight, -1e-12);
    sum += weight;
    v = v + weight * (pair.a->point(found.simplex.vertex_a[i]) -
                      pair.X_AB * pair.b->point(found.simplex.vertex_b[i]));
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  if (plain.lower > 1e-7) {
    const double reach = pair.a->reach_hi + pair.b->reach_hi + norm(pair.X_AB.p);
    EXPECT_NEAR(norm(v), found.upper, 1e-9 * reach);
  }
}

void expect_the_same(const Found& a, const Found& b) {
  ASSERT_EQ(a.results.size(), b.results.size());
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(a.results[i].end, b.results[i].end);
    EXPECT_EQ(a.results[i].upper, b.results[i].upper);
    EXPECT_EQ(a.results[i].lower, b.results[i].lower);
    EXPECT_EQ(a.results[i].n, b.results[i].n);
    EXPECT_EQ(a.results[i].iterations, b.results[i].iterations);
    ASSERT_EQ(a.caches[i].size, b.caches[i].size);
    for (int k = 0; k < a.caches[i].size; ++k) {
      EXPECT_EQ(a.caches[i].a[k], b.caches[i].a[k]);
      EXPECT_EQ(a.caches[i].b[k], b.caches[i].b[k]);
      EXPECT_EQ(a.results[i].simplex.weight[k], b.results[i].simplex.weight[k]);
    }
  }
}

std::vector<GjkCache> cold_caches(const std::vector<Placement>& placements) {
  return std::vector<GjkCache>(placements.size());
}

/// The same pairs a little further on.
std::vector<Placement> moved(const std::vector<Placement>& placements, double by) {
  test::Random random(5);
  std::vector<Placement> result = placements;
  for (Placement& pair : result) {
    const Vec3 axis = test::random_unit(random);
    pair.X_AB.R = test::rotation_about(axis, by) * pair.X_AB.R;
    pair.X_AB.p = pair.X_AB.p + by * test::random_unit(random);
  }
  return result;
}

TEST(GjkLanes, FindTheCellsOfTheTables) {
  test::Random random(3);
  std::vector<Vec3> directions{{1, 0, 0},   {-1, 0, 0},  {0, 1, 0},       {0, 0, -1},
                               {1, 1, 1},   {-1, 1, 1},  {1, -1, -1},     {0, 1, -1},
                               {-1, 0, -1}, {1, -1, 0},  {1e-90, 0, 0},   {-0.0, 0.0, 1},
                               {0.5, 1, 0}, {1, 0.5, 0}, {1e90, 1e90, 0}, {0, 1e-300, -1}};
  for (int k = 0; k < 4000; ++k) {
    Vec3 n = test::log_uniform(random, 1e-99, 1e99) * test::random_unit(random);
    // Onto the edges of cells.
    if (k % 4 == 0) n = {1, std::round(8 * n.y / norm(n)) / 8, std::round(6 * n.z / norm(n)) / 6};
    if (k % 8 == 0) n = {n.y, n.z, -n.x};
    directions.push_back(n);
  }
  on_every_target([&] {
    for (const int edge : {2, 4, 6, 8, 12, 16}) {
      std::vector<std::uint32_t> cells(directions.size());
      cells_in_lanes(edge, directions, cells);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        ASSERT_EQ(cells[i], cell_of(edge, directions[i])) << edge << ' ' << i;
      }
    }
    std::vector<std::uint32_t> cells(directions.size(), 7);
    cells_in_lanes(0, directions, cells);
    for (const std::uint32_t cell : cells) ASSERT_EQ(cell, 0u);
  });
}

TEST(GjkLanes, AgreeWithThePlainSearchFromAColdStart) {
  const auto& placements = many_pairs().placements;
  const GjkOptions options;
  on_every_target([&] {
    const Found run = run_lanes(placements, cold_caches(placements), options, 21);
    for (std::size_t i = 0; i < placements.size(); ++i) {
      SCOPED_TRACE(i);
      expect_a_right_answer(placements[i], run.results[i], options);
    }
  });
}

TEST(GjkLanes, AgreeWithThePlainSearchFromAWarmStart) {
  const auto& placements = many_pairs().placements;
  const GjkOptions options;
  const Found before = run_lanes(placements, cold_caches(placements), options, 21);
  for (const double by : {0.0, 1e-6, 1e-2, 1.0}) {
    SCOPED_TRACE(by);
    const std::vector<Placement> next = moved(placements, by);
    const Found run = run_lanes(next, before.caches, options, 21);
    for (std::size_t i = 0; i < next.size(); ++i) {
      SCOPED_TRACE(i);
      expect_a_right_answer(next[i], run.results[i], options);
    }
  }
}

TEST(GjkLanes, TakeAnyCacheForAStart) {
  const auto& placements = many_pairs().placements;
  const GjkOptions options;
  test::Random random(11);
  std::vector<GjkCache> caches(placements.size());
  for (std::size_t i = 0; i < caches.size(); ++i) {
    caches[i].size = test::pick(random, 5);
    for (int k = 0; k < 4; ++k) {
      caches[i].a[k] = static_cast<std::uint32_t>(random() % placements[i].a->count);
      caches[i].b[k] = static_cast<std::uint32_t>(random() % placements[i].b->count);
    }
  }
  const Found run = run_lanes(placements, caches, options, 64);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    SCOPED_TRACE(i);
    expect_a_right_answer(placements[i], run.results[i], options);
  }
}

TEST(GjkLanes, AgreeToTheBitWhateverTheTargetAndTheCompany) {
  const auto& placements = many_pairs().placements;
  const GjkOptions options;
  const Found best = run_lanes(placements, cold_caches(placements), options, 21);
  const std::vector<Placement> next = moved(placements, 1e-3);
  const Found best_warm = run_lanes(next, best.caches, options, 21);
  for (const std::size_t together : {1, 2, 7, 8, 9, 1000}) {
    SCOPED_TRACE(together);
    expect_the_same(run_lanes(placements, cold_caches(placements), options, together), best);
    expect_the_same(run_lanes(next, best.caches, options, together), best_warm);
  }
  on_every_target([&] {
    expect_the_same(run_lanes(placements, cold_caches(placements), options, 21), best);
    expect_the_same(run_lanes(next, best.caches, options, 21), best_warm);
  });
}

TEST(GjkLanes, StopWhenTheLowerBoundIsAboveWhatMatters) {
  const auto& placements = many_pairs().placements;
  GjkOptions options;
  options.stop_above = 0.05;
  const Found run = run_lanes(placements, cold_caches(placements), options, 21);
  int stopped = 0;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    SCOPED_TRACE(i);
    const GjkResult& found = run.results[i];
    GjkResult plain;
    gjk_plain(placements[i], {}, plain);
    EXPECT_LE(found.lower, plain.upper + 8 * placements[i].error_hi);
    EXPECT_GE(found.upper, plain.lower - 8 * placements[i].error_hi);
    if (found.end != GjkResult::End::stopped) continue;
    ++stopped;
    EXPECT_GT(found.lower, options.stop_above);
    EXPECT_LE(found.lower, plain_separation(placements[i], found.n));
  }
  EXPECT_GT(stopped, 200);
}

TEST(GjkLanes, StopWhenTheUpperBoundIsBelowWhatMatters) {
  const auto& placements = many_pairs().placements;
  GjkOptions options;
  options.stop_below = 0.02;
  const Found run = run_lanes(placements, cold_caches(placements), options, 21);
  int stopped = 0;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    SCOPED_TRACE(i);
    const GjkResult& found = run.results[i];
    GjkResult plain;
    gjk_plain(placements[i], {}, plain);
    EXPECT_LE(found.lower, plain.upper + 8 * placements[i].error_hi);
    EXPECT_GE(found.upper, plain.lower - 8 * placements[i].error_hi);
    if (found.end == GjkResult::End::stopped) ++stopped;
  }
  EXPECT_GT(stopped, 200);
}

TEST(GjkLanes, TakeAboutAsManyStepsAsTheScalarSearch) {
  const auto& placements = many_pairs().placements;
  const GjkOptions options;
  const Found found = run_lanes(placements, cold_caches(placements), options, 21);
  long in_lanes = 0, scalar = 0;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    GjkCache cold;
    GjkResult result;
    gjk(placements[i], options, cold, result);
    scalar += result.iterations;
    in_lanes += found.results[i].iterations;
  }
  EXPECT_LT(in_lanes, scalar + scalar / 4);
}

TEST(GjkLanes, TakeNoTasks) {
  gjk_lanes({}, {});
}

}  // namespace
}  // namespace keepclear
