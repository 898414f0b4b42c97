// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "keepclear/verdict.hpp"
#include "keepclear/world.hpp"

namespace keepclear {

/// Every value from `lower` to `upper`, both included: radians or metres.
struct Interval {
  double lower = 0, upper = 0;

  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

/// Where the joints may be, all combinations of them: an interval for each number of a
/// configuration, in the order of World::variables(). Of the four numbers of a quaternion it holds
/// the rotations of all unit quaternions in it.
using JointBox = std::vector<Interval>;

/// The whole range of every joint: its limits, a full turn (-pi to pi) of one that turns without
/// limit, everything for a position without limit, and for a joint without limit that another
/// follows by other than whole turns.
JointBox full_range(const World& world);

/// Reads a box file: {"joints": {"name": [lower, upper], ...}}; a joint that is not named keeps its
/// full range. Throws Error, naming file and place.
JointBox read_box(const World& world, const std::filesystem::path& file);

struct BoxOptions {
  /// Metres, not negative: free means farther apart than this, and than the margin of the scene.
  double margin = 0;
  /// Metres, positive: a free box is divided further until the clearance that is proved is within
  /// this of the least distance that was found in it. Infinite: the first proof will do.
  double tolerance = 0.01;
  /// Or within this share of that distance, whichever is more: what is far away need not be known
  /// to a centimetre. From 0 to below 1.
  double relative_tolerance = 0.1;
  /// About how many tests of a pair over a part of the box, at least one of each pair; what is open
  /// then is undecided.
  std::size_t budget = 200'000;
  int threads = 0;  ///< 0 means one for each core; the verdict does not depend on it
  /// Called now and then, from one thread at a time, with the share that is done, from 0 to 1.
  std::function<void(double)> progress{};
};

/// What is known of every configuration in a box.
struct BoxResult {
  /// free: every checked pair is proved farther apart than the margin, everywhere in the box.
  /// contact: in `q` the pair overlaps, or is nearer than the margin. undecided: neither, to the
  /// budget.
  Verdict verdict = Verdict::undecided;
  /// Metres, of a free box: every checked pair is proved to be at least this far apart. Infinite
  /// when nothing is checked; zero of a box that is not free.
  double clearance = 0;
  int a = -1, b = -1;  ///< the pair of that clearance, in contact, or undecided; -1: none
  /// The configuration of the contact; of a free or undecided box, the one in which any pair was
  /// found nearest.
  std::vector<double> q;
  double distance = 0;         ///< metres, there: the least of any pair; zero in contact
  std::size_t tests = 0;       ///< of a pair over a part of the box
  std::size_t open_pairs = 0;  ///< that are undecided
};

/// Proves boxes of configurations free, by dividing them: each pair of solids over the joints that
/// are between them. For planning and verification, not for a control loop: it allocates. One
/// object a thread.
class BoxQuery {
 public:
  /// Throws Error (usage) for options that make no sense.
  explicit BoxQuery(const World& world, const BoxOptions& options = {});
  ~BoxQuery();
  BoxQuery(BoxQuery&&) noexcept;
  BoxQuery& operator=(BoxQuery&&) noexcept;

  /// `box` has World::dof() intervals. One that is empty, not a number, or of the wrong size is
  /// undecided, without a pair.
  BoxResult operator()(std::span<const Interval> box);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// For those in no hurry.
BoxResult prove_box(const World& world, std::span<const Interval> box,
                    const BoxOptions& options = {});

}  // namespace keepclear
