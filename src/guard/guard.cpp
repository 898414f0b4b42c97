// SPDX-License-Identifier: BSD-3-Clause
//
// The cycle (paper 1, IV): what the box has grown by is taken off the bounds, pairs that are left
// with nothing are looked at again, and what is left of the budget prepares for the next cycles.
#include "keepclear/guard.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "guard/guard_impl.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

using Settled = Guard::Impl::Settled;

/// A bound should last for this many cycles like the last one.
constexpr double kLastingCycles = 8;
/// Bounds that would be used up within this many are looked at before they are.
constexpr double kSoonCycles = 3;
/// What is not clear over the whole box is looked at in parts if it is no more than this.
constexpr std::size_t kMostOpen = 16;
/// Rates beyond this are no speeds.
constexpr double kLargestRate = 1e9;

/// Of sensors that work: a number, zero or not a denormal one, and not beyond belief.
bool is_measured(double x, double largest) noexcept {
  return x == 0 || (std::isnormal(x) && std::fabs(x) <= largest);
}

}  // namespace

Reason Guard::Impl::check_input(const GuardState& given) noexcept {
  const auto variables = data.kinematics.variables();
  const std::size_t dof = variables.size();
  if (given.q.size() != dof || given.v.size() != dof) return Reason::wrong_size;
  if (!given.command.empty() && given.command.size() != dof) return Reason::wrong_size;
  if (options.known_command && given.command.empty() && dof > 0) return Reason::wrong_size;
  if (!given.ages.empty() && given.ages.size() != dof) return Reason::wrong_size;
  if (!std::isfinite(given.time) || std::fabs(given.time) > 1e15) return Reason::not_finite;
  for (std::size_t i = 0; i < dof; ++i) {
    if (!is_measured(given.q[i], kLargestAngle) || !is_measured(given.v[i], kLargestRate) ||
        (!given.command.empty() && !is_measured(given.command[i], kLargestRate))) {
      return Reason::not_finite;
    }
  }
  if (!data.kinematics.is_configuration(given.q)) return Reason::not_finite;
  // The latency holds the age: what is older has had its time to brake.
  if (!(given.age >= 0 && given.age <= oldest)) return Reason::stale;
  for (const double age : given.ages) {
    if (!(age >= 0 && age <= oldest)) return Reason::stale;
  }
  const double dt = given.time - kept.time;
  if (kept.has_last) {
    if (dt < 0) return Reason::time_back;
    if (!(dt > 0)) return Reason::time_repeats;
  }
  Reason reason = Reason::free;
  const double stamps =
      std::min(stamps_hi, rounding::kU * (std::fabs(given.time) + std::fabs(kept.time)));
  if (kept.has_last && dt > max_gap + stamps) {
    reason = Reason::time_jumps;
  } else if (kept.has_last && options.check_jumps &&
             !braking.reachable({last_q, last_v}, {given.q, given.v}, dt)) {
    reason = Reason::jump;
  }
  for (std::size_t i = 0; i < dof && reason == Reason::free; ++i) {
    const double slack = options.limit_tolerance + braking.model().joints[i].position_uncertainty;
    if (given.q[i] < variables[i].lower - slack || given.q[i] > variables[i].upper + slack) {
      reason = Reason::beyond_limits;
    } else if (std::fabs(given.v[i]) > fastest[i]) {
      reason = Reason::too_fast;
    }
  }
  // A state that is one, even if it is not believed: the next is compared with it.
  kept.time = given.time;
  kept.has_last = true;
  std::copy(given.q.begin(), given.q.end(), last_q.begin());
  std::copy(given.v.begin(), given.v.end(), last_v.begin());
  if (reason != Reason::free) return reason;
  // Confirmed without a state to compare with, and in the future as it turns out: by another clock.
  if (kept.world_time > given.time) kept.world_time = -kInfiniteMetres;
  const bool holds = given.time - kept.world_time <= options.max_world_age;
  return holds ? Reason::free : Reason::world_stale;
}

void Guard::Impl::forget_bounds() noexcept {
  for (GuardBound& bound : bounds) bound.lower = -kInfiniteMetres;
  for (GuardBound& bound : obstacle_bounds) bound.lower = -kInfiniteMetres;
  kept.has_box = false;
}

double Guard::Impl::row_change_hi(const Row& row) const noexcept {
  if (row.body < 0) return kInfiniteMetres;
  double change = 0;
  for (std::uint32_t w = row.first; w < row.endless; ++w) {
    change += grown[weights[w].number] * weights[w].metres_hi;
  }
  for (std::uint32_t w = row.endless; w < row.last; ++w) {
    if (grown[weights[w].number] > 0) return kInfiniteMetres;
  }
  const auto terms = static_cast<double>(row.endless - row.first);
  return rounding::inflate(change * (1 + 4 * (terms + 2) * rounding::kU), 2);
}

