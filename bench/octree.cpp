// SPDX-License-Identifier: BSD-3-Clause
//
// The octree benchmark: the experiments of paper 5 (Fig. 14, 15, 16, phases, structure, shortcuts),
// and the watch among up to a million boxes beside FCL and Bullet.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "bench/octree_bench.hpp"
#include "bench/octree_paper.hpp"
#include "bench/program.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_octree [--quick] [--csv FILE] [--plots DIR] [--parts a,b] [--rounds N]
                    [--period SECONDS] [--tolerance METRES] [--max-objects N]
       bench_octree --only watch|kinematics|fcl|fcl_array|bullet|bullet_dbvt|naive|octree
                    [--boxes N] [--spread near|far|spread] [--cycles N]

Parts: fig14, fig15, fig16, phases, shortcuts, scale. --plots needs --csv and python3.
--only runs one contender alone, for perf stat or
valgrind --tool=callgrind --instr-atstart=no.
)";

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--quick") {
      options.quick = true;
      options.max_objects = 1000;
      options.measure.rounds = 1;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--csv") {
      options.csv = value;
    } else if (name == "--plots") {
      options.plots = value;
    } else if (name == "--parts") {
      std::istringstream in(value);
      for (std::string part; std::getline(in, part, ',');) options.parts.insert(part);
    } else if (name == "--rounds") {
      options.measure.rounds = std::stoi(value);
    } else if (name == "--period") {
      options.periods = {std::stod(value)};
    } else if (name == "--tolerance") {
      options.measure.tolerance = std::stod(value);
    } else if (name == "--max-objects") {
      options.max_objects = std::stoul(value);
    } else if (name == "--only") {
      options.only = value;
    } else if (name == "--boxes") {
      options.boxes = std::stoul(value);
    } else if (name == "--cycles") {
      options.cycles = std::stoul(value);
    } else if (name == "--spread") {
      options.spread = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.measure.rounds < 1 || !(options.periods[0] > 0) || !(options.measure.tolerance > 0) ||
      (!options.plots.empty() && options.csv.empty())) {
    throw std::invalid_argument("");
  }
  return options;
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

Spread spread_called(const std::string& name) {
  for (Spread spread : {Spread::near, Spread::far, Spread::spread}) {
    if (name == to_string(spread)) return spread;
  }
  throw std::runtime_error("no distribution is called " + name);
}

void run_only(Bench& bench) {
  const std::size_t moving = bench.cell.moving.size();
  const Cell cell = with_boxes(bench.cell, bench.swept, spread_called(bench.options.spread),
                               std::max(bench.options.boxes, moving) - moving, kSeed);
  const Motion motion = load_motion(bench.cell, bench.options.periods[0], 1'000'000);
  std::vector<ContenderKind> kinds{watch_kind(), kinematics_kind(), naive_kind(),
                                   octree_kind("octree", {})};
  for (const auto& group : {fcl_kinds(), bullet_kinds()}) {
    kinds.insert(kinds.end(), group.begin(), group.end());
  }
  for (const ContenderKind& kind : kinds) {
    if (kind.name == bench.options.only) {
      run_alone(cell, motion, kind, bench.options.measure, bench.options.cycles);
      return;
    }
  }
  throw std::runtime_error("no contender is called " + bench.options.only);
}

void run(const Options& options) {
  Report report(options.csv);
  Cell cell = load_cell();
  Motion motion = load_motion(cell, kPaperPeriod, options.quick ? 3000 : 1'000'000);
  Swept swept(cell, load_motion(cell, kPaperPeriod, 1'000'000), kClearance + 0.02);
  Bench bench{options, std::move(cell), std::move(motion), std::move(swept), report};
  if (!options.only.empty()) {
    run_only(bench);
    return;
  }
  report.remark(fmt::format("cpu: {}", cpu_model()));
  report.remark(fmt::format("compiler: {} {}, {}", KEEPCLEAR_BENCH_COMPILER, __VERSION__,
                            KEEPCLEAR_BENCH_FLAGS));
  report.remark(fmt::format(
      "tolerance {} m; rounds {} (the least time of each cycle); paper's "
      "figures: a cycle each {:.4f} s, {} cycles",
      options.measure.tolerance, options.measure.rounds, bench.motion.period, bench.motion.count));
  std::string tasks;
  for (const std::string& task : bench.motion.tasks) tasks += (tasks.empty() ? "" : ", ") + task;
  report.remark("tasks, and cycles until something touches: " + tasks);
  report.remark(
      "microseconds a cycle; watch, octree, grid and naive include the kinematics, fcl and "
      "bullet get the poses for nothing");
  report.columns();
  const auto wanted = [&](const char* part) {
    return options.parts.empty() || options.parts.contains(part);
  };
  if (wanted("fig14")) run_fig14(bench);
  if (wanted("fig15")) run_fig15(bench);
  if (wanted("fig16")) run_fig16(bench);
  if (wanted("phases")) run_phases(bench);
  if (wanted("shortcuts")) run_shortcuts(bench);
  if (wanted("scale")) run_scale(bench);
  report.flush();
  if (!options.plots.empty()) {
    const std::string command = fmt::format("python3 '{}/bench/plot_octree.py' '{}' '{}'",
                                            KEEPCLEAR_BENCH_PROJECT, options.csv, options.plots);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("no plots: " + command);
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_octree", kUsage, parse, run);
}
