// SPDX-License-Identifier: BSD-3-Clause
//
// The boxes that the octree benchmark adds around the arms.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "bench/octree_scene.hpp"

namespace keepclear::bench {
namespace {

constexpr double kVoxel = 0.05;

/// Numbers in [0, 1) that do not depend on the standard library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double operator()(double lo, double hi) { return lo + (hi - lo) * (*this)(); }

 private:
  std::mt19937_64 engine_;
};

double distance_to_axis(Vec3 point, const Part& capsule, const Pose& X_WP) {
  const Vec3 axis = X_WP.R * Vec3{0, 0, 1}, from = point - X_WP.p;
  const double along = std::clamp(dot(from, axis), -0.5 * capsule.length, 0.5 * capsule.length);
  return norm(from - along * axis);
}

Box grown(const Box& box, double by) {
  return {box.lo - Vec3{by, by, by}, box.hi + Vec3{by, by, by}};
}

int cell_index(double at, double corner, int size) {
  return static_cast<int>(std::clamp(std::floor((at - corner) / kVoxel), 0.0, size - 1.0));
}

}  // namespace

Swept::Swept(const Cell& cell, const Motion& motion, double clearance) {
  bounds_ = box_of(cell.moving[0], motion.X_WP[0]);
  for (std::size_t k = 0; k < motion.X_WP.size(); ++k) {
    const Box box = box_of(cell.moving[k % motion.parts], motion.X_WP[k]);
    bounds_.lo = {std::min(bounds_.lo.x, box.lo.x), std::min(bounds_.lo.y, box.lo.y),
                  std::min(bounds_.lo.z, box.lo.z)};
    bounds_.hi = {std::max(bounds_.hi.x, box.hi.x), std::max(bounds_.hi.y, box.hi.y),
                  std::max(bounds_.hi.z, box.hi.z)};
  }
  const Box around = grown(bounds_, clearance + kVoxel);
  corner_ = around.lo;
  for (int axis = 0; axis < 3; ++axis) {
    size_[static_cast<std::size_t>(axis)] =
        static_cast<int>(std::ceil((around.hi[axis] - around.lo[axis]) / kVoxel));
  }
  marked_.assign(static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) *
                     static_cast<std::size_t>(size_[2]),
                 false);
  // A voxel is marked if any point of it may be within the clearance of a capsule.
  const double half_diagonal = 0.5 * kVoxel * std::numbers::sqrt3;
  for (std::size_t k = 0; k < motion.X_WP.size(); ++k) {
    const Part& part = cell.moving[k % motion.parts];
    const Box box = grown(box_of(part, motion.X_WP[k]), clearance + kVoxel);
    const double within = part.radius + clearance + half_diagonal;
    const auto from = [&](int axis) {
      return cell_index(box.lo[axis], corner_[axis], size_[static_cast<std::size_t>(axis)]);
    };
    const auto to = [&](int axis) {
      return cell_index(box.hi[axis], corner_[axis], size_[static_cast<std::size_t>(axis)]);
    };
    for (int x = from(0); x <= to(0); ++x) {
      for (int y = from(1); y <= to(1); ++y) {
        for (int z = from(2); z <= to(2); ++z) {
          const auto place = static_cast<std::size_t>((x * size_[1] + y) * size_[2] + z);
          if (marked_[place]) continue;
          const Vec3 centre = corner_ + kVoxel * Vec3{x + 0.5, y + 0.5, z + 0.5};
          marked_[place] = distance_to_axis(centre, part, motion.X_WP[k]) <= within;
        }
      }
    }
  }
}

bool Swept::meets(const Box& box) const {
  int lo[3], hi[3];
  for (int axis = 0; axis < 3; ++axis) {
    const int size = size_[static_cast<std::size_t>(axis)];
    if (box.hi[axis] < corner_[axis] || box.lo[axis] > corner_[axis] + size * kVoxel) return false;
    lo[axis] = cell_index(box.lo[axis], corner_[axis], size);
    hi[axis] = cell_index(box.hi[axis], corner_[axis], size);
  }
  for (int x = lo[0]; x <= hi[0]; ++x) {
    for (int y = lo[1]; y <= hi[1]; ++y) {
      for (int z = lo[2]; z <= hi[2]; ++z) {
        if (marked_[static_cast<std::size_t>((x * size_[1] + y) * size_[2] + z)]) return true;
      }
    }
  }
  return false;
}

const char* to_string(Spread spread) {
  switch (spread) {
    case Spread::near:
      return "near";
    case Spread::far:
      return "far";
    case Spread::spread:
      break;
  }
  return "spread";
}

Cell with_boxes(const Cell& cell, const Swept& swept, Spread spread, std::size_t fixed,
                std::uint64_t seed) {
  Cell out = cell;
  if (fixed <= cell.fixed.size()) return out;
  const std::size_t count = fixed - cell.fixed.size();
  out.fixed.reserve(fixed);
  out.scene.objects.reserve(fixed);
  Uniform uniform(seed);

  // A ball around all that both arms can reach, whatever their joints.
  double reach = 0;
  for (const SceneRobot& robot : cell.scene.robots) {
    reach = std::max(reach, norm(robot.base.xyz - cell.middle) + cell.arms.reach());
  }
  constexpr double kSpacing = 0.3;  // of the far ones: one in each cube of this edge
  constexpr double kCube = 6;
  Box region = grown(swept.bounds(), 0.3);
  double least = 0.03, most = 0.12;  // edge lengths
  if (spread == Spread::far) {
    const double ball = 4.0 / 3.0 * std::numbers::pi * reach * reach * reach;
    const double volume = ball + static_cast<double>(count) * kSpacing * kSpacing * kSpacing;
    const double half = std::max(reach, 0.5 * std::cbrt(volume));
    region = grown({cell.middle, cell.middle}, half);
    most = 0.2;
  } else if (spread == Spread::spread) {
    region = grown({cell.middle, cell.middle}, 0.5 * kCube);
    const double spacing = kCube / std::cbrt(static_cast<double>(count));
    least = 0.1 * spacing;
    most = std::min(0.4 * spacing, 0.5);
  }
  while (out.fixed.size() < fixed) {
    const Vec3 size{uniform(least, most), uniform(least, most), uniform(least, most)};
    Origin pose;
    pose.xyz = {uniform(region.lo.x, region.hi.x), uniform(region.lo.y, region.hi.y),
                uniform(region.lo.z, region.hi.z)};
    // Every other box is turned, so that boxes and the boxes around them differ.
    const double yaw = uniform(0, std::numbers::pi);
    if (out.fixed.size() % 2 != 0) pose.rpy.z = yaw;
    if (spread == Spread::far && norm(pose.xyz - cell.middle) < reach + norm(size)) continue;
    const Pose X{rotation_from_rpy(pose.rpy), pose.xyz};
    if (swept.meets(box_of({Part::Kind::box, size, 0, 0, X}, X))) continue;
    out.add(size, pose);
  }
  return out;
}

}  // namespace keepclear::bench
