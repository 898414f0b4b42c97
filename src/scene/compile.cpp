// SPDX-License-Identifier: BSD-3-Clause
//
// From a scene to one kinematic tree: the world is its root, robots stand on fixed joints, and what
// a link carries is a link of its own. Everything that knows trees then knows scenes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "keepclear/scene.hpp"
#include "robot/packages.hpp"
#include "robot/urdf.hpp"
#include "rounding/mode.hpp"
#include "scene/builtin.hpp"
#include "scene/scene_parts.hpp"
#include "scene/source.hpp"
#include "scene/world.hpp"
#include "shape/point_cloud.hpp"

namespace keepclear {
namespace {

/// Balls around the points of an attached cloud are bodies each: more than this many want a mesh.
constexpr std::size_t kMaxCarriedPoints = 4096;

std::string prefix_of(const SceneRobot& robot) {
  return robot.name.empty() ? "" : robot.name + '/';
}

PackagePaths packages_of(const SceneRobot& robot, const LoadOptions& options) {
  PackagePaths packages{options.packages, options.package_path};
  for (const auto& [name, folder] : robot.packages) packages.named[name] = folder;
  return packages;
}

[[noreturn]] void refuse(const Scene& scene, const std::string& place, const std::string& what,
                         const std::string& hint = {}) {
  throw Error(Error::Kind::malformed, scene.file, 0,
              place.empty() ? what : fmt::format("{}: {}", place, what), hint);
}

struct ReadRobot {
  RobotModel model;
  std::optional<Srdf> srdf;
};

ReadRobot read_robot(const Scene& scene, const SceneRobot& robot, const LoadOptions& options) {
  const PackagePaths packages = packages_of(robot, options);
  ReadRobot read;
  if (!robot.builtin.empty()) {
    try {
      read.model = parse_urdf(builtin_urdf(robot.builtin), robot.builtin, packages, {});
    } catch (const Error& error) {
      rethrow_at(scene, robot.place, robot.name, error);
    }
    const std::string_view srdf = builtin_srdf(robot.builtin);
    if (!srdf.empty() && !robot.srdf) {
      read.srdf = parse_srdf(srdf, robot.builtin + ".srdf", read.model);
    }
  } else if (!robot.urdf.empty()) {
    try {
      read.model = read_urdf(robot.urdf, packages, options.lenient);
    } catch (const Error& error) {
      if (robot.place.empty()) throw;
      rethrow_at(scene, robot.place, robot.name, error);
    }
  } else {
    refuse(scene, robot.place, "a robot needs a URDF");
  }
  if (robot.srdf) read.srdf = read_srdf(*robot.srdf, read.model);
  return read;
}

void append(const ReadRobot& from, const SceneRobot& robot, int index, WorldModel& to) {
  const std::string prefix = prefix_of(robot);
  const int link_shift = static_cast<int>(to.robot.links.size());
  const int joint_shift = static_cast<int>(to.robot.joints.size());
  for (Link link : from.model.links) {
    link.name = prefix + link.name;
    link.file = from.model.file;
    to.robot.links.push_back(std::move(link));
    to.robot_of_link.push_back(index);
    to.object_of_link.push_back(-1);
  }
  for (Joint joint : from.model.joints) {
    joint.name = prefix + joint.name;
    joint.parent += link_shift;
    joint.child += link_shift;
    if (joint.mimic) joint.mimic->joint += joint_shift;
    to.robot.joints.push_back(std::move(joint));
  }
  Joint stand;
  stand.name = prefix + "in_the_world";
  stand.parent = 0;
  stand.child = from.model.root + link_shift;
  stand.origin = robot.base;
  to.robot.joints.push_back(std::move(stand));
  for (const std::string& note : from.model.notes) to.robot.notes.push_back(note);
  if (!from.srdf) return;
  Srdf& srdf = to.srdf ? *to.srdf : to.srdf.emplace();
  if (srdf.file.empty()) srdf.file = from.srdf->file;
  for (const DisabledPair& pair : from.srdf->disabled) {
    srdf.disabled.push_back({prefix + pair.link1, prefix + pair.link2, pair.reason, pair.line});
  }
  for (const auto& link : from.srdf->disabled_by_default) {
    srdf.disabled_by_default.push_back(prefix + link);
  }
  for (const auto& [a, b] : from.srdf->enabled) srdf.enabled.emplace_back(prefix + a, prefix + b);
  for (const Srdf::State& state : from.srdf->states) {
    Srdf::State& named =
        srdf.states.emplace_back(Srdf::State{prefix + state.name, state.group, {}});
    for (const auto& [joint, values] : state.joints) named.joints.emplace(prefix + joint, values);
  }
  for (const std::string& note : from.srdf->notes) srdf.notes.push_back(note);
}

/// The collision elements of a carried object, in its own frame.
std::vector<Collision> collisions_of(const Scene& scene, const SceneObject& object,
                                     const LoadOptions& options) {
  const Shape& shape = object.shape;
  Collision element;
  Geometry& g = element.geometry;
  g.size = shape.size, g.radius = shape.radius, g.length = shape.length;
  switch (shape.kind) {
    case Shape::Kind::box:
      g.kind = Geometry::Kind::box;
      return {element};
    case Shape::Kind::sphere:
      g.kind = Geometry::Kind::sphere;
      return {element};
    case Shape::Kind::cylinder:
      g.kind = Geometry::Kind::cylinder;
      return {element};
    case Shape::Kind::capsule:
      g.kind = Geometry::Kind::capsule;
      return {element};
    case Shape::Kind::cone:
      g.kind = Geometry::Kind::cone;
      return {element};
    case Shape::Kind::mesh:
      g.kind = Geometry::Kind::mesh;
      g.scale = shape.scale;
      if (shape.file.empty()) {
        g.in_place = std::make_shared<const Mesh>(inline_mesh_of(shape));
      } else {
        g.file = file_of(shape, scene, options);
      }
      return {element};
    case Shape::Kind::points: {
      const CloudPoints cloud = points_of(shape, scene, options);
      if (cloud.points.size() > kMaxCarriedPoints) {
        throw Error(Error::Kind::malformed, "", 0,
                    fmt::format("a cloud of {} points cannot be attached, the limit is {}",
                                cloud.points.size(), kMaxCarriedPoints),
                    "attach a mesh or a box around it");
      }
      std::vector<Collision> elements;
      g.kind = Geometry::Kind::sphere;
      if (cloud.point_error > 0) g.radius = rounding::up(shape.radius + cloud.point_error);
      for (const Vec3 p : cloud.points) {
        element.origin.xyz = p;
        elements.push_back(element);
      }
      return elements;
    }
    default:
      throw Error(Error::Kind::malformed, "", 0,
                  fmt::format("a shape of kind {} cannot be attached", to_string(shape.kind)));
  }
}

void attach(const Scene& scene, const Attachment& attachment, const LoadOptions& options,
            WorldModel& to) {
  const auto object =
      std::find_if(scene.objects.begin(), scene.objects.end(),
                   [&](const SceneObject& o) { return o.name == attachment.object; });
  if (object == scene.objects.end()) {
    refuse(scene, attachment.place, fmt::format("there is no object '{}'", attachment.object));
  }
  const int index = static_cast<int>(object - scene.objects.begin());
  if (std::find(to.object_of_link.begin(), to.object_of_link.end(), index) !=
      to.object_of_link.end()) {
    refuse(scene, attachment.place, fmt::format("object '{}' is attached twice", object->name));
  }
  const int link = to.robot.find_link(attachment.link);
  if (link <= 0 || link >= to.first_attached) {
    refuse(scene, attachment.place, fmt::format("there is no link '{}'", attachment.link));
  }
  Link carried;
  carried.name = object->name;
  try {
    carried.collisions = collisions_of(scene, *object, options);
  } catch (const Error& error) {
    rethrow_at(scene, object->place, object->name, error);
  }
  Joint hold;
  hold.name = object->name + "/held";
  hold.parent = link;
  hold.child = static_cast<int>(to.robot.links.size());
  hold.origin = object->pose;
  to.robot.links.push_back(std::move(carried));
  to.robot.joints.push_back(std::move(hold));
  to.robot_of_link.push_back(to.robot_of_link[link]);
  to.object_of_link.push_back(index);
}

void require_names(const Scene& scene) {
  std::set<std::string> robots;
  for (const SceneRobot& robot : scene.robots) {
    if (scene.robots.size() > 1 && robot.name.empty()) {
      refuse(scene, robot.place, "several robots need a name each");
    }
    if (robot.name.find('/') != std::string::npos) {
      refuse(scene, robot.place, fmt::format("the name '{}' has a slash in it", robot.name));
    }
    if (!robots.insert(robot.name).second) {
      refuse(scene, robot.place, fmt::format("two robots are called '{}'", robot.name));
    }
  }
}

/// A name means one thing: an object is called neither like a robot nor like a link.
void require_clear_names(const Scene& scene, const RobotModel& model) {
  std::set<std::string_view> taken;
  for (const SceneRobot& robot : scene.robots) taken.insert(robot.name);
  for (const Link& link : model.links) taken.insert(link.name);
  for (const SceneObject& object : scene.objects) {
    if (!taken.contains(object.name)) continue;
    refuse(scene, object.place,
           fmt::format("an object may not be called '{}', like a robot or a link", object.name));
  }
}

bool within(Vec3 v, double limit) {
  return std::fabs(v.x) <= limit && std::fabs(v.y) <= limit && std::fabs(v.z) <= limit;
}

/// A scene that a program filled has passed no reader: numbers are looked at here, whoever wrote
/// them.
void require_pose(const Scene& scene, const std::string& place, const Origin& pose) {
  if (!within(pose.xyz, kMaxMetres)) {
    refuse(scene, place, fmt::format("a position is not finite or beyond {} m", kMaxMetres));
  }
  if (!within(pose.rpy, kMaxRpy)) {
    refuse(scene, place, fmt::format("an angle is not finite or beyond {} rad", kMaxRpy));
  }
  if (!pose.quaternion) return;
  const Quaternion& q = *pose.quaternion;
  if (!rounding::is_unit_quaternion(q.x, q.y, q.z, q.w)) {
    refuse(scene, place, "the norm of a quaternion is not one to within 1e-6");
  }
}

void require_numbers(const Scene& scene) {
  for (const SceneRobot& robot : scene.robots) {
    require_pose(scene, robot.place.empty() ? fmt::format("robot '{}'", robot.name) : robot.place,
                 robot.base);
  }
  for (const SceneObject& object : scene.objects) {
    const std::string place =
        object.place.empty() ? fmt::format("object '{}'", object.name) : object.place;
    require_pose(scene, place, object.pose);
    const Shape& shape = object.shape;
    if (shape.kind < Shape::Kind::box || shape.kind > Shape::Kind::octomap) {
      refuse(scene, place,
             fmt::format("there is no kind of shape of number {}", static_cast<int>(shape.kind)));
    }
    const double scale = shape.scale.x * shape.scale.y * shape.scale.z;
    if (shape.kind == Shape::Kind::mesh && (!within(shape.scale, kMaxMetres) || scale == 0)) {
      refuse(scene, place, "the scale of a mesh is zero, not finite or too large");
    }
    const bool is_box = shape.kind == Shape::Kind::box;
    if (!within(is_box ? shape.size : Vec3{shape.radius, shape.length, 0}, kMaxMetres)) {
      refuse(scene, place, fmt::format("a size is not finite or beyond {} m", kMaxMetres));
    }
  }
}

}  // namespace

std::filesystem::path file_of(const Shape& shape, const Scene& scene, const LoadOptions& options) {
  const std::string uri = shape.file.string();
  if (uri.find("://") == std::string::npos && !uri.starts_with("package:")) return shape.file;
  PackagePaths packages{{}, options.package_path};
  for (const SceneRobot& robot : scene.robots) {
    packages.named.insert(robot.packages.begin(), robot.packages.end());
  }
  packages.named.insert(options.packages.begin(), options.packages.end());
  const std::filesystem::path base = std::filesystem::path(scene.file).parent_path();
  return resolve_mesh(uri, packages, base, scene.file, 0);
}

CloudPoints points_of(const Shape& shape, const Scene& scene, const LoadOptions& options) {
  if (shape.file.empty()) {
    if (shape.points.empty()) throw Error(Error::Kind::malformed, "", 0, "a cloud of no points");
    for (std::size_t i = 0; i < shape.points.size(); ++i) {
      if (is_finite(shape.points[i]) && norm(shape.points[i]) <= kMaxMetres) continue;
      throw Error(Error::Kind::malformed, "", 0,
                  fmt::format("point {} is not finite or beyond {} m", i, kMaxMetres));
    }
    return {shape.points, 0, 0, ""};
  }
  const std::filesystem::path file = file_of(shape, scene, options);
  PointCloud cloud = read_point_cloud(file);
  return {std::move(cloud.points), cloud.invalid, cloud.point_error, file.string()};
}

Mesh inline_mesh_of(const Shape& shape) {
  auto refuse_mesh = [](const std::string& what) {
    throw Error(Error::Kind::malformed, "", 0, what);
  };
  if (shape.triangles.empty()) refuse_mesh("a mesh without triangles");
  Mesh mesh;
  mesh.vertices = shape.points;
  mesh.triangles = shape.triangles;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (within(mesh.vertices[i], kMaxMetres)) continue;
    refuse_mesh(fmt::format("vertex {} is not finite or beyond {} m", i, kMaxMetres));
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const auto v : mesh.triangles[i]) {
      if (v >= mesh.vertices.size()) {
        refuse_mesh(fmt::format("triangle {} has no vertex {}", i, v));
      }
    }
  }
  scale_mesh(mesh, shape.scale, "");
  return mesh;
}

