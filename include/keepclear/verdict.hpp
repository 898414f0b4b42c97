// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace keepclear {

/// The three answers. There is no fourth, and *undecided* is never folded into one of the others.
enum class Verdict {
  undecided,  ///< neither could be proved: touching to within rounding, or an input that is no pose
  free,       ///< proved: in real arithmetic every checked pair is farther apart than the margin
  contact,    ///< proved: the named pair overlaps; where a margin is asked for, is nearer than it
};

/// "free", "contact" or "undecided".
constexpr const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::free:
      return "free";
    case Verdict::contact:
      return "contact";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

}  // namespace keepclear
