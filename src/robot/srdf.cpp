// SPDX-License-Identifier: BSD-3-Clause
#include "robot/srdf.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "keepclear/error.hpp"
#include "robot/xml.hpp"

namespace keepclear {
namespace {

using xml::Element;
using xml::Names;

const Names kTop{"group",
                 "group_state",
                 "virtual_joint",
                 "end_effector",
                 "passive_joint",
                 "disable_collisions",
                 "enable_collisions",
                 "disable_default_collisions",
                 "joint_property",
                 "link_sphere_approximation"};
/// Of Humanoid Path Planner, Pinocchio and Tesseract; not used, noted. They move no link and ask
/// for no pair and no margin; what does (calibration_config, collision_pair, collision_margins) is
/// refused like everything that is not known.
const Names kSrdfExtensions{"gripper",
                            "handle",
                            "contact",
                            "rotor_params",
                            "mask",
                            "specificities",
                            "reference_posture",
                            "kinematics_plugin_config",
                            "contact_managers_plugin_config"};
const Names kGroupChildren{"link", "joint", "chain", "group", "passive_joint"};

/// How many numbers place a joint of that type.
std::size_t values_of(std::string_view type) {
  return type == "fixed" ? 0 : type == "planar" ? 3 : type == "floating" ? 7 : 1;
}

class SrdfReader {
 public:
  SrdfReader(const std::string& file, const RobotModel& robot) : reader_(file), robot_(robot) {
    srdf_.file = file;
    for (const auto& link : robot.links) links_.insert(link.name);
    for (const auto& joint : robot.joints) joints_.emplace(joint.name, to_string(joint.type));
  }

  Srdf read(const Element& root) {
    if (std::string_view(root.Name()) != "robot") {
      reader_.fail(root, fmt::format("the root element is {}, not <robot>", xml::tag(root)),
                   "an SRDF is expected");
    }
    reader_.allow_attributes(root, {"name", "version"});
    reader_.refuse_text(root);
    srdf_.name = reader_.name(root, "name");
    if (srdf_.name != robot_.name) {
      note(root, "written for robot {}, used with {}", xml::in_quotes(srdf_.name),
           xml::in_quotes(robot_.name));
    }
    // Groups may name virtual joints, and states groups, that stand further down.
    for (auto* e = root.FirstChildElement("virtual_joint"); e != nullptr;
         e = e->NextSiblingElement("virtual_joint")) {
      read_virtual_joint(*e);
    }
    for (auto* e = root.FirstChildElement("group"); e != nullptr;
         e = e->NextSiblingElement("group")) {
      const auto name = reader_.name(*e, "name");
      if (!groups_.insert(name).second) {
        reader_.fail(*e, fmt::format("a second group {}", xml::in_quotes(name)));
      }
    }
    for (auto* e = root.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      read_top(*e);
    }
    add_unknown_notes();
    const auto ignored = reader_.notes();
    srdf_.notes.insert(srdf_.notes.end(), ignored.begin(), ignored.end());
    return std::move(srdf_);
  }

 private:
  template <typename... Args>
  void note(const Element& at, fmt::format_string<Args...> format, Args&&... args) {
    srdf_.notes.push_back(fmt::format("line {}: {}", at.GetLineNum(),
                                      fmt::format(format, std::forward<Args>(args)...)));
  }

  void read_top(const Element& e) {
    const std::string_view name = e.Name();
    if (name == "virtual_joint") return;
    if (name == "group") return read_group(e);
    if (name == "group_state") return read_state(e);
    if (name == "disable_collisions") return read_disabled(e);
    if (name == "enable_collisions") return read_enabled(e);
    if (name == "disable_default_collisions") return read_disabled_by_default(e);
    if (name == "end_effector") return check_end_effector(e);
    if (name == "passive_joint") return check_passive_joint(e);
    if (name == "joint_property") {
      reader_.allow_attributes(e, {"joint_name", "property_name", "value"});
      return;
    }
    if (name == "link_sphere_approximation") {
      // Spheres that stand for a link in one planner; the collision elements are what counts.
      reader_.allow_attributes(e, {"link"});
      return reader_.ignore(e, "<robot>");
    }
    if (xml::holds(kSrdfExtensions, name)) return reader_.ignore(e, "<robot>");
    reader_.unknown_child(e, kTop);
  }

