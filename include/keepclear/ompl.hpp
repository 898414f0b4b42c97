// SPDX-License-Identifier: BSD-3-Clause
/// Keepclear inside OMPL: a state validity checker and a motion validator whose *true* is a proof,
/// and plans certified as a whole. The only public header that needs OMPL; keepclear.hpp does not
/// include it. docs/planning.md tells more.
///
/// The theorem: where checkMotion says true, every configuration on the straight line between the
/// two states, in real arithmetic, keeps every checked pair farther apart than the margin. A joint
/// of an SO2 space goes the way round that OMPL takes. The states that OMPL computes in between are
/// on that line to within rounding, some 1e-15 rad; a margin of a nanometre holds them too.
#pragma once

#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SE2StateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/PathSimplifier.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/sweep.hpp"
#include "keepclear/world.hpp"

namespace keepclear::ompl {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;

/// Which numbers of a configuration a planner moves, and where the others stay: an arm whose
/// fingers stand still. Const once made, and cheap to copy.
class Group {
 public:
  /// `joints` are names of World::variables(), in the order of the numbers of a state; empty: all
  /// of them. `rest` has all numbers of a configuration; empty: the neutral pose. Throws Error
  /// (usage) for names that the world does not have, or twice, and for a rest of the wrong size.
  explicit Group(const World& world, std::span<const std::string> joints = {},
                 std::span<const double> rest = {});

  const World& world() const noexcept { return world_; }
  std::size_t size() const noexcept { return numbers_.size(); }
  /// Which number of a configuration the i-th of a state is.
  std::size_t number(std::size_t i) const noexcept { return numbers_[i]; }
  const Variable& variable(std::size_t i) const noexcept { return world_.variables()[numbers_[i]]; }
  std::span<const double> rest() const noexcept { return rest_; }

 private:
  World world_;
  std::vector<std::size_t> numbers_;
  std::vector<double> rest_;
};

/// A space for a group, bounded by the limits of its joints: a RealVectorStateSpace, or where
/// joints turn without limit a CompoundStateSpace in which each of these is an SO2StateSpace.
/// Throws Error (usage) for a slide without limits, and for the quaternion of a floating joint.
ob::StateSpacePtr make_space(const Group& group);

/// Between states of a space and configurations of a world.
class StateMap {
 public:
  /// Takes a RealVectorStateSpace, SO2StateSpace, SE2StateSpace, and a CompoundStateSpace of these
  /// to any depth: their numbers one after the other are those of the group. Throws Error (usage)
  /// for any other space, which may interpolate as it likes (derived classes among them); for one
  /// with another number of numbers, or whose dimensions have the names of other joints; and for
  /// SO2 where a joint has limits, or where a turn of it does not lead back to the same poses (a
  /// joint that another mimics at half the speed).
  StateMap(const Group& group, const ob::StateSpace& space);

  const Group& group() const noexcept { return group_; }
  /// Writes the numbers of the group into q, a configuration; the others are left as they are.
  void read(const ob::State* state, std::span<double> q) const noexcept {
    std::size_t next = 0;
    visit(root_, state, [&](double value) { q[group_.number(next++)] = value; });
  }
  /// The other way; angles of SO2 are brought into its range, rounded.
  void write(std::span<const double> q, ob::State* state) const;

  /// How often OMPL goes round between two angles that follow each other: 0, or 1 or -1 across the
  /// seam, to be added to the second in turns. The same rule as SO2StateSpace::interpolate.
  int turn(std::size_t i, double from, double to) const noexcept {
    if (!wraps_[i]) return 0;
    const double by = to - from;
    if (std::abs(by) <= std::numbers::pi) return 0;
    return by > 0 ? -1 : 1;
  }
  bool wraps() const noexcept { return any_wraps_; }

 private:
  struct Node {
    enum class Kind { real, angle, compound } kind = Kind::real;
    unsigned count = 0;
    std::vector<Node> parts{};
  };
  Node node_of(const ob::StateSpace& space);
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const {
    throw Error(Error::Kind::usage, group_.world().file(), 0, what, hint);
  }
  void refuse_half_turns() const;

