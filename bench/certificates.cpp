// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark of certificates: how large they are, and what it takes to find that a motion is
// free, to write that down, and to check it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/certify_edges.hpp"
#include "bench/program.hpp"
#include "bench/sweep_scene.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/proof.hpp"
#include "proof/checker.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    R"(usage: bench_certificates [--scenes N] [--edges N] [--rounds N] [--seed N] [--csv FILE]

N edges (20) in each of N problems (50) of MotionBenchMaker, and the motions of scenes/bookcase.
Robots and scenes are looked for in $KEEPCLEAR_DATA, or in shared beside the project.
)";

struct Options {
  EdgeOptions edges{.scenes = 50, .edges = 20};
  int rounds = 5;
  std::string csv;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[i + 1];
    if (name == "--scenes") {
      options.edges.scenes = std::stoul(value);
    } else if (name == "--edges") {
      options.edges.edges = std::stoul(value);
    } else if (name == "--rounds") {
      options.rounds = std::stoi(value);
    } else if (name == "--seed") {
      options.edges.seed = std::stoull(value);
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.rounds < 1) throw std::invalid_argument("--rounds");
  return options;
}

/// One motion, or the sum of many.
struct Row {
  std::string motion, scene;
  double margin = 0;
  std::size_t motions = 0, free = 0, written = 0, refused = 0;
  double seconds = 0;  ///< of motion, of those that were written
  std::size_t bytes = 0, proof_bytes = 0, records = 0, cells = 0;
  double certify_us = 0, write_us = 0, check_us = 0;
};

template <typename Work>
double least_us(int rounds, const Work& work) {
  double least = 1e300;
  for (int k = 0; k < rounds; ++k) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  return least;
}

/// `find` gives a Certificate, `write` the text of one that is free. Times of those written.
template <typename Find, typename Write>
void measure(const Find& find, const Write& write, double seconds, int rounds, Row& row) {
  ++row.motions;
  Certificate found;
  const double certify_us = least_us(rounds, [&] { found = find(); });
  if (found.verdict != Verdict::free) return;
  ++row.free;
  WrittenCertificate written;
  const double write_us = least_us(rounds, [&] { written = write(found); });
  if (written.text.empty()) return;
  test::Ruling ruling;
  const double check_us = least_us(rounds, [&] { ruling = test::check_certificate(written.text); });
  if (!ruling.valid()) {
    ++row.refused;
    fmt::print("WRONG: {} {}: {}\n", row.motion, row.scene, ruling.text());
    return;
  }
  ++row.written;
  row.seconds += seconds;
  row.bytes += written.text.size();
  row.proof_bytes +=
      written.text.size() - std::min(written.text.find("\ntree "), written.text.size());
  row.records += written.records, row.cells += written.cells;
  row.certify_us += certify_us, row.write_us += write_us, row.check_us += check_us;
}

void measure_path(const World& world, const Path& path, double margin, int rounds, Row& row) {
  CertifyOptions certify_options;
  certify_options.margin = margin;
  MotionQuery query(world, certify_options);
  measure([&] { return query(path); },
          [&](const Certificate& found) {
            return path_certificate(world, path, certify_options, found, {});
          },
          path.end() - path.begin(), rounds, row);
}

class Table {
 public:
  explicit Table(const Options& options) {
    if (!options.csv.empty()) {
      file_.open(options.csv);
      if (!file_) throw std::runtime_error("cannot write " + options.csv);
    }
    for (const std::string& line : machine_head()) {
      fmt::print("{}\n", line);
      file_ << "# " << line << '\n';
    }
    file_ << fmt::format(
        "# sums over the motions that were written; times are the least of {} (of the motions of "
        "the bookcase, of ten times as many), one thread, the "
        "checker in process; edges: {} problems, {} edges of {} rad in each (told as a second), "
        "seed {}\n",
        options.rounds, options.edges.scenes, options.edges.edges, options.edges.length,
        options.edges.seed);
    file_ << "motion,scene,margin_mm,motions,free,written,refused,motion_s,bytes,bytes_per_s,"
             "proof_bytes,records,cells,certify_us,write_us,check_us,check_per_certify,"
             "check_per_certify_and_write\n";
    fmt::print(
        "{:18} {:12} {:>6} {:>5} {:>5} {:>5} {:>8} {:>9} {:>9} {:>9} {:>8} {:>7} {:>10} "
        "{:>9} {:>9} {:>7} {:>7}\n",
        "motion", "scene", "mm", "all", "free", "cert.", "s", "bytes", "bytes/s", "proof",
        "records", "cells", "certify us", "write us", "check us", "ch/cer", "ch/both");
  }

