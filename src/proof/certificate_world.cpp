// SPDX-License-Identifier: BSD-3-Clause
#include "proof/certificate_world.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace keepclear {
namespace {

/// Chains of joints that follow others, from the joint that leads inwards.
void write_follow(CertificateText& text, const RobotModel& model, const Joint& joint) {
  std::vector<std::pair<double, double>> steps;
  for (const Joint* at = &joint; at->mimic; at = &model.joints[at->mimic->joint]) {
    steps.insert(steps.begin(), {at->mimic->multiplier, at->mimic->offset});
  }
  for (const auto& [multiplier, offset] : steps) text.number(multiplier).number(offset);
}

const Joint& leader_of(const RobotModel& model, const Joint& joint) {
  const Joint* at = &joint;
  while (at->mimic) at = &model.joints[at->mimic->joint];
  return *at;
}

/// A vector that is not along the axis, by which the two directions of a planar joint are told: the
/// choice that Kinematics makes.
Vec3 beside(Vec3 axis) {
  const Vec3 a = rounding::unit_axis(axis).a;
  const double ax = std::fabs(a.x), ay = std::fabs(a.y), az = std::fabs(a.z);
  if (az >= ax && az >= ay) return {1, 0, 0};
  return ax >= ay ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
}

}  // namespace

std::vector<int> write_tree(CertificateText& text, const WorldData& world) {
  const RobotModel& model = *world.model;
  const auto variables = world.kinematics.variables();
  for (const Variable& variable : variables) {
    text.line("number").name(variable.name).number(variable.lower).number(variable.upper);
  }
  const auto number_of = [&](const Joint& joint) {
    const std::string& name = leader_of(model, joint).name;
    const auto found =
        std::ranges::find_if(variables, [&](const Variable& v) { return v.joint == name; });
    return static_cast<std::size_t>(found - variables.begin());
  };
  std::vector<int> index(model.links.size(), -1);
  int next = 0;
  index[model.root] = next++;
  text.line("link").name(model.links[model.root].name);
  for (const int j : model.depth_first_joints()) {
    const Joint& joint = model.joints[j];
    index[joint.child] = next++;
    text.line("link").name(model.links[joint.child].name).index(index[joint.parent]);
    switch (joint.type) {
      case JointType::fixed:
        text.word("fixed").place(joint.origin);
        break;
      case JointType::revolute:
      case JointType::continuous:
      case JointType::prismatic:
        text.word(joint.type == JointType::prismatic ? "slide" : "hinge").place(joint.origin);
        text.numbers(joint.axis).index(number_of(joint));
        write_follow(text, model, joint);
        break;
      case JointType::planar:
        text.word("planar").place(joint.origin).numbers(joint.axis).numbers(beside(joint.axis));
        text.index(number_of(joint));
        break;
      case JointType::floating:
        text.word("floating").place(joint.origin).index(number_of(joint));
        break;
    }
  }
  return index;
}

void CertificateWorld::count() {
  solid_.assign(data_.solids.size(), -1);
  bodies_.assign(data_.solids.size(), {0, 0});
  for (int b = 0; b < static_cast<int>(data_.bodies.size()); ++b) {
    auto& [first, last] = bodies_[data_.bodies[b].solid];
    if (last == 0) first = b;
    last = b + 1;
    solid_[data_.bodies[b].solid] = 0;
  }
  for (const PlacedObject& object : data_.environment.objects) {
    if (object.first < object.last) solid_[object.solid] = 0;
  }
  int next = 0;
  for (int& solid : solid_) {
    if (solid == 0) solid = next++;
  }
}

void CertificateWorld::set_still_margin(std::uint64_t key, double margin) {
  const auto a = static_cast<int>(key >> 32), b = static_cast<int>(key & 0xffffffffu);
  // The object comes after all links; what is carried is a link here.
  if (b >= static_cast<int>(solid_.size()) || bodies_[b].second != 0 || solid_[b] < 0) return;
  if (solid_[a] < 0 || !data_.moves(a) || bodies_[a].second == 0) return;
  if (data_.rules.may_touch(a, b)) return;
  still_margins_.emplace_back(key, margin);
}

void CertificateWorld::finish() {
  std::ranges::sort(still_margins_);
  std::ranges::sort(checked_, {}, [](const Pair& p) { return PairRules::key(p.a, p.b); });
  for (Pair& pair : checked_) {
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
    margin_hi_ = std::max(margin_hi_, pair.margin);
  }
  margin_hi_ = std::max(margin_hi_, margin_);
  for (const auto& [key, margin] : still_margins_) margin_hi_ = std::max(margin_hi_, margin);
}

double CertificateWorld::still_margin(int solid, int object) const {
  if (still_margins_.empty()) return margin_;
  const std::uint64_t key = PairRules::key(solid, object);
  const auto found =
      std::ranges::lower_bound(still_margins_, key, {}, &std::pair<std::uint64_t, double>::first);
  return found != still_margins_.end() && found->first == key ? found->second : margin_;
}

int CertificateWorld::root_of_robot(int robot) const {
  const RobotModel& model = *data_.model;
  if (!data_.is_scene) return 0;
  int index = 0, seen = -1;
  for (const int j : model.depth_first_joints()) {
    ++index;
    if (model.joints[j].parent == model.root && ++seen == robot) return index;
  }
  return 0;
}

