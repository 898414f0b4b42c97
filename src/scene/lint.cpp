// SPDX-License-Identifier: BSD-3-Clause
//
// A look at a model before it is relied on: what is seen against what is checked, and hulls that
// are much larger than what they stand for. Plain arithmetic; the one number that is told of a
// vertex which sticks out is certified.
#include "keepclear/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "robot/xml.hpp"
#include "rounding/mode.hpp"
#include "scene/link_shapes.hpp"
#include "scene/mesh_hulls.hpp"
#include "scene/source.hpp"
#include "shape/split.hpp"
#include "shape/surface.hpp"

namespace keepclear {
namespace {

/// Metres: visual geometry that sticks out by less is no finding.
constexpr double kLeastOutside = 1e-4;
/// Of the volume of the hulls: parts that save less are no finding.
constexpr double kLeastSaved = 0.15;
/// A mesh that fills so much of its hull is not split: there is no such share to be saved.
constexpr double kFilled = 0.9;
/// Visual elements that could not be read and are told one by one.
constexpr std::size_t kMostFaults = 5;
/// Subdivisions of the sphere for what a primitive with a radius is measured at.
constexpr int kRoundLevel = 2;

/// A body that is checked, for the distances of many points.
class CheckedBody {
 public:
  explicit CheckedBody(const Body& body) : body_(body) {
    Volume core = body.volume();
    core.radius = 0;
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < core.count; ++i) points.push_back(core.point(i));
    surface_ = triangulate(core, 0);
    if (convex_hull(points).dimension == 3) {
      for (const auto& [a, b, c] : surface_.triangles) {
        const Vec3 p = surface_.vertices[a];
        const Vec3 across = cross(surface_.vertices[b] - p, surface_.vertices[c] - p);
        const double length = norm(across);
        if (length > 0) planes_.push_back({(1 / length) * across, dot(across, p) / length});
      }
    }
    tree_.emplace(surface_.vertices, surface_.triangles);
  }
  CheckedBody(CheckedBody&&) = default;

  /// Zero inside.
  double distance(Vec3 p) const {
    const bool inside = !planes_.empty() && std::ranges::all_of(planes_, [&](const Plane& plane) {
      return dot(plane.normal, p) <= plane.offset;
    });
    return inside ? 0 : std::max(0.0, tree_->nearest(p).distance - body_.radius());
  }
  /// Certified: at most the real distance.
  double distance_lo(Vec3 p) const {
    return keepclear::distance(Body::sphere(p, 0), {}, body_, {}).lower_bound;
  }

 private:
  struct Plane {
    Vec3 normal;
    double offset;
  };
  Body body_;
  Surface surface_;
  std::vector<Plane> planes_;
  std::optional<TriangleTree> tree_;
};

/// What is computed of a mesh, whatever links use it.
struct MeshVolumes {
  double hull = 0, parts = 0;
};

/// What a closed mesh encloses; of others, some number.
double enclosed_volume(const Mesh& mesh) {
  double sum = 0;
  const Vec3 from = mesh.vertices.front();
  for (const auto& [a, b, c] : mesh.triangles) {
    sum += dot(mesh.vertices[a] - from, cross(mesh.vertices[b] - from, mesh.vertices[c] - from));
  }
  return std::abs(sum) / 6;
}

MeshVolumes volumes_of(const Mesh& mesh) {
  MeshVolumes volumes;
  volumes.hull = volumes.parts = volume(convex_hull(mesh.vertices));
  const double filled = enclosed_volume(mesh) / volumes.hull;
  if (!(volumes.hull > 0) || (filled > kFilled && filled < 1.001)) return volumes;
  double split = 0;
  for (const MeshPart& part : split_mesh(mesh.vertices, mesh.triangles, kLintParts, 0)) {
    split += part.hull_volume;
  }
  volumes.parts = std::min(volumes.hull, split);
  return volumes;
}

bool is_mesh(const Collision& element) {
  return element.geometry.kind == Geometry::Kind::mesh;
}
bool is_there(const Geometry& g) {
  return g.in_place != nullptr || !g.file.empty();
}

class Linter {
 public:
  Linter(const WorldModel& model, const LoadOptions& options)
      : model_(model), options_(options), world_(model.robot) {
    build_bodies(model, options, world_);
    bodies_.resize(model.robot.links.size());
    for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
      bodies_[static_cast<std::size_t>(world_.bodies[i].link)].push_back(i);
    }
  }

