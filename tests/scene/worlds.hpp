// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds and poses for tests of this room.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "keepclear/distance.hpp"
#include "keepclear/world.hpp"
#include "robot/srdf.hpp"
#include "robot/urdf.hpp"
#include "scene/world.hpp"

namespace keepclear::test {

/// The world of a URDF in memory, with what an SRDF says of it.
inline World world_of(const std::string& urdf, const std::string& srdf = {},
                      const LoadOptions& options = {}) {
  const RobotModel robot = parse_urdf(urdf, "test.urdf", {}, {});
  if (srdf.empty()) return compile_robot(robot, nullptr, options);
  const Srdf allowed = parse_srdf(srdf, "test.srdf", robot);
  return compile_robot(robot, &allowed, options);
}

inline std::string link(const std::string& name, const std::string& geometry = {}) {
  if (geometry.empty()) return "<link name=\"" + name + "\"/>";
  return "<link name=\"" + name + "\"><collision><geometry>" + geometry +
         "</geometry></collision></link>";
}
inline std::string box(double size) {
  const std::string s = std::to_string(size);
  return "<box size=\"" + s + " " + s + " " + s + "\"/>";
}
inline std::string sphere(double radius) {
  return "<sphere radius=\"" + std::to_string(radius) + "\"/>";
}
inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& rest = {}) {
  const bool limited = type == "revolute" || type == "prismatic";
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + rest +
         (limited ? "<limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/>" : "") +
         "</joint>";
}
inline std::string robot(const std::string& inside) {
  return "<robot name=\"r\">" + inside + "</robot>";
}

/// Two balls of radius 0.1 on a rail, a third beside it; q is where the second stands.
inline World rail() {
  return world_of(robot(link("ground") + link("a", sphere(0.1)) + link("b", sphere(0.1)) +
                        joint("ja", "prismatic", "ground", "a") +
                        joint("jb", "prismatic", "ground", "b")));
}

/// "a and b" of two solids, for messages and to name what is expected.
inline std::string names_of(const World& world, int a, int b) {
  const auto count = static_cast<int>(world.solids().size());
  if (a < 0 || b < 0 || a >= count || b >= count) return "no pair";
  return world.solids()[static_cast<std::size_t>(a)].name + " and " +
         world.solids()[static_cast<std::size_t>(b)].name;
}

/// The place of two solids in World::pairs(), in either order; throws where they are not checked.
inline std::size_t index_of(const World& world, int a, int b) {
  const auto pairs = world.pairs();
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (std::minmax(pairs[p].a, pairs[p].b) == std::minmax(a, b)) return p;
  }
  throw std::out_of_range(names_of(world, a, b) + " are not checked");
}

/// A configuration within the limits, unbounded turns within half a turn. The numbers come from
/// bits, so that they are the same with every standard library.
inline std::vector<double> random_pose(const World& world, std::mt19937_64& random,
                                       double share = 1) {
  std::vector<double> q = world.neutral();
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Variable& v = world.variables()[i];
    if (v.name.find("/rot_") != std::string::npos) continue;
    const double lower = std::max(v.lower, -3.125), upper = std::min(v.upper, 3.125);
    const double at = static_cast<double>(random() >> 11) * 0x1p-53;
    const double value = lower + (upper - lower) * at;
    q[i] += share * (value - q[i]);
  }
  return q;
}

/// From pose to pose in small steps.
inline std::vector<std::vector<double>> smooth_poses(const World& world, std::uint64_t seed,
                                                     int legs, int steps) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> poses{random_pose(world, random)};
  for (int leg = 0; leg < legs; ++leg) {
    const std::vector<double> from = poses.back(), to = random_pose(world, random);
    for (int step = 1; step <= steps; ++step) {
      std::vector<double> q(from.size());
      for (std::size_t i = 0; i < q.size(); ++i) q[i] = from[i] + (to[i] - from[i]) * step / steps;
      poses.push_back(q);
    }
  }
  return poses;
}

inline std::vector<double> flat(const std::vector<std::vector<double>>& poses) {
  std::vector<double> rows;
  for (const auto& q : poses) rows.insert(rows.end(), q.begin(), q.end());
  return rows;
}

}  // namespace keepclear::test
