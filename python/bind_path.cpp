// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <system_error>

#include "docstrings.hpp"
#include "motion/path_data.hpp"
#include "motion/path_file.hpp"
#include "scene/world.hpp"

namespace keepclear::python {
namespace {

namespace fs = std::filesystem;

// --- Making paths --------------------------------------------------------------------------------

/// Rows (K, dof).
Doubles rows_of(const py::object& value, const char* name) {
  Doubles rows(value, name, 2, 2);
  if (rows.shape(1) == 0) usage(std::string(name) + " has rows of no numbers");
  return rows;
}

/// One row for each time, all of one length.
void require_rows(const Doubles& times, const Doubles& rows, const Doubles& first,
                  const char* name) {
  if (rows.shape(0) != times.shape(0) || rows.shape(1) != first.shape(1)) {
    usage(std::string(name) + " has shape (" + std::to_string(rows.shape(0)) + ", " +
              std::to_string(rows.shape(1)) + ")",
          "there are " + std::to_string(times.shape(0)) + " times and " +
              std::to_string(first.shape(1)) + " joints");
  }
}

Path make_straight(const py::object& times, const py::object& waypoints) {
  const Doubles at(times, "times", 1, 1), rows = rows_of(waypoints, "waypoints");
  require_rows(at, rows, rows, "waypoints");
  return straight_path(at.span(), rows.span());
}

Path make_cubic(const py::object& times, const py::object& positions,
                const py::object& velocities) {
  const Doubles at(times, "times", 1, 1);
  const Doubles p = rows_of(positions, "positions"), v = rows_of(velocities, "velocities");
  require_rows(at, p, p, "positions");
  require_rows(at, v, p, "velocities");
  return cubic_path(at.span(), p.span(), v.span());
}

Path make_quintic(const py::object& times, const py::object& positions,
                  const py::object& velocities, const py::object& accelerations) {
  const Doubles at(times, "times", 1, 1);
  const Doubles p = rows_of(positions, "positions"), v = rows_of(velocities, "velocities");
  const Doubles a = rows_of(accelerations, "accelerations");
  require_rows(at, p, p, "positions");
  require_rows(at, v, p, "velocities");
  require_rows(at, a, p, "accelerations");
  return quintic_path(at.span(), p.span(), v.span(), a.span());
}

Path make_line(const py::object& start, const py::object& end, double duration) {
  const Doubles from(start, "start", 1, 1), to = row_of(end, "end", from.shape(0));
  return line_path(from.span(), to.span(), duration);
}

Path make_bezier(const py::object& control, double begin, double end) {
  const Doubles rows = rows_of(control, "control");
  return bezier_path(rows.shape(1), rows.span(), begin, end);
}

Path make_bspline(int degree, const py::object& knots, const py::object& control) {
  const Doubles at(knots, "knots", 1, 1), rows = rows_of(control, "control");
  return bspline_path(rows.shape(1), degree, at.span(), rows.span());
}

Path make_trapezoidal(const py::object& start, const py::object& end, const py::object& speed,
                      const py::object& acceleration) {
  const Doubles from(start, "start", 1, 1);
  const std::size_t dof = from.shape(0);
  const Doubles to = row_of(end, "end", dof), fast = row_of(speed, "speed", dof);
  const Doubles hard = row_of(acceleration, "acceleration", dof);
  return trapezoidal_path(from.span(), to.span(), fast.span(), hard.span());
}

Path tube_of_widths(const Path& path, const py::object& half_width) {
  return with_tube(path, row_of(half_width, "half_width", path.dof()).span());
}

Path tube_over_times(const Path& path, const py::object& times, const py::object& half_widths) {
  const Doubles at(times, "times", 1, 1), rows = rows_of(half_widths, "half_widths");
  if (rows.shape(0) != at.shape(0) || rows.shape(1) != path.dof()) {
    usage("half_widths has no row of " + std::to_string(path.dof()) + " numbers for each time");
  }
  return with_tube(path, at.span(), rows.span());
}

// --- Asking paths --------------------------------------------------------------------------------

py::array_t<double> positions(const Path& path, const py::object& time) {
  const Doubles times(time, "time", 0, 1);
  const auto check = [](double at) {
    if (at != at) usage("time is not a number");
  };
  if (times.dimensions() == 0) {
    check(times.span()[0]);
    return to_numpy(path.position(times.span()[0]));
  }
  py::array_t<double> result(
      {static_cast<py::ssize_t>(times.shape(0)), static_cast<py::ssize_t>(path.dof())});
  double* place = result.mutable_data();
  for (const double at : times.span()) {
    check(at);
    place = std::ranges::copy(path.position(at), place).out;
  }
  return result;
}

void require_times(double start, double stop) {
  if (!(start <= stop)) {
    usage("from " + short_text(start) + " to " + short_text(stop) + " is no stretch of time");
  }
}

template <JointBox (Path::*Range)(double, double) const>
py::array_t<double> box_over(const Path& path, double start, double stop) {
  require_times(start, stop);
  return to_numpy((path.*Range)(start, stop));
}

std::string path_text(const Path& path) {
  return "Path(dof=" + std::to_string(path.dof()) + ", " + short_text(path.begin()) + " to " +
         short_text(path.end()) + " s, " + std::to_string(path.piece_count()) +
         (path.piece_count() == 1 ? " piece" : " pieces") + ", degree " +
         std::to_string(path.degree()) + ")";
}

// --- Pickle: the numbers of the pieces -----------------------------------------------------------

py::tuple path_state(const Path& path) {
  const PathData& data = path.data();
  std::vector<double> times;
  std::vector<std::pair<int, std::size_t>> pieces;
  for (const PathPiece& piece : data.pieces) {
    times.insert(times.end(), {piece.begin, piece.end});
    pieces.emplace_back(piece.degree, piece.first);
  }
  return py::make_tuple(data.dof, to_numpy(times), pieces, to_numpy(data.control),
                        to_numpy(data.error), to_numpy(data.tube), data.quaternions);
}

std::vector<double> numbers(const py::handle& value) {
  const Doubles row(value, "state", 1, 1);
  return {row.span().begin(), row.span().end()};
}

Path path_from(const py::tuple& state) {
  auto data = std::make_shared<PathData>();
  data->dof = state[0].cast<std::size_t>();
  const std::vector<double> times = numbers(state[1]);
  const auto pieces = state[2].cast<std::vector<std::pair<int, std::size_t>>>();
  data->control = numbers(state[3]);
  data->error = numbers(state[4]);
  data->tube = numbers(state[5]);
  data->quaternions = state[6].cast<std::vector<std::size_t>>();
  const std::size_t dof = data->dof, size = data->control.size();
  bool fits = !pieces.empty() && times.size() == 2 * pieces.size() && data->error.size() == dof &&
              (data->tube.empty() || data->tube.size() == (pieces.size() + 1) * dof);
  for (std::size_t i = 0; fits && i < pieces.size(); ++i) {
    const auto [degree, first] = pieces[i];
    fits = degree >= 0 && degree <= kMaxPathDegree && first <= size &&
           static_cast<std::size_t>(degree + 1) * dof <= size - first;
    data->pieces.push_back({times[2 * i], times[2 * i + 1], degree, first});
  }
  for (const std::size_t q : data->quaternions) fits = fits && q + 4 <= dof;
  if (!fits) usage("this is no pickled path");
  return Path(std::move(data));
}

// --- Paths of a world ----------------------------------------------------------------------------

/// The tasks that come with a built-in world.
std::span<const BuiltinWorld::Task> tasks_of(const LoadedWorld& world) {
  const auto worlds = builtin_worlds();
  const auto found = std::ranges::find(worlds, world.source, &BuiltinWorld::name);
  if (!world.builtin || found == worlds.end()) return {};
  return found->tasks;
}

Path path_of_file(const LoadedWorld& world, const fs::path& file, const py::object& rest) {
  const std::optional<Doubles> given = optional_row(rest, "rest", world.dof());
  std::error_code ignored;
  const auto tasks = tasks_of(world);
  std::optional<Path> path;
  if (tasks.empty() || fs::exists(file, ignored)) {
    without_gil([&] { path = read_path(world, file, span_of(given)); });
    return *path;
  }
  std::string names;
  for (const BuiltinWorld::Task& task : tasks) {
    if (task.name == file.string()) {
      const std::vector<double> neutral = world.neutral();
      without_gil([&] {
        path = parse_path(task.csv, task.name, world.data().kinematics,
                          given ? given->span() : std::span<const double>(neutral));
      });
      return *path;
    }
    names += (names.empty() ? "tasks of " + world.source + ": " : ", ") + task.name;
  }
  throw Error(Error::Kind::missing, file.string(), 0, "no such file, and no task", names);
}

Path path_of_rows(const LoadedWorld& world, const py::object& value) {
  const Doubles rows = rows_of(value, "path");
  if (rows.shape(1) != world.dof()) {
    usage("path has rows of " + std::to_string(rows.shape(1)) + " numbers",
          "the world has " + std::to_string(world.dof()) + ": world.joints names them");
  }
  std::vector<double> times(rows.shape(0));
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(i);
  return straight_path(times, rows.span());
}

bool is_file(const py::object& value) {
  return py::isinstance<py::str>(value) || py::isinstance<py::bytes>(value) ||
         py::hasattr(value, "__fspath__");
}

}  // namespace

Path path_of(const LoadedWorld& world, const py::object& value, const py::object& rest) {
  if (py::isinstance<Path>(value)) {
    Path path = value.cast<Path>();
    if (path.dof() != world.dof()) {
      usage("path has " + std::to_string(path.dof()) + " numbers a configuration",
            "the world has " + std::to_string(world.dof()));
    }
    return path;
  }
  return is_file(value) ? path_of_file(world, value.cast<fs::path>(), rest)
                        : path_of_rows(world, value);
}

void bind_path(py::module_& m) {
  py::class_<Path>(m, "Path", DOC(Path))
      .def_property_readonly("dof", &Path::dof)
      .def_property_readonly("begin", &Path::begin, DOC(Path, begin))
      .def_property_readonly("end", &Path::end, DOC(Path, begin))
      .def_property_readonly("piece_count", &Path::piece_count)
      .def_property_readonly("degree", &Path::degree, DOC(Path, degree))
      .def("position", positions, "time"_a,
           (DOC_TEXT(Path, position) + " Shape (dof,); of T times (T, dof).").c_str())
      .def("range", box_over<&Path::range>, "start"_a, "stop"_a,
           (DOC_TEXT(Path, range) + " Shape (dof, 2): lower and upper.").c_str())
      .def("velocity", box_over<&Path::velocity>, "start"_a, "stop"_a,
           (DOC_TEXT(Path, velocity) + " Shape (dof, 2): lower and upper.").c_str())
      .def("acceleration", box_over<&Path::acceleration>, "start"_a, "stop"_a,
           (DOC_TEXT(Path, acceleration) + " Shape (dof, 2): lower and upper.").c_str())
      .def(
          "tube",
          [](const Path& path, double start, double stop) {
            require_times(start, stop);
            return to_numpy(path.tube(start, stop));
          },
          "start"_a, "stop"_a, (DOC_TEXT(Path, tube) + " Shape (dof,).").c_str())
      .def("__repr__", path_text)
      .def(py::pickle(&path_state, &path_from));
  m.def("straight_path", make_straight, "times"_a, "waypoints"_a, DOC(straight_path));
  m.def("line_path", make_line, "start"_a, "end"_a, "duration"_a = 1.0, DOC(line_path));
  m.def("cubic_path", make_cubic, "times"_a, "positions"_a, "velocities"_a, DOC(cubic_path));
  m.def("quintic_path", make_quintic, "times"_a, "positions"_a, "velocities"_a, "accelerations"_a,
        DOC(cubic_path));
  m.def("bezier_path", make_bezier, "control"_a, "begin"_a = 0.0, "end"_a = 1.0,
        "A Bezier curve through control points (degree + 1, dof), over [begin, end].");
  m.def("bspline_path", make_bspline, "degree"_a, "knots"_a, "control"_a,
        "A B-spline with control points (C, dof) and C + degree + 1 knots, not falling. It is "
        "defined over [knots[degree], knots[len(knots) - 1 - degree]].");
  m.def("trapezoidal_path", make_trapezoidal, "start"_a, "end"_a, "speed"_a, "acceleration"_a,
        DOC(trapezoidal_path));
  m.def(
      "joined", [](const std::vector<Path>& paths) { return joined(paths); }, "paths"_a,
      DOC(joined));
  m.def("retimed", &retimed, "path"_a, "begin"_a, "factor"_a, DOC(retimed));
  m.def("with_tube", tube_of_widths, "path"_a, "half_width"_a, DOC(with_tube));
  m.def("with_tube", tube_over_times, "path"_a, "times"_a, "half_widths"_a);
  m.def(
      "with_tube",
      [](const LoadedWorld& world, const Path& path, const fs::path& file) {
        return with_tube(world, path, file);
      },
      "world"_a, "path"_a, "file"_a);
  m.def(
      "read_path",
      [](const LoadedWorld& world, const fs::path& file, const py::object& rest) {
        return read_path(world, file, span_of(optional_row(rest, "rest", world.dof())));
      },
      "world"_a, "file"_a, "rest"_a = py::none(), DOC(read_path));
  py::class_<LoadedWorld>(py::object(m.attr("World")))
      .def(
          "path",
          [](const LoadedWorld& world, const py::object& path, const py::object& rest) {
            return path_of(world, path, rest);
          },
          "path"_a, py::kw_only(), "rest"_a = py::none(),
          "A Path from what certify() takes as one: a Path, a file, the name of a task of a "
          "built-in world, or waypoints (K, dof), a second apart and joined by straight lines. "
          "Joints that a file does not name stay where `rest` has them (None: the neutral pose).");
}

}  // namespace keepclear::python
