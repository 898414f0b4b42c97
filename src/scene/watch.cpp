// SPDX-License-Identifier: BSD-3-Clause
//
// The cycle of paper 5 (3.2, 3.3.2), and what its last chapter asks for. Most cycles are settled by
// the joint values alone: nothing can have moved far enough to matter. The others compute poses,
// move in the octree what left the slack of its box, and search the pairs whose bounds are used up.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"
#include "scene/scene_parts.hpp"
#include "scene/watch_impl.hpp"
#include "shape/coarse.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

using rounding::inflate;
using rounding::norm_hi;
using rounding::up;

/// Levers vouch for so many slacks: more lets poses wait longer, and makes levers longer.
constexpr double kAllowance = 2;
/// Room for what may be declared between cycles.
constexpr std::size_t kMaxContacts = 256;
constexpr std::size_t kMaxTouching = 1024;

class Stopwatch {
 public:
  explicit Stopwatch(bool on) : on_(on), last_(on ? now() : 0) {}
  void lap(double& sum) {
    if (!on_) return;
    const double t = now();
    sum += t - last_;
    last_ = t;
  }

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  bool on_;
  double last_;
};

/// Where a mover is: its centre, its rotation, and how far any point of it may be from there.
struct Spot {
  Vec3 centre;
  Mat3 R;
  double error_hi = 0;
};

Spot spot_of(const Mover& mover, const BoundedPose& X_WS) {
  return {X_WS.X * mover.centre_S, X_WS.X.R,
          rounding::transform_error(X_WS.error, rounding::span_hi(X_WS.X.p), 0, mover.reach_hi)};
}

/// At least how far any point of it is from one spot to the other: the centre's way, the turn about
/// the centre, and what both spots are off by.
double way_hi(const Spot& from, const Spot& to, double ball_hi) {
  return inflate(norm_hi(to.centre - from.centre) + rounding::turn_hi(to.R, from.R) * ball_hi +
                     2 * to.error_hi + 2 * from.error_hi,
                 8);
}

std::size_t movers_at_most(const WorldData& data, const WatchOptions& options) {
  std::size_t links = 0;
  for (const SolidInfo& solid : data.solids) links += solid.moves ? 1 : 0;
  return links + options.max_carried;
}

}  // namespace

Watch::Impl::Impl(const World& world, const WatchOptions& given)
    : keep(world),
      data(world.data()),
      options(given),
      frames(data.kinematics.frame_count()),
      frames_before(data.kinematics.frame_count()),
      anchor_q(world.dof()),
      last_q(world.dof()),
      levers(data.kinematics, movers_at_most(data, given)) {
  require_options();
  const double time = options.reaction_time + options.stopping_time;
  time_hi = time > 0 ? up(time) : 0;
  build_solids();
  const std::size_t most = movers_at_most(data, options);
  movers.reserve(most);
  in_motion.reserve(most);
  lever_bodies.reserve(most);
  moved.resize(most + Levers::kBlockOfBodies);
  moved_now.resize(most + Levers::kBlockOfBodies);
  use.resize(most);
  slack.resize(most);
  const std::size_t room = options.max_partners > 0 ? options.max_partners : 4096 + 64 * most;
  partners.resize(room);
  pairs.reserve(room);
  for (std::size_t i = 0; i < room; ++i) {
    partners[i].next = i + 1 < room ? static_cast<std::int32_t>(i + 1) : -1;
  }
  first_free = 0;
  contacts.reserve(kMaxContacts + data.contacts.size());
  contacts = data.contacts;
  std::size_t touches = kMaxTouching;
  for (const SolidAttachment& held : data.attached) touches += held.touch.size();
  touching.reserve(touches);
  for (const SolidAttachment& held : data.attached) {
    for (const int other : held.touch) touching.push_back({held.object, other});
  }
  listed.reserve(options.max_listed);
  build_index();
  for (int s = 0; s < first_piece; ++s) {
    if (carriers[s].frame > 0) add_movers(s);
  }
}

void Watch::Impl::require_options() const {
  const bool times = options.reaction_time >= 0 && options.reaction_time < 1e3 &&
                     options.stopping_time >= 0 && options.stopping_time < 1e3;
  const bool lengths = options.margin >= 0 && options.margin < 1e3 && options.slack > 0 &&
                       options.slack < 1e3 && options.smallest_cell > 0;
  const bool counts = options.objects_per_cell >= 1 && options.max_carried <= 1'000'000 &&
                      options.max_listed <= 1'000'000 && options.max_partners <= 100'000'000;
  if (!times || !lengths || !counts || !(options.fine_below >= 0)) {
    throw Error(Error::Kind::usage, data.file, 0, "options of a watch make no sense");
  }
}

