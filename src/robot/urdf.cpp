// SPDX-License-Identifier: BSD-3-Clause
#include "robot/urdf.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "keepclear/error.hpp"
#include "robot/urdf_elements.hpp"

namespace keepclear {
namespace {

using xml::Element;
using xml::Names;

const Names kLinkChildren{"inertial", "visual", "collision"};
const Names kLinkExtensions{
    "contact", "self_collision_checking", "self_filter", "sensor", "gazebo", "audio_source"};
const Names kJointChildren{"origin",   "parent",      "child",
                           "axis",     "limit",       "mimic",
                           "dynamics", "calibration", "safety_controller"};
const Names kJointExtensions{"controller_gains", "joint_properties", "hardwareInterface"};
const Names kCollisionChildren{"origin", "geometry", "material"};
const Names kCollisionExtensions{"surface", "verbose", "contact_coefficients", "bounce"};
const Names kShapes{"box", "sphere", "cylinder", "capsule", "mesh"};
const Names kTypes{"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
constexpr std::size_t kMostNotes = 200;

/// The names of one kind of thing, with the lines where they were given.
class Register {
 public:
  Register(const xml::Reader& reader, const char* kind) : reader_(reader), kind_(kind) {}

  void add(const std::string& name, int index, int line) {
    const auto [entry, fresh] = entries_.try_emplace(name, index, line);
    if (!fresh) {
      reader_.fail(line, fmt::format("a second {} {} (the first is in line {})", kind_,
                                     xml::in_quotes(name), entry->second.second));
    }
  }
  int find(const std::string& name) const {
    const auto entry = entries_.find(name);
    return entry == entries_.end() ? -1 : entry->second.first;
  }

 private:
  const xml::Reader& reader_;
  const char* kind_;
  std::unordered_map<std::string, std::pair<int, int>> entries_;  // index, line
};

class UrdfReader {
 public:
  UrdfReader(const std::string& file, const PackagePaths& packages, std::filesystem::path base,
             bool lenient)
      : reader_(file, lenient),
        packages_(packages),
        base_(std::move(base)),
        links_(reader_, "link"),
        joints_(reader_, "joint") {
    robot_.file = file;
  }

  RobotModel read(const Element& root) {
    if (std::string_view(root.Name()) != "robot") {
      reader_.fail(root, fmt::format("the root element is {}, not <robot>", xml::tag(root)),
                   "a URDF is expected");
    }
    reader_.allow_attributes(root, {"name", "version", "path"});
    robot_.name = reader_.name(root, "name");
    reader_.refuse_text(root);
    for (auto* e = root.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string_view name = e->Name();
      if (name == "link") {
        read_link(*e);
      } else if (name == "joint") {
        read_joint(*e);
      } else if (name != "material") {
        pass_over_beside(reader_, *e);
      }
    }
    join();
    resolve_mimics();
    robot_.build_tree();
    const auto ignored = reader_.notes();
    robot_.notes.insert(robot_.notes.end(), ignored.begin(), ignored.end());
    return std::move(robot_);
  }

 private:
  /// A reader for what is seen and not checked: its notes are nobody's, a file that is not found
  /// is a fault to be told, and everything else that it does not understand it throws.
  UrdfReader(const UrdfReader& of, std::vector<std::string>& faults)
      : UrdfReader(of.reader_.file(), of.packages_, of.base_, false) {
    faults_ = &faults;
  }

  /// What the text says of a joint's ends, until all names are known.
  struct Ends {
    const Element *parent, *child, *mimic;
  };

  template <typename... Args>
  void note(int line, fmt::format_string<Args...> format, Args&&... args) {
    if (robot_.notes.size() > kMostNotes) return;
    if (robot_.notes.size() == kMostNotes) {
      robot_.notes.push_back(fmt::format("line {}: more such notes are left out", line));
      return;
    }
    robot_.notes.push_back(
        fmt::format("line {}: {}", line, fmt::format(format, std::forward<Args>(args)...)));
  }

  void read_link(const Element& e) {
    if (robot_.links.size() >= kMaxLinks) {
      reader_.fail(e, fmt::format("too many links: the limit is {}", kMaxLinks));
    }
    reader_.allow_attributes(e, {"name", "type"});
    reader_.refuse_text(e);
    Link link;
    link.name = reader_.name(e, "name");
    link.line = e.GetLineNum();
    links_.add(link.name, static_cast<int>(robot_.links.size()), link.line);
    for (auto* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      if (std::string_view(child->Name()) == "collision") {
        link.collisions.push_back(read_collision(*child));
      } else {
        pass_over_child(reader_, *child, kLinkChildren, kLinkExtensions);
        if (std::string_view(child->Name()) == "visual") read_visual(*child, link);
      }
    }
    robot_.links.push_back(std::move(link));
  }

  /// Nothing about it can make a robot fail that is fine without it.
  void read_visual(const Element& e, Link& link) {
    std::vector<std::string> faults;
    try {
      link.visuals.push_back(UrdfReader(*this, faults).read_collision(e));
    } catch (const Error& error) {
      faults.emplace_back(error.what());
    }
    for (std::string& fault : faults) {
      // Beyond the limit a link keeps the word that it has faults: what is left out of it counts.
      if (visual_faults_++ >= kMostNotes) {
        if (!link.visual_faults.empty()) return;
        fault = "visual geometry that is not understood";
      }
      link.visual_faults.push_back(std::move(fault));
    }
  }

  Collision read_collision(const Element& e) {
    reader_.allow_attributes(e, {"name", "group"});
    reader_.refuse_text(e);
    Collision collision;
    collision.name = reader_.optional_name(e, "name");
    collision.line = e.GetLineNum();
    for (auto* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      pass_over_child(reader_, *child, kCollisionChildren, kCollisionExtensions);
    }
    const auto* geometry = reader_.only_child(e, "geometry");
    if (geometry == nullptr) reader_.fail(e, fmt::format("{} has no <geometry>", xml::tag(e)));
    collision.geometry = read_geometry(*geometry);
    collision.origin = read_origin(reader_.only_child(e, "origin"));
    return collision;
  }

  Geometry read_geometry(const Element& e) {
    reader_.allow_attributes(e, {"name"});
    reader_.refuse_text(e);
    const Element* shape = nullptr;
    for (auto* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view name = child->Name();
      if (name == "drake:declare_convex") {
        reader_.ignore(*child, "<geometry>");
        continue;
      }
      if (!xml::holds(kShapes, name) && name != "drake:capsule")
        reader_.unknown_child(*child, kShapes);
      if (shape != nullptr) {
        reader_.fail(*child,
                     fmt::format("two shapes in one <geometry>: {} and {}", xml::tag(*shape),
                                 xml::tag(*child)),
                     fmt::format("write a <{}> for each", e.Parent()->Value()));
      }
      shape = child;
    }
    if (shape == nullptr) reader_.fail(e, "<geometry> has no shape");
    return read_shape(*shape);
  }

  Geometry read_shape(const Element& e) {
    // A mesh may hold drake:declare_convex; nothing else is known inside a shape.
    for (auto* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      if (std::string_view(child->Name()) != "drake:declare_convex")
        reader_.unknown_child(*child, {});
      reader_.ignore(*child, fmt::format("<{}>", e.Name()));
    }
    reader_.refuse_text(e);
    const std::string_view name = e.Name();
    Geometry shape;
    if (name == "box") {
      reader_.allow_attributes(e, {"size"});
      const auto size = reader_.optional_vec3(e, "size");
      if (!size) reader_.fail(e, "<box> has no 'size'");
      for (int i = 0; i < 3; ++i) check_size(e, "size", (*size)[i]);
      shape.kind = Geometry::Kind::box;
      shape.size = *size;
    } else if (name == "mesh") {
      read_mesh(e, shape);
    } else {
      reader_.allow_attributes(e, name == "sphere" ? Names{"radius"} : Names{"radius", "length"});
      shape.kind = name == "sphere"     ? Geometry::Kind::sphere
                   : name == "cylinder" ? Geometry::Kind::cylinder
                                        : Geometry::Kind::capsule;
      shape.radius = reader_.number(e, "radius");
      if (name == "sphere" && shape.radius == 0) {
        // A point: public models mark contact points so.
        note(e.GetLineNum(), "<sphere> with 'radius' 0 is a point");
        return shape;
      }
      check_size(e, "radius", shape.radius);
      if (name != "sphere") {
        shape.length = reader_.number(e, "length");
        check_size(e, "length", shape.length);
      }
    }
    return shape;
  }

  void read_mesh(const Element& e, Geometry& shape) {
    reader_.allow_attributes(e, {"filename", "scale"});
    shape.kind = Geometry::Kind::mesh;
    shape.uri = reader_.name(e, "filename");
    if (e.FindAttribute("scale") != nullptr) {
      const auto scale = reader_.numbers(e, "scale");
      if (scale.size() != 1 && scale.size() != 3) {
        reader_.fail(
            e, fmt::format("'scale' of <mesh> wants one or three numbers, not {}", scale.size()));
      }
      for (const double s : scale) {
        if (s == 0 || std::abs(s) > kMaxMetres || !std::isnormal(s)) {
          reader_.fail(e, fmt::format("'scale' of <mesh> is {}", s),
                       "it must be neither zero nor huge; a negative one mirrors");
        }
      }
      shape.scale = scale.size() == 1 ? Vec3{scale[0], scale[0], scale[0]}
                                      : Vec3{scale[0], scale[1], scale[2]};
    }
    if (!packages_.look_on_disk) return;
    try {
      shape.file = resolve_mesh(shape.uri, packages_, base_, reader_.file(), e.GetLineNum());
    } catch (const Error& error) {
      if (faults_ == nullptr) throw;
      const bool missing = error.kind() == Error::Kind::missing;  // in many places, and all named
      faults_->emplace_back(missing
                                ? Error(error.kind(), reader_.file(), e.GetLineNum(),
                                        fmt::format("mesh {} not found", xml::in_quotes(shape.uri)))
                                      .what()
                                : error.what());
    }
  }

  void check_size(const Element& e, const char* attribute, double value) {
    if (!(value > 0)) {
      reader_.fail(
          e, fmt::format("'{}' of {} is {}: a size is positive", attribute, xml::tag(e), value));
    }
    if (value > kMaxMetres) {
      reader_.fail(e, fmt::format("'{}' of {} is {} m: the limit is {} m", attribute, xml::tag(e),
                                  value, kMaxMetres));
    }
    if (value > 10) {
      note(e.GetLineNum(), "'{}' of {} is {} m: are these millimetres?", attribute, xml::tag(e),
           value);
    }
  }

  Origin read_origin(const Element* e) {
    Origin origin;
    if (e == nullptr) return origin;
    reader_.allow_attributes(*e, {"xyz", "rpy"});
    reader_.refuse_content(*e);
    origin.xyz = reader_.optional_vec3(*e, "xyz").value_or(Vec3{});
    origin.rpy = reader_.optional_vec3(*e, "rpy").value_or(Vec3{});
    for (int i = 0; i < 3; ++i) {
      if (std::abs(origin.xyz[i]) > kMaxMetres) {
        reader_.fail(*e, fmt::format("'xyz' of <origin> holds {} m: the limit is {} m",
                                     origin.xyz[i], kMaxMetres));
      }
      if (std::abs(origin.rpy[i]) > kMaxRpy) {
        reader_.fail(*e, fmt::format("'rpy' of <origin> holds {}: the limit is {} rad",
                                     origin.rpy[i], kMaxRpy));
      }
      if (std::abs(origin.rpy[i]) > 6.3) {
        note(e->GetLineNum(), "'rpy' of <origin> holds {}: more than a turn; are these degrees?",
             origin.rpy[i]);
      }
    }
    return origin;
  }

  void read_joint(const Element& e) {
    reader_.allow_attributes(e, {"name", "type"});
    reader_.refuse_text(e);
    Joint joint;
    joint.name = reader_.name(e, "name");
    joint.line = e.GetLineNum();
    if (robot_.joints.size() >= kMaxLinks) {
      reader_.fail(e, fmt::format("too many joints: the limit is {}", kMaxLinks));
    }
    joints_.add(joint.name, static_cast<int>(robot_.joints.size()), joint.line);
    joint.type = read_type(e);
    for (auto* child = e.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      pass_over_child(reader_, *child, kJointChildren, kJointExtensions);
    }
    joint.origin = read_origin(reader_.only_child(e, "origin"));
    read_axis(reader_.only_child(e, "axis"), joint);
    read_limit(e, reader_.only_child(e, "limit"), joint);
    const Ends ends{required_child(e, "parent"), required_child(e, "child"),
                    reader_.only_child(e, "mimic")};
    ends_.push_back(ends);
    robot_.joints.push_back(std::move(joint));
  }

  const Element* required_child(const Element& e, const char* name) const {
    const auto* child = reader_.only_child(e, name);
    if (child == nullptr) reader_.fail(e, fmt::format("<joint> has no <{}>", name));
    reader_.allow_attributes(*child, {"link"});
    reader_.refuse_content(*child);
    return child;
  }

  JointType read_type(const Element& e) const {
    const auto type = reader_.name(e, "type");
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      if (type == kTypes[i]) return static_cast<JointType>(i);
    }
    reader_.fail(e, fmt::format("unknown joint type {}", xml::in_quotes(type)),
                 xml::did_you_mean(type, kTypes));
  }

  void read_axis(const Element* e, Joint& joint) {
    if (e == nullptr) return;
    reader_.allow_attributes(*e, {"xyz"});
    reader_.refuse_content(*e);
    const auto axis = reader_.optional_vec3(*e, "xyz");
    if (!axis) reader_.fail(*e, "<axis> has no 'xyz'");
    // Public files are full of zero axes at fixed joints.
    if (joint.type == JointType::fixed || joint.type == JointType::floating) return;
    const double length = std::hypot(axis->x, axis->y, axis->z);
    if (!(length >= 1e-6 && length <= 1e6)) {
      reader_.fail(*e, fmt::format("the axis ({}, {}, {}) is no direction: its length is {}",
                                   axis->x, axis->y, axis->z, length));
    }
    if (std::abs(length - 1) > 1e-3) {
      note(e->GetLineNum(), "the axis has length {}: its direction is used", length);
    }
    joint.axis = *axis;
  }

  void read_limit(const Element& at, const Element* e, Joint& joint) {
    const bool needed = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    if (e == nullptr) {
      if (needed) {
        reader_.fail(at, fmt::format("a {} joint needs <limit lower upper>", to_string(joint.type)),
                     joint.type == JointType::revolute ? "without limits it is 'continuous'" : "");
      }
      return;
    }
    reader_.allow_attributes(
        *e, {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"});
    reader_.refuse_content(*e);
    const auto lower = reader_.optional_number(*e, "lower");
    const auto upper = reader_.optional_number(*e, "upper");
    if (const auto velocity = reader_.optional_number(*e, "velocity")) {
      if (*velocity < 0) {
        reader_.fail(*e, fmt::format("'velocity' of <limit> is {}: it is a speed", *velocity));
      }
      joint.velocity = *velocity;
    }
    if (!needed) {
      if ((lower || upper) && joint.type != JointType::fixed && !(lower == upper)) {
        note(e->GetLineNum(), "the limits of the {} joint {} are not used", to_string(joint.type),
             xml::in_quotes(joint.name));
      }
      return;
    }
    if (!lower || !upper) {
      reader_.fail(*e, fmt::format("<limit> has no '{}'", lower ? "upper" : "lower"),
                   "others read 0 there; if that is meant, write it");
    }
    const double most = joint.type == JointType::revolute ? kMaxRadians : kMaxMetres;
    if (*lower > *upper) {
      reader_.fail(*e, fmt::format("lower limit {} above upper limit {}", *lower, *upper));
    }
    if (*lower < -most || *upper > most) {
      reader_.fail(*e, fmt::format("limits {} to {} are beyond {}", *lower, *upper, most),
                   joint.type == JointType::revolute ? "without limits it is 'continuous'" : "");
    }
    if (*lower == *upper) {
      note(e->GetLineNum(), "joint {} cannot move: both limits are {}", xml::in_quotes(joint.name),
           *lower);
    }
    joint.lower = *lower;
    joint.upper = *upper;
  }

  int link_of(const Element& e) const {
    const auto name = reader_.name(e, "link");
    const int index = links_.find(name);
    if (index < 0)
      reader_.fail(e, fmt::format("unknown link {}", xml::in_quotes(name)), hint_for(name));
    return index;
  }

  std::string hint_for(const std::string& link) const {
    Names names;
    for (const auto& each : robot_.links) names.push_back(each.name);
    return xml::did_you_mean(link, names);
  }

  void join() {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      robot_.joints[i].parent = link_of(*ends_[i].parent);
      robot_.joints[i].child = link_of(*ends_[i].child);
    }
  }

  static bool has_one_value(JointType type) {
    return type == JointType::revolute || type == JointType::continuous ||
           type == JointType::prismatic;
  }

  void resolve_mimics() {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (ends_[i].mimic != nullptr) read_mimic(*ends_[i].mimic, robot_.joints[i]);
    }
    // Colours: 0 unseen, 1 on the way, 2 known to end. Each joint has one successor.
    std::vector<char> colour(robot_.joints.size(), 0);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      std::vector<int> way;
      int at = static_cast<int>(i);
      while (at >= 0 && colour[at] == 0) {
        colour[at] = 1;
        way.push_back(at);
        at = robot_.joints[at].mimic ? robot_.joints[at].mimic->joint : -1;
      }
      if (at >= 0 && colour[at] == 1) {
        const auto& joint = robot_.joints[at];
        reader_.fail(*ends_[at].mimic, fmt::format("the mimic of joint {} ends at the joint itself",
                                                   xml::in_quotes(joint.name)));
      }
      for (const int joint : way) colour[joint] = 2;
    }
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      int masters = 0;
      for (int at = static_cast<int>(i); robot_.joints[at].mimic && masters <= kMaxMimicChain;) {
        at = robot_.joints[at].mimic->joint;
        ++masters;
      }
      if (masters > kMaxMimicChain) {
        reader_.fail(
            *ends_[i].mimic,
            fmt::format("joint {} mimics a joint that mimics another, and so on, more "
                        "than {} times: the limit is {}",
                        xml::in_quotes(robot_.joints[i].name), kMaxMimicChain, kMaxMimicChain),
            "let them mimic the last of these joints itself");
      }
    }
  }

