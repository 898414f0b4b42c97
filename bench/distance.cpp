// SPDX-License-Identifier: BSD-3-Clause
//
// The distance benchmark: FCL, Bullet and Keepclear on the same hulls and the same poses.
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include "bench/measure.hpp"
#include "bench/program.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_distance [--poses N] [--rounds N] [--seed N] [--robots a,b] [--peers a,b]
                      [--workloads random,smooth] [--csv FILE] [--instructions]

Robots are looked for in $KEEPCLEAR_DATA/robots, or in shared/robots beside the project.
--instructions is for bench/instructions, which counts them under callgrind.
)";

struct Options {
  std::size_t poses = 20'000;
  int rounds = 3;
  std::uint64_t seed = 1;
  std::set<std::string> robots, peers, workloads;
  std::string csv;
  bool instructions = false;
};

std::set<std::string> names_of(const std::string& list) {
  const std::vector<std::string> names = split(list);
  return {names.begin(), names.end()};
}

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
    if (name == "--poses") {
      options.poses = std::stoul(value);
    } else if (name == "--rounds") {
      options.rounds = std::stoi(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--robots") {
      options.robots = names_of(value);
    } else if (name == "--peers") {
      options.peers = names_of(value);
    } else if (name == "--workloads") {
      options.workloads = names_of(value);
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.poses == 0 || options.rounds < 1) throw std::invalid_argument("--poses, --rounds");
  return options;
}

bool wanted(const std::set<std::string>& names, const std::string& name) {
  return names.empty() || names.contains(name);
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

/// The widest instruction set that Highway may choose here.
std::string lanes() {
  const std::int64_t targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);
}

std::vector<std::string> head(const Options& options) {
  return {fmt::format("cpu: {}; lanes: {}", cpu_model(), lanes()),
          fmt::format("compiler: {} {}, {}", KEEPCLEAR_BENCH_COMPILER, __VERSION__,
                      KEEPCLEAR_BENCH_FLAGS),
          fmt::format("{}; {}; {}", keepclear_version(), fcl_version(), bullet_version()),
          fmt::format("poses {}, rounds {} (the least time of each pose), seed {}", options.poses,
                      options.rounds, options.seed),
          "microseconds a pose; keepclear's include the kinematics, the others get the poses of "
          "all links for nothing"};
}

/// How many times faster `row` is than peer `name` on the same question; 0 when that is absent.
double gain(const std::vector<Row>& rows, const Row& row, const std::string& name) {
  for (const Row& other : rows) {
    if (other.peer == name && other.question == row.question) {
      return other.times.mean / row.times.mean;
    }
  }
  return 0;
}

std::string ratio(double value) {
  return value > 0 ? fmt::format("{:.2f}", value) : "-";
}

void print_table(const std::vector<Row>& rows) {
  fmt::print("\n{}, {} pairs, {}\n", rows[0].scene, rows[0].pairs, rows[0].workload);
  fmt::print(
      "{:10} {:15} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>6} {:>6}\n",
      "question", "peer", "poses", "mean", "p50", "p99", "p99.9", "max", "x fcl", "x tree", "above",
      "below", "missed", "false");
  for (const Row& row : rows) {
    const Times& t = row.times;
    const Agreement& a = row.agreement;
    fmt::print(
        "{:10} {:15} {:6} {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:>8} {:>9} {:9.1e} {:9.1e} {:6} "
        "{:6}\n",
        to_string(row.question), row.peer, row.poses, t.mean, t.p50, t.p99, t.p999, t.max,
        ratio(gain(rows, row, "fcl")), ratio(gain(rows, row, "fcl_tree")), a.above, a.below,
        a.missed, a.false_alarm);
  }
  std::fflush(stdout);
}

void write_rows(std::ostream& out, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Times& t = row.times;
    const Agreement& a = row.agreement;
    out << fmt::format(
        "{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{},{},{:.3e},{:.3e},{},{}\n",
        row.scene, row.pairs, row.workload, to_string(row.question), row.peer, row.poses, t.mean,
        t.p50, t.p99, t.p999, t.max, ratio(gain(rows, row, "fcl")),
        ratio(gain(rows, row, "fcl_tree")), a.above, a.below, a.missed, a.false_alarm);
  }
}

std::vector<PeerKind> chosen_peers(const Options& options) {
  std::vector<PeerKind> kinds;
  for (const auto& group : {fcl_peers(), bullet_peers(), keepclear_peers()}) {
    for (const PeerKind& kind : group) {
      if (wanted(options.peers, kind.name)) kinds.push_back(kind);
    }
  }
  return kinds;
}

void run(const Options& options) {
  const std::vector<PeerKind> kinds = chosen_peers(options);
  std::ofstream csv;
  if (!options.csv.empty()) {
    csv.open(options.csv);
    if (!csv) throw std::runtime_error("cannot write " + options.csv);
  }
  for (const std::string& line : head(options)) {
    fmt::print("{}\n", line);
    csv << "# " << line << '\n';
  }
  for (const PeerKind& kind : kinds) fmt::print("  {:15} {}\n", kind.name, kind.what);
  csv << "robot,pairs,workload,question,peer,poses,mean_us,p50_us,p99_us,p999_us,max_us,"
         "times_fcl,times_fcl_tree,max_above_upper_m,max_below_lower_m,missed_contacts,"
         "false_contacts\n";

  for (const std::string& name : scene_names()) {
    if (!wanted(options.robots, name)) continue;
    const std::optional<Scene> scene = load_scene(name);
    if (!scene) {
      fmt::print("\n{}: skipped: no data\n", name);
      continue;
    }
    for (const Workload& workload : {random_poses(*scene, options.poses, options.seed),
                                     smooth_motion(*scene, options.poses, options.seed)}) {
      if (!wanted(options.workloads, workload.name)) continue;
      if (options.instructions) {
        count_instructions(*scene, workload, kinds);
        continue;
      }
      const std::vector<Row> rows = measure(*scene, workload, kinds, options.rounds);
      print_table(rows);
      write_rows(csv, rows);
    }
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_distance", kUsage, parse, run);
}