  /// All numbers of a state, to read or to write.
  template <typename State, typename See>
  static void visit(const Node& node, State* state, const See& see) noexcept {
    if (node.kind == Node::Kind::real) {
      for (unsigned i = 0; i < node.count; ++i) {
        see(state->template as<ob::RealVectorStateSpace::StateType>()->values[i]);
      }
    } else if (node.kind == Node::Kind::angle) {
      see(state->template as<ob::SO2StateSpace::StateType>()->value);
    } else {
      for (unsigned i = 0; i < node.count; ++i) {
        State* const part = state->template as<ob::CompoundState>()->components[i];
        visit(node.parts[i], part, see);
      }
    }
  }

  Group group_;
  std::vector<bool> wraps_;
  bool any_wraps_ = false;
  Node root_;
};

/// The straight lines from state to state of a plan as a path of the world, state k at time k. An
/// angle of SO2 goes on beyond the seam, so that the whole is one motion; where it does, a tube
/// holds what adding a turn rounds. A plan of one state stands still. Throws Error (usage) for a
/// plan without states.
Path plan_path(const StateMap& map, const og::PathGeometric& plan);

/// The whole plan, as one motion.
Certificate certify_plan(const Group& group, const og::PathGeometric& plan,
                         const CertifyOptions& options = {});

/// The queries of a space, one for each thread that asks at the same time. All threads may use one.
class Checker {
 public:
  /// Of the options, `ask` and `keep_proof` do not count. Throws Error (usage) as StateMap and
  /// MotionQuery do.
  Checker(const Group& group, const ob::StateSpace& space, const CertifyOptions& options = {});

  const StateMap& map() const noexcept { return map_; }

  /// Free: the state, bases and deviations of the options included.
  Verdict check(const ob::State* state) const;
  /// Metres: every checked pair is proved to be at least this far beyond its margin. Negative where
  /// bodies overlap: minus their penetration depth, or less. NaN for a state that is none. At most
  /// zero with uncertain bases, deviations, or pairs that are not listed with their margins.
  double clearance(const ob::State* state) const;
  /// Free: the whole motion that OMPL means between the two.
  Verdict connects(const ob::State* from, const ob::State* to) const;
  /// A share of the way, in [0, 1), up to which the motion is proved free; zero if nothing is.
  double free_share(const ob::State* from, const ob::State* to) const;

 private:
  struct Query {
    Query(const Group& group, const CertifyOptions& options)
        : distance(group.world()), motion(group.world(), options) {
      from.assign(group.rest().begin(), group.rest().end());
      to = from;
      tube.assign(from.size(), 0.0);
    }
    DistanceQuery distance;
    std::optional<DistanceQuery> depth{};
    MotionQuery motion;
    std::vector<double> from{}, to{}, tube{};
  };
  struct GiveBack {
    const Checker* owner;
    void operator()(Query* query) const noexcept {
      const std::lock_guard lock(owner->mutex_);
      owner->idle_.push_back(query);
    }
  };
  /// A query for as long as a call takes.
  using Lease = std::unique_ptr<Query, GiveBack>;
  Lease lease() const;
  Verdict check(Query& query) const;
  /// Reads both ends. Whether the way crosses the seam of an angle: then with the tube.
  bool read_edge(const ob::State* from, const ob::State* to, Query& query) const;
  /// The same as a path; none if a number is none.
  static std::optional<Path> edge_path(const Query& query, bool seam);

  StateMap map_;
  CertifyOptions options_;
  bool uncertain_ = false;
  double greatest_margin_ = 0;
  bool unlisted_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Query>> all_;
  mutable std::vector<Query*> idle_;  ///< the one used last at the end; room for all
};

/// For OMPL: a state is valid if it is proved free. Joint limits are those of the space: OMPL
/// samples within them. clearance() is a lower bound, in metres of the workspace.
class StateValidityChecker final : public ob::StateValidityChecker {
 public:
  StateValidityChecker(const ob::SpaceInformationPtr& si, std::shared_ptr<const Checker> checker)
      : ob::StateValidityChecker(si), checker_(std::move(checker)) {
    specs_.clearanceComputationType = ob::StateValidityCheckerSpecs::BOUNDED_APPROXIMATE;
  }
  using ob::StateValidityChecker::clearance;
  using ob::StateValidityChecker::isValid;
  bool isValid(const ob::State* state) const override {
    return checker_->check(state) == Verdict::free;
  }
  double clearance(const ob::State* state) const override { return checker_->clearance(state); }

