// SPDX-License-Identifier: BSD-3-Clause
//
// turning [--robots N] [--seed S] [--samples N] [--threads T]: N random robots (1000) on floating
// and planar joints whose quaternions turn; poses, distances, boxes, motions with and without a
// tube, judged by sampling in 113 bits. Exit 0 when nothing was wrong, 1 otherwise, 64 for a wrong
// call.
#include "oracle/turning_judge.hpp"

#include "campaigns/call.hpp"

int main(int argc, char** argv) {
  using keepclear::oracle::PreciseTally;
  const keepclear::campaigns::Call call(
      argc, argv, {{"--robots", 1000}, {"--seed", 1}, {"--samples", 60}, {"--threads", 1}});
  if (!call.good()) return call.usage();
  const PreciseTally total = keepclear::campaigns::run<PreciseTally>(
      call["--robots"], call["--threads"], [&](std::int64_t k, PreciseTally& tally) {
        keepclear::oracle::judge_turner(static_cast<std::uint64_t>(call["--seed"] * 1'000'003 + k),
                                        static_cast<int>(call["--samples"]), tally);
      });
  total.print("turning");
  return total.violations() == 0 ? 0 : 1;
}
