// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of the Python module share. One file binds one header or a few: bind_NAME(module).
//
// Where things are: `keepclear._keepclear` is the compiled module; what it defines calls itself
// `keepclear.NAME`. `keepclear/__init__.py` hands all of it on. Stubs stand in
// keepclear/_keepclear.pyi and in what that takes in whole: _facts.pyi, and _more.pyi with guard,
// watch, sweep, toleranced motions and proofs (each has a .py beside it, to be there at run time
// too). What only holds values (scenes, models of bodies) is a dataclass in
// keepclear/_scene.py, with lists that are lists; casters below read and make them.
//
// Rules: no span or view outlives what it points into; queries of one object a thread are locked;
// long work runs without_gil; what the library would only answer by *undecided* stays so, and what
// it calls a precondition is checked here and is an Error (usage) or a TypeError.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "keepclear/keepclear.hpp"

namespace keepclear::python {

namespace py = pybind11;
using namespace pybind11::literals;

// --- What each file adds -------------------------------------------------------------------------

void bind_enums(py::module_& m);  ///< all enumerations, first: they are default values
void bind_world(py::module_& m);
void bind_scene(py::module_& m);
void bind_distance(py::module_& m);
void bind_path(py::module_& m);
void bind_certify(py::module_& m);
void bind_box(py::module_& m);
void bind_pairs(py::module_& m);
void bind_fit(py::module_& m);
void bind_guard(py::module_& m);
void bind_watch(py::module_& m);
void bind_sweep(py::module_& m);
void bind_toleranced(py::module_& m);
void bind_proof(py::module_& m);

// --- Docstrings ----------------------------------------------------------------------------------

/// A value of an enumeration, as docstrings.py finds it in the headers.
struct EnumValue {
  const char* name;
  long value;
  const char* doc;
};

// DOC(World), DOC(World, neutral): the `///` comment of that name in include/keepclear, from the
// header that docstrings.py writes (include "docstrings.hpp" where DOC is used). A name that is not
// there does not compile; one without a comment is empty. With more to say:
// (DOC(World, neutral) + " Shape (dof,).").c_str() outlives the binding: pybind11 copies it.
#define KEEPCLEAR_DOC_1(a) ::std::string(::keepclear::python::doc::a)
#define KEEPCLEAR_DOC_2(a, b) ::std::string(::keepclear::python::doc::a##_##b)
#define KEEPCLEAR_DOC_3(a, b, c) ::std::string(::keepclear::python::doc::a##_##b##_##c)
#define KEEPCLEAR_DOC_PICK(_1, _2, _3, NAME, ...) NAME
#define DOC_TEXT(...) \
  KEEPCLEAR_DOC_PICK(__VA_ARGS__, KEEPCLEAR_DOC_3, KEEPCLEAR_DOC_2, KEEPCLEAR_DOC_1, )(__VA_ARGS__)
/// As `const char*`, for def() and class_: valid to the end of the full expression.
#define DOC(...) DOC_TEXT(__VA_ARGS__).c_str()

// --- Errors --------------------------------------------------------------------------------------

/// Throws Error (usage).
[[noreturn]] void usage(const std::string& what, const std::string& hint = {});
/// Throw Error (usage) where the value is not that.
void require_not_negative(double value, const char* name);
void require_positive(double value, const char* name);
void require_threads(int threads);

// --- Enumerations: enum.IntEnum in Python, or their names ----------------------------------------

/// The class in Python, and the names. Set by bind_enum, never freed.
struct EnumClass {
  PyObject* type = nullptr;
  std::span<const EnumValue> values{};
  const char* name = "";
};
template <typename E>
inline EnumClass enum_class;

void make_enum(py::module_& m, EnumClass& known, const char* name, const std::string& doc,
               std::span<const EnumValue> values, bool number);
/// False for what is neither of the class nor a string; throws Error (usage) for another string.
bool read_enum(const EnumClass& known, py::handle value, long& result);
py::object write_enum(const EnumClass& known, long value);

/// bind_enum<Verdict>(m, "Verdict", DOC_TEXT(Verdict), doc::Verdict_values). In bind_enums.cpp.
template <typename E>
void bind_enum(py::module_& m, const char* name, const std::string& doc,
               std::span<const EnumValue> values, bool number = true) {
  make_enum(m, enum_class<E>, name, doc, values, number);
}

// --- Arrays --------------------------------------------------------------------------------------

/// A row-major array of doubles that lives as long as this does. Not copied if it was one.
class Doubles {
 public:
  /// Numbers in any form that numpy takes: lists, arrays of integers, of floats. TypeError for what
  /// holds no numbers, Error (usage) for fewer or more dimensions than asked for.
  Doubles(py::handle value, const char* name, py::ssize_t least_dimensions,
          py::ssize_t most_dimensions);
  py::ssize_t dimensions() const { return array_.ndim(); }
  std::size_t shape(py::ssize_t axis) const { return static_cast<std::size_t>(array_.shape(axis)); }
  std::span<const double> span() const {
    return {array_.data(), static_cast<std::size_t>(array_.size())};
  }
  std::span<const double> row(std::size_t i) const;

