// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/geometry.hpp"
#include "keepclear/world.hpp"

namespace keepclear {

/// What an octree map says nothing about: never sensed, or sensed and forgotten.
enum class UnknownSpace {
  unset,     ///< nobody said: an octree map is then refused
  free,      ///< nothing is there
  occupied,  ///< everything in the box around the map that is not known to be free is solid
};

/// The shape of an object, in the object's own frame. Which numbers count is said for each kind;
/// lengths in metres.
struct Shape {
  enum class Kind { box, sphere, cylinder, capsule, cone, plane, mesh, points, octomap };
  Kind kind = Kind::box;
  Vec3 size{};        ///< box: edge lengths
  double radius = 0;  ///< sphere, cylinder, capsule, cone; points: of the ball around each
  /// Cylinder, cone (apex up) and capsule (of the cylindrical part): along z, centred.
  double length = 0;
  /// Plane: solid is every x with normal.x <= offset * |normal|. The normal points out of it, into
  /// free space, and need not be of length one.
  Vec3 normal{0, 0, 1};
  double offset = 0;
  std::filesystem::path file{};  ///< mesh, points (unless given below), octomap
  Vec3 scale{1, 1, 1};           ///< mesh
  std::vector<Vec3> points{};    ///< points; mesh: its vertices; when there is no file
  std::vector<std::array<std::uint32_t, 3>> triangles{};  ///< mesh, when there is no file
  UnknownSpace unknown = UnknownSpace::unset;             ///< octomap
};
const char* to_string(Shape::Kind kind) noexcept;

struct SceneRobot {
  /// Links and joints are called name/link and name/joint; without a name (one robot only) as they
  /// are.
  std::string name{};
  std::filesystem::path urdf{};
  std::string builtin{};  ///< a built-in robot instead of a file
  std::optional<std::filesystem::path> srdf{};
  /// Bodies in place of the shapes of its links, which it names without the robot's name.
  std::optional<std::filesystem::path> model{};
  Origin base{};  ///< of the robot's root link in the world
  /// For `package://`, before those of LoadOptions.
  std::map<std::string, std::filesystem::path> packages{};
  std::string place{};  ///< where it stands in its file, for messages: a JSON pointer or a line
};

struct SceneObject {
  std::string name{};
  Shape shape{};
  Origin pose{};  ///< in the world; of an attached object in the frame of its link
  std::string place{};
};

/// An object that a link carries.
struct Attachment {
  std::string object{};
  std::string link{};
  /// Links (and objects) that it may touch, beside the link that carries it.
  std::vector<std::string> touch{};
  std::string place{};
};

/// A pair of names: of a link, of an object, or of a robot, which stands for all its links.
struct NamedPair {
  std::string a{}, b{};
  std::string place{};
};

struct PairMargin {
  NamedPair pair{};
  double margin = 0;  ///< metres, not negative; takes the place of the scene's
};

/// An intended contact: these two may touch while neither moves faster than max_speed (m/s).
struct IntendedContact {
  std::string link{}, object{};
  double max_speed = 0;
  std::string place{};
};

/// Robots and objects as a file or a program describes them, before anything is computed. Paths are
/// absolute or relative to the working directory; read_scene resolves those of a file against its
/// folder.
struct Scene {
  std::string name{};
  std::string file{};                   ///< for messages
  std::vector<std::string> included{};  ///< files that it was read from besides
  std::vector<SceneRobot> robots{};
  std::vector<SceneObject> objects{};
  std::vector<Attachment> attached{};
  std::vector<NamedPair> allow{};
  double margin = 0;  ///< metres, not negative: how far apart pairs must stay
  std::vector<PairMargin> margins{};
  std::vector<IntendedContact> contacts{};
  std::vector<std::string> notes{};
};

/// Reads a scene file: JSON as in docs/scenes.md, or MoveIt's `.scene` text, which has objects
/// only. Throws Error, naming file and place.
Scene read_scene(const std::filesystem::path& file);

/// Compiles a scene for queries. Throws Error, naming file and place.
World compile(const Scene& scene, const LoadOptions& options = {});

}  // namespace keepclear
