// SPDX-License-Identifier: BSD-3-Clause
//
// orbits [--cases N] [--seconds T] [--seed S]: random metrics, balls of displacements and
// displacements in them, judged in 113 bits: nothing leaves a fat vertex, edge or face, and each of
// their surfaces is reached. Ends after N cases (10 million) or T seconds. Exit 0 when all was
// well, 1 otherwise, 64 for a wrong call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sweep/orbit_judge.hpp"

int main(int argc, char** argv) {
  std::size_t cases = 10'000'000;
  double seconds = 1e9;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--cases" && more) {
      cases = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seconds" && more) {
      seconds = std::strtod(argv[++i], nullptr);
    } else if (word == "--seed" && more) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      std::fprintf(stderr, "usage: orbits [--cases N] [--seconds T] [--seed S]\n");
      return 64;
    }
  }
  keepclear::test::Random random(seed);
  keepclear::test::OrbitTally tally;
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  while (tally.cases < cases && (tally.cases % 256 != 0 || spent() < seconds)) {
    keepclear::test::judge_orbit(random, tally);
  }
  for (const std::string& message : tally.messages) std::printf("%s\n", message.c_str());
  std::printf("orbits: %zu cases, %zu checks, fullest ball %.4f, %zu misses\n", tally.cases,
              tally.checks, tally.fullest_ball, tally.misses);
  return tally.cases > 0 && tally.misses == 0 ? 0 : 1;
}
