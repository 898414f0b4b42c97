// SPDX-License-Identifier: BSD-3-Clause
//
// Chains of 50 to 300 joints, each link from a micrometre to ten metres, judged in 113 bits.
#pragma once

#include "oracle/precise_judge.hpp"

namespace keepclear::oracle {

struct Chain {
  std::string urdf;
  int joints = 0;
  double link = 0;  ///< metres
  std::vector<bool> slides;
};

/// A robot of one long chain: hinges, turning joints and slides, some of which mimic others. Along
/// z for the most part, so that it keeps clear of itself.
inline Chain random_chain(Numbers& numbers, int joints) {
  Chain chain;
  chain.joints = joints;
  chain.link =
      numbers.chance(0.2) ? numbers.chance(0.5) ? 1e-6 : 10 : numbers.log_between(1e-6, 10);
  const double size = chain.link;
  const double radius = size * numbers.between(0.02, 0.3);
  const auto shape = [&] {
    if (numbers.chance(0.5)) {
      return fmt::format(
          "<collision><origin xyz='0 0 {:.17g}'/><geometry><sphere radius='{:.17g}'/></geometry>"
          "</collision>",
          0.5 * size, radius);
    }
    return fmt::format(
        "<collision><origin xyz='0 0 {:.17g}'/><geometry><capsule radius='{:.17g}' "
        "length='{:.17g}'/></geometry></collision>",
        0.5 * size, radius, 0.3 * size);
  };
  chain.urdf = fmt::format("<robot name='chain'>\n<link name='l0'>{}</link>\n", shape());
  std::vector<int> free_hinges, free_slides;
  for (int k = 1; k <= joints; ++k) {
    const bool slide = numbers.chance(0.2);
    const char* type = slide ? "prismatic" : numbers.chance(0.5) ? "revolute" : "continuous";
    const Vec3 axis = slide && numbers.chance(0.7) ? Vec3{0, 0, 1} : numbers.direction();
    std::string mimic;
    auto& masters = slide ? free_slides : free_hinges;
    if (!masters.empty() && numbers.chance(0.15)) {
      mimic = fmt::format("<mimic joint='j{}' multiplier='{:.17g}' offset='{:.17g}'/>",
                          masters[numbers.pick(static_cast<int>(masters.size()))],
                          numbers.between(-1.5, 1.5), slide ? 0 : numbers.between(-0.02, 0.02));
    } else {
      masters.push_back(k);
      chain.slides.push_back(slide);
    }
    const double turn = numbers.chance(0.5) ? 0 : 0.05;
    chain.urdf += fmt::format(
        "<link name='l{0}'>{1}</link>\n<joint name='j{0}' type='{2}'><parent link='l{3}'/><child "
        "link='l{0}'/><origin xyz='{4:.17g} {5:.17g} {6:.17g}' rpy='{7:.17g} {8:.17g} 0'/>"
        "<axis xyz='{9:.17g} {10:.17g} {11:.17g}'/><limit lower='{12:.17g}' upper='{13:.17g}' "
        "effort='1' velocity='0'/>{14}</joint>\n",
        k, shape(), type, k - 1, 0.02 * size * numbers.between(-1, 1),
        0.02 * size * numbers.between(-1, 1), size, numbers.between(-turn, turn),
        numbers.between(-turn, turn), axis.x, axis.y, axis.z, slide ? -size : -3.2,
        slide ? size : 3.2, mimic);
  }
  chain.urdf += "</robot>\n";
  return chain;
}

/// Joint values that bend the chain by about `bend` radians in all.
inline std::vector<double> bent(Numbers& numbers, const Chain& chain, double bend) {
  std::vector<double> q;
  const double each = bend / std::sqrt(static_cast<double>(chain.joints));
  for (const bool slide : chain.slides) {
    q.push_back((slide ? 0.1 * chain.link : each) * numbers.between(-1, 1));
  }
  return q;
}

inline std::vector<double> moved(Numbers& numbers, const Chain& chain, const std::vector<double>& q,
                                 double most) {
  std::vector<double> to = q;
  const double share = numbers.chance(0.5) ? 1 : 0.1;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (numbers.chance(share))
      to[i] += (chain.slides[i] ? chain.link : 1) * most * numbers.between(-1, 1);
  }
  return to;
}

/// One chain, balls next to where it goes, and everything that is asked of it.
inline void judge_chain(std::uint64_t seed, int least, int most, int samples, PreciseTally& tally) {
  Numbers numbers(seed);
  const int joints = least + numbers.pick(most - least + 1);
  const Chain chain = random_chain(numbers, joints);
  const double reach = chain.link * joints;
  const std::vector<double> q = bent(numbers, chain, numbers.between(0, 0.8));
  const double step = numbers.log_between(1e-5, 0.3) / joints;
  const std::vector<double> to = moved(numbers, chain, q, step);
  // Balls that are touched or missed by little, somewhere on the way.
  std::vector<std::pair<Vec3, double>> balls;
  {
    const PreciseScene alone(chain.urdf, {});
    for (int k = numbers.pick(4); k >= 0; --k) {
      std::vector<Quad> at;
      const double t = numbers.between(0, 1);
      for (std::size_t i = 0; i < q.size(); ++i) at.push_back(q[i] + Quad(t) * (to[i] - q[i]));
      const std::vector<QPose> X = alone.poses(at);
      const QPose& link = X[static_cast<std::size_t>(1 + numbers.pick(joints))];
      const double radius = chain.link * numbers.log_between(0.01, 1);
      const double gap = chain.link * numbers.log_between(1e-9, 1) * (numbers.chance(0.1) ? -1 : 1);
      const Vec3 out = numbers.direction();
      const Vec3 middle = narrow(link * QVec{0, 0, Quad(0.5) * chain.link});
      balls.emplace_back(middle + (radius + 0.45 * chain.link + gap) * out, radius);
    }
  }
  const PreciseScene scene(chain.urdf, balls);
  const World world = compile_precise(chain.urdf, fmt::format("chain-{}", seed), balls);
  PreciseJudge judge(scene, world, reach, numbers, tally);
  judge.judge_pose(q);
  judge.judge_pose(to);
  judge.judge_pose(bent(numbers, chain, 300));
  std::vector<double> half, still(q.size(), 0.0), tube(q.size(), 0.0), speed;
  for (const bool slide : chain.slides) {
    half.push_back((slide ? chain.link : 1) * step * numbers.between(0, 1) / joints);
    speed.push_back((slide ? chain.link : 1) * step * numbers.between(-1, 1));
  }
  judge.judge_box(q, half, samples);
  std::vector<double> control = q;
  if (numbers.chance(0.4)) {
    const std::vector<double> between = moved(numbers, chain, q, step);
    control.insert(control.end(), between.begin(), between.end());
  }
  control.insert(control.end(), to.begin(), to.end());
  if (numbers.chance(0.3)) tube = half;
  CertifyOptions options;
  const Method methods[] = {Method::automatic, Method::automatic, Method::chord,
                            Method::velocity,  Method::sweep,     Method::ball};
  options.method = methods[numbers.pick(6)];
  options.ask = numbers.chance(0.5) ? Ask::clearance : Ask::verdict;
  options.tolerance = 1e-3 * chain.link;
  options.accuracy = 1e-3 * chain.link;
  options.budget = 30'000;
  judge.judge_motion(control, tube, options, samples);
  judge.judge_line(q, to, samples / 2);
  const double a = step * chain.link * numbers.log_between(0.1, 10);
  judge.judge_guard(q, speed, a, a, 0.01, samples);
}

}  // namespace keepclear::oracle
