// SPDX-License-Identifier: BSD-3-Clause
#include "bind_displacement.hpp"
#include "docstrings.hpp"

namespace keepclear::python {
namespace {

/// A border of indices, or a pair of that and a list of holes.
Polyhedron::Face face_of(py::handle value) {
  if (py::isinstance<py::tuple>(value) && py::len(value) == 2) {
    const auto both = py::reinterpret_borrow<py::tuple>(value);
    if (!py::isinstance<py::int_>(both[0])) {
      return {.border = both[0].cast<std::vector<std::uint32_t>>(),
              .holes = both[1].cast<std::vector<std::vector<std::uint32_t>>>()};
    }
  }
  return {.border = value.cast<std::vector<std::uint32_t>>()};
}

template <std::size_t N>
py::array_t<std::uint32_t> indices_of(std::span<const std::array<std::uint32_t, N>> rows) {
  py::array_t<std::uint32_t> result(
      {static_cast<py::ssize_t>(rows.size()), static_cast<py::ssize_t>(N)});
  auto places = result.mutable_unchecked<2>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < N; ++k) {
      places(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(k)) = rows[i][k];
    }
  }
  return result;
}

}  // namespace

void bind_polyhedron(py::module_& m) {
  py::class_<Polyhedron>(m, "Polyhedron", DOC(Polyhedron))
      .def_static(
          "mesh",
          [](const py::object& vertices, const std::vector<Polyhedron::Triangle>& triangles,
             double radius, double error) {
            return Polyhedron::mesh(points_of(vertices, "vertices"), triangles, radius, error);
          },
          "vertices"_a, "triangles"_a, "radius"_a = 0.0, "error"_a = 0.0, DOC(Polyhedron, mesh))
      .def_static(
          "faces",
          [](const py::object& vertices, const py::iterable& faces, double radius, double error) {
            std::vector<Polyhedron::Face> all;
            for (const py::handle face : faces) all.push_back(face_of(face));
            return Polyhedron::faces(points_of(vertices, "vertices"), all, radius, error);
          },
          "vertices"_a, "faces"_a, "radius"_a = 0.0, "error"_a = 0.0,
          "Flat faces: each the indices of its border, or a pair (border, [hole, ...]).")
      .def_static(
          "polygon",
          [](const py::object& border, double radius) {
            return Polyhedron::polygon(points_of(border, "border"), radius);
          },
          "border"_a, "radius"_a = 0.0, DOC(Polyhedron, polygon))
      .def_static("segment", &Polyhedron::segment, "a"_a, "b"_a, "radius"_a = 0.0)
      .def_static(
          "points",
          [](const py::object& points, double radius, double error) {
            return Polyhedron::points(points_of(points, "points"), radius, error);
          },
          "points"_a, "radius"_a = 0.0, "error"_a = 0.0)
      .def_static("box", &Polyhedron::box, "size"_a, "radius"_a = 0.0, DOC(Polyhedron, box))
      .def_static(
          "boxes",
          [](const std::vector<std::pair<Vec3, Vec3>>& boxes, double radius) {
            std::vector<Box> all;
            for (const auto& [lo, hi] : boxes) all.push_back({lo, hi});
            return Polyhedron::boxes(all, radius);
          },
          "boxes"_a, "radius"_a = 0.0, (DOC_TEXT(Polyhedron, boxes) + " Pairs (lo, hi).").c_str())
      .def_static("of", &Polyhedron::of, "body"_a, DOC(Polyhedron, of))
      .def(
          "placed",
          [](const Polyhedron& self, const py::object& pose, double rotation_error,
             double position_error) {
            require_not_negative(rotation_error, "rotation_error");
            require_not_negative(position_error, "position_error");
            return self.placed(rigid_pose_of(pose, "pose"), rotation_error, position_error);
          },
          "pose"_a, "rotation_error"_a = 0.0, "position_error"_a = 0.0, DOC(Polyhedron, placed))
      .def_property_readonly(
          "vertices", [](const Polyhedron& self) { return to_numpy(self.vertices()); }, "(V, 3)")
      .def_property_readonly(
          "edges", [](const Polyhedron& self) { return indices_of<2>(self.edges()); },
          (DOC_TEXT(Polyhedron, edges) + " (E, 2)").c_str())
      .def_property_readonly("face_count", &Polyhedron::face_count)
      .def(
          "triangles_of",
          [](const Polyhedron& self, std::size_t face) {
            if (face >= self.face_count()) throw py::index_error("no such face");
            return indices_of<3>(self.triangles_of(face));
          },
          "face"_a, DOC(Polyhedron, triangles_of))
      .def_property_readonly("radius", &Polyhedron::radius)
      .def_property_readonly("error", &Polyhedron::error)
      .def_property_readonly("solid", &Polyhedron::solid, DOC(Polyhedron, solid))
      .def("__repr__", [](const Polyhedron& self) {
        return "Polyhedron(" + std::to_string(self.vertices().size()) + " vertices, " +
               std::to_string(self.edges().size()) + " edges, " +
               std::to_string(self.face_count()) + " faces" + (self.solid() ? ", solid" : "") + ")";
      });
}

}  // namespace keepclear::python
