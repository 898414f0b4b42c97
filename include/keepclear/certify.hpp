// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "keepclear/path.hpp"
#include "keepclear/verdict.hpp"

namespace keepclear {

/// How a pair is proved apart over a part of a motion. docs/theory/certify.md has the proofs.
enum class Method {
  automatic,  ///< whichever is expected to settle it soonest
  chord,      ///< bodies between their poses at both ends, and how far arcs bulge out of that
  velocity,   ///< the distance in the middle, less what can have moved since
  sweep,      ///< the volumes swept while the joints range over the box of the part
  ball        ///< balls of displacements around the poses in the middle: fat bodies
};
const char* to_string(Method method) noexcept;

/// What is asked of a motion.
enum class Ask {
  verdict,        ///< free or not; ends at any contact
  first_contact,  ///< the first contact in time
  all_intervals,  ///< every stretch of time that is not free, pair by pair
  clearance       ///< as first_contact; of a free motion how near it comes, when, and who
};

/// The base of a robot stands where the scene has it only to within this. It counts for the pairs
/// that are checked: links that no joint moves are not checked against what stands still, nor
/// against such links of other robots, wherever their base is.
struct BaseUncertainty {
  int robot = -1;       ///< index of the robot; -1: all of them
  double position = 0;  ///< metres
  double rotation = 0;  ///< radians, about any axis through its base
};

struct CertifyOptions {
  Method method = Method::automatic;
  Ask ask = Ask::clearance;
  /// Metres, not negative: free means farther apart than this, and than the margin of the scene.
  double margin = 0;
  /// Metres, positive. A part of the motion is divided until nothing moves by more than this in it.
  /// So a motion that keeps clear by more than the margin, what tube, bases and deviation take, and
  /// twice this is proved free, and one that goes deeper than this below the margin is found in
  /// contact; in between it may be undecided.
  double tolerance = 1e-3;
  /// Of Ask::clearance: how closely the least clearance is to be known, metres or a share of it,
  /// whichever is more.
  double accuracy = 1e-3;
  double relative_accuracy = 0.05;
  /// About how many tests of a pair over a part of the motion; what is open then is undecided.
  std::size_t budget = 5'000'000;
  std::vector<BaseUncertainty> base{};
  /// Metres, not negative: what compliance and calibration leave open. Each body of a link that a
  /// joint moves may be anywhere that a displacement within this distance of where the path has it
  /// takes it, each body by itself. The distance is that of the DisplacementMetric of the corners
  /// of the box around the points of the body, in the frame that carries it: the root mean square
  /// of how far they are off. No point of the body's hull is then off by more than twice this; what
  /// is round about it keeps its radius.
  double deviation = 0;
  /// Keep what proves each part: Certificate::proof.
  bool keep_proof = false;
};

/// A stretch of a motion.
struct MotionInterval {
  double from = 0, to = 0;  ///< times
  Verdict status = Verdict::undecided;
  int a = -1, b = -1;  ///< the pair, unless it is free
  /// Of a contact: a time in it at which the pair is proved to be in contact.
  double contact = std::numeric_limits<double>::quiet_NaN();
};

/// One step of a proof: over a part of the motion, two bodies are farther apart than the margin.
struct ProofStep {
  int a = -1, b = -1;           ///< solids
  int body_a = -1, other = -1;  ///< body of A; body of B, or piece of B (see piece)
  /// `other` is a piece of an object that stands still; -1: every piece that no other step of this
  /// body names within this part, and that is not left open there.
  bool piece = false;
  double from = 0, to = 0;      ///< places on the path: piece number and share of it
  double from_b = 0, to_b = 0;  ///< the same of the path of B, where each has its own clock
  Method method = Method::chord;
  Vec3 n;               ///< from A to B, in the frame in which the two meet
  double bound = 0;     ///< metres: the distance that is proved
  double margin = 0;    ///< metres: what was asked of the pair
  double growth = 0;    ///< metres: taken off for what lies beside the poses that were looked at
  double rounding = 0;  ///< metres: taken off for rounding
};

/// What is known of a motion.
struct Certificate {
  Verdict verdict = Verdict::undecided;
  /// Metres: every checked pair is proved to be at least this far apart throughout. Infinite when
  /// nothing is checked; zero unless the motion is free.
  double clearance = 0;
  /// The least distance that was found, when and where, and who; of a motion in contact those of
  /// the first contact found. Unless a clearance was asked for, only contacts are looked for.
  double distance = std::numeric_limits<double>::infinity();
  double time = std::numeric_limits<double>::quiet_NaN();
  /// Of two robots on their own clocks: that of the second robot of the pair there.
  double other_time = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> q{};
  int a = -1, b = -1;
  /// A time at which modelled bodies overlap, or are nearer than the margin. Unless only the
  /// verdict was asked for, no contact was found before it. NaN without a contact.
  double first_contact = std::numeric_limits<double>::quiet_NaN();
  /// In the order of time: the whole motion, or up to the first contact if no more was asked for.
  /// Of Ask::verdict, and of robots on their own clocks, only what is not free.
  std::vector<MotionInterval> intervals{};
  std::size_t tests = 0;  ///< of a pair of bodies over a part of the motion, beyond balls
  std::size_t parts = 0;  ///< of the motion that were looked at
  int depth = 0;          ///< of division
  std::vector<ProofStep> proof{};
};

/// Proves whole motions. Compiled once, then asked any number of times. One object a thread.
class MotionQuery {
 public:
  /// Throws Error (usage) for options that make no sense.
  explicit MotionQuery(const World& world, const CertifyOptions& options = {});
  ~MotionQuery();
  MotionQuery(MotionQuery&&) noexcept;
  MotionQuery& operator=(MotionQuery&&) noexcept;

  /// A path with another number of numbers than the world has is undecided.
  Certificate operator()(const Path& path);
  /// The straight line between two configurations, verdict alone: for planners. Allocates nothing
  /// once it has seen a few.
  Verdict connects(std::span<const double> from, std::span<const double> to);
  std::size_t last_tests() const noexcept;  ///< of `connects`
  std::size_t last_parts() const noexcept;

  /// Several robots, each on its own clock: one path for each robot, of all the numbers of the
  /// world, of which only those of that robot count. Free means: whatever time each robot's clock
  /// shows, as long as any two differ by no more than `offset` seconds (infinite: at all). A robot
  /// whose path has ended stands at its end. Times are those of the first robot of the pair, and
  /// a contact is one of those there are, not the first.
  Certificate operator()(std::span<const Path> paths, double offset);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// For those in no hurry.
Certificate certify(const World& world, const Path& path, const CertifyOptions& options = {});

/// Many paths, by several threads (0: one for each core); answers in the order of the paths, the
/// same for any number of threads. `done` is called as answers are ready, in order.
void certify_all(const World& world, std::span<const Path> paths, const CertifyOptions& options,
                 int threads, const std::function<void(std::size_t, const Certificate&)>& done);

}  // namespace keepclear
