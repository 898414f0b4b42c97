// SPDX-License-Identifier: BSD-3-Clause
//
// Random robots and configurations, of every kind of joint.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "robot/kinematics.hpp"
#include "robot/model.hpp"

namespace keepclear::testing_robots {

using Random = std::mt19937_64;

inline double uniform(Random& random, double lower, double upper) {
  return std::uniform_real_distribution<double>(lower, upper)(random);
}
inline Vec3 uniform_vec(Random& random, double size) {
  const double x = uniform(random, -size, size), y = uniform(random, -size, size);
  return {x, y, uniform(random, -size, size)};
}

inline RobotModel random_tree(Random& random, int links) {
  RobotModel robot;
  robot.name = "tree";
  robot.links.resize(links);
  for (int l = 0; l < links; ++l) robot.links[l].name = "link" + std::to_string(l);
  for (int l = 1; l < links; ++l) {
    Joint joint;
    joint.name = "joint" + std::to_string(l);
    joint.type = static_cast<JointType>(random() % 6);
    // Long chains half of the time.
    joint.parent = random() % 2 ? l - 1 : static_cast<int>(random() % l);
    joint.child = l;
    joint.origin.xyz = uniform_vec(random, random() % 5 == 0 ? 100 : 1);
    if (random() % 2) joint.origin.rpy = uniform_vec(random, 4);
    if (joint.type != JointType::fixed && joint.type != JointType::floating) {
      joint.axis = random() % 2 ? Vec3{0, 0, 1} : uniform_vec(random, 1);
      if (norm(joint.axis) < 1e-3) joint.axis = {0, 1, 0};
    }
    // The reference knows planar joints about z alone.
    if (joint.type == JointType::planar) joint.axis = {0, 0, 1};
    const bool one = joint.type == JointType::revolute || joint.type == JointType::continuous ||
                     joint.type == JointType::prismatic;
    if (one && random() % 3 == 0) {
      for (int m = l - 2; m >= 0; --m) {
        const JointType type = robot.joints[m].type;
        if (type != JointType::revolute && type != JointType::continuous &&
            type != JointType::prismatic) {
          continue;
        }
        joint.mimic = Mimic{m, uniform(random, -3, 3), uniform(random, -1, 1)};
        break;
      }
    }
    robot.joints.push_back(joint);
  }
  robot.build_tree();
  return robot;
}

inline std::vector<double> random_configuration(Random& random, const Kinematics& kinematics,
                                                double turn) {
  std::vector<double> q;
  const auto variables = kinematics.variables();
  for (const Variable& v : variables) {
    const bool angle =
        v.type == "revolute" || v.type == "continuous" || v.name == v.joint + "/theta";
    const double most = angle ? turn : v.name.find("/rot_") != std::string::npos ? 1 : 2;
    q.push_back(uniform(random, std::max(v.lower, -most), std::min(v.upper, most)));
  }
  // Quaternions of norm one, to within the 1e-6 that is allowed.
  for (std::size_t i = 0; i + 3 < q.size(); ++i) {
    if (variables[i].name != variables[i].joint + "/rot_x") continue;
    const double length =
        std::sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
    const double off = random() % 2 ? 1 : 1 + uniform(random, -0.9e-6, 0.9e-6);
    for (std::size_t k = 0; k < 4; ++k) q[i + k] *= off / length;
  }
  return q;
}

}  // namespace keepclear::testing_robots
