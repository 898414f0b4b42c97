// SPDX-License-Identifier: BSD-3-Clause
//
// Random scenes for the judge of keepclear::Watch: one to three small robots of all kinds of joints
// and shapes, objects of all shapes around them, margins, allowed pairs, attached objects.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "keepclear/scene.hpp"
#include "keepclear/watch.hpp"
#include "robot/urdf.hpp"

namespace keepclear::oracle {

/// Numbers from bits, the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double real(double lo, double hi) { return lo + (hi - lo) * unit(); }
  double either_side(double size) { return real(-size, size); }
  /// From lo to hi, each decade as likely as another.
  double decades(double lo, double hi) { return std::exp(real(std::log(lo), std::log(hi))); }
  int whole(int lo, int hi) { return lo + static_cast<int>(random_() % (hi - lo + 1)); }
  bool happens(double share) { return unit() < share; }
  Vec3 vector(double size) { return {either_side(size), either_side(size), either_side(size)}; }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(whole(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 random_;
};

/// A folder of its own for the robots of one scene; gone with the object.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::uint64_t seed)
      : path_(std::filesystem::temp_directory_path() /
              ("keepclear_watch_" + std::to_string(getpid()) + "_" + std::to_string(seed))) {
    std::filesystem::create_directories(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// A solid letter L, which two hulls follow and one does not.
struct LetterL {
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;

  explicit LetterL(double size) {
    const double outline[6][2] = {{0, 0}, {1, 0}, {1, 0.25}, {0.25, 0.25}, {0.25, 1}, {0, 1}};
    for (const double z : {-0.1, 0.1}) {
      for (const auto& p : outline) points.push_back(size * Vec3{p[0] - 0.5, p[1] - 0.5, z});
    }
    const std::array<std::uint32_t, 3> cap[4] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    for (const auto& t : cap) {
      triangles.push_back(t);
      triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
    }
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::uint32_t j = (i + 1) % 6;
      triangles.push_back({i, j, j + 6});
      triangles.push_back({i, j + 6, i + 6});
    }
  }

  std::string obj() const {
    std::ostringstream out;
    out.precision(17);
    for (const Vec3& p : points) out << "v " << p.x << ' ' << p.y << ' ' << p.z << '\n';
    for (const auto& t : triangles) {
      out << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
    }
    return out.str();
  }
};

inline std::string numbers(Vec3 v) {
  std::ostringstream out;
  out.precision(17);
  out << v.x << ' ' << v.y << ' ' << v.z;
  return out.str();
}
inline std::string number(double x) {
  std::ostringstream out;
  out.precision(17);
  out << x;
  return out.str();
}

inline std::string random_geometry(Dice& dice) {
  const std::string radius = "radius=\"" + number(dice.real(0.02, 0.12)) + "\"";
  const std::string length = " length=\"" + number(dice.real(0.05, 0.4)) + "\"";
  switch (dice.whole(0, 5)) {
    case 0:
      return "<sphere " + radius + "/>";
    case 1:
      return "<cylinder " + radius + length + "/>";
    case 2:
      return "<capsule " + radius + length + "/>";
    case 3:
      return "<mesh filename=\"letter.obj\"/>";
    default:
      return "<box size=\"" +
             numbers({dice.real(0.03, 0.4), dice.real(0.03, 0.2), dice.real(0.03, 0.2)}) + "\"/>";
  }
}

inline std::string random_origin(Dice& dice, double size) {
  return "<origin xyz=\"" + numbers(dice.vector(size)) + "\" rpy=\"" + numbers(dice.vector(3)) +
         "\"/>";
}

/// A tree of a few links under all kinds of joints; some links have several bodies, some none.
inline std::string random_robot(Dice& dice) {
  const int links = dice.whole(1, 5);
  std::string text = "<robot name=\"random\">";
  auto add_link = [&](int i, int bodies) {
    text += "<link name=\"link" + std::to_string(i) + "\">";
    for (int k = 0; k < bodies; ++k) {
      text += "<collision>" + random_origin(dice, k == 0 ? 0.05 : 0.2) + "<geometry>" +
              random_geometry(dice) + "</geometry></collision>";
    }
    text += "</link>";
  };
  add_link(0, dice.whole(0, 2));
  std::string free_joint;
  for (int i = 1; i <= links; ++i) {
    add_link(i, i == 1 ? 1 : dice.whole(0, 3));
    const int parent = dice.happens(0.7) ? i - 1 : dice.whole(0, i - 1);
    static const std::vector<std::string> kinds = {"revolute", "revolute",  "continuous",
                                                   "planar",   "prismatic", "fixed"};
    const std::string type = i == 1 ? "revolute" : dice.one_of(kinds);
    const std::string name = "joint" + std::to_string(i);
    text += "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"link" +
            std::to_string(parent) + "\"/><child link=\"link" + std::to_string(i) + "\"/>" +
            random_origin(dice, 0.3);
    if (type == "planar") {
      text += "<axis xyz=\"0 0 1\"/>";
    } else if (type != "fixed") {
      text += "<axis xyz=\"" + numbers(dice.vector(1) + Vec3{0, 0, 1.5}) + "\"/>";
    }
    if (type == "revolute" || type == "prismatic") {
      const std::string limit = type == "revolute" ? "2" : "0.5";
      text +=
          "<limit lower=\"-" + limit + "\" upper=\"" + limit + "\" effort=\"1\" velocity=\"1\"/>";
      if (type == "revolute" && !free_joint.empty() && dice.happens(0.15)) {
        text += "<mimic joint=\"" + free_joint + "\" multiplier=\"-0.7\" offset=\"0.1\"/>";
      } else if (type == "revolute") {
        free_joint = name;
      }
    }
    text += "</joint>";
  }
  return text + "</robot>";
}

inline Shape random_shape(Dice& dice) {
  Shape shape;
  static const std::vector<Shape::Kind> kinds = {
      Shape::Kind::box,      Shape::Kind::box,    Shape::Kind::sphere,
      Shape::Kind::cylinder, Shape::Kind::cone,   Shape::Kind::plane,
      Shape::Kind::mesh,     Shape::Kind::points, Shape::Kind::capsule};
  shape.kind = dice.one_of(kinds);
  shape.size = {dice.real(0.02, 0.5), dice.real(0.02, 0.5), dice.real(0.02, 0.5)};
  shape.radius = dice.decades(0.01, 0.2);
  shape.length = dice.decades(0.02, 0.6);
  if (shape.kind == Shape::Kind::plane) {
    shape.normal = dice.happens(0.5) ? Vec3{0, 0, dice.real(0.1, 3)} : dice.vector(1);
    if (norm(shape.normal) < 0.01) shape.normal = {1, 0, 0};
    shape.offset = dice.either_side(0.2);
  } else if (shape.kind == Shape::Kind::mesh) {
    const LetterL letter(dice.real(0.1, 0.6));
    shape.points = letter.points;
    shape.triangles = letter.triangles;
  } else if (shape.kind == Shape::Kind::points) {
    shape.radius = dice.happens(0.3) ? 0 : dice.real(0, 0.03);
    const int count = dice.whole(1, 40);
    const double spread = dice.real(0.02, 0.4);
    for (int i = 0; i < count; ++i) shape.points.push_back(dice.vector(spread));
  }
  return shape;
}

/// Balls and boxes that slide along the axes: bounds that are a little too bold show here, where
/// boxes around bodies are no larger than the bodies, and ways no longer than they seem.
inline std::string sliding_robot(Dice& dice) {
  std::string text = "<robot name=\"sliding\"><link name=\"link0\"/>";
  const int links = dice.whole(1, 3);
  for (int i = 1; i <= links; ++i) {
    const std::string name = std::to_string(i), size = number(dice.real(0.05, 0.2));
    const std::string geometry = dice.happens(0.5)
                                     ? "<sphere radius=\"" + size + "\"/>"
                                     : "<box size=\"" + size + " " + size + " " + size + "\"/>";
    const int axis = dice.whole(0, 2);
    text += "<link name=\"link" + name + "\"><collision><geometry>" + geometry +
            "</geometry></collision></link><joint name=\"joint" + name +
            "\" type=\"prismatic\"><parent link=\"link" + std::to_string(i - 1) +
            "\"/><child link=\"link" + name + "\"/><origin xyz=\"" + numbers(dice.vector(0.2)) +
            "\"/><axis xyz=\"" +
            numbers({axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0}) +
            "\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>";
  }
  return text + "</robot>";
}

struct RandomScene {
  Scene scene;
  LoadOptions load;
  WatchOptions watch;
  double spread = 1;  ///< metres: how far from the origin objects stand
};

inline WatchOptions random_watch_options(Dice& dice) {
  WatchOptions options;
  if (dice.happens(0.3)) options.margin = dice.real(0, 0.05);
  if (dice.happens(0.5)) {
    options.reaction_time = dice.happens(0.8) ? dice.decades(1e-3, 0.2) : 0;
    options.stopping_time = dice.happens(0.8) ? dice.decades(1e-3, 0.3) : 0;
  }
  if (dice.happens(0.4)) options.fine_below = dice.decades(1e-3, 2);
  options.slack = dice.decades(1e-3, 1);
  options.objects_per_cell = dice.whole(1, 40);
  options.smallest_cell = dice.decades(1e-3, 0.5);
  if (dice.happens(0.15)) options.max_partners = static_cast<std::size_t>(dice.whole(1, 60));
  if (dice.happens(0.15)) options.max_carried = static_cast<std::size_t>(dice.whole(0, 12));
  options.max_listed = static_cast<std::size_t>(dice.happens(0.1) ? dice.whole(0, 4) : 512);
  return options;
}

/// Robots are made up, and written to `folder`, or taken from `given`.
inline RandomScene random_scene(Dice& dice, const ScratchFolder& folder,
                                const std::vector<std::filesystem::path>& given = {}) {
  RandomScene made;
  Scene& scene = made.scene;
  scene.name = "random";
  made.load.parts = dice.whole(1, 3);
  made.load.threads = 1;
  made.load.allow_no_pairs = true;
  made.spread = dice.happens(0.5) ? 0.8 : dice.real(1, 4);
  folder.write("letter.obj", LetterL(0.3).obj());
  const int robots = dice.whole(1, 3);
  const bool sliding = given.empty() && dice.happens(0.4);
  std::vector<std::string> links;
  for (int r = 0; r < robots; ++r) {
    SceneRobot robot;
    robot.name = "r" + std::to_string(r);
    robot.urdf = given.empty() ? folder.write(robot.name + ".urdf",
                                              sliding ? sliding_robot(dice) : random_robot(dice))
                               : dice.one_of(given);
    robot.base.xyz = dice.vector(0.5 * made.spread);
    if (!sliding) robot.base.rpy = dice.vector(3);
    scene.robots.push_back(robot);
    std::string carrier = "link1";  // has a body and moves
    if (!given.empty()) {
      for (const Link& link : read_urdf(robot.urdf, {}).links) {
        if (!link.collisions.empty()) carrier = link.name;
      }
    }
    links.push_back(robot.name + "/" + carrier);
  }
  std::vector<std::string> names = links;
  for (int r = 0; r < robots; ++r) names.push_back("r" + std::to_string(r));
  const int objects = dice.happens(0.1) ? 0 : dice.whole(0, dice.happens(0.3) ? 60 : 15);
  int planes = 0;
  for (int i = 0; i < objects; ++i) {
    SceneObject object;
    object.name = "object" + std::to_string(i);
    do {
      object.shape = random_shape(dice);
    } while (object.shape.kind == Shape::Kind::plane && planes >= 2);
    object.pose.xyz = dice.vector(made.spread);
    if (!sliding) object.pose.rpy = dice.vector(3);
    if (object.shape.kind == Shape::Kind::plane) {
      ++planes;
      object.pose.xyz.z -= made.spread;
      object.pose.rpy = dice.vector(0.2);
    } else if (dice.happens(0.08)) {
      Attachment attachment;
      attachment.object = object.name;
      attachment.link = dice.one_of(links);
      if (dice.happens(0.3)) attachment.touch.push_back(dice.one_of(names));
      object.pose.xyz = dice.vector(0.2);
      scene.attached.push_back(attachment);
    }
    scene.objects.push_back(object);
    names.push_back(object.name);
  }
  scene.margin = dice.happens(0.5) ? 0 : dice.real(0, 0.05);
  auto random_pair = [&] {
    NamedPair pair{dice.one_of(names), dice.one_of(names), "test"};
    return pair;
  };
  for (int k = dice.whole(0, 4); k > 0; --k) scene.allow.push_back(random_pair());
  // One large margin makes all boxes large, and lookups easy.
  for (int k = sliding ? 0 : dice.whole(0, 4); k > 0; --k) {
    scene.margins.push_back({random_pair(), dice.real(0, 0.2)});
  }
  if (objects > 0 && dice.happens(0.3)) {
    scene.contacts.push_back(
        {dice.one_of(links), dice.one_of(scene.objects).name, dice.decades(1e-3, 1), "test"});
  }
  made.watch = random_watch_options(dice);
  return made;
}

}  // namespace keepclear::oracle
