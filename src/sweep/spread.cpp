// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/spread.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distance/separation.hpp"
#include "distance/support-inl.hpp"
#include "sweep/cover.hpp"
#include "sweep/spread.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace {

// Sums are kept in four places whatever the width of the machine's lanes, and nothing is fused: the
// same bits everywhere.
constexpr int kLanes = 4;
constexpr int kMaxCrossed = kMaxSpreadMotions * (kMaxSpreadMotions - 1) / 2;

/// x -> a.x - b for many (a, b), in lanes.
template <int kMost>
struct Planes {
  static constexpr int kRoom = (kMost + kLanes - 1) / kLanes * kLanes;
  alignas(64) double ax[kRoom], ay[kRoom], az[kRoom], b[kRoom];
  int count = 0;

  HWY_INLINE void add(Vec3 a, double offset) {
    ax[count] = a.x, ay[count] = a.y, az[count] = a.z, b[count] = offset;
    ++count;
  }
  /// Up to whole lanes, with planes that are zero everywhere.
  HWY_INLINE void fill() {
    while (count % kLanes != 0) add({}, 0);
  }
};

/// Sum of |a.x - b|, or of its positive part.
template <bool kPositivePart, int kMost>
HWY_INLINE double sum_of(const Planes<kMost>& planes, double x, double y, double z) {
  double sum[kLanes] = {0, 0, 0, 0};
  for (int i = 0; i < planes.count; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      const double g =
          planes.ax[i + l] * x + planes.ay[i + l] * y + planes.az[i + l] * z - planes.b[i + l];
      sum[l] += kPositivePart ? (g > 0 ? g : 0.0) : std::fabs(g);
    }
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

struct Far {
  double value = -std::numeric_limits<double>::infinity();
  Vec3 point;  ///< extreme to first order
};

/// The few points that are farthest along a direction, and how far all others are at most.
struct Outermost {
  double value[kOutermost];
  std::uint32_t point[kOutermost];
  int count = 0;
  double others = -std::numeric_limits<double>::infinity();

  HWY_INLINE void choose(const SpreadSide& side, Vec3 n) {
    for (std::size_t i = 0; i < side.count; ++i) {
      const double far = n.x * side.x[i] + n.y * side.y[i] + n.z * side.z[i];
      if (count == kOutermost && !(far > value[kOutermost - 1])) {
        others = far > others ? far : others;
        continue;
      }
      if (count == kOutermost) {
        const double least = value[--count];
        others = least > others ? least : others;
      }
      int at = count++;
      for (; at > 0 && value[at - 1] < far; --at) {
        value[at] = value[at - 1], point[at] = point[at - 1];
      }
      value[at] = far, point[at] = static_cast<std::uint32_t>(i);
    }
  }
};

/// At least the support of a side along n, rounding and rests left aside.
template <bool kSecond>
HWY_INLINE Far farthest(const SpreadSide& side, Vec3 n) {
  const int k_end = static_cast<int>(
      std::min<std::size_t>(side.motions.size(), static_cast<std::size_t>(kMaxSpreadMotions)));
  Planes<kMaxSpreadMotions> first, bent;
  Planes<kSecond ? kMaxCrossed : 1> crossed;
  Vec3 turned[kMaxSpreadMotions];
  double constant = 0;
  int slot_of[kMaxSpreadMotions];
  for (int k = 0; k < k_end; ++k) {
    const SpreadMotion& motion = side.motions[k];
    const double h = motion.half_hi;
    turned[k] = {};
    slot_of[k] = -1;
    if (motion.kind == SpreadMotion::Kind::any_turn) continue;
    const bool turns = motion.kind == SpreadMotion::Kind::turn;
    Vec3 a;
    double b;
    if (turns) {
      const Vec3 m = cross(n, motion.z);
      a = (motion.sign * h) * m;
      b = dot(a, motion.p);
      turned[k] = h * m;
      if (kSecond) {
        const Vec3 bend = (0.5 * h) * cross(turned[k], motion.z);
        bent.add(bend, dot(bend, motion.p));
      }
    } else {
      b = -(motion.sign * h) * dot(n, motion.z);
    }
    // Motions of one number go together: their planes add up.
    for (int j = 0; motion.shared && j < k; ++j) {
      if (slot_of[j] >= 0 && side.motions[j].number == motion.number) slot_of[k] = slot_of[j];
    }
    if (slot_of[k] < 0) {
      slot_of[k] = first.count;
      first.add(a, b);
    } else {
      const int s = slot_of[k];
      first.ax[s] += a.x, first.ay[s] += a.y, first.az[s] += a.z, first.b[s] += b;
    }
    if (!kSecond) continue;
    for (int j = 0; j < k; ++j) {
      if (side.motions[j].kind != SpreadMotion::Kind::turn) continue;
      if (turns) {
        const Vec3 c = h * cross(turned[j], motion.z);
        crossed.add(c, dot(c, motion.p));
      } else {
        constant += h * std::fabs(dot(turned[j], motion.z));
      }
    }
  }
  first.fill(), bent.fill(), crossed.fill();
  Far best;
  Vec3 x;
  const auto consider = [&](Vec3 p) HWY_ATTR {
    double value = n.x * p.x + n.y * p.y + n.z * p.z;
    value += sum_of<false>(first, p.x, p.y, p.z);
    if (kSecond) value += sum_of<true>(bent, p.x, p.y, p.z) + sum_of<false>(crossed, p.x, p.y, p.z);
    if (value > best.value) best.value = value, x = p;
  };
  double others = -std::numeric_limits<double>::infinity();
  if (!side.in_frame) {
    for (std::size_t i = 0; i < side.count; ++i) consider({side.x[i], side.y[i], side.z[i]});
  } else {
    // The farthest as they stand; motions carry no other point beyond the most that they can.
    Outermost outermost;
    outermost.choose(side, transposed_times(side.X.R, n));
    for (int i = 0; i < outermost.count; ++i) {
      const std::uint32_t p = outermost.point[i];
      consider(side.X * Vec3{side.x[p], side.y[p], side.z[p]});
    }
    others = outermost.others + dot(n, side.X.p) + side.most_hi;
  }
  best.value += constant;
  if (others > best.value) best.value = others;
  best.point = x;
  for (int k = 0; k < k_end; ++k) {
    const SpreadMotion& motion = side.motions[k];
    if (slot_of[k] < 0) continue;
    const int s = slot_of[k];
    const double g = first.ax[s] * x.x + first.ay[s] * x.y + first.az[s] * x.z - first.b[s];
    const double way = (g < 0 ? -motion.sign : motion.sign) * motion.half_hi;
    const bool turns = motion.kind == SpreadMotion::Kind::turn;
    best.point = best.point + way * (turns ? cross(motion.z, x - motion.p) : motion.z);
  }
  return best;
}

/// The same of a body with tables: the extreme point as it stands in the middle, and the motions of
/// the ball. Their planes are not summed up for joints of one number.
HWY_INLINE Far farthest_by_table(const SpreadSide& side, Vec3 n) {
  const Extreme found = support(*side.tables, transposed_times(side.X.R, n));
  Far far{found.value + dot(n, side.X.p), side.X * found.point};
  const std::size_t k_end = std::min<std::size_t>(side.motions.size(), kMaxSpreadMotions);
  for (std::size_t k = 0; k < k_end; ++k) {
    const SpreadMotion& motion = side.motions[k];
    if (motion.kind == SpreadMotion::Kind::any_turn) continue;
    const double h = motion.half_hi;
    if (motion.kind == SpreadMotion::Kind::slide) {
      const double g = dot(n, motion.z);
      far.value += h * std::fabs(g);
      far.point = far.point + (g < 0 ? -h : h) * motion.z;
      continue;
    }
    const Vec3 m = cross(n, motion.z);
    const double g = dot(m, side.centre - motion.p);
    far.value += h * (std::fabs(g) + norm(m) * side.ball_hi);
    far.point = far.point + (g < 0 ? -h : h) * cross(motion.z, side.centre - motion.p);
  }
  return far;
}

template <bool kSecond>
HWY_INLINE SpreadLook look(const SpreadSide& a, const SpreadSide& b, Vec3 n) {
  const auto of = [](const SpreadSide& side, Vec3 along) HWY_ATTR {
    return side.tables != nullptr ? farthest_by_table(side, along) : farthest<kSecond>(side, along);
  };
  const Far in_a = of(a, n), in_b = of(b, -n);
  return {-in_a.value - in_b.value, in_a.point - in_b.point};
}

}  // namespace