void rethrow_at(const Scene& scene, const std::string& place, const std::string& name,
                const Error& error) {
  // A fault in a file of its own is told as it is; a shape that is refused on its own account is a
  // fault of the scene.
  const bool elsewhere = !error.file().empty() && error.file() != scene.file;
  if (elsewhere && error.kind() != Error::Kind::missing) throw error;
  const auto kind = error.kind() == Error::Kind::usage ? Error::Kind::malformed : error.kind();
  const std::string at = place.empty() ? fmt::format("object '{}'", name) : place;
  // The file stands in front of the place already.
  std::string_view what = error.what();
  const std::string own = scene.file + ": ";
  if (!scene.file.empty() && what.starts_with(own)) what.remove_prefix(own.size());
  throw Error(kind, scene.file, 0, fmt::format("{}: {}", at, what));
}

WorldModel model_of(const Scene& scene, const LoadOptions& options) {
  require_names(scene);
  require_numbers(scene);
  if (options.scene) {
    throw Error(Error::Kind::usage, scene.file, 0, "a scene cannot have a second one around it",
                "list the objects of both in one file, or use \"include\"");
  }
  if (options.srdf && scene.robots.size() != 1) {
    throw Error(Error::Kind::usage, scene.file, 0, "an SRDF is given for a scene of several robots",
                "name it in the scene, robot by robot");
  }
  WorldModel model;
  model.scene = &scene;
  model.robot.file = scene.file;
  model.robot.notes = scene.notes;
  model.robot.links.emplace_back();  // the world, which has no name and no bodies
  model.robot_of_link.push_back(-1);
  model.object_of_link.push_back(-1);
  for (std::size_t r = 0; r < scene.robots.size(); ++r) {
    SceneRobot robot = scene.robots[r];
    if (options.srdf) robot.srdf = options.srdf;
    const ReadRobot read = read_robot(scene, robot, options);
    if (scene.robots.size() == 1) model.robot.name = read.model.name;
    append(read, robot, static_cast<int>(r), model);
    model.robots.push_back({read.model.name, prefix_of(robot), robot.base.xyz});
    RobotBodies bodies{static_cast<int>(r), prefix_of(robot), robot.model, nullptr};
    if (!robot.model && !robot.builtin.empty()) bodies.bodies = builtin_own_model(robot.builtin);
    if (bodies.file || bodies.bodies) model.bodies.push_back(std::move(bodies));
  }
  if (!scene.name.empty()) model.robot.name = scene.name;
  require_clear_names(scene, model.robot);
  model.first_attached = static_cast<int>(model.robot.links.size());
  for (const Attachment& attachment : scene.attached) attach(scene, attachment, options, model);
  if (model.robot.links.size() > kMaxLinks) {
    refuse(scene, "", fmt::format("more than {} links", kMaxLinks));
  }
  model.robot.build_tree();
  return model;
}

World compile(const Scene& scene, const LoadOptions& options) {
  rounding::require_mode();
  require_names(options);
  return compile_model(model_of(scene, options), options);
}

}  // namespace keepclear
