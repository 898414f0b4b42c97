// SPDX-License-Identifier: BSD-3-Clause
//
// Judges whole scenes at given states. Each checked pair is held against 113-bit arithmetic on the
// bodies that the library says it uses, and against FCL on the shapes as the files write them;
// where FCL answers otherwise, the real shapes say who is right. From the library come the parsed
// descriptions, the vertices of meshes, the list of pairs and, for FCL alone, the facets of hulls.
#pragma once

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/distance.hpp"
#include "keepclear/scene.hpp"
#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "robot/urdf.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"
#include "shape/primitives.hpp"

namespace keepclear::oracle {

inline QPose quad_pose(const Origin& origin) {
  if (!origin.quaternion) return reference_origin(origin);
  const Quaternion& q = *origin.quaternion;
  const std::array<Quad, 7> values{origin.xyz.x, origin.xyz.y, origin.xyz.z, q.x, q.y, q.z, q.w};
  Joint joint;
  joint.type = JointType::floating;
  return reference_motion(joint, values);
}

/// A convex piece: as the library has it (points and a radius), as it really is (between `inner`
/// and `outer`, which differ for cylinders alone), and as FCL has it.
struct JudgedPiece {
  PointSet points, inner, outer;
  Quad radius = 0;
  std::shared_ptr<fcl::CollisionGeometry<double>> surface{}, solid{};
  QPose X{};
  Eigen::Isometry3d fcl_pose = Eigen::Isometry3d::Identity();

  void place(const QPose& at) {
    X = at;
    const auto row = [](const QVec& a) {
      return Eigen::RowVector3d(static_cast<double>(a.x), static_cast<double>(a.y),
                                static_cast<double>(a.z));
    };
    fcl_pose.linear() << row(at.R.row0), row(at.R.row1), row(at.R.row2);
    fcl_pose.translation() = row(at.p).transpose();
  }
};

inline JudgedPiece round_piece(std::vector<Vec3> points, double radius,
                               std::shared_ptr<fcl::CollisionGeometry<double>> solid) {
  const PointSet set(points);
  return {set, set, set, radius, nullptr, std::move(solid)};
}

inline JudgedPiece cylinder_piece(double radius, double length) {
  constexpr int kSides = 2048;
  std::vector<Vec3> inner;
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * std::numbers::pi * k / kSides;
    for (const double z : {-0.5 * length, 0.5 * length}) {
      inner.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return {PointSet(cylinder_hull(radius, length).points),
          PointSet(inner),
          PointSet(cylinder_hull(radius, length, kSides).points),
          0,
          nullptr,
          std::make_shared<fcl::Cylinder<double>>(radius, length)};
}

inline JudgedPiece mesh_piece(const Mesh& mesh) {
  const Hull hull = convex_hull(mesh.vertices);
  std::vector<Eigen::Vector3d> points;
  for (const Vec3& p : hull.vertices) points.emplace_back(p.x, p.y, p.z);
  std::vector<fcl::Triangle> triangles;
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& f : hull.facets) {
    triangles.emplace_back(f[0], f[1], f[2]);
    faces->push_back(3);
    for (const std::uint32_t corner : f) faces->push_back(static_cast<int>(corner));
  }
  auto surface = std::make_shared<fcl::BVHModel<fcl::OBBRSS<double>>>();
  surface->beginModel();
  surface->addSubModel(points, triangles);
  surface->endModel();
  auto solid = std::make_shared<fcl::Convex<double>>(
      std::make_shared<const std::vector<Eigen::Vector3d>>(points),
      static_cast<int>(hull.facets.size()), faces);
  // Every vertex of the file, not those that the library finds extreme.
  const PointSet all(mesh.vertices);
  return {all, all, all, 0, surface, solid};
}

inline JudgedPiece box_piece(Vec3 size) {
  return round_piece(box_hull(size).points, 0,
                     std::make_shared<fcl::Box<double>>(size.x, size.y, size.z));
}
inline JudgedPiece sphere_piece(double radius) {
  return round_piece({{}}, radius, std::make_shared<fcl::Sphere<double>>(radius));
}
inline JudgedPiece capsule_piece(double radius, double length) {
  return round_piece({{0, 0, -0.5 * length}, {0, 0, 0.5 * length}}, radius,
                     std::make_shared<fcl::Capsule<double>>(radius, length));
}

/// The judge's own picture of the robots of a scene, at any configuration.
class JudgedRobots {
 public:
  explicit JudgedRobots(const Scene& scene) {
    for (const SceneRobot& robot : scene.robots) {
      robots_.push_back(std::make_unique<Robot>(read_urdf(robot.urdf, {robot.packages, {}}, true),
                                                quad_pose(robot.base)));
      Robot& mine = *robots_.back();
      const std::string prefix = robot.name.empty() ? "" : robot.name + '/';
      for (std::size_t l = 0; l < mine.model.links.size(); ++l) {
        std::vector<Element> elements;
        for (const Collision& c : mine.model.links[l].collisions) {
          elements.push_back({static_cast<int>(l), &mine, quad_pose(c.origin), piece_of(c)});
        }
        const std::string name = prefix + mine.model.links[l].name;
        places_[name] = {&mine, l};
        if (!elements.empty()) links_[name] = std::move(elements);
      }
    }
  }

