// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/motion_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "certify/motion_lanes.hpp"
#include "distance/separation.hpp"
#include "rounding/infinity.hpp"
#include "rounding/rounding.hpp"

#ifndef KEEPCLEAR_MOTION_LANES_ONCE
#define KEEPCLEAR_MOTION_LANES_ONCE
namespace keepclear {

/// Squared lengths of a direction between which a square says what a length would.
constexpr double kLeastSquare = 1e-100, kMostSquare = 1e100;

/// At least what must lie between ball and box, and what the gap is off by but for the size of the
/// box. Never below 1e-90: its square times kLeastSquare does not underflow.
inline double fixed_need_hi(double centre_size, double radius_hi, double enough) {
  return rounding::inflate(enough + radius_hi + rounding::gamma(16) * centre_size + 1e-90, 6);
}

}  // namespace keepclear
#endif  // KEEPCLEAR_MOTION_LANES_ONCE

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

/// The places at + i, below count, of the lanes i that are set.
HWY_INLINE void list_lanes(hn::Mask<D> set, std::size_t at, std::size_t count,
                           std::vector<int>& out) {
  std::uint8_t packed[8] = {};
  hn::StoreMaskBits(D(), set, packed);
  for (unsigned left = packed[0]; left != 0; left &= left - 1) {
    const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(left));
    if (i < count) out.push_back(static_cast<int>(i));
  }
}

}  // namespace

void run_carry(const JointRow& joint, const BodyRows& rows) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const auto set = [&](double v) HWY_ATTR { return hn::Set(d, v); };
  const V one_up = set(1 + 66 * rounding::kU), tiny = set(0x1p-1000 + 0x1p-500);
  const V chain_up = set(1 + kChainRounding), chain_tiny = set(1e-200);
  const V zero = hn::Zero(d);
  for (std::size_t at = joint.begin; at < joint.end; at += lanes) {
    const std::size_t left = std::min(lanes, joint.end - at);
    const auto m = hn::FirstN(d, left);
    const auto load = [&](const double* p) HWY_ATTR { return hn::MaskedLoad(m, d, p + at); };
    V reach2 = zero, span = zero;
    for (int end = 0; end < 2; ++end) {
      const V ax = hn::Sub(load(rows.x[end]), set(joint.place[end].x));
      const V ay = hn::Sub(load(rows.y[end]), set(joint.place[end].y));
      const V az = hn::Sub(load(rows.z[end]), set(joint.place[end].z));
      V cx = ax, cy = ay, cz = az;
      if (!joint.about_centre) {
        const V nx = set(joint.axis[end].x), ny = set(joint.axis[end].y),
                nz = set(joint.axis[end].z);
        cx = hn::Sub(hn::Mul(ny, az), hn::Mul(nz, ay));
        cy = hn::Sub(hn::Mul(nz, ax), hn::Mul(nx, az));
        cz = hn::Sub(hn::Mul(nx, ay), hn::Mul(ny, ax));
      }
      reach2 = hn::Max(reach2, hn::Add(hn::Add(hn::Mul(cx, cx), hn::Mul(cy, cy)), hn::Mul(cz, cz)));
      span = hn::Max(span, hn::Add(hn::Add(hn::Abs(ax), hn::Abs(ay)), hn::Abs(az)));
    }
    const V length = hn::Sqrt(reach2);
    const V wrong = hn::Add(hn::Mul(set(joint.turned_hi), span), set(joint.moved_hi));
    V second = load(rows.second), moved = load(rows.moved), off = load(rows.off),
      tube = load(rows.tube);
    const V behind = hn::Add(hn::Add(hn::Mul(set(0.5), moved), off), tube);
    const V here = hn::Add(hn::Add(length, wrong), load(rows.radius));
    const V lever = hn::Add(hn::Add(hn::Mul(here, one_up), tiny),
                            hn::Add(hn::Mul(behind, chain_up), chain_tiny));
    const auto times = [&](double by) HWY_ATTR { return by > 0 ? hn::Mul(set(by), lever) : zero; };
    const V by_turn = times(joint.step.turn);
    if (joint.step.turn > 0) {
      second =
          hn::Add(second, hn::Mul(set(joint.step.turn), hn::Add(by_turn, hn::Add(moved, moved))));
    }
    moved = hn::Add(hn::Add(moved, by_turn), set(joint.step.slide));
    off = hn::Add(hn::Add(off, times(joint.step.turn_off)), set(joint.step.slide_off));
    tube = hn::Add(hn::Add(tube, times(joint.step.turn_tube)), set(joint.step.slide_tube));
    const auto store = [&](V v, double* p) HWY_ATTR { hn::BlendedStore(v, m, d, p + at); };
    store(second, rows.second), store(moved, rows.moved);
    store(off, rows.off), store(tube, rows.tube);
    const auto sum = [&](V v) HWY_ATTR { return hn::Add(hn::Mul(v, chain_up), chain_tiny); };
    store(sum(hn::Add(hn::Mul(set(0.125), second), off)), rows.bulge_out);
    store(sum(hn::Add(moved, hn::Add(off, off))), rows.moved_out);
    store(sum(tube), rows.tube_out);
  }
}