  void read_mimic(const Element& e, Joint& joint) {
    reader_.allow_attributes(e, {"joint", "multiplier", "offset"});
    reader_.refuse_content(e);
    const auto name = reader_.name(e, "joint");
    Mimic mimic;
    mimic.joint = joints_.find(name);
    mimic.multiplier = reader_.optional_number(e, "multiplier").value_or(1);
    mimic.offset = reader_.optional_number(e, "offset").value_or(0);
    if (mimic.joint < 0)
      reader_.fail(e, fmt::format("mimic of unknown joint {}", xml::in_quotes(name)));
    if (std::max(std::abs(mimic.multiplier), std::abs(mimic.offset)) > kMaxRadians) {
      reader_.fail(e, fmt::format("mimic with multiplier {} and offset {}: the limit is {}",
                                  mimic.multiplier, mimic.offset, kMaxRadians));
    }
    if (joint.type == JointType::fixed) {
      note(e.GetLineNum(), "the mimic of joint {} is not used: the joint is fixed",
           xml::in_quotes(joint.name));
      return;
    }
    const auto& target = robot_.joints[mimic.joint];
    for (const auto* each : {static_cast<const Joint*>(&joint), &target}) {
      if (!has_one_value(each->type)) {
        reader_.fail(e, fmt::format("mimic between '{}' and '{}': a {} joint has no single value",
                                    joint.name, target.name, to_string(each->type)));
      }
    }
    joint.mimic = mimic;
  }

  xml::Reader reader_;
  const PackagePaths& packages_;
  std::filesystem::path base_;
  RobotModel robot_;
  Register links_, joints_;
  std::vector<Ends> ends_;  // one a joint
  std::vector<std::string>* faults_ = nullptr;
  std::size_t visual_faults_ = 0;
};

}  // namespace

RobotModel parse_urdf(std::string_view text, const std::string& name, const PackagePaths& packages,
                      const std::filesystem::path& base, bool lenient) {
  tinyxml2::XMLDocument document;
  xml::parse(text, name, document);
  return UrdfReader(name, packages, base, lenient).read(*document.RootElement());
}

RobotModel read_urdf(const std::filesystem::path& file, const PackagePaths& packages,
                     bool lenient) {
  const auto text = xml::read_file(file);
  return parse_urdf(text, file.string(), packages, file.parent_path(), lenient);
}

}  // namespace keepclear
