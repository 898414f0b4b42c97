// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "keepclear/geometry.hpp"
#include "keepclear/verdict.hpp"
#include "keepclear/world.hpp"

namespace keepclear {

struct DistanceOptions {
  /// Metres: `distance - lower_bound` of a result is below this, unless bodies overlap, or are so
  /// thin and so near (needles a micrometre apart) that rounding stands in the way.
  double tolerance = 1e-10;
  /// Overlapping bodies get minus their penetration depth, not zero.
  bool signed_distance = false;
};

/// The answer for one pose: lower_bound <= real distance <= distance, in metres, up to the rounding
/// of `distance` itself.
struct Nearest {
  /// Of the bodies alone: *contact* where they overlap. Margins of a scene count in `check`.
  Verdict verdict = Verdict::undecided;
  double distance = 0;     ///< of the witness points; NaN for a q that is no configuration
  double lower_bound = 0;  ///< certified
  int a = -1, b = -1;      ///< the pair: indices into World::solids(); -1 when there is none
  /// Witness points, in the world; of a URDF: in its root link's frame. Of overlapping bodies,
  /// without `signed_distance`, one point near the overlap stands for both.
  Vec3 point_a, point_b;
};

/// The answer of a check: contact names its pair.
struct CheckResult {
  Verdict verdict = Verdict::undecided;
  int a = -1, b = -1;  ///< the pair: indices into World::solids(); -1 when there is none
};

/// Distances and verdicts pose by pose. Owns all its memory: the constructor allocates, nothing
/// else does. One object a thread. Remembers the last pose to start the next one from; results
/// agree within the tolerance whatever came before.
class DistanceQuery {
 public:
  explicit DistanceQuery(const World& world, const DistanceOptions& options = {});
  ~DistanceQuery();
  DistanceQuery(DistanceQuery&&) noexcept;
  DistanceQuery& operator=(DistanceQuery&&) noexcept;

  /// The nearest checked pair at configuration q (size World::dof()). Of a q that is not finite or
  /// of the wrong size: undecided, no pair, distance NaN, lower_bound zero, or minus infinity of
  /// signed distances. A world without pairs is free at distance infinity. In a floating-point mode
  /// other than the proofs assume (docs/guarantee.md) every q is answered like this.
  Nearest operator()(std::span<const double> q) noexcept;

  /// Every checked pair, in the order of World::pairs(). Valid until the next call; empty for a q
  /// that is no configuration, and for a world whose pairs are not all listed.
  std::span<const Nearest> all_pairs(std::span<const double> q) noexcept;

  /// Free if every pair is proved farther apart than its margin: that of the scene or `margin`
  /// (metres, not negative), whichever is larger. Contact names a pair that is proved nearer than
  /// that; with a margin of zero, one that overlaps. Ends
  /// at the first such pair, and computes no distance that is not needed.
  CheckResult check(std::span<const double> q, double margin = 0) noexcept;

  /// Forgets the last pose: what follows depends on nothing that came before.
  void reset() noexcept;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// For those in no hurry.
Nearest distance(const World& world, std::span<const double> q,
                 const DistanceOptions& options = {});

/// Options of a batch. The results do not depend on the number of threads.
struct BatchOptions {
  DistanceOptions distance;
  int threads = 0;  ///< 0 means one for each core
  /// Called now and then, from one thread at a time, with the number of poses done.
  std::function<void(std::size_t)> progress;
};

/// `poses` holds rows of World::dof() numbers, `results` one place a row (or pairs() places for
/// all_pairs_batch). Throws Error (usage) when the sizes do not match.
void distance_batch(const World& world, std::span<const double> poses, std::span<Nearest> results,
                    const BatchOptions& options = {});
void all_pairs_batch(const World& world, std::span<const double> poses, std::span<Nearest> results,
                     const BatchOptions& options = {});
void check_batch(const World& world, std::span<const double> poses, std::span<CheckResult> results,
                 double margin = 0, const BatchOptions& options = {});

}  // namespace keepclear
