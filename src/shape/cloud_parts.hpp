// SPDX-License-Identifier: BSD-3-Clause
//
// What the readers of point clouds have in common: lines, numbers, and the one place where a point
// is taken, left out or refused.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/point_cloud.hpp"
#include "shape/text.hpp"

namespace keepclear::cloud {

PointCloud parse_ply(std::string_view bytes, const std::string& name);
PointCloud parse_pcd(std::string_view bytes, const std::string& name);
PointCloud parse_xyz(std::string_view bytes, const std::string& name);
PointCloud parse_csv(std::string_view bytes, const std::string& name);

[[noreturn]] inline void refuse(const std::string& name, int line, const std::string& what,
                                const std::string& hint = {}) {
  throw Error(Error::Kind::malformed, name, line, what, hint);
}

/// Lines that end in LF or CRLF.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// False at the end.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (number_ < std::numeric_limits<int>::max()) ++number_;
    return true;
  }
  /// The next line that is not blank.
  bool next_filled(std::string_view& line) {
    while (next(line)) {
      if (!std::all_of(line.begin(), line.end(), text::is_blank)) return true;
    }
    return false;
  }
  /// Of the last line.
  int number() const { return number_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// A byte order mark says nothing about the points.
inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

/// As text::parse_number, but nan and inf in any case are numbers too.
inline std::optional<double> parse_any_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Digits alone.
inline std::optional<std::uint64_t> parse_count(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Takes the points of a file in their order.
class Builder {
 public:
  explicit Builder(const std::string& name) : name_(name) {}

  /// Refuses a count that a header announces and that is beyond what is allowed.
  void announce(std::uint64_t count, int line) const {
    if (count > kMaxCloudPoints) too_many(std::to_string(count), line);
  }
  /// Only what the file has room for.
  void reserve(std::size_t count) { cloud_.points.reserve(count); }

  /// `line` is 0 in binary files.
  void add(Vec3 p, int line) {
    if (++seen_ > kMaxCloudPoints) too_many("more", line);
    for (int i = 0; i < 3; ++i) {
      if (std::isinf(p[i])) {
        refuse(name_, line, "point " + std::to_string(seen_) + ": " + "xyz"[i] + " is infinite",
               "leave the point out, or write nan where the sensor saw nothing");
      }
    }
    if (!is_finite(p)) {
      ++cloud_.invalid;
      return;
    }
    if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > kMaxCloudCoordinate) {
      refuse(name_, line, "point " + std::to_string(seen_) + " is more than 1e6 m from the origin",
             "are the units metres?");
    }
    cloud_.points.push_back(p);
  }

  /// `decimal` for text, whose numbers were rounded to doubles.
  PointCloud finish(bool decimal) {
    if (cloud_.points.empty()) {
      refuse(name_, 0,
             cloud_.invalid == 0
                 ? "no points"
                 : "no valid point, all " + std::to_string(cloud_.invalid) + " have a nan",
             "an empty cloud is no obstacle: leave the object out");
    }
    if (decimal) {
      double far_hi = 0;
      for (const Vec3& p : cloud_.points) far_hi = std::max(far_hi, rounding::norm_hi(p));
      cloud_.point_error = rounding::up(rounding::kU * far_hi) + 2 * rounding::kEta;
    }
    return std::move(cloud_);
  }

 private:
  [[noreturn]] void too_many(const std::string& count, int line) const {
    refuse(name_, line, count + " points, the most allowed are " + std::to_string(kMaxCloudPoints),
           "thin the cloud out, by a voxel grid for example");
  }

  const std::string& name_;
  PointCloud cloud_;
  std::size_t seen_ = 0;
};

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

constexpr std::size_t size_of(Scalar type) {
  switch (type) {
    case Scalar::int8:
    case Scalar::uint8:
      return 1;
    case Scalar::int16:
    case Scalar::uint16:
      return 2;
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::float32:
      return 4;
    case Scalar::float64:
      return 8;
  }
  return 0;
}

constexpr bool is_integer(Scalar type) {
  return type != Scalar::float32 && type != Scalar::float64;
}

/// The bytes at the front as an unsigned number, whatever the machine. At most eight.
inline std::uint64_t load(std::string_view bytes, std::size_t size, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[big_endian ? i : size - 1 - i]);
    value = value << 8 | byte;
  }
  return value;
}

/// The number at the front of `bytes`, exactly.
inline double load_scalar(std::string_view bytes, Scalar type, bool big_endian) {
  const std::uint64_t bits = load(bytes, size_of(type), big_endian);
  switch (type) {
    case Scalar::int8:
      return static_cast<std::int8_t>(bits);
    case Scalar::int16:
      return static_cast<std::int16_t>(bits);
    case Scalar::int32:
      return static_cast<std::int32_t>(bits);
    case Scalar::float32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Scalar::float64:
      return std::bit_cast<double>(bits);
    default:
      return static_cast<double>(bits);
  }
}

}  // namespace keepclear::cloud
