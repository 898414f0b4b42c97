// SPDX-License-Identifier: BSD-3-Clause
#include "certify/clock_search.hpp"

#include <algorithm>
#include <cmath>

#include "certify/base_uncertainty.hpp"

namespace keepclear {
namespace {

using rounding::inflate;
using rounding::span_hi;

/// Poses that are kept at most, of each robot.
constexpr std::size_t kMostPoses = 4096;

/// The times at which a clock may show a place: beyond the ends of its path it stands there.
Interval times_of(const PathData& path, double from, double to) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {from > 0 ? time_of_place(path, from) : -kInfinity,
          to < path.last_place() ? time_of_place(path, to) : kInfinity};
}

}  // namespace

ClockSearch::ClockSearch(const WorldData& data, const CertifyOptions& options)
    : data_(data), options_(options), bounds_{MotionBounds(data), MotionBounds(data)} {
  if (!(options.deviation > 0)) return;
  deviations_ = deviations_hi(data, bounds_[0], MotionBalls(data), options.deviation);
}

const PosedWorld* ClockSearch::pose_at(int side, double place) {
  std::unique_ptr<PosedWorld>& posed = sides_[side].poses[place];
  if (posed == nullptr) {
    posed = std::make_unique<PosedWorld>(bounds_[side].make_posed());
    posed->users = bounds_[side].pose_at(*sides_[side].path, place, *posed) ? 1 : 0;
  }
  return posed->users != 0 ? posed.get() : nullptr;
}

bool ClockSearch::probe_of(const Part& part, double probe[2]) const noexcept {
  Part here;
  for (int k = 0; k < 2; ++k) here.from[k] = here.to[k] = probe[k];
  if (may_meet(here)) return true;
  const Interval r = times_of(*sides_[0].path, part.from[0], part.to[0]);
  const Interval s = times_of(*sides_[1].path, part.from[1], part.to[1]);
  const double lower = std::max(r.lower, s.lower - offset_);
  const double upper = std::min(r.upper, s.upper + offset_);
  const double time = std::isfinite(lower) && std::isfinite(upper) ? 0.5 * lower + 0.5 * upper
                      : std::isfinite(lower)                       ? lower
                                                                   : upper;
  const double times[2] = {time, std::clamp(time, s.lower, s.upper)};
  for (int k = 0; k < 2; ++k) {
    const double place = place_of_time(*sides_[k].path, times[k]);
    probe[k] = std::clamp(place, part.from[k], part.to[k]);
    here.from[k] = here.to[k] = probe[k];
  }
  return may_meet(here);
}

bool ClockSearch::may_meet(const Part& part) const noexcept {
  const Interval r = times_of(*sides_[0].path, part.from[0], part.to[0]);
  const Interval s = times_of(*sides_[1].path, part.from[1], part.to[1]);
  // Each of both times, and their difference, is off by no more than rounding of the times of both
  // paths can make it: docs/theory/certify.md, "Own clocks".
  const auto apart = [&](double later, double earlier) {
    return rounding::down(later - earlier) > rounding::up(offset_ + times_off_);
  };
  return !apart(r.lower, s.upper) && !apart(s.lower, r.upper);
}

void ClockSearch::run(const PathData& path_r, int r, const PathData& path_s, int s, double offset) {
  sides_[0] = {&path_r, r, {}};
  sides_[1] = {&path_s, s, {}};
  offset_ = offset;
  times_off_ = 0;
  for (const PathData* path : {&path_r, &path_s}) {
    const double begin = path->pieces.front().begin, end = path->pieces.back().end;
    const double size = std::max(std::fabs(begin), std::fabs(end));
    times_off_ = inflate(times_off_ + rounding::gamma(8) * size, 3);
  }
  open_.clear();
  proof_.clear();
  waiting_.clear();
  contact_ = false;
  clearance_ = distance_ = kInfinity;
  near_a_ = near_b_ = -1;
  tests_ = parts_ = 0;
  depth_ = 0;
  Part whole;
  whole.to[0] = path_r.last_place(), whole.to[1] = path_s.last_place();
  for (const BodyPair& pair : data_.body_pairs) {
    const int robot_a = data_.solids[data_.bodies[pair.a].solid].robot;
    const int robot_b = data_.solids[data_.bodies[pair.b].solid].robot;
    if (robot_a == r && robot_b == s) whole.items.push_back({pair.a, pair.b, pair.pair, {}});
    if (robot_a == s && robot_b == r) whole.items.push_back({pair.b, pair.a, pair.pair, {}});
  }
  if (whole.items.empty()) return;
  if (options_.ask == Ask::clearance) look_ahead(whole);
  waiting_.push_back(std::move(whole));
  while (!waiting_.empty()) {
    // Of the verdict alone the widest parts come first; else what comes first in time.
    Part part = std::move(waiting_.back());
    waiting_.pop_back();
    process(std::move(part));
    if (contact_ && options_.ask != Ask::all_intervals) return;
  }
}