 private:
  py::array_t<double, py::array::c_style> array_;
};

/// One row of `size` numbers; Error (usage) for another size.
Doubles row_of(py::handle value, const char* name, std::size_t size);
/// The same, or none: an empty span.
std::optional<Doubles> optional_row(const py::object& value, const char* name, std::size_t size);
inline std::span<const double> span_of(const std::optional<Doubles>& row) {
  return row ? row->span() : std::span<const double>();
}
/// One configuration (dof,), or with `most` 2 rows of them (N, dof).
Doubles poses_of(const World& world, py::handle value, const char* name, py::ssize_t most = 2);

/// New arrays, with a copy of what is given: (n,), (n, 2) lower and upper, (n, 3).
py::array_t<double> to_numpy(std::span<const double> values);
py::array_t<double> to_numpy(std::span<const Interval> values);
py::array_t<double> to_numpy(std::span<const Vec3> values);
py::array_t<double> to_numpy(Vec3 value);
/// Points as (N, 3); Error (usage) for another shape or a value that is not finite.
std::vector<Vec3> points_of(py::handle value, const char* name);
/// A joint box: {name: (lower, upper)} (others keep their full range), a pair of arrays (lower,
/// upper), or an array (dof, 2).
JointBox joint_box_of(const World& world, const py::object& value, const char* name);

// --- Worlds and answers --------------------------------------------------------------------------

class QueryPool;

/// A world, and what it was loaded from. This is keepclear.World; take it as `const LoadedWorld&`.
struct LoadedWorld : World {
  LoadedWorld(World world, std::string from, bool is_builtin, LoadOptions options);

  std::string source;                    ///< as given: a file, or the name of a built-in world
  bool builtin = false;                  ///< it is that of a built-in world
  std::shared_ptr<const Scene> scene{};  ///< of a world that was compiled from one
  LoadOptions load{};                    ///< as given
  /// Of certificates: asked for once, then known for good.
  mutable std::optional<std::vector<CertificateFacts::Source>> files{};
  std::shared_ptr<QueryPool> queries;  ///< for single poses
};

/// The names of solids, for answers that outlive their world: in another process.
class Solids {
 public:
  Solids() = default;
  explicit Solids(const World& world) : world_(world) {}
  explicit Solids(std::map<int, std::string> names) : names_(std::move(names)) {}
  /// Empty for -1.
  std::string name(int solid) const;
  /// (name, name), or None where there is no pair.
  py::object pair(int a, int b) const;