  const RobotModel& model(std::size_t r) const { return robots_[r]->model; }

  void set_pose(std::span<const double> q) {
    for (const auto& robot : robots_) {
      const std::size_t dof = robot->kinematics.dof();
      robot->X = robot->kinematics(q.first(dof));
      q = q.subspan(dof);
    }
    if (!q.empty()) throw std::runtime_error("dof differ");
    for (auto& [name, elements] : links_) {
      for (Element& e : elements) e.piece.place(e.robot->base * e.robot->X[e.link] * e.origin);
    }
  }

  /// Where a link is in the world.
  QPose link_pose(const std::string& link) const {
    const auto& [robot, l] = places_.at(link);
    return robot->base * robot->X[l];
  }

  /// The pieces of a link; none for a name that is no link with bodies.
  std::vector<JudgedPiece*> pieces(const std::string& link) {
    std::vector<JudgedPiece*> result;
    const auto found = links_.find(link);
    if (found == links_.end()) return result;
    for (Element& e : found->second) result.push_back(&e.piece);
    return result;
  }

 private:
  struct Robot {
    Robot(RobotModel from, QPose at) : model(std::move(from)), kinematics(model), base(at) {}
    RobotModel model;
    ReferenceKinematics kinematics;
    QPose base;
    std::vector<QPose> X{};
  };
  struct Element {
    int link;
    Robot* robot;
    QPose origin;
    JudgedPiece piece;
  };

  static JudgedPiece piece_of(const Collision& c) {
    const Geometry& g = c.geometry;
    switch (g.kind) {
      case Geometry::Kind::box:
        return box_piece(g.size);
      case Geometry::Kind::sphere:
        return sphere_piece(g.radius);
      case Geometry::Kind::cylinder:
        return cylinder_piece(g.radius, g.length);
      case Geometry::Kind::capsule:
        return capsule_piece(g.radius, g.length);
      case Geometry::Kind::mesh:
        return mesh_piece(read_mesh(g.file, g.scale));
      case Geometry::Kind::cone:
        break;
    }
    throw std::runtime_error("no judge for this shape");
  }

  std::vector<std::unique_ptr<Robot>> robots_;
  std::map<std::string, std::vector<Element>> links_;
  std::map<std::string, std::pair<const Robot*, std::size_t>> places_;
};

inline JudgedPiece piece_of(const SceneObject& object) {
  const Shape& s = object.shape;
  switch (s.kind) {
    case Shape::Kind::box:
      return box_piece(s.size);
    case Shape::Kind::sphere:
      return sphere_piece(s.radius);
    case Shape::Kind::cylinder:
      return cylinder_piece(s.radius, s.length);
    case Shape::Kind::capsule:
      return capsule_piece(s.radius, s.length);
    case Shape::Kind::mesh:
      return mesh_piece(read_mesh(s.file, s.scale));
    default:
      throw std::runtime_error("no judge for this shape");
  }
}

/// What was counted; the last group must stay zero.
struct SceneTally {
  std::int64_t scenes = 0, states = 0, states_free = 0, states_contact = 0, states_undecided = 0;
  std::int64_t object_contacts = 0;                   ///< states where a link touches an object
  std::map<std::string, std::int64_t> contact_pairs;  ///< states by pair in contact
  std::int64_t pairs = 0, referenced = 0;
  std::int64_t agree = 0, ours_only = 0, fcl_only = 0;  ///< states: contact by one alone
  std::int64_t pairs_ours_only = 0, pairs_fcl_only = 0;
  // Why pairs differ.
  std::int64_t by_prism = 0;             ///< the prism touches, the cylinder in it does not
  std::int64_t fcl_missed = 0;           ///< real shapes overlap, FCL sees nothing
  std::int64_t fcl_imagined = 0;         ///< real shapes are apart, FCL sees a contact
  std::int64_t by_touching = 0;          ///< within 1e-9 m of touching
  std::vector<double> distances;         ///< metres: of free states
  std::vector<double> object_distances;  ///< metres: from the objects, of states clear of them
  double worst_error = 0;                ///< metres: of a distance against the reference

