// SPDX-License-Identifier: BSD-3-Clause
//
// The judge's own picture of a watched scene: where everything is, by 113-bit kinematics straight
// from the robots' descriptions; who carries what; who is kept apart from whom. From the library
// come the parsed descriptions, the pairs of links, the hulls, and distances of single bodies.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/scene.hpp"
#include "oracle/reference_kinematics.hpp"
#include "robot/urdf.hpp"
#include "scene/mesh_hulls.hpp"
#include "scene/scene_parts.hpp"
#include "shape/body.hpp"
#include "shape/primitives.hpp"

namespace keepclear::oracle {

inline Pose narrow(const QPose& X) {
  return {{narrow(X.R.row0), narrow(X.R.row1), narrow(X.R.row2)}, narrow(X.p)};
}
inline QPose reference_inverse(const QPose& X) {
  const QMat& R = X.R;
  QPose inverse;
  inverse.R = {{R.row0.x, R.row1.x, R.row2.x},
               {R.row0.y, R.row1.y, R.row2.y},
               {R.row0.z, R.row1.z, R.row2.z}};
  inverse.p = Quad(-1) * (inverse.R * X.p);
  return inverse;
}

/// One convex piece in the frame of its solid; a half-space has no body.
struct WatchPiece {
  std::shared_ptr<const Body> body;
  QPose X_SP;
  Vec3 normal;
  double offset = 0;
  // Now.
  Pose X;
  Vec3 centre;
  double ball = 0;
  double speed_lo = 0;  ///< m/s: at most that of the fastest point
};

struct WatchSolid {
  std::string name;
  bool is_object = false, is_plane = false;
  int robot = -1, link = -1;
  int group = 0;  ///< what the same joint moves; 0 stands
  std::vector<WatchPiece> pieces;
  QPose X;
  // Of objects.
  int carrier = -1;  ///< the solid that carries it
  QPose X_LO;
  bool placed = false;  ///< by place(), and not taken since
  std::set<int> touch;
  double speed_lo() const {
    double most = 0;
    for (const WatchPiece& piece : pieces) most = std::max(most, piece.speed_lo);
    return most;
  }
};

struct DistanceRange {
  double lower = std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

class WatchModel {
 public:
  WatchModel(const Scene& scene, const LoadOptions& load, const World& world)
      : scene_(scene), world_(world), solids_(world.solids().size()) {
    for (std::size_t s = 0; s < solids_.size(); ++s) {
      solids_[s].name = world.solids()[s].name;
      solids_[s].is_object = world.solids()[s].is_object;
    }
    for (std::size_t r = 0; r < scene.robots.size(); ++r) add_robot(static_cast<int>(r), load);
    for (const SceneObject& object : scene.objects) add_object(object, load);
    for (const Attachment& held : scene.attached) {
      WatchSolid& object = solids_[solid(held.object)];
      object.carrier = solid(held.link);
      object.X_LO = object.X;
      object.touch.insert(object.carrier);
      for (const std::string& name : held.touch) {
        for (const int other : named(name)) object.touch.insert(other);
      }
    }
    for (const PairInfo& pair : world.pairs()) {
      if (!solids_[pair.a].is_object && !solids_[pair.b].is_object) {
        link_pairs_.insert(std::minmax(pair.a, pair.b));
      }
    }
    for (const NamedPair& pair : scene.allow) {
      for (const int a : named(pair.a)) {
        for (const int b : named(pair.b)) allowed_.insert(std::minmax(a, b));
      }
    }
    for (const PairMargin& entry : scene.margins) {
      for (const int a : named(entry.pair.a)) {
        for (const int b : named(entry.pair.b)) margins_[std::minmax(a, b)] = entry.margin;
      }
    }
  }

  std::vector<WatchSolid>& solids() { return solids_; }
  int count() const { return static_cast<int>(solids_.size()); }

  /// Everything to where q has it; speeds from where it was, `since` seconds before (0: unknown).
  void move_to(std::span<const double> q, double since) {
    std::size_t first = 0;
    std::vector<std::vector<QPose>> poses;
    for (const Robot& robot : robots_) {
      poses.push_back((*robot.kinematics)(q.subspan(first, robot.kinematics->dof())));
      first += robot.kinematics->dof();
    }
    for (WatchSolid& s : solids_) {
      if (!s.is_object) s.X = robots_[s.robot].base * poses[s.robot][s.link];
    }
    for (WatchSolid& s : solids_) {
      if (s.carrier >= 0) s.X = solids_[s.carrier].X * s.X_LO;
    }
    for (WatchSolid& s : solids_) {
      for (WatchPiece& piece : s.pieces) {
        const Pose before = piece.X;
        piece.X = narrow(s.X * piece.X_SP);
        piece.speed_lo = 0;
        if (!piece.body) continue;
        piece.centre = piece.X * piece.body->centre();
        piece.ball = piece.body->bounding_radius();
        if (since > 0) piece.speed_lo = farthest(*piece.body, before, piece.X) / since;
      }
    }
  }