  bool knows_link(const std::string& name) { return links_.count(name) != 0 || missing(name); }
  bool knows_joint(const std::string& name) { return joints_.count(name) != 0 || missing(name); }

  /// Always false: `name` is not in the robot. Public SRDFs are often those of a sibling, so this
  /// is a note, one for all such names.
  bool missing(const std::string& name) {
    if (unknown_.insert(name).second) unknown_order_.push_back(name);
    return false;
  }

  void add_unknown_notes() {
    if (unknown_order_.empty()) return;
    constexpr std::size_t kMostNames = 10;
    std::string names;
    for (std::size_t i = 0; i < std::min(unknown_order_.size(), kMostNames); ++i) {
      names += (i ? ", " : "") + xml::in_quotes(unknown_order_[i]);
    }
    if (unknown_order_.size() > kMostNames) {
      names += fmt::format(" and {} more", unknown_order_.size() - kMostNames);
    }
    srdf_.notes.push_back("not in the robot, and left out: " + names);
  }

  void read_disabled(const Element& e) {
    reader_.allow_attributes(e, {"link1", "link2", "reason"});
    reader_.refuse_content(e);
    DisabledPair pair{reader_.name(e, "link1"), reader_.name(e, "link2"),
                      reader_.optional_name(e, "reason"), e.GetLineNum()};
    const bool known1 = knows_link(pair.link1), known2 = knows_link(pair.link2);
    // A link is never checked against itself: such a pair changes nothing.
    if (pair.link1 == pair.link2) return reader_.ignore(e, "<robot> for a link with itself");
    if (known1 && known2) srdf_.disabled.push_back(std::move(pair));
  }

  void read_enabled(const Element& e) {
    reader_.allow_attributes(e, {"link1", "link2", "reason"});
    reader_.refuse_content(e);
    auto link1 = reader_.name(e, "link1"), link2 = reader_.name(e, "link2");
    // A pair that must be checked and is not there would be lost; nobody may lose that silently.
    for (const auto& link : {link1, link2}) {
      if (links_.count(link) == 0) {
        reader_.fail(e, fmt::format("enable_collisions of unknown link {}", xml::in_quotes(link)));
      }
    }
    srdf_.enabled.emplace_back(std::move(link1), std::move(link2));
  }

  void read_disabled_by_default(const Element& e) {
    reader_.allow_attributes(e, {"link"});
    reader_.refuse_content(e);
    auto link = reader_.name(e, "link");
    if (knows_link(link)) srdf_.disabled_by_default.push_back(std::move(link));
  }

  void read_virtual_joint(const Element& e) {
    reader_.allow_attributes(e, {"name", "type", "parent_frame", "child_link"});
    reader_.refuse_content(e);
    Srdf::VirtualJoint joint{reader_.name(e, "name"), reader_.name(e, "type"),
                             reader_.name(e, "parent_frame"), reader_.name(e, "child_link")};
    const Names types{"fixed", "planar", "floating"};
    if (!xml::holds(types, joint.type)) {
      reader_.fail(e, fmt::format("unknown type {} of a virtual joint", xml::in_quotes(joint.type)),
                   xml::did_you_mean(joint.type, types));
    }
    if (!joints_.emplace(joint.name, joint.type).second) {
      reader_.fail(e, fmt::format("a second joint {}", xml::in_quotes(joint.name)));
    }
    if (joint.type != "fixed") {
      note(e, "the {} virtual joint {} is not followed: the base stands where the scene has it",
           joint.type, xml::in_quotes(joint.name));
    }
    if (knows_link(joint.child_link)) srdf_.virtual_joints.push_back(std::move(joint));
  }

