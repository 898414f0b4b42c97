// SPDX-License-Identifier: BSD-3-Clause
//
// A world in 113 bits: poses straight from the descriptions, bodies as the library has them,
// positions of paths by de Casteljau, tubes, bases and bodies that are off. Distances are looked at
// in doubles first, and in quads only where those cannot tell.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "certify/displaced.hpp"
#include "motion/path_data.hpp"
#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "scene/world.hpp"

namespace keepclear::test {

using oracle::QPose;
using oracle::Quad;
using oracle::QVec;

/// Where the numbers of a path are at a place, the tube left aside.
inline std::vector<Quad> exact_position(const PathData& path, double place) {
  const auto last = static_cast<double>(path.pieces.size() - 1);
  const double index = std::clamp(std::floor(place), 0.0, last);
  const PathPiece& piece = path.pieces[static_cast<std::size_t>(index)];
  const Quad share = Quad(place) - Quad(index);
  std::vector<Quad> q(path.dof);
  std::vector<Quad> row(static_cast<std::size_t>(piece.degree) + 1);
  for (std::size_t k = 0; k < path.dof; ++k) {
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = path.control[piece.first + i * path.dof + k];
    for (std::size_t left = row.size(); left-- > 1;) {
      for (std::size_t i = 0; i < left; ++i) row[i] += share * (row[i + 1] - row[i]);
    }
    q[k] = row[0];
  }
  return q;
}

/// Half the width of the tube there.
inline std::vector<Quad> exact_tube(const PathData& path, double place) {
  std::vector<Quad> width(path.dof, 0);
  if (path.tube.empty()) return width;
  const double index =
      std::clamp(std::floor(place), 0.0, static_cast<double>(path.pieces.size() - 1));
  const Quad share = Quad(place) - Quad(index);
  const double* row = path.tube.data() + static_cast<std::size_t>(index) * path.dof;
  for (std::size_t k = 0; k < path.dof; ++k) {
    width[k] = Quad(row[k]) + share * (Quad(row[k + path.dof]) - Quad(row[k]));
  }
  return width;
}

/// One convex thing: its points and radius, or a half-space. In its own frame.
struct ExactShape {
  oracle::PointSet points{{}};
  std::vector<Vec3> corners;
  Quad radius = 0;
  Vec3 centre;
  double ball = 0;  ///< from the centre, everything; in doubles
  bool is_plane = false;
  Vec3 normal;
  double offset = 0;

  static ExactShape hull(std::vector<Vec3> corners, double radius) {
    ExactShape shape;
    shape.points = oracle::PointSet(corners);
    shape.radius = radius;
    Vec3 low = corners[0], high = corners[0];
    for (const Vec3& p : corners) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    shape.centre = 0.5 * (low + high);
    for (const Vec3& p : corners) shape.ball = std::max(shape.ball, norm(p - shape.centre));
    shape.ball += radius;
    shape.corners = std::move(corners);
    return shape;
  }
  static ExactShape of(const Body& body) {
    const Volume volume = body.volume();
    std::vector<Vec3> corners;
    for (std::size_t i = 0; i < volume.count; ++i) corners.push_back(volume.point(i));
    return hull(std::move(corners), body.radius());
  }
};

class ExactWorld {
 public:
  ExactWorld(const Scene& scene, const World& world, const LoadOptions& load = {})
      : world_(world),
        model_(model_of(scene, load)),
        kinematics_(model_.robot),
        balls_(world.data()) {
    const Kinematics& compiled = world.data().kinematics;
    for (int f = 0; f < compiled.frame_count(); ++f) {
      link_of_frame_.push_back(model_.robot.root);
      for (const Joint& joint : model_.robot.joints) {
        if (f > 0 && joint.name == compiled.joint(f).name) link_of_frame_.back() = joint.child;
      }
    }
    for (const SceneRobot& robot : scene.robots)
      bases_.push_back(oracle::reference_origin(robot.base).p);
    for (const WorldBody& body : world.data().bodies) bodies_.push_back(ExactShape::of(body.body));
    const Environment& env = world.data().environment;
    for (const Piece& piece : env.pieces) pieces_.push_back(shape_of(scene, piece));
    for (const PlacedObject& object : env.objects) {
      placed_.push_back(oracle::reference_origin(object.pose));
    }
  }

