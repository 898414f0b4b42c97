// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "bench/certify_bench.hpp"
#include "bench/program.hpp"
#include "bench/sweep_scene.hpp"
#include "keepclear/distance.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Of a motion: as often as fits into this, at least once.
constexpr double kSeconds = 0.5;
constexpr int kMostTimes = 200;

/// The least time of several, in microseconds.
double least_us(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  double least = kInfinity;
  for (int k = 0; k < kMostTimes; ++k) {
    const Clock::time_point start = Clock::now();
    run();
    const Clock::time_point end = Clock::now();
    least = std::min(least, std::chrono::duration<double, std::micro>(end - start).count());
    if (std::chrono::duration<double>(end - begin).count() > kSeconds) break;
  }
  return least;
}

std::string pair_of(const World& world, const Certificate& answer) {
  if (answer.a < 0 || answer.b < 0) return "";
  return world.solids()[static_cast<std::size_t>(answer.a)].name + " " +
         world.solids()[static_cast<std::size_t>(answer.b)].name;
}

fs::path bookcase_dir() {
  return robots_dir().parent_path() / "scenes/bookcase";
}

/// Both questions of one motion, and each method for the verdict.
void ask(const World& world, const Path& path, MotionRow row, const Report& report) {
  struct Question {
    const char* name;
    Ask ask;
    Method method;
  };
  constexpr Question kQuestions[] = {{"verdict", Ask::verdict, Method::automatic},
                                     {"verdict by chords", Ask::verdict, Method::chord},
                                     {"verdict by velocity", Ask::verdict, Method::velocity},
                                     {"verdict by sweep", Ask::verdict, Method::sweep},
                                     {"first contact", Ask::first_contact, Method::automatic},
                                     {"clearance", Ask::clearance, Method::automatic}};
  for (const Question& question : kQuestions) {
    CertifyOptions options;
    options.ask = question.ask;
    options.method = question.method;
    MotionQuery query(world, options);
    row.question = question.name;
    row.us = least_us([&] { row.answer = query(path); });
    row.pair = pair_of(world, row.answer);
    report(row);
  }
}

/// A Panda alone; without its hand, that may touch anything.
keepclear::Scene panda(const fs::path& urdf, bool hand) {
  keepclear::Scene scene;
  scene.name = "panda";
  scene.robots.push_back({});
  scene.robots[0].urdf = urdf;
  scene.robots[0].srdf = srdf_of(urdf);
  if (hand) return scene;
  const World world = compile(scene);
  for (const PairInfo& pair : world.pairs()) {
    const std::string& a = world.solids()[static_cast<std::size_t>(pair.a)].name;
    const std::string& b = world.solids()[static_cast<std::size_t>(pair.b)].name;
    const auto of_hand = [](const std::string& name) {
      return name == "panda_hand" || name.ends_with("finger");
    };
    if (of_hand(a) || of_hand(b)) scene.allow.push_back({a, b, ""});
  }
  return scene;
}

struct Measured {
  std::vector<double> times, positions, velocities;
};

/// Columns t, q1 to q7, dq1 to dq7; other joints of the world stay where they are.
Measured read_measured(const World& world, const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  Measured m;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line);
    if (cells.size() < 15) throw std::runtime_error("a short row in " + file.string());
    m.times.push_back(std::stod(cells[0]));
    std::vector<double> q = world.neutral(), v(q.size(), 0);
    for (int joint = 1; joint <= 7; ++joint) {
      const std::string name = fmt::format("panda_joint{}", joint);
      for (std::size_t i = 0; i < q.size(); ++i) {
        if (world.variables()[i].name != name) continue;
        q[i] = std::stod(cells[static_cast<std::size_t>(joint)]);
        v[i] = std::stod(cells[static_cast<std::size_t>(joint) + 7]);
      }
    }
    m.positions.insert(m.positions.end(), q.begin(), q.end());
    m.velocities.insert(m.velocities.end(), v.begin(), v.end());
  }
  return m;
}

