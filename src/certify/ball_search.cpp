// SPDX-License-Identifier: BSD-3-Clause
#include "certify/ball_search.hpp"

#include <algorithm>
#include <cmath>

#include "certify/search.hpp"
#include "motion/displacement_curve.hpp"
#include "rounding/infinity.hpp"

namespace keepclear {
namespace {

/// What part of a clearance is tried where the whole of it is not shown.
constexpr double kShares[] = {0.9, 0.7, 0.5, 0.3, 0.1, 0.0};

bool is_event(const BallItem& item) noexcept {
  return item.kind != BallItem::Kind::nodes && item.kind != BallItem::Kind::node_plane;
}

}  // namespace

void BallSearch::look(const DisplacementCurve& curve, double time, Near& near) {
  const Affine g = checked_ball(curve, moving_.metric(), time, time).centre;
  for (int i = 0; i < static_cast<int>(standing_.count()); ++i) {
    const Standing::Other& other = standing_.other(i);
    const double radii = other.apart_hi - other.margin;
    const double found = statics_.nearest(i, g, near.distance + radii).distance - radii;
    if (found < near.distance) near = {std::max(found, 0.0), time, i};
  }
}

double BallSearch::wanted(double deviation) const noexcept {
  if (options_.ask != Ask::clearance) return 0;
  const Closeness closeness{options_.accuracy, options_.relative_accuracy};
  const double gap = near_.distance - deviation * moving_.largest_rho_hi();
  // Written so that what is not a number asks for nothing.
  return std::max(0.0, closeness.goal(gap));
}

Verdict BallSearch::classify(const DisplacementCurve& curve, int other, double time) {
  return statics_.classify(other, checked_ball(curve, moving_.metric(), time, time));
}

void BallSearch::run(const DisplacementCurve& curve, double from, double to, double deviation,
                     const Near& near, std::size_t budget) {
  near_ = near;
  budget_ = budget;
  tests_before_ = tests_.tests();
  statics_before_ = statics_.tests();
  fixed_ = 0;
  for (const double time : {from, 0.5 * from + 0.5 * to, to}) {
    fixed_ = std::max(fixed_, checked_ball(curve, moving_.metric(), time, time).radius);
  }
  leaves_.clear();
  last_leaf_.assign(standing_.count(), 0);
  clearance_ = kInfinity;
  contact_ = false;
  balls_ = 0;
  depth_ = 0;
  waiting_.clear();
  Part& whole = waiting_.emplace_back();
  whole.from = from, whole.to = to;
  tests_.list_all(whole.items);
  if (whole.items.empty()) return;
  while (!waiting_.empty()) {
    Part part = std::move(waiting_.back());
    waiting_.pop_back();
    process(curve, part, deviation);
    if (contact_ && options_.ask != Ask::all_intervals) return;
  }
}

void BallSearch::process(const DisplacementCurve& curve, Part& part, double deviation) {
  ++balls_;
  depth_ = std::max(depth_, part.depth);
  const DisplacementBall ball = checked_ball(curve, moving_.metric(), part.from, part.to);
  const double middle = 0.5 * part.from + 0.5 * part.to;
  const double reducible = std::max(0.0, ball.radius - fixed_);
  const bool smallest = reducible * moving_.largest_rho_hi() <= options_.tolerance ||
                        !(middle > part.from && middle < part.to) || part.depth >= options_.depth ||
                        work() >= budget_;
  // What is left of the budget is for tests here.
  tests_.limit(tests_.tests() + (budget_ > work() ? budget_ - work() : 0));
  const double clearance = wanted(deviation);
  left_.clear();
  const double R = rounding::up(ball.radius + deviation);
  if (R < 1e100) {
    tests_.begin(ball.centre, R, reducible, ball.stretch, clearance);
    tests_.sift(part.items, smallest, left_);
  } else {
    left_.assign(part.items.begin(), part.items.end());
  }
  clearance_ = std::min(clearance_, std::max(clearance, options_.margin));
  if (left_.empty()) return;
  if (smallest) return end_with(curve, part, ball, deviation, left_);
  if (options_.ask == Ask::clearance) {
    const Affine g = checked_ball(curve, moving_.metric(), middle, middle).centre;
    for (const BallItem& item : left_) {
      if (!is_event(item)) continue;
      const Standing::Other& other = standing_.other(item.other);
      const double found = statics_.nearest(item, g).distance - (other.apart_hi - other.margin);
      if (found < near_.distance) near_ = {std::max(found, 0.0), middle, item.other};
    }
  }
  if (!options_.nested) {
    left_.clear();
    tests_.list_all(left_);
  }
  // The earlier half is taken first.
  waiting_.push_back({middle, part.to, part.depth + 1, left_});
  waiting_.push_back({part.from, middle, part.depth + 1, left_});
}

void BallSearch::end_with(const DisplacementCurve& curve, const Part& part,
                          const DisplacementBall& ball, double deviation,
                          std::vector<BallItem>& left) {
  const double R = rounding::up(ball.radius + deviation);
  const double clearance = wanted(deviation);
  if (clearance > 0 && R < 1e100 && work() < budget_) {
    for (const double share : kShares) {
      tests_.begin(ball.centre, R, 0, ball.stretch, share * clearance);
      rest_.clear();
      tests_.sift(left, true, rest_);
      left.swap(rest_);
      if (rest_.size() != left.size() || left.empty()) {
        clearance_ = std::min(clearance_, std::max(share * clearance, options_.margin));
      }
      if (left.empty()) return;
    }
  }
  // What is left may happen. Of each other body the first event is told.
  const double middle = 0.5 * part.from + 0.5 * part.to;
  const DisplacementBall there = checked_ball(curve, moving_.metric(), middle, middle);
  std::stable_sort(left.begin(), left.end(), [](const BallItem& x, const BallItem& y) {
    return x.other != y.other ? x.other < y.other : is_event(x) > is_event(y);
  });
  for (std::size_t i = 0; i < left.size();) {
    const int other = left[i].other;
    BallLeaf leaf{part.from, part.to, left[i], false, middle, {}};
    if (is_event(leaf.item)) leaf.place = statics_.nearest(leaf.item, there.centre).place;
    const bool look = work() < budget_;
    if (look && statics_.classify(other, there) == Verdict::contact) leaf.contact = true;
    for (; i < left.size() && left[i].other == other; ++i) {
      if (!leaf.contact && statics_.too_near(left[i], there)) {
        leaf.contact = true;
        leaf.item = left[i];
        leaf.place = statics_.nearest(leaf.item, there.centre).place;
      }
    }
    if (look && !leaf.contact) {
      const DisplacementBall at_end = checked_ball(curve, moving_.metric(), part.to, part.to);
      if (statics_.classify(other, at_end) == Verdict::contact) {
        leaf.contact = true;
        leaf.time = part.to;
      }
    }
    add_leaf(leaf);
  }
}

void BallSearch::add_leaf(const BallLeaf& leaf) {
  contact_ = contact_ || leaf.contact;
  std::size_t& last = last_leaf_[static_cast<std::size_t>(leaf.item.other)];
  if (last > 0) {
    BallLeaf& before = leaves_[last - 1];
    if (before.to == leaf.from && before.contact == leaf.contact) {
      before.to = leaf.to;
      return;
    }
  }
  leaves_.push_back(leaf);
  last = leaves_.size();
}

}  // namespace keepclear
