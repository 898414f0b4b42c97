// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes of configurations: what is measured of them, and who answers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/peer.hpp"
#include "bench/sweep_scene.hpp"
#include "keepclear/sweep.hpp"
#include "keepclear/verdict.hpp"

namespace keepclear::bench {

/// Poses that a checker of single poses looks at in each box.
inline constexpr std::size_t kPosesPerBox = 16;
/// Metres: the middle of a box is drawn until all checked pairs are this far apart there.
inline constexpr double kLeastClearance = 0.001;
/// Metres of a slide for each radian of a hinge.
inline constexpr double kSlidePerTurn = 0.2;

/// A box and poses in it, for those who do the kinematics and for those who do not.
struct BoxCase {
  JointBox box;
  std::vector<double> q;   ///< kPosesPerBox rows of World::dof()
  std::vector<Pose> X_WS;  ///< kPosesPerBox rows of a pose for each solid

  Frame frame(std::size_t pose) const {
    const std::size_t dof = q.size() / kPosesPerBox, solids = X_WS.size() / kPosesPerBox;
    return {std::span(q).subspan(pose * dof, dof), std::span(X_WS).subspan(pose * solids, solids)};
  }
};

/// Boxes about random poses with clearance, within the limits; the same on every machine. Fewer
/// than `count` where such poses are too rare.
std::vector<BoxCase> make_boxes(const Scene& scene, double half_width, std::size_t count,
                                std::uint64_t seed);

/// One who answers for a box.
class BoxContender {
 public:
  BoxContender(std::string name, std::size_t volumes, std::size_t points)
      : name_(std::move(name)), volumes_(volumes), points_(points) {}
  virtual ~BoxContender() = default;
  /// free of a checker of single poses means that it saw no contact, which proves nothing of the
  /// box; undecided of a Sweep that no clearance is shown.
  virtual Verdict run(const BoxCase& box) = 0;

  const std::string& name() const { return name_; }
  std::size_t volumes() const { return volumes_; }
  std::size_t points() const { return points_; }

 private:
  std::string name_;
  std::size_t volumes_, points_;
};
std::vector<std::unique_ptr<BoxContender>> make_contenders(const Scene& scene, double half_width,
                                                           std::size_t budget);

struct BoxRow {
  std::string scene, contender;
  double half_width = 0;
  std::size_t pairs = 0, boxes = 0, volumes = 0, points = 0;
  double mean_us = 0, p50_us = 0, max_us = 0;
  std::size_t free = 0, contact = 0, undecided = 0;
  /// Boxes in which no contact was seen, though there is one.
  std::size_t missed = 0;
  /// Mean time of FCL's poses over this one's: pair after pair, and behind its tree; checks.
  double times_fcl = 0, times_tree = 0;
};
std::vector<BoxRow> measure_boxes(const Scene& scene, double half_width, std::size_t boxes,
                                  int rounds, std::size_t budget, std::uint64_t seed);
/// For callgrind: a dump for each contender.
void count_box_instructions(const Scene& scene, double half_width, std::size_t boxes,
                            std::size_t budget, std::uint64_t seed);

}  // namespace keepclear::bench
