// SPDX-License-Identifier: BSD-3-Clause
//
// Fig. 9 and Fig. 10 of paper 1: distances while the robot moves and stops again and again, and the
// work of every cycle for several budgets.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bench/guard_bench.hpp"
#include "bench/sweep_scene.hpp"

namespace keepclear::bench {
namespace {

constexpr int kFineJoints = 3;
/// Cycles that the robot stands before it moves, and after it stopped.
constexpr int kStanding = 30;
/// Cycles that a guard may take to start, and those of them that are shown.
constexpr std::size_t kLongestStart = 5000, kShownStart = 50;
/// Enough for everything.
constexpr std::uint64_t kPlenty = 50'000'000;

struct Sample {
  Kinetics state;
  bool brakes = false;
};

BrakeModel paper_brake(const World& world, double latency) {
  return GuardSetting{"", latency}.brake(world);
}

/// The humanoid with nothing checked but one arm against the other: what is always near within its
/// trunk would hide how far the arms are apart.
World arms_alone(const World& humanoid) {
  const auto is_arm = [&](int s, const char* side) {
    return humanoid.solids()[static_cast<std::size_t>(s)].name.starts_with(side);
  };
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("keepclear-bench-{}.srdf", ::getpid());
  {
    std::ofstream srdf(file);
    srdf << "<robot name=\"humanoid\">\n";
    for (const PairInfo& pair : humanoid.pairs()) {
      if (is_arm(pair.a, "l_") && is_arm(pair.b, "r_")) continue;
      srdf << fmt::format("<disable_collisions link1=\"{}\" link2=\"{}\" reason=\"User\"/>\n",
                          humanoid.solids()[static_cast<std::size_t>(pair.a)].name,
                          humanoid.solids()[static_cast<std::size_t>(pair.b)].name);
    }
    srdf << "</robot>\n";
  }
  LoadOptions options;
  options.srdf = file;
  World world = load_builtin("humanoid", options);
  std::filesystem::remove(file);
  return world;
}

/// Seven times towards the contact at several speeds, until a guard brakes, and back.
std::vector<Sample> move_and_stop(const World& world, const Manoeuvre& m) {
  GuardOptions options;
  options.budget = kPlenty;
  options.check_jumps = false;
  Guard guard(world, paper_brake(world, kPaperLatency), options);
  std::vector<Sample> all;
  double time = 0;
  const auto add = [&](const Kinetics& state, bool brakes = false) {
    all.push_back({state, brakes});
    time += kPaperCycle;
  };
  for (const double share : {1.0, 0.6, 0.3, 0.8, 0.15, 1.0, 0.45}) {
    Line line = m.line;
    line.speed *= share;
    Kinetics state;
    const std::size_t begin = all.size();
    for (int k = 0; k < kStanding; ++k) {
      line.at(0, state);
      guard.step({time, state.q, state.v, state.a});
      add(state);
    }
    for (double t = kPaperCycle; line.place(t) < m.contact; t += kPaperCycle) {
      line.at(t, state);
      const Action action = guard.step({time, state.q, state.v, state.a});
      add(state, action == Action::brake);
      if (action == Action::brake) break;
    }
    // Braking takes hold at once: the cycle is the whole latency.
    const Kinetics from = state;
    const double end = standing_after(from, 0, kPaperDeceleration);
    for (double t = kPaperCycle; t < end + kStanding * kPaperCycle; t += kPaperCycle) {
      brake_exactly(from, 0, kPaperDeceleration, t, state.q);
      for (std::size_t i = 0; i < state.v.size(); ++i) {
        const double slowed = std::abs(from.v[i]) - kPaperDeceleration * t;
        state.v[i] = slowed > 0 ? std::copysign(slowed, from.v[i]) : 0;
        state.a[i] = slowed > 0 ? -std::copysign(kPaperDeceleration, from.v[i]) : 0;
      }
      guard.step({time, state.q, state.v, state.a});
      add(state);
    }
    // The same way back.
    for (std::size_t k = all.size() - 1; k-- > begin;) {
      state = all[k].state;
      for (double& v : state.v) v = -v;
      guard.step({time, state.q, state.v, state.a});
      add(state);
    }
  }
  return all;
}

std::ofstream open(const std::string& csv, const char* part, const std::string& columns) {
  std::ofstream file;
  if (csv.empty()) return file;
  file.open(csv + "-" + part + ".csv");
  if (!file) throw std::runtime_error("cannot write " + csv);
  file << columns << '\n';
  return file;
}

double plain(Sweep& sweep, const Kinetics& state, double latency) {
  sweep.update(paper_box(state, latency, latency > 0 ? kPaperDeceleration : 0, kPaperDeceleration));
  return std::max(0.0, sweep.clearance().clearance);
}

void run_distances(const World& humanoid, const Manoeuvre& m, const std::string& csv) {
  const World world = arms_alone(humanoid);
  const std::vector<Sample> motion = move_and_stop(world, m);
  std::ofstream out =
      open(csv, "curves", "time_s,actual_cm,plain_no_latency_cm,plain_cm,guard_cm,go,brakes");
  Sweep sweep(world, paper_plan(world, kFineJoints));
  DistanceQuery distance(world);
  GuardOptions options;
  options.check_jumps = false;
  Guard guard(world, paper_brake(world, kPaperLatency), options);
  std::size_t plain_zero = 0, guard_zero = 0, worse = 0;
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const Kinetics& state = motion[k].state;
    const double time = kPaperCycle * static_cast<double>(k);
    const double actual = distance(state.q).distance;
    const double without = plain(sweep, state, 0), with = plain(sweep, state, kPaperLatency);
    const Action action = guard.step({time, state.q, state.v, state.a});
    const double bound = guard.last().bound;
    plain_zero += with <= 0, guard_zero += action == Action::brake;
    worse += with > 0 && action == Action::brake && guard.last().reason != Reason::still_moving;
    out << fmt::format("{:.2f},{:.4f},{:.4f},{:.4f},{:.4f},{},{}\n", time, 100 * actual,
                       100 * without, 100 * with, 100 * bound, action == Action::go ? 1 : 0,
                       motion[k].brakes ? 1 : 0);
  }
  fmt::print(
      "\nFig. 9: {} cycles, arm against arm: plain is zero in {}, the guard brakes in {}; in "
      "{} of these plain is positive\n",
      motion.size(), plain_zero, guard_zero, worse);
}

void run_work(const World& world, const Manoeuvre& m, const std::string& csv) {
  const std::vector<Sample> motion = move_and_stop(world, m);
  std::ofstream out = open(csv, "work", "budget,cycle,flops,go,reason,bound_cm");
  fmt::print(
      "\nFig. 10: {} cycles, all pairs\n{:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} "
      "{:>12} {:>9}\n",
      motion.size(), "budget", "mean", "most", "bound", "start", "go", "no budget", "not clear",
      "still moving", "go alone");
  std::vector<bool> reference;
  const auto write = [&](std::uint64_t budget, long k, const GuardCycle& cycle) {
    out << fmt::format("{},{},{},{},{},{:.4f}\n", budget, k, cycle.flops,
                       cycle.action == Action::go ? 1 : 0, name_of(cycle.reason),
                       100 * cycle.bound);
  };
  for (const std::uint64_t budget : {kPlenty, std::uint64_t{55'000}, std::uint64_t{30'000},
                                     std::uint64_t{5'500}, std::uint64_t{3'000}}) {
    GuardOptions options;
    options.budget = budget;
    options.check_jumps = false;
    Guard guard(world, paper_brake(world, kPaperLatency), options);
    std::size_t start = 0, go = 0, short_of = 0, not_clear = 0, moving = 0, wrong = 0;
    double sum = 0;
    std::uint64_t most = 0;
    // The robot does not move before it may.
    const Kinetics& first = motion.front().state;
    double time = -kPaperCycle * kLongestStart;
    std::vector<GuardCycle> starting;
    for (; start < kLongestStart && guard.last().action == Action::brake; ++start) {
      guard.step({time, first.q, first.v, first.a});
      starting.push_back(guard.last());
      time += kPaperCycle;
    }
    for (std::size_t k = starting.size() - std::min(start, kShownStart); k < start; ++k) {
      write(budget, static_cast<long>(k) - static_cast<long>(start), starting[k]);
    }
    for (std::size_t k = 0; k < motion.size(); ++k) {
      const Kinetics& state = motion[k].state;
      const Action action =
          guard.step({kPaperCycle * static_cast<double>(k), state.q, state.v, state.a});
      const GuardCycle& cycle = guard.last();
      go += action == Action::go;
      short_of += cycle.reason == Reason::starting;
      short_of += cycle.reason == Reason::out_of_budget;
      not_clear += cycle.reason == Reason::not_clear;
      moving += cycle.reason == Reason::still_moving;
      sum += static_cast<double>(cycle.flops);
      most = std::max(most, cycle.flops);
      if (budget == kPlenty) {
        reference.push_back(action == Action::go || cycle.reason == Reason::still_moving);
      } else {
        wrong += action == Action::go && !reference[k];
      }
      write(budget, static_cast<long>(k), cycle);
    }
    fmt::print("{:>9} {:>9.0f} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>12} {:>9}\n", budget,
               sum / static_cast<double>(motion.size()), most, guard.work_bound(), start, go,
               short_of, not_clear, moving, wrong);
  }
}

}  // namespace

void run_curves(const World& humanoid, const std::string& csv) {
  const std::vector<Manoeuvre> all = table_manoeuvres(humanoid);
  // The hands to each other.
  run_distances(humanoid, all[1], csv);
  run_work(humanoid, all[1], csv);
}

}  // namespace keepclear::bench
