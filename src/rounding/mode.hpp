// SPDX-License-Identifier: BSD-3-Clause
//
// The mode of the floating-point unit that every error bound of rounding.hpp assumes: round to
// nearest, subnormal numbers kept, no traps, the x87 unit with its full 64 bits (long double).
// Libraries linked with -ffast-math by GCC or clang switch flush-to-zero on in the thread that
// loads them, in a Python process too. The mode belongs to a thread; on Linux a new thread starts
// with the mode of the thread that made it.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>

#include "keepclear/error.hpp"

namespace keepclear::rounding {

/// What is wrong with the mode of this thread, as bits; 0: nothing, proofs hold.
enum ModeFault : unsigned {
  kFlushesToZero = 1,    ///< results or arguments that are subnormal count as zero
  kRoundsElsewhere = 2,  ///< not to nearest
  kTraps = 4,            ///< an exception of arithmetic would end the program
  kShortLongDouble = 8,  ///< the x87 unit rounds to fewer than 64 bits
};

#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
/// The control words of this thread: MXCSR with FTZ 15, rounding 14:13, masks 12:7, DAZ 6; x87 with
/// rounding 11:10, precision 9:8, masks 5:0 (Intel SDM 1, 10.2.3 and 8.1.5).
struct ControlWords {
  std::uint32_t sse = 0;
  std::uint16_t x87 = 0;
};
inline ControlWords control_words() noexcept {
  ControlWords words;
  __asm__ volatile("stmxcsr %0" : "=m"(words.sse));
  __asm__ volatile("fnstcw %0" : "=m"(words.x87));
  return words;
}
#elif defined(__aarch64__)
/// FPCR: FZ 24, FIZ 0 (arguments), rounding 23:22, traps 15 and 12:8 (ARM ARM, C5.2.8).
inline std::uint64_t control_word() noexcept {
  std::uint64_t word = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
#endif

/// The faults of this thread's mode.
inline unsigned mode_faults() noexcept {
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
  const auto [sse, x87] = control_words();
  unsigned faults = (sse & 0x8040) != 0 ? kFlushesToZero : 0u;
  faults |= ((sse & 0x6000) | (x87 & 0x0c00u)) != 0 ? kRoundsElsewhere : 0u;
  faults |= (sse & 0x1f80) != 0x1f80 || (x87 & 0x3f) != 0x3f ? kTraps : 0u;
  faults |= (x87 & 0x0300) != 0x0300 ? kShortLongDouble : 0u;
  return faults;
#elif defined(__aarch64__)
  const std::uint64_t word = control_word();
  unsigned faults = (word & 0x1000001) != 0 ? kFlushesToZero : 0u;
  faults |= (word & 0xc00000) != 0 ? kRoundsElsewhere : 0u;
  faults |= (word & 0x9f00) != 0 ? kTraps : 0u;
  return faults;
#else
  // Volatile: computed here and now.
  volatile double least = 0x1p-1022;
  volatile double half = 0.5 * least;
  volatile double again = 2 * half;
  unsigned faults = again != least ? kFlushesToZero : 0u;
  faults |= std::fegetround() != FE_TONEAREST ? kRoundsElsewhere : 0u;
  return faults;
#endif
}

/// Whether proofs hold in this thread: mode_faults() == 0, in a few instructions without
/// arithmetic. Queries that are noexcept ask it first, and answer *undecided* where they do not.
inline bool mode_is_right() noexcept {
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
  const auto [sse, x87] = control_words();
  return (sse & 0xffc0) == 0x1f80 && (x87 & 0x0f3f) == 0x033f;
#elif defined(__aarch64__)
  return (control_word() & 0x1c09f01) == 0;
#else
  return mode_faults() == 0;
#endif
}

/// The faults in words.
inline std::string describe_mode(unsigned faults) {
  std::string text;
  const auto add = [&](unsigned fault, const char* words) {
    if ((faults & fault) != 0) text += (text.empty() ? "" : ", ") + std::string(words);
  };
  add(kFlushesToZero, "flushes small numbers to zero");
  add(kRoundsElsewhere, "does not round to nearest");
  add(kTraps, "traps exceptions");
  add(kShortLongDouble, "computes long double with fewer than 64 bits");
  return text;
}

/// Throws Error (usage) where proofs do not hold in this thread. Everything that may throw asks it
/// first; what calls foreign code (a progress report, a curve of the caller) asks it again after.
inline void require_mode() {
  if (mode_is_right()) return;
  const unsigned faults = mode_faults();
  throw Error(Error::Kind::usage, "", 0,
              "the floating-point unit of this thread " + describe_mode(faults) +
                  ", so nothing can be proved",
              (faults & kFlushesToZero) != 0
                  ? "a library linked with -ffast-math switches this on when it is loaded: link it "
                    "without, or call std::fesetenv(FE_DFL_ENV) in this thread after loading it"
                  : "call std::fesetenv(FE_DFL_ENV) in this thread first");
}

}  // namespace keepclear::rounding