void CertificateWorld::write(CertificateText& text) const {
  const RobotModel& model = *data_.model;
  const std::vector<int> link_index = write_tree(text, data_);
  std::vector<int> frame_link(static_cast<std::size_t>(data_.kinematics.frame_count()), 0);
  int frame = 0;
  for (const int j : model.depth_first_joints()) {
    const Joint& joint = model.joints[j];
    if (joint.type != JointType::fixed) frame_link[++frame] = link_index[joint.child];
  }
  auto next = model.links.size();
  const Environment& env = data_.environment;
  std::vector<std::size_t> object_link;
  for (const PlacedObject& object : env.objects) {
    if (object.first == object.last) {
      object_link.push_back(0);
      continue;
    }
    text.line("link").name(data_.solids[object.solid].name).index(0).word("fixed");
    text.place(object.pose);
    object_link.push_back(next++);
  }
  std::vector<std::size_t> solid_link(data_.solids.size(), 0);
  for (const WorldBody& body : data_.bodies) solid_link[body.solid] = link_index[body.link];
  for (std::size_t o = 0; o < env.objects.size(); ++o) {
    solid_link[env.objects[o].solid] = object_link[o];
  }
  for (std::size_t s = 0; s < data_.solids.size(); ++s) {
    if (solid_[s] < 0) continue;
    text.line("solid").name(data_.solids[s].name);
    text.word(data_.solids[s].is_object ? "object" : "link").index(solid_link[s]);
  }
  const auto hull = [&](int solid, std::size_t link, const Volume& volume) {
    text.line("hull").index(solid).index(link).number(volume.radius);
    for (std::size_t i = 0; i < volume.count; ++i) text.numbers(volume.point(i));
  };
  for (const WorldBody& body : data_.bodies) {
    hull(solid_[body.solid], frame_link[body.frame], body.body.volume());
  }
  for (std::size_t o = 0; o < env.objects.size(); ++o) {
    const int solid = solid_[env.objects[o].solid];
    for (std::uint32_t p = env.objects[o].first; p < env.objects[o].last; ++p) {
      const Piece& piece = env.pieces[p];
      switch (piece.kind) {
        case PieceKind::body:
          hull(solid, object_link[o], env.bodies[piece.index].volume());
          break;
        case PieceKind::ball: {
          const Ball& ball = env.balls[piece.index];
          text.line("hull").index(solid).index(object_link[o]).number(ball.radius);
          text.numbers(ball.centre);
          break;
        }
        case PieceKind::box: {
          const BoxPiece& box = env.boxes[piece.index];
          text.line("box").index(solid).index(object_link[o]).numbers(box.centre).numbers(box.half);
          break;
        }
        case PieceKind::half_space: {
          const HalfSpace& plane = env.half_spaces[piece.index];
          text.line("plane").index(solid).index(object_link[o]).numbers(plane.n);
          text.number(plane.offset);
          break;
        }
      }
    }
  }
  text.line("margin").number(margin_);
  std::map<std::pair<int, int>, double> margins;
  for (const Pair& pair : checked_) {
    if (pair.margin != margin_) margins[{solid_[pair.a], solid_[pair.b]}] = pair.margin;
  }
  for (const auto& [key, margin] : still_margins_) {
    if (margin == margin_) continue;
    margins[{solid_[key >> 32], solid_[key & 0xffffffffu]}] = margin;
  }
  for (const auto& [pair, margin] : margins) {
    text.line("margin").index(pair.first).index(pair.second).number(margin);
  }
  // What is left out: every pair with a joint between that is not checked.
  std::map<std::pair<std::string, std::string>, const LeftOutPair*> reasons;
  for (const LeftOutPair& pair : data_.left_out) {
    reasons[{std::min(pair.a, pair.b), std::max(pair.a, pair.b)}] = &pair;
  }
  std::set<std::uint64_t> claimed;
  for (const Pair& pair : checked_) claimed.insert(PairRules::key(pair.a, pair.b));
  const auto skip = [&](int a, int b, const char* otherwise) {
    const std::string &name_a = data_.solids[a].name, &name_b = data_.solids[b].name;
    const auto found = reasons.find({std::min(name_a, name_b), std::max(name_a, name_b)});
    text.line("skip").index(solid_[a]).index(solid_[b]);
    if (found == reasons.end()) {
      text.name(otherwise).name("");
    } else {
      text.name(to_string(found->second->why)).name(found->second->reason);
    }
  };
  for (int a = 0; a < static_cast<int>(solid_.size()); ++a) {
    if (bodies_[a].second == 0) continue;
    const int frame_a = data_.bodies[bodies_[a].first].frame;
    for (int b = a + 1; b < static_cast<int>(solid_.size()); ++b) {
      if (solid_[b] < 0) continue;
      if (bodies_[b].second == 0) {
        if (frame_a != 0 && data_.rules.may_touch(a, b)) skip(a, b, "allowed");
        continue;
      }
      if (data_.bodies[bodies_[b].first].frame == frame_a) continue;
      if (!claimed.contains(PairRules::key(a, b))) skip(a, b, "left out");
    }
  }
}

void CertificateWorld::write_off(CertificateText& text, const std::vector<LooseBase>& loose,
                                 double stray) const {
  for (const LooseBase& base : loose) {
    text.line("loose").index(base.link).number(base.metres).number(base.radians);
  }
  if (stray > 0) text.line("stray").number(stray);
}

}  // namespace keepclear
