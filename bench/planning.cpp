// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark of planning: RRTConnect with motions that are certified, beside motions that are
// looked at in steps, and how many of the plans collide.
#include <fmt/format.h>
#include <ompl/config.h>
#include <ompl/util/Console.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "bench/planning_bench.hpp"
#include "bench/program.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kUsage =
    R"(usage: bench_planning [--scenes N] [--seed N] [--seconds S] [--simplify S] [--tolerance M]
                      [--fine M] [--judge M] [--contenders A,B,...] [--threads N] [--csv FILE]

Problems of MotionBenchMaker for the Panda, so many of them, are looked for in $KEEPCLEAR_DATA, or in
shared beside the project. Times are of CPU. --simplify 0 leaves plans as they are. The contenders:
keepclear, fcl_moveit, fcl_angle, fcl_fine, check_moveit, check_fine.
)";

struct Options : PlanningOptions {
  std::string csv;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[i + 1];
    if (name == "--scenes") {
      options.scenes = std::stoul(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--seconds") {
      options.seconds = std::stod(value);
    } else if (name == "--simplify") {
      options.simplify_seconds = std::stod(value);
    } else if (name == "--tolerance") {
      options.tolerance = std::stod(value);
    } else if (name == "--fine") {
      options.fine = std::stod(value);
    } else if (name == "--judge") {
      options.judge = std::stod(value);
    } else if (name == "--contenders") {
      options.contenders = split(value);
    } else if (name == "--threads") {
      options.threads = std::stoi(value);
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  if (options.scenes == 0 || options.threads < 1) throw std::invalid_argument("--scenes");
  return options;
}

/// What one contender did in a set of problems, or in all.
struct Row {
  std::string set, planner, stage;
  std::size_t problems = 0, plans = 0;
  double median_ms = 0, mean_ms = 0, p90_ms = 0, total_s = 0;  ///< of all, solved or not
  double length = 0, states = 0, motions = 0;                  ///< means
  std::size_t sampled = 0, contact = 0, seen = 0, colliding = 0, free = 0, undecided = 0;
  double common_s = 0;  ///< total of the problems that all solved
  std::size_t common = 0;
};

Row summarise(const std::vector<const Result*>& results, bool simple,
              const std::vector<bool>& solved_by_all) {
  Row row;
  std::vector<double> times;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Plan& plan = simple ? results[k]->simple : results[k]->plan;
    if (simple && plan.states.empty()) continue;
    ++row.problems;
    times.push_back(1e3 * plan.seconds);
    row.total_s += plan.seconds;
    if (solved_by_all[k]) row.common_s += plan.seconds, ++row.common;
    row.motions += plan.valid + plan.invalid;
    if (plan.states.empty()) continue;
    ++row.plans;
    row.length += plan.length;
    row.states += static_cast<double>(plan.states.size());
    row.sampled += plan.judged.sampled;
    row.contact += plan.judged.verdict == Verdict::contact;
    row.seen += plan.judged.verdict == Verdict::contact && plan.judged.seen;
    row.colliding += plan.judged.collides();
    row.free += plan.judged.verdict == Verdict::free;
    row.undecided += plan.judged.verdict == Verdict::undecided;
  }
  if (times.empty()) return row;
  const auto count = static_cast<double>(times.size()),
             plans = std::max(1.0, static_cast<double>(row.plans));
  std::sort(times.begin(), times.end());
  row.median_ms = times[times.size() / 2];
  row.p90_ms = times[times.size() * 9 / 10];
  row.mean_ms = 1e3 * row.total_s / count;
  row.motions /= count;
  row.length /= plans;
  row.states /= plans;
  return row;
}

void print(const std::vector<Row>& rows, const char* stage) {
  fmt::print(
      "\n{:24} {:13} {:>8} {:>6} {:>9} {:>9} {:>9} {:>8} {:>8} {:>7} {:>6} {:>7} | {:>9} {:>7} "
      "{:>7} {:>5} {:>9}\n",
      stage, "", "problems", "plans", "median ms", "mean ms", "p90 ms", "total s", "common s",
      "length", "states", "motions", "COLLIDING", "sampled", "contact", "free", "undecided");
  for (const Row& r : rows) {
    if (r.stage != stage) continue;
    fmt::print(
        "{:24} {:13} {:8} {:6} {:9.2f} {:9.2f} {:9.2f} {:8.2f} {:8.2f} {:7.2f} {:6.1f} {:7.1f} | "
        "{:9} {:7} {:7} {:5} {:9}\n",
        r.set, r.planner, r.problems, r.plans, r.median_ms, r.mean_ms, r.p90_ms, r.total_s,
        r.common_s, r.length, r.states, r.motions, r.colliding, r.sampled, r.contact, r.free,
        r.undecided);
  }
}

void write(std::ostream& out, const std::vector<Row>& rows) {
  out << "stage,set,contender,problems,plans,median_ms,mean_ms,p90_ms,total_s,common,common_s,"
         "length,states,motions,colliding,sampled,contact,contact_seen_by_fcl,free,undecided\n";
  for (const Row& r : rows) {
    out << fmt::format(
        "{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.4f},{},{:.4f},{:.3f},{:.2f},{:.1f},{},"
        "{},{},{},{},{}\n",
        r.stage, r.set, r.planner, r.problems, r.plans, r.median_ms, r.mean_ms, r.p90_ms, r.total_s,
        r.common, r.common_s, r.length, r.states, r.motions, r.colliding, r.sampled, r.contact,
        r.seen, r.free, r.undecided);
  }
}

/// All problems, one after the other, each by all who plan, in turn.
class Contest {
 public:
  explicit Contest(const Options& options) : options_(options), planners_(planners(options)) {
    EdgeOptions edges;
    edges.scenes = options.scenes;
    edges.points = 0;
    scenes_ = std::make_unique<EdgeScenes>(edges);
  }
  bool empty() const { return scenes_->places().empty(); }

