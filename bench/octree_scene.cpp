// SPDX-License-Identifier: BSD-3-Clause
#include "bench/octree_scene.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "keepclear/body.hpp"
#include "robot/urdf.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

Pose pose_of(const Origin& origin) {
  if (!origin.quaternion) return {rotation_from_rpy(origin.rpy), origin.xyz};
  const Quaternion& q = *origin.quaternion;
  return {rotation_from_quaternion(q.x, q.y, q.z, q.w), origin.xyz};
}

Mat3 turn(Vec3 a, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
  return {{c + d * a.x * a.x, d * a.x * a.y - s * a.z, d * a.x * a.z + s * a.y},
          {d * a.x * a.y + s * a.z, c + d * a.y * a.y, d * a.y * a.z - s * a.x},
          {d * a.x * a.z - s * a.y, d * a.y * a.z + s * a.x, c + d * a.z * a.z}};
}

const BuiltinWorld& builtin(const std::string& name) {
  for (const BuiltinWorld& world : builtin_worlds()) {
    if (world.name == name) return world;
  }
  throw std::runtime_error("no built-in world is called " + name);
}

/// The scene reader reads files: the built-in ones go to a folder of their own for that long.
Scene read_builtin_scene(const std::string& name) {
  const fs::path dir = fs::temp_directory_path() / ("keepclear-bench-" + std::to_string(getpid()));
  fs::create_directories(dir);
  const auto& files = builtin(name).files;
  for (const auto& [file, text] : files) std::ofstream(dir / file) << text;
  Scene scene = read_scene(dir / files.front().first);
  fs::remove_all(dir);
  return scene;
}

RobotModel model_of(const SceneRobot& robot) {
  if (robot.builtin.empty()) return read_urdf(robot.urdf, {});
  return parse_urdf(builtin(robot.builtin).files.front().second, robot.builtin, {}, {});
}

std::string full_name(const SceneRobot& robot, const std::string& name) {
  return robot.name.empty() ? name : robot.name + "/" + name;
}

Part part_of(const Link& link) {
  if (link.collisions.size() != 1) throw std::runtime_error(link.name + " is not of one shape");
  const Collision& shape = link.collisions[0];
  if (shape.geometry.kind != Geometry::Kind::capsule) {
    throw std::runtime_error(link.name + " is no capsule");
  }
  return {
      Part::Kind::capsule, {}, shape.geometry.radius, shape.geometry.length, pose_of(shape.origin)};
}

Part part_of(const SceneObject& object) {
  const Shape& shape = object.shape;
  if (shape.kind == Shape::Kind::box) {
    return {Part::Kind::box, shape.size, 0, 0, pose_of(object.pose)};
  }
  if (shape.kind != Shape::Kind::capsule) {
    throw std::runtime_error(object.name + " is neither box nor capsule");
  }
  return {Part::Kind::capsule, {}, shape.radius, shape.length, pose_of(object.pose)};
}

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

/// A line of names, then lines of numbers.
Table read_csv(std::string_view text) {
  Table table;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    std::string cell;
    if (table.columns.empty()) {
      while (std::getline(cells, cell, ',')) table.columns.push_back(cell);
      continue;
    }
    table.rows.emplace_back();
    while (std::getline(cells, cell, ',')) table.rows.back().push_back(std::stod(cell));
  }
  return table;
}

Vec3 turned_half(const Pose& X, Vec3 half) {
  const auto along = [&](Vec3 row) {
    return std::abs(row.x) * half.x + std::abs(row.y) * half.y + std::abs(row.z) * half.z;
  };
  return {along(X.R.row0), along(X.R.row1), along(X.R.row2)};
}

Body body_of(const Part& part) {
  if (part.kind == Part::Kind::box) return Body::box(part.size);
  return Body::capsule({0, 0, -0.5 * part.length}, {0, 0, 0.5 * part.length}, part.radius);
}

