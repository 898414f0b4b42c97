// SPDX-License-Identifier: BSD-3-Clause
//
// Times and answers of all peers on one workload.
#pragma once

#include <string>
#include <vector>

#include "bench/peer.hpp"

namespace keepclear::bench {

/// Microseconds a pose.
struct Times {
  double mean = 0, p50 = 0, p99 = 0, p999 = 0, max = 0;
};

/// How the answers of a peer stand to the bounds of Keepclear. Metres; over all pairs and poses.
struct Agreement {
  double above = 0;             ///< the most that a distance is above the upper bound
  double below = 0;             ///< the most that a distance is below the certified lower bound
  std::size_t missed = 0;       ///< poses: no overlap reported where one is proved
  std::size_t false_alarm = 0;  ///< poses: an overlap reported where freedom is proved
};

struct Row {
  std::string scene, workload, peer;
  Question question = Question::all_pairs;
  std::size_t pairs = 0, poses = 0;
  Times times;
  Agreement agreement;
};

/// Runs every question on every peer that answers it. The peers take turns, block of poses after
/// block of poses, and the whole is done `rounds` times; the time of a pose is the least of its
/// rounds, so that what is left in the tail belongs to the pose and not to the machine.
std::vector<Row> measure(const Scene& scene, const Workload& workload,
                         const std::vector<PeerKind>& kinds, int rounds);

/// The same under callgrind, on 16 stretches of 20 poses: one dump a peer and a question, named so
/// that bench/instructions can read them.
void count_instructions(const Scene& scene, const Workload& workload,
                        const std::vector<PeerKind>& kinds);

}  // namespace keepclear::bench
