// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "keepclear/box.hpp"

namespace keepclear {

struct PathData;

/// A motion: where every number of a configuration is, at each time from begin() to end(). It is
/// made of pieces, each a polynomial of time; neighbours meet. A joint that turns without limit
/// goes as written, several turns included, never the shorter way round. The four numbers of a
/// quaternion are divided by their norm. Const and shared: copies are cheap.
class Path {
 public:
  std::size_t dof() const noexcept;
  double begin() const noexcept;  ///< seconds
  double end() const noexcept;
  std::size_t piece_count() const noexcept;
  /// The highest degree of a piece: 1 for straight lines.
  int degree() const noexcept;

  /// The position at a time, rounded; before the begin and after the end, that of the end nearby.
  std::vector<double> position(double time) const;
  /// Every position in the times [from, to]: an interval for each number that is proved to hold it.
  JointBox range(double from, double to) const;
  /// Every first and second derivative by time there, likewise; at a time between two pieces, those
  /// of both. A piece of no duration has none; before the begin and after the end the path stands
  /// still. Of a quaternion, those of its numbers before they are divided.
  JointBox velocity(double from, double to) const;
  JointBox acceleration(double from, double to) const;
  /// How far each number may be off the path at most, anywhere in [from, to]: the tube. Zeros
  /// without one.
  std::vector<double> tube(double from, double to) const;

  const PathData& data() const noexcept { return *data_; }
  explicit Path(std::shared_ptr<const PathData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const PathData> data_;
};

// Paths are made by these. They throw Error (usage) for numbers that make no path: fewer than two
// waypoints, times that do not grow, rows of different lengths, values that are not finite.

/// Straight lines from waypoint to waypoint: rows of `dof` numbers, one after the other, one for
/// each time.
Path straight_path(std::span<const double> times, std::span<const double> waypoints);
/// One straight line, from time 0 on.
Path line_path(std::span<const double> from, std::span<const double> to, double duration = 1);
/// As ROS controllers interpolate: cubics through positions and velocities, quintics through
/// positions, velocities and accelerations.
Path cubic_path(std::span<const double> times, std::span<const double> positions,
                std::span<const double> velocities);
Path quintic_path(std::span<const double> times, std::span<const double> positions,
                  std::span<const double> velocities, std::span<const double> accelerations);
/// A Bezier curve of control.size() / dof - 1 as its degree, over [begin, end].
Path bezier_path(std::size_t dof, std::span<const double> control, double begin, double end);
/// A B-spline: knots.size() == control.size() / dof + degree + 1, not falling. It is defined over
/// [knots[degree], knots[knots.size() - 1 - degree]].
Path bspline_path(std::size_t dof, int degree, std::span<const double> knots,
                  std::span<const double> control);
/// From rest to rest on a straight line, all joints in step, as fast as all of these allow:
/// speed and acceleration of each number, positive.
Path trapezoidal_path(std::span<const double> from, std::span<const double> to,
                      std::span<const double> speed, std::span<const double> acceleration);
/// One after the other; each begins when the one before ends. They must meet to within 1e-6 of
/// each number; a straight piece of no duration closes what gap is left. Times are rounded.
Path joined(std::span<const Path> paths);
/// The same motion from `begin` on, `factor` (positive) times as long; times are rounded.
Path retimed(const Path& path, double begin, double factor);
/// The same motion with a tube: every number stays within half_width of the path. One width for
/// each number, or a row of them for each time, straight between; outside, as at the nearest time.
/// It takes the place of one that the path had.
Path with_tube(const Path& path, std::span<const double> half_width);
Path with_tube(const Path& path, std::span<const double> times,
               std::span<const double> half_widths);

/// Reads a path for a world: CSV (`time` and joint names; rows are joined by straight lines), JSON
/// or YAML in the form of trajectory_msgs/JointTrajectory, alone or in MoveIt's messages, or with
/// "kind": "straight", "bezier", "bspline" or "trapezoidal"; docs/paths.md has them all. Joints
/// that it does not name stay where `rest` has them (empty: the neutral pose). Throws Error, naming
/// file and place.
Path read_path(const World& world, const std::filesystem::path& file,
               std::span<const double> rest = {});
/// Reads a tube: CSV with `time` and joint names; joints that it does not name have none.
Path with_tube(const World& world, const Path& path, const std::filesystem::path& file);

}  // namespace keepclear
