// SPDX-License-Identifier: BSD-3-Clause
#include "bench/guard_cost.hpp"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "bench/peer.hpp"
#include "bench/sweep_scene.hpp"
#include "guard/justin.hpp"
#include "keepclear/fit.hpp"
#include "motion/simulation.hpp"
#include "support/count_allocations.hpp"

namespace keepclear::bench {
namespace {

constexpr double kDeceleration = 20, kLatency = 0.01, kSpeed = 0.75 * 3.14159265358979323846;
/// Poses that FCL computes the least distance at, and rounds of which the least time counts.
constexpr std::size_t kFclPoses = 200;
constexpr int kFclRounds = 3;
/// Seconds that a robot goes back after a brake.
constexpr double kRetreat = 0.8;

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Times in steps of ten nanoseconds.
class Histogram {
 public:
  Histogram() : bins_(kBins, 0) {}
  void add(double ns) {
    ++bins_[std::min(kBins - 1, static_cast<std::size_t>(std::max(0.0, ns) / kWidth))];
    ++count_;
    most_ = std::max(most_, ns);
  }
  /// Microseconds.
  double quantile(double share) const {
    const double wanted = share * static_cast<double>(count_);
    double seen = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      seen += static_cast<double>(bins_[i]);
      if (seen >= wanted) return std::min(most_, kWidth * static_cast<double>(i + 1)) * 1e-3;
    }
    return most_ * 1e-3;
  }
  double most() const { return most_ * 1e-3; }
  /// Counts by twentieths of a decade, for a plot.
  void write(std::ostream& out, const std::string& name) const {
    std::map<int, std::uint64_t> coarse;
    for (std::size_t i = 0; i < kBins; ++i) {
      if (bins_[i] == 0) continue;
      const double us = (static_cast<double>(i) + 0.5) * kWidth * 1e-3;
      coarse[static_cast<int>(std::floor(20 * std::log10(us)))] += bins_[i];
    }
    for (const auto& [bin, n] : coarse) {
      out << fmt::format("{},{:.5g},{:.5g},{}\n", name, std::pow(10, bin / 20.0),
                         std::pow(10, (bin + 1) / 20.0), n);
    }
  }

 private:
  static constexpr std::size_t kBins = 1'000'000;
  static constexpr double kWidth = 10;
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0;
  double most_ = 0;
};

/// States forwards and, with all speeds turned round, backwards, for as long as one likes.
class Replay {
 public:
  explicit Replay(const StateLog& log) : log_(log), back_(log.v) {
    for (double& v : back_) v = -v;
  }
  GuardState next() {
    const std::size_t k = step_ % (2 * log_.count);
    const bool ahead = k < log_.count;
    const std::size_t i = ahead ? k : 2 * log_.count - 1 - k;
    ++step_;
    return {.time = log_.period * static_cast<double>(step_),
            .q = log_.row(log_.q, i),
            .v = log_.row(ahead ? log_.v : back_, i),
            .command = log_.row(log_.a, i)};
  }

