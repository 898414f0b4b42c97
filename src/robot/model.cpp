// SPDX-License-Identifier: BSD-3-Clause
#include "robot/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "keepclear/error.hpp"

namespace keepclear {
namespace {

template <typename Named>
int find(const std::vector<Named>& all, const std::string& name) noexcept {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

/// "a -> b -> a", shortened when long. `cycle` runs from child to parent.
std::string describe(const RobotModel& robot, const std::vector<int>& cycle) {
  constexpr std::size_t kMostNames = 8;
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i == kMostNames) {
      text += fmt::format("... ({} more) -> ", cycle.size() - i);
      break;
    }
    text += robot.links[cycle[cycle.size() - 1 - i]].name + " -> ";
  }
  return text + robot.links[cycle.back()].name;
}

}  // namespace

const char* to_string(JointType type) noexcept {
  switch (type) {
    case JointType::fixed:
      return "fixed";
    case JointType::revolute:
      return "revolute";
    case JointType::continuous:
      return "continuous";
    case JointType::prismatic:
      return "prismatic";
    case JointType::planar:
      return "planar";
    case JointType::floating:
      return "floating";
  }
  return "?";
}

const char* to_string(Geometry::Kind kind) noexcept {
  switch (kind) {
    case Geometry::Kind::box:
      return "box";
    case Geometry::Kind::sphere:
      return "sphere";
    case Geometry::Kind::cylinder:
      return "cylinder";
    case Geometry::Kind::capsule:
      return "capsule";
    case Geometry::Kind::cone:
      return "cone";
    case Geometry::Kind::mesh:
      return "mesh";
  }
  return "?";
}

int RobotModel::find_link(const std::string& wanted) const noexcept {
  return find(links, wanted);
}

int RobotModel::find_joint(const std::string& wanted) const noexcept {
  return find(joints, wanted);
}

std::vector<int> RobotModel::depth_first_joints() const {
  std::vector<int> order, stack;
  if (root < 0) return order;
  order.reserve(joints.size());
  const auto push_children = [&](int link) {
    const auto& children = links[link].child_joints;
    stack.insert(stack.end(), children.rbegin(), children.rend());
  };
  push_children(root);
  while (!stack.empty()) {
    const int joint = stack.back();
    stack.pop_back();
    order.push_back(joint);
    push_children(joints[joint].child);
  }
  return order;
}

void RobotModel::build_tree() {
  const auto fail = [&](int line, const std::string& what, const std::string& hint = {}) {
    throw Error(Error::Kind::malformed, file, line, what, hint);
  };
  root = -1;
  for (auto& link : links) {
    link.parent_joint = -1;
    link.child_joints.clear();
  }
  if (links.empty()) fail(0, "no links in this robot");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto& joint = joints[i];
    auto& child = links[joint.child];
    if (joint.parent == joint.child) {
      fail(joint.line, fmt::format("cycle {} -> {}: joint '{}' joins a link to itself", child.name,
                                   child.name, joint.name));
    }
    if (child.parent_joint >= 0) {
      const auto& other = joints[child.parent_joint];
      fail(joint.line, fmt::format("link '{}' has two parents: joint '{}' (line {}) and joint '{}'",
                                   child.name, other.name, other.line, joint.name));
    }
    child.parent_joint = static_cast<int>(i);
    links[joint.parent].child_joints.push_back(static_cast<int>(i));
  }

  // Every link has at most one parent now: each piece is a tree, or has exactly one cycle.
  std::vector<char> reached(links.size(), 0);
  std::vector<int> stack, roots;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].parent_joint >= 0) continue;
    roots.push_back(static_cast<int>(i));
    stack.push_back(static_cast<int>(i));
  }
  while (!stack.empty()) {
    const int link = stack.back();
    stack.pop_back();
    reached[link] = 1;
    for (const int joint : links[link].child_joints) stack.push_back(joints[joint].child);
  }
  const auto lost = std::find(reached.begin(), reached.end(), 0);
  if (lost != reached.end()) {
    // Upwards from a link that no root reaches the way ends in the cycle.
    const auto up = [&](int link) { return joints[links[link].parent_joint].parent; };
    int link = static_cast<int>(lost - reached.begin());
    std::vector<char> seen(links.size(), 0);
    while (!seen[link]) {
      seen[link] = 1;
      link = up(link);
    }
    std::vector<int> cycle{link};
    for (int next = up(link); next != link; next = up(next)) cycle.push_back(next);
    fail(joints[links[link].parent_joint].line,
         fmt::format("cycle {}{}", describe(*this, cycle),
                     roots.empty() ? "" : ", which the root does not reach"));
  }
  if (roots.size() > 1) {
    const auto& first = links[roots[0]];
    const auto& second = links[roots[1]];
    fail(second.line,
         fmt::format("two roots: link '{}' (line {}) and link '{}' are the child of no joint{}",
                     first.name, first.line, second.name,
                     roots.size() > 2 ? fmt::format(" ({} such links)", roots.size()) : ""),
         "join them, or remove one");
  }
  root = roots.front();
  std::vector<int> moved_by(links.size(), 0);  // movable joints above each link
  for (const int j : depth_first_joints()) {
    const Joint& joint = joints[j];
    const int above = moved_by[joint.parent] + (joint.type != JointType::fixed ? 1 : 0);
    if (above > kMaxChain) {
      fail(joint.line,
           fmt::format("joint '{}' is movable joint number {} of a chain: the limit is {}",
                       joint.name, above, kMaxChain),
           "a cable or a chain of links: lock joints that need not move, as 'fixed'");
    }
    moved_by[joint.child] = above;
  }
}

}  // namespace keepclear
