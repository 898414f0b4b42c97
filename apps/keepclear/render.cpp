// SPDX-License-Identifier: BSD-3-Clause
#include "render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "render_solid.hpp"

namespace keepclear::command {

namespace {

constexpr double kFarthest = 1e6;  ///< metres: what is farther is left out
/// What stands farther from the robots than this share of their size does not widen the picture.
constexpr double kNear = 0.35;
constexpr float kShell = 0.22F, kVolume = 0.035F, kFewVolumes = 0.2F, kWall = 0.12F;

struct Span {
  Vec3 lo{kFarthest, kFarthest, kFarthest}, hi{-kFarthest, -kFarthest, -kFarthest};

  bool empty() const { return !(lo.x <= hi.x); }
  void add(Vec3 p) {
    if (!(std::abs(p.x) < kFarthest && std::abs(p.y) < kFarthest && std::abs(p.z) < kFarthest)) {
      return;
    }
    lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
  }
  Vec3 middle() const { return 0.5 * (lo + hi); }
  double size() const { return empty() ? 0 : norm(hi - lo); }
  std::array<Vec3, 8> corners() const {
    std::array<Vec3, 8> all;
    for (std::size_t i = 0; i < 8; ++i) {
      all[i] = {(i & 1) != 0 ? hi.x : lo.x, (i & 2) != 0 ? hi.y : lo.y, (i & 4) != 0 ? hi.z : lo.z};
    }
    return all;
  }
};

/// Calls `work` with three corners for each triangle of a solid at a pose.
template <typename Work>
void for_each_triangle(const SmoothSolid& solid, const Pose& X_WS, const Work& work) {
  for (std::size_t i = 0; i + 2 < solid.indices.size(); i += 3) {
    std::array<Raster::Corner, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      corners[k] = {X_WS * solid.points[solid.indices[i + k]], X_WS.R * solid.normals[i + k]};
    }
    work(std::span<const Raster::Corner, 3>(corners));
  }
}

template <typename Work>
void for_each_triangle(const DrawnBox& box, const Work& work) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const auto local = [&](double u, double v) {
        const double c[3] = {side, u, v};
        const auto at = [&](int k) { return c[(k - axis + 3) % 3]; };
        return Vec3{at(0) * box.half.x, at(1) * box.half.y, at(2) * box.half.z};
      };
      const Vec3 n =
          box.X_WB.R * Vec3{axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
      const Vec3 p[4] = {box.X_WB * local(-1, -1), box.X_WB * local(1, -1), box.X_WB * local(1, 1),
                         box.X_WB * local(-1, 1)};
      work(std::array<Raster::Corner, 3>{{{p[0], n}, {p[1], n}, {p[2], n}}});
      work(std::array<Raster::Corner, 3>{{{p[0], n}, {p[2], n}, {p[3], n}}});
    }
  }
}

Vec3 unit(Vec3 v) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : Vec3{0, 0, 1};
}

/// Looks at the middle of these points from that side, and has all of them in the picture.
Camera fitted(Vec3 back, std::span<const Vec3> points, double width, double height) {
  Camera camera;
  camera.back = unit(back);
  // Seen from above, what is ahead is up.
  const Vec3 above = camera.back.z > 0.999 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  camera.right = unit(cross(above, camera.back));
  camera.up = cross(camera.back, camera.right);
  camera.focal = 3.2;
  if (points.empty()) {
    camera.eye = 5 * camera.back;
    return camera;
  }
  constexpr double kFilled = 0.88;  ///< of the picture
  const double tan_y = kFilled / camera.focal, tan_x = tan_y * width / height;
  Vec3 middle = points.front();
  double distance = 0;
  const auto beside = [&](Vec3 p, double& x, double& y, double& before) {
    x = dot(camera.right, p - middle), y = dot(camera.up, p - middle);
    before = dot(camera.back, p - middle);
  };
  for (int round = 0; round < 8; ++round) {
    distance = 0;
    double x = 0, y = 0, before = 0;
    for (const Vec3 p : points) {
      beside(p, x, y, before);
      distance = std::max({distance, before + std::abs(x) / tan_x, before + std::abs(y) / tan_y});
    }
    // The middle goes where what is seen lies evenly around it.
    double lo_x = 0, hi_x = 0, lo_y = 0, hi_y = 0;
    bool first = true;
    for (const Vec3 p : points) {
      beside(p, x, y, before);
      const double depth = std::max(distance - before, 1e-6);
      if (first || x / depth < lo_x) lo_x = x / depth;
      if (first || x / depth > hi_x) hi_x = x / depth;
      if (first || y / depth < lo_y) lo_y = y / depth;
      if (first || y / depth > hi_y) hi_y = y / depth;
      first = false;
    }
    middle = middle + (0.5 * distance * (lo_x + hi_x)) * camera.right +
             (0.5 * distance * (lo_y + hi_y)) * camera.up;
  }
  distance = std::max(distance, 1e-3);
  camera.eye = middle + distance * camera.back;
  camera.near = 0.02 * distance;
  return camera;
}

