// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"
#include "rounding/rounding.hpp"
#include "sweep/sweep_impl.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;

/// Metres: farther out nothing is computed, and the volume is everything. Squares stay far from
/// overflow.
constexpr double kFar = 1e100;

/// At least the root of a computed sum of three squares.
double root_hi(double square) {
  return inflate(std::sqrt(square), 6) + 0x1p-500;
}

/// How much the radius grows on the way through a joint, whatever the points were when the sweep
/// began. Let x be where a point of the body really is behind the joint, for some configuration of
/// the box, and r the radius there: x = y + e with |e| <= r and y in the hull of the points. The
/// real joint is a rigid motion A, so that A x = A y + R e with |R e| <= r, however much the maps
/// stretch; and A y is near a mixture of the maps of y, by no more than the growth at y, which is
/// convex in y and hence at most that of the largest lever and reach. The error of earlier joints
/// is never enlarged. Of joints of one number the mixture is (1 - s) M_0 y + s M_1 y, and with y =
/// sum_j B_j(s) b_j, the Bernstein weights of degree m - 1, that is sum_j B'_j(s) b'_j with those
/// of degree m and b'_j = (j M_1 b_(j-1) + (m - j) M_0 b_j) / m: maps are affine, weights sum to
/// one. The weights of other joints multiply these, and the argument is the same.
double growth_of(const Stage& stage, const SweepTask& task) {
  const double reach_hi = root_hi(task.reach2);
  double lever_hi = reach_hi;
  if (!stage.about_centre) {
    // As lever_hi() of one point: the cross product rounds, too.
    lever_hi = inflate(root_hi(task.lever2) + gamma(4) * (2 * reach_hi), 4);
  }
  double growth_hi = stage.growth_hi(lever_hi, reach_hi);
  if (task.degree > 0) {
    // Weights that are rounded, their products, and a sum.
    const double mixing = gamma(4) * (stage.size_hi * reach_hi + stage.t_hi);
    growth_hi = inflate(growth_hi + 2 * mixing, 8);
  }
  const bool computed = reach_hi < kFar && stage.size_hi < kFar && stage.t_hi < kFar;
  return computed && growth_hi >= 0 ? growth_hi : kInfinity;
}

}  // namespace

Sweep::Impl::Impl(const World& world, const SweepPlan& given)
    : keep(world), data(keep.data()), plan(given) {
  require_plan(data, plan);
  layout = make_layout(data, plan);
  if (layout.points > kMaxPoints) {
    throw Error(Error::Kind::usage, "", 0,
                "the sweep plan makes more than " + std::to_string(kMaxPoints) +
                    " points; give fewer to joints far from the root");
  }
  prepare_points();
  prepare_tasks();
  bound.resize(layout.pairs.size());
  order.resize(layout.pairs.size());
  caches.resize(layout.pairs.size());
  if (!layout.among.empty()) {
    piece_caches.resize(kPieceCaches);
    offered.resize(data.environment.pieces.size());
  }
}

/// Memory for the points of every node, and tables of those that are volumes.
void Sweep::Impl::prepare_points() {
  std::size_t between_points = 0;
  for (const SweepNode& node : layout.nodes) {
    if (node.from >= 0 && node.volume < 0) between_points += node.count + kSweepPad;
  }
  for (AlignedVector& axis : between) axis.resize(between_points);
  states.resize(layout.nodes.size());
  own_tables.resize(layout.volumes.size());
  tables.resize(layout.volumes.size());
  std::size_t next = 0;
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    const SweepNode& node = layout.nodes[n];
    NodeState& state = states[n];
    const BodyTables& body = data.bodies[node.body].body.tables();
    if (node.from < 0) {
      state.at[0] = body.x.data(), state.at[1] = body.y.data(), state.at[2] = body.z.data();
      state.radius = body.radius;
      if (node.volume >= 0) tables[node.volume] = &body;
      continue;
    }
    if (node.volume < 0) {
      for (int axis = 0; axis < 3; ++axis) state.own[axis] = between[axis].data() + next;
      next += node.count + kSweepPad;
    } else {
      BodyTables& t = own_tables[node.volume];
      tables[node.volume] = &t;
      const std::size_t blocks = (node.count + kBlock - 1) / kBlock;
      t.count = node.count;
      for (AlignedVector* axis : {&t.x, &t.y, &t.z}) axis->resize(blocks * kBlock + kSweepPad);
      t.blocks.resize(blocks * (3 * kBlock));
      t.first_block = {0, static_cast<std::uint32_t>(blocks)};
      t.slot_vertex.resize(blocks * kBlock);
      for (std::size_t slot = 0; slot < t.slot_vertex.size(); ++slot) {
        t.slot_vertex[slot] = static_cast<std::uint32_t>(std::min(slot, node.count - 1));
      }
      state.own[0] = t.x.data(), state.own[1] = t.y.data(), state.own[2] = t.z.data();
    }
    std::copy(state.own, state.own + 3, state.at);
  }
  for (std::size_t v = 0; v < layout.volumes.size(); ++v) {
    const SweepNode& node = layout.nodes[layout.volumes[v]];
    const NodeState& state = states[layout.volumes[v]];
    volumes.push_back(
        {node.body, node.frame, {state.radius, node.count, state.at[0], state.at[1], state.at[2]}});
  }
}

