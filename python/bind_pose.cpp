// SPDX-License-Identifier: BSD-3-Clause
#include "bind_pose.hpp"

#include <cmath>

namespace keepclear::python {

double number_of(const py::object& value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return number;
}

Affine affine_of(py::handle value, const char* name) {
  const Doubles numbers(value, name, 2, 2);
  const std::size_t rows = numbers.shape(0);
  if (numbers.shape(1) != 4 || (rows != 3 && rows != 4)) {
    usage(std::string(name) + " is no matrix of 3x4 or 4x4 numbers");
  }
  const auto at = [&](std::size_t row, std::size_t column) { return numbers.row(row)[column]; };
  if (rows == 4 && !(at(3, 0) == 0 && at(3, 1) == 0 && at(3, 2) == 0 && at(3, 3) == 1)) {
    usage(std::string("the last row of ") + name + " is not 0 0 0 1");
  }
  const auto left = [&](std::size_t row) { return Vec3{at(row, 0), at(row, 1), at(row, 2)}; };
  return {{left(0), left(1), left(2)}, {at(0, 3), at(1, 3), at(2, 3)}};
}

std::vector<Affine> affines_of(const py::iterable& values, const char* name) {
  std::vector<Affine> result;
  for (const py::handle value : values) result.push_back(affine_of(value, name));
  return result;
}

Pose pose_of(py::handle value, const char* name) {
  if (!py::isinstance(value, py::module_::import("keepclear._scene").attr("Origin"))) {
    const Affine g = affine_of(value, name);
    return {g.A, g.a};
  }
  const auto origin = value.cast<Origin>();
  if (!origin.quaternion) return {rotation_from_rpy(origin.rpy), origin.xyz};
  const Quaternion& q = *origin.quaternion;
  const double size = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (!(std::fabs(size - 1) <= 1e-6)) usage(std::string(name) + " has no unit quaternion");
  return {rotation_from_quaternion(q.x / size, q.y / size, q.z / size, q.w / size), origin.xyz};
}

Pose rigid_pose_of(py::handle value, const char* name) {
  const Pose pose = pose_of(value, name);
  const Mat3 square = pose.R * transpose(pose.R);
  const auto is_one = [](Vec3 row, int k) {
    for (int i = 0; i < 3; ++i) {
      if (!(std::fabs(row[i] - (i == k ? 1 : 0)) <= 1e-6)) return false;
    }
    return true;
  };
  const bool turned = dot(cross(pose.R.row0, pose.R.row1), pose.R.row2) > 0;
  if (!is_one(square.row0, 0) || !is_one(square.row1, 1) || !is_one(square.row2, 2) || !turned ||
      !is_finite(pose.p)) {
    usage(std::string(name) + " is no rotation and translation",
          "rows of three orthogonal unit vectors, and a position");
  }
  return pose;
}

py::array_t<double> to_numpy(const Affine& displacement) {
  py::array_t<double> result({3, 4});
  auto places = result.mutable_unchecked<2>();
  const Vec3 rows[] = {displacement.A.row0, displacement.A.row1, displacement.A.row2};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) places(i, k) = rows[i][k];
    places(i, 3) = displacement.a[i];
  }
  return result;
}

}  // namespace keepclear::python
