// SPDX-License-Identifier: BSD-3-Clause
//
// Fig. 8 and Table I of paper 1: how far apart bodies still are when the guard brakes, and how near
// they come.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "bench/guard_bench.hpp"
#include "bench/sweep_scene.hpp"

namespace keepclear::bench {
namespace {

/// Joints that the paper follows with two points: the first three.
constexpr int kFineJoints = 3;
/// Seconds: between the states of a guard whose trigger is to be known exactly, and to which the
/// triggers of the others are bisected.
constexpr double kFine = 2.5e-4, kExact = 1e-5;
/// Seconds between the poses of a simulated braking.
constexpr double kSample = 2e-4;
/// Metres: shorter brakings say nothing of how well they are bounded.
constexpr double kHardly = 1e-3;
/// Phases of the cycle against the motion.
constexpr int kPhases = 10;

struct Trigger {
  double time = 0;
  int a = -1, b = -1;
  Reason reason = Reason::not_clear;
};

using Braked = std::optional<Trigger>;

/// Whether the braking motion from a state on is shown to be free, and otherwise who is in the way.
using Judge = std::function<bool(const Kinetics&, int& a, int& b)>;

double contact_time(const Manoeuvre& m) {
  double early = 0, late = 10;
  while (late - early > 1e-9) {
    const double middle = 0.5 * (early + late);
    (m.line.place(middle) < m.contact ? early : late) = middle;
  }
  return late;
}

/// The first time at which a judge says no.
Trigger first_no(const Manoeuvre& m, const Judge& judge) {
  const double end = contact_time(m);
  Kinetics state;
  Trigger found{end, m.a, m.b};
  double yes = 0;
  for (double t = 0; t < end; t += 0.005) {
    m.line.at(t, state);
    if (!judge(state, found.a, found.b)) {
      found.time = t;
      break;
    }
    yes = t;
  }
  while (found.time - yes > kExact) {
    const double middle = 0.5 * (yes + found.time);
    m.line.at(middle, state);
    int a = -1, b = -1;
    if (judge(state, a, b)) {
      yes = middle;
    } else {
      found = {middle, a, b};
    }
  }
  return found;
}

/// The first cycle in which a guard brakes, but for those in which it starts up.
Braked guard_brakes(Guard& guard, const Manoeuvre& m, double period, double phase) {
  guard.reset();
  Kinetics state;
  const double end = contact_time(m);
  // Standing, until everything is settled: the motion begins at time zero.
  double t = phase - 100 * period;
  for (; t < end; t += period) {
    m.line.at(t, state);
    if (guard.step({10 + t, state.q, state.v, state.a}) == Action::go) continue;
    const GuardCycle& cycle = guard.last();
    if (t < 0 && cycle.reason == Reason::starting) continue;
    return Trigger{t, cycle.a, cycle.b, cycle.reason};
  }
  return std::nullopt;
}

/// What a robot does that is braked there.
BrakingRow evaluate(PairDistance& distance, const Manoeuvre& m, const Trigger& trigger,
                    double latency) {
  BrakingRow row;
  row.manoeuvre = m.name;
  row.a = trigger.a, row.b = trigger.b;
  row.time = trigger.time;
  Kinetics state;
  m.line.at(trigger.time, state);
  for (const double v : state.v) row.joint_speed = std::max(row.joint_speed, std::abs(v));
  row.approach = distance.approach(m.line, trigger.time, row.a, row.b);
  row.bounded = distance(state.q, row.a, row.b);
  row.stopped = row.bounded;
  const double end = standing_after(state, latency, kPaperDeceleration);
  std::vector<double> q(state.q.size());
  for (double t = 0;; t = std::min(t + kSample, end)) {
    brake_exactly(state, latency, kPaperDeceleration, t, q);
    row.stopped = std::min(row.stopped, distance(q, row.a, row.b));
    if (t >= end) break;
  }
  row.actual = row.bounded - row.stopped;
  return row;
}

Judge by_sweep(Sweep& sweep, double latency, double worst) {
  return [&sweep, latency, worst](const Kinetics& state, int& a, int& b) {
    const JointBox box = paper_box(state, latency, worst, kPaperDeceleration);
    if (!sweep.update(box)) throw std::runtime_error("a Sweep refuses a box");
    const SweptClearance least = sweep.clearance();
    a = least.a, b = least.b;
    return least.clearance > 0;
  };
}

/// The truth about a joint box: what is neither proved nor refuted to the budget is not free.
Judge by_box(BoxQuery& query, double latency, double worst, std::size_t& undecided) {
  return [&query, &undecided, latency, worst](const Kinetics& state, int& a, int& b) {
    const BoxResult found = query(paper_box(state, latency, worst, kPaperDeceleration));
    a = found.a, b = found.b;
    if (found.verdict == Verdict::undecided) ++undecided;
    return found.verdict == Verdict::free;
  };
}

/// The robot's own braking motion, pose by pose: no bound at all.
Judge by_motion(PairDistance& distance, double latency) {
  return [&distance, latency](const Kinetics& state, int& a, int& b) {
    const double end = standing_after(state, latency, kPaperDeceleration);
    std::vector<double> q(state.q.size());
    for (double t = end; t >= 0; t -= 1e-3) {
      brake_exactly(state, latency, kPaperDeceleration, t, q);
      const Nearest nearest = distance.nearest(q);
      a = nearest.a, b = nearest.b;
      if (nearest.distance <= 0) return false;
    }
    return true;
  };
}

struct Out {
  std::ofstream csv;
  const World& world;