  const WorldData& data() const { return world_.data(); }
  const World& world() const { return world_; }
  std::size_t piece_count() const { return pieces_.size(); }

  /// Poses of the frames at q.
  std::vector<QPose> frames(std::span<const Quad> q) const {
    const std::vector<QPose> links = kinematics_(std::span<const Quad>(q));
    std::vector<QPose> frames;
    for (const int link : link_of_frame_) frames.push_back(links[static_cast<std::size_t>(link)]);
    return frames;
  }

  int robot_of_body(int body) const { return data().solids[data().bodies[body].solid].robot; }
  const QPose& frame_of(std::span<const QPose> frames, int body) const {
    return frames[static_cast<std::size_t>(data().bodies[body].frame)];
  }
  const ExactShape& body(int b) const { return bodies_[static_cast<std::size_t>(b)]; }
  const ExactShape& piece(int p) const { return pieces_[static_cast<std::size_t>(p)]; }
  const QPose& place_of_piece(int p) const {
    return placed_[data().environment.pieces[static_cast<std::size_t>(p)].object];
  }

  /// A pose whose robot stands p off, and is turned by the rotation vector r about its base.
  QPose off_base(const QPose& X, int robot, Vec3 p, Vec3 r) const {
    const QVec base = bases_[static_cast<std::size_t>(robot)];
    const Quad angle = oracle::norm(oracle::widen<Quad>(r));
    QPose turn;
    if (angle > 0) turn.R = oracle::rotation_about((1 / angle) * oracle::widen<Quad>(r), angle);
    turn.p = base + oracle::widen<Quad>(p) - turn.R * base;
    return turn * X;
  }

  /// A body in its pose, every point off as far along n as one displacement takes them; in the
  /// world, points rounded to doubles.
  ExactShape displaced_body(int b, const QPose& X, Vec3 n, double deviation) const {
    const ExactShape& shape = body(b);
    const MotionBalls::BodyMetric& of = balls_.of(b);
    const QVec along = oracle::widen<Quad>(n);
    std::size_t far = 0;
    Quad most = 0;
    for (std::size_t i = 0; i < shape.corners.size(); ++i) {
      const Quad at = dot(along, X * oracle::widen<Quad>(shape.corners[i])) +
                      Quad(deviation * of.metric.distortion(shape.corners[i]));
      if (i == 0 || at > most) most = at, far = i;
    }
    const Off off = farthest_off(of.metric, shape.corners[far], n, deviation);
    std::vector<Vec3> points;
    for (const Vec3& p : shape.corners) {
      points.push_back(oracle::narrow(X * oracle::widen<Quad>(p) +
                                      oracle::widen<Quad>(off_at(of.metric, off, p))));
    }
    return ExactShape::hull(std::move(points), static_cast<double>(shape.radius));
  }

