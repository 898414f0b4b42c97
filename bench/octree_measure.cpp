// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <malloc.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bench/octree_contender.hpp"
#include "keepclear/body.hpp"

namespace keepclear::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWarmUp = 20;
/// Where one contender alone is looked at: so many places of the motion.
constexpr std::size_t kStretches = 20, kRunUp = 1000;
/// Metres: what GJK without error bounds may be off by.
constexpr double kRounding = 1e-6;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

Instant at(const Motion& motion, std::size_t i) {
  return {motion.row(i), motion.poses(i), motion.period};
}

struct Runner {
  Runner(const Cell& cell, const ContenderKind& kind, double tolerance)
      : name(kind.name), answers(kind.answers) {
    const double before = heap_bytes();
    const Clock::time_point start = Clock::now();
    contender = kind.make(cell, tolerance);
    build_s = seconds_since(start);
    build_bytes = heap_bytes() - before;
  }

  void start_motion(const Motion& motion) {
    microseconds.assign(motion.count, std::numeric_limits<double>::infinity());
    near.resize(motion.count);
  }

  /// Every round starts alike, whatever came before: what a contender carries over from cycle to
  /// cycle would otherwise fall due in other cycles, and the least of all rounds would skip it.
  void start_round(const Motion& motion) {
    for (std::size_t i : {motion.count - 1, motion.count / 2, std::size_t{0}}) {
      contender->cycle(at(motion, i));
    }
  }

  void run_block(const Motion& motion, std::size_t begin, std::size_t end) {
    // Those before have emptied the caches: the last cycles once more, by no clock.
    for (std::size_t i = begin < kWarmUp ? 0 : begin - kWarmUp; i < begin; ++i) {
      contender->cycle(at(motion, i));
    }
    for (std::size_t i = begin; i < end; ++i) {
      const Instant now = at(motion, i);
      const Clock::time_point start = Clock::now();
      contender->cycle(now);
      microseconds[i] = std::min(microseconds[i], 1e6 * seconds_since(start));
      near[i].clear();
      contender->near(near[i]);
      std::sort(near[i].begin(), near[i].end());
    }
  }

  std::string name;
  bool answers;
  std::unique_ptr<Contender> contender;
  double build_s = 0, build_bytes = 0;
  std::vector<double> microseconds;
  std::vector<std::vector<Pair>> near;
};

Body body_of(const Part& part) {
  if (part.kind == Part::Kind::box) return Body::box(part.size);
  return Body::capsule({0, 0, -0.5 * part.length}, {0, 0, 0.5 * part.length}, part.radius);
}

double distance_of(const Cell& cell, std::span<const Pose> X_WP, Pair pair) {
  const auto part = [&](int i) -> const Part& {
    const auto at = static_cast<std::size_t>(i);
    return at < cell.moving.size() ? cell.moving[at] : cell.fixed[at - cell.moving.size()];
  };
  const auto pose = [&](int i) {
    return i < cell.moving_count() ? X_WP[static_cast<std::size_t>(i)] : part(i).X;
  };
  return distance(body_of(part(pair[0])), pose(pair[0]), body_of(part(pair[1])), pose(pair[1]))
      .distance;
}

void compare(const Cell& cell, const Motion& motion, const Runner& first, const Runner& other,
             double tolerance) {
  for (std::size_t i = 0; i < motion.count; ++i) {
    if (first.near[i] == other.near[i]) continue;
    std::vector<Pair> differ;
    std::set_symmetric_difference(first.near[i].begin(), first.near[i].end(), other.near[i].begin(),
                                  other.near[i].end(), std::back_inserter(differ));
    for (const Pair& pair : differ) {
      const double distance = distance_of(cell, motion.poses(i), pair);
      if (std::abs(distance - tolerance) > kRounding) {
        throw std::runtime_error(
            fmt::format("{} and {} do not agree in cycle {}: parts {} and {}, {} m apart",
                        first.name, other.name, i, pair[0], pair[1], distance));
      }
    }
  }
}

CycleTimes summarise(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (double t : times) sum += t;
  const std::size_t n = times.size();
  const auto quantile = [&](double f) {
    return times[std::min(n - 1, static_cast<std::size_t>(f * static_cast<double>(n)))];
  };
  return {sum / static_cast<double>(n), quantile(0.5), quantile(0.99), quantile(0.999),
          times.back()};
}

}  // namespace

std::vector<std::vector<Measured>> measure(const Cell& cell, std::span<const Motion> motions,
                                           const std::vector<ContenderKind>& kinds,
                                           const MeasureOptions& options) {
  std::vector<Runner> runners;
  runners.reserve(kinds.size());
  for (const ContenderKind& kind : kinds) runners.emplace_back(cell, kind, options.tolerance);
  std::vector<std::vector<Measured>> all;
  for (const Motion& motion : motions) {
    for (Runner& runner : runners) runner.start_motion(motion);
    for (int round = 0; round < options.rounds; ++round) {
      for (Runner& runner : runners) runner.start_round(motion);
      for (std::size_t begin = 0; begin < motion.count; begin += options.block) {
        const std::size_t end = std::min(begin + options.block, motion.count);
        for (Runner& runner : runners) runner.run_block(motion, begin, end);
      }
    }
    std::vector<Measured>& rows = all.emplace_back();
    for (const Runner& runner : runners) {
      if (runner.answers) compare(cell, motion, runners.front(), runner, options.tolerance);
      std::size_t near = 0;
      for (const auto& pairs : runner.near) near += pairs.size();
      rows.push_back({runner.name, summarise(runner.microseconds), runner.contender->figures(),
                      runner.build_s, runner.build_bytes, near});
    }
  }
  return all;
}

void run_alone(const Cell& cell, const Motion& motion, const ContenderKind& kind,
               const MeasureOptions& options, std::size_t cycles) {
  const std::unique_ptr<Contender> contender = kind.make(cell, options.tolerance);
  const std::size_t each = std::max<std::size_t>(cycles / kStretches, 1);
  double took = 0;
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
    const std::size_t first = stretch * motion.count / kStretches;
    // What is carried over from cycle to cycle is to be as old as it usually is.
    for (std::size_t i = first - std::min(first, kRunUp); i < first; ++i) {
      contender->cycle(at(motion, i));
    }
    CALLGRIND_START_INSTRUMENTATION;
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < each; ++i) contender->cycle(at(motion, (first + i) % motion.count));
    took += seconds_since(start);
    CALLGRIND_STOP_INSTRUMENTATION;
  }
  const std::size_t done = kStretches * each;
  fmt::print("{}: {} cycles among {} objects, {:.3f} us each\n", kind.name, done, cell.count(),
             1e6 * took / static_cast<double>(done));
}

}  // namespace keepclear::bench
