// SPDX-License-Identifier: BSD-3-Clause
//
// What bind.hpp promises: errors, enumerations, arrays, names, signals.
#include "bind.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace keepclear::python {

// --- Errors --------------------------------------------------------------------------------------

void usage(const std::string& what, const std::string& hint) {
  throw Error(Error::Kind::usage, "", 0, what, hint);
}

void require_not_negative(double value, const char* name) {
  if (!(value >= 0)) usage(std::string(name) + " is " + short_text(value), "it is zero or more");
}

void require_positive(double value, const char* name) {
  if (!(value > 0)) usage(std::string(name) + " is " + short_text(value), "it is more than zero");
}

void require_threads(int threads) {
  constexpr int kMost = 1024;
  if (threads < 0 || threads > kMost) {
    usage("threads is " + std::to_string(threads), "0 is one for each core, the most is 1024");
  }
}

void Options::done() const {
  if (rest_.empty()) return;
  const std::string name = py::str((*rest_.begin()).first);
  throw py::type_error(std::string(function_) + "() got an unexpected keyword argument '" + name +
                       "'");
}

void Options::refuse(const char* name, const py::object& given) const {
  const std::string type = py::str(py::type::of(given).attr("__name__"));
  throw py::type_error(std::string(function_) + "(): " + name + " cannot be of type '" + type +
                       "' or have this value: " + std::string(py::repr(given)));
}

// --- Enumerations --------------------------------------------------------------------------------

void make_enum(py::module_& m, EnumClass& known, const char* name, const std::string& doc,
               std::span<const EnumValue> values, bool number) {
  py::list members;
  std::string text = doc + "\n";
  for (const EnumValue& value : values) {
    members.append(py::make_tuple(value.name, value.value));
    text += "\n" + std::string(value.name) + (*value.doc == '\0' ? "" : ": ") + value.doc;
  }
  py::object type = py::module_::import("enum").attr(number ? "IntEnum" : "Enum")(
      name, members, "module"_a = "keepclear");
  type.attr("__doc__") = text;
  // Printed by name: an IntEnum is a number there.
  type.attr("__str__") = py::cpp_function([](const py::object& self) { return self.attr("name"); },
                                          py::is_method(type));
  type.attr("__format__") = py::module_::import("enum").attr("Enum").attr("__format__");
  m.attr(name) = type;
  known.values = values;
  known.name = name;
  known.type = type.release().ptr();
}

bool read_enum(const EnumClass& known, py::handle value, long& result) {
  if (known.type != nullptr && PyObject_IsInstance(value.ptr(), known.type) == 1) {
    result = value.attr("value").cast<long>();
    return true;
  }
  if (!py::isinstance<py::str>(value)) return false;
  const auto name = value.cast<std::string>();
  std::string names;
  for (const EnumValue& each : known.values) {
    if (name == each.name) {
      result = each.value;
      return true;
    }
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  usage(std::string(known.name) + " has no '" + name + "'", "it has " + names);
}

py::object write_enum(const EnumClass& known, long value) {
  return py::reinterpret_borrow<py::object>(known.type)(value);
}

// --- Arrays --------------------------------------------------------------------------------------

namespace {

std::string shape_text(const py::array& array) {
  std::string text;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(array.shape(i));
  }
  return "(" + text + (array.ndim() == 1 ? ",)" : ")");
}

/// What stands under a mask was not measured, or not meant. In lists of lists too.
void refuse_mask(py::handle value, const char* name, int depth = 0) {
  static const PyTypeObject* const plain = py::detail::npy_api::get().PyArray_Type_;
  const PyTypeObject* const type = Py_TYPE(value.ptr());
  if (type == plain || type == &PyFloat_Type || type == &PyLong_Type) return;
  if (py::hasattr(value, "mask")) {
    throw py::type_error(std::string(name) + " has a mask: some of its numbers are none");
  }
  // Nothing here has more dimensions; numpy refuses what has.
  constexpr int kDeep = 8;
  if ((type != &PyList_Type && type != &PyTuple_Type) || depth == kDeep) return;
  for (const py::handle item : py::reinterpret_borrow<py::sequence>(value)) {
    refuse_mask(item, name, depth + 1);
  }
}

}  // namespace