  std::string pair(int a, int b) const {
    const auto name = [&](int s) {
      return s < 0 ? std::string("-") : world.solids()[static_cast<std::size_t>(s)].name;
    };
    return name(a) + "/" + name(b);
  }
  void write(const BrakingRow& row, const char* when) {
    csv << fmt::format("{},{},{},{},{:.5f},{:.2f},{:.4f},{:.4f},{:.4f},{:.4f},{:.3f}\n",
                       row.manoeuvre, row.method, when, pair(row.a, row.b), row.time,
                       100 * row.approach, 100 * row.bounded, 100 * row.actual, 100 * row.stopped,
                       row.joint_speed, row.factor());
  }
};

std::ofstream open(const std::string& csv, const char* part, const std::string& columns) {
  std::ofstream file;
  if (csv.empty()) return file;
  const std::string name = csv + "-" + part + ".csv";
  file.open(name);
  if (!file) throw std::runtime_error("cannot write " + name);
  for (const std::string& line : machine_head()) file << "# " << line << '\n';
  file << columns << '\n';
  return file;
}

constexpr const char* kColumns =
    "manoeuvre,method,trigger,pair,time_s,approach_cm_s,bounded_cm,actual_cm,least_cm,"
    "joint_speed_rad_s,factor";

/// All methods on one set of manoeuvres.
class Table {
 public:
  Table(const World& world, Out& out)
      : world_(world), out_(out), distance_(world), sweep_(world, paper_plan(world, kFineJoints)) {}

