// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "output.hpp"

namespace keepclear::command {

Progress::Progress(bool quiet)
    : on_(!quiet && ::isatty(STDERR_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 0),
      last_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  clear();
}

void Progress::update(std::size_t poses, double fraction) noexcept {
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int kWidth = 40;
  char line[128];
  if (fraction < 0) {
    std::snprintf(line, sizeof line, "\r\x1b[K%zu poses", poses);
  } else {
    const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kWidth);
    char bar[kWidth + 1];
    for (int i = 0; i < kWidth; ++i) bar[i] = i < full ? '#' : '.';
    bar[kWidth] = '\0';
    std::snprintf(line, sizeof line, "\r\x1b[K[%s] %3.0f %%  %zu poses", bar,
                  100 * std::clamp(fraction, 0.0, 1.0), poses);
  }
  message(line);
  drawn_ = true;
}

void Progress::clear() noexcept {
  if (drawn_) message("\r\x1b[K");
  drawn_ = false;
}

}  // namespace keepclear::command
