// SPDX-License-Identifier: BSD-3-Clause
//
// Robots on floating and planar joints whose quaternions turn: far and by little, not of length
// one, next to their negatives; judged in 113 bits.
#pragma once

#include "oracle/precise_judge.hpp"

namespace keepclear::oracle {

struct Turner {
  std::string urdf;
  std::size_t bodies = 0;
  double arm = 0;  ///< metres: how far from the joint the bodies reach
};

/// One or two floating bodies, one of them maybe on a cart, with arms of one hinge each.
inline Turner random_turner(Numbers& numbers) {
  Turner turner;
  turner.arm = numbers.log_between(0.01, 10);
  turner.bodies = 1 + numbers.pick(2);
  const double radius = turner.arm * numbers.between(0.02, 0.2);
  const auto shape = [&](double along) {
    return fmt::format(
        "<collision><origin xyz='{:.17g} {:.17g} {:.17g}'/><geometry><capsule radius='{:.17g}' "
        "length='{:.17g}'/></geometry></collision>",
        turner.arm * numbers.between(-1, 1), turner.arm * numbers.between(-1, 1), along, radius,
        turner.arm * numbers.between(0.1, 1));
  };
  turner.urdf = "<robot name='turner'>\n<link name='ground'/>\n";
  for (std::size_t k = 0; k < turner.bodies; ++k) {
    std::string base = "ground";
    if (numbers.chance(0.4)) {
      base = fmt::format("cart{}", k);
      turner.urdf += fmt::format(
          "<link name='{0}'/><joint name='drive{1}' type='planar'><parent link='ground'/><child "
          "link='{0}'/><origin xyz='0 0 {2:.17g}'/><axis xyz='0 0 1'/></joint>\n",
          base, k, turner.arm * numbers.between(-1, 1));
    }
    turner.urdf += fmt::format(
        "<link name='body{0}'>{1}</link><joint name='fly{0}' type='floating'><parent link='{2}'/>"
        "<child link='body{0}'/><origin xyz='0 {3:.17g} 0' rpy='{4:.17g} 0 0'/></joint>\n"
        "<link name='arm{0}'>{5}</link><joint name='hinge{0}' type='revolute'><parent "
        "link='body{0}'/><child link='arm{0}'/><origin xyz='0 0 {6:.17g}'/><axis xyz='0 1 0'/>"
        "<limit lower='-3.2' upper='3.2' effort='1' velocity='0'/></joint>\n",
        k, shape(0), base, 5 * turner.arm * static_cast<double>(k), numbers.between(-1, 1),
        shape(turner.arm), turner.arm);
  }
  turner.urdf += "</robot>\n";
  return turner;
}

inline std::array<double, 4> random_quaternion(Numbers& numbers) {
  std::array<double, 4> r;
  double square = 0;
  do {
    square = 0;
    for (double& x : r) x = numbers.between(-1, 1), square += x * x;
  } while (!(square > 0.01 && square < 1));
  for (double& x : r) x /= std::sqrt(square);
  return r;
}

/// A quaternion that turns on from another by some angle, maybe the negative of what it stands for,
/// maybe of another length.
inline std::array<double, 4> turned(Numbers& numbers, const std::array<double, 4>& from,
                                    double length_off) {
  const double angles[] = {0, 1e-12, 1e-6, 1e-3, 0.05, 0.5, 2, 3.1, 6.2};
  const double half = 0.5 * angles[numbers.pick(9)] * numbers.between(0.5, 1);
  const Vec3 n = std::sin(half) * numbers.direction();
  const double c = std::cos(half);
  std::array<double, 4> to{c * from[0] + n.x * from[3] + n.y * from[2] - n.z * from[1],
                           c * from[1] - n.x * from[2] + n.y * from[3] + n.z * from[0],
                           c * from[2] + n.x * from[1] - n.y * from[0] + n.z * from[3],
                           c * from[3] - n.x * from[0] - n.y * from[1] - n.z * from[2]};
  const double factor = (numbers.chance(0.15) ? -1 : 1) * (1 + length_off * numbers.between(-1, 1));
  for (double& x : to) x *= factor;
  return to;
}

/// A configuration near another: quaternions turned, all else moved by up to `most`.
inline std::vector<double> turned(Numbers& numbers, const World& world,
                                  const std::vector<double>& q, double most, double length_off) {
  std::vector<double> to = q;
  const auto variables = world.variables();
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (variables[i].name.ends_with("/rot_x")) {
      const auto r = turned(numbers, {q[i], q[i + 1], q[i + 2], q[i + 3]}, length_off);
      for (const double x : r) to[i++] = x;
      --i;
    } else {
      to[i] += most * numbers.between(-1, 1);
    }
  }
  return to;
}

