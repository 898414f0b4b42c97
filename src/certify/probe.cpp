// SPDX-License-Identifier: BSD-3-Clause
//
// Looking for contacts: poses at random, then downhill along the slope of the distance. Nothing is
// proved here but what the pose itself proves.
#include <algorithm>
#include <cmath>
#include <random>

#include "certify/search.hpp"

namespace keepclear {
namespace {

/// A pose and how near two solids are there.
struct Start {
  double distance = 0;
  std::vector<double> q;
};

}  // namespace

void PairSearch::gradient(const PairAnswer& answer, const SearchWorkspace& space,
                          std::vector<double>& slope) const {
  slope.assign(variables_.size(), 0.0);
  for (const bool of_b : {false, true}) {
    const Vec3 p = of_b ? answer.p_b : answer.p_a;
    const Vec3 n = of_b ? answer.n : -answer.n;
    for (const int f : of_b ? path_b_ : path_a_) {
      const Kinematics::Frame& frame = data_.kinematics.frame(f);
      const Pose& X = space.frames[f].X;
      const Vec3 axis = X.R * frame.joint.axis.a;
      double gain = 1;
      for (const auto& [multiplier, offset] : frame.mimic) gain *= multiplier;
      auto at = [&](int number) -> double& {
        const auto found =
            std::lower_bound(variables_.begin(), variables_.end(), frame.variable + number);
        return slope[static_cast<std::size_t>(found - variables_.begin())];
      };
      const double turning = dot(n, cross(axis, p - X.p));
      switch (frame.type) {
        case JointType::prismatic:
          at(0) += gain * dot(n, axis);
          break;
        case JointType::revolute:
        case JointType::continuous:
          at(0) += gain * turning;
          break;
        case JointType::planar:
          at(2) += turning;
          [[fallthrough]];
        default:
          // Sliding is along the axes of the joint's own place in its parent.
          const Pose& X_P = space.frames[frame.parent].X;
          const Mat3 R = X_P.R * frame.X_PJ.X.R;
          if (frame.type == JointType::floating) {
            at(0) += dot(n, R * Vec3{1, 0, 0});
            at(1) += dot(n, R * Vec3{0, 1, 0});
            at(2) += dot(n, R * Vec3{0, 0, 1});
          } else {
            const Vec3 along[2] = {frame.slide[0].at(1) - frame.slide[0].at(0),
                                   frame.slide[1].at(1) - frame.slide[1].at(0)};
            at(0) += dot(n, X_P.R * along[0]);
            at(1) += dot(n, X_P.R * along[1]);
          }
      }
    }
  }
}

bool PairSearch::nearest_at(bool deepest, Item& nearest, PairAnswer& answer,
                            SearchWorkspace& space) {
  if (!pose(space)) return false;
  std::vector<Item> listed;
  if (solid_b_ < 0) {
    // What is nearest to each body, by boxes; then the rest that may be nearer still.
    double reach = kInfinity;
    const Environment& env = data_.environment;
    for (std::uint32_t b = 0; b < bodies_a_.size(); ++b) {
      const WorldBody& body = data_.bodies[bodies_a_[b]];
      const Box box = placed_box(body.body.tables(), space.frames[body.frame], 0);
      env.index.visit_nearest(box, reach, [&](int id, double) {
        const Item item{b, static_cast<std::uint32_t>(id)};
        if (data_.rules.may_touch(solid_a_, env.solid_of(item.other))) return reach;
        const PairAnswer found = solve(item, kInfinity, deepest, space);
        if (listed.empty() || found.distance < answer.distance) {
          listed = {item};
          nearest = item, answer = found;
          reach = std::min(reach, std::max(found.distance, 1e-12));
        }
        return reach;
      });
    }
    return !listed.empty();
  }
  bool any = false;
  for (const Item& item : all_) {
    const PairAnswer found =
        solve(item, any && !deepest ? answer.distance : kInfinity, deepest, space);
    if (!any || found.distance < answer.distance ||
        (found.verdict == Verdict::contact && answer.verdict != Verdict::contact)) {
      nearest = item, answer = found;
    }
    any = true;
    if (found.verdict == Verdict::contact && !deepest) break;
  }
  return any;
}

void PairSearch::descend(Item item, bool deepest, SearchWorkspace& space) {
  constexpr int kSteps = 40;
  std::vector<double> slope, from;
  if (!pose(space)) return;
  PairAnswer answer = solve(item, kInfinity, deepest, space);
  take(item, answer, space);
  double reach = 0.5;  // radians or metres that one step may go
  for (int step = 0; step < kSteps && !(contact_ && !deepest) && reach > 1e-7; ++step) {
    gradient(answer, space, slope);
    double steep = 0;
    from = space.q;
    for (std::size_t v = 0; v < slope.size(); ++v) {
      const Interval i = box_[variables_[v]];
      const bool at_end =
          slope[v] > 0 ? from[variables_[v]] <= i.lower : from[variables_[v]] >= i.upper;
      if (at_end) slope[v] = 0;
      steep += slope[v] * slope[v];
    }
    if (!(steep > 1e-12)) break;
    // To where the distance would be zero if it went on like this; into a contact, a fixed way.
    const double whole = answer.distance > 0 ? 1.05 * answer.distance / steep : kInfinity;
    bool better = false;
    for (int attempt = 0; attempt < 8 && !better && reach > 1e-7; ++attempt) {
      const double scale = std::min(whole, reach / std::sqrt(steep));
      for (std::size_t v = 0; v < slope.size(); ++v) {
        const Interval i = box_[variables_[v]];
        space.q[variables_[v]] =
            std::clamp(from[variables_[v]] - scale * slope[v], i.lower, i.upper);
      }
      if (pose(space)) {
        const PairAnswer next = solve(item, kInfinity, deepest, space);
        if (next.distance < answer.distance ||
            (next.verdict == Verdict::contact && answer.verdict != Verdict::contact)) {
          better = true;
          answer = next;
          take(item, answer, space);
        }
      }
      if (!better) reach = 0.4 * std::min(reach, scale * std::sqrt(steep));
    }
    if (!better) {
      space.q = from;
      break;
    }
    reach = std::min(0.5, 1.5 * reach);
    // Another body may be nearer by now.
    if (step % 4 == 3 && all_.size() != 1 && !contact_) {
      Item other;
      PairAnswer found;
      if (nearest_at(deepest, other, found, space) && found.distance < answer.distance) {
        item = other, answer = found;
        take(item, answer, space);
      }
    }
  }
}

template <typename Random>
bool PairSearch::set_random(Random& random, SearchWorkspace& space) const {
  Part part;
  for (const int v : variables_) {
    // Where there is no end, somewhere near.
    const Interval i = box_[v];
    const double lower = std::max(i.lower, -10.0), upper = std::min(i.upper, 10.0);
    const double share = static_cast<double>(random()) * 0x1p-32;
    const double at = lower <= upper ? lower + share * (upper - lower) : i.lower;
    const double x = std::clamp(at, i.lower, i.upper);
    part.box.push_back({x, x});
  }
  // Brings quaternions to length one; then they are in the box, or not to be used.
  set_middle(part, space.q);
  return std::all_of(variables_.begin(), variables_.end(), [&](int v) {
    return space.q[v] >= box_[v].lower && space.q[v] <= box_[v].upper;
  });
}

std::size_t PairSearch::share_in_contact(std::size_t samples, unsigned seed,
                                         std::span<const Interval> box, SearchWorkspace& space) {
  set_box(box);
  space.q = base_;
  std::mt19937 random(seed);
  std::size_t touching = 0;
  for (std::size_t s = 0; s < samples; ++s) {
    Item item;
    PairAnswer answer;
    if (!set_random(random, space) || !nearest_at(false, item, answer, space)) continue;
    touching += answer.verdict == Verdict::contact ? 1 : 0;
  }
  return touching;
}

void PairSearch::probe(std::size_t samples, unsigned seed, bool deepest, SearchWorkspace& space) {
  constexpr std::size_t kDescents = 6;
  std::mt19937 random(seed);
  std::vector<Start> starts;
  if (!nearest_.empty()) starts.push_back({distance_, nearest_});
  for (std::size_t s = 0; s < samples && !(contact_ && !deepest); ++s) {
    space.q = base_;
    Item item;
    PairAnswer answer;
    if (!set_random(random, space) || !nearest_at(deepest, item, answer, space)) continue;
    take(item, answer, space);
    starts.push_back({answer.distance, space.q});
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.distance < b.distance; });
  for (std::size_t d = 0; d < std::min(kDescents, starts.size()); ++d) {
    if (contact_ && !deepest) return;
    space.q = starts[d].q;
    Item item;
    PairAnswer answer;
    if (nearest_at(deepest, item, answer, space)) descend(item, deepest, space);
  }
}

}  // namespace keepclear