  void add(const Row& r) {
    const auto share = [](double a, double b) { return b > 0 ? a / b : 0.0; };
    const double per_second = share(static_cast<double>(r.bytes), r.seconds);
    const double ratio = share(r.check_us, r.certify_us);
    const double both = share(r.check_us, r.certify_us + r.write_us);
    fmt::print(
        "{:18} {:12} {:6.1f} {:5} {:5} {:5} {:8.2f} {:9} {:9.0f} {:9} {:8} {:7} {:10.1f} "
        "{:9.1f} {:9.1f} {:7.2f} {:7.2f}\n",
        r.motion, r.scene, 1000 * r.margin, r.motions, r.free, r.written, r.seconds, r.bytes,
        per_second, r.proof_bytes, r.records, r.cells, r.certify_us, r.write_us, r.check_us, ratio,
        both);
    std::fflush(stdout);
    file_ << fmt::format(
        "{},{},{:.1f},{},{},{},{},{:.3f},{},{:.0f},{},{},{},{:.1f},{:.1f},{:.1f},"
        "{:.3f},{:.3f}\n",
        r.motion, r.scene, 1000 * r.margin, r.motions, r.free, r.written, r.refused, r.seconds,
        r.bytes, per_second, r.proof_bytes, r.records, r.cells, r.certify_us, r.write_us,
        r.check_us, ratio, both);
  }

 private:
  std::ofstream file_;
};

void run_bookcase(const Options& options, Table& table) {
  const fs::path dir = robots_dir().parent_path() / "scenes/bookcase";
  if (!fs::exists(dir)) {
    fmt::print("bookcase: skipped: no data\n");
    return;
  }
  // They are few: that costs nothing.
  const int rounds = 10 * options.rounds;
  for (const double margin : {0.0, 0.01}) {
    const World world = load(dir / "shelf_050mm.json");
    Row row{"reach", "shelf_050mm", margin};
    measure_path(world, read_path(world, dir / "reach.json"), margin, rounds, row);
    table.add(row);
  }
  const World world = load(dir / "two_arms.json");
  const Path path = read_path(world, dir / "handover.json");
  for (const double margin : {0.0, 0.01}) {
    Row row{"handover", "two_arms", margin};
    measure_path(world, path, margin, rounds, row);
    table.add(row);
  }
  const Path both[] = {path, path};
  for (const double offset : {0.0, 0.01, 0.03}) {
    CertifyOptions certify_options;
    MotionQuery query(world, certify_options);
    Row row{fmt::format("handover +-{} s", offset), "two_arms", 0};
    measure([&] { return query(std::span<const Path>(both), offset); },
            [&](const Certificate& found) {
              return clock_certificate(world, both, offset, certify_options, found, {});
            },
            path.end() - path.begin(), rounds, row);
    table.add(row);
  }
}

void run_edges(const Options& options, Table& table) {
  const EdgeScenes scenes(options.edges);
  if (scenes.places().empty()) {
    fmt::print("mbm: skipped: no data\n");
    return;
  }
  Row all[kBodies] = {{"edges, hulls", "mbm/panda"},
                      {"edges, " + scenes.bodies_name(kFitted), "mbm/panda"}};
  for (const EdgeScenes::Place& place : scenes.places()) {
    const World worlds[kBodies] = {scenes.world(place, kHulls), scenes.world(place, kFitted)};
    for (const Edge& edge : scenes.edges(place, worlds[kHulls], worlds[kFitted])) {
      for (std::size_t b = 0; b < kBodies; ++b) {
        measure_path(worlds[b], line_path(edge.from, edge.to), 0, options.rounds, all[b]);
      }
    }
  }
  for (const Row& row : all) table.add(row);
}

void run(const Options& options) {
  Table table(options);
  run_bookcase(options, table);
  run_edges(options, table);
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_certificates", kUsage, parse, run);
}
