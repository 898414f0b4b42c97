// SPDX-License-Identifier: BSD-3-Clause
//
// Motions of one body: octagons in the manner of paper 4, meshes of many faces, and FCL beside.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "bench/sweep_scene.hpp"
#include "keepclear/toleranced.hpp"

namespace keepclear::bench {

/// A rigid rational Bezier motion of degree eight: the rotation is that of a quaternion curve of
/// degree four, and its squared norm gives the weights, which are positive.
struct RationalMotion {
  std::vector<Affine> control;
  std::vector<double> weights;

  Pose at(double t) const;
  RationalMotion moved(Vec3 by) const;
  CurvePointer curve(BezierBall ball) const;
};

/// From control points of the quaternion curve and of the translation, five and nine of them.
/// Throws where a weight is not positive.
RationalMotion rational_motion(std::span<const Quaternion> turn, std::span<const Vec3> way);
/// How far from rigid the curve is at most, in 1000 places: the largest entry of A^T A - 1.
double rigidity_error(const RationalMotion& motion);

/// A convex octagon around the origin, in the plane z = 0; `stretch` along x and y.
std::vector<Vec3> octagon(double stretch_x, double stretch_y);
/// Of all octagons here, metres: so a hundredth of it is a centimetre.
inline constexpr double kDiameter = 1;

/// A motion on which `moving` tumbles over `standing`, one whole turn, as near to its plane as a
/// motion of this degree can follow; by seed. Zero is the one of the two examples.
RationalMotion tumbling_motion(std::span<const Vec3> moving, std::uint64_t seed);

/// The least distance of two convex polygons on the way, and when: by samples, then golden section.
struct NearestOnWay {
  double distance = 0, time = 0;
};
class PolygonWay {
 public:
  PolygonWay(std::span<const Vec3> moving, std::span<const Vec3> standing);
  NearestOnWay nearest(const RationalMotion& motion, int samples) const;
  /// The same motion, moved up or down until its least distance is `gap`, to 1e-10 metres. With
  /// zero it just touches.
  RationalMotion with_gap(const RationalMotion& motion, double gap) const;

 private:
  double distance(const Pose& X) const;
  Body moving_, standing_;
};

/// FCL on the triangles of two polyhedra, in trees of oriented boxes and swept rectangles (OBBRSS).
class FclMeshes {
 public:
  FclMeshes(const Polyhedron& moving, const Polyhedron& standing);
  ~FclMeshes();
  bool collide(const Pose& X);
  double distance(const Pose& X);
  /// FCL's continuousCollide, by conservative advancement, from pose to pose; the origin of the
  /// body goes straight and the body turns about it at a constant rate.
  struct Advanced {
    bool collides = false;
    double time = 0;
  };
  Advanced advance(const Pose& from, const Pose& to, std::size_t iterations, double time_error);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Poses between which no vertex moves by more than `step`, both ends included.
std::vector<Pose> sampled(const std::function<Pose(double)>& at, std::span<const Vec3> vertices,
                          double step);

/// How far any vertex has gone by a time, at least but for what its way bends in 1/10000.
class WayLength {
 public:
  WayLength(const std::function<Pose(double)>& at, std::span<const Vec3> vertices);
  double whole() const { return length_.back(); }
  /// The last time by which nothing moves by more than `by` from `time` on.
  double after(double time, double by) const;

 private:
  std::vector<double> length_;
};
/// Conservative advancement by hand: from a pose on by as much as FCL's distance there allows,
/// until the end, or until it allows less than `least`.
struct Stepped {
  bool arrived = false;
  std::size_t poses = 0;
};
Stepped step_by_distance(FclMeshes& fcl, const std::function<Pose(double)>& at,
                         const WayLength& way, double least);

/// One question to one contender.
struct TolerancedRow {
  std::string part, motion, contender;
  std::string ball{}, metric{}, ask{};
  bool nested = true;
  double gap = 0, tolerance = 0;
  std::size_t faces = 0;
  std::string verdict{};
  double clearance = 0, distance = 0;
  std::size_t balls = 0, tests = 0, samples = 0;
  int depth = 0;
  double us = 0, build_us = 0;
};
using TolerancedReport = std::function<void(const TolerancedRow&)>;

/// The two examples of the paper in kind, with every variant.
void measure_examples(const TolerancedReport& report);
/// The same motion at gaps from a fifth of the diameter to a ten-thousandth.
void measure_gaps(const TolerancedReport& report);
/// Meshes of a thousand to fifty thousand faces that pass each other.
void measure_faces(const TolerancedReport& report, std::size_t most);
/// For callgrind: a dump for each variant of the examples.
void count_example_instructions();

/// Motions that dip in by less than the tolerance.
struct MissRow {
  double depth_from = 0, depth_to = 0;  ///< metres: how much deeper than where it just touches
  double tolerance = 0;
  std::size_t motions = 0, contact = 0, undecided = 0, free = 0;
  std::size_t fine_contact = 0, fine_undecided = 0;  ///< with a tolerance of a quarter of the depth
  std::size_t fcl_missed = 0;       ///< of those proved in contact: FCL on samples sees nothing
  std::size_t fcl_missed_fine = 0;  ///< nor with steps of a tenth
  std::size_t confirmed = 0;        ///< FCL collides at the time of contact that we name
  double us = 0, fine_us = 0, fcl_us = 0, fcl_fine_us = 0;
  double balls = 0, samples = 0, samples_fine = 0;
};
std::vector<MissRow> measure_misses(std::size_t motions, std::uint64_t seed);

/// The least time of several, in microseconds.
double least_us(const std::function<void()>& run, double seconds = 0.3, int most = 200);

}  // namespace keepclear::bench
