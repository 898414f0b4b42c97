// SPDX-License-Identifier: BSD-3-Clause
//
// The robots and the motions. The link poses that the peers get come from a plain forward
// kinematics of its own: were Keepclear's wrong, the answers would not agree.
#include "bench/scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <random>
#include <stdexcept>

#include "robot/urdf.hpp"
#include "scene/world.hpp"
#include "shape/hull.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

struct Robot {
  const char* name;
  const char* file;
  bool own;  ///< comes with the project; all others are data
};

constexpr Robot kRobots[] = {
    {"six_axis_arm", "worlds/six_axis_arm.urdf", true},
    {"iiwa7", "robots/kuka_lbr_iiwa7_r800/iiwa7.urdf", false},
    {"iiwa14", "robots/kuka_lbr_iiwa14_r820/lbr_iiwa_14_r820.urdf", false},
    {"meca500", "robots/meca500_r3/meca500_r3.urdf", false},
};

/// A radius below this (metres) is rounding that Keepclear covers, not part of a shape.
constexpr double kRounding = 1e-9;

fs::path data_dir() {
  if (const char* dir = std::getenv("KEEPCLEAR_DATA")) return dir;
  return KEEPCLEAR_BENCH_DATA;
}

fs::path file_of(const Robot& robot) {
  return (robot.own ? fs::path(KEEPCLEAR_BENCH_PROJECT) : data_dir()) / robot.file;
}

Mat3 turn(Vec3 axis, double angle) {
  const Vec3 a = (1 / norm(axis)) * axis;
  const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
  return {{c + d * a.x * a.x, d * a.x * a.y - s * a.z, d * a.x * a.z + s * a.y},
          {d * a.x * a.y + s * a.z, c + d * a.y * a.y, d * a.y * a.z - s * a.x},
          {d * a.x * a.z - s * a.y, d * a.y * a.z + s * a.x, c + d * a.z * a.z}};
}

Pose motion(const Joint& joint, double value) {
  switch (joint.type) {
    case JointType::fixed:
      return {};
    case JointType::revolute:
    case JointType::continuous:
      return {turn(joint.axis, value), {}};
    case JointType::prismatic:
      return {{}, (value / norm(joint.axis)) * joint.axis};
    case JointType::planar:
    case JointType::floating:
      break;
  }
  throw std::runtime_error("the benchmark knows no joint of type " +
                           std::string(to_string(joint.type)));
}

int index_of(std::span<const std::string> names, const std::string& name) {
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

void fill_link_poses(const Scene& scene, Workload& workload) {
  const RobotModel model = read_urdf(scene.world.file(), {});
  const auto links = scene.world.links();
  const auto variables = scene.world.variables();
  struct Step {
    const Joint* joint;
    std::size_t parent, child;
    std::size_t variable;
    Pose X_PJ;
  };
  std::vector<Step> steps;
  for (int j : model.depth_first_joints()) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    if (joint.mimic) throw std::runtime_error("the benchmark knows no mimic joints");
    const auto variable = std::find_if(variables.begin(), variables.end(),
                                       [&](const Variable& v) { return v.joint == joint.name; });
    const auto link = [&](int i) {
      return static_cast<std::size_t>(
          index_of(links, model.links[static_cast<std::size_t>(i)].name));
    };
    steps.push_back({&joint,
                     link(joint.parent),
                     link(joint.child),
                     static_cast<std::size_t>(variable - variables.begin()),
                     {rotation_from_rpy(joint.origin.rpy), joint.origin.xyz}});
  }
  workload.links = links.size();
  workload.X_WL.assign(workload.count * links.size(), {});
  for (std::size_t i = 0; i < workload.count; ++i) {
    const double* const q = &workload.q[i * workload.dof];
    Pose* const X_WL = &workload.X_WL[i * links.size()];
    for (const Step& step : steps) {
      const double value = step.variable < workload.dof ? q[step.variable] : 0;
      X_WL[step.child] = X_WL[step.parent] * (step.X_PJ * motion(*step.joint, value));
    }
  }
}

/// Numbers in [0, 1) that do not depend on the standard library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

struct Range {
  double middle, half;
};

Range range_of(const Variable& variable) {
  const double pi = std::numbers::pi;
  const double lower = std::isfinite(variable.lower) ? variable.lower : -pi;
  const double upper = std::isfinite(variable.upper) ? variable.upper : pi;
  return {0.5 * (lower + upper), 0.5 * (upper - lower)};
}

/// Points that no facet uses were added by the checks of the hull code: proud of qhull's facets by
/// rounding. FCL would refuse the whole hull for them.
void drop_loose_points(Hull& hull) {
  if (hull.facets.empty()) return;
  constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(hull.vertices.size(), kUnused);
  std::vector<Vec3> kept;
  for (auto& facet : hull.facets) {
    for (std::uint32_t& vertex : facet) {
      if (place[vertex] == kUnused) {
        place[vertex] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(hull.vertices[vertex]);
      }
      vertex = place[vertex];
    }
  }
  hull.vertices = std::move(kept);
}

