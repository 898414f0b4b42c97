// SPDX-License-Identifier: BSD-3-Clause
//
// How much each sweep operator covers beyond the hull of the true sweep, over the width of its
// interval: one capsule, one motion. No time is measured; a run is the same everywhere.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "shape/hull.hpp"
#include "shape/small_hull.hpp"
#include "sweep/operators.hpp"

namespace keepclear::bench {
namespace {

using std::numbers::pi;

constexpr Vec3 kBody[] = {{0.3, 0, 0}, {0.5, 0.1, 0.2}};
constexpr double kRadius = 0.05;
constexpr int kDirections = 2000;

struct Swept {
  std::vector<Vec3> points;
  double radius = 0;
};

/// An operator, and the motion that it is of, as poses close together. Widths are in radians; what
/// goes along with them is said in README.md.
struct Operator {
  std::string name, motion;
  std::function<Swept(double width)> sweep;
};
struct MotionOf {
  std::string name;
  std::function<std::vector<Pose>(double width)> poses;
};

Mat3 about_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
}

std::vector<double> between(double lower, double upper, int count) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back(lower + (upper - lower) * k / (count - 1));
  return values;
}

/// The half width of the numbers of a quaternion about (0, 0, 0, 1) for rotations by width / 2.
double quaternion_half(double width) {
  return 0.5 * std::sin(width / 4);
}
constexpr double kSlide = 0.1;  ///< metres a radian of width
constexpr double kSpeed = 0.5;  ///< metres a second, of a base that turns by one radian a second

std::vector<AffineMap> bezier_control() {
  return {
      {Mat3{}, {0, 0, 0}}, {Mat3{}, {0.5, 0, 0}}, {Mat3{}, {0.5, 0.5, 0}}, {Mat3{}, {0, 0.5, 0.3}}};
}
Interval bezier_part(double width) {
  return {0.5 - width / (4 * pi), 0.5 + width / (4 * pi)};
}

std::vector<MotionOf> motions() {
  const auto slide_ends = [](double width) { return kSlide * width / 2; };
  return {
      {"hinge",
       [](double w) {
         std::vector<Pose> poses;
         for (const double q : between(-w / 2, w / 2, 721)) poses.push_back({about_z(q), {}});
         return poses;
       }},
      {"slide",
       [=](double w) {
         const double d = slide_ends(w);
         return std::vector<Pose>{{Mat3{}, {d, 0, 0}}, {Mat3{}, {-d, 0, 0}}};
       }},
      {"cylindrical",
       [=](double w) {
         std::vector<Pose> poses;
         for (const double q : between(-w / 2, w / 2, 721)) {
           for (const double d : {slide_ends(w), -slide_ends(w)}) {
             poses.push_back({about_z(q), {0, 0, d}});
           }
         }
         return poses;
       }},
      {"planar",
       [=](double w) {
         std::vector<Pose> poses;
         const double d = slide_ends(w);
         for (const double q : between(-w / 2, w / 2, 361)) {
           for (const double x : {-d, d}) {
             for (const double y : {-d, d}) poses.push_back({about_z(q), {x, y, 0}});
           }
         }
         return poses;
       }},
      {"floating",
       [=](double w) {
         std::vector<Pose> poses;
         const double d = slide_ends(w), half = quaternion_half(w);
         const auto part = between(-half, half, 11);
         for (const double x : part) {
           for (const double y : part) {
             for (const double z : part) {
               const double square = 1 - x * x - y * y - z * z;
               if (square < 0 || std::sqrt(square) < 1 - half) continue;
               const Mat3 R = rotation_from_quaternion(x, y, z, std::sqrt(square));
               for (int corner = 0; corner < 8; ++corner) {
                 const auto end = [&](int bit) { return corner >> bit & 1 ? d : -d; };
                 poses.push_back({R, {end(0), end(1), end(2)}});
               }
             }
           }
         }
         return poses;
       }},
      {"ball",
       [](double w) {
         // Axes all around, each by the whole angle: the rim of every cap, and what is inside.
         std::vector<Pose> poses;
         const double most = std::min(w / 2, pi);
         for (int k = 0; k < 800; ++k) {
           const double z = 1 - (2 * k + 1) / 800.0, r = std::sqrt(1 - z * z), at = 2.399963 * k;
           const double s = std::sin(most / 2);
           poses.push_back({rotation_from_quaternion(s * r * std::cos(at), s * r * std::sin(at),
                                                     s * z, std::cos(most / 2)),
                            {}});
         }
         poses.push_back({});
         return poses;
       }},
      {"base",
       [](double w) {
         std::vector<Pose> poses;
         for (const double q : between(-w / 2, w / 2, 721)) {
           poses.push_back({about_z(q), {kSpeed * std::sin(q), kSpeed * (1 - std::cos(q)), 0}});
         }
         return poses;
       }},
      {"bezier",
       [](double w) {
         std::vector<Pose> poses;
         const auto b = bezier_control();
         const auto [lower, upper] = bezier_part(w);
         for (const double t : between(lower, upper, 721)) {
           const double s = 1 - t;
           poses.push_back({Mat3{}, (s * s * s) * b[0].t + (3 * s * s * t) * b[1].t +
                                        (3 * s * t * t) * b[2].t + (t * t * t) * b[3].t});
         }
         return poses;
       }},
  };
}