  Lint run() {
    read();
    const int first = model_.first_link();
    lint_.links.resize(static_cast<std::size_t>(model_.first_attached - first));
    faults_.resize(lint_.links.size());
    lint_.surface_distance.resize(world_.bodies.size());
    std::vector<std::function<void()>> jobs;
    for (auto& [key, volumes] : volumes_) {
      jobs.emplace_back(
          [this, &key = key, &volumes = volumes] { volumes = volumes_of(meshes_.at(key)); });
    }
    for (int l = first; l < model_.first_attached; ++l) {
      jobs.emplace_back([this, l, first] { look_at(l, static_cast<std::size_t>(l - first)); });
      jobs.emplace_back([this, l] { measure_surfaces(l); });
    }
    for_each_parallel(jobs.size(), options_.threads, [&](std::size_t i) { jobs[i](); });
    for (int l = first; l < model_.first_attached; ++l) {
      conclude(l, lint_.links[static_cast<std::size_t>(l - first)]);
    }
    tell_faults();
    return std::move(lint_);
  }

 private:
  const Link& link_at(int l) const { return model_.robot.links[static_cast<std::size_t>(l)]; }

  std::span<const std::size_t> bodies_of(int l) const {
    return bodies_[static_cast<std::size_t>(l)];
  }

  /// Every mesh of a robot once; what cannot be read is kept as a fault. Meshes that are checked
  /// were read before, without one.
  void read() {
    std::vector<const Geometry*> to_read;
    for (int l = model_.first_link(); l < model_.first_attached; ++l) {
      const Link& link = link_at(l);
      for (const auto* elements : {&link.collisions, &link.visuals}) {
        for (const Collision& element : *elements) {
          if (!is_mesh(element) || !is_there(element.geometry)) continue;
          const MeshKey key = key_of(element.geometry);
          if (elements == &link.collisions) volumes_.try_emplace(key);
          if (meshes_.try_emplace(key).second) to_read.push_back(&element.geometry);
        }
      }
    }
    std::vector<std::string> failed(to_read.size());
    for_each_parallel(to_read.size(), options_.threads, [&](std::size_t i) {
      const Geometry& g = *to_read[i];
      try {
        meshes_.at(key_of(g)) = g.in_place ? *g.in_place : read_mesh(g.file, g.scale);
      } catch (const Error& error) {
        failed[i] = error.what();
      }
    });
    for (std::size_t i = 0; i < failed.size(); ++i) {
      if (!failed[i].empty()) unread_.emplace(key_of(*to_read[i]), failed[i]);
    }
  }

  void look_at(int l, std::size_t index) {
    const Link& link = link_at(l);
    LinkLint& result = lint_.links[index];
    result.link = link.name;
    result.has_collision = !link.collisions.empty();
    result.has_visual = !link.visuals.empty() || !link.visual_faults.empty();
    std::vector<CheckedBody> bodies;
    if (!link.visuals.empty()) {
      for (const std::size_t b : bodies_of(l)) bodies.emplace_back(world_.bodies[b].body);
    }
    for (const Collision& visual : link.visuals) {
      if (is_mesh(visual) && !is_there(visual.geometry)) continue;  // told by the reader
      try {
        if (is_mesh(visual)) {
          const auto unread = unread_.find(key_of(visual.geometry));
          if (unread != unread_.end()) throw Error(Error::Kind::malformed, "", 0, unread->second);
        }
        if (bodies.empty() || is_checked(link, visual)) continue;
        measure(shape_of(visual, meshes_), visual, l, bodies, result);
      } catch (const Error& error) {
        faults_[index].emplace_back(error.what());
      }
    }
  }

  /// How far the surfaces of the bodies get from what they stand for.
  void measure_surfaces(int l) {
    const Link& link = link_at(l);
    Surface all;
    for (const Collision& element : link.collisions.empty() ? link.visuals : link.collisions) {
      if (is_mesh(element) &&
          (!is_there(element.geometry) || unread_.contains(key_of(element.geometry)))) {
        continue;
      }
      const LinkShape shape = shape_of(element, meshes_);
      Surface one{shape.points, shape.triangles};
      if (!is_mesh(element)) {
        one = triangulate(Body::hull(shape.points, shape.radius).volume(), kRoundLevel);
      }
      const auto offset = static_cast<std::uint32_t>(all.vertices.size());
      all.vertices.insert(all.vertices.end(), one.vertices.begin(), one.vertices.end());
      for (const auto& [a, b, c] : one.triangles) {
        all.triangles.push_back({a + offset, b + offset, c + offset});
      }
    }
    if (all.triangles.empty()) return;
    const Pose& X_FL = world_.kinematics.pose_in_frame(l).X;
    for (Vec3& p : all.vertices) p = X_FL * p;
    const TriangleTree tree(all.vertices, all.triangles);
    for (const std::size_t b : bodies_of(l)) {
      lint_.surface_distance[b] = farthest_from(world_.bodies[b].body.volume(), tree);
    }
  }

  /// Whether it is seen just as it is checked: bodies contain all collision elements.
  static bool is_checked(const Link& link, const Collision& visual) {
    return is_mesh(visual) && std::ranges::any_of(link.collisions, [&](const Collision& c) {
             return is_mesh(c) && key_of(c.geometry) == key_of(visual.geometry) &&
                    c.origin == visual.origin;
           });
  }

