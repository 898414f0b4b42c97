// SPDX-License-Identifier: BSD-3-Clause
#include "motion/path_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/object_motion_file.hpp"
#include "motion/path_data.hpp"
#include "motion/path_make.hpp"
#include "motion/path_rows.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

using json::Array;
using json::Object;
using json::Place;
using json::Value;

/// Paths as JSON or YAML says them.
class TreeReader {
 public:
  TreeReader(const std::string& file, const Kinematics& kinematics, std::span<const double> rest)
      : reader_(file), kinematics_(kinematics), rest_(rest.begin(), rest.end()) {}

  Path read(const Object& top) {
    const Place at;
    if (json::find(top, "kind") != nullptr) return curve(top, at);
    if (json::find(top, "trajectory") != nullptr) return display_trajectory(top, at);
    if (json::find(top, "joint_trajectory") != nullptr) return robot_trajectory(top, at);
    if (json::find(top, "points") != nullptr || json::find(top, "joint_names") != nullptr) {
      return joint_trajectory(top, at);
    }
    reader_.fail(at, "no path: neither 'points' nor 'kind' is there",
                 "a JointTrajectory has 'joint_names' and 'points'");
  }

 private:
  /// A list that may be absent or empty.
  const Array* some(const Object& object, const char* key, const Place& at) const {
    const Value* value = json::find(object, key);
    if (value == nullptr) return nullptr;
    const Array& list = reader_.array(*value, {&at, key});
    return list.empty() ? nullptr : &list;
  }