SpreadLook run_look(const SpreadSide& a, const SpreadSide& b, Vec3 n, bool second) {
  return second ? look<true>(a, b, n) : look<false>(a, b, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the computed gap shows. Every term is a weight times a product a.(x - p) or n.x with |a| at
/// most one: it is off by no more than four times error_hi and the rounding of some forty
/// operations on numbers of size_hi; and the weights sum up to no more than (1 + sum)^2 a side.
double conclude(const SpreadSide& a, const SpreadSide& b, Vec3 n, double gap, bool second) {
  const auto error_of = [](const SpreadSide& s) {
    const double weights = (1 + s.sum_hi) * (1 + s.sum_hi);
    const double sums = gamma(64 + 2 * kMaxSpreadMotions * kMaxSpreadMotions);
    return inflate(weights * (4 * s.error_hi + (gamma(64) + sums) * s.size_hi), 12);
  };
  const double error_hi = inflate(error_of(a) + error_of(b), 1) + 1e-150;
  const double rest_hi = inflate(a.rest_hi(second) + b.rest_hi(second), 1);
  if (!(error_hi < 1e100 && rest_hi < 1e100 && std::fabs(gap) < 1e100)) return -kInfinity;
  // The rests are radii by which both sides are larger, for unit directions.
  const double hull_lo = hull_distance_lo(error_hi, gap, norm(n));
  return body_distance_lo(inflate(a.radius_hi + b.radius_hi, 1), rest_hi, hull_lo);
}

}  // namespace

HWY_EXPORT(run_look);

int motion_count(JointType type) noexcept {
  switch (type) {
    case JointType::planar:
      return 3;
    case JointType::floating:
      return 4;
    case JointType::fixed:
      return 0;
    default:
      return 1;
  }
}

void middle_of_box(const Kinematics& kinematics, std::span<const Interval> box,
                   std::span<double> middle, std::span<double> half_hi) noexcept {
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Middle m = middle_of(box[i]);
    middle[i] = m.value, half_hi[i] = m.half_hi;
  }
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    const Kinematics::Frame& frame = kinematics.frame(f);
    if (frame.type != JointType::floating) continue;
    double* m = middle.data() + frame.variable + 3;
    double* h = half_hi.data() + frame.variable + 3;
    double norm2 = 0, half2 = 0;
    for (int i = 0; i < 4; ++i) norm2 += m[i] * m[i], half2 += h[i] * h[i];
    const double length = std::sqrt(norm2);
    if (!(length > 0.25 && length < 4)) {
      // Nothing is known of the rotation.
      m[0] = m[1] = m[2] = 0, m[3] = 1;
      h[0] = kInfinity;
      continue;
    }
    for (int i = 0; i < 4; ++i) m[i] /= length;
    // A unit quaternion of the box is this far from the middle at most, and one of the two that
    // stand for a rotation is 2 sin(angle / 4) from the other's.
    const double apart = inflate(std::sqrt(half2) + std::fabs(length - 1), 16) + 0x1p-48;
    h[0] = apart < 1 ? inflate(4 * std::asin(0.5 * apart), 8) : 3.1415926535897936;
  }
}

