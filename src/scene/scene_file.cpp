// SPDX-License-Identifier: BSD-3-Clause
#include "scene/scene_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "keepclear/error.hpp"
#include "rounding/mode.hpp"
#include "scene/scene_values.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using json::find;
using json::Names;
using json::Object;
using json::Place;
using json::Value;

const json::Sections kSections{
    {"robots", "objects", "attached", "allow", "margins", "contacts", "include"},
    {"$schema", "name", "margin"},
    {}};
/// Of a file that another one includes.
const json::Sections kIncludedSections{
    {"objects"}, {"$schema", "name"}, "an included file holds objects only"};

Scene read_text(std::string_view text, const fs::path& file, bool included);

class SceneReader {
 public:
  SceneReader(const std::string& file, fs::path base, bool included)
      : reader_(file, std::move(base)), included_(included) {
    scene_.file = file;
  }

  Scene read(std::string_view text) {
    if (text.size() > kMaxSceneBytes) {
      reader_.fail({}, fmt::format("larger than the limit of {} MiB", kMaxSceneBytes >> 20));
    }
    json::parse(text, reader_.file(), included_ ? kIncludedSections : kSections,
                [this](std::string_view key, std::size_t index, const Value& value) {
                  item(key, index, value);
                });
    add_notes();
    if (included_) return std::move(scene_);
    for (std::size_t i = 0; i < includes_.size(); ++i) include(i);
    if (scene_.robots.empty() && scene_.objects.empty()) {
      reader_.fail({}, "neither robots nor objects");
    }
    check_robots();
    check_references();
    return std::move(scene_);
  }

