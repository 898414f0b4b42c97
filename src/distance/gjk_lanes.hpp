// SPDX-License-Identifier: BSD-3-Clause
//
// GJK on many pairs at once, a pair in each lane. One search is a chain of dependent steps that
// leaves most of the machine idle; several side by side fill it. The common path alone runs in
// lanes: whatever is out of the ordinary is handed to gjk() with the vertices found so far.
#pragma once

#include <cstdint>
#include <span>

#include "distance/gjk.hpp"

namespace keepclear {

/// One search: what gjk() takes.
struct GjkTask {
  const Placement* pair = nullptr;
  GjkCache* cache = nullptr;    ///< read at the start, written at the end
  GjkResult* result = nullptr;  ///< written at the end
};

/// As gjk() for each task, and independent of which other tasks are in the call. Caches and results
/// must not be shared between tasks. The last bits may differ from gjk(), the promises do not:
/// `lower` is certified by the same separation check.
void gjk_lanes(std::span<const GjkTask> tasks, const GjkOptions& options) noexcept;

/// cell_of for each direction, as the lanes compute it. For the tests: a certificate depends on
/// both being the same.
void cells_in_lanes(int cells_per_edge, std::span<const Vec3> directions,
                    std::span<std::uint32_t> cells) noexcept;

}  // namespace keepclear