 private:
  const StateLog& log_;
  std::vector<double> back_;
  std::uint64_t step_ = 0;
};

GuardOptions guard_options(const CostOptions& options) {
  GuardOptions out;
  out.budget = options.budget;
  // Where the tape turns round, states repeat with other speeds.
  out.check_jumps = false;
  return out;
}

struct Row {
  std::string world;
  double period = 0;
  std::size_t bodies = 0, pairs = 0;
  std::uint64_t cycles = 0, go = 0, bound = 0, most_flops = 0, allocations = 0;
  double flops = 0;
  long faults = 0, major_faults = 0;
  std::string system_calls;
  Histogram guard, empty;
  std::map<Reason, std::uint64_t> reasons;
  double fcl_us = 0, fcl_tree_us = 0;
};

/// Whether a process that is killed for any system call but read, write and exit survives this
/// many cycles.
std::string system_calls(const World& world, const BrakeModel& brake, const CostOptions& options,
                         const StateLog& log) {
  constexpr int kCycles = 20'000;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return "not measured";
  if (child == 0) {
    Guard guard(world, brake, guard_options(options));
    Replay replay(log);
    for (int k = 0; k < 100; ++k) guard.step(replay.next());
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) syscall(SYS_exit, 2);
    for (int k = 0; k < kCycles; ++k) guard.step(replay.next());
    syscall(SYS_exit, 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return fmt::format("none in {} cycles", kCycles);
  }
  return WIFSIGNALED(status) ? "at least one" : "not measured";
}

void measure_fcl(const std::string& name, const World& world, const StateLog& log, Row& row) {
  const Scene scene = solids_of(name, world);
  SolidPoses poses(world);
  std::vector<Pose> X_WS(world.solids().size());
  for (const PeerKind& kind : fcl_peers()) {
    if (kind.name != "fcl" && kind.name != "fcl_tree") continue;
    const std::unique_ptr<Peer> peer = kind.make(scene);
    double sum = 0;
    for (std::size_t k = 0; k < kFclPoses; ++k) {
      const auto q = log.row(log.q, k * log.count / kFclPoses);
      if (!poses(q, X_WS)) throw std::runtime_error("a pose that is none");
      double least = 1e300;
      for (int round = 0; round < kFclRounds; ++round) {
        const double before = thread_ns();
        peer->least({q, X_WS});
        least = std::min(least, thread_ns() - before);
      }
      sum += least;
    }
    (kind.name == "fcl" ? row.fcl_us : row.fcl_tree_us) = 1e-3 * sum / kFclPoses;
  }
}

Row measure(const std::string& name, const World& world, const StateLog& log,
            const CostOptions& options, bool with_fcl) {
  Row row;
  row.world = name;
  row.period = log.period;
  row.bodies = world.bodies().size();
  row.pairs = world.pair_count();
  row.cycles = options.cycles;
  JointBrake joint;
  joint.max_velocity = 100;  // faster than the limits of the robot
  joint.max_acceleration = joint.brake_deceleration = kDeceleration;
  const BrakeModel brake = uniform_brake(world, kLatency, joint);
  row.system_calls = system_calls(world, brake, options, log);
  Guard guard(world, brake, guard_options(options));
  row.bound = guard.work_bound();
  Replay replay(log);
  // The start is Fig. 10's; here it is the long run.
  for (std::uint64_t k = 0; k < 1000; ++k) guard.step(replay.next());
  std::array<std::uint64_t, 32> reasons{};
  rusage before{}, after{};
  const bool locked = mlockall(MCL_CURRENT) == 0;
  const std::size_t allocated = test::allocation_count;
  getrusage(RUSAGE_THREAD, &before);
  for (std::uint64_t k = 0; k < options.cycles; ++k) {
    const GuardState state = replay.next();
    const double begin = thread_ns();
    guard.step(state);
    row.guard.add(thread_ns() - begin);
    const GuardCycle& cycle = guard.last();
    row.flops += static_cast<double>(cycle.flops);
    row.most_flops = std::max(row.most_flops, cycle.flops);
    ++reasons[static_cast<std::size_t>(cycle.reason)];
    row.go += cycle.action == Action::go;
  }
  getrusage(RUSAGE_THREAD, &after);
  row.allocations = test::allocation_count - allocated;
  if (locked) munlockall();
  row.faults = after.ru_minflt - before.ru_minflt;
  row.major_faults = after.ru_majflt - before.ru_majflt;
  row.flops /= static_cast<double>(options.cycles);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i] > 0) row.reasons[static_cast<Reason>(i)] = reasons[i];
  }
  for (std::uint64_t k = 0; k < options.cycles; ++k) {
    const double begin = thread_ns();
    row.empty.add(thread_ns() - begin);
  }
  if (with_fcl) measure_fcl(name, world, log, row);
  return row;
}

