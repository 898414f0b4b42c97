// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds and motions whose proofs are judged step by step: robots that are built in, random scenes
// with all kinds of joints, and robots on bases that drive and fly.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "certify/step_judge.hpp"
#include "oracle/mobile_worlds.hpp"

namespace keepclear::test {

struct StepOptions {
  int looks = 3;                ///< random places of each step, beside its ends and its middle
  std::size_t budget = 20'000;  ///< of a motion, CertifyOptions::budget
};

/// Motions through unit quaternions that turn, of all numbers of a world; others go up to `reach`.
class TurningDraw {
 public:
  TurningDraw(const World& world, std::mt19937_64& random) : world_(world), random_(random) {
    reach_ = one_of(random, {0.05, 0.3, 1.0});
    turn_ = one_of(random, {0.0, 0.2, 1.0, 2.5});
  }

  Path path() {
    const auto kind = random_() % 4;
    std::vector<double> rows = row(world_.neutral()), last = rows;
    const std::size_t count = kind == 0 ? 2 : 4;
    for (std::size_t k = 1; k < count; ++k) {
      last = row(last);
      rows.insert(rows.end(), last.begin(), last.end());
    }
    const std::vector<double> times{0, 0.5, 1.25, 1.5};
    if (kind == 0) {
      return line_path(std::span(rows).first(world_.dof()), std::span(rows).last(world_.dof()));
    }
    if (kind == 1) return straight_path(times, rows);
    if (kind == 2) return bezier_path(world_.dof(), rows, 0, 1);
    std::vector<double> rates(rows.size());
    for (double& rate : rates) rate = 0.1 * uniform(random_, -1, 1);
    return cubic_path(times, rows, rates);
  }

  Path tubed(Path path) {
    if (random_() % 3 != 0) return path;
    std::vector<double> width(world_.dof());
    const double size = one_of(random_, {1e-4, 2e-3, 0.01});
    for (double& w : width) w = uniform(random_, 0, size);
    return with_tube(path, width);
  }

 private:
  /// A configuration near another one; quaternions at most `turn_` from it.
  std::vector<double> row(std::vector<double> q) {
    const auto variables = world_.variables();
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (variables[i].name.ends_with("/rot_x")) {
        double turn[4] = {uniform(random_, -1, 1), uniform(random_, -1, 1), uniform(random_, -1, 1),
                          0};
        const double size = std::hypot(turn[0], turn[1], turn[2]) + 1e-9;
        const double half = 0.5 * uniform(random_, 0, turn_);
        for (int k = 0; k < 3; ++k) turn[k] *= std::sin(half) / size;
        turn[3] = std::cos(half);
        const double x = q[i], y = q[i + 1], z = q[i + 2], w = q[i + 3];
        q[i] = turn[3] * x + turn[0] * w + turn[1] * z - turn[2] * y;
        q[i + 1] = turn[3] * y - turn[0] * z + turn[1] * w + turn[2] * x;
        q[i + 2] = turn[3] * z + turn[0] * y - turn[1] * x + turn[2] * w;
        q[i + 3] = turn[3] * w - turn[0] * x - turn[1] * y - turn[2] * z;
        i += 3;
        continue;
      }
      const double to = q[i] + uniform(random_, -reach_, reach_);
      q[i] = std::clamp(to, variables[i].lower, variables[i].upper);
    }
    return q;
  }

  World world_;
  std::mt19937_64& random_;
  double reach_ = 1, turn_ = 1;
};

class StepRun {
 public:
  StepRun(std::uint64_t seed, std::size_t number, const StepOptions& how, StepTally& tally)
      : seed_(seed * 0x9e3779b97f4a7c15ull + 131 * number + 7),
        random_(seed_),
        how_(how),
        tally_(tally) {}

  /// A robot alone, with obstacles made for its first motion.
  void robot(const MotionRobot& robot, int motions) {
    MotionDraw draw(robot, random_);
    std::vector<Path> paths;
    std::vector<CertifyOptions> options;
    Scene scene = robot.scene;
    for (int k = 0; k < motions; ++k) {
      Motion motion = draw.motion();
      options.push_back(asked(draw.options(), scene.robots.size()));
      if (k == 0) draw.add_objects(motion, options[0], scene);
      paths.push_back(std::move(motion.path));
    }
    judge(scene, {}, paths, options);
  }