/// Triangles for both sides of a flat polygon, from two corners, lest an edge has more than two
/// triangles.
void close_flat(Hull& hull) {
  if (hull.dimension != 2) return;
  std::vector<std::uint32_t> way{0, hull.neighbours[hull.first_neighbour[0]]};
  while (way.size() < hull.vertices.size()) {
    const std::uint32_t first = hull.first_neighbour[way.back()];
    const std::uint32_t next = hull.neighbours[first];
    way.push_back(next != way[way.size() - 2] ? next : hull.neighbours[first + 1]);
  }
  const std::size_t n = way.size();
  for (std::size_t i = 2; i < n; ++i) {
    hull.facets.push_back({way[0], way[i - 1], way[i]});
    hull.facets.push_back({way[1], way[(i + 1) % n], way[i]});
  }
}

/// The bodies as the world has them, moved to the frames of their links; facets from the same hull
/// code.
void add_shapes(Scene& scene) {
  const WorldData& world = scene.world.data();
  for (const WorldBody& placed : world.bodies) {
    const Pose X_LF = inverse(world.kinematics.pose_in_frame(placed.link).X);
    const Volume volume = placed.body.volume();
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < volume.count; ++i) points.push_back(X_LF * volume.point(i));
    scene.shapes_of_link[static_cast<std::size_t>(placed.link)].push_back(
        static_cast<int>(scene.shapes.size()));
    scene.shapes.push_back(hull_shape(placed.link, points, volume.radius));
  }
}

Workload empty_workload(const Scene& scene, const char* name, std::size_t count) {
  Workload workload;
  workload.name = name;
  workload.count = count;
  workload.dof = scene.world.dof();
  workload.q.resize(count * workload.dof);
  return workload;
}

}  // namespace

Shape hull_shape(int link, std::span<const Vec3> points, double radius) {
  Hull hull = convex_hull(points);
  drop_loose_points(hull);
  close_flat(hull);
  return {link, std::move(hull.vertices), std::move(hull.facets), radius < kRounding ? 0 : radius};
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const Robot& robot : kRobots) names.emplace_back(robot.name);
  return names;
}

std::optional<Scene> load_scene(const std::string& name) {
  const auto* const robot =
      std::find_if(std::begin(kRobots), std::end(kRobots),
                   [&](const Robot& candidate) { return candidate.name == name; });
  if (robot == std::end(kRobots) || !fs::exists(file_of(*robot))) return std::nullopt;

  Scene scene{name, load(file_of(*robot)), {}, {}, {}};
  const auto links = scene.world.links();
  scene.shapes_of_link.resize(links.size());
  add_shapes(scene);
  for (const PairInfo& pair : scene.world.pairs()) {
    const auto link_of = [&](int solid) {
      return index_of(links, scene.world.solids()[static_cast<std::size_t>(solid)].name);
    };
    scene.pairs.push_back({link_of(pair.a), link_of(pair.b)});
  }
  return scene;
}

Workload random_poses(const Scene& scene, std::size_t count, std::uint64_t seed) {
  Workload workload = empty_workload(scene, "random", count);
  Uniform uniform(seed);
  for (std::size_t i = 0; i < workload.q.size(); ++i) {
    const Range range = range_of(scene.world.variables()[i % workload.dof]);
    workload.q[i] = range.middle + range.half * (2 * uniform() - 1);
  }
  fill_link_poses(scene, workload);
  return workload;
}

Workload smooth_motion(const Scene& scene, std::size_t count, std::uint64_t seed) {
  constexpr double kShare[] = {0.5, 0.3, 0.2};
  constexpr double kPeakSpeed = 1.5;
  constexpr double kStep = 1e-3;
  Workload workload = empty_workload(scene, "smooth", count);
  Uniform uniform(seed);
  for (std::size_t j = 0; j < workload.dof; ++j) {
    const Range range = range_of(scene.world.variables()[j]);
    double frequency[3], phase[3], speed = 0;
    for (int k = 0; k < 3; ++k) {
      frequency[k] = (k + 1) * (0.7 + 0.6 * uniform());
      phase[k] = 2 * std::numbers::pi * uniform();
      speed += 0.9 * range.half * kShare[k] * frequency[k];
    }
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) {
        const double t = kStep * static_cast<double>(i);
        sum += kShare[k] * std::sin(frequency[k] * (kPeakSpeed / speed) * t + phase[k]);
      }
      workload.q[i * workload.dof + j] = range.middle + 0.9 * range.half * sum;
    }
  }
  fill_link_poses(scene, workload);
  return workload;
}

}  // namespace keepclear::bench
