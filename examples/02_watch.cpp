// SPDX-License-Identifier: BSD-3-Clause
//
// Two arms at a bench, watched cycle by cycle: the first cycle in which a collision is imminent,
// and then a box that one arm picks up and that is watched like a link from then on.
//
//   example_02_watch
#include <cstdio>
#include <keepclear/keepclear.hpp>
#include <keepclear/watch.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// The rows of a task: a time, then one number for each joint.
std::vector<std::vector<double>> rows(std::string_view csv) {
  std::vector<std::vector<double>> table;
  std::istringstream lines{std::string(csv)};
  std::string line, field;
  std::getline(lines, line);  // names: time and the joints, in the order of the world
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    for (table.emplace_back(); std::getline(fields, field, ',');) {
      table.back().push_back(std::stod(field));
    }
  }
  return table;
}

/// Runs the task from row `first` on, up to `end` seconds or the first cycle that is not free.
/// Returns the row after the last one that was free.
std::size_t run(const keepclear::World& world, keepclear::Watch& watch,
                const std::vector<std::vector<double>>& task, std::size_t first, double end) {
  constexpr double kCycle = 0.05;  // seconds from row to row
  for (std::size_t row = first; row < task.size(); ++row) {
    if (task[row][0] > end) return row;
    // No allocation in here: a control loop may call it.
    const keepclear::WatchCycle cycle = watch.step(std::span(task[row]).subspan(1), kCycle);
    if (cycle.verdict == keepclear::Verdict::free) continue;
    std::printf("%.2f s: stop, %zu imminent\n", task[row][0], cycle.imminent.size());
    for (const keepclear::Imminent& pair : cycle.imminent) {
      std::printf("  %s - %s: %.4f m apart, %.4f m asked for, at (%.3f %.3f %.3f)\n",
                  world.solids()[static_cast<std::size_t>(pair.a)].name.c_str(),
                  world.solids()[static_cast<std::size_t>(pair.b)].name.c_str(), pair.distance,
                  pair.tolerance, pair.point_a.x, pair.point_a.y, pair.point_a.z);
    }
    return row;
  }
  return task.size();
}

}  // namespace

int main() {
  try {
    const keepclear::World world = keepclear::load_builtin("two_arms");
    std::vector<std::vector<std::vector<double>>> tasks;
    for (const keepclear::BuiltinWorld& builtin : keepclear::builtin_worlds()) {
      for (const auto& task : builtin.tasks) tasks.push_back(rows(task.csv));
    }
    // What moves at speed v is kept clear by v * 0.1 s: that far it goes before it stands.
    keepclear::WatchOptions options;
    options.reaction_time = 0.05;
    options.stopping_time = 0.05;

    std::puts("task2: the left arm runs into the front table");
    keepclear::Watch watch(world, options);
    run(world, watch, tasks.at(1), 0, 60);

    std::puts("task1: the left arm fetches the box from the front table");
    const int box = world.find_solid("front_box"), gripper = world.find_solid("left/link7");
    const int table[] = {world.find_solid("front_table")};
    keepclear::Watch fetch(world, options);
    fetch.expect_contact(gripper, box, 0.05);  // only these two, and only when slow
    std::size_t row = run(world, fetch, tasks.at(0), 0, 44);
    if (!fetch.attach(box, gripper, table)) return 1;
    row = run(world, fetch, tasks.at(0), row, 60);
    fetch.release(box);
    std::printf("%zu of %zu cycles free, %llu distance searches\n", row, tasks.at(0).size(),
                static_cast<unsigned long long>(fetch.counters().searches));
    return row == tasks.at(0).size() ? 0 : 1;
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
