// SPDX-License-Identifier: BSD-3-Clause
//
// The cell of the octree benchmark: two arms of capsules at a bench, their tasks, and the boxes
// that are added around them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/geometry.hpp"
#include "keepclear/scene.hpp"
#include "robot/model.hpp"

namespace keepclear::bench {

/// A solid of one body. Those that move stand in the frame of their link, all others in the world.
struct Part {
  enum class Kind { box, capsule };
  Kind kind = Kind::box;
  Vec3 size;                      ///< box
  double radius = 0, length = 0;  ///< capsule, along z and centred; length of the cylindrical part
  Pose X;
};

/// The box around a placed part.
Box box_of(const Part& part, const Pose& X_WP);

/// A near pair: a part that moves, and another, moving or not. The smaller index comes first.
using Pair = std::array<int, 2>;

/// Forward kinematics of the arms, plain and of its own: were Keepclear's wrong, the answers would
/// not agree.
class Arms {
 public:
  Arms() = default;
  /// `robots` as in the scene, each with its model; `joints` are the names of the variables,
  /// `links` those of the solids that move.
  Arms(std::span<const SceneRobot> robots, std::span<const RobotModel> models,
       std::span<const std::string> joints, std::span<const std::string> links);

  /// The poses of the links named, in that order.
  void forward(std::span<const double> q, std::span<Pose> X_WL);
  /// No point of the arms is ever farther from the base of its arm than this, metres.
  double reach() const { return reach_; }

 private:
  struct Step {
    int parent = 0, child = 0, variable = -1;
    Vec3 axis;
    Pose X_PJ;
  };
  std::vector<Step> steps_;
  std::vector<Pose> frames_;
  std::vector<int> wanted_;
  double reach_ = 0;
};

/// Parts are numbered: first those that move, then those that stand still. Each is a solid of the
/// compiled world, under its name.
struct Cell {
  Scene scene;
  std::vector<std::string> names;  ///< of the parts of the cell as it comes
  std::vector<Part> moving, fixed;
  std::vector<std::string> joints;
  Arms arms;
  Vec3 middle;  ///< between the bases of the arms

  /// Whether part i, which moves, is checked against part j. Boxes that were added always are.
  bool checked(int i, int j) const {
    const auto row = static_cast<std::size_t>(i) * names.size();
    return static_cast<std::size_t>(j) >= names.size() ||
           checked_[row + static_cast<std::size_t>(j)];
  }
  int moving_count() const { return static_cast<int>(moving.size()); }
  int count() const { return static_cast<int>(moving.size() + fixed.size()); }
  /// Adds a box that stands still, called kAdded and its place among all that stand still.
  static constexpr std::string_view kAdded = "added_";
  void add(Vec3 size, const Origin& pose);

  std::vector<bool> checked_;  ///< moving times all parts of the cell as it comes
};

/// The built-in cell. Throws when there is none, or when it has what the benchmark does not know.
Cell load_cell();

/// The tasks one after the other, each sampled at `period` (seconds) until something touches.
struct Motion {
  double period = 0;
  std::size_t count = 0, dof = 0, parts = 0;
  std::vector<double> q;
  std::vector<Pose> X_WP;          ///< of the parts that move
  std::vector<std::string> tasks;  ///< name and number of cycles, for the report

  std::span<const double> row(std::size_t i) const { return std::span(q).subspan(i * dof, dof); }
  std::span<const Pose> poses(std::size_t i) const {
    return std::span(X_WP).subspan(i * parts, parts);
  }
};
/// `limit` bounds the number of cycles; the period grows until it is kept.
Motion load_motion(Cell& cell, double period, std::size_t limit);

/// Where the arms come near: a set of voxels around all places of the motion.
class Swept {
 public:
  Swept(const Cell& cell, const Motion& motion, double clearance);
  /// False only if no part that moves ever comes nearer to the box than the clearance.
  bool meets(const Box& box) const;
  const Box& bounds() const { return bounds_; }

 private:
  Box bounds_;  ///< around all places of the arms
  Vec3 corner_;
  std::array<int, 3> size_{};
  std::vector<bool> marked_;
};

enum class Spread {
  near,    ///< in the immediate surroundings of the arms, as in the paper
  far,     ///< beyond their reach, at constant density: the world grows
  spread,  ///< in a cube around the arms, so many and so small that the cube is always as full
};
const char* to_string(Spread spread);

/// The cell with so many boxes added that it has `objects` parts that stand still. No part that
/// moves ever comes nearer to an added box than the clearance of `swept`.
Cell with_boxes(const Cell& cell, const Swept& swept, Spread spread, std::size_t fixed,
                std::uint64_t seed);

}  // namespace keepclear::bench
