// SPDX-License-Identifier: BSD-3-Clause
//
// Judges keepclear::Watch: random scenes, random motions, things taken, handed over, put down and
// moved between cycles; after every cycle each pair of solids is measured without any memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keepclear/watch.hpp"
#include "oracle/watch_model.hpp"
#include "oracle/watch_scenes.hpp"

namespace keepclear::oracle {

/// What was counted; the lower half must stay zero.
struct WatchTally {
  std::int64_t scenes = 0, cycles = 0, free = 0, contact = 0, undecided = 0;
  std::int64_t pairs = 0;     ///< kept apart, and looked at by the judge
  std::int64_t imminent = 0;  ///< listed
  std::int64_t attached = 0, released = 0, placed = 0, expected = 0;
  std::int64_t refused = 0;  ///< what was no state
  std::int64_t fresh = 0;    ///< compared with a watch without history

  std::int64_t wrongly_free = 0;    ///< free, and two solids are nearer than their tolerance
  std::int64_t missed_pairs = 0;    ///< not listed, likewise
  std::int64_t wrong_contacts = 0;  ///< contact, of solids that are not that near
  std::int64_t needless = 0;        ///< listed, and clear, or not to be kept apart at all
  std::int64_t wrong_bounds = 0;    ///< lower_bound, distance or witness points
  std::int64_t wrong_verdicts = 0;  ///< that do not follow from the list
  std::int64_t wrong_returns = 0;   ///< of attach, release, place, expect_contact
  std::int64_t other_than_fresh = 0;
  std::vector<std::string> messages;

  std::int64_t violations() const {
    return wrongly_free + missed_pairs + wrong_contacts + needless + wrong_bounds + wrong_verdicts +
           wrong_returns + other_than_fresh;
  }
};

class WatchJudge {
 public:
  WatchJudge(std::uint64_t seed, WatchTally& tally,
             const std::vector<std::filesystem::path>& robots = {})
      : seed_(seed),
        tally_(tally),
        dice_(seed),
        folder_(seed),
        made_(random_scene(dice_, folder_, robots)),
        world_(compile(made_.scene, made_.load)),
        model_(made_.scene, made_.load, world_),
        watch_(world_, made_.watch) {
    for (const IntendedContact& c : made_.scene.contacts) {
      contacts_[{world_.find_solid(c.link), world_.find_solid(c.object)}] = c.max_speed;
    }
    for (int s = 0; s < model_.count(); ++s) {
      (model_.solids()[s].is_object ? objects_ : links_).push_back(s);
    }
    q_ = world_.neutral();
    turn();
    ++tally_.scenes;
  }

  void run(int cycles) {
    for (int k = 0; k < cycles; ++k, ++cycle_) {
      while (dice_.happens(0.12)) act();
      if (dice_.happens(0.05)) {
        expect_no_state();
        while (dice_.happens(0.6)) act();
      }
      if (dice_.happens(0.05)) turn();
      if (dice_.happens(0.05)) dt_ = dice_.decades(1e-3, 1);
      advance();
      judge(step());
      if (dice_.happens(0.02)) compare_with_fresh();
    }
  }

 private:
  void blame(std::int64_t& counter, const std::string& what) {
    ++counter;
    if (tally_.messages.size() >= 20) return;
    tally_.messages.push_back("seed " + std::to_string(seed_) + ", cycle " +
                              std::to_string(cycle_) + ": " + what);
  }
  std::string name(int a, int b) { return name(a) + " and " + name(b); }
  std::string name(int s) { return model_.solids()[s].name; }

  // --- motion ----------------------------------------------------------------------------------

  /// Another way to move for a while.
  void turn() {
    velocity_.assign(q_.size(), 0);
    static const std::vector<double> sizes = {0, 1e-9, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1};
    const double size = dice_.one_of(sizes);
    for (double& v : velocity_) v = dice_.either_side(size);
    if (dice_.happens(0.3)) {
      for (double& v : velocity_) v *= dice_.happens(0.5) ? 0 : 1;
    }
  }

  void advance() {
    if (dice_.happens(0.02)) {  // anywhere
      for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = dice_.real(low(i), high(i));
      return;
    }
    if (dice_.happens(0.03)) {
      for (double& v : velocity_) v = -v;
    }
    for (std::size_t i = 0; i < q_.size(); ++i) {
      q_[i] += velocity_[i];
      if (q_[i] < low(i) || q_[i] > high(i)) velocity_[i] = -velocity_[i];
      q_[i] = std::clamp(q_[i], low(i), high(i));
    }
  }
  double low(std::size_t i) const { return std::max(world_.variables()[i].lower, -2.0); }
  double high(std::size_t i) const { return std::min(world_.variables()[i].upper, 2.0); }

