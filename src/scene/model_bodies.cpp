// SPDX-License-Identifier: BSD-3-Clause
#include "scene/model_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "keepclear/error.hpp"
#include "robot/xml.hpp"
#include "scene/containing_body.hpp"
#include "scene/model_file.hpp"
#include "scene/scene_parts.hpp"
#include "shape/body.hpp"
#include "shape/hull.hpp"

namespace keepclear {
namespace {

constexpr const char* kFitAgain = "fit the model again";
/// Corners that were not found inside are looked at for the farthest; of more, the first count.
constexpr std::size_t kMostMeasured = 100'000;

[[noreturn]] void refuse(const BodyModel& model, const std::string& what,
                         const std::string& hint = kFitAgain) {
  throw Error(Error::Kind::malformed, model.file, 0, what, hint);
}

/// Hands the bodies of a model to the links of one robot, or of all (-1).
void hand_out(const WorldModel& world, int robot, const std::string& prefix,
              const std::shared_ptr<const BodyModel>& model, std::vector<LinkBodies>& chosen) {
  const auto is_meant = [&](int l) { return robot < 0 || world.robot_of_link[l] == robot; };
  std::unordered_map<std::string_view, int> links;
  for (int l = world.first_link(); l < world.first_attached; ++l) {
    if (is_meant(l)) links.emplace(world.robot.links[l].name, l);
  }
  for (std::size_t i = 0; i < model->bodies.size(); ++i) {
    const auto found = links.find(prefix + model->bodies[i].link);
    if (found == links.end()) {
      refuse(*model, fmt::format("{}/link: the robot has no link {}", place_of(*model, i),
                                 xml::in_quotes(model->bodies[i].link)));
    }
    LinkBodies& of_link = chosen[static_cast<std::size_t>(found->second)];
    of_link.model = model;
    of_link.bodies.push_back(i);
  }
  for (int l = world.first_link(); l < world.first_attached; ++l) {
    const Link& link = world.robot.links[l];
    if (!is_meant(l)) continue;
    require_visuals(link, model->around, link.file.empty() ? world.robot.file : link.file);
    if (!chosen[static_cast<std::size_t>(l)].empty()) continue;
    if (elements_of(link, model->around).empty()) continue;
    refuse(*model, fmt::format("no body for link '{}', which has geometry", link.name));
  }
}

/// One body of the model while its link is looked at.
struct Candidate : ContainingBody {
  Candidate(const BodyModel& model, std::size_t of_model, std::size_t shapes)
      : ContainingBody(model.bodies[of_model]),
        index(of_model),
        triangles(shapes, 0),
        corners(shapes) {}

  std::size_t index;  ///< in the model
  /// Of each shape: how many of its triangles count for this body, and their corners.
  std::vector<std::size_t> triangles;
  std::vector<std::vector<std::uint32_t>> corners;
};

std::vector<Candidate> candidates_of(const LinkBodies& chosen, std::size_t shapes) {
  std::vector<Candidate> bodies;
  for (const std::size_t i : chosen.bodies) bodies.emplace_back(*chosen.model, i, shapes);
  return bodies;
}

/// The proof for one link, and which body stands for what.
class LinkProof {
 public:
  LinkProof(const Link& link, const BodyModel& model, std::vector<const Collision*> elements,
            std::vector<LinkShape> shapes, std::vector<Candidate>& bodies)
      : link_(link),
        model_(model),
        elements_(std::move(elements)),
        shapes_(std::move(shapes)),
        bodies_(bodies) {
    std::vector<double> volumes;
    for (const Candidate& body : bodies) volumes.push_back(body.volume());
    by_volume_ = by_volume(volumes);
    for (std::size_t s = 0; s < shapes_.size(); ++s) prove(s);
  }

  const std::vector<LinkShape>& shapes() const { return shapes_; }

