// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark of whole motions: edges of a planner beside FCL on poses along them, and what
// proofs of longer motions cost.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>

#include "bench/certify_bench.hpp"
#include "bench/program.hpp"
#include "bench/sweep_scene.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_certify [--mbm] [--bookcase] [--handover] [--cost] [--measured]
                     [--scenes N] [--edges N] [--near] [--rounds N] [--seed N] [--points N]
                     [--csv PREFIX] [--instructions]

Without the name of a part, all of them. Files are PREFIX-mbm.csv (with --near PREFIX-near.csv),
-motions.csv and -cost.csv.
Robots and scenes are looked for in $KEEPCLEAR_DATA, or in shared beside the project.
--instructions is for bench/certify_instructions, which counts them under callgrind.
)";

struct Options {
  std::set<std::string> parts;
  EdgeOptions edges;
  std::string csv;
  bool instructions = false;

  bool has(const char* part) const { return parts.empty() || parts.contains(part); }
};

Options parse(int argc, char** argv) {
  const std::set<std::string> known{"--mbm", "--bookcase", "--handover", "--cost", "--measured"};
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (known.contains(name)) {
      options.parts.insert(name.substr(2));
      continue;
    }
    if (name == "--instructions" || name == "--near") {
      (name == "--near" ? options.edges.near : options.instructions) = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--scenes") {
      options.edges.scenes = std::stoul(value);
    } else if (name == "--edges") {
      options.edges.edges = std::stoul(value);
    } else if (name == "--rounds") {
      options.edges.rounds = std::stoi(value);
    } else if (name == "--seed") {
      options.edges.seed = std::stoull(value);
    } else if (name == "--points") {
      options.edges.points = std::stoi(value);
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.edges.scenes == 0 || options.edges.edges == 0 || options.edges.rounds < 1) {
    throw std::invalid_argument("--scenes, --edges, --rounds");
  }
  return options;
}

/// A file of results with its head, or one that swallows everything.
std::ofstream open(const Options& options, const char* part, const std::string& more) {
  std::ofstream file;
  if (options.csv.empty()) return file;
  const std::string name = options.csv + "-" + part + ".csv";
  file.open(name);
  if (!file) throw std::runtime_error("cannot write " + name);
  for (const std::string& line : machine_head()) file << "# " << line << '\n';
  file << "# " << more << '\n';
  return file;
}

void run_edges(const Options& options) {
  const std::string head = fmt::format(
      "{} problems of MotionBenchMaker for the Panda, {} random straight edges of {} rad in each, "
      "{}"
      "both ends free; tolerance {} m; rounds {} (the least time of each edge), seed {}; "
      "microseconds, one thread; FCL gets the poses of all links for nothing",
      options.edges.scenes, options.edges.edges, options.edges.length,
      options.edges.near ? "from near its start or goal, " : "", options.edges.tolerance,
      options.edges.rounds, options.edges.seed);
  fmt::print("{}\n", head);
  std::fflush(stdout);
  if (options.instructions) return count_edge_instructions(options.edges);
  const std::vector<EdgeRow> rows = measure_edges(options.edges);
  if (rows.empty()) {
    fmt::print("mbm: skipped: no data\n");
    return;
  }
  print_edges(rows);
  std::ofstream csv = open(options, options.edges.near ? "near" : "mbm", head);
  write_edges(csv, rows);
}

void run_motions(const Options& options) {
  std::ofstream csv = open(options, "motions",
                           "microseconds are the least of several, one thread; distance_mm is the "
                           "least that was found, time when");
  csv << "part,scene,motion,question,verdict,clearance_mm,distance_mm,time,first_contact,tests,"
         "parts,depth,us,pair,note\n";
  fmt::print("\n{:9} {:12} {:34} {:26} {:9} {:>9} {:>9} {:>7} {:>8} {:>7} {:>5} {:>10} {}\n",
             "part", "scene", "motion", "question", "verdict", "clear. mm", "dist. mm", "time",
             "tests", "parts", "depth", "us", "pair");
  const Report report = [&](const MotionRow& row) {
    print_motion(row);
    std::fflush(stdout);
    write_motion(csv, row);
  };
  if (options.has("bookcase")) measure_bookcase(report);
  if (options.has("handover")) measure_handover(report);
  if (options.has("measured")) measure_measured(report);
}

void run(const Options& options) {
  for (const std::string& line : machine_head()) fmt::print("{}\n", line);
  if (options.instructions || options.has("mbm")) run_edges(options);
  if (options.instructions) return;
  if (options.has("bookcase") || options.has("handover") || options.has("measured")) {
    run_motions(options);
  }
  if (options.has("cost")) {
    const std::vector<CostRow> rows = measure_cost();
    print_cost(rows);
    std::ofstream csv = open(options, "cost",
                             "the built-in six_axis_arm past a plate at gap_mm; the verdict alone, "
                             "tolerance 1 mm or a quarter of the gap");
    write_cost(csv, rows);
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_certify", kUsage, parse, run);
}
