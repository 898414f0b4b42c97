// SPDX-License-Identifier: BSD-3-Clause
#include "scene/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "robot/packages.hpp"
#include "rounding/infinity.hpp"
#include "scene/mesh_hulls.hpp"
#include "scene/scene_parts.hpp"
#include "shape/body.hpp"
#include "shape/point_cloud.hpp"
#include "shape/primitives.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

using rounding::inflate;

/// A body in its object's frame, and how far it reaches beyond the shape.
struct Prototype {
  std::vector<Body> bodies;
  double excess = 0;
  std::string file;
  std::string hash;  ///< of a mesh
};

/// Kind, dimensions, file: equal shapes share their tables.
using PrototypeKey = std::tuple<int, double, double, double, double, double, std::string>;

Prototype from_rounded_hull(const RoundedHull& hull) {
  Prototype made;
  made.bodies.push_back(make_body(hull, {}, {}));
  const double grown = made.bodies[0].radius() - hull.radius;
  // What rounding added to the radius, the points may be off outwards by as well.
  made.excess = grown + hull.excess > 0 ? rounding::up(rounding::up(2 * grown) + hull.excess) : 0;
  return made;
}

class Builder {
 public:
  Builder(const Scene& scene, const LoadOptions& options, Environment& environment)
      : scene_(scene), options_(options), out_(environment) {}

  void add(const SceneObject& object, int solid, SolidInfo& info, std::vector<std::string>& notes) {
    const auto first = static_cast<std::uint32_t>(out_.pieces.size());
    const auto id = static_cast<std::uint32_t>(out_.objects.size());
    const Shape& shape = object.shape;
    info.shape = to_string(shape.kind);
    out_.mesh_hashes.emplace_back();
    switch (shape.kind) {
      case Shape::Kind::box: {
        const RoundedHull corners = box_hull(shape.size);  // refuses what is no size
        out_.boxes.push_back({{}, corners.points.back()});
        add_piece(id, PieceKind::box, out_.boxes.size());
        break;
      }
      case Shape::Kind::sphere:
        out_.balls.push_back({{}, sphere_hull(shape.radius).radius});
        add_piece(id, PieceKind::ball, out_.balls.size());
        break;
      case Shape::Kind::plane:
        add_plane(object, id);
        break;
      case Shape::Kind::points:
        add_points(object, id, info, notes);
        break;
      case Shape::Kind::octomap:
        add_octomap(object, id, info, notes);
        break;
      default:
        add_bodies(object, id, info);
    }
    out_.objects.push_back({solid, from_origin(object.pose), object.pose, first,
                            static_cast<std::uint32_t>(out_.pieces.size())});
    info.pieces = out_.pieces.size() - first;
  }

 private:
  void add_piece(std::uint32_t object, PieceKind kind, std::size_t count_of_kind) {
    if (out_.pieces.size() >= kMaxPieces) {
      throw Error(Error::Kind::malformed, scene_.file, 0,
                  fmt::format("more than {} convex pieces", kMaxPieces));
    }
    out_.pieces.push_back({object, static_cast<std::uint32_t>(count_of_kind - 1), kind});
  }

  void add_plane(const SceneObject& object, std::uint32_t id) {
    const double length = norm(object.shape.normal);
    if (!(length > 1e-6 && length < 1e6 && std::fabs(object.shape.offset) <= 1e9)) {
      throw Error(Error::Kind::malformed, "", 0, "the normal of a plane must have a length");
    }
    out_.half_spaces.push_back({object.shape.normal, object.shape.offset});
    add_piece(id, PieceKind::half_space, out_.half_spaces.size());
  }