void ClockSearch::look_ahead(const Part& whole) {
  constexpr int kTries = 9;
  Part here;
  for (int i = 0; i < kTries * kTries; ++i) {
    const int try_of[2] = {i % kTries, i / kTries};
    const PosedWorld* at[2];
    for (int k = 0; k < 2; ++k) {
      here.from[k] = here.to[k] = whole.to[k] * try_of[k] / (kTries - 1);
      at[k] = pose_at(k, here.from[k]);
    }
    if (at[0] == nullptr || at[1] == nullptr || !may_meet(here)) continue;
    for (const Item& item : whole.items) take_distance(item, solve(item, *at[0], *at[1], 0), here);
  }
}

void ClockSearch::take_distance(const Item& item, const PairAnswer& answer, const Part& here) {
  if (contact_ || !(answer.distance < distance_)) return;
  distance_ = std::max(answer.distance, 0.0);
  for (int k = 0; k < 2; ++k) near_at_[k] = here.from[k];
  near_a_ = data_.bodies[item.a].solid, near_b_ = data_.bodies[item.b].solid;
}

double ClockSearch::loose_hi(int side, int body, const PosedWorld& at) const noexcept {
  const double deviation = deviations_.empty() ? 0.0 : deviations_[static_cast<std::size_t>(body)];
  if (options_.base.empty()) return deviation;
  return deviation +
         base_excursion_hi(data_, options_.base, data_.bodies[body].solid, body, bounds_[side], at);
}

double ClockSearch::bound(Item& item, const Part& part, const PosedWorld* const first[2],
                          const PosedWorld* const last[2], double wanted) {
  ++tests_;
  const int body[2] = {item.a, item.b};
  double growth = 0, far = 0;
  rounding::PoseError error;
  for (int k = 0; k < 2; ++k) {
    growth +=
        bounds_[k].excursion(body[k], data_.origin).beside() + loose_hi(k, body[k], *first[k]);
    double farthest = 0;
    for (const PosedWorld* at : {first[k], last[k]}) {
      error.rotation = std::max(error.rotation, at->error.rotation);
      error.position = std::max(error.position, at->error.position);
      farthest = std::max(farthest, span_hi(at->frames[data_.bodies[body[k]].frame].X.p));
    }
    far += farthest;
  }
  growth = inflate(growth, 8);
  if (!(growth < 1e100)) return -kInfinity;
  const Convex a = convex_of(data_.bodies[item.a].body.tables());
  const Convex b = convex_of(data_.bodies[item.b].body.tables());
  const int frame_a = data_.bodies[item.a].frame, frame_b = data_.bodies[item.b].frame;
  const Moment m_0{&first[0]->frames[frame_a].X, &first[1]->frames[frame_b].X, nullptr};
  const Moment m_1{&last[0]->frames[frame_a].X, &last[1]->frames[frame_b].X, nullptr};
  Vec3 start = item.n;
  if (!(squared_norm(start) > 0)) {
    start = bounds_[1].centre(*first[1], item.b) - bounds_[0].centre(*first[0], item.a);
  }
  const double error_hi = between_error_hi(a, b, inflate(far, 4), error);
  const BetweenBound found =
      bound_out_of_step(a, b, m_0, m_1, error_hi, start, rounding::up(wanted + growth));
  item.n = found.n;
  const double lower = rounding::down(found.lower - growth);
  prove(item, part, {Method::chord, found.n, lower, growth, error_hi});
  return lower;
}

void ClockSearch::prove(const Item& item, const Part& part, const Shown& shown) {
  const double margin = std::max(options_.margin, data_.link_pairs[item.pair].margin);
  if (!options_.keep_proof || !(shown.bound > margin)) return;
  ProofStep& step = proof_.emplace_back();
  step.a = data_.bodies[item.a].solid, step.b = data_.bodies[item.b].solid;
  step.body_a = item.a, step.other = item.b;
  step.from = part.from[0], step.to = part.to[0];
  step.from_b = part.from[1], step.to_b = part.to[1];
  step.method = shown.method;
  step.n = shown.n;
  step.bound = shown.bound;
  step.margin = margin;
  step.growth = shown.growth, step.rounding = shown.rounding;
}

