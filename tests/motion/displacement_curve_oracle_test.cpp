// SPDX-License-Identifier: BSD-3-Clause
//
// Balls of curves of displacements against the curves themselves, in 113 bits.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "motion/displacement_reference.hpp"

namespace keepclear::test {
namespace {

/// Intervals of a curve: all of it, its ends, its middle; long, short and of no length.
std::pair<double, double> random_interval(Random& random, double begin, double end) {
  const double length = end - begin;
  const double width = length * (pick(random, 3) == 0 ? 1e-12 : log_uniform(random, 1e-14, 1));
  switch (pick(random, 6)) {
    case 0:
      return {begin, end};
    case 1:
      return {begin, std::min(end, begin + width)};
    case 2:
      return {std::max(begin, end - width), end};
    case 3: {
      const double time = uniform(random, begin, end);
      return {time, time};
    }
    default: {
      const double from = uniform(random, begin, end);
      return {from, std::min(end, from + width)};
    }
  }
}

/// The largest share of the radius that is reached by the curve in the interval. `slack`: by how
/// much the reference may be another curve.
double filled(const DisplacementMetric& metric, const DisplacementCurve& curve,
              const Reference& reference, double from, double to, int samples, double slack = 0) {
  const DisplacementBall ball = curve.ball(metric, from, to);
  const QAffine centre = wide(ball.centre);
  // The reference rounds too, in its last bits.
  const Quad off = Quad(slack) + Quad(1e-25);
  Quad most = 0;
  for (int i = 0; i <= samples; ++i) {
    const Quad time = Quad(from) + (Quad(to) - Quad(from)) * Quad(i) / Quad(samples);
    const Quad d = distance(metric, centre, reference(time)) - off;
    if (d > most) most = d;
  }
  EXPECT_TRUE(std::isfinite(ball.radius));
  return most == 0 ? 0 : static_cast<double>(most / Quad(ball.radius));
}

TEST(DisplacementCurveOracle, BallsOfRationalBezierCurvesHoldThem) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    const double size = pick(random, 4) == 0 ? 1e6 : log_uniform(random, 1e-3, 10);
    const std::size_t degree = i % 10 == 0 ? 32 : 1 + static_cast<std::size_t>(pick(random, 10));
    std::vector<Affine> control;
    std::vector<double> weights;
    const int kind = pick(random, 4);
    for (std::size_t k = 0; k <= degree; ++k) {
      control.push_back(kind == 0 && k > 0 ? control[0] : random_affine(random, size));
      if (kind >= 2) weights.push_back(log_uniform(random, 1e-6, 1e6));
    }
    const double begin = uniform(random, -5, 5), end = begin + log_uniform(random, 1e-3, 1e3);
    const auto ball = pick(random, 2) ? BezierBall::middle : BezierBall::smallest;
    const CurvePointer curve = rational_bezier_curve(control, weights, begin, end, ball);
    const Reference reference = bezier_reference(control, weights, begin, end);
    const DisplacementMetric metric = random_metric(random);
    for (int k = 0; k < 6; ++k) {
      const auto [from, to] = random_interval(random, begin, end);
      EXPECT_LE(filled(metric, *curve, reference, from, to, 12), 1) << i << " " << k;
    }
  }
}

TEST(DisplacementCurveOracle, BallsOfScrewsHoldThemAndAreTight) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const double size = pick(random, 4) == 0 ? 1e6 : log_uniform(random, 1e-3, 10);
    const Pose start{random_rotation(random), uniform(random, 0, size) * random_unit(random)};
    const Vec3 point = uniform(random, 0, size) * random_unit(random);
    const Vec3 axis = log_uniform(random, 1e-3, 1e3) * random_unit(random);
    double angle = uniform(random, -7, 7), slide = uniform(random, -size, size);
    const int kind = pick(random, 5);
    if (kind == 0) angle = 0;
    if (kind == 1) slide = 0;
    if (kind == 2) angle *= 1e-9;
    const double begin = uniform(random, -5, 5), end = begin + log_uniform(random, 1e-3, 1e3);
    const CurvePointer curve = screw_curve(start, point, axis, angle, slide, begin, end);
    const Reference reference = screw_reference(start, point, axis, angle, slide, begin, end);
    const DisplacementMetric metric = random_metric(random);
    for (int k = 0; k < 6; ++k) {
      const auto [from, to] = random_interval(random, begin, end);
      const double share = filled(metric, *curve, reference, from, to, 12);
      EXPECT_LE(share, 1) << i << " " << k;
      const double turn = std::fabs(angle) * (to - from) / (end - begin);
      const double way = (std::fabs(angle) + std::fabs(slide)) * (to - from) / (end - begin);
      if (way > 1e-6 && size < 100 && turn < 3) {
        EXPECT_GE(share, 1 - 1e-6) << i << " " << k;
      }
    }
  }
}

