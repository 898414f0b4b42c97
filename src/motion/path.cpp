// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "keepclear/error.hpp"
#include "motion/path_bernstein.hpp"
#include "motion/path_data.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

using bernstein::Numbers;
using bernstein::Stretch;
using rounding::down;
using rounding::gamma;
using rounding::inflate;
using rounding::kU;
using rounding::up;

/// At most, and at least, the place of a time: whatever is there at that time lies between the two.
/// At a border between pieces, both are met.
double place_lo(const PathData& path, double time) {
  if (!(time > path.pieces.front().begin)) return 0;
  const auto piece = std::ranges::lower_bound(path.pieces, time, {}, &PathPiece::end);
  if (piece == path.pieces.end()) return path.last_place();
  const auto index = static_cast<double>(piece - path.pieces.begin());
  const double share = (time - piece->begin) / (piece->end - piece->begin);
  return std::max(index, down(index + down(share * (1 - 8 * kU))));
}
double place_hi(const PathData& path, double time) {
  if (!(time < path.pieces.back().end)) return path.last_place();
  const auto next = std::ranges::upper_bound(path.pieces, time, {}, &PathPiece::begin);
  if (next == path.pieces.begin()) return 0;
  const PathPiece& piece = *(next - 1);
  const auto index = static_cast<double>(next - 1 - path.pieces.begin());
  const double share = (time - piece.begin) / (piece.end - piece.begin);
  return std::min(index + 1, up(index + up(share * (1 + 8 * kU))));
}

void require_stretch(double from, double to) {
  if (!(from <= to)) {
    throw Error(Error::Kind::usage, "", 0, "a stretch of a path ends before it begins");
  }
}

void include(Interval& range, double lower, double upper) {
  range.lower = std::min(range.lower, lower);
  range.upper = std::max(range.upper, upper);
}

/// What the numbers of unit quaternions can be, given those before the division by the norm.
void divide_by_norm(Interval* q) {
  double least = 0, most = 0;
  for (int i = 0; i < 4; ++i) {
    const double a = std::fabs(q[i].lower), b = std::fabs(q[i].upper);
    const bool around_zero = q[i].lower <= 0 && q[i].upper >= 0;
    const double near = around_zero ? 0 : std::min(a, b), far = std::max(a, b);
    least += near * near;
    most += far * far;
  }
  const double norm_lo = std::max(0.0, std::sqrt(least) * (1 - 16 * kU) - 0x1p-500);
  const double norm_hi = inflate(std::sqrt(most), 8) + 0x1p-500;
  for (int i = 0; i < 4; ++i) {
    const double lower = q[i].lower / (q[i].lower < 0 ? norm_lo : norm_hi);
    const double upper = q[i].upper / (q[i].upper > 0 ? norm_lo : norm_hi);
    if (q[i] == Interval{0, 0}) continue;
    // Not a number, from zero by zero, leaves the whole interval.
    q[i] = {lower > -1 ? std::max(-1.0, down(lower)) : -1,
            upper < 1 ? std::min(1.0, up(upper)) : 1};
  }
}