 private:
  std::optional<World> world_{};
  std::map<int, std::string> names_{};
};

/// An answer of the library that names solids, with their names.
template <typename T>
struct Answer : T {
  Answer(T value, Solids of) : T(std::move(value)), solids(std::move(of)) {}
  Answer(T value, const World& world) : T(std::move(value)), solids(world) {}
  Solids solids;
};

/// Adds `a`, `b` and `pair` to the class of an Answer.
template <typename T, typename... Rest>
void def_pair(py::class_<Answer<T>, Rest...>& type) {
  type.def_readonly("a", &Answer<T>::a, "Index into World.solids; -1: none.");
  type.def_readonly("b", &Answer<T>::b, "Index into World.solids; -1: none.");
  type.def_property_readonly(
      "pair", [](const Answer<T>& self) { return self.solids.pair(self.a, self.b); },
      "The names of the two, or None.");
}

/// True only where the verdict is free, so that `if world.check(q):` cannot mistake a contact.
template <typename T, typename... Rest>
void def_truth(py::class_<T, Rest...>& type) {
  type.def_property_readonly(
      "free", [](const T& self) { return self.verdict == Verdict::free; }, "The verdict is free.");
  type.def("__bool__", [](const T& self) { return self.verdict == Verdict::free; });
}

/// For repr: `'a' - 'b'`, or `nothing`.
std::string pair_text(const Solids& solids, int a, int b);
/// The shortest text that gives the number again.
std::string number_text(double value);
/// Of a metre, for people: about six digits.
std::string short_text(double value);

// --- Options -------------------------------------------------------------------------------------

/// Keyword arguments, taken one by one. TypeError for a value of another type; done(): for one that
/// was not taken.
class Options {
 public:
  Options(const py::kwargs& arguments, const char* function)
      : rest_(arguments), function_(function) {}

  template <typename T>
  void take(const char* name, T& value) {
    if (!rest_.contains(name)) return;
    const py::object given = rest_.attr("pop")(name);
    try {
      value = given.cast<T>();
    } catch (const py::cast_error&) {
      refuse(name, given);
    }
  }
  py::object take(const char* name) {
    return rest_.contains(name) ? py::object(rest_.attr("pop")(name)) : py::object(py::none());
  }
  void done() const;

 private:
  [[noreturn]] void refuse(const char* name, const py::object& given) const;

  py::dict rest_;
  const char* function_;
};

/// Each takes its own options and leaves the others.
LoadOptions load_options_of(Options& options);
CertifyOptions certify_options_of(Options& options);
BoxOptions box_options_of(Options& options);

/// A path as World.path() takes it: a Path, a file, a task of a built-in world, waypoints (K, dof).
/// `rest` (None: neutral) is for joints that a file does not name.
Path path_of(const LoadedWorld& world, const py::object& value, const py::object& rest);

/// What World.pairs() found.
struct PairsFound {
  World world;
  std::vector<PairOfLinks> pairs;
};

/// Between the dataclasses of keepclear/_scene.py and the structs. False for another object.
bool load_dataclass(py::handle source, Origin& value);
bool load_dataclass(py::handle source, Scene& value);
bool load_dataclass(py::handle source, BodyModel& value);
py::object dataclass_of(const Origin& value);
py::object dataclass_of(const Scene& value);
py::object dataclass_of(const ModelBody& value);
py::object dataclass_of(const BodyModel& value);

// --- Long work -----------------------------------------------------------------------------------

/// Thrown when Python has a signal to handle; its error is set. Only without_gil catches it.
struct Interrupted {};

/// Lets Ctrl-C end long work. check() is for progress callbacks of any thread. Only the thread that
/// made this looks, every 50 ms; from then on it throws Interrupted in all of them.
class Signals {
 public:
  Signals();
  void check();

