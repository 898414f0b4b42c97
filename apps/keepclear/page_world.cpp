// SPDX-License-Identifier: BSD-3-Clause
#include "page_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "keepclear/version.hpp"
#include "motion/path_file.hpp"
#include "output.hpp"
#include "robot/kinematics.hpp"
#include "scene/link_shapes.hpp"
#include "scene/world.hpp"
#include "shape/hull.hpp"

namespace keepclear::command {

namespace {

/// Triangles of all shapes together, and of one: a page of some megabytes that stays fluid.
constexpr std::size_t kMaxTriangles = 400'000;
constexpr std::size_t kMaxOfOne = 30'000, kLeastOfOne = 500;
/// Pieces of objects: balls and boxes are drawn by the thousand, hulls one by one.
constexpr std::size_t kMaxInstances = 200'000, kMaxHulls = 3'000;
constexpr std::size_t kMaxCells = 100'000;

std::vector<Vec3> points_of(const Volume& volume) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
  return points;
}

/// Fills a DrawnWorld. What several links use is there once.
class Drawing {
 public:
  Drawing(DrawnWorld& out, std::size_t shapes, std::size_t bodies)
      : out_(out),
        subdivisions_(subdivisions_for(bodies)),
        most_(
            std::clamp(kMaxTriangles / std::max<std::size_t>(shapes, 1), kLeastOfOne, kMaxOfOne)) {}

  int add(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
    out_.shapes.push_back(thinned(vertices, triangles, most_, out_.thinned));
    return static_cast<int>(out_.shapes.size()) - 1;
  }
  int add(std::span<const Vec3> points, double radius) {
    const Surface surface = surface_of(points, radius, subdivisions_);
    return add(surface.vertices, surface.triangles);
  }

  struct Placed {
    int shape = -1, hull = -1;
  };
  Placed of(const Geometry& g, const Meshes& meshes) {
    if (g.kind != Geometry::Kind::mesh) {
      const RoundedHull hull = rounded_hull(g);
      return {add(hull.points, hull.radius), -1};
    }
    const auto [found, fresh] = placed_.try_emplace(key_of(g));
    if (fresh) {
      const Mesh& mesh = meshes.at(key_of(g));
      found->second.shape = add(mesh.vertices, mesh.triangles);
      const Hull hull = convex_hull(mesh.vertices);
      if (!hull.facets.empty()) found->second.hull = add(hull.vertices, hull.facets);
    }
    return found->second;
  }

