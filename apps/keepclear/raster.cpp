// SPDX-License-Identifier: BSD-3-Clause
#include "raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/parallel.hpp"
#include "raster_band.hpp"

namespace keepclear::command {

namespace {

constexpr double kFarthest = 1e6;  ///< metres
constexpr int kBandRows = 32;
/// Pixels from which on a smaller number of samples is enough.
constexpr long kManyPixels = 5'000'000;

/// Of the radius of the ground, where shadows are looked for.
constexpr double kLitShare = 0.45;
constexpr float kOutline = 0.45F;
/// At least this much of what is behind comes through any number of layers.
constexpr float kClearest = 0.5F, kKeptShare = 0.85F;
/// Behind everything, at the top and at the bottom; the floor, and lines on it.
constexpr Light kTop{0.83F, 0.87F, 0.91F}, kBottom{0.93F, 0.94F, 0.95F};
constexpr Light kFloor{0.90F, 0.91F, 0.92F}, kLine{0.52F, 0.56F, 0.61F};

constexpr Light operator+(Light a, Light b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}
constexpr Light operator*(float s, Light a) {
  return {s * a.r, s * a.g, s * a.b};
}

float dot3(const float* a, const float* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double linear_of(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}

/// From linear light to 8 bits, in steps finer than these.
class Encoder {
 public:
  Encoder() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const double linear = static_cast<double>(i) / static_cast<double>(table_.size() - 1);
      const double srgb =
          linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
      table_[i] = static_cast<std::uint8_t>(std::lround(255 * srgb));
    }
  }
  std::uint8_t operator()(float linear) const {
    const float last = static_cast<float>(table_.size() - 1);
    // No number is black, and no place outside of the table.
    const float kept = linear > 0 ? std::min(linear, 1.0F) : 0.0F;
    return table_[static_cast<std::size_t>(std::lround(kept * last))];
  }
  void write(Light light, std::uint8_t* to) const {
    to[0] = (*this)(light.r), to[1] = (*this)(light.g), to[2] = (*this)(light.b);
  }

 private:
  std::array<std::uint8_t, 8192> table_{};
};
const Encoder& encoder() {
  static const Encoder only;
  return only;
}

Vec3 unit(Vec3 v) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : Vec3{0, 0, 1};
}

bool is_drawable(Vec3 p) {
  return std::abs(p.x) < kFarthest && std::abs(p.y) < kFarthest && std::abs(p.z) < kFarthest;
}

}  // namespace

Light light_of(std::uint32_t srgb) {
  const auto part = [&](int shift) {
    return static_cast<float>(linear_of(static_cast<double>(srgb >> shift & 255) / 255));
  };
  return {part(16), part(8), part(0)};
}

Light mix(Light a, Light b, float share_of_b) {
  return (1 - share_of_b) * a + share_of_b * b;
}

Raster::Raster(int width, int height, const Camera& camera)
    : width_(std::clamp(width, 1, kMaxPictureSide)),
      height_(std::clamp(height, 1, kMaxPictureSide)),
      samples_(static_cast<long>(width_) * height_ <= kManyPixels ? 3 : 2),
      camera_(camera),
      scale_(camera.focal * height_ / 2) {}

void Raster::add(std::span<const Corner, 3> corners, const Seen& look,
                 std::vector<Seen>& list) const {
  struct Placed {
    Vec3 p, n;  ///< p: right, up, depth
  };
  std::array<Placed, 4> kept;
  std::size_t count = 0;
  Placed own[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!is_drawable(corners[i].p) || !is_finite(corners[i].n)) return;
    const Vec3 d = corners[i].p - camera_.eye;
    own[i] = {{dot(camera_.right, d), dot(camera_.up, d), -dot(camera_.back, d)}, corners[i].n};
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const Placed &a = own[i], &b = own[(i + 1) % 3];
    const bool in_a = a.p.z >= camera_.near, in_b = b.p.z >= camera_.near;
    if (in_a) kept[count++] = a;
    if (in_a != in_b) {
      const double share = (camera_.near - a.p.z) / (b.p.z - a.p.z);
      kept[count++] = {a.p + share * (b.p - a.p), a.n + share * (b.n - a.n)};
    }
  }
  for (std::size_t i = 2; i < count; ++i) {
    Seen seen = look;
    for (std::size_t k = 0; k < 3; ++k) {
      const Placed& corner = kept[k == 0 ? 0 : i - 2 + k];
      const double w = 1 / corner.p.z;
      seen.x[k] = static_cast<float>(0.5 * width_ + scale_ * corner.p.x * w);
      seen.y[k] = static_cast<float>(0.5 * height_ - scale_ * corner.p.y * w);
      seen.w[k] = static_cast<float>(w);
      const double n[3] = {corner.n.x, corner.n.y, corner.n.z};
      const double p[3] = {corner.p.x, corner.p.y, corner.p.z};
      for (std::size_t j = 0; j < 3; ++j) {
        seen.n[k][j] = static_cast<float>(n[j]);
        seen.place[k][j] = static_cast<float>(p[j]);
      }
    }
    const auto [x_lo, x_hi] = std::minmax({seen.x[0], seen.x[1], seen.x[2]});
    const auto [y_lo, y_hi] = std::minmax({seen.y[0], seen.y[1], seen.y[2]});
    if (x_hi < 0 || y_hi < 0 || x_lo > static_cast<float>(width_) ||
        y_lo > static_cast<float>(height_)) {
      continue;
    }
    list.push_back(seen);
  }
}

