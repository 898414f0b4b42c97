// SPDX-License-Identifier: BSD-3-Clause
//
// A control byte below 32 is followed by that many bytes and one more, to be taken as they are. Any
// other is a repetition: three bits of length (7: a byte of length follows) and, with the byte
// after it, thirteen bits of how far back it begins. It may overlap what it writes.
#include "shape/lzf.hpp"

#include <algorithm>

namespace keepclear {

bool expand_lzf(std::string_view packed, std::span<char> out) noexcept {
  std::size_t from = 0, to = 0;
  const auto take = [&] {
    return static_cast<std::size_t>(static_cast<unsigned char>(packed[from++]));
  };
  while (from < packed.size()) {
    const std::size_t control = take();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (count > packed.size() - from || count > out.size() - to) return false;
      std::copy_n(packed.begin() + static_cast<std::ptrdiff_t>(from), count,
                  out.begin() + static_cast<std::ptrdiff_t>(to));
      from += count;
      to += count;
      continue;
    }
    std::size_t count = (control >> 5) + 2;
    if (control >> 5 == 7) {
      if (from == packed.size()) return false;
      count += take();
    }
    if (from == packed.size()) return false;
    const std::size_t back = ((control & 31) << 8) + take() + 1;
    if (back > to || count > out.size() - to) return false;
    for (; count > 0; --count, ++to) out[to] = out[to - back];
  }
  return to == out.size();
}

}  // namespace keepclear
