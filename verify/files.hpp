// SPDX-License-Identifier: BSD-3-Clause
// Files that --against reads, and where package:// leads.
#pragma once
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reader.hpp"

namespace verify {

struct Packages {
  std::map<std::string, std::filesystem::path> named = {};  // package://NAME
  std::vector<std::filesystem::path> folders = {};          // that packages lie in
};

std::string read_file(const std::filesystem::path& path);  // throws CannotTell
/// Where a mesh is, by the rules of docs/install.md. Throws CannotTell.
std::filesystem::path resolve(const std::string& uri, const std::filesystem::path& folder,
                              const Packages& packages);

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}
/// Takes the next word off the text; empty at its end.
inline std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}
/// Takes the next line off the text.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}
/// A finite decimal number, whole, or nothing.
inline std::optional<double> to_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return {};
  return value;
}
inline std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace verify