void Raster::opaque(std::span<const Corner, 3> corners, Light colour, std::uint32_t item) {
  Seen look{};
  look.colour = colour;
  look.item = item;
  add(corners, look, opaque_);
  if (is_drawable(corners[0].p) && is_drawable(corners[1].p) && is_drawable(corners[2].p)) {
    shadows_.push_back({corners[0].p, corners[1].p, corners[2].p});
  }
}

void Raster::translucent(std::span<const Corner, 3> corners, Light colour, float alpha) {
  Seen look{};
  look.colour = colour;
  look.alpha = std::clamp(alpha, 0.0F, 0.95F);
  add(corners, look, translucent_);
}

std::optional<std::array<double, 2>> Raster::pixel_of(Vec3 p) const {
  if (!is_drawable(p)) return std::nullopt;
  const Vec3 d = p - camera_.eye;
  const double depth = -dot(camera_.back, d);
  if (!(depth >= camera_.near)) return std::nullopt;
  return std::array{0.5 * width_ + scale_ * dot(camera_.right, d) / depth,
                    0.5 * height_ - scale_ * dot(camera_.up, d) / depth};
}

void Raster::line(Vec3 from, Vec3 to, double pixels, Light colour) {
  const auto a = pixel_of(from), b = pixel_of(to);
  if (a && b) marks_.push_back({*a, *b, pixels / 2, colour});
}

void Raster::spot(Vec3 at, double pixels, Light colour) {
  const auto a = pixel_of(at);
  if (a) marks_.push_back({*a, *a, pixels / 2, colour});
}

void Raster::fill_opaque(int first_row, Band& band) const {
  for (std::size_t i = 0; i < opaque_.size(); ++i) {
    const Seen& t = opaque_[i];
    band.for_each(t, first_row, samples_, [&](std::size_t at, float w0, float w1, float w2) {
      const float w = w0 * t.w[0] + w1 * t.w[1] + w2 * t.w[2];
      if (w <= band.nearest[at]) return;
      band.nearest[at] = w;
      band.seen[at] = static_cast<std::uint32_t>(i);
    });
  }
}

void Raster::fill_translucent(int first_row, Band& band) const {
  // Shells lie on what they are around: there they are left out, not by chance of rounding.
  constexpr float kBefore = 1 + 5e-4F;
  for (const Seen& t : translucent_) {
    band.for_each(t, first_row, samples_, [&](std::size_t at, float w0, float w1, float w2) {
      const float w = w0 * t.w[0] + w1 * t.w[1] + w2 * t.w[2];
      if (w <= kBefore * band.nearest[at]) return;
      float n[3], p[3];
      for (int j = 0; j < 3; ++j) {
        n[j] = w0 * t.n[0][j] + w1 * t.n[1][j] + w2 * t.n[2][j];
        p[j] = w0 * t.place[0][j] + w1 * t.place[1][j] + w2 * t.place[2][j];
      }
      const Vec3 view = p[0] * camera_.right + p[1] * camera_.up - p[2] * camera_.back;
      const double facing = std::abs(dot({n[0], n[1], n[2]}, view)) /
                            std::sqrt(squared_norm(view) * dot3(n, n) + 1e-30);
      const float alpha = t.alpha * (1 - 0.75F * static_cast<float>(std::min(facing, 1.0)));
      const float layer = -std::log1p(-alpha);
      band.layers[at] += layer;
      band.tint[at] = band.tint[at] + layer * t.colour;
    });
  }
}

Vec3 Raster::light_from() const {
  const auto level = [](Vec3 v) { return unit({v.x, v.y, 0}); };
  const Vec3 back =
      std::hypot(camera_.back.x, camera_.back.y) > 0.1 ? camera_.back : -1.0 * camera_.up;
  return unit(0.30 * level(back) - 0.42 * level(camera_.right) + Vec3{0, 0, 1});
}