/// Those not shown to be beyond `enough`; without saying how far the others are, which would need
/// roots and quotients. Derived in docs/theory/certify.md, "Squared".
void run_boxes_within(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi, double enough,
                      std::vector<int>& near) {
  using rounding::kU;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const auto set = [&](double v) HWY_ATTR { return hn::Set(d, v); };
  const Vec3 middle = 0.5 * (c_0 + c_1);
  const double centre_size = rounding::span_hi(c_0) + rounding::span_hi(c_1);
  const V fixed = set(fixed_need_hi(centre_size, radius_hi, enough));
  const V per_size = set(rounding::gamma(20));
  const V x_0 = set(c_0.x), y_0 = set(c_0.y), z_0 = set(c_0.z);
  const V x_1 = set(c_1.x), y_1 = set(c_1.y), z_1 = set(c_1.z);
  const V mx = set(middle.x), my = set(middle.y), mz = set(middle.z);
  for (std::size_t at = 0; at < boxes.count; at += lanes) {
    const auto nearest = [&](int k, V m) HWY_ATTR {
      return hn::Min(hn::Max(m, hn::Load(d, boxes.lo[k].data() + at)),
                     hn::Load(d, boxes.hi[k].data() + at));
    };
    const V bx = nearest(0, mx), by = nearest(1, my), bz = nearest(2, mz);
    const V nx = hn::Sub(bx, mx), ny = hn::Sub(by, my), nz = hn::Sub(bz, mz);
    const auto along = [&](V x, V y, V z) HWY_ATTR {
      return hn::Add(hn::Add(hn::Mul(nx, x), hn::Mul(ny, y)), hn::Mul(nz, z));
    };
    const V gap = hn::Sub(along(bx, by, bz), hn::Max(along(x_0, y_0, z_0), along(x_1, y_1, z_1)));
    const V square = along(nx, ny, nz);
    const V size = hn::Add(hn::Add(hn::Add(hn::Abs(bx), hn::Abs(by)), hn::Abs(bz)),
                           hn::Add(hn::Add(hn::Abs(nx), hn::Abs(ny)), hn::Abs(nz)));
    const V need = hn::Add(fixed, hn::Mul(per_size, size));
    // The separation check, squared: the gap along n beyond |n| times what is needed.
    const V needed = hn::Mul(hn::Mul(need, need), hn::Mul(square, set(1 + 64 * kU)));
    const auto beyond =
        hn::And(hn::And(hn::Gt(gap, hn::Zero(d)), hn::Gt(hn::Mul(gap, gap), needed)),
                hn::And(hn::Gt(square, set(kLeastSquare)), hn::Lt(square, set(kMostSquare))));
    if (!hn::AllTrue(d, beyond)) list_lanes(hn::Not(beyond), at, boxes.count, near);
  }
}