  void add_points(const SceneObject& object, std::uint32_t id, SolidInfo& info,
                  std::vector<std::string>& notes) {
    const CloudPoints cloud = points_of(object.shape, scene_, options_);
    info.file = cloud.file;
    if (cloud.invalid > 0) {
      notes.push_back(fmt::format("object '{}': {} points of {} are no returns (NaN) and left out",
                                  object.name, cloud.invalid, cloud.file));
    }
    double radius = sphere_hull(object.shape.radius).radius;
    if (cloud.point_error > 0) radius = rounding::up(radius + cloud.point_error);
    // A ball reaches beyond that of its true centre by what its radius grew and by how far off it
    // is.
    const double grown = radius - object.shape.radius;
    info.excess = grown > 0 ? rounding::up(rounding::up(grown) + cloud.point_error) : 0;
    for (const Vec3 p : cloud.points) {
      out_.balls.push_back({p, radius});
      add_piece(id, PieceKind::ball, out_.balls.size());
    }
  }

  void add_octomap(const SceneObject& object, std::uint32_t id, SolidInfo& info,
                   std::vector<std::string>& notes) {
    if (object.shape.unknown != UnknownSpace::free &&
        object.shape.unknown != UnknownSpace::occupied) {
      throw Error(Error::Kind::malformed, "", 0, "what unknown space means is not said",
                  "give \"unknown\": \"free\" or \"occupied\"");
    }
    const std::filesystem::path file = file_of(object.shape, scene_, options_);
    info.file = file.string();
    const bool solid_unknown = object.shape.unknown == UnknownSpace::occupied;
    const VoxelMap map = read_octomap(file, solid_unknown);
    auto add_cells = [&](const std::vector<Voxel>& cells) {
      for (const Voxel& cell : cells) {
        const double half = rounding::up(cell.half + map.corner_error);
        // No point of a box is farther from another box than its corners can be. Each corner was
        // moved along all three axes, and was off before.
        info.excess = std::max(
            info.excess,
            rounding::up(inflate(1.7321 * rounding::up(half - cell.half), 2) + map.corner_error));
        out_.boxes.push_back({cell.centre, {half, half, half}});
        add_piece(id, PieceKind::box, out_.boxes.size());
      }
    };
    add_cells(map.occupied);
    add_cells(map.unknown);
    notes.push_back(
        fmt::format("object '{}': {} occupied cells; {} unknown cells inside the map "
                    "are taken as {}, and everything outside it as free",
                    object.name, map.occupied.size(),
                    solid_unknown ? fmt::format("{}", map.unknown.size()) : "all",
                    solid_unknown ? "occupied" : "free"));
  }

  void add_bodies(const SceneObject& object, std::uint32_t id, SolidInfo& info) {
    const Prototype& made = prototype(object.shape);
    info.file = made.file;
    info.excess = made.excess;
    out_.mesh_hashes.back() = made.hash;
    for (const Body& body : made.bodies) {
      out_.bodies.push_back(body);
      add_piece(id, PieceKind::body, out_.bodies.size());
    }
  }

  const Prototype& prototype(const Shape& shape) {
    if (shape.kind == Shape::Kind::mesh && shape.file.empty()) {
      inline_mesh_ = from_mesh(inline_mesh_of(shape));
      return inline_mesh_;
    }
    const bool is_mesh = shape.kind == Shape::Kind::mesh;
    const std::string file = is_mesh ? file_of(shape, scene_, options_).string() : "";
    const Vec3 scale = is_mesh ? shape.scale : Vec3{};
    const PrototypeKey key{
        static_cast<int>(shape.kind), shape.radius, shape.length, scale.x, scale.y, scale.z, file};
    const auto [place, fresh] = known_.try_emplace(key);
    if (!fresh) return place->second;
    switch (shape.kind) {
      case Shape::Kind::cylinder:
        place->second = from_rounded_hull(cylinder_hull(shape.radius, shape.length));
        break;
      case Shape::Kind::capsule:
        place->second = from_rounded_hull(capsule_hull(shape.radius, shape.length));
        break;
      case Shape::Kind::cone:
        place->second = from_rounded_hull(cone_hull(shape.radius, shape.length));
        break;
      default:
        place->second = from_mesh(read_mesh(file, shape.scale));
        place->second.file = file;
    }
    return place->second;
  }