/// An arm and a plate across the x axis, whose near face is at x.
World arm_and_plate(double x) {
  keepclear::Scene scene;
  scene.name = "arm_and_plate";
  scene.robots.push_back({});
  scene.robots[0].builtin = "six_axis_arm";
  SceneObject plate;
  plate.name = "plate";
  plate.shape.size = {0.02, 3, 3};
  plate.pose.xyz = {x + 0.01, 0, 0.5};
  scene.objects.push_back(plate);
  return compile(scene);
}

/// The tool passes through its largest x; nothing else comes near anything.
Path passing() {
  constexpr double kFrom[] = {-0.8, 1.0, -0.8, -0.2, 0.4, -1};
  constexpr double kTo[] = {0.4, 0.85, -0.5, 0.55, 0.4, 0.5};
  return line_path(kFrom, kTo);
}

double distance_to_plate(DistanceQuery& query, const World& world, int plate, const Path& path,
                         double time) {
  const std::span<const Nearest> all = query.all_pairs(path.position(time));
  double least = kInfinity;
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (world.pairs()[p].a == plate || world.pairs()[p].b == plate) {
      least = std::min(least, all[p].distance);
    }
  }
  return least;
}

/// The least distance of the plate from the motion, by samples and then by golden section.
double nearest_pass(const World& world, const Path& path) {
  DistanceQuery query(world);
  const int plate = world.find_solid("plate");
  const auto at = [&](double t) { return distance_to_plate(query, world, plate, path, t); };
  constexpr int kSamples = 1000;
  int nearest = 0;
  for (int k = 0; k <= kSamples; ++k) {
    if (at(double(k) / kSamples) < at(double(nearest) / kSamples)) nearest = k;
  }
  double low = double(nearest - 1) / kSamples, high = double(nearest + 1) / kSamples;
  constexpr double kGolden = 0.6180339887498949;
  for (int k = 0; k < 60; ++k) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    if (at(a) < at(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return at(0.5 * (low + high));
}

}  // namespace

void measure_bookcase(const Report& report) {
  if (!fs::exists(bookcase_dir())) return;
  for (const char* const scene : {"shelf_090mm", "shelf_050mm", "shelf_030mm", "shelf_010mm"}) {
    const World world = load(bookcase_dir() / (std::string(scene) + ".json"));
    MotionRow row;
    row.part = "bookcase";
    row.scene = scene;
    const Path legs = read_path(world, bookcase_dir() / "reach_straight.csv");
    row.motion = "home to first waypoint, straight";
    row.note = "Drake published 15 nodes";
    ask(world, line_path(legs.position(0), legs.position(1)), row, report);
    row.motion = "reach, quintics";
    row.note = "Drake published 146 nodes (at 1 cm, its own quintics)";
    ask(world, read_path(world, bookcase_dir() / "reach.json"), row, report);
    row.motion = "reach, straight";
    row.note.clear();
    ask(world, legs, row, report);
  }
}

void measure_handover(const Report& report) {
  if (!fs::exists(bookcase_dir())) return;
  const World world = load(bookcase_dir() / "two_arms.json");
  const Path path = read_path(world, bookcase_dir() / "handover.json");
  MotionRow row;
  row.part = "handover";
  row.scene = "two_arms";
  row.motion = "handover, quintics";
  ask(world, path, row, report);
  const Path both[] = {path, path};
  CertifyOptions options;
  options.ask = Ask::verdict;
  MotionQuery query(world, options);
  for (const double offset : {0.0, 0.01, 0.1, 0.5, kInfinity}) {
    row.question = fmt::format("verdict, clocks {} s apart", offset);
    row.us = least_us([&] { row.answer = query(both, offset); });
    row.pair = pair_of(world, row.answer);
    report(row);
  }
}

void measure_measured(const Report& report) {
  const fs::path data = robots_dir().parent_path();
  const fs::path file = data / "scenes/panda_measured/exciting_trajectory.csv";
  const fs::path urdf = robots_dir() / "panda/panda.urdf";
  if (!fs::exists(file) || !fs::exists(urdf)) return;
  // The hand is in the model; whether it was on the robot is not said.
  for (const bool hand : {true, false}) {
    const World world = compile(panda(urdf, hand));
    const Measured m = read_measured(world, file);
    MotionRow row;
    row.part = "measured";
    row.scene = hand ? "panda" : "panda, no hand";
    row.note = fmt::format("{} samples, {} s", m.times.size(), m.times.back() - m.times.front());
    row.motion = "measured, straight between samples";
    ask(world, straight_path(m.times, m.positions), row, report);
    row.motion = "measured, cubics";
    ask(world, cubic_path(m.times, m.positions, m.velocities), row, report);
  }
}

void print_motion(const MotionRow& row) {
  const Certificate& c = row.answer;
  fmt::print(
      "{:9} {:12} {:34} {:26} {:9} {:>9.3f} {:>9.3f} {:>7.3f} {:>8} {:>7} {:>5} {:>10.2f} {}\n",
      row.part, row.scene, row.motion, row.question, to_string(c.verdict), 1000 * c.clearance,
      1000 * c.distance, c.time, c.tests, c.parts, c.depth, row.us, row.pair);
}

void write_motion(std::ostream& out, const MotionRow& row) {
  const Certificate& c = row.answer;
  out << fmt::format(
      "{},{},\"{}\",\"{}\",{},{:.6f},{:.6f},{:.6f},{:.6f},{},{},{},{:.3f},{},\"{}\"\n", row.part,
      row.scene, row.motion, row.question, to_string(c.verdict), 1000 * c.clearance,
      1000 * c.distance, c.time, c.first_contact, c.tests, c.parts, c.depth, row.us, row.pair,
      row.note);
}

std::vector<CostRow> measure_cost() {
  constexpr double kFar = 2;
  constexpr double kGaps[] = {0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001};
  const Path path = passing();
  const double reach = kFar - nearest_pass(arm_and_plate(kFar), path);
  std::vector<CostRow> rows;
  for (const double gap : kGaps) {
    const World world = arm_and_plate(reach + gap);
    const double real = nearest_pass(world, path);
    if (!(std::abs(real - gap) < 1e-9))
      throw std::runtime_error("the plate is not where it should");
    for (const Method method :
         {Method::chord, Method::velocity, Method::sweep, Method::automatic}) {
      CostRow row;
      row.gap = gap;
      row.method = method;
      CertifyOptions options;
      options.ask = Ask::verdict;
      options.method = method;
      options.tolerance = std::min(1e-3, gap / 4);
      MotionQuery query(world, options);
      row.us = least_us([&] { row.answer = query(path); });
      rows.push_back(row);
    }
  }
  return rows;
}

void print_cost(const std::vector<CostRow>& rows) {
  fmt::print("\n{:>10} {:10} {:9} {:>8} {:>7} {:>5} {:>10}\n", "gap, mm", "method", "verdict",
             "tests", "parts", "depth", "us");
  for (const CostRow& row : rows) {
    fmt::print("{:10} {:10} {:9} {:8} {:7} {:5} {:10.2f}\n", 1000 * row.gap, to_string(row.method),
               to_string(row.answer.verdict), row.answer.tests, row.answer.parts, row.answer.depth,
               row.us);
  }
}

void write_cost(std::ostream& out, const std::vector<CostRow>& rows) {
  out << "gap_mm,method,verdict,tests,parts,depth,us\n";
  for (const CostRow& row : rows) {
    out << fmt::format("{},{},{},{},{},{},{:.3f}\n", 1000 * row.gap, to_string(row.method),
                       to_string(row.answer.verdict), row.answer.tests, row.answer.parts,
                       row.answer.depth, row.us);
  }
}

}  // namespace keepclear::bench
