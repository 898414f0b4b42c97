// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/error.hpp"
#include "output.hpp"
#include "robot/kinematics.hpp"
#include "scene/link_shapes.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"
#include "shape/surface.hpp"

namespace keepclear::command {

namespace {

/// Triangles of all meshes together, and of one at most: a page of some megabytes.
constexpr std::size_t kMaxTriangles = 400'000;
constexpr std::size_t kMaxOfOne = 30'000;
constexpr std::size_t kLeastOfOne = 1'000;
/// How finely the surfaces of so many bodies are drawn.
int subdivisions_for(std::size_t bodies) {
  constexpr std::size_t kFew = 60, kMany = 300;
  return bodies <= kFew ? 4 : bodies <= kMany ? 3 : 2;
}

/// The triangles of a body lie within it. Drawn with this radius they lie around it instead, so
/// that no shape pierces it only on the screen: after three subdivisions, the largest triangle of
/// the icosahedron is within 5.46 degrees of its middle, and each more halves that.
double drawn_radius(double radius, int subdivisions) {
  constexpr double kDegree = 3.14159265358979 / 180;
  return radius / std::cos(5.46 * kDegree * std::exp2(3 - subdivisions));
}

struct Piece {
  const char* file;
  const char* text;
};
constexpr Piece kPieces[] = {
#include "page.inc"
};

std::string text_of(std::string_view file) {
  std::string text;
  for (const Piece& piece : kPieces) {
    if (piece.file == file) text += piece.text;
  }
  return text;
}

void fill(std::string& page, std::string_view place, std::string_view text) {
  const std::size_t at = page.find(place);
  if (at == std::string::npos) {
    throw Error(Error::Kind::internal, "", 0, "the page has no place for " + std::string(place));
  }
  page.replace(at, place.size(), text);
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

/// Little-endian, as the page reads it.
template <typename Integer>
std::string base64_of(std::span<const Integer> values) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size() * sizeof(Integer));
  for (const Integer value : values) {
    for (std::size_t k = 0; k < sizeof(Integer); ++k) {
      bytes.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
    }
  }
  return base64(bytes);
}

/// Triangles on a grid of 2^bits steps within their box; what falls together becomes one.
struct Grid {
  Vec3 lo, step;
  std::vector<std::uint16_t> vertices;  ///< three coordinates each, in steps
  std::vector<std::uint32_t> indices;   ///< three a triangle
};

Grid on_grid(std::span<const Vec3> points, std::span<const Triangle> triangles, int bits) {
  Grid grid;
  Vec3 hi;
  grid.lo = hi = points.empty() ? Vec3{} : points.front();
  for (const Vec3 p : points) {
    grid.lo = {std::min(grid.lo.x, p.x), std::min(grid.lo.y, p.y), std::min(grid.lo.z, p.z)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
  }
  const Vec3 size = hi - grid.lo;
  // Cells are cubes: a thin shape must not keep detail across that it loses along.
  const double step =
      std::max({size.x, size.y, size.z, 1e-9}) / static_cast<double>((1U << bits) - 1);
  grid.step = {step, step, step};
  const auto steps = [&](double value, double lo) {
    return static_cast<std::uint16_t>(std::clamp(std::round((value - lo) / step), 0.0, 65535.0));
  };
  std::map<std::array<std::uint16_t, 3>, std::uint32_t> known;
  std::vector<std::uint32_t> index(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::array<std::uint16_t, 3> place = {steps(points[i].x, grid.lo.x),
                                                steps(points[i].y, grid.lo.y),
                                                steps(points[i].z, grid.lo.z)};
    const auto [found, fresh] = known.emplace(place, static_cast<std::uint32_t>(known.size()));
    if (fresh) grid.vertices.insert(grid.vertices.end(), place.begin(), place.end());
    index[i] = found->second;
  }
  std::vector<Triangle> kept;
  for (const Triangle& t : triangles) {
    const std::uint32_t a = index[t[0]], b = index[t[1]], c = index[t[2]];
    if (a == b || b == c || c == a) continue;
    // The same triangle begins with the same corner, so that duplicates are seen.
    const std::uint32_t first = std::min({a, b, c});
    kept.push_back(first == a   ? Triangle{a, b, c}
                   : first == b ? Triangle{b, c, a}
                                : Triangle{c, a, b});
  }
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (const Triangle& t : kept) grid.indices.insert(grid.indices.end(), t.begin(), t.end());
  return grid;
}

std::string json_of(const Grid& grid) {
  const bool wide = grid.vertices.size() / 3 > 65536;
  const std::vector<std::uint16_t> narrow(grid.indices.begin(),
                                          wide ? grid.indices.begin() : grid.indices.end());
  return fmt::format(
      R"({{"lo":[{:.7g},{:.7g},{:.7g}],"step":[{:.7g},{:.7g},{:.7g}],"wide":{},"v":"{}","i":"{}"}})",
      grid.lo.x, grid.lo.y, grid.lo.z, grid.step.x, grid.step.y, grid.step.z, wide,
      base64_of<std::uint16_t>(grid.vertices),
      wide ? base64_of<std::uint32_t>(grid.indices) : base64_of<std::uint16_t>(narrow));
}

std::string json_of(const Pose& X) {
  const auto& [r0, r1, r2] = X.R;
  return fmt::format(
      "[{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g}]", r0.x,
      r0.y, r0.z, X.p.x, r1.x, r1.y, r1.z, X.p.y, r2.x, r2.y, r2.z, X.p.z);
}

Surface surface_of(std::span<const Vec3> points, double radius, int subdivisions) {
  std::vector<double> x, y, z;
  for (const Vec3 p : points) x.push_back(p.x), y.push_back(p.y), z.push_back(p.z);
  return triangulate({radius, points.size(), x.data(), y.data(), z.data()}, subdivisions);
}

/// The geometry of the page. What several links use is there once.
class Shapes {
 public:
  Shapes(const Meshes& meshes, std::size_t bodies)
      : meshes_(meshes),
        subdivisions_(subdivisions_for(bodies)),
        most_(std::clamp(kMaxTriangles / std::max<std::size_t>(meshes.size(), 1), kLeastOfOne,
                         kMaxOfOne)) {}

  int add(const Grid& grid) {
    text_ += (count_ > 0 ? ",\n" : "") + json_of(grid);
    return count_++;
  }
  int add(const Surface& surface) { return add(on_grid(surface.vertices, surface.triangles, 16)); }

  int add(const ModelBody& body) {
    return add(surface_of(body.points, drawn_radius(body.radius, subdivisions_), subdivisions_));
  }

  struct Placed {
    int shape = -1, hull = -1;
  };
  Placed of(const Geometry& g) {
    if (g.kind != Geometry::Kind::mesh) {
      const RoundedHull hull = rounded_hull(g);
      return {add(surface_of(hull.points, hull.radius, subdivisions_)), -1};
    }
    const auto [found, fresh] = placed_.try_emplace(key_of(g));
    if (fresh) found->second = add_mesh(meshes_.at(key_of(g)));
    return found->second;
  }

  bool thinned() const { return thinned_; }
  const std::string& text() const { return text_; }

 private:
  Placed add_mesh(const Mesh& mesh) {
    int bits = 16;
    Grid grid = on_grid(mesh.vertices, mesh.triangles, bits);
    // Coarser steps only help once they are as long as the edges.
    while (grid.indices.size() > 3 * most_ && bits > 4) {
      bits = std::min(bits - 1, 10);
      grid = on_grid(mesh.vertices, mesh.triangles, bits);
      thinned_ = true;
    }
    Placed placed;
    placed.shape = add(grid);
    const Hull hull = convex_hull(mesh.vertices);
    if (!hull.facets.empty()) placed.hull = add(on_grid(hull.vertices, hull.facets, 16));
    return placed;
  }

  const Meshes& meshes_;
  int subdivisions_;
  std::size_t most_;
  int count_ = 0;
  bool thinned_ = false;
  std::string text_;
  std::map<MeshKey, Placed> placed_;
};

std::string json_of(const FittedBody& fitted, const std::string& from, Shapes& shapes) {
  std::string points;
  for (const Vec3 p : fitted.body.points) {
    points += fmt::format("{}[{:.7g},{:.7g},{:.7g}]", points.empty() ? "" : ",", p.x, p.y, p.z);
  }
  const int shape = shapes.add(fitted.body);
  return fmt::format(
      R"({{"shape":{},"from":{},"radius":{:.7g},"volume":{:.7g},"hull_volume":{:.7g},"excess":{:.7g},)"
      R"("surface_distance":{:.7g},"points":[{}]}})",
      shape, json_string(from), fitted.body.radius, fitted.volume, fitted.hull_volume,
      fitted.excess, fitted.surface_distance, points);
}

std::string items_of(const Link& link, Around around, const Pose& X_WL, Shapes& shapes) {
  std::string items;
  const auto put = [&](const char* kind, int shape, const Pose& X) {
    if (shape < 0) return;
    items += fmt::format(R"({}{{"kind":"{}","shape":{},"X":{}}})", items.empty() ? "" : ",", kind,
                         shape, json_of(X));
  };
  for (const Collision* const element : elements_of(link, around)) {
    const Pose X = X_WL * from_origin(element->origin).X;
    const Shapes::Placed placed = shapes.of(element->geometry);
    put("shape", placed.shape, X);
    put("hull", placed.hull, X);
  }
  return items;
}

/// JSON that stands in a page: nothing in it may look like a tag.
std::string in_page(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string origin_of(const FittedBody& fitted, const WorldSource& source, Around around) {
  constexpr std::size_t kMaxNamed = 3;
  const RobotModel& robot = source.model.robot;
  const int link = robot.find_link(fitted.body.link);
  if (link < 0) return "";
  const auto elements = elements_of(robot.links[static_cast<std::size_t>(link)], around);
  std::string text;
  std::size_t named = 0;
  for (const int element : fitted.elements) {
    if (element < 0 || static_cast<std::size_t>(element) >= elements.size()) continue;
    if (++named > kMaxNamed) break;
    const Geometry& g = elements[static_cast<std::size_t>(element)]->geometry;
    text += (text.empty() ? "" : " + ") +
            (g.file.empty() ? std::string(to_string(g.kind)) : g.file.filename().string());
  }
  if (named > kMaxNamed) text += fmt::format(" + {} more", fitted.elements.size() - kMaxNamed);
  return text;
}

std::string fit_page(const WorldSource& source, const Fit& fit) {
  const RobotModel& robot = source.model.robot;
  const Around around = fit.model.around;
  const Kinematics kinematics(robot);
  std::vector<BoundedPose> frames(static_cast<std::size_t>(kinematics.frame_count()));
  if (!kinematics.forward(kinematics.neutral(), 0, frames)) {
    throw Error(Error::Kind::malformed, robot.file, 0, "the robot has no neutral pose to show");
  }
  const int first = source.model.first_link(), last = source.model.first_attached;
  std::vector<const Collision*> elements;
  for (int l = first; l < last; ++l) {
    const auto own = elements_of(robot.links[static_cast<std::size_t>(l)], around);
    elements.insert(elements.end(), own.begin(), own.end());
  }
  const Meshes meshes = read_meshes(elements, 0);
  Shapes shapes(meshes, fit.bodies.size());
  std::string links, bare;
  for (int l = first; l < last; ++l) {
    const Link& link = robot.links[static_cast<std::size_t>(l)];
    const Pose X_WL = frames[static_cast<std::size_t>(kinematics.frame_of_link(l))].X *
                      kinematics.pose_in_frame(l).X;
    const std::string items = items_of(link, around, X_WL, shapes);
    std::string bodies;
    for (const FittedBody& fitted : fit.bodies) {
      if (fitted.body.link != link.name) continue;
      bodies +=
          (bodies.empty() ? "" : ",") + json_of(fitted, origin_of(fitted, source, around), shapes);
    }
    if (items.empty() && bodies.empty()) {
      bare += (bare.empty() ? "" : ",") + json_string(link.name);
      continue;
    }
    links += fmt::format(R"({}{{"name":{},"X":{},"items":[{}],"bodies":[{}]}})",
                         links.empty() ? "" : ",\n", json_string(link.name), json_of(X_WL), items,
                         bodies);
  }
  std::string page = text_of("fit.html");
  fill(page, "{{style}}", text_of("fit.css"));
  fill(page, "{{script}}", text_of("draw.js") + text_of("fit.js"));
  // Last, and not searched again: names of links may hold anything.
  fill(page, "{{data}}",
       in_page(fmt::format(R"({{"world":{},"around":"{}","thinned":{},"links":[)"
                           "\n{}\n"
                           R"(],"bare":[{}],"shapes":[)"
                           "\n{}\n]}}",
                           json_string(fit.model.world.empty() ? robot.name : fit.model.world),
                           to_string(around), shapes.thinned(), links, bare, shapes.text())));
  return page;
}

}  // namespace keepclear::command