int make_motions(const Kinematics& kinematics, int f, const Pose& X_OP, const Pose& X_OF,
                 std::span<const double> half_hi, SpreadMotion* motions) noexcept {
  using Kind = SpreadMotion::Kind;
  const Kinematics::Frame& frame = kinematics.frame(f);
  const int v = frame.variable;
  const Vec3 axis = X_OF.R * frame.joint.axis.a;
  double gain = 1;
  for (const auto& [multiplier, offset] : frame.mimic) gain *= multiplier;
  const double sign = gain < 0 ? -1 : 1;
  switch (frame.type) {
    case JointType::revolute:
    case JointType::continuous:
      motions[0] = {axis, X_OF.p, inflate(half_hi[v] * frame.joint.gain_hi, 1),
                    sign, v,      Kind::turn};
      return 1;
    case JointType::prismatic:
      motions[0] = {axis, X_OF.p, inflate(half_hi[v] * frame.joint.gain_hi, 1),
                    sign, v,      Kind::slide};
      return 1;
    case JointType::planar:
      for (int i = 0; i < 2; ++i) {
        motions[i] = {
            X_OP.R * frame.slide[i].direction(), X_OF.p, half_hi[v + i], 1, v + i, Kind::slide};
      }
      motions[2] = {axis, X_OF.p, half_hi[v + 2], 1, v + 2, Kind::turn};
      return 3;
    case JointType::floating: {
      const Mat3 R = transpose(X_OP.R * frame.X_PJ.X.R);
      const Vec3 axes[3] = {R.row0, R.row1, R.row2};
      for (int i = 0; i < 3; ++i) {
        motions[i] = {axes[i], X_OF.p, half_hi[v + i], 1, v + i, Kind::slide};
      }
      motions[3] = {axis, X_OF.p, half_hi[v + 3], 1, v + 3, Kind::any_turn};
      return 4;
    }
    case JointType::fixed:
      break;
  }
  return 0;
}