/// Every derivative of that order, by time, of number k on a part of a piece of some duration.
Interval derivative(const PathData& path, const PathPiece& piece, std::size_t k, int order,
                    double u0, double u1) {
  const Numbers c = bernstein::numbers(path, piece, k);
  const double duration = piece.end - piece.begin;
  double row[kMaxPathDegree + 1], out[kMaxPathDegree + 1] = {};
  for (int i = 0; i <= c.degree; ++i) row[i] = c[i];
  // Differences of differences: each order adds a rounding, of numbers that may be large beside
  // the result.
  double error = 0;
  double factor = 1;
  int degree = c.degree;
  for (int n = 0; n < order; ++n, --degree) {
    if (degree == 0) return {0, 0};
    double magnitude = 0;
    for (int i = 0; i < degree; ++i) {
      row[i] = row[i + 1] - row[i];
      magnitude = std::max(magnitude, std::fabs(row[i]));
    }
    if (error > 0 || magnitude > 0) error = inflate(2 * error + gamma(2) * magnitude, 3);
    factor *= degree / duration;
  }
  double magnitude = 0;
  for (int i = 0; i <= degree; ++i) magnitude = std::max(magnitude, std::fabs(row[i]));
  bernstein::part(row, degree, u0, u1, out);
  const Interval of_part = bernstein::hull(out, degree);
  if (magnitude > 0 && degree > 0) error = up(error + bernstein::lerp_error(degree, magnitude));
  // A polynomial of degree n that stays within e of zero for a duration h has derivatives of at
  // most 2 n^2 e / h, and 4 n^2 (n^2 - 1) e / (3 h^2): Markov's inequality.
  const double square = static_cast<double>(c.degree) * c.degree;
  const double markov =
      order == 1 ? 2 * square / duration : 4 * square * (square - 1) / (3 * duration * duration);
  const double asked = path.error[k] == 0 ? 0 : inflate(markov * path.error[k], 12);
  const double slack = error == 0 ? 0 : inflate(factor * error, 12);
  const auto scaled_lo = [&](double x) {
    return x == 0 ? 0 : x * factor - 16 * kU * std::fabs(x * factor) - 0x1p-1000;
  };
  const auto scaled_hi = [&](double x) {
    return x == 0 ? 0 : x * factor + 16 * kU * std::fabs(x * factor) + 0x1p-1000;
  };
  const double beside = bernstein::sum_hi(slack, asked);
  Interval result{scaled_lo(of_part.lower), scaled_hi(of_part.upper)};
  if (beside > 0) result = {down(result.lower - beside), up(result.upper + beside)};
  return result;
}

JointBox derivatives(const PathData& path, int order, double from, double to) {
  require_stretch(from, to);
  JointBox box(path.dof, Interval{kInfinity, -kInfinity});
  const Stretch stretch(path, place_lo(path, from), place_hi(path, to));
  for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
    const PathPiece& piece = path.pieces[i];
    if (!(piece.end > piece.begin)) continue;
    for (std::size_t k = 0; k < path.dof; ++k) {
      const Interval one = derivative(path, piece, k, order, stretch.from(i), stretch.to(i));
      include(box[k], one.lower, one.upper);
    }
  }
  // Outside it the path stands still.
  const bool outside = from < path.pieces.front().begin || to > path.pieces.back().end;
  for (Interval& range : box) {
    if (outside || range.lower > range.upper) {
      range = {std::min(range.lower, 0.0), std::max(range.upper, 0.0)};
    }
  }
  return box;
}

/// The straight line between two configurations, for points beside it.
class Chord {
 public:
  Chord(const double* from, const double* to, std::size_t dof) : from_(from), to_(to), dof_(dof) {
    for (std::size_t k = 0; k < dof; ++k) length2_ += (to[k] - from[k]) * (to[k] - from[k]);
  }

  bool still(std::size_t k) const { return from_[k] == to_[k]; }
  /// What a number of a point on it can be off by.
  double rounding(std::size_t k) const {
    return bernstein::lerp_error(1, std::max(std::fabs(from_[k]), std::fabs(to_[k])));
  }

