// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/error.hpp"
#include "keepclear/geometry.hpp"
#include "keepclear/variable.hpp"

namespace keepclear {

struct BodyModel;

/// What a loader may be told.
struct LoadOptions {
  /// `package://NAME/...` is sought in packages[NAME], then in NAME below each of package_path,
  /// then upwards from the folder of the URDF.
  std::map<std::string, std::filesystem::path> packages{};
  std::vector<std::filesystem::path> package_path{};
  /// Pairs that need not be checked; without it, adjacent links alone are left out.
  std::optional<std::filesystem::path> srdf{};
  /// Without this, an SRDF or a scene that leaves nothing to check is refused: it would make every
  /// pose free.
  bool allow_no_pairs = false;
  /// Unknown attributes and stray text in a URDF are noted and passed over instead of refused. What
  /// they were meant to say is lost: read the notes.
  bool lenient = false;
  /// Hulls for each mesh. One is the hull of the mesh; more follow a non-convex mesh more closely.
  int parts = 1;
  /// Bodies in place of the shapes of the links, as fit() writes them: a file, or the same in
  /// memory. They are proved to contain what they stand for, or the world is refused. In a scene
  /// of several robots the names of links have that of their robot before them.
  std::optional<std::filesystem::path> model{};
  std::shared_ptr<const BodyModel> bodies{};
  /// Shapes all the same where a built-in robot, or a robot of the scene, comes with a model.
  bool without_model = false;
  /// A scene file with the surroundings of a robot given by its URDF.
  std::optional<std::filesystem::path> scene{};
  /// Threads for building hulls; 0 means one for each core. The result does not depend on it.
  int threads = 0;
};

/// One convex body of the model, and what it was made from.
struct BodyInfo {
  std::string link;
  std::string shape;        ///< box, sphere, cylinder, capsule, cone, mesh
  std::string name;         ///< of the collision element; may be empty
  std::string file;         ///< of a mesh, as resolved
  int element = 0;          ///< index of the collision element in its link
  int part = 0, parts = 1;  ///< of one element, when a mesh was split
  int line = 0;             ///< of the element in the URDF
  std::size_t source_vertices = 0, source_triangles = 0;  ///< of a mesh, in the file
  std::size_t points = 0;                                 ///< that span the body
  double radius = 0;                                      ///< around them, metres
  /// At most this far (metres) does the body reach beyond the shape it stands for: circumscribed
  /// cylinders, rounding, the body of a model. The hull of a non-convex mesh is counted as its
  /// shape.
  double excess = 0;
  double volume = 0;       ///< cubic metres
  double hull_volume = 0;  ///< of the hull of what it stands for
  bool modelled = false;   ///< it comes from a model, and `shape` is that of `element`
  /// Of a modelled body: the elements that it stands for, whole or in part, the largest share
  /// first. A triangle counts for the smallest body around it, so that a body within others may
  /// have none; it is measured by the whole link then. `element`, `name`, `file` and `line` are
  /// those of the first. Indices of collision elements; with a model around what is seen, of visual
  /// ones, and with one around both, those after the collision elements.
  std::vector<int> elements{};
};

/// Something that can be hit: a link that has bodies, or an object of the scene. Answers name two
/// of them.
struct SolidInfo {
  std::string name;
  bool is_object = false;
  bool moves = false;      ///< a joint moves it, alone or with the link that carries it
  int robot = -1;          ///< index of its robot; -1 for an object that stands in the world
  std::string shape;       ///< of an object: box, sphere, ..., octomap
  std::string file;        ///< of an object's mesh, cloud or map, as resolved
  std::size_t pieces = 0;  ///< convex pieces: bodies of a link, points of a cloud, cells of a map
  /// Of an object: at most this far (metres) does a piece, in the frame of the object, reach beyond
  /// the shape that its file or numbers say: circumscribed curves, rounding, float32. Of points and
  /// corners that are off by e, balls and boxes grown by e reach beyond by both. The hull of a mesh
  /// is counted as its shape. That of the bodies of a link stands in BodyInfo.
  double excess = 0;
};

/// Two solids that are checked against each other, as indices into World::solids().
struct PairInfo {
  int a = -1, b = -1;
  /// They overlap in the neutral pose: either the model is coarse there, or the pair wants an
  /// entry in an SRDF or in the scene's list of allowed pairs.
  bool overlap_at_neutral = false;
  double margin = 0;  ///< metres: how far apart `check` asks them to be
};

/// Two solids that are not checked, and why.
struct LeftOutPair {
  enum class Why {
    adjacent,    ///< joined by a joint
    rigid,       ///< no movable joint between them
    disabled,    ///< the SRDF says so
    by_default,  ///< the SRDF disables the default of one link and does not enable the pair
    allowed,     ///< the scene says so
    touch        ///< an attached object, and what the scene lets it touch
  };
  std::string a, b;
  Why why = Why::adjacent;
  std::string reason;  ///< the SRDF's own word; "Never" there means sampled, not proved
};
const char* to_string(LeftOutPair::Why why) noexcept;

struct WorldData;

/// Robots and objects compiled for queries: kinematic tree, bodies, pairs, the index of what stands
/// still. Const and shared: copies are cheap, any number of threads may use one at once.
class World {
 public:
  const std::string& name() const noexcept;
  const std::string& file() const noexcept;

