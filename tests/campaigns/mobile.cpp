// SPDX-License-Identifier: BSD-3-Clause
//
// mobile [--approaches N] [--seed S] [--seconds T]: N approaches (1000) of robots on bases that
// drive and fly, each in a random world, that a guard has to stop; four in each world. Brake
// models, uncertainties, latencies, stops, commands, margins and speeds are drawn at random; the
// robots behave exactly, at worst, or at random inside their brake model. Ends after T seconds if
// that is sooner. Exit 0 when nothing came nearer than its margin, 1 otherwise, 64 for a wrong
// call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "guard/mobile_loop.hpp"

namespace {

void print(const keepclear::test::MobileTally& t) {
  std::printf("%zu approaches in %zu worlds (bases that drive %zu, that fly %zu), %zu cycles\n",
              t.approaches, t.worlds, t.driving, t.flying, t.cycles);
  std::printf("  poses looked at %zu, all pairs in 113 bits %zu times\n", t.poses, t.exact);
  std::printf("  braked while moving %zu, went on after a brake %zu times, never braked %zu, ",
              t.braked, t.again, t.passed);
  std::printf("never went %zu\n", t.idle);
  std::printf(
      "  brakes begun right after a go %zu, speeds tried %zu, within 2 mm of a margin %zu, ",
      t.branches, t.scales, t.near);
  std::printf("least %.3g m\n", t.least);
  std::printf("  liveness: %.4f of %zu cycles far from everything went; the others:", t.liveness(),
              t.far);
  for (std::size_t i = 0; i < t.reasons.size(); ++i) {
    if (t.reasons[i] == 0) continue;
    const std::string reason(keepclear::name_of(static_cast<keepclear::Reason>(i)));
    std::printf(" %s %zu;", reason.c_str(), t.reasons[i]);
  }
  std::printf("\n  contacts %zu, after a go %zu, at a proved speed %zu, ", t.contacts, t.wrong_go,
              t.scale_contacts);
  std::printf("wrong distances %zu, cycles beyond the work bound %zu\n", t.not_as_measured,
              t.over_bound);
  for (std::size_t k = 0; k < t.messages.size() && k < 20; ++k) {
    std::printf("  %s\n", t.messages[k].c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t approaches = 1000;
  std::uint64_t seed = 1;
  double seconds = 1e9;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--approaches" && more) {
      approaches = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seed" && more) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seconds" && more) {
      seconds = std::atof(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: mobile [--approaches N] [--seed S] [--seconds T]\n");
      return 64;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  keepclear::test::MobileTally tally;
  std::size_t failed = 0;
  for (std::uint64_t k = 0; tally.approaches < approaches && spent() < seconds; ++k) {
    try {
      keepclear::test::judge_mobile(seed * 1'000'003 + k, 4, tally);
    } catch (const std::exception& error) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed * 1'000'003 + k),
                  error.what());
      ++failed;
    }
  }
  print(tally);
  return tally.approaches > 0 && failed == 0 && tally.violations() == 0 ? 0 : 1;
}
