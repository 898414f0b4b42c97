// SPDX-License-Identifier: BSD-3-Clause
#include "robot/urdf_elements.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

namespace keepclear {
namespace {

using xml::Element;
using xml::Names;

/// In links, joints and shapes: what Drake adds for dynamics and pictures.
const Names kPrefixedExtensions{"drake:proximity_properties",   "drake:declare_convex",
                                "drake:rotor_inertia",          "drake:gear_ratio",
                                "drake:controller_gains",       "drake:accepting_renderer",
                                "drake:perception_properties",  "drake:diffuse_map",
                                "drake:illustration_properties"};
/// Beside links and joints: known to add no link, no joint and no shape, and to move none. For
/// simulators, drivers and planners; these may hold elements called link, joint or collision. What
/// leaves out pairs is not followed: more is checked then.
const Names kUrdfExtensions{"gazebo",
                            "transmission",
                            "ros2_control",
                            "sensor",
                            "plugin",
                            "mujoco",
                            "frame",
                            "loop_joint",
                            "force_element",
                            "disable_collisions",
                            "collision_filter_group",
                            "drake:collision_filter_group",
                            "drake:linear_spring_damper",
                            "drake:linear_bushing_rpy",
                            "drake:ball_constraint",
                            "drake:tendon_constraint",
                            "schedule_topic_creator_file"};
/// A macro of Valkyrie that public files call and do not define: sensors alone.
constexpr std::string_view kSensorMacro = "xacro:v1_pelvis_sensors_usb";
/// What parts of a robot are made of: nothing that holds one of these is passed over unread.
const Names kParts{"link",  "joint", "collision", "geometry", "origin",  "parent",
                   "child", "group", "include",   "robot",    "model",   "visual",
                   "box",   "mesh",  "sphere",    "cylinder", "capsule", "xacro:include"};

/// Whether the element is, or holds at any depth, what parts of a robot are made of.
bool holds_part(const Element& top) {
  const Element* e = &top;
  while (e != nullptr) {
    const std::string_view name = e->Name();
    if (xml::holds(kParts, name) || xml::holds(kParts, name.substr(name.find(':') + 1))) {
      return true;
    }
    const Element* next = e->FirstChildElement();
    while (next == nullptr && e != &top) {
      next = e->NextSiblingElement();
      if (next == nullptr) e = e->Parent()->ToElement();
    }
    e = next;
  }
  return false;
}

/// A subtree that is not used: a collision element hidden in it would be lost.
void refuse_hidden_shapes(const xml::Reader& reader, const Element& top) {
  const Element* e = top.FirstChildElement();
  while (e != nullptr) {
    const std::string_view name = e->Name();
    if (xml::edit_distance(name, "collision") <= 2 || name == "link" || name == "joint") {
      reader.fail(*e, fmt::format("{} inside {} would be lost", xml::tag(*e), xml::tag(top)),
                  "close the elements before it");
    }
    const Element* next = e->FirstChildElement();
    while (next == nullptr && e != &top) {
      next = e->NextSiblingElement();
      if (next == nullptr) e = e->Parent()->ToElement();
    }
    e = next;
  }
}

}  // namespace

void pass_over_beside(xml::Reader& reader, const Element& e) {
  const std::string_view name = e.Name();
  if (xml::holds(kUrdfExtensions, name)) return reader.ignore(e, "<robot>");
  if (name == kSensorMacro) return reader.ignore(e, "<robot>");
  if (name.starts_with("xacro:")) {
    reader.fail(e, fmt::format("{} is not expanded", xml::tag(e)),
                "expand the file with 'xacro' first");
  }
  const auto lost = [&](const char* hint) {
    reader.fail(e, fmt::format("{} in <robot>: what it stands for would be lost", xml::tag(e)),
                hint);
  };
  if (name == "include") lost("put what it includes in its place");
  if (name == "group") lost("write its links and joints beside the others");
  if (name == "robot" || name == "model") {
    lost("one robot a file; a scene (docs/scenes.md) holds several");
  }
  const Names wanted{"link", "joint"};
  // A link or joint by another name, or a shape beside its link, would be lost.
  const auto local = name.substr(name.find(':') + 1);
  if (!xml::did_you_mean(local, wanted).empty() || holds_part(e)) {
    reader.unknown_child(e, wanted);
  }
  reader.fail_or_note(e.GetLineNum(), fmt::format("unknown element {} in <robot>", xml::tag(e)),
                      "it may be passed over with --lenient");
  reader.ignore(e, "<robot>");
}

void pass_over_child(xml::Reader& reader, const Element& e, const Names& known,
                     const Names& extensions) {
  const std::string_view name = e.Name();
  if (!xml::holds(known, name)) {
    if (!xml::holds(extensions, name) && !xml::holds(kPrefixedExtensions, name)) {
      const auto local = name.substr(name.find(':') + 1);
      const bool foreign = xml::is_prefixed(name) && !name.starts_with("xacro:") &&
                           xml::did_you_mean(local, known).empty() && !holds_part(e);
      if (!foreign) reader.unknown_child(e, known);
      reader.fail_or_note(
          e.GetLineNum(),
          fmt::format("unknown element {} in <{}>", xml::tag(e), e.Parent()->Value()),
          "it may be passed over with --lenient");
    }
    reader.ignore(e, fmt::format("<{}>", e.Parent()->Value()));
  }
  refuse_hidden_shapes(reader, e);
}

}  // namespace keepclear