/// What is drawn, in the world.
class Painter {
 public:
  Painter(const World& world, const DrawnWorld& drawn, const PosedWorld& posed)
      : world_(world), drawn_(drawn), posed_(posed) {
    for (const DrawnItem& item : drawn.items) {
      if (item.layer == DrawnItem::Layer::shape) has_shape_.insert({item.solid, true});
    }
    measure();
  }

  /// Robots, and what is near enough to be asked about.
  const std::vector<Vec3>& framed() const { return framed_; }
  const Span& whole() const { return whole_; }
  const Span& robots() const { return robots_; }

  void add_volumes(std::span<const DrawnVolume> volumes) {
    for (const DrawnVolume& volume : volumes) {
      for (const Vec3 corner : box_of(volume.shape).corners()) {
        framed_.push_back(volume.X_WF * corner);
        whole_.add(framed_.back());
      }
    }
  }

  void paint(Raster& raster) {
    std::uint32_t item_number = 0;
    for (const DrawnItem& item : drawn_.items) {
      ++item_number;
      const bool is_body = item.layer == DrawnItem::Layer::body;
      if (item.layer == DrawnItem::Layer::hull) continue;
      const bool shell = is_body && has_shape_.contains(item.solid);
      if (shell && !differs(item)) continue;
      const auto shape = static_cast<std::size_t>(item.shape);
      if (item.shape < 0 || shape >= drawn_.shapes.size()) continue;
      auto [found, fresh] = solids_.try_emplace(item.shape);
      if (fresh) found->second = smoothed(drawn_.shapes[shape]);
      const Light colour = colour_of(item.solid);
      const std::uint32_t number = item_number | (is_robot(item) ? Raster::kKeptClear : 0);
      for_each_triangle(found->second, pose_of(item), [&](auto corners) {
        if (shell) {
          raster.translucent(corners, colour, kShell);
        } else {
          raster.opaque(corners, colour, number);
        }
      });
    }
    for (const DrawnBox& box : drawn_.boxes) {
      ++item_number;
      const Light colour = colour_of(box.solid);
      for_each_triangle(box, [&](const std::array<Raster::Corner, 3>& corners) {
        raster.opaque(corners, colour, item_number);
      });
    }
    const SmoothSolid round = drawn_.balls.empty() ? SmoothSolid{} : unit_ball(drawn_.balls.size());
    for (const DrawnBall& each : drawn_.balls) {
      ++item_number;
      const Light colour = colour_of(each.solid);
      SmoothSolid grown = round;
      for (Vec3& p : grown.points) p = each.radius * p;
      for_each_triangle(grown, {Mat3{}, each.centre},
                        [&](auto corners) { raster.opaque(corners, colour, item_number); });
    }
    paint_planes(raster);
  }

 private:
  Pose pose_of(const DrawnItem& item) const {
    const auto frame = static_cast<std::size_t>(item.frame);
    return frame < posed_.frames.size() ? posed_.frames[frame] * item.X_FI : item.X_FI;
  }

  bool is_robot(const DrawnItem& item) const {
    const auto solid = static_cast<std::size_t>(item.solid);
    return item.frame > 0 ||
           (item.solid >= 0 && solid < world_.solids().size() && world_.solids()[solid].robot >= 0);
  }

  /// A body that is all but its shape would only hide it.
  bool differs(const DrawnItem& item) const {
    if (item.body < 0) return false;
    const BodyInfo& body = world_.bodies()[static_cast<std::size_t>(item.body)];
    return body.modelled || body.shape == "mesh" || body.excess > 1e-3;
  }

