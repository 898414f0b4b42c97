// SPDX-License-Identifier: BSD-3-Clause
//
// Standard output that knows when it failed, and how numbers and names are written on it.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace keepclear::command {

/// Buffered standard output, or another that was opened. Every write that fails (full disk, closed
/// pipe) throws Error (write), and so does every one after it: behind what may be torn comes no
/// more. The owner calls flush() before it reports success.
class Output {
 public:
  Output() = default;
  /// `name` is for errors. The descriptor stays the caller's.
  Output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    require_whole();
    fmt::format_to(fmt::appender(buffer_), format, std::forward<T>(values)...);
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void write(std::string_view text);
  void flush();

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{64} << 10;
  /// Throws unless every write so far arrived.
  void require_whole() const;

  int descriptor_ = 1;
  int failure_ = 0;  ///< errno
  std::string name_ = "standard output";
  fmt::memory_buffer buffer_;
};

/// What an errno says.
inline std::string reason_of(int code) {
  return std::generic_category().message(code);
}

/// One line on stderr. Nothing can be done when that fails.
void message(std::string_view text) noexcept;

/// A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
/// The shortest decimal that reads back as the same double; null when it is not finite.
std::string json_number(double value);

/// A name from a stranger's file, fit for a terminal: control characters become '?'.
std::string printable(std::string_view text);

/// Metres to six decimals, never above (below) the value: a bound stays a bound in print.
std::string metres_lo(double value);
std::string metres_hi(double value);

/// Items set as a paragraph of at most 100 columns, separated by commas, indented by `indent`.
std::string paragraph(std::span<const std::string> items, std::size_t indent);

/// Columns as wide as their widest entry. Of `alignment`, '>' puts one on the right, as numbers
/// stand, and '<' on the left.
class Columns {
 public:
  explicit Columns(std::string alignment) : alignment_(std::move(alignment)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print(Output& out) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// "1 pose", "2 poses".
std::string counted(std::size_t count, std::string_view singular, std::string_view plural = {});

}  // namespace keepclear::command