double run_near_boxes(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi, double enough,
                      std::vector<int>& near) {
  using rounding::kU;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const auto set = [&](double v) HWY_ATTR { return hn::Set(d, v); };
  const Vec3 middle = 0.5 * (c_0 + c_1);
  const V infinite = set(std::numeric_limits<double>::infinity());
  const V centre_size = set(rounding::span_hi(c_0) + rounding::span_hi(c_1));
  const V up = set(1 + 6 * kU), eta = set(0x1p-1000);
  V least = infinite;
  const double c0[3] = {c_0.x, c_0.y, c_0.z}, c1[3] = {c_1.x, c_1.y, c_1.z},
               mid[3] = {middle.x, middle.y, middle.z};
  for (std::size_t at = 0; at < boxes.count; at += lanes) {
    V along_0 = hn::Zero(d), along_1 = along_0, along_b = along_0, square = along_0;
    V span = along_0, way = along_0;
    for (int k = 0; k < 3; ++k) {
      const V lo = hn::Load(d, boxes.lo[k].data() + at), hi = hn::Load(d, boxes.hi[k].data() + at);
      const V m = set(mid[k]);
      const V nearest = hn::Min(hn::Max(m, lo), hi);
      const V n = hn::Sub(nearest, m);
      along_0 = hn::Add(along_0, hn::Mul(n, set(c0[k])));
      along_1 = hn::Add(along_1, hn::Mul(n, set(c1[k])));
      along_b = hn::Add(along_b, hn::Mul(n, nearest));
      square = hn::Add(square, hn::Mul(n, n));
      span = hn::Add(span, hn::Abs(nearest));
      way = hn::Add(way, hn::Abs(n));
    }
    const V gap = hn::Sub(along_b, hn::Max(along_0, along_1));
    const V size = hn::Add(hn::Add(centre_size, hn::Add(hn::Mul(span, up), eta)),
                           hn::Add(hn::Mul(way, up), eta));
    const V length = hn::Sqrt(square);
    // The separation check: hull_distance_lo and body_distance_lo, operation by operation.
    const V along = hn::Div(gap, length);
    const V error = hn::Add(hn::Mul(set(rounding::gamma(16)), size), set(1e-150));
    const V hull = hn::Sub(along, hn::Add(error, hn::Mul(set(16 * kU), hn::Abs(along))));
    const V radii = set(radius_hi);
    const V lower =
        hn::Sub(hn::Sub(hull, radii), hn::Mul(set(8 * kU), hn::Add(hn::Abs(hull), radii)));
    const auto tells = hn::And(hn::Gt(length, set(1e-100)), hn::Lt(length, set(1e100)));
    const auto beyond = hn::And(tells, hn::Gt(lower, set(enough)));
    least = hn::Min(least, hn::IfThenElse(beyond, lower, infinite));
    if (!hn::AllTrue(d, beyond)) list_lanes(hn::Not(beyond), at, boxes.count, near);
  }
  return hn::GetLane(hn::MinOfLanes(d, least));
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {

HWY_EXPORT(run_carry);
HWY_EXPORT(run_near_boxes);
HWY_EXPORT(run_boxes_within);

void carry_excursions(const JointRow& joint, const BodyRows& rows) noexcept {
  HWY_DYNAMIC_DISPATCH(run_carry)(joint, rows);
}

void carry_excursions_plain(const JointRow& joint, const BodyRows& rows) noexcept {
  const auto sum_hi = [](double x) { return x * (1 + kChainRounding) + 1e-200; };
  const JointStep& step = joint.step;
  for (std::size_t b = joint.begin; b < joint.end; ++b) {
    double length = 0, span = 0;
    for (int end = 0; end < 2; ++end) {
      const Vec3 arm = Vec3{rows.x[end][b], rows.y[end][b], rows.z[end][b]} - joint.place[end];
      length = std::max(length, norm(joint.about_centre ? arm : cross(joint.axis[end], arm)));
      span = std::max(span, std::fabs(arm.x) + std::fabs(arm.y) + std::fabs(arm.z));
    }
    const double wrong = joint.turned_hi * span + joint.moved_hi;
    // What is behind the joint may come farther from its axis than at the nearer of both ends, by
    // no more than half of what it moves there, and what it is off the way between.
    const double lever = rounding::inflate(length + wrong + rows.radius[b], 32) + 0x1p-500 +
                         sum_hi(0.5 * rows.moved[b] + rows.off[b] + rows.tube[b]);
    const auto times = [&](double by) { return by > 0 ? by * lever : 0; };
    if (step.turn > 0) {
      rows.second[b] += step.turn * (times(step.turn) + 2 * rows.moved[b]);
    }
    rows.moved[b] = rows.moved[b] + times(step.turn) + step.slide;
    rows.off[b] = rows.off[b] + times(step.turn_off) + step.slide_off;
    rows.tube[b] = rows.tube[b] + times(step.turn_tube) + step.slide_tube;
    rows.bulge_out[b] = sum_hi(0.125 * rows.second[b] + rows.off[b]);
    rows.moved_out[b] = sum_hi(rows.moved[b] + 2 * rows.off[b]);
    rows.tube_out[b] = sum_hi(rows.tube[b]);
  }
}

BoxRows::BoxRows(const std::vector<Box>& boxes) : count(boxes.size()) {
  constexpr std::size_t kPadding = 8;
  const std::size_t padded = (count + kPadding - 1) / kPadding * kPadding;
  for (int k = 0; k < 3; ++k) lo[k].resize(padded), hi[k].resize(padded);
  for (std::size_t i = 0; i < padded; ++i) {
    Box box = boxes[std::min(i, count - 1)];
    // What is no box, or holds no numbers, may be anywhere.
    if (!(box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z)) {
      box = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    }
    lo[0][i] = box.lo.x, lo[1][i] = box.lo.y, lo[2][i] = box.lo.z;
    hi[0][i] = box.hi.x, hi[1][i] = box.hi.y, hi[2][i] = box.hi.z;
  }
}

double list_near_boxes(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi, double enough,
                       std::vector<int>& near) {
  return HWY_DYNAMIC_DISPATCH(run_near_boxes)(boxes, c_0, c_1, radius_hi, enough, near);
}

void list_boxes_within(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi, double enough,
                       std::vector<int>& near) {
  HWY_DYNAMIC_DISPATCH(run_boxes_within)(boxes, c_0, c_1, radius_hi, enough, near);
}

double list_near_boxes_plain(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi,
                             double enough, std::vector<int>& near) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < boxes.count; ++i) {
    const Box box{{boxes.lo[0][i], boxes.lo[1][i], boxes.lo[2][i]},
                  {boxes.hi[0][i], boxes.hi[1][i], boxes.hi[2][i]}};
    Vec3 n;
    const double lower = ball_and_box_lo(c_0, c_1, radius_hi, box, n);
    if (lower > enough) {
      least = std::min(least, lower);
    } else {
      near.push_back(static_cast<int>(i));
    }
  }
  return least;
}