 private:
  std::shared_ptr<const Checker> checker_;
};

/// For OMPL: a motion is valid if it is proved free; contact and undecided are not. Any number of
/// threads may ask at once.
class MotionValidator final : public ob::MotionValidator {
 public:
  MotionValidator(const ob::SpaceInformationPtr& si, std::shared_ptr<const Checker> checker)
      : ob::MotionValidator(si), checker_(std::move(checker)) {}

  bool checkMotion(const ob::State* s1, const ob::State* s2) const override {
    return count(checker_->connects(s1, s2) == Verdict::free);
  }
  /// Where it says false, the motion from s1 to lastValid.first is proved free, and checkMotion
  /// says so; lastValid.second is in [0, 1), and zero means that lastValid.first is s1.
  bool checkMotion(const ob::State* s1, const ob::State* s2,
                   std::pair<ob::State*, double>& lastValid) const override;

 private:
  bool count(bool valid) const {
    std::atomic_ref(valid ? valid_ : invalid_).fetch_add(1, std::memory_order_relaxed);
    return valid;
  }
  std::shared_ptr<const Checker> checker_;
};

/// Sets both for a SpaceInformation. Throws Error (usage) as Checker does.
inline std::shared_ptr<const Checker> set_up(const ob::SpaceInformationPtr& si, const Group& group,
                                             const CertifyOptions& options = {}) {
  auto checker = std::make_shared<const Checker>(group, *si->getStateSpace(), options);
  si->setStateValidityChecker(std::make_shared<StateValidityChecker>(si, checker));
  si->setMotionValidator(std::make_shared<MotionValidator>(si, checker));
  return checker;
}

/// Makes a plan shorter with OMPL's PathSimplifier, for about so many seconds. Every edge of the
/// result is checked once more as it stands: its ends are rounded. False, and the plan is as it
/// was, if one does not pass.
bool shorten(const ob::SpaceInformationPtr& si, og::PathGeometric& plan, double seconds = 1);

// What follows is how.

inline Group::Group(const World& world, std::span<const std::string> joints,
                    std::span<const double> rest)
    : world_(world), rest_(rest.empty() ? world.neutral() : std::vector(rest.begin(), rest.end())) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Error::Kind::usage, world.file(), 0, what);
  };
  if (rest_.size() != world.dof()) refuse("the rest of a planning group is no configuration");
  if (world.dof() == 0) refuse("a world without joints cannot be planned in");
  if (joints.empty()) {
    numbers_.resize(world.dof());
    std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
  }
  for (const std::string& joint : joints) {
    const auto all = world.variables();
    const auto at = std::ranges::find(all, joint, &Variable::name);
    if (at == all.end()) refuse("there is no joint '" + joint + "' to plan for");
    numbers_.push_back(static_cast<std::size_t>(at - all.begin()));
    if (std::ranges::count(numbers_, numbers_.back()) > 1) {
      refuse("joint '" + joint + "' is named twice in a planning group");
    }
  }
}

namespace detail {

inline bool turns(const Variable& v) {
  return v.type == "continuous" || (v.type == "planar" && v.name.ends_with("/theta"));
}
/// Radians: at least what an angle that is `turns` turns further, computed as below, can be off by.
/// The product and the sum are rounded once each, and 2 pi is off by 1.1 * 2^-52.
inline double turned_error(double angle, int turns) {
  return turns == 0 ? 0 : (std::abs(angle) + 7.0 * std::abs(turns)) * 0x1p-52;
}
inline double turned(double angle, int turns) {
  return turns == 0 ? angle : angle + turns * (2 * std::numbers::pi);
}

}  // namespace detail