  /// Makes `off` at least how far the point is from one on the chord, but for the rounding of the
  /// latter: the nearest, though any would be as true.
  void include(const double* point, double* off) const {
    double along = 0;
    for (std::size_t k = 0; k < dof_; ++k) along += (point[k] - from_[k]) * (to_[k] - from_[k]);
    const double s = share(along);
    for (std::size_t k = 0; k < dof_; ++k) include(k, point[k], s, off);
  }
  /// The same for the control points of a part of a piece but the first, and the last if asked.
  void include(const PathData& path, const PathPiece& piece, double u0, double u1,
               bool without_last, double* off) const {
    double points[kMaxPathDegree + 1], s[kMaxPathDegree + 1] = {};
    for (std::size_t k = 0; k < dof_; ++k) {
      if (still(k)) continue;
      bernstein::part(bernstein::numbers(path, piece, k), u0, u1, points);
      for (int j = 1; j <= piece.degree; ++j) s[j] += (points[j] - from_[k]) * (to_[k] - from_[k]);
    }
    for (int j = 1; j <= piece.degree; ++j) s[j] = share(s[j]);
    const int last = without_last ? piece.degree - 1 : piece.degree;
    for (std::size_t k = 0; k < dof_; ++k) {
      bernstein::part(bernstein::numbers(path, piece, k), u0, u1, points);
      for (int j = 1; j <= last; ++j) include(k, points[j], s[j], off);
    }
  }

 private:
  double share(double along) const {
    const double s = along / length2_;
    return s > 0 ? std::min(s, 1.0) : 0;  // 0 of what is not a number
  }
  void include(std::size_t k, double number, double s, double* off) const {
    const double beside = std::fabs(number - bernstein::lerp(from_[k], to_[k], s));
    if (beside > 0) off[k] = std::max(off[k], up(beside));
  }

  const double *from_, *to_;
  std::size_t dof_;
  double length2_ = 0;
};

}  // namespace

double time_of_place(const PathData& path, double place) noexcept {
  const Stretch at(path, place, place);
  const PathPiece& piece = path.pieces[at.first];
  if (at.first_share == 0) return piece.begin;
  if (at.first_share == 1) return piece.end;
  return std::min(bernstein::lerp(piece.begin, piece.end, at.first_share), piece.end);
}

double place_of_time(const PathData& path, double time) noexcept {
  if (!(time > path.pieces.front().begin)) return 0;
  if (!(time < path.pieces.back().end)) return path.last_place();
  const auto next = std::ranges::upper_bound(path.pieces, time, {}, &PathPiece::begin);
  const PathPiece& piece = *(next - 1);
  const auto index = static_cast<double>(next - 1 - path.pieces.begin());
  return index + std::min(1.0, (time - piece.begin) / (piece.end - piece.begin));
}

void position_at(const PathData& path, double place, double* q) noexcept {
  const Stretch at(path, place, place);
  const PathPiece& piece = path.pieces[at.first];
  for (std::size_t k = 0; k < path.dof; ++k) {
    q[k] = bernstein::value(bernstein::numbers(path, piece, k), at.first_share);
  }
}

void deviation_from_chord(const PathData& path, double a, double b, const double* q_a,
                          const double* q_b, double* off_hi) noexcept {
  const Stretch stretch(path, a, b);
  const std::size_t dof = path.dof;
  const PathPiece& only = path.pieces[stretch.first];
  if (stretch.first == stretch.last && only.degree == 1) {
    // The path is the chord, up to what its ends are off by.
    for (std::size_t k = 0; k < dof; ++k) {
      off_hi[k] = bernstein::sum_hi(bernstein::numbers(path, only, k).error(), path.error[k]);
    }
    return;
  }
  const Chord chord(q_a, q_b, dof);
  std::fill(off_hi, off_hi + dof, 0.0);
  for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
    // A part begins and ends where the chord does, and a piece begins where the last one ended: of
    // a straight piece, its end alone is new.
    const PathPiece& piece = path.pieces[i];
    if (piece.degree == 1) {
      if (i != stretch.last) chord.include(path.control.data() + piece.first + dof, off_hi);
    } else {
      chord.include(path, piece, stretch.from(i), stretch.to(i), i == stretch.last, off_hi);
    }
  }
  // What is not a border of pieces is rounded.
  for (std::size_t k = 0; k < dof; ++k) {
    double rounded = path.error[k];
    if (!chord.still(k)) rounded = bernstein::sum_hi(rounded, chord.rounding(k));
    double ends = 0;
    for (const std::size_t i : {stretch.first, stretch.last}) {
      if (!bernstein::is_rounded(stretch.from(i), stretch.to(i))) continue;
      ends = std::max(ends, bernstein::numbers(path, path.pieces[i], k).error());
    }
    off_hi[k] = bernstein::sum_hi(off_hi[k], bernstein::sum_hi(rounded, ends));
  }
}

