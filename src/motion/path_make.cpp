// SPDX-License-Identifier: BSD-3-Clause
#include "motion/path_make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "keepclear/error.hpp"
#include "motion/path_bernstein.hpp"
#include "rounding/mode.hpp"

namespace keepclear {

using rounding::gamma;
using rounding::inflate;

void refuse_path(const std::string& what, const std::string& hint) {
  throw Error(Error::Kind::usage, "", 0, what, hint);
}

void require_numbers(std::span<const double> values, const char* what, double most) {
  for (const double value : values) {
    if (!std::isfinite(value)) refuse_path(fmt::format("{} of a path is not finite", what));
    if (std::fabs(value) > most) {
      refuse_path(fmt::format("{} of a path is {}, beyond {:g}", what, value, most));
    }
  }
}

void require_duration(double begin, double end) {
  if (!(end - begin >= kShortestPiece)) {
    refuse_path(fmt::format("the times of a path must grow: {} after {}", end, begin));
  }
}

void require_times(std::span<const double> times) {
  require_numbers(times, "a time");
  if (times.size() < 2) {
    refuse_path(fmt::format("a path needs two waypoints or more, not {}", times.size()));
  }
  for (std::size_t i = 1; i < times.size(); ++i) require_duration(times[i - 1], times[i]);
}

PathBuilder::PathBuilder(std::size_t dof) {
  data_.dof = dof;
  data_.error.assign(dof, 0.0);
}

void PathBuilder::add_row(std::span<const double> row) {
  data_.control.insert(data_.control.end(), row.begin(), row.end());
}

void PathBuilder::add_number(double value, double error) {
  allow_error(data_.control.size() % data_.dof, error);
  data_.control.push_back(value);
}

void PathBuilder::add_piece(int degree, double begin, double end) {
  const std::size_t rows = static_cast<std::size_t>(degree) + 1;
  data_.pieces.push_back({begin, end, degree, data_.control.size() - rows * data_.dof});
}

void PathBuilder::allow_error(std::size_t k, double error) {
  data_.error[k] = std::max(data_.error[k], error);
}

Path PathBuilder::finish() {
  require_numbers(data_.control, "a control point");
  return Path(std::make_shared<const PathData>(std::move(data_)));
}

namespace {

/// The numbers of a row, from rows for `count` times.
std::size_t row_length(std::size_t numbers, std::size_t count, const char* what) {
  if (count == 0 || numbers == 0 || numbers % count != 0) {
    refuse_path(
        fmt::format("{} numbers of {} do not make rows for {} times", numbers, what, count));
  }
  return numbers / count;
}

/// How many rows of `dof` numbers there are.
std::size_t row_count(std::size_t numbers, std::size_t dof) {
  if (dof == 0 || numbers % dof != 0) {
    refuse_path(fmt::format("{} numbers do not make rows of {}", numbers, dof));
  }
  return numbers / dof;
}

/// base + a + b, as the control points of a Hermite piece are made: each term comes with at most
/// five roundings. Nothing is lost where nothing is added.
void add_sum(PathBuilder& builder, double base, double a, double b = 0) {
  const double value = base + a + b;
  const double terms = std::fabs(a) + std::fabs(b);
  const double magnitude = std::fabs(base) + terms;
  builder.add_number(value, terms == 0 ? 0 : inflate(gamma(6) * terms + gamma(3) * magnitude, 6));
}

/// Waypoints with derivatives there; no accelerations mean a cubic.
Path hermite_path(std::span<const double> times, std::span<const double> positions,
                  std::span<const double> velocities, std::span<const double> accelerations,
                  int degree) {
  rounding::require_mode();
  require_times(times);
  const std::size_t dof = row_length(positions.size(), times.size(), "positions");
  if (velocities.size() != positions.size() ||
      (degree == 5 && accelerations.size() != positions.size())) {
    refuse_path("a path needs as many velocities and accelerations as positions");
  }
  require_numbers(positions, "a position");
  require_numbers(velocities, "a velocity", kLargestDerivative);
  require_numbers(accelerations, "an acceleration", kLargestDerivative);
  PathBuilder builder(dof);
  builder.add_row(positions.first(dof));
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double h = times[i + 1] - times[i];
    const double* p = positions.data() + i * dof;
    const double* v = velocities.data() + i * dof;
    if (degree == 3) {
      for (std::size_t k = 0; k < dof; ++k) add_sum(builder, p[k], h * v[k] / 3);
      for (std::size_t k = dof; k < 2 * dof; ++k) add_sum(builder, p[k], -(h * v[k] / 3));
    } else {
      const double* a = accelerations.data() + i * dof;
      const auto bend = [&](std::size_t k) { return h * h * a[k] / 20; };
      for (std::size_t k = 0; k < dof; ++k) add_sum(builder, p[k], h * v[k] / 5);
      for (std::size_t k = 0; k < dof; ++k) add_sum(builder, p[k], 2 * h * v[k] / 5, bend(k));
      for (std::size_t k = dof; k < 2 * dof; ++k) {
        add_sum(builder, p[k], -(2 * h * v[k] / 5), bend(k));
      }
      for (std::size_t k = dof; k < 2 * dof; ++k) add_sum(builder, p[k], -(h * v[k] / 5));
    }
    builder.add_row(positions.subspan((i + 1) * dof, dof));
    builder.add_piece(degree, times[i], times[i + 1]);
  }
  return builder.finish();
}

/// A control number of one span [knots[span], knots[span + 1]] of a B-spline: the blossom at
/// degree - j times its begin and j times its end. de Boor's algorithm, with a share from 0 to 1 in
/// every step.
double bezier_number(std::span<const double> knots, int degree, std::size_t span, int j,
                     double* numbers) {
  const double begin = knots[span], end = knots[span + 1];
  for (int level = 1; level <= degree; ++level) {
    const double x = level <= degree - j ? begin : end;
    // numbers[i] belongs to control point span - degree + level + i.
    for (int i = 0; i <= degree - level; ++i) {
      const std::size_t low = span - static_cast<std::size_t>(degree - level - i);
      const std::size_t high = span + 1 + static_cast<std::size_t>(i);
      const double share = (x - knots[low]) / (knots[high] - knots[low]);
      numbers[i] = bernstein::lerp(numbers[i], numbers[i + 1], share);
    }
  }
  return numbers[0];
}

/// How often interior knots repeat decides whether the pieces meet.
void require_knots(std::span<const double> knots, int degree) {
  const auto p = static_cast<std::size_t>(degree);
  require_numbers(knots, "a knot");
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    if (knots[i] > knots[i + 1]) {
      refuse_path(fmt::format("the knots of a B-spline must not fall: {} after {}", knots[i + 1],
                              knots[i]));
    }
    if (knots[i] < knots[i + 1] && i >= p && i + p + 1 < knots.size()) {
      require_duration(knots[i], knots[i + 1]);
    }
  }
  const double begin = knots[p], end = knots[knots.size() - 1 - p];
  if (!(begin < end)) refuse_path("the knots of a B-spline span no time");
  for (std::size_t i = 0; i + p < knots.size(); ++i) {
    if (knots[i] > begin && knots[i] < end && knots[i] == knots[i + p]) {
      refuse_path(
          fmt::format("the knot {} of a B-spline of degree {} stands there more than {} times: "
                      "the path would jump",
                      knots[i], degree, degree));
    }
  }
}

}  // namespace