Doubles::Doubles(py::handle value, const char* name, py::ssize_t least_dimensions,
                 py::ssize_t most_dimensions) {
  refuse_mask(value, name);
  py::array array;
  if (py::isinstance<py::array>(value)) {
    array = py::reinterpret_borrow<py::array>(value);
  } else if (py::isinstance<py::str>(value) || py::isinstance<py::bytes>(value) ||
             value.is_none()) {
    throw py::type_error(std::string(name) + " is no array of numbers");
  } else {
    // Rows of different lengths are an error of numpy or a warning, and objects then.
    PyObject* made = py::detail::npy_api::get().PyArray_FromAny_(
        value.ptr(), nullptr, 0, 0, py::detail::npy_api::NPY_ARRAY_ENSUREARRAY_, nullptr);
    if (made == nullptr) {
      PyErr_Clear();
      throw py::type_error(std::string(name) + " is no array of numbers, all rows of one length");
    }
    array = py::reinterpret_steal<py::array>(made);
  }
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && array.size() > 0) {
    throw py::type_error(std::string(name) + " is no array of numbers, but of " +
                         std::string(py::str(array.dtype())));
  }
  if (array.ndim() < least_dimensions || array.ndim() > most_dimensions) {
    std::string asked = std::to_string(least_dimensions);
    if (most_dimensions > least_dimensions) asked += " or " + std::to_string(most_dimensions);
    usage(std::string(name) + " has shape " + shape_text(array), "it has " + asked + " dimensions");
  }
  array_ = py::array_t<double, py::array::c_style>::ensure(array);
  if (!array_) {
    // An array of long doubles, say, that is not a double without being told so.
    PyErr_Clear();
    array_ = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  }
  if (!array_) {
    PyErr_Clear();
    throw py::type_error(std::string(name) + " is no array of numbers");
  }
}

std::span<const double> Doubles::row(std::size_t i) const {
  const std::size_t size = shape(dimensions() - 1);
  return span().subspan(i * size, size);
}

Doubles row_of(py::handle value, const char* name, std::size_t size) {
  Doubles row(value, name, 1, 1);
  if (row.shape(0) != size) {
    usage(std::string(name) + " has " + std::to_string(row.shape(0)) + " numbers",
          "it has " + std::to_string(size));
  }
  return row;
}

std::optional<Doubles> optional_row(const py::object& value, const char* name, std::size_t size) {
  if (value.is_none()) return std::nullopt;
  return row_of(value, name, size);
}

Doubles poses_of(const World& world, py::handle value, const char* name, py::ssize_t most) {
  Doubles poses(value, name, 1, most);
  const std::size_t size = poses.shape(poses.dimensions() - 1);
  if (size != world.dof()) {
    usage(std::string(name) + " has " + std::to_string(size) + " numbers a configuration",
          "the world has " + std::to_string(world.dof()) + ": world.joints names them");
  }
  return poses;
}

