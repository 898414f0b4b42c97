// SPDX-License-Identifier: BSD-3-Clause
//
// What the experiments of the octree benchmark share: options, the cell, the report.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/octree_contender.hpp"

namespace keepclear::bench {

/// Seconds: that of the paper, and that of a fast control loop of today.
inline constexpr double kPaperPeriod = 0.03, kLoopPeriod = 0.001;
/// Metres: added boxes keep this clear of the arms.
inline constexpr double kClearance = 0.05;
inline constexpr std::uint64_t kSeed = 1;

struct Options {
  bool quick = false;
  std::string csv, plots, only;
  std::set<std::string> parts;
  MeasureOptions measure;
  std::vector<double> periods{kLoopPeriod, 0.004, kPaperPeriod};
  std::size_t max_objects = 1'000'000, boxes = 0, cycles = 20'000;
  std::string spread = "far";
};

/// The report: a table on the screen and lines of CSV.
class Report {
 public:
  explicit Report(const std::string& csv) {
    if (csv.empty()) return;
    csv_.open(csv);
    if (!csv_) throw std::runtime_error("cannot write " + csv);
  }

  void remark(const std::string& line) {
    fmt::print("{}\n", line);
    csv_ << "# " << line << '\n';
  }
  void columns() {
    csv_ << "experiment,setting,variant,objects,parameter,cycles,mean_us,p50_us,p99_us,p999_us,"
            "max_us,near_pairs,build_s,build_mb,figure,value\n";
  }
  void head(const std::string& title) {
    fmt::print("\n{}\n{:16} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9}\n", title,
               "variant", "objects", "mean us", "p50", "p99", "p99.9", "max", "near", "build s",
               "heap MB");
  }
  void row(const std::string& experiment, const std::string& setting, const Measured& m,
           std::size_t objects, int parameter, std::size_t cycles) {
    const CycleTimes& t = m.times;
    fmt::print("{:16} {:9} {:9.3f} {:9.3f} {:9.3f} {:9.3f} {:9.3f} {:7} {:9.3f} {:9.1f}\n", m.name,
               objects, t.mean, t.p50, t.p99, t.p999, t.max, m.near, m.build_s,
               1e-6 * m.build_bytes);
    csv_ << fmt::format("{},{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{},{:.4f},{:.3f},,\n",
                        experiment, setting, m.name, objects, parameter, cycles, t.mean, t.p50,
                        t.p99, t.p999, t.max, m.near, m.build_s, 1e-6 * m.build_bytes);
    std::fflush(stdout);
  }
  void figures(const std::string& experiment, const std::string& setting, const Measured& m,
               std::size_t objects, int parameter, std::size_t cycles) {
    for (const auto& [name, value] : m.figures) {
      figure(experiment, setting, m.name, objects, parameter, cycles, name, value);
    }
  }
  void figure(const std::string& experiment, const std::string& setting, const std::string& variant,
              std::size_t objects, int parameter, std::size_t cycles, const std::string& name,
              double value) {
    csv_ << fmt::format("{},{},{},{},{},{},,,,,,,,,{},{:.6g}\n", experiment, setting, variant,
                        objects, parameter, cycles, name, value);
  }
  void flush() { csv_.flush(); }

 private:
  std::ofstream csv_;
};

/// All that the experiments share.
struct Bench {
  Options options;
  Cell cell;
  Motion motion;  ///< at the paper's period
  Swept swept;
  Report& report;

  std::size_t objects() const { return static_cast<std::size_t>(cell.count()); }
};

/// Fig. 14: cycle time of the octree for N = 1 to 40.
void run_fig14(Bench& bench);
/// Fig. 15: all pairs, octree, grid and watch while the immediate surroundings fill up.
void run_fig15(Bench& bench);
/// Fig. 16: the grid for G = 2 to 20, as in the paper and as one would write it today.
void run_fig16(Bench& bench);
/// 5.1 and 5.2 of the paper: where the time goes, and what the tree looks like.
void run_phases(Bench& bench);
/// 5.3 and 3.3.2 of the paper: what each shortcut is worth, where it can be switched off.
void run_shortcuts(Bench& bench);
/// The watch among many boxes, and the libraries that others would take.
void run_scale(Bench& bench);

}  // namespace keepclear::bench
