// SPDX-License-Identifier: BSD-3-Clause
// What the files say that a world was made from: robots, their SRDFs, scenes, models of bodies.
// Every reader throws CannotTell for anything that it does not know.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "files.hpp"
#include "place.hpp"
#include "world.hpp"

namespace verify {

struct Mesh {
  std::vector<Point> points;
  std::vector<Face> faces;
};

struct Form {
  enum Kind { box, ball, cylinder, capsule, cone, plane, mesh, cloud, map };
  Kind kind = box;
  Point size = {0, 0, 0};  // box
  double radius = 0, length = 0;
  Point normal = {0, 0, 1};  // plane: normal·x <= offset |normal| is solid
  double offset = 0;
  std::string file;  // mesh, cloud, map; as written until it is resolved
  Point scale = {1, 1, 1};
  Mesh inside;                // mesh: of a file that holds it itself
  std::vector<Point> points;  // cloud
};
struct Element {
  Form shape;
  Place place;  // in its link
};

struct RobotLink {
  std::string name;
  std::vector<Element> collisions, visuals;
  std::string visual_fault;  // why visuals are not known
};
struct Mimic {
  std::string joint;
  double multiplier = 1, offset = 0;
};
struct RobotJoint {
  std::string name, parent, child;
  Kind kind = fixed;
  bool endless = false;  // continuous
  Place place;
  Point axis = {1, 0, 0};
  double lower = -INFINITY, upper = INFINITY;
  std::optional<Mimic> mimic = std::nullopt;
};
struct Robot {
  std::string name;
  std::filesystem::path file;
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;
};
Robot read_urdf(const std::filesystem::path& file, const Packages& packages);
bool is_urdf(const std::filesystem::path& file);  // and no SRDF

using Names = std::pair<std::string, std::string>;  // the lesser first
inline Names ordered(const std::string& a, const std::string& b) {
  return std::minmax(a, b);
}
struct PairsFile {                        // an SRDF
  std::map<Names, std::string> disabled;  // reason
  std::set<std::string> off_by_default;
  std::set<Names> enabled;
};
PairsFile read_srdf(const std::filesystem::path& file, const Robot& robot);

struct SceneRobot {
  std::string name, builtin;
  std::filesystem::path urdf, srdf, model;  // empty: none
  Place base;
  std::map<std::string, std::filesystem::path> packages;
};
struct SceneObject {
  std::string name;
  Form shape;
  Place place;
};
struct Attachment {
  std::string object, link;
  std::vector<std::string> touch;
  std::optional<Place> place;
};
struct Scene {
  std::string name;
  std::filesystem::path file;
  std::vector<SceneRobot> robots;
  std::vector<SceneObject> objects;
  std::vector<Attachment> attached;
  std::vector<Names> allow;  // in their order
  double margin = 0;
  std::vector<std::pair<Names, double>> margins;
};
Scene read_scene(const std::filesystem::path& file);         // .json, .scene
Scene read_moveit_scene(const std::filesystem::path& file);  // .scene

/// Of a model: around which shapes of the links its bodies are. The bodies themselves stand in the
/// certificate, and are compared with the shapes.
struct Model {
  bool collisions = true, visuals = false;
  std::set<std::string> links;
};
bool is_model(const std::filesystem::path& file);  // or a scene
Model read_model(const std::filesystem::path& file);

Mesh read_mesh(const std::filesystem::path& file);  // without scale

}  // namespace verify
