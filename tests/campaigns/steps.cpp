// SPDX-License-Identifier: BSD-3-Clause
//
// steps [--worlds N] [--seed S] [--looks N] [--threads N] [--seconds T]: N random worlds (300), in
// turn robots that are built in, random scenes, and robots on bases that drive and fly; of each
// motion in them every step of the proof is tried at its ends, in its middle and at N random places
// (3) in 113 bits, in tubes, on bases and with links that are off; and all steps together must
// leave no gap. Ends after T seconds if that is sooner. Exit 0 when no step was refuted, 1
// otherwise, 64 for a wrong call.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "certify/step_worlds.hpp"

namespace {

using keepclear::test::StepTally;

struct Options {
  std::size_t worlds = 300;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  double seconds = 1e9;
  keepclear::test::StepOptions how;
};

void print(const StepTally& t) {
  std::printf("%zu motions in %zu worlds: free %zu, contact %zu, undecided %zu\n", t.motions,
              t.worlds, t.free, t.contact, t.undecided);
  std::printf("  with a tube %zu, bases that are off %zu, links that are off %zu, clocks %zu\n",
              t.tubes, t.bases, t.deviations, t.clocks);
  std::printf("  steps %zu:", t.steps);
  for (std::size_t m = 0; m < t.by_method.size(); ++m) {
    if (t.by_method[m] == 0) continue;
    std::printf(" %s %zu;", keepclear::to_string(static_cast<keepclear::Method>(m)),
                t.by_method[m]);
  }
  std::printf(" about all other pieces %zu\n", t.around);
  std::printf("  pairs looked at %zu, steps seen within 1 mm of their bound %zu, least %.3g m\n",
              t.looks, t.close, t.least);
  std::printf("  refuted steps %zu, steps that contradict themselves %zu, gaps %zu\n", t.refuted,
              t.wrong, t.gaps);
  for (std::size_t k = 0; k < t.messages.size() && k < 20; ++k) {
    std::printf("  %s\n", t.messages[k].c_str());
  }
}

bool run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<keepclear::test::MotionRobot> robots;
  for (const char* name : {"six_axis_arm", "bench_arm", "two_bench_arms", "humanoid"}) {
    robots.push_back(keepclear::test::motion_robot(name));
  }
  StepTally total;
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < options.worlds && spent() < options.seconds; k = next++) {
      StepTally tally;
      try {
        keepclear::test::StepRun one(options.seed, k, options.how, tally);
        if (k % 3 == 0) {
          one.robot(robots[k / 3 % robots.size()], 2);
        } else if (k % 3 == 1) {
          one.scene(3);
        } else {
          one.mobile(3);
        }
      } catch (const std::exception& error) {
        ++tally.wrong;
        tally.messages.emplace_back(error.what());
      }
      for (std::string& message : tally.messages) {
        message = "world " + std::to_string(k) + ": " + message;
      }
      const std::lock_guard lock(mutex);
      total.add(tally);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < options.threads; ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  print(total);
  return total.steps > 0 && total.violations() == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--worlds" && more) {
      options.worlds = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seed" && more) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--looks" && more) {
      options.how.looks = std::atoi(argv[++i]);
    } else if (word == "--threads" && more) {
      options.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (word == "--seconds" && more) {
      options.seconds = std::atof(argv[++i]);
    } else {
      std::fprintf(
          stderr, "usage: steps [--worlds N] [--seed S] [--looks N] [--threads N] [--seconds T]\n");
      return 64;
    }
  }
  return run(options) ? 0 : 1;
}