/// Whether nothing slides farther in a box than the levers were measured for.
bool Guard::Impl::is_usual(std::span<const Interval> over) const noexcept {
  const auto variables = data.kinematics.variables();
  for (std::size_t i = 0; i < over.size(); ++i) {
    if (slides[i] != 0 &&
        !(over[i].lower >= variables[i].lower - 0.5 && over[i].upper <= variables[i].upper + 0.5)) {
      return false;
    }
  }
  return true;
}

/// Paper 1, (30) and (31), from the intervals alone: what a volume can have grown by since the last
/// cycle comes off the bounds of its pairs.
void Guard::Impl::change_bounds() noexcept {
  box_changed = !kept.has_box;
  bool grew = false;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double below = box[i].lower - new_box[i].lower, above = new_box[i].upper - box[i].upper;
    const double more = std::max(below, above);
    grown[i] = more > 0 ? rounding::up(more) : (more <= 0 ? 0.0 : kInfiniteMetres);
    grew = grew || grown[i] > 0;
    box_changed = box_changed || below != 0 || above != 0;
  }
  std::copy(new_box.begin(), new_box.end(), box.begin());
  const bool usual = is_usual(new_box);
  if (!kept.has_box || !usual) {
    forget_bounds();
    std::fill(changes.begin(), changes.end(), 0.0);
    kept.has_box = usual;
    return;
  }
  if (!box_changed) {
    std::fill(changes.begin(), changes.end(), 0.0);
    // The same box may have other slices.
    for (GuardBound& bound : bounds) {
      if (bound.fleeting) bound.lower = -kInfiniteMetres;
    }
    for (GuardBound& bound : obstacle_bounds) {
      if (bound.fleeting) bound.lower = -kInfiniteMetres;
    }
    return;
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    changes[r] = grew || rows[r].body < 0 ? row_change_hi(rows[r]) : 0.0;
  }
  for (std::size_t i = 0; i < kept.used_pairs; ++i) {
    GuardBound& bound = bounds[i];
    const double change = changes[pairs[i].change_a] + changes[pairs[i].change_b];
    bound.lower = bound.fleeting || !(change < kInfiniteMetres)
                      ? -kInfiniteMetres
                      : rounding::down(bound.lower - rounding::up(change));
  }
  for (std::size_t i = 0; i < kept.used_among; ++i) {
    GuardBound& bound = obstacle_bounds[i];
    const double change = changes[among_row[i]];
    bound.lower = bound.fleeting || !(change < kInfiniteMetres)
                      ? -kInfiniteMetres
                      : rounding::down(bound.lower - change);
  }
}

/// A pair, or a body and all obstacles (numbers after those of the pairs), if its bound is used up.
Settled Guard::Impl::settle_slot(std::size_t slot, bool may_refine) noexcept {
  const bool is_pair = slot < kept.used_pairs;
  const std::size_t i = is_pair ? slot : slot - kept.used_pairs;
  GuardBound& bound = is_pair ? bounds[i] : obstacle_bounds[i];
  const double margin = is_pair ? pairs[i].margin : 0;
  if (bound.lower > margin) return Settled::clear;
  bound.lower = -kInfiniteMetres;
  bound.fleeting = false;
  Settled end = ready(pose, new_box);
  if (end != Settled::clear) return end;
  const double change =
      is_pair ? changes[pairs[i].change_a] + changes[pairs[i].change_b] : changes[among_row[i]];
  const double lasting = change < 1 ? kLastingCycles * change : 0.0;
  end = is_pair ? settle_pair(pose, i, lasting, false, may_refine, bound)
                : settle_obstacles(pose, static_cast<int>(i), lasting, may_refine, bound);
  if (bound.lower > margin) {
    bound.excused = false;
    return Settled::clear;
  }
  // Those that still touch are excused, not those that nobody has looked at.
  return bound.excused && end == Settled::not_clear ? Settled::clear : end;
}

bool Guard::Impl::is_active(std::size_t slot) const noexcept {
  return slot < kept.used_pairs ? pairs[slot].active
                                : all.bodies[among[slot - kept.used_pairs]].active;
}

/// The solids that a slot is of.
std::pair<int, int> Guard::Impl::solids_of(std::size_t slot) const noexcept {
  if (slot < kept.used_pairs) {
    return {all.bodies[pairs[slot].a].solid, all.bodies[pairs[slot].b].solid};
  }
  const std::size_t i = slot - kept.used_pairs;
  return {all.bodies[among[i]].solid, obstacle_bounds[i].other};
}

