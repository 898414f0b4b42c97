// SPDX-License-Identifier: BSD-3-Clause
//
// near_contact --pairs N --seed S --threads T: random and structured pairs near contact, each
// judged by exact arithmetic. With --chunk C only the chunk that a message names is judged again.
// Exit 0 when nothing was wrong, 1 otherwise, 64 for a wrong call.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "oracle/near_contact_judge.hpp"

namespace {

using keepclear::oracle::judge_chunk;
using keepclear::oracle::kChunkPairs;
using keepclear::oracle::Tally;

struct Call {
  std::int64_t pairs = 100'000;
  std::uint64_t seed = 1;
  std::int64_t chunk = -1;  ///< only this one, unless negative
  int threads = 2;
};

bool parse(int argc, char** argv, Call& call) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    char* end = nullptr;
    const long long value = std::strtoll(argv[i + 1], &end, 10);
    if (*end != '\0' || end == argv[i + 1] || value < 0) return false;
    if (!std::strcmp(argv[i], "--pairs")) {
      call.pairs = value;
    } else if (!std::strcmp(argv[i], "--seed")) {
      call.seed = static_cast<std::uint64_t>(value);
    } else if (!std::strcmp(argv[i], "--chunk")) {
      call.chunk = value;
    } else if (!std::strcmp(argv[i], "--threads")) {
      call.threads = static_cast<int>(value);
    } else {
      return false;
    }
  }
  return call.pairs > 0 && call.threads > 0;
}

Tally run(const Call& call) {
  if (call.chunk >= 0) {
    return judge_chunk(call.seed, static_cast<std::uint64_t>(call.chunk), kChunkPairs);
  }
  const std::int64_t chunks = (call.pairs + kChunkPairs - 1) / kChunkPairs;
  std::vector<Tally> tallies(static_cast<std::size_t>(chunks));
  std::atomic<std::int64_t> next = 0, done = 0;
  std::mutex printing;
  const auto work = [&] {
    for (std::int64_t c = next++; c < chunks; c = next++) {
      const std::int64_t pairs = std::min(kChunkPairs, call.pairs - c * kChunkPairs);
      tallies[c] = judge_chunk(call.seed, static_cast<std::uint64_t>(c), pairs);
      const std::int64_t finished = done += pairs;
      const std::scoped_lock lock(printing);
      std::fprintf(stderr, "\r%lld of %lld pairs", static_cast<long long>(finished),
                   static_cast<long long>(call.pairs));
    }
  };
  std::vector<std::thread> threads;
  for (int t = 1; t < call.threads; ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  std::fprintf(stderr, "\n");
  Tally sum;
  for (const Tally& tally : tallies) sum += tally;
  return sum;
}

void print(const char* name, std::int64_t count) {
  std::printf("%-52s %lld\n", name, static_cast<long long>(count));
}

}  // namespace

int main(int argc, char** argv) {
  Call call;
  if (!parse(argc, argv, call)) {
    std::fprintf(stderr, "usage: near_contact [--pairs N] [--seed S] [--threads T] [--chunk C]\n");
    return 64;
  }
  const Tally t = run(call);
  print("pairs", t.pairs);
  print("overlapping in exact arithmetic", t.overlaps);
  print("free", t.free);
  print("contact", t.contact);
  print("undecided", t.undecided);
  print("WRONGLY FREE", t.wrongly_free);
  print("wrongly contact", t.wrongly_contact);
  print("lower bound above the exact distance", t.lower_violations);
  print("distance below the exact distance", t.upper_violations);
  print("free with bounds more than 1e-9 m apart", t.loose);
  print("undecided without need", t.needless_undecided);
  print("verdict changed by swapping or turning", t.conflicts);
  print("signed distance off by more than 1e-9 m", t.depth_violations);
  print("witness points off the bodies", t.witness_violations);
  print("bodies that do not contain their shape", t.not_contained);
  print("checked besides: swapped and turned", t.moved_checked);
  print("checked besides: witness points", t.witnesses_checked);
  print("checked besides: signed distance by brute force", t.signed_checked);
  std::printf("%-52s %.3g m\n", "largest clear gap left undecided", t.worst_undecided);
  std::printf("%-52s %.3g m\n", "largest distance - lower bound of a free pair", t.worst_gap);
  std::printf("%-52s %.3g m\n", "largest error of a signed distance", t.worst_depth_error);
  if (t.wrongly_free == 0) {
    std::printf("%-52s %.3g\n", "rate of wrongly free at 95 % confidence, below",
                3.0 / static_cast<double>(t.pairs));
  }
  for (const auto& [name, count] : t.by_pattern) print(("  " + name).c_str(), count);
  for (const std::string& message : t.messages) std::printf("%s\n", message.c_str());
  return t.violations() == 0 ? 0 : 1;
}
