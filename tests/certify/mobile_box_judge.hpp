// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes of configurations of robots on bases that drive and fly, quaternions among their numbers:
// what BoxQuery proves and what Sweep says it covers, against configurations in them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "certify/motion_worlds.hpp"
#include "keepclear/box.hpp"
#include "keepclear/sweep.hpp"
#include "oracle/mobile_worlds.hpp"

namespace keepclear::test {

struct MobileBoxTally {
  std::size_t worlds = 0, boxes = 0, free = 0, contact = 0, undecided = 0, poses = 0;
  std::size_t swept = 0;  ///< boxes of which a sweep showed a clearance
  // These must stay zero.
  std::size_t refuted = 0;     ///< free boxes with a pose nearer than their clearance
  std::size_t escapes = 0;     ///< the same of the clearance of a sweep
  std::size_t no_contact = 0;  ///< contacts that are none, or not in their box
  std::vector<std::string> messages;

  std::size_t violations() const { return refuted + escapes + no_contact; }
};

class MobileBoxJudge {
 public:
  MobileBoxJudge(const World& world, std::mt19937_64& random, MobileBoxTally& tally)
      : world_(world), random_(random), tally_(tally), distance_(world) {}

  void judge(std::size_t budget, int samples) {
    std::vector<double> middle;
    if (!anywhere(middle)) return;
    const double width = one_of(random_, {1e-6, 1e-3, 0.02, 0.1, 0.3});
    JointBox box;
    for (const double x : middle) {
      const double below = uniform(random_, 0, width), above = uniform(random_, 0, width);
      box.push_back({x - below, x + above});
    }
    ++tally_.boxes;
    BoxOptions options;
    options.budget = budget;
    options.threads = 1;
    const BoxResult found = prove_box(world_, box, options);
    ++(found.verdict == Verdict::free      ? tally_.free
       : found.verdict == Verdict::contact ? tally_.contact
                                           : tally_.undecided);
    Sweep sweep(world_, paper_plan(world_, 3));
    const double swept = sweep.update(box) ? sweep.clearance().clearance : -1;
    tally_.swept += swept > 0;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < samples; ++k) {
      std::vector<double> q = middle;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double at = uniform(random_, 0, 1);
        const double share = k % 2 == 0 ? at : at < 0.5 ? 0.0 : 1.0;
        q[i] = box[i].lower + share * (box[i].upper - box[i].lower);
      }
      if (!make_unit(q, box)) continue;
      ++tally_.poses;
      const Nearest near = distance_(q);
      least = std::min(least, near.verdict == Verdict::contact ? 0.0 : near.distance);
    }
    if (found.verdict == Verdict::free && least < found.clearance - 1e-9) {
      blame(tally_.refuted, "free", found.clearance, least);
    }
    if (swept > 0 && least < swept - 1e-9) blame(tally_.escapes, "swept", swept, least);
    if (found.verdict != Verdict::contact) return;
    bool real = distance_.check(found.q).verdict == Verdict::contact;
    for (std::size_t i = 0; i < box.size(); ++i) {
      real = real && found.q[i] >= box[i].lower - 1e-12 && found.q[i] <= box[i].upper + 1e-12;
    }
    if (!real) blame(tally_.no_contact, "contact", 0, distance_(found.q).distance);
  }

 private:
  void blame(std::size_t& counter, const char* what, double said, double seen) {
    ++counter;
    tally_.messages.push_back(std::string(what) + " with " + std::to_string(said) + ", seen at " +
                              std::to_string(seen));
  }
  bool is_quaternion(std::size_t i) const { return world_.variables()[i].name.ends_with("/rot_x"); }
  bool anywhere(std::vector<double>& q) {
    for (int tries = 0; tries < 20; ++tries) {
      q = world_.neutral();
      for (std::size_t i = 0; i < q.size(); ++i) {
        const Variable& v = world_.variables()[i];
        if (is_quaternion(i)) {
          double size = 0;
          for (std::size_t k = i; k < i + 4; ++k) {
            q[k] = uniform(random_, -1, 1);
            size += q[k] * q[k];
          }
          for (std::size_t k = i; k < i + 4; ++k) q[k] /= std::sqrt(size);
          i += 3;
          continue;
        }
        q[i] = uniform(random_, std::max(v.lower, -1.5), std::min(v.upper, 1.5));
      }
      if (distance_(q).verdict == Verdict::free) return true;
    }
    return false;
  }
  /// Divides quaternions by their norms; false where that leaves the box.
  bool make_unit(std::vector<double>& q, const JointBox& box) const {
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!is_quaternion(i)) continue;
      double size = 0;
      for (std::size_t k = i; k < i + 4; ++k) size += q[k] * q[k];
      for (std::size_t k = i; k < i + 4; ++k) {
        q[k] /= std::sqrt(size);
        if (q[k] < box[k].lower || q[k] > box[k].upper) return false;
      }
    }
    return true;
  }

  World world_;
  std::mt19937_64& random_;
  MobileBoxTally& tally_;
  DistanceQuery distance_;
};

inline void judge_mobile_boxes(std::uint64_t seed, int boxes, MobileBoxTally& tally) {
  oracle::Dice dice(seed * 40503 + 1);
  const oracle::ScratchFolder folder(seed);
  const MotionRobot robot = motion_robot(oracle::mobile_scene(dice, folder));
  if (robot.world.pair_count() == 0) return;
  ++tally.worlds;
  std::mt19937_64 random(seed);
  MobileBoxJudge judge(robot.world, random, tally);
  for (int k = 0; k < boxes; ++k) judge.judge(5000, 200);
}

}  // namespace keepclear::test