  void run(const std::vector<Manoeuvre>& all, std::uint64_t budget) {
    for (const GuardSetting& setting : settings()) {
      GuardOptions options = setting.options();
      options.budget = budget;
      Guard guard(world_, setting.brake(world_), options);
      std::map<Reason, int> reasons;
      for (const Manoeuvre& m : all) {
        const Braked exact = guard_brakes(guard, m, kFine, 0);
        if (!exact) throw std::runtime_error("the guard never brakes: " + m.name);
        add(evaluate(distance_, m, *exact, setting.latency), setting.name, "exact");
        // The latency holds a whole cycle: without one there are none.
        if (setting.latency < kPaperCycle) continue;
        BrakingRow mean;
        for (int phase = 0; phase < kPhases; ++phase) {
          const Braked at = guard_brakes(guard, m, kPaperCycle, kPaperCycle * phase / kPhases);
          if (!at) throw std::runtime_error("the guard never brakes: " + m.name);
          // What the guard said go to before is a cycle old: so much of the latency is over.
          const BrakingRow one = evaluate(distance_, m, *at, setting.latency - kPaperCycle);
          ++reasons[at->reason];
          const double share = 1.0 / kPhases;
          mean.manoeuvre = m.name, mean.a = one.a, mean.b = one.b;
          mean.time += share * one.time, mean.approach += share * one.approach;
          mean.bounded += share * one.bounded, mean.actual += share * one.actual;
          mean.stopped += share * one.stopped, mean.joint_speed += share * one.joint_speed;
        }
        add(mean, setting.name, "cycle");
      }
      if (setting.latency < kPaperCycle) continue;
      fmt::print("{}, cycles of 10 ms: brakes", setting.name);
      for (const auto& [reason, count] : reasons) fmt::print(", {} {}", count, name_of(reason));
      fmt::print("\n");
    }
    for (const Manoeuvre& m : all) {
      add(by(m, by_sweep(sweep_, kPaperLatency, kPaperDeceleration), kPaperLatency), "plain",
          "exact");
      add(by(m, by_sweep(sweep_, kPaperLatency, 0), kPaperLatency), "plain known command", "exact");
      add(by(m, by_sweep(sweep_, 0, 0), 0), "plain t_L=0", "exact");
    }
  }

  /// Where the over-estimation comes from.
  void run_shares(const std::vector<Manoeuvre>& all) {
    BoxOptions options;
    options.tolerance = std::numeric_limits<double>::infinity();
    options.threads = 1;
    options.budget = 100'000;
    BoxQuery query(world_, options);
    std::size_t undecided = 0;
    for (const Manoeuvre& m : all) {
      add(by(m, by_motion(distance_, kPaperLatency), kPaperLatency), "true motion", "exact");
      add(by(m, by_box(query, kPaperLatency, 0, undecided), kPaperLatency),
          "true box known command", "exact");
      add(by(m, by_box(query, kPaperLatency, kPaperDeceleration, undecided), kPaperLatency),
          "true box", "exact");
      add(by(m, by_box(query, 0, 0, undecided), 0), "true box t_L=0", "exact");
    }
    fmt::print("boxes neither free nor in contact to the budget: {}\n", undecided);
  }

  /// The distance at the trigger, part by part: what the motion itself needs, what its joint box
  /// adds, what the worst acceleration in the latency adds, and what the bounds add.
  void print_shares(const std::vector<Manoeuvre>& all) const {
    const auto bounded = [&](const char* key, std::size_t i) {
      return 100 * rows_.at(key)[i].bounded;
    };
    fmt::print("{:32} {:>8} {:>8} {:>8} {:>8} {:>8}  cm at the trigger\n", "", "motion", "box",
               "latency", "guard", "plain");
    double sums[5] = {};
    const auto line = [](const std::string& name, const double(&v)[5]) {
      fmt::print("{:32} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.2f}\n", name, v[0], v[1], v[2], v[3],
                 v[4]);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double motion = bounded("true motion (exact)", i);
      const double known = bounded("true box known command (exact)", i);
      const double box = bounded("true box (exact)", i);
      const double parts[] = {motion, known - motion, box - known,
                              bounded("guard (exact)", i) - box, bounded("plain (exact)", i) - box};
      for (int k = 0; k < 5; ++k) sums[k] += parts[k] / static_cast<double>(all.size());
      line(all[i].name, parts);
    }
    line("mean", sums);
  }

