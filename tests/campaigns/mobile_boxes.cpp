// SPDX-License-Identifier: BSD-3-Clause
//
// mobile_boxes [--worlds N] [--seed S]: N random worlds (300) of robots on bases that drive and
// fly, and ten boxes of configurations in each, proved free or swept; each against 200
// configurations in it. Exit 0 when nothing was nearer than was proved, 1 otherwise, 64 for a wrong
// call.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "certify/mobile_box_judge.hpp"

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
      std::fprintf(stderr, "usage: mobile_boxes [--worlds N] [--seed S]\n");
      return 64;
    }
  }
  keepclear::test::MobileBoxTally t;
  for (std::size_t k = 0; k < worlds; ++k) {
    keepclear::test::judge_mobile_boxes(seed * 1'000'003 + k, 10, t);
  }
  std::printf(
      "mobile_boxes: %zu boxes in %zu worlds: free %zu, contact %zu, undecided %zu; %zu with "
      "a swept clearance; %zu configurations\n",
      t.boxes, t.worlds, t.free, t.contact, t.undecided, t.swept, t.poses);
  std::printf("  refuted %zu, outside their volume %zu, false contacts %zu\n", t.refuted, t.escapes,
              t.no_contact);
  for (std::size_t k = 0; k < t.messages.size() && k < 20; ++k) {
    std::printf("  %s\n", t.messages[k].c_str());
  }
  return t.boxes > 0 && t.violations() == 0 ? 0 : 1;
}
