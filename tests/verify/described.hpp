// SPDX-License-Identifier: BSD-3-Clause
//
// Random worlds as files: robots with shapes and joints of all kinds, SRDFs, scenes, meshes.
#pragma once

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "proof/certificate_world.hpp"
#include "scene/scenes.hpp"

namespace keepclear::test {

/// What the world of a certificate about `world` is, without a proof.
inline std::string world_text(const World& world) {
  CertificateText text;
  write_head(text, "box", world, {});
  CertificateWorld(world, [](double margin) { return margin; }).write(text);
  return std::move(text).sealed();
}

class DescribedWorld {
 public:
  explicit DescribedWorld(std::uint64_t number) : random_(number * 0x9e3779b97f4a7c15ull + 17) {
    write_meshes();
    const bool scene = below(4) != 0;
    const std::size_t robots = scene && below(3) == 0 ? 2 : 1;
    for (std::size_t r = 0; r < robots; ++r) write_robot(r);
    options_.allow_no_pairs = true;
    options_.threads = 1;
    if (below(3) == 0) options_.parts = 3;
    const bool around = scene && robots == 1 && below(2) == 0;  // --scene
    const std::filesystem::path& robot = files_[0];
    if (below(3) != 0) {
      const auto srdf = folder_.write("r.srdf", srdf_text());
      if (!scene || around || below(2) == 0) {
        if (robots == 1) options_.srdf = srdf;
      } else {
        scene_srdf_ = "r.srdf";
      }
    }
    std::vector<std::filesystem::path> given;
    if (scene) {
      given.push_back(folder_.write("cell.json", scene_text(around ? 0 : robots)));
      if (around) options_.scene = given[0];
    }
    if (!scene || around) given.push_back(robot);
    if (options_.srdf) given.push_back(*options_.srdf);
    file_ = scene && !around ? given[0] : robot;
    files_ = given;
  }

