// SPDX-License-Identifier: BSD-3-Clause
//
// A robot as its description says it, before anything is computed from it: the kinematic tree,
// joints, limits, mimic joints, collision elements. Numbers stand here as they were written.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keepclear/geometry.hpp"
#include "shape/mesh.hpp"

namespace keepclear {

enum class JointType { fixed, revolute, continuous, prismatic, planar, floating };
const char* to_string(JointType type) noexcept;

/// value = multiplier * value of `joint` + offset. Chains are allowed, cycles are not.
struct Mimic {
  int joint = -1;
  double multiplier = 1;
  double offset = 0;
};

struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  int parent = -1;  ///< index of the parent link
  int child = -1;   ///< index of the child link
  Origin origin;
  /// As written, finite, of a length between 1e-6 and 1e6; not normalised. (1, 0, 0) for fixed and
  /// floating joints, which have none.
  Vec3 axis{1, 0, 0};
  /// Position limits of revolute and prismatic joints; infinite for all others.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();  ///< limit, if one is given
  std::optional<Mimic> mimic;
  int line = 0;
};

struct Geometry {
  enum class Kind { box, sphere, cylinder, capsule, cone, mesh };
  Kind kind = Kind::box;
  Vec3 size;                               ///< box
  double radius = 0;                       ///< sphere, cylinder, capsule, cone
  double length = 0;                       ///< cylinder, cone; capsule: of the cylindrical part
  std::string uri;                         ///< mesh: as written
  std::filesystem::path file;              ///< mesh: as resolved
  Vec3 scale{1, 1, 1};                     ///< mesh; of a file
  std::shared_ptr<const Mesh> in_place{};  ///< mesh: instead of a file
};
const char* to_string(Geometry::Kind kind) noexcept;

struct Collision {
  std::string name;  ///< as written; may be empty
  Geometry geometry;
  Origin origin;
  int line = 0;
};

struct Link {
  std::string name;
  std::vector<Collision> collisions;
  int parent_joint = -1;          ///< -1 for the root
  std::vector<int> child_joints;  ///< in the order of the file
  int line = 0;
  std::string file{};  ///< where it comes from, if that is not the file of the model
  /// What is seen, not checked. A mesh whose file was not found has its uri alone; what could not
  /// be understood is left out and told in `visual_faults`.
  std::vector<Collision> visuals{};
  std::vector<std::string> visual_faults{};
};

/// Movable joints one behind the other, from the root to any link: the bounds on sums along a chain
/// (docs/theory/certify.md, "Chains") are derived for that many. And joints that mimic one another
/// in turn.
inline constexpr int kMaxChain = 1000;
inline constexpr int kMaxMimicChain = 100;

/// A kinematic tree: every link is reached from the root exactly once.
struct RobotModel {
  std::string name;
  std::string file;           ///< for messages
  std::vector<Link> links;    ///< in the order of the file
  std::vector<Joint> joints;  ///< in the order of the file
  int root = -1;
  /// What a reader should know and that is no error: ignored elements and the like.
  std::vector<std::string> notes;

  int find_link(const std::string& name) const noexcept;   ///< -1 when there is none
  int find_joint(const std::string& name) const noexcept;  ///< -1 when there is none
  /// Joint indices depth first from the root, children in the order of the file.
  std::vector<int> depth_first_joints() const;

  /// From the parent and child links of the joints: the joints of every link, and the root. Throws
  /// Error (malformed) for a link with two parents, for two roots and for a cycle, naming both or
  /// the way round, and for more than kMaxChain movable joints one behind the other.
  void build_tree();
};

}  // namespace keepclear