void list_boxes_within_plain(const BoxRows& boxes, Vec3 c_0, Vec3 c_1, double radius_hi,
                             double enough, std::vector<int>& near) {
  // As the lanes have it: the second number where one is none.
  const auto less = [](double a, double b) { return a < b ? a : b; };
  const auto more = [](double a, double b) { return a > b ? a : b; };
  const Vec3 middle = 0.5 * (c_0 + c_1);
  const double fixed =
      fixed_need_hi(rounding::span_hi(c_0) + rounding::span_hi(c_1), radius_hi, enough);
  for (std::size_t i = 0; i < boxes.count; ++i) {
    const Vec3 nearest{less(more(middle.x, boxes.lo[0][i]), boxes.hi[0][i]),
                       less(more(middle.y, boxes.lo[1][i]), boxes.hi[1][i]),
                       less(more(middle.z, boxes.lo[2][i]), boxes.hi[2][i])};
    const Vec3 n = nearest - middle;
    const double gap = dot(n, nearest) - more(dot(n, c_0), dot(n, c_1));
    const double square = dot(n, n);
    const double size = ((std::fabs(nearest.x) + std::fabs(nearest.y)) + std::fabs(nearest.z)) +
                        ((std::fabs(n.x) + std::fabs(n.y)) + std::fabs(n.z));
    const double need = fixed + rounding::gamma(20) * size;
    const double needed = (need * need) * (square * (1 + 64 * rounding::kU));
    const bool beyond =
        gap > 0 && gap * gap > needed && square > kLeastSquare && square < kMostSquare;
    if (!beyond) near.push_back(static_cast<int>(i));
  }
}

double ball_and_box_lo(Vec3 c_0, Vec3 c_1, double radius_hi, const Box& box, Vec3& n) noexcept {
  const Vec3 middle = 0.5 * (c_0 + c_1);
  const Vec3 nearest{std::min(std::max(middle.x, box.lo.x), box.hi.x),
                     std::min(std::max(middle.y, box.lo.y), box.hi.y),
                     std::min(std::max(middle.z, box.lo.z), box.hi.z)};
  // Where n is not zero, the nearest point is on the side of the box that it points to: no point of
  // the box has a lesser n.y.
  n = nearest - middle;
  const double gap = dot(n, nearest) - std::max(dot(n, c_0), dot(n, c_1));
  const double size = rounding::span_hi(c_0) + rounding::span_hi(c_1) + rounding::span_hi(nearest) +
                      rounding::span_hi(n);
  const double error = rounding::gamma(16) * size + 1e-150;
  return body_distance_lo(radius_hi, 0, hull_distance_lo(error, gap, norm(n)));
}

}  // namespace keepclear
#endif  // HWY_ONCE