  WatchCycle step() {
    const WatchCycle cycle = watch_.step(q_, dt_);
    model_.move_to(q_, has_last_ ? dt_ : 0);
    has_last_ = true;
    return cycle;
  }

  /// Neither a state nor a time: undecided, and the same as reset(). Things may move unseen.
  void expect_no_state() {
    std::vector<double> bad = q_;
    double dt = dt_;
    switch (dice_.whole(0, 3)) {
      case 0:
        bad.push_back(0);
        break;
      case 1:
        if (bad.empty()) return;
        bad[0] = dice_.happens(0.5) ? std::nan("") : std::numeric_limits<double>::infinity();
        break;
      case 2:
        dt = dice_.happens(0.5) ? 0 : -dt_;
        break;
      default:
        dt = dice_.happens(0.5) ? std::nan("") : std::numeric_limits<double>::infinity();
    }
    const WatchCycle cycle = watch_.step(bad, dt);
    if (cycle.verdict != Verdict::undecided || !cycle.imminent.empty()) {
      blame(tally_.wrong_verdicts, "an answer to what is no state");
    }
    ++tally_.refused;
    has_last_ = false;
    if (dice_.happens(0.5)) advance();
  }

  // --- what happens between cycles -------------------------------------------------------------

  bool room_is_tight() const { return made_.watch.max_carried < 100; }

  void act() {
    if (dice_.happens(0.05)) {
      watch_.reset();
      has_last_ = false;
      return;
    }
    if (objects_.empty()) return;
    const int o = dice_.one_of(objects_);
    WatchSolid& object = model_.solids()[o];
    const int link = dice_.one_of(links_);
    switch (dice_.whole(0, 4)) {
      case 0: {
        std::vector<int> touch;
        while (dice_.happens(0.4)) touch.push_back(dice_.whole(0, model_.count() - 1));
        const bool moves = world_.solids()[link].moves;
        const bool done = watch_.attach(o, link, touch);
        const bool should = has_last_ && !(object.is_plane && moves);
        if (done != should && !(should && room_is_tight())) {
          blame(tally_.wrong_returns, "attach " + name(o, link));
        }
        if (!done) return;
        ++tally_.attached;
        model_.attach(o, link, touch);
        return;
      }
      case 1: {
        const bool done = watch_.release(o);
        if (done != (has_last_ && object.carrier >= 0)) {
          blame(tally_.wrong_returns, "release " + name(o));
        }
        if (!done) return;
        ++tally_.released;
        model_.release(o);
        return;
      }
      case 2:
      case 3: {
        Pose X{rotation_from_rpy(dice_.vector(3)), dice_.vector(made_.spread)};
        if (dice_.happens(0.6)) {  // a little further
          X = narrow(object.X);
          X.p = X.p + dice_.vector(dice_.decades(1e-6, 0.1));
        }
        const bool done = watch_.place(o, X);
        const bool should = object.carrier < 0 && !object.is_plane;
        if (done != should && !(should && room_is_tight())) {
          blame(tally_.wrong_returns, "place " + name(o));
        }
        if (!done) return;
        ++tally_.placed;
        model_.place(o, X);
        return;
      }
      default: {
        const double speed = dice_.happens(0.3) ? 0 : dice_.decades(1e-3, 1);
        if (!watch_.expect_contact(link, o, speed)) {
          blame(tally_.wrong_returns, "expect contact of " + name(o, link));
        }
        ++tally_.expected;
        contacts_.erase({link, o});
        if (speed > 0) contacts_[{link, o}] = speed;
      }
    }
  }

  // --- judging ---------------------------------------------------------------------------------

  double contact_speed(int a, int b) const {
    const auto found = contacts_.find({a, b});
    if (found != contacts_.end()) return found->second;
    const auto turned = contacts_.find({b, a});
    return turned == contacts_.end() ? -1 : turned->second;
  }

  double margin(int a, int b) const { return made_.watch.margin + model_.margin(a, b); }

  /// What the pair must keep at least, less what it keeps; positive: too near, for certain.
  double lacks(const WatchSolid& a, const WatchSolid& b, double keep) const {
    const double time = made_.watch.reaction_time + made_.watch.stopping_time;
    double most = -std::numeric_limits<double>::infinity();
    for (const WatchPiece& x : a.pieces) {
      for (const WatchPiece& y : b.pieces) {
        const double asked = keep + time * (x.speed_lo + y.speed_lo);
        if (WatchModel::balls_apart(x, y) > asked) continue;
        most = std::max(most, asked - WatchModel::apart(x, y).upper);
      }
    }
    return most;
  }

