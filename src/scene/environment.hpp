// SPDX-License-Identifier: BSD-3-Clause
//
// What stands still: the objects of a scene as convex pieces in the objects' own frames, and the
// octree that finds them. Balls and boxes are kept as numbers, not as tables: there may be
// millions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "distance/half_space.hpp"
#include "keepclear/body.hpp"
#include "keepclear/scene.hpp"
#include "robot/kinematics.hpp"
#include "scene/octree.hpp"

namespace keepclear {

enum class PieceKind : std::uint8_t { body, ball, box, half_space };

/// One convex piece of an object; `index` counts within its kind.
struct Piece {
  std::uint32_t object = 0, index = 0;
  PieceKind kind = PieceKind::box;
};

struct Ball {
  Vec3 centre;
  double radius = 0;
};
struct BoxPiece {
  Vec3 centre, half;
};

/// An object and where it stands: pieces [first, last).
struct PlacedObject {
  int solid = -1;
  BoundedPose X_WO;
  Origin pose;  ///< the same as it was written
  std::uint32_t first = 0, last = 0;
};

struct Environment {
  std::vector<PlacedObject> objects;
  std::vector<std::string> mesh_hashes;  ///< of each object: hash_mesh(), or empty
  std::vector<Piece> pieces;
  std::vector<Body> bodies;
  std::vector<Ball> balls;
  std::vector<BoxPiece> boxes;
  std::vector<HalfSpace> half_spaces;
  std::vector<Box> piece_boxes;  ///< in the world; infinite for half-spaces
  Octree index;                  ///< of piece_boxes

  bool empty() const noexcept { return objects.empty(); }
  int solid_of(std::uint32_t piece) const noexcept { return objects[pieces[piece].object].solid; }
};

/// What may be in a scene at most; beyond it loading fails with the limit named.
inline constexpr std::size_t kMaxPieces = 20'000'000;

/// At least the box of a placed body, `grow` metres larger on every side.
Box placed_box(const BodyTables& body, const BoundedPose& X_WB, double grow) noexcept;
/// The same for a piece whose object stands at X_WO.
Box placed_box(const Environment& environment, std::uint32_t piece, const BoundedPose& X_WO,
               double grow) noexcept;
/// A box grown by `by` metres on every side, rounded outwards.
Box grown(const Box& box, double by) noexcept;
/// At least the box of a ball, grown likewise.
Box box_around(Vec3 centre, double radius, double grow) noexcept;

/// Who may touch whom beyond what the pairs of links say, by solid.
class PairRules {
 public:
  double margin = 0;     ///< metres: of every pair that has none of its own
  double margin_hi = 0;  ///< at least the margin of any pair

  void allow(int a, int b) { allowed_.insert(key(a, b)); }
  void touch(int a, int b) { touching_.insert(key(a, b)); }
  void set_margin(int a, int b, double value);
  /// The scene lets them touch, whatever carries what.
  bool allowed(int a, int b) const { return !allowed_.empty() && allowed_.contains(key(a, b)); }
  /// That, or one is carried and may touch the other.
  bool may_touch(int a, int b) const {
    return allowed(a, b) || (!touching_.empty() && touching_.contains(key(a, b)));
  }
  double margin_of(int a, int b) const;

  static std::uint64_t key(int a, int b) noexcept {
    const auto low = static_cast<std::uint32_t>(a < b ? a : b);
    const auto high = static_cast<std::uint32_t>(a < b ? b : a);
    return (std::uint64_t{low} << 32) | high;
  }
  const std::unordered_set<std::uint64_t>& allowed_keys() const noexcept { return allowed_; }
  const std::unordered_set<std::uint64_t>& touching_keys() const noexcept { return touching_; }
  const std::unordered_map<std::uint64_t, double>& margins() const noexcept { return margins_; }

 private:
  std::unordered_set<std::uint64_t> allowed_, touching_;
  std::unordered_map<std::uint64_t, double> margins_;
};

/// Objects that nothing carries, in the order of the scene. `solid_of_object[i]` is the solid of
/// scene.objects[i], or -1 for one that is left to someone else. Fills the shape, pieces, file and
/// excess of their solids. Throws Error with the place of the object.
void build_environment(const Scene& scene, const LoadOptions& options,
                       std::span<const int> solid_of_object, std::vector<SolidInfo>& solids,
                       std::vector<std::string>& notes, Environment& environment);

/// The octree over all pieces; `around` is where robots stand, in boxes.
void index_environment(Environment& environment, std::span<const Box> around);

}  // namespace keepclear
