// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bit>

#include "scene/worlds.hpp"

namespace keepclear {
namespace {

/// Everything in a result, bit for bit.
std::vector<std::uint64_t> bits(std::span<const Nearest> results) {
  std::vector<std::uint64_t> all;
  for (const Nearest& r : results) {
    all.push_back(static_cast<std::uint64_t>(r.verdict));
    all.push_back(static_cast<std::uint64_t>(r.a));
    all.push_back(static_cast<std::uint64_t>(r.b));
    for (const double v : {r.distance, r.lower_bound, r.point_a.x, r.point_a.y, r.point_a.z,
                           r.point_b.x, r.point_b.y, r.point_b.z}) {
      all.push_back(std::bit_cast<std::uint64_t>(v));
    }
  }
  return all;
}

class Batch : public testing::Test {
 protected:
  World world = load_builtin("six_axis_arm");
  std::vector<std::vector<double>> poses = test::smooth_poses(world, 1, 10, 100);
  std::vector<double> rows = test::flat(poses);
  std::size_t count = poses.size();

  static BatchOptions with(int threads) {
    BatchOptions options;
    options.threads = threads;
    return options;
  }
};

TEST_F(Batch, DistancesAreTheSameBytesOnAnyNumberOfThreads) {
  std::vector<Nearest> one(count), other(count);
  distance_batch(world, rows, one, with(1));
  for (const int threads : {0, 2, 3, 7}) {
    distance_batch(world, rows, other, with(threads));
    EXPECT_EQ(bits(one), bits(other)) << threads;
  }
}

TEST_F(Batch, AllPairsAreTheSameBytesOnAnyNumberOfThreads) {
  std::vector<Nearest> one(count * world.pairs().size()), other(one.size());
  all_pairs_batch(world, rows, one, with(1));
  for (const int threads : {2, 3}) {
    all_pairs_batch(world, rows, other, with(threads));
    EXPECT_EQ(bits(one), bits(other)) << threads;
  }
}

TEST_F(Batch, ChecksAreTheSameOnAnyNumberOfThreads) {
  std::vector<CheckResult> one(count), other(count);
  check_batch(world, rows, one, 0.01, with(1));
  for (const int threads : {2, 3}) {
    check_batch(world, rows, other, 0.01, with(threads));
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(one[i].verdict, other[i].verdict);
      ASSERT_EQ(one[i].a, other[i].a);
      ASSERT_EQ(one[i].b, other[i].b);
    }
  }
}

TEST_F(Batch, AgreesWithAQueryPoseByPose) {
  std::vector<Nearest> batch(count), all(count * world.pairs().size());
  std::vector<CheckResult> checks(count);
  distance_batch(world, rows, batch, with(2));
  all_pairs_batch(world, rows, all, with(2));
  check_batch(world, rows, checks, 0, with(2));
  DistanceQuery query(world);
  for (std::size_t i = 0; i < count; ++i) {
    const Nearest near = query(poses[i]);
    ASSERT_EQ(near.verdict, batch[i].verdict);
    ASSERT_EQ(near.verdict, checks[i].verdict);
    ASSERT_NEAR(near.distance, batch[i].distance, 1e-10);
    const auto pairs = query.all_pairs(poses[i]);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      ASSERT_NEAR(pairs[p].distance, all[i * pairs.size() + p].distance, 1e-10);
      ASSERT_EQ(pairs[p].verdict, all[i * pairs.size() + p].verdict);
    }
  }
}

TEST_F(Batch, ARowThatIsNoConfigurationIsUndecidedAndHarmsNoOther) {
  std::vector<Nearest> clean(count), dirty(count);
  distance_batch(world, rows, clean, with(1));
  std::vector<double> bad = rows;
  bad[5 * world.dof() + 2] = std::nan("");
  distance_batch(world, bad, dirty, with(2));
  EXPECT_EQ(dirty[5].verdict, Verdict::undecided);
  EXPECT_EQ(dirty[5].a, -1);
  EXPECT_EQ(dirty[5].b, -1);
  EXPECT_TRUE(std::isnan(dirty[5].distance));
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 5) continue;
    ASSERT_EQ(clean[i].verdict, dirty[i].verdict);
    ASSERT_NEAR(clean[i].distance, dirty[i].distance, 1e-10);
  }
  std::vector<Nearest> all(count * world.pairs().size());
  all_pairs_batch(world, bad, all, with(1));
  for (std::size_t p = 0; p < world.pairs().size(); ++p) {
    const Nearest& unknown = all[5 * world.pairs().size() + p];
    EXPECT_EQ(unknown.verdict, Verdict::undecided);
    EXPECT_TRUE(std::isnan(unknown.distance));
  }
  std::vector<CheckResult> checks(count);
  check_batch(world, bad, checks, 0, with(2));
  EXPECT_EQ(checks[5].verdict, Verdict::undecided);
}

TEST_F(Batch, RefusesSizesThatDoNotMatch) {
  std::vector<Nearest> few(count - 1), odd(count * world.pairs().size() + 1);
  std::vector<CheckResult> more(count + 1);
  const auto refused = [](auto call) {
    try {
      call();
    } catch (const Error& error) {
      return error.kind() == Error::Kind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { distance_batch(world, rows, few); }));
  EXPECT_TRUE(refused([&] { all_pairs_batch(world, rows, odd); }));
  EXPECT_TRUE(refused([&] { check_batch(world, rows, more); }));
  const std::span<const double> cut(rows.data(), rows.size() - 1);
  std::vector<Nearest> results(count);
  EXPECT_TRUE(refused([&] { distance_batch(world, cut, results); }));
}

TEST_F(Batch, NoRowsAreNoError) {
  distance_batch(world, {}, {});
  all_pairs_batch(world, {}, {});
  check_batch(world, {}, {});
}

TEST_F(Batch, AWorldWithoutPairsIsFreeInEveryRow) {
  const World empty =
      test::world_of(test::robot(test::link("a", test::box(1)) + test::link("b", test::box(1)) +
                                 test::joint("j", "revolute", "a", "b")));
  const std::vector<double> q{0, 1, 2};
  std::vector<Nearest> results(3);
  distance_batch(empty, q, results);
  for (const Nearest& near : results) EXPECT_EQ(near.verdict, Verdict::free);
  // Rows without places: nothing to write, and no error.
  all_pairs_batch(empty, q, {});
}

TEST_F(Batch, ProgressCountsUpToAllRows) {
  BatchOptions options = with(3);
  std::vector<std::size_t> seen;
  options.progress = [&](std::size_t done) { seen.push_back(done); };
  std::vector<Nearest> results(count);
  distance_batch(world, rows, results, options);
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), count);
}

}  // namespace
}  // namespace keepclear