  std::int64_t wrong_verdicts = 0, wrong_distances = 0, lower_violations = 0, wrong_least = 0;
  std::int64_t unexplained = 0;
  std::vector<std::string> messages;

  std::int64_t violations() const {
    return wrong_verdicts + wrong_distances + lower_violations + wrong_least + unexplained;
  }
};

/// The states of one scene.
class SceneJudge {
 public:
  SceneJudge(const Scene& scene, const World& world, JudgedRobots& robots, SceneTally& tally)
      : scene_(scene), world_(world), robots_(robots), tally_(tally), query_(world) {
    for (const SceneObject& object : scene.objects) {
      objects_.push_back(piece_of(object));
      objects_.back().place(quad_pose(object.pose));
    }
    ++tally.scenes;
  }

  void judge(std::span<const double> q, const std::string& what) {
    robots_.set_pose(q);
    ++tally_.states;
    const Nearest least = query_(q);
    const CheckResult checked = query_.check(q);
    const std::span<const Nearest> all = query_.all_pairs(q);
    if (all.size() != world_.pairs().size()) throw std::runtime_error("pairs are missing");
    bool ours = false, theirs = false, open = false, touches_object = false;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double least_upper = kInfinity, least_object = kInfinity;
    for (const Nearest& near : all) {
      ++tally_.pairs;
      const std::string &a = name(near.a), &b = name(near.b);
      const std::vector<JudgedPiece*> of_a = pieces(a), of_b = pieces(b);
      const bool mine = near.verdict == Verdict::contact;
      const bool fcl = collide(of_a, of_b);
      ours = ours || mine;
      open = open || near.verdict == Verdict::undecided;
      theirs = theirs || fcl;
      least_upper = std::min(least_upper, near.distance);
      if (mine) ++tally_.contact_pairs[a + " and " + b];
      if (world_.solids()[static_cast<std::size_t>(near.b)].is_object) {
        least_object = std::min(least_object, near.distance);
        touches_object = touches_object || mine;
      }
      const std::string text = what + ": " + a + " and " + b + " " + to_string(near.verdict) +
                               " at " + std::to_string(near.distance) + " m";
      // Far pairs on which both agree are left to the other judges.
      if (mine == fcl && near.lower_bound > 0.02) continue;
      ++tally_.referenced;
      hold_against_reference(near, of_a, of_b, text);
      if (mine != fcl) explain(mine, of_a, of_b, text);
    }
    (checked.verdict == Verdict::free      ? tally_.states_free
     : checked.verdict == Verdict::contact ? tally_.states_contact
                                           : tally_.states_undecided)++;
    const Verdict expected = ours ? Verdict::contact : open ? Verdict::undecided : Verdict::free;
    if (checked.verdict != expected || least.verdict != expected ||
        std::abs(least.distance - least_upper) > 1e-9) {
      blame(tally_.wrong_least, what + ": least distance or verdict is not that of the pairs");
    }
    tally_.object_contacts += touches_object;
    (ours == theirs ? tally_.agree : ours ? tally_.ours_only : tally_.fcl_only)++;
    if (expected == Verdict::free) tally_.distances.push_back(least.distance);
    if (!touches_object) tally_.object_distances.push_back(least_object);
  }

 private:
  const std::string& name(int solid) const {
    return world_.solids()[static_cast<std::size_t>(solid)].name;
  }

  std::vector<JudgedPiece*> pieces(const std::string& solid) {
    std::vector<JudgedPiece*> of = robots_.pieces(solid);
    for (std::size_t i = 0; of.empty() && i < objects_.size(); ++i) {
      if (scene_.objects[i].name == solid) of.push_back(&objects_[i]);
    }
    if (of.empty()) throw std::runtime_error("no shapes for " + solid);
    return of;
  }