/// 3c: all that is left with nothing, starting with what the last cycle had no budget for; then, of
/// what is not clear over the whole box, its parts.
void Guard::Impl::settle_all() noexcept {
  const std::size_t count = kept.used_pairs + kept.used_among;
  const std::size_t first = kept.next_slot < count ? kept.next_slot : 0;
  std::size_t open[kMostOpen];
  std::size_t open_count = 0, starved = count;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t slot = first + k < count ? first + k : first + k - count;
    // Most have a bound that holds: nothing more is asked of them.
    if (slot < kept.used_pairs && bounds[slot].lower > pairs[slot].margin) continue;
    if (!is_active(slot)) continue;
    const Settled end = settle_slot(slot, false);
    if (end == Settled::not_clear) {
      if (open_count < kMostOpen) open[open_count] = slot;
      ++open_count;
    } else if (end == Settled::no_budget && starved == count) {
      kept.next_slot = starved = slot;
    }
  }
  // With others left without a budget, dividing the box of one would not help; and one that is not
  // clear tells more than one that was not asked.
  Settled end = Settled::clear;
  std::size_t blocked = starved;
  if (open_count > kMostOpen || (open_count > 0 && starved < count)) {
    end = Settled::not_clear;
    blocked = open[0];
  } else if (starved < count) {
    end = Settled::no_budget;
  }
  for (std::size_t k = 0; k < open_count && end == Settled::clear; ++k) {
    // It was looked at, and more of the same might help, or not.
    end = settle_slot(open[k], true) == Settled::clear ? Settled::clear : Settled::not_clear;
    blocked = open[k];
  }
  GuardCycle& cycle = kept.cycle;
  if (end != Settled::clear) {
    std::tie(cycle.a, cycle.b) = solids_of(blocked);
    cycle.reason = end == Settled::not_clear ? Reason::not_clear
                   : kept.settled_once       ? Reason::out_of_budget
                                             : Reason::starting;
    return;
  }
  kept.settled_once = true;
  cycle.reason = Reason::free;
  cycle.bound = kInfiniteMetres;
  std::size_t nearest = count;
  for (std::size_t i = 0; i < kept.used_pairs; ++i) {
    if (!(bounds[i].lower < cycle.bound) || pairs[i].active == 0 || bounds[i].excused != 0)
      continue;
    cycle.bound = bounds[i].lower;
    nearest = i;
  }
  for (std::size_t i = 0; i < kept.used_among; ++i) {
    const GuardBound& bound = obstacle_bounds[i];
    if (!(bound.lower < cycle.bound) || bound.other < 0 || !is_active(kept.used_pairs + i))
      continue;
    cycle.bound = bound.lower;
    nearest = kept.used_pairs + i;
  }
  if (nearest < count) std::tie(cycle.a, cycle.b) = solids_of(nearest);
}

/// 3d: a part of what is left of the budget goes to bounds that would be used up soon, so that they
/// are not all used up in the same cycle.
void Guard::Impl::tighten() noexcept {
  if (!box_changed) return;
  const std::uint64_t whole = limit;
  limit = std::min(limit, spent + options.budget / 4);
  const std::size_t count = kept.used_pairs;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = kept.next_tight < count ? kept.next_tight : 0;
    kept.next_tight = i + 1;
    const GuardPair& pair = pairs[i];
    const double change = changes[pair.change_a] + changes[pair.change_b];
    GuardBound& bound = bounds[i];
    if (bound.lower - pair.margin > kSoonCycles * change) continue;
    if (!pair.active || bound.fleeting || !(change < kInfiniteMetres) || !(change > 0)) continue;
    if (ready(pose, new_box) != Settled::clear) break;
    if (settle_pair(pose, i, kLastingCycles * change, true, false, bound) == Settled::no_budget)
      break;
  }
  limit = whole;
}

