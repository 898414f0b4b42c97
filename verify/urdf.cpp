// SPDX-License-Identifier: BSD-3-Clause
// URDF and SRDF, read strictly: what is not known may change what a robot is.
#include <algorithm>

#include "description.hpp"
#include "xml.hpp"

namespace verify {
namespace {

class UrdfReader {
 public:
  UrdfReader(const std::filesystem::path& file, const Packages& packages) : packages_(packages) {
    robot_.file = file;
  }

  Robot read(const xml::Element& root) {
    if (root.Name() != std::string_view("robot")) xml::fail(root, "<robot> was expected");
    xml::allow(root, {}, true);
    robot_.name = xml::text(root, "name");
    for (const xml::Element* e = root.FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      const std::string_view name = e->Name();
      if (name == "link")
        read_link(*e);
      else if (name == "joint")
        read_joint(*e);
      else if (!xml::is_foreign(name) &&
               !xml::holds({"material", "gazebo", "transmission", "ros2_control", "sensor",
                            "disable_collisions", "frame", "loop_joint", "force_element",
                            "collision_filter_group", "plugin"},
                           name))
        xml::fail(*e, "it is not known, and may be a part of the robot");
    }
    require_tree();
    return std::move(robot_);
  }

 private:
  static Place place_of(const xml::Element* e) {
    if (e == nullptr) return {};
    xml::allow_alone(*e, {"xyz", "rpy"});
    return Place::of_rpy(xml::three(*e, "xyz", {0, 0, 0}), xml::three(*e, "rpy", {0, 0, 0}));
  }

  void read_link(const xml::Element& e) {
    xml::allow(e, {"name", "type"});
    RobotLink link{xml::text(e, "name"), {}, {}, {}};
    for (const xml::Element* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view name = child->Name();
      xml::pass_over(*child);
      if (name == "collision") {
        link.collisions.push_back(read_element(*child));
      } else if (name == "visual") {
        try {
          link.visuals.push_back(read_element(*child));
        } catch (const CannotTell& fault) {  // it counts for models around visuals alone
          link.visual_fault = fault.why;
        }
      } else if (!xml::is_foreign(name) &&
                 !xml::holds({"inertial", "contact", "self_collision_checking", "self_filter",
                              "sensor", "gazebo", "audio_source"},
                             name)) {
        xml::fail(*child, "it is not known in a link");
      }
    }
    robot_.links.push_back(std::move(link));
  }

  Element read_element(const xml::Element& e) const {
    xml::allow(e, {"name", "group"});
    for (const xml::Element* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement())
      if (!xml::is_foreign(child->Name()) &&
          !xml::holds({"origin", "geometry", "material", "surface", "verbose",
                       "contact_coefficients", "bounce"},
                      child->Name()))
        xml::fail(*child, "it is not known beside a shape");
    const xml::Element* geometry = xml::only_child(e, "geometry");
    if (geometry == nullptr) xml::fail(e, "no geometry");
    xml::allow(*geometry, {"name"});
    const xml::Element* shape = nullptr;
    for (const xml::Element* child = geometry->FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      if (child->Name() == std::string_view("drake:declare_convex")) continue;
      if (shape != nullptr) xml::fail(*child, "a second shape");
      shape = child;
    }
    if (shape == nullptr) xml::fail(*geometry, "no shape");
    return {read_shape(*shape), place_of(xml::only_child(e, "origin"))};
  }

  Form read_shape(const xml::Element& e) const {
    const std::string_view name = e.Name();
    for (const xml::Element* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement())
      if (child->Name() != std::string_view("drake:declare_convex"))
        xml::fail(*child, "it is not known in a shape");
    Form shape;
    if (name == "box") {
      xml::allow(e, {"size"});
      xml::text(e, "size");
      shape.size = xml::three(e, "size", {});
    } else if (name == "mesh") {
      xml::allow(e, {"filename", "scale"});
      shape.kind = Form::mesh;
      shape.file = resolve(xml::text(e, "filename"), robot_.file.parent_path(), packages_).string();
      if (e.Attribute("scale") != nullptr) {
        const std::vector<double> s = xml::numbers(e, "scale");
        if (s.size() != 1 && s.size() != 3) xml::fail(e, "a scale of one or three numbers");
        shape.scale = {s[0], s.back(), s.back()};
        if (s.size() == 3) shape.scale[1] = s[1];
      }
    } else if (name == "sphere") {
      xml::allow(e, {"radius"});
      shape.kind = Form::ball;
      shape.radius = xml::number(e, "radius");
    } else if (name == "cylinder" || name == "capsule" || name == "drake:capsule") {
      xml::allow(e, {"radius", "length"});
      shape.kind = name == "cylinder" ? Form::cylinder : Form::capsule;
      shape.radius = xml::number(e, "radius"), shape.length = xml::number(e, "length");
    } else {
      xml::fail(e, "a shape that is not known");
    }
    if (shape.radius < 0 || shape.length < 0 || *std::ranges::min_element(shape.size) < 0)
      xml::fail(e, "a negative size");
    return shape;
  }

