// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace keepclear {

/// The most bytes that one byte of LZF can stand for: three bytes repeat up to 264.
inline constexpr std::size_t kMaxLzfRatio = 88;

/// Expands Lehmann's LZF, in which PCD files are compressed. True when `packed` is whole and fills
/// `out` exactly; nothing outside of either is touched.
bool expand_lzf(std::string_view packed, std::span<char> out) noexcept;

}  // namespace keepclear
