// SPDX-License-Identifier: BSD-3-Clause
//
// mutants [--seed S] [--samples N] [--seconds T]: $KEEPCLEAR_CASES (1000000) changed certificates
// before the checker, half of them sealed anew. Those that it finds valid are tried out at twice N
// configurations (150). With $KEEPCLEAR_FINDINGS, what was wrong is written to that folder. Ends
// after T seconds if that is sooner. Exit 0 when nothing false was found valid, 1 otherwise, 64 for
// a wrong call.
#include "verify/mutants.hpp"

#include <chrono>

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  int samples = 150;
  double seconds = 1e9;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--seed" && more) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--samples" && more) {
      samples = std::atoi(argv[++i]);
    } else if (word == "--seconds" && more) {
      seconds = std::atof(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: mutants [--seed S] [--samples N] [--seconds T]\n");
      return 64;
    }
  }
  const char* const cases = std::getenv("KEEPCLEAR_CASES");
  const std::size_t wanted = cases != nullptr ? std::strtoull(cases, nullptr, 10) : 1'000'000;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  keepclear::test::MutantTally tally;
  std::mt19937_64 random(seed);
  std::size_t refused = 0;
  for (std::uint64_t n = 0; tally.all().tried < wanted && elapsed() < seconds; ++n) {
    const std::uint64_t number = seed * 1'000'000 + n;
    const std::string text = keepclear::test::SmallCertificates::text(number);
    if (text.empty() || text.size() > 40'000) continue;
    const std::string name = "certificate " + std::to_string(number);
    const keepclear::test::Ruling ruling = keepclear::test::check_certificate(text);
    if (!ruling.valid()) {
      ++refused;
      if (refused <= 20) std::printf("%s is refused: %s\n", name.c_str(), ruling.text().c_str());
      continue;
    }
    keepclear::test::judge_mutants(name, text, 400, samples, random, tally);
  }
  std::printf("%.0f s, refused before any change: %zu\n", elapsed(), refused);
  tally.print();
  return tally.certificates > 0 && refused == 0 && tally.wrong.empty() ? 0 : 1;
}