Swept through(const Stage& stage) {
  Swept swept;
  swept.points.resize(std::size(kBody) * static_cast<std::size_t>(stage.count));
  swept.radius = sweep_stage(stage, {kBody, kRadius}, swept.points);
  return swept;
}

/// A joint between two links.
Swept of_joint(JointType type, Vec3 axis, const std::vector<Interval>& box, JointOperator op,
               bool evenly = false) {
  RobotModel robot;
  robot.links.resize(2);
  robot.links[0].name = "root", robot.links[1].name = "link";
  Joint joint;
  joint.name = "joint", joint.type = type, joint.axis = axis, joint.parent = 0, joint.child = 1;
  robot.joints.push_back(joint);
  robot.build_tree();
  const Kinematics kinematics(robot);
  Stage stage;
  if (evenly) {
    make_even_stage(kinematics, 1, box, stage);
  } else {
    make_stage(kinematics, 1, box, op, stage);
  }
  return through(stage);
}

template <class Sweep>
Swept with_points(int count, Sweep sweep) {
  Swept swept;
  swept.points.resize(std::size(kBody) * static_cast<std::size_t>(count));
  swept.radius = sweep(PointVolume{kBody, kRadius}, std::span<Vec3>(swept.points));
  return swept;
}

std::vector<Operator> operators() {
  const auto sym = [](double width) { return Interval{-width / 2, width / 2}; };
  const auto slide = [](double width) { return Interval{-kSlide * width / 2, kSlide * width / 2}; };
  std::vector<Operator> all;
  for (const int count : {1, 2, 3, 4, 6, 12}) {
    all.push_back({fmt::format("circ{}", count), "hinge", [=](double w) {
                     return of_joint(JointType::revolute, {0, 0, 1}, {sym(w)}, {count, 1});
                   }});
  }
  all.push_back({"evenly", "hinge", [=](double w) {
                   return of_joint(JointType::revolute, {0, 0, 1}, {sym(w)}, {}, true);
                 }});
  for (const int count : {1, 2}) {
    all.push_back({fmt::format("trans{}", count), "slide", [=](double w) {
                     return of_joint(JointType::prismatic, {1, 0, 0}, {slide(w)}, {1, count});
                   }});
  }
  for (const int count : {1, 2, 4}) {
    const JointOperator op{count, std::min(count, 2)};
    all.push_back({fmt::format("cylindrical{}", count), "cylindrical", [=](double w) {
                     Stage stage;
                     make_cylindrical_stage({0, 0, 1}, sym(w), slide(w), op, stage);
                     return through(stage);
                   }});
    all.push_back(
        {fmt::format("planar{}", count), "planar", [=](double w) {
           return of_joint(JointType::planar, {0, 0, 1}, {slide(w), slide(w), sym(w)}, op);
         }});
  }
  for (const int count : {1, 2}) {
    all.push_back({fmt::format("floating{}", count), "floating", [=](double w) {
                     const double half = quaternion_half(w);
                     const Interval part{-half, half};
                     return of_joint(
                         JointType::floating, {1, 0, 0},
                         {slide(w), slide(w), slide(w), part, part, part, {1 - half, 1 + half}},
                         {count, count});
                   }});
  }
  for (const int count : {1, 3, 6}) {
    all.push_back({fmt::format("ball{}", count), "ball", [=](double w) {
                     return with_points(count, [&](PointVolume v, std::span<Vec3> out) {
                       return sweep_ball({{}, 0, w / 2}, count, v, out);
                     });
                   }});
  }
  for (const int count : {1, 2, 3, 6}) {
    all.push_back({fmt::format("base{}", count), "base", [=](double w) {
                     return with_points(count, [&](PointVolume v, std::span<Vec3> out) {
                       return sweep_base({kSpeed, 0, 1, sym(w)}, count, v, out);
                     });
                   }});
  }
  all.push_back({"bezier", "bezier", [](double w) {
                   const auto control = bezier_control();
                   return with_points(static_cast<int>(control.size()),
                                      [&](PointVolume v, std::span<Vec3> out) {
                                        BezierMotion motion{control};
                                        motion.t = bezier_part(w);
                                        return sweep_bezier(motion, v, out);
                                      });
                 }});
  return all;
}

