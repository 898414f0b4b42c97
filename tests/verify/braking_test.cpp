// SPDX-License-Identifier: BSD-3-Clause
// Boxes of braking motions against motions of docs/theory/braking.md §1, drawn at random.
#include <gtest/gtest.h>

#include <random>

#include "brake.hpp"

namespace verify {
namespace {

/// Where a motion is after t seconds: constant accelerations up to tau, then braking at a constant
/// rate.
double after(double q, double v, const std::vector<double>& a, double tau, double rate, double t) {
  const double step = tau / static_cast<double>(a.size());
  for (const double x : a) {
    const double dt = std::min(step, t);
    q += v * dt + x * dt * dt / 2, v += x * dt, t -= dt;
  }
  if (t <= 0) return q;
  if (std::isinf(rate)) return q;
  const double stands = std::abs(v) / rate, dt = std::min(t, stands);
  return q + v * dt - (v > 0 ? 1 : -1) * rate * dt * dt / 2;
}

TEST(BrakingBox, HoldsRandomMotionsAndIsReached) {
  std::mt19937_64 random(6);
  auto uniform = [&](double lo, double hi) {
    return std::uniform_real_distribution<>(lo, hi)(random);
  };
  double nearest = INFINITY;
  for (int i = 0; i < 20000; ++i) {
    round_nearest();
    Brake k{uniform(0, 3),   uniform(0.5, 5), 0,    uniform(0, 0.01),
            uniform(0, 0.1), uniform(0, 1),   false};
    k.most = i % 3 == 0 ? INFINITY : k.b + uniform(0, 5);
    const double latency = i % 5 == 0 ? 0 : uniform(0, 0.5), q = uniform(-2, 2), v = uniform(-2, 2),
                 command = uniform(-3, 3);
    const bool commanded = i % 2;
    const double t0 = i % 4 == 0 ? 0 : uniform(0, 0.7),
                 t1 = i % 7 == 0 ? INFINITY : t0 + uniform(0, 0.7);
    round_upwards();
    const Range box =
        braking_box({"", -9, 9}, k, latency, q, v, commanded ? &command : nullptr, t0, t1);
    round_nearest();
    for (int j = 0; j < 40; ++j) {
      const bool corner = j % 2;
      auto pick = [&](double lo, double hi) {
        return corner ? (random() % 2 ? lo : hi) : uniform(lo, hi);
      };
      std::vector<double> a(1 + random() % 3);
      for (double& x : a) x = commanded ? pick(command - k.ea, command + k.ea) : pick(-k.a, k.a);
      const double rate = std::isinf(k.most) ? (random() % 2 ? INFINITY : k.b) : pick(k.b, k.most);
      const double last = std::min(t1, t0 + 2);
      const double x = after(q + pick(-k.ep, k.ep), v + pick(-k.ev, k.ev), a, pick(0, latency),
                             rate, pick(t0, last));
      ASSERT_GE(x, box.lo - 1e-12) << i;
      ASSERT_LE(x, box.hi + 1e-12) << i;
      nearest = std::min({nearest, x - box.lo, box.hi - x});
    }
  }
  EXPECT_LT(nearest, 1e-12);
}

TEST(BrakingBox, StopsCutIt) {
  round_upwards();
  Brake k{2, 4, 8, 0, 0, 0, true};
  // From 0 at 1 m/s it would go 0.29 m: it stops at 0.1, and falls back from there by 0.01 + 0.2²
  // / 8.
  const Range box = braking_box({"", -1, 0.1}, k, 0.1, 0, 1, nullptr, 0, 0.01);
  EXPECT_EQ(box.hi, 0.1);
  EXPECT_NEAR(box.lo, 0, 1e-12);
  const Range near = braking_box({"", -1, 0.1}, k, 0.1, 0.09, 1, nullptr, 0, 0.01);
  EXPECT_EQ(near.hi, 0.1);
  EXPECT_NEAR(near.lo, 0.1 - 0.01 - 0.005, 1e-12);
  // Measured beyond the limit, it stays there at most.
  EXPECT_EQ(braking_box({"", -1, 0.1}, k, 0.1, 0.11, 1, nullptr, 0, 0.01).hi, 0.11);
  // Where no limit is passed, slices are as without stops.
  Brake free = k;
  free.stops = false;
  EXPECT_EQ(braking_box({"", -1, 1}, k, 0.1, 0, 1, nullptr, 0, 0.01).hi,
            braking_box({"", -1, 1}, free, 0.1, 0, 1, nullptr, 0, 0.01).hi);
}

}  // namespace
}  // namespace verify