 private:
  DrawnWorld& out_;
  int subdivisions_;
  std::size_t most_;
  std::map<MeshKey, Placed> placed_;
};

void draw_links(const World& world, const WorldSource& source, Around around, DrawnWorld& out) {
  const WorldData& data = world.data();
  const RobotModel& robot = source.model.robot;
  const int first = source.model.first_link();
  std::vector<const Collision*> elements;
  for (std::size_t l = static_cast<std::size_t>(first); l < robot.links.size(); ++l) {
    const auto own = elements_of(robot.links[l], around);
    elements.insert(elements.end(), own.begin(), own.end());
  }
  const Meshes meshes = read_meshes(elements, 0);
  const bool modelled = std::ranges::any_of(world.bodies(), &BodyInfo::modelled);
  Drawing drawing(out, 2 * meshes.size() + data.bodies.size(), data.bodies.size());
  for (std::size_t l = static_cast<std::size_t>(first); l < robot.links.size(); ++l) {
    const int link = static_cast<int>(l), solid = data.link_solids[l];
    if (solid < 0) continue;
    for (const Collision* const element : elements_of(robot.links[l], around)) {
      const Pose X = data.kinematics.pose_in_frame(link).X * from_origin(element->origin).X;
      const Drawing::Placed placed = drawing.of(element->geometry, meshes);
      DrawnItem item{
          DrawnItem::Layer::shape, solid, -1, data.kinematics.frame_of_link(link), X, placed.shape};
      out.items.push_back(item);
      if (!modelled || placed.hull < 0) continue;
      item.layer = DrawnItem::Layer::hull, item.shape = placed.hull;
      out.items.push_back(item);
    }
  }
  for (std::size_t b = 0; b < data.bodies.size(); ++b) {
    const WorldBody& body = data.bodies[b];
    out.items.push_back({DrawnItem::Layer::body, body.solid, static_cast<int>(b), body.frame,
                         Pose{}, drawing.add(points_of(body.body.volume()), body.body.radius())});
  }
}

void draw_objects(const WorldData& data, DrawnWorld& out) {
  const Environment& environment = data.environment;
  Drawing drawing(out, environment.bodies.size() + data.bodies.size(), environment.bodies.size());
  std::size_t hulls = 0;
  for (const Piece& piece : environment.pieces) {
    const PlacedObject& object = environment.objects[piece.object];
    const Pose& X_WO = object.X_WO.X;
    const bool full = out.boxes.size() + out.balls.size() >= kMaxInstances;
    switch (piece.kind) {
      case PieceKind::box: {
        const BoxPiece& box = environment.boxes[piece.index];
        if (full) {
          ++out.not_drawn;
        } else {
          out.boxes.push_back({X_WO * Pose{Mat3{}, box.centre}, box.half, object.solid});
        }
        break;
      }
      case PieceKind::ball: {
        const Ball& ball = environment.balls[piece.index];
        if (full) {
          ++out.not_drawn;
        } else {
          out.balls.push_back({X_WO * ball.centre, ball.radius, object.solid});
        }
        break;
      }
      case PieceKind::body: {
        const Body& body = environment.bodies[piece.index];
        if (++hulls > kMaxHulls) {
          ++out.not_drawn;
        } else {
          out.items.push_back({DrawnItem::Layer::body, object.solid, -1, 0, X_WO,
                               drawing.add(points_of(body.volume()), body.radius())});
        }
        break;
      }
      case PieceKind::half_space: {
        const HalfSpace& half = environment.half_spaces[piece.index];
        const Vec3 n = (1 / norm(half.n)) * half.n;
        out.planes.push_back({X_WO * (half.offset * n), X_WO.R * n, object.solid});
        break;
      }
    }
  }
  environment.index.visit_cells([&](const Box& cell) {
    if (out.cells.size() < kMaxCells) out.cells.push_back(cell);
  });
}

const char* name_of(DrawnItem::Layer layer) {
  switch (layer) {
    case DrawnItem::Layer::shape:
      return "shape";
    case DrawnItem::Layer::hull:
      return "hull";
    case DrawnItem::Layer::body:
      break;
  }
  return "body";
}

std::string boxes_json(std::span<const DrawnBox> boxes) {
  std::vector<float> X;
  std::vector<std::uint32_t> solids;
  for (const DrawnBox& box : boxes) {
    const Mat3& R = box.X_WB.R;
    const auto scaled = [&](Vec3 row) {
      return Vec3{row.x * box.half.x, row.y * box.half.y, row.z * box.half.z};
    };
    append({{scaled(R.row0), scaled(R.row1), scaled(R.row2)}, box.X_WB.p}, X);
    solids.push_back(static_cast<std::uint32_t>(box.solid));
  }
  return fmt::format(R"({{"X":{},"solid":{},"count":{}}})", packed(X), packed(solids),
                     boxes.size());
}

std::string balls_json(std::span<const DrawnBall> balls) {
  std::vector<float> p;
  std::vector<std::uint32_t> solids;
  for (const DrawnBall& ball : balls) {
    for (const double value : {ball.centre.x, ball.centre.y, ball.centre.z, ball.radius}) {
      p.push_back(static_cast<float>(value));
    }
    solids.push_back(static_cast<std::uint32_t>(ball.solid));
  }
  return fmt::format(R"({{"p":{},"solid":{},"count":{}}})", packed(p), packed(solids),
                     balls.size());
}

std::string cells_json(std::span<const Box> cells) {
  std::vector<float> box;
  for (const auto& [lo, hi] : cells) {
    for (const double value : {lo.x, lo.y, lo.z, hi.x, hi.y, hi.z}) {
      box.push_back(static_cast<float>(value));
    }
  }
  return fmt::format(R"({{"box":{},"count":{}}})", packed(box), cells.size());
}

}  // namespace

std::string unit_of(const Variable& variable) {
  if (is_angle(variable)) return "rad";
  return variable.name.find("/rot_") != std::string::npos && variable.type == "floating" ? "" : "m";
}

DrawnWorld drawn_world(const World& world, const WorldSource& source, Around around) {
  DrawnWorld out;
  draw_links(world, source, around, out);
  draw_objects(world.data(), out);
  return out;
}