double support(const std::vector<Vec3>& points, Vec3 n) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Vec3 p : points) most = std::max(most, dot(n, p));
  return most;
}

/// The hull of the samples: its points, and its volume when grown by the body's radius.
struct TrueSweep {
  std::vector<Vec3> points;
  double volume = 0;
};

/// Steiner's formula: the hull, a layer on its facets, wedges at its edges, a ball in its corners.
double grown_volume(const Hull& hull, double radius) {
  double area = 0, wedges = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Vec3> normals;
  for (const auto& [a, b, c] : hull.facets) {
    const Vec3 n = cross(hull.vertices[b] - hull.vertices[a], hull.vertices[c] - hull.vertices[a]);
    const double size = norm(n);
    area += size / 2;
    const Vec3 unit = (1 / size) * n;
    normals[{a, b}] = unit, normals[{b, c}] = unit, normals[{c, a}] = unit;
  }
  for (const auto& [edge, n] : normals) {
    const auto [a, b] = edge;
    if (a > b) continue;
    const Vec3 other = normals.at({b, a});
    const double length = norm(hull.vertices[b] - hull.vertices[a]);
    wedges += length * std::atan2(norm(cross(n, other)), dot(n, other)) / 2;
  }
  return volume(hull) + area * radius + wedges * radius * radius +
         4 * pi / 3 * radius * radius * radius;
}

TrueSweep true_sweep(const std::vector<Pose>& poses) {
  std::vector<Vec3> all;
  for (const Pose& X : poses) {
    for (const Vec3 p : kBody) all.push_back(X * p);
  }
  const Hull hull = convex_hull(all);
  const bool solid = hull.dimension == 3;
  return {hull.vertices,
          solid ? grown_volume(hull, kRadius) : SmallHull(hull.vertices).volume(kRadius)};
}

void run(std::ostream& out) {
  out << "# a capsule from (0.3, 0, 0) to (0.5, 0.1, 0.2), radius 0.05 m; " << kDirections
      << " directions\n"
      << "motion,operator,width_rad,points,radius_mm,volume_l,true_volume_l,support_max_mm,"
         "support_mean_mm\n";
  const std::vector<Operator> all = operators();
  std::vector<double> widths;
  for (int k = 0; k <= 24; ++k) widths.push_back(0.01 * std::pow(2 * pi / 0.01, k / 24.0));
  for (const MotionOf& motion : motions()) {
    for (const double width : widths) {
      const TrueSweep truth = true_sweep(motion.poses(width));
      for (const Operator& op : all) {
        if (op.motion != motion.name) continue;
        const Swept swept = op.sweep(width);
        double most = 0, sum = 0;
        for (int k = 0; k < kDirections; ++k) {
          const double z = 1 - (2 * k + 1.0) / kDirections, r = std::sqrt(1 - z * z);
          const Vec3 n{r * std::cos(2.399963229728653 * k), r * std::sin(2.399963229728653 * k), z};
          const double beyond =
              support(swept.points, n) + swept.radius - (support(truth.points, n) + kRadius);
          // The samples of the true sweep are the only thing that could lie outside.
          if (beyond < -1e-9) {
            throw std::runtime_error(fmt::format("{} does not contain its sweep", op.name));
          }
          most = std::max(most, beyond), sum += beyond;
        }
        const double volume = SmallHull(swept.points).volume(swept.radius);
        out << fmt::format("{},{},{:.6g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", motion.name,
                           op.name, width, swept.points.size(), 1e3 * swept.radius, 1e3 * volume,
                           1e3 * truth.volume, 1e3 * most, 1e3 * sum / kDirections);
      }
    }
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  const std::string option = argc > 1 ? argv[1] : "";
  if (argc != 1 && !(argc == 3 && option == "--csv")) {
    std::cerr << "usage: bench_sweep_tightness [--csv FILE]\n";
    return 64;
  }
  try {
    if (argc == 1) {
      keepclear::bench::run(std::cout);
    } else {
      std::ofstream out(argv[2]);
      keepclear::bench::run(out);
      if (!out.flush()) throw std::runtime_error(std::string("cannot write ") + argv[2]);
    }
  } catch (const std::exception& error) {
    std::cerr << "bench_sweep_tightness: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
