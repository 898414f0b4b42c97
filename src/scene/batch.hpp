// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace keepclear {

/// A query forgets what it knows after so many poses of a batch: one that is cut there, and asked
/// in parts, has the same answers to the last bit.
inline constexpr std::size_t kBatchChunk = 256;

}  // namespace keepclear
