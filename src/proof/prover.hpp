// SPDX-License-Identifier: BSD-3-Clause
//
// The rules of docs/certificate.md, section 5, in plain doubles: what a checker will find, to
// within rounding, for which room is left. Nothing here has to be believed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "distance/gjk.hpp"
#include "proof/certificate_world.hpp"
#include "scene/solve.hpp"

namespace keepclear {

/// Where a number can be in a cell: c + t v + e, -1 <= t <= 1 the same for all numbers of a path,
/// |e| <= rho.
struct NumberLine {
  double c = 0, v = 0, rho = 0;
};

using Direction = std::array<std::int64_t, 3>;

class Prover {
 public:
  /// `paths`: of each number the path that drives it, for clocks; empty: all the same one.
  Prover(const CertificateWorld& world, std::vector<LooseBase> loose, double stray,
         std::vector<int> paths = {});

  /// Puts everything where the middle of a cell has it. False where that is no configuration.
  bool place(std::span<const NumberLine> lines);

  /// A direction along which two bodies seem to be apart in the middle of the cell, and what the
  /// rule says of it: a lower bound of their distance all over the cell, room left for rounding.
  struct Found {
    Direction n{};
    double bound = 0;
    bool hopeless = false;  ///< no part of the cell will do either: too near in its middle
  };
  Found links_apart(int body_a, int body_b, double needed);
  Found piece_apart(int body, std::uint32_t piece, double needed);

  /// A box around a body over the whole cell, in the world.
  Box box_of(int body);

  /// How far the joints of this number move the body at most, in the cell: what is gained by
  /// dividing it.
  double moved_by(int body, int number);

  const std::vector<int>& chain(int frame) const noexcept { return chains_[frame]; }

  struct JointMotion {
    enum class Kind : std::uint8_t { hinge, slide, ball };
    Kind kind = Kind::hinge;
    int frame = 0;
    int number = 0;         ///< the first, of a ball
    int slide = 0;          ///< of a planar or floating joint: which of its slides
    double multiplier = 1;  ///< of one that follows
  };
  const JointMotion& motion(int index) const noexcept { return motions_[index]; }
  /// The last frame that carries both.
  int common_frame(int a, int b) const noexcept;

 private:
  /// A motion of a joint in the middle of the cell.
  struct Placed {
    Vec3 z, o;
    double v = 0, rho = 0, w = 0;  ///< of a ball: w is the angle
  };
  /// What is known of a body in the cell, whatever the direction.
  struct Reach {
    std::uint64_t stamp = 0;
    std::vector<Vec3> x;       ///< its points
    std::vector<double> y_hi;  ///< of each motion of its chain: the lever
    double ball = 0;           ///< what a ball joint takes
    std::size_t ball_at = 0;   ///< its place in the chain, or past the end
    double far = 0;            ///< of its points from the origin of the world, and its travel
    double travel = 0;         ///< of any point, at most
    double off = 0;            ///< stray, and the like
  };
  struct Support {
    double up = 0, down = 0;  ///< for t = 1 and t = -1
  };

  const Reach& reach(int body);
  Support support(const Reach& body, std::span<const int> chain, std::size_t skip, Vec3 n);
  double loose_off(int body, const Reach& body_reach, int other_robot) const;
  std::span<const Vec3> piece_points(std::uint32_t piece);
  double finish(double bound, double size) const;

  const CertificateWorld& world_;
  const WorldData& data_;
  std::vector<LooseBase> loose_;
  double stray_;
  std::vector<int> paths_;
  std::vector<JointMotion> motions_;
  std::vector<std::vector<int>> chains_;
  std::vector<Placed> placed_;
  std::vector<BoundedPose> poses_;
  std::vector<double> q_;
  std::vector<Reach> reaches_;
  std::vector<Vec3> piece_points_;
  std::uint64_t stamp_ = 0;
  std::uint32_t points_of_ = 0xffffffffu;
  Workbench bench_;
  EpaWorkspace epa_;
  std::vector<double> h_;
};

/// The largest double of few digits that is at most `value` and still at least `least` and above
/// `above`: certificates are read by people too. Not a number if there is none.
double short_below(double value, double least, double above);

}  // namespace keepclear
