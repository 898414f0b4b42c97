// SPDX-License-Identifier: BSD-3-Clause
//
// Every field of every struct of options, with numbers that nobody means: NaN, infinite, negative,
// denormal, huge. The lists of fields are structured bindings: a field that is added does not
// compile until it is listed here.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

#include "keepclear/keepclear.hpp"

namespace keepclear::test {

inline constexpr std::array<double, 18> kOddNumbers{std::numeric_limits<double>::quiet_NaN(),
                                                    std::numeric_limits<double>::infinity(),
                                                    -std::numeric_limits<double>::infinity(),
                                                    -1,
                                                    -0.0,
                                                    0,
                                                    5e-324,
                                                    -5e-324,
                                                    1e-310,
                                                    1e-200,
                                                    1e-30,
                                                    -1e-9,
                                                    1e9,
                                                    1e30,
                                                    1e31,
                                                    1e200,
                                                    1.7e308,
                                                    -1.7e308};

/// Gives one field after another, in turn or at random, an odd value.
class Poker {
 public:
  /// Field `which` gets odd value `value`; what a struct does not have is left alone.
  Poker(std::size_t which, std::size_t value) : which_(which), value_(value) {}

  void operator()(const char* name, double& x) {
    take(name, x, kOddNumbers[value_ % kOddNumbers.size()]);
  }
  void operator()(const char* name, bool& x) { take(name, x, value_ % 2 == 0); }
  template <class T>
  requires std::is_enum_v<T>
  void operator()(const char* name, T& x) {
    const int odd[] = {-1, 0, 1, 2, 3, 4, 5, 77, 255};
    take(name, x, static_cast<T>(odd[value_ % std::size(odd)]));
  }
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) void operator()(const char* name,
                                                                              T& x) {
    using Limits = std::numeric_limits<T>;
    const T odd[] = {T(0), T(1), Limits::max(), Limits::min(), static_cast<T>(-1), T(3)};
    take(name, x, odd[value_ % std::size(odd)]);
  }

  std::size_t fields() const { return count_; }
  /// What was done, for messages.
  const std::string& done() const { return done_; }

 private:
  template <class T>
  void take(const char* name, T& x, T odd) {
    if (count_++ != which_) return;
    x = odd;
    if constexpr (std::is_enum_v<T>) {
      done_ = std::string(name) + " = " + std::to_string(static_cast<long long>(odd));
    } else {
      char text[40];
      std::snprintf(text, sizeof text, "%.3g", static_cast<double>(odd));
      done_ = std::string(name) + " = " + text;
    }
  }

  std::size_t which_, value_, count_ = 0;
  std::string done_;
};

