// SPDX-License-Identifier: BSD-3-Clause
//
// same [--worlds N] [--seed S]: N random worlds (300), each said in other ways (names, orders,
// moved rigidly, an object twice), and motions, poses and boxes asked about in other ways
// (backwards, with waypoints twice, of no length). Exit 0 when no answers contradict each other, 1
// otherwise, 64 for a wrong call.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "fields/same_world.hpp"

int main(int argc, char** argv) {
  std::size_t worlds = 300;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--worlds" && i + 1 < argc) {
      worlds = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      std::fprintf(stderr, "usage: same [--worlds N] [--seed S]\n");
      return 64;
    }
  }
  keepclear::test::SameTally t;
  for (std::size_t k = 0; k < worlds; ++k) {
    const std::uint64_t number = seed * 1'000'003 + k;
    try {
      keepclear::test::SameWorld(number, t).judge();
    } catch (const std::exception& error) {
      ++t.wrong;
      t.messages.push_back("seed " + std::to_string(number) + ": " + error.what());
    }
  }
  std::printf(
      "same: %zu worlds said in %zu other ways, %zu questions: free %zu, contact %zu, "
      "undecided %zu\n  wrong %zu\n",
      t.worlds, t.variants, t.questions, t.free, t.contact, t.undecided, t.wrong);
  for (std::size_t k = 0; k < t.messages.size() && k < 20; ++k) {
    std::printf("  %s\n", t.messages[k].c_str());
  }
  return t.worlds > 0 && t.wrong == 0 ? 0 : 1;
}