  Light colour_of(int solid) const {
    const auto index = static_cast<std::size_t>(solid);
    const bool known = solid >= 0 && index < world_.solids().size();
    const bool robot = known && world_.solids()[index].robot >= 0;
    if (solid >= 0 && index < posed_.clearance.size()) {
      const double metres = posed_.clearance[index];
      const Light colour = clearance_colour(metres);
      // What is far stands back behind the robots.
      const double far = std::isnan(metres) ? 0 : std::clamp((metres - 0.05) / 0.45, 0.0, 1.0);
      return robot ? colour : mix(colour, light_of(0xd5dae0), static_cast<float>(0.7 * far));
    }
    // Too many pairs to know each: those that are nearest are.
    for (const Nearest& near : posed_.near) {
      if (near.a == solid || near.b == solid) return clearance_colour(near.distance);
    }
    return clearance_colour(robot ? std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::quiet_NaN());
  }

  static Span box_of(const Grid& grid) {
    Span span;
    for (std::size_t i = 0; i + 2 < grid.vertices.size(); i += 3) {
      span.add(grid.lo + grid.step * Vec3{static_cast<double>(grid.vertices[i]),
                                          static_cast<double>(grid.vertices[i + 1]),
                                          static_cast<double>(grid.vertices[i + 2])});
    }
    return span;
  }

  void measure() {
    std::vector<Span> boxes;
    for (const Grid& shape : drawn_.shapes) boxes.push_back(box_of(shape));
    std::vector<std::array<Vec3, 8>> others;
    for (const DrawnItem& item : drawn_.items) {
      const auto shape = static_cast<std::size_t>(item.shape);
      if (item.shape < 0 || shape >= boxes.size() || boxes[shape].empty()) continue;
      std::array<Vec3, 8> corners = boxes[shape].corners();
      const Pose X = pose_of(item);
      for (Vec3& p : corners) p = X * p;
      if (!is_robot(item)) {
        others.push_back(corners);
        continue;
      }
      for (const Vec3 p : corners) {
        robots_.add(p);
        framed_.push_back(p);
      }
    }
    for (const DrawnBox& box : drawn_.boxes) {
      std::array<Vec3, 8> corners = Span{-1.0 * box.half, box.half}.corners();
      for (Vec3& p : corners) p = box.X_WB * p;
      others.push_back(corners);
    }
    for (const DrawnBall& each : drawn_.balls) {
      const Vec3 r{each.radius, each.radius, each.radius};
      others.push_back(Span{each.centre - r, each.centre + r}.corners());
    }
    whole_ = robots_;
    const double reach = kNear * robots_.size();
    for (const auto& corners : others) {
      Span own;
      for (const Vec3 p : corners) own.add(p);
      if (own.empty()) continue;
      const bool near =
          robots_.empty() || overlap({own.lo, own.hi}, {robots_.lo - Vec3{reach, reach, reach},
                                                        robots_.hi + Vec3{reach, reach, reach}});
      if (!near) continue;
      // A floor or a long wall does not make the robots small.
      const bool large = own.size() > robots_.size();
      for (const Vec3 p : corners) {
        whole_.add(p);
        framed_.push_back(robots_.empty() ? p : clamped(p, large ? 0 : 0.7 * reach));
      }
    }
    std::erase_if(framed_, [](Vec3 p) {
      return !(std::abs(p.x) < kFarthest && std::abs(p.y) < kFarthest && std::abs(p.z) < kFarthest);
    });
  }

  Vec3 clamped(Vec3 p, double reach) const {
    const Vec3 lo = robots_.lo - Vec3{reach, reach, reach};
    const Vec3 hi = robots_.hi + Vec3{reach, reach, reach};
    return {std::clamp(p.x, lo.x, hi.x), std::clamp(p.y, lo.y, hi.y), std::clamp(p.z, lo.z, hi.z)};
  }

  /// A wall is without end: a piece of it beside what is drawn stands for it.
  void paint_planes(Raster& raster) const {
    const Span& near = robots_.empty() ? whole_ : robots_;
    const double half = 0.75 * std::max(near.size(), 0.1);
    for (const DrawnPlane& plane : drawn_.planes) {
      const Vec3 n = unit(plane.normal);
      if (n.z > 0.999) continue;  // the ground shows it
      const Vec3 middle = near.empty() ? Vec3{} : near.middle();
      const Vec3 foot = middle - dot(n, middle - plane.point) * n;
      const Vec3 u = unit(cross(std::abs(n.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0}, n));
      const Vec3 v = cross(n, u);
      const auto corner = [&](double a, double b) {
        return Raster::Corner{foot + (a * half) * u + (b * half) * v, n};
      };
      const Light colour = colour_of(plane.solid);
      raster.translucent(std::array<Raster::Corner, 3>{corner(-1, -1), corner(1, -1), corner(1, 1)},
                         colour, kWall);
      raster.translucent(std::array<Raster::Corner, 3>{corner(-1, -1), corner(1, 1), corner(-1, 1)},
                         colour, kWall);
    }
  }

