// SPDX-License-Identifier: BSD-3-Clause
//
// The same world said in another way: other names, another order of objects, robots, links and
// joints, everything moved rigidly, pairs the other way round, an object twice. And the same
// question asked in another way: a motion backwards, with waypoints twice, of no length, in parts;
// a box of no width. The answers must not contradict each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "keepclear/keepclear.hpp"
#include "oracle/mobile_worlds.hpp"

namespace keepclear::test {

struct SameTally {
  std::size_t worlds = 0, variants = 0, questions = 0, free = 0, contact = 0, undecided = 0;
  std::size_t wrong = 0;
  std::vector<std::string> messages;
};

/// A scene said in another way, and what its names are called there.
struct Variant {
  std::string what;
  Scene scene;
  std::map<std::string, std::string> robots{};  ///< new names of robots, where they have one
  double moved = 0;                             ///< metres: how far everything was moved
};

/// The file of a robot, its links in the opposite order, and the joints too.
inline std::string reordered(const std::string& urdf) {
  static const std::regex element(
      R"(<link name="[^"]*"/>|<link name="[^"]*">[\s\S]*?</link>|<joint [\s\S]*?</joint>)");
  std::vector<std::string> parts;
  for (std::sregex_iterator it(urdf.begin(), urdf.end(), element), end; it != end; ++it) {
    parts.push_back(it->str());
  }
  std::string text = urdf.substr(0, urdf.find("<link"));
  for (std::size_t i = parts.size(); i-- > 0;) text += parts[i] + "\n<!-- -->";
  return text + "</robot>";
}

class SameWorld {
 public:
  SameWorld(std::uint64_t seed, SameTally& tally)
      : dice_(seed * 7919 + 11), folder_(seed), tally_(tally) {
    load_.allow_no_pairs = true;
    if (dice_.happens(0.5)) {
      oracle::RandomScene made = oracle::random_scene(dice_, folder_);
      scene_ = std::move(made.scene);
      load_.parts = made.load.parts;
    } else {
      scene_ = oracle::mobile_scene(dice_, folder_);
    }
    scene_.contacts.clear();
    seed_ = seed;
  }

  void judge() {
    const World world = compile(scene_, load_);
    if (world.dof() == 0) return;
    ++tally_.worlds;
    std::vector<std::vector<double>> poses;
    for (int k = 0; k < 6; ++k) poses.push_back(anywhere(world, k < 3 ? 0.4 : 1));
    for (const Variant& variant : variants()) {
      ++tally_.variants;
      same_answers(world, variant, poses);
    }
    same_questions(world, poses);
  }

 private:
  void blame(const std::string& what) {
    ++tally_.wrong;
    tally_.messages.push_back("seed " + std::to_string(seed_) + ": " + what);
  }
  Verdict count(Verdict verdict) {
    ++tally_.questions;
    ++(verdict == Verdict::free      ? tally_.free
       : verdict == Verdict::contact ? tally_.contact
                                     : tally_.undecided);
    return verdict;
  }
  static bool contradict(Verdict a, Verdict b) {
    return (a == Verdict::free && b == Verdict::contact) ||
           (a == Verdict::contact && b == Verdict::free);
  }

  std::vector<double> anywhere(const World& world, double share) {
    std::vector<double> q = world.neutral();
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Variable& v = world.variables()[i];
      if (v.name.ends_with("/rot_x")) {
        double size = 0;
        for (int k = 0; k < 4; ++k)
          q[i + k] += share * dice_.either_side(1), size += q[i + k] * q[i + k];
        for (int k = 0; k < 4; ++k) q[i + k] /= std::sqrt(size);
        i += 3;
        continue;
      }
      const double to = dice_.real(std::max(v.lower, -2.0), std::min(v.upper, 2.0));
      q[i] = std::clamp(q[i] + share * (to - q[i]), v.lower, v.upper);
    }
    return q;
  }