Light Raster::shade(const Seen& seen, float x, float y, const Shadow& shadow) const {
  const Weights weights(seen);
  float w[3], sum = 0;
  for (int i = 0; i < 3; ++i) {
    w[i] = std::max(weights.at(i, x, y), 0.0F) * seen.w[i];
    sum += w[i];
  }
  Vec3 n{}, p{};
  for (int i = 0; i < 3; ++i) {
    const double share = w[i] / sum;
    n = n + share * Vec3{seen.n[i][0], seen.n[i][1], seen.n[i][2]};
    p = p + share * Vec3{seen.place[i][0], seen.place[i][1], seen.place[i][2]};
  }
  const double length = norm(n);
  n = length > 0 ? (1 / length) * n : Vec3{0, 0, 1};
  const Vec3 ray = p.x * camera_.right + p.y * camera_.up - p.z * camera_.back;
  const Vec3 place = camera_.eye + ray;
  Vec3 to_eye = -1.0 * ray;
  to_eye = (1 / std::max(norm(to_eye), 1e-12)) * to_eye;
  // Meshes are often open, and wound either way: the side that is seen is lit.
  if (dot(n, to_eye) < 0) n = -n;
  const auto unit = [](Vec3 v) { return (1 / norm(v)) * v; };
  const Vec3 key =
      unit(0.55 * camera_.up + 0.45 * camera_.back - 0.5 * camera_.right + Vec3{0, 0, 0.45});
  const Vec3 fill = unit(0.8 * camera_.right + 0.5 * camera_.back + 0.2 * camera_.up);
  const auto lit = [&](Vec3 from) { return static_cast<float>(std::max(dot(n, from), 0.0)); };
  const auto above = static_cast<float>(0.5 + 0.5 * n.z);
  const Light around = mix({0.30F, 0.285F, 0.275F}, {0.50F, 0.52F, 0.56F}, above);
  const float shaded = shadow.at(place + (4.5 * shadow.step) * n);
  const float keyed = 0.66F * lit(key) * (1 - shaded), filled = 0.16F * lit(fill);
  Light light = around + Light{keyed * 1.02F, keyed, keyed * 0.96F} + Light{filled, filled, filled};
  const float shine = 0.09F * (1 - shaded) * std::pow(lit(unit(key + to_eye)), 36.0F);
  return Light{light.r * seen.colour.r, light.g * seen.colour.g, light.b * seen.colour.b} +
         Light{shine, shine, shine};
}

Light Raster::floor_or_sky(float x, float y, const Shadow& shadow) const {
  const float share = y / static_cast<float>(height_);
  const Light sky = mix(kTop, kBottom, share);
  if (!ground_) return sky;
  const Vec3 ray = ((x - 0.5 * width_) / scale_) * camera_.right +
                   ((0.5 * height_ - y) / scale_) * camera_.up - camera_.back;
  const double down = ground_->centre.z - camera_.eye.z;
  const double depth = down / ray.z;
  if (!(depth > camera_.near) || depth > kFarthest) return sky;
  const Vec3 p = camera_.eye + depth * ray;
  const double out = std::hypot(p.x - ground_->centre.x, p.y - ground_->centre.y) / ground_->radius;
  if (!(out < 1)) return sky;
  // Lines are as wide as a pixel at least, and fade where there are several a pixel.
  const double slope = std::max(std::abs(ray.z), 1e-6) / norm(ray);
  const double pixel = depth / scale_ / std::max(slope, 0.05);
  const auto lines = [&](double step, double strength) {
    const auto near = [&](double value) {
      const double d = std::abs(value / step - std::round(value / step)) * step;
      return std::clamp(1.2 - d / pixel, 0.0, 1.0);
    };
    const double dense = std::clamp(1 - 4 * pixel / step, 0.0, 1.0);
    return strength * dense * std::max(near(p.x), near(p.y));
  };
  const double grid = std::max(lines(ground_->line, 0.30), lines(10 * ground_->line, 0.55));
  const auto fade = static_cast<float>((1 - out * out) * (1 - out * out));
  Light floor = mix(kFloor, kLine, static_cast<float>(grid));
  floor = (1 - 0.30F * shadow.at(p)) * floor;
  return mix(sky, floor, fade);
}

