// SPDX-License-Identifier: BSD-3-Clause
//
// Tries to refute a claim about a box: poses at random and in the corners, then downhill by one
// number after the other. Knows nothing of how the claim was proved.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "keepclear/box.hpp"

namespace keepclear::test {

struct Refutation {
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> q;
};

/// The least value of `distance(q)` that is found in a box; of `numbers` alone, the others stay as
/// they are in `q`.
template <typename Distance>
Refutation least_in_box(std::span<const Interval> box, std::vector<double> q,
                        std::span<const int> numbers, int samples, std::mt19937_64& random,
                        const Distance& distance) {
  Refutation found;
  auto look = [&](const std::vector<double>& at) {
    const double d = distance(at);
    if (!(d < found.least)) return false;
    found.least = d;
    found.q = at;
    return true;
  };
  double widest = 0;
  for (const int v : numbers) widest = std::max(widest, box[v].upper - box[v].lower);
  for (int s = 0; s < samples; ++s) {
    for (const int v : numbers) {
      const double at = static_cast<double>(random() >> 11) * 0x1p-53;
      const double share = s % 2 == 0 ? at : at < 0.5 ? 0.0 : 1.0;
      q[v] = std::clamp(box[v].lower + share * (box[v].upper - box[v].lower), box[v].lower,
                        box[v].upper);
    }
    look(q);
  }
  for (double step = widest / 4; step > widest / 300; step /= 2) {
    for (bool better = true; better;) {
      better = false;
      for (const int v : numbers) {
        for (const double sign : {-1.0, 1.0}) {
          std::vector<double> next = found.q;
          next[v] = std::clamp(next[v] + sign * step, box[v].lower, box[v].upper);
          better = look(next) || better;
        }
      }
    }
  }
  return found;
}

}  // namespace keepclear::test
