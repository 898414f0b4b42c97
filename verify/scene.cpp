// SPDX-License-Identifier: BSD-3-Clause
// Scene files (docs/scenes.md) and what a model file is around (docs/model.md), read strictly.
#include "description.hpp"
#include "json.hpp"

namespace verify {
namespace {

Json parse(const std::filesystem::path& file) {
  try {
    return parse_json(read_file(file));
  } catch (const CannotTell& e) {
    throw CannotTell{file.string() + ": " + e.why};
  }
}

class SceneReader {
 public:
  explicit SceneReader(const std::filesystem::path& file)
      : file_(file), folder_(file.parent_path()) {
    scene_.file = file;
  }

  Scene read(bool included) {
    const Json all = parse(file_);
    only(all, included ? Keys{"$schema", "name", "objects"}
                       : Keys{"$schema", "name", "robots", "objects", "attached", "allow", "margin",
                              "margins", "contacts", "include"});
    if (all.contains("name")) scene_.name = text(all["name"]);
    for (const Json& robot : list(all, "robots")) read_robot(robot);
    for (const Json& object : list(all, "objects")) read_object(object);
    for (const Json& more : list(all, "include")) {
      const std::filesystem::path path = folder_ / text(more);
      const Scene part = lowered(path.extension().string()) == ".scene"
                             ? verify::read_scene(path)
                             : SceneReader(path).read(true);
      scene_.objects.insert(scene_.objects.end(), part.objects.begin(), part.objects.end());
    }
    for (const Json& held : list(all, "attached")) read_attached(held);
    for (const Json& pair : list(all, "allow")) scene_.allow.push_back(names(pair));
    if (all.contains("margin")) scene_.margin = number(all["margin"]);
    for (const Json& entry : list(all, "margins")) {
      only(entry, {"pair", "margin"});
      scene_.margins.emplace_back(names(need(entry, "pair")), number(need(entry, "margin")));
    }
    std::set<std::string> seen;
    for (const SceneObject& object : scene_.objects)
      if (!seen.insert(object.name).second) fail("two objects " + object.name);
    return std::move(scene_);
  }

 private:
  using Keys = std::set<std::string>;

  [[noreturn]] void fail(const std::string& why) const {
    throw CannotTell{file_.string() + ": " + why};
  }
  void only(const Json& object, const Keys& keys) const {
    if (!object.is_object()) fail("no object where one should be");
    for (const auto& [key, value] : object.items())
      if (!keys.contains(key)) fail("the key " + key + " is not known there");
  }
  const Json& need(const Json& object, const char* key) const {
    if (!object.contains(key)) fail(std::string("no ") + key);
    return object[key];
  }
  const Json& list(const Json& object, const char* key) const {
    static const Json none = Json::array();
    if (!object.contains(key)) return none;
    if (!object[key].is_array()) fail(std::string("no list: ") + key);
    return object[key];
  }
  std::string text(const Json& value) const {
    if (!value.is_string()) fail("no text where one should be");
    return value.get<std::string>();
  }
  double number(const Json& value) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail("no number");
    return value.get<double>();
  }
  double length(const Json& object, const char* key) const {
    const double value = number(need(object, key));
    if (!(value > 0)) fail(std::string("not positive: ") + key);
    return value;
  }
  template <std::size_t N>
  std::array<double, N> numbers(const Json& value) const {
    if (!value.is_array() || value.size() != N) fail(std::to_string(N) + " numbers were expected");
    std::array<double, N> values{};
    for (std::size_t i = 0; i < N; ++i) values[i] = number(value[i]);
    return values;
  }
  Names names(const Json& pair) const {
    if (!pair.is_array() || pair.size() != 2) fail("no pair of names");
    return ordered(text(pair[0]), text(pair[1]));
  }
  Place place(const Json& pose) const {
    only(pose, {"xyz", "rpy", "quaternion"});
    const Point xyz = pose.contains("xyz") ? numbers<3>(pose["xyz"]) : Point{};
    if (!pose.contains("quaternion"))
      return Place::of_rpy(xyz, pose.contains("rpy") ? numbers<3>(pose["rpy"]) : Point{});
    const auto q = numbers<4>(pose["quaternion"]);
    const double size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (pose.contains("rpy") || !(std::abs(size - 1) < 1e-5)) fail("a rotation that is none");
    return Place::of_quaternion(xyz, q[0], q[1], q[2], q[3]);
  }
  std::filesystem::path path(const Json& value) const {
    if (text(value).empty() || text(value).find("://") != std::string::npos)
      fail("no path: " + text(value));
    return folder_ / text(value);
  }

