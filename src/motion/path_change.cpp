// SPDX-License-Identifier: BSD-3-Clause
//
// Paths made of other paths: joined, at other times, with a tube.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/path_bernstein.hpp"
#include "motion/path_make.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::up;

constexpr double kLargestGap = 1e-6;

/// Pieces at other times: those that took some keep taking some.
void move_times(PathPiece& piece, double begin, double end) {
  const bool takes_time = piece.end > piece.begin;
  piece.begin = begin;
  piece.end = end;
  if (takes_time) require_duration(begin, end);
}

/// Half widths at times, straight between, and as at the nearest time outside.
class Tube {
 public:
  Tube(std::size_t dof, std::span<const double> times, std::span<const double> rows)
      : dof_(dof), times_(times), rows_(rows) {
    require_numbers(times, "a time of the tube");
    for (std::size_t i = 1; i < times.size(); ++i) require_duration(times[i - 1], times[i]);
    if (times.empty() || rows.size() != times.size() * dof) {
      refuse_path(fmt::format("{} half widths do not make rows of {} for {} times", rows.size(),
                              dof, times.size()));
    }
    require_numbers(rows, "a half width");
    for (const double width : rows) {
      if (width < 0) refuse_path(fmt::format("the half width {} of a tube is negative", width));
    }
  }

  std::span<const double> times() const { return times_; }
  double row(std::size_t i, std::size_t k) const { return rows_[i * dof_ + k]; }
  /// At least the half width at a time.
  double width_hi(double time, std::size_t k) const {
    const auto next =
        static_cast<std::size_t>(std::ranges::upper_bound(times_, time) - times_.begin());
    if (next == 0) return row(0, k);
    const double a = row(next - 1, k);
    if (next == times_.size() || time == times_[next - 1]) return a;
    const double b = row(next, k);
    if (a == b) return a;
    const double share = (time - times_[next - 1]) / (times_[next] - times_[next - 1]);
    const double most = std::max(a, b);
    return std::min(most, up(bernstein::lerp(a, b, share) + inflate(gamma(20) * most, 1)));
  }

 private:
  std::size_t dof_;
  std::span<const double> times_, rows_;
};

/// Adds the parts of a piece between these shares and times. What is rounded thereby is noted.
void add_parts(PathBuilder& builder, const PathData& path, const PathPiece& piece,
               const std::vector<double>& shares, const std::vector<double>& times,
               std::vector<double>& more_error) {
  const std::size_t dof = path.dof;
  const auto rows = static_cast<std::size_t>(piece.degree) + 1;
  std::vector<double> points(rows * dof);
  double numbers[kMaxPathDegree + 1] = {};
  for (std::size_t i = 0; i + 1 < shares.size(); ++i) {
    for (std::size_t k = 0; k < dof; ++k) {
      bernstein::part(bernstein::numbers(path, piece, k), shares[i], shares[i + 1], numbers);
      for (std::size_t j = 0; j < rows; ++j) points[j * dof + k] = numbers[j];
    }
    builder.add_row(std::span(points).subspan(dof));
    builder.add_piece(piece.degree, times[i], times[i + 1]);
  }
  if (shares.size() == 2) return;
  for (std::size_t k = 0; k < dof; ++k) {
    // Once for the control points, once for shares that are not quite those of the times.
    more_error[k] = std::max(more_error[k], 2 * bernstein::numbers(path, piece, k).error());
  }
}

/// The same path with a border at each of these times, where it has room for one.
PathData divided(const PathData& path, std::span<const double> at) {
  PathBuilder builder(path.dof);
  builder.add_row(std::span(path.control).subspan(path.pieces.front().first, path.dof));
  std::vector<double> shares, times, more_error(path.dof, 0.0);
  for (const PathPiece& piece : path.pieces) {
    shares = {0};
    times = {piece.begin};
    for (auto t = std::ranges::upper_bound(at, piece.begin); t != at.end() && *t < piece.end; ++t) {
      const double share = (*t - piece.begin) / (piece.end - piece.begin);
      const bool room = *t - times.back() >= kShortestPiece && piece.end - *t >= kShortestPiece;
      if (!(share > shares.back() && share < 1 && room)) continue;
      shares.push_back(share);
      times.push_back(*t);
    }
    shares.push_back(1);
    times.push_back(piece.end);
    add_parts(builder, path, piece, shares, times, more_error);
  }
  PathData result = std::move(builder.data());
  for (std::size_t k = 0; k < path.dof; ++k) {
    result.error[k] = bernstein::sum_hi(path.error[k], more_error[k]);
  }
  result.quaternions = path.quaternions;
  return result;
}

/// Copies the rows of a path behind those of the builder, from the second on, and its pieces, later
/// by what its begin is later.
void append(PathBuilder& builder, const PathData& path, double begin) {
  const double first = path.pieces.front().begin;
  for (PathPiece piece : path.pieces) {
    const auto numbers = static_cast<std::size_t>(piece.degree) * path.dof;
    builder.add_row(std::span(path.control).subspan(piece.first + path.dof, numbers));
    // Times that stay as they are must not be rounded.
    if (begin != first) {
      move_times(piece, begin + (piece.begin - first), begin + (piece.end - first));
    }
    builder.add_piece(piece.degree, piece.begin, piece.end);
  }
  for (std::size_t k = 0; k < path.dof; ++k) builder.allow_error(k, path.error[k]);
}