  void measure(LinkShape shape, const Collision& visual, int l,
               const std::vector<CheckedBody>& bodies, LinkLint& result) const {
    if (shape.radius > 0) {
      const Body body = Body::hull(shape.points, shape.radius);
      shape.points = triangulate(body.volume(), kRoundLevel).vertices;
    }
    const Pose& X_FL = world_.kinematics.pose_in_frame(l).X;
    // The points may be that far outside of what is seen.
    const double allowance = shape.error_hi + shape.excess;
    double farthest = result.visual_sticks_out + allowance;
    std::optional<Vec3> at;
    std::size_t last = 0;  // the body that the vertex before was in, or near to
    for (const Vec3 p : shape.points) {
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < bodies.size() && nearest > farthest; ++i) {
        const std::size_t b = i == 0 ? last : i == last ? 0 : i;
        const double d = bodies[b].distance(X_FL * p);
        if (d < nearest) nearest = d;
        if (nearest <= farthest) last = b;
      }
      if (nearest > farthest) farthest = nearest, at = p;
    }
    if (!at) return;
    double out_lo = std::numeric_limits<double>::infinity();
    for (const CheckedBody& body : bodies) {
      out_lo = std::min(out_lo, body.distance_lo(X_FL * *at));
    }
    out_lo -= allowance;
    if (out_lo <= result.visual_sticks_out) return;
    result.visual_sticks_out = out_lo;
    result.sticks_out_at = *at;
    result.visual_file = visual.geometry.file.string();
  }

  void conclude(int l, LinkLint& result) {
    const Link& link = link_at(l);
    const std::string name = xml::in_quotes(link.name);
    const Geometry* largest = nullptr;  // the mesh whose parts save most
    double most = 0;
    for (const Collision& c : link.collisions) {
      if (!is_mesh(c)) continue;
      const MeshVolumes& volumes = volumes_.at(key_of(c.geometry));
      result.hull_volume += volumes.hull;
      result.parts_volume += volumes.parts;
      if (volumes.hull - volumes.parts <= most) continue;
      most = volumes.hull - volumes.parts;
      largest = &c.geometry;
    }
    const auto bodies = bodies_of(l);
    if (result.has_visual && bodies.empty()) {
      lint_.findings.push_back(
          fmt::format("{} is seen and not checked: it has visual geometry alone", name));
    }
    if (result.visual_sticks_out >= kLeastOutside) {
      const Vec3 p = result.sticks_out_at;
      lint_.findings.push_back(fmt::format(
          "{}: what is seen sticks {:.1f} mm out of what is checked, at {:.4f} {:.4f} {:.4f}{}{}",
          name, 1e3 * result.visual_sticks_out, p.x, p.y, p.z,
          result.visual_file.empty() ? "" : ": ", result.visual_file));
    }
    const double saved = result.hull_volume - result.parts_volume;
    const bool is_split = options_.parts > 1 || bodies.size() > link.collisions.size();
    if (!is_split && largest != nullptr && saved >= kLeastSaved * result.hull_volume) {
      lint_.findings.push_back(fmt::format(
          "{}: {} hulls instead of one would take {:.0f} % less volume (--parts {}){}{}", name,
          kLintParts, 100 * saved / result.hull_volume, kLintParts,
          largest->file.empty() ? "" : ": ", largest->file.string()));
    }
  }

  void tell_faults() {
    std::size_t count = 0;
    const auto tell = [&](const std::string& link, const std::string& fault) {
      if (++count > kMostFaults) return;
      lint_.findings.push_back(
          fmt::format("{}: visual geometry is not read: {}", xml::in_quotes(link), fault));
    };
    for (std::size_t i = 0; i < lint_.links.size(); ++i) {
      const Link& link = link_at(model_.first_link() + static_cast<int>(i));
      for (const std::string& fault : link.visual_faults) tell(link.name, fault);
      for (const std::string& fault : faults_[i]) tell(link.name, fault);
    }
    if (count > kMostFaults) {
      lint_.findings.push_back(
          fmt::format("and {} more visual elements are not read", count - kMostFaults));
    }
  }

  const WorldModel& model_;
  const LoadOptions& options_;
  WorldData world_;
  std::vector<std::vector<std::size_t>> bodies_;  // of each link
  Meshes meshes_;
  std::map<MeshKey, MeshVolumes> volumes_;        // of the meshes that are checked
  std::map<MeshKey, std::string> unread_;         // and why
  std::vector<std::vector<std::string>> faults_;  // by link; beside those of the reader
  Lint lint_;
};

}  // namespace

Lint lint(const std::filesystem::path& file, const LoadOptions& options) {
  rounding::require_mode();
  const WorldSource source = read_source(file, options);
  return Linter(source.model, options).run();
}

Lint lint_builtin(const std::string& name, const LoadOptions& options) {
  rounding::require_mode();
  const WorldSource source = read_builtin_source(name, options);
  return Linter(source.model, options).run();
}

}  // namespace keepclear
