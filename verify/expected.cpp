// SPDX-License-Identifier: BSD-3-Clause
#include "expected.hpp"

#include <algorithm>

namespace verify {
namespace {

namespace fs = std::filesystem;

std::string as_read(const std::string& name) {
  return coded(name, ' ');
}

class Builder {
 public:
  explicit Builder(const Given& given) : given_(given) {}

  Expected build() {
    if (given_.scene) scene_ = read_scene(*given_.scene), world_.is_scene = true;
    if (given_.model) model_ = read_model(*given_.model);
    name_robots();
    if (world_.is_scene)
      add_scene();
    else
      add_robot(read_urdf(given_.robots[0], given_.packages), {}, 0),
          world_.world = robot_names_[0];
    world_.world = as_read(world_.world);
    return std::move(world_);
  }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw CannotTell{why}; }

  /// Which URDF each robot of the scene has; without a scene the one that is given.
  void name_robots() {
    if (!given_.scene) {
      if (given_.robots.size() != 1)
        fail("one URDF alone, or the scene of several robots, is wanted");
      return;
    }
    if (scene_.robots.empty() && given_.robots.size() == 1)
      scene_.robots.push_back({"", "", given_.robots[0], "", "", {}, {}});
    if (scene_.robots.empty()) fail("the scene has no robot: give its URDF, too");
    std::set<std::size_t> used;
    for (SceneRobot& robot : scene_.robots) {
      for (std::size_t i = 0; i < given_.robots.size(); ++i) {
        std::error_code error;
        const bool same = robot.builtin.empty()
                              ? fs::equivalent(robot.urdf, given_.robots[i], error)
                              : given_.robots[i].stem() == robot.builtin;
        if (same) robot.urdf = given_.robots[i], used.insert(i);
      }
      if (robot.urdf.empty())
        fail("the scene has the built-in robot " + robot.builtin + ": give " + robot.builtin +
             ".urdf");
      if (given_.srdf && scene_.robots.size() > 1) fail("the scene names the SRDF of each robot");
      if (given_.srdf) robot.srdf = *given_.srdf;
    }
    if (used.size() != given_.robots.size())
      fail("the scene has other robots than the URDF that is given");
    std::set<std::string> names;
    for (const SceneRobot& robot : scene_.robots)
      if (!names.insert(robot.name).second || robot.name.find('/') != std::string::npos ||
          (robot.name.empty() && scene_.robots.size() > 1))
        fail("robots of a scene that are not told apart by their names");
  }

  void add_scene() {
    add_link({as_read("")});
    for (std::size_t r = 0; r < scene_.robots.size(); ++r) {
      const SceneRobot& robot = scene_.robots[r];
      Packages packages = given_.packages;
      for (const auto& [name, folder] : robot.packages) packages.named[name] = folder;
      add_robot(read_urdf(robot.urdf, packages), robot, static_cast<int>(r));
    }
    world_.world = !scene_.name.empty()       ? scene_.name
                   : robot_names_.size() == 1 ? robot_names_[0]
                                              : "";
    std::set<std::string> carried;
    for (const Attachment& held : scene_.attached) {
      const auto object = std::ranges::find(scene_.objects, held.object, &SceneObject::name);
      if (object == scene_.objects.end()) fail("no object " + held.object);
      if (!carried.insert(held.object).second) fail("attached twice: " + held.object);
      const std::size_t link = link_of(held.link);
      if (link == 0 || link >= first_object_) fail("no link of a robot: " + held.link);
      add_object(*object, link, held.place.value_or(object->place), false);
    }
    for (const SceneObject& object : scene_.objects)
      if (!carried.contains(object.name)) add_object(object, 0, object.place, true);
    add_rules();
  }