bool touching(const Cell& cell, std::span<const Body> bodies, std::span<const Pose> X_WP) {
  for (int i = 0; i < cell.moving_count(); ++i) {
    const auto a = static_cast<std::size_t>(i);
    const Box box_a = box_of(cell.moving[a], X_WP[a]);
    for (int j = i + 1; j < cell.count(); ++j) {
      if (!cell.checked(i, j)) continue;
      const auto b = static_cast<std::size_t>(j);
      const bool moves = j < cell.moving_count();
      const Part& other = moves ? cell.moving[b] : cell.fixed[b - cell.moving.size()];
      const Pose& X_WB = moves ? X_WP[b] : other.X;
      if (overlap(box_a, box_of(other, X_WB)) &&
          distance(bodies[a], X_WP[a], bodies[b], X_WB).verdict != Verdict::free) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Box box_of(const Part& part, const Pose& X_WP) {
  Vec3 half;
  if (part.kind == Part::Kind::box) {
    half = turned_half(X_WP, 0.5 * part.size);
  } else {
    half =
        turned_half(X_WP, {0, 0, 0.5 * part.length}) + Vec3{part.radius, part.radius, part.radius};
  }
  return {X_WP.p - half, X_WP.p + half};
}

Arms::Arms(std::span<const SceneRobot> robots, std::span<const RobotModel> models,
           std::span<const std::string> joints, std::span<const std::string> links) {
  std::map<std::string, int> place;
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const RobotModel& model = models[r];
    const auto place_of = [&](int link) {
      const std::string name =
          full_name(robots[r], model.links[static_cast<std::size_t>(link)].name);
      return place.emplace(name, static_cast<int>(place.size())).first->second;
    };
    frames_.resize(static_cast<std::size_t>(place_of(model.root)) + 1);
    frames_.back() = pose_of(robots[r].base);
    double reach = 0;
    for (int j : model.depth_first_joints()) {
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      if (joint.mimic || (joint.type != JointType::fixed && joint.type != JointType::revolute &&
                          joint.type != JointType::continuous)) {
        throw std::runtime_error("the benchmark knows no joints like " + joint.name);
      }
      const auto variable =
          std::find(joints.begin(), joints.end(), full_name(robots[r], joint.name));
      Step step;
      step.parent = place_of(joint.parent);
      step.child = place_of(joint.child);
      step.variable = variable == joints.end() ? -1 : static_cast<int>(variable - joints.begin());
      step.axis = (1 / norm(joint.axis)) * joint.axis;
      step.X_PJ = pose_of(joint.origin);
      steps_.push_back(step);
      reach += norm(joint.origin.xyz);
      for (const Collision& shape : model.links[static_cast<std::size_t>(joint.child)].collisions) {
        const Geometry& geometry = shape.geometry;
        reach_ = std::max(reach_,
                          reach + norm(shape.origin.xyz) + geometry.radius + 0.5 * geometry.length);
      }
    }
    frames_.resize(place.size());
  }
  for (const std::string& link : links) wanted_.push_back(place.at(link));
}

void Arms::forward(std::span<const double> q, std::span<Pose> X_WL) {
  for (const Step& step : steps_) {
    Pose X_PC = step.X_PJ;
    if (step.variable >= 0) {
      X_PC.R = X_PC.R * turn(step.axis, q[static_cast<std::size_t>(step.variable)]);
    }
    frames_[static_cast<std::size_t>(step.child)] =
        frames_[static_cast<std::size_t>(step.parent)] * X_PC;
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    X_WL[i] = frames_[static_cast<std::size_t>(wanted_[i])];
  }
}

void Cell::add(Vec3 size, const Origin& pose) {
  SceneObject object;
  object.name = std::string(kAdded) + std::to_string(fixed.size());
  object.shape.size = size;
  object.pose = pose;
  fixed.push_back(part_of(object));
  scene.objects.push_back(std::move(object));
}

Cell load_cell() {
  Cell cell;
  cell.scene = read_builtin_scene("two_arms");
  if (!cell.scene.attached.empty()) throw std::runtime_error("the benchmark carries no objects");
  const World world = compile(cell.scene);
  std::vector<RobotModel> models;
  for (const SceneRobot& robot : cell.scene.robots) {
    models.push_back(model_of(robot));
    for (const Link& link : models.back().links) {
      if (link.collisions.empty()) continue;
      cell.names.push_back(full_name(robot, link.name));
      cell.moving.push_back(part_of(link));
    }
    cell.middle =
        cell.middle + (1.0 / static_cast<double>(cell.scene.robots.size())) * robot.base.xyz;
  }
  for (const SceneObject& object : cell.scene.objects) {
    cell.names.push_back(object.name);
    cell.fixed.push_back(part_of(object));
  }
  for (const Variable& variable : world.variables()) cell.joints.push_back(variable.joint);
  cell.arms =
      Arms(cell.scene.robots, models, cell.joints, std::span(cell.names).first(cell.moving.size()));

  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < cell.names.size(); ++i) place[cell.names[i]] = i;
  cell.checked_.assign(cell.moving.size() * cell.names.size(), false);
  const auto solids = world.solids();
  for (const PairInfo& pair : world.pairs()) {
    const std::size_t a = place.at(solids[static_cast<std::size_t>(pair.a)].name);
    const std::size_t b = place.at(solids[static_cast<std::size_t>(pair.b)].name);
    if (a < cell.moving.size()) cell.checked_[a * cell.names.size() + b] = true;
    if (b < cell.moving.size()) cell.checked_[b * cell.names.size() + a] = true;
  }
  return cell;
}

Motion load_motion(Cell& cell, double period, std::size_t limit) {
  Motion motion;
  motion.period = period;
  motion.dof = cell.joints.size();
  motion.parts = cell.moving.size();
  std::vector<Body> bodies;
  for (const Part& part : cell.moving) bodies.push_back(body_of(part));
  for (const Part& part : cell.fixed) bodies.push_back(body_of(part));
  const auto& tasks = builtin("two_arms").tasks;
  std::vector<Pose> X_WL(cell.moving.size());
  for (const BuiltinWorld::Task& task : tasks) {
    const Table table = read_csv(task.csv);
    std::vector<std::size_t> column;
    for (const std::string& joint : cell.joints) {
      const auto found = std::find(table.columns.begin(), table.columns.end(), joint);
      if (found == table.columns.end()) throw std::runtime_error(task.name + " lacks " + joint);
      column.push_back(static_cast<std::size_t>(found - table.columns.begin()));
    }
    const double begin = table.rows.front()[0], end = table.rows.back()[0];
    const double share = static_cast<double>(limit) / static_cast<double>(tasks.size());
    const double step = std::max(period, (end - begin) / share);
    motion.period = std::max(motion.period, step);
    std::size_t row = 0, cycles = 0;
    for (double t = begin; t <= end; t = begin + step * static_cast<double>(cycles)) {
      while (row + 2 < table.rows.size() && table.rows[row + 1][0] <= t) ++row;
      const auto &from = table.rows[row], &to = table.rows[row + 1];
      const double s = (t - from[0]) / (to[0] - from[0]);
      for (std::size_t k : column) motion.q.push_back((1 - s) * from[k] + s * to[k]);
      const std::size_t first = motion.q.size() - motion.dof;
      cell.arms.forward(std::span(motion.q).subspan(first), X_WL);
      for (std::size_t i = 0; i < X_WL.size(); ++i) {
        motion.X_WP.push_back(X_WL[i] * cell.moving[i].X);
      }
      // The safety system stops the arms here.
      if (touching(cell, bodies, std::span(motion.X_WP).last(X_WL.size()))) {
        motion.q.resize(first);
        motion.X_WP.resize(motion.X_WP.size() - X_WL.size());
        break;
      }
      ++cycles;
    }
    motion.count += cycles;
    motion.tasks.push_back(task.name + " " + std::to_string(cycles));
  }
  return motion;
}

}  // namespace keepclear::bench
