// SPDX-License-Identifier: BSD-3-Clause
//
// The table: each body that fit() makes, beside what others would put around the same link.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>

#include "bench/fit_bench.hpp"
#include "bench/fit_rivals.hpp"
#include "bench/fit_search.hpp"
#include "robot/urdf.hpp"
#include "scene/mesh_hulls.hpp"
#include "scene/world.hpp"
#include "shape/primitives.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

/// Metres: how closely the sticking out is found.
constexpr double kWithin = 1e-5;

/// Volumes that differ by less than this share are the same body, found twice.
constexpr double kAlike = 1e-6;

struct TableRow {
  std::string robot;
  bool target = false;
  FittedBody fitted;
  Piece piece;
  double capsule = 0, box = 0;  ///< volumes
  bool has_spheres = false;     ///< the robot comes with them; this link may have none
  std::vector<Sphere> spheres;
  double spheres_volume = 0, spheres_out = 0;

  double ratio(double volume) const { return volume / fitted.hull_volume; }
};

std::string link_and_element(const std::string& link, int element) {
  return fmt::format("{} {}", link, element);
}

/// The bodies of a world without a model, in the frames of their links.
std::map<std::string, Piece> pieces_of(const World& world) {
  std::map<std::string, Piece> pieces;
  const WorldData& data = world.data();
  for (std::size_t i = 0; i < data.bodies.size(); ++i) {
    const WorldBody& placed = data.bodies[i];
    const BodyInfo& info = data.body_infos[i];
    const Pose X_LF = inverse(data.kinematics.pose_in_frame(placed.link).X);
    const Volume volume = placed.body.volume();
    Piece piece{{}, volume.radius};
    for (std::size_t k = 0; k < volume.count; ++k) piece.points.push_back(X_LF * volume.point(k));
    pieces.emplace(link_and_element(info.link, info.element), std::move(piece));
  }
  return pieces;
}

Pose pose_of(const Origin& origin) {
  return {rotation_from_rpy(origin.rpy), origin.xyz};
}