void count_instructions(const std::string& name, const World& world, const StateLog& log,
                        const CostOptions& options) {
  JointBrake joint;
  joint.max_velocity = 100;  // faster than the limits of the robot
  joint.max_acceleration = joint.brake_deceleration = kDeceleration;
  Guard guard(world, uniform_brake(world, kLatency, joint), guard_options(options));
  Replay replay(log);
  for (int k = 0; k < 200; ++k) guard.step(replay.next());
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
  for (std::uint64_t k = 0; k < options.cycles; ++k) guard.step(replay.next());
  CALLGRIND_TOGGLE_COLLECT;
  const std::string label =
      fmt::format("keepclear-bench,{},{},{}", name, log.period, options.cycles);
  CALLGRIND_DUMP_STATS_AT(label.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
}

void print(const Row& r) {
  fmt::print("\n{}: {} bodies, {} pairs, a cycle each {} ms, {} cycles\n", r.world, r.bodies,
             r.pairs, 1e3 * r.period, r.cycles);
  fmt::print("  go {:.2f} %;", 100.0 * static_cast<double>(r.go) / static_cast<double>(r.cycles));
  for (const auto& [reason, n] : r.reasons) fmt::print(" {} {}", name_of(reason), n);
  fmt::print("\n  FLOP: mean {:.0f}, most {}, bound {}\n", r.flops, r.most_flops, r.bound);
  for (const auto& [what, h] : {std::pair{"guard", &r.guard}, std::pair{"empty", &r.empty}}) {
    fmt::print("  {} us: p50 {:.2f}, p99 {:.2f}, p99.9 {:.2f}, most {:.2f}\n", what,
               h->quantile(0.5), h->quantile(0.99), h->quantile(0.999), h->most());
  }
  fmt::print("  allocations {}, page faults {} (major {}), system calls {}\n", r.allocations,
             r.faults, r.major_faults, r.system_calls);
  if (r.fcl_us > 0) {
    fmt::print(
        "  FCL, least distance at one pose: {:.1f} us, with its tree {:.1f} us: {:.1f} and {:.1f} "
        "cycles (p50)\n",
        r.fcl_us, r.fcl_tree_us, r.fcl_us / r.guard.quantile(0.5),
        r.fcl_tree_us / r.guard.quantile(0.5));
  }
  std::fflush(stdout);
}

std::optional<World> load_justin() {
  const std::filesystem::path urdf = robots_dir() / "rollin_justin" / "rollin_justin.urdf";
  if (!std::filesystem::exists(urdf)) return std::nullopt;
  LoadOptions load;
  load.lenient = true;
  FitOptions fit_options;
  fit_options.points = 8;
  fit_options.starts = 100;
  fit_options.refined = 4;
  fit_options.cache = std::filesystem::temp_directory_path() / "keepclear-bench-fit";
  load.bodies = std::make_shared<const BodyModel>(fit(urdf, load, fit_options).model);
  return test::without_usual_overlaps(urdf, load);
}

}  // namespace

StateLog guarded_motion(const World& world, double period, std::size_t count, std::uint64_t seed) {
  JointBrake joint;
  joint.max_velocity = 100;  // faster than the limits of the robot
  joint.max_acceleration = joint.brake_deceleration = kDeceleration;
  const BrakeModel brake = uniform_brake(world, kLatency, joint);
  GuardOptions options;
  options.budget = 5'000'000;
  options.check_jumps = false;
  Guard guard(world, brake, options);
  JointSimulation robot(world, brake, Behaviour::exact, seed);
  Random random(seed);
  DistanceQuery distance(world);
  StateLog log{world.dof(), 0, period, {}, {}, {}};
  std::vector<double> target(world.dof()), wanted(world.dof());
  do {
    set_random(world, random, target);
    guard.reset();
  } while (distance.check(target).verdict != Verdict::free ||
           guard.step({.time = 0, .q = target, .v = wanted}) == Action::brake);
  robot.set(target, wanted);
  std::size_t left = 0, pause = 0;
  double speed = 0;
  for (std::uint64_t cycle = 1; log.count < count; ++cycle) {
    if (left == 0) {
      // A third of a second to four of them; every third one slow, and a rest after every fourth.
      for (std::size_t i = 0; i < target.size(); ++i) {
        const Variable& v = world.variables()[i];
        const double lower = std::max(v.lower, -3.0), upper = std::min(v.upper, 3.0);
        if (random() < 0.6) target[i] = random({lower, upper});
      }
      left = static_cast<std::size_t>(random({0.3, 4}) / period);
      speed = random() < 0.33 ? random({0.02, 0.3}) : random({0.3, kSpeed});
      pause = random() < 0.25 ? static_cast<std::size_t>(random({0.2, 1}) / period) : 0;
    }
    --left;
    double far = 1e-9;
    for (std::size_t i = 0; i < target.size(); ++i) {
      far = std::max(far, std::abs(target[i] - robot.q()[i]));
    }
    for (std::size_t i = 0; i < target.size(); ++i) {
      const double v = speed * std::min(1.0, 4 * far) * (target[i] - robot.q()[i]) / far;
      wanted[i] = left < pause ? 0 : v;
    }
    JointSimulation next = robot;
    next.drive(wanted, period);
    const Action action = guard.step({.time = period * static_cast<double>(cycle),
                                      .q = robot.q(),
                                      .v = robot.v(),
                                      .command = next.command()});
    log.q.insert(log.q.end(), robot.q().begin(), robot.q().end());
    log.v.insert(log.v.end(), robot.v().begin(), robot.v().end());
    log.a.insert(log.a.end(), next.command().begin(), next.command().end());
    ++log.count;
    if (action == Action::go) {
      robot = std::move(next);
    } else {
      robot.brake(0);
      if (robot.standing()) {
        // Back where it came from, guard or not, and somewhere else from there.
        const std::size_t back =
            std::min(log.count - 1, static_cast<std::size_t>(kRetreat / period));
        const std::size_t last = log.count - 1;
        for (std::size_t k = 1; k <= back; ++k) {
          const auto q = log.row(log.q, last - k), v = log.row(log.v, last - k);
          const std::vector<double> there(q.begin(), q.end());
          std::vector<double> turned(v.begin(), v.end());
          for (double& each : turned) each = -each;
          log.q.insert(log.q.end(), there.begin(), there.end());
          log.v.insert(log.v.end(), turned.begin(), turned.end());
          log.a.insert(log.a.end(), turned.size(), 0.0);
          ++log.count;
          if (k == back) robot.set(there, turned);
        }
        guard.reset();
        left = 0;
        continue;
      }
    }
    robot.advance(period);
  }
  return log;
}

