// SPDX-License-Identifier: BSD-3-Clause
//
// How far two solids of a scene are apart, in 113 bits.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "keepclear/scene.hpp"
#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "scene/world.hpp"

namespace keepclear::test {

/// Distances of solids of a scene in 113 bits: the kinematics straight from the description, the
/// bodies as the library says it has them.
class ContactJudge {
 public:
  ContactJudge(const Scene& scene, const World& world)
      : world_(world), model_(model_of(scene, {})), kinematics_(model_.robot) {
    const Kinematics& compiled = world.data().kinematics;
    for (int f = 0; f < compiled.frame_count(); ++f) {
      link_of_frame_.push_back(model_.robot.root);
      for (const Joint& joint : model_.robot.joints) {
        if (f > 0 && joint.name == compiled.joint(f).name) link_of_frame_[f] = joint.child;
      }
    }
  }

  double distance(int a, int b, std::span<const double> q) const {
    const std::vector<oracle::QPose> links = kinematics_(q);
    const std::vector<Placed> of_a = pieces(a, links), of_b = pieces(b, links);
    oracle::Quad least = std::numeric_limits<double>::infinity();
    for (const Placed& x : of_a) {
      for (const Placed& y : of_b) {
        const auto near = oracle::reference_distance(x.points, x.X, y.points, y.X);
        least = std::min(least, near.upper - x.radius - y.radius);
      }
    }
    return static_cast<double>(least);
  }

 private:
  struct Placed {
    oracle::PointSet points;
    oracle::Quad radius;
    oracle::QPose X;
  };

  std::vector<Placed> pieces(int solid, const std::vector<oracle::QPose>& links) const {
    const WorldData& data = world_.data();
    std::vector<Placed> all;
    for (const WorldBody& body : data.bodies) {
      if (body.solid != solid) continue;
      all.push_back({points_of(body.body), body.body.radius(),
                     links[static_cast<std::size_t>(link_of_frame_[body.frame])]});
    }
    for (const PlacedObject& object : data.environment.objects) {
      if (object.solid != solid) continue;
      const Pose& X = object.X_WO.X;
      const oracle::QPose X_WO{
          {oracle::widen<oracle::Quad>(X.R.row0), oracle::widen<oracle::Quad>(X.R.row1),
           oracle::widen<oracle::Quad>(X.R.row2)},
          oracle::widen<oracle::Quad>(X.p)};
      for (std::uint32_t p = object.first; p < object.last; ++p) {
        all.push_back(piece(data.environment, data.environment.pieces[p], X_WO));
      }
    }
    return all;
  }

  static oracle::PointSet points_of(const Body& body) {
    const Volume volume = body.volume();
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
    return oracle::PointSet(points);
  }

  static Placed piece(const Environment& environment, const Piece& piece, const oracle::QPose& X) {
    if (piece.kind == PieceKind::body) {
      const Body& body = environment.bodies[piece.index];
      return {points_of(body), body.radius(), X};
    }
    std::vector<Vec3> points;
    if (piece.kind == PieceKind::ball) {
      points.push_back(environment.balls[piece.index].centre);
      return {oracle::PointSet(points), environment.balls[piece.index].radius, X};
    }
    const BoxPiece& box = environment.boxes.at(piece.index);
    for (int i = 0; i < 8; ++i) {
      points.push_back({box.centre.x + ((i & 1) != 0 ? box.half.x : -box.half.x),
                        box.centre.y + ((i & 2) != 0 ? box.half.y : -box.half.y),
                        box.centre.z + ((i & 4) != 0 ? box.half.z : -box.half.z)});
    }
    return {oracle::PointSet(points), 0, X};
  }

  World world_;
  WorldModel model_;
  oracle::ReferenceKinematics kinematics_;
  std::vector<int> link_of_frame_;
};

}  // namespace keepclear::test
