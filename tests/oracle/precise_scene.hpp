// SPDX-License-Identifier: BSD-3-Clause
//
// Robots of balls and capsules among balls, in 113 bits: where everything is in a configuration,
// and how near it comes. Shares no arithmetic with the library.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/scene.hpp"
#include "oracle/reference_kinematics.hpp"
#include "robot/urdf.hpp"

namespace keepclear::oracle {

/// The same numbers for the same seed everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}
  double between(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  bool chance(double share) { return between(0, 1) < share; }
  double log_between(double lower, double upper) {
    return std::exp(between(std::log(lower), std::log(upper)));
  }
  Vec3 direction() {
    for (;;) {
      const double x = between(-1, 1), y = between(-1, 1);
      const Vec3 v{x, y, between(-1, 1)};
      if (const double length = keepclear::norm(v); length > 0.1 && length < 1) {
        return (1 / length) * v;
      }
    }
  }

 private:
  std::mt19937_64 random_;
};

/// Of segments ab and cd: the least distance of any two points, by all candidates.
inline Quad segment_distance(const QVec& a, const QVec& b, const QVec& c, const QVec& d) {
  const QVec u = b - a, v = d - c, r = a - c;
  const Quad uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ru = dot(r, u), rv = dot(r, v);
  const auto clamp01 = [](Quad t) { return t > 0 ? (t < 1 ? t : Quad(1)) : Quad(0); };
  Quad least = dot(r, r);
  const auto offer = [&](Quad s, Quad t) {
    const QVec apart = (a + s * u) - (c + t * v);
    least = std::min(least, dot(apart, apart));
  };
  const auto on_first = [&](Quad t) { return uu > 0 ? clamp01((t * uv - ru) / uu) : Quad(0); };
  const auto on_second = [&](Quad s) { return vv > 0 ? clamp01((s * uv + rv) / vv) : Quad(0); };
  for (const int end : {0, 1}) {
    offer(end, on_second(end));
    offer(on_first(end), end);
  }
  const Quad det = uu * vv - uv * uv;
  if (det > 0) {
    const Quad s = (uv * rv - vv * ru) / det;
    if (s > 0 && s < 1) offer(s, on_second(s));
  }
  return sqrtq(least);
}

/// A ball or a capsule along z in a link, or a ball in the world.
struct PreciseShape {
  int link = -1;
  QVec a, b;
  Quad radius = 0;
};

class PreciseScene {
 public:
  /// `urdf` has one collision element a link at most, without a rotation; links that no joint is
  /// between are adjacent; the root moves with nothing.
  PreciseScene(const std::string& urdf, const std::vector<std::pair<Vec3, double>>& balls)
      : model_(parse_urdf(urdf, "precise.urdf", {}, {})), kinematics_(model_) {
    for (std::size_t l = 0; l < model_.links.size(); ++l) {
      for (const Collision& c : model_.links[l].collisions) {
        const QVec centre = widen<Quad>(c.origin.xyz);
        const bool capsule = c.geometry.kind == Geometry::Kind::capsule;
        const QVec half{0, 0, capsule ? Quad(c.geometry.length) / 2 : Quad(0)};
        shapes_.push_back({static_cast<int>(l), centre - half, centre + half, c.geometry.radius});
      }
    }
    const std::size_t own = shapes_.size();
    for (std::size_t i = 0; i < own; ++i) {
      for (std::size_t j = i + 1; j < own; ++j) {
        if (!adjacent(shapes_[i].link, shapes_[j].link)) pairs_.emplace_back(i, j);
      }
    }
    for (const auto& [centre, radius] : balls) {
      for (std::size_t i = 0; i < own; ++i) {
        if (shapes_[i].link != model_.root) pairs_.emplace_back(i, shapes_.size());
      }
      shapes_.push_back({-1, widen<Quad>(centre), widen<Quad>(centre), radius});
    }
  }

  const RobotModel& model() const { return model_; }
  std::size_t dof() const { return kinematics_.dof(); }
  std::size_t pair_count() const { return pairs_.size(); }
  std::vector<QPose> poses(std::span<const Quad> q) const { return kinematics_(q); }

  /// The least distance of any pair; negative by how deep the radii overlap.
  Quad least(std::span<const Quad> q) const {
    const std::vector<QPose> X = kinematics_(q);
    std::vector<QVec> a, b;
    std::vector<Vec3> middle;
    std::vector<double> around;
    for (const PreciseShape& shape : shapes_) {
      a.push_back(shape.link < 0 ? shape.a : X[shape.link] * shape.a);
      b.push_back(shape.link < 0 ? shape.b : X[shape.link] * shape.b);
      middle.push_back(narrow(Quad(0.5) * (a.back() + b.back())));
      around.push_back(static_cast<double>(norm(b.back() - a.back()) / 2 + shape.radius) *
                       (1 + 1e-9));
    }
    Quad least = std::numeric_limits<double>::infinity();
    for (const auto& [i, j] : pairs_) {
      const double apart = keepclear::norm(middle[i] - middle[j]) * (1 - 1e-9);
      if (apart - around[i] - around[j] > least) continue;
      least = std::min(
          least, segment_distance(a[i], b[i], a[j], b[j]) - shapes_[i].radius - shapes_[j].radius);
    }
    return least;
  }

 private:
  bool adjacent(int a, int b) const {
    const auto parent = [&](int link) {
      const int joint = model_.links[link].parent_joint;
      return joint < 0 ? -1 : model_.joints[joint].parent;
    };
    return parent(a) == b || parent(b) == a;
  }

  RobotModel model_;
  ReferenceKinematics kinematics_;
  std::vector<PreciseShape> shapes_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

/// The world of the library of the same robot and balls.
inline World compile_precise(const std::string& urdf, const std::string& name,
                             const std::vector<std::pair<Vec3, double>>& balls) {
  namespace fs = std::filesystem;
  const fs::path file = fs::temp_directory_path() / fmt::format("keepclear-{}.urdf", name);
  std::ofstream(file) << urdf;
  Scene scene;
  SceneRobot robot;
  robot.urdf = file;
  scene.robots.push_back(robot);
  for (std::size_t i = 0; i < balls.size(); ++i) {
    SceneObject object;
    object.name = fmt::format("ball{}", i);
    object.shape.kind = Shape::Kind::sphere;
    object.shape.radius = balls[i].second;
    object.pose.xyz = balls[i].first;
    scene.objects.push_back(object);
  }
  World world = compile(scene);
  fs::remove(file);
  return world;
}

/// A point of a Bezier curve in joint space: control points by rows.
inline std::vector<Quad> bezier_point(std::span<const double> control, std::size_t dof, Quad t) {
  std::vector<Quad> row(control.begin(), control.end());
  for (std::size_t left = row.size() / dof - 1; left > 0; --left) {
    for (std::size_t i = 0; i < left * dof; ++i) row[i] = row[i] + t * (row[i + dof] - row[i]);
  }
  row.resize(dof);
  return row;
}

}  // namespace keepclear::oracle