  void plan() {
    const std::vector<EdgeScenes::Place>& places = scenes_->places();
    for (std::size_t p = 0; p < places.size(); ++p) {
      const EdgeScenes::Place& place = places[p];
      if (p == 0 || place.set != places[p - 1].set) sets_.push_back(place.set->name);
      arenas_.push_back(arena(place));
      for (std::size_t k = 0; k < planners_.size(); ++k) {
        results_.push_back(
            plan_once(*arenas_.back(), planners_[k], options_, options_.seed * 1'000'003 + p));
        results_.back().set = sets_.size() - 1;
        results_.back().planner = k;
      }
      fmt::print(stderr, "\r{} of {} problems planned", p + 1, places.size());
    }
    fmt::print(stderr, "\n");
  }

  void judge_all() {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t p; (p = next++) < arenas_.size();) {
        judge_stage(p, &Result::plan);
        judge_stage(p, &Result::simple);
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < options_.threads; ++t) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<Row> rows() const {
    std::vector<Row> rows;
    std::vector<bool> solved(arenas_.size(), true);
    for (std::size_t k = 0; k < results_.size(); ++k) {
      if (!results_[k].plan.solved) solved[k / planners_.size()] = false;
    }
    for (const char* stage : {"planned", "simplified"}) {
      const bool simple = stage[0] == 's';
      if (simple && !(options_.simplify_seconds > 0)) continue;
      for (std::size_t s = 0; s <= sets_.size(); ++s) {
        for (std::size_t c = 0; c < planners_.size(); ++c) {
          std::vector<const Result*> mine;
          std::vector<bool> by_all;
          for (std::size_t k = c; k < results_.size(); k += planners_.size()) {
            if (s < sets_.size() && results_[k].set != s) continue;
            mine.push_back(&results_[k]);
            by_all.push_back(solved[k / planners_.size()]);
          }
          rows.push_back(summarise(mine, simple, by_all));
          rows.back().set = s < sets_.size() ? sets_[s] : "all";
          rows.back().planner = planners_[c].name;
          rows.back().stage = stage;
        }
      }
    }
    return rows;
  }

 private:
  /// The plans of one problem. Who draws the same numbers often finds the same plan: judged once.
  void judge_stage(std::size_t problem, Plan Result::*stage) {
    const std::size_t first = problem * planners_.size();
    for (std::size_t k = first; k < first + planners_.size(); ++k) {
      Plan& plan = results_[k].*stage;
      if (plan.states.empty()) continue;
      std::size_t same = first;
      while ((results_[same].*stage).states != plan.states) ++same;
      plan.judged =
          same < k ? (results_[same].*stage).judged : judge(*arenas_[problem], plan, options_);
    }
  }
  std::unique_ptr<Arena> arena(const EdgeScenes::Place& place) {
    const World world = scenes_->world(place, kHulls);
    const oracle::ProblemSet::Problem& problem = place.set->problems[place.problem];
    if (arenas_.empty()) {
      bodies_ = std::make_unique<Scene>(solids_of("panda", world));
      reach_ = reach_of_joints(world, *bodies_, 1);
    }
    return std::make_unique<Arena>(
        Arena{world, *bodies_, oracle::configuration(world, *place.set, problem.start),
              oracle::configuration(world, *place.set, problem.goal), reach_, problem.objects});
  }

  Options options_;
  std::vector<Planner> planners_;
  std::unique_ptr<EdgeScenes> scenes_;
  std::unique_ptr<Scene> bodies_;
  std::vector<double> reach_;
  std::vector<std::string> sets_;
  std::vector<std::unique_ptr<Arena>> arenas_;
  std::vector<Result> results_;
};

void run(const Options& options) {
  ::ompl::msg::setLogLevel(::ompl::msg::LOG_NONE);
  for (const std::string& line : machine_head()) fmt::print("{}\n", line);
  const std::string head = fmt::format(
      "OMPL {}.{}.{}; RRTConnect on {} problems of MotionBenchMaker for the Panda, hulls; at most "
      "{} s a "
      "plan, then {} s to simplify; tolerance {} m, fine steps {} m, judged at {} m; seed {}; CPU "
      "time of one thread",
      OMPL_MAJOR_VERSION, OMPL_MINOR_VERSION, OMPL_PATCH_VERSION, options.scenes, options.seconds,
      options.simplify_seconds, options.tolerance, options.fine, options.judge, options.seed);
  fmt::print("{}\n", head);
  std::fflush(stdout);
  Contest contest(options);
  if (contest.empty()) {
    fmt::print("planning: skipped: no data\n");
    return;
  }
  contest.plan();
  contest.judge_all();
  const std::vector<Row> rows = contest.rows();
  print(rows, "planned");
  if (options.simplify_seconds > 0) print(rows, "simplified");
  for (const Row& row : rows) {
    if (row.planner == "keepclear" && row.colliding + row.contact > 0) {
      fmt::print("WRONG: {} {}: a certified plan collides\n", row.set, row.stage);
    }
  }
  if (options.csv.empty()) return;
  std::ofstream csv(options.csv);
  if (!csv) throw std::runtime_error("cannot write " + options.csv);
  for (const std::string& line : machine_head()) csv << "# " << line << '\n';
  csv << "# " << head << '\n';
  write(csv, rows);
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_planning", kUsage, parse, run);
}
