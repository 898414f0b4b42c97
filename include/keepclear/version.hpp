// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace keepclear {

/// Semantic version of this library. CMake reads the project's version from this line.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace keepclear
