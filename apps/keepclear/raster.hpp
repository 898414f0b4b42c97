// SPDX-License-Identifier: BSD-3-Clause
//
// Triangles to pixels, without a graphics card: a picture from the same numbers on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear::command {

/// 8 bits for each of red, green and blue, row by row from the top.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};
inline constexpr int kMaxPictureSide = 4096;

/// Linear light, 0 to 1.
struct Light {
  float r = 0, g = 0, b = 0;
};
/// 0xRRGGBB as screens have it.
Light light_of(std::uint32_t srgb);
Light mix(Light a, Light b, float share_of_b);

/// Looks from `eye` along -back; a point at depth z (metres before the eye) is drawn
/// focal / z half picture heights from the middle for each metre that it is beside the axis.
struct Camera {
  Vec3 eye, right{1, 0, 0}, up{0, 0, 1}, back{0, -1, 0};
  double focal = 3.7;
  double near = 1e-3;  ///< what is nearer is cut off
};

/// A level floor that fades out around a point: lines, and shadows of what is drawn.
struct Ground {
  Vec3 centre;        ///< its z is that of the floor
  double radius = 1;  ///< where it has faded out
  double line = 0.1;  ///< metres between lines; each tenth is stronger
};

/// Collects triangles, then draws them. Those with numbers that are none, or beyond a million
/// metres, are left out; those through the plane of the eye are cut.
class Raster {
 public:
  Raster(int width, int height, const Camera& camera);

  struct Corner {
    Vec3 p, n;  ///< in the world; n of length one
  };
  /// Triangles of one `item` have no outline between them. With kKeptClear in its number it is seen
  /// well also through many layers.
  static constexpr std::uint32_t kKeptClear = std::uint32_t{1} << 31;
  void opaque(std::span<const Corner, 3> corners, Light colour, std::uint32_t item);
  /// Seen through, in whatever order they come: `alpha` is what one layer covers where it is seen
  /// from the side, and a share of that where it is faced.
  void translucent(std::span<const Corner, 3> corners, Light colour, float alpha);
  void set_ground(const Ground& ground) { ground_ = ground; }
  /// Over everything, with a light rim: what is asked about must be seen.
  void line(Vec3 from, Vec3 to, double pixels, Light colour);
  void spot(Vec3 at, double pixels, Light colour);

  /// Samples at which an opaque item with one of these bits in its number is seen.
  std::size_t samples_of(std::uint32_t bits) const;
  /// The same bytes for any number of threads; 0 is one for each core.
  Picture draw(int threads = 0) const;

 private:
  struct Seen {
    float x[3], y[3], w[3];  ///< pixels, and 1 / depth
    float n[3][3];
    float place[3][3];  ///< from the eye
    Light colour;
    float alpha = 1;
    std::uint32_t item = 0;
  };
  struct Mark {
    std::array<double, 2> from{}, to{};  ///< pixels
    double radius = 0;
    Light colour;
  };
  struct Band;
  struct Shadow;

  void add(std::span<const Corner, 3> corners, const Seen& look, std::vector<Seen>& list) const;
  std::optional<std::array<double, 2>> pixel_of(Vec3 p) const;
  void draw_band(int first_row, Band& band, const Shadow& shadow, Picture& picture) const;
  void fill_opaque(int first_row, Band& band) const;
  void fill_translucent(int first_row, Band& band) const;
  Vec3 light_from() const;  ///< from above, on the left of the eye
  Light shade(const Seen& seen, float x, float y, const Shadow& shadow) const;
  Light floor_or_sky(float x, float y, const Shadow& shadow) const;
  void draw_marks(Picture& picture) const;

  int width_, height_, samples_;  ///< samples a pixel, along each side
  Camera camera_;
  double scale_;  ///< pixels from the middle at depth 1 for a metre
  std::optional<Ground> ground_;
  std::vector<Seen> opaque_, translucent_;
  std::vector<std::array<Vec3, 3>> shadows_;  ///< what casts them
  std::vector<Mark> marks_;
};

}  // namespace keepclear::command
