// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "keepclear/error.hpp"

namespace keepclear::command {

namespace {

/// Nothing is promised about more than this: beyond, the rounding below would not be exact.
constexpr double kMicrometresExact = 1e15;

std::string metres(double value, double micrometres) {
  if (std::isnan(value)) return "-";
  if (!(std::abs(micrometres) < kMicrometresExact)) return fmt::format("{}", value);
  // An integer below 2^53 over 1e6 prints as that decimal; adding zero turns -0 into 0.
  return fmt::format("{:.6f}", micrometres / 1e6 + 0.0);
}

}  // namespace

void Output::require_whole() const {
  if (failure_ == 0) return;
  throw Error(Error::Kind::write, name_, 0, "cannot write: " + reason_of(failure_),
              "the result is incomplete");
}

void Output::write(std::string_view text) {
  require_whole();
  buffer_.append(text);
  if (buffer_.size() >= kFlushBytes) flush();
}

void Output::flush() {
  require_whole();
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      failure_ = errno;
      buffer_.clear();
      require_whole();
    }
  }
  buffer_.clear();
}

void message(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

// fma gives what the product lost, so that a whole number of micrometres is told from one nearby.
std::string metres_lo(double value) {
  const double scaled = value * 1e6;
  const double whole = std::floor(scaled);
  const bool above = scaled == whole && std::fma(value, 1e6, -scaled) < 0;
  return metres(value, above ? whole - 1 : whole);
}

std::string metres_hi(double value) {
  const double scaled = value * 1e6;
  const double whole = std::ceil(scaled);
  const bool below = scaled == whole && std::fma(value, 1e6, -scaled) > 0;
  return metres(value, below ? whole + 1 : whole);
}

std::string paragraph(std::span<const std::string> items, std::size_t indent) {
  constexpr std::size_t kColumns = 100;
  const std::string margin(indent, ' ');
  std::string text, line;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (!line.empty() && indent + line.size() + 1 + item.size() > kColumns) {
      text += margin + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item;
  }
  if (!line.empty()) text += margin + line + '\n';
  return text;
}

void Columns::print(Output& out) const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += "  " + (alignment_[i] == '>' ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out.print("{}\n", line);
  }
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  if (plural.empty()) return fmt::format("{} {}s", count, singular);
  return fmt::format("{} {}", count, plural);
}

}  // namespace keepclear::command