  World world() const { return load(file_, options_); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  /// What --against takes.
  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  double uniform(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  std::string decimal(double lower, double upper) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.*g", below(2) == 0 ? 3 : 17, uniform(lower, upper));
    return digits;
  }
  std::string three(double size, const char* between = " ") {
    const std::string x = decimal(-size, size), y = decimal(-size, size);
    return x + between + y + between + decimal(-size, size);
  }
  std::string length() { return decimal(0.02, 0.4); }

  /// No boxes: the walls of a box hold its surface.
  void write_meshes() {
    std::string obj, stl = "solid s\n", ply;
    const double corners[6][3] = {{0, 0, 0},     {1, 0, 0},        {0, 1, 0},
                                  {0.1, 0.2, 1}, {-0.4, 0.1, 0.3}, {0.3, 0.9, 0.8}};
    const int faces[6][3] = {{0, 1, 2}, {1, 2, 3}, {2, 0, 4}, {3, 4, 5}, {0, 3, 4}, {5, 1, 2}};
    for (const auto& p : corners) {
      const std::string words = std::to_string(0.2 * p[0]) + " " + std::to_string(0.2 * p[1]) +
                                " " + std::to_string(0.2 * p[2]);
      obj += "v " + words + "\n", ply += words + "\n";
    }
    std::string strip = "18";
    for (const auto& f : faces) {
      obj += "f";
      stl += "facet normal 0 0 0\nouter loop\n";
      for (const int corner : f) {
        obj += " " + std::to_string(corner + 1);
        stl += "vertex " + std::to_string(0.2 * corners[corner][0]) + " " +
               std::to_string(0.2 * corners[corner][1]) + " " +
               std::to_string(0.2 * corners[corner][2]) + "\n";
      }
      obj += "\n", stl += "endloop\nendfacet\n";
      ply += "3 " + std::to_string(f[0]) + " " + std::to_string(f[1]) + " " + std::to_string(f[2]) +
             "\n";
    }
    folder_.write("pack/a.obj", obj);
    folder_.write("pack/b.stl", stl + "endsolid\n");
    folder_.write("pack/c.ply",
                  "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 6\nproperty list uchar int vertex_indices\n"
                  "end_header\n" +
                      ply);
  }
  std::string mesh() {
    const char* names[] = {"a.obj", "b.stl", "c.ply"};
    return names[below(3)];
  }

  std::string geometry() {
    switch (below(6)) {
      case 0:
        return "<box size=\"" + length() + " " + length() + " " + length() + "\"/>";
      case 1:
        return "<sphere radius=\"" + length() + "\"/>";
      case 2:
        return "<cylinder radius=\"" + length() + "\" length=\"" + length() + "\"/>";
      case 3:
        return "<capsule radius=\"" + length() + "\" length=\"" + length() + "\"/>";
      case 4:
        return "<mesh filename=\"package://pack/" + mesh() + "\" scale=\"" + length() + " " +
               length() + " -" + length() + "\"/>";
      default:
        return "<mesh filename=\"pack/" + mesh() + "\"/>";
    }
  }

  /// Links l0, l1, ...; the elements of a link stand a metre apart.
  void write_robot(std::size_t number) {
    const std::size_t links = 2 + below(7);
    std::string text;
    for (std::size_t l = 0; l < links; ++l) {
      text += "<link name=\"l" + std::to_string(l) + "\">";
      for (std::size_t e = l == 0 ? 1 : below(3); e > 0; --e) {
        text += "<collision><origin xyz=\"" + std::to_string(e) + " 0 0\" rpy=\"" + three(3) +
                "\"/><geometry>" + geometry() + "</geometry></collision>";
      }
      text += "</link>\n";
    }
    std::vector<std::string> leaders;
    for (std::size_t l = 1; l < links; ++l) {
      const char* kinds[] = {"revolute", "revolute", "continuous", "prismatic",
                             "fixed",    "planar",   "floating"};
      std::string kind = kinds[below(number == 0 && l == 1 ? 4 : 7)];
      const std::string name = "j" + std::to_string(l);
      std::string rest = "<origin xyz=\"" + three(1) + "\" rpy=\"" + three(3) + "\"/>";
      if (kind != "floating" && kind != "fixed") {
        const char* axes[] = {"1 0 0", "0 1 0", "0 0 -1"};
        rest += "<axis xyz=\"" + (below(2) == 0 ? axes[below(3)] : three(1)) + "\"/>";
      }
      const bool one = kind == "revolute" || kind == "prismatic" || kind == "continuous";
      if (one && !leaders.empty() && below(3) == 0) {
        rest += "<mimic joint=\"" + leaders[below(leaders.size())] + "\" multiplier=\"" +
                decimal(-2, 2) + "\" offset=\"0.25\"/>";
      }
      if (one) leaders.push_back(name);
      if (kind == "revolute" || kind == "prismatic") {
        rest += "<limit lower=\"" + decimal(-3, -1) + "\" upper=\"" + decimal(1, 3) +
                "\" effort=\"1\" velocity=\"1\"/>";
      }
      const std::size_t parent = below(3) == 0 ? below(l) : l - 1;
      text += "<joint name=\"" + name + "\" type=\"" + kind + "\"><parent link=\"l" +
              std::to_string(parent) + "\"/><child link=\"l" + std::to_string(l) + "\"/>" + rest +
              "</joint>\n";
    }
    links_.push_back(links);
    files_.push_back(folder_.write("r" + std::to_string(number) + ".urdf", robot(text)));
  }

  std::string srdf_text() {
    std::string text = "<robot name=\"r\">";
    const auto any = [&] { return "l" + std::to_string(below(links_[0])); };
    for (std::size_t i = below(4); i > 0; --i) {
      text +=
          "<disable_collisions link1=\"" + any() + "\" link2=\"" + any() + "\" reason=\"Never\"/>";
    }
    if (below(3) == 0) text += "<disable_default_collisions link=\"" + any() + "\"/>";
    if (below(3) == 0)
      text += "<enable_collisions link1=\"" + any() + "\" link2=\"" + any() + "\"/>";
    return text + "</robot>";
  }

  std::string pose() {
    const std::string xyz = "{\"xyz\": [" + three(2, ", ") + "]";
    if (below(2) == 0) return xyz + ", \"rpy\": [" + three(3, ", ") + "]}";
    return xyz + ", \"quaternion\": [0, 0.6, 0, 0.8]}";
  }

  std::string scene_text(std::size_t robots) {
    const std::size_t wanted = robots == 0 ? 1 : robots;
    const auto prefix = [&](std::size_t r) {
      return wanted > 1 || named_ ? "r" + std::to_string(r) : "";
    };
    named_ = robots == 1 && below(2) == 0;
    std::string text = "{\"margin\": " + decimal(0.001, 0.01) + ", \"robots\": [";
    for (std::size_t r = 0; r < robots; ++r) {
      text += std::string(r > 0 ? ", " : "") + "{\"name\": \"" + prefix(r) + "\", \"urdf\": \"r" +
              std::to_string(r) + ".urdf\", \"base\": " + pose();
      if (r == 0 && !scene_srdf_.empty()) text += ", \"srdf\": \"" + scene_srdf_ + "\"";
      text += "}";
    }
    const std::string of = prefix(0).empty() ? "" : prefix(0) + "/";
    text += "], \"objects\": [{\"name\": \"held\", \"shape\": \"box\", \"size\": [0.1, 0.2, 0.3]}";
    const std::vector<std::string> shapes = {
        "\"box\", \"size\": [0.3, 0.2, 0.1]",
        "\"sphere\", \"radius\": 0.2",
        "\"cylinder\", \"radius\": 0.1, \"length\": 0.4",
        "\"capsule\", \"radius\": 0.1, \"length\": 0.4",
        "\"cone\", \"radius\": 0.2, \"length\": 0.4",
        "\"plane\", \"normal\": [0.1, 0, 1], \"offset\": -2",
        "\"mesh\", \"file\": \"pack/" + mesh() + "\", \"scale\": [1, 2, 0.5]",
        "\"points\", \"radius\": 0.05, \"points\": [[0, 0, 0], [0.2, 0, 0], [0, 0.3, 0.1]]"};
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (below(3) == 0) continue;
      text += ", {\"name\": \"o" + std::to_string(i) + "\", \"shape\": " + shapes[i] +
              ", \"pose\": " + pose() + "}";
    }
    const std::string last = of + "l" + std::to_string(links_[0] - 1);
    text += "], \"attached\": [{\"object\": \"held\", \"link\": \"" + last +
            "\", \"touch_links\": [\"" + of + "l0\"], \"pose\": " + pose() + "}]";
    if (below(2) == 0)
      text += ", \"allow\": [[\"" + of + "l0\", \"held\"], [\"" + of + "l0\", \"" + last + "\"]]";
    if (below(2) == 0) {
      text += ", \"margins\": [{\"pair\": [\"held\", \"" + of +
              "l0\"], \"margin\": 0.02}, {\"pair\": [\"" + last + "\", \"" + of +
              "l0\"], \"margin\": 0.03}]";
    }
    return text + "}";
  }

  std::mt19937_64 random_;
  const Folder folder_;
  std::filesystem::path file_;
  std::vector<std::filesystem::path> files_;
  std::vector<std::size_t> links_;  // of each robot
  std::string scene_srdf_;
  bool named_ = false;
  LoadOptions options_;
};

}  // namespace keepclear::test
