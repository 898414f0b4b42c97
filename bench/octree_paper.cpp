// SPDX-License-Identifier: BSD-3-Clause
#include "bench/octree_paper.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/octree_grid.hpp"
#include "distance/pair.hpp"
#include "keepclear/body.hpp"
#include "scene/octree.hpp"

namespace keepclear::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Edge of the smallest cell of the octree, as the paper has it: two inches or so.
constexpr double kSmallestCell = 0.05;

Box grown(const Box& box, double by) {
  return {box.lo - Vec3{by, by, by}, box.hi + Vec3{by, by, by}};
}

/// The cube around all that stands still, and how far the arms can come.
struct Cube {
  Vec3 centre;
  double size = 0;
};
Cube cube_around(std::span<const Box> boxes) {
  Box all = boxes[0];
  for (const Box& box : boxes) {
    all.lo = {std::min(all.lo.x, box.lo.x), std::min(all.lo.y, box.lo.y),
              std::min(all.lo.z, box.lo.z)};
    all.hi = {std::max(all.hi.x, box.hi.x), std::max(all.hi.y, box.hi.y),
              std::max(all.hi.z, box.hi.z)};
  }
  const Vec3 size = all.hi - all.lo;
  return {0.5 * (all.lo + all.hi), std::max({size.x, size.y, size.z})};
}

/// The exact test of two parts.
class Tester {
 public:
  Tester(const Cell& cell, double tolerance) {
    options_.margin = tolerance;
    options_.stop_above = tolerance;
    options_.verdict_only = true;
    for (const Part& part : cell.moving) {
      bodies_.push_back(
          Body::capsule({0, 0, -0.5 * part.length}, {0, 0, 0.5 * part.length}, part.radius));
    }
    // What stands still is given in the world, so that one pose is enough for a test.
    for (const Part& part : cell.fixed) {
      if (part.kind == Part::Kind::box) {
        bodies_.push_back(Body::box(part.size, part.X));
      } else {
        const Vec3 half{0, 0, 0.5 * part.length};
        bodies_.push_back(Body::capsule(part.X * -half, part.X * half, part.radius));
      }
    }
  }

  bool near(Pair pair, std::span<const Pose> X_WP) {
    const auto i = static_cast<std::size_t>(pair[0]), j = static_cast<std::size_t>(pair[1]);
    Placement placed{&bodies_[i].tables(), &bodies_[j].tables(), inverse(X_WP[i]), 0};
    if (j < X_WP.size()) placed.X_AB = placed.X_AB * X_WP[j];
    placed.error_hi = placement_error_hi(*placed.a, *placed.b, placed.X_AB, {});
    GjkCache cache;
    return solve_pair(placed, options_, cache, space_).verdict != Verdict::free;
  }

 private:
  PairOptions options_;
  std::vector<Body> bodies_;
  EpaWorkspace space_;
};

class AllPairs {
 public:
  AllPairs(std::span<const Box> boxes, bool use) : boxes_(boxes.begin(), boxes.end()), use_(use) {}

  void update(std::span<const Box> moving) {
    std::copy(moving.begin(), moving.end(), boxes_.begin());
  }
  template <typename F>
  void visit_partners(int id, F&& f) {
    const Box& box = boxes_[static_cast<std::size_t>(id)];
    for (int j = 0; j < static_cast<int>(boxes_.size()); ++j) {
      if (j != id && (!use_ || overlap(box, boxes_[static_cast<std::size_t>(j)]))) f(j);
    }
  }
  Figures figures() const { return {}; }

 private:
  std::vector<Box> boxes_;
  bool use_;
};

class GridIndex {
 public:
  GridIndex(std::span<const Box> boxes, const GridChoice& choice)
      : grid_({cube_around(boxes).centre, cube_around(boxes).size, choice.cells,
               choice.by_coordinates, choice.inside_test, choice.direction_filter},
              boxes) {}

  void update(std::span<const Box> moving) {
    for (std::size_t i = 0; i < moving.size(); ++i) grid_.move(static_cast<int>(i), moving[i]);
  }
  template <typename F>
  void visit_partners(int id, F&& f) {
    grid_.visit_partners(id, f);
  }
  Figures figures() const { return {}; }

 private:
  Grid grid_;
};

