// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark of motions of one body: the examples of paper 4 in kind, what nearness costs, what
// samples miss, and meshes of many faces.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>

#include "bench/program.hpp"
#include "bench/toleranced_bench.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_toleranced [--examples] [--gaps] [--misses] [--faces]
                        [--motions N] [--seed N] [--most FACES] [--csv PREFIX] [--instructions]

Without the name of a part, all of them. Files are PREFIX-examples.csv, -gaps.csv, -misses.csv and
-faces.csv.
--instructions is for bench/toleranced_instructions, which counts them under callgrind.
)";

struct Options {
  std::set<std::string> parts;
  std::size_t motions = 400, most = 50'000;
  std::uint64_t seed = 1;
  std::string csv;
  bool instructions = false;

  bool has(const char* part) const { return parts.empty() || parts.contains(part); }
};

Options parse(int argc, char** argv) {
  const std::set<std::string> known{"--examples", "--gaps", "--misses", "--faces"};
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (known.contains(name)) {
      options.parts.insert(name.substr(2));
      continue;
    }
    if (name == "--instructions") {
      options.instructions = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--motions") {
      options.motions = std::stoul(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--most") {
      options.most = std::stoul(value);
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.motions == 0) throw std::invalid_argument("--motions");
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

constexpr const char* kRowHead =
    "part,motion,contender,ball,metric,nested,ask,faces,gap_mm,tolerance_mm,verdict,clearance_mm,"
    "distance_mm,balls,depth,tests,samples,us,build_us\n";

void print_head() {
  fmt::print(
      "\n{:9} {:16} {:13} {:8} {:8} {:6} {:13} {:>6} {:>9} {:>8} {:15} {:>7} {:>5} {:>9} "
      "{:>7} {:>11}\n",
      "part", "motion", "contender", "ball", "metric", "nested", "ask", "faces", "gap mm",
      "tol. mm", "verdict", "balls", "depth", "tests", "samples", "us");
}

void print(const TolerancedRow& r) {
  fmt::print(
      "{:9} {:16} {:13} {:8} {:8} {:6} {:13} {:6} {:9.3f} {:8.3f} {:15} {:7} {:5} {:9} {:7} "
      "{:11.2f}\n",
      r.part, r.motion, r.contender, r.ball, r.metric, r.nested ? "yes" : "no", r.ask, r.faces,
      1000 * r.gap, 1000 * r.tolerance, r.verdict, r.balls, r.depth, r.tests, r.samples, r.us);
  std::fflush(stdout);
}

void write(std::ostream& out, const TolerancedRow& r) {
  out << fmt::format(
      "{},{},{},{},{},{},{},{},{:.6f},{:.6f},{},{:.6f},{:.6f},{},{},{},{},{:.3f},"
      "{:.1f}\n",
      r.part, r.motion, r.contender, r.ball, r.metric, r.nested ? 1 : 0, r.ask, r.faces,
      1000 * r.gap, 1000 * r.tolerance, r.verdict, 1000 * r.clearance, 1000 * r.distance, r.balls,
      r.depth, r.tests, r.samples, r.us, r.build_us);
}

void run_rows(const Options& options, const char* part, const std::string& more,
              const std::function<void(const TolerancedReport&)>& measure) {
  std::ofstream csv = open(options, part, more);
  csv << kRowHead;
  print_head();
  measure([&](const TolerancedRow& row) {
    print(row);
    write(csv, row);
  });
}

void run_misses(const Options& options) {
  const std::vector<MissRow> rows = measure_misses(options.motions, options.seed);
  std::ofstream csv =
      open(options, "misses",
           fmt::format("{} random motions of octagons, moved down from where they just touch; "
                       "seed {}; means of the least microseconds of each motion, one thread; FCL "
                       "gets poses for nothing",
                       options.motions, options.seed));
  csv << "depth_from_mm,depth_to_mm,tolerance_mm,motions,contact,undecided,free,us,balls,"
         "fine_contact,fine_undecided,fine_us,confirmed,fcl_missed,fcl_samples,fcl_us,"
         "fcl_missed_fine,fcl_samples_fine,fcl_fine_us\n";
  fmt::print(
      "\n{:>20} {:>7} {:>7} {:>9} {:>8} {:>6} {:>7} {:>9} {:>9} {:>9} {:>6} {:>8} {:>9} {:>9} "
      "{:>8} {:>9}\n",
      "depth mm", "motions", "contact", "undecided", "us", "balls", "contact", "undecided", "us",
      "confirmed", "missed", "samples", "fcl us", "missed/10", "samples", "fcl us");
  for (const MissRow& r : rows) {
    fmt::print(
        "{:10.6f} {:9.6f} {:7} {:7} {:9} {:8.2f} {:6.1f} {:7} {:9} {:9.2f} {:9} {:6} {:8.1f} "
        "{:9.1f} {:9} {:8.1f} {:9.1f}\n",
        1000 * r.depth_from, 1000 * r.depth_to, r.motions, r.contact, r.undecided, r.us, r.balls,
        r.fine_contact, r.fine_undecided, r.fine_us, r.confirmed, r.fcl_missed, r.samples, r.fcl_us,
        r.fcl_missed_fine, r.samples_fine, r.fcl_fine_us);
    csv << fmt::format(
        "{:.6f},{:.6f},{:.6f},{},{},{},{},{:.3f},{:.2f},{},{},{:.3f},{},{},{:.1f},"
        "{:.2f},{},{:.1f},{:.2f}\n",
        1000 * r.depth_from, 1000 * r.depth_to, 1000 * r.tolerance, r.motions, r.contact,
        r.undecided, r.free, r.us, r.balls, r.fine_contact, r.fine_undecided, r.fine_us,
        r.confirmed, r.fcl_missed, r.samples, r.fcl_us, r.fcl_missed_fine, r.samples_fine,
        r.fcl_fine_us);
    if (r.free > 0) fmt::print("WRONG: {} motions in contact are called free\n", r.free);
  }
}

void run(const Options& options) {
  for (const std::string& line : machine_head()) fmt::print("{}\n", line);
  if (options.instructions) return count_example_instructions();
  const std::string rigid =
      "octagons 1 m in diameter, a rigid rational motion of degree 8; microseconds are the least "
      "of several, one thread; FCL gets poses for nothing";
  if (options.has("examples")) run_rows(options, "examples", rigid, measure_examples);
  if (options.has("gaps")) run_rows(options, "gaps", rigid, measure_gaps);
  if (options.has("misses")) run_misses(options);
  if (options.has("faces")) {
    run_rows(options, "faces",
             "meshes that pass each other, from pose to pose; microseconds are the least of "
             "several, one thread",
             [&](const TolerancedReport& report) { measure_faces(report, options.most); });
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_toleranced", kUsage, parse, run);
}