 private:
  /// Each triangle counts for the smallest body that contains it; a primitive likewise.
  void prove(std::size_t s) {
    const LinkShape& shape = shapes_[s];
    const double reach_hi = shape.reach_hi();
    const bool is_mesh = elements_[s]->geometry.kind == Geometry::Kind::mesh;
    std::vector<std::uint32_t> all(is_mesh ? 0 : shape.points.size());
    std::iota(all.begin(), all.end(), 0u);
    const auto corners_of = [&](std::uint32_t t) -> std::span<const std::uint32_t> {
      if (is_mesh) return shape.triangles[t];
      return all;
    };
    std::vector<std::uint32_t> left(is_mesh ? shape.triangles.size() : 1);
    std::iota(left.begin(), left.end(), 0u);
    enum : char { unknown, inside, outside };
    std::vector<char> state;
    for (const std::size_t b : by_volume_) {
      if (left.empty()) return;
      Candidate& body = bodies_[b];
      state.assign(shape.points.size(), unknown);
      const auto holds = [&](std::uint32_t v) {
        if (state[v] == unknown) {
          state[v] = body.contains(shape.points[v], reach_hi) ? inside : outside;
        }
        return state[v] == inside;
      };
      std::size_t kept = 0;
      for (const std::uint32_t t : left) {
        const auto corners = corners_of(t);
        if (!std::all_of(corners.begin(), corners.end(), holds)) {
          left[kept++] = t;
          continue;
        }
        ++body.triangles[s];
        body.corners[s].insert(body.corners[s].end(), corners.begin(), corners.end());
      }
      left.resize(kept);
      auto& found = body.corners[s];
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    if (is_mesh && bodies_.size() > 1) prove_in_pieces(s, left);
    if (!left.empty()) tell(s, left, corners_of);
  }

  /// A triangle that goes from one body into another is halved at the middle of its longest side
  /// until each piece is in one of them. Leaves in `left` one that was not shown, or none.
  void prove_in_pieces(std::size_t s, std::vector<std::uint32_t>& left) {
    LinkShape& shape = shapes_[s];
    const double off_hi = middles_off_hi(shape.points);
    const double reach_hi = rounding::up(shape.reach_hi() + off_hi);
    Pieces pieces{reach_hi, kMostPieces, {}};
    for (const std::uint32_t t : left) {
      const auto& [a, b, c] = shape.triangles[t];
      pieces.found.clear();
      if (!halve(pieces, {shape.points[a], shape.points[b], shape.points[c]}, 0)) {
        left.assign(1, t);  // the model is refused for this one
        return;
      }
      for (const auto& [body, corner] : pieces.found) {
        bodies_[body].corners[s].push_back(static_cast<std::uint32_t>(shape.points.size()));
        shape.points.push_back(corner);
        bodies_[body].triangles[s] += 1;
      }
    }
    if (!left.empty()) shape.error_hi = rounding::up(shape.error_hi + off_hi);
    left.clear();
  }

  struct Pieces {
    double reach_hi = 0;
    int left = 0;                                     ///< pieces that may still be looked at
    std::vector<std::pair<std::size_t, Vec3>> found;  ///< corners of pieces, and their body
  };
  bool halve(Pieces& pieces, const std::array<Vec3, 3>& corners, int halvings) const {
    if (--pieces.left < 0) return false;
    std::array<bool, 3> somewhere{};
    for (const std::size_t b : by_volume_) {
      bool all = true;
      for (int k = 0; k < 3; ++k) {
        const bool in = bodies_[b].contains(corners[k], pieces.reach_hi);
        somewhere[k] = somewhere[k] || in;
        all = all && in;
      }
      if (!all) continue;
      for (const Vec3& corner : corners) pieces.found.emplace_back(b, corner);
      return true;
    }
    // A corner that is in no body stays in none.
    if (!(somewhere[0] && somewhere[1] && somewhere[2]) || halvings == kMostHalvings) return false;
    const int longest = longest_side(corners);
    const Vec3 a = corners[longest], b = corners[(longest + 1) % 3], c = corners[(longest + 2) % 3];
    const Vec3 middle = 0.5 * (a + b);
    return halve(pieces, {a, middle, c}, halvings + 1) &&
           halve(pieces, {middle, b, c}, halvings + 1);
  }

  /// What is in no body: how far the worst of it sticks out of the one that is nearest to it.
  template <typename Corners>
  [[noreturn]] void tell(std::size_t s, std::span<const std::uint32_t> left,
                         const Corners& corners_of) const {
    const LinkShape& shape = shapes_[s];
    const double reach_hi = shape.reach_hi();
    double worst = -1;
    std::size_t nearest = 0;
    std::uint32_t triangle = left[0];
    for (const std::uint32_t t :
         left.first(std::min(left.size(), kMostMeasured / bodies_.size() + 1))) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        double out = 0;
        for (const std::uint32_t v : corners_of(t)) {
          out = std::max(
              out, bodies_[b].needed_hi(shape.points[v], reach_hi) - bodies_[b].body().radius);
        }
        if (out < least) least = out, best = b;
      }
      if (least > worst) worst = least, nearest = best, triangle = t;
    }
    const Collision& element = *elements_[s];
    const bool visual = std::any_of(link_.visuals.begin(), link_.visuals.end(),
                                    [&](const Collision& v) { return &v == &element; });
    std::string what = visual ? "visual " : "";
    if (element.geometry.kind == Geometry::Kind::mesh) {
      what += fmt::format(
          "mesh {}, triangle {},",
          element.geometry.file.empty() ? "in place" : element.geometry.file.string(), triangle);
    } else {
      what += fmt::format("{} of line {}", to_string(element.geometry.kind), element.line);
    }
    refuse(model_, fmt::format("{}: link '{}': {} sticks out by {:.3g} m{}",
                               place_of(model_, bodies_[nearest].index), link_.name, what, worst,
                               bodies_.size() > 1 ? " and is in no other body of the link" : ""));
  }

