// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers and attributes of files that another library will read: accepted only in the one form
// that both sides read alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "keepclear/error.hpp"
#include "shape/text.hpp"

namespace keepclear::foreign {

/// Deeper than any exporter nests, far from what overflows assimp's stack.
inline constexpr int kMaxDepth = 64;
inline constexpr std::size_t kMaxInstances = 100'000;

/// How far assimp's float32 may take a transform of one node from what the file says, of which
/// `matrix` applies to the 3x3 part (spectral norm) and `shift` to the translation (metres).
struct TransformError {
  double matrix = 0, shift = 0;
};

[[noreturn]] inline void refuse(const std::string& name, int line, const std::string& what,
                                const std::string& hint = {}) {
  throw Error(Error::Kind::malformed, name, line, what, hint);
}

/// A finite number that assimp's own conversion reads to float32 accuracy: it overflows beyond 19
/// digits before the point and stops 15 digits after it, which an exponent would blow up.
inline double checked_number(std::string_view word, const std::string& name, int line) {
  const auto value = text::parse_number(word);
  if (!value || std::abs(*value) > 1e30) {
    refuse(name, line, text::quoted(word) + " is not a finite number of reasonable size");
  }
  const std::size_t e = word.find_first_of("eE");
  const std::string_view mantissa = word.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t decimals = mantissa.size() - std::min(point + 1, mantissa.size());
  const bool grows = e != std::string_view::npos && word[e + 1] != '-';
  if (point > 18 || (grows && decimals > 15)) {
    refuse(name, line, text::quoted(word) + " has too many digits");
  }
  return *value;
}

/// A count or an index: digits alone, below 1e9.
inline std::size_t checked_count(std::string_view word, const std::string& name, int line) {
  const bool digits =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || word.empty() || word.size() > 9) {
    refuse(name, line, text::quoted(word) + " is no count or index");
  }
  std::size_t value = 0;
  for (const char c : word) value = 10 * value + static_cast<std::size_t>(c - '0');
  return value;
}

/// The value of the first attribute `key` of a tag without its name; empty if there is none.
/// References (`&lt;`) are refused: two spellings of one name would pass for two names.
inline std::string attribute(std::string_view tag, std::string_view key, const std::string& name,
                             int line) {
  while (true) {
    while (!tag.empty() && text::is_blank(tag.front())) tag.remove_prefix(1);
    if (tag.empty()) return {};
    const std::size_t equals = tag.find('=');
    if (equals == std::string_view::npos) refuse(name, line, "an attribute without a value");
    std::string_view label = tag.substr(0, equals);
    label = text::take_word(label);
    tag.remove_prefix(equals + 1);
    while (!tag.empty() && text::is_blank(tag.front())) tag.remove_prefix(1);
    const std::size_t end = tag.empty() ? std::string_view::npos : tag.find(tag.front(), 1);
    if (end == std::string_view::npos || (tag.front() != '"' && tag.front() != '\'')) {
      refuse(name, line, "an attribute without quotes");
    }
    const std::string_view value = tag.substr(1, end - 1);
    tag.remove_prefix(end + 1);
    if (label != key) continue;
    if (value.find('&') != std::string_view::npos) {
      refuse(name, line, "'&' in " + text::quoted(key), "use plain letters");
    }
    return std::string(value);
  }
}

}  // namespace keepclear::foreign
