// SPDX-License-Identifier: BSD-3-Clause
//
// What a Sweep holds: the layout of its plan, memory for all points, and where searches ended.
#pragma once

#include <cstdint>
#include <vector>

#include "distance/gjk.hpp"
#include "keepclear/sweep.hpp"
#include "scene/solve.hpp"
#include "scene/world.hpp"
#include "shape/aligned.hpp"
#include "sweep/layout.hpp"
#include "sweep/sweep_lanes.hpp"

namespace keepclear {

struct Sweep::Impl {
  Impl(const World& world, const SweepPlan& plan);

  /// All bodies that pass a joint in the same manner: tasks [first, last).
  struct Passage {
    int frame = 0;  ///< whose joint is passed
    bool even = false;
    std::size_t first = 0, last = 0;
  };

  /// Where a node's points are, and what is around them.
  struct NodeState {
    const double* at[3] = {nullptr, nullptr, nullptr};
    double* own[3] = {nullptr, nullptr, nullptr};  ///< the same, unless they belong to a body
    double radius = 0;
  };

  /// Where searches of volumes against pieces ended last: a small table that forgets.
  struct PieceCache {
    std::uint64_t key = ~std::uint64_t{0};
    GjkCache cache;
  };
  static constexpr std::size_t kPieceCaches = 1024;

  bool update(std::span<const Interval> box) noexcept;
  SweptClearance clearance() noexcept;

  World keep;
  const WorldData& data;
  SweepPlan plan;
  SweepLayout layout;
  std::vector<Passage> passages;  ///< from the last frame to the first
  std::vector<SweepTask> tasks;
  std::vector<int> task_node;  ///< where each task goes to
  AlignedVector between[3];    ///< points of nodes that are no volumes
  std::vector<NodeState> states;
  /// Of each volume the tables of a search, empty where the volume is the body itself; and the one
  /// or the other.
  std::vector<BodyTables> own_tables;
  std::vector<const BodyTables*> tables;
  std::vector<SweptVolume> volumes;
  Stage stage;
  bool valid = false;  ///< the last update was one

  // For clearance().
  std::vector<double> bound;
  std::vector<int> order;
  std::vector<GjkCache> caches;
  std::vector<PieceCache> piece_caches;
  std::vector<std::uint32_t> offered;
  std::uint32_t search = 0;
  Workbench bench;

 private:
  void prepare_points();
  void prepare_tasks();
  void finish_volume(std::size_t v) noexcept;
  double pair_lower(const VolumePair& pair, double bound_lo, double least,
                    GjkCache& cache) noexcept;
  double piece_lower(int volume, std::uint32_t piece, double least) noexcept;
  void search_environment(SweptClearance& result) noexcept;
};

}  // namespace keepclear
