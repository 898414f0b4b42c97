// SPDX-License-Identifier: BSD-3-Clause
//
// One object of a scene as what moves, and everything else in the scene as what stands around it:
// shapes as they are, not as hulls, and links as their bodies.
#include "certify/object_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "keepclear/error.hpp"
#include "keepclear/toleranced.hpp"
#include "motion/displacement_curve.hpp"
#include "rounding/mode.hpp"
#include "scene/scene_parts.hpp"
#include "scene/world.hpp"
#include "shape/body.hpp"
#include "shape/point_cloud.hpp"
#include "shape/primitives.hpp"

namespace keepclear {
namespace {

/// Cells of a map that are taken as boxes, each with its elements.
constexpr std::size_t kMaxCells = 1'000'000;

/// The shapes of a scene in their own frames.
class Shapes {
 public:
  Shapes(const Scene& scene, const LoadOptions& options) : scene_(scene), options_(options) {}

  Polyhedron of(const SceneObject& object) try {
    const Shape& shape = object.shape;
    switch (shape.kind) {
      case Shape::Kind::box:
        return Polyhedron::box(shape.size);
      case Shape::Kind::sphere:
        return of_hull(sphere_hull(shape.radius));
      case Shape::Kind::cylinder:
        return of_hull(cylinder_hull(shape.radius, shape.length));
      case Shape::Kind::capsule:
        return of_hull(capsule_hull(shape.radius, shape.length));
      case Shape::Kind::cone:
        return of_hull(cone_hull(shape.radius, shape.length));
      case Shape::Kind::mesh:
        return mesh(shape);
      case Shape::Kind::points: {
        const CloudPoints cloud = points_of(shape, scene_, options_);
        return Polyhedron::points(cloud.points, shape.radius, cloud.point_error);
      }
      case Shape::Kind::octomap:
        return octomap(shape);
      case Shape::Kind::plane:
        break;
    }
    throw Error(Error::Kind::usage, "", 0, "a plane has no vertices, edges and faces");
  } catch (const Error& error) {
    rethrow_at(scene_, object.place, object.name, error);
  }

 private:
  static Polyhedron of_hull(const RoundedHull& hull) {
    return Polyhedron::of(make_body(hull, {}, {}));
  }

  static Polyhedron of_mesh(const Mesh& mesh) {
    return Polyhedron::mesh(mesh.vertices, mesh.triangles, 0, mesh.vertex_error);
  }

  Polyhedron mesh(const Shape& shape) {
    if (shape.file.empty()) return of_mesh(inline_mesh_of(shape));
    const std::string file = file_of(shape, scene_, options_).string();
    const auto key = std::tuple(file, shape.scale.x, shape.scale.y, shape.scale.z);
    auto known = meshes_.find(key);
    if (known == meshes_.end()) {
      known = meshes_.emplace(key, of_mesh(read_mesh(file, shape.scale))).first;
    }
    return known->second;
  }

  Polyhedron octomap(const Shape& shape) const {
    const bool solid_unknown = shape.unknown == UnknownSpace::occupied;
    const VoxelMap map = read_octomap(file_of(shape, scene_, options_), solid_unknown);
    const std::size_t count = map.occupied.size() + map.unknown.size();
    if (count > kMaxCells) {
      throw Error(Error::Kind::malformed, "", 0,
                  fmt::format("a map of {} solid cells, the limit is {} where an object moves",
                              count, kMaxCells));
    }
    std::vector<Box> boxes;
    boxes.reserve(count);
    const auto add = [&](const std::vector<Voxel>& cells) {
      for (const Voxel& cell : cells) {
        const double half = rounding::up(cell.half + map.corner_error);
        const Vec3 c = cell.centre;
        boxes.push_back(
            {{rounding::down(c.x - half), rounding::down(c.y - half), rounding::down(c.z - half)},
             {rounding::up(c.x + half), rounding::up(c.y + half), rounding::up(c.z + half)}});
      }
    };
    add(map.occupied);
    add(map.unknown);
    return Polyhedron::boxes(boxes);
  }

  const Scene& scene_;
  const LoadOptions& options_;
  std::map<std::tuple<std::string, double, double, double>, Polyhedron> meshes_;
};

Polyhedron placed(const Polyhedron& polyhedron, const BoundedPose& X) {
  return polyhedron.placed(X.X, X.error.rotation, X.error.position);
}

/// n . (R^T (x - p)) <= offset |n|, as a plane of the world that holds it as far as
/// kPlaneReach.
StandingPlane placed_plane(const Shape& shape, const BoundedPose& X) {
  StandingPlane plane;
  plane.normal = X.X.R * shape.normal;
  const double length = norm(shape.normal), placed_length = norm(plane.normal);
  const double at = shape.offset + dot(plane.normal, X.X.p) / placed_length;
  const double terms = std::abs(shape.offset) + rounding::norm_hi(X.X.p);
  if (X.X.R == Mat3{} && X.X.p == Vec3{}) {
    plane.offset = shape.offset;
    return plane;
  }
  // The direction is off by what the rotation is, and by what turning the normal rounds; both count
  // for the point x and for p.
  const double turned =
      X.X.R == Mat3{} ? 0 : rounding::rotate_error(1 + X.error.rotation, length) / placed_length;
  const double off = (X.error.rotation + 2 * turned) * (kPlaneReach + terms) + X.error.position +
                     rounding::gamma(12) * terms;
  plane.offset = rounding::up(at + rounding::inflate(off, 16));
  return plane;
}

const SceneObject& object_called(const Scene& scene, const std::string& name) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw Error(Error::Kind::usage, scene.file, 0, what, hint);
  };
  const auto found = std::find_if(scene.objects.begin(), scene.objects.end(),
                                  [&](const SceneObject& o) { return o.name == name; });
  if (found == scene.objects.end()) {
    std::string names;
    for (std::size_t i = 0; i < scene.objects.size() && i < 8; ++i) {
      names += (i == 0 ? "there is " : ", ") + scene.objects[i].name;
    }
    if (scene.objects.size() > 8) names += " and more";
    refuse(fmt::format("there is no object '{}'", name),
           names.empty() ? "the scene has no objects" : names);
  }
  if (std::any_of(scene.attached.begin(), scene.attached.end(),
                  [&](const Attachment& a) { return a.object == name; })) {
    refuse(fmt::format("object '{}' is carried by a link", name), "it moves as the robot does");
  }
  if (found->shape.kind == Shape::Kind::plane) {
    refuse(fmt::format("object '{}' is a plane", name), "what moves must have an end");
  }
  return *found;
}

}  // namespace