  /// One column a manoeuvre, a line a method. Where the pair that decides hardly moves, which only
  /// random manoeuvres have, there is no factor.
  void print(const std::vector<Manoeuvre>& all, bool each) const {
    const auto line = [&](const std::string& label, const std::string& key, auto value) {
      const auto found = rows_.find(key);
      if (found == rows_.end()) return;
      fmt::print("{:52}", label);
      double sum = 0;
      std::size_t counted = 0;
      for (const BrakingRow& row : found->second) {
        if (each) fmt::print(" {:7.2f}", value(row));
        if (row.actual < kHardly) continue;
        sum += value(row);
        ++counted;
      }
      fmt::print(" {:7.3f}", sum / static_cast<double>(counted));
      if (counted < found->second.size()) {
        fmt::print(" of {} of {}", counted, found->second.size());
      }
      fmt::print("\n");
      std::fflush(stdout);
    };
    if (each) {
      for (const Manoeuvre& m : all) {
        fmt::print("  {}: {}, fastest joint {:.2f} rad/s\n", m.name, out_.pair(m.a, m.b),
                   m.line.speed);
      }
    }
    fmt::print("{:52} {}mean\n", "", each ? "each manoeuvre ... " : "");
    for (const std::string& key : order_) {
      line(key + ": bounded cm", key, [](const BrakingRow& r) { return 100 * r.bounded; });
      line(key + ": actual cm", key, [](const BrakingRow& r) { return 100 * r.actual; });
      line(key + ": factor", key, [](const BrakingRow& r) { return r.factor(); });
      line(key + ": approach cm/s", key, [](const BrakingRow& r) { return 100 * r.approach; });
    }
  }

 private:
  BrakingRow by(const Manoeuvre& m, const Judge& judge, double latency) {
    return evaluate(distance_, m, first_no(m, judge), latency);
  }

  void add(BrakingRow row, const std::string& method, const char* when) {
    row.method = method;
    out_.write(row, when);
    const std::string key = method + " (" + when + ")";
    if (!rows_.contains(key)) order_.push_back(key);
    rows_[key].push_back(std::move(row));
  }

  World world_;
  Out& out_;
  PairDistance distance_;
  Sweep sweep_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<BrakingRow>> rows_;
};

}  // namespace

BrakeModel GuardSetting::brake(const World& world) const {
  JointBrake joint;
  joint.max_velocity = 100;  // faster than the limits of the robot
  joint.max_acceleration = kPaperDeceleration;
  joint.brake_deceleration = kPaperDeceleration;
  joint.acceleration_uncertainty = 0;
  if (both_decelerations) joint.brake_deceleration_most = kPaperDeceleration;
  return uniform_brake(world, latency, joint);
}

GuardOptions GuardSetting::options() const {
  GuardOptions options;
  options.known_command = known_command;
  return options;
}

std::vector<GuardSetting> settings() {
  return {{"guard"},
          {"guard known command", kPaperLatency, true},
          {"guard t_L=0", 0},
          {"guard both decelerations", kPaperLatency, false, true},
          {"guard both and known command", kPaperLatency, true, true}};
}

void run_table(const World& humanoid, const TableOptions& options, const std::string& csv) {
  Out out{open(csv, "table", kColumns), humanoid};
  const auto one = [&](const std::vector<Manoeuvre>& all, bool each) {
    Table table(humanoid, out);
    table.run(all, options.budget);
    // Boxes of random manoeuvres are too seldom decided soon.
    if (options.shares && each) table.run_shares(all);
    table.print(all, each);
    if (options.shares && each) table.print_shares(all);
  };
  fmt::print("Table I: seven manoeuvres\n");
  one(table_manoeuvres(humanoid), true);
  if (options.random > 0) {
    fmt::print("\n{} random manoeuvres\n", options.random);
    one(random_manoeuvres(humanoid, options.random, options.seed), false);
  }
}

void run_hands(const World& humanoid, const TableOptions& options, const std::string& csv) {
  Out out{open(csv, "hands", kColumns), humanoid};
  std::vector<Manoeuvre> all;
  for (const double speed : {0.22, 0.65, 1.1}) {
    all.push_back(hands_together(humanoid, speed));
    all.back().name = fmt::format("hands at {} m/s", speed);
  }
  fmt::print("\nFig. 8: the hands towards each other\n");
  Table table(humanoid, out);
  table.run(all, options.budget);
  if (options.shares) table.run_shares(all);
  table.print(all, true);
  if (options.shares) table.print_shares(all);
}

}  // namespace keepclear::bench