  void add_robot(const Robot& robot, const SceneRobot& in, int index) {
    const std::string prefix = in.name.empty() ? "" : in.name + "/";
    robot_names_.push_back(robot.name);
    if (!world_.is_scene && given_.srdf) pairs_ = read_srdf(*given_.srdf, robot);
    if (world_.is_scene && !in.srdf.empty()) pairs_ = read_srdf(in.srdf, robot);
    world_.has_srdf |= given_.srdf || !in.srdf.empty();
    std::optional<Model> model = model_;
    std::string of_model = prefix;  // what stands before its names
    if (!model && !in.model.empty()) model = read_model(in.model), of_model = "";

    std::map<std::string, const RobotJoint*> below, by_name;  // by child, by name
    for (const RobotJoint& j : robot.joints) below[j.child] = &j, by_name[j.name] = &j;
    for (const RobotJoint& j : robot.joints)
      if (j.kind != fixed && !j.mimic) add_numbers(j, prefix);
    // Links in an order in which parents come first.
    std::map<std::string, std::vector<const RobotJoint*>> children;
    for (const RobotJoint& j : robot.joints) children[j.parent].push_back(&j);
    std::map<std::string, std::size_t> at;
    std::vector<std::string> open;
    for (const RobotLink& l : robot.links)
      if (!below.contains(l.name)) open.push_back(l.name);
    while (!open.empty()) {
      const std::string name = open.back();
      open.pop_back();
      Expected::Link link{as_read(prefix + name)};
      const auto joint = below.find(name);
      if (joint == below.end())
        link.place = in.base;
      else
        link = link_of_joint(*joint->second, by_name, prefix, at);
      at[name] = world_.links.size();
      add_link(std::move(link));
      for (const RobotJoint* j : children[name]) open.push_back(j->child);
    }
    for (const RobotLink& l : robot.links) {
      Expected::Solid solid{
          as_read(prefix + l.name), false, false, at[l.name], index, l.collisions};
      bool there = !l.collisions.empty();
      if (model && model->links.contains(of_model + l.name)) {
        there = true;
        if (!model->collisions) solid.pieces.clear();
        if (model->visuals) {
          if (!l.visual_fault.empty())
            fail("what is seen of link " + l.name + ": " + l.visual_fault);
          solid.pieces.insert(solid.pieces.end(), l.visuals.begin(), l.visuals.end());
          world_.seen = model->collisions ? "collision and visual shapes" : "visual shapes alone";
        }
      }
      if (there) add_solid(std::move(solid));
    }
    first_object_ = world_.links.size();
    add_pairs(prefix);
  }

  void add_numbers(const RobotJoint& j, const std::string& prefix) {
    const std::string name = as_read(prefix + j.name);
    for (const std::string& each : numbers_of(j, prefix)) {
      const bool turned = j.kind == floating && each.find("/rot_", name.size()) != each.npos;
      world_.numbers.push_back({each, turned ? -1 : j.lower, turned ? 1 : j.upper});
    }
  }
  static std::vector<std::string> numbers_of(const RobotJoint& j, const std::string& prefix) {
    const std::string name = prefix + j.name;
    std::vector<std::string> names;
    if (j.kind == planar)
      for (const char* end : {"/x", "/y", "/theta"}) names.push_back(as_read(name + end));
    else if (j.kind == floating)
      for (const char* end :
           {"/trans_x", "/trans_y", "/trans_z", "/rot_x", "/rot_y", "/rot_z", "/rot_w"})
        names.push_back(as_read(name + end));
    else
      names.push_back(as_read(name));
    return names;
  }

