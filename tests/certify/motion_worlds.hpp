// SPDX-License-Identifier: BSD-3-Clause
//
// Random motions of robots, and obstacles in their way or just beside it.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/scene.hpp"
#include "robot/kinematics.hpp"
#include "scene/world.hpp"

namespace keepclear::test {

/// From bits, so that the numbers are the same with every standard library.
inline double uniform(std::mt19937_64& random, double lower, double upper) {
  return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
}
template <typename T>
T one_of(std::mt19937_64& random, std::initializer_list<T> choices) {
  return choices.begin()[random() % choices.size()];
}

/// A robot alone. Pairs of links that overlap in a tenth of its poses may touch, and those that are
/// within 3 mm in half of them.
struct MotionRobot {
  Scene scene;
  World world;
};

inline MotionRobot motion_robot(Scene scene) {
  const World all = compile(scene, {.allow_no_pairs = true});
  DistanceQuery query(all);
  std::mt19937_64 random(1);
  constexpr int kPoses = 60;
  std::vector<int> touching(all.pairs().size(), 0), near(all.pairs().size(), 0);
  for (int k = 0; k < kPoses; ++k) {
    std::vector<double> q = all.neutral();
    const double share = uniform(random, 0, 1);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Variable& v = all.variables()[i];
      if (v.name.find("/rot_") != std::string::npos) continue;
      q[i] += share * (uniform(random, std::max(v.lower, -3.1), std::min(v.upper, 3.1)) - q[i]);
    }
    const std::span<const Nearest> nearest = query.all_pairs(q);
    for (std::size_t p = 0; p < nearest.size(); ++p) {
      touching[p] += !(nearest[p].lower_bound > 0);
      near[p] += !(nearest[p].lower_bound > 0.003);
    }
  }
  for (std::size_t p = 0; p < touching.size(); ++p) {
    const PairInfo& pair = all.pairs()[p];
    if (10 * touching[p] < kPoses && 2 * near[p] < kPoses && !pair.overlap_at_neutral) continue;
    scene.allow.push_back({all.solids()[static_cast<std::size_t>(pair.a)].name,
                           all.solids()[static_cast<std::size_t>(pair.b)].name, ""});
  }
  World world = compile(scene, {.allow_no_pairs = true});
  return {std::move(scene), std::move(world)};
}

/// A URDF file or the name of a built-in robot; `two_bench_arms`: two of them, face to face.
inline MotionRobot motion_robot(const std::string& name) {
  Scene scene;
  scene.name = std::filesystem::path(name).stem().string();
  const auto add = [&](const std::string& called, double x) {
    SceneRobot robot;
    robot.name = called;
    if (name.ends_with(".urdf")) {
      robot.urdf = name;
    } else {
      robot.builtin = name == "two_bench_arms" ? "bench_arm" : name;
    }
    robot.base.xyz.x = x;
    robot.base.rpy.z = x > 0 ? std::numbers::pi : 0;
    scene.robots.push_back(robot);
  };
  if (name == "two_bench_arms") {
    add("left", 0);
    add("right", 0.9);
  } else {
    add("", 0);
  }
  return motion_robot(std::move(scene));
}

struct Motion {
  std::string name;
  Path path;
  bool has_tube = false;
  std::vector<double> ends;     ///< of a single straight line: both, one after the other
  std::vector<double> times{};  ///< when something was put in its way, or beside it
};