  struct Apart {
    double about = 0;    ///< in doubles; of things far from `bound` a lower bound
    bool under = false;  ///< proved nearer than `bound`
    Vec3 n;              ///< about: from A to B
  };
  /// Whether two placed things are nearer than `bound`.
  static Apart look(const ExactShape& a, const QPose& X, const ExactShape& b, const QPose& Y,
                    Quad bound, oracle::ActiveSet* memory = nullptr) {
    if (b.is_plane) return look_at_plane(a, X, b, Y, bound);
    Apart result;
    const Vec3 from = oracle::narrow(X * oracle::widen<Quad>(a.centre));
    const Vec3 to = oracle::narrow(Y * oracle::widen<Quad>(b.centre));
    const double middle = norm(to - from);
    result.n = middle > 0 ? (1 / middle) * (to - from) : Vec3{0, 0, 1};
    result.about = middle - a.ball - b.ball;
    if (result.about > static_cast<double>(bound) + 1e-6 * (1 + middle)) return result;
    const auto coarse = [&](const QPose& Z) {
      return oracle::Motion<double>{{oracle::widen<double>(oracle::narrow(Z.R.row0)),
                                     oracle::widen<double>(oracle::narrow(Z.R.row1)),
                                     oracle::widen<double>(oracle::narrow(Z.R.row2))},
                                    oracle::widen<double>(oracle::narrow(Z.p - X.p))};
    };
    const oracle::CoreDistance<double> near =
        oracle::core_distance<double>(a.points, coarse(X), b.points, coarse(Y), 0.0,
                                      memory != nullptr ? *memory : oracle::ActiveSet{});
    if (memory != nullptr) *memory = near.active;
    const auto radii = static_cast<double>(a.radius + b.radius);
    result.about = near.upper - radii;
    if (near.upper > 1e-9) {
      result.n = {-near.x.x / near.upper, -near.x.y / near.upper, -near.x.z / near.upper};
    }
    if (near.lower - radii > static_cast<double>(bound) + 1e-9 * (1 + middle)) return result;
    const auto exact = oracle::reference_distance(a.points, X, b.points, Y, memory);
    result.about = static_cast<double>(exact.upper - a.radius - b.radius);
    result.under = exact.upper - a.radius - b.radius < bound;
    return result;
  }

 private:
  static Apart look_at_plane(const ExactShape& a, const QPose& X, const ExactShape& b,
                             const QPose& Y, Quad bound) {
    const QVec n =
        (1 / oracle::norm(oracle::widen<Quad>(b.normal))) * (Y.R * oracle::widen<Quad>(b.normal));
    Quad least = std::numeric_limits<double>::infinity();
    for (const Vec3& p : a.corners) {
      least = std::min(least, dot(n, X * oracle::widen<Quad>(p) - Y.p));
    }
    least = least - Quad(b.offset) - a.radius;
    return {static_cast<double>(least), least < bound, oracle::narrow(Quad(-1) * n)};
  }

  ExactShape shape_of(const Scene& scene, const Piece& piece) const {
    const Environment& env = data().environment;
    switch (piece.kind) {
      case PieceKind::body:
        return ExactShape::of(env.bodies[piece.index]);
      case PieceKind::ball:
        return ExactShape::hull({env.balls[piece.index].centre}, env.balls[piece.index].radius);
      case PieceKind::box: {
        const BoxPiece& box = env.boxes[piece.index];
        std::vector<Vec3> corners;
        for (int i = 0; i < 8; ++i) {
          corners.push_back({box.centre.x + ((i & 1) != 0 ? box.half.x : -box.half.x),
                             box.centre.y + ((i & 2) != 0 ? box.half.y : -box.half.y),
                             box.centre.z + ((i & 4) != 0 ? box.half.z : -box.half.z)});
        }
        return ExactShape::hull(std::move(corners), 0);
      }
      case PieceKind::half_space:
        break;
    }
    ExactShape plane;
    plane.is_plane = true;
    const std::string& name = data().solids[env.objects[piece.object].solid].name;
    for (const SceneObject& object : scene.objects) {
      if (object.name != name) continue;
      plane.normal = object.shape.normal;
      plane.offset = object.shape.offset;
    }
    return plane;
  }

  World world_;
  WorldModel model_;
  oracle::ReferenceKinematics kinematics_;
  MotionBalls balls_;
  std::vector<int> link_of_frame_;
  std::vector<QVec> bases_;
  std::vector<ExactShape> bodies_, pieces_;
  std::vector<QPose> placed_;
};

}  // namespace keepclear::test
