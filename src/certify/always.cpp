// SPDX-License-Identifier: BSD-3-Clause
//
// Two links that overlap in every configuration of a box: where two bodies are deep in each other
// in the middle of a part, they still overlap where both together have moved by less than that
// depth. Derived in docs/theory/boxes.md, section "Always in contact".
#include <algorithm>
#include <cmath>

#include "certify/search.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {

bool PairSearch::moves_at_most(const Part& part, SearchWorkspace& space, std::vector<double>& way_a,
                               std::vector<double>& way_b) const {
  for (std::size_t v = 0; v < variables_.size(); ++v) space.box[variables_[v]] = part.box[v];
  way_a.assign(bodies_a_.size(), 0.0);
  way_b.assign(bodies_b_.size(), 0.0);
  for (const bool of_b : {false, true}) {
    const std::vector<int>& path = of_b ? path_b_ : path_a_;
    const std::vector<int>& bodies = of_b ? bodies_b_ : bodies_a_;
    std::vector<double>& way = of_b ? way_b : way_a;
    for (std::size_t level = path.size(); level-- > 0;) {
      const Kinematics::Frame& frame = data_.kinematics.frame(path[level]);
      const bool turns = frame.type == JointType::revolute || frame.type == JointType::continuous;
      if (!turns && frame.type != JointType::prismatic) return false;
      make_stage(data_.kinematics, path[level], space.box, {1, 1}, space.stages[level]);
    }
    std::vector<const Stage*> chain(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) chain[i] = &space.stages[i];
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const BodyTables& body = data_.bodies[bodies[b]].body.tables();
      for (std::size_t level = 0; level < path.size(); ++level) {
        // What is behind the joint, over the whole part, with its radius, lies in this ball.
        const SweptBody behind =
            sweep_body(body, std::span<const Stage* const>(chain).subspan(level + 1));
        const double lever = rounding::inflate(
            lever_hi(*chain[level], behind.centre) + behind.ball_hi + behind.radius_hi, 2);
        const Kinematics::Frame& frame = data_.kinematics.frame(path[level]);
        // A joint that mimics goes as far as its number does, times its gain.
        const Interval value = space.box[frame.variable];
        const double at = space.q[frame.variable];
        const double half = rounding::inflate(
            std::max(value.upper - at, at - value.lower) * frame.joint.gain_hi, 8);
        way[b] += frame.type == JointType::prismatic ? half : half * lever;
      }
      // Products of numbers that are rounded up, added up: two roundings a joint.
      const int roundings = 2 * static_cast<int>(path.size()) + 2;
      way[b] = rounding::inflate(way[b] * (1 + rounding::gamma(roundings)), 3);
    }
  }
  return true;
}

bool PairSearch::overlap_throughout(std::span<const Interval> box, std::size_t budget,
                                    SearchWorkspace& space) {
  set_box(box);
  space.q = base_;
  Part whole;
  for (const int v : variables_) whole.box.push_back(box_[v]);
  std::vector<Part> waiting{std::move(whole)};
  std::vector<double> way_a, way_b;
  for (std::size_t parts = 0; !waiting.empty(); ++parts) {
    if (parts >= budget) return false;
    Part part = std::move(waiting.back());
    waiting.pop_back();
    if (!set_middle(part, space.q) || !pose(space)) return false;
    bool deep = false, touching = false;
    if (!moves_at_most(part, space, way_a, way_b)) return false;
    for (const Item& item : all_) {
      const PairAnswer answer = solve(item, kInfinity, true, space);
      if (answer.verdict != Verdict::contact) continue;
      touching = true;
      // The depth is proved of the real poses in the middle, what their computed ones are off by
      // included.
      const double way = rounding::inflate(way_a[item.body] + way_b[item.other], 1);
      deep = deep || way < answer.sure_depth_lo;
    }
    if (!touching) return false;
    if (deep) continue;
    choose_split(part, true, space);
    if (part.split < 0) return false;
    const Interval i = part.box[part.split];
    const double middle = 0.5 * i.lower + 0.5 * i.upper;
    for (const Interval half : {Interval{i.lower, middle}, Interval{middle, i.upper}}) {
      Part child = part;
      child.box[part.split] = half;
      waiting.push_back(std::move(child));
    }
  }
  return true;
}

}  // namespace keepclear
