// SPDX-License-Identifier: BSD-3-Clause
//
// What bodies with few points cost: least distances and verdicts on random poses, against the same
// robot with hulls.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <numbers>
#include <set>

#include "bench/fit_bench.hpp"
#include "bench/fit_search.hpp"
#include "keepclear/distance.hpp"
#include "robot/urdf.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

/// Uniform within the limits, a turn where there are none.
std::vector<double> random_poses(const World& world, std::size_t count, std::uint64_t seed) {
  Uniform uniform(seed);
  std::vector<double> poses;
  for (std::size_t i = 0; i < count; ++i) {
    for (const Variable& variable : world.variables()) {
      const double pi = std::numbers::pi;
      const double lower = std::isfinite(variable.lower) ? variable.lower : -pi;
      const double upper = std::isfinite(variable.upper) ? variable.upper : pi;
      poses.push_back(lower + (upper - lower) * uniform());
    }
  }
  return poses;
}

/// An SRDF for the time of a run.
class TemporarySrdf {
 public:
  TemporarySrdf(const World& world, std::span<const PairInfo> pairs)
      : file_(fs::temp_directory_path() /
              fmt::format("bench_fit_{}_{}.srdf", world.name(),
                          std::chrono::steady_clock::now().time_since_epoch().count())) {
    std::ofstream out(file_);
    out << fmt::format("<robot name=\"{}\">\n", world.name());
    for (const PairInfo& pair : pairs) {
      out << fmt::format("  <disable_collisions link1=\"{}\" link2=\"{}\" reason=\"Overlap\"/>\n",
                         world.solids()[pair.a].name, world.solids()[pair.b].name);
    }
    out << "</robot>\n";
    if (!out.flush()) throw std::runtime_error("cannot write " + file_.string());
  }
  ~TemporarySrdf() {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  TemporarySrdf(const TemporarySrdf&) = delete;
  TemporarySrdf& operator=(const TemporarySrdf&) = delete;

  const fs::path& file() const { return file_; }

 private:
  fs::path file_;
};

/// Of each link the hand it belongs to, by the name of the hand's first link; empty for the others.
std::map<std::string, std::string> hands_of(const fs::path& file, const LoadOptions& load,
                                            std::span<const char* const> hands) {
  const RobotModel model = read_urdf(file, {load.packages, load.package_path});
  std::map<std::string, std::string> hand_of;
  for (const Link& link : model.links) {
    std::string& hand = hand_of[link.name];
    for (const Link* up = &link; hand.empty();) {
      if (std::find(hands.begin(), hands.end(), up->name) != hands.end()) hand = up->name;
      if (up->parent_joint < 0) break;
      up = &model.links[model.joints[up->parent_joint].parent];
    }
  }
  return hand_of;
}

struct Fitted {
  Fit fit;
  double seconds = 0;
};

/// What a person would leave out who writes an SRDF: pairs that overlap in the neutral pose, as
/// hulls or as the bodies of any of the fits, so that all are compared on the same pairs, and those
/// within a hand, whose fingers touch each other in nearly every random pose.
std::vector<PairInfo> pairs_to_leave_out(const World& world, const FitRobot& robot,
                                         const fs::path& file, const LoadOptions& load,
                                         std::span<const Fitted> fits) {
  const auto hand_of = hands_of(file, load, robot.hands);
  std::set<std::pair<int, int>> overlapping;
  const auto add = [&](const World& of) {
    for (const PairInfo& pair : of.pairs()) {
      if (pair.overlap_at_neutral) overlapping.emplace(pair.a, pair.b);
    }
  };
  add(world);
  for (const Fitted& fitted : fits) {
    LoadOptions with_model = load;
    with_model.bodies = std::make_shared<const BodyModel>(fitted.fit.model);
    add(keepclear::load(file, with_model));
  }
  std::vector<PairInfo> pairs;
  for (const PairInfo& pair : world.pairs()) {
    const std::string& a = hand_of.at(world.solids()[pair.a].name);
    const std::string& b = hand_of.at(world.solids()[pair.b].name);
    if (overlapping.contains({pair.a, pair.b}) || (!a.empty() && a == b)) pairs.push_back(pair);
  }
  return pairs;
}

std::vector<Nearest> distances(const World& world, std::span<const double> poses,
                               bool signed_distance, const FitBenchOptions& options) {
  std::vector<Nearest> nearest(poses.size() / world.dof());
  BatchOptions batch;
  batch.threads = options.threads;
  batch.distance.signed_distance = signed_distance;
  distance_batch(world, poses, nearest, batch);
  return nearest;
}

void compare(const FitRobot& robot, const fs::path& file, const FitBenchOptions& options,
             FitReport& report) {
  LoadOptions load = load_options(options);
  std::vector<Fitted> fits;
  for (const int points : options.points) {
    const auto start = std::chrono::steady_clock::now();
    Fit found = fit(file, load, fit_options(options, points));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fits.push_back({std::move(found), seconds.count()});
  }
  std::unique_ptr<TemporarySrdf> left_out;
  std::string pairs_from = "pairs of its SRDF";
  if (robot.srdf != nullptr && !options.without_srdf) {
    load.srdf = file.parent_path() / robot.srdf;
  } else {
    const World world = keepclear::load(file, load);
    const std::vector<PairInfo> pairs = pairs_to_leave_out(world, robot, file, load, fits);
    left_out = std::make_unique<TemporarySrdf>(world, pairs);
    load.srdf = left_out->file();
    pairs_from = fmt::format(
        "without an SRDF: {} pairs left out, within a hand or overlapping in the neutral pose, as "
        "hulls or as bodies of any row",
        pairs.size());
  }
  const World hulls = keepclear::load(file, load);
  const std::vector<double> poses = random_poses(hulls, options.poses, options.seed);
  const std::vector<Nearest> with_hulls = distances(hulls, poses, false, options);
  const auto is_free = [](const Nearest& n) { return n.verdict == Verdict::free; };
  const auto free_poses =
      static_cast<std::size_t>(std::count_if(with_hulls.begin(), with_hulls.end(), is_free));
  fmt::print("\n");
  report.remark(fmt::format("{}: {} pairs ({}), {} poses, {} of them free with hulls", robot.name,
                            hulls.pairs().size(), pairs_from, options.poses, free_poses));
  fmt::print("{:>6} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8}  {}\n", "points", "all",
             "volume", "loss p50", "loss p95", "loss max", "false", "% all", "% free", "fit s",
             "deepest most often");
  for (std::size_t row = 0; row < fits.size(); ++row) {
    const int points = options.points[row];
    const auto& [fitted, seconds] = fits[row];
    std::size_t all_points = 0;
    double volume = 0, hull_volume = 0;
    for (const FittedBody& body : fitted.bodies) {
      all_points += body.body.points.size();
      volume += body.volume;
      hull_volume += body.hull_volume;
    }
    LoadOptions with_model = load;
    with_model.bodies = std::make_shared<const BodyModel>(fitted.model);
    const World world = keepclear::load(file, with_model);
    // Signed: a false contact loses what the hulls have left and the depth of the overlap.
    const std::vector<Nearest> with_bodies = distances(world, poses, true, options);
    std::vector<double> losses;
    std::size_t false_contacts = 0;
    std::map<std::string, std::size_t> deepest;  // of false contacts: the pair that overlaps most
    for (std::size_t i = 0; i < with_hulls.size(); ++i) {
      if (!is_free(with_hulls[i])) {
        if (is_free(with_bodies[i])) throw std::runtime_error("bodies are free, hulls are not");
        continue;
      }
      losses.push_back(with_hulls[i].distance - with_bodies[i].distance);
      // Bodies that contain the hulls cannot be farther apart.
      if (!(losses.back() > -1e-8)) throw std::runtime_error("a distance grew");
      if (is_free(with_bodies[i])) continue;
      ++false_contacts;
      const auto name = [&](int solid) { return world.solids()[solid].name; };
      ++deepest[fmt::format("{} - {}", name(with_bodies[i].a), name(with_bodies[i].b))];
    }
    const auto worst = std::max_element(deepest.begin(), deepest.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
    const std::string worst_pair = deepest.empty() ? "" : worst->first;
    const std::size_t worst_count = deepest.empty() ? 0 : worst->second;
    std::sort(losses.begin(), losses.end());
    const double p50 = 1e3 * quantile(losses, 0.5), p95 = 1e3 * quantile(losses, 0.95);
    const double most = 1e3 * quantile(losses, 1);
    const auto share = [&](std::size_t of) {
      return of == 0 ? 0 : 100.0 * static_cast<double>(false_contacts) / static_cast<double>(of);
    };
    report.row(
        fmt::format(
            "{:6} {:6} {:8.3f} {:9.2f} {:9.2f} {:9.2f} {:9} {:8.2f} {:8.2f} {:8.1f}  {} ({})",
            points, all_points, volume / hull_volume, p50, p95, most, false_contacts,
            share(options.poses), share(free_poses), seconds, worst_pair, worst_count),
        fmt::format("{},{},{},{},{:.4f},{},{},{:.3f},{:.3f},{:.3f},{},{:.3f},{:.3f},{:.2f},{},{}",
                    robot.name, hulls.pairs().size(), points, all_points, volume / hull_volume,
                    options.poses, free_poses, p50, p95, most, false_contacts, share(options.poses),
                    share(free_poses), seconds, worst_pair, worst_count));
  }
}

}  // namespace

void run_precision(const FitBenchOptions& options, FitReport& report) {
  report.remark(
      "loss: least distance with hulls less that with the bodies (signed: minus the depth of an "
      "overlap), millimetres, over the poses that are free with hulls");
  report.columns(
      "robot,pairs,points,all_points,volume_ratio,poses,free_with_hulls,loss_median_mm,"
      "loss_p95_mm,loss_max_mm,false_contacts,false_percent_of_poses,false_percent_of_free,"
      "fit_seconds,deepest_pair,deepest_pair_poses");
  for (const FitRobot& robot : fit_robots()) {
    if (!robot.precision) continue;
    if (!options.robots.empty() && !options.robots.contains(robot.name)) continue;
    const auto file = find_robot(robot);
    if (!file) {
      report.remark(fmt::format("{}: skipped: no data", robot.name));
      continue;
    }
    compare(robot, *file, options, report);
  }
}

}  // namespace keepclear::bench
