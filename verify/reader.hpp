// SPDX-License-Identifier: BSD-3-Clause
// docs/certificate.md §1: lines of words, read strictly. A word that is not in the one form that
// the page allows makes a file invalid, as do words too few and too many.
#pragma once
#include <openssl/evp.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "interval.hpp"

namespace verify {

struct Invalid {
  std::size_t line;  // from 1
  std::string record, why;
};
struct CannotTell {
  std::string why;
};

/// More work than any certificate of its size asks for is not done.
struct Work {
  inline static double left = 1e10;
  static void spend(std::size_t units) {
    if ((left -= static_cast<double>(units)) < 0)
      throw CannotTell{"more work than its size explains"};
  }
};

inline std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  if (EVP_Digest(bytes.data(), bytes.size(), digest, nullptr, EVP_sha256(), nullptr) != 1)
    throw CannotTell{"no SHA-256"};
  std::string hex;
  for (int i = 0; i < 64; ++i) hex += "0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
  return hex;
}

/// Bytes from `first` to ~ as they are, others and % as % and two digits: safe to show.
inline std::string coded(std::string_view bytes, char first) {
  std::string text;
  for (const char c : bytes) {
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    text += c < first || c > '~' || c == '%' ? code : std::string(1, c);
  }
  return text;
}

class Reader {
 public:
  explicit Reader(std::string_view text, std::size_t lines_before = 0)
      : text_(text), line_(lines_before) {}

  bool at_end() const { return next_ == text_.size(); }
  /// Does the next line begin so?
  bool at(std::string_view kind) const {
    const std::string_view rest = text_.substr(next_, kind.size() + 1);
    return rest.starts_with(kind) && (rest.ends_with(' ') || rest.ends_with('\n'));
  }
  /// Ends the line taken before and takes the next, which must begin so.
  void take(std::string_view kind) {
    end_line();
    begin_ = word_ = end_ = next_;
    ++line_;
    demand(!at_end(), "the file ends without its last line");
    end_ = std::min(text_.find('\n', next_), text_.size());
    demand(end_ < text_.size(), "the line does not end");
    next_ = end_ + 1;
    if (word() != kind) fail("a line '" + std::string(kind) + "' was expected");
  }
  bool more() const { return word_ < end_; }
  void end_line() const { demand(!more(), "words too many"); }
  std::string_view word() {
    demand(more(), "words too few");
    const std::string_view rest = text_.substr(word_, end_ - word_),
                           w = rest.substr(0, rest.find(' '));
    demand(!w.empty() && w.size() + 1 != rest.size(), "one space between words, none at the end");
    word_ += w.size() + 1;
    return w;
  }
  /// Passes over the next word if it is this one.
  bool skip(std::string_view w) {
    Reader ahead = *this;
    const bool is = more() && ahead.word() == w;
    if (is) word_ = ahead.word_;
    return is;
  }
  std::int64_t whole(std::int64_t most) {
    const std::string_view w = word(), digits = w.substr(w.starts_with('-') ? 1 : 0);
    std::int64_t value = 0;
    demand(!digits.empty() && digits.size() < 19 &&
               digits.find_first_not_of("0123456789") == w.npos && (digits[0] != '0' || w == "0"),
           "not a whole number in its one form");
    std::from_chars(w.data(), w.data() + w.size(), value);
    demand(-most <= value && value <= most, "too large");
    return value;
  }
  std::size_t index(std::size_t count) {
    const std::int64_t value = whole(INT64_MAX);
    demand(value >= 0 && static_cast<std::size_t>(value) < count, "no index of anything");
    return static_cast<std::size_t>(value);
  }
  double number(bool infinite = false) {
    const std::string_view w = word();
    if (infinite && (w == "inf" || w == "-inf")) return w == "inf" ? INFINITY : -INFINITY;
    double value = NAN;  // what it reads as must be printed as it was written; this is exact
    const std::size_t x = w.find('x') + 1;
    std::from_chars(w.data() + x, w.data() + w.size(), value, std::chars_format::hex);
    if (w.starts_with('-')) value = -value;
    char again[40] = "";
    if (std::isfinite(value) && w != "-0x0p+0") std::snprintf(again, sizeof again, "%a", value);
    demand(x > 0 && w == again, "not a number in its one form");
    demand(std::abs(value) <= 0x1p100, "too large: numbers are up to 2^100");
    return value;
  }
  double length() {
    const double value = number();
    demand(value >= 0, "negative");
    return value;
  }
  Vec vector() {
    Vec v;
    for (Interval& x : v.at) x = number();
    return v;
  }
  Vec direction() {
    const Vec v = vector();
    demand(down(dot(v, v)) > 0, "a direction that is zero");
    return v.unit();
  }
  std::string name() {
    const std::string_view w = word();
    std::string value;
    for (std::size_t i = 0; i < w.size() && w != "%"; ++i) {
      unsigned char c = w[i];
      if (c == '%' && i + 2 < w.size()) {
        std::from_chars(&w[i + 1], &w[i + 1] + 2, c, 16);
        i += 2;
      }
      value += static_cast<char>(c);
    }
    demand(w == "%" || w == coded(value, '!'), "not a name in its one form");
    return coded(value, ' ');
  }
  std::string hash() {
    const std::string_view w = word();
    demand(w.size() == 64 && w.find_first_not_of("0123456789abcdef") == w.npos, "not a SHA-256");
    return std::string(w);
  }
  [[noreturn]] void fail(const std::string& why) const {
    std::string record(text_.substr(begin_, std::min<std::size_t>(end_ - begin_, 100)));
    std::replace_if(
        record.begin(), record.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    throw Invalid{line_, record, why};
  }
  void demand(bool holds, const char* why) const {
    if (!holds) fail(why);
  }

 private:
  std::string_view text_;
  std::size_t next_ = 0, begin_ = 0, end_ = 0, word_ = 0, line_;
};

}  // namespace verify
