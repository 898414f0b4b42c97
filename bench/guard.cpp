// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark of the guard: the experiments of paper 1, VI, and what a cycle costs.
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <stdexcept>

#include "bench/guard_bench.hpp"
#include "bench/guard_cost.hpp"
#include "bench/program.hpp"
#include "bench/sweep_scene.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_guard [--table] [--hands] [--curves] [--cost] [--no-shares] [--random N]
                   [--seed N] [--cycles N] [--worlds a,b] [--budget FLOP] [--csv PREFIX]
                   [--instructions]

Without the name of a part, all of them. Worlds of --cost: humanoid, rollin_justin, two_arms_1e3,
two_arms_1e5, or any built-in one. Files are PREFIX-table.csv, -hands.csv, -curves.csv, -work.csv,
-cost.csv and -histogram.csv. --instructions is for bench/guard_instructions, which counts them
under callgrind.
)";

struct Options {
  std::set<std::string> parts;
  TableOptions table;
  CostOptions cost;
  std::string csv;

  bool has(const char* part) const { return parts.empty() || parts.contains(part); }
};

Options parse(int argc, char** argv) {
  const std::set<std::string> known{"--table", "--hands", "--curves", "--cost"};
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (known.contains(name)) {
      options.parts.insert(name.substr(2));
      continue;
    }
    if (name == "--instructions") {
      options.cost.instructions = true;
      continue;
    }
    if (name == "--no-shares") {
      options.table.shares = false;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--random") {
      options.table.random = std::stoul(value);
    } else if (name == "--seed") {
      options.table.seed = std::stoull(value);
    } else if (name == "--budget") {
      options.table.budget = options.cost.budget = std::stoull(value);
    } else if (name == "--cycles") {
      options.cost.cycles = std::stoull(value);
    } else if (name == "--worlds") {
      options.cost.worlds = split(value);
    } else if (name == "--csv") {
      options.csv = options.cost.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  return options;
}

void run(const Options& options) {
  for (const std::string& line : machine_head()) fmt::print("{}\n", line);
  if (options.cost.instructions) return run_cost(options.cost);
  const World humanoid = load_builtin("humanoid");
  if (options.has("table")) run_table(humanoid, options.table, options.csv);
  if (options.has("hands")) run_hands(humanoid, options.table, options.csv);
  if (options.has("curves")) run_curves(humanoid, options.csv);
  if (options.has("cost")) run_cost(options.cost);
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_guard", kUsage, parse, run);
}