py::array_t<double> to_numpy(std::span<const double> values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<double> to_numpy(std::span<const Interval> values) {
  py::array_t<double> result({static_cast<py::ssize_t>(values.size()), py::ssize_t{2}});
  double* place = result.mutable_data();
  for (const Interval& interval : values) {
    *place++ = interval.lower;
    *place++ = interval.upper;
  }
  return result;
}

py::array_t<double> to_numpy(std::span<const Vec3> values) {
  py::array_t<double> result({static_cast<py::ssize_t>(values.size()), py::ssize_t{3}});
  double* place = result.mutable_data();
  for (const Vec3& point : values) {
    *place++ = point.x;
    *place++ = point.y;
    *place++ = point.z;
  }
  return result;
}

py::array_t<double> to_numpy(Vec3 value) {
  const std::array<double, 3> numbers = {value.x, value.y, value.z};
  return to_numpy(std::span<const double>(numbers));
}

std::vector<Vec3> points_of(py::handle value, const char* name) {
  if (py::isinstance<py::sequence>(value) && py::len(value) == 0) return {};
  const Doubles rows(value, name, 2, 2);
  if (rows.shape(0) > 0 && rows.shape(1) != 3) {
    usage(std::string(name) + " has rows of " + std::to_string(rows.shape(1)) + " numbers",
          "points have three");
  }
  std::vector<Vec3> points(rows.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = rows.row(i);
    points[i] = {row[0], row[1], row[2]};
    if (!is_finite(points[i])) {
      usage(std::string(name) + ": point " + std::to_string(i) + " is not finite");
    }
  }
  return points;
}

JointBox joint_box_of(const World& world, const py::object& value, const char* name) {
  if (py::isinstance<py::dict>(value)) {
    JointBox box = full_range(world);
    for (const auto& [key, ends] : py::reinterpret_borrow<py::dict>(value)) {
      const auto joint = py::str(key).cast<std::string>();
      const auto found = std::ranges::find(world.variables(), joint, &Variable::name);
      if (found == world.variables().end()) {
        usage(std::string(name) + ": the world has no joint '" + joint + "'",
              "world.joints names them");
      }
      const Doubles pair = row_of(ends, (name + (": " + joint)).c_str(), 2);
      box[static_cast<std::size_t>(found - world.variables().begin())] = {pair.span()[0],
                                                                          pair.span()[1]};
    }
    return box;
  }
  JointBox box(world.dof());
  if (py::isinstance<py::tuple>(value) && py::len(value) == 2) {
    if (world.dof() == 2) {
      usage(std::string(name) + ": two pairs may be the joints, or lower and upper",
            "name the joints: {joint: (lower, upper)}");
    }
    const auto both = py::reinterpret_borrow<py::tuple>(value);
    const Doubles lower = row_of(both[0], "lower", world.dof());
    const Doubles upper = row_of(both[1], "upper", world.dof());
    for (std::size_t i = 0; i < box.size(); ++i) box[i] = {lower.span()[i], upper.span()[i]};
    return box;
  }
  const Doubles rows(value, name, 2, 2);
  if (rows.shape(0) != world.dof() || rows.shape(1) != 2) {
    usage(std::string(name) + " is no box of this world",
          "it has shape (" + std::to_string(world.dof()) + ", 2): lower and upper of each joint");
  }
  for (std::size_t i = 0; i < box.size(); ++i) box[i] = {rows.row(i)[0], rows.row(i)[1]};
  return box;
}

// --- Names and numbers ---------------------------------------------------------------------------

std::string Solids::name(int solid) const {
  if (solid < 0) return {};
  if (world_) {
    const auto all = world_->solids();
    return static_cast<std::size_t>(solid) < all.size() ? all[static_cast<std::size_t>(solid)].name
                                                        : std::string();
  }
  const auto found = names_.find(solid);
  return found == names_.end() ? std::string() : found->second;
}

py::object Solids::pair(int a, int b) const {
  if (a < 0 && b < 0) return py::none();
  return py::make_tuple(name(a), name(b));
}

std::string pair_text(const Solids& solids, int a, int b) {
  if (a < 0 && b < 0) return "nothing";
  return "'" + solids.name(a) + "' - '" + solids.name(b) + "'";
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string short_text(double value) {
  constexpr int kDigits = 6;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, kDigits);
  return {text.data(), end.ptr};
}

// --- Signals -------------------------------------------------------------------------------------

namespace {
constexpr std::chrono::milliseconds kBetweenSignals{50};
}

Signals::Signals()
    : home_(std::this_thread::get_id()),
      next_(std::chrono::steady_clock::now() + kBetweenSignals) {}

void Signals::check() {
  if (stopped_) throw Interrupted();
  if (std::this_thread::get_id() != home_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kBetweenSignals;
  const py::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() == 0) return;
  stopped_ = true;
  throw Interrupted();
}

}  // namespace keepclear::python

namespace pybind11::detail {

bool type_caster<keepclear::Vec3>::load(handle source, bool) {
  if (!isinstance<sequence>(source) && !isinstance<array>(source)) return false;
  if (isinstance<str>(source) || isinstance<bytes>(source)) return false;
  const keepclear::python::Doubles numbers(source, "a point", 1, 1);
  if (numbers.shape(0) != 3) {
    keepclear::python::usage("a point has " + std::to_string(numbers.shape(0)) + " numbers",
                             "it has three");
  }
  const auto span = numbers.span();
  value = {span[0], span[1], span[2]};
  return true;
}

handle type_caster<keepclear::Vec3>::cast(const keepclear::Vec3& source, return_value_policy,
                                          handle) {
  return make_tuple(source.x, source.y, source.z).release();
}

}  // namespace pybind11::detail