class OctreeIndex {
 public:
  OctreeIndex(std::span<const Box> boxes, const OctreeChoice& choice)
      : update_(choice.update), boxes_(boxes.begin(), boxes.end()) {
    const Cube cube = cube_around(boxes);
    Octree::Options options;
    options.centre = cube.centre;
    options.size = cube.size;
    options.split_at = choice.split_at;
    options.merge_at = choice.merge_at;
    options.smallest_cell = kSmallestCell;
    options.max_objects = boxes.size();
    tree_ = Octree(options);
    for (std::size_t i = 0; i < boxes.size(); ++i) tree_.insert(static_cast<int>(i), boxes[i]);
    start_ = tree_.counters();
    shape_ = tree_.shape();
  }

  void update(std::span<const Box> moving) {
    const std::uint64_t before = tree_.counters().splits + tree_.counters().merges;
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const int id = static_cast<int>(i);
      switch (update_) {
        case OctreeChoice::Update::follow:
          tree_.move(id, moving[i]);
          break;
        case OctreeChoice::Update::reinsert:
          tree_.erase(id);
          tree_.insert(id, moving[i]);
          break;
        case OctreeChoice::Update::rebuild:
          boxes_[i] = moving[i];
          break;
      }
    }
    if (update_ == OctreeChoice::Update::rebuild) {
      for (std::size_t i = 0; i < boxes_.size(); ++i) tree_.erase(static_cast<int>(i));
      for (std::size_t i = 0; i < boxes_.size(); ++i) tree_.insert(static_cast<int>(i), boxes_[i]);
    }
    ++cycles_;
    changes_ += tree_.counters().splits + tree_.counters().merges != before;
  }
  template <typename F>
  void visit_partners(int id, F&& f) {
    tree_.visit_partners(id, f);
  }

  Figures figures() const {
    const Octree::Counters& now = tree_.counters();
    const auto number = [](auto value) { return static_cast<double>(value); };
    const auto each = [&](std::uint64_t a, std::uint64_t b) { return number(a - b) / cycles_; };
    const std::size_t full = shape_.leaves - shape_.empty_leaves;
    return {
        {"nodes", number(shape_.nodes)},
        {"leaves", number(shape_.leaves)},
        {"empty_leaves", number(shape_.empty_leaves)},
        {"depth", number(shape_.depth)},
        {"objects_per_full_leaf", number(shape_.entries) / number(std::max<std::size_t>(full, 1))},
        {"leaves_per_object", number(shape_.entries) / number(boxes_.size())},
        {"tree_bytes", number(shape_.bytes)},
        {"cycles_between_changes", changes_ == 0 ? cycles_ : cycles_ / number(changes_)},
        {"splits_per_1000", 1000 * each(now.splits, start_.splits)},
        {"merges_per_1000", 1000 * each(now.merges, start_.merges)},
        {"inside_moves_per_cycle", each(now.inside_moves, start_.inside_moves)},
        {"short_moves_per_cycle", each(now.short_moves, start_.short_moves)},
        {"long_moves_per_cycle", each(now.long_moves, start_.long_moves)},
        {"node_tests_per_cycle", each(now.node_tests, start_.node_tests)}};
  }

 private:
  OctreeChoice::Update update_;
  std::vector<Box> boxes_;
  Octree tree_;
  Octree::Counters start_;
  Octree::Shape shape_;
  double cycles_ = 0;
  std::uint64_t changes_ = 0;
};

template <typename Index>
class Paper final : public Contender {
 public:
  template <typename... Choice>
  Paper(const Cell& cell, double tolerance, const PaperOptions& options, const Choice&... choice)
      : cell_(cell),
        options_(options),
        tolerance_(tolerance),
        arms_(cell.arms),
        X_WP_(cell.moving.size()),
        boxes_(cell.moving.size()),
        tester_(cell, tolerance),
        index_(start_boxes(cell, tolerance), choice...) {
    candidates_.reserve(4096);
    near_.reserve(4096);
  }

  void cycle(const Instant& now) override {
    Clock::time_point times[kPhases + 1];
    int passed = 0;
    const auto mark = [&] {
      if (options_.profile) times[passed++] = Clock::now();
    };
    mark();
    arms_.forward(now.q, X_WP_);
    for (std::size_t i = 0; i < X_WP_.size(); ++i) X_WP_[i] = X_WP_[i] * cell_.moving[i].X;
    mark();
    for (std::size_t i = 0; i < X_WP_.size(); ++i) {
      boxes_[i] = grown(box_of(cell_.moving[i], X_WP_[i]), tolerance_);
    }
    mark();
    index_.update(boxes_);
    mark();
    candidates_.clear();
    const int moving = cell_.moving_count();
    for (int i = 0; i < moving; ++i) {
      index_.visit_partners(i, [&](int j) {
        if (j < i && options_.pairs_once) return;
        if (cell_.checked(i, j)) candidates_.push_back({i, j});
      });
    }
    mark();
    near_.clear();
    for (const Pair& pair : candidates_) {
      if (tester_.near(pair, X_WP_)) near_.push_back(pair);
    }
    mark();
    tests_ += candidates_.size();
    ++cycles_;
    if (options_.profile) add_phases(times);
  }

