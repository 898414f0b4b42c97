// SPDX-License-Identifier: BSD-3-Clause
//
// toleranced [--cases N] [--seconds T] [--seed S] [--samples N] [--case K]: random motions of
// polyhedra near contact, pierced or inside at the start, judged by sampling and exact predicates.
// Ends after N cases (100000) or T seconds; --case judges one alone. Exit 0 when all was well, 1
// otherwise, 64 for a wrong call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "certify/toleranced_judge.hpp"

int main(int argc, char** argv) {
  std::uint64_t cases = 100'000, seed = 1, first = 0;
  double seconds = 1e9;
  int samples = 60;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--cases" && more) {
      cases = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seconds" && more) {
      seconds = std::strtod(argv[++i], nullptr);
    } else if (word == "--seed" && more) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--samples" && more) {
      samples = std::max(2, static_cast<int>(std::strtol(argv[++i], nullptr, 10)));
    } else if (word == "--case" && more) {
      first = std::strtoull(argv[++i], nullptr, 10);
      cases = 1;
    } else {
      std::fprintf(stderr,
                   "usage: toleranced [--cases N] [--seconds T] [--seed S] [--samples N] "
                   "[--case K]\n");
      return 64;
    }
  }
  keepclear::test::TolerancedTally tally;
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::size_t printed = 0;
  bool failed = false;
  for (std::uint64_t k = first; k < first + cases && spent() < seconds; ++k) {
    try {
      keepclear::test::judge_case(seed, k, samples, tally);
    } catch (const std::exception& error) {
      failed = true;
      std::printf("seed %llu case %llu: %s\n", static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(k), error.what());
    }
    for (; printed < tally.messages.size(); ++printed) {
      std::printf("%s\n", tally.messages[printed].c_str());
      std::fflush(stdout);
    }
  }
  const double all = static_cast<double>(std::max<std::size_t>(1, tally.motions));
  std::printf(
      "toleranced: %zu motions, free %zu, contact %zu (grazing %zu), undecided %zu (%.3g %%; clear "
      "by 4 tolerances %zu, deep %zu), loose clearances %zu, clear %zu, poses %zu, balls %zu, "
      "tests %zu; refuted %zu, false contacts %zu, clearances too large %zu, clear and not "
      "certified %zu; %zu misses\n",
      tally.motions, tally.free, tally.contact, tally.grazing, tally.undecided,
      100 * static_cast<double>(tally.undecided) / all, tally.open, tally.deep, tally.loose,
      tally.clear, tally.poses, tally.balls, tally.tests, tally.refuted, tally.no_contact,
      tally.too_much, tally.not_certified, tally.misses());
  return tally.motions > 0 && tally.misses() == 0 && !failed ? 0 : 1;
}