std::uint64_t table_look_flops(const SpreadSide& side, Vec3 n) noexcept {
  const BodyTables& tables = *side.tables;
  const std::uint32_t cell = tables.cells_per_edge == 0
                                 ? 0
                                 : cell_of(tables.cells_per_edge, transposed_times(side.X.R, n));
  const std::uint64_t blocks = tables.first_block[cell + 1] - tables.first_block[cell];
  return 100 + 6 * kBlock * blocks + 48 * side.motions.size();
}

double way_hi(const SpreadMotion& motion, Vec3 centre, double ball_hi) noexcept {
  if (motion.kind == SpreadMotion::Kind::slide) return motion.half_hi;
  const Vec3 arm = centre - motion.p;
  const double lever = norm(motion.kind == SpreadMotion::Kind::turn ? cross(motion.z, arm) : arm);
  return inflate(motion.half_hi * (lever + ball_hi), 16) + 0x1p-500;
}

void SpreadSide::finish() noexcept {
  // Widths of the turns before a motion; and of those, each times the ones before it and half its
  // own.
  double before = 0, pairs = 0, first = 0, second = 0, ways = 0;
  sum_hi = 0;
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const SpreadMotion& motion = motions[k];
    const bool turns = motion.kind != SpreadMotion::Kind::slide;
    const bool plain = motion.kind == SpreadMotion::Kind::turn;
    const double h = motion.half_hi;
    if (!plain && turns) {
      // Not looked at by direction at all, and so none of its products.
      first += way_hi[k], second += way_hi[k] * (1 + before);
    } else if (k >= static_cast<std::size_t>(kMaxSpreadMotions)) {
      first += way_hi[k], second += way_hi[k] * (1 + before);
    } else {
      second += way_hi[k] * (pairs + (plain ? 0.5 * h * before : 0.0));
    }
    first += way_hi[k] * (before + (plain ? 0.5 * h : 0.0));
    for (std::size_t j = 0; motion.shared && j < k; ++j) {
      // Joints of one number turn by its multiples, whose sines are no multiples.
      if (motions[j].number != motion.number) continue;
      for (const std::size_t i : {j, k}) {
        if (motions[i].kind != SpreadMotion::Kind::turn) continue;
        const double off = motions[i].half_hi * motions[i].half_hi / 6 * way_hi[i];
        first += off, second += off;
      }
    }
    if (turns) {
      // Of a turn about any axis the products are not looked at by direction.
      pairs += h * (before + (plain ? 0.5 * h : 1.0));
      before += h;
    }
    sum_hi += h;
    ways += way_hi[k];
  }
  // A term is rounded no more than a few times for each pair of motions, however long the chain.
  const auto size = static_cast<double>(motions.size() + 8);
  const auto grown = [&](double sum) {
    return inflate(sum * (1 + 8 * size * size * rounding::kU), 4);
  };
  most_hi = grown(ways + first);
  first_rest_hi = grown(first), second_rest_hi = grown(second);
  sum_hi = grown(sum_hi);
}

