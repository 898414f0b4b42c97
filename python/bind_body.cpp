// SPDX-License-Identifier: BSD-3-Clause
#include "bind_pose.hpp"
#include "docstrings.hpp"
#include "keepclear/body.hpp"

namespace keepclear::python {
namespace {

std::vector<Vec3> points_in(const Volume& volume) {
  std::vector<Vec3> points(volume.count);
  for (std::size_t i = 0; i < volume.count; ++i) points[i] = volume.point(i);
  return points;
}

}  // namespace

void bind_body(py::module_& m) {
  py::class_<Body>(m, "Body", DOC(Body))
      .def_static("sphere", &Body::sphere, "centre"_a, "radius"_a)
      .def_static("capsule", &Body::capsule, "a"_a, "b"_a, "radius"_a)
      .def_static(
          "box",
          [](Vec3 size, const py::object& pose, double radius) {
            return Body::box(size, pose.is_none() ? Pose{} : rigid_pose_of(pose, "pose"), radius);
          },
          "size"_a, "pose"_a = py::none(), "radius"_a = 0.0, DOC(Body, box))
      .def_static(
          "hull",
          [](const py::object& points, double radius) {
            return Body::hull(points_of(points, "points"), radius);
          },
          "points"_a, "radius"_a = 0.0, DOC(Body, hull))
      .def_property_readonly(
          "points", [](const Body& self) { return to_numpy(points_in(self.volume())); },
          "(N, 3), in the frame of the body.")
      .def_property_readonly("radius", &Body::radius)
      .def_property_readonly("centre", &Body::centre, "Of a ball that contains the body.")
      .def_property_readonly("bounding_radius", &Body::bounding_radius,
                             "Of a ball that contains the body.")
      .def("__repr__", [](const Body& self) {
        return "Body(" + std::to_string(self.point_count()) +
               " points, radius=" + short_text(self.radius()) + ")";
      });

  py::class_<BodyDistance>(m, "BodyDistance", DOC(BodyDistance))
      .def_readonly("verdict", &BodyDistance::verdict)
      .def_readonly("distance", &BodyDistance::distance, DOC(BodyDistance, distance))
      .def_readonly("lower_bound", &BodyDistance::lower_bound)
      .def_property_readonly(
          "point_a", [](const BodyDistance& self) { return to_numpy(self.point_a); },
          DOC(BodyDistance, point_a))
      .def_property_readonly(
          "point_b", [](const BodyDistance& self) { return to_numpy(self.point_b); },
          DOC(BodyDistance, point_b))
      .def_property_readonly(
          "normal", [](const BodyDistance& self) { return to_numpy(self.normal); },
          DOC(BodyDistance, normal))
      .def("__repr__", [](const BodyDistance& self) {
        return "BodyDistance(" + std::string(to_string(self.verdict)) +
               ", distance=" + short_text(self.distance) + ")";
      });

  m.def(
      "body_distance",
      [](const Body& a, const py::object& pose_a, const Body& b, const py::object& pose_b,
         double tolerance, bool with_sign) {
        require_positive(tolerance, "tolerance");
        return distance(a, pose_of(pose_a, "pose_a"), b, pose_of(pose_b, "pose_b"),
                        {.tolerance = tolerance, .signed_distance = with_sign});
      },
      "a"_a, "pose_a"_a, "b"_a, "pose_b"_a, py::kw_only(),
      "tolerance"_a = BodyDistanceOptions{}.tolerance, "signed"_a = false,
      "The distance of two bodies, each at its pose: a 3x4 or 4x4 matrix, or an Origin. The poses "
      "are "
      "taken as exact; their rotations must be orthonormal to within 1e-6, or the verdict is "
      "*undecided*.");
}

}  // namespace keepclear::python
