// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/layout.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "shape/support_table.hpp"
#include "sweep/stage.hpp"

namespace keepclear {
namespace {

/// Joints of one number on the way of a body, and where the control points of their curve are.
struct Group {
  int variable = -1;
  int degree = 0;
  std::size_t inner = 0;
};

/// The number that a joint may be swept together with others for; -1 if it is swept on its own: its
/// operator is coarse, or it has several numbers.
int shared_variable(const Kinematics::Frame& frame, JointOperator op) {
  switch (frame.type) {
    case JointType::revolute:
    case JointType::continuous:
      return op.turn >= 2 ? frame.variable : -1;
    case JointType::prismatic:
      return op.slide >= 2 ? frame.variable : -1;
    default:
      return -1;
  }
}

/// Frames in which each body meets a partner, as pairs (body, frame).
std::vector<std::vector<int>> meeting_frames(const WorldData& data, std::vector<char>& among) {
  std::vector<std::vector<int>> frames(data.bodies.size());
  for (const BodyPair& pair : data.body_pairs) {
    const int f =
        meeting_frame(data.kinematics, data.bodies[pair.a].frame, data.bodies[pair.b].frame);
    frames[pair.a].push_back(f);
    frames[pair.b].push_back(f);
  }
  for (std::size_t b = 0; b < frames.size(); ++b) {
    const int own = data.bodies[b].solid;
    among[b] =
        data.moves(own) &&
        std::any_of(data.environment.objects.begin(), data.environment.objects.end(),
                    [&](const PlacedObject& object) {
                      return object.last > object.first && !data.rules.may_touch(own, object.solid);
                    });
    if (among[b] != 0) frames[b].push_back(0);
    std::sort(frames[b].begin(), frames[b].end());
    frames[b].erase(std::unique(frames[b].begin(), frames[b].end()), frames[b].end());
  }
  return frames;
}

/// Carries a body up to the first of `meets`. False when the points are too many.
bool carry(const WorldData& data, const SweepPlan& plan, int body, const std::vector<int>& meets,
           SweepLayout& layout) {
  const Kinematics& kinematics = data.kinematics;
  const int top = meets.front();
  std::vector<int> way;  // numbers of the joints on the way, where they can be shared
  for (int f = data.bodies[body].frame; f != top; f = kinematics.parent(f)) {
    way.push_back(shared_variable(kinematics.frame(f), plan.operators[f - 1]));
  }
  std::vector<Group> groups;
  SweepNode node;
  node.body = body;
  node.frame = data.bodies[body].frame;
  node.count = data.bodies[body].body.tables().count;
  for (std::size_t step = 0;; ++step) {
    if (std::binary_search(meets.begin(), meets.end(), node.frame)) {
      node.volume = static_cast<int>(layout.volumes.size());
      layout.volumes.push_back(static_cast<int>(layout.nodes.size()));
      layout.points += node.count;
    }
    if (layout.points > Sweep::kMaxPoints) return false;
    layout.nodes.push_back(node);
    if (node.frame == top) return true;

    const int f = node.frame, variable = way[step];
    SweepNode next;
    next.body = body;
    next.frame = kinematics.parent(f);
    next.from = static_cast<int>(layout.nodes.size()) - 1;
    next.even = variable >= 0 && std::count(way.begin(), way.end(), variable) > 1;
    if (!next.even) {
      next.count = node.count * static_cast<std::size_t>(
                                    map_count(kinematics.frame(f).type, plan.operators[f - 1]));
    } else {
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const Group& g) { return g.variable == variable; });
      if (group == groups.end()) {
        next.count = 2 * node.count;
        groups.push_back({variable, 1, node.count});
      } else {
        const auto old = static_cast<std::size_t>(group->degree) + 1;
        next.degree = group->degree++;
        next.inner = group->inner;
        next.count = node.count / old * (old + 1);
        // Curves whose control points are farther apart have more between them now.
        for (Group& other : groups) {
          if (other.inner > next.inner) other.inner = other.inner / old * (old + 1);
        }
      }
    }
    if (next.count > Sweep::kMaxPoints) {
      layout.points = Sweep::kMaxPoints + 1;
      return false;
    }
    node = next;
  }
}

}  // namespace

int meeting_frame(const Kinematics& kinematics, int a, int b) noexcept {
  while (b < a || b > kinematics.last_below(a)) a = kinematics.parent(a);
  return a;
}

void require_plan(const WorldData& data, const SweepPlan& plan) {
  const auto joints = static_cast<std::size_t>(data.kinematics.frame_count() - 1);
  if (plan.operators.size() != joints) {
    throw Error(Error::Kind::usage, "", 0,
                "a sweep plan has " + std::to_string(plan.operators.size()) + " operators, but " +
                    std::to_string(joints) + " joints move");
  }
  for (std::size_t j = 0; j < joints; ++j) {
    const JointOperator op = plan.operators[j];
    if (op.turn < 1 || op.turn > kMaxArcPoints || op.slide < 1 || op.slide > 2) {
      throw Error(Error::Kind::usage, "", 0,
                  "joint " + data.kinematics.joint(static_cast<int>(j) + 1).name +
                      " cannot be swept with " + std::to_string(op.turn) + " and " +
                      std::to_string(op.slide) + " points: turn is 1 to 12, slide 1 or 2");
    }
  }
}

SweepLayout make_layout(const WorldData& data, const SweepPlan& plan) {
  SweepLayout layout;
  std::vector<char> among(data.bodies.size(), 0);
  const std::vector<std::vector<int>> meets = meeting_frames(data, among);
  std::vector<std::size_t> first(data.bodies.size() + 1, 0);
  for (std::size_t b = 0; b < meets.size(); ++b) {
    first[b] = layout.volumes.size();
    if (!meets[b].empty() && !carry(data, plan, static_cast<int>(b), meets[b], layout)) {
      return layout;
    }
    // Volumes of a body go upwards, and the highest of one that meets the world is there.
    if (among[b] != 0) layout.among.push_back(static_cast<int>(layout.volumes.size()) - 1);
  }
  first.back() = layout.volumes.size();
  const auto volume_of = [&](int body, int frame) {
    for (std::size_t v = first[body]; v < first[body + 1]; ++v) {
      if (layout.nodes[layout.volumes[v]].frame == frame) return static_cast<int>(v);
    }
    return -1;
  };
  layout.pairs.reserve(data.body_pairs.size());
  for (std::size_t i = 0; i < data.body_pairs.size(); ++i) {
    const BodyPair& pair = data.body_pairs[i];
    const int f =
        meeting_frame(data.kinematics, data.bodies[pair.a].frame, data.bodies[pair.b].frame);
    layout.pairs.push_back({volume_of(pair.a, f), volume_of(pair.b, f), static_cast<int>(i)});
  }
  return layout;
}

}  // namespace keepclear