TEST(DisplacementCurveOracle, BallsOfPosesInBetweenHoldThemAndShortOnesAreTight) {
  Random random(3);
  for (int i = 0; i < 600; ++i) {
    const double size = pick(random, 5) == 0 ? 1e6 : log_uniform(random, 1e-3, 10);
    const PoseChain chain =
        random_chain(random, 2 + static_cast<std::size_t>(pick(random, 5)), size);
    const CurvePointer curve = interpolated_curve(chain.poses, chain.times, chain.centre);
    const Reference reference = [&](Quad time) { return chain.at(time); };
    const DisplacementMetric metric = random_metric(random);
    // The poses are rounded: the turn of the reference ends that far from the next one.
    const double slack = 1e-15 * (2 + norm(metric.barycentre()) + norm(chain.centre));
    for (int k = 0; k < 6; ++k) {
      const auto [from, to] = random_interval(random, chain.times.front(), chain.times.back());
      const double share = filled(metric, *curve, reference, from, to, 12, slack);
      EXPECT_LE(share, 1) << i << " " << k;
    }
    const double share = filled(metric, *curve, reference, chain.times[0],
                                chain.times[0] + 1e-4 * (chain.times[1] - chain.times[0]), 2);
    const double way = norm(chain.poses[1].p - chain.poses[0].p) + chain.angles[0];
    if (size < 100 && way > 1e-3) {
      EXPECT_GE(share, 0.999) << i;
    }
  }
}

TEST(DisplacementCurveOracle, BallsOfJoinedCurvesHoldThem) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Affine> first{random_affine(random, 1), random_affine(random, 1),
                                    random_affine(random, 1)};
    const double gap = pick(random, 2) ? 0 : 1e-6;
    const std::vector<Affine> second{{first[2].A, first[2].a + gap * random_unit(random)},
                                     random_affine(random, 1),
                                     random_affine(random, 1)};
    const std::vector<CurvePointer> parts{rational_bezier_curve(first, {}, 0, 1),
                                          rational_bezier_curve(second, {}, 1, 3)};
    const CurvePointer curve = joined_curve(parts, 1e-5);
    const Reference a = bezier_reference(first, {}, 0, 1), b = bezier_reference(second, {}, 1, 3);
    const Reference reference = [&](Quad time) { return time <= 1 ? a(time) : b(time); };
    const DisplacementMetric metric = random_metric(random);
    for (int k = 0; k < 6; ++k) {
      const auto [from, to] = random_interval(random, 0, 3);
      EXPECT_LE(filled(metric, *curve, reference, from, to, 12), 1) << i << " " << k;
    }
    // What continues the one into the other is in the balls at the joint too.
    const DisplacementBall joint = curve->ball(metric, 1, 1);
    EXPECT_LE(static_cast<double>(distance(metric, wide(joint.centre), wide(second[0]))),
              joint.radius);
  }
}

