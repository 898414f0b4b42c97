// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace keepclear {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace keepclear
