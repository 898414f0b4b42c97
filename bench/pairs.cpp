// SPDX-License-Identifier: BSD-3-Clause
//
// All pairs of links of public robots, sorted; what their SRDFs leave out though it can collide;
// and FCL on both.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "bench/peer.hpp"
#include "bench/program.hpp"
#include "bench/sweep_scene.hpp"
#include "keepclear/pairs.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    R"(usage: bench_pairs [--csv FILE] [--srdf-csv FILE] [--robots a,b] [--budget N] [--threads N]
                   [--samples N] [--seed N]

A robot is a URDF of $KEEPCLEAR_DATA/robots, or of shared/robots beside the project, by the name of
the file without .urdf; or a built-in world.
)";

struct Options {
  std::string csv, srdf_csv;
  std::set<std::string> robots;
  std::size_t budget = PairsOptions{}.budget;
  std::size_t samples = 2000;
  int threads = 2;
  unsigned seed = 1;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name);
    const std::string value = argv[++i];
    if (name == "--csv") {
      options.csv = value;
    } else if (name == "--srdf-csv") {
      options.srdf_csv = value;
    } else if (name == "--robots") {
      std::istringstream in(value);
      for (std::string robot; std::getline(in, robot, ',');) options.robots.insert(robot);
    } else if (name == "--budget") {
      options.budget = std::stoul(value);
    } else if (name == "--threads") {
      options.threads = std::stoi(value);
    } else if (name == "--samples") {
      options.samples = std::stoul(value);
    } else if (name == "--seed") {
      options.seed = static_cast<unsigned>(std::stoul(value));
    } else {
      throw std::invalid_argument(name);
    }
  }
  return options;
}

/// A robot, its pairs sorted, and what is written of it.
struct Sorted {
  std::string name, srdf;
  fs::path urdf;  ///< empty: built in
  World world;
  std::vector<PairOfLinks> pairs{};
  double seconds = 0;
  std::size_t never_samples = 0, never_hits = 0;

  std::size_t count(PairClass kind) const {
    return static_cast<std::size_t>(std::count_if(
        pairs.begin(), pairs.end(), [&](const PairOfLinks& pair) { return pair.kind == kind; }));
  }
};

/// With its SRDF, if there is one and it can be read.
Sorted load_robot(const fs::path& urdf) {
  const std::string name = urdf.stem().string();
  LoadOptions options;
  options.allow_no_pairs = true;
  const fs::path srdf = srdf_of(urdf);
  if (!srdf.empty()) {
    options.srdf = srdf;
    try {
      return {name, srdf.filename().string(), urdf, load(urdf, options)};
    } catch (const Error& error) {
      fmt::print("{}: without its SRDF: {}\n", name, error.what());
      options.srdf.reset();
    }
  }
  return {name, "", urdf, load(urdf, options)};
}

/// The joints that matter to a pair; nothing of no pose.
std::string pose_text(const World& world, const PairOfLinks& pair, std::span<const double> q) {
  if (q.empty()) return {};
  std::string text;
  for (const int j : pair.joints) {
    const auto i = static_cast<std::size_t>(j);
    text += fmt::format("{}{}={:.17g}", text.empty() ? "" : " ", world.variables()[i].name, q[i]);
  }
  return text;
}

/// FCL on the bodies of two solids.
bool collide(const Scene& scene, const FclShapes& shapes, int a, int b) {
  for (const int i : scene.shapes_of_link[static_cast<std::size_t>(a)]) {
    for (const int j : scene.shapes_of_link[static_cast<std::size_t>(b)]) {
      if (shapes.collide(i, j)) return true;
    }
  }
  return false;
}

/// Pairs that are proved never to touch, in random poses.
void sample_never(const Scene& hulls, const Options& options, Sorted& robot) {
  FclShapes shapes(hulls);
  SolidPoses poses(robot.world);
  Random random(options.seed);
  std::vector<double> q(robot.world.dof());
  std::vector<Pose> X_WS(robot.world.solids().size());
  for (std::size_t i = 0; i < options.samples; ++i) {
    set_random(robot.world, random, q);
    if (!poses(q, X_WS)) continue;
    shapes.move(X_WS);
    for (const PairOfLinks& pair : robot.pairs) {
      if (pair.kind != PairClass::never) continue;
      ++robot.never_samples;
      if (!collide(hulls, shapes, pair.a, pair.b)) continue;
      ++robot.never_hits;
      fmt::print("  FCL: {} - {} collide, proved to be {:.6f} m apart\n",
                 robot.world.solids()[static_cast<std::size_t>(pair.a)].name,
                 robot.world.solids()[static_cast<std::size_t>(pair.b)].name, pair.clearance);
    }
  }
}