inline ob::StateSpacePtr make_space(const Group& group) {
  const auto refuse = [&](const Variable& v, const char* why) {
    throw Error(Error::Kind::usage, group.world().file(), 0,
                "no space can be made for '" + v.name + "', which " + why,
                "leave it out of the group, or make a space with bounds of your own");
  };
  auto whole = std::make_shared<ob::CompoundStateSpace>();
  std::shared_ptr<ob::RealVectorStateSpace> real;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Variable& v = group.variable(i);
    if (v.type == "floating" && v.name.find("/rot_") != std::string::npos) {
      refuse(v, "is part of a quaternion");
    }
    const bool bounded = std::isfinite(v.lower) && std::isfinite(v.upper);
    if (detail::turns(v) && !bounded) {
      auto angle = std::make_shared<ob::SO2StateSpace>();
      angle->setName(v.name);
      whole->addSubspace(angle, 1);
      real = nullptr;
      continue;
    }
    if (!bounded) refuse(v, "has no limits");
    if (!real) {
      real = std::make_shared<ob::RealVectorStateSpace>(0);
      whole->addSubspace(real, 1);
    }
    real->addDimension(v.name, v.lower, v.upper);
  }
  if (whole->getSubspaceCount() == 1) return whole->getSubspace(0);
  return whole;
}

inline StateMap::Node StateMap::node_of(const ob::StateSpace& space) {
  Node node;
  const auto next = [&](const std::string& name) -> const Variable& {
    if (wraps_.size() == group_.size()) {
      refuse("the space '" + space.getName() + "' has more numbers than the planning group",
             "name its joints");
    }
    const Variable& v = group_.variable(wraps_.size());
    if (!name.empty() && name != v.name) {
      refuse("the space has '" + name + "' where the planning group has '" + v.name + "'",
             "give the group the joints in the order of the space");
    }
    return v;
  };
  // A class derived from one of these may interpolate in another way: only they themselves.
  const std::type_info& type = typeid(space);
  if (type == typeid(ob::RealVectorStateSpace)) {
    const auto& real = *space.as<ob::RealVectorStateSpace>();
    node.count = real.getDimension();
    for (unsigned i = 0; i < node.count; ++i) {
      next(real.getDimensionName(i));
      wraps_.push_back(false);
    }
  } else if (type == typeid(ob::SO2StateSpace)) {
    node.kind = Node::Kind::angle;
    node.count = 1;
    // OMPL makes up names; that of another joint is no accident.
    const auto named =
        std::ranges::count(group_.world().variables(), space.getName(), &Variable::name);
    const Variable& v = next(named > 0 ? space.getName() : std::string());
    if (!detail::turns(v) || std::isfinite(v.lower) || std::isfinite(v.upper)) {
      refuse("'" + v.name + "' does not turn without limit, and a space has it as SO2",
             "use a RealVectorStateSpace for it");
    }
    wraps_.push_back(true);
  } else if (type == typeid(ob::CompoundStateSpace) || type == typeid(ob::SE2StateSpace)) {
    node.kind = Node::Kind::compound;
    const auto& whole = *space.as<ob::CompoundStateSpace>();
    node.count = whole.getSubspaceCount();
    for (unsigned i = 0; i < node.count; ++i) node.parts.push_back(node_of(*whole.getSubspace(i)));
  } else {
    refuse("the space '" + space.getName() + "' may interpolate in a way that is not known here",
           "use RealVectorStateSpace, SO2StateSpace, or a CompoundStateSpace of these");
  }
  return node;
}

inline StateMap::StateMap(const Group& group, const ob::StateSpace& space)
    : group_(group), root_(node_of(space)) {
  if (wraps_.size() < group_.size()) {
    refuse("the space '" + space.getName() + "' has fewer numbers than the planning group",
           "name the joints that are planned for");
  }
  any_wraps_ = std::ranges::find(wraps_, true) != wraps_.end();
  if (any_wraps_) refuse_half_turns();
}