/// The surface of a collision element in the frame of its link.
Mesh surface_of(const Collision& collision) {
  const Geometry& g = collision.geometry;
  Mesh mesh;
  if (g.kind == Geometry::Kind::mesh) {
    mesh = read_mesh(g.file, g.scale);
  } else {
    std::vector<Vec3> points;
    if (g.kind == Geometry::Kind::sphere) {
      for (const Vec3& d : spread_directions(20'000, true)) points.push_back(g.radius * d);
    } else if (g.kind == Geometry::Kind::box) {
      points = box_hull(g.size).points;
    } else {
      throw std::runtime_error("the benchmark has no surface for a " +
                               std::string(to_string(g.kind)));
    }
    const Hull hull = convex_hull(points);
    mesh = {hull.vertices, hull.facets, 0};
  }
  const Pose X_LC = pose_of(collision.origin);
  for (Vec3& p : mesh.vertices) p = X_LC * p;
  return mesh;
}

void add_spheres(const fs::path& meshes, const fs::path& spheres, const LoadOptions& load,
                 std::span<TableRow> rows) {
  const PackagePaths packages{load.packages, load.package_path};
  const RobotModel model = read_urdf(meshes, packages);
  const RobotModel other = read_urdf(spheres, packages);
  for (TableRow& row : rows) {
    row.has_spheres = true;
    const int of_spheres = other.find_link(row.fitted.body.link);
    if (of_spheres < 0) continue;
    for (const Collision& c : other.links[of_spheres].collisions) {
      if (c.geometry.kind != Geometry::Kind::sphere) throw std::runtime_error("not a sphere");
      row.spheres.push_back({c.origin.xyz, c.geometry.radius});
    }
    if (row.spheres.empty()) continue;
    row.spheres_volume = union_volume(row.spheres);
    row.spheres_out = -std::numeric_limits<double>::infinity();
    const Link& link = model.links[model.find_link(row.fitted.body.link)];
    for (const int element : row.fitted.elements) {
      row.spheres_out = std::max(
          row.spheres_out, sticks_out(surface_of(link.collisions[element]), row.spheres, kWithin));
    }
  }
}

void print_row(const TableRow& row, FitReport& report) {
  const FittedBody& f = row.fitted;
  const std::string element =
      f.elements.empty() || f.elements[0] == 0 ? "" : fmt::format(" [{}]", f.elements[0]);
  std::string spheres, spheres_csv = ",,";
  if (row.has_spheres && row.spheres.empty()) {
    spheres = fmt::format(" {:>7} {:>8} {:>9}", "none", "-", "-");
    spheres_csv = "0,,";
  } else if (row.has_spheres) {
    const double out_mm = 1e3 * std::max(0.0, row.spheres_out);
    spheres = fmt::format(" {:>7} {:8.3f} {:9.2f}", row.spheres.size(),
                          row.ratio(row.spheres_volume), out_mm);
    spheres_csv =
        fmt::format("{},{:.4f},{:.3f}", row.spheres.size(), row.ratio(row.spheres_volume), out_mm);
  }
  const double capsule = row.ratio(row.capsule), box = row.ratio(row.box);
  report.row(
      fmt::format("{:38} {:>6} {:8.3f} {:8.1f} {:8.2f} {:8.3f} {:8.3f}  0{}", f.body.link + element,
                  f.body.points.size(), row.ratio(f.volume), 1e3 * f.excess, f.seconds, capsule,
                  box, spheres),
      fmt::format("{},{},{},{},{},{:.3f},{:.4f},{:.2f},{:.2f},{:.3f},{:.4f},{:.4f},0,{}", row.robot,
                  f.body.link, f.elements.empty() ? 0 : f.elements[0], row.piece.points.size(),
                  f.body.points.size(), 1e6 * f.hull_volume, row.ratio(f.volume), 1e3 * f.excess,
                  1e3 * f.surface_distance, f.seconds, capsule, box, spheres_csv));
}

void print_shares(const std::string& name, std::span<const TableRow> rows, FitReport& report) {
  std::vector<double> ratios;
  std::size_t capsule = 0, box = 0, both = 0, flat = 0, alike = 0;
  for (const TableRow& row : rows) {
    const double ratio = row.ratio(row.fitted.volume);
    if (!std::isfinite(ratio)) {
      ++flat;
      continue;
    }
    ratios.push_back(ratio);
    const bool below_capsule = row.fitted.volume < (1 - kAlike) * row.capsule;
    const bool below_box = row.fitted.volume < (1 - kAlike) * row.box;
    capsule += below_capsule;
    box += below_box;
    both += below_capsule && below_box;
    const double least = std::min(row.capsule, row.box);
    alike += !(below_capsule && below_box) && row.fitted.volume < (1 + kAlike) * least;
  }
  std::sort(ratios.begin(), ratios.end());
  const auto share = [&](std::size_t count) {
    return fmt::format("{} ({:.1f} %)", count,
                       100.0 * static_cast<double>(count) / static_cast<double>(ratios.size()));
  };
  report.remark(fmt::format(
      "{}: {} bodies, volume over hull: median {:.4f}, largest {:.4f}; smaller than the best "
      "capsule: {}, than the best box: {}, than both: {}{}{}",
      name, ratios.size(), quantile(ratios, 0.5), ratios.empty() ? 0 : ratios.back(),
      share(capsule), share(box), share(both),
      alike > 0 ? fmt::format("; as small as the smaller of the two: {} more", alike) : "",
      flat > 0 ? fmt::format("; {} flat ones left out", flat) : ""));
}

/// Fits a robot, with the clock, then the others around the same pieces.
std::vector<TableRow> measure(const FitRobot& robot, const fs::path& file,
                              const FitBenchOptions& options, FitReport& report,
                              std::string& times) {
  const LoadOptions load = load_options(options);
  const auto start = std::chrono::steady_clock::now();
  Fit fitted = fit(file, load, fit_options(options, options.points[0]));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  // A world with these bodies loads only if each is proved to contain what it stands for.
  LoadOptions with_model = load;
  with_model.bodies = std::make_shared<const BodyModel>(fitted.model);
  keepclear::load(file, with_model);

  std::map<std::string, Piece> pieces = pieces_of(keepclear::load(file, load));
  std::vector<TableRow> rows;
  for (FittedBody& body : fitted.bodies) {
    if (body.body.link.find(options.link) == std::string::npos) continue;
    TableRow& row = rows.emplace_back();
    row.robot = robot.name;
    row.target = robot.target;
    row.piece = pieces.at(link_and_element(body.body.link, body.elements.at(0)));
    row.fitted = std::move(body);
  }
  for_each_parallel(rows.size(), options.threads, [&](std::size_t i) {
    rows[i].capsule = best_capsule(rows[i].piece).volume();
    rows[i].box = best_box(rows[i].piece).volume();
  });
  if (robot.spheres != nullptr) {
    add_spheres(file, file.parent_path() / robot.spheres, load, rows);
  }
  fmt::print("\n");
  report.remark(
      fmt::format("{}: {} bodies fitted in {:.2f} s on {} threads, proved to contain "
                  "what they stand for",
                  robot.name, fitted.bodies.size(), seconds.count(), options.threads));
  times += fmt::format("{}{} {:.2f}", times.empty() ? "" : ", ", robot.name, seconds.count());
  fmt::print("{:38} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>2}{}\n", "link", "points", "volume",
             "beyond", "seconds", "capsule", "box", "o",
             robot.spheres != nullptr
                 ? fmt::format(" {:>7} {:>8} {:>9}", "spheres", "volume", "out mm")
                 : "");
  for (const TableRow& row : rows) print_row(row, report);
  if (!rows.empty()) print_shares(robot.name, rows, report);
  return rows;
}

}  // namespace

void run_table(const FitBenchOptions& options, FitReport& report) {
  report.remark(
      fmt::format("at most {} points a body; volumes over that of the hull of what the "
                  "body stands for",
                  options.points[0]));
  report.columns(
      "robot,link,element,hull_points,points,hull_cm3,volume_ratio,beyond_hull_mm,"
      "surface_distance_mm,seconds,capsule_ratio,box_ratio,out_mm,spheres,spheres_ratio,"
      "spheres_out_mm");
  std::vector<TableRow> counted;
  std::string times;
  for (const FitRobot& robot : fit_robots()) {
    if (!options.robots.empty() && !options.robots.contains(robot.name)) continue;
    const auto file = find_robot(robot);
    if (!file) {
      report.remark(fmt::format("{}: skipped: no data", robot.name));
      continue;
    }
    std::vector<TableRow> rows = measure(robot, *file, options, report, times);
    if (!robot.target) continue;
    for (TableRow& row : rows) counted.push_back(std::move(row));
  }
  fmt::print("\n");
  if (!counted.empty()) {
    print_shares("all robots but those with spheres", counted, report);
    report.remark("to reach: median 1.20; smaller than the capsule 90 %, than the box 90 %");
  }
  if (times.empty()) return;
  report.remark(fmt::format("seconds for a whole robot on {} threads: {}", options.threads, times));
  report.remark("to reach: a 7-joint arm (iiwa7, panda) in less than 60 on 2 threads");
}

}  // namespace keepclear::bench
