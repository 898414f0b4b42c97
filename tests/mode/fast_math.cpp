// SPDX-License-Identifier: BSD-3-Clause
//
// A library as GCC makes it with -ffast-math: it holds crtfastm.o, which switches flush-to-zero on
// in the thread that loads it.
extern "C" double keepclear_test_fast(double a, double b) {
  return a * b;
}
