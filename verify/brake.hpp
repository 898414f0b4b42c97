// SPDX-License-Identifier: BSD-3-Clause
// docs/theory/braking.md §2: the box of one number while it brakes. Everything here is an upper
// end; the lower one is that of the number with its sign changed.
#pragma once
#include "world.hpp"

namespace verify {

struct Range {
  double lo, hi;
};
struct Brake {
  double a, b, most, ep, ev, ea;
  bool stops;
};

/// The way of a speed s that loses r a second until it stands, for t seconds: from above. s²/(2r)
/// is never less than the way.
inline double way_up(double s, double r, double t) {
  if (s <= 0 || t <= 0) return 0;
  if (t < INFINITY && up(Interval(r) * t) <= s)
    return up(Interval(t) * (Interval(s) - Interval(r) * t / 2.0));
  return up(Interval(s) / r * s / 2.0);
}

/// From below. t (s - r t / 2) is never more than the way.
inline double way_down(double s, double r, double t) {
  if (s <= 0 || t <= 0 || r == INFINITY) return 0;
  if (down(Interval(r) * t) >= s) return down(Interval(s) / r * s / 2.0);
  return larger(0.0, down(Interval(t) * (Interval(s) - Interval(r) * t / 2.0)));
}

/// The upper end over [t0, t1]. From q with velocity v at most, acceleration a at most for L
/// seconds (docs/theory: q₀, v₀, a₊), then braking by b to most.
inline double upper_end(double q, double v, double a, const Brake& k, double latency, double t0,
                        double t1) {
  const double before = smaller(t1, latency), after = t1 > latency ? t1 - latency : 0.0;
  if (v >= 0) {  // ∫V
    const double r = larger(a, -k.b);
    const double way = r >= 0 ? up(Interval(v) * before + Interval(r) * before * before / 2.0)
                              : way_up(v, -r, before);
    return q + way + way_up(up(Interval(v) + Interval(r) * latency), k.b, after);
  }
  // P(t0): it falls as little as possible and never turns round.
  const double m = larger(a, k.most), early = smaller(t0, latency);
  double way = 0;
  if (m < INFINITY) {
    way = way_down(-v, m, early);
    if (t0 > latency)
      way = down(Interval(way) + way_down(down(-Interval(v) - Interval(m) * latency), k.most,
                                          down(Interval(t0) - latency)));
  }
  const double p = q - way, turned = up(Interval(v) + Interval(a) * latency);
  if (turned <= 0) return p;
  // F(t1): it follows a as long as it may.
  const double f = up(Interval(q) + Interval(v) * before + Interval(a) * before * before / 2.0);
  return larger(p, f + way_up(turned, k.b, after));
}

/// Where a number can be between t0 and t1 after the measurement.
inline Range braking_box(const Number& limits, const Brake& k, double latency, double q, double v,
                         const double* command, double t0, double t1) {
  const double a = command ? *command + k.ea : k.a, minus_a = command ? k.ea - *command : k.a;
  // Upper ends: of the number (sign 1) and of its negative (sign -1).
  auto end = [&](int sign, double from, double speed, double s0, double s1) {
    return upper_end(from, speed, sign > 0 ? a : minus_a, k, latency, s0, s1);
  };
  const double hi = end(1, q + k.ep, v + k.ev, t0, t1), lo = -end(-1, k.ep - q, k.ev - v, t0, t1);
  if (!k.stops) return {lo, hi};
  const double most = end(1, q + k.ep, v + k.ev, 0, INFINITY),
               least = -end(-1, k.ep - q, k.ev - v, 0, INFINITY);
  if (most <= limits.upper && least >= limits.lower) return {lo, hi};
  // Stops: the whole motion, and those that start at rest from a limit that it passes.
  Range all = {least, most};
  if (most > limits.upper) all.lo = smaller(all.lo, -end(-1, -limits.upper, 0, 0, INFINITY));
  if (least < limits.lower) all.hi = larger(all.hi, end(1, limits.lower, 0, 0, INFINITY));
  // One that was measured beyond a limit may be that far out, and what it was measured to.
  return {larger(all.lo, q < limits.lower ? -(k.ep - q) : limits.lower),
          smaller(all.hi, q > limits.upper ? q + k.ep : limits.upper)};
}

}  // namespace verify