  const Link& link_;
  const BodyModel& model_;
  std::vector<const Collision*> elements_;
  std::vector<LinkShape> shapes_;
  std::vector<Candidate>& bodies_;
  std::vector<std::size_t> by_volume_;
};

/// What a body stands for, as a hull of points grown by a radius that is inside the hull of it.
struct StandsFor {
  std::vector<Vec3> points;
  double radius = 0;
  double off_hi = 0;  ///< metres: how far the points may be off, and shapes be within their points
};

/// So many points at most are grown by a radius exactly; of more, each becomes a few.
constexpr std::size_t kFewPoints = 512;

StandsFor stands_for(const Candidate& body, const std::vector<LinkShape>& shapes) {
  StandsFor whole;
  whole.radius = std::numeric_limits<double>::infinity();
  std::size_t count = 0;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (body.triangles[s] == 0) continue;
    count += body.corners[s].size();
    whole.radius = std::min(whole.radius, shapes[s].radius);
    whole.off_hi = std::max(whole.off_hi, rounding::up(shapes[s].error_hi + shapes[s].excess));
  }
  if (count > kFewPoints) whole.radius = 0;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    for (const std::uint32_t v : body.corners[s]) {
      add_ball(shapes[s].points[v], shapes[s].radius - whole.radius, whole.points);
    }
  }
  return whole;
}

/// At least how far a body with these points, grown by `radius_hi`, reaches beyond the hull. The
/// signed distance from a convex set is convex and changes no faster than one goes: no point of the
/// body is farther out than the farthest of its points, and the radius.
double excess_hi(const ModelBody& body, double radius_hi, const StandsFor& whole) {
  const Body hull = Body::hull(whole.points);
  double farthest = -std::numeric_limits<double>::infinity();
  for (const Vec3 p : body.points) {
    const BodyDistance found = distance(hull, {}, Body::sphere(p, 0), {}, {1e-9, true});
    // The distance of the witness points, which are rounded.
    const double size = norm(p - hull.centre()) + hull.bounding_radius() + norm(p);
    farthest = std::max(farthest, found.distance + 1e-13 * size);
  }
  const double beyond = farthest + hull.radius() + whole.off_hi - whole.radius + radius_hi;
  const double terms = std::abs(farthest) + hull.radius() + whole.off_hi + whole.radius + radius_hi;
  return std::max(0.0, rounding::up(beyond + rounding::gamma(8) * terms));
}

/// The elements that count for a body, the largest share first.
std::vector<int> elements_by_share(const Candidate& body, const std::vector<LinkShape>& shapes) {
  std::vector<std::pair<double, int>> shares;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (body.triangles[s] == 0) continue;
    const double all = static_cast<double>(std::max<std::size_t>(1, shapes[s].triangles.size()));
    shares.emplace_back(-static_cast<double>(body.triangles[s]) / all, static_cast<int>(s));
  }
  std::sort(shares.begin(), shares.end());
  std::vector<int> elements;
  for (const auto& [share, element] : shares) elements.push_back(element);
  return elements;
}

/// As if everything counted for this body.
void count_all(const std::vector<LinkShape>& shapes, Candidate& body) {
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    body.triangles[s] = 1;
    body.corners[s].resize(shapes[s].points.size());
    std::iota(body.corners[s].begin(), body.corners[s].end(), 0u);
  }
}

