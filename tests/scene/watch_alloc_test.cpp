// SPDX-License-Identifier: BSD-3-Clause
//
// After construction a watch allocates nothing, whatever happens.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "keepclear/watch.hpp"
#include "support/count_allocations.hpp"

namespace keepclear {
namespace {

template <typename Call>
std::size_t allocations(const Call& call) {
  const std::size_t before = test::allocation_count;
  call();
  return test::allocation_count - before;
}

/// The rows of a task, the time left out.
std::vector<std::vector<double>> rows_of(std::string_view csv, std::size_t dof) {
  std::vector<std::vector<double>> rows;
  csv.remove_prefix(csv.find('\n') + 1);
  while (!csv.empty()) {
    const std::string_view line = csv.substr(0, csv.find('\n'));
    csv.remove_prefix(std::min(csv.size(), line.size() + 1));
    std::vector<double> row;
    for (const char* at = line.data(); at < line.data() + line.size();) {
      double value = 0;
      const auto read = std::from_chars(at, line.data() + line.size(), value);
      row.push_back(value);
      at = read.ptr + 1;
    }
    if (row.size() != dof + 1) continue;
    row.erase(row.begin());
    rows.push_back(row);
  }
  return rows;
}

const BuiltinWorld::Task& first_task(const char* name) {
  for (const BuiltinWorld& built : builtin_worlds()) {
    if (built.name == name) return built.tasks.at(0);
  }
  throw std::out_of_range(name);
}

TEST(WatchAllocations, AreNoneInAThousandCyclesOfWork) {
  const World world = load_builtin("two_arms");
  const auto rows = rows_of(first_task("two_arms").csv, world.dof());
  ASSERT_GE(rows.size(), 1000u);
  WatchOptions options;
  options.reaction_time = 0.01, options.stopping_time = 0.1;
  options.fine_below = 0.5;
  options.profile = true;
  const int box = world.find_solid("front_box"), other = world.find_solid("right_box");
  const int camera = world.find_solid("camera"), table = world.find_solid("front_table");
  std::vector<int> links;
  for (int s = 0; s < static_cast<int>(world.solids().size()); ++s) {
    if (!world.solids()[static_cast<std::size_t>(s)].is_object) links.push_back(s);
  }
  ASSERT_TRUE(box >= 0 && other >= 0 && camera >= 0 && table >= 0 && links.size() > 2);
  Watch watch(world, options);
  const std::vector<double> nothing, none(world.dof(), std::nan(""));
  int free = 0, done = 0;
  EXPECT_EQ(allocations([&] {
              for (std::size_t k = 0; k < 1000; ++k) {
                free += watch.step(rows[k], 0.01).verdict == Verdict::free;
                const int link = links[k % links.size()];
                if (k % 10 == 3) done += watch.attach(box, link, {&table, 1});
                if (k % 30 == 5) done += watch.attach(other, link);
                if (k % 30 == 15) done += watch.release(box);
                if (k % 20 == 7) {
                  done += watch.place(camera, {{}, {0.7, 1.45, 1 + 1e-3 * static_cast<double>(k)}});
                }
                done += watch.expect_contact(link, box, k % 3 == 0 ? 0 : 0.1);
                if (k % 100 == 50) watch.reset();
                if (k % 100 == 60) watch.step(none, 0.01);
                if (k % 100 == 70) watch.step(nothing, 0.01);
              }
            }),
            0u);
  EXPECT_GT(free, 0);
  EXPECT_LT(free, 1000);
  EXPECT_GT(done, 1000);
}

TEST(WatchAllocations, AreNoneWhereThereIsNoRoom) {
  const World world = load_builtin("two_arms");
  const auto rows = rows_of(first_task("two_arms").csv, world.dof());
  WatchOptions options;
  options.max_partners = 3, options.max_listed = 1, options.max_carried = 1;
  options.margin = 0.5;
  Watch watch(world, options);
  const int box = world.find_solid("front_box"), camera = world.find_solid("camera");
  const int link = world.find_solid("left/link1");
  ASSERT_TRUE(box >= 0 && camera >= 0);
  std::size_t unlisted = 0;
  EXPECT_EQ(allocations([&] {
              for (std::size_t k = 0; k < 300; ++k) {
                unlisted += watch.step(rows[k], 0.01).unlisted;
                watch.place(k % 2 == 0 ? box : camera, {});
                watch.attach(k % 3 == 0 ? box : camera, link);
                watch.release(box);
              }
            }),
            0u);
  EXPECT_GT(unlisted, 0u);
}

TEST(WatchAllocations, AreSeen) {
  const World world = load_builtin("two_arms");
  EXPECT_GT(allocations([&] { Watch watch(world); }), 0u);
}

}  // namespace
}  // namespace keepclear
