// SPDX-License-Identifier: BSD-3-Clause
//
// watch [--cycles N] [--seed S]: random scenes and motions before keepclear::Watch, every pair of
// solids measured after every cycle. Exit 0 when nothing was wrong, 1 otherwise, 64 for a wrong
// call.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "oracle/watch_judge.hpp"

namespace {

void print(const char* name, std::int64_t count) {
  std::printf("  %-50s %lld\n", name, static_cast<long long>(count));
}

void print(const keepclear::oracle::WatchTally& t) {
  print("scenes", t.scenes);
  print("cycles", t.cycles);
  print("free", t.free);
  print("contact", t.contact);
  print("undecided", t.undecided);
  print("pairs judged", t.pairs);
  print("imminent pairs listed", t.imminent);
  print("what is no state", t.refused);
  print("attached", t.attached);
  print("released", t.released);
  print("placed", t.placed);
  print("contacts expected", t.expected);
  print("compared with a watch without history", t.fresh);
  print("wrongly free", t.wrongly_free);
  print("missed pairs", t.missed_pairs);
  print("wrong contacts", t.wrong_contacts);
  print("listed without need", t.needless);
  print("wrong distances, bounds or points", t.wrong_bounds);
  print("verdicts that do not follow from the list", t.wrong_verdicts);
  print("wrong answers to attach, release, place", t.wrong_returns);
  print("other than without history", t.other_than_fresh);
  for (const std::string& message : t.messages) std::printf("  %s\n", message.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t cycles = 100'000;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--cycles" && i + 1 < argc) {
      cycles = std::atoll(argv[++i]);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = static_cast<std::uint64_t>(std::atoll(argv[++i]));
    } else {
      cycles = 0;
      break;
    }
  }
  if (cycles <= 0) {
    std::fprintf(stderr, "usage: watch [--cycles N] [--seed S]\n");
    return 64;
  }
  try {
    const keepclear::oracle::WatchTally tally = keepclear::oracle::judge_watch(cycles, seed);
    print(tally);
    return tally.violations() == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "watch: %s\n", error.what());
    return 1;
  }
}
