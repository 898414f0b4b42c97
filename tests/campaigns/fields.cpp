// SPDX-License-Identifier: BSD-3-Clause
//
// fields [--cases N] [--seed S]: every field of every struct of options with every odd value (NaN,
// infinite, negative, denormal, huge), and N times (2000) two or three fields of each struct at
// once; scenes of each shape, paths, boxes, and calls of a guard and a watch, too. Exit 0 when all
// were refused or answered truly, 1 otherwise, 64 for a wrong call.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fields/judges.hpp"

int main(int argc, char** argv) {
  std::size_t cases = 2000;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--cases" && i + 1 < argc) {
      cases = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      std::fprintf(stderr, "usage: fields [--cases N] [--seed S]\n");
      return 64;
    }
  }
  using namespace keepclear::test;
  FieldTally tally;
  std::mt19937_64 random(seed);
  const keepclear::oracle::ScratchFolder folder(3);
  FieldJudge judge(rail_world(false), rail_world(true), tally);
  judge.everything(cases, random);
  judge.every_scene(rail_scenes(folder), cases, random);
  judge.paths();
  judge.calls(100 * cases, random);
  std::printf("fields: %zu cases, refused %zu, free or go %zu times, slowest %.2f s (%s)\n",
              tally.tried, tally.refused, tally.free, tally.slowest, tally.slowest_of.c_str());
  std::printf("  wrong %zu\n", tally.wrong);
  for (std::size_t k = 0; k < tally.messages.size() && k < 20; ++k) {
    std::printf("  %s\n", tally.messages[k].c_str());
  }
  return tally.tried > 0 && tally.wrong == 0 ? 0 : 1;
}
