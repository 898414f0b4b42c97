// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "bench/toleranced_bench.hpp"

namespace keepclear::bench {
namespace {

constexpr int kTurnDegree = 4, kDegree = 8;

double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// Bernstein coefficients of the product of two curves of degree four.
using Four = std::array<double, kTurnDegree + 1>;
using Eight = std::array<double, kDegree + 1>;
Eight product(const Four& a, const Four& b) {
  Eight c{};
  for (int i = 0; i <= kTurnDegree; ++i) {
    for (int j = 0; j <= kTurnDegree; ++j) {
      c[std::size_t(i + j)] += binomial(kTurnDegree, i) * binomial(kTurnDegree, j) *
                               a[std::size_t(i)] * b[std::size_t(j)];
    }
  }
  for (int i = 0; i <= kDegree; ++i) c[std::size_t(i)] /= binomial(kDegree, i);
  return c;
}

/// What each control point counts for at t, all together one.
Eight shares(std::span<const double> weights, double t) {
  constexpr double kBinomial[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
  Eight b{};
  double power = 1, sum = 0;
  for (std::size_t i = 0; i <= kDegree; ++i, power *= t) b[i] = weights[i] * kBinomial[i] * power;
  power = 1;
  for (std::size_t i = kDegree + 1; i-- > 0; power *= 1 - t) sum += b[i] *= power;
  for (double& x : b) x /= sum;
  return b;
}

/// Control points of a height that follows `height` as closely as weights allow, by least squares.
Eight fitted(std::span<const double> weights, const std::function<double(double)>& height) {
  constexpr int kSamples = 400;
  Eigen::MatrixXd A(kSamples, kDegree + 1);
  Eigen::VectorXd b(kSamples);
  for (int k = 0; k < kSamples; ++k) {
    const double t = (k + 0.5) / kSamples;
    const Eight share = shares(weights, t);
    for (int i = 0; i <= kDegree; ++i) A(k, i) = share[std::size_t(i)];
    b(k) = height(t);
  }
  const Eigen::VectorXd x = A.colPivHouseholderQr().solve(b);
  Eight control;
  for (int i = 0; i <= kDegree; ++i) control[std::size_t(i)] = x(i);
  return control;
}

std::vector<Quaternion> turn_of(std::uint64_t seed, Random& random) {
  // One whole turn: half of its angle goes from nought to pi.
  std::vector<Quaternion> turn;
  for (int j = 0; j <= kTurnDegree; ++j) {
    const double wobble = seed == 0 ? 0 : 0.3 * (random() - 0.5);
    const double half = std::numbers::pi * j / kTurnDegree + (j % kTurnDegree == 0 ? 0 : wobble);
    const double tilt = seed == 0 ? 0.25 * std::sin(1.7 * j) : 1.2 * (random() - 0.5);
    const double lean = seed == 0 ? 0.2 * std::cos(2.3 * j) : 1.2 * (random() - 0.5);
    const double n = std::sqrt(1 + tilt * tilt + lean * lean);
    turn.push_back(
        {std::sin(half) / n, std::sin(half) * tilt / n, std::sin(half) * lean / n, std::cos(half)});
  }
  return turn;
}

}  // namespace

RationalMotion rational_motion(std::span<const Quaternion> turn, std::span<const Vec3> way) {
  if (turn.size() != kTurnDegree + 1 || way.size() != kDegree + 1) {
    throw std::invalid_argument("a quaternion curve of degree four, a way of degree eight");
  }
  Four x, y, z, w;
  for (std::size_t j = 0; j < turn.size(); ++j) {
    x[j] = turn[j].x, y[j] = turn[j].y, z[j] = turn[j].z, w[j] = turn[j].w;
  }
  const Eight xx = product(x, x), yy = product(y, y), zz = product(z, z), ww = product(w, w);
  const Eight xy = product(x, y), xz = product(x, z), yz = product(y, z);
  const Eight xw = product(x, w), yw = product(y, w), zw = product(z, w);
  RationalMotion motion;
  for (std::size_t i = 0; i <= kDegree; ++i) {
    const double n = xx[i] + yy[i] + zz[i] + ww[i];
    if (!(n > 0)) throw std::domain_error("a weight that is not positive");
    const Vec3 rows[3] = {
        {ww[i] + xx[i] - yy[i] - zz[i], 2 * (xy[i] - zw[i]), 2 * (xz[i] + yw[i])},
        {2 * (xy[i] + zw[i]), ww[i] - xx[i] + yy[i] - zz[i], 2 * (yz[i] - xw[i])},
        {2 * (xz[i] - yw[i]), 2 * (yz[i] + xw[i]), ww[i] - xx[i] - yy[i] + zz[i]}};
    motion.weights.push_back(n);
    motion.control.push_back({{(1 / n) * rows[0], (1 / n) * rows[1], (1 / n) * rows[2]}, way[i]});
  }
  return motion;
}

Pose RationalMotion::at(double t) const {
  const Eight share = shares(weights, t);
  Pose X{{{}, {}, {}}, {}};
  for (std::size_t i = 0; i < control.size(); ++i) {
    X.R.row0 = X.R.row0 + share[i] * control[i].A.row0;
    X.R.row1 = X.R.row1 + share[i] * control[i].A.row1;
    X.R.row2 = X.R.row2 + share[i] * control[i].A.row2;
    X.p = X.p + share[i] * control[i].a;
  }
  return X;
}

RationalMotion RationalMotion::moved(Vec3 by) const {
  RationalMotion motion = *this;
  for (Affine& g : motion.control) g.a = g.a + by;
  return motion;
}

CurvePointer RationalMotion::curve(BezierBall ball) const {
  return rational_bezier_curve(control, weights, 0, 1, ball);
}

double rigidity_error(const RationalMotion& motion) {
  double worst = 0;
  for (int k = 0; k <= 1000; ++k) {
    const Mat3 A = motion.at(k / 1000.0).R;
    const Mat3 M = transpose(A) * A;
    for (int i = 0; i < 3; ++i) {
      const Vec3 row = i == 0 ? M.row0 : i == 1 ? M.row1 : M.row2;
      for (int j = 0; j < 3; ++j) worst = std::max(worst, std::abs(row[j] - (i == j ? 1 : 0)));
    }
  }
  return worst;
}

std::vector<Vec3> octagon(double stretch_x, double stretch_y) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) {
    const double angle = std::numbers::pi / 4 * i;
    points.push_back({kDiameter / 2 * stretch_x * std::cos(angle),
                      kDiameter / 2 * stretch_y * std::sin(angle), 0});
  }
  return points;
}

