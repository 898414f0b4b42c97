// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"

// Motions of one body as curves in the space of affine displacements, with a metric that the body
// itself gives (paper 4). docs/theory/displacements.md has the proofs.
namespace keepclear {

/// An affine displacement: takes x to A x + a. Twelve numbers, by rows of 3x4.
struct Affine {
  Mat3 A;
  Vec3 a;

  friend constexpr bool operator==(const Affine&, const Affine&) = default;
};
constexpr Vec3 operator*(const Affine& g, Vec3 x) {
  return g.A * x + g.a;
}
constexpr Affine affine(const Pose& X) {
  return {X.R, X.p};
}

/// The distance of two displacements: the root mean square, over weighted feature points of a body,
/// of how far apart they take a point. In metres. A displacement within R of another takes the
/// point x to within R * distortion(x) of where the other takes it, and anywhere in that ball.
class DisplacementMetric {
 public:
  /// Of points, all of the same weight or with weights of their own (positive). Flat and straight
  /// sets, and a single point, get as much thickness as keeps the distortion of all points given
  /// small. Throws Error (usage) for values that are not finite, for none, and for weights that are
  /// not positive.
  explicit DisplacementMetric(std::span<const Vec3> points, std::span<const double> weights = {});
  /// Of points, with weights that make the largest distortion of them about as small as it can be:
  /// 2, or less for flat sets. With equal weights many points in one place make it larger
  /// elsewhere.
  static DisplacementMetric balanced(std::span<const Vec3> points);

  Vec3 barycentre() const noexcept { return barycentre_; }
  /// The principal axes of the second moments about the barycentre, of length one to within
  /// rounding, and the moments along them: square metres, for a mass of one. These numbers, as they
  /// are, define the metric.
  const std::array<Vec3, 3>& axes() const noexcept { return axes_; }
  const std::array<double, 3>& moments() const noexcept { return moments_; }

  double distance(const Affine& g, const Affine& h) const noexcept;
  /// At least that; infinite for what is not finite.
  double distance_hi(const Affine& g, const Affine& h) const noexcept;

  /// How far a displacement moves x for each metre of distance: (3) of the paper, at least 1.
  double distortion(Vec3 x) const noexcept;
  double distortion_hi(Vec3 x) const noexcept;

  /// Coordinates of x along the axes from the barycentre, and how far each may be off.
  Vec3 coordinates(Vec3 x) const noexcept;
  double coordinate_error_hi(Vec3 x) const noexcept;

 private:
  Vec3 barycentre_;
  std::array<Vec3, 3> axes_;
  std::array<double, 3> moments_;
};

/// The distortion rate along a line, (4): with t metres along it from `foot`,
/// rho0^2 + t^2 / nu^2 is its square.
struct LineMetric {
  double rho0 = 0, nu = 0;
  Vec3 foot, direction;
};
LineMetric line_metric(const DisplacementMetric& metric, Vec3 a, Vec3 b);

/// On a plane, (6): with s and t metres along `axis1` and `axis2`,
/// rho0^2 + s^2 / nu1^2 + t^2 / nu2^2, nu1 >= nu2.
struct PlaneMetric {
  double rho0 = 0, nu1 = 0, nu2 = 0;
  Vec3 foot, axis1, axis2;
};
PlaneMetric plane_metric(const DisplacementMetric& metric, Vec3 a, Vec3 b, Vec3 c);

/// Every displacement within `radius` of `centre`.
struct DisplacementBall {
  Affine centre;
  double radius = 0;
  /// Of a ball around a curve: at least the spectral norm of the matrix of any displacement of the
  /// curve there, or 1 if that is more. What is round about a body, a radius, grows by it.
  double stretch = 1;
};

/// A motion of one body: a continuous curve of displacements, for times from begin() to end().
class DisplacementCurve {
 public:
  virtual ~DisplacementCurve() = default;
  virtual double begin() const noexcept = 0;
  virtual double end() const noexcept = 0;
  /// A ball that is proved to hold every displacement at the times [from, to] of the curve. With
  /// from == to its centre is where the curve is then, and its radius what rounding may be off by.
  /// An infinite radius where nothing is known.
  virtual DisplacementBall ball(const DisplacementMetric& metric, double from, double to) const = 0;
};
using CurvePointer = std::shared_ptr<const DisplacementCurve>;

// Curves are made by these. They throw Error (usage) for what makes no curve: too few points,
// values that are not finite, weights that are not positive, times that do not grow.

/// How a rational Bezier curve is put in balls.
enum class BezierBall {
  middle,    ///< around the point in the middle: the farthest control point is on the ball
  smallest,  ///< the smallest ball around the control points, or next to it
};
/// A rational Bezier curve; degree control.size() - 1 (1 to 32), over [begin, end]. Weights empty:
/// all one. What the control points are, the curve is: it is rigid only if they make it so.
CurvePointer rational_bezier_curve(std::span<const Affine> control, std::span<const double> weights,
                                   double begin = 0, double end = 1,
                                   BezierBall ball = BezierBall::middle);
/// A screw: from `start`, at a constant rate, by `angle` radians about the line through `point`
/// along `axis` (in the world) and `slide` metres along it.
CurvePointer screw_curve(const Pose& start, Vec3 point, Vec3 axis, double angle, double slide,
                         double begin = 0, double end = 1);
/// From pose to pose: the point `centre` of the body (its own coordinates) goes straight, and the
/// body turns about it the shorter way at a constant rate. One time for each pose, growing.
CurvePointer interpolated_curve(std::span<const Pose> poses, std::span<const double> times,
                                Vec3 centre = {});
/// One after the other: each begins when the one before ends, where that ends to within `gap`
/// (metres, of any point within a metre of the body's origin). What the gap is, every ball of the
/// curve is larger by.
CurvePointer joined_curve(std::span<const CurvePointer> parts, double gap = 1e-9);

/// A curve of which only this is known. `at` and `tangent` (any length, not zero) may be rounded:
/// `error` (metres, of the metric) is what `at` is off by at most. `length_hi` is at least its
/// length in the metric, `curvature_hi` at least its curvature (1 / metres) there; it must be twice
/// differentiable. Balls are those of Proposition 2, or the one around the begin that its length
/// gives where that is smaller.
struct BoundedCurve {
  double begin = 0, end = 1;
  std::function<Affine(double time)> at;
  std::function<Affine(double time)> tangent;
  std::function<double(double from, double to)> length_hi, curvature_hi;
  double error = 0;
  double tangent_error = 1e-12;  ///< what the tangent is off by at most, made one metre long
  double stretch = 1;            ///< as a DisplacementBall has it, of all of the curve
};
CurvePointer bounded_curve(BoundedCurve curve);

}  // namespace keepclear
