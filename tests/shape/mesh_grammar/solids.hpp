// SPDX-License-Identifier: BSD-3-Clause
//
// Closed solids as polygons, and the ways to say the same surface by strips and fans.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear::test {

using Polygon = std::vector<std::uint32_t>;

/// Polygons are flat and counter-clockwise seen from outside.
struct Solid {
  std::vector<Vec3> points;
  std::vector<Polygon> faces;
};

/// A prism of any outline in whole numbers, from below to above.
inline Solid prism(const std::vector<std::pair<double, double>>& outline, double low, double high) {
  Solid s;
  const auto n = static_cast<std::uint32_t>(outline.size());
  for (const double z : {low, high}) {
    for (const auto& [x, y] : outline) s.points.push_back({x, y, z});
  }
  Polygon below, above;
  for (std::uint32_t i = 0; i < n; ++i) {
    below.push_back((n - i) % n);
    above.push_back(n + i);
    s.faces.push_back({i, (i + 1) % n, n + (i + 1) % n, n + i});
  }
  s.faces.push_back(below);
  s.faces.push_back(above);
  return s;
}

/// Solids whose coordinates are whole numbers from -100 to 100.
inline constexpr int kSolids = 6;
inline Solid solid(int which) {
  switch (which) {
    case 0:
      return prism({{-30, -20}, {40, -20}, {40, 50}, {-30, 50}}, -10, 70);
    case 1:
      return {{{0, 0, 0}, {90, 0, 0}, {0, 80, 0}, {0, 0, 70}},
              {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    case 2:  // an L: not convex
      return prism({{0, 0}, {60, 0}, {60, 20}, {20, 20}, {20, 80}, {0, 80}}, 5, 25);
    case 3:
      return {
          {{-70, 0, 0}, {70, 0, 0}, {0, -60, 0}, {0, 60, 0}, {0, 0, -50}, {0, 0, 90}},
          {{1, 3, 5}, {3, 0, 5}, {0, 2, 5}, {2, 1, 5}, {3, 1, 4}, {0, 3, 4}, {2, 0, 4}, {1, 2, 4}}};
    case 4:  // twelve sides, none parallel to an axis alone
      return prism({{60, 0},
                    {52, 30},
                    {30, 52},
                    {0, 60},
                    {-30, 52},
                    {-52, 30},
                    {-60, 0},
                    {-52, -30},
                    {-30, -52},
                    {0, -60},
                    {30, -52},
                    {52, -30}},
                   -100, 100);
    default: {  // two of them
      Solid s = prism({{-90, -90}, {-50, -90}, {-50, -40}}, -20, 20);
      const Solid other = prism({{10, 10}, {90, 20}, {95, 90}, {20, 80}}, -60, 99);
      const auto first = static_cast<std::uint32_t>(s.points.size());
      s.points.insert(s.points.end(), other.points.begin(), other.points.end());
      for (Polygon face : other.faces) {
        for (auto& corner : face) corner += first;
        s.faces.push_back(face);
      }
      return s;
    }
  }
}

inline std::vector<Polygon> triangles_of(const std::vector<Polygon>& polygons) {
  std::vector<Polygon> made;
  for (const Polygon& p : polygons) {
    for (std::size_t i = 2; i < p.size(); ++i) made.push_back({p[0], p[i - 1], p[i]});
  }
  return made;
}

/// A strip for each polygon: its corners in turn from both ends.
inline std::vector<Polygon> strips_of(const std::vector<Polygon>& polygons) {
  std::vector<Polygon> made;
  for (const Polygon& p : polygons) {
    Polygon strip{p[0]};
    std::size_t low = 1, high = p.size() - 1;
    while (low <= high) {
      strip.push_back(p[low++]);
      if (low <= high) strip.push_back(p[high--]);
    }
    made.push_back(strip);
  }
  return made;
}

/// One strip of all, joined by corners that are repeated; each begins at an even place, so that its
/// triangles keep their sense.
inline Polygon joined(const std::vector<Polygon>& strips) {
  Polygon all;
  for (const Polygon& strip : strips) {
    if (!all.empty()) {
      all.push_back(all.back());
      all.push_back(strip[0]);
      if (all.size() % 2 == 1) all.push_back(strip[0]);
    }
    all.insert(all.end(), strip.begin(), strip.end());
  }
  return all;
}

/// What a file says, and whether its reader promises to read it. Anything else may be refused.
struct Written {
  std::string bytes;
  std::vector<std::pair<std::string, std::string>> beside;  ///< other files, by name
  std::string extension;
  std::vector<Vec3> points;                             ///< of the surface
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< of them
  bool must_load = true;

  /// Adds a solid whose points went through `place`.
  template <class Place>
  void show(const Solid& solid, const Place& place) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (const Vec3& p : solid.points) points.push_back(place(p));
    for (const Polygon& t : triangles_of(solid.faces)) {
      triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
  }
};

}  // namespace keepclear::test
