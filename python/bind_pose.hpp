// SPDX-License-Identifier: BSD-3-Clause
//
// Single numbers, and poses and displacements as matrices: three rows of four numbers, or four with
// 0 0 0 1 below.
#pragma once

#include "bind.hpp"
#include "keepclear/displacement.hpp"

namespace keepclear::python {

/// TypeError for what is no number: never a guess.
double number_of(const py::object& value);
/// Any affine displacement. Error (usage) for another shape; values are not looked at.
Affine affine_of(py::handle value, const char* name);
std::vector<Affine> affines_of(const py::iterable& values, const char* name);
/// A matrix, or an Origin. What makes no rotation is for the library to refuse.
Pose pose_of(py::handle value, const char* name);
/// The same; Error (usage) for one that is not rigid to within 1e-6.
Pose rigid_pose_of(py::handle value, const char* name);
/// (3, 4)
py::array_t<double> to_numpy(const Affine& displacement);

void bind_body(py::module_& m);

}  // namespace keepclear::python
