// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the tests of shape.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "keepclear/error.hpp"
#include "keepclear/geometry.hpp"
#include "shape/hull.hpp"

namespace keepclear::test {

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// The Error that `call` throws; fails the test when it throws none.
inline Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error(Error::Kind::internal, "", 0, "none");
}

inline void expect_refused(const std::function<void()>& call, const std::string& part, int line) {
  const Error error = error_of(call);
  EXPECT_EQ(error.kind(), Error::Kind::malformed) << error.what();
  EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  EXPECT_EQ(error.line(), line) << error.what();
}

inline Vec3 random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

/// The graph is symmetric, without loops, in range; and from every start a climb that also takes
/// level moves ends within `tolerance` of the best of a scan.
inline void expect_sound_graph(const Hull& hull, const std::vector<Vec3>& directions,
                               double tolerance) {
  const std::size_t n = hull.vertices.size();
  ASSERT_EQ(hull.first_neighbour.size(), n + 1);
  ASSERT_EQ(hull.first_neighbour.back(), hull.neighbours.size());
  const auto of = [&](std::size_t i) {
    return std::span(hull.neighbours)
        .subspan(hull.first_neighbour[i], hull.first_neighbour[i + 1] - hull.first_neighbour[i]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(of(i).empty(), n == 1);
    for (const std::uint32_t j : of(i)) {
      ASSERT_LT(j, n);
      ASSERT_NE(i, j);
      const auto back = of(j);
      ASSERT_NE(std::find(back.begin(), back.end(), i), back.end());
    }
  }
  for (const Vec3& d : directions) {
    double best = -INFINITY;
    for (const Vec3& v : hull.vertices) best = std::max(best, dot(v, d));
    for (std::size_t start = 0; start < n; start += 1 + n / 8) {
      std::vector<char> seen(n, 0);
      std::vector<std::size_t> open{start};
      seen[start] = 1;
      double height = dot(hull.vertices[start], d);
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (dot(hull.vertices[at], d) < height - tolerance * norm(d)) continue;
        for (const std::uint32_t next : of(at)) {
          const double h = dot(hull.vertices[next], d);
          if (seen[next] || h < height - tolerance * norm(d)) continue;
          seen[next] = 1;
          height = std::max(height, h);
          open.push_back(next);
        }
      }
      ASSERT_GE(height, best - 4 * tolerance * norm(d)) << "climb from " << start << " of " << n;
    }
  }
}

}  // namespace keepclear::test
