// SPDX-License-Identifier: BSD-3-Clause
//
// certificates [--seed S] [--samples N] [--robot NAME] [--seconds T]: $KEEPCLEAR_CASES (10000)
// random certificates of every kind, of the built-in robots, and of the robots and scenes of
// $KEEPCLEAR_DATA, in turn, each before the checker and tried out at N configurations (50). NAME
// leaves only robots in whose name it occurs. Ends after T seconds if that is sooner. Exit 0 when
// all were valid and true, 1 otherwise, 64 for a wrong call.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "verify/accept.hpp"

namespace {

using keepclear::test::AcceptTally;
using keepclear::test::CertificateDraw;

struct Options {
  std::uint64_t seed = 1;
  int samples = 50;
  double seconds = 1e9;
  std::string robot;
};

bool run(const Options& options) {
  const char* const data = std::getenv("KEEPCLEAR_DATA");
  if (data == nullptr) std::printf("skipped: no data (KEEPCLEAR_DATA), built-in robots alone\n");
  const char* const cases = std::getenv("KEEPCLEAR_CASES");
  const std::size_t wanted = cases != nullptr ? std::strtoull(cases, nullptr, 10) : 10'000;
  std::vector<std::unique_ptr<CertificateDraw>> robots;
  AcceptTally tally;
  for (const std::string& name :
       keepclear::test::certificate_robots(data != nullptr ? data : "/nowhere")) {
    if (name.find(options.robot) == std::string::npos) continue;
    try {
      robots.push_back(std::make_unique<CertificateDraw>(name));
    } catch (const std::exception& error) {
      std::printf("left out: %s: %s\n", name.c_str(), error.what());
    }
  }
  if (robots.empty()) return false;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto drawn = [&] {
    std::size_t sum = 0;
    for (const auto& [name, kind] : tally.kinds) sum += kind.written;
    return sum;
  };
  for (std::uint64_t k = 0; drawn() < wanted && elapsed() < options.seconds; ++k) {
    for (const auto& robot : robots) {
      if (elapsed() > options.seconds) break;
      try {
        keepclear::test::judge_robot(*robot, options.seed * 1'000'000 + k, options.samples, tally);
        if (k == 0) {
          std::mt19937_64 random(options.seed);
          judge_certificate(robot->name(), robot->never(2000), options.samples, random, tally);
          if (robot->has_model()) {
            judge_certificate(robot->name(), robot->fit(), options.samples, random, tally);
          }
        }
      } catch (const std::exception& error) {
        tally.refused.push_back(robot->name() + ", number " + std::to_string(k) + ": " +
                                error.what());
      }
    }
  }
  std::printf("%zu robots, %.0f s\n", robots.size(), elapsed());
  tally.print();
  return drawn() > 0 && tally.refused.empty() && tally.refuted.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--seed" && more) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--samples" && more) {
      options.samples = std::atoi(argv[++i]);
    } else if (word == "--seconds" && more) {
      options.seconds = std::atof(argv[++i]);
    } else if (word == "--robot" && more) {
      options.robot = argv[++i];
    } else {
      std::fprintf(stderr,
                   "usage: certificates [--seed S] [--samples N] [--robot NAME] [--seconds T]\n");
      return 64;
    }
  }
  return run(options) ? 0 : 1;
}
