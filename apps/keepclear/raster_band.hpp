// SPDX-License-Identifier: BSD-3-Clause
//
// What pictures are drawn into: bands of samples, and what the light sees.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "raster.hpp"

namespace keepclear::command {

inline constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();
inline constexpr int kShadowSide = 2048;

/// Barycentric weights of a point of the picture, as lines over x and y.
struct Weights {
  float a[3], b[3], c[3];  ///< weight i = a x + b y + c
  bool flat = false;

  template <typename Triangle>
  explicit Weights(const Triangle& t) {
    const double x0 = t.x[0], y0 = t.y[0], x1 = t.x[1], y1 = t.y[1], x2 = t.x[2], y2 = t.y[2];
    const double area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    flat = !(std::abs(area) > 1e-12);
    if (flat) return;
    const auto set = [&](int i, double px, double py, double qx, double qy) {
      a[i] = static_cast<float>((py - qy) / area);
      b[i] = static_cast<float>((qx - px) / area);
      c[i] = static_cast<float>((px * qy - qx * py) / area);
    };
    set(0, x1, y1, x2, y2);
    set(1, x2, y2, x0, y0);
    set(2, x0, y0, x1, y1);
  }
  float at(int i, float x, float y) const { return a[i] * x + b[i] * y + c[i]; }
};

/// What a part of the rows is drawn into, sample by sample; one row of samples more than it has,
/// so that outlines go on across its end.
struct Raster::Band {
  int columns = 0, rows = 0;   ///< of samples
  std::vector<float> nearest;  ///< 1 / depth
  std::vector<std::uint32_t> seen;
  std::vector<float> layers;  ///< minus the logarithm of what comes through
  std::vector<Light> tint;    ///< weighted by that

  void clear() {
    const auto size = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
    nearest.assign(size, 0);
    seen.assign(size, kNothing);
    layers.assign(size, 0);
    tint.assign(size, {});
  }
  std::size_t at(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
  /// Calls `work` for the samples of a triangle in this band, with their place in pixels.
  template <typename Triangle, typename Work>
  void for_each(const Triangle& t, int first_row, int samples, const Work& work) const {
    const auto [x_lo, x_hi] = std::minmax({t.x[0], t.x[1], t.x[2]});
    const auto [y_lo, y_hi] = std::minmax({t.y[0], t.y[1], t.y[2]});
    const float s = static_cast<float>(samples), top = static_cast<float>(first_row);
    const float left = std::max(x_lo * s - 0.5F, 0.0F);
    const float right = std::min(x_hi * s - 0.5F, static_cast<float>(columns - 1));
    const float up = std::max((y_lo - top) * s - 0.5F, 0.0F);
    const float down = std::min((y_hi - top) * s - 0.5F, static_cast<float>(rows - 1));
    if (!(left <= right && up <= down)) return;
    const Weights weights(t);
    if (weights.flat) return;
    for (int row = static_cast<int>(std::ceil(up)); row <= static_cast<int>(down); ++row) {
      const float y = top + (static_cast<float>(row) + 0.5F) / s;
      for (int column = static_cast<int>(std::ceil(left)); column <= static_cast<int>(right);
           ++column) {
        const float x = (static_cast<float>(column) + 0.5F) / s;
        const float w0 = weights.at(0, x, y), w1 = weights.at(1, x, y), w2 = weights.at(2, x, y);
        if (w0 < 0 || w1 < 0 || w2 < 0) continue;
        work(at(column, row), w0, w1, w2);
      }
    }
  }
};

/// What the light sees first, from far away: the rest is in the shade of it.
struct Raster::Shadow {
  Vec3 right, up, from;  ///< `from`: towards the light
  Vec3 centre;
  double step = 1;             ///< metres
  std::vector<float> highest;  ///< metres along `from`, by place; empty: no light

  std::array<float, 3> place_of(Vec3 p) const {
    const Vec3 d = p - centre;
    return {static_cast<float>(dot(right, d) / step + kShadowSide / 2.0),
            static_cast<float>(dot(up, d) / step + kShadowSide / 2.0),
            static_cast<float>(dot(from, d))};
  }

  void cast(const std::array<Vec3, 3>& corners) {
    struct Flat {
      float x[3], y[3], z[3];
    } t{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [x, y, z] = place_of(corners[i]);
      t.x[i] = x, t.y[i] = y, t.z[i] = z;
    }
    Band band;
    band.columns = band.rows = kShadowSide;
    band.for_each(t, 0, 1, [&](std::size_t at, float w0, float w1, float w2) {
      highest[at] = std::max(highest[at], w0 * t.z[0] + w1 * t.z[1] + w2 * t.z[2]);
    });
  }

  /// The share of the places around p that the light does not reach. A surface must ask from a few
  /// steps before itself, else it is in its own shade.
  float at(Vec3 p) const {
    if (highest.empty()) return 0;
    constexpr int kReach = 3;
    const auto [x, y, z] = place_of(p);
    constexpr float kSide = kShadowSide;
    if (!(x >= kReach + 1 && y >= kReach + 1 && x < kSide - kReach - 2 && y < kSide - kReach - 2)) {
      return 0;
    }
    const float least = z + static_cast<float>(2 * step);
    const float u = x - 0.5F, v = y - 0.5F;
    const int i = static_cast<int>(u), j = static_cast<int>(v);
    const float fu = u - static_cast<float>(i), fv = v - static_cast<float>(j);
    float sum = 0;
    for (int dy = -kReach; dy <= kReach + 1; ++dy) {
      const float weight_y = dy == -kReach ? 1 - fv : dy == kReach + 1 ? fv : 1;
      const float* const row = &highest[static_cast<std::size_t>(j + dy) * kShadowSide +
                                        static_cast<std::size_t>(i - kReach)];
      for (int dx = 0; dx <= 2 * kReach + 1; ++dx) {
        const float weight_x = dx == 0 ? 1 - fu : dx == 2 * kReach + 1 ? fu : 1;
        if (row[dx] > least) sum += weight_x * weight_y;
      }
    }
    return sum / ((2 * kReach + 1) * (2 * kReach + 1));
  }
};

}  // namespace keepclear::command