void tube_between(const PathData& path, double a, double b, double* width_hi) noexcept {
  std::fill(width_hi, width_hi + path.dof, 0.0);
  if (path.tube.empty()) return;
  const Stretch stretch(path, a, b);
  for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
    const double* row = path.tube.data() + i * path.dof;
    for (std::size_t k = 0; k < path.dof; ++k) {
      const double begin = row[k], end = row[path.dof + k];
      // It grows or falls along the piece: the larger end of the part.
      const double share = begin > end ? stretch.from(i) : stretch.to(i);
      const double most = std::max(begin, end);
      double width = most;
      if (begin != end && share != (begin > end ? 0 : 1)) {
        width =
            std::min(most, up(bernstein::lerp(begin, end, share) + bernstein::lerp_error(1, most)));
      }
      width_hi[k] = std::max(width_hi[k], width);
    }
  }
}

void range_between(const PathData& path, double a, double b, Interval* range) noexcept {
  std::fill(range, range + path.dof, Interval{kInfinity, -kInfinity});
  const Stretch stretch(path, a, b);
  double points[kMaxPathDegree + 1];
  for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
    const PathPiece& piece = path.pieces[i];
    const double u0 = stretch.from(i), u1 = stretch.to(i);
    const bool rounded = bernstein::is_rounded(u0, u1);
    for (std::size_t k = 0; k < path.dof; ++k) {
      const Numbers c = bernstein::numbers(path, piece, k);
      bernstein::part(c, u0, u1, points);
      const Interval of_part = bernstein::hull(points, piece.degree);
      const double error = bernstein::sum_hi(rounded ? c.error() : 0, path.error[k]);
      include(range[k], error == 0 ? of_part.lower : down(of_part.lower - error),
              error == 0 ? of_part.upper : up(of_part.upper + error));
    }
  }
}

std::size_t Path::dof() const noexcept {
  return data_->dof;
}
double Path::begin() const noexcept {
  return data_->pieces.front().begin;
}
double Path::end() const noexcept {
  return data_->pieces.back().end;
}
std::size_t Path::piece_count() const noexcept {
  return data_->pieces.size();
}
int Path::degree() const noexcept {
  return std::ranges::max_element(data_->pieces, {}, &PathPiece::degree)->degree;
}

std::vector<double> Path::position(double time) const {
  rounding::require_mode();
  std::vector<double> q(data_->dof);
  position_at(*data_, place_of_time(*data_, time), q.data());
  for (const std::size_t i : data_->quaternions) {
    const double norm = std::hypot(std::hypot(q[i], q[i + 1]), std::hypot(q[i + 2], q[i + 3]));
    if (!(norm > 0)) continue;
    for (std::size_t k = i; k < i + 4; ++k) q[k] /= norm;
  }
  return q;
}

JointBox Path::range(double from, double to) const {
  rounding::require_mode();
  require_stretch(from, to);
  JointBox box(data_->dof);
  range_between(*data_, place_lo(*data_, from), place_hi(*data_, to), box.data());
  for (const std::size_t i : data_->quaternions) divide_by_norm(box.data() + i);
  return box;
}

JointBox Path::velocity(double from, double to) const {
  rounding::require_mode();
  return derivatives(*data_, 1, from, to);
}

JointBox Path::acceleration(double from, double to) const {
  rounding::require_mode();
  return derivatives(*data_, 2, from, to);
}

std::vector<double> Path::tube(double from, double to) const {
  rounding::require_mode();
  require_stretch(from, to);
  std::vector<double> width(data_->dof);
  tube_between(*data_, place_lo(*data_, from), place_hi(*data_, to), width.data());
  return width;
}

}  // namespace keepclear
