// SPDX-License-Identifier: BSD-3-Clause
//
// The compiled world behind keepclear::World: everything is decided here, once; queries only run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/scene.hpp"
#include "keepclear/world.hpp"
#include "robot/kinematics.hpp"
#include "robot/model.hpp"
#include "robot/srdf.hpp"
#include "scene/environment.hpp"

namespace keepclear {

/// A body in the frame that carries its link.
struct WorldBody {
  Body body;
  int link = 0;
  int frame = 0;
  int solid = 0;
};

/// Two links (or attached objects) that are checked, and their bodies: pairs of bodies
/// [first, last).
struct LinkPair {
  int solid_a = 0, solid_b = 0;
  int frame_a = 0, frame_b = 0;
  int first = 0, last = 0;
  double margin = 0;
};

/// Two bodies; `pair` is the LinkPair they belong to.
struct BodyPair {
  int a = 0, b = 0;
  int pair = 0;
};

/// One contact that the scene intends.
struct SolidContact {
  int link = 0, object = 0;
  double max_speed = 0;
};

/// Lets a map of names be asked for a view of one.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const noexcept {
    return std::hash<std::string_view>{}(name);
  }
};

/// An object that a link carries from the start.
struct SolidAttachment {
  int object = 0, link = 0;
  std::vector<int> touch;
};

/// A robot as its URDF calls it, what stands before the names of its links and joints here, and
/// where its base stands.
struct RobotNames {
  std::string name, prefix;
  Vec3 base{};
};

struct WorldData {
  explicit WorldData(const RobotModel& robot) : kinematics(robot) {}

  std::string name, file, hash;
  std::shared_ptr<const RobotModel> model;  ///< what it was compiled from, as it was written
  bool is_scene = false;  ///< link 0 of the model is the world, on which the robots stand
  std::vector<RobotNames> robots;
  Kinematics kinematics;
  std::vector<std::string> links, links_without_bodies, notes;
  std::vector<SolidInfo> solids;
  std::unordered_map<std::string, int, NameHash, std::equal_to<>> solid_by_name;
  std::vector<int> link_solids;  ///< of each link of the model; -1 without bodies
  /// hash_mesh() of the meshes of all collision elements, link by link; before those of a link with
  /// a model, the hash of its bodies there.
  std::vector<std::string> mesh_hashes;
  std::vector<WorldBody> bodies;
  std::vector<BodyInfo> body_infos;
  std::vector<LinkPair> link_pairs;
  std::vector<BodyPair> body_pairs;
  std::vector<PairInfo> pair_infos;
  std::size_t pair_count = 0;
  std::vector<LeftOutPair> left_out;
  Environment environment;
  PairRules rules;
  std::vector<SolidContact> contacts;
  std::vector<SolidAttachment> attached;
  /// The lowest frame above all bodies that are checked: joints above it move all of them alike.
  int origin = 0;

  bool moves(int solid) const noexcept { return solids[solid].moves; }
};

/// What may be checked at most; beyond it a world is refused.
inline constexpr std::size_t kMaxBodyPairs = 10'000'000;

/// Bodies for the links of one robot, in place of their shapes: a file, or the same in memory.
struct RobotBodies {
  int robot = 0;
  std::string prefix;  ///< before the names of links in it
  std::optional<std::filesystem::path> file;
  std::shared_ptr<const BodyModel> bodies;
};

/// A model to compile. Of a scene, link 0 is the world, and links from `first_attached` on are the
/// objects that links carry.
struct WorldModel {
  RobotModel robot;
  std::optional<Srdf> srdf;
  const Scene* scene = nullptr;     ///< none for a robot alone
  std::vector<int> robot_of_link;   ///< -1 for the world
  int first_attached = 0;           ///< links from here on are attached objects
  std::vector<int> object_of_link;  ///< index into scene->objects; -1 for links
  std::vector<RobotBodies> bodies;  ///< unless LoadOptions have some; not read before compiling
  std::vector<RobotNames> robots;

  /// Of a scene, link 0 is the world.
  int first_link() const noexcept { return scene != nullptr ? 1 : 0; }
};
World compile_model(WorldModel model, const LoadOptions& options);

/// A robot alone, as a URDF has it.
WorldModel model_of(const RobotModel& robot, const Srdf* srdf);
World compile_robot(const RobotModel& robot, const Srdf* srdf, const LoadOptions& options);
/// The tree of a scene, which must outlive it (compile.cpp).
WorldModel model_of(const Scene& scene, const LoadOptions& options);

/// Builds the bodies of all links: those of a model, or of collision elements (world_bodies.cpp).
void build_bodies(const WorldModel& model, const LoadOptions& options, WorldData& world);
/// Sorts all pairs of links with bodies into checked and left out, and likewise links and objects
/// that stand still (pairs.cpp).
void select_pairs(const WorldModel& model, WorldData& world);
/// Names the checked pairs that overlap in the neutral pose (pairs.cpp).
void mark_neutral_overlaps(const std::shared_ptr<WorldData>& world, bool has_srdf);
/// SHA-256, in hexadecimal, of everything that a verdict depends on (hash.cpp).
std::string hash_world(const WorldData& world, const WorldModel& model);
/// The same of a mesh: a verdict may depend on its triangles, not only on their hull.
std::string hash_mesh(const Mesh& mesh);

/// The checked pairs of solids that are not proved apart at q (query.cpp).
std::vector<std::pair<int, int>> find_overlaps(const World& world, std::span<const double> q);

}  // namespace keepclear