RationalMotion tumbling_motion(std::span<const Vec3> moving, std::uint64_t seed) {
  Random random(seed);
  for (int tries = 0; tries < 1000; ++tries) {
    const std::vector<Quaternion> turn = turn_of(seed, random);
    std::vector<Vec3> way(kDegree + 1);
    const double across = seed == 0 ? 0.2 : 0.5 * (random() - 0.5);
    const double along = seed == 0 ? 0.5 : random() - 0.5;
    for (int i = 0; i <= kDegree; ++i) {
      const double s = double(i) / kDegree - 0.5;
      way[std::size_t(i)] = {along * s * kDiameter, across * (s * s - 0.1) * kDiameter, 0};
    }
    try {
      RationalMotion motion = rational_motion(turn, way);
      // The lowest vertex is to be where the plane of the other is.
      const Eight height = fitted(motion.weights, [&](double t) {
        const Mat3 R = motion.at(t).R;
        double lowest = 0;
        for (const Vec3& v : moving) lowest = std::min(lowest, dot(R.row2, v));
        return -lowest;
      });
      for (std::size_t i = 0; i < height.size(); ++i) motion.control[i].a.z = height[i];
      return motion;
    } catch (const std::domain_error&) {
      if (seed == 0) throw;
    }
  }
  throw std::runtime_error("no motion with positive weights");
}

PolygonWay::PolygonWay(std::span<const Vec3> moving, std::span<const Vec3> standing)
    : moving_(Body::hull(moving)), standing_(Body::hull(standing)) {}

double PolygonWay::distance(const Pose& X) const {
  return keepclear::distance(moving_, X, standing_, {}).distance;
}

