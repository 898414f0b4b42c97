// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear._keepclear: everything in order, and what the library throws as keepclear.Error.
#include "docstrings.hpp"

namespace keepclear::python {
namespace {

void raise(const Error& error) {
  const py::object type = py::module_::import("keepclear._error").attr("Error");
  const py::object made =
      type(error.what(), "kind"_a = error.kind(), "file"_a = error.file(), "line"_a = error.line());
  PyErr_SetObject(type.ptr(), made.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Error& error) {
    try {
      raise(error);
    } catch (py::error_already_set& failed) {
      failed.restore();
    }
  }
}

}  // namespace

/// For keepclear/batch.py.
void bind_rows(py::module_& m);

}  // namespace keepclear::python

PYBIND11_MODULE(_keepclear, m) {
  namespace kp = keepclear::python;
  namespace py = pybind11;
  m.doc() = "The compiled part of keepclear: import that.";
  m.attr("__version__") = keepclear::kVersion;
  py::dict comments;
  for (const auto& [name, text] : kp::doc::comments) comments[name] = text;
  m.attr("_comments") = comments;
  py::register_exception_translator(kp::translate);
  // What is defined here is keepclear.NAME: in messages, and for pickle.
  const py::object name = m.attr("__name__");
  m.attr("__name__") = "keepclear";
  kp::bind_enums(m);
  kp::bind_world(m);
  kp::bind_scene(m);
  kp::bind_distance(m);
  kp::bind_path(m);
  kp::bind_certify(m);
  kp::bind_box(m);
  kp::bind_pairs(m);
  kp::bind_fit(m);
  kp::bind_guard(m);
  kp::bind_watch(m);
  kp::bind_sweep(m);
  kp::bind_toleranced(m);
  kp::bind_proof(m);
  kp::bind_rows(m);
  m.attr("__name__") = name;
}