  /// FCL's trees see crossing surfaces but not one body inside another; its solids do.
  static bool collide(const JudgedPiece& a, const JudgedPiece& b) {
    const fcl::CollisionRequest<double> request;
    fcl::CollisionResult<double> crossing, solid;
    const auto surface = [](const JudgedPiece& p) {
      return p.surface ? p.surface.get() : p.solid.get();
    };
    const bool has_surface = a.surface != nullptr || b.surface != nullptr;
    return (has_surface && fcl::collide<double>(surface(a), a.fcl_pose, surface(b), b.fcl_pose,
                                                request, crossing) > 0) ||
           fcl::collide<double>(a.solid.get(), a.fcl_pose, b.solid.get(), b.fcl_pose, request,
                                solid) > 0;
  }
  static bool collide(const std::vector<JudgedPiece*>& a, const std::vector<JudgedPiece*>& b) {
    return std::any_of(a.begin(), a.end(), [&](const JudgedPiece* x) {
      return std::any_of(b.begin(), b.end(), [&](const JudgedPiece* y) { return collide(*x, *y); });
    });
  }

  using Points = PointSet JudgedPiece::*;
  /// The least distance of the pieces, at least minus the sum of their radii.
  static Quad distance(const std::vector<JudgedPiece*>& a, const std::vector<JudgedPiece*>& b,
                       Points points) {
    Quad least = std::numeric_limits<double>::infinity();
    for (const JudgedPiece* x : a) {
      for (const JudgedPiece* y : b) {
        const auto near = reference_distance(x->*points, x->X, y->*points, y->X);
        least = std::min(least, near.upper - x->radius - y->radius);
      }
    }
    return least;
  }

  void hold_against_reference(const Nearest& near, const std::vector<JudgedPiece*>& a,
                              const std::vector<JudgedPiece*>& b, const std::string& text) {
    const Quad real = distance(a, b, &JudgedPiece::points);
    const Quad apart = real > 0 ? real : Quad(0);
    const std::string with = text + ", reference " + std::to_string(static_cast<double>(real));
    const double error = std::abs(static_cast<double>(Quad(near.distance) - apart));
    tally_.worst_error = std::max(tally_.worst_error, error);
    if (!(error <= 1e-9)) blame(tally_.wrong_distances, with);
    if (Quad(near.lower_bound) > apart) blame(tally_.lower_violations, with);
    const bool wrong = (near.verdict == Verdict::free && !(real > 0)) ||
                       (near.verdict == Verdict::contact && real > Quad(1e-12)) ||
                       (near.verdict == Verdict::undecided && real > Quad(1e-9));
    if (wrong) blame(tally_.wrong_verdicts, with);
  }

  void explain(bool mine, const std::vector<JudgedPiece*>& a, const std::vector<JudgedPiece*>& b,
               const std::string& text) {
    ++(mine ? tally_.pairs_ours_only : tally_.pairs_fcl_only);
    const Quad inner = distance(a, b, &JudgedPiece::inner);  // at least the real distance
    const Quad outer = distance(a, b, &JudgedPiece::outer);  // at most
    if (!mine) {
      if (outer > Quad(1e-9)) {
        ++tally_.fcl_imagined;
      } else if (inner >= 0 && outer >= 0) {
        ++tally_.by_touching;
      } else {
        blame(tally_.unexplained, text + ", FCL alone sees a contact");
      }
    } else if (inner > 0) {
      ++(inner > Quad(1e-9) ? tally_.by_prism : tally_.by_touching);
      if (outer > inner || outer > Quad(1e-2)) blame(tally_.unexplained, text);
    } else {
      ++tally_.fcl_missed;
    }
    note(text + (mine ? ", FCL sees nothing" : ", FCL sees a contact") + "; real distance from " +
         std::to_string(static_cast<double>(outer)) + " to " +
         std::to_string(static_cast<double>(inner)));
  }

  void note(const std::string& text) {
    if (tally_.messages.size() < 200) tally_.messages.push_back(text);
  }
  void blame(std::int64_t& counter, const std::string& text) {
    ++counter;
    note("WRONG " + text);
  }

  const Scene& scene_;
  const World& world_;
  JudgedRobots& robots_;
  SceneTally& tally_;
  DistanceQuery query_;
  std::vector<JudgedPiece> objects_;
};

}  // namespace keepclear::oracle