void run_cost(const CostOptions& options) {
  std::ofstream csv, bins;
  if (!options.csv.empty() && !options.instructions) {
    csv.open(options.csv + "-cost.csv");
    bins.open(options.csv + "-histogram.csv");
    if (!csv || !bins) throw std::runtime_error("cannot write " + options.csv);
    for (const std::string& line : machine_head()) csv << "# " << line << '\n';
    csv << "# thread-CPU time, microseconds; empty: the clock read twice; fcl: one pose\n";
    csv << "world,period_ms,bodies,pairs,cycles,go,flop_mean,flop_max,flop_bound,p50_us,p99_us,"
           "p999_us,max_us,empty_p50_us,empty_p99_us,empty_p999_us,empty_max_us,allocations,"
           "page_faults,system_calls,fcl_us,fcl_tree_us\n";
    bins << "series,from_us,to_us,count\n";
  }
  constexpr std::size_t kLog = 20'000;
  for (const std::string& name : options.worlds) {
    const auto one = [&](const World& world, const StateLog& log, bool with_fcl) {
      if (options.instructions) return count_instructions(name, world, log, options);
      const Row r = measure(name, world, log, options, with_fcl);
      print(r);
      csv << fmt::format("{},{},{},{},{},{},{:.0f},{},{}", r.world, 1e3 * r.period, r.bodies,
                         r.pairs, r.cycles, r.go, r.flops, r.most_flops, r.bound);
      for (const Histogram* h : {&r.guard, &r.empty}) {
        csv << fmt::format(",{:.2f},{:.2f},{:.2f},{:.2f}", h->quantile(0.5), h->quantile(0.99),
                           h->quantile(0.999), h->most());
      }
      csv << fmt::format(",{},{},{},{:.2f},{:.2f}\n", r.allocations, r.faults, r.system_calls,
                         r.fcl_us, r.fcl_tree_us);
      r.guard.write(bins, fmt::format("{} {} ms", name, 1e3 * r.period));
      if (name == "humanoid") r.empty.write(bins, fmt::format("empty {} ms", 1e3 * r.period));
    };
    if (name.starts_with("two_arms_")) {
      const auto objects = static_cast<std::size_t>(std::stod(name.substr(9)));
      const ArmsAmongBoxes arms = arms_among(objects, 0.01, kLog);
      one(arms.world, arms.log, false);
      continue;
    }
    std::optional<World> world;
    if (name == "rollin_justin") {
      world = load_justin();
    } else {
      world = load_builtin(name);
    }
    if (!world) {
      fmt::print("{}: skipped: no data\n", name);
      continue;
    }
    for (const double period : {0.01, 0.001}) {
      one(*world, guarded_motion(*world, period, kLog, 1), period == 0.01);
    }
  }
}

}  // namespace keepclear::bench
