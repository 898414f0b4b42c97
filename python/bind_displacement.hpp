// SPDX-License-Identifier: BSD-3-Clause
//
// Curves of displacements as Python holds them.
#pragma once

#include "bind_pose.hpp"
#include "keepclear/polyhedron.hpp"

namespace keepclear::python {

/// keepclear.DisplacementCurve.
struct CurveObject {
  CurvePointer curve;
};

void bind_displacement(py::module_& m);
void bind_polyhedron(py::module_& m);

}  // namespace keepclear::python