  static Expected::Link link_of_joint(const RobotJoint& j,
                                      const std::map<std::string, const RobotJoint*>& by_name,
                                      const std::string& prefix,
                                      const std::map<std::string, std::size_t>& at) {
    Expected::Link link{as_read(prefix + j.child), at.at(j.parent), j.kind, j.place};
    if (j.kind == fixed) return link;
    if (j.kind != floating) link.axis = (1 / norm(j.axis)) * j.axis;
    const RobotJoint* leader = &j;
    while (leader->mimic) {
      link.follows.insert(link.follows.begin(), {leader->mimic->multiplier, leader->mimic->offset});
      const auto next = by_name.find(leader->mimic->joint);
      if (next == by_name.end() || link.follows.size() > by_name.size())
        fail("joint " + j.name + " follows one that is not there, or itself");
      leader = next->second;
    }
    const auto has_one = [](const RobotJoint* joint) {
      return joint->kind == hinge || joint->kind == slide;
    };
    if (leader != &j && (!has_one(&j) || !has_one(leader)))
      fail("joint " + j.name + " follows one that has no single value");
    link.numbers = numbers_of(*leader, prefix);
    return link;
  }

  /// What the SRDF of the robot that was added last says.
  void add_pairs(const std::string& prefix) {
    const auto pair = [&](const Names& names) -> std::optional<Pair> {
      const auto a = solid_of(prefix + names.first), b = solid_of(prefix + names.second);
      if (!a || !b) return {};
      return std::minmax(*a, *b);
    };
    for (const auto& [names, reason] : pairs_.disabled)
      if (const auto ab = pair(names)) world_.disabled[*ab] = as_read(reason);
    for (const Names& names : pairs_.enabled)
      if (const auto ab = pair(names)) world_.enabled.insert(*ab);
    for (const std::string& name : pairs_.off_by_default)
      if (const auto a = solid_of(prefix + name)) world_.off_by_default.insert(*a);
    pairs_ = {};
  }

  void add_object(const SceneObject& object, std::size_t link, const Place& place, bool standing) {
    Expected::Solid solid{as_read(object.name), true, standing, world_.links.size()};
    if (link_names_.contains(solid.name)) fail("two things are called " + object.name);
    if (!standing)
      for (const Expected::Solid& s : world_.solids)
        if (s.link == link) solid.robot = s.robot;
    Form shape = object.shape;
    if (shape.kind == Form::mesh && !shape.file.empty()) {
      Packages packages = given_.packages;
      packages.named.clear();
      for (const SceneRobot& robot : scene_.robots)
        packages.named.insert(robot.packages.begin(), robot.packages.end());
      packages.named.insert(given_.packages.named.begin(), given_.packages.named.end());
      shape.file = resolve(shape.file,
                           shape.file.find("://") == std::string::npos ? fs::path()
                                                                       : scene_.file.parent_path(),
                           packages)
                       .string();
    }
    if (shape.kind == Form::map || (shape.kind == Form::cloud && !shape.file.empty()))
      fail("object " + object.name + ": point clouds and maps in files are not read here");
    if (shape.kind == Form::cloud) {
      Form ball;
      ball.kind = Form::ball, ball.radius = shape.radius;
      for (const Point& p : shape.points) {
        Place at;
        at.shift = p;
        solid.pieces.push_back({ball, at});
      }
    } else {
      solid.pieces.push_back({shape, {}});
    }
    Expected::Link held{solid.name, link, fixed, place};
    held.standing = standing;
    add_link(std::move(held));
    add_solid(std::move(solid));
  }

  void add_link(Expected::Link link) {
    link_names_.emplace(link.name, world_.links.size());
    world_.links.push_back(std::move(link));
  }
  void add_solid(Expected::Solid solid) {
    solid_names_.emplace(solid.name, world_.solids.size());
    world_.solids.push_back(std::move(solid));
  }

  void add_rules() {
    world_.margin = scene_.margin;
    for (const Names& pair : scene_.allow)
      for_named(pair.first, pair.second, [&](const Pair& ab) { world_.allowed.insert(ab); });
    for (const auto& [pair, margin] : scene_.margins)
      for_named(pair.first, pair.second,
                [&, m = margin](const Pair& ab) { world_.margins[ab] = m; });
    for (const Attachment& held : scene_.attached) {
      std::vector<std::string> touched = held.touch;
      touched.push_back(held.link);
      for (const std::string& name : touched)
        for_named(held.object, name, [&](const Pair& ab) { world_.touching.insert(ab); });
    }
  }

