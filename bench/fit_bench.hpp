// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of the fit benchmark share: options, robots, the report.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "keepclear/fit.hpp"
#include "keepclear/world.hpp"

namespace keepclear::bench {

struct FitBenchOptions {
  bool precision = false, self_check = false;
  bool without_srdf = false;  ///< as if no robot had one
  std::string csv;
  std::set<std::string> robots;  ///< empty: all
  std::string link;              ///< rows of links with this in their name; summaries of these
  std::vector<int> points;       ///< empty: 6 for the table, 2, 3, 4, 6, 8 for the precision
  std::size_t poses = 10'000;
  std::uint64_t seed = 1;
  int threads = 2;
  int starts = FitOptions{}.starts;
};

struct FitRobot {
  const char* name;
  const char* file;     ///< below the folder of the robots
  const char* srdf;     ///< beside it; may be null
  const char* spheres;  ///< the same robot made of spheres, beside it; may be null
  bool target;          ///< counts in the summary
  bool precision;
  /// Links at which hands begin, of a robot without an SRDF.
  std::span<const char* const> hands{};
};
std::span<const FitRobot> fit_robots();

/// The URDF of a robot; none where the data is absent.
std::optional<std::filesystem::path> find_robot(const FitRobot& robot);
LoadOptions load_options(const FitBenchOptions& options);
FitOptions fit_options(const FitBenchOptions& options, int points);

/// Lines on the screen and lines of CSV.
class FitReport {
 public:
  explicit FitReport(const std::string& csv) {
    if (csv.empty()) return;
    csv_.open(csv);
    if (!csv_) throw std::runtime_error("cannot write " + csv);
  }
  void remark(const std::string& line) {
    fmt::print("{}\n", line);
    csv_ << "# " << line << '\n';
    flush();
  }
  void row(const std::string& line, const std::string& csv) {
    fmt::print("{}\n", line);
    csv_ << csv << '\n';
    flush();
  }
  void columns(const std::string& csv) { csv_ << csv << '\n'; }
  /// Throws if something could not be written.
  void flush() {
    std::fflush(stdout);
    csv_.flush();
    if (csv_.is_open() && !csv_) throw std::runtime_error("the CSV could not be written");
  }

 private:
  std::ofstream csv_;
};

/// Volumes and seconds, link by link, beside capsules, boxes and spheres (fit_table.cpp).
void run_table(const FitBenchOptions& options, FitReport& report);
/// What the bodies cost in distance and in false contacts (fit_precision.cpp).
void run_precision(const FitBenchOptions& options, FitReport& report);
/// True if capsules, boxes and spheres are what they are said to be (fit_check.cpp).
bool self_check();

/// The value below which a share of the sorted values lies; NaN for none.
double quantile(std::span<const double> sorted, double share);

}  // namespace keepclear::bench