  const World& world_;
  const DrawnWorld& drawn_;
  const PosedWorld& posed_;
  std::map<int, bool> has_shape_;
  std::map<int, SmoothSolid> solids_;
  std::vector<Vec3> framed_;
  Span whole_, robots_;
};

/// From where the picture is taken. Of the corners of a room, the one from which most of the robots
/// is seen; the first one unless another is clearly better.
Vec3 direction_of(Painter& painter, const RenderOptions& options) {
  switch (options.view) {
    case View::front:
      return {1, 0, 0.05};
    case View::left:
      return {0, 1, 0.05};
    case View::top:
      return {0, 0, 1};
    case View::iso:
      break;
  }
  constexpr Vec3 kCorners[] = {{1, -0.9, 0.62}, {1, 0.9, 0.62}, {-1, -0.9, 0.62}, {-1, 0.9, 0.62}};
  constexpr int kWidth = 160;
  constexpr double kBetter = 1.15;
  const int height = std::clamp(kWidth * options.height / options.width, 40, 640);
  Vec3 best = kCorners[0];
  double most = 0;
  for (const Vec3 corner : kCorners) {
    Raster raster(kWidth, height, fitted(corner, painter.framed(), kWidth, height));
    painter.paint(raster);
    const auto seen = static_cast<double>(raster.samples_of(Raster::kKeptClear));
    if (seen > (most > 0 ? kBetter * most : 0)) {
      best = corner;
      most = seen;
    }
  }
  return best;
}

/// The floor of the scene, or a level just under what is lowest.
Ground ground_under(const DrawnWorld& drawn, const Painter& painter) {
  const Span& near = painter.robots().empty() ? painter.whole() : painter.robots();
  Ground ground;
  ground.centre = near.empty() ? Vec3{} : near.middle();
  double floor = painter.whole().empty() ? 0 : painter.whole().lo.z;
  for (const DrawnPlane& plane : drawn.planes) {
    if (unit(plane.normal).z > 0.999 && std::abs(plane.point.z) < kFarthest) floor = plane.point.z;
  }
  ground.centre.z = floor;
  const double size = std::max(near.size(), 0.01);
  ground.radius = 3 * size;
  // About forty lines across a robot, at a round number of metres.
  ground.line = std::pow(10.0, std::floor(std::log10(size / 4)));
  return ground;
}

void paint_nearest(const PosedWorld& posed, Raster& raster, double scale) {
  const Nearest& nearest = posed.nearest;
  if (nearest.a < 0 || !is_finite(nearest.point_a) || !is_finite(nearest.point_b)) return;
  const Light colour = light_of(0x111827);
  raster.line(nearest.point_a, nearest.point_b, 2.5 * scale, colour);
  raster.spot(nearest.point_a, 6.5 * scale, colour);
  raster.spot(nearest.point_b, 6.5 * scale, colour);
}

}  // namespace

std::optional<View> view_called(const std::string& name) {
  constexpr std::pair<const char*, View> kViews[] = {
      {"iso", View::iso}, {"front", View::front}, {"left", View::left}, {"top", View::top}};
  for (const auto& [known, view] : kViews) {
    if (name == known) return view;
  }
  return std::nullopt;
}

Picture render(const World& world, const DrawnWorld& drawn, const PosedWorld& posed,
               std::span<const DrawnVolume> volumes, const RenderOptions& options) {
  Painter painter(world, drawn, posed);
  painter.add_volumes(volumes);
  Raster raster(
      options.width, options.height,
      fitted(direction_of(painter, options), painter.framed(), options.width, options.height));
  raster.set_ground(ground_under(drawn, painter));
  painter.paint(raster);
  // Those of a long motion lie over each other many times.
  const float alpha =
      std::clamp(8.0F / static_cast<float>(volumes.size() + 1), kVolume, kFewVolumes);
  for (const DrawnVolume& volume : volumes) {
    for_each_triangle(smoothed(volume.shape), volume.X_WF, [&](auto corners) {
      raster.translucent(corners, light_of(0x0c8f83), alpha);
    });
  }
  paint_nearest(posed, raster, std::min(options.width, options.height) / 1000.0);
  return raster.draw(options.threads);
}

}  // namespace keepclear::command