void Raster::draw_band(int first_row, Band& band, const Shadow& shadow, Picture& picture) const {
  const int rows = std::min(kBandRows, height_ - first_row);
  band.columns = width_ * samples_;
  band.rows = rows * samples_ + 1;
  band.clear();
  fill_opaque(first_row, band);
  fill_translucent(first_row, band);
  const auto item = [&](int column, int row) {
    const std::uint32_t seen = band.seen[band.at(std::min(column, band.columns - 1), row)];
    return seen == kNothing ? kNothing : opaque_[seen].item;
  };
  const float each = 1 / static_cast<float>(samples_ * samples_);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < width_; ++column) {
      Light sum;
      // A triangle is shaded once a pixel, in the middle of its samples there.
      std::uint32_t done[9];
      Light colours[9];
      int known = 0;
      for (int k = 0; k < samples_ * samples_; ++k) {
        const int i = column * samples_ + k % samples_, j = row * samples_ + k / samples_;
        const std::size_t at = band.at(i, j);
        const std::uint32_t seen = band.seen[at];
        int slot = 0;
        while (slot < known && done[slot] != seen) ++slot;
        if (slot == known) {
          const float x = (static_cast<float>(i) + 0.5F) / static_cast<float>(samples_);
          const float y = static_cast<float>(first_row) +
                          (static_cast<float>(j) + 0.5F) / static_cast<float>(samples_);
          done[known] = seen;
          colours[known++] = seen == kNothing
                                 ? floor_or_sky(static_cast<float>(column) + 0.5F,
                                                static_cast<float>(first_row + row) + 0.5F, shadow)
                                 : shade(opaque_[seen], x, y, shadow);
        }
        Light colour = colours[slot];
        const std::uint32_t own = item(i, j);
        if (own != item(i + 1, j) || own != item(i, j + 1)) colour = kOutline * colour;
        if (band.layers[at] > 0) {
          const Light tint = (1 / band.layers[at]) * band.tint[at];
          const bool kept = own != kNothing && (own & kKeptClear) != 0;
          // Each layer more counts for less, and never hides what is behind.
          const float least = kept ? kKeptShare : kClearest;
          const float through = least + (1 - least) * std::exp(-band.layers[at] / (1 - least));
          colour = mix(tint, colour, through);
        }
        sum = sum + each * colour;
      }
      encoder().write(sum, &picture.rgb[3 * (static_cast<std::size_t>(first_row + row) *
                                                 static_cast<std::size_t>(width_) +
                                             static_cast<std::size_t>(column))]);
    }
  }
}

void Raster::draw_marks(Picture& picture) const {
  constexpr double kRim = 2;
  const Light white{1, 1, 1};
  for (const bool rim : {true, false}) {
    for (const Mark& mark : marks_) {
      const double reach = mark.radius + (rim ? kRim : 0);
      const auto [ax, ay] = mark.from;
      const auto [bx, by] = mark.to;
      const auto bound = [](double value, int size) {
        return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(size)));
      };
      const double length2 = (bx - ax) * (bx - ax) + (by - ay) * (by - ay);
      for (int row = bound(std::min(ay, by) - reach - 1, height_);
           row < bound(std::max(ay, by) + reach + 2, height_); ++row) {
        for (int column = bound(std::min(ax, bx) - reach - 1, width_);
             column < bound(std::max(ax, bx) + reach + 2, width_); ++column) {
          const double x = column + 0.5, y = row + 0.5;
          const double along =
              length2 > 0 ? ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2 : 0;
          const double t = std::clamp(along, 0.0, 1.0);
          const double d = std::hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay));
          const auto cover = static_cast<float>(std::clamp(reach + 0.5 - d, 0.0, 1.0));
          if (cover <= 0) continue;
          std::uint8_t* const p =
              &picture.rgb[3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                                static_cast<std::size_t>(column))];
          const Light old = light_of(static_cast<std::uint32_t>(p[0]) << 16 |
                                     static_cast<std::uint32_t>(p[1]) << 8 | p[2]);
          encoder().write(mix(old, rim ? white : mark.colour, cover), p);
        }
      }
    }
  }
}

std::size_t Raster::samples_of(std::uint32_t bits) const {
  Band band;
  band.columns = width_ * samples_;
  band.rows = height_ * samples_;
  band.clear();
  fill_opaque(0, band);
  return static_cast<std::size_t>(std::ranges::count_if(band.seen, [&](std::uint32_t seen) {
    return seen != kNothing && (opaque_[seen].item & bits) != 0;
  }));
}

Picture Raster::draw(int threads) const {
  Picture picture{width_, height_, {}};
  picture.rgb.resize(3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  Shadow shadow;
  shadow.from = light_from();
  if (ground_ && !shadows_.empty()) {
    shadow.right = unit(cross({0, 0, 1}, shadow.from));
    shadow.up = cross(shadow.from, shadow.right);
    shadow.centre = ground_->centre;
    shadow.step = 2 * kLitShare * ground_->radius / kShadowSide;
    shadow.highest.assign(static_cast<std::size_t>(kShadowSide) * kShadowSide,
                          std::numeric_limits<float>::lowest());
    for (const auto& corners : shadows_) shadow.cast(corners);
  }
  const auto bands = static_cast<std::size_t>((height_ + kBandRows - 1) / kBandRows);
  std::vector<Band> spaces(thread_count(threads, bands));
  encoder();
  for_each_task(bands, spaces, [&](std::size_t band, Band& space) {
    draw_band(static_cast<int>(band) * kBandRows, space, shadow, picture);
  });
  draw_marks(picture);
  return picture;
}

}  // namespace keepclear::command
