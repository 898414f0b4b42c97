// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked of every body, or of every box around, over each part of a motion, in lanes; each
// with a plain twin that does the same operations one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "certify/joint_step.hpp"
#include "keepclear/geometry.hpp"
#include "robot/model.hpp"
#include "rounding/rounding.hpp"
#include "shape/aligned.hpp"

namespace keepclear {

/// Sums of products of non-negative numbers along a chain of at most kMaxChain joints, 24 roundings
/// for each of them, are right to this share: docs/theory/certify.md, "Chains".
inline constexpr double kChainRounding = 4e-12;
static_assert(kChainRounding > 1.01 * (24.0 * kMaxChain + 24) * rounding::kU);
/// At least the real value of such a sum.
inline double sum_hi(double x) {
  return x * (1 + kChainRounding) + 1e-200;
}

/// A joint, and the bodies behind it: those from `begin` to `end` of the rows.
struct JointRow {
  Vec3 axis[2], place[2];     ///< in the poses of both ends
  bool about_centre = false;  ///< levers are measured from the place, not from the axis
  double turned_hi = 0;       ///< what the axis is off by, radians
  double moved_hi = 0;        ///< what place and centres are off by, metres
  JointStep step;
  std::size_t begin = 0, end = 0;
};

/// Balls around bodies, sums along the chain from each body up to the joint in hand, and where the
/// bounds go that hold in the frame before that joint.
struct BodyRows {
  const double *x[2], *y[2], *z[2];  ///< in the poses of both ends
  const double* radius;
  double *second, *moved, *off, *tube;
  double *bulge_out, *moved_out, *tube_out;
};

/// Takes the sums of the bodies behind a joint from behind it to before it.
void carry_excursions(const JointRow& joint, const BodyRows& rows) noexcept;
void carry_excursions_plain(const JointRow& joint, const BodyRows& rows) noexcept;

/// Boxes as rows, padded to whole blocks by repeating the last.
class BoxRows {
 public:
  explicit BoxRows(const std::vector<Box>& boxes);

  std::size_t count = 0;
  AlignedVector lo[3], hi[3];
};

/// Boxes that are not shown to be farther than `enough` from a ball whose centre goes straight from
/// c_0 to c_1, by ball_and_box_lo, ascending, go to `near`. Returns the least bound of the others.
double list_near_boxes(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi, double enough,
                       std::vector<int>& near);
/// Boxes that are not proved to be farther than `enough` from that ball, ascending: the same check
/// squared, without roots and quotients. What cannot be computed (infinite or no numbers, squares
/// that underflow or overflow) is listed. Near the limit it may list more than list_near_boxes.
void list_boxes_within(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi, double enough,
                       std::vector<int>& near);
void list_boxes_within_plain(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi,
                             double enough, std::vector<int>& near);
double list_near_boxes_plain(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi,
                             double enough, std::vector<int>& near);

/// At most the distance of a ball, whose centre goes straight from c_0 to c_1, from a box: along
/// the line from the middle of the way to the box, which is `n`; minus infinity if the middle is
/// inside.
double ball_and_box_lo(Vec3 c_0, Vec3 c_1, double radius_hi, const Box& box, Vec3& n) noexcept;

}  // namespace keepclear
