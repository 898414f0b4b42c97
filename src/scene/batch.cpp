// SPDX-License-Identifier: BSD-3-Clause
//
// Many poses over several threads. Poses are dealt out in chunks of a fixed size, and a query
// forgets what it knows at the start of each: a result depends on its chunk alone, not on who
// computed it.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "keepclear/distance.hpp"
#include "rounding/mode.hpp"
#include "scene/batch.hpp"
#include "scene/threads.hpp"
#include "scene/world.hpp"

namespace keepclear {
namespace {

constexpr std::size_t kChunk = kBatchChunk;

void require_sizes(const World& world, std::size_t poses, std::size_t results,
                   std::size_t places_each) {
  rounding::require_mode();
  const std::size_t dof = world.dof();
  // A world without pairs has no place to fill, however many rows there are.
  const bool no_places = places_each == 0 && results == 0;
  const std::size_t rows = places_each == 0 ? 0 : results / places_each;
  if (!no_places && (results != rows * places_each || poses != rows * dof)) {
    throw Error(Error::Kind::usage, world.file(), 0,
                "the sizes of poses and results do not match the world");
  }
}

/// work(query, row) for every row.
template <typename Work>
void for_each_row(const World& world, std::size_t rows, const BatchOptions& options,
                  const Work& work) {
  const std::size_t chunks = (rows + kChunk - 1) / kChunk;
  const std::size_t threads = thread_count(options.threads, chunks);
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex reporting;
  auto run = [&](DistanceQuery& query) {
    for (std::size_t c = next++; c < chunks; c = next++) {
      query.reset();
      const std::size_t end = std::min(rows, (c + 1) * kChunk);
      for (std::size_t row = c * kChunk; row < end; ++row) work(query, row);
      done += end - c * kChunk;
      if (options.progress) {
        const std::lock_guard lock(reporting);
        options.progress(done);  // which may change the mode: each query asks for itself
      }
    }
  };
  // All memory is taken before the first thread starts.
  std::vector<DistanceQuery> queries;
  for (std::size_t i = 0; i < threads; ++i) queries.emplace_back(world, options.distance);
  std::vector<std::jthread> pool;
  for (std::size_t i = 1; i < threads; ++i) pool.emplace_back([&, i] { run(queries[i]); });
  run(queries[0]);
}

}  // namespace

void distance_batch(const World& world, std::span<const double> poses, std::span<Nearest> results,
                    const BatchOptions& options) {
  require_sizes(world, poses.size(), results.size(), 1);
  const std::size_t dof = world.dof();
  for_each_row(world, results.size(), options, [&](DistanceQuery& query, std::size_t row) {
    results[row] = query(poses.subspan(row * dof, dof));
  });
}

void all_pairs_batch(const World& world, std::span<const double> poses, std::span<Nearest> results,
                     const BatchOptions& options) {
  const std::size_t pairs = world.pairs().size(), dof = world.dof();
  require_sizes(world, poses.size(), results.size(), pairs);
  const std::size_t rows = pairs == 0 ? 0 : results.size() / pairs;
  for_each_row(world, rows, options, [&](DistanceQuery& query, std::size_t row) {
    const auto all = query.all_pairs(poses.subspan(row * dof, dof));
    const auto place = results.subspan(row * pairs, pairs);
    // Of a row that is no configuration nothing is known, pair by pair.
    if (all.empty()) {
      const Nearest unknown = query(poses.subspan(row * dof, dof));
      for (std::size_t p = 0; p < pairs; ++p) {
        place[p] = unknown;
        place[p].a = world.pairs()[p].a;
        place[p].b = world.pairs()[p].b;
      }
    } else {
      std::copy(all.begin(), all.end(), place.begin());
    }
  });
}

void check_batch(const World& world, std::span<const double> poses, std::span<CheckResult> results,
                 double margin, const BatchOptions& options) {
  require_sizes(world, poses.size(), results.size(), 1);
  const std::size_t dof = world.dof();
  for_each_row(world, results.size(), options, [&](DistanceQuery& query, std::size_t row) {
    results[row] = query.check(poses.subspan(row * dof, dof), margin);
  });
}

}  // namespace keepclear
