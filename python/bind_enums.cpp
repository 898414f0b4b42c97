// SPDX-License-Identifier: BSD-3-Clause
#include "docstrings.hpp"

namespace keepclear::python {

void bind_enums(py::module_& m) {
  bind_enum<Verdict>(m, "Verdict", doc::Verdict, doc::Verdict_values);
  // True is free alone: a number other than zero would make a contact true.
  const py::object verdict = m.attr("Verdict");
  verdict.attr("__bool__") = py::cpp_function(
      [](const py::object& self) {
        return self.cast<long>() == static_cast<long>(keepclear::Verdict::free);
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
