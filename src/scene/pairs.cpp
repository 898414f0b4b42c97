// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs of links are checked. Nothing is left out in silence: every pair of links with bodies
// is either in the list of checked pairs or in the list of those left out, with the reason.
#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_set>

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

namespace {

/// Pairs that are left out are listed up to this many; the rest is counted in a note.
constexpr std::size_t kMaxLeftOutListed = 100'000;

/// The solids that a name of the scene stands for: a link, an object, or all links of a robot.
std::vector<int> solids_of(const WorldModel& model, const WorldData& world, const std::string& name,
                           const std::string& place) {
  const auto found = world.solid_by_name.find(name);
  if (found != world.solid_by_name.end()) return {found->second};
  std::vector<int> solids;
  bool known = model.robot.find_link(name) > 0;  // a link without bodies touches nothing
  for (std::size_t r = 0; r < model.scene->robots.size(); ++r) {
    if (model.scene->robots[r].name != name || name.empty()) continue;
    known = true;
    for (int s = 0; s < static_cast<int>(world.solids.size()); ++s) {
      if (world.solids[s].robot == static_cast<int>(r) && !world.solids[s].is_object) {
        solids.push_back(s);
      }
    }
  }
  if (!known) {
    throw Error(Error::Kind::malformed, model.scene->file, 0,
                fmt::format("{}: there is no link, object or robot '{}'", place, name));
  }
  return solids;
}

/// Calls f(a, b) for all solids that the two names stand for.
template <typename F>
void for_named(const WorldModel& model, const WorldData& world, const NamedPair& pair, const F& f) {
  const std::vector<int> first = solids_of(model, world, pair.a, pair.place);
  const std::vector<int> second = solids_of(model, world, pair.b, pair.place);
  for (const int a : first) {
    for (const int b : second) {
      if (a != b) f(a, b);
    }
  }
}

double margin_within_reason(const WorldModel& model, const std::string& place, double margin) {
  if (margin >= 0 && margin <= 1e3) return margin;
  throw Error(Error::Kind::malformed, model.scene->file, 0,
              fmt::format("{}{}a margin of {} is not from 0 to 1000 m", place,
                          place.empty() ? "" : ": ", margin));
}

/// What the scene says of pairs.
void apply_scene_rules(const WorldModel& model, WorldData& world) {
  const Scene& scene = *model.scene;
  world.rules.margin = world.rules.margin_hi = margin_within_reason(model, "", scene.margin);
  for (const NamedPair& pair : scene.allow) {
    for_named(model, world, pair, [&](int a, int b) { world.rules.allow(a, b); });
  }
  for (const PairMargin& entry : scene.margins) {
    const double margin = margin_within_reason(model, entry.pair.place, entry.margin);
    for_named(model, world, entry.pair,
              [&](int a, int b) { world.rules.set_margin(a, b, margin); });
  }
  for (const Attachment& attachment : scene.attached) {
    SolidAttachment held;
    held.object = world.solid_by_name.find(attachment.object)->second;
    held.link = world.link_solids[model.robot.find_link(attachment.link)];
    NamedPair pair{attachment.object, attachment.link, attachment.place};
    auto touch = [&](int a, int b) {
      world.rules.touch(a, b);
      held.touch.push_back(b);
    };
    for_named(model, world, pair, touch);
    for (const std::string& name : attachment.touch) {
      pair.b = name;
      for_named(model, world, pair, touch);
    }
    world.attached.push_back(std::move(held));
  }
  for (const IntendedContact& contact : scene.contacts) {
    const auto link = world.solid_by_name.find(contact.link);
    const auto object = world.solid_by_name.find(contact.object);
    const auto none = world.solid_by_name.end();
    auto refuse = [&](const std::string& what) {
      throw Error(Error::Kind::malformed, scene.file, 0,
                  fmt::format("{}: {}", contact.place, what));
    };
    if (link == none || world.solids[link->second].is_object) {
      refuse(fmt::format("there is no link with bodies called '{}'", contact.link));
    }
    if (object == none || !world.solids[object->second].is_object) {
      refuse(fmt::format("there is no object '{}'", contact.object));
    }
    if (!(contact.max_speed > 0)) refuse("the speed of an intended contact must be positive");
    world.contacts.push_back({link->second, object->second, contact.max_speed});
  }
}

}  // namespace

