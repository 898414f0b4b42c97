// SPDX-License-Identifier: BSD-3-Clause
//
// The ways of paper 5 to find what is near: all pairs, a uniform grid, the N-Objects octree updated
// each cycle. They share everything but the index: kinematics, boxes grown by the tolerance, which
// pairs are checked, and the exact test of two parts.
#pragma once

#include "bench/octree_contender.hpp"

namespace keepclear::bench {

struct PaperOptions {
  /// Seconds of each phase are kept, at the price of a few clock readings a cycle.
  bool profile = false;
  /// Each pair of moving parts is tested once, not from both sides.
  bool pairs_once = true;
};

/// Every moving part against all others. Without `boxes`, exact tests alone.
ContenderKind naive_kind(bool boxes = true, PaperOptions options = {});

struct GridChoice {
  int cells = 8;
  bool by_coordinates = false;
  bool inside_test = true, direction_filter = true;
};
ContenderKind grid_kind(const std::string& name, GridChoice grid, PaperOptions options = {});

struct OctreeChoice {
  enum class Update {
    follow,    ///< from the cells where the part was
    reinsert,  ///< taken out and put in from the root
    rebuild,   ///< all parts taken out and put in
  };
  int split_at = 10;
  int merge_at = 7;
  Update update = Update::follow;
};
ContenderKind octree_kind(const std::string& name, OctreeChoice octree, PaperOptions options = {});

}  // namespace keepclear::bench
