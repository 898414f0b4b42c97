// SPDX-License-Identifier: BSD-3-Clause
//
// Motion-planning problems that others made, as scenes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/scene.hpp"

namespace keepclear::oracle {

/// A file of motion-planning problems (problem-set/1): one robot, many surroundings.
struct ProblemSet {
  struct Problem {
    std::string index;
    std::vector<double> start, goal;
    std::vector<SceneObject> objects;
  };
  std::string name;
  std::filesystem::path urdf;
  std::string frame;
  std::vector<std::string> joints;
  std::map<std::string, double> other_joints;
  std::vector<NamedPair> allowed;
  std::vector<Problem> problems;
};

inline Vec3 vector_of(const nlohmann::json& j) {
  return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>()};
}

inline SceneObject object_of(const nlohmann::json& j) {
  SceneObject object;
  object.name = j.at("id").get<std::string>();
  object.pose.xyz = vector_of(j.at("position"));
  const nlohmann::json& q = j.at("quat_xyzw");
  object.pose.quaternion = Quaternion{q.at(0).get<double>(), q.at(1).get<double>(),
                                      q.at(2).get<double>(), q.at(3).get<double>()};
  const auto shape = j.at("shape").get<std::string>();
  if (shape == "box") {
    object.shape.kind = Shape::Kind::box;
    object.shape.size = vector_of(j.at("size"));
  } else if (shape == "cylinder") {
    object.shape.kind = Shape::Kind::cylinder;
    object.shape.radius = j.at("radius").get<double>();
    object.shape.length = j.at("length").get<double>();
  } else if (shape == "sphere") {
    object.shape.kind = Shape::Kind::sphere;
    object.shape.radius = j.at("radius").get<double>();
  } else {
    throw std::runtime_error("an obstacle of shape " + shape);
  }
  return object;
}

/// Reads a problem set; its robot is sought below `data`.
inline ProblemSet read_problems(const std::filesystem::path& file,
                                const std::filesystem::path& data) {
  std::ifstream stream(file);
  const nlohmann::json j = nlohmann::json::parse(stream);
  ProblemSet set;
  set.name = file.parent_path().filename().string() + "/" + file.stem().string();
  set.urdf = data / "robots" / j.at("robot").get<std::string>() / j.at("urdf").get<std::string>();
  set.frame = j.at("frame").get<std::string>();
  j.at("joints").get_to(set.joints);
  j.at("other_joints").get_to(set.other_joints);
  for (const auto& pair : j.at("allowed_pairs")) {
    set.allowed.push_back({pair.at(0).get<std::string>(), pair.at(1).get<std::string>(), ""});
  }
  for (const auto& p : j.at("problems")) {
    ProblemSet::Problem problem;
    problem.index = p.at("index").is_string() ? p.at("index").get<std::string>()
                                              : std::to_string(p.at("index").get<int>());
    p.at("start").get_to(problem.start);
    p.at("goal").get_to(problem.goal);
    for (const auto& o : p.at("obstacles")) problem.objects.push_back(object_of(o));
    set.problems.push_back(std::move(problem));
  }
  return set;
}

/// The scene of one problem, for a robot with these links. Pairs of links that the robot does not
/// have are left aside. The lists of the problems are not complete for every robot: an SRDF beside
/// the URDF counts too.
inline Scene scene_of(const ProblemSet& set, const ProblemSet::Problem& problem,
                      std::span<const std::string> links) {
  const auto has = [&](const std::string& link) {
    return std::find(links.begin(), links.end(), link) != links.end();
  };
  if (!has(set.frame)) throw std::runtime_error("the robot has no link " + set.frame);
  Scene scene;
  scene.name = set.name;
  scene.robots.push_back({});
  scene.robots[0].urdf = set.urdf;
  const auto srdf = std::filesystem::path(set.urdf).replace_extension(".srdf");
  if (std::filesystem::exists(srdf)) scene.robots[0].srdf = srdf;
  scene.objects = problem.objects;
  for (const NamedPair& pair : set.allowed) {
    if (has(pair.a) && has(pair.b)) scene.allow.push_back(pair);
  }
  return scene;
}

/// The same for a robot as its URDF is read, whose root is known.
template <typename RobotModel>
requires requires(const RobotModel& robot) {
  robot.links[robot.root].name;
}
Scene scene_of(const ProblemSet& set, const ProblemSet::Problem& problem, const RobotModel& robot) {
  if (robot.links[robot.root].name != set.frame) throw std::runtime_error("frame is not the root");
  std::vector<std::string> links;
  for (const auto& link : robot.links) links.push_back(link.name);
  return scene_of(set, problem, links);
}

/// A configuration of the world from values by name; throws where one is missing.
inline std::vector<double> configuration(const World& world, const ProblemSet& set,
                                         const std::vector<double>& values) {
  std::vector<double> q;
  for (const Variable& variable : world.variables()) {
    const auto at = std::find(set.joints.begin(), set.joints.end(), variable.name);
    q.push_back(at != set.joints.end()
                    ? values.at(static_cast<std::size_t>(at - set.joints.begin()))
                    : set.other_joints.at(variable.name));
  }
  return q;
}

/// Poses within the limits, unbounded turns within half a turn.
inline std::vector<double> random_configuration(const World& world, std::mt19937_64& random) {
  std::vector<double> q;
  for (const Variable& v : world.variables()) {
    const double lower = std::max(v.lower, -3.125), upper = std::min(v.upper, 3.125);
    q.push_back(lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53));
  }
  return q;
}

}  // namespace keepclear::oracle