/// How often hulls collide in random poses of the joints between two links, and meshes in these.
struct MeshSamples {
  std::size_t hulls = 0, meshes = 0;
  std::vector<double> q;  ///< the first in which the meshes collide
};
constexpr std::size_t kMeshTries = 20'000, kMeshSamples = 500;
/// Of the way from a pose to one at random.
constexpr double kNear = 0.05;

/// The two scenes and their FCL shapes, moved together.
struct BothShapes {
  explicit BothShapes(const Scene& of_hulls, const fs::path& urdf)
      : hulls(of_hulls),
        meshes(surfaces_of(of_hulls, urdf)),
        hull_shapes(hulls),
        mesh_shapes(meshes),
        poses(of_hulls.world),
        X_WS(of_hulls.world.solids().size()) {}

  bool move(std::span<const double> q) {
    if (!poses(q, X_WS)) return false;
    hull_shapes.move(X_WS);
    mesh_shapes.move(X_WS);
    return true;
  }
  bool hulls_collide(const PairOfLinks& pair) const {
    return collide(hulls, hull_shapes, pair.a, pair.b);
  }
  bool meshes_collide(const PairOfLinks& pair) const {
    return collide(meshes, mesh_shapes, pair.a, pair.b);
  }

  const Scene& hulls;
  Scene meshes;
  FclShapes hull_shapes, mesh_shapes;
  SolidPoses poses;
  std::vector<Pose> X_WS;
};

/// A hull is deepest where it need not be full: elsewhere the meshes may collide all the same.
MeshSamples sample_meshes(const PairOfLinks& pair, unsigned seed, BothShapes& shapes) {
  MeshSamples found;
  Random random(seed);
  std::vector<double> q = pair.witness, drawn(q.size());
  for (std::size_t i = 0; i < kMeshTries && found.hulls < kMeshSamples; ++i) {
    set_random(shapes.hulls.world, random, drawn);
    // Every other one near the witness: of some pairs few poses collide.
    const double share = i % 2 == 0 ? 1 : kNear;
    for (const int j : pair.joints) {
      const auto k = static_cast<std::size_t>(j);
      q[k] = pair.witness[k] + share * (drawn[k] - pair.witness[k]);
    }
    if (!shapes.move(q) || !shapes.hulls_collide(pair)) continue;
    ++found.hulls;
    if (!shapes.meshes_collide(pair)) continue;
    if (found.meshes++ == 0) found.q = q;
  }
  return found;
}

/// Pairs that the SRDF leaves out for another reason than that they are joined, and that collide.
void list_disabled(const Scene& hulls, const Options& options, const Sorted& robot,
                   std::ostream& csv) {
  const auto is_listed = [](const PairOfLinks& pair) {
    return pair.disabled && pair.reason != "Adjacent" && pair.kind == PairClass::sometimes;
  };
  if (std::none_of(robot.pairs.begin(), robot.pairs.end(), is_listed)) return;
  BothShapes shapes(hulls, robot.urdf);
  for (const PairOfLinks& pair : robot.pairs) {
    if (!is_listed(pair)) continue;
    if (!shapes.move(pair.witness)) throw std::runtime_error("a witness is no configuration");
    const bool of_hulls = shapes.hulls_collide(pair), of_meshes = shapes.meshes_collide(pair);
    MeshSamples samples;
    if (!of_meshes) samples = sample_meshes(pair, options.seed, shapes);
    const std::string& a = robot.world.solids()[static_cast<std::size_t>(pair.a)].name;
    const std::string& b = robot.world.solids()[static_cast<std::size_t>(pair.b)].name;
    const std::string pose = pose_text(robot.world, pair, pair.witness);
    const std::string mesh_pose = of_meshes ? pose : pose_text(robot.world, pair, samples.q);
    std::string meshes = "collide";
    if (!of_meshes) {
      meshes = fmt::format("apart, but in {} of {} random poses in which the hulls collide",
                           samples.meshes, samples.hulls);
    }
    fmt::print("  {} - {} ({}): {:.3f} mm deep; FCL: hulls {}, meshes {}; {}\n", a, b, pair.reason,
               -1e3 * pair.distance, of_hulls ? "collide" : "APART", meshes, pose);
    csv << fmt::format("{},{},{},{},{},{:.3f},{},{},{},{},\"{}\",\"{}\"\n", robot.name, robot.srdf,
                       a, b, pair.reason, -1e3 * pair.distance, of_hulls ? 1 : 0, of_meshes ? 1 : 0,
                       samples.hulls, samples.meshes, pose, mesh_pose);
  }
  csv.flush();
}

