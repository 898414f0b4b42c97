// SPDX-License-Identifier: BSD-3-Clause
//
// The recursion of paper 4, section 6: a stretch of the motion is put in a ball, what the ball
// cannot exclude is left to both halves. A half tests only what the whole could not exclude: an
// event that is excluded for every displacement of a ball is excluded for the motion there,
// whatever balls its halves are put in.
#pragma once

#include <vector>

#include "certify/ball_static.hpp"
#include "certify/ball_tests.hpp"

namespace keepclear {

/// A stretch too short to be divided, and an event that may happen in it.
struct BallLeaf {
  double from = 0, to = 0;
  BallItem item;
  bool contact = false;  ///< proved to be in contact at `time`
  double time = 0;
  Vec3 place;
};

class BallSearch {
 public:
  BallSearch(const FatBody& moving, const Standing& standing, const TolerancedOptions& options)
      : moving_(moving),
        standing_(standing),
        options_(options),
        tests_(moving, standing),
        statics_(moving, standing) {}

  /// The least distance that is known, less radii, and where. Nothing is worth proving far beyond.
  struct Near {
    double distance = std::numeric_limits<double>::infinity();
    double time = std::numeric_limits<double>::quiet_NaN();
    int other = -1;
  };
  /// Looks at one place of the curve.
  void look(const DisplacementCurve& curve, double time, Near& near);

  /// In the order of time; unless all intervals are asked for, up to the first contact.
  void run(const DisplacementCurve& curve, double from, double to, double deviation,
           const Near& near, std::size_t budget);

  const std::vector<BallLeaf>& leaves() const noexcept { return leaves_; }
  double clearance() const noexcept { return clearance_; }
  const Near& near() const noexcept { return near_; }
  bool has_contact() const noexcept { return contact_; }
  std::size_t balls() const noexcept { return balls_; }
  std::size_t tests() const noexcept { return tests_.tests() - tests_before_; }
  /// All work: also balls, and looks at single places.
  std::size_t work() const noexcept {
    return tests() + balls_ + (statics_.tests() - statics_before_);
  }
  int depth() const noexcept { return depth_; }

  /// StaticTests::classify of one place of the curve: where no event happens in a stretch, all of
  /// it is as that place is, and so is every displacement that belongs to it by a deviation.
  Verdict classify(const DisplacementCurve& curve, int other, double time);

 private:
  struct Part {
    double from = 0, to = 0;
    int depth = 0;
    std::vector<BallItem> items;
  };
  void process(const DisplacementCurve& curve, Part& part, double deviation);
  void end_with(const DisplacementCurve& curve, const Part& part, const DisplacementBall& ball,
                double deviation, std::vector<BallItem>& left);
  double wanted(double deviation) const noexcept;
  /// Adds a leaf; one that goes on with the last of the same body becomes part of it.
  void add_leaf(const BallLeaf& leaf);

  const FatBody& moving_;
  const Standing& standing_;
  const TolerancedOptions& options_;
  BallTests tests_;
  StaticTests statics_;
  std::vector<Part> waiting_;
  std::vector<BallItem> left_, rest_;
  std::vector<BallLeaf> leaves_;
  std::vector<std::size_t> last_leaf_;  ///< of each other body: its last leaf, and one more
  Near near_;
  double clearance_ = 0;
  bool contact_ = false;
  std::size_t balls_ = 0, budget_ = 0, tests_before_ = 0, statics_before_ = 0;
  double fixed_ = 0;  ///< what no division takes off a ball of the curve
  int depth_ = 0;
};

}  // namespace keepclear