  std::vector<Variant> variants() {
    std::vector<Variant> all;
    all.push_back(renamed());
    all.push_back({"objects in another order", scene_, {}, 0});
    std::reverse(all.back().scene.objects.begin(), all.back().scene.objects.end());
    std::reverse(all.back().scene.attached.begin(), all.back().scene.attached.end());
    all.push_back({"robots in another order", scene_, {}, 0});
    std::reverse(all.back().scene.robots.begin(), all.back().scene.robots.end());
    all.push_back({"pairs the other way round", scene_, {}, 0});
    for (NamedPair& pair : all.back().scene.allow) std::swap(pair.a, pair.b);
    for (PairMargin& entry : all.back().scene.margins) std::swap(entry.pair.a, entry.pair.b);
    all.push_back({"links and joints in another order", scene_, {}, 0});
    for (SceneRobot& robot : all.back().scene.robots) {
      std::ifstream in(robot.urdf);
      std::stringstream text;
      text << in.rdbuf();
      robot.urdf = folder_.write("reordered_" + robot.name + ".urdf", reordered(text.str()));
    }
    all.push_back(moved());
    all.push_back(doubled());
    return all;
  }

  Variant renamed() {
    Variant variant{"other names", scene_, {}, 0};
    std::map<std::string, std::string> names;
    for (SceneRobot& robot : variant.scene.robots) {
      const std::string other = "z" + robot.name + "_";
      variant.robots[robot.name] = names[robot.name] = other;
      robot.name = other;
    }
    for (SceneObject& object : variant.scene.objects) {
      const std::string other = "a_" + object.name;
      names[object.name] = other;
      object.name = other;
    }
    const auto rename = [&](std::string& name) {
      const auto slash = name.find('/');
      const auto found = names.find(name.substr(0, slash));
      if (found != names.end()) {
        name = found->second + (slash == std::string::npos ? "" : name.substr(slash));
      }
    };
    for (NamedPair& pair : variant.scene.allow) rename(pair.a), rename(pair.b);
    for (PairMargin& entry : variant.scene.margins) rename(entry.pair.a), rename(entry.pair.b);
    for (Attachment& held : variant.scene.attached) {
      rename(held.object), rename(held.link);
      for (std::string& name : held.touch) rename(name);
    }
    return variant;
  }

  /// Everything moved rigidly: half a turn about z by other numbers, exactly, and some way.
  Variant moved() {
    Variant variant{"moved rigidly", scene_, {}, 0};
    const Vec3 by = dice_.vector(dice_.happens(0.5) ? 1 : 50);
    variant.moved = norm(by);
    const auto move = [&](Origin& origin) {
      // Turned by pi about z: the quaternion (0, 0, 1, 0) times that of the origin.
      const Quaternion r = quaternion_of(origin);
      origin.quaternion = Quaternion{-r.y, r.x, r.w, -r.z};
      origin.rpy = {};
      origin.xyz = Vec3{-origin.xyz.x, -origin.xyz.y, origin.xyz.z} + by;
    };
    for (SceneRobot& robot : variant.scene.robots) move(robot.base);
    for (SceneObject& object : variant.scene.objects) {
      const bool held = std::any_of(scene_.attached.begin(), scene_.attached.end(),
                                    [&](const Attachment& a) { return a.object == object.name; });
      if (!held) move(object.pose);
    }
    return variant;
  }
  static Quaternion quaternion_of(const Origin& origin) {
    if (origin.quaternion) return *origin.quaternion;
    const double a = origin.rpy.x / 2, b = origin.rpy.y / 2, c = origin.rpy.z / 2;
    const double sa = std::sin(a), ca = std::cos(a), sb = std::sin(b), cb = std::cos(b);
    const double sc = std::sin(c), cc = std::cos(c);
    return {sa * cb * cc - ca * sb * sc, ca * sb * cc + sa * cb * sc, ca * cb * sc - sa * sb * cc,
            ca * cb * cc + sa * sb * sc};
  }

