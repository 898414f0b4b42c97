// SPDX-License-Identifier: BSD-3-Clause
//
// Independent work over several threads, each with a workspace of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace keepclear {

/// The number of threads that an option asks for, where 0 means one for each core.
inline std::size_t thread_count(int asked, std::size_t tasks) {
  const std::size_t threads = asked > 0 ? static_cast<std::size_t>(asked)
                                        : std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, tasks));
}

/// work(task, workspace) for tasks 0 to count - 1, each once, by as many threads as there are
/// workspaces. Work must not throw.
template <typename Workspace, typename Work>
void for_each_task(std::size_t count, std::vector<Workspace>& workspaces, const Work& work) {
  std::atomic<std::size_t> next{0};
  auto run = [&](Workspace& space) {
    for (std::size_t task = next++; task < count; task = next++) work(task, space);
  };
  std::vector<std::jthread> pool;
  for (std::size_t i = 1; i < std::min(workspaces.size(), count); ++i) {
    pool.emplace_back([&, i] { run(workspaces[i]); });
  }
  run(workspaces[0]);
}

}  // namespace keepclear
