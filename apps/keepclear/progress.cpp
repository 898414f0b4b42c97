// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "output.hpp"

namespace keepclear::command {

Progress::Progress(bool quiet, bool rows)
    : on_(!quiet && ::isatty(STDERR_FILENO) == 1 && (!rows || ::isatty(STDOUT_FILENO) == 0)),
      last_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  clear();
}

bool Progress::due() noexcept {
  if (!on_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return false;
  last_ = now;
  return true;
}

void Progress::draw(double fraction, const char* behind) noexcept {
  constexpr int kWidth = 40;
  const double share = std::clamp(fraction, 0.0, 1.0);
  const int full = static_cast<int>(share * kWidth);
  char bar[kWidth + 1];
  for (int i = 0; i < kWidth; ++i) bar[i] = i < full ? '#' : '.';
  bar[kWidth] = '\0';
  char line[128];
  std::snprintf(line, sizeof line, "\r\x1b[K[%s] %3.0f %%%s", bar, 100 * share, behind);
  message(line);
  drawn_ = true;
}

void Progress::update(std::size_t poses, double fraction) noexcept {
  if (!due()) return;
  char text[48];
  if (fraction < 0) {
    std::snprintf(text, sizeof text, "\r\x1b[K%zu poses", poses);
    message(text);
    drawn_ = true;
  } else {
    std::snprintf(text, sizeof text, "  %zu poses", poses);
    draw(fraction, text);
  }
}

void Progress::update(double fraction) noexcept {
  if (due()) draw(fraction, "");
}

void Progress::clear() noexcept {
  if (drawn_) message("\r\x1b[K");
  drawn_ = false;
}

}  // namespace keepclear::command