/// Twelve numbers in a frame that the metric has for orthonormal, and displacements.
using Twelve = std::array<double, 12>;
Affine displacement(const DisplacementMetric& metric, const Twelve& y) {
  Affine g{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 q = (1 / std::sqrt(metric.moments()[k])) * metric.axes()[k];
    g.A.row0 = g.A.row0 + y[3 * k] * q;
    g.A.row1 = g.A.row1 + y[3 * k + 1] * q;
    g.A.row2 = g.A.row2 + y[3 * k + 2] * q;
  }
  g.a = Vec3{y[9], y[10], y[11]} - g.A * metric.barycentre();
  return g;
}
std::array<Twelve, 12> random_frame(Random& random) {
  std::array<Twelve, 12> frame{};
  const auto dot12 = [](const Twelve& a, const Twelve& b) {
    double sum = 0;
    for (std::size_t k = 0; k < 12; ++k) sum += a[k] * b[k];
    return sum;
  };
  for (std::size_t i = 0; i < 12; ++i) {
    for (double& x : frame[i]) x = uniform(random, -1, 1);
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t j = 0; j < i; ++j) {
        const double along = dot12(frame[i], frame[j]);
        for (std::size_t k = 0; k < 12; ++k) frame[i][k] -= along * frame[j][k];
      }
      const double length = std::sqrt(dot12(frame[i], frame[i]));
      for (double& x : frame[i]) x /= length;
    }
  }
  return frame;
}
Twelve mixed(const std::array<Twelve, 12>& frame, const Twelve& by) {
  Twelve y{};
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t k = 0; k < 12; ++k) y[k] += by[i] * frame[i][k];
  }
  return y;
}

/// A curve by its length: where it is and its unit tangent, in a frame of its own.
struct Bent {
  double length = 1, curvature = 1;
  std::function<std::pair<Twelve, Twelve>(double s)> at;
};

/// Circles of different rates in six planes: speed and curvature are constant.
Bent coil(Random& random) {
  Twelve radius{}, rate{};
  double speed2 = 0, bend2 = 0;
  const std::size_t planes = 1 + static_cast<std::size_t>(pick(random, 6));
  for (std::size_t i = 0; i < planes; ++i) {
    radius[i] = log_uniform(random, 0.01, 1), rate[i] = uniform(random, 0.1, 3);
    speed2 += std::pow(radius[i] * rate[i], 2), bend2 += std::pow(radius[i] * rate[i] * rate[i], 2);
  }
  const double speed = std::sqrt(speed2);
  const auto at = [=](double s) {
    std::pair<Twelve, Twelve> y;
    y.first = {}, y.second = {};
    for (std::size_t i = 0; i < planes; ++i) {
      const double q = rate[i] * s / speed, r = radius[i];
      y.first[2 * i] = r * std::cos(q), y.first[2 * i + 1] = r * std::sin(q);
      y.second[2 * i] = -r * rate[i] / speed * std::sin(q);
      y.second[2 * i + 1] = r * rate[i] / speed * std::cos(q);
    }
    return y;
  };
  return {0, std::sqrt(bend2) / speed2, at};
}

/// Arcs one after the other, each with a curvature of at most one and in a plane of its own: the
/// limit of curves that are twice differentiable.
Bent arcs(Random& random, double length) {
  struct Piece {
    double begin, bend;
    Twelve from, tangent, normal;
  };
  std::vector<Piece> pieces;
  Piece piece{0, 0, {}, {}, {}};
  piece.tangent[0] = 1;
  const auto after = [](const Piece& p, double s) {
    std::pair<Twelve, Twelve> y;
    const double angle = p.bend * s;
    const double along = p.bend == 0 ? s : std::sin(angle) / p.bend;
    const double off = p.bend == 0 ? 0 : (1 - std::cos(angle)) / p.bend;
    for (std::size_t k = 0; k < 12; ++k) {
      y.first[k] = p.from[k] + along * p.tangent[k] + off * p.normal[k];
      y.second[k] = std::cos(angle) * p.tangent[k] + std::sin(angle) * p.normal[k];
    }
    return y;
  };
  const int count = 1 + pick(random, 4);
  const bool plane = pick(random, 2) == 0;
  for (int i = 0; i < count; ++i) {
    piece.bend = pick(random, 2) ? 1 : uniform(random, 0, 1);
    piece.normal = {};
    if (plane) {
      const double side = pick(random, 2) ? 1 : -1;
      piece.normal[0] = -side * piece.tangent[1], piece.normal[1] = side * piece.tangent[0];
    } else {
      double along = 0, size = 0;
      for (double& x : piece.normal) x = uniform(random, -1, 1);
      for (std::size_t k = 0; k < 12; ++k) along += piece.normal[k] * piece.tangent[k];
      for (std::size_t k = 0; k < 12; ++k) {
        piece.normal[k] -= along * piece.tangent[k];
        size += piece.normal[k] * piece.normal[k];
      }
      for (double& x : piece.normal) x /= std::sqrt(size);
    }
    pieces.push_back(piece);
    const double next = i + 1 == count ? length : uniform(random, piece.begin, length);
    std::tie(piece.from, piece.tangent) = after(piece, next - piece.begin);
    piece.begin = next;
  }
  const auto at = [=](double s) {
    std::size_t i = 0;
    while (i + 1 < pieces.size() && s >= pieces[i + 1].begin) ++i;
    return after(pieces[i], s - pieces[i].begin);
  };
  return {length, 1, at};
}