  Variant doubled() {
    Variant variant{"an object twice, and one far away", scene_, {}, 0};
    SceneObject far;
    far.name = "far_away";
    far.shape.kind = Shape::Kind::sphere;
    far.shape.radius = 0.1;
    far.pose.xyz = {3000, 0, 0};
    for (const SceneObject& object : scene_.objects) {
      const auto names = [&](const std::string& name) { return name == object.name; };
      bool special = false;
      for (const NamedPair& pair : scene_.allow) special |= names(pair.a) || names(pair.b);
      for (const PairMargin& entry : scene_.margins)
        special |= names(entry.pair.a) || names(entry.pair.b);
      for (const Attachment& held : scene_.attached) special |= names(held.object);
      if (special) continue;
      variant.scene.objects.push_back(object);
      variant.scene.objects.back().name += "_again";
      break;
    }
    variant.scene.objects.push_back(far);
    return variant;
  }

  /// The numbers of a configuration in the order of a variant.
  static std::vector<double> carried(const World& from, const World& to, const Variant& variant,
                                     const std::vector<double>& q) {
    std::map<std::string, double> by_name;
    for (std::size_t i = 0; i < q.size(); ++i) {
      std::string name = from.variables()[i].name;
      const auto slash = name.find('/');
      const auto found = variant.robots.find(name.substr(0, slash));
      if (found != variant.robots.end()) name = found->second + name.substr(slash);
      by_name[name] = q[i];
    }
    std::vector<double> other;
    for (const Variable& v : to.variables()) other.push_back(by_name.at(v.name));
    return other;
  }

