// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds that are derived for so many roundings and no more: sums along the longest chain that is
// read, in 113 bits, and times of places on paths, by exact rationals.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "certify/motion_lanes.hpp"
#include "motion/path_data.hpp"
#include "oracle/quad.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using oracle::Quad;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  double any_size() {
    return std::exp(between(std::log(1e-9), std::log(10.0))) * (random_() % 4 == 0 ? 0 : 1);
  }

 private:
  std::mt19937_64 random_;
};

/// The sums of one body along a chain, without any rounding that counts.
struct ExactSums {
  Quad second = 0, moved = 0, off = 0, tube = 0;

  void carry(const JointRow& joint, const oracle::QVec centre[2], Quad radius) {
    const auto size = [](Quad x) { return x < 0 ? -x : x; };
    Quad length = 0, span = 0;
    for (int end = 0; end < 2; ++end) {
      const oracle::QVec arm = centre[end] - oracle::widen<Quad>(joint.place[end]);
      length = std::max(length, norm(cross(oracle::widen<Quad>(joint.axis[end]), arm)));
      span = std::max(span, size(arm.x) + size(arm.y) + size(arm.z));
    }
    const Quad lever = length + Quad(joint.turned_hi) * span + Quad(joint.moved_hi) + radius +
                       moved / 2 + off + tube;
    const JointStep& step = joint.step;
    second += Quad(step.turn) * (Quad(step.turn) * lever + 2 * moved);
    moved += Quad(step.turn) * lever + Quad(step.slide);
    off += Quad(step.turn_off) * lever + Quad(step.slide_off);
    tube += Quad(step.turn_tube) * lever + Quad(step.slide_tube);
  }
};

TEST(ChainSums, AreNeverBelowThoseIn113BitsOnTheLongestChain) {
  constexpr std::size_t kBodies = 5;
  double loosest = 0;
  for (int round = 0; round < 30; ++round) {
    Draw draw(static_cast<std::uint64_t>(round));
    std::vector<double> v[14];
    for (auto& row : v) row.assign(kBodies, 0.0);
    for (std::size_t b = 0; b < kBodies; ++b) {
      for (int k = 0; k < 6; ++k) v[k][b] = draw.between(-2, 2);
      v[6][b] = draw.any_size();
    }
    const BodyRows rows{{v[0].data(), v[1].data()},
                        {v[2].data(), v[3].data()},
                        {v[4].data(), v[5].data()},
                        v[6].data(),
                        v[7].data(),
                        v[8].data(),
                        v[9].data(),
                        v[10].data(),
                        v[11].data(),
                        v[12].data(),
                        v[13].data()};
    ExactSums exact[kBodies];
    // Small steps: sums of a thousand of them neither vanish nor grow beyond all sizes.
    const double size = round % 3 == 0 ? 1e-3 : 1e-5;
    for (int k = 0; k < kMaxChain; ++k) {
      JointRow joint;
      for (int end = 0; end < 2; ++end) {
        Vec3 axis{draw.between(-1, 1), draw.between(-1, 1), draw.between(0.1, 1)};
        joint.axis[end] = (1 / norm(axis)) * axis;
        joint.place[end] = {draw.between(-2, 2), draw.between(-2, 2), draw.between(-2, 2)};
      }
      joint.turned_hi = 1e-14, joint.moved_hi = 1e-13;
      for (double* part : {&joint.step.turn, &joint.step.slide, &joint.step.turn_off,
                           &joint.step.slide_off, &joint.step.turn_tube, &joint.step.slide_tube}) {
        *part = size * draw.any_size();
      }
      joint.begin = 0, joint.end = kBodies;
      if (round % 2 == 0) {
        carry_excursions(joint, rows);
      } else {
        carry_excursions_plain(joint, rows);
      }
      for (std::size_t b = 0; b < kBodies; ++b) {
        const oracle::QVec centre[2] = {{v[0][b], v[2][b], v[4][b]}, {v[1][b], v[3][b], v[5][b]}};
        exact[b].carry(joint, centre, v[6][b]);
        const auto judge = [&](double bound, Quad real) {
          ASSERT_GE(Quad(bound), real) << k;
          if (real > 0) loosest = std::max(loosest, static_cast<double>(bound / real) - 1);
        };
        judge(v[11][b], exact[b].second / 8 + exact[b].off);
        judge(v[12][b], exact[b].moved + 2 * exact[b].off);
        judge(v[13][b], exact[b].tube);
      }
    }
  }
  // Nor far above: a lever takes the bound of what is behind it once for each joint.
  EXPECT_LT(loosest, 1e-8);
}

TEST(ClockTimes, AreOffByNoMoreThanIsTaken) {
  Draw draw(7);
  int rounded = 0;
  for (int round = 0; round < 20'000; ++round) {
    const double size = std::pow(10, draw.between(-12, 15));
    double begin = size * draw.between(-1, 1), end = size * draw.between(-1, 1);
    if (!(begin < end)) std::swap(begin, end);
    if (begin == end) continue;
    const double times[] = {begin, end}, rows[] = {0, 1};
    const Path path = straight_path(times, rows);
    const double place = round % 5 == 0 ? std::pow(10, draw.between(-300, 0)) : draw.between(0, 1);
    const mpq_class real =
        mpq_class(begin) + mpq_class(place) * (mpq_class(end) - mpq_class(begin));
    const mpq_class off = abs(mpq_class(time_of_place(path.data(), place)) - real);
    const double most = std::max(std::fabs(begin), std::fabs(end));
    ASSERT_LE(off, mpq_class(rounding::gamma(8)) * mpq_class(most)) << begin << ' ' << end;
    rounded += off > 0;
  }
  EXPECT_GT(rounded, 10'000);
}

}  // namespace
}  // namespace keepclear