SpreadLook look_spread(const SpreadSide& a, const SpreadSide& b, Vec3 n, bool second) noexcept {
  SpreadLook look = HWY_DYNAMIC_DISPATCH(run_look)(a, b, n, second);
  look.lower = conclude(a, b, n, look.lower, second);
  return look;
}

namespace {

/// As the proof has it, one point and one product after the other.
double support_plain(const SpreadSide& side, Vec3 n, bool second) {
  if (side.tables != nullptr) {
    const Vec3 along = transposed_times(side.X.R, n);
    double value = dot(along, side.tables->point(support_scan(*side.tables, along)));
    value += dot(n, side.X.p);
    for (std::size_t k = 0; k < std::min<std::size_t>(side.motions.size(), kMaxSpreadMotions);
         ++k) {
      const SpreadMotion& motion = side.motions[k];
      const Vec3 arm = side.centre - motion.p;
      if (motion.kind == SpreadMotion::Kind::slide) {
        value += motion.half_hi * std::fabs(dot(n, motion.z));
      } else if (motion.kind == SpreadMotion::Kind::turn) {
        value += motion.half_hi * (std::fabs(dot(n, cross(motion.z, arm))) +
                                   norm(cross(n, motion.z)) * side.ball_hi);
      }
    }
    return value;
  }
  const std::size_t most = std::min<std::size_t>(side.motions.size(), kMaxSpreadMotions);
  double best = -kInfinity;
  for (std::size_t i = 0; i < side.count; ++i) {
    Vec3 x{side.x[i], side.y[i], side.z[i]};
    if (side.in_frame) x = side.X * x;
    double value = dot(n, x);
    for (std::size_t k = 0; k < most; ++k) {
      const SpreadMotion& motion = side.motions[k];
      if (motion.kind == SpreadMotion::Kind::any_turn) continue;
      const bool turns = motion.kind == SpreadMotion::Kind::turn;
      const Vec3 tangent = turns ? cross(motion.z, x - motion.p) : motion.z;
      double together = 0;
      bool is_first = true;
      for (std::size_t j = 0; j < most; ++j) {
        const SpreadMotion& other = side.motions[j];
        if (other.number != motion.number || other.kind == SpreadMotion::Kind::any_turn) continue;
        const bool other_turns = other.kind == SpreadMotion::Kind::turn;
        is_first = is_first && j >= k;
        together += other.sign * other.half_hi *
                    dot(n, other_turns ? cross(other.z, x - other.p) : other.z);
      }
      if (is_first) value += std::fabs(together);
      if (turns && second) {
        const double h = motion.half_hi;
        value += 0.5 * h * h * std::max(0.0, dot(n, cross(motion.z, tangent)));
      }
      for (std::size_t j = 0; j < k && second; ++j) {
        const SpreadMotion& outer = side.motions[j];
        if (outer.kind != SpreadMotion::Kind::turn) continue;
        value += outer.half_hi * motion.half_hi * std::fabs(dot(n, cross(outer.z, tangent)));
      }
    }
    best = std::max(best, value);
  }
  return best;
}

}  // namespace

double look_spread_plain(const SpreadSide& a, const SpreadSide& b, Vec3 n, bool second) noexcept {
  const double gap = -support_plain(a, n, second) - support_plain(b, -n, second);
  return conclude(a, b, n, gap, second);
}

}  // namespace keepclear
#endif  // HWY_ONCE