  void read_joint(const xml::Element& e) {
    xml::allow(e, {"name", "type"});
    for (const xml::Element* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      xml::pass_over(*child);
      if (!xml::is_foreign(child->Name()) &&
          !xml::holds(
              {"origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "calibration",
               "safety_controller", "controller_gains", "joint_properties", "hardwareInterface"},
              child->Name()))
        xml::fail(*child, "it is not known in a joint");
    }
    RobotJoint joint;
    joint.name = xml::text(e, "name");
    joint.parent = end_of(e, "parent"), joint.child = end_of(e, "child");
    const std::string type = xml::text(e, "type");
    const std::map<std::string, Kind> kinds = {{"fixed", fixed},      {"revolute", hinge},
                                               {"continuous", hinge}, {"prismatic", slide},
                                               {"planar", planar},    {"floating", floating}};
    if (!kinds.contains(type)) xml::fail(e, "a type that is not known: " + type);
    joint.kind = kinds.at(type), joint.endless = type == "continuous";
    joint.place = place_of(xml::only_child(e, "origin"));
    if (const xml::Element* axis = xml::only_child(e, "axis")) {
      xml::allow_alone(*axis, {"xyz"});
      joint.axis = xml::three(*axis, "xyz", {1, 0, 0});
      const bool counts = joint.kind != fixed && joint.kind != floating;
      if (counts && !(norm(joint.axis) > 0)) xml::fail(*axis, "no direction");
    }
    const xml::Element* limit = xml::only_child(e, "limit");
    const bool limited = joint.kind == slide || (joint.kind == hinge && !joint.endless);
    if (limit != nullptr)
      xml::allow_alone(
          *limit, {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"});
    if (limited) {
      if (limit == nullptr) xml::fail(e, "no limits");
      joint.lower = xml::number(*limit, "lower"), joint.upper = xml::number(*limit, "upper");
    }
    if (const xml::Element* mimic = xml::only_child(e, "mimic")) {
      xml::allow_alone(*mimic, {"joint", "multiplier", "offset"});
      const Mimic read{xml::text(*mimic, "joint"), xml::number(*mimic, "multiplier", 1),
                       xml::number(*mimic, "offset", 0)};
      if (joint.kind != fixed) joint.mimic = read;
    }
    robot_.joints.push_back(std::move(joint));
  }

  static std::string end_of(const xml::Element& e, const char* which) {
    const xml::Element* end = xml::only_child(e, which);
    if (end == nullptr) xml::fail(e, std::string("no ") + which);
    xml::allow_alone(*end, {"link"});
    return xml::text(*end, "link");
  }

  /// One root, one parent for each other link, no name twice, and no way round.
  void require_tree() const {
    std::map<std::string, std::string> parent;
    std::set<std::string> links, joints;
    for (const RobotLink& l : robot_.links)
      if (!links.insert(l.name).second) throw CannotTell{"two links " + l.name};
    for (const RobotJoint& j : robot_.joints) {
      if (!joints.insert(j.name).second) throw CannotTell{"two joints " + j.name};
      if (!links.contains(j.parent) || !links.contains(j.child))
        throw CannotTell{"joint " + j.name + " names a link that is not there"};
      if (!parent.emplace(j.child, j.parent).second)
        throw CannotTell{"two parents of link " + j.child};
    }
    if (parent.size() + 1 != links.size()) throw CannotTell{"not one root"};
    for (const std::string& link : links) {
      std::size_t steps = 0;
      for (auto up = parent.find(link); up != parent.end(); up = parent.find(up->second))
        if (++steps > links.size()) throw CannotTell{"link " + link + " carries itself"};
    }
  }

  Robot robot_;
  const Packages& packages_;
};

}  // namespace

bool is_urdf(const std::filesystem::path& file) {
  bool has_links = false;
  xml::read(file, [&](const xml::Element& root) {
    has_links = root.FirstChildElement("link") != nullptr;
  });
  return has_links;
}

Robot read_urdf(const std::filesystem::path& file, const Packages& packages) {
  Robot robot;
  xml::read(file, [&](const xml::Element& root) { robot = UrdfReader(file, packages).read(root); });
  return robot;
}

PairsFile read_srdf(const std::filesystem::path& file, const Robot& robot) {
  std::set<std::string> links;
  for (const RobotLink& link : robot.links) links.insert(link.name);
  PairsFile pairs;
  xml::read(file, [&](const xml::Element& root) {
    if (root.Name() != std::string_view("robot")) xml::fail(root, "<robot> was expected");
    xml::allow(root, {"name", "version"});
    for (const xml::Element* e = root.FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      const std::string_view name = e->Name();
      const bool disables = name == "disable_collisions";
      if (disables || name == "enable_collisions") {
        xml::allow_alone(*e, {"link1", "link2", "reason"});
        const std::string a = xml::text(*e, "link1"), b = xml::text(*e, "link2");
        const bool known = links.contains(a) && links.contains(b);
        if (!disables && !known) xml::fail(*e, "a link that is not there");
        if (!disables) pairs.enabled.insert(ordered(a, b));
        const char* reason = e->Attribute("reason");
        if (disables && known && a != b)
          pairs.disabled[ordered(a, b)] = reason == nullptr ? "" : reason;
      } else if (name == "disable_default_collisions") {
        xml::allow_alone(*e, {"link"});
        const std::string link = xml::text(*e, "link");
        if (links.contains(link)) pairs.off_by_default.insert(link);
      } else if (!xml::is_foreign(name) &&
                 !xml::holds(
                     {"group", "group_state", "virtual_joint", "end_effector", "passive_joint",
                      "joint_property", "link_sphere_approximation", "gripper", "handle", "contact",
                      "rotor_params", "mask", "specificities", "collision_pair",
                      "reference_posture", "kinematics_plugin_config",
                      "contact_managers_plugin_config", "calibration_config"},
                     name)) {
        xml::fail(*e, "it is not known in an SRDF");
      }
    }
  });
  return pairs;
}

}  // namespace verify
