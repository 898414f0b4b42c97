// SPDX-License-Identifier: BSD-3-Clause
//
// Random certificates of every kind: motions, clocks, boxes, pairs that never touch, guards, fits.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "certify/motion_worlds.hpp"
#include "keepclear/brake.hpp"
#include "keepclear/guard.hpp"
#include "keepclear/model.hpp"
#include "keepclear/proof.hpp"

namespace keepclear::test {

/// What CertificateDraw takes: robots that are built in and, with data, every URDF and every scene
/// of robots there.
inline std::vector<std::string> certificate_robots(const std::filesystem::path& data) {
  namespace fs = std::filesystem;
  std::vector<std::string> names{"six_axis_arm", "bench_arm", "two_bench_arms", "humanoid"};
  for (const char* folder : {"robots", "scenes/workcells", "scenes/bookcase"}) {
    if (!fs::exists(data / folder)) continue;
    std::vector<std::string> more;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data / folder)) {
      const fs::path& file = entry.path();
      // Motions stand beside the scenes.
      const bool scene =
          file.extension() == ".json" && file.stem() != "reach" && file.stem() != "handover";
      if (scene || file.extension() == ".urdf") more.push_back(file.string());
    }
    std::sort(more.begin(), more.end());
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

struct DrawnCertificate {
  std::string kind, what;
  bool free = false;           ///< there was something to write
  WrittenCertificate written;  ///< empty text: not proved, and it says why
  double beyond = 0;           ///< metres: the clearance that was found, beyond the margin
  double found_s = 0, written_s = 0;
};

/// Draws certificates about one robot, each from a number of its own.
class CertificateDraw {
  template <typename Work>
  static auto timed(double& seconds, const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 public:
  explicit CertificateDraw(const std::string& name)
      : robot_(name.ends_with(".json") ? motion_robot(read_scene(name)) : motion_robot(name)),
        name_(name) {
    if (robot_.world.dof() == 0) throw std::runtime_error("nothing moves");
    facts_.sources = {{name, sha256_of(name)}};
    facts_.options = {{"drawn", "at random"}};
    for (const Variable& v : robot_.world.variables()) {
      if (v.type == "planar" || v.type == "floating") guarded_ = false;
    }
    proof_.budget = 400'000;
  }

  const std::string& name() const { return name_; }
  const World& world() const { return robot_.world; }
  ProofOptions& proof() { return proof_; }

  DrawnCertificate path(std::uint64_t number) {
    std::mt19937_64 random(number * 0x9e3779b97f4a7c15ull + 3);
    MotionDraw draw(robot_, random);
    Motion motion = draw.motion();
    CertifyOptions options = off(draw.options(), random);
    const World world = surrounded(draw, motion, options);
    DrawnCertificate out{"path", motion.name};
    const Certificate found =
        timed(out.found_s, [&] { return certify(world, motion.path, options); });
    out.free = found.verdict == Verdict::free;
    out.beyond = found.clearance - options.margin;
    if (!out.free) return out;
    out.written = timed(out.written_s, [&] {
      return path_certificate(world, motion.path, options, found, facts_, proof_);
    });
    return out;
  }

  /// Of two robots.
  bool has_clocks() const { return robot_.scene.robots.size() == 2; }
  DrawnCertificate clocks(std::uint64_t number) {
    std::mt19937_64 random(number * 0x9e3779b97f4a7c15ull + 4);
    MotionDraw draw(robot_, random);
    Motion first = draw.motion();
    const Motion second = draw.motion();
    CertifyOptions options = off(draw.options(), random);
    const World world = surrounded(draw, first, options);
    const double offset = one_of(random, {0.0, 0.01, 0.3, std::numeric_limits<double>::infinity()});
    const Path paths[] = {first.path, second.path};
    DrawnCertificate out{"clocks", first.name + " and " + second.name};
    const Certificate found = timed(out.found_s, [&] {
      return MotionQuery(world, options)(std::span<const Path>(paths), offset);
    });
    out.free = found.verdict == Verdict::free;
    out.beyond = found.clearance - options.margin;
    if (!out.free) return out;
    out.written = timed(out.written_s, [&] {
      return clock_certificate(world, paths, offset, options, found, facts_, proof_);
    });
    return out;
  }

  DrawnCertificate box(std::uint64_t number) {
    std::mt19937_64 random(number * 0x9e3779b97f4a7c15ull + 5);
    MotionDraw draw(robot_, random);
    Motion motion = draw.motion();
    CertifyOptions around = draw.options();
    const World world = surrounded(draw, motion, around);
    const std::vector<double> q = motion.path.position(motion.path.begin());
    const double width = one_of(random, {1e-4, 0.01, 0.05, 0.2});
    JointBox box;
    for (const double at : q) {
      const double below = width * uniform(random, 0, 1), above = width * uniform(random, 0, 1);
      box.push_back(random() % 5 == 0 ? Interval{at, at} : Interval{at - below, at + above});
    }
    BoxOptions options;
    options.margin = around.margin;
    options.threads = 1;
    options.budget = 20'000;
    DrawnCertificate out{"box", "a box"};
    const BoxResult found = timed(out.found_s, [&] { return prove_box(world, box, options); });
    out.free = found.verdict == Verdict::free;
    out.beyond = found.clearance - options.margin;
    if (!out.free) return out;
    out.written = timed(
        out.written_s, [&] { return box_certificate(world, box, options, found, facts_, proof_); });
    return out;
  }

  DrawnCertificate never(std::size_t budget) {
    PairsOptions options;
    options.budget = budget;
    options.samples = 200;
    options.threads = 1;
    DrawnCertificate out{"never", "pairs"};
    const std::vector<PairOfLinks> pairs =
        timed(out.found_s, [&] { return classify_pairs(robot_.world, options); });
    out.free = std::ranges::any_of(pairs, [](const PairOfLinks& p) {
      return p.kind == PairClass::never && !p.joints.empty();
    });
    if (!out.free) return out;
    out.written = timed(out.written_s,
                        [&] { return never_certificate(robot_.world, pairs, facts_, proof_); });
    return out;
  }

  /// Of the model of a built-in robot.
  bool has_model() const {
    return name_ == "six_axis_arm" || name_ == "bench_arm" || name_ == "humanoid";
  }
  DrawnCertificate fit() {
    LoadOptions options;
    options.without_model = true;
    const World world = load_builtin(name_, options);
    const std::shared_ptr<const BodyModel> model = builtin_model(name_);
    DrawnCertificate out{"fit", "its model"};
    out.free = model != nullptr;
    if (!out.free) return out;
    out.written = timed(out.written_s, [&] { return fit_certificate(world, *model, facts_); });
    return out;
  }

  bool has_guards() const { return guarded_; }
  DrawnCertificate guard(std::uint64_t number) {
    std::mt19937_64 random(number * 0x9e3779b97f4a7c15ull + 6);
    MotionDraw draw(robot_, random);
    Motion motion = draw.motion();
    CertifyOptions around = draw.options();
    const World world = surrounded(draw, motion, around);
    BrakeModel brake{one_of(random, {0.0, 0.004, 0.03}), {}};
    GuardOptions options;
    options.known_command = random() % 3 == 0;
    options.slices = random() % 2 == 0 ? 4 : 1;
    options.margin = random() % 3 == 0 ? 0.005 : 0;
    options.check_jumps = false;
    options.limit_tolerance = 10;
    options.budget = 10'000'000;
    for (std::size_t k = 0; k < world.dof(); ++k) {
      JointBrake joint;
      joint.max_acceleration = uniform(random, 0, 10);
      joint.brake_deceleration = uniform(random, 1, 10);
      if (random() % 3 != 0) {
        joint.brake_deceleration_most = joint.brake_deceleration * uniform(random, 1, 3);
      }
      joint.position_uncertainty = random() % 2 == 0 ? 0 : 1e-4;
      joint.velocity_uncertainty = random() % 2 == 0 ? 0 : 1e-3;
      joint.acceleration_uncertainty = options.known_command ? uniform(random, 0, 0.5) : 0;
      joint.max_velocity = 100;
      joint.stops = random() % 4 == 0;
      brake.joints.push_back(joint);
    }
    DrawnCertificate out{"guard", "cycles"};
    const Recording recording =
        timed(out.found_s, [&] { return drive(world, brake, options, motion.path, random); });
    out.free = std::ranges::any_of(recording.cycles, [](const RecordedCycle& cycle) {
      return cycle.found.action == Action::go;
    });
    if (!out.free) return out;
    out.written =
        timed(out.written_s, [&] { return guard_certificate(world, recording, facts_, proof_); });
    return out;
  }

 private:
  static CertifyOptions off(CertifyOptions options, std::mt19937_64& random) {
    if (random() % 5 == 0) {
      options.base.push_back({-1, one_of(random, {0.0, 1e-3, 0.01}), one_of(random, {0.0, 1e-3})});
    }
    return options;
  }

  World surrounded(MotionDraw& draw, Motion& motion, CertifyOptions& options) const {
    Scene scene = robot_.scene;
    draw.add_objects(motion, options, scene);
    return compile(scene, {.allow_no_pairs = true});
  }

  /// A few cycles along a motion, each by itself.
  static Recording drive(const World& world, const BrakeModel& brake, const GuardOptions& options,
                         const Path& path, std::mt19937_64& random) {
    Recording recording;
    recording.world = world.hash();
    recording.brake = brake;
    recording.options = options;
    Guard guard(world, brake, options);
    const double duration = path.end() - path.begin(), slow = one_of(random, {0.01, 0.1, 0.5});
    const auto cycles = 1 + random() % 8;
    for (std::uint64_t c = 0; c < cycles; ++c) {
      const double at = path.begin() + uniform(random, 0, 0.98) * duration, dt = 1e-3 * duration;
      const std::vector<double> q = path.position(at), next = path.position(at + dt);
      RecordedCycle cycle;
      cycle.q = q;
      for (std::size_t k = 0; k < q.size(); ++k) {
        cycle.v.push_back(slow * (next[k] - q[k]) / dt);
        cycle.command.push_back(uniform(random, -0.5, 0.5));
      }
      guard.reset();
      // The first ones may be too few to look at everything.
      for (int again = 0; again < 3; ++again) {
        cycle.time += 1e-3;
        if (guard.step(cycle.state()) == Action::go) break;
      }
      cycle.found = guard.last();
      recording.cycles.push_back(std::move(cycle));
    }
    return recording;
  }

  MotionRobot robot_;
  std::string name_;
  CertificateFacts facts_;
  ProofOptions proof_;
  bool guarded_ = true;
};

}  // namespace keepclear::test
