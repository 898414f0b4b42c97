// SPDX-License-Identifier: BSD-3-Clause
//
// What is said of paths, against the curves that were asked for, in 113 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "motion/path_data.hpp"

namespace keepclear {
namespace {

using Quad = __float128;
using Random = std::mt19937_64;
using Numbers = std::vector<double>;
constexpr std::size_t kDof = 3;

double uniform(Random& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}
std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

/// The curve that was asked for: number k, or its first or second derivative, at a time.
using Asked = std::function<Quad(Quad time, std::size_t k, int order)>;
struct Case {
  Path path;
  Asked asked;
  double scale;
};

Quad derivative_of(std::vector<Quad> polynomial, Quad x, int order) {
  for (; order > 0; --order) {
    for (std::size_t i = 1; i < polynomial.size(); ++i) {
      polynomial[i - 1] = static_cast<Quad>(i) * polynomial[i];
    }
    polynomial.pop_back();
    if (polynomial.empty()) return 0;
  }
  Quad value = 0;
  for (std::size_t i = polynomial.size(); i > 0; --i) value = value * x + polynomial[i - 1];
  return value;
}

/// de Boor's algorithm; derivatives by control points that are differences.
Quad de_boor(int degree, std::vector<Quad> knots, std::vector<Quad> control, Quad x, int order) {
  for (; order > 0; --order, --degree) {
    if (degree == 0) return 0;
    for (std::size_t i = 0; i + 1 < control.size(); ++i) {
      const Quad width = knots[i + static_cast<std::size_t>(degree) + 1] - knots[i + 1];
      control[i] = width == 0 ? 0 : degree * (control[i + 1] - control[i]) / width;
    }
    control.pop_back();
    knots.erase(knots.begin());
    knots.pop_back();
  }
  const auto p = static_cast<std::size_t>(degree);
  std::size_t span = p;
  while (span + p + 2 < knots.size() && knots[span + 1] <= x) ++span;
  while (knots[span] == knots[span + 1]) --span;
  std::vector<Quad> d(control.begin() + static_cast<std::ptrdiff_t>(span - p),
                      control.begin() + static_cast<std::ptrdiff_t>(span + 1));
  for (std::size_t r = 1; r <= p; ++r) {
    for (std::size_t j = p; j >= r; --j) {
      const Quad low = knots[j + span - p], high = knots[j + 1 + span - r];
      const Quad share = (x - low) / (high - low);
      d[j] = d[j - 1] + share * (d[j] - d[j - 1]);
    }
  }
  return d[p];
}

/// Numbers of a row: the last stands still in every second case.
std::vector<double> rows(Random& random, std::size_t count, double scale, bool still) {
  std::vector<double> numbers;
  const double rest = uniform(random, -scale, scale);
  for (std::size_t i = 0; i < count * kDof; ++i) {
    const bool stays = still && i % kDof == kDof - 1;
    numbers.push_back(stays ? rest : uniform(random, -scale, scale));
  }
  return numbers;
}

std::vector<double> growing(Random& random, std::size_t count) {
  std::vector<double> times{uniform(random, -2, 2)};
  const double scale = std::pow(10, uniform(random, -4, 2));
  while (times.size() < count) times.push_back(times.back() + scale * uniform(random, 0.1, 1));
  return times;
}

double some_scale(Random& random) {
  constexpr double kScales[] = {1, 3, 20, 1e8, 1e-9};
  return kScales[below(random, std::size(kScales))];
}

/// Straight lines, cubics and quintics by the formulas of ROS's joint trajectory controller.
Case waypoints(Random& random, int degree) {
  const std::size_t count = 2 + below(random, 5);
  const double scale = some_scale(random);
  const bool still = below(random, 2) == 0;
  const auto times = growing(random, count);
  const auto p = rows(random, count, scale, still);
  const double span = times[1] - times[0];
  auto v = rows(random, count, 3 * scale / span, false);
  auto a = rows(random, count, 9 * scale / (span * span), false);
  for (std::size_t i = kDof - 1; still && i < p.size(); i += kDof) v[i] = a[i] = 0;
  const Asked asked = [=](Quad time, std::size_t k, int order) {
    std::size_t i = 0;
    while (i + 2 < count && time >= times[i + 1]) ++i;
    const Quad h = Quad(times[i + 1]) - times[i];
    const Quad p0 = p[i * kDof + k], p1 = p[(i + 1) * kDof + k];
    const Quad v0 = v[i * kDof + k], v1 = v[(i + 1) * kDof + k];
    const Quad a0 = a[i * kDof + k], a1 = a[(i + 1) * kDof + k];
    std::vector<Quad> c{p0, (p1 - p0) / h};
    if (degree == 3) {
      c = {p0, v0, (3 * (p1 - p0) / h - 2 * v0 - v1) / h, (v0 + v1 - 2 * (p1 - p0) / h) / (h * h)};
    } else if (degree == 5) {
      const Quad h2 = h * h, h3 = h2 * h;
      c = {p0,
           v0,
           a0 / 2,
           (-20 * p0 + 20 * p1 - 3 * a0 * h2 + a1 * h2 - 12 * v0 * h - 8 * v1 * h) / (2 * h3),
           (30 * p0 - 30 * p1 + 3 * a0 * h2 - 2 * a1 * h2 + 16 * v0 * h + 14 * v1 * h) /
               (2 * h3 * h),
           (-12 * p0 + 12 * p1 - a0 * h2 + a1 * h2 - 6 * v0 * h - 6 * v1 * h) / (2 * h3 * h2)};
    }
    return derivative_of(c, time - times[i], order);
  };
  const Path path = degree == 1   ? straight_path(times, p)
                    : degree == 3 ? cubic_path(times, p, v)
                                  : quintic_path(times, p, v, a);
  return {path, asked, scale};
}

Case spline(Random& random, bool bezier) {
  const double scale = some_scale(random);
  const std::size_t p = 1 + below(random, 6);
  const std::size_t points = bezier ? p + 1 : p + 1 + below(random, 6);
  std::vector<double> knots;
  if (bezier) {
    const auto times = growing(random, 2);
    knots.assign(p + 1, times[0]);
    knots.insert(knots.end(), p + 1, times[1]);
  } else {
    knots = growing(random, points + p + 1);
    // Clamped or not; some knots twice.
    if (below(random, 2) == 0) std::fill(knots.begin(), knots.begin() + p, knots[p]);
    if (p > 1 && points > p + 2) knots[p + 2] = knots[p + 1];
  }
  const auto control = rows(random, points, scale, below(random, 2) == 0);
  const Asked asked = [=](Quad time, std::size_t k, int order) {
    std::vector<Quad> mine;
    for (std::size_t i = 0; i < points; ++i) mine.push_back(control[i * kDof + k]);
    return de_boor(static_cast<int>(p), {knots.begin(), knots.end()}, mine, time, order);
  };
  const Path path = bezier ? bezier_path(kDof, control, knots.front(), knots.back())
                           : bspline_path(kDof, static_cast<int>(p), knots, control);
  return {path, asked, scale};
}

Case some_case(Random& random) {
  switch (below(random, 5)) {
    case 0:
      return waypoints(random, 1);
    case 1:
      return waypoints(random, 3);
    case 2:
      return waypoints(random, 5);
    case 3:
      return spline(random, true);
    default:
      return spline(random, false);
  }
}

/// Two places, at borders or within a piece, near or far from each other.
std::pair<double, double> some_places(Random& random, double end) {
  double a = uniform(random, 0, end), b = uniform(random, 0, end);
  switch (below(random, 5)) {
    case 0:
      a = 0, b = end;
      break;
    case 1:
      a = std::floor(a);
      break;
    case 2:
      b = std::min(end, a + 1e-9);
      break;
    case 3:
      b = std::ceil(a);
      break;
    default:
      break;
  }
  return std::minmax(a, b);
}

Quad time_at(const PathData& path, double place) {
  const auto i = static_cast<std::size_t>(std::min(std::floor(place), path.last_place() - 1));
  const PathPiece& piece = path.pieces[i];
  return piece.begin + (Quad(place) - i) * (Quad(piece.end) - piece.begin);
}

/// Whether all numbers are on the chord, to within `off`, at the same share of it.
bool on_chord(const Quad* p, const double* q_a, const double* q_b, const double* off) {
  Quad least = 0, most = 1;
  for (std::size_t k = 0; k < kDof; ++k) {
    const Quad step = Quad(q_b[k]) - q_a[k], from = p[k] - q_a[k] - off[k],
               to = p[k] - q_a[k] + off[k];
    if (step == 0) {
      if (from > 0 || to < 0) return false;
      continue;
    }
    least = std::max(least, step > 0 ? from / step : to / step);
    most = std::min(most, step > 0 ? to / step : from / step);
  }
  return least <= most;
}

TEST(PathOracle, PartsOfAllKindsOfPathsAreEnclosed) {
  Random random(1);
  int outside = 0, off_chord = 0, wide = 0;
  for (int round = 0; round < 3000; ++round) {
    const Case c = some_case(random);
    const PathData& data = c.path.data();
    const auto [a, b] = some_places(random, data.last_place());
    if (!(a < b)) continue;
    double q_a[kDof], q_b[kDof], off[kDof];
    Interval range[kDof];
    position_at(data, a, q_a);
    position_at(data, b, q_b);
    deviation_from_chord(data, a, b, q_a, q_b, off);
    range_between(data, a, b, range);
    for (int i = 0; i <= 24; ++i) {
      const double place = i == 24 ? b : std::min(b, a + (b - a) * i / 24);
      Quad p[kDof];
      for (std::size_t k = 0; k < kDof; ++k) {
        p[k] = c.asked(time_at(data, place), k, 0);
        // What 113 bits can be off by.
        const Quad slack = 1e-30 * c.scale;
        outside += p[k] < range[k].lower - slack || p[k] > range[k].upper + slack;
      }
      off_chord += !on_chord(p, q_a, q_b, off);
    }
    for (std::size_t k = 0; k < kDof; ++k) {
      // Not by enclosing everything: a short part is known closely.
      if (b - a <= 1e-9) wide += off[k] > 1e-12 * c.scale * 100;
      wide += range[k].upper - range[k].lower > 60 * c.scale;
    }
  }
  EXPECT_EQ(outside, 0);
  EXPECT_EQ(off_chord, 0);
  EXPECT_EQ(wide, 0);
}

TEST(PathOracle, RangesAndDerivativesByTimeAreEnclosed) {
  Random random(2);
  int outside[3] = {}, wide = 0;
  for (int round = 0; round < 3000; ++round) {
    const Case c = some_case(random);
    double from = uniform(random, c.path.begin(), c.path.end());
    double to = uniform(random, c.path.begin(), c.path.end());
    if (from > to) std::swap(from, to);
    if (below(random, 4) == 0) to = from;
    const JointBox boxes[] = {c.path.range(from, to), c.path.velocity(from, to),
                              c.path.acceleration(from, to)};
    for (int i = 0; i <= 16; ++i) {
      const Quad time = from + (Quad(to) - from) * i / 16;
      for (std::size_t k = 0; k < kDof; ++k) {
        for (int order = 0; order < 3; ++order) {
          const Quad value = c.asked(time, k, order);
          outside[order] += value < boxes[order][k].lower || value > boxes[order][k].upper;
        }
      }
    }
    if (from != to) continue;
    for (std::size_t k = 0; k < kDof; ++k) {
      wide += boxes[0][k].upper - boxes[0][k].lower > 1e-10 * c.scale;
    }
  }
  EXPECT_EQ(outside[0], 0);
  EXPECT_EQ(outside[1], 0);
  EXPECT_EQ(outside[2], 0);
  EXPECT_EQ(wide, 0);
}

TEST(PathOracle, ATubeByTimeIsAtLeastTheOneAskedForAndThePathStays) {
  Random random(3);
  int narrow = 0, outside = 0;
  for (int round = 0; round < 600; ++round) {
    const Case c = some_case(random);
    std::vector<double> times{c.path.begin() + uniform(random, -0.5, 0.5)};
    const double span = c.path.end() - c.path.begin();
    while (times.size() < 1 + static_cast<std::size_t>(round % 5)) {
      times.push_back(times.back() + span * uniform(random, 0.01, 0.5));
    }
    std::vector<double> widths = rows(random, times.size(), c.scale, round % 2 == 0);
    for (double& width : widths) width = std::fabs(width);
    const Path path = with_tube(c.path, times, widths);
    const PathData& data = path.data();
    double from = uniform(random, path.begin(), path.end());
    double to = round % 3 == 0 ? from : uniform(random, from, path.end());
    const std::vector<double> tube = path.tube(from, to);
    const JointBox range = path.range(from, to);
    const auto asked_width = [&](Quad time, std::size_t k) {
      std::size_t row = 0;
      while (row + 1 < times.size() && time >= times[row + 1]) ++row;
      const Quad w = widths[row * kDof + k];
      if (row + 1 == times.size() || time <= times[row]) return w;
      const Quad share = (time - times[row]) / (Quad(times[row + 1]) - times[row]);
      return w + share * (widths[(row + 1) * kDof + k] - w);
    };
    for (int i = 0; i <= 16; ++i) {
      const Quad time = from + (Quad(to) - from) * i / 16;
      for (std::size_t k = 0; k < kDof; ++k) {
        narrow += Quad(tube[k]) < asked_width(time, k);
        const Quad value = c.asked(time, k, 0);
        outside += value < range[k].lower || value > range[k].upper;
      }
    }
    for (std::size_t i = 0; i + 1 < data.pieces.size(); ++i) {
      const std::size_t row = data.pieces[i + 1].first;
      for (std::size_t k = 0; k < kDof; ++k) {
        const Quad off = data.control[row + k] - c.asked(data.pieces[i].end, k, 0);
        narrow += Quad(data.tube[(i + 1) * kDof + k]) < asked_width(data.pieces[i].end, k);
        outside += off > data.error[k] || -off > data.error[k];
      }
    }
    // At a time the tube is known closely: pieces are divided at its times.
    if (from == to) {
      for (std::size_t k = 0; k < kDof; ++k) EXPECT_LE(data.error[k], 1e-12 * c.scale);
    }
  }
  EXPECT_EQ(narrow, 0);
  EXPECT_EQ(outside, 0);
}

TEST(PathOracle, ATrapezoidStaysOnItsLineAndAllowsForItsRounding) {
  Random random(4);
  int off_chord = 0, wide = 0;
  for (int round = 0; round < 500; ++round) {
    const double scale = some_scale(random);
    const auto ends = rows(random, 2, scale, round % 2 == 0);
    const std::vector<double> speed{uniform(random, 0.1, 2) * scale, scale, scale};
    const std::vector<double> rise(kDof, uniform(random, 0.1, 20) * scale);
    const Path path =
        trapezoidal_path(std::span(ends).first(kDof), std::span(ends).last(kDof), speed, rise);
    const PathData& data = path.data();
    const auto [a, b] = some_places(random, data.last_place());
    if (!(a < b)) continue;
    double q_a[kDof], q_b[kDof], off[kDof];
    position_at(data, a, q_a);
    position_at(data, b, q_b);
    deviation_from_chord(data, a, b, q_a, q_b, off);
    for (std::size_t k = 0; k < kDof; ++k) wide += off[k] > 1e-13 * scale;
    const JointBox velocity = path.velocity(path.begin(), path.end());
    const JointBox acceleration = path.acceleration(path.begin(), path.end());
    double used = 0;
    for (std::size_t k = 0; k < kDof; ++k) {
      const double fastest = std::max(velocity[k].upper, -velocity[k].lower) / speed[k];
      const double strongest = std::max(acceleration[k].upper, -acceleration[k].lower) / rise[k];
      EXPECT_LE(fastest, 1 + 1e-9);
      EXPECT_LE(strongest, 1 + 1e-9);
      used = std::max({used, fastest, strongest});
    }
    EXPECT_GE(used, 1 - 1e-9);
    // Every point of the line at the shares of the stored curve, in more digits.
    for (int i = 0; i <= 8; ++i) {
      const double place = std::min(b, a + (b - a) * i / 8);
      const auto n = static_cast<std::size_t>(std::min(std::floor(place), data.last_place() - 1));
      const PathPiece& piece = data.pieces[n];
      const Quad u = Quad(place) - n;
      Quad p[kDof];
      for (std::size_t k = 0; k < kDof; ++k) {
        const double* x = data.control.data() + piece.first + k;
        const Quad first = x[0] + u * (Quad(x[kDof]) - x[0]);
        p[k] = first;
        if (piece.degree == 2) p[k] += u * (x[kDof] + u * (Quad(x[2 * kDof]) - x[kDof]) - first);
      }
      off_chord += !on_chord(p, q_a, q_b, off);
    }
  }
  EXPECT_EQ(off_chord, 0);
  EXPECT_EQ(wide, 0);
}

TEST(PathOracle, ControlPointsAreOffByTheErrorThatIsNoted) {
  Random random(6);
  int outside = 0, wide = 0;
  const auto check = [&](const PathData& data, std::size_t row, std::size_t k, Quad real) {
    const Quad off = data.control[row * kDof + k] - real;
    outside += off > data.error[k] || -off > data.error[k];
  };
  for (int round = 0; round < 300; ++round) {
    const auto times = growing(random, 2);
    const auto p = rows(random, 2, 1, false), v = rows(random, 2, 1, false),
               a = rows(random, 2, 1, false);
    const Quad h = Quad(times[1]) - times[0];
    const Path cubic = cubic_path(times, p, v), quintic = quintic_path(times, p, v, a);
    const Path move = trapezoidal_path(std::span(p).first(kDof), std::span(p).last(kDof),
                                       Numbers(kDof, 1), Numbers(kDof, 4));
    Quad fastest = 1e9, strongest = 1e9;
    for (std::size_t k = 0; k < kDof; ++k) {
      const Quad way = Quad(p[kDof + k]) - p[k];
      fastest = std::min(fastest, 1 / (way < 0 ? -way : way));
      strongest = std::min(strongest, 4 / (way < 0 ? -way : way));
    }
    const Quad share = std::min(fastest * fastest / (2 * strongest), Quad(0.5));
    for (std::size_t k = 0; k < kDof; ++k) {
      const std::size_t e = kDof + k;
      check(cubic.data(), 1, k, p[k] + h * v[k] / 3);
      check(cubic.data(), 2, k, p[e] - h * v[e] / 3);
      check(quintic.data(), 1, k, p[k] + h * v[k] / 5);
      check(quintic.data(), 2, k, p[k] + 2 * h * v[k] / 5 + h * h * a[k] / 20);
      check(quintic.data(), 3, k, p[e] - 2 * h * v[e] / 5 + h * h * a[e] / 20);
      check(quintic.data(), 4, k, p[e] - h * v[e] / 5);
      check(move.data(), 2, k, p[k] + share * (Quad(p[e]) - p[k]));
      wide += move.data().error[k] > 1e-14 || cubic.data().error[k] > 1e-12;
    }
  }
  EXPECT_EQ(outside, 0);
  EXPECT_EQ(wide, 0);
}

TEST(PathOracle, WhatIsOnTheChordButForRoundingIsAllowedFor) {
  Random random(7);
  int off_chord = 0, outside = 0;
  for (int round = 0; round < 300; ++round) {
    Numbers points = rows(random, 3, 1, false);
    const double share = round % 2 == 0 ? 0.5 : uniform(random, 0, 1);
    for (std::size_t k = 0; k < kDof; ++k) {
      points[k] *= 0.01;  // has digits that the others have not
      points[kDof + k] = points[k] + share * (points[2 * kDof + k] - points[k]);
    }
    const Path path = straight_path(Numbers{0, 1, 2}, points);
    double off[kDof];
    deviation_from_chord(path.data(), 0, 2, points.data(), points.data() + 2 * kDof, off);
    const Quad middle[] = {points[kDof], points[kDof + 1], points[kDof + 2]};
    off_chord += !on_chord(middle, points.data(), points.data() + 2 * kDof, off);
    // The same as a curve: its acceleration is what rounding left.
    const Path curve = bezier_path(kDof, points, 0, 1);
    const JointBox acceleration = curve.acceleration(0, 0);
    for (std::size_t k = 0; k < kDof; ++k) {
      const Quad real = 2 * (Quad(points[2 * kDof + k]) - 2 * Quad(points[kDof + k]) + points[k]);
      outside += real < acceleration[k].lower || real > acceleration[k].upper;
    }
  }
  EXPECT_EQ(off_chord, 0);
  EXPECT_EQ(outside, 0);
}

TEST(PathOracle, ManyStraightPiecesAreEnclosed) {
  Random random(5);
  const std::size_t count = 13'698;
  std::vector<double> times, points;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 20 * std::sin(1e-3 * static_cast<double>(i));
    times.push_back(0.001 * static_cast<double>(i));
    points.insert(points.end(), {x, uniform(random, -1e-3, 1e-3) + 2 * x, 0.25});
  }
  const Path path = straight_path(times, points);
  const PathData& data = path.data();
  int off_chord = 0;
  for (int round = 0; round < 200; ++round) {
    const auto [a, b] = some_places(random, data.last_place());
    double q_a[kDof], q_b[kDof], off[kDof];
    position_at(data, a, q_a);
    position_at(data, b, q_b);
    deviation_from_chord(data, a, b, q_a, q_b, off);
    EXPECT_EQ(off[2], 0);
    for (int i = 0; i < 100; ++i) {
      const double place = uniform(random, a, b);
      const auto n = static_cast<std::size_t>(std::min(std::floor(place), data.last_place() - 1));
      Quad p[kDof];
      for (std::size_t k = 0; k < kDof; ++k) {
        const Quad from = points[n * kDof + k], to = points[(n + 1) * kDof + k];
        p[k] = from + (Quad(place) - n) * (to - from);
      }
      off_chord += !on_chord(p, q_a, q_b, off);
    }
  }
  EXPECT_EQ(off_chord, 0);
}

}  // namespace
}  // namespace keepclear
