// SPDX-License-Identifier: BSD-3-Clause
//
// Independent work over several threads, each with a workspace of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "rounding/mode.hpp"
#include "scene/threads.hpp"

namespace keepclear {

/// work(task, workspace) for tasks 0 to count - 1, each once, by as many threads as there are
/// workspaces. What work throws (memory that is not there, a report that fails) is thrown here once
/// all threads have ended, of several errors the first to happen; tasks not begun by then are left.
template <typename Workspace, typename Work>
void for_each_task(std::size_t count, std::vector<Workspace>& workspaces, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex failing;
  auto run = [&](Workspace& space) {
    for (std::size_t task = next++; task < count; task = next++) {
      try {
        rounding::require_mode();
        work(task, space);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (!error) error = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < std::min(workspaces.size(), count); ++i) {
      pool.emplace_back([&, i] { run(workspaces[i]); });
    }
    run(workspaces[0]);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace keepclear