  bool kept_apart(int a, int b) const {
    const std::pair<int, int> key = std::minmax(a, b);
    const WatchSolid &x = solids_[a], &y = solids_[b];
    if (a == b) return false;
    if (!x.is_object && !y.is_object) return link_pairs_.contains(key);
    if (allowed_.contains(key) || x.touch.contains(b) || y.touch.contains(a)) return false;
    const int group_x = group_of(x), group_y = group_of(y);
    if (x.is_object && y.is_object && group_x == 0 && group_y == 0) return false;
    return group_x != group_y || x.placed || y.placed;
  }

  double margin(int a, int b) const {
    const auto found = margins_.find(std::minmax(a, b));
    return found == margins_.end() ? scene_.margin : found->second;
  }

  static DistanceRange apart(const WatchPiece& a, const WatchPiece& b) {
    if (!a.body && !b.body) return {};
    if (!b.body) return apart(b, a);
    if (!a.body) {
      // The plane x.n = offset in its own frame.
      const Vec3 n = a.X.R * ((1 / keepclear::norm(a.normal)) * a.normal);
      const Volume volume = b.body->volume();
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < volume.count; ++i) {
        least = std::min(least, keepclear::dot(n, b.X * volume.point(i) - a.X.p));
      }
      const double d = std::max(least - a.offset - volume.radius, 0.0);
      return {d - 1e-12, d + 1e-12};
    }
    const BodyDistance d = distance(*a.body, a.X, *b.body, b.X);
    return {d.lower_bound, d.distance};
  }
  /// Of whole solids. Pieces whose balls are farther apart than what is known do not count.
  static DistanceRange apart(const WatchSolid& a, const WatchSolid& b) {
    DistanceRange least;
    for (const WatchPiece& x : a.pieces) {
      for (const WatchPiece& y : b.pieces) {
        if (balls_apart(x, y) > least.upper) continue;
        const DistanceRange d = apart(x, y);
        least = {std::min(least.lower, d.lower), std::min(least.upper, d.upper)};
      }
    }
    return least;
  }
  static double balls_apart(const WatchPiece& a, const WatchPiece& b) {
    if (!a.body || !b.body) return 0;
    return keepclear::norm(a.centre - b.centre) - a.ball - b.ball - 1e-9;
  }

  void attach(int object, int link, std::span<const int> touch) {
    WatchSolid& s = solids_[object];
    s.carrier = link;
    s.X_LO = reference_inverse(solids_[link].X) * s.X;
    s.placed = false;
    s.touch = {touch.begin(), touch.end()};
    s.touch.insert(link);
    if (solids_[link].group == 0) stand(s);
  }
  void release(int object) {
    WatchSolid& s = solids_[object];
    s.carrier = -1;
    s.touch.clear();
    stand(s);
  }
  void place(int object, const Pose& X) {
    solids_[object].X = widen<Quad>(X);
    solids_[object].placed = true;
  }

 private:
  struct Robot {
    std::unique_ptr<RobotModel> model;
    std::unique_ptr<ReferenceKinematics> kinematics;
    QPose base;
  };

  int solid(const std::string& name) const { return world_.find_solid(name); }
  std::vector<int> named(const std::string& name) const {
    if (solid(name) >= 0) return {solid(name)};
    std::vector<int> found;
    for (int s = 0; s < count(); ++s) {
      if (!solids_[s].is_object && solids_[s].name.starts_with(name + "/")) found.push_back(s);
    }
    return found;
  }
  int group_of(const WatchSolid& s) const {
    if (!s.is_object) return s.group;
    return s.carrier < 0 ? 0 : solids_[s.carrier].group;
  }

  /// What stands has no speed, even if it was placed just before.
  static void stand(WatchSolid& s) {
    for (WatchPiece& piece : s.pieces) piece.X = narrow(s.X * piece.X_SP);
  }

  static double farthest(const Body& body, const Pose& before, const Pose& now) {
    const Volume volume = body.volume();
    double most = 0;
    const std::size_t stride = 1 + volume.count / 16;
    for (std::size_t i = 0; i < volume.count; i += stride) {
      most = std::max(most, keepclear::norm(now * volume.point(i) - before * volume.point(i)));
    }
    return most * (1 - 1e-9) - 1e-12 > 0 ? most * (1 - 1e-9) - 1e-12 : 0;
  }