void Watch::Impl::build_solids() {
  carriers.resize(data.solids.size());
  fine.resize(data.solids.size());
  pieces_of.resize(data.solids.size(), {0, 0});
  std::vector<Body> bodies;
  for (std::size_t b = 0; b < data.bodies.size();) {
    const int solid = data.bodies[b].solid;
    const std::size_t first = b;
    bodies.clear();
    for (; b < data.bodies.size() && data.bodies[b].solid == solid; ++b) {
      bodies.push_back(data.bodies[b].body);
    }
    fine[solid] = {static_cast<int>(first), static_cast<int>(b)};
    carriers[solid].frame = data.bodies[first].frame;
    carriers[solid].simple = true;
    const bool plain = bodies.size() == 1 && bodies[0].tables().kind != BodyKind::hull;
    coarse.push_back(plain ? bodies[0] : capsule_around(bodies));
    is_plain.push_back(plain ? 1 : 0);
  }
  for (const PlacedObject& object : data.environment.objects) {
    carriers[object.solid].X = carriers[object.solid].X_WS = object.X_WO;
    pieces_of[object.solid] = {object.first, object.last};
  }
  for (const LinkPair& pair : data.link_pairs) {
    link_pairs.insert(PairRules::key(pair.solid_a, pair.solid_b));
  }
  first_piece = static_cast<int>(coarse.size());
  mover_of.assign(coarse.size() + data.environment.pieces.size(), -1);
}

void Watch::Impl::build_index() {
  std::vector<Box> around;
  if (data.kinematics.forward(data.kinematics.neutral(), 0, frames)) {
    for (int s = 0; s < first_piece; ++s) {
      // Where a link can be is not known here; a metre about its neutral place is a fair guess.
      around.push_back(placed_box(coarse[s].tables(), frames[carriers[s].frame], 1));
    }
  }
  Octree::Options how = octree_around(data.environment.piece_boxes, around, mover_of.size());
  how.split_at = options.objects_per_cell;
  how.merge_at = std::max(1, (options.objects_per_cell * 7) / 10);
  how.smallest_cell = options.smallest_cell;
  index = Octree(how);
  for (std::size_t p = 0; p < data.environment.pieces.size(); ++p) {
    index.insert(first_piece + static_cast<int>(p), data.environment.piece_boxes[p]);
  }
  // Links that never move stand in the tree like objects.
  for (int s = 0; s < first_piece; ++s) {
    if (carriers[s].frame == 0) index.insert(s, box_of(s));
  }
}

bool Watch::Impl::nothing_happened(std::span<const double> q, double dt) {
  if (!data.kinematics.is_configuration(q)) return false;
  if (levers.surely_within(last_q, q, time_hi > 0 ? up(time_hi / dt) : 0)) return true;
  if (!levers.displacement(levers.anchor_q(), q, moved)) return false;
  const bool timed = time_hi > 0;
  if (timed && !levers.displacement(last_q, q, moved_now)) return false;
  const double rate = timed ? up(time_hi / dt) : 0;
  for (std::size_t i = 0; i < movers.size(); ++i) {
    use[i] = inflate(moved[i] + (timed ? moved_now[i] * rate : 0), 4);
    if (!(use[i] < slack[i])) return false;
  }
  return std::all_of(pairs.begin(), pairs.end(), [&](const PairSlack& pair) {
    if (up(use[pair.a] + use[pair.b]) < pair.slack) return true;
    const double tolerances = timed ? (moved_now[pair.a] + moved_now[pair.b]) * rate : 0;
    return inflate(levers.nearer_hi(pair.a, pair.b, q) + tolerances, 6) < pair.slack;
  });
}

bool Watch::Impl::drop_anchor(std::span<const double> q, double dt) {
  if (!data.kinematics.forward(q, 0, frames)) return false;
  const bool needs_speed =
      dt > 0 && has_last && (time_hi > 0 || !contacts.empty() || options.fine_below < kInfinity);
  // The last cycle may have been settled without poses: they are computed now.
  const bool recall =
      needs_speed && last_q != anchor_q && data.kinematics.forward(last_q, 0, frames_before);
  for (const int s : in_motion) {
    Carrier& carrier = carriers[s];
    if (carrier.frame < 0) continue;
    const BoundedPose& X_WF = frames[carrier.frame];
    carrier.X_WS = carrier.simple ? X_WF : X_WF * carrier.X;
  }
  for (Mover& mover : movers) {
    const Carrier& carrier = carriers[mover.solid];
    // Between cycles: what was placed meanwhile shows its way, and its speed, in the next one.
    if (dt == 0 && carrier.frame < 0) continue;
    const Spot anchor{mover.centre, mover.R, mover.error_hi};
    const Spot now = spot_of(mover, carrier.X_WS);
    if (mover.seen) {
      const double way = way_hi(anchor, now, mover.ball_hi);
      mover.travel_hi = up(mover.travel_hi + way);
      if (needs_speed) {
        double step = way;
        if (recall && carrier.frame >= 0) {
          const BoundedPose& X_WF = frames_before[carrier.frame];
          const Spot before = spot_of(mover, carrier.simple ? X_WF : X_WF * carrier.X);
          step = way_hi(before, now, mover.ball_hi);
        }
        mover.speed_hi = up(step / dt);
      }
    }
    mover.centre = now.centre;
    mover.R = now.R;
    mover.error_hi = now.error_hi;
    mover.seen = true;
    mover.tolerance = up(mover.speed_hi * time_hi);
    mover.use = up(mover.travel_hi + mover.tolerance);
  }
  std::copy(q.begin(), q.end(), anchor_q.begin());
  return true;
}