void select_pairs(const WorldModel& model, WorldData& world) {
  const RobotModel& robot = model.robot;
  const Allowed allowed(model.srdf ? &*model.srdf : nullptr);
  if (model.scene != nullptr) apply_scene_rules(model, world);
  std::size_t unlisted = 0;
  auto leave_out = [&](int a, int b, LeftOutPair::Why why, const std::string& reason = {}) {
    if (world.left_out.size() >= kMaxLeftOutListed) {
      ++unlisted;
    } else {
      world.left_out.push_back({world.solids[a].name, world.solids[b].name, why, reason});
    }
  };
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
      const int solid_a = world.link_solids[a], solid_b = world.link_solids[b];
      const std::string &name_a = robot.links[a].name, &name_b = robot.links[b].name;
      const NamePair names = ordered(name_a, name_b);
      const int frame_a = world.kinematics.frame_of_link(a);
      const int frame_b = world.kinematics.frame_of_link(b);
      const auto disabled = allowed.disabled.find(names);
      // An SRDF decides within its robot, not about others or what they carry.
      const bool of_one_robot = model.robot_of_link[a] == model.robot_of_link[b] &&
                                model.object_of_link[a] < 0 && model.object_of_link[b] < 0;
      if ((adjacent(robot, a, b) || frame_a == frame_b) && allowed.enabled.contains(names)) {
        world.notes.push_back(fmt::format(
            "enable_collisions of '{}' and '{}' has no effect: no pair that is joined, or that "
            "nothing moves apart, is checked",
            name_a, name_b));
      }
      if (!world.rules.allowed(solid_a, solid_b) && world.rules.may_touch(solid_a, solid_b)) {
        leave_out(solid_a, solid_b, LeftOutPair::Why::touch);
      } else if (adjacent(robot, a, b)) {
        leave_out(solid_a, solid_b, LeftOutPair::Why::adjacent);
      } else if (frame_a == frame_b) {
        leave_out(solid_a, solid_b, LeftOutPair::Why::rigid);
      } else if (disabled != allowed.disabled.end()) {
        leave_out(solid_a, solid_b, LeftOutPair::Why::disabled, disabled->second);
      } else if (of_one_robot &&
                 (allowed.off_by_default.contains(name_a) ||
                  allowed.off_by_default.contains(name_b)) &&
                 !allowed.enabled.contains(names)) {
        leave_out(solid_a, solid_b, LeftOutPair::Why::by_default);
      } else if (world.rules.allowed(solid_a, solid_b)) {
        leave_out(solid_a, solid_b, LeftOutPair::Why::allowed);
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
        const double margin = world.rules.margin_of(solid_a, solid_b);
        world.link_pairs.push_back({solid_a, solid_b, frame_a, frame_b, first,
                                    static_cast<int>(world.body_pairs.size()), margin});
        world.pair_infos.push_back({solid_a, solid_b, false, margin});
      }
    }
  }
  world.pair_count = world.link_pairs.size();

  // Every link against every object that stands still.
  std::vector<PairInfo> standing;
  for (const int link : linked) {
    const int a = world.link_solids[link];
    for (const PlacedObject& object : world.environment.objects) {
      const int b = object.solid;
      if (!world.solids[a].moves) {
        leave_out(a, b, LeftOutPair::Why::rigid);
      } else if (world.rules.allowed(a, b)) {
        leave_out(a, b, LeftOutPair::Why::allowed);
      } else if (world.rules.may_touch(a, b)) {
        leave_out(a, b, LeftOutPair::Why::touch);
      } else {
        if (++world.pair_count > World::kMaxListedPairs) {
          standing.clear();
          continue;
        }
        standing.push_back({a, b, false, world.rules.margin_of(a, b)});
      }
    }
  }
  if (world.pair_count <= World::kMaxListedPairs) {
    world.pair_infos.insert(world.pair_infos.end(), standing.begin(), standing.end());
  } else {
    world.notes.push_back(
        fmt::format("{} pairs are checked, and only those of links with each other are listed",
                    world.pair_count));
  }
  if (unlisted > 0) {
    world.notes.push_back(fmt::format("{} more pairs are left out and not listed", unlisted));
  }
  if (world.environment.objects.size() > 1) {
    world.notes.push_back("objects that stand still are not checked against each other");
  }
}

void mark_neutral_overlaps(const std::shared_ptr<WorldData>& world, bool has_srdf) {
  const auto overlaps = find_overlaps(World(world), world->kinematics.neutral());
  if (overlaps.empty()) return;
  std::unordered_set<std::uint64_t> keys;
  for (const auto& [a, b] : overlaps) keys.insert(PairRules::key(a, b));
  for (PairInfo& pair : world->pair_infos) {
    pair.overlap_at_neutral = keys.contains(PairRules::key(pair.a, pair.b));
  }
  world->notes.push_back(fmt::format(
      "{} checked pair{} in contact in the neutral pose; {}", keys.size(),
      keys.size() == 1 ? " is" : "s are",
      has_srdf ? "the SRDF does not disable them: add them there if they may touch"
               : "give an SRDF (--srdf) that disables those that may touch, or more --parts where "
                 "a hull is too coarse"));
}

}  // namespace keepclear
