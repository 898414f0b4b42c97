// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keepclear/certify.hpp"
#include "keepclear/displacement.hpp"
#include "keepclear/polyhedron.hpp"
#include "keepclear/scene.hpp"
#include "keepclear/verdict.hpp"

// Guaranteed checks of the motion of one body, polyhedron against polyhedra (paper 4): the motion
// is covered by balls in the space of displacements, in each of which vertices, edges and faces
// are tested for the events by which a contact begins. docs/theory/displacements.md has the
// proofs.
namespace keepclear {

/// Something that stands still.
struct StandingBody {
  Polyhedron body;
  std::string name{};
  double margin = 0;  ///< metres: how far apart it must stay, if that is more than the query's
};
/// Solid is every x with normal . x <= offset * |normal|.
struct StandingPlane {
  Vec3 normal{0, 0, 1};
  double offset = 0;
  std::string name{};
  double margin = 0;
};

struct TolerancedOptions {
  Ask ask = Ask::clearance;
  double margin = 0;  ///< metres, not negative: free means farther apart than this
  /// Metres, positive: a motion is divided until no point of the body is within a ball of more than
  /// this (the paper's epsilon).
  double tolerance = 1e-3;
  /// Metres, of the metric: the motion is any that stays within this of the curve (calibration,
  /// compliance). Every displacement so near counts, the body's own deformation included.
  double deviation = 0;
  int depth = 48;                   ///< of division, at most
  std::size_t budget = 50'000'000;  ///< tests of elements, about; what is open then is undecided
  /// A ball tests only what the one around it could not exclude. Off for measuring what it saves.
  bool nested = true;
  /// Of Ask::clearance: how closely it is to be known, metres or a share of it, whichever is more.
  double accuracy = 1e-3;
  double relative_accuracy = 0.05;
  int threads = 1;  ///< 0: one for each core; the verdict is the same for any number
  /// Of the body; empty: that of its vertices.
  std::optional<DisplacementMetric> metric{};
};

/// A vertex, an edge or a face, by its index in its polyhedron.
struct Element {
  enum class Kind : std::uint8_t { none, vertex, edge, face };
  Kind kind = Kind::none;
  std::uint32_t index = 0;
};
const char* to_string(Element::Kind kind) noexcept;

/// A stretch of the motion.
struct TolerancedInterval {
  double from = 0, to = 0;
  Verdict status = Verdict::undecided;
  /// Of what is not free: what stands there; bodies are counted first, then planes.
  int other = -1;
  /// Elements that come near each other, at about this time and place. None for a stretch
  /// throughout which bodies overlap.
  Element moving{}, standing{};
  double time = std::numeric_limits<double>::quiet_NaN();
  Vec3 place{};
};

struct TolerancedResult {
  Verdict verdict = Verdict::undecided;
  /// Metres: proved to be kept throughout. Zero unless free, infinite when nothing stands there.
  double clearance = 0;
  /// About the least distance that was found, when, and to whom.
  double distance = std::numeric_limits<double>::infinity();
  double time = std::numeric_limits<double>::quiet_NaN();
  int other = -1;
  /// A time at which the bodies are proved to be in contact. Unless only the verdict was asked for,
  /// the motion is free up to within the tolerance before it, but for undecided intervals.
  double first_contact = std::numeric_limits<double>::quiet_NaN();
  /// In the order of time; free stretches only if more than the verdict was asked for.
  std::vector<TolerancedInterval> intervals{};
  std::size_t balls = 0;  ///< tests of the whole body in a ball: what the paper counts
  std::size_t tests = 0;  ///< of elements
  int depth = 0;          ///< of division
};

/// One object that moves, and all that stands around it. Compiled once, then asked any number of
/// times. One object a thread.
class TolerancedQuery {
 public:
  /// Throws Error (usage) for options that make no sense.
  TolerancedQuery(Polyhedron moving, std::vector<StandingBody> bodies,
                  std::vector<StandingPlane> planes = {}, const TolerancedOptions& options = {});
  ~TolerancedQuery();
  TolerancedQuery(TolerancedQuery&&) noexcept;
  TolerancedQuery& operator=(TolerancedQuery&&) noexcept;

  TolerancedResult operator()(const DisplacementCurve& curve);
  /// With another deviation than that of the options.
  TolerancedResult operator()(const DisplacementCurve& curve, double deviation);

  const DisplacementMetric& metric() const noexcept;
  const Polyhedron& moving() const noexcept;
  std::span<const StandingBody> bodies() const noexcept;
  std::span<const StandingPlane> planes() const noexcept;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// The motion of one object of a scene: the displacement at t takes the object's own coordinates to
/// the world, in place of the pose that the scene gives it.
struct ObjectMotion {
  std::string object;
  CurvePointer curve;
  double deviation = 0;
};
/// True if the text of a path file says "kind": "rational_bezier", "screw" or "poses".
bool is_object_motion(const std::filesystem::path& file);
/// Throws Error, naming file and place.
ObjectMotion read_object_motion(const std::filesystem::path& file);

/// An object of a scene among everything else in it: other objects, and the robots in the
/// configuration `rest` (empty: neutral). Meshes are their own triangles here, not hulls: closed
/// ones are solid. Pairs that the scene allows are left out; margins are the scene's or the
/// query's, whichever is more. Throws Error: there is no such object, a link carries it, it is a
/// plane.
TolerancedQuery object_query(const Scene& scene, const LoadOptions& load, const std::string& object,
                             const TolerancedOptions& options = {},
                             std::span<const double> rest = {});

}  // namespace keepclear
