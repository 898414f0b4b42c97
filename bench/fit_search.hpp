// SPDX-License-Identifier: BSD-3-Clause
//
// A search without derivatives for the capsule and the box: volumes are minimal where many points
// touch at once, at kinks, where simpler searches stall.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear::bench {

/// Numbers that do not depend on the standard library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - (*this)()));
    return radius * std::cos(2 * std::numbers::pi * (*this)());
  }

 private:
  std::mt19937_64 engine_;
};

/// CMA-ES (Hansen, "The CMA evolution strategy: a tutorial") with its usual constants, from `x`
/// with steps of `sigma`; ends after `generations` or when the steps are a billionth of the first.
/// Returns the best point seen, `x` itself if none is better.
template <int N, typename Value>
Eigen::Vector<double, N> minimise(const Value& value, const Eigen::Vector<double, N>& x,
                                  double sigma, int generations, std::uint64_t seed) {
  using Point = Eigen::Vector<double, N>;
  using Matrix = Eigen::Matrix<double, N, N>;
  const int lambda = 4 + static_cast<int>(3 * std::log(N)), mu = lambda / 2;
  std::vector<double> weights(static_cast<std::size_t>(mu));
  double sum = 0, squares = 0;
  for (int i = 0; i < mu; ++i) sum += weights[i] = std::log(0.5 * (lambda + 1)) - std::log(i + 1);
  for (double& weight : weights) weight /= sum, squares += weight * weight;
  const double mu_eff = 1 / squares;
  const double c_sigma = (mu_eff + 2) / (N + mu_eff + 5);
  const double damping = 1 + 2 * std::max(0.0, std::sqrt((mu_eff - 1) / (N + 1)) - 1) + c_sigma;
  const double c_path = (4 + mu_eff / N) / (N + 4 + 2 * mu_eff / N);
  const double c_one = 2 / ((N + 1.3) * (N + 1.3) + mu_eff);
  const double c_mu =
      std::min(1 - c_one, 2 * (mu_eff - 2 + 1 / mu_eff) / ((N + 2) * (N + 2) + mu_eff));
  const double expected = std::sqrt(N) * (1 - 1.0 / (4 * N) + 1.0 / (21 * N * N));

  struct Sample {
    Point step, x;
    double value = 0;
  };
  Uniform uniform(seed);
  std::vector<Sample> samples(static_cast<std::size_t>(lambda));
  Point mean = x, best = x, path = Point::Zero(), path_sigma = Point::Zero();
  Matrix covariance = Matrix::Identity();
  double best_value = value(x);
  const double smallest = 1e-9 * sigma;
  for (int generation = 1; generation <= generations && sigma > smallest; ++generation) {
    // A Cholesky factor serves as root: it need not be symmetric to draw from.
    const Eigen::LLT<Matrix> factor(covariance);
    if (factor.info() != Eigen::Success) break;
    const Matrix root = factor.matrixL();
    for (Sample& sample : samples) {
      Point z;
      for (int i = 0; i < N; ++i) z[i] = uniform.normal();
      sample.step = root * z;
      sample.x = mean + sigma * sample.step;
      sample.value = value(sample.x);
    }
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.value < b.value; });
    if (samples[0].value < best_value) best_value = samples[0].value, best = samples[0].x;
    Point step = Point::Zero();
    Matrix rank_mu = Matrix::Zero();
    for (int i = 0; i < mu; ++i) {
      step += weights[i] * samples[i].step;
      rank_mu += weights[i] * samples[i].step * samples[i].step.transpose();
    }
    mean += sigma * step;
    const Point whitened = factor.matrixL().solve(step);
    path_sigma =
        (1 - c_sigma) * path_sigma + std::sqrt(c_sigma * (2 - c_sigma) * mu_eff) * whitened;
    const double length =
        path_sigma.norm() / std::sqrt(1 - std::pow(1 - c_sigma, 2.0 * generation)) / expected;
    const double turning = length < 1.4 + 2.0 / (N + 1) ? 1 : 0;
    path = (1 - c_path) * path + turning * std::sqrt(c_path * (2 - c_path) * mu_eff) * step;
    covariance = (1 - c_one - c_mu + (1 - turning) * c_one * c_path * (2 - c_path)) * covariance +
                 c_one * path * path.transpose() + c_mu * rank_mu;
    sigma *= std::exp(std::min(1.0, c_sigma / damping * (path_sigma.norm() / expected - 1)));
  }
  return best;
}

/// Directions spread evenly over half the sphere (or, `whole`, all of it).
inline std::vector<Vec3> spread_directions(int count, bool whole = false) {
  std::vector<Vec3> directions;
  const double turn = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int i = 0; i < count; ++i) {
    const double z = whole ? 1 - (2 * i + 1.0) / count : 1 - (i + 0.5) / count;
    const double r = std::sqrt(1 - z * z);
    directions.push_back({r * std::cos(turn * i), r * std::sin(turn * i), z});
  }
  return directions;
}

inline Vec3 unit(Vec3 v) {
  return (1 / norm(v)) * v;
}

/// Two unit vectors that complete the unit vector n to a frame.
inline std::array<Vec3, 2> across(Vec3 n) {
  const Vec3 other = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 u = unit(cross(n, other));
  return {u, cross(n, u)};
}

}  // namespace keepclear::bench