/// Draws motions of one robot about one pose, and obstacles for them.
class MotionDraw {
 public:
  MotionDraw(const MotionRobot& robot, std::mt19937_64& random)
      : world_(robot.world),
        query_(world_),
        random_(random),
        moves_(world_.dof()),
        middle_(world_.neutral()) {
    const double share = one_of(random, {0.0, 0.02, 0.2, 1.0});
    const std::size_t few = std::max<std::size_t>(1, world_.dof() / 4);
    const bool all = random() % 2 == 0;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      moves_[i] = !is_quaternion(i) && (all || random() % world_.dof() < few);
    }
    if (std::find(moves_.begin(), moves_.end(), true) == moves_.end()) moves_[0] = true;
    for (int tries = 0; tries < 40; ++tries) {
      const std::vector<double> q = anywhere(world_.neutral(), share * (40 - tries) / 40);
      if (query_.check(q).verdict != Verdict::free) continue;
      middle_ = q;
      break;
    }
    reach_ = one_of(random, {0.02, 0.1, 0.3, 1.0});
  }

  /// Mostly one in which the robot seems to be clear of itself.
  Motion motion() {
    Motion drawn = any_motion();
    const bool anyhow = random_() % 8 == 0;
    for (int tries = 0; tries < 6 && !anyhow && !seems_clear(drawn.path); ++tries) {
      drawn = any_motion();
    }
    return drawn;
  }

  CertifyOptions options() {
    CertifyOptions options;
    options.ask =
        one_of(random_, {Ask::clearance, Ask::verdict, Ask::first_contact, Ask::all_intervals});
    options.method = one_of(random_, {Method::automatic, Method::automatic, Method::chord,
                                      Method::velocity, Method::sweep, Method::ball});
    options.deviation = random_() % 6 != 0 ? 0 : one_of(random_, {1e-5, 1e-3, 0.01});
    options.margin = random_() % 5 != 0 ? 0 : one_of(random_, {1e-4, 1e-3, 0.01, 0.05});
    options.budget = 100'000;
    return options;
  }

  /// Boxes and balls about the way, thin plates across it, or something that is passed at a known
  /// distance: then the tolerance may become one at which that matters, and this is true.
  bool add_objects(Motion& motion, CertifyOptions& options, Scene& scene) {
    const auto kind = random_() % 5;
    if (kind == 0) return false;
    if (kind == 1 || kind == 2) {
      const auto count = 1 + random_() % 4;
      for (std::uint64_t k = 0; k < count; ++k) {
        const Way way = point_on_way(motion.path, uniform(random_, 0, 1));
        motion.times.push_back(way.time);
        if (kind == 2) {
          add(scene, plate(way.at, way.velocity, uniform(random_, 0.02, 0.4), 1e-3));
          continue;
        }
        const Vec3 at = way.at + uniform(random_, 0, 0.4) * unit_vector();
        if (random_() % 2 == 0) {
          add(scene, ball(at, uniform(random_, 0.005, 0.1)));
        } else {
          add(scene,
              plate(at, unit_vector(), uniform(random_, 0.01, 0.3), uniform(random_, 0.01, 0.2)));
        }
      }
      return false;
    }
    const double gap = one_of(random_, {1e-4, 1e-6, 1e-4, 1e-6, 3e-3, -1e-4, -1e-6, -3e-3});
    const Vec3 n = unit_vector();
    const auto [surface, time] = farthest(motion.path, n);
    motion.times.push_back(time);
    const double apart = options.margin + gap;
    if (random_() % 2 == 0) {
      const double radius = one_of(random_, {0.01, 0.1});
      add(scene, ball(surface + (apart + radius) * n, radius));
    } else {
      const double thick = one_of(random_, {1e-3, 0.03});
      add(scene, plate(surface + (apart + 0.5 * thick) * n, n, 0.1, thick));
    }
    if (std::abs(gap) > 1e-5 && random_() % 2 == 0) options.tolerance = std::abs(gap) / 4;
    return true;
  }

 private:
  struct Way {
    Vec3 at, velocity;
    double time;
  };

  Motion any_motion() {
    switch (random_() % 9) {
      case 0:
      case 1:
        return tubed(edge("edge", waypoint(), waypoint()));
      case 2:
        return tubed(turning());
      case 3:
        return tubed({"straight lines", straight_path(times(4), rows(4)), false, {}});
      case 4:
        return tubed({"cubics", cubic_path(times(3), rows(3), rates(3, 1)), false, {}});
      case 5:
        return tubed(
            {"quintics", quintic_path(times(3), rows(3), rates(3, 1), rates(3, 4)), false, {}});
      case 6:
        return tubed({"bspline", bspline_path(world_.dof(), 3, knots(7, 3), rows(7)), false, {}});
      case 7:
        return tubed({"bezier", bezier_path(world_.dof(), rows(6), 1, 3), false, {}});
      default:
        break;
    }
    const std::vector<double> from = waypoint(), to = waypoint();
    const std::vector<double> speed(world_.dof(), 1.5), acceleration(world_.dof(), 4);
    const Path there = trapezoidal_path(from, to, speed, acceleration);
    const Path back = trapezoidal_path(to, waypoint(), speed, acceleration);
    const Path both[] = {there, retimed(back, 7, uniform(random_, 0.1, 3))};
    return tubed({"trapezoids", joined(both), false, {}});
  }

  bool seems_clear(const Path& path) {
    constexpr int kLooks = 10;
    for (int k = 0; k <= kLooks; ++k) {
      const double time = path.begin() + (path.end() - path.begin()) * k / kLooks;
      if (query_.check(path.position(time)).verdict != Verdict::free) return false;
    }
    return true;
  }

  bool is_quaternion(std::size_t i) const {
    return world_.variables()[i].name.find("/rot_") != std::string::npos;
  }

  std::vector<double> anywhere(std::vector<double> from, double share) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (is_quaternion(i)) continue;
      const Variable& v = world_.variables()[i];
      const double to = uniform(random_, std::max(v.lower, -3.1), std::min(v.upper, 3.1));
      from[i] += share * (to - from[i]);
    }
    return from;
  }

  std::vector<double> waypoint() {
    std::vector<double> q = anywhere(middle_, reach_);
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!moves_[i]) q[i] = middle_[i];
    }
    return q;
  }
  std::vector<double> rows(int count) {
    std::vector<double> all;
    for (int k = 0; k < count; ++k) {
      const std::vector<double> q = waypoint();
      all.insert(all.end(), q.begin(), q.end());
    }
    return all;
  }
  std::vector<double> times(int count) {
    std::vector<double> all{uniform(random_, -1, 1)};
    while (static_cast<int>(all.size()) < count) {
      all.push_back(all.back() + uniform(random_, 0.05, 1));
    }
    return all;
  }
  std::vector<double> rates(int count, double size) {
    std::vector<double> all;
    for (int k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < moves_.size(); ++i) {
        all.push_back(moves_[i] ? reach_ * size * uniform(random_, -1, 1) : 0);
      }
    }
    return all;
  }
  /// Clamped at both ends.
  std::vector<double> knots(int control, int degree) {
    std::vector<double> all(static_cast<std::size_t>(degree) + 1, 0);
    for (int k = degree + 1; k < control; ++k) all.push_back(all.back() + uniform(random_, 0.2, 1));
    const double end = all.back() + 1;
    all.insert(all.end(), static_cast<std::size_t>(degree) + 1, end);
    return all;
  }

  static Motion edge(const char* name, std::vector<double> from, const std::vector<double>& to) {
    Path path = line_path(from, to);
    from.insert(from.end(), to.begin(), to.end());
    return {name, std::move(path), false, std::move(from)};
  }

  /// Whole turns, of joints without limits if there are any.
  Motion turning() {
    std::vector<double> from = waypoint(), to = waypoint();
    bool turned = false;
    for (const bool limited : {false, true}) {
      for (std::size_t i = 0; i < to.size() && !(limited && turned); ++i) {
        const Variable& v = world_.variables()[i];
        if (!is_angle(v) || (v.type == "continuous") == limited) continue;
        to[i] += 2 * std::numbers::pi * one_of(random_, {-3.0, -1.0, 1.0, 2.0});
        turned = true;
      }
    }
    return edge("turns", std::move(from), to);
  }

  Motion tubed(Motion motion) {
    if (random_() % 4 != 0) return motion;
    const double size = one_of(random_, {1e-5, 1e-3, 0.01});
    std::vector<double> width;
    for (int row = 0; row < 2; ++row) {
      for (std::size_t i = 0; i < moves_.size(); ++i) {
        width.push_back(moves_[i] ? size * uniform(random_, 0, 1) : 0);
      }
    }
    if (random_() % 2 == 0) {
      motion.path = with_tube(motion.path, std::span(width).first(moves_.size()));
    } else {
      const double ends[] = {motion.path.begin(), motion.path.end()};
      motion.path = with_tube(motion.path, ends, width);
    }
    motion.has_tube = true;
    motion.name += " in a tube";
    return motion;
  }

  Vec3 unit_vector() {
    for (;;) {
      const double x = uniform(random_, -1, 1), y = uniform(random_, -1, 1);
      const Vec3 v{x, y, uniform(random_, -1, 1)};
      if (norm(v) > 0.1 && norm(v) <= 1) return (1 / norm(v)) * v;
    }
  }

  /// The bodies that joints move, one of them.
  const WorldBody& moving_body() {
    const std::vector<WorldBody>& bodies = world_.data().bodies;
    for (int tries = 0; tries < 100; ++tries) {
      const WorldBody& body = bodies[random_() % bodies.size()];
      if (world_.data().moves(body.solid)) return body;
    }
    return bodies.back();
  }

  Vec3 place(const Path& path, double time, const WorldBody& body, std::size_t point) const {
    std::vector<BoundedPose> frames(
        static_cast<std::size_t>(world_.data().kinematics.frame_count()));
    world_.data().kinematics.forward(path.position(time), 0, frames);
    return frames[static_cast<std::size_t>(body.frame)].X * body.body.volume().point(point);
  }

  Way point_on_way(const Path& path, double share) {
    const WorldBody& body = moving_body();
    const std::size_t point = random_() % body.body.volume().count;
    const double duration = path.end() - path.begin();
    const double time = path.begin() + share * duration;
    const Vec3 at = place(path, time, body, point);
    const Vec3 ahead = place(path, time + 1e-4 * duration, body, point) - at;
    return {at, norm(ahead) > 1e-9 ? (1 / norm(ahead)) * ahead : Vec3{0, 0, 1}, time};
  }

  /// How far bodies reach along n, and the point of their surface there.
  std::pair<double, Vec3> reach_along(const Path& path, double time,
                                      std::span<const WorldBody* const> bodies, Vec3 n) const {
    std::vector<BoundedPose> frames(
        static_cast<std::size_t>(world_.data().kinematics.frame_count()));
    world_.data().kinematics.forward(path.position(time), 0, frames);
    std::pair<double, Vec3> best{-1e300, {}};
    for (const WorldBody* const body : bodies) {
      const Pose& X = frames[static_cast<std::size_t>(body->frame)].X;
      const Volume volume = body->body.volume();
      for (std::size_t i = 0; i < volume.count; ++i) {
        const Vec3 at = X * volume.point(i) + volume.radius * n;
        if (dot(at, n) > best.first) best = {dot(at, n), at};
      }
    }
    return best;
  }

  /// The point that comes farthest along n in the whole motion, of all that moves or of one body,
  /// and when.
  std::pair<Vec3, double> farthest(const Path& path, Vec3 n) {
    std::vector<const WorldBody*> bodies{&moving_body()};
    if (random_() % 4 != 0) {
      for (const WorldBody& body : world_.data().bodies) {
        if (world_.data().moves(body.solid)) bodies.push_back(&body);
      }
    }
    const auto reach = [&](double time) { return reach_along(path, time, bodies, n).first; };
    constexpr int kSamples = 200;
    const double step = (path.end() - path.begin()) / kSamples;
    double best = path.begin(), most = reach(best);
    for (int k = 1; k <= kSamples; ++k) {
      const double time = path.begin() + step * k, at = reach(time);
      if (at > most) best = time, most = at;
    }
    constexpr double kGolden = 0.6180339887498949;
    double low = std::max(best - step, path.begin()), high = std::min(best + step, path.end());
    for (int k = 0; k < 40; ++k) {
      const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
      const bool left = reach(a) > reach(b);
      (left ? high : low) = left ? b : a;
    }
    if (reach(0.5 * (low + high)) > most) best = 0.5 * (low + high);
    return {reach_along(path, best, bodies, n).second, best};
  }

  static SceneObject ball(Vec3 at, double radius) {
    SceneObject object;
    object.shape.kind = Shape::Kind::sphere;
    object.shape.radius = radius;
    object.pose.xyz = at;
    return object;
  }
  /// Thin along n.
  static SceneObject plate(Vec3 at, Vec3 n, double width, double thickness) {
    SceneObject object;
    object.shape.kind = Shape::Kind::box;
    object.shape.size = {width, width, thickness};
    object.pose.xyz = at;
    // The half-way turn from z to n; from below, about x.
    const double w = 1 + n.z;
    const double size = std::sqrt(n.x * n.x + n.y * n.y + w * w);
    object.pose.quaternion =
        w > 1e-6 ? Quaternion{-n.y / size, n.x / size, 0, w / size} : Quaternion{1, 0, 0, 0};
    return object;
  }
  static void add(Scene& scene, SceneObject object) {
    object.name = "obstacle_" + std::to_string(scene.objects.size());
    scene.objects.push_back(std::move(object));
  }

  World world_;
  DistanceQuery query_;
  std::mt19937_64& random_;
  std::vector<bool> moves_;
  std::vector<double> middle_;
  double reach_ = 1;
};

}  // namespace keepclear::test
