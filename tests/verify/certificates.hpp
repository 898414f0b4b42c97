// SPDX-License-Identifier: BSD-3-Clause
// Certificates written by hand. Numbers stand in braces, in decimal: {0.5 1}.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "certificate.hpp"

namespace verify {

inline std::string hex(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", x);
  return text;
}

inline std::string with_hex(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') {
      out += text[i];
      continue;
    }
    const std::size_t end = std::min(text.find('}', i), text.size());
    std::istringstream words(text.substr(i + 1, end - i - 1));
    std::string word;
    for (bool first = true; words >> word; first = false)
      out += (first ? "" : " ") + hex(std::stod(word));
    i = end;
  }
  return out;
}

inline std::string seal(const std::string& text) {
  return text + "end " + sha256(text) + "\n";
}

inline std::string head(const std::string& kind) {
  return "keepclear-certificate 1\nclaim " + kind +
         "\nprogram keepclear 1.0\nworld test\ninventory " + std::string(64, '0') + "\n";
}

struct Verdict {
  int code = 0;
  std::size_t line = 0;
  std::string why;
};

/// Of bytes as they are.
inline Verdict verdict_of(const std::string& bytes) {
  round_upwards();
  try {
    Certificate c;
    c.check(bytes);
    return {};
  } catch (const Invalid& e) {
    return {1, e.line, e.why + ": " + e.record};
  } catch (const CannotTell& e) {
    return {2, 0, e.why};
  }
}

/// Of a text with numbers in braces, sealed.
inline Verdict verdict(const std::string& kind, const std::string& text) {
  round_nearest();
  return verdict_of(seal(head(kind) + with_hex(text)));
}

/// Expects that it is valid.
inline void expect_valid(const std::string& kind, const std::string& text) {
  const Verdict v = verdict(kind, text);
  EXPECT_EQ(v.code, 0) << v.line << ": " << v.why << "\n" << text;
}

/// Expects that it is invalid because of the line that begins so (numbers in braces), and why.
inline void expect_invalid(const std::string& kind, const std::string& text,
                           const std::string& begin, const std::string& why) {
  const Verdict v = verdict(kind, text);
  EXPECT_EQ(v.code, 1) << v.why << "\n" << text;
  std::istringstream lines(seal(head(kind) + with_hex(text)));
  std::string line;
  for (std::size_t i = 0; i < v.line; ++i) std::getline(lines, line);
  EXPECT_TRUE(line.starts_with(with_hex(begin))) << "line " << v.line << ": " << v.why;
  EXPECT_NE(v.why.find(why), std::string::npos) << v.why;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace verify
