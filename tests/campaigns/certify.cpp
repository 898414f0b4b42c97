// SPDX-License-Identifier: BSD-3-Clause
//
// certify [--motions N] [--seed S] [--samples N] [--robot NAME] [--threads N] [ROBOT...]: N random
// motions (1000) of each robot among obstacles that are made for them, judged by sampling, descent
// and 113-bit arithmetic. A robot is a URDF, a folder in which every URDF counts, or the name of a
// built-in robot; NAME leaves only those in whose name it occurs. Without any: those built in, and
// the folder `robots` in $KEEPCLEAR_DATA. Exit 0 when all was well, 1 otherwise, 64 for a wrong
// call.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "certify/motion_judge.hpp"

namespace {

using keepclear::test::MotionTally;

constexpr int kMotionsOfWorld = 2;

struct Options {
  std::size_t motions = 1000;
  std::uint64_t seed = 1;
  int samples = 200;
  unsigned threads = 1;
  std::string robot;
  std::vector<std::string> names;
};

std::vector<std::string> all_robots(const Options& options) {
  namespace fs = std::filesystem;
  std::vector<std::string> names = options.names;
  if (names.empty()) {
    names = {"six_axis_arm", "bench_arm", "two_bench_arms", "humanoid"};
    if (const char* data = std::getenv("KEEPCLEAR_DATA")) {
      names.push_back((fs::path(data) / "robots").string());
    }
  }
  std::vector<std::string> robots;
  for (const std::string& name : names) {
    if (fs::is_directory(name)) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(name)) {
        if (entry.path().extension() == ".urdf") robots.push_back(entry.path().string());
      }
      std::sort(robots.begin(), robots.end());
    } else {
      robots.push_back(name);
    }
  }
  std::erase_if(robots, [&](const std::string& name) {
    return name.find(options.robot) == std::string::npos;
  });
  return robots;
}

MotionTally run(const std::string& name, const Options& options) {
  const keepclear::test::MotionRobot robot = keepclear::test::motion_robot(name);
  MotionTally total;
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  const std::size_t worlds = (options.motions + kMotionsOfWorld - 1) / kMotionsOfWorld;
  const auto work = [&] {
    for (std::size_t k = next++; k < worlds; k = next++) {
      MotionTally tally;
      try {
        keepclear::test::judge_world(robot, options.seed, k, kMotionsOfWorld, options.samples,
                                     tally);
      } catch (const std::exception& error) {
        ++tally.contradictions;
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
  return total;
}

void print(const std::string& name, const MotionTally& t) {
  const auto share = [](std::size_t count, std::size_t all) {
    return all == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(all);
  };
  std::printf("%s: %zu motions in %zu worlds\n", name.c_str(), t.motions, t.worlds);
  std::printf("  free %zu, contact %zu, undecided %zu (%.3g %%; for want of budget %zu)\n", t.free,
              t.contact, t.undecided, share(t.undecided, t.motions), t.out_of_budget);
  std::printf("  undecided where nothing was placed to be nearly touched: %zu of %zu (%.3g %%)\n",
              t.ordinary_undecided, t.ordinary, share(t.ordinary_undecided, t.ordinary));
  if (t.clocks > 0) {
    std::printf("  each robot on its own clock: %zu, free %zu, contact %zu\n", t.clocks,
                t.clocks_free, t.clocks_contact);
  }
  std::printf("  tests %zu, poses sampled %zu, grazing within 0.1 mm %zu\n", t.tests, t.samples,
              t.grazing);
  std::printf("  refuted %zu of %zu free (below %.2g, 95 %%), false contacts %zu of %zu (%.2g)\n",
              t.refuted, t.free, t.free > 0 ? 3.0 / static_cast<double>(t.free) : 1.0, t.no_contact,
              t.contact, t.contact > 0 ? 3.0 / static_cast<double>(t.contact) : 1.0);
  std::printf(
      "  clear and not certified %zu of %zu, deep and not found %zu, contradictions %zu, "
      "clearance not as well known as asked %zu\n",
      t.not_certified, t.clear, t.not_found, t.contradictions, t.loose);
  for (std::size_t k = 0; k < t.messages.size() && k < 20; ++k) {
    std::printf("  %s\n", t.messages[k].c_str());
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  bool usage = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--motions" && more) {
      options.motions = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seed" && more) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--samples" && more) {
      options.samples = std::atoi(argv[++i]);
    } else if (word == "--threads" && more) {
      options.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (word == "--robot" && more) {
      options.robot = argv[++i];
    } else if (word.starts_with("--")) {
      usage = true;
    } else {
      options.names.push_back(word);
    }
  }
  if (usage || options.motions == 0 || options.samples < 2) {
    std::fprintf(stderr,
                 "usage: certify [--motions N] [--seed S] [--samples N] [--robot NAME] "
                 "[--threads N] [ROBOT...]\n");
    return 64;
  }
  MotionTally total;
  bool well = true;
  for (const std::string& name : all_robots(options)) {
    try {
      const MotionTally tally = run(name, options);
      print(name, tally);
      total.add(tally);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", name.c_str(), error.what());
      well = false;
    }
  }
  total.messages.clear();
  print("all", total);
  return well && total.motions > 0 && total.violations() == 0 ? 0 : 1;
}
