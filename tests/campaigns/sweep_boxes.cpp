// SPDX-License-Identifier: BSD-3-Clause
//
// sweep_boxes [--poses N] [--boxes N] [--fine N] [--clear M] [--width R] [--seed S] WORLD...: swept
// volumes of robots (a URDF, a scene, or the name of a built-in world) by the plan of the paper.
// Boxes around poses that are clear must be shown free; nothing may leave its volume in random
// boxes of up to a full turn. Pairs that are seldom that clear are left out and counted. Exit 0
// when all was well, 1 otherwise, 64 for a wrong call.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "sweep/volumes_judge.hpp"

namespace {

using namespace keepclear;

struct Options {
  std::size_t poses = 1000;
  int boxes = 20, fine = 3;
  double clear = 0.02, width = 0.002;
  std::uint64_t seed = 1;
};

bool is_builtin(const std::string& name) {
  for (const BuiltinWorld& world : builtin_worlds()) {
    if (world.name == name) return true;
  }
  return false;
}

/// True if all was well.
bool run(const std::string& name, const Options& options) {
  const auto read = [&] {
    return is_builtin(name) ? read_builtin_source(name, {}) : read_source(name, {});
  };
  std::size_t left_out = 0;
  const World world = oracle::worlds::without_near_pairs(read, options.clear, left_out);
  const SweepPlan plan = paper_plan(world, options.fine);
  const Sweep sweep(world, plan);
  std::printf("%s: %zu pairs and %zu left out, %zu volumes, %zu points\n", world.name().c_str(),
              world.pair_count(), left_out, sweep.volumes().size(), sweep.point_count());
  const oracle::worlds::ClearBoxes clear = oracle::worlds::clear_boxes(
      world, plan, options.poses, options.clear, options.width, options.seed);
  std::printf(
      "  clear poses %zu of %zu, boxes shown free %zu, least clearance %.5f m, most lost %.5f m\n",
      clear.poses, clear.tries, clear.shown, clear.least, clear.most_lost);

  const WorldSource source = read();
  oracle::worlds::SweepJudge judge(world, source.model.robot);
  oracle::worlds::Random random(options.seed);
  oracle::worlds::JudgedBoxes tally;
  for (const double width : {0.0, 0.002, 0.1, 0.8, 6.4}) {
    oracle::worlds::judge_boxes(world, judge, plan, width, options.boxes, 4, random, tally);
  }
  std::printf("  random boxes %zu, shown free %zu, configurations %zu, points judged %zu\n",
              tally.boxes, tally.shown, tally.members, tally.points);
  std::printf("  outside their volume %zu, refuted %zu\n", tally.escapes, tally.refuted);
  std::fflush(stdout);
  return clear.shown == clear.poses && tally.escapes + tally.refuted == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::vector<std::string> worlds;
  bool usage = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--poses" && more) {
      options.poses = static_cast<std::size_t>(std::atoll(argv[++i]));
    } else if (word == "--boxes" && more) {
      options.boxes = std::atoi(argv[++i]);
    } else if (word == "--fine" && more) {
      options.fine = std::atoi(argv[++i]);
    } else if (word == "--clear" && more) {
      options.clear = std::atof(argv[++i]);
    } else if (word == "--width" && more) {
      options.width = std::atof(argv[++i]);
    } else if (word == "--seed" && more) {
      options.seed = static_cast<std::uint64_t>(std::atoll(argv[++i]));
    } else if (word.starts_with("--")) {
      usage = true;
    } else {
      worlds.push_back(word);
    }
  }
  if (usage || worlds.empty()) {
    std::fprintf(stderr,
                 "usage: sweep_boxes [--poses N] [--boxes N] [--fine N] [--clear M] [--width R] "
                 "[--seed S] WORLD...\n");
    return 64;
  }
  bool well = true;
  for (const std::string& world : worlds) {
    try {
      well = run(world, options) && well;
    } catch (const std::exception& e) {
      std::printf("%s: %s\n", world.c_str(), e.what());
      well = false;
    }
  }
  return well ? 0 : 1;
}