/// A spiral of Euler: the curvature grows with the length.
Bent clothoid(double length) {
  const auto at = [=](double s) {
    constexpr int kSteps = 400;
    Twelve p{}, t{};
    const auto rate = 1 / length;
    for (int i = 0; i <= kSteps; ++i) {
      const double u = s * i / kSteps, angle = 0.5 * rate * u * u;
      const double w = (i == 0 || i == kSteps ? 1 : i % 2 ? 4 : 2) * s / (3.0 * kSteps);
      p[0] += w * std::cos(angle), p[1] += w * std::sin(angle);
    }
    t[0] = std::cos(0.5 * rate * s * s), t[1] = std::sin(0.5 * rate * s * s);
    return std::pair{p, t};
  };
  return {length, 1, at};
}

TEST(DisplacementCurveOracle, BallsOfBoundedCurvesHoldThemUpToAQuarterOfACircle) {
  Random random(5);
  double tightest = 0;
  for (int i = 0; i < 1500; ++i) {
    const DisplacementMetric metric = random_metric(random);
    const auto frame = random_frame(random);
    const double quarter = std::numbers::pi / 2 * (1 - 1e-9);
    const double turn = pick(random, 3) == 0 ? quarter : uniform(random, 1e-3, quarter);
    Bent bent = i % 3 == 0 ? coil(random) : i % 3 == 1 ? arcs(random, turn) : clothoid(turn);
    bent.length = turn / bent.curvature;
    BoundedCurve made;
    made.begin = 0, made.end = bent.length;
    made.at = [&](double s) { return displacement(metric, mixed(frame, bent.at(s).first)); };
    made.tangent = [&](double s) {
      const double any = 0.1 + 3 * std::fabs(std::sin(s));
      Twelve t = mixed(frame, bent.at(s).second);
      for (double& x : t) x *= any;
      return displacement(metric, t);
    };
    made.length_hi = [](double from, double to) { return to - from; };
    made.curvature_hi = [&](double, double) { return bent.curvature; };
    // The axes are orthonormal to within 1e-14, and the reference is made of doubles.
    made.error = 1e-12 * (1 + bent.length) / std::sqrt(metric.moments()[2]);
    made.error = std::max(made.error, 1e-11);
    const CurvePointer curve = bounded_curve(made);
    const DisplacementBall ball = curve->ball(metric, 0, bent.length);
    const double k = std::tan(0.5 * turn) / bent.curvature;
    // Where a body is next to a point, matrices are large, and the length of a tangent is known
    // less well.
    const auto& moments = metric.moments();
    if (*std::min_element(moments.begin(), moments.end()) > 1e-8) {
      EXPECT_LE(ball.radius, (k + 3 * made.error) * (1 + 1e-6));
    }
    for (int s = 0; s <= 64; ++s) {
      const Affine at = made.at(bent.length * s / 64);
      const double d = metric.distance(ball.centre, at);
      EXPECT_LE(d, ball.radius) << i << " " << s;
      if (s > 0) tightest = std::max(tightest, d / ball.radius);
    }
  }
  EXPECT_GT(tightest, 1 - 1e-6);
}

}  // namespace
}  // namespace keepclear::test
