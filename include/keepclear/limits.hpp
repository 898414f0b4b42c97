// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace keepclear {

/// The most hulls that a mesh is cut into (LoadOptions::parts), and the most bodies that a link is
/// fitted with (FitOptions::parts). More is refused.
inline constexpr int kMaxParts = 256;

}  // namespace keepclear