  void same_answers(const World& world, const Variant& variant,
                    const std::vector<std::vector<double>>& poses) {
    const World other = compile(variant.scene, load_);
    const double slack = 1e-9 * (1 + variant.moved);
    if (other.dof() != world.dof()) return blame(variant.what + ": another number of joints");
    DistanceQuery here(world), there(other);
    std::vector<std::vector<double>> mapped;
    for (const auto& q : poses) mapped.push_back(carried(world, other, variant, q));
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Nearest a = here(poses[k]), b = there(mapped[k]);
      if (contradict(count(a.verdict), b.verdict) ||
          (a.verdict == Verdict::free && !(std::abs(a.distance - b.distance) < slack) &&
           !(a.distance > 2000))) {
        blame(variant.what + ": distance " + std::to_string(a.distance) + " and " +
              std::to_string(b.distance));
      }
      for (const double margin : {0.0, 0.05}) {
        if (contradict(count(here.check(poses[k], margin).verdict),
                       there.check(mapped[k], margin).verdict) &&
            std::abs(a.distance - margin) > slack) {
          blame(variant.what + ": check says otherwise");
        }
      }
    }
    CertifyOptions options;
    options.budget = 20'000;
    const Certificate a = certify(world, line_path(poses[0], poses[1]), options);
    const Certificate b = certify(other, line_path(mapped[0], mapped[1]), options);
    if (contradict(count(a.verdict), b.verdict)) blame(variant.what + ": certify says otherwise");
    if (a.verdict == Verdict::free && a.clearance > b.distance + slack && b.distance < 2000) {
      blame(variant.what + ": a clearance of " + std::to_string(a.clearance) + ", seen at " +
            std::to_string(b.distance));
    }
    same_files(world, other, variant, poses, options, a.verdict);
  }

  /// The motion as a file whose columns stand in the order of the other world.
  void same_files(const World& world, const World& other, const Variant& variant,
                  const std::vector<std::vector<double>>& poses, const CertifyOptions& options,
                  Verdict said) {
    if (!variant.robots.empty()) return;
    std::string text = "time";
    for (const Variable& v : other.variables()) text += "," + v.name;
    for (int row = 0; row < 2; ++row) {
      text += "\n" + std::to_string(row);
      for (const double x : carried(world, other, variant, poses[static_cast<std::size_t>(row)])) {
        text += "," + oracle::number(x);
      }
    }
    const Path path = read_path(world, folder_.write("path.csv", text + "\n"));
    if (contradict(count(certify(world, path, options).verdict), said)) {
      blame(variant.what + ": a file with other columns says otherwise");
    }
  }

  void same_questions(const World& world, const std::vector<std::vector<double>>& poses) {
    CertifyOptions options;
    options.budget = 20'000;
    MotionQuery query(world, options);
    DistanceQuery distance(world);
    const auto& p = poses;
    const auto rows = [&](std::initializer_list<int> which) {
      std::vector<double> all;
      for (const int k : which) all.insert(all.end(), p[k].begin(), p[k].end());
      return all;
    };
    const Verdict line = count(query(line_path(p[0], p[1])).verdict);
    const std::vector<double> times{0, 1, 2, 3, 4, 5};
    const std::vector<double> still(4 * world.dof(), 0.0);
    const auto times_of = [&](std::size_t n) { return std::span(times).first(n); };
    const std::map<std::string, Path> same{
        {"backwards", line_path(p[1], p[0])},
        {"slower", retimed(line_path(p[0], p[1]), -3, 1e6)},
        {"with waypoints twice", straight_path(times_of(4), rows({0, 0, 1, 1}))},
        {"there and back", straight_path(times_of(3), rows({0, 1, 0}))},
        {"as a cubic",
         cubic_path(times_of(2), rows({0, 1}), std::span(still).first(2 * world.dof()))},
        {"in a tube of no width", with_tube(line_path(p[0], p[1]), std::vector(world.dof(), 0.0))},
        {"as a Bezier curve", bezier_path(world.dof(), rows({0, 1}), 0, 1)}};
    for (const auto& [name, path] : same) {
      if (contradict(count(query(path).verdict), line))
        blame("a motion " + name + " says otherwise");
    }
    if (contradict(count(query.connects(p[0], p[1])), line)) blame("connects says otherwise");
    for (const auto& q : p) {
      const Verdict pose = count(distance.check(q).verdict);
      const Nearest nearest = distance(q);
      const std::string at = ", the nearest " + std::to_string(nearest.distance);
      JointBox point;
      for (const double x : q) point.push_back({x, x});
      const std::map<std::string, Verdict> still_there{
          {"a motion of no length", count(query(line_path(q, q)).verdict)},
          {"connects of no length", count(query.connects(q, q))},
          {"a cubic that stands",
           count(query(cubic_path(times_of(2), twice(q), std::span(still).first(2 * q.size())))
                     .verdict)},
          {"waypoints that are all the same",
           count(query(straight_path(times_of(2), twice(q))).verdict)},
          {"a box of no width",
           count(prove_box(world, point, {.budget = 20'000, .threads = 1}).verdict)}};
      for (const auto& [name, verdict] : still_there) {
        if (contradict(verdict, pose)) blame(name + " says otherwise than the pose" + at);
        if (pose == Verdict::free && verdict != Verdict::free && nearest.distance > 0.1) {
          blame(name + " is not decided" + at);
        }
      }
      // Nothing keeps apart as far as that.
      for (const double margin : {1e4, 1e8, 1e300}) {
        if (world.pair_count() > 0 && distance.check(q, margin).verdict == Verdict::free) {
          blame("free with a margin of " + std::to_string(margin));
        }
      }
      for (const double margin : {5e-324, 1e-300}) {
        if (contradict(distance.check(q, margin).verdict, pose))
          blame("a margin of next to nothing");
      }
    }
  }
  static std::vector<double> twice(std::vector<double> q) {
    const std::size_t n = q.size();
    q.resize(2 * n);
    std::copy_n(q.begin(), n, q.begin() + static_cast<std::ptrdiff_t>(n));
    return q;
  }

  oracle::Dice dice_;
  oracle::ScratchFolder folder_;
  SameTally& tally_;
  Scene scene_;
  LoadOptions load_;
  std::uint64_t seed_ = 0;
};

}  // namespace keepclear::test