/// A joint that mimics another by a fraction is elsewhere after a turn. Exact to a nanometre.
inline void StateMap::refuse_half_turns() const {
  const World& world = group_.world();
  const auto mimics = [&](const std::string& joint) {
    return std::ranges::find(world.variables(), joint, &Variable::joint) == world.variables().end();
  };
  if (std::ranges::none_of(swept_joints(world), mimics)) return;
  Sweep sweep(world, uniform_plan(world, {1, 1}));
  const auto places = [&](std::size_t number, double by) {
    std::vector<double> numbers;
    std::vector<Interval> box;
    for (std::size_t k = 0; k < world.dof(); ++k) {
      // Somewhere in general position: on an axis, a turn shows nothing. Quaternions stay.
      const bool stays = world.variables()[k].type == "floating";
      const double aside = stays ? 0.0 : 0.1 * std::sin(1.0 + 2.4 * static_cast<double>(k));
      const double q = group_.rest()[k] + aside + (k == number ? by : 0.0);
      box.push_back({q, q});
    }
    if (!sweep.update(box)) refuse("the rest of a planning group is no configuration", "");
    for (const SweptVolume& swept : sweep.volumes()) {
      for (const double* x : {swept.volume.x, swept.volume.y, swept.volume.z}) {
        numbers.insert(numbers.end(), x, x + swept.volume.count);
      }
    }
    return numbers;
  };
  for (std::size_t i = 0; i < wraps_.size(); ++i) {
    if (!wraps_[i]) continue;
    const auto before = places(group_.number(i), 0);
    const auto after = places(group_.number(i), 2 * std::numbers::pi);
    const auto same = [](double x, double y) { return std::abs(x - y) < 1e-9; };
    if (!std::ranges::equal(before, after, same)) {
      refuse("a turn of '" + group_.variable(i).name +
                 "' does not lead back to where it began: another joint mimics it",
             "use a RealVectorStateSpace for it");
    }
  }
}

inline void StateMap::write(std::span<const double> q, ob::State* state) const {
  std::size_t next = 0;
  visit(root_, state, [&](double& value) {
    value = q[group_.number(next)];
    if (!wraps_[next++]) return;
    value = std::remainder(value, 2 * std::numbers::pi);
    if (value >= std::numbers::pi) value = -std::numbers::pi;
  });
}

inline Path plan_path(const StateMap& map, const og::PathGeometric& plan) {
  const Group& group = map.group();
  const std::size_t dof = group.world().dof(), states = plan.getStateCount();
  if (states == 0) throw Error(Error::Kind::usage, group.world().file(), 0, "a plan has no states");
  std::vector<double> times, rows, tube(dof, 0.0), before;
  std::vector<int> turns(group.size(), 0);
  // One state stands still for a second.
  for (std::size_t k = 0; k < std::max<std::size_t>(states, 2); ++k) {
    std::vector<double> q(group.rest().begin(), group.rest().end());
    map.read(plan.getState(static_cast<unsigned>(std::min(k, states - 1))), q);
    std::vector<double> as_it_is = q;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t n = group.number(i);
      if (k > 0) turns[i] += map.turn(i, before[n], q[n]);
      q[n] = detail::turned(q[n], turns[i]);
      tube[n] = std::max(tube[n], detail::turned_error(q[n], turns[i]));
    }
    before = std::move(as_it_is);
    times.push_back(static_cast<double>(k));
    rows.insert(rows.end(), q.begin(), q.end());
  }
  Path path = straight_path(times, rows);
  return std::ranges::all_of(tube, [](double w) { return w == 0; }) ? path : with_tube(path, tube);
}

inline Certificate certify_plan(const Group& group, const og::PathGeometric& plan,
                                const CertifyOptions& options) {
  const StateMap map(group, *plan.getSpaceInformation()->getStateSpace());
  return certify(group.world(), plan_path(map, plan), options);
}

inline Checker::Checker(const Group& group, const ob::StateSpace& space,
                        const CertifyOptions& options)
    : map_(group, space), options_(options) {
  options_.ask = Ask::first_contact;
  options_.keep_proof = false;
  uncertain_ = !options_.base.empty() || options_.deviation > 0;
  greatest_margin_ = options_.margin;
  for (const PairInfo& pair : group.world().pairs()) {
    greatest_margin_ = std::max(greatest_margin_, pair.margin);
  }
  unlisted_ = group.world().pair_count() > group.world().pairs().size();
  // Made now, so that what is wrong with the options is told now.
  lease();
}

inline Checker::Lease Checker::lease() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(all_.size() + 1);
    idle_.push_back(all_.emplace_back(std::make_unique<Query>(map_.group(), options_)).get());
  }
  Query* const query = idle_.back();
  idle_.pop_back();
  return {query, GiveBack{this}};
}

