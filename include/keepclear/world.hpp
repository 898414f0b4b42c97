// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keepclear/error.hpp"
#include "keepclear/geometry.hpp"
#include "keepclear/variable.hpp"

namespace keepclear {

/// What a loader may be told.
struct LoadOptions {
  /// `package://NAME/...` is sought in packages[NAME], then in NAME below each of package_path,
  /// then upwards from the folder of the URDF.
  std::map<std::string, std::filesystem::path> packages;
  std::vector<std::filesystem::path> package_path;
  /// Pairs that need not be checked; without it, adjacent links alone are left out.
  std::optional<std::filesystem::path> srdf;
  /// Without this, an SRDF that leaves nothing to check is refused: it would make every pose free.
  bool allow_no_pairs = false;
  /// Hulls for each mesh. One is the hull of the mesh; more follow a non-convex mesh more closely.
  int parts = 1;
  /// Threads for building hulls; 0 means one for each core. The result does not depend on it.
  int threads = 0;
};

/// One convex body of the model, and what it was made from.
struct BodyInfo {
  std::string link;
  std::string shape;        ///< box, sphere, cylinder, capsule, mesh
  std::string name;         ///< of the collision element; may be empty
  std::string file;         ///< of a mesh, as resolved
  int element = 0;          ///< index of the collision element in its link
  int part = 0, parts = 1;  ///< of one element, when a mesh was split
  int line = 0;             ///< of the element in the URDF
  std::size_t source_vertices = 0, source_triangles = 0;  ///< of a mesh, in the file
  std::size_t points = 0;                                 ///< that span the body
  double radius = 0;                                      ///< around them, metres
  /// At most this far (metres) does the body reach beyond the shape it stands for: circumscribed
  /// cylinders, rounding. The hull of a non-convex mesh is counted as its shape.
  double excess = 0;
};

/// Two links that are checked against each other.
struct PairInfo {
  std::string a, b;
  /// They overlap in the neutral pose: either the model is coarse there, or the pair wants an
  /// entry in an SRDF.
  bool overlap_at_neutral = false;
};

/// Two links that are not checked, and why.
struct LeftOutPair {
  enum class Why {
    adjacent,   ///< joined by a joint
    rigid,      ///< no movable joint between them
    disabled,   ///< the SRDF says so
    by_default  ///< the SRDF disables the default of one link and does not enable the pair
  };
  std::string a, b;
  Why why = Why::adjacent;
  std::string reason;  ///< the SRDF's own word; "Never" there means sampled, not proved
};
const char* to_string(LeftOutPair::Why why) noexcept;

struct WorldData;

/// A robot compiled for queries: kinematic tree, bodies, pairs. Const and shared: copies are cheap,
/// any number of threads may use one at once.
class World {
 public:
  const std::string& name() const noexcept;
  const std::string& file() const noexcept;

  /// The numbers of a configuration, in the order used everywhere: movable joints that mimic none,
  /// depth first as in the URDF.
  std::span<const Variable> variables() const noexcept;
  std::size_t dof() const noexcept { return variables().size(); }
  /// All zeros (an identity quaternion), moved to the nearest limit where zero is outside.
  std::vector<double> neutral() const;

  std::span<const std::string> links() const noexcept;
  std::span<const std::string> links_without_bodies() const noexcept;
  std::span<const BodyInfo> bodies() const noexcept;
  std::span<const PairInfo> pairs() const noexcept;
  std::span<const LeftOutPair> left_out() const noexcept;
  /// What a reader should know and that is no error.
  std::span<const std::string> notes() const noexcept;
  /// SHA-256 of everything that a verdict depends on: tree, numbers, bodies, pairs.
  const std::string& hash() const noexcept;

  const WorldData& data() const noexcept { return *data_; }
  explicit World(std::shared_ptr<const WorldData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const WorldData> data_;
};

/// Reads a URDF file. Throws Error, naming file and place.
World load(const std::filesystem::path& file, const LoadOptions& options = {});

/// The worlds that come with Keepclear.
struct BuiltinWorld {
  std::string name, what;
};
std::span<const BuiltinWorld> builtin_worlds();
/// Throws Error (missing) for a name that is not listed.
World load_builtin(const std::string& name, const LoadOptions& options = {});

}  // namespace keepclear