void tell_element(const Collision& element, const Meshes& meshes, BodyInfo& info) {
  const Geometry& g = element.geometry;
  info.shape = to_string(g.kind);
  info.name = element.name;
  info.line = element.line;
  info.file = g.file.string();
  if (g.kind != Geometry::Kind::mesh) return;
  const Mesh& mesh = meshes.at(key_of(g));
  info.source_vertices = mesh.vertices.size();
  info.source_triangles = mesh.triangles.size();
}

}  // namespace

std::vector<LinkBodies> choose_bodies(const WorldModel& model, const LoadOptions& options) {
  std::vector<LinkBodies> chosen(model.robot.links.size());
  const bool given = options.model || options.bodies;
  if ((options.model && options.bodies) || (given && options.without_model)) {
    throw Error(Error::Kind::usage, model.robot.file, 0,
                "a model is given twice, or given and not wanted", "keep one of them");
  }
  const auto sound = [](const std::shared_ptr<const BodyModel>& bodies) {
    require_sound(*bodies);
    return bodies;
  };
  const auto from = [](const std::filesystem::path& file) {
    return std::make_shared<const BodyModel>(read_model(file));
  };
  if (given) {
    hand_out(model, -1, "", options.model ? from(*options.model) : sound(options.bodies), chosen);
    return chosen;
  }
  if (options.without_model) return chosen;
  for (const RobotBodies& bodies : model.bodies) {
    std::shared_ptr<const BodyModel> read = bodies.bodies;
    if (bodies.file) {
      const SceneRobot& robot = model.scene->robots[static_cast<std::size_t>(bodies.robot)];
      try {
        read = from(*bodies.file);
      } catch (const Error& error) {
        if (robot.place.empty()) throw;
        rethrow_at(*model.scene, robot.place + "/model", robot.name, error);
      }
    }
    hand_out(model, bodies.robot, bodies.prefix, sound(read), chosen);
  }
  return chosen;
}

std::vector<BuiltBody> build_modelled(const Link& link, const LinkBodies& chosen,
                                      const BoundedPose& X_FL, const Meshes& meshes) {
  const BodyModel& model = *chosen.model;
  const std::vector<const Collision*> elements = elements_of(link, model.around);
  std::vector<LinkShape> shapes;
  for (const Collision* element : elements) shapes.push_back(shape_of(*element, meshes));
  std::vector<Candidate> bodies = candidates_of(chosen, shapes.size());
  const LinkProof proof(link, model, elements, std::move(shapes), bodies);
  const std::vector<LinkShape>& all = proof.shapes();

  std::vector<BuiltBody> built;
  for (Candidate& candidate : bodies) {
    const ModelBody& given = candidate.body();
    Body body = make_body({given.points, given.radius, 0}, X_FL.X, X_FL.error);
    BodyInfo info;
    info.link = link.name;
    info.modelled = true;
    info.points = body.point_count();
    info.radius = body.radius();
    info.volume = candidate.volume();
    info.elements = elements_by_share(candidate, all);
    if (!elements.empty()) {
      // One that is the smallest around nothing is measured by the whole link.
      if (info.elements.empty()) count_all(all, candidate);
      info.element = info.elements.empty() ? 0 : info.elements[0];
      const Collision& first = *elements[static_cast<std::size_t>(info.element)];
      tell_element(first, meshes, info);
      StandsFor whole = stands_for(candidate, all);
      const Hull hull = convex_hull(whole.points);
      // Some of the points, so that what is within them is no larger.
      whole.points = hull.vertices;
      const bool one_primitive =
          info.elements.size() == 1 && first.geometry.kind != Geometry::Kind::mesh;
      info.hull_volume = one_primitive      ? primitive_volume(first.geometry)
                         : whole.radius > 0 ? SmallHull(hull.vertices).volume(whole.radius)
                                            : volume(hull);
      // The body that is used may have grown, and its points may be off by as much.
      const double grown_hi = rounding::up(2 * info.radius - given.radius);
      info.excess = excess_hi(given, std::max(grown_hi, info.radius), whole);
    }
    built.push_back({std::move(body), std::move(info)});
  }
  return built;
}

bool holds_collisions(const Link& link, const LinkBodies& chosen, const Meshes& meshes) {
  const BodyModel& model = *chosen.model;
  const std::vector<const Collision*> elements = elements_of(link, Around::collision);
  std::vector<LinkShape> shapes;
  for (const Collision* element : elements) shapes.push_back(shape_of(*element, meshes));
  std::vector<Candidate> bodies = candidates_of(chosen, shapes.size());
  try {
    const LinkProof proof(link, model, elements, std::move(shapes), bodies);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace keepclear