 private:
  [[noreturn]] void fail_at(const std::string& place, const std::string& what,
                            const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, reader_.file(), 0, place + ": " + what, hint);
  }

  void item(std::string_view key, std::size_t index, const Value& value) {
    const Place top;
    const Place section{&top, key};
    const Place at{&section, {}, index};
    if (key == "objects") return read_object(value, at);
    if (key == "robots") return read_robot(value, at);
    if (key == "attached") return read_attached(value, at);
    if (key == "allow") return read_allowed(value, at);
    if (key == "margins") return read_margin(value, at);
    if (key == "contacts") return read_contact(value, at);
    if (key == "include") return read_include(value, at);
    if (key == "margin") scene_.margin = reader_.margin(value, section);
    if (key == "name") scene_.name = reader_.name(value, section);
    if (key == "$schema") reader_.text(value, section);
  }

  void limit(std::size_t count, std::size_t most, const Place& at) const {
    if (count >= most) reader_.fail(at, fmt::format("more than {} in this list", most));
  }

  void read_robot(const Value& value, const Place& at) {
    static const Names keys{"name", "urdf", "builtin", "srdf", "model", "base", "packages"};
    limit(scene_.robots.size(), kMaxSceneRobots, at);
    const auto& members = reader_.object(value, at);
    reader_.allow_keys(members, keys, at);
    SceneRobot robot;
    robot.place = at.pointer();
    // An empty name is none: generators write it for a single robot.
    if (const auto* given = find(members, "name");
        given && !reader_.text(*given, {&at, "name"}).empty()) {
      robot.name = reader_.name(*given, {&at, "name"});
      if (robot.name.find('/') != std::string::npos) {
        reader_.fail({&at, "name"}, fmt::format("a '/' in {}", text::quoted(robot.name)),
                     "links are called robot/link");
      }
    }
    const auto* urdf = find(members, "urdf");
    const auto* builtin = find(members, "builtin");
    if (!urdf && !builtin) reader_.fail(at, "'urdf' is missing", "or name one as 'builtin'");
    if (urdf && builtin) reader_.fail(at, "has both 'urdf' and 'builtin'", "keep one of them");
    if (urdf) robot.urdf = reader_.path(*urdf, {&at, "urdf"});
    if (builtin) robot.builtin = reader_.name(*builtin, {&at, "builtin"});
    if (const auto* srdf = find(members, "srdf")) robot.srdf = reader_.path(*srdf, {&at, "srdf"});
    if (const auto* model = find(members, "model")) {
      robot.model = reader_.path(*model, {&at, "model"});
    }
    robot.base = reader_.pose(members, "base", at);
    if (const auto* packages = find(members, "packages")) {
      const Place here{&at, "packages"};
      for (const auto& [package, folder] : reader_.object(*packages, here)) {
        const Place entry{&here, package};
        if (package.empty() || package.find('/') != std::string::npos) {
          reader_.fail(entry, "not the name of a package");
        }
        robot.packages.emplace(package, reader_.path(folder, entry));
      }
    }
    scene_.robots.push_back(std::move(robot));
  }

  void read_object(const Value& value, const Place& at) {
    limit(scene_.objects.size(), kMaxSceneObjects, at);
    const auto& members = reader_.object(value, at);
    SceneObject object;
    object.place = at.pointer();
    object.shape = reader_.shape(members, at);
    object.name = reader_.required_name(members, "name", at);
    object.pose = reader_.pose(members, "pose", at);
    scene_.objects.push_back(std::move(object));
  }

  void read_attached(const Value& value, const Place& at) {
    static const Names keys{"object", "link", "touch_links", "touch", "pose"};
    limit(scene_.attached.size(), kMaxSceneEntries, at);
    const auto& members = reader_.object(value, at);
    reader_.allow_keys(members, keys, at);
    Attachment attachment;
    attachment.place = at.pointer();
    attachment.object = reader_.required_name(members, "object", at);
    attachment.link = reader_.required_name(members, "link", at);
    const auto* touch = find(members, "touch");
    const auto* touch_links = find(members, "touch_links");
    if (touch && touch_links) {
      reader_.fail(at, "has both 'touch' and 'touch_links'", "keep one of them");
    }
    if (touch || touch_links) {
      const Place here{&at, touch ? "touch" : "touch_links"};
      const auto& list = reader_.array(touch ? *touch : *touch_links, here);
      for (std::size_t i = 0; i < list.size(); ++i) {
        attachment.touch.push_back(reader_.name(list[i], {&here, {}, i}));
      }
    }
    std::optional<Origin> held;
    if (find(members, "pose")) held = reader_.pose(members, "pose", at);
    held_poses_.push_back(held);
    scene_.attached.push_back(std::move(attachment));
  }

  NamedPair read_pair(const Value& value, const Place& at) const {
    const auto& names = reader_.array(value, at);
    if (names.size() != 2) {
      reader_.fail(at, fmt::format("must be a pair of names, is {}", names.size()));
    }
    return {reader_.name(names[0], {&at, {}, 0}), reader_.name(names[1], {&at, {}, 1}),
            at.pointer()};
  }

  void read_allowed(const Value& value, const Place& at) {
    limit(scene_.allow.size(), kMaxSceneEntries, at);
    scene_.allow.push_back(read_pair(value, at));
  }

  void read_margin(const Value& value, const Place& at) {
    static const Names keys{"pair", "margin"};
    limit(scene_.margins.size(), kMaxSceneEntries, at);
    const auto& members = reader_.object(value, at);
    reader_.allow_keys(members, keys, at);
    PairMargin margin;
    margin.pair = read_pair(reader_.required(members, "pair", at), {&at, "pair"});
    margin.margin = reader_.margin(reader_.required(members, "margin", at), {&at, "margin"});
    scene_.margins.push_back(std::move(margin));
  }

  void read_contact(const Value& value, const Place& at) {
    static const Names keys{"link", "object", "max_speed"};
    limit(scene_.contacts.size(), kMaxSceneEntries, at);
    const auto& members = reader_.object(value, at);
    reader_.allow_keys(members, keys, at);
    IntendedContact contact;
    contact.place = at.pointer();
    contact.link = reader_.required_name(members, "link", at);
    contact.object = reader_.required_name(members, "object", at);
    contact.max_speed =
        reader_.positive(reader_.required(members, "max_speed", at), {&at, "max_speed"});
    scene_.contacts.push_back(std::move(contact));
  }

  void read_include(const Value& value, const Place& at) {
    limit(includes_.size(), kMaxSceneIncludes, at);
    includes_.push_back(reader_.path(value, at));
  }

  /// Included objects come after those of the file itself, wherever the key stands.
  void include(std::size_t index) {
    const auto& file = includes_[index];
    const auto text = json::read_file(file, kMaxSceneBytes);
    auto part = read_text(text, file, true);
    if (scene_.objects.size() + part.objects.size() > kMaxSceneObjects) {
      fail_at(fmt::format("/include/{}", index),
              fmt::format("more than {} objects in all", kMaxSceneObjects));
    }
    scene_.included.push_back(file.string());
    scene_.notes.push_back(
        fmt::format("{}: {} objects included", file.string(), part.objects.size()));
    for (auto& note : part.notes) scene_.notes.push_back(file.string() + ": " + note);
    for (auto& object : part.objects) {
      object.place = file.string() + " " + object.place;
      scene_.objects.push_back(std::move(object));
    }
  }

  void check_robots() {
    for (const auto& robot : scene_.robots) {
      if (robot.name.empty() && scene_.robots.size() > 1) {
        fail_at(robot.place, "'name' is missing", "several robots need a name each");
      }
      if (!robots_.insert(robot.name).second) {
        fail_at(robot.place, "a second robot " + text::quoted(robot.name));
      }
    }
  }

  /// Names of links are not known here: compile() looks at those.
  void check_references() {
    std::unordered_map<std::string_view, SceneObject*> objects;
    objects.reserve(scene_.objects.size());
    for (auto& object : scene_.objects) {
      const auto [it, fresh] = objects.emplace(object.name, &object);
      if (!fresh) {
        fail_at(object.place, fmt::format("a second object {}, the first is {}",
                                          text::quoted(object.name), it->second->place));
      }
      if (robots_.count(object.name) != 0) {
        fail_at(object.place, text::quoted(object.name) + " is the name of a robot, too");
      }
    }
    std::set<std::string_view> held;
    for (std::size_t i = 0; i < scene_.attached.size(); ++i) {
      const auto& attachment = scene_.attached[i];
      const auto found = objects.find(attachment.object);
      if (found == objects.end()) unknown_object(attachment.place, attachment.object);
      if (!held.insert(attachment.object).second) {
        fail_at(attachment.place, text::quoted(attachment.object) + " is attached twice");
      }
      if (held_poses_[i]) found->second->pose = *held_poses_[i];
    }
    for (const auto& contact : scene_.contacts) {
      if (objects.count(contact.object) == 0) unknown_object(contact.place, contact.object);
    }
    for (const auto& pair : scene_.allow) check_pair(pair);
    std::set<std::pair<std::string_view, std::string_view>> pairs;
    for (const auto& margin : scene_.margins) {
      check_pair(margin.pair);
      const std::string_view a = margin.pair.a, b = margin.pair.b;
      if (!pairs.insert({std::min(a, b), std::max(a, b)}).second) {
        fail_at(margin.pair.place,
                fmt::format("a second margin for {} and {}", text::quoted(a), text::quoted(b)));
      }
    }
  }

  [[noreturn]] void unknown_object(const std::string& place, const std::string& object) const {
    fail_at(place + "/object", "unknown object " + text::quoted(object));
  }

  /// The name of a robot stands for its links, which may be meant among each other.
  void check_pair(const NamedPair& pair) const {
    if (pair.a == pair.b && robots_.count(pair.a) == 0) {
      fail_at(pair.place, text::quoted(pair.a) + " twice is no pair");
    }
  }

  void add_notes() {
    if (reader_.large_sizes.many > 0) {
      scene_.notes.push_back(fmt::format("{}: a size of more than {} m ({} in all): millimetres?",
                                         reader_.large_sizes.first, kLargeSize,
                                         reader_.large_sizes.many));
    }
    if (reader_.many_turns.many > 0) {
      scene_.notes.push_back(fmt::format("{}: more than a turn ({} in all): degrees?",
                                         reader_.many_turns.first, reader_.many_turns.many));
    }
  }

  SceneValues reader_;
  bool included_;
  Scene scene_;
  std::vector<fs::path> includes_;
  std::vector<std::optional<Origin>> held_poses_;  ///< of scene_.attached
  std::set<std::string> robots_;
};

Scene read_text(std::string_view text, const fs::path& file, bool included) {
  if (text::equal_ignoring_case(file.extension().string(), ".scene")) {
    return parse_moveit_scene(text, file.string());
  }
  return SceneReader(file.string(), file.parent_path(), included).read(text);
}

}  // namespace

Scene parse_scene(std::string_view json, const std::string& name, const fs::path& base) {
  return SceneReader(name, base, false).read(json);
}

Scene read_scene(const fs::path& file) {
  rounding::require_mode();
  return read_text(json::read_file(file, kMaxSceneBytes), file, false);
}

}  // namespace keepclear
