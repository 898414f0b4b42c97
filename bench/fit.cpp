// SPDX-License-Identifier: BSD-3-Clause
//
// The fit benchmark: volumes and seconds link by link beside the best capsule, the best box and
// spheres by hand; and what the bodies cost in distance and in false contacts.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <sstream>

#include "bench/fit_bench.hpp"
#include "bench/program.hpp"
#include "keepclear/version.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_fit [--csv FILE] [--robots a,b] [--link PART_OF_A_NAME] [--points N]
                 [--threads N] [--starts N] [--seed N]
       bench_fit --precision [--csv FILE] [--robots a,b] [--points 2,3,4,6,8] [--poses N]
                 [--without-srdf] [--threads N] [--starts N] [--seed N]
       bench_fit --self-check

Robots: iiwa7, panda, ur5e, talos, rollin_justin, panda_mbm, ur5_robotiq85, fetch_mbm; with
--precision iiwa7, panda, rollin_justin.
)";

constexpr const char* kJustinsHands[] = {"left_arm7", "right_arm7"};

constexpr FitRobot kRobots[] = {
    {"iiwa7", "kuka_lbr_iiwa7_r800/iiwa7.urdf", "iiwa7.srdf", nullptr, true, true},
    {"panda", "panda/panda.urdf", "panda.srdf", nullptr, true, true},
    {"ur5e", "ur5e/ur5e.urdf", "ur5e.srdf", nullptr, true, false},
    {"talos", "talos/talos_full_v2.urdf", "talos.srdf", nullptr, true, false},
    {"rollin_justin", "rollin_justin/rollin_justin.urdf", nullptr, nullptr, true, true,
     kJustinsHands},
    {"panda_mbm", "panda/panda_mbm.urdf", nullptr, "panda_mbm_spherized.urdf", false, false},
    {"ur5_robotiq85", "ur5_robotiq85/ur5_robotiq85.urdf", "ur5_robotiq85.srdf",
     "ur5_robotiq85_spherized.urdf", false, false},
    {"fetch_mbm", "fetch/fetch_mbm.urdf", "fetch_mbm.srdf", "fetch_mbm_spherized.urdf", false,
     false},
};

std::filesystem::path robots_dir() {
  const char* const dir = std::getenv("KEEPCLEAR_DATA");
  return std::filesystem::path(dir != nullptr ? dir : KEEPCLEAR_BENCH_DATA) / "robots";
}

FitBenchOptions parse(int argc, char** argv) {
  FitBenchOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--precision") {
      options.precision = true;
      continue;
    }
    if (name == "--without-srdf") {
      options.without_srdf = true;
      continue;
    }
    if (name == "--self-check") {
      options.self_check = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--csv") {
      options.csv = value;
    } else if (name == "--robots") {
      for (const std::string& robot : split(value)) options.robots.insert(robot);
    } else if (name == "--link") {
      options.link = value;
    } else if (name == "--points") {
      for (const std::string& points : split(value)) options.points.push_back(std::stoi(points));
    } else if (name == "--poses") {
      options.poses = std::stoul(value);
    } else if (name == "--threads") {
      options.threads = std::stoi(value);
    } else if (name == "--starts") {
      options.starts = std::stoi(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.points.empty()) {
    options.points = options.precision ? std::vector{2, 3, 4, 6, 8} : std::vector{6};
  }
  if ((!options.precision && options.points.size() > 1) || options.poses == 0 ||
      options.threads < 1 || options.starts < 1) {
    throw std::invalid_argument("");
  }
  for (const std::string& name : options.robots) {
    bool known = false;
    for (const FitRobot& robot : kRobots) {
      known = known || (name == robot.name && (robot.precision || !options.precision));
    }
    if (!known) throw std::invalid_argument(name);
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

int run(const FitBenchOptions& options) {
  if (options.self_check) return self_check() ? 0 : 1;
  FitReport report(options.csv);
  report.remark(fmt::format("cpu: {}; {} threads", cpu_model(), options.threads));
  report.remark(fmt::format("compiler: {} {}, {}", KEEPCLEAR_BENCH_COMPILER, __VERSION__,
                            KEEPCLEAR_BENCH_FLAGS));
  report.remark(fmt::format("Keepclear {}; seed {}, {} starts, no cache", kVersion, options.seed,
                            options.starts));
  if (options.precision) {
    run_precision(options, report);
  } else {
    run_table(options, report);
  }
  return 0;
}

}  // namespace

std::span<const FitRobot> fit_robots() {
  return kRobots;
}

std::optional<std::filesystem::path> find_robot(const FitRobot& robot) {
  std::filesystem::path file = robots_dir() / robot.file;
  if (!std::filesystem::exists(file)) return std::nullopt;
  return file;
}

LoadOptions load_options(const FitBenchOptions& options) {
  LoadOptions load;
  load.package_path = {robots_dir()};
  load.threads = options.threads;
  return load;
}

FitOptions fit_options(const FitBenchOptions& options, int points) {
  FitOptions fit;
  fit.points = points;
  fit.seed = options.seed;
  fit.starts = options.starts;
  fit.refined = std::min(fit.refined, fit.starts);
  fit.threads = options.threads;
  return fit;
}

double quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace keepclear::bench

int main(int argc, char** argv) {
  keepclear::bench::FitBenchOptions options;
  try {
    options = keepclear::bench::parse(argc, argv);
  } catch (const std::exception&) {
    std::cerr << keepclear::bench::kUsage;
    return 64;
  }
  try {
    return keepclear::bench::run(options);
  } catch (const std::exception& error) {
    std::cerr << "bench_fit: " << error.what() << '\n';
    return 70;
  }
}