  void near(std::vector<Pair>& pairs) const override {
    for (const Pair& pair : near_) {
      if (pair[0] < pair[1]) pairs.push_back(pair);
    }
  }

  Figures figures() const override {
    Figures all = index_.figures();
    const double cycles = static_cast<double>(std::max<std::size_t>(cycles_, 1));
    all.emplace_back("exact_tests_per_cycle", static_cast<double>(tests_) / cycles);
    if (options_.profile) {
      constexpr const char* kNames[kPhases] = {"kinematics_us", "boxes_us", "index_us",
                                               "partners_us", "tests_us"};
      for (std::size_t i = 0; i < kPhases; ++i) {
        all.emplace_back(kNames[i], 1e6 * seconds_[i] / static_cast<double>(profiled_));
      }
    }
    return all;
  }

 private:
  static constexpr std::size_t kPhases = 5;

  /// A cycle during which the machine did something else says nothing.
  void add_phases(const Clock::time_point* times) {
    const auto seconds = [&](std::size_t from, std::size_t to) {
      return std::chrono::duration<double>(times[to] - times[from]).count();
    };
    if (seconds(0, kPhases) > 1e-4) return;
    for (std::size_t i = 0; i < kPhases; ++i) seconds_[i] += seconds(i, i + 1);
    ++profiled_;
  }

  static std::vector<Box> start_boxes(const Cell& cell, double tolerance) {
    std::vector<Box> boxes;
    std::vector<Pose> X_WL(cell.moving.size());
    Arms arms = cell.arms;
    arms.forward(std::vector<double>(cell.joints.size(), 0.0), X_WL);
    for (std::size_t i = 0; i < cell.moving.size(); ++i) {
      boxes.push_back(grown(box_of(cell.moving[i], X_WL[i] * cell.moving[i].X), tolerance));
    }
    for (const Part& part : cell.fixed) boxes.push_back(box_of(part, part.X));
    return boxes;
  }

  const Cell& cell_;
  PaperOptions options_;
  double tolerance_;
  Arms arms_;
  std::vector<Pose> X_WP_;
  std::vector<Box> boxes_;
  Tester tester_;
  Index index_;
  std::vector<Pair> candidates_, near_;
  double seconds_[kPhases] = {};
  std::size_t tests_ = 0, cycles_ = 0, profiled_ = 0;
};

class KinematicsAlone final : public Contender {
 public:
  explicit KinematicsAlone(const Cell& cell)
      : cell_(cell), arms_(cell.arms), X_WP_(cell.moving.size()) {}
  void cycle(const Instant& now) override {
    arms_.forward(now.q, X_WP_);
    for (std::size_t i = 0; i < X_WP_.size(); ++i) X_WP_[i] = X_WP_[i] * cell_.moving[i].X;
  }
  void near(std::vector<Pair>&) const override {}

 private:
  const Cell& cell_;
  Arms arms_;
  std::vector<Pose> X_WP_;
};

}  // namespace

ContenderKind kinematics_kind() {
  return {"kinematics", "the benchmark's own forward kinematics alone",
          [](const Cell& cell, double) -> std::unique_ptr<Contender> {
            return std::make_unique<KinematicsAlone>(cell);
          },
          false};
}

ContenderKind naive_kind(bool boxes, PaperOptions options) {
  return {boxes ? "naive" : "naive_exact", "every moving part against all others",
          [=](const Cell& cell, double tolerance) -> std::unique_ptr<Contender> {
            return std::make_unique<Paper<AllPairs>>(cell, tolerance, options, boxes);
          },
          true};
}

ContenderKind grid_kind(const std::string& name, GridChoice grid, PaperOptions options) {
  return {name, "uniform grid",
          [=](const Cell& cell, double tolerance) -> std::unique_ptr<Contender> {
            return std::make_unique<Paper<GridIndex>>(cell, tolerance, options, grid);
          },
          true};
}

ContenderKind octree_kind(const std::string& name, OctreeChoice octree, PaperOptions options) {
  return {name, "N-Objects octree",
          [=](const Cell& cell, double tolerance) -> std::unique_ptr<Contender> {
            return std::make_unique<Paper<OctreeIndex>>(cell, tolerance, options, octree);
          },
          true};
}

}  // namespace keepclear::bench
