// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32C (Castagnoli, reflected, as in RFC 3720): every burst of up to 32 wrong bits is seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace keepclear {

namespace detail {

constexpr std::array<std::uint32_t, 256> crc32c_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82f63b78U : 0U);
    table[byte] = rest;
  }
  return table;
}

inline constexpr auto kCrc32c = crc32c_table();

}  // namespace detail

/// `before`: the checksum of what comes first, to go on from.
inline std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept {
  std::uint32_t crc = ~before;
  for (const std::byte byte : bytes) {
    crc = detail::kCrc32c[(crc ^ static_cast<std::uint32_t>(byte)) & 0xffU] ^ (crc >> 8);
  }
  return ~crc;
}

}  // namespace keepclear