  void read_group(const Element& e) {
    reader_.allow_attributes(e, {"name"});
    reader_.refuse_text(e);
    Srdf::Group group;
    group.name = reader_.name(e, "name");
    for (auto* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view name = child->Name();
      if (!xml::holds(kGroupChildren, name)) reader_.unknown_child(*child, kGroupChildren);
      reader_.refuse_content(*child);
      if (name == "chain") {
        reader_.allow_attributes(*child, {"base_link", "tip_link"});
        auto base = reader_.name(*child, "base_link"), tip = reader_.name(*child, "tip_link");
        const bool base_known = knows_link(base), tip_known = knows_link(tip);
        if (base_known && tip_known) group.chains.emplace_back(std::move(base), std::move(tip));
        continue;
      }
      reader_.allow_attributes(*child, {"name"});
      auto member = reader_.name(*child, "name");
      if (name == "link" && knows_link(member)) group.links.push_back(std::move(member));
      if (name == "joint" && knows_joint(member)) group.joints.push_back(std::move(member));
      if (name == "group") {
        if (groups_.count(member) == 0) {
          reader_.fail(*child, fmt::format("unknown group {}", xml::in_quotes(member)));
        }
        group.groups.push_back(std::move(member));
      }
    }
    srdf_.groups.push_back(std::move(group));
  }

  void read_state(const Element& e) {
    reader_.allow_attributes(e, {"name", "group"});
    reader_.refuse_text(e);
    Srdf::State state;
    state.name = reader_.name(e, "name");
    state.group = reader_.name(e, "group");
    if (groups_.count(state.group) == 0) {
      reader_.fail(e, fmt::format("unknown group {}", xml::in_quotes(state.group)));
    }
    if (!states_.insert({state.group, state.name}).second) {
      reader_.fail(e, fmt::format("a second state {} of group {}", xml::in_quotes(state.name),
                                  xml::in_quotes(state.group)));
    }
    for (auto* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      if (std::string_view(child->Name()) != "joint") reader_.unknown_child(*child, {"joint"});
      reader_.allow_attributes(*child, {"name", "value"});
      reader_.refuse_content(*child);
      const auto name = reader_.name(*child, "name");
      auto values = reader_.numbers(*child, "value");
      if (!knows_joint(name)) continue;
      const auto& type = joints_.at(name);
      const auto wanted = values_of(type);
      if (wanted == 0) {
        reader_.ignore(*child, "<group_state> for a fixed joint");
        continue;
      }
      if (values.size() != wanted) {
        reader_.fail(*child, fmt::format("the {} joint {} wants {} numbers, not {}", type,
                                         xml::in_quotes(name), wanted, values.size()));
      }
      if (!state.joints.emplace(name, std::move(values)).second) {
        reader_.fail(*child, fmt::format("a second value for joint {}", xml::in_quotes(name)));
      }
    }
    srdf_.states.push_back(std::move(state));
  }

  void check_end_effector(const Element& e) {
    reader_.allow_attributes(e, {"name", "group", "parent_link", "parent_group"});
    reader_.refuse_content(e);
    reader_.name(e, "name");
    knows_link(reader_.name(e, "parent_link"));
    const auto group = reader_.name(e, "group");
    if (groups_.count(group) == 0) {
      reader_.fail(e, fmt::format("unknown group {}", xml::in_quotes(group)));
    }
  }

  void check_passive_joint(const Element& e) {
    reader_.allow_attributes(e, {"name"});
    reader_.refuse_content(e);
    knows_joint(reader_.name(e, "name"));
  }

  xml::Reader reader_;
  const RobotModel& robot_;
  Srdf srdf_;
  std::unordered_set<std::string> links_, groups_, unknown_;
  std::unordered_map<std::string, std::string> joints_;  // name to type, virtual ones too
  std::set<std::pair<std::string, std::string>> states_;
  std::vector<std::string> unknown_order_;
};

}  // namespace

Srdf parse_srdf(std::string_view text, const std::string& name, const RobotModel& robot) {
  tinyxml2::XMLDocument document;
  xml::parse(text, name, document);
  return SrdfReader(name, robot).read(*document.RootElement());
}

Srdf read_srdf(const std::filesystem::path& file, const RobotModel& robot) {
  return parse_srdf(xml::read_file(file), file.string(), robot);
}

}  // namespace keepclear
