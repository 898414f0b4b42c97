// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bench/sweep_bench.hpp"
#include "keepclear/distance.hpp"

namespace keepclear::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Joints that the paper follows with two points: the first three.
constexpr int kFineJoints = 3;
/// Boxes in turn for each contender.
constexpr std::size_t kBlock = 10;
/// Longer than this (microseconds) a box is not measured twice.
constexpr double kLong = 50'000;
constexpr std::size_t kTries = 200'000;

class Swept final : public BoxContender {
 public:
  Swept(const std::string& name, std::shared_ptr<Sweep> sweep, bool clearance)
      : BoxContender(name, sweep->volumes().size(), sweep->point_count()),
        sweep_(std::move(sweep)),
        clearance_(clearance) {}

  Verdict run(const BoxCase& box) override {
    if (!sweep_->update(box.box)) throw std::runtime_error("a Sweep refuses a box");
    if (!clearance_) return Verdict::undecided;
    return sweep_->clearance().clearance > 0 ? Verdict::free : Verdict::undecided;
  }

 private:
  std::shared_ptr<Sweep> sweep_;
  bool clearance_;
};

class Proving final : public BoxContender {
 public:
  Proving(const World& world, std::size_t budget)
      : BoxContender("box_query", 0, 0), query_(world, options(budget)) {}

  Verdict run(const BoxCase& box) override { return query_(box.box).verdict; }

 private:
  static BoxOptions options(std::size_t budget) {
    BoxOptions options;
    options.tolerance = std::numeric_limits<double>::infinity();
    options.threads = 1;
    options.budget = budget;
    return options;
  }

  BoxQuery query_;
};

/// Pose after pose, until one is in contact.
class Posing final : public BoxContender {
 public:
  Posing(const std::string& name, std::unique_ptr<Peer> peer, Question question, std::size_t pairs)
      : BoxContender(name, 0, 0), peer_(std::move(peer)), question_(question), distances_(pairs) {}

  Verdict run(const BoxCase& box) override {
    for (std::size_t i = 0; i < kPosesPerBox; ++i) {
      if (hits(box.frame(i))) return Verdict::contact;
    }
    return Verdict::free;
  }

 private:
  bool hits(const Frame& frame) {
    if (question_ == Question::check) return peer_->check(frame);
    if (question_ == Question::least) return peer_->least(frame) <= 0;
    peer_->all_pairs(frame, distances_);
    return std::any_of(distances_.begin(), distances_.end(), [](double d) { return d <= 0; });
  }

  std::unique_ptr<Peer> peer_;
  Question question_;
  std::vector<double> distances_;
};

struct Measured {
  std::vector<double> microseconds;
  std::vector<Verdict> verdicts;
};

std::vector<double> half_widths(const World& world, double half_width) {
  std::vector<double> all;
  for (const Variable& v : world.variables()) {
    all.push_back(v.type == "prismatic" ? kSlidePerTurn * half_width : half_width);
  }
  return all;
}

BoxRow summarise(const Scene& scene, const BoxContender& contender, const Measured& measured) {
  BoxRow row;
  row.scene = scene.name;
  row.contender = contender.name();
  row.pairs = scene.pairs.size();
  row.boxes = measured.verdicts.size();
  row.volumes = contender.volumes();
  row.points = contender.points();
  std::vector<double> sorted = measured.microseconds;
  std::sort(sorted.begin(), sorted.end());
  for (const double t : sorted) row.mean_us += t / static_cast<double>(sorted.size());
  row.p50_us = sorted[sorted.size() / 2];
  row.max_us = sorted.back();
  for (const Verdict verdict : measured.verdicts) {
    ++(verdict == Verdict::free      ? row.free
       : verdict == Verdict::contact ? row.contact
                                     : row.undecided);
  }
  return row;
}

/// Ratios, contacts that single poses do not meet, and whether anything that is proved is wrong.
void compare(const std::vector<std::unique_ptr<BoxContender>>& contenders,
             const std::vector<Measured>& all, std::vector<BoxRow>& rows) {
  const auto find = [&](const char* name) {
    return static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(),
                     [&](const BoxRow& row) { return row.contender == name; }) -
        rows.begin());
  };
  const Measured& proved = all[find("box_query")];
  const Measured& posed = all[find("check16")];
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    rows[c].times_fcl = rows[find("fcl16_check")].mean_us / rows[c].mean_us;
    rows[c].times_tree = rows[find("fcl16_tree_check")].mean_us / rows[c].mean_us;
    const bool poses = rows[c].contender.find("16") != std::string::npos;
    for (std::size_t i = 0; i < proved.verdicts.size(); ++i) {
      if (all[c].verdicts[i] != Verdict::free) continue;
      if (proved.verdicts[i] == Verdict::contact) ++rows[c].missed;
      if (!poses &&
          (proved.verdicts[i] == Verdict::contact || posed.verdicts[i] == Verdict::contact)) {
        throw std::runtime_error(rows[c].contender + " shows a box free that has a contact");
      }
    }
  }
}

}  // namespace

