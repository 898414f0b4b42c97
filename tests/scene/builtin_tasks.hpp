// SPDX-License-Identifier: BSD-3-Clause
//
// The tasks of the built-in worlds, for tests.
#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "keepclear/world.hpp"

namespace keepclear::test {

inline const BuiltinWorld& find_world(const std::string& name) {
  const auto worlds = builtin_worlds();
  const auto found = std::ranges::find(worlds, name, &BuiltinWorld::name);
  if (found == worlds.end()) throw std::runtime_error("no world " + name);
  return *found;
}

struct Motion {
  std::vector<std::string> columns;
  std::vector<double> time;
  std::vector<std::vector<double>> poses;
};

inline Motion read_task(const std::string& world, const std::string& name) {
  const auto& tasks = find_world(world).tasks;
  const auto task = std::ranges::find(tasks, name, &BuiltinWorld::Task::name);
  if (task == tasks.end()) throw std::runtime_error("no task " + name);
  Motion motion;
  std::istringstream lines{std::string(task->csv)};
  std::string line, field;
  std::getline(lines, line);
  for (std::istringstream fields(line); std::getline(fields, field, ',');) {
    motion.columns.push_back(field);
  }
  while (std::getline(lines, line)) {
    std::vector<double> numbers;
    for (std::istringstream fields(line); std::getline(fields, field, ',');) {
      numbers.push_back(std::stod(field));
    }
    motion.time.push_back(numbers.at(0));
    motion.poses.emplace_back(numbers.begin() + 1, numbers.end());
  }
  return motion;
}

inline std::set<std::string> names(const World& world, int a, int b) {
  if (a < 0 || b < 0) return {};
  const auto solids = world.solids();
  return {solids[static_cast<std::size_t>(a)].name, solids[static_cast<std::size_t>(b)].name};
}

}  // namespace keepclear::test