  Path display_trajectory(const Object& top, const Place& at) {
    reader_.allow_keys(top, {"model_id", "trajectory", "trajectory_start"}, at);
    if (const Value* start = json::find(top, "trajectory_start")) {
      start_state(*start, {&at, "trajectory_start"});
    }
    const Place here{&at, "trajectory"};
    const Array& list = reader_.array(*json::find(top, "trajectory"), here);
    if (list.empty()) reader_.fail(here, "no trajectory");
    std::vector<Path> paths;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Place place{&here, {}, i};
      paths.push_back(robot_trajectory(reader_.object(list[i], place), place));
      // What the next one does not name stays where this one has brought it.
      position_at(paths.back().data(), paths.back().data().last_place(), rest_.data());
    }
    return PathRows(kinematics_, reader_.file()).make_path([&] { return joined(paths); });
  }

  /// Refuses a multi-dof joint that stands elsewhere: it would be left where the world has it.
  void require_no_shift(const Value& value, const Place& at) const {
    const Object& state = reader_.object(value, at);
    const Array* transforms = some(state, "transforms", at);
    if (transforms == nullptr) return;
    const Place list_at{&at, "transforms"};
    for (std::size_t i = 0; i < transforms->size(); ++i) {
      const Place here{&list_at, {}, i};
      const Object& transform = reader_.object((*transforms)[i], here);
      for (const char* part : {"translation", "rotation"}) {
        const Value* numbers = json::find(transform, part);
        if (numbers == nullptr) continue;
        const Place part_at{&here, part};
        for (const json::Member& member : reader_.object(*numbers, part_at)) {
          if (member.key == "w" || reader_.number(member.value, {&part_at, member.key}) == 0) {
            continue;
          }
          reader_.fail(here, "a multi-dof joint that is not at its origin is not read",
                       "say in the scene where the robot stands");
        }
      }
    }
  }

  /// Where MoveIt says that the joints without a trajectory are.
  void start_state(const Value& value, const Place& at) {
    const Object& state = reader_.object(value, at);
    reader_.allow_keys(
        state, {"joint_state", "multi_dof_joint_state", "attached_collision_objects", "is_diff"},
        at);
    if (const Value* multi = json::find(state, "multi_dof_joint_state")) {
      require_no_shift(*multi, {&at, "multi_dof_joint_state"});
    }
    if (some(state, "attached_collision_objects", at) != nullptr) {
      reader_.fail({&at, "attached_collision_objects"}, "attached objects are not read here",
                   "attach them in the scene file");
    }
    const Value* joints = json::find(state, "joint_state");
    if (joints == nullptr) return;
    const Place here{&at, "joint_state"};
    const Object& object = reader_.object(*joints, here);
    const Array* names = some(object, "name", here);
    const Array* positions = some(object, "position", here);
    if (names == nullptr && positions == nullptr) return;
    if (names == nullptr || positions == nullptr || names->size() != positions->size()) {
      reader_.fail(here, "as many names as positions are needed");
    }
    for (std::size_t i = 0; i < names->size(); ++i) {
      const Place name_at{&here, "name"}, name_place{&name_at, {}, i};
      const Place position_at{&here, "position"}, position_place{&position_at, {}, i};
      const std::string& name = reader_.text((*names)[i], name_place);
      if (!followed_joint(kinematics_, name).empty()) continue;
      PathRows one(kinematics_, reader_.file());
      one.add_name(name, name_place.pointer());
      const double number = reader_.number((*positions)[i], position_place);
      if (const std::string fault = one.fault(0, number); !fault.empty()) {
        reader_.fail(position_place, fault);
      }
      rest_[one.variable(0)] = number;
    }
  }

  Path robot_trajectory(const Object& object, const Place& at) {
    reader_.allow_keys(object, {"joint_trajectory", "multi_dof_joint_trajectory"}, at);
    if (const Value* multi = json::find(object, "multi_dof_joint_trajectory")) {
      const Place here{&at, "multi_dof_joint_trajectory"};
      if (some(reader_.object(*multi, here), "points", here) != nullptr) {
        reader_.fail(here, "a motion of multi-dof joints is not read",
                     "give their numbers as joints of 'joint_trajectory'");
      }
    }
    const Place here{&at, "joint_trajectory"};
    return joint_trajectory(reader_.object(reader_.required(object, "joint_trajectory", at), here),
                            here);
  }

  PathRows names(const Object& object, const char* key, const Place& at) const {
    const Place here{&at, key};
    const Array& list = reader_.array(reader_.required(object, key, at), here);
    if (list.empty()) reader_.fail(here, "no joint is named");
    PathRows rows(kinematics_, reader_.file());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Place place{&here, {}, i};
      rows.add_name(reader_.text(list[i], place), place.pointer());
    }
    return rows;
  }

  /// Seconds, as a number or as ROS 1 and 2 write a duration.
  double duration(const Value& value, const Place& at) const {
    double seconds = 0;
    if (const auto* object = std::get_if<Object>(&value.data)) {
      const bool first = json::find(*object, "secs") != nullptr;
      const char* whole = first ? "secs" : "sec";
      const char* part = first ? "nsecs" : "nanosec";
      reader_.allow_keys(*object, {whole, part}, at);
      const double fraction = reader_.number(reader_.required(*object, part, at), {&at, part});
      if (!(fraction >= 0 && fraction < 1e9)) {
        reader_.fail({&at, part}, fmt::format("{} is not from 0 to below 1e9", fraction));
      }
      seconds = reader_.number(reader_.required(*object, whole, at), {&at, whole}) + fraction / 1e9;
    } else {
      seconds = reader_.number(value, at);
    }
    if (!(seconds >= 0)) reader_.fail(at, fmt::format("the time {} is negative", seconds));
    return seconds;
  }

  /// Adds a row of the world to `rows_out`: the numbers of a list, the others as they are in `q`.
  void add_row(const PathRows& rows, const Array& list, const Place& at, std::vector<double> q,
               std::vector<double>& rows_out, bool positions) const {
    if (list.size() != rows.named()) {
      reader_.fail(at, fmt::format("{} numbers for {} joints", list.size(), rows.named()));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Place place{&at, {}, i};
      const double number = reader_.number(list[i], place);
      const std::string fault = positions ? rows.fault(i, number) : std::string();
      if (!fault.empty()) reader_.fail(place, fault);
      q[rows.variable(i)] = number;
    }
    rows_out.insert(rows_out.end(), q.begin(), q.end());
  }
  void require_unit(const PathRows& rows, std::span<const double> q, const Place& at) const {
    if (const std::string fault = rows.fault(q); !fault.empty()) reader_.fail(at, fault);
  }

  Path joint_trajectory(const Object& object, const Place& at) {
    reader_.allow_keys(object, {"header", "joint_names", "points"}, at);
    const PathRows rows = names(object, "joint_names", at);
    const Place list_at{&at, "points"};
    const Array& points = reader_.array(reader_.required(object, "points", at), list_at);
    const std::size_t dof = rows.dof();
    const std::vector<double> still(dof, 0.0);
    std::vector<double> times, positions, velocities, accelerations;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Place here{&list_at, {}, i};
      const Object& point = reader_.object(points[i], here);
      reader_.allow_keys(
          point, {"positions", "velocities", "accelerations", "effort", "time_from_start"}, here);
      const Place time_at{&here, "time_from_start"};
      const double time = duration(reader_.required(point, "time_from_start", here), time_at);
      if (!times.empty() && !(time - times.back() >= kShortestPiece)) {
        reader_.fail(time_at,
                     fmt::format("the time {} does not come after {}", time, times.back()));
      }
      times.push_back(time);
      const Array* given = some(point, "positions", here);
      if (given == nullptr) reader_.fail(here, "'positions' is missing");
      add_row(rows, *given, {&here, "positions"}, rest_, positions, true);
      require_unit(rows, std::span(positions).last(dof), {&here, "positions"});
      derivative(rows, point, "velocities", i, here, still, velocities);
      derivative(rows, point, "accelerations", i, here, still, accelerations);
      if (velocities.empty() && !accelerations.empty()) {
        reader_.fail(here, "accelerations without velocities");
      }
    }
    return rows.make_path([&] {
      if (velocities.empty()) return straight_path(times, positions);
      if (accelerations.empty()) return cubic_path(times, positions, velocities);
      return quintic_path(times, positions, velocities, accelerations);
    });
  }

  /// Either every point has them or none.
  void derivative(const PathRows& rows, const Object& point, const char* key, std::size_t index,
                  const Place& at, const std::vector<double>& still,
                  std::vector<double>& rows_out) const {
    const Array* given = some(point, key, at);
    const bool before = index > 0 && !rows_out.empty();
    if (index > 0 && before != (given != nullptr)) {
      reader_.fail(at,
                   fmt::format("has {}{}, unlike the points before it", before ? "no " : "", key),
                   fmt::format("give {} for all points or for none", key));
    }
    if (given != nullptr) add_row(rows, *given, {&at, key}, still, rows_out, false);
  }

  /// A list of rows, one for each control point or waypoint.
  std::vector<double> matrix(const PathRows& rows, const Object& object, const char* key,
                             const Place& at, bool waypoints) const {
    const Place here{&at, key};
    const Array& list = reader_.array(reader_.required(object, key, at), here);
    std::vector<double> numbers;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Place place{&here, {}, i};
      add_row(rows, reader_.array(list[i], place), place, rest_, numbers, true);
      if (waypoints) require_unit(rows, std::span(numbers).last(rows.dof()), place);
    }
    return numbers;
  }
  std::vector<double> row(const PathRows& rows, const Object& object, const char* key,
                          const Place& at, const std::vector<double>& others, bool position) const {
    const Place here{&at, key};
    std::vector<double> numbers;
    add_row(rows, reader_.array(reader_.required(object, key, at), here), here, others, numbers,
            position);
    if (position) require_unit(rows, numbers, here);
    return numbers;
  }
  std::vector<double> list(const Object& object, const char* key, const Place& at) const {
    const Place here{&at, key};
    std::vector<double> numbers;
    for (const Value& value : reader_.array(reader_.required(object, key, at), here)) {
      numbers.push_back(reader_.number(value, {&here, {}, numbers.size()}));
    }
    return numbers;
  }
  double number(const Object& object, const char* key, const Place& at, double otherwise) const {
    const Value* value = json::find(object, key);
    return value == nullptr ? otherwise : reader_.number(*value, {&at, key});
  }

  Path curve(const Object& top, const Place& at) {
    const Place kind_at{&at, "kind"};
    const std::string& kind = reader_.text(*json::find(top, "kind"), kind_at);
    if (is_object_kind(kind)) {
      reader_.fail(kind_at, fmt::format("'{}' is the motion of an object, not of joints", kind),
                   "joints take straight, bezier, bspline and trapezoidal");
    }
    const bool bspline = kind == "bspline", bezier = kind == "bezier";
    const bool trapezoidal = kind == "trapezoidal";
    if (!bspline && !bezier && !trapezoidal && kind != "straight") {
      reader_.fail(kind_at, fmt::format("unknown kind {}", text::quoted(kind)),
                   "there are straight, bezier, bspline and trapezoidal of joints, and "
                   "rational_bezier, screw and poses of objects");
    }
    json::Names keys{"kind", "joints"};
    if (bspline) {
      keys.insert(keys.end(), {"degree", "knots", "control"});
    } else if (bezier) {
      keys.insert(keys.end(), {"control", "begin", "end"});
    } else if (trapezoidal) {
      keys.insert(keys.end(), {"from", "to", "max_velocity", "max_acceleration"});
    } else {
      keys.insert(keys.end(), {"times", "waypoints"});
    }
    reader_.allow_keys(top, keys, at);
    const PathRows rows = names(top, "joints", at);
    const std::size_t dof = rows.dof();
    Path path = rows.make_path([&] {
      if (bspline) {
        const int of_degree = degree(top, at);
        const std::vector<double> knots = list(top, "knots", at);
        return bspline_path(dof, of_degree, knots, matrix(rows, top, "control", at, false));
      }
      if (bezier) {
        const std::vector<double> control = matrix(rows, top, "control", at, false);
        const double begin = number(top, "begin", at, 0);
        return bezier_path(dof, control, begin, number(top, "end", at, 1));
      }
      if (trapezoidal) {
        const std::vector<double> ones(dof, 1.0);
        const std::vector<double> from = row(rows, top, "from", at, rest_, true);
        const std::vector<double> to = row(rows, top, "to", at, rest_, true);
        const std::vector<double> speed = row(rows, top, "max_velocity", at, ones, false);
        return trapezoidal_path(from, to, speed,
                                row(rows, top, "max_acceleration", at, ones, false));
      }
      const std::vector<double> times = list(top, "times", at);
      const std::vector<double> waypoints = matrix(rows, top, "waypoints", at, true);
      if (waypoints.size() != times.size() * dof) {
        reader_.fail({&at, "waypoints"},
                     fmt::format("{} rows for {} times", waypoints.size() / dof, times.size()));
      }
      return straight_path(times, waypoints);
    });
    std::vector<double> q(dof);
    for (const double place : {0.0, path.data().last_place()}) {
      position_at(path.data(), place, q.data());
      if (const std::string fault = rows.fault(q); !fault.empty()) {
        reader_.fail(at, fmt::format("at the {}, {}", place == 0 ? "begin" : "end", fault));
      }
    }
    return path;
  }

  int degree(const Object& top, const Place& at) const {
    const double given = reader_.number(reader_.required(top, "degree", at), {&at, "degree"});
    if (!(given >= 1 && given <= kMaxPathDegree) || given != std::floor(given)) {
      reader_.fail({&at, "degree"}, fmt::format("must be a whole number from 1 to {}, is {}",
                                                kMaxPathDegree, given));
    }
    return static_cast<int>(given);
  }

  json::Reader reader_;
  const Kinematics& kinematics_;
  std::vector<double> rest_;
};

}  // namespace

const json::Names& path_keys() {
  static const json::Names keys{"header",
                                "joint_names",
                                "points",
                                "joint_trajectory",
                                "multi_dof_joint_trajectory",
                                "model_id",
                                "trajectory",
                                "trajectory_start",
                                "kind",
                                "joints",
                                "degree",
                                "knots",
                                "control",
                                "begin",
                                "end",
                                "from",
                                "to",
                                "max_velocity",
                                "max_acceleration",
                                "times",
                                "waypoints",
                                "object",
                                "weights",
                                "pieces",
                                "gap",
                                "balls",
                                "start",
                                "point",
                                "axis",
                                "angle",
                                "slide",
                                "poses",
                                "centre",
                                "deviation"};
  return keys;
}

Path path_of_tree(const Object& top, const std::string& file, const Kinematics& kinematics,
                  std::span<const double> rest) {
  return TreeReader(file, kinematics, rest).read(top);
}

}  // namespace keepclear
