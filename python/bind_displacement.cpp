// SPDX-License-Identifier: BSD-3-Clause
#include "bind_displacement.hpp"

#include "docstrings.hpp"

namespace keepclear::python {
namespace {

/// A function of Python that the library calls from threads without the GIL. What it raises ends
/// the query.
class Callback {
 public:
  Callback(py::function function, const char* name)
      : function_(std::make_shared<Held>(std::move(function))), name_(name) {}

  Affine affine(double time) const {
    const py::gil_scoped_acquire held;
    return affine_of(function_->value(time), name_);
  }
  double number(double from, double to) const {
    const py::gil_scoped_acquire held;
    return number_of(function_->value(from, to));
  }

 private:
  /// Let go with the GIL, whichever thread is last.
  struct Held {
    explicit Held(py::function function) : value(std::move(function)) {}
    ~Held() {
      const py::gil_scoped_acquire held;
      value.release().dec_ref();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    py::function value;
  };
  std::shared_ptr<Held> function_;
  const char* name_;
};

CurveObject make_bounded(py::function at, py::function tangent, py::function length_hi,
                         py::function curvature_hi, double begin, double end, double error,
                         double tangent_error, double stretch) {
  BoundedCurve curve;
  curve.begin = begin;
  curve.end = end;
  curve.error = error;
  curve.tangent_error = tangent_error;
  curve.stretch = stretch;
  curve.at = [f = Callback(std::move(at), "at")](double time) { return f.affine(time); };
  curve.tangent = [f = Callback(std::move(tangent), "tangent")](double time) {
    return f.affine(time);
  };
  curve.length_hi = [f = Callback(std::move(length_hi), "length_hi")](double from, double to) {
    return f.number(from, to);
  };
  curve.curvature_hi = [f = Callback(std::move(curvature_hi), "curvature_hi")](
                           double from, double to) { return f.number(from, to); };
  return {bounded_curve(std::move(curve))};
}

void bind_curves(py::module_& m) {
  m.def(
      "rational_bezier_curve",
      [](const py::iterable& control, const py::object& weights, double begin, double end,
         BezierBall ball) {
        const std::vector<Affine> points = affines_of(control, "control");
        const std::optional<Doubles> given = optional_row(weights, "weights", points.size());
        return CurveObject{rational_bezier_curve(points, span_of(given), begin, end, ball)};
      },
      "control"_a, "weights"_a = py::none(), "begin"_a = 0.0, "end"_a = 1.0,
      "ball"_a = BezierBall::middle,
      (DOC_TEXT(rational_bezier_curve) +
       " Control points are 3x4 or 4x4 matrices: an array (K, 3, 4), or a list.")
          .c_str());
  m.def(
      "screw_curve",
      [](const py::object& start, Vec3 point, Vec3 axis, double angle, double slide, double begin,
         double end) {
        return CurveObject{
            screw_curve(rigid_pose_of(start, "start"), point, axis, angle, slide, begin, end)};
      },
      "start"_a, "point"_a, "axis"_a, "angle"_a, "slide"_a = 0.0, "begin"_a = 0.0, "end"_a = 1.0,
      DOC(screw_curve));
  m.def(
      "interpolated_curve",
      [](const py::iterable& poses, const py::object& times, Vec3 centre) {
        std::vector<Pose> all;
        for (const py::handle pose : poses) all.push_back(rigid_pose_of(pose, "a pose"));
        const Doubles at = row_of(times, "times", all.size());
        return CurveObject{interpolated_curve(all, at.span(), centre)};
      },
      "poses"_a, "times"_a, "centre"_a = Vec3{}, DOC(interpolated_curve));
  m.def(
      "joined_curve",
      [](const std::vector<CurveObject>& parts, double gap) {
        std::vector<CurvePointer> curves;
        for (const CurveObject& part : parts) curves.push_back(part.curve);
        return CurveObject{joined_curve(curves, gap)};
      },
      "parts"_a, "gap"_a = 1e-9, DOC(joined_curve));
  const BoundedCurve unless;
  m.def("bounded_curve", &make_bounded, "at"_a, "tangent"_a, "length_hi"_a, "curvature_hi"_a,
        py::kw_only(), "begin"_a = unless.begin, "end"_a = unless.end, "error"_a = unless.error,
        "tangent_error"_a = unless.tangent_error, "stretch"_a = unless.stretch,
        (DOC_TEXT(BoundedCurve) +
         " at(time) and tangent(time) give 3x4 matrices, length_hi(start, stop) and "
         "curvature_hi(start, stop) numbers.\n\ntangent_error: " +
         DOC_TEXT(BoundedCurve, tangent_error) + "\nstretch: " + DOC_TEXT(BoundedCurve, stretch))
            .c_str());
}

}  // namespace

void bind_displacement(py::module_& m) {
  py::class_<DisplacementMetric>(m, "DisplacementMetric", DOC(DisplacementMetric))
      .def(py::init([](const py::object& points, const py::object& weights) {
             const std::vector<Vec3> all = points_of(points, "points");
             const std::optional<Doubles> given = optional_row(weights, "weights", all.size());
             return DisplacementMetric(all, span_of(given));
           }),
           "points"_a, "weights"_a = py::none())
      .def_static(
          "balanced",
          [](const py::object& points) {
            return DisplacementMetric::balanced(points_of(points, "points"));
          },
          "points"_a, DOC(DisplacementMetric, balanced))
      .def_property_readonly("barycentre", &DisplacementMetric::barycentre)
      .def_property_readonly(
          "axes", [](const DisplacementMetric& self) { return to_numpy(self.axes()); },
          DOC(DisplacementMetric, axes))
      .def_property_readonly(
          "moments", [](const DisplacementMetric& self) { return to_numpy(self.moments()); })
      .def(
          "distance",
          [](const DisplacementMetric& self, const py::object& g, const py::object& h) {
            return self.distance(affine_of(g, "g"), affine_of(h, "h"));
          },
          "g"_a, "h"_a, "Metres, of two displacements: 3x4 or 4x4 matrices.")
      .def(
          "distance_hi",
          [](const DisplacementMetric& self, const py::object& g, const py::object& h) {
            return self.distance_hi(affine_of(g, "g"), affine_of(h, "h"));
          },
          "g"_a, "h"_a, DOC(DisplacementMetric, distance_hi))
      .def("distortion", &DisplacementMetric::distortion, "point"_a,
           DOC(DisplacementMetric, distortion))
      .def("distortion_hi", &DisplacementMetric::distortion_hi, "point"_a)
      .def("__repr__", [](const DisplacementMetric& self) {
        const auto& m3 = self.moments();
        return "DisplacementMetric(moments=(" + short_text(m3[0]) + ", " + short_text(m3[1]) +
               ", " + short_text(m3[2]) + "))";
      });

  py::class_<DisplacementBall>(m, "DisplacementBall", DOC(DisplacementBall))
      .def_property_readonly(
          "centre", [](const DisplacementBall& self) { return to_numpy(self.centre); }, "(3, 4)")
      .def_readonly("radius", &DisplacementBall::radius, "Metres, of the metric.")
      .def_readonly("stretch", &DisplacementBall::stretch, DOC(DisplacementBall, stretch))
      .def("__repr__", [](const DisplacementBall& self) {
        return "DisplacementBall(radius=" + short_text(self.radius) + ")";
      });

  py::class_<CurveObject>(m, "DisplacementCurve", DOC(DisplacementCurve))
      .def_property_readonly("begin", [](const CurveObject& self) { return self.curve->begin(); })
      .def_property_readonly("end", [](const CurveObject& self) { return self.curve->end(); })
      .def(
          "ball",
          [](const CurveObject& self, const DisplacementMetric& metric, double start, double stop) {
            return self.curve->ball(metric, start, stop);
          },
          "metric"_a, "start"_a, "stop"_a, DOC(DisplacementCurve, ball))
      .def("__repr__", [](const CurveObject& self) {
        return "DisplacementCurve(" + short_text(self.curve->begin()) + " to " +
               short_text(self.curve->end()) + ")";
      });
  bind_curves(m);
}

}  // namespace keepclear::python
