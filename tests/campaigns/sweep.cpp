// SPDX-License-Identifier: BSD-3-Clause
//
// sweep [--points N] [--seed S] [--only TEXT]: N points of random bodies in random motions for each
// operator, and for chains of one to seven joints (those with TEXT in their name), against the
// swept volumes; what doubles cannot tell, in 113 bits. Exit 0 when all were inside, 1 otherwise,
// 64 for a wrong call.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "oracle/operator_judge.hpp"

namespace {

using namespace keepclear;
using namespace keepclear::oracle;

struct Kind {
  std::string name;
  std::function<SweepTally(std::int64_t points, std::uint64_t seed)> judge;
};

std::vector<Kind> kinds() {
  using Types = std::vector<JointType>;
  using Operators = std::vector<JointOperator>;
  const auto joint = [](const std::string& name, const Types& types, const Operators& operators) {
    return Kind{name, [=](std::int64_t points, std::uint64_t seed) {
                  return judge_chains(points, seed, 1, types, operators);
                }};
  };
  const Types hinge{JointType::revolute, JointType::continuous}, slide{JointType::prismatic};
  Operators polygons;
  for (int count = 3; count <= kMaxArcPoints; ++count) polygons.push_back({count, 1});
  std::vector<Kind> all{
      joint("Circ1", hinge, {{1, 1}}),
      joint("Circ2", hinge, {{2, 1}}),
      joint("Circ(S+2)", hinge, polygons),
      joint("evenly, hinge", hinge, {}),
      joint("evenly, slide", slide, {}),
      joint("Trans1", slide, {{1, 1}}),
      joint("Trans2", slide, {{1, 2}}),
      joint("planar, coarse", {JointType::planar}, {{1, 1}}),
      joint("planar, fine", {JointType::planar}, {{2, 2}, {3, 2}, {4, 1}}),
      joint("floating, coarse", {JointType::floating}, {{1, 1}}),
      joint("floating, fine", {JointType::floating}, {{2, 1}, {2, 2}, {1, 2}}),
      {"cylindrical", [](auto points, auto seed) { return judge_cylindrical(points, seed); }},
      {"ball, coarse", [](auto points, auto seed) { return judge_ball(points, seed, 1); }},
      {"ball, fine", [](auto points, auto seed) { return judge_ball(points, seed, 6); }},
      {"base, one point", [](auto points, auto seed) { return judge_base(points, seed, 1); }},
      {"base, two points", [](auto points, auto seed) { return judge_base(points, seed, 2); }},
      {"base, S+2 points", [](auto points, auto seed) { return judge_base(points, seed, 5); }},
      {"Bezier", [](auto points, auto seed) { return judge_bezier(points, seed); }}};
  for (int joints = 1; joints <= 7; ++joints) {
    all.push_back({"chain of " + std::to_string(joints), [=](auto points, auto seed) {
                     return judge_chains(points, seed, joints, all_joint_types(),
                                         {{1, 1}, {2, 2}, {2, 1}, {1, 2}, {3, 2}, {5, 1}});
                   }});
  }
  return all;
}

void print(const std::string& name, const SweepTally& t) {
  const auto count = [](std::int64_t n) { return static_cast<long long>(n); };
  std::printf("%-18s %10lld %12lld %12lld %12lld %10lld %9.6f\n", name.c_str(), count(t.motions),
              count(t.points), count(t.in_quads), count(t.unbounded), count(t.outside), t.fullest);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t points = 100'000;
  std::uint64_t seed = 1;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--points" && i + 1 < argc) {
      points = std::atoll(argv[++i]);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = static_cast<std::uint64_t>(std::atoll(argv[++i]));
    } else if (word == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      points = 0;
      break;
    }
  }
  if (points <= 0) {
    std::fprintf(stderr, "usage: sweep [--points N] [--seed S] [--only TEXT]\n");
    return 64;
  }
  try {
    std::printf("%-18s %10s %12s %12s %12s %10s %9s\n", "", "motions", "points", "in 113 bits",
                "unbounded", "outside", "fullest");
    SweepTally all;
    for (const Kind& kind : kinds()) {
      if (kind.name.find(only) == std::string::npos) continue;
      const SweepTally tally = kind.judge(points, seed);
      print(kind.name, tally);
      all.add(tally);
    }
    print("all", all);
    return all.outside == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sweep: %s\n", error.what());
    return 1;
  }
}