inline Verdict Checker::check(Query& query) const {
  if (uncertain_) return query.motion.connects(query.from, query.from);
  return query.distance.check(query.from, options_.margin).verdict;
}

inline Verdict Checker::check(const ob::State* state) const {
  const Lease query = lease();
  map_.read(state, query->from);
  return check(*query);
}

inline double Checker::clearance(const ob::State* state) const {
  const Lease query = lease();
  map_.read(state, query->from);
  if (!query->depth) {
    query->depth.emplace(map_.group().world(), DistanceOptions{.signed_distance = true});
  }
  const Nearest nearest = (*query->depth)(query->from);
  if (std::isnan(nearest.distance)) return nearest.distance;
  const double clear = nearest.lower_bound - greatest_margin_;
  return uncertain_ || unlisted_ ? std::min(clear, 0.0) : clear;
}

inline bool Checker::read_edge(const ob::State* from, const ob::State* to, Query& query) const {
  map_.read(from, query.from);
  map_.read(to, query.to);
  if (!map_.wraps()) return false;
  bool seam = false;
  for (std::size_t i = 0; i < map_.group().size(); ++i) {
    const std::size_t n = map_.group().number(i);
    const int turns = map_.turn(i, query.from[n], query.to[n]);
    query.to[n] = detail::turned(query.to[n], turns);
    query.tube[n] = detail::turned_error(query.to[n], turns);
    seam = seam || turns != 0;
  }
  return seam;
}

inline std::optional<Path> Checker::edge_path(const Query& query, bool seam) try {
  const Path path = line_path(query.from, query.to);
  // An end beyond the seam is rounded: the end that is meant is in the tube, and the line to it.
  return seam ? with_tube(path, query.tube) : path;
} catch (const Error&) {
  return std::nullopt;
}

inline Verdict Checker::connects(const ob::State* from, const ob::State* to) const {
  const Lease query = lease();
  const bool seam = read_edge(from, to, *query);
  if (!seam) return query->motion.connects(query->from, query->to);
  const std::optional<Path> path = edge_path(*query, seam);
  return path ? query->motion(*path).verdict : Verdict::undecided;
}

inline double Checker::free_share(const ob::State* from, const ob::State* to) const {
  const Lease query = lease();
  const bool seam = read_edge(from, to, *query);
  const std::optional<Path> path = edge_path(*query, seam);
  double share = 0;
  if (!path) return share;
  for (const MotionInterval& interval : query->motion(*path).intervals) {
    if (interval.status != Verdict::free || interval.from > share) break;
    share = interval.to;
  }
  return std::min(share, std::nextafter(1.0, 0.0));
}

inline bool MotionValidator::checkMotion(const ob::State* s1, const ob::State* s2,
                                         std::pair<ob::State*, double>& lastValid) const {
  if (checker_->connects(s1, s2) == Verdict::free) return count(true);
  // What is free up to a contact comes ever nearer to it, and its last state is rounded: back off
  // until the motion to that very state is proved. A thousandth of the way, then twice as far.
  double share = checker_->free_share(s1, s2);
  ob::State* const last = si_->allocState();
  double step = 0x1p-10;
  while (share > 0) {
    si_->getStateSpace()->interpolate(s1, s2, share, last);
    if (checker_->connects(s1, last) == Verdict::free) break;
    share -= step;
    step *= 2;
  }
  lastValid.second = std::max(share, 0.0);
  if (lastValid.first && (share > 0 || lastValid.first != s1)) {
    si_->copyState(lastValid.first, share > 0 ? last : s1);
  }
  si_->freeState(last);
  return count(false);
}

inline bool shorten(const ob::SpaceInformationPtr& si, og::PathGeometric& plan, double seconds) {
  og::PathGeometric shorter(plan);
  og::PathSimplifier(si).simplify(shorter, seconds);
  for (unsigned k = 0; k + 1 < shorter.getStateCount(); ++k) {
    if (!si->checkMotion(shorter.getState(k), shorter.getState(k + 1))) return false;
  }
  plan = shorter;
  return true;
}

}  // namespace keepclear::ompl