Path straight_path(std::span<const double> times, std::span<const double> waypoints) {
  rounding::require_mode();
  require_times(times);
  const std::size_t dof = row_length(waypoints.size(), times.size(), "waypoints");
  require_numbers(waypoints, "a waypoint");
  PathBuilder builder(dof);
  builder.add_row(waypoints.first(dof));
  for (std::size_t i = 1; i < times.size(); ++i) {
    builder.add_row(waypoints.subspan(i * dof, dof));
    builder.add_piece(1, times[i - 1], times[i]);
  }
  return builder.finish();
}

Path line_path(std::span<const double> from, std::span<const double> to, double duration) {
  rounding::require_mode();
  if (from.size() != to.size()) {
    refuse_path(fmt::format("a line from {} numbers to {}", from.size(), to.size()));
  }
  std::vector<double> rows(from.begin(), from.end());
  rows.insert(rows.end(), to.begin(), to.end());
  const double times[] = {0, duration};
  return straight_path(times, rows);
}

Path cubic_path(std::span<const double> times, std::span<const double> positions,
                std::span<const double> velocities) {
  return hermite_path(times, positions, velocities, {}, 3);
}

Path quintic_path(std::span<const double> times, std::span<const double> positions,
                  std::span<const double> velocities, std::span<const double> accelerations) {
  return hermite_path(times, positions, velocities, accelerations, 5);
}

Path bezier_path(std::size_t dof, std::span<const double> control, double begin, double end) {
  rounding::require_mode();
  const double times[] = {begin, end};
  require_times(times);
  const std::size_t points = row_count(control.size(), dof);
  if (points < 2) {
    refuse_path(fmt::format("a Bezier curve needs two control points or more, not {}", points));
  }
  const std::size_t degree = points - 1;
  if (degree > kMaxPathDegree) {
    refuse_path(fmt::format("a Bezier curve of degree {}, beyond {}", degree, kMaxPathDegree));
  }
  PathBuilder builder(dof);
  builder.add_row(control);
  builder.add_piece(static_cast<int>(degree), begin, end);
  return builder.finish();
}