  static void add_hull(WatchSolid& to, const RoundedHull& hull, const QPose& X) {
    to.pieces.push_back({std::make_shared<Body>(make_body(hull, {}, {})), X, {}, 0, {}, {}, 0, 0});
  }
  static void add_mesh(WatchSolid& to, const Mesh& mesh, int parts, const QPose& X) {
    const MeshHulls made = make_hulls(mesh, parts);
    for (const Hull& hull : made.hulls) {
      const RoundedHull rounded{hull.vertices, hull.excess, hull.excess};
      to.pieces.push_back({std::make_shared<Body>(make_body(rounded, {}, {}, made.vertex_error)),
                           X,
                           {},
                           0,
                           {},
                           {},
                           0,
                           0});
    }
  }

  void add_robot(int r, const LoadOptions& load) {
    const SceneRobot& given = scene_.robots[r];
    Robot robot;
    robot.model = std::make_unique<RobotModel>(read_urdf(given.urdf, {}));
    robot.kinematics = std::make_unique<ReferenceKinematics>(*robot.model);
    robot.base = reference_origin(given.base);
    for (std::size_t l = 0; l < robot.model->links.size(); ++l) {
      const Link& link = robot.model->links[l];
      const int s = solid(given.name + "/" + link.name);
      if (s < 0) continue;
      solids_[s].robot = r;
      solids_[s].link = static_cast<int>(l);
      solids_[s].group = group_of_link(*robot.model, static_cast<int>(l), r);
      for (const Collision& element : link.collisions) add_element(solids_[s], element, load);
    }
    robots_.push_back(std::move(robot));
  }
  /// The nearest movable joint above a link.
  static int group_of_link(const RobotModel& robot, int link, int r) {
    for (int joint = robot.links[link].parent_joint; joint >= 0;
         joint = robot.links[link].parent_joint) {
      if (robot.joints[joint].type != JointType::fixed) return 1 + 1000 * r + joint;
      link = robot.joints[joint].parent;
    }
    return 0;
  }
  static void add_element(WatchSolid& to, const Collision& element, const LoadOptions& load) {
    const Geometry& g = element.geometry;
    const QPose X = reference_origin(element.origin);
    switch (g.kind) {
      case Geometry::Kind::box:
        return add_hull(to, box_hull(g.size), X);
      case Geometry::Kind::sphere:
        return add_hull(to, sphere_hull(g.radius), X);
      case Geometry::Kind::cylinder:
        return add_hull(to, cylinder_hull(g.radius, g.length), X);
      case Geometry::Kind::capsule:
        return add_hull(to, capsule_hull(g.radius, g.length), X);
      case Geometry::Kind::cone:
        return add_hull(to, cone_hull(g.radius, g.length), X);
      case Geometry::Kind::mesh:
        return add_mesh(to, read_mesh(g.file, g.scale), load.parts, X);
    }
  }

  void add_object(const SceneObject& object, const LoadOptions& load) {
    WatchSolid& to = solids_[solid(object.name)];
    const Shape& shape = object.shape;
    to.X = reference_origin(object.pose);
    switch (shape.kind) {
      case Shape::Kind::box:
        return add_hull(to, box_hull(shape.size), {});
      case Shape::Kind::sphere:
        return add_hull(to, sphere_hull(shape.radius), {});
      case Shape::Kind::cylinder:
        return add_hull(to, cylinder_hull(shape.radius, shape.length), {});
      case Shape::Kind::capsule:
        return add_hull(to, capsule_hull(shape.radius, shape.length), {});
      case Shape::Kind::cone:
        return add_hull(to, cone_hull(shape.radius, shape.length), {});
      case Shape::Kind::mesh:
        return add_mesh(to, inline_mesh_of(shape), load.parts, {});
      case Shape::Kind::points:
        for (const Vec3& p : shape.points) add_hull(to, {{p}, shape.radius, 0}, {});
        return;
      case Shape::Kind::plane:
        to.is_plane = true;
        to.pieces.push_back({nullptr, {}, shape.normal, shape.offset, {}, {}, 0, 0});
        return;
      case Shape::Kind::octomap:
        break;
    }
  }

  const Scene& scene_;
  const World& world_;
  std::vector<Robot> robots_;
  std::vector<WatchSolid> solids_;
  std::set<std::pair<int, int>> link_pairs_, allowed_;
  std::map<std::pair<int, int>, double> margins_;
};

}  // namespace keepclear::oracle