inline void judge_turner(std::uint64_t seed, int samples, PreciseTally& tally) {
  Numbers numbers(seed);
  const Turner turner = random_turner(numbers);
  const World bare = compile_precise(turner.urdf, fmt::format("turner-{}", seed), {});
  const auto variables = bare.variables();
  const std::size_t dof = bare.dof();
  std::vector<double> q(dof);
  for (std::size_t i = 0; i < dof; ++i) {
    if (variables[i].name.ends_with("/rot_x")) {
      for (const double x : random_quaternion(numbers)) q[i++] = x;
      --i;
    } else {
      q[i] = turner.arm * numbers.between(-1, 1);
    }
  }
  const double step = turner.arm * numbers.log_between(1e-4, 1);
  const std::vector<double> to = turned(numbers, bare, q, step, 0.9e-6);
  // Control points in between may be of any length.
  std::vector<double> control = q;
  for (int k = numbers.chance(0.5) ? 0 : 1 + numbers.pick(3); k > 0; --k) {
    const auto between = turned(numbers, bare, q, step, numbers.chance(0.5) ? 0 : 0.8);
    control.insert(control.end(), between.begin(), between.end());
  }
  control.insert(control.end(), to.begin(), to.end());
  // Balls that are touched or missed by little, somewhere on the way.
  std::vector<std::pair<Vec3, double>> balls;
  {
    const PreciseScene alone(turner.urdf, {});
    for (int k = numbers.pick(4); k >= 0; --k) {
      const std::vector<Quad> at = bezier_point(control, dof, numbers.between(0, 1));
      const std::vector<QPose> X = alone.poses(at);
      const auto& links = alone.model().links;
      const auto l = static_cast<std::size_t>(numbers.pick(static_cast<int>(links.size())));
      if (links[l].collisions.empty()) continue;
      const Collision& c = links[l].collisions.front();
      const double half = 0.5 * c.geometry.length;
      const QVec tip = widen<Quad>(c.origin.xyz) + QVec{0, 0, numbers.pick(2) ? half : -half};
      const Vec3 out = numbers.direction();
      const double radius = turner.arm * numbers.log_between(0.01, 1);
      const double gap = turner.arm * numbers.log_between(1e-9, 1) * (numbers.chance(0.1) ? -1 : 1);
      balls.emplace_back(narrow(X[l] * tip) + (radius + c.geometry.radius + gap) * out, radius);
    }
  }
  const PreciseScene scene(turner.urdf, balls);
  const World world = compile_precise(turner.urdf, fmt::format("turner-{}", seed), balls);
  PreciseJudge judge(scene, world, 10 * turner.arm, numbers, tally);
  judge.judge_pose(q);
  judge.judge_pose(to);
  std::vector<double> half(dof), tube(dof);
  const double wide = numbers.log_between(1e-6, 0.2);
  for (std::size_t i = 0; i < dof; ++i) {
    const bool number = variables[i].name.find("/rot_") != std::string::npos;
    half[i] = (number ? wide : step * wide) * numbers.between(0, 1);
    tube[i] = (number ? 0.1 * wide : 0.01 * step) * numbers.pick(2);
  }
  judge.judge_box(q, half, 3 * samples);
  CertifyOptions options;
  const Method methods[] = {Method::automatic, Method::automatic, Method::chord,
                            Method::velocity,  Method::sweep,     Method::ball};
  options.method = methods[numbers.pick(6)];
  options.ask = numbers.chance(0.5) ? Ask::clearance : Ask::verdict;
  options.tolerance = 1e-3 * turner.arm;
  options.accuracy = 1e-3 * turner.arm;
  options.budget = 20'000;
  judge.judge_motion(control, numbers.chance(0.3) ? tube : std::vector<double>(dof, 0.0), options,
                     samples);
  judge.judge_line(q, to, samples);
}

}  // namespace keepclear::oracle