std::vector<BoxCase> make_boxes(const Scene& scene, double half_width, std::size_t count,
                                std::uint64_t seed) {
  const World& world = scene.world;
  const std::vector<double> half = half_widths(world, half_width);
  const JointBox range = full_range(world);
  DistanceQuery query(world);
  SolidPoses poses(world);
  Random random(seed);
  std::vector<BoxCase> boxes;
  std::vector<double> q(world.dof());
  for (std::size_t i = 0; i < kTries && boxes.size() < count; ++i) {
    set_random(world, random, q);
    BoxCase one;
    for (std::size_t j = 0; j < q.size(); ++j) {
      // Whole boxes, where the limits have room for them.
      const double lower = range[j].lower + half[j], upper = range[j].upper - half[j];
      q[j] =
          lower <= upper ? std::clamp(q[j], lower, upper) : 0.5 * (range[j].lower + range[j].upper);
      one.box.push_back(
          {std::max(q[j] - half[j], range[j].lower), std::min(q[j] + half[j], range[j].upper)});
    }
    if (!(query(q).lower_bound > kLeastClearance)) continue;
    one.q.resize(kPosesPerBox * q.size());
    one.X_WS.resize(kPosesPerBox * world.solids().size());
    for (std::size_t k = 0; k < kPosesPerBox; ++k) {
      for (std::size_t j = 0; j < q.size(); ++j) one.q[k * q.size() + j] = random(one.box[j]);
      if (!poses(one.frame(k).q,
                 std::span(one.X_WS).subspan(k * world.solids().size(), world.solids().size()))) {
        throw std::runtime_error("a pose of a box is no configuration");
      }
    }
    boxes.push_back(std::move(one));
  }
  return boxes;
}

std::vector<std::unique_ptr<BoxContender>> make_contenders(const Scene& scene, double half_width,
                                                           std::size_t budget) {
  std::vector<std::unique_ptr<BoxContender>> all;
  const World& world = scene.world;
  const SweepPlan paper = paper_plan(world, kFineJoints);
  const auto by_paper = std::make_shared<Sweep>(world, paper);
  AutomaticPlanOptions options;
  options.points = by_paper->point_count();
  options.half_widths = half_widths(world, half_width);
  const auto automatic = std::make_shared<Sweep>(world, automatic_plan(world, options));
  all.push_back(std::make_unique<Swept>("sweep_paper", by_paper, false));
  all.push_back(std::make_unique<Swept>("sweep_auto", automatic, false));
  all.push_back(std::make_unique<Swept>("sweep_paper_clearance", by_paper, true));
  all.push_back(std::make_unique<Swept>("sweep_auto_clearance", automatic, true));
  all.push_back(std::make_unique<Proving>(world, budget));
  const auto add = [&](const char* name, const std::vector<PeerKind>& kinds, const char* kind,
                       Question question) {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const PeerKind& candidate) {
      return candidate.name == kind;
    });
    all.push_back(std::make_unique<Posing>(name, found->make(scene), question, scene.pairs.size()));
  };
  const std::vector<PeerKind> ours = keepclear_peers(), fcl = fcl_peers();
  add("check16", ours, "keepclear", Question::check);
  add("fcl16_check", fcl, "fcl", Question::check);
  add("fcl16_distance", fcl, "fcl", Question::all_pairs);
  add("fcl16_tree_check", fcl, "fcl_tree", Question::check);
  add("fcl16_tree_distance", fcl, "fcl_tree", Question::least);
  return all;
}

std::vector<BoxRow> measure_boxes(const Scene& scene, double half_width, std::size_t count,
                                  int rounds, std::size_t budget, std::uint64_t seed) {
  const std::vector<BoxCase> boxes = make_boxes(scene, half_width, count, seed);
  if (boxes.empty()) return {};
  const auto contenders = make_contenders(scene, half_width, budget);
  std::vector<Measured> all(contenders.size());
  for (Measured& m : all) {
    m.microseconds.assign(boxes.size(), std::numeric_limits<double>::infinity());
    m.verdicts.resize(boxes.size());
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t begin = 0; begin < boxes.size(); begin += kBlock) {
      for (std::size_t c = 0; c < contenders.size(); ++c) {
        const auto is_long = [&](std::size_t i) {
          return round > 0 && all[c].microseconds[i] > kLong;
        };
        // Those before have emptied the caches: the last box once more, by no clock.
        const std::size_t last = begin > 0 ? begin - 1 : boxes.size() - 1;
        if (round > 0 && !is_long(last)) contenders[c]->run(boxes[last]);
        for (std::size_t i = begin; i < std::min(begin + kBlock, boxes.size()); ++i) {
          if (is_long(i)) continue;
          const Clock::time_point start = Clock::now();
          all[c].verdicts[i] = contenders[c]->run(boxes[i]);
          const std::chrono::duration<double, std::micro> took = Clock::now() - start;
          all[c].microseconds[i] = std::min(all[c].microseconds[i], took.count());
        }
      }
    }
  }
  std::vector<BoxRow> rows;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    rows.push_back(summarise(scene, *contenders[c], all[c]));
    rows.back().half_width = half_width;
  }
  compare(contenders, all, rows);
  return rows;
}

void count_box_instructions(const Scene& scene, double half_width, std::size_t count,
                            std::size_t budget, std::uint64_t seed) {
  const std::vector<BoxCase> boxes = make_boxes(scene, half_width, count + 1, seed);
  const auto contenders = make_contenders(scene, half_width, budget);
  CALLGRIND_START_INSTRUMENTATION;
  for (const auto& contender : contenders) {
    CALLGRIND_ZERO_STATS;
    // The first fills what a contender remembers and is not counted.
    if (!boxes.empty()) contender->run(boxes[0]);
    for (std::size_t i = 1; i < boxes.size(); ++i) {
      CALLGRIND_TOGGLE_COLLECT;
      contender->run(boxes[i]);
      CALLGRIND_TOGGLE_COLLECT;
    }
    const std::string label =
        fmt::format("keepclear-bench,{},{},{},{},{},{}", scene.name, half_width, contender->name(),
                    contender->volumes(), contender->points(), boxes.size() - 1);
    CALLGRIND_DUMP_STATS_AT(label.c_str());
  }
  CALLGRIND_STOP_INSTRUMENTATION;
}

}  // namespace keepclear::bench