  Prototype from_mesh(const Mesh& mesh) const {
    const MeshHulls hulls = make_hulls(mesh, options_.parts);
    Prototype made;
    made.hash = hulls.hash;
    for (const Hull& hull : hulls.hulls) {
      made.bodies.push_back(
          make_body({hull.vertices, hull.excess, hull.excess}, {}, {}, hulls.vertex_error));
      // The points are those of the file, which may be off outwards before they are grown.
      made.excess =
          std::max(made.excess, rounding::up(made.bodies.back().radius() + hulls.vertex_error));
    }
    return made;
  }

  const Scene& scene_;
  const LoadOptions& options_;
  Environment& out_;
  std::map<PrototypeKey, Prototype> known_;
  Prototype inline_mesh_;
};

/// |R| h, rounded up.
Vec3 turned_half_hi(const Mat3& R, Vec3 h) {
  auto along = [&](Vec3 row) {
    return inflate(std::fabs(row.x) * h.x + std::fabs(row.y) * h.y + std::fabs(row.z) * h.z, 8);
  };
  return {along(R.row0), along(R.row1), along(R.row2)};
}

/// The box of what lies within `half` of `centre` (in B) and `round` around that; `reach_hi` is at
/// least the distance of any of it from B's origin, `round` left aside.
Box placed(Vec3 centre, Vec3 half, double round, double reach_hi, const BoundedPose& X_WB) {
  const Vec3 c = X_WB.X * centre;
  const Vec3 h = turned_half_hi(X_WB.X.R, half);
  const double off_hi =
      rounding::transform_error(X_WB.error, rounding::norm_hi(X_WB.X.p), 0, reach_hi);
  const double out = inflate(round * (1 + X_WB.error.rotation) + off_hi, 6);
  auto low = [&](double x, double e) { return rounding::down(x - inflate(e + out, 2)); };
  auto high = [&](double x, double e) { return rounding::up(x + inflate(e + out, 2)); };
  return {{low(c.x, h.x), low(c.y, h.y), low(c.z, h.z)},
          {high(c.x, h.x), high(c.y, h.y), high(c.z, h.z)}};
}

}  // namespace

void PairRules::set_margin(int a, int b, double value) {
  margins_[key(a, b)] = value;
  margin_hi = std::max(margin_hi, value);
}

double PairRules::margin_of(int a, int b) const {
  if (margins_.empty()) return margin;
  const auto found = margins_.find(key(a, b));
  return found == margins_.end() ? margin : found->second;
}

Box box_around(Vec3 c, double radius, double grow) noexcept {
  const Box box{{c.x - radius, c.y - radius, c.z - radius},
                {c.x + radius, c.y + radius, c.z + radius}};
  // Each of these rounds once.
  const double rounded = rounding::gamma(2) * (rounding::span_hi(c) + radius);
  return grown(box, rounding::inflate(grow + rounded, 2));
}

Box grown(const Box& box, double by) noexcept {
  return {
      {rounding::down(box.lo.x - by), rounding::down(box.lo.y - by), rounding::down(box.lo.z - by)},
      {rounding::up(box.hi.x + by), rounding::up(box.hi.y + by), rounding::up(box.hi.z + by)}};
}

Box placed_box(const BodyTables& body, const BoundedPose& X_WB, double grow) noexcept {
  if (body.kind == BodyKind::segment) {
    const Box a = placed(body.point(0), {}, body.radius + grow, body.reach_hi, X_WB);
    const Box b = placed(body.point(1), {}, body.radius + grow, body.reach_hi, X_WB);
    return {{std::min(a.lo.x, b.lo.x), std::min(a.lo.y, b.lo.y), std::min(a.lo.z, b.lo.z)},
            {std::max(a.hi.x, b.hi.x), std::max(a.hi.y, b.hi.y), std::max(a.hi.z, b.hi.z)}};
  }
  // Centre and half of the box around the points; rounded so that they hold it.
  const Vec3 centre = 0.5 * body.box.lo + 0.5 * body.box.hi;
  auto half = [](double lo, double c, double hi) {
    return rounding::up(std::max(rounding::up(hi - c), rounding::up(c - lo)));
  };
  const Vec3 h{half(body.box.lo.x, centre.x, body.box.hi.x),
               half(body.box.lo.y, centre.y, body.box.hi.y),
               half(body.box.lo.z, centre.z, body.box.hi.z)};
  // Corners of that box are at most sqrt(3) times as far from the origin as the points.
  return placed(centre, h, body.radius + grow, inflate(1.74 * body.reach_hi, 2), X_WB);
}

