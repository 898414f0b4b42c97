// SPDX-License-Identifier: BSD-3-Clause
//
// What a guard decides before its first cycle: bodies, pairs, how far a joint can move what, and
// how much work is always done.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "guard/guard_impl.hpp"
#include "sweep/layout.hpp"

namespace keepclear {
namespace {

using rounding::inflate;

/// Metres: a slide is expected this far beyond its limits at most; a box that goes farther makes
/// all bounds void.
constexpr double kBeyondLimits = 1.0;

/// At least how far the origin of a frame can be from its parent's.
double offset_hi(const Kinematics& kinematics, int f) {
  const Kinematics::Frame& frame = kinematics.frame(f);
  const auto most = [&](int v) {
    const Variable& variable = kinematics.variables()[v];
    return std::max(std::fabs(variable.lower), std::fabs(variable.upper)) + kBeyondLimits;
  };
  double slide = 0;
  if (frame.type == JointType::prismatic) {
    double q_hi = most(frame.variable);
    for (const auto& [multiplier, offset] : frame.mimic) {
      q_hi = std::fabs(multiplier) * q_hi + std::fabs(offset);
    }
    slide = q_hi;
  } else if (frame.type == JointType::planar) {
    slide = most(frame.variable) + most(frame.variable + 1);
  } else if (frame.type == JointType::floating) {
    for (int i = 0; i < 3; ++i) slide += most(frame.variable + i);
  }
  // Two roundings for each of at most kMaxMimicChain mimics, and two sums: 204u is 2.3e-14.
  static_assert(1e-12 > 2 * kMaxMimicChain * 2 * rounding::kU);
  return inflate(frame.p_hi + slide * (1 + 1e-12), 12);
}

}  // namespace

void Guard::Impl::require_options() const {
  const auto refuse = [](const std::string& what) {
    throw Error(Error::Kind::usage, "", 0, "guard: " + what);
  };
  const auto positive = [](double x) { return x > 0; };
  if (!(options.margin >= 0 && options.margin < 1e6)) refuse("the margin must not be negative");
  if (options.budget > (std::uint64_t{1} << 50)) refuse("the budget is too large to count");
  if (options.slices < 1 || options.slices > 1000) refuse("slices must be from 1 to 1000");
  if (options.splits < 0 || options.splits > 16) refuse("splits must be from 0 to 16");
  if (!(options.horizon >= 0 && options.horizon < 1e6)) refuse("the horizon must not be negative");
  if (!(options.limit_tolerance >= 0)) refuse("the tolerance of limits must not be negative");
  if (!positive(options.max_age) || !(options.max_gap >= 0) || !positive(options.max_world_age)) {
    refuse("ages must be positive, and the gap between states not negative");
  }
  if (options.max_carried > 100'000) refuse("at most 100000 carried pieces");
  const BrakeModel& brake = braking.model();
  if (brake.delays && options.max_gap > brake.delays->cycle) {
    refuse(
        fmt::format("states may be {} s apart, the latency holds a cycle of {} s: make the cycle "
                    "in the delays longer, or leave the gap out",
                    options.max_gap, brake.delays->cycle));
  }
  if (brake.delays && options.max_age > brake.delays->age && std::isfinite(options.max_age)) {
    refuse(
        fmt::format("states may be {} s old, the latency holds an age of {} s: make the age in "
                    "the delays longer, or leave the limit out",
                    options.max_age, brake.delays->age));
  }
  for (std::size_t i = 0; i < brake.joints.size() && options.known_command; ++i) {
    if (std::isfinite(brake.joints[i].acceleration_uncertainty)) continue;
    refuse(data.kinematics.variables()[i].name +
           ": commands are relied on, and acceleration_uncertainty is not given: what may the "
           "acceleration be off the command by? 0 only if by nothing");
  }
}

/// Bodies of the world, and room for those of objects that are moved.
void Guard::Impl::build_bodies() {
  const Kinematics& kinematics = data.kinematics;
  const int frames = kinematics.frame_count();
  all.motions_to.assign(static_cast<std::size_t>(frames), 0);
  all.chain.assign(static_cast<std::size_t>(frames), 0);
  std::vector<int> movers(kinematics.variables().size(), 0);
  for (int f = 1; f < frames; ++f) {
    if (kinematics.frame(f).variable >= 0) ++movers[kinematics.frame(f).variable];
  }
  all.shared.resize(movers.size());
  for (std::size_t v = 0; v < movers.size(); ++v) {
    all.shared[v] = movers[v] > 1 ? 1 : 0;
    all.any_shared = all.any_shared || movers[v] > 1;
  }
  int deepest = 0;
  for (int f = 0; f < frames; ++f) {
    const int parent = kinematics.parent(f);
    all.motions_to[f] =
        parent < 0 ? 0 : all.motions_to[parent] + motion_count(kinematics.frame(f).type);
    all.chain[f] = static_cast<std::uint32_t>(all.chain_size);
    all.chain_size += static_cast<std::size_t>(all.motions_to[f]);
    deepest = std::max(deepest, all.motions_to[f]);
  }
  std::size_t points = 0, most_points = 8;
  for (const WorldBody& body : data.bodies) points += body.body.tables().count;
  for (const Body& body : data.environment.bodies) {
    most_points = std::max(most_points, body.tables().count);
  }
  for (const WorldBody& body : data.bodies) {
    if (data.solids[body.solid].is_object) {
      most_points = std::max(most_points, body.body.tables().count);
    }
  }
  const bool has_objects = std::any_of(data.solids.begin(), data.solids.end(),
                                       [](const SolidInfo& solid) { return solid.is_object; });
  if (!has_objects) options.max_carried = 0;
  const std::size_t room = options.max_carried * most_points;
  for (AlignedVector* axis : {&all.x, &all.y, &all.z}) axis->resize(points + room);
  carried_points = room;
  std::uint32_t next = 0;
  for (const WorldBody& from : data.bodies) {
    const BodyTables& tables = from.body.tables();
    GuardBody body;
    body.frame = from.frame, body.solid = from.solid;
    body.first = next, body.count = static_cast<std::uint32_t>(tables.count);
    body.radius_hi = tables.radius;
    for (std::size_t i = 0; i < tables.count; ++i, ++next) {
      all.x[next] = tables.x[i], all.y[next] = tables.y[i], all.z[next] = tables.z[i];
    }
    measure_points(all, body);
    body.way = static_cast<std::uint32_t>(all.way_size);
    all.way_size += static_cast<std::size_t>(all.motions_to[from.frame]) + 1;
    all.tables.push_back(tables.count > kFewPoints ? &tables : nullptr);
    body.active = true;
    all.bodies.push_back(body);
  }
  for (std::size_t k = 0; k < options.max_carried; ++k) {
    GuardBody body;
    body.first = next, next += static_cast<std::uint32_t>(most_points);
    body.way = static_cast<std::uint32_t>(all.way_size);
    all.way_size += static_cast<std::size_t>(deepest) + 1;
    all.tables.push_back(nullptr);
    all.bodies.push_back(body);
  }
}

/// A row of changes for a body in the frame where it meets another.
int Guard::Impl::change_row(int body, int skip) {
  const auto [place, is_new] = row_of.try_emplace({body, skip}, static_cast<int>(rows.size()));
  if (is_new) {
    rows.push_back({body, skip});
    add_row_weights(body, skip);
  }
  return place->second;
}

/// A joint that moves by d moves no point behind it farther than d times its distance from the
/// axis, which is never more than the links between them are long.
void Guard::Impl::add_row_weights(int b, int skip) {
  const Kinematics& kinematics = data.kinematics;
  const GuardBody& body = all.bodies[b];
  Row& row = rows.back();
  row.first = static_cast<std::uint32_t>(weights.size());
  const auto add = [&](int number, double metres_hi) {
    for (std::size_t w = row.first; w < weights.size(); ++w) {
      if (weights[w].number != number) continue;
      weights[w].metres_hi = inflate(weights[w].metres_hi + metres_hi, 1);
      return;
    }
    weights.push_back({number, metres_hi});
  };
  double reach = body.reach_hi;
  for (int f = body.frame; f > 0 && all.motions_to[f] > skip; f = kinematics.parent(f)) {
    const Kinematics::Frame& frame = kinematics.frame(f);
    const int v = frame.variable;
    switch (frame.type) {
      case JointType::revolute:
      case JointType::continuous:
        add(v, inflate(frame.joint.gain_hi * reach, 1));
        break;
      case JointType::prismatic:
        add(v, frame.joint.gain_hi);
        break;
      case JointType::planar:
        add(v, 1), add(v + 1, 1), add(v + 2, reach);
        break;
      case JointType::floating:
        for (int i = 0; i < 3; ++i) add(v + i, 1);
        // Quaternions are not followed: any growth makes the bound void.
        for (int i = 3; i < 7; ++i) add(v + i, kInfiniteMetres);
        break;
      case JointType::fixed:
        break;
    }
    reach = inflate(reach + offset_hi(kinematics, f), 1);
  }
  const auto endless = std::stable_partition(
      weights.begin() + row.first, weights.end(),
      [](const Weight& weight) { return weight.metres_hi < kInfiniteMetres; });
  row.endless = static_cast<std::uint32_t>(endless - weights.begin());
  row.last = static_cast<std::uint32_t>(weights.size());
}

void Guard::Impl::build_pairs() {
  const Kinematics& kinematics = data.kinematics;
  for (const BodyPair& from : data.body_pairs) {
    const LinkPair& links = data.link_pairs[from.pair];
    GuardPair pair;
    pair.a = from.a, pair.b = from.b;
    pair.origin = meeting_frame(kinematics, all.bodies[pair.a].frame, all.bodies[pair.b].frame);
    pair.skip = all.motions_to[pair.origin];
    pair.change_a = change_row(pair.a, pair.skip);
    pair.change_b = change_row(pair.b, pair.skip);
    pair.margin = rounding::up(links.margin + options.margin);
    pairs.push_back(pair);
  }
  fixed_pairs = pairs.size();
  margin_hi = rounding::up(data.rules.margin_hi + options.margin);
  for (std::size_t b = 0; b < data.bodies.size(); ++b) {
    if (!data.moves(data.bodies[b].solid) || data.environment.empty()) continue;
    among.push_back(static_cast<int>(b));
    among_row.push_back(change_row(static_cast<int>(b), 0));
  }
  fixed_among = among.size();
  // Room for objects that are moved: each piece against every body and every other piece.
  const std::size_t carried = options.max_carried;
  pairs.resize(fixed_pairs + carried * (data.bodies.size() + carried));
  for (std::size_t i = fixed_pairs; i < pairs.size(); ++i) pairs[i].active = false;
  if (carried > 0) {
    // Bounds of these are not carried over from cycle to cycle: one row that always changes.
    rows.push_back({-1, 0});
    for (std::size_t i = fixed_pairs; i < pairs.size(); ++i) {
      pairs[i].change_a = pairs[i].change_b = static_cast<int>(rows.size()) - 1;
    }
    for (std::size_t k = 0; k < carried; ++k) {
      among.push_back(static_cast<int>(data.bodies.size() + k));
      among_row.push_back(static_cast<int>(rows.size()) - 1);
    }
  }
  bounds.resize(pairs.size());
  obstacle_bounds.resize(among.size());
  piece_directions.resize(among.size() * kPieceDirections);
  moved.reserve(carried);
  touching.reserve(64 + 4 * carried);
  margins.reserve(1024);
  is_moved.assign(data.solids.size(), 0);
  offered.resize(data.environment.pieces.size());
}

Guard::Impl::Impl(const World& world, const BrakeModel& brake, const GuardOptions& given)
    : keep(world),
      data(keep.data()),
      options(given),
      braking(world, brake),
      pose((require_options(), build_bodies(), data), all),
      fine(data, all),
      ahead(data, all) {
  build_pairs();
  const std::size_t dof = data.kinematics.variables().size();
  sliced = options.slices > 1 && dof > 0 &&
           std::all_of(brake.joints.begin(), brake.joints.end(), [](const JointBrake& joint) {
             return joint.brake_deceleration_most < kInfiniteMetres;
           });
  lets_go_in_motion =
      std::all_of(brake.joints.begin(), brake.joints.end(), [&](const JointBrake& joint) {
        return !options.known_command && joint.brake_deceleration_most <= joint.max_acceleration;
      });
  last_q.resize(dof), last_v.resize(dof), grown.resize(dof);
  for (std::vector<Interval>* b : {&box, &new_box, &ahead_box, &part}) b->resize(dof);
  if (sliced) slices.resize(dof * static_cast<std::size_t>(options.slices));
  changes.resize(rows.size()), ahead_changes.resize(rows.size());
  kept.used_pairs = fixed_pairs, kept.used_among = fixed_among;
  posing_most = pose.set_flops(0, data.kinematics.frame_count() - 1);
  for (std::size_t b = 0; b < all.bodies.size(); ++b) posing_most += pose.place_flops_most(b);
  max_gap = options.max_gap > 0 ? options.max_gap
            : brake.delays      ? brake.delays->cycle
            : brake.latency > 0 ? brake.latency * (1 + 1e-6)
                                : kInfiniteMetres;
  stamps_hi = brake.delays ? brake.delays->cycle / 1000 : 0;
  oldest = std::min(options.max_age, brake.delays ? brake.delays->age : brake.latency);
  for (std::size_t i = 0; i < dof; ++i) {
    const JointBrake& joint = brake.joints[i];
    const double written = data.kinematics.variables()[i].velocity;
    fastest.push_back(joint.max_velocity < kInfiniteMetres
                          ? joint.max_velocity
                          : written * (1 + 1e-6) + joint.velocity_uncertainty);
  }
  slides.assign(dof, 0);
  for (int f = 1; f < data.kinematics.frame_count(); ++f) {
    const Kinematics::Frame& frame = data.kinematics.frame(f);
    const int count = frame.type == JointType::prismatic  ? 1
                      : frame.type == JointType::planar   ? 2
                      : frame.type == JointType::floating ? 7
                                                          : 0;
    for (int i = 0; i < count; ++i) slides[frame.variable + i] = 1;
  }
  // Checks of the input, the box, its growth and the rows; then the table.
  once = braking.box_flops() + 40 * dof + 2 * weights.size() + rows.size() + 64;
  per_slot = 6;
  if (options.graded) {
    once += 4 * (braking.box_flops() + 4 * dof + 2 * weights.size() + rows.size());
    per_slot += 16;
  }
  list_memory();
}

}  // namespace keepclear
