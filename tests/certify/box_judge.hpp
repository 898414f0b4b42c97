// SPDX-License-Identifier: BSD-3-Clause
//
// What is proved of boxes against poses in them: sampled, and brought as near as they go. For a
// test a few, for a campaign as many as one likes.
#pragma once

#include <numeric>

#include "certify/refute.hpp"
#include "keepclear/distance.hpp"
#include "scene/worlds.hpp"

namespace keepclear::test {

struct BoxTally {
  std::size_t free = 0, contact = 0, undecided = 0, tests = 0;
  std::size_t refuted = 0;     ///< free boxes with a pose nearer than their clearance
  std::size_t no_contact = 0;  ///< contacts that are none, or not in their box
};

/// Boxes of up to `width` about random free poses.
inline BoxTally judge_boxes(const World& world, std::size_t boxes, double width,
                            const BoxOptions& options, int samples, std::uint64_t seed) {
  BoxTally tally;
  BoxQuery query(world, options);
  DistanceQuery distance(world);
  std::mt19937_64 random(seed);
  std::vector<int> all(world.dof());
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t k = 0; k < boxes;) {
    const std::vector<double> q = random_pose(world, random);
    if (distance(q).verdict != Verdict::free) continue;
    ++k;
    JointBox box;
    for (const double x : q) {
      const double half = 0.5 * width * static_cast<double>(random() >> 11) * 0x1p-53;
      box.push_back({x - half, x + half});
    }
    const BoxResult result = query(box);
    tally.tests += result.tests;
    if (result.verdict == Verdict::free) {
      ++tally.free;
      const Refutation found =
          least_in_box(box, q, all, samples, random,
                       [&](const std::vector<double>& at) { return distance(at).distance; });
      tally.refuted += found.least >= result.clearance - 1e-12 && found.least > 0 ? 0 : 1;
    } else if (result.verdict == Verdict::contact) {
      ++tally.contact;
      bool real = distance.check(result.q).verdict == Verdict::contact;
      for (std::size_t i = 0; i < box.size(); ++i) {
        real = real && result.q[i] >= box[i].lower && result.q[i] <= box[i].upper;
      }
      tally.no_contact += real ? 0 : 1;
    } else {
      ++tally.undecided;
    }
  }
  return tally;
}

/// Boxes of a fixed width about poses that are clear by `clear` metres: all of them must be free.
inline BoxTally judge_clear_boxes(const World& world, std::size_t boxes, double width, double clear,
                                  std::size_t most_tries, std::uint64_t seed) {
  BoxTally tally;
  BoxOptions options;
  options.tolerance = std::numeric_limits<double>::infinity();
  options.threads = 1;
  BoxQuery query(world, options);
  DistanceQuery distance(world);
  std::mt19937_64 random(seed);
  for (std::size_t k = 0, tries = 0; k < boxes && tries < most_tries; ++tries) {
    const std::vector<double> q =
        random_pose(world, random, static_cast<double>(random() >> 11) * 0x1p-53);
    if (!(distance(q).lower_bound > clear)) continue;
    ++k;
    JointBox box;
    for (const double x : q) box.push_back({x - 0.5 * width, x + 0.5 * width});
    const BoxResult result = query(box);
    tally.tests += result.tests;
    ++(result.verdict == Verdict::free      ? tally.free
       : result.verdict == Verdict::contact ? tally.contact
                                            : tally.undecided);
  }
  return tally;
}

}  // namespace keepclear::test