std::span<const double> first_row(const PathData& path) {
  return std::span(path.control).subspan(path.pieces.front().first, path.dof);
}
std::span<const double> last_row(const PathData& path) {
  return std::span(path.control).last(path.dof);
}

/// Rows of half widths for a path of so many pieces.
std::vector<double> tube_rows(const PathData& path) {
  return path.tube.empty() ? std::vector<double>((path.pieces.size() + 1) * path.dof, 0.0)
                           : path.tube;
}

}  // namespace

Path joined(std::span<const Path> paths) {
  rounding::require_mode();
  if (paths.empty()) refuse_path("no path to join");
  const PathData& first = paths.front().data();
  const std::size_t dof = first.dof;
  PathBuilder builder(dof);
  builder.add_row(first_row(first));
  append(builder, first, paths.front().begin());
  const bool has_tube =
      std::ranges::any_of(paths, [](const Path& path) { return !path.data().tube.empty(); });
  std::vector<double> tube = tube_rows(first);
  PathData& data = builder.data();
  data.quaternions = first.quaternions;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const PathData& next = paths[i].data();
    if (next.dof != dof) {
      refuse_path(fmt::format("a path of {} numbers cannot follow one of {}", next.dof, dof));
    }
    const auto from = last_row(data), to = first_row(next);
    for (std::size_t k = 0; k < dof; ++k) {
      if (std::fabs(to[k] - from[k]) <= kLargestGap) continue;
      refuse_path(fmt::format("paths {} and {} do not meet: number {} ends at {} and goes on at {}",
                              i, i + 1, k + 1, from[k], to[k]));
    }
    const double time = data.pieces.back().end;
    const std::vector<double> next_tube = tube_rows(next);
    if (std::ranges::equal(from, to)) {
      // At the border, the wider of the two.
      double* const border = tube.data() + (tube.size() - dof);
      for (std::size_t k = 0; k < dof; ++k) border[k] = std::max(border[k], next_tube[k]);
      tube.insert(tube.end(), next_tube.begin() + static_cast<std::ptrdiff_t>(dof),
                  next_tube.end());
    } else {
      builder.add_row(to);
      builder.add_piece(1, time, time);
      tube.insert(tube.end(), next_tube.begin(), next_tube.end());
    }
    append(builder, next, time);
    for (const std::size_t quaternion : next.quaternions) {
      if (std::ranges::find(data.quaternions, quaternion) == data.quaternions.end()) {
        data.quaternions.push_back(quaternion);
      }
    }
  }
  if (has_tube) data.tube = std::move(tube);
  require_numbers(std::vector<double>{data.pieces.back().end}, "a time");
  return builder.finish();
}

Path retimed(const Path& path, double begin, double factor) {
  rounding::require_mode();
  if (!(factor > 0) || !std::isfinite(factor)) {
    refuse_path(fmt::format("a path cannot take {} times as long", factor));
  }
  auto data = std::make_shared<PathData>(path.data());
  const double first = path.begin();
  for (PathPiece& piece : data->pieces) {
    const double times[] = {begin + (piece.begin - first) * factor,
                            begin + (piece.end - first) * factor};
    require_numbers(times, "a time");
    move_times(piece, times[0], times[1]);
  }
  return Path(std::move(data));
}

Path with_tube(const Path& path, std::span<const double> half_width) {
  rounding::require_mode();
  const double time[] = {path.begin()};
  return with_tube(path, time, half_width);
}

Path with_tube(const Path& path, std::span<const double> times,
               std::span<const double> half_widths) {
  rounding::require_mode();
  const std::size_t dof = path.dof();
  const Tube tube(dof, times, half_widths);
  auto data = std::make_shared<PathData>(divided(path.data(), times));
  const std::vector<PathPiece>& pieces = data->pieces;
  data->tube.resize((pieces.size() + 1) * dof);
  double* const rows = data->tube.data();
  for (std::size_t i = 0; i <= pieces.size(); ++i) {
    const double time = i < pieces.size() ? pieces[i].begin : pieces.back().end;
    for (std::size_t k = 0; k < dof; ++k) rows[i * dof + k] = tube.width_hi(time, k);
  }
  // A time that found no room for a border: both ends of its piece are as wide as the tube there.
  for (std::size_t t = 0; t < times.size(); ++t) {
    const auto next = std::ranges::lower_bound(pieces, times[t], {}, &PathPiece::end);
    if (next == pieces.end() || times[t] <= next->begin || times[t] == next->end) continue;
    double* const row = rows + static_cast<std::size_t>(next - pieces.begin()) * dof;
    for (std::size_t k = 0; k < dof; ++k) {
      row[k] = std::max(row[k], tube.row(t, k));
      row[dof + k] = std::max(row[dof + k], tube.row(t, k));
    }
  }
  return Path(std::move(data));
}

}  // namespace keepclear
