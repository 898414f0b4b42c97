// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "render.hpp"

namespace keepclear::command {

namespace {

/// Evenly for the eye: a mixture in Oklab (Ottosson 2020).
Light between(Light from, Light to, double t) {
  const auto lab = [](Light c) {
    const double l = std::cbrt(0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b);
    const double m = std::cbrt(0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b);
    const double s = std::cbrt(0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b);
    return Vec3{0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
                1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
                0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s};
  };
  const Vec3 mixed = (1 - t) * lab(from) + t * lab(to);
  const auto cubed = [](double v) { return v * v * v; };
  const double l = cubed(mixed.x + 0.3963377774 * mixed.y + 0.2158037573 * mixed.z);
  const double m = cubed(mixed.x - 0.1055613458 * mixed.y - 0.0638541728 * mixed.z);
  const double s = cubed(mixed.x - 0.0894841775 * mixed.y - 1.291485548 * mixed.z);
  const auto part = [](double v) { return static_cast<float>(std::clamp(v, 0.0, 1.0)); };
  return {part(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          part(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          part(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)};
}

}  // namespace

Light clearance_colour(double metres) {
  struct Stop {
    double metres;
    std::uint32_t colour;
  };
  // The scale of the page, viewer/src/colours.ts.
  constexpr Stop kStops[] = {
      {0, 0xc4005d}, {0.01, 0xea6a17}, {0.05, 0xf3bf35}, {0.15, 0xb4c3b8}, {0.5, 0x8ba0b6}};
  if (std::isnan(metres)) return light_of(0xb6b6b3);
  if (metres <= 0) return light_of(kStops[0].colour);
  for (std::size_t i = 1; i < std::size(kStops); ++i) {
    const Stop &from = kStops[i - 1], &to = kStops[i];
    if (metres > to.metres) continue;
    return between(light_of(from.colour), light_of(to.colour),
                   (metres - from.metres) / (to.metres - from.metres));
  }
  return light_of(kStops[std::size(kStops) - 1].colour);
}

}  // namespace keepclear::command