inline void each_field(CertifyOptions& o, Poker& poke) {
  if (o.base.empty()) o.base.push_back({-1, 0, 0});
  auto& [method, ask, margin, tolerance, accuracy, relative, budget, base, deviation, keep] = o;
  poke("method", method), poke("ask", ask), poke("margin", margin), poke("tolerance", tolerance);
  poke("accuracy", accuracy), poke("relative_accuracy", relative), poke("budget", budget);
  poke("deviation", deviation), poke("keep_proof", keep);
  auto& [robot, position, rotation] = base[0];
  poke("base.robot", robot), poke("base.position", position), poke("base.rotation", rotation);
}
inline void each_field(BoxOptions& o, Poker& poke) {
  auto& [margin, tolerance, relative, budget, threads, progress] = o;
  (void)progress;
  poke("margin", margin), poke("tolerance", tolerance), poke("relative_tolerance", relative);
  poke("budget", budget), poke("threads", threads);
}
inline void each_field(DistanceOptions& o, Poker& poke) {
  auto& [tolerance, is_signed] = o;
  poke("tolerance", tolerance), poke("signed_distance", is_signed);
}
inline void each_field(BodyDistanceOptions& o, Poker& poke) {
  auto& [tolerance, is_signed] = o;
  poke("tolerance", tolerance), poke("signed_distance", is_signed);
}
inline void each_field(TolerancedOptions& o, Poker& poke) {
  auto& [ask, margin, tolerance, deviation, depth, budget, nested, accuracy, relative, threads,
         metric] = o;
  (void)metric;
  poke("ask", ask), poke("margin", margin), poke("tolerance", tolerance);
  poke("deviation", deviation), poke("depth", depth), poke("budget", budget);
  poke("nested", nested), poke("accuracy", accuracy), poke("relative_accuracy", relative);
  poke("threads", threads);
}
inline void each_field(WatchOptions& o, Poker& poke) {
  auto& [margin, reaction, stopping, fine_below, slack, per_cell, cell, listed, carried, partners,
         profile] = o;
  poke("margin", margin), poke("reaction_time", reaction), poke("stopping_time", stopping);
  poke("fine_below", fine_below), poke("slack", slack), poke("objects_per_cell", per_cell);
  poke("smallest_cell", cell), poke("max_listed", listed), poke("max_partners", partners);
  // Memory is taken for so many of them.
  if (carried > 100'000) carried = 100'000;
  poke("profile", profile);
}
inline void each_field(GuardOptions& o, Poker& poke) {
  auto& [budget, margin, latch, graded, horizon, known, slices, splits, max_age, max_gap, limits,
         check_jumps, world_age, carried, check_cycles] = o;
  poke("budget", budget), poke("margin", margin), poke("latch", latch), poke("graded", graded);
  poke("horizon", horizon), poke("known_command", known), poke("slices", slices);
  poke("splits", splits), poke("max_age", max_age), poke("max_gap", max_gap);
  poke("limit_tolerance", limits), poke("check_jumps", check_jumps);
  poke("max_world_age", world_age), poke("check_cycles", check_cycles);
  // Memory is taken for so many of them.
  if (carried > 100'000) carried = 100'000;
}
inline void each_field(JointBrake& b, Poker& poke) {
  auto& [a, least, most, q_off, v_off, a_off, fastest, stops] = b;
  poke("max_acceleration", a), poke("brake_deceleration", least);
  poke("brake_deceleration_most", most), poke("position_uncertainty", q_off);
  poke("velocity_uncertainty", v_off), poke("acceleration_uncertainty", a_off);
  poke("max_velocity", fastest), poke("stops", stops);
}
inline void each_field(PairsOptions& o, Poker& poke) {
  auto& [budget, samples, seed, threads, progress] = o;
  (void)progress;
  if (samples > 1000) samples = 1000;  // work that is asked for is done
  poke("budget", budget), poke("seed", seed), poke("threads", threads);
}
inline void each_field(ProofOptions& o, Poker& poke) {
  auto& [budget, share] = o;
  poke("budget", budget), poke("share", share);
}

/// The first robot and the first object of a scene, and its margins.
inline void each_field(Scene& scene, Poker& poke) {
  const auto vector = [&](Vec3& v) { poke("x", v.x), poke("y", v.y), poke("z", v.z); };
  const auto origin = [&](Origin& at) {
    vector(at.xyz), vector(at.rpy);
    if (at.quaternion) {
      auto& [x, y, z, w] = *at.quaternion;
      poke("quaternion x", x), poke("quaternion y", y), poke("quaternion z", z);
      poke("quaternion w", w);
    }
  };
  origin(scene.robots[0].base);
  SceneObject& object = scene.objects[0];
  origin(object.pose);
  auto& [kind, size, radius, length, normal, offset, file, scale, points, triangles, unknown] =
      object.shape;
  (void)file, (void)triangles;
  poke("kind", kind), poke("radius", radius), poke("length", length), poke("offset", offset);
  vector(size), vector(normal), vector(scale);
  for (Vec3& p : points) vector(p);
  poke("unknown", unknown);
  poke("margin", scene.margin), poke("margin of the pair", scene.margins[0].margin);
}

}  // namespace keepclear::test
