// SPDX-License-Identifier: BSD-3-Clause
#include "bench/sweep_scene.hpp"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numbers>

#include "bench/peer.hpp"
#include "robot/urdf.hpp"
#include "scene/link_shapes.hpp"
#include "scene/world.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

void add(Scene& scene, Shape shape) {
  scene.shapes_of_link[static_cast<std::size_t>(shape.link)].push_back(
      static_cast<int>(scene.shapes.size()));
  scene.shapes.push_back(std::move(shape));
}

std::vector<Vec3> points_of(const Body& body) {
  const Volume volume = body.volume();
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
  return points;
}

std::vector<Vec3> corners(const BoxPiece& box) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back({box.centre.x + ((i & 1) != 0 ? box.half.x : -box.half.x),
                      box.centre.y + ((i & 2) != 0 ? box.half.y : -box.half.y),
                      box.centre.z + ((i & 4) != 0 ? box.half.z : -box.half.z)});
  }
  return points;
}

/// What stands still, in the world.
void add_environment(const Environment& environment, Scene& scene) {
  for (const PlacedObject& object : environment.objects) {
    for (std::uint32_t p = object.first; p < object.last; ++p) {
      const Piece& piece = environment.pieces[p];
      std::vector<Vec3> points;
      double radius = 0;
      if (piece.kind == PieceKind::body) {
        points = points_of(environment.bodies[piece.index]);
        radius = environment.bodies[piece.index].radius();
      } else if (piece.kind == PieceKind::ball) {
        points = {environment.balls[piece.index].centre};
        radius = environment.balls[piece.index].radius;
      } else if (piece.kind == PieceKind::box) {
        points = corners(environment.boxes[piece.index]);
      } else {
        throw std::runtime_error("the benchmark knows no half-spaces");
      }
      for (Vec3& point : points) point = object.X_WO.X * point;
      add(scene, hull_shape(object.solid, points, radius));
    }
  }
}

bool gives_reasons(const fs::path& srdf) {
  std::ifstream in(srdf);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find("reason=") != std::string::npos;
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

fs::path robots_dir() {
  const char* const dir = std::getenv("KEEPCLEAR_DATA");
  return fs::path(dir != nullptr ? dir : KEEPCLEAR_BENCH_DATA) / "robots";
}

fs::path srdf_of(const fs::path& urdf) {
  const std::string name = urdf.stem().string();
  fs::path shorter, longer;
  for (const fs::directory_entry& entry : fs::directory_iterator(urdf.parent_path())) {
    if (entry.path().extension() != ".srdf" || !gives_reasons(entry.path())) continue;
    const std::string stem = entry.path().stem().string();
    if (name.starts_with(stem)) {
      if (stem.size() > shorter.stem().string().size()) shorter = entry.path();
    } else if (stem.starts_with(name)) {
      if (longer.empty() || entry.path() < longer) longer = entry.path();
    }
  }
  return shorter.empty() ? longer : shorter;
}

Scene solids_of(const std::string& name, const World& world) {
  const WorldData& data = world.data();
  Scene scene{name, world, {}, {}, {}};
  scene.shapes_of_link.resize(data.solids.size());
  for (const WorldBody& placed : data.bodies) {
    add(scene, hull_shape(placed.solid, points_of(placed.body), placed.body.radius()));
  }
  add_environment(data.environment, scene);
  for (const PairInfo& pair : world.pairs()) scene.pairs.push_back({pair.a, pair.b});
  return scene;
}

Scene surfaces_of(const Scene& hulls, const fs::path& urdf) {
  const RobotModel model = read_urdf(urdf, {});
  const WorldData& data = hulls.world.data();
  std::vector<const Collision*> elements;
  for (const Link& link : model.links) {
    for (const Collision& c : link.collisions) elements.push_back(&c);
  }
  const Meshes meshes = read_meshes(elements, 1);
  Scene scene{hulls.name, hulls.world, {}, {}, hulls.pairs};
  scene.shapes_of_link.resize(data.solids.size());
  for (std::size_t l = 0; l < model.links.size(); ++l) {
    const Link& link = model.links[l];
    const int solid = hulls.world.find_solid(link.name);
    const Pose X_FL = data.kinematics.pose_in_frame(static_cast<int>(l)).X;
    for (const Collision& element : link.collisions) {
      const LinkShape shape = shape_of(element, meshes);
      std::vector<Vec3> points = shape.points;
      for (Vec3& point : points) point = X_FL * point;
      if (shape.triangles.empty()) {
        add(scene, hull_shape(solid, points, shape.radius));
      } else {
        add(scene, {solid, std::move(points), shape.triangles, 0, true});
      }
    }
  }
  return scene;
}

SolidPoses::SolidPoses(const World& world)
    : world_(world),
      frame_of_solid_(world.solids().size(), -1),
      frames_(static_cast<std::size_t>(world.data().kinematics.frame_count())) {
  for (const WorldBody& body : world.data().bodies) {
    frame_of_solid_[static_cast<std::size_t>(body.solid)] = body.frame;
  }
}

bool SolidPoses::operator()(std::span<const double> q, std::span<Pose> X_WS) {
  if (!world_.data().kinematics.forward(q, 0, frames_)) return false;
  for (std::size_t s = 0; s < frame_of_solid_.size(); ++s) {
    const int frame = frame_of_solid_[s];
    X_WS[s] = frame >= 0 ? frames_[static_cast<std::size_t>(frame)].X : Pose{};
  }
  return true;
}

void set_random(const World& world, Random& random, std::span<double> q) {
  const auto variables = world.variables();
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Variable& v = variables[i];
    if (v.name.ends_with("/rot_x") && i + 3 < q.size()) {
      double squared = 0;
      // A point of the unit ball in four dimensions, made one of the sphere.
      do {
        squared = 0;
        for (std::size_t k = i; k < i + 4; ++k) {
          q[k] = random({-1, 1});
          squared += q[k] * q[k];
        }
      } while (!(squared > 1e-3 && squared <= 1));
      for (std::size_t k = i; k < i + 4; ++k) q[k] /= std::sqrt(squared);
      i += 3;
      continue;
    }
    const bool slides = v.type == "prismatic" || v.name.ends_with("/x") || v.name.ends_with("/y") ||
                        v.name.find("/trans_") != std::string::npos;
    const double far = slides ? 1 : std::numbers::pi;
    q[i] =
        random({std::isfinite(v.lower) ? v.lower : -far, std::isfinite(v.upper) ? v.upper : far});
  }
}

std::vector<std::string> machine_head() {
  const std::int64_t targets = hwy::SupportedTargets();
  return {fmt::format("cpu: {}; lanes: {}", cpu_model(), hwy::TargetName(targets & -targets)),
          fmt::format("compiler: {} {}, {}", KEEPCLEAR_BENCH_COMPILER, __VERSION__,
                      KEEPCLEAR_BENCH_FLAGS),
          fmt::format("{}; {}", keepclear_version(), fcl_version())};
}

}  // namespace keepclear::bench