void sort_pairs(Sorted robot, const Options& options, std::ostream& csv, std::ostream& srdf_csv) {
  PairsOptions how;
  how.budget = options.budget;
  how.threads = options.threads;
  how.seed = options.seed;
  const auto start = std::chrono::steady_clock::now();
  robot.pairs = classify_pairs(robot.world, how);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  robot.seconds = took.count();
  const Scene hulls = solids_of(robot.name, robot.world);
  std::size_t tests = 0;
  for (const PairOfLinks& pair : robot.pairs) tests += pair.tests;
  const std::size_t undecided = robot.count(PairClass::undecided);
  const std::size_t all = std::max<std::size_t>(robot.pairs.size(), 1);
  const double share = 100.0 * static_cast<double>(undecided) / static_cast<double>(all);
  sample_never(hulls, options, robot);
  fmt::print("{:28} {:4} {:6} {:9} {:7} {:6} {:10} {:10} {:7.2f} {:10} {:8.2f} {:10} {:6}\n",
             robot.name, robot.world.dof(), robot.pairs.size(), robot.count(PairClass::adjacent),
             robot.count(PairClass::always), robot.count(PairClass::never),
             robot.count(PairClass::sometimes), undecided, share, tests, robot.seconds,
             robot.never_samples, robot.never_hits);
  csv << fmt::format("{},{},{},{},{},{},{},{},{},{:.3f},{},{:.3f},{},{}\n", robot.name, robot.srdf,
                     robot.world.dof(), robot.pairs.size(), robot.count(PairClass::adjacent),
                     robot.count(PairClass::always), robot.count(PairClass::never),
                     robot.count(PairClass::sometimes), undecided, share, tests, robot.seconds,
                     robot.never_samples, robot.never_hits);
  csv.flush();
  if (!robot.urdf.empty()) list_disabled(hulls, options, robot, srdf_csv);
  std::fflush(stdout);
}

std::ofstream open_csv(const std::string& file) {
  std::ofstream out;
  if (file.empty()) return out;
  out.open(file);
  if (!out) throw std::runtime_error("cannot write " + file);
  return out;
}

void run(const Options& options) {
  std::ofstream csv = open_csv(options.csv), srdf_csv = open_csv(options.srdf_csv);
  std::vector<std::string> head = machine_head();
  head.push_back(fmt::format("budget {} a pair, {} threads, seed {}; {} random poses for FCL",
                             options.budget, options.threads, options.seed, options.samples));
  for (const std::string& line : head) {
    fmt::print("{}\n", line);
    csv << "# " << line << '\n';
    srdf_csv << "# " << line << '\n';
  }
  csv << "robot,srdf,dof,pairs,adjacent,always,never,sometimes,undecided,undecided_percent,tests,"
         "seconds,never_sampled,never_sampled_fcl_hits\n";
  srdf_csv << "robot,srdf,link_a,link_b,reason,depth_mm,fcl_hulls_collide,fcl_meshes_collide,"
              "sampled_hulls_collide,of_these_meshes_collide,pose,mesh_pose\n";
  fmt::print("{:28} {:>4} {:>6} {:>9} {:>7} {:>6} {:>10} {:>10} {:>7} {:>10} {:>8} {:>10} {:>6}\n",
             "robot", "dof", "pairs", "adjacent", "always", "never", "sometimes", "undecided", "%",
             "tests", "seconds", "FCL poses", "hits");
  const auto wanted = [&](const std::string& name) {
    return options.robots.empty() || options.robots.contains(name);
  };
  for (const BuiltinWorld& world : builtin_worlds()) {
    if (!wanted(world.name)) continue;
    sort_pairs({world.name, "", {}, load_builtin(world.name)}, options, csv, srdf_csv);
  }
  if (!fs::exists(robots_dir())) {
    fmt::print("{}: skipped: no data\n", robots_dir().string());
    return;
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(robots_dir())) {
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    if (wanted(file.stem().string())) sort_pairs(load_robot(file), options, csv, srdf_csv);
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  using namespace keepclear::bench;
  return run_program(argc, argv, "bench_pairs", kUsage, parse, run);
}