std::string origin_of(const BodyInfo& body) {
  std::string text =
      body.file.empty() ? body.shape : std::filesystem::path(body.file).filename().string();
  if (body.parts > 1) text += fmt::format(", part {} of {}", body.part + 1, body.parts);
  if (body.elements.size() > 1) text += fmt::format(" and {} more", body.elements.size() - 1);
  return text;
}

std::string world_document(const World& world, const DrawnWorld& drawn) {
  const WorldData& data = world.data();
  std::string json = fmt::format(
      R"({{"name":{},"file":{},"hash":{},"keepclear":{},"frames":{},"pairs":{},"margin":{},)"
      R"("thinned":{},"not_drawn":{})",
      json_string(world.name()), json_string(world.file()), json_string(world.hash()),
      json_string(kVersion), data.kinematics.frame_count(), world.pair_count(),
      json_number(data.rules.margin), drawn.thinned, drawn.not_drawn);
  const auto member = [&](const char* name, const std::string& value) {
    json += fmt::format(",\n\"{}\":{}", name, value);
  };
  member("joints", json_list(world.variables(), [](const Variable& variable) {
           return fmt::format(R"({{"name":{},"type":{},"unit":"{}","lower":{},"upper":{}}})",
                              json_string(variable.name), json_string(variable.type),
                              unit_of(variable), json_number(variable.lower),
                              json_number(variable.upper));
         }));
  member("solids", json_list(world.solids(), [](const SolidInfo& solid) {
           return fmt::format(R"({{"name":{},"object":{},"moves":{},"robot":{}}})",
                              json_string(solid.name), solid.is_object, solid.moves, solid.robot);
         }));
  std::size_t at = 0;
  member("bodies", json_list(world.bodies(), [&](const BodyInfo& info) {
           const WorldBody& body = data.bodies[at++];
           return fmt::format(
               R"({{"solid":{},"frame":{},"points":{},"radius":{},"from":{},"modelled":{},)"
               R"("excess":{},"volume":{}}})",
               body.solid, body.frame, info.points, json_number(info.radius),
               json_string(origin_of(info)), info.modelled, json_number(info.excess),
               json_number(info.volume));
         }));
  member("items", json_list(drawn.items, [](const DrawnItem& item) {
           return fmt::format(
               R"({{"layer":"{}","solid":{},"body":{},"frame":{},"X":{},"shape":{}}})",
               name_of(item.layer), item.solid, item.body, item.frame, json_of(item.X_FI),
               item.shape);
         }));
  member("boxes", boxes_json(drawn.boxes));
  member("balls", balls_json(drawn.balls));
  member("planes", json_list(drawn.planes, [](const DrawnPlane& plane) {
           return fmt::format(R"({{"solid":{},"point":{},"normal":{}}})", plane.solid,
                              json_of(plane.point), json_of(plane.normal));
         }));
  member("cells", cells_json(drawn.cells));
  member("notes",
         json_list(world.notes(), [](const std::string& note) { return json_string(note); }));
  member("shapes", json_list(drawn.shapes, [](const Grid& grid) { return json_of(grid); }));
  return json + "}";
}

std::vector<NamedState> named_states(const World& world, const WorldSource& source,
                                     const std::string& builtin) {
  std::vector<NamedState> states{{"neutral", world.neutral()}};
  if (source.model.srdf) {
    for (const Srdf::State& state : source.model.srdf->states) {
      std::vector<double> q = world.neutral();
      std::map<std::string, std::size_t> used;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const Variable& variable = world.variables()[i];
        const auto found = state.joints.find(variable.joint);
        if (found == state.joints.end()) continue;
        const std::size_t k = used[variable.joint]++;
        if (k < found->second.size()) q[i] = found->second[k];
      }
      if (used.empty() || !world.data().kinematics.is_configuration(q)) continue;
      states.push_back({state.group.empty() ? state.name : state.group + ": " + state.name, q});
    }
  }
  for (const BuiltinWorld& known : builtin_worlds()) {
    if (known.name != builtin) continue;
    for (const BuiltinWorld::Task& task : known.tasks) {
      const Path path =
          parse_path(task.csv, task.name + ".csv", world.data().kinematics, world.neutral());
      states.push_back({"begin of " + task.name, path.position(path.begin())});
    }
  }
  return states;
}

std::string json_of(const NamedState& state) {
  return fmt::format(R"({{"name":{},"q":{}}})", json_string(state.name),
                     json_list(state.q, [](double value) { return json_number(value); }));
}

}  // namespace keepclear::command