/// The ways through the joints, those that go through the same one side by side.
void Sweep::Impl::prepare_tasks() {
  std::vector<int> steps;
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    if (layout.nodes[n].from >= 0) steps.push_back(static_cast<int>(n));
  }
  // A frame comes before those that it carries: from the last to the first, all that passes a
  // joint has arrived there.
  const auto key = [&](int n) {
    const SweepNode& node = layout.nodes[n];
    return std::pair(-layout.nodes[node.from].frame, node.even);
  };
  std::stable_sort(steps.begin(), steps.end(), [&](int a, int b) { return key(a) < key(b); });
  for (const int n : steps) {
    const SweepNode& node = layout.nodes[n];
    const int frame = layout.nodes[node.from].frame;
    if (passages.empty() || passages.back().frame != frame || passages.back().even != node.even) {
      passages.push_back({frame, node.even, tasks.size(), tasks.size()});
    }
    SweepTask task;
    for (int axis = 0; axis < 3; ++axis) {
      task.in[axis] = states[node.from].at[axis];
      task.out[axis] = states[n].own[axis];
    }
    task.count = layout.nodes[node.from].count;
    task.degree = node.degree;
    task.inner = node.inner;
    tasks.push_back(task);
    task_node.push_back(n);
    passages.back().last = tasks.size();
  }
}

bool Sweep::Impl::update(std::span<const Interval> box) noexcept {
  valid = false;
  if (!rounding::mode_is_right()) return false;
  if (box.size() != data.kinematics.variables().size()) return false;
  for (const Interval& interval : box) {
    if (!(interval.lower <= interval.upper)) return false;
  }
  for (const Passage& passage : passages) {
    if (passage.even) {
      make_even_stage(data.kinematics, passage.frame, box, stage);
    } else {
      make_stage(data.kinematics, passage.frame, box, plan.operators[passage.frame - 1], stage);
    }
    apply_stage(stage, {tasks.data() + passage.first, passage.last - passage.first});
    for (std::size_t i = passage.first; i < passage.last; ++i) {
      const SweepNode& node = layout.nodes[task_node[i]];
      states[task_node[i]].radius =
          rounding::up(states[node.from].radius + growth_of(stage, tasks[i]));
    }
  }
  for (std::size_t v = 0; v < volumes.size(); ++v) finish_volume(v);
  valid = true;
  return true;
}

/// Fills the tables of a volume that is not the body itself.
void Sweep::Impl::finish_volume(std::size_t v) noexcept {
  const int n = layout.volumes[v];
  if (layout.nodes[n].from < 0) return;
  BodyTables& t = own_tables[v];
  double* const points[3] = {t.x.data(), t.y.data(), t.z.data()};
  t.radius = states[n].radius;
  if (!(t.radius < kInfinity)) {
    // Points that mean nothing may be no numbers: searches must not see them.
    t.radius = kInfinity;
    for (double* axis : points) std::fill(axis, axis + t.count, 0.0);
  }
  t.box = fill_blocks(points, t.count, t.blocks.data());
  const auto middle = [](double lo, double hi) { return lo + 0.5 * (hi - lo); };
  t.centre = {middle(t.box.lo.x, t.box.hi.x), middle(t.box.lo.y, t.box.hi.y),
              middle(t.box.lo.z, t.box.hi.z)};
  t.spine[0] = t.spine[1] = t.centre;
  const auto farthest = [](Vec3 lo, Vec3 hi, Vec3 from) {
    return Vec3{std::max(hi.x - from.x, from.x - lo.x), std::max(hi.y - from.y, from.y - lo.y),
                std::max(hi.z - from.z, from.z - lo.z)};
  };
  t.reach_hi = norm_hi(farthest(t.box.lo, t.box.hi, {}));
  // Each coordinate of the difference rounds once.
  t.bounding_radius_hi = inflate(norm_hi(farthest(t.box.lo, t.box.hi, t.centre)) + t.radius, 4);
  volumes[v].volume.radius = t.radius;
}

Sweep::Sweep(const World& world, const SweepPlan& plan)
    : impl_((rounding::require_mode(), std::make_unique<Impl>(world, plan))) {}
Sweep::~Sweep() = default;
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;

bool Sweep::update(std::span<const Interval> box) noexcept {
  return impl_->update(box);
}
std::span<const SweptVolume> Sweep::volumes() const noexcept {
  return impl_->volumes;
}
std::size_t Sweep::point_count() const noexcept {
  return impl_->layout.points;
}
SweptClearance Sweep::clearance() noexcept {
  return impl_->clearance();
}

}  // namespace keepclear
