// SPDX-License-Identifier: BSD-3-Clause
#include "docstrings.hpp"

namespace keepclear::python {

void bind_enums(py::module_& m) {
  // No number: numpy takes every number but zero as true, and a contact must not be. It compares as
  // the numbers in arrays of verdicts do.
  bind_enum<Verdict>(m, "Verdict", doc::Verdict, doc::Verdict_values, false);
  const py::object verdict = m.attr("Verdict");
  const auto number = [](const py::object& self) { return self.attr("value").cast<long>(); };
  verdict.attr("__bool__") = py::cpp_function(
      [=](const py::object& self) { return number(self) == static_cast<long>(Verdict::free); },
      py::is_method(verdict));
  verdict.attr("__int__") = py::cpp_function(number, py::is_method(verdict));
  verdict.attr("__hash__") = py::cpp_function(number, py::is_method(verdict));
  verdict.attr("__eq__") = py::cpp_function(
      [=](const py::object& self, const py::object& other) -> py::object {
        if (other.is(self)) return py::bool_(true);
        if (!PyIndex_Check(other.ptr()))
          return py::reinterpret_borrow<py::object>(Py_NotImplemented);
        return py::bool_(py::int_(other).equal(py::int_(number(self))));
      },
      py::is_method(verdict));
  bind_enum<Method>(m, "Method", doc::Method, doc::Method_values);
  bind_enum<Ask>(m, "Ask", doc::Ask, doc::Ask_values);
  bind_enum<PairClass>(m, "PairClass", doc::PairClass, doc::PairClass_values);
  bind_enum<Around>(m, "Around", doc::Around, doc::Around_values);
  bind_enum<UnknownSpace>(m, "UnknownSpace", doc::UnknownSpace, doc::UnknownSpace_values);
  bind_enum<Shape::Kind>(m, "ShapeKind", doc::Shape_Kind, doc::Shape_Kind_values);
  bind_enum<LeftOutPair::Why>(m, "LeftOutWhy", doc::LeftOutPair_Why, doc::LeftOutPair_Why_values);
  bind_enum<Error::Kind>(m, "ErrorKind", doc::Error_Kind, doc::Error_Kind_values);
  bind_enum<Action>(m, "Action", doc::Action, doc::Action_values);
  bind_enum<Reason>(m, "Reason", doc::Reason, doc::Reason_values);
  bind_enum<BezierBall>(m, "BezierBall", doc::BezierBall, doc::BezierBall_values);
  bind_enum<Element::Kind>(m, "ElementKind", doc::Element_Kind, doc::Element_Kind_values);
}

}  // namespace keepclear::python
