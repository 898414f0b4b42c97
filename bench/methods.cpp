// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark of the methods by which a motion is proved: the same motions by each of them.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "bench/methods_bench.hpp"
#include "bench/program.hpp"
#include "bench/sweep_scene.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_methods [--problems N] [--each N] [--rounds N] [--points N] [--seed N]
                     [--budget TESTS] [--robots NAME,...] [--csv FILE]

Robots are panda, panda_fit, fetch, ur5_robotiq85 and the built-in worlds that have tasks.
Robots and scenes are looked for in $KEEPCLEAR_DATA, or in shared beside the project.
)";

struct Options {
  MethodsOptions methods;
  std::string csv;
};

Options parse(int argc, char** argv) {
  Options options;
  MethodsOptions& m = options.methods;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--problems") {
      m.problems = std::stoul(value);
    } else if (name == "--each") {
      m.each = std::stoul(value);
    } else if (name == "--rounds") {
      m.rounds = std::stoi(value);
    } else if (name == "--points") {
      m.points = std::stoi(value);
    } else if (name == "--seed") {
      m.seed = std::stoull(value);
    } else if (name == "--budget") {
      m.budget = std::stoul(value);
    } else if (name == "--robots") {
      m.robots = split(value);
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (m.rounds < 1) throw std::invalid_argument("--rounds");
  return options;
}

void run(const Options& options) {
  for (const std::string& line : machine_head()) fmt::print("{}\n", line);
  const MethodsOptions& m = options.methods;
  const std::string head = fmt::format(
      "{} problems of MotionBenchMaker a robot, {} motions of a kind in each, and the tasks of the "
      "built-in worlds; tolerance {} m, at most {} tests; methods in turn, the least time of {} "
      "rounds, seed {}; one thread",
      m.problems, m.each, m.tolerance, m.budget, m.rounds, m.seed);
  fmt::print("{}\n", head);
  std::fflush(stdout);
  std::ofstream csv;
  if (!options.csv.empty()) {
    csv.open(options.csv);
    if (!csv) throw std::runtime_error("cannot write " + options.csv);
    for (const std::string& line : machine_head()) csv << "# " << line << '\n';
    csv << "# " << head << '\n';
    write_head(csv);
  }
  std::vector<MethodsRow> rows;
  const auto measure = [&](const MethodsMotion& motion) {
    for (const MethodsRow& row : measure_motion(motion, m)) {
      write_row(csv, row);
      rows.push_back(row);
    }
  };
  for_each_problem_motion(m, measure);
  for_each_task(m, measure);
  print_summary(rows);
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_methods", kUsage, parse, run);
}
