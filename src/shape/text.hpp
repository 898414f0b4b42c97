// SPDX-License-Identifier: BSD-3-Clause
//
// Words and numbers of text formats, the same in every locale.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace keepclear::text {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

/// The nearest double of a whole decimal number; nothing for anything else, such as `1.0abc`,
/// `1,5`, `nan`, `inf`, `0x10` or `1e999`.
inline std::optional<double> parse_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// A word from a stranger's file as it may stand in an error: not too long.
inline std::string quoted(std::string_view word) {
  constexpr std::size_t kMost = 40;
  if (word.size() <= kMost) return "'" + std::string(word) + "'";
  return "'" + std::string(word.substr(0, kMost)) + "...'";
}

/// The next word of `rest`, which loses it; empty at the end.
inline std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

}  // namespace keepclear::text
