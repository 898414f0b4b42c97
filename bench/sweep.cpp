// SPDX-License-Identifier: BSD-3-Clause
//
// The sweep benchmark: swept volumes and proofs of whole boxes of configurations, beside FCL on
// sixteen poses in each box.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "bench/program.hpp"
#include "bench/sweep_bench.hpp"
#include "keepclear/fit.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_sweep [--boxes N] [--rounds N] [--seed N] [--budget N] [--worlds a,b]
                   [--half-widths a,b] [--csv FILE] [--instructions]

Robots are looked for in $KEEPCLEAR_DATA/robots, or in shared/robots beside the project.
--instructions is for bench/sweep_instructions, which counts them under callgrind.
)";

struct Options {
  std::size_t boxes = 100, budget = 200'000;
  int rounds = 3;
  std::uint64_t seed = 1;
  std::set<std::string> worlds;
  std::vector<double> half_widths{0.001, 0.05, 0.2};
  std::string csv;
  bool instructions = false;
};

struct Candidate {
  const char* name;
  const char* file;  ///< below the folder of the robots; null: built in
  int fitted = 0;    ///< points of bodies that are fitted first; 0: hulls
};

constexpr Candidate kWorlds[] = {
    {"six_axis_arm", nullptr},
    {"humanoid", nullptr},
    {"two_arms", nullptr},
    {"panda", "panda/panda.urdf"},
    {"panda_fit6", "panda/panda.urdf", 6},
    {"iiwa7", "kuka_lbr_iiwa7_r800/iiwa7.urdf"},
    {"iiwa7_fit6", "kuka_lbr_iiwa7_r800/iiwa7.urdf", 6},
    {"ur5e", "ur5e/ur5e.urdf"},
    {"ur5e_fit6", "ur5e/ur5e.urdf", 6},
    {"talos", "talos/talos_full_v2.urdf"},
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--instructions") {
      options.instructions = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--boxes") {
      options.boxes = std::stoul(value);
    } else if (name == "--rounds") {
      options.rounds = std::stoi(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--budget") {
      options.budget = std::stoul(value);
    } else if (name == "--worlds") {
      for (const std::string& world : split(value)) options.worlds.insert(world);
    } else if (name == "--half-widths") {
      options.half_widths.clear();
      for (const std::string& width : split(value)) options.half_widths.push_back(std::stod(width));
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.boxes == 0 || options.rounds < 1) throw std::invalid_argument("--boxes, --rounds");
  return options;
}

std::optional<World> load_world(const Candidate& candidate) {
  if (candidate.file == nullptr) return load_builtin(candidate.name);
  const std::filesystem::path file = robots_dir() / candidate.file;
  if (!std::filesystem::exists(file)) return std::nullopt;
  LoadOptions load;
  load.srdf = srdf_of(file);
  if (candidate.fitted > 0) {
    FitOptions options;
    options.points = candidate.fitted;
    load.bodies = std::make_shared<const BodyModel>(fit(file, load, options).model);
  }
  return keepclear::load(file, load);
}

/// A whole number of microseconds once there are a thousand.
std::string time(double us) {
  return us < 1000 ? fmt::format("{:.2f}", us) : fmt::format("{:.0f}", us);
}

void print_table(const std::vector<BoxRow>& rows) {
  const BoxRow& head = rows[0];
  fmt::print("\n{}, half-width {} rad, {} pairs, {} boxes\n", head.scene, head.half_width,
             head.pairs, head.boxes);
  fmt::print("{:22} {:>7} {:>8} {:>10} {:>10} {:>10} {:>9} {:>8} {:>8} {:>5} {:>7} {:>9} {:>6}\n",
             "contender", "volumes", "points", "mean", "p50", "max", "a volume", "x fcl", "x tree",
             "free", "contact", "undecided", "missed");
  for (const BoxRow& row : rows) {
    const std::string each =
        row.volumes == 0 ? ""
                         : fmt::format("{:.3f}", row.mean_us / static_cast<double>(row.volumes));
    fmt::print("{:22} {:7} {:8} {:>10} {:>10} {:>10} {:>9} {:8.2f} {:8.2f} {:5} {:7} {:9} {:6}\n",
               row.contender, row.volumes, row.points, time(row.mean_us), time(row.p50_us),
               time(row.max_us), each, row.times_fcl, row.times_tree, row.free, row.contact,
               row.undecided, row.missed);
  }
  std::fflush(stdout);
}

void write_rows(std::ostream& out, const std::vector<BoxRow>& rows) {
  for (const BoxRow& row : rows) {
    const std::string each =
        row.volumes == 0 ? ""
                         : fmt::format("{:.4f}", row.mean_us / static_cast<double>(row.volumes));
    out << fmt::format("{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{},{:.3f},{:.3f},{},{},{},{}\n",
                       row.scene, row.half_width, row.pairs, row.contender, row.boxes, row.volumes,
                       row.points, row.mean_us, row.p50_us, row.max_us, each, row.times_fcl,
                       row.times_tree, row.free, row.contact, row.undecided, row.missed);
  }
  out.flush();
}

void run(const Options& options) {
  std::ofstream csv;
  if (!options.csv.empty()) {
    csv.open(options.csv);
    if (!csv) throw std::runtime_error("cannot write " + options.csv);
  }
  std::vector<std::string> head = machine_head();
  head.push_back(fmt::format(
      "{} boxes about random poses with {} m of clearance, {} poses in each; rounds {} (the least "
      "time of each box), seed {}, budget {}",
      options.boxes, kLeastClearance, kPosesPerBox, options.rounds, options.seed, options.budget));
  head.emplace_back(
      "microseconds a box, one thread; fcl16 gets the poses of all solids for nothing, check16 "
      "does the kinematics itself; free of either means that no contact was seen, of the others "
      "that there is none");
  for (const std::string& line : head) {
    fmt::print("{}\n", line);
    csv << "# " << line << '\n';
  }
  csv << "world,half_width,pairs,contender,boxes,volumes,points,mean_us,p50_us,max_us,"
         "us_per_volume,times_fcl16_check,times_fcl16_tree_check,free,contact,undecided,missed\n";
  for (const Candidate& candidate : kWorlds) {
    if (!options.worlds.empty() && !options.worlds.contains(candidate.name)) continue;
    const std::optional<World> world = load_world(candidate);
    if (!world) {
      fmt::print("\n{}: skipped: no data\n", candidate.name);
      continue;
    }
    const Scene scene = solids_of(candidate.name, *world);
    for (const double half_width : options.half_widths) {
      if (options.instructions) {
        count_box_instructions(scene, half_width, options.boxes, options.budget, options.seed);
        continue;
      }
      const std::vector<BoxRow> rows = measure_boxes(scene, half_width, options.boxes,
                                                     options.rounds, options.budget, options.seed);
      if (rows.empty()) {
        fmt::print("\n{}: no pose with clearance\n", candidate.name);
        continue;
      }
      print_table(rows);
      write_rows(csv, rows);
    }
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_sweep", kUsage, parse, run);
}