void Watch::Impl::prepare_quiet_cycles(std::span<const double> q) {
  lever_bodies.clear();
  pairs.clear();
  for (std::size_t i = 0; i < movers.size(); ++i) {
    const Mover& mover = movers[i];
    const Carrier& carrier = carriers[mover.solid];
    lever_bodies.push_back({carrier.frame, carrier.X_WS.X * mover.end_a_S,
                            carrier.X_WS.X * mover.end_b_S,
                            inflate(mover.radius_hi + mover.error_hi, 2)});
    const double until = std::min(mover.lookup_at, mover.quiet_below);
    slack[i] = rounding::down(until - mover.travel_hi);
  }
  for (std::size_t i = 0; i < movers.size(); ++i) {
    for (std::int32_t p = movers[i].moving; p >= 0; p = partners[p].next) {
      const int other = mover_of[partners[p].item];
      const double left =
          rounding::down(partners[p].limit - up(movers[i].travel_hi + movers[other].travel_hi));
      // Where the two cannot use it up before one of them has used up its own, it needs no
      // watching.
      if (left < up(slack[i] + slack[other])) pairs.push_back({static_cast<int>(i), other, left});
    }
  }
  levers.anchor(q, frames, lever_bodies, kAllowance * options.slack);
  levers.condense({slack.data(), movers.size()}, pairs);
}

/// What is no state leaves nothing to rest on: where things are now is not known.
WatchCycle Watch::Impl::refuse() {
  reset();
  return {};
}

WatchCycle Watch::Impl::step(std::span<const double> q, double dt) {
  Stopwatch watch(options.profile);
  ++counters.cycles;
  listed.clear();
  unlisted = 0;
  if (!rounding::mode_is_right()) return refuse();
  if (!(dt > 0 && dt < kInfinity) || q.size() != last_q.size()) return refuse();
  WatchCycle cycle;
  if (quiet && nothing_happened(q, dt)) {
    ++counters.quiet;
    std::copy(q.begin(), q.end(), last_q.begin());
    cycle.verdict = Verdict::free;
    watch.lap(counters.kinematics);
    return cycle;
  }
  if (!drop_anchor(q, dt)) return refuse();
  std::copy(q.begin(), q.end(), last_q.begin());
  has_last = true;
  watch.lap(counters.kinematics);

  const std::uint64_t before = index.counters().splits + index.counters().merges;
  bool overflow = false;
  for (Mover& mover : movers) {
    if (mover.overflow || !(mover.use < mover.again_at)) look_up(mover);
    overflow = overflow || mover.overflow;
  }
  counters.splits = index.counters().splits;
  counters.merges = index.counters().merges;
  counters.long_moves = index.counters().long_moves;
  if (counters.splits + counters.merges != before) ++counters.structural_changes;
  watch.lap(counters.index);

  worst = Verdict::free;
  bool calm = !overflow;
  for (Mover& mover : movers) {
    if (!(mover.use < mover.measure_at)) go_through_standing(mover);
    calm = calm && mover.use < mover.quiet_below;
    for (std::int32_t p = mover.moving; p >= 0; p = partners[p].next) {
      Partner& partner = partners[p];
      const double both = up(mover.use + movers[mover_of[partner.item]].use);
      if (!(both < partner.again_at)) examine(mover, partner);
      calm = calm && both < partner.limit;
    }
  }
  std::sort(listed.begin(), listed.end(), [](const Imminent& a, const Imminent& b) {
    return a.a != b.a ? a.a < b.a : a.b < b.b;
  });
  quiet = calm;
  if (quiet) prepare_quiet_cycles(q);
  watch.lap(counters.distances);
  cycle.verdict = worst == Verdict::free && overflow ? Verdict::undecided : worst;
  cycle.imminent = listed;
  cycle.unlisted = unlisted;
  return cycle;
}

Watch::Watch(const World& world, const WatchOptions& options)
    : impl_((rounding::require_mode(), std::make_unique<Impl>(world, options))) {}
Watch::~Watch() = default;
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;

WatchCycle Watch::step(std::span<const double> q, double dt) noexcept {
  return impl_->step(q, dt);
}
bool Watch::attach(int object, int link, std::span<const int> touch) noexcept {
  return rounding::mode_is_right() && impl_->attach(object, link, touch);
}
bool Watch::release(int object) noexcept {
  return rounding::mode_is_right() && impl_->release(object);
}
bool Watch::place(int object, const Pose& X_WO) noexcept {
  return rounding::mode_is_right() && impl_->place(object, X_WO);
}
bool Watch::expect_contact(int link, int object, double max_speed) noexcept {
  return rounding::mode_is_right() && impl_->expect_contact(link, object, max_speed);
}
void Watch::reset() noexcept {
  impl_->reset();
}
const WatchCounters& Watch::counters() const noexcept {
  return impl_->counters;
}

}  // namespace keepclear