Box placed_box(const Environment& environment, std::uint32_t piece, const BoundedPose& X_WO,
               double grow) noexcept {
  const Piece& p = environment.pieces[piece];
  switch (p.kind) {
    case PieceKind::body:
      return placed_box(environment.bodies[p.index].tables(), X_WO, grow);
    case PieceKind::ball: {
      const Ball& ball = environment.balls[p.index];
      return placed(ball.centre, {}, ball.radius + grow, rounding::norm_hi(ball.centre), X_WO);
    }
    case PieceKind::box: {
      const BoxPiece& box = environment.boxes[p.index];
      const double reach_hi =
          inflate(rounding::norm_hi(box.centre) + rounding::norm_hi(box.half), 2);
      return placed(box.centre, box.half, grow, reach_hi, X_WO);
    }
    case PieceKind::half_space:
      break;
  }
  return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
}

void build_environment(const Scene& scene, const LoadOptions& options,
                       std::span<const int> solid_of_object, std::vector<SolidInfo>& solids,
                       std::vector<std::string>& notes, Environment& environment) {
  Builder builder(scene, options, environment);
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    if (solid_of_object[i] < 0) continue;
    const SceneObject& object = scene.objects[i];
    try {
      builder.add(object, solid_of_object[i], solids[solid_of_object[i]], notes);
    } catch (const Error& error) {
      rethrow_at(scene, object.place, object.name, error);
    }
  }
  environment.piece_boxes.resize(environment.pieces.size());
  for (const PlacedObject& object : environment.objects) {
    for (std::uint32_t p = object.first; p < object.last; ++p) {
      environment.piece_boxes[p] = placed_box(environment, p, object.X_WO, 0);
    }
  }
}

void index_environment(Environment& environment, std::span<const Box> around) {
  if (environment.pieces.empty()) return;
  environment.index =
      Octree(octree_around(environment.piece_boxes, around, environment.pieces.size()));
  for (std::size_t p = 0; p < environment.pieces.size(); ++p) {
    environment.index.insert(static_cast<int>(p), environment.piece_boxes[p]);
  }
}

Octree::Options octree_around(std::span<const Box> boxes, std::span<const Box> around,
                              std::size_t max_objects) {
  Vec3 lo{kInfinity, kInfinity, kInfinity}, hi{-kInfinity, -kInfinity, -kInfinity};
  auto include = [&](const Box& box) {
    if (!is_finite(box.lo) || !is_finite(box.hi)) return;
    lo = {std::min(lo.x, box.lo.x), std::min(lo.y, box.lo.y), std::min(lo.z, box.lo.z)};
    hi = {std::max(hi.x, box.hi.x), std::max(hi.y, box.hi.y), std::max(hi.z, box.hi.z)};
  };
  for (const Box& box : boxes) include(box);
  for (const Box& box : around) include(box);
  Octree::Options options;
  options.max_objects = max_objects;
  if (lo.x > hi.x) return options;
  options.centre = 0.5 * lo + 0.5 * hi;
  options.size = std::max({hi.x - lo.x, hi.y - lo.y, hi.z - lo.z, 1.0}) * 1.01;
  // What stands still may be found in cells as small as it likes.
  options.smallest_cell = 1e-3;
  return options;
}

}  // namespace keepclear