  /// The numbers of a configuration, in the order used everywhere: movable joints that mimic none,
  /// depth first as in the URDF, robot by robot.
  std::span<const Variable> variables() const noexcept;
  std::size_t dof() const noexcept { return variables().size(); }
  /// All zeros (an identity quaternion), moved to the nearest limit where zero is outside.
  std::vector<double> neutral() const;

  std::span<const std::string> links() const noexcept;
  std::span<const std::string> links_without_bodies() const noexcept;
  std::span<const BodyInfo> bodies() const noexcept;
  /// Links with bodies, in the order of links(), attached objects among them; then the objects that
  /// stand still.
  std::span<const SolidInfo> solids() const noexcept;
  /// The index of a solid by name; -1 when there is none.
  int find_solid(std::string_view name) const noexcept;
  /// Every checked pair: first those of links (and attached objects) with each other, then those of
  /// each of these with each object that stands still. A world with more than kMaxListedPairs of
  /// them checks them all the same and lists only the first kind.
  std::span<const PairInfo> pairs() const noexcept;
  std::size_t pair_count() const noexcept;
  static constexpr std::size_t kMaxListedPairs = 1'000'000;
  std::span<const LeftOutPair> left_out() const noexcept;
  /// What a reader should know and that is no error.
  std::span<const std::string> notes() const noexcept;
  /// SHA-256 of everything that a verdict depends on: tree, limits, meshes, bodies, pairs.
  const std::string& hash() const noexcept;

  const WorldData& data() const noexcept { return *data_; }
  explicit World(std::shared_ptr<const WorldData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const WorldData> data_;
};

/// Reads a URDF file, a scene file (.json) or MoveIt's objects (.scene). Throws Error, naming file
/// and place.
World load(const std::filesystem::path& file, const LoadOptions& options = {});

/// The worlds that come with Keepclear.
struct BuiltinWorld {
  std::string name, what;
  /// Motions that come with it: CSV, header `time` and joint names, one configuration a row.
  struct Task {
    std::string name, what;
    std::string_view csv;
  };
  std::vector<Task> tasks;
  /// The files it is made of, by name, the scene or URDF first.
  std::vector<std::pair<std::string, std::string_view>> files;
};
std::span<const BuiltinWorld> builtin_worlds();
/// The bodies that come with a built-in world, for LoadOptions::bodies; null if there are none.
std::shared_ptr<const BodyModel> builtin_model(const std::string& name);
/// Throws Error (missing) for a name that is not listed.
World load_builtin(const std::string& name, const LoadOptions& options = {});

}  // namespace keepclear