  void judge(const WatchCycle& cycle) {
    ++tally_.cycles;
    ++(cycle.verdict == Verdict::free      ? tally_.free
       : cycle.verdict == Verdict::contact ? tally_.contact
                                           : tally_.undecided);
    std::map<std::pair<int, int>, const Imminent*> listed;
    bool contact = false;
    for (const Imminent& found : cycle.imminent) {
      ++tally_.imminent;
      contact = contact || found.verdict == Verdict::contact;
      if (found.a >= found.b || !listed.insert({{found.a, found.b}, &found}).second) {
        blame(tally_.wrong_verdicts,
              "list out of order, or twice the same: " + name(found.a, found.b));
      }
    }
    if (!std::is_sorted(cycle.imminent.begin(), cycle.imminent.end(),
                        [](const Imminent& x, const Imminent& y) {
                          return std::pair(x.a, x.b) < std::pair(y.a, y.b);
                        })) {
      blame(tally_.wrong_verdicts, "list out of order");
    }
    const bool clear = cycle.imminent.empty() && cycle.unlisted == 0;
    if ((cycle.verdict == Verdict::free && !clear) ||
        (cycle.verdict == Verdict::undecided && clear && made_.watch.max_partners == 0) ||
        (contact && cycle.verdict != Verdict::contact) ||
        (!contact && cycle.unlisted == 0 && cycle.verdict == Verdict::contact)) {
      blame(tally_.wrong_verdicts, std::string("verdict ") + to_string(cycle.verdict) + " with " +
                                       std::to_string(cycle.imminent.size()) + " listed");
    }
    const bool list_is_whole = cycle.unlisted == 0 && made_.watch.max_partners == 0;
    for (int a = 0; a < model_.count(); ++a) {
      for (int b = a + 1; b < model_.count(); ++b) {
        const auto found = listed.find({a, b});
        judge_pair(a, b, found == listed.end() ? nullptr : found->second,
                   cycle.verdict == Verdict::free, list_is_whole);
      }
    }
  }

  void judge_pair(int a, int b, const Imminent* found, bool is_free, bool list_is_whole) {
    const WatchSolid &x = model_.solids()[a], &y = model_.solids()[b];
    if (!model_.kept_apart(a, b)) {
      if (found) blame(tally_.needless, name(a, b) + " need not be kept apart");
      return;
    }
    ++tally_.pairs;
    const double keep = margin(a, b);
    const double meant = contact_speed(a, b);
    const double fastest = std::max(x.speed_lo(), y.speed_lo());
    if (!found && meant >= fastest) return;
    if (!found) {
      const double lack = lacks(x, y, keep);
      if (!(lack > 1e-9)) return;
      const std::string what = name(a, b) + " lack " + number(lack) + " of " + number(keep);
      if (is_free) {
        blame(tally_.wrongly_free, what);
      } else if (list_is_whole) {
        blame(tally_.missed_pairs, what);
      }
      return;
    }
    const DistanceRange real = WatchModel::apart(x, y);
    auto what = [&](const char* fault) {
      return std::string(fault) + ", " + name(a, b) + ": " + to_string(found->verdict) +
             ", distance " + number(found->distance) + ", lower bound " +
             number(found->lower_bound) + ", tolerance " + number(found->tolerance) + ", real " +
             number(real.lower) + " to " + number(real.upper) + (found->coarse ? ", coarse" : "");
    };
    if (meant > 1e-2 && fastest == 0) blame(tally_.needless, what("meant"));
    if (found->tolerance < keep || (time() == 0 && found->tolerance > keep + 1e-9)) {
      blame(tally_.wrong_bounds, what("tolerance"));
    }
    // Pieces of different speeds have tolerances of their own: the nearest one may be clear.
    const bool one_tolerance =
        (time() == 0 && made_.watch.max_partners == 0) || x.pieces.size() * y.pieces.size() == 1;
    if (found->lower_bound < 0 || (one_tolerance && found->lower_bound > real.upper + 1e-12)) {
      blame(tally_.wrong_bounds, what("lower bound"));
    }
    const double between = keepclear::norm(found->point_a - found->point_b);
    if (!(std::fabs(between - found->distance) <= 1e-9 * (1 + found->distance))) {
      blame(tally_.wrong_bounds, what("points"));
    }
    if (found->coarse) {
      if (made_.watch.fine_below == std::numeric_limits<double>::infinity()) {
        blame(tally_.needless, what("coarse"));
      }
      return;
    }
    if (real.lower > found->distance + 1e-6 ||
        !(one_tolerance ? found->distance <= real.upper + 1e-6 : has_pieces_at(x, y, *found))) {
      blame(tally_.wrong_bounds, what("distance"));
    }
    if (found->verdict == Verdict::contact && real.lower > found->tolerance + 1e-9) {
      blame(tally_.wrong_contacts, what("no contact"));
    }
    if (real.lower > found->tolerance + 1e-6) blame(tally_.needless, what("clear"));
  }