  /// A random scene, with planar joints, meshes, planes, attached objects, margins.
  void scene(int motions) {
    oracle::Dice dice(seed_);
    const oracle::ScratchFolder folder(seed_);
    oracle::RandomScene made = oracle::random_scene(dice, folder);
    made.scene.contacts.clear();
    draw_and_judge(made.scene, made.load, motions, false);
  }

  /// Robots on bases that drive and fly.
  void mobile(int motions) {
    oracle::Dice dice(seed_);
    const oracle::ScratchFolder folder(seed_);
    LoadOptions load;
    load.allow_no_pairs = true;
    draw_and_judge(oracle::mobile_scene(dice, folder), load, motions, true);
  }

 private:
  CertifyOptions asked(CertifyOptions options, std::size_t robots) {
    options.keep_proof = true;
    options.budget = how_.budget;
    if (random_() % 4 == 0) {
      const auto robot = static_cast<int>(random_() % (robots + 1)) - 1;
      options.base.push_back(
          {robot, one_of(random_, {0.0, 1e-3, 0.02}), one_of(random_, {0.0, 1e-3, 0.02})});
    }
    return options;
  }

  void draw_and_judge(Scene scene, const LoadOptions& load, int motions, bool turning) {
    const MotionRobot robot{scene, compile(scene, load)};
    if (robot.world.dof() == 0 || robot.world.data().bodies.empty()) return;
    std::vector<Path> paths;
    std::vector<CertifyOptions> options;
    const bool any_moves = std::any_of(robot.world.solids().begin(), robot.world.solids().end(),
                                       [](const SolidInfo& solid) { return solid.moves; });
    if (!any_moves) return;
    MotionDraw draw(robot, random_);
    TurningDraw turns(robot.world, random_);
    for (int k = 0; k < motions; ++k) {
      options.push_back(asked(draw.options(), scene.robots.size()));
      paths.push_back(turning ? turns.tubed(turns.path()) : draw.motion().path);
    }
    judge(scene, load, paths, options);
  }

  void judge(const Scene& scene, const LoadOptions& load, const std::vector<Path>& paths,
             const std::vector<CertifyOptions>& options) {
    LoadOptions any = load;
    any.allow_no_pairs = true;
    const World world = compile(scene, any);
    const ExactWorld exact(scene, world, any);
    ++tally_.worlds;
    for (std::size_t k = 0; k < paths.size(); ++k) {
      MotionQuery query(world, options[k]);
      StepJudge judge(exact, options[k], random_, tally_);
      judge_one(judge, {&paths[k], 1}, query(paths[k]), options[k]);
    }
    const auto robots = scene.robots.size();
    if (robots < 2 || paths.size() < robots) return;
    // Each robot on its own clock.
    CertifyOptions clocks = options[0];
    clocks.ask = Ask::verdict;
    const double offset = one_of(random_, {0.05, 0.5, std::numeric_limits<double>::infinity()});
    MotionQuery query(world, clocks);
    StepJudge judge(exact, clocks, random_, tally_);
    judge.offset = offset;
    const std::span<const Path> each(paths.data(), robots);
    ++tally_.clocks;
    judge_one(judge, each, query(each, offset), clocks);
  }

  void judge_one(StepJudge& judge, std::span<const Path> paths, const Certificate& found,
                 const CertifyOptions& options) {
    ++tally_.motions;
    tally_.free += found.verdict == Verdict::free;
    tally_.contact += found.verdict == Verdict::contact;
    tally_.undecided += found.verdict == Verdict::undecided;
    tally_.tubes += !paths[0].data().tube.empty();
    tally_.bases += !options.base.empty();
    tally_.deviations += options.deviation > 0;
    judge.judge(paths, found, how_.looks);
    judge.judge_cover(found);
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  StepOptions how_;
  StepTally& tally_;
};

}  // namespace keepclear::test
