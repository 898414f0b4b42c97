// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

namespace keepclear {

/// The number of threads that an option asks for, where 0 means one for each core; no more than
/// there are tasks, and at least one.
inline std::size_t thread_count(int asked, std::size_t tasks) {
  const std::size_t threads = asked > 0 ? static_cast<std::size_t>(asked)
                                        : std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, tasks));
}

}  // namespace keepclear