  /// Some two pieces are as far apart as is said.
  static bool has_pieces_at(const WatchSolid& a, const WatchSolid& b, const Imminent& found) {
    for (const WatchPiece& x : a.pieces) {
      for (const WatchPiece& y : b.pieces) {
        if (WatchModel::balls_apart(x, y) > found.distance + 1e-6) continue;
        const DistanceRange d = WatchModel::apart(x, y);
        if (found.lower_bound <= d.upper + 1e-9 && d.lower <= found.distance + 1e-9 &&
            found.distance <= d.upper + 1e-6) {
          return true;
        }
      }
    }
    return false;
  }

  double time() const { return made_.watch.reaction_time + made_.watch.stopping_time; }

  // --- history ---------------------------------------------------------------------------------

  /// A new watch that is told all that matters finds the same pairs.
  void compare_with_fresh() {
    if (made_.watch.max_partners > 0 || room_is_tight() || made_.watch.max_listed < 64) return;
    ++tally_.fresh;
    WatchOptions options = made_.watch;
    options.max_carried = 4096;
    Watch fresh(world_, options);
    fresh.step(q_, 1);
    for (const int o : objects_) fresh.release(o);
    for (const int o : objects_) {
      if (!model_.solids()[o].is_plane) fresh.place(o, narrow(model_.solids()[o].X));
    }
    fresh.step(q_, 1);
    for (const int o : objects_) {
      const WatchSolid& object = model_.solids()[o];
      std::vector<int> touch(object.touch.begin(), object.touch.end());
      if (object.placed || (object.is_plane && object.carrier < 0)) continue;
      const int link = object.carrier >= 0 ? object.carrier : links_[0];
      if (!fresh.attach(o, link, touch)) blame(tally_.wrong_returns, "attach, of a fresh watch");
      if (object.carrier < 0 && !fresh.release(o)) {
        blame(tally_.wrong_returns, "release, of a fresh watch");
      }
    }
    for (const int link : links_) {
      for (const int o : objects_) fresh.expect_contact(link, o, contact_speed(link, o));
    }
    fresh.step(q_, 1);
    const WatchCycle other = fresh.step(q_, 1);
    watch_.step(q_, 1);
    const WatchCycle cycle = watch_.step(q_, 1);
    model_.move_to(q_, 1);
    std::map<std::pair<int, int>, int> seen;
    for (const Imminent& found : cycle.imminent) seen[{found.a, found.b}] |= 1;
    for (const Imminent& found : other.imminent) seen[{found.a, found.b}] |= 2;
    for (const auto& [pair, who] : seen) {
      if (who == 3) continue;
      const auto [a, b] = pair;
      const DistanceRange real = WatchModel::apart(model_.solids()[a], model_.solids()[b]);
      if (std::fabs(real.upper - margin(a, b)) < 1e-7) continue;  // on the edge
      blame(tally_.other_than_fresh, std::string(who == 1 ? "without" : "with") +
                                         " history only the other has " + name(a, b) + ", " +
                                         number(real.upper) + " apart");
    }
  }

  std::uint64_t seed_;
  WatchTally& tally_;
  Dice dice_;
  ScratchFolder folder_;
  RandomScene made_;
  World world_;
  WatchModel model_;
  Watch watch_;
  std::vector<int> objects_, links_;
  std::map<std::pair<int, int>, double> contacts_;
  std::vector<double> q_, velocity_;
  double dt_ = 0.01;
  bool has_last_ = false;
  std::int64_t cycle_ = 0;
};

/// Scenes of 150 cycles each, until there are so many cycles; of made-up robots, or of these.
inline WatchTally judge_watch(std::int64_t cycles, std::uint64_t seed,
                              const std::vector<std::filesystem::path>& robots = {}) {
  WatchTally tally;
  for (std::uint64_t k = 0; tally.cycles < cycles; ++k) {
    WatchJudge judge(seed * 1000003 + k, tally, robots);
    judge.run(150);
  }
  return tally;
}

}  // namespace keepclear::oracle