Action Guard::Impl::step(const GuardState& given) noexcept {
  // Before anything can return: a state is refused until the whole gate has let it through.
  last_state = LastState::refused;
  GuardCycle& cycle = kept.cycle;
  const std::uint64_t number = cycle.cycle + 1;
  cycle = {};
  cycle.cycle = number;
  ++kept.counters.cycles;
  spent = posing = 0;
  // First of all, and without arithmetic.
  if (!rounding::mode_is_right()) {
    report(Reason::bad_rounding);
    return Action::brake;
  }
  if (!check_memory()) {
    report(Reason::corrupted);
    return Action::brake;
  }
  limit = options.budget;
  pose.clear(), ahead.clear();
  slices_ready = false;
  const Reason wrong = check_input(given);
  if (wrong != Reason::free) {
    if (wrong == Reason::world_stale) last_state = LastState::unconfirmed;
    report(wrong);
    return Action::brake;
  }
  state = {given.q, given.v, options.known_command ? given.command : std::span<const double>{}};
  if (!braking.box(state, kWholeBraking, new_box)) {
    report(Reason::not_finite);
    return Action::brake;
  }
  last_state = LastState::believed;
  change_bounds();
  settle_all();
  if (cycle.reason == Reason::free) {
    if (options.graded) grade();
    tighten();
  }
  if (cycle.reason == Reason::free && kept.braked) {
    const std::vector<JointBrake>& joints = braking.model().joints;
    for (std::size_t i = 0; i < joints.size() && !lets_go_in_motion; ++i) {
      const bool stands = std::fabs(given.v[i]) <= joints[i].velocity_uncertainty;
      if (!stands) cycle.reason = Reason::still_moving;
    }
    if (options.latch) cycle.reason = Reason::latched;
  }
  report(cycle.reason);
  return cycle.action;
}

void Guard::Impl::reset() noexcept {
  last_state = LastState::none;
  kept.braked = kept.went = kept.has_last = kept.settled_once = false;
  forget_bounds();
}

bool Guard::Impl::confirm_world(double time) noexcept {
  if (!std::isfinite(time) || last_state == LastState::refused) return false;
  if (last_state != LastState::none && time > kept.time) return false;
  kept.world_time = std::max(kept.world_time, time);
  return true;
}

void Guard::Impl::report(Reason reason) noexcept {
  GuardCycle& cycle = kept.cycle;
  cycle.reason = reason;
  cycle.action = reason == Reason::free ? Action::go : Action::brake;
  if (cycle.action == Action::brake) {
    cycle.scale = 0;
    ++kept.counters.brakes;
  }
  // A guard that has not gone yet has nothing to hold on to.
  kept.braked = cycle.action == Action::brake && kept.went;
  kept.went = kept.went || cycle.action == Action::go;
  cycle.flops = always(kept.used_pairs + kept.used_among) + posing + spent;
}

std::string_view name_of(Reason reason) noexcept {
  switch (reason) {
    case Reason::free:
      return "free";
    case Reason::not_clear:
      return "not clear";
    case Reason::out_of_budget:
      return "out of budget";
    case Reason::starting:
      return "starting";
    case Reason::wrong_size:
      return "wrong size";
    case Reason::not_finite:
      return "not finite";
    case Reason::beyond_limits:
      return "beyond limits";
    case Reason::too_fast:
      return "too fast";
    case Reason::time_back:
      return "time goes back";
    case Reason::time_repeats:
      return "time repeats";
    case Reason::time_jumps:
      return "time jumps";
    case Reason::stale:
      return "stale";
    case Reason::jump:
      return "jump";
    case Reason::world_stale:
      return "world is stale";
    case Reason::latched:
      return "latched";
    case Reason::still_moving:
      return "still moving";
    case Reason::bad_rounding:
      return "bad rounding";
    case Reason::corrupted:
      return "corrupted";
  }
  return "?";
}

Guard::Guard(const World& world, const BrakeModel& brake, const GuardOptions& options)
    : impl_((rounding::require_mode(), std::make_unique<Impl>(world, brake, options))) {}
Guard::~Guard() = default;
Guard::Guard(Guard&&) noexcept = default;
Guard& Guard::operator=(Guard&&) noexcept = default;

Action Guard::step(const GuardState& state) noexcept {
  return impl_->step(state);
}
const GuardCycle& Guard::last() const noexcept {
  return impl_->kept.cycle;
}
void Guard::reset() noexcept {
  impl_->reset();
}
// What is computed here is proved for one rounding mode, as cycles are.
bool Guard::set_margin(int a, int b, double margin) noexcept {
  return rounding::mode_is_right() && impl_->note_change(impl_->set_margin(a, b, margin));
}
bool Guard::attach(int object, int link, std::span<const int> touch) noexcept {
  return rounding::mode_is_right() && impl_->note_change(impl_->attach(object, link, touch));
}
bool Guard::release(int object) noexcept {
  return rounding::mode_is_right() && impl_->note_change(impl_->release(object));
}
bool Guard::changed() const noexcept {
  return impl_->kept.changed != 0;
}
bool Guard::confirm_world(double time) noexcept {
  return impl_->confirm_world(time);
}
std::uint64_t Guard::work_bound() const noexcept {
  return impl_->always(impl_->pairs.size() + impl_->among.size()) + impl_->posing_most +
         impl_->options.budget;
}
const GuardCounters& Guard::counters() const noexcept {
  return impl_->kept.counters;
}

}  // namespace keepclear