TolerancedQuery object_query(const Scene& scene, const LoadOptions& load, const std::string& object,
                             const TolerancedOptions& options, std::span<const double> rest) {
  rounding::require_mode();
  const SceneObject& moving = object_called(scene, object);
  LoadOptions all = load;
  // Pairs of links and objects are not what is asked for here.
  all.allow_no_pairs = true;
  const World compiled = compile(scene, all);
  const WorldData& world = compiled.data();
  const int solid = compiled.find_solid(object);

  const std::vector<double> neutral = compiled.neutral();
  std::vector<BoundedPose> poses(world.kinematics.frame_count());
  if (!world.kinematics.forward(rest.empty() ? std::span<const double>(neutral) : rest, 0, poses)) {
    throw Error(Error::Kind::usage, scene.file, 0,
                "where the robots stand is no configuration of the world");
  }

  Shapes shapes(scene, load);
  std::vector<StandingBody> bodies;
  std::vector<StandingPlane> planes;
  for (const WorldBody& body : world.bodies) {
    if (world.rules.may_touch(solid, body.solid)) continue;
    bodies.push_back({placed(Polyhedron::of(body.body), poses[body.frame]),
                      world.solids[body.solid].name, world.rules.margin_of(solid, body.solid)});
  }
  for (const SceneObject& other : scene.objects) {
    const int index = compiled.find_solid(other.name);
    // What a link carries is among its bodies.
    if (&other == &moving || index < 0 || world.solids[index].robot >= 0 ||
        world.rules.may_touch(solid, index)) {
      continue;
    }
    const BoundedPose X = from_origin(other.pose);
    const double margin = world.rules.margin_of(solid, index);
    if (other.shape.kind == Shape::Kind::plane) {
      planes.push_back(placed_plane(other.shape, X));
      planes.back().name = other.name;
      planes.back().margin = margin;
    } else {
      bodies.push_back({placed(shapes.of(other), X), other.name, margin});
    }
  }
  return TolerancedQuery(shapes.of(moving), std::move(bodies), std::move(planes), options);
}

double reach_hi(const TolerancedQuery& query, const DisplacementCurve& curve, double deviation) {
  const Polyhedron& body = query.moving();
  const DisplacementMetric& metric = query.metric();
  const double begin = curve.begin(), end = curve.end();
  const auto reach_of = [&](double from, double to) {
    const DisplacementBall ball = checked_ball(curve, metric, from, to);
    const Affine& g = ball.centre;
    const double radius = rounding::inflate(ball.stretch * (body.radius() + body.error()), 4);
    double most = 0;
    for (const Vec3 v : body.vertices()) {
      // Rounding is a share of the sum of the terms, however they cancel.
      const double terms =
          rounding::norm_hi(v) * (rounding::norm_hi(g.A.row0) + rounding::norm_hi(g.A.row1) +
                                  rounding::norm_hi(g.A.row2)) +
          rounding::norm_hi(g.a);
      const double moved = (ball.radius + deviation) * metric.distortion_hi(v);
      const double at = rounding::norm_hi(g * v) + rounding::gamma(8) * terms + moved;
      if (!(at <= most)) most = at;
      if (std::isnan(at)) return std::numeric_limits<double>::infinity();
    }
    return rounding::inflate(most + radius, 8);
  };
  // The ball of a whole turn is larger than those of its parts.
  constexpr int kParts = 16;
  const double whole = reach_of(begin, end);
  if (whole <= kPlaneReach) return whole;
  double most = 0;
  for (int i = 0; i < kParts; ++i) {
    const auto cut = [&](int k) {
      return k == kParts ? end : begin + (end - begin) * (static_cast<double>(k) / kParts);
    };
    most = std::max(most, reach_of(cut(i), cut(i + 1)));
  }
  return std::min(whole, most);
}

void require_within_reach(const Scene& scene, const TolerancedQuery& query,
                          const DisplacementCurve& curve, double deviation) {
  const auto is_turned = [&](const StandingPlane& plane) {
    const auto object = std::find_if(scene.objects.begin(), scene.objects.end(),
                                     [&](const SceneObject& o) { return o.name == plane.name; });
    return object == scene.objects.end() || !(from_origin(object->pose).X.R == Mat3{});
  };
  const auto planes = query.planes();
  const auto turned = std::find_if(planes.begin(), planes.end(), is_turned);
  if (turned == planes.end()) return;
  const double reach = reach_hi(query, curve, deviation);
  if (reach <= kPlaneReach) return;
  throw Error(Error::Kind::usage, "", 0,
              fmt::format("the object may come {:.3g} m from the origin: the limit is {} m where a "
                          "plane, '{}', is turned",
                          reach, kPlaneReach, turned->name));
}

}  // namespace keepclear