PairAnswer ClockSearch::solve(const Item& item, const PosedWorld& at_a, const PosedWorld& at_b,
                              double margin) {
  ++tests_;
  PairOptions how;
  how.margin = margin;
  GjkCache cache;
  return solve_views({&data_.bodies[item.a].body.tables(), nullptr},
                     at_a.frames[data_.bodies[item.a].frame],
                     {&data_.bodies[item.b].body.tables(), nullptr},
                     at_b.frames[data_.bodies[item.b].frame], how, cache, epa_);
}

void ClockSearch::leave_open(const Item& item, const Part& part, bool contact) {
  open_.push_back({part.from[0], part.to[0], data_.bodies[item.a].solid, data_.bodies[item.b].solid,
                   contact, contact_at_[0]});
}

void ClockSearch::process(Part part) {
  if (!may_meet(part)) return;
  ++parts_;
  depth_ = std::max(depth_, part.depth);
  for (Side& side : sides_) {
    if (side.poses.size() > kMostPoses) side.poses.clear();
  }
  double at[2], probe[2];
  for (int k = 0; k < 2; ++k) {
    // Between pieces as long as there are several, as everywhere.
    at[k] = probe[k] = middle_place(part.from[k], part.to[k]);
  }
  const bool meets = probe_of(part, probe);
  const PosedWorld *first[2], *last[2], *there[2];
  for (int k = 0; k < 2; ++k) {
    first[k] = pose_at(k, part.from[k]);
    last[k] = pose_at(k, part.to[k]);
    there[k] = pose_at(k, probe[k]);
    if (first[k] == nullptr || last[k] == nullptr || there[k] == nullptr) {
      for (const Item& item : part.items) leave_open(item, part, false);
      return;
    }
    bounds_[k].begin(*sides_[k].path, *first[k], *last[k]);
  }
  Part here = part;
  for (int k = 0; k < 2; ++k) here.from[k] = here.to[k] = probe[k];
  double longest[2] = {0, 0};
  std::vector<Item> left;
  for (Item& item : part.items) {
    const double margin = std::max(options_.margin, data_.link_pairs[item.pair].margin);
    const Excursion way[2] = {bounds_[0].excursion(item.a, data_.origin),
                              bounds_[1].excursion(item.b, data_.origin)};
    const double loose = loose_hi(0, item.a, *first[0]) + loose_hi(1, item.b, *first[1]);
    const double beside = way[0].tube + way[1].tube + loose;
    item.lower = std::max(item.lower, bound(item, part, first, last, wanted_of(margin, beside)));
    if (item.lower > wanted_of(margin, beside)) {
      clearance_ = std::min(clearance_, item.lower);
      continue;
    }
    const double moved = way[0].moved + way[1].moved;
    const PairAnswer answer = solve(item, *there[0], *there[1], margin);
    if (meets) take_distance(item, answer, here);
    if (answer.verdict == Verdict::contact && meets) {
      contact_ = true;
      contact_at_[0] = probe[0], contact_at_[1] = probe[1];
      // Who touches there, not who came nearest before.
      distance_ = std::max(answer.distance, 0.0);
      near_a_ = data_.bodies[item.a].solid, near_b_ = data_.bodies[item.b].solid;
      leave_open(item, here, true);
      if (options_.ask != Ask::all_intervals) return;
    }
    // Each is farther from where it is there by no more than it moves on the part.
    const double growth = inflate(moved + beside, 8);
    const double lower = rounding::down(answer.signed_lower - growth);
    prove(item, part, {Method::velocity, answer.n, lower, growth, 0});
    if (lower > item.lower) item.lower = lower;
    if (item.lower > wanted_of(margin, beside)) {
      clearance_ = std::min(clearance_, item.lower);
      continue;
    }
    const bool divisible =
        tests_ < options_.budget && ((at[0] > part.from[0] && at[0] < part.to[0]) ||
                                     (at[1] > part.from[1] && at[1] < part.to[1]));
    const bool apart = item.lower > margin;
    if (!divisible || (moved <= options_.tolerance && !apart)) {
      if (apart) {
        clearance_ = std::min(clearance_, item.lower);
      } else {
        leave_open(item, part, answer.verdict == Verdict::contact && meets);
      }
      continue;
    }
    for (int k = 0; k < 2; ++k) longest[k] = std::max(longest[k], way[k].moved);
    left.push_back(item);
  }
  if (left.empty()) return;
  int split = longest[1] > longest[0] ? 1 : 0;
  if (!(at[split] > part.from[split] && at[split] < part.to[split])) split = 1 - split;
  for (const bool second : {true, false}) {
    Part half;
    for (int k = 0; k < 2; ++k) half.from[k] = part.from[k], half.to[k] = part.to[k];
    (second ? half.from : half.to)[split] = at[split];
    half.depth = part.depth + 1;
    half.items = left;
    waiting_.push_back(std::move(half));
  }
}

}  // namespace keepclear