NearestOnWay PolygonWay::nearest(const RationalMotion& motion, int samples) const {
  const auto at = [&](double t) { return distance(motion.at(t)); };
  NearestOnWay best{std::numeric_limits<double>::infinity(), 0};
  std::vector<double> values;
  for (int k = 0; k <= samples; ++k) values.push_back(at(double(k) / samples));
  // Every hollow of the samples, so that the lowest is not missed between two of them.
  for (int k = 0; k <= samples; ++k) {
    const double here = values[std::size_t(k)];
    const bool down = (k == 0 || here <= values[std::size_t(k - 1)]) &&
                      (k == samples || here <= values[std::size_t(k + 1)]);
    if (!down) continue;
    if (here < best.distance) best = {here, double(k) / samples};
    double low = std::max(0, k - 1) / double(samples);
    double high = std::min(samples, k + 1) / double(samples);
    constexpr double kGolden = 0.6180339887498949;
    for (int i = 0; i < 50; ++i) {
      const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
      if (at(a) < at(b)) {
        high = b;
      } else {
        low = a;
      }
    }
    const double middle = 0.5 * (low + high), there = at(middle);
    if (there < best.distance) best = {there, middle};
  }
  return best;
}

RationalMotion PolygonWay::with_gap(const RationalMotion& motion, double gap) const {
  constexpr int kSamples = 200;
  // Far above; then down by what is known to be free, until it is as near as asked for.
  double up = 2 * kDiameter;
  for (int k = 0; k < 200; ++k) {
    const double excess = nearest(motion.moved({0, 0, up}), kSamples).distance - gap;
    if (excess < 1e-10) break;
    up -= excess;
  }
  return motion.moved({0, 0, up});
}

std::vector<Pose> sampled(const std::function<Pose(double)>& at, std::span<const Vec3> vertices,
                          double step) {
  const auto moved = [&](const Pose& X, const Pose& Y) {
    double most = 0;
    for (const Vec3& v : vertices) most = std::max(most, squared_norm(X * v - Y * v));
    return std::sqrt(most);
  };
  // The length first, so that a step is followed in about ten.
  constexpr int kRough = 1000;
  double length = 0;
  for (int k = 0; k < kRough; ++k) length += moved(at(k / 1000.0), at((k + 1) / 1000.0));
  const int close = std::max(kRough, static_cast<int>(10 * length / step));
  std::vector<Pose> poses{at(0)};
  Pose before = poses[0];
  double since = 0;
  for (int k = 1; k <= close; ++k) {
    const Pose here = at(double(k) / close);
    const double more = moved(here, before);
    if (since + more > step) {
      poses.push_back(before);
      since = 0;
    }
    since += more;
    before = here;
  }
  poses.push_back(before);
  return poses;
}

WayLength::WayLength(const std::function<Pose(double)>& at, std::span<const Vec3> vertices) {
  constexpr int kPlaces = 10'000;
  length_.push_back(0);
  Pose before = at(0);
  for (int k = 1; k <= kPlaces; ++k) {
    const Pose here = at(double(k) / kPlaces);
    double most = 0;
    for (const Vec3& v : vertices) most = std::max(most, squared_norm(here * v - before * v));
    length_.push_back(length_.back() + std::sqrt(most));
    before = here;
  }
}

double WayLength::after(double time, double by) const {
  const auto places = static_cast<double>(length_.size() - 1);
  const auto at = static_cast<std::size_t>(time * places);
  const double share = time * places - static_cast<double>(at);
  const double goal =
      by + (at + 1 < length_.size() ? length_[at] + share * (length_[at + 1] - length_[at])
                                    : length_.back());
  if (!(goal < length_.back())) return 1;
  const auto next = std::upper_bound(length_.begin(), length_.end(), goal);
  const auto k = static_cast<std::size_t>(next - length_.begin());
  const double within = (goal - length_[k - 1]) / (length_[k] - length_[k - 1]);
  return (static_cast<double>(k - 1) + within) / places;
}

Stepped step_by_distance(FclMeshes& fcl, const std::function<Pose(double)>& at,
                         const WayLength& way, double least) {
  Stepped stepped;
  double time = 0;
  while (time < 1) {
    ++stepped.poses;
    const double distance = fcl.distance(at(time));
    if (!(distance >= least)) return stepped;
    time = way.after(time, distance);
  }
  stepped.arrived = true;
  return stepped;
}

double least_us(const std::function<void()>& run, double seconds, int most) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most; ++k) {
    const Clock::time_point start = Clock::now();
    run();
    const Clock::time_point end = Clock::now();
    least = std::min(least, std::chrono::duration<double, std::micro>(end - start).count());
    if (std::chrono::duration<double>(end - begin).count() > seconds) break;
  }
  return least;
}

}  // namespace keepclear::bench
