// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs of links are checked. Nothing is left out in silence: every pair of links with bodies
// is either in the list of checked pairs or in the list of those left out, with the reason.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "keepclear/distance.hpp"
#include "scene/world.hpp"

namespace keepclear {
namespace {

using NamePair = std::pair<std::string, std::string>;

NamePair ordered(const std::string& a, const std::string& b) {
  return a < b ? NamePair{a, b} : NamePair{b, a};
}

/// What the SRDF says, by name.
struct Allowed {
  std::map<NamePair, std::string> disabled;
  std::set<std::string> off_by_default;
  std::set<NamePair> enabled;

  explicit Allowed(const Srdf* srdf) {
    if (srdf == nullptr) return;
    for (const DisabledPair& pair : srdf->disabled) {
      disabled[ordered(pair.link1, pair.link2)] = pair.reason;
    }
    off_by_default.insert(srdf->disabled_by_default.begin(), srdf->disabled_by_default.end());
    for (const auto& [a, b] : srdf->enabled) enabled.insert(ordered(a, b));
  }
};

bool adjacent(const RobotModel& robot, int a, int b) {
  auto is_parent = [&](int parent, int child) {
    const int joint = robot.links[child].parent_joint;
    return joint >= 0 && robot.joints[joint].parent == parent;
  };
  return is_parent(a, b) || is_parent(b, a);
}

}  // namespace

void select_pairs(const RobotModel& robot, const Srdf* srdf, WorldData& world) {
  const Allowed allowed(srdf);
  // Bodies come link by link.
  std::vector<int> linked;
  std::vector<std::pair<int, int>> bodies_of(robot.links.size(), {0, 0});
  for (int b = 0; b < static_cast<int>(world.bodies.size()); ++b) {
    const int link = world.bodies[b].link;
    if (linked.empty() || linked.back() != link) {
      linked.push_back(link);
      bodies_of[link].first = b;
    }
    bodies_of[link].second = b + 1;
  }
  for (std::size_t i = 0; i < linked.size(); ++i) {
    for (std::size_t j = i + 1; j < linked.size(); ++j) {
      const int a = linked[i], b = linked[j];
      const std::string &name_a = robot.links[a].name, &name_b = robot.links[b].name;
      const NamePair names = ordered(name_a, name_b);
      const int frame_a = world.kinematics.frame_of_link(a);
      const int frame_b = world.kinematics.frame_of_link(b);
      auto leave_out = [&](LeftOutPair::Why why, const std::string& reason = {}) {
        world.left_out.push_back({name_a, name_b, why, reason});
      };
      const auto disabled = allowed.disabled.find(names);
      if (adjacent(robot, a, b)) {
        leave_out(LeftOutPair::Why::adjacent);
      } else if (frame_a == frame_b) {
        leave_out(LeftOutPair::Why::rigid);
      } else if (disabled != allowed.disabled.end()) {
        leave_out(LeftOutPair::Why::disabled, disabled->second);
      } else if ((allowed.off_by_default.contains(name_a) ||
                  allowed.off_by_default.contains(name_b)) &&
                 !allowed.enabled.contains(names)) {
        leave_out(LeftOutPair::Why::by_default);
      } else {
        const int pair = static_cast<int>(world.link_pairs.size());
        const int first = static_cast<int>(world.body_pairs.size());
        for (int body_a = bodies_of[a].first; body_a < bodies_of[a].second; ++body_a) {
          for (int body_b = bodies_of[b].first; body_b < bodies_of[b].second; ++body_b) {
            world.body_pairs.push_back({body_a, body_b, pair});
          }
        }
        if (world.body_pairs.size() > kMaxBodyPairs) {
          throw Error(Error::Kind::malformed, robot.file, 0,
                      fmt::format("more than {} pairs of bodies to check", kMaxBodyPairs),
                      "leave pairs out by an SRDF, or use fewer parts");
        }
        world.link_pairs.push_back(
            {a, b, frame_a, frame_b, first, static_cast<int>(world.body_pairs.size())});
        world.pair_infos.push_back({name_a, name_b, false});
      }
    }
  }
}

void mark_neutral_overlaps(const std::shared_ptr<WorldData>& world, bool has_srdf) {
  DistanceQuery query{World(world)};
  const std::vector<double> neutral = world->kinematics.neutral();
  const auto pairs = query.all_pairs(neutral);
  std::size_t count = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    world->pair_infos[i].overlap_at_neutral = pairs[i].verdict != Verdict::free;
    if (world->pair_infos[i].overlap_at_neutral) ++count;
  }
  if (count == 0) return;
  world->notes.push_back(fmt::format(
      "{} checked pair{} in contact in the neutral pose; {}", count, count == 1 ? " is" : "s are",
      has_srdf ? "the SRDF does not disable them: add them there if they may touch"
               : "give an SRDF (--srdf) that disables those that may touch, or more --parts where "
                 "a hull is too coarse"));
}

}  // namespace keepclear