  std::optional<std::size_t> solid_of(const std::string& name) const {
    const auto found = solid_names_.find(as_read(name));
    return found == solid_names_.end() ? std::nullopt : std::optional(found->second);
  }
  std::size_t link_of(const std::string& name) const {
    const auto found = link_names_.find(as_read(name));
    if (found == link_names_.end() || found->second == 0) fail("no link " + name);
    return found->second;
  }

  /// A link, an object, or a robot, which stands for all its links.
  std::vector<std::size_t> solids_of(const std::string& name) const {
    if (const auto one = solid_of(name)) return {*one};
    std::vector<std::size_t> all;
    bool known = false;
    for (std::size_t r = 0; r < scene_.robots.size() && !name.empty(); ++r) {
      if (scene_.robots[r].name != name) continue;
      known = true;
      for (std::size_t s = 0; s < world_.solids.size(); ++s)
        if (world_.solids[s].robot == static_cast<int>(r) && !world_.solids[s].object)
          all.push_back(s);
    }
    if (!known) link_of(name);  // one without bodies, or nothing
    return all;
  }
  template <typename F>
  void for_named(const std::string& a, const std::string& b, const F& f) const {
    const std::vector<std::size_t> second = solids_of(b);
    for (const std::size_t x : solids_of(a))
      for (const std::size_t y : second)
        if (x != y) f(Pair(std::minmax(x, y)));
  }

  const Given& given_;
  Scene scene_;
  std::optional<Model> model_;
  PairsFile pairs_;
  std::vector<std::string> robot_names_;
  std::size_t first_object_ = 0;                                 // among the links
  std::map<std::string, std::size_t> link_names_, solid_names_;  // where they are
  Expected world_;
};

}  // namespace

Given sorted(const std::vector<fs::path>& files, const Packages& packages) {
  Given given;
  given.packages = packages;
  const auto once = [](std::optional<fs::path>& place, const fs::path& file, const char* what) {
    if (place) throw CannotTell{std::string("two files of a kind: ") + what};
    place = file;
  };
  for (const fs::path& file : files) {
    const std::string kind = lowered(file.extension().string());
    if (kind == ".scene" || (kind == ".json" && !is_model(file)))
      once(given.scene, file, "scene");
    else if (kind == ".json")
      once(given.model, file, "model");
    else if (is_urdf(file))
      given.robots.push_back(file);
    else
      once(given.srdf, file, "SRDF");
  }
  return given;
}

std::optional<std::pair<std::string, std::string>> Expected::why_skipped(std::size_t a,
                                                                         std::size_t b) const {
  using Why = std::pair<std::string, std::string>;
  const Pair ab = std::minmax(a, b);
  const bool allows = allowed.contains(ab), touches = touching.contains(ab);
  const Why by_scene = allows ? Why{"allowed", as_read("")} : Why{"touch", as_read("")};
  const Solid &x = solids[a], &y = solids[b];
  if (x.standing || y.standing)
    return allows || touches ? std::optional<Why>(by_scene) : std::nullopt;
  if (touches && !allows) return by_scene;
  const auto carries = [&](std::size_t up, std::size_t down) {
    return down > 0 && links[down].parent == up;
  };
  if (carries(x.link, y.link) || carries(y.link, x.link)) return Why{"adjacent", as_read("")};
  if (const auto found = disabled.find(ab); found != disabled.end())
    return Why{"disabled", found->second};
  if (x.robot == y.robot && !x.object && !y.object && !enabled.contains(ab) &&
      (off_by_default.contains(a) || off_by_default.contains(b)))
    return Why{"disabled by default", as_read("")};
  if (allows) return by_scene;
  return {};
}

Expected expect(const Given& given) {
  return Builder(given).build();
}

}  // namespace verify
