// SPDX-License-Identifier: BSD-3-Clause
//
// Point sets that broke other libraries: flat, thin, coincident, far from the origin.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear::test {

inline constexpr int kPatterns = 12;

inline std::vector<Vec3> pattern(int kind, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Vec3> points;
  const auto any = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
  const Vec3 u = any(), v = any(), w = any();
  const double thin = std::pow(10.0, 8 * unit(random) - 8);
  const auto whole = [&] { return static_cast<double>(static_cast<int>(4 * unit(random))); };
  for (std::size_t i = 0; i < count; ++i) {
    switch (kind) {
      case 0:
        points.push_back(any());
        break;
      case 1:
        points.push_back(u + unit(random) * v);
        break;
      case 2:
        points.push_back(u + unit(random) * v + unit(random) * w);
        break;
      case 3:
        points.push_back(unit(random) * v + unit(random) * w + (thin * unit(random)) * u);
        break;
      case 4:
        points.push_back(unit(random) * v + thin * any());
        break;
      case 5:
        points.push_back({whole(), whole(), whole()});
        break;
      case 6:
        points.push_back(0.1 * Vec3{whole(), whole(), whole()});
        break;
      case 7:
        points.push_back(Vec3{1e5, -1e5, 3e4} + any());
        break;
      case 8:
        points.push_back(Vec3{whole(), whole(), 0} + thin * any());
        break;
      case 9: {
        const Vec3 d = any();
        points.push_back((1 / (norm(d) + 1e-300)) * d);
        break;
      }
      case 10:
        points.push_back(i % 3 ? u + thin * any() : any());
        break;
      default: {
        // A prism of many sides with points on its faces and edges.
        const double angle = 0.1 * static_cast<int>(31 * unit(random));
        points.push_back({std::cos(angle), std::sin(angle), 0.5 * whole()});
      }
    }
  }
  return points;
}

}  // namespace keepclear::test