Path bspline_path(std::size_t dof, int degree, std::span<const double> knots,
                  std::span<const double> control) {
  rounding::require_mode();
  if (degree < 1 || degree > kMaxPathDegree) {
    refuse_path(
        fmt::format("a B-spline of degree {}, which is not from 1 to {}", degree, kMaxPathDegree));
  }
  const auto p = static_cast<std::size_t>(degree);
  const std::size_t points = row_count(control.size(), dof);
  if (points < p + 1) {
    refuse_path(fmt::format("a B-spline of degree {} needs {} control points or more, not {}",
                            degree, p + 1, points));
  }
  if (knots.size() != points + p + 1) {
    refuse_path(fmt::format("a B-spline of {} control points and degree {} needs {} knots, not {}",
                            points, degree, points + p + 1, knots.size()));
  }
  require_knots(knots, degree);
  require_numbers(control, "a control point");
  PathBuilder builder(dof);
  double numbers[kMaxPathDegree + 1];
  const auto add_row = [&](std::size_t span, int j) {
    for (std::size_t k = 0; k < dof; ++k) {
      double least = control[(span - p) * dof + k], most = least;
      for (std::size_t i = 0; i <= p; ++i) {
        numbers[i] = control[(span - p + i) * dof + k];
        least = std::min(least, numbers[i]);
        most = std::max(most, numbers[i]);
      }
      const double magnitude = std::max(std::fabs(least), std::fabs(most));
      const double error = least == most ? 0 : inflate(degree * (gamma(20) * magnitude), 2);
      builder.add_number(bezier_number(knots, degree, span, j, numbers), error);
    }
  };
  bool begun = false;
  for (std::size_t span = p; span + p + 1 < knots.size(); ++span) {
    if (knots[span] == knots[span + 1]) continue;
    if (!begun) add_row(span, 0);
    begun = true;
    for (int j = 1; j <= degree; ++j) add_row(span, j);
    builder.add_piece(degree, knots[span], knots[span + 1]);
  }
  return builder.finish();
}

Path trapezoidal_path(std::span<const double> from, std::span<const double> to,
                      std::span<const double> speed, std::span<const double> acceleration) {
  rounding::require_mode();
  const std::size_t dof = from.size();
  if (dof == 0 || to.size() != dof || speed.size() != dof || acceleration.size() != dof) {
    refuse_path("a trapezoidal path needs as many ends, speeds and accelerations as beginnings");
  }
  require_numbers(from, "a position");
  require_numbers(to, "a position");
  // Along the line from 0 to 1: the fastest that every number allows.
  double fastest = kLargestPathNumber, strongest = kLargestPathNumber;
  bool moves = false;
  for (std::size_t k = 0; k < dof; ++k) {
    if (!(speed[k] > 0) || !(acceleration[k] > 0)) {
      refuse_path("the speeds and accelerations of a trapezoidal path must be positive");
    }
    const double way = std::fabs(to[k] - from[k]);
    if (way == 0) continue;
    moves = true;
    fastest = std::min(fastest, speed[k] / way);
    strongest = std::min(strongest, acceleration[k] / way);
  }
  if (!moves) refuse_path("a trapezoidal path that ends where it begins");
  const double reached = fastest * fastest / (2 * strongest);  // of the way, when at full speed
  const bool cruises = reached < 0.5 && (1 - 2 * reached) / fastest >= kShortestPiece;
  const double rise = cruises ? fastest / strongest : 1 / std::sqrt(strongest);
  const double share = cruises ? reached : 0.5;
  const double cruise = cruises ? (1 - 2 * share) / fastest : 0;

  PathBuilder builder(dof);
  const auto add_row = [&](double s) {
    for (std::size_t k = 0; k < dof; ++k) {
      const double magnitude = std::max(std::fabs(from[k]), std::fabs(to[k]));
      const double error = from[k] == to[k] ? 0 : inflate(gamma(40) * magnitude, 1);
      builder.add_number(bernstein::lerp(from[k], to[k], s), error);
    }
  };
  builder.add_row(from);
  builder.add_row(from);
  add_row(share);
  require_duration(0, rise);
  builder.add_piece(2, 0, rise);
  double time = rise;
  if (cruises && time + cruise > time) {
    add_row(1 - share);
    builder.add_piece(1, time, time + cruise);
    time += cruise;
  }
  builder.add_row(to);
  builder.add_row(to);
  require_duration(time, time + rise);
  builder.add_piece(2, time, time + rise);
  return builder.finish();
}

}  // namespace keepclear
