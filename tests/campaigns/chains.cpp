// SPDX-License-Identifier: BSD-3-Clause
//
// chains [--chains N] [--seed S] [--least L] [--most M] [--samples N] [--threads T]: N random
// robots (200) of one chain of L to M joints (50 to 300); poses, distances, boxes, motions and one
// cycle of a guard, judged by sampling in 113 bits. Chains beyond the limit must be refused. Exit 0
// when nothing was wrong, 1 otherwise, 64 for a wrong call.
#include "oracle/chain_judge.hpp"

#include "campaigns/call.hpp"
#include "keepclear/error.hpp"

namespace {

using keepclear::campaigns::Call;
using keepclear::oracle::PreciseTally;

bool refuses_longer_chains() {
  keepclear::oracle::Numbers numbers(1);
  const auto chain = keepclear::oracle::random_chain(numbers, keepclear::kMaxChain + 1);
  try {
    keepclear::oracle::compile_precise(chain.urdf, "chain-too-long", {});
  } catch (const keepclear::Error& error) {
    return std::string(error.what()).find("the limit is 1000") != std::string::npos;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const Call call(argc, argv,
                  {{"--chains", 200},
                   {"--seed", 1},
                   {"--least", 50},
                   {"--most", 300},
                   {"--samples", 24},
                   {"--threads", 1}});
  if (!call.good() || call["--least"] < 2 || call["--most"] < call["--least"]) return call.usage();
  const PreciseTally total = keepclear::campaigns::run<PreciseTally>(
      call["--chains"], call["--threads"], [&](std::int64_t k, PreciseTally& tally) {
        keepclear::oracle::judge_chain(static_cast<std::uint64_t>(call["--seed"] * 1'000'003 + k),
                                       static_cast<int>(call["--least"]),
                                       static_cast<int>(call["--most"]),
                                       static_cast<int>(call["--samples"]), tally);
      });
  total.print("chains");
  const bool refused = refuses_longer_chains();
  if (!refused) std::printf("  a chain of 1001 joints was not refused\n");
  return total.violations() == 0 && refused ? 0 : 1;
}
