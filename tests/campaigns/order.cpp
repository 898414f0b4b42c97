// SPDX-License-Identifier: BSD-3-Clause
//
// order [--cycles N] [--seed S]: keepclear::Guard, called in any order: attach, release,
// set_margin, confirm_world, reset, save and restore between cycles of a closed loop, with states
// of every kind that is refused. Each answer is compared with the truth, with a fresh guard that is
// told it, and with a twin in other memory. Exit 0 when nothing was wrong, 1 otherwise, 64 for a
// wrong call.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "guard/order_judge.hpp"

namespace {

void print(const char* name, std::int64_t count) {
  std::printf("  %-50s %lld\n", name, static_cast<long long>(count));
}

void print(const keepclear::test::OrderTally& t) {
  print("runs", t.runs);
  print("cycles", t.cycles);
  for (std::size_t i = 0; i < t.reasons.size(); ++i) {
    if (t.reasons[i] == 0) continue;
    const std::string reason(keepclear::name_of(static_cast<keepclear::Reason>(i)));
    print(("  " + reason).c_str(), t.reasons[i]);
  }
  print("poses looked at", t.poses);
  print("attached", t.attached);
  print("released", t.released);
  print("margins set", t.margins);
  print("confirmed", t.confirmed);
  print("calls that must be refused", t.refused);
  print("resets", t.resets);
  print("saved and restored", t.restores);
  print("put back to a saved state", t.rollbacks);
  print("corrupted, and replaced", t.corrupted);
  print("compared with a guard without history", t.fresh);
  print("  that found less of a turning hand", t.loose);
  print("saved bytes compared", t.saved);
  print("wrongly go", t.wrong_go);
  print("contacts of a robot that was let go", t.contacts);
  print("wrong answers to calls", t.wrong_returns);
  print("wrong reasons", t.wrong_reasons);
  print("false, and something happened", t.not_nothing);
  print("needless brakes", t.needless);
  print("other than without history", t.other_than_fresh);
  print("other than in other memory", t.other_than_twin);
  print("other bytes than in other memory", t.other_bytes);
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
    std::fprintf(stderr, "usage: order [--cycles N] [--seed S]\n");
    return 64;
  }
  try {
    const keepclear::test::OrderTally tally = keepclear::test::judge_order(cycles, seed);
    print(tally);
    return tally.violations() == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "order: %s\n", error.what());
    return 1;
  }
}
