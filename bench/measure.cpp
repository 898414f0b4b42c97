// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure.hpp"

#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace keepclear::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBlock = 1000;
constexpr std::size_t kWarmUp = 20;

// Instructions are counted on this many stretches of consecutive poses.
constexpr std::size_t kSegments = 16, kSegmentLength = 20;

Frame frame_at(const Workload& workload, std::size_t i) {
  return {std::span(workload.q).subspan(i * workload.dof, workload.dof),
          std::span(workload.X_WL).subspan(i * workload.links, workload.links)};
}

/// One peer at work on one question. Distances go to a row of `answers` (one for each pair, or one
/// alone); a check gives 0 or 1.
class Runner {
 public:
  Runner(const Scene& scene, const Workload& workload, const PeerKind& kind, Question asked)
      : question(asked),
        stride(kind.stride),
        name(kind.name),
        width(asked == Question::all_pairs ? scene.pairs.size() : 1),
        peer_(kind.make(scene)) {
    const std::size_t poses = (workload.count + stride - 1) / stride;
    microseconds.assign(poses, std::numeric_limits<double>::infinity());
    answers.assign(poses * width, 0.0);
  }

  void ask(const Frame& frame, std::size_t row) {
    const std::span<double> out = std::span(answers).subspan(row * width, width);
    switch (question) {
      case Question::all_pairs:
        peer_->all_pairs(frame, out);
        break;
      case Question::least:
        out[0] = peer_->least(frame);
        break;
      case Question::check:
        out[0] = peer_->check(frame) ? 1 : 0;
        break;
    }
  }

  void run_block(const Workload& workload, std::size_t begin, std::size_t end) {
    // The peers before have emptied the caches: the last poses once more, by no clock.
    for (std::size_t i = begin < kWarmUp ? 0 : begin - kWarmUp; i < begin; ++i) {
      if (i % stride == 0) ask(frame_at(workload, i), i / stride);
    }
    for (std::size_t i = (begin + stride - 1) / stride * stride; i < end; i += stride) {
      const Frame frame = frame_at(workload, i);
      const Clock::time_point start = Clock::now();
      ask(frame, i / stride);
      const std::chrono::duration<double, std::micro> took = Clock::now() - start;
      microseconds[i / stride] = std::min(microseconds[i / stride], took.count());
    }
  }

  Question question;
  std::size_t stride;
  std::string name;
  std::size_t width;
  std::vector<double> microseconds;
  std::vector<double> answers;

 private:
  std::unique_ptr<Peer> peer_;
};

std::vector<Runner> make_runners(const Scene& scene, const Workload& workload,
                                 const std::vector<PeerKind>& kinds) {
  std::vector<Runner> runners;
  for (Question question : kQuestions) {
    for (const PeerKind& kind : kinds) {
      if (kind.answers(question)) runners.emplace_back(scene, workload, kind, question);
    }
  }
  return runners;
}

Times summarise(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (double t : times) sum += t;
  const auto n = times.size();
  const auto quantile = [&](double f) {
    return times[std::min(n - 1, static_cast<std::size_t>(f * static_cast<double>(n)))];
  };
  return {sum / static_cast<double>(n), quantile(0.5), quantile(0.99), quantile(0.999),
          times.back()};
}

/// Least bounds over all pairs: what a least distance and a check are held against.
Bounds least_of(std::span<const Bounds> bounds) {
  Bounds least{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
               false, true};
  for (const Bounds& b : bounds) {
    least.lower = std::min(least.lower, b.lower);
    least.upper = std::min(least.upper, b.upper);
    least.contact = least.contact || b.contact;
    least.free = least.free && b.free;
  }
  return least;
}

void compare_distance(double distance, const Bounds& bounds, Agreement& agreement) {
  // Of an overlap a distance says only that there is one.
  if (!bounds.contact) agreement.above = std::max(agreement.above, distance - bounds.upper);
  if (bounds.free) agreement.below = std::max(agreement.below, bounds.lower - distance);
}

Agreement compare(const Runner& runner, const std::vector<Bounds>& all, std::size_t pairs,
                  std::size_t count) {
  Agreement agreement;
  for (std::size_t i = 0, row = 0; i < count; i += runner.stride, ++row) {
    const std::span<const Bounds> bounds = std::span(all).subspan(i * pairs, pairs);
    const std::span<const double> out =
        std::span(runner.answers).subspan(row * runner.width, runner.width);
    bool missed = false, alarm = false;
    const auto verdict = [&](bool hit, const Bounds& b) {
      missed = missed || (b.contact && !hit);
      alarm = alarm || (b.free && hit);
    };
    if (runner.question == Question::all_pairs) {
      for (std::size_t k = 0; k < pairs; ++k) {
        compare_distance(out[k], bounds[k], agreement);
        verdict(out[k] <= 0, bounds[k]);
      }
    } else {
      const Bounds least = least_of(bounds);
      if (runner.question == Question::least) {
        compare_distance(out[0], least, agreement);
        verdict(out[0] <= 0, least);
      } else {
        verdict(out[0] > 0, least);
      }
    }
    agreement.missed += missed;
    agreement.false_alarm += alarm;
  }
  return agreement;
}

}  // namespace

std::vector<Row> measure(const Scene& scene, const Workload& workload,
                         const std::vector<PeerKind>& kinds, int rounds) {
  std::vector<Runner> runners = make_runners(scene, workload, kinds);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t begin = 0; begin < workload.count; begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, workload.count);
      for (Runner& runner : runners) runner.run_block(workload, begin, end);
    }
  }

  const std::size_t pairs = scene.pairs.size();
  std::vector<Bounds> bounds(workload.count * pairs);
  Reference reference(scene);
  for (std::size_t i = 0; i < workload.count; ++i) {
    reference(frame_at(workload, i).q, std::span(bounds).subspan(i * pairs, pairs));
  }

  std::vector<Row> rows;
  for (const Runner& runner : runners) {
    rows.push_back({scene.name, workload.name, runner.name, runner.question, pairs,
                    runner.microseconds.size(), summarise(runner.microseconds),
                    compare(runner, bounds, pairs, workload.count)});
  }
  return rows;
}

void count_instructions(const Scene& scene, const Workload& workload,
                        const std::vector<PeerKind>& kinds) {
  std::vector<Runner> runners = make_runners(scene, workload, kinds);
  CALLGRIND_START_INSTRUMENTATION;
  for (Runner& runner : runners) {
    std::size_t poses = 0;
    CALLGRIND_ZERO_STATS;
    for (std::size_t segment = 0; segment < kSegments; ++segment) {
      const std::size_t first = segment * workload.count / kSegments;
      // The pose before fills what a peer remembers and is not counted.
      runner.ask(frame_at(workload, first), 0);
      // A peer too slow for all poses gets one of each stretch.
      const std::size_t length = runner.stride > 1 ? 1 : kSegmentLength;
      for (std::size_t i = first + 1; i <= first + length && i < workload.count; ++i, ++poses) {
        CALLGRIND_TOGGLE_COLLECT;
        runner.ask(frame_at(workload, i), 0);
        CALLGRIND_TOGGLE_COLLECT;
      }
    }
    const std::string label = "keepclear-bench," + scene.name + "," + workload.name + "," +
                              to_string(runner.question) + "," + runner.name + "," +
                              std::to_string(poses);
    CALLGRIND_DUMP_STATS_AT(label.c_str());
  }
  CALLGRIND_STOP_INSTRUMENTATION;
}

}  // namespace keepclear::bench