  void read_robot(const Json& entry) {
    only(entry, {"name", "urdf", "builtin", "srdf", "model", "base", "packages"});
    SceneRobot robot;
    if (entry.contains("name")) robot.name = text(entry["name"]);
    if (entry.contains("urdf") == entry.contains("builtin"))
      fail("a robot of one of urdf, builtin");
    if (entry.contains("urdf")) robot.urdf = path(entry["urdf"]);
    if (entry.contains("builtin")) robot.builtin = text(entry["builtin"]);
    if (entry.contains("srdf")) robot.srdf = path(entry["srdf"]);
    if (entry.contains("model")) robot.model = path(entry["model"]);
    if (entry.contains("base")) robot.base = place(entry["base"]);
    if (entry.contains("packages")) {
      if (!entry["packages"].is_object()) fail("packages that are none");
      for (const auto& [name, folder] : entry["packages"].items())
        robot.packages.emplace(name, path(folder));
    }
    scene_.robots.push_back(std::move(robot));
  }

  void read_object(const Json& entry) {
    static const std::map<std::string, std::pair<Form::Kind, Keys>> kinds = {
        {"box", {Form::box, {"size"}}},
        {"sphere", {Form::ball, {"radius"}}},
        {"cylinder", {Form::cylinder, {"radius", "length"}}},
        {"capsule", {Form::capsule, {"radius", "length"}}},
        {"cone", {Form::cone, {"radius", "length"}}},
        {"plane", {Form::plane, {"normal", "offset"}}},
        {"mesh", {Form::mesh, {"file", "scale"}}},
        {"points", {Form::cloud, {"points", "file", "radius"}}},
        {"octomap", {Form::map, {"file", "unknown"}}}};
    if (!entry.is_object()) fail("an object that is none");
    const auto kind = kinds.find(text(need(entry, "shape")));
    if (kind == kinds.end()) fail("a shape that is not known: " + text(entry["shape"]));
    Keys keys = kind->second.second;
    keys.insert({"name", "shape", "pose"});
    only(entry, keys);
    SceneObject object;
    object.name = text(need(entry, "name"));
    if (entry.contains("pose")) object.place = place(entry["pose"]);
    Form& shape = object.shape;
    shape.kind = kind->second.first;
    if (shape.kind == Form::box) {
      shape.size = numbers<3>(need(entry, "size"));
      if (!(*std::ranges::min_element(shape.size) > 0)) fail("a size that is not positive");
    } else if (shape.kind == Form::plane) {
      shape.normal = numbers<3>(need(entry, "normal"));
      if (entry.contains("offset")) shape.offset = number(entry["offset"]);
      if (!(norm(shape.normal) > 0)) fail("a normal that is none");
    } else if (shape.kind != Form::mesh && shape.kind != Form::map) {
      shape.radius = length(entry, "radius");
      if (keys.contains("length")) shape.length = length(entry, "length");
    }
    if (entry.contains("file")) {
      const std::string given = text(entry["file"]);
      shape.file = given.find("://") == given.npos ? (folder_ / given).string() : given;
    }
    if (entry.contains("scale")) {
      const Json& s = entry["scale"];
      shape.scale = s.is_array() ? numbers<3>(s) : Point{number(s), number(s), number(s)};
    }
    for (const Json& p : list(entry, "points")) shape.points.push_back(numbers<3>(p));
    if (keys.contains("file") && shape.file.empty() == shape.points.empty())
      fail("one file or points");
    scene_.objects.push_back(std::move(object));
  }

  void read_attached(const Json& entry) {
    only(entry, {"object", "link", "touch", "touch_links", "pose"});
    Attachment held{text(need(entry, "object")), text(need(entry, "link")), {}, {}};
    if (entry.contains("touch") && entry.contains("touch_links")) fail("touch and touch_links");
    for (const char* key : {"touch", "touch_links"})
      for (const Json& name : list(entry, key)) held.touch.push_back(text(name));
    if (entry.contains("pose")) held.place = place(entry["pose"]);
    scene_.attached.push_back(std::move(held));
  }

  const std::filesystem::path file_, folder_;
  Scene scene_;
};

}  // namespace

Scene read_scene(const std::filesystem::path& file) {
  if (lowered(file.extension().string()) == ".scene") return read_moveit_scene(file);
  return SceneReader(file).read(false);
}

bool is_model(const std::filesystem::path& file) {
  const Json all = parse(file);
  return all.is_object() && all.contains("bodies");
}

Model read_model(const std::filesystem::path& file) {
  const Json all = parse(file);
  Model model;
  try {
    const std::string around = all.value("around", "collision");
    model.collisions = around != "visual", model.visuals = around != "collision";
    if (around != "collision" && around != "visual" && around != "both")
      throw CannotTell{file.string() + ": a model around " + around};
    for (const Json& body : all.at("bodies"))
      model.links.insert(body.at("link").get<std::string>());
  } catch (const Json::exception& e) {
    throw CannotTell{file.string() + ": " + e.what()};
  }
  return model;
}

}  // namespace verify
