// SPDX-License-Identifier: BSD-3-Clause
//
// Proves that two links overlap in every configuration of a box: where two bodies are deep in each
// other in the middle of a part, they are still so where neither has moved by more than that depth.
#pragma once

#include "certify/search.hpp"

namespace keepclear {

/// True only if some bodies of the two overlap in every configuration of the box. Divides it into
/// no more parts than `budget`. False of joints that are neither hinges nor slides.
bool always_overlap(const WorldData& data, int solid_a, int solid_b, std::span<const Interval> box,
                    std::size_t budget, SearchWorkspace& space);

}  // namespace keepclear
