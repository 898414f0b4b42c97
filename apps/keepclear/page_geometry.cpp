// SPDX-License-Identifier: BSD-3-Clause
#include "page_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "keepclear/body.hpp"

namespace keepclear::command {

namespace {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4 + 2);
  text += '"';
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text + '"';
}

template <typename Integer>
std::string packed_integers(std::span<const Integer> values) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size() * sizeof(Integer));
  for (const Integer value : values) {
    for (std::size_t k = 0; k < sizeof(Integer); ++k) {
      bytes.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
    }
  }
  return base64(bytes);
}

/// The triangles of a body lie within it. Drawn with this radius they lie around it instead: after
/// three subdivisions, the largest triangle of the icosahedron is within 5.46 degrees of its
/// middle, and each more halves that.
double drawn_radius(double radius, int subdivisions) {
  constexpr double kDegree = 3.14159265358979 / 180;
  return radius / std::cos(5.46 * kDegree * std::exp2(3 - subdivisions));
}

}  // namespace

std::string packed(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return packed_integers<std::uint32_t>(bits);
}

std::string packed(std::span<const std::uint32_t> values) {
  return packed_integers(values);
}

std::string packed(std::span<const std::uint16_t> values) {
  return packed_integers(values);
}

std::string json_of(const Pose& X) {
  const auto& [r0, r1, r2] = X.R;
  return fmt::format(
      "[{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g}]", r0.x,
      r0.y, r0.z, X.p.x, r1.x, r1.y, r1.z, X.p.y, r2.x, r2.y, r2.z, X.p.z);
}

void append(const Pose& X, std::vector<float>& to) {
  const Vec3 rows[] = {X.R.row0, X.R.row1, X.R.row2};
  for (int k = 0; k < 3; ++k) {
    for (const double value : {rows[k].x, rows[k].y, rows[k].z, X.p[k]}) {
      to.push_back(static_cast<float>(value));
    }
  }
}

std::string json_of(Vec3 p) {
  return fmt::format("[{:.9g},{:.9g},{:.9g}]", p.x, p.y, p.z);
}

Grid on_grid(std::span<const Vec3> points, std::span<const Triangle> triangles, int bits) {
  Grid grid;
  Vec3 hi;
  grid.lo = hi = points.empty() ? Vec3{} : points.front();
  for (const Vec3 p : points) {
    grid.lo = {std::min(grid.lo.x, p.x), std::min(grid.lo.y, p.y), std::min(grid.lo.z, p.z)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
  }
  const Vec3 size = hi - grid.lo;
  // Cells are cubes: a thin shape must not keep detail across that it loses along.
  grid.step = std::max({size.x, size.y, size.z, 1e-9}) / static_cast<double>((1U << bits) - 1);
  const auto steps = [&](double value, double lo) {
    return static_cast<std::uint16_t>(
        std::clamp(std::round((value - lo) / grid.step), 0.0, 65535.0));
  };
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  known.reserve(points.size());
  std::vector<std::uint32_t> index(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::array<std::uint16_t, 3> place = {steps(points[i].x, grid.lo.x),
                                                steps(points[i].y, grid.lo.y),
                                                steps(points[i].z, grid.lo.z)};
    const std::uint64_t key =
        std::uint64_t{place[0]} << 32 | std::uint64_t{place[1]} << 16 | place[2];
    const auto [found, fresh] = known.emplace(key, static_cast<std::uint32_t>(known.size()));
    if (fresh) grid.vertices.insert(grid.vertices.end(), place.begin(), place.end());
    index[i] = found->second;
  }
  std::vector<Triangle> kept;
  for (const Triangle& t : triangles) {
    const std::uint32_t a = index[t[0]], b = index[t[1]], c = index[t[2]];
    if (a == b || b == c || c == a) continue;
    // The same triangle begins with the same corner, so that duplicates are seen.
    const std::uint32_t first = std::min({a, b, c});
    kept.push_back(first == a   ? Triangle{a, b, c}
                   : first == b ? Triangle{b, c, a}
                                : Triangle{c, a, b});
  }
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (const Triangle& t : kept) grid.indices.insert(grid.indices.end(), t.begin(), t.end());
  return grid;
}

Grid thinned(std::span<const Vec3> points, std::span<const Triangle> triangles, std::size_t most,
             bool& thinned) {
  int bits = 16;
  Grid grid = on_grid(points, triangles, bits);
  // Coarser steps only help once they are as long as the edges.
  while (grid.indices.size() > 3 * most && bits > 4) {
    bits = std::min(bits - 1, 10);
    grid = on_grid(points, triangles, bits);
    thinned = true;
  }
  return grid;
}

std::string json_of(const Grid& grid) {
  const bool wide = grid.vertices.size() / 3 > 65536;
  const std::vector<std::uint16_t> narrow(grid.indices.begin(),
                                          wide ? grid.indices.begin() : grid.indices.end());
  return fmt::format(R"({{"lo":{},"step":{:.9g},"wide":{},"v":{},"i":{}}})", json_of(grid.lo),
                     grid.step, wide, packed(grid.vertices),
                     wide ? packed(grid.indices) : packed(narrow));
}

Surface surface_of(std::span<const Vec3> points, double radius, int subdivisions) {
  std::vector<double> x, y, z;
  for (const Vec3 p : points) x.push_back(p.x), y.push_back(p.y), z.push_back(p.z);
  return triangulate(
      {drawn_radius(radius, subdivisions), points.size(), x.data(), y.data(), z.data()},
      subdivisions);
}

int subdivisions_for(std::size_t bodies) {
  constexpr std::size_t kFew = 100;
  return bodies <= kFew ? 3 : 2;
}

}  // namespace keepclear::command