 private:
  std::thread::id home_;
  std::chrono::steady_clock::time_point next_;
  std::atomic<bool> stopped_{false};
};

/// Runs work() without the GIL. It must touch no Python object. Ctrl-C becomes KeyboardInterrupt
/// where it calls Signals::check().
template <typename Work>
void without_gil(const Work& work) {
  try {
    const py::gil_scoped_release released;
    work();
  } catch (const Interrupted&) {
    throw py::error_already_set();
  }
}

/// A query that Python may call from several threads: one at a time.
template <typename Query>
struct Locked {
  template <typename... Arguments>
  explicit Locked(const World& of, Arguments&&... arguments)
      : world(of), query(world, std::forward<Arguments>(arguments)...) {}
  World world;
  Query query;
  std::mutex mutex{};
};

}  // namespace keepclear::python

// --- Casters -------------------------------------------------------------------------------------

namespace pybind11::detail {

/// Enumerations. Each is bound in bind_enums.cpp.
template <typename E>
struct keepclear_enum_caster {
  bool load(handle source, bool) {
    long found = 0;
    if (!keepclear::python::read_enum(keepclear::python::enum_class<E>, source, found)) {
      return false;
    }
    value = static_cast<E>(found);
    return true;
  }
  static handle cast(E source, return_value_policy, handle) {
    return keepclear::python::write_enum(keepclear::python::enum_class<E>,
                                         static_cast<long>(source))
        .release();
  }

 protected:
  E value{};
};

#define KEEPCLEAR_ENUM(TYPE, NAME)                                   \
  template <>                                                        \
  struct type_caster<TYPE> : keepclear_enum_caster<TYPE> {           \
    static constexpr auto name = const_name(NAME);                   \
    operator TYPE*() { return &value; }                              \
    operator TYPE&() { return value; }                               \
    operator TYPE&&() && { return std::move(value); }                \
    template <typename T_>                                           \
    using cast_op_type = pybind11::detail::movable_cast_op_type<T_>; \
  }

KEEPCLEAR_ENUM(keepclear::Verdict, "Verdict");
KEEPCLEAR_ENUM(keepclear::Method, "Method");
KEEPCLEAR_ENUM(keepclear::Ask, "Ask");
KEEPCLEAR_ENUM(keepclear::PairClass, "PairClass");
KEEPCLEAR_ENUM(keepclear::Around, "Around");
KEEPCLEAR_ENUM(keepclear::UnknownSpace, "UnknownSpace");
KEEPCLEAR_ENUM(keepclear::Shape::Kind, "ShapeKind");
KEEPCLEAR_ENUM(keepclear::LeftOutPair::Why, "LeftOutWhy");
KEEPCLEAR_ENUM(keepclear::Error::Kind, "ErrorKind");
KEEPCLEAR_ENUM(keepclear::Action, "Action");
KEEPCLEAR_ENUM(keepclear::Reason, "Reason");
KEEPCLEAR_ENUM(keepclear::BezierBall, "BezierBall");
KEEPCLEAR_ENUM(keepclear::Element::Kind, "ElementKind");

/// Vec3: a tuple of three; anything of three numbers.
template <>
struct type_caster<keepclear::Vec3> {
  PYBIND11_TYPE_CASTER(keepclear::Vec3, const_name("tuple[float, float, float]"));
  bool load(handle source, bool);
  static handle cast(const keepclear::Vec3& source, return_value_policy, handle);
};

/// The dataclasses of keepclear/_scene.py.
#define KEEPCLEAR_DATACLASS(TYPE, NAME)                                                         \
  template <>                                                                                   \
  struct type_caster<TYPE> {                                                                    \
    PYBIND11_TYPE_CASTER(TYPE, const_name(NAME));                                               \
    bool load(handle source, bool) { return keepclear::python::load_dataclass(source, value); } \
    static handle cast(const TYPE& source, return_value_policy, handle) {                       \
      return keepclear::python::dataclass_of(source).release();                                 \
    }                                                                                           \
  }
KEEPCLEAR_DATACLASS(keepclear::Origin, "Origin");
KEEPCLEAR_DATACLASS(keepclear::Scene, "Scene");
KEEPCLEAR_DATACLASS(keepclear::BodyModel, "BodyModel");

}  // namespace pybind11::detail
