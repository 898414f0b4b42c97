// SPDX-License-Identifier: BSD-3-Clause
#include "mode/entries.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <utility>

#include "keepclear/keepclear.hpp"

namespace keepclear::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// An arm of two joints that carries a ball, above a table, and a box that may be taken.
constexpr const char* kUrdf = R"(<robot name="arm">
  <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="upper"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="2" effort="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="upper"/><child link="hand"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="2" effort="1"/></joint>
</robot>)";
constexpr const char* kScene = R"({"robots": [{"name": "", "urdf": "arm.urdf"}],
  "objects": [{"name": "table", "shape": "box", "size": [2, 2, 0.1], "pose": {"xyz": [0, 0, -0.6]}},
              {"name": "part", "shape": "box", "size": [0.1, 0.1, 0.1], "pose": {"xyz": [1, 1, 0]}}]})";

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

Said when(bool claims) {
  return claims ? Said::something : Said::nothing;
}
Said of(Verdict verdict) {
  return when(verdict != Verdict::undecided);
}
/// What came back without an error was computed.
template <typename T>
Said made(const T&) {
  return Said::something;
}

/// What the calls share. Queries with a memory are made anew for each call where that matters.
struct Bench {
  std::filesystem::path folder;
  std::string urdf, scene_file, brake_file, box_file, path_file, tube_file, model_file, motion_file,
      recording_file;
  Scene scene;
  World world, robot;
  std::vector<double> q{0, 0}, v{0, 0}, to{0.3, 0.3}, two_rows{0, 0, 0.3, 0.3}, times{0, 1};
  JointBox box{{-0.1, 0.1}, {-0.1, 0.1}};
  BrakeModel brake;
  Body ball = Body::sphere({0, 0, 0}, 0.1);
  Polyhedron cube = Polyhedron::box({0.2, 0.2, 0.2});
  Path path;
  SweepPlan plan;
  DisplacementMetric metric{std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  CurvePointer line;
  CertificateFacts facts{{{"cell.json", sha256_of("cell")}}, {}};
  std::shared_ptr<const BodyModel> model;
  Recording recording;
  std::unique_ptr<DistanceQuery> distance, depth;
  std::unique_ptr<BoxQuery> boxes;
  std::unique_ptr<MotionQuery> motions;
  std::unique_ptr<TolerancedQuery> toleranced;
  std::unique_ptr<Sweep> sweep;
  std::unique_ptr<Watch> watch;
  std::unique_ptr<Guard> guard;
  double time = 0;

  static std::filesystem::path files() {
    const auto folder = std::filesystem::temp_directory_path() / "keepclear_mode_test";
    std::filesystem::create_directories(folder);
    write(folder / "arm.urdf", kUrdf);
    write(folder / "cell.json", kScene);
    write(folder / "brake.json", R"({"latency": 0.01, "default": {"max_acceleration": 1,
      "brake_deceleration": 1}})");
    write(folder / "box.json", R"({"joints": {"shoulder": [-0.1, 0.1]}})");
    write(folder / "path.csv", "time,shoulder,wrist\n0,0,0\n1,0.3,0.3\n");
    write(folder / "tube.csv", "time,shoulder,wrist\n0,0.01,0.01\n1,0.01,0.01\n");
    write(folder / "move.json", R"({"kind": "screw", "object": "part", "start": {"xyz": [1, 1, 0]},
      "point": [0, 0, 0], "axis": [0, 0, 1], "angle": 0.1})");
    return folder;
  }
  CurvePointer straight() const { return screw_curve({}, {0, 0, 0}, {1, 0, 0}, 0, 1); }

  Bench()
      : folder(files()),
        urdf((folder / "arm.urdf").string()),
        scene_file((folder / "cell.json").string()),
        brake_file((folder / "brake.json").string()),
        box_file((folder / "box.json").string()),
        path_file((folder / "path.csv").string()),
        tube_file((folder / "tube.csv").string()),
        model_file((folder / "model.json").string()),
        motion_file((folder / "move.json").string()),
        recording_file((folder / "recording.jsonl").string()),
        scene(read_scene(scene_file)),
        world(load(scene_file)),
        robot(load(urdf)),
        path(line_path(q, to)),
        plan(uniform_plan(world, {})),
        line(straight()) {
    brake = read_brake(world, brake_file);
    model = std::make_shared<BodyModel>(fit(urdf, {}, quick()).model);
    write_model(*model, model_file);
    recording = FlightRecorder(world, brake, {}, Guard(world, brake)).recording();
    write(recording_file, to_text(recording));
    distance = std::make_unique<DistanceQuery>(world);
    depth = std::make_unique<DistanceQuery>(world, DistanceOptions{.signed_distance = true});
    boxes = std::make_unique<BoxQuery>(world);
    motions = std::make_unique<MotionQuery>(world);
    toleranced = std::make_unique<TolerancedQuery>(cube, far_bodies());
    sweep = std::make_unique<Sweep>(world, plan);
    watch = std::make_unique<Watch>(world);
    guard = std::make_unique<Guard>(world, brake);
    (void)watch->step(q, 0.01);
    for (int i = 0; i < 5; ++i) (void)step();
    (void)sweep->update(box);
  }
  static FitOptions quick() {
    FitOptions options;
    options.starts = 50;
    options.refined = 2;
    options.threads = 1;
    options.points = 2;
    return options;
  }
  std::vector<StandingBody> far_bodies() const { return {{cube.placed({{}, {0, 3, 0}}), "post"}}; }
  Action step() {
    time += 0.001;
    return guard->step({time, q, v});
  }
  Certificate found() const { return certify(world, path); }
};

/// Answers of the wrong mode must not stay in what a query remembers: where `call` said nothing,
/// the next one in a good mode says what a fresh query says. See mode_test.cpp.
using Calls = std::vector<Entry>;

void add_loading(Calls& calls, const std::shared_ptr<Bench>& b) {
  calls.push_back({"load", [b] { return made(load(b->urdf)); }});
  calls.push_back({"load", [b] { return made(load(b->scene_file)); }});
  calls.push_back({"load_builtin", [] { return made(load_builtin("six_axis_arm")); }});
  calls.push_back({"builtin_model", [] { return made(builtin_model("six_axis_arm")); }});
  calls.push_back({"read_scene", [b] { return made(read_scene(b->scene_file)); }});
  calls.push_back({"compile", [b] { return made(compile(b->scene)); }});
  calls.push_back({"read_model", [b] { return made(read_model(b->model_file)); }});
  calls.push_back({"read_box", [b] { return made(read_box(b->world, b->box_file)); }});
  calls.push_back({"full_range", [b] { return made(full_range(b->world)); }});
  calls.push_back({"read_brake", [b] { return made(read_brake(b->world, b->brake_file)); }});
  calls.push_back(
      {"uniform_brake", [b] { return made(uniform_brake(b->world, 0.01, b->brake.joints[0])); }});
  calls.push_back({"latency_of", [] {
                     const BrakeDelays delays{
                         .age = 1, .cycle = 1, .communication = 1, .brake_reaction = 1};
                     return std::isnan(latency_of(delays)) ? Said::nothing : Said::something;
                   }});
  calls.push_back({"read_path", [b] { return made(read_path(b->world, b->path_file)); }});
  calls.push_back({"read_object_motion", [b] { return made(read_object_motion(b->motion_file)); }});
  calls.push_back({"read_recording", [b] { return made(read_recording(b->recording_file)); }});
  calls.push_back(
      {"parse_recording", [b] { return made(parse_recording(to_text(b->recording), "r")); }});
  calls.push_back({"restored_guard", [b] { return made(restored_guard(b->world, b->recording)); }});
  calls.push_back({"lint", [b] { return made(lint(b->urdf)); }});
  calls.push_back({"lint_builtin", [] { return made(lint_builtin("bench_arm")); }});
  calls.push_back({"fit", [b] { return made(fit(b->urdf, {}, Bench::quick())); }});
  calls.push_back({"fit_builtin", [] {
                     return made(fit_builtin("bench_arm", {.without_model = true}, Bench::quick()));
                   }});
}

void add_distances(Calls& calls, const std::shared_ptr<Bench>& b) {
  const auto nearest = [](const Nearest& n) {
    return when(n.verdict != Verdict::undecided || n.lower_bound > 0 || n.distance == n.distance);
  };
  calls.push_back({"DistanceQuery::DistanceQuery", [b] { return made(DistanceQuery(b->world)); }});
  calls.push_back(
      {"DistanceQuery::operator()", [b, nearest] { return nearest((*b->distance)(b->q)); }});
  calls.push_back({"DistanceQuery::operator()", [b] {
                     const Nearest n = (*b->depth)(b->q);
                     // Of a depth that is not known any finite bound is a promise.
                     return when(n.verdict != Verdict::undecided || n.lower_bound > -kInf);
                   }});
  calls.push_back(
      {"DistanceQuery::all_pairs", [b] { return when(!b->distance->all_pairs(b->q).empty()); }});
  calls.push_back({"DistanceQuery::check", [b] { return of(b->distance->check(b->q).verdict); }});
  calls.push_back(
      {"DistanceQuery::check", [b] { return of(b->distance->check(b->q, 0.01).verdict); }});
  calls.push_back({"distance", [b, nearest] { return nearest(distance(b->world, b->q)); }});
  calls.push_back({"distance", [b] {
                     const BodyDistance d = distance(b->ball, {}, b->ball, Pose{Mat3{}, {1, 0, 0}});
                     return when(d.verdict != Verdict::undecided || d.lower_bound > 0);
                   }});
  calls.push_back({"distance", [b] {
                     const BodyDistance d =
                         distance(b->ball, {}, b->ball, Pose{Mat3{}, {0.1, 0, 0}}, {1e-10, true});
                     return when(d.verdict != Verdict::undecided || d.lower_bound > -kInf);
                   }});
  calls.push_back({"distance_batch", [b] {
                     Nearest n;
                     distance_batch(b->world, b->q, {&n, 1});
                     return of(n.verdict);
                   }});
  calls.push_back({"all_pairs_batch", [b] {
                     std::vector<Nearest> n(b->world.pair_count());
                     all_pairs_batch(b->world, b->q, n);
                     return of(n[0].verdict);
                   }});
  calls.push_back({"check_batch", [b] {
                     CheckResult n;
                     check_batch(b->world, b->q, {&n, 1});
                     return of(n.verdict);
                   }});
  calls.push_back({"Body::sphere", [] { return made(Body::sphere({}, 1)); }});
  calls.push_back({"Body::capsule", [] { return made(Body::capsule({}, {1, 0, 0}, 1)); }});
  calls.push_back({"Body::box", [] { return made(Body::box({1, 1, 1})); }});
  calls.push_back({"Body::hull", [] {
                     return made(Body::hull(std::vector<Vec3>{{}, {1, 0, 0}, {0, 1, 0}}));
                   }});
}

void add_sets(Calls& calls, const std::shared_ptr<Bench>& b) {
  calls.push_back({"BoxQuery::BoxQuery", [b] { return made(BoxQuery(b->world)); }});
  calls.push_back({"BoxQuery::operator()", [b] { return of((*b->boxes)(b->box).verdict); }});
  calls.push_back({"prove_box", [b] { return of(prove_box(b->world, b->box).verdict); }});
  calls.push_back({"classify_pairs", [b] { return made(classify_pairs(b->world)); }});
  calls.push_back({"write_srdf", [b, pairs = classify_pairs(b->robot)] {
                     return made(write_srdf(b->robot, pairs));
                   }});
  calls.push_back({"uniform_plan", [b] { return made(uniform_plan(b->world, {})); }});
  calls.push_back({"paper_plan", [b] { return made(paper_plan(b->world, 2)); }});
  calls.push_back({"automatic_plan",
                   [b] { return made(automatic_plan(b->world, {.points = 100, .samples = 1})); }});
  calls.push_back({"Sweep::Sweep", [b] { return made(Sweep(b->world, b->plan)); }});
  calls.push_back({"Sweep::update", [b] {
                     const bool done = b->sweep->update(b->box);
                     return when(done || b->sweep->clearance().clearance > -kInf);
                   }});
  calls.push_back(
      {"Sweep::clearance", [b] { return when(b->sweep->clearance().clearance > -kInf); }});
  calls.push_back({"MotionQuery::MotionQuery", [b] { return made(MotionQuery(b->world)); }});
  calls.push_back({"MotionQuery::operator()", [b] { return of((*b->motions)(b->path).verdict); }});
  calls.push_back({"MotionQuery::operator()", [b] {
                     return of((*b->motions)(std::span<const Path>(&b->path, 1), 0).verdict);
                   }});
  calls.push_back({"MotionQuery::connects", [b] { return of(b->motions->connects(b->q, b->to)); }});
  calls.push_back({"certify", [b] { return of(certify(b->world, b->path).verdict); }});
  calls.push_back({"certify_all", [b] {
                     Verdict verdict = Verdict::undecided;
                     certify_all(b->world, std::span<const Path>(&b->path, 1), {}, 1,
                                 [&](std::size_t, const Certificate& c) { verdict = c.verdict; });
                     return of(verdict);
                   }});
}

void add_paths(Calls& calls, const std::shared_ptr<Bench>& b) {
  calls.push_back({"straight_path", [b] { return made(straight_path(b->times, b->two_rows)); }});
  calls.push_back({"line_path", [b] { return made(line_path(b->q, b->to)); }});
  calls.push_back({"cubic_path", [b] {
                     return made(cubic_path(b->times, b->two_rows, std::vector<double>(4)));
                   }});
  calls.push_back({"quintic_path", [b] {
                     const std::vector<double> zeros(4);
                     return made(quintic_path(b->times, b->two_rows, zeros, zeros));
                   }});
  calls.push_back({"bezier_path", [b] { return made(bezier_path(2, b->two_rows, 0, 1)); }});
  calls.push_back({"bspline_path", [b] {
                     return made(bspline_path(2, 1, std::vector<double>{0, 0, 1, 1}, b->two_rows));
                   }});
  calls.push_back({"trapezoidal_path", [b] {
                     const std::vector<double> ones{1, 1};
                     return made(trapezoidal_path(b->q, b->to, ones, ones));
                   }});
  calls.push_back({"joined", [b] { return made(joined(std::span<const Path>(&b->path, 1))); }});
  calls.push_back({"retimed", [b] { return made(retimed(b->path, 1, 2)); }});
  calls.push_back({"with_tube", [b] { return made(with_tube(b->path, b->to)); }});
  calls.push_back({"with_tube", [b] { return made(with_tube(b->path, b->times, b->two_rows)); }});
  calls.push_back({"with_tube", [b] { return made(with_tube(b->world, b->path, b->tube_file)); }});
  calls.push_back({"Path::position", [b] { return made(b->path.position(0.5)); }});
  calls.push_back({"Path::range", [b] { return made(b->path.range(0, 0.5)); }});
  calls.push_back({"Path::velocity", [b] { return made(b->path.velocity(0, 0.5)); }});
  calls.push_back({"Path::acceleration", [b] { return made(b->path.acceleration(0, 0.5)); }});
  calls.push_back({"Path::tube", [b] { return made(b->path.tube(0, 0.5)); }});
}

void add_displacements(Calls& calls, const std::shared_ptr<Bench>& b) {
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  calls.push_back({"DisplacementMetric::DisplacementMetric",
                   [corners] { return made(DisplacementMetric(corners)); }});
  calls.push_back({"DisplacementMetric::balanced",
                   [corners] { return made(DisplacementMetric::balanced(corners)); }});
  calls.push_back({"DisplacementMetric::distance_hi", [b] {
                     return when(b->metric.distance_hi({}, {Mat3{}, {1, 0, 0}}) < kInf);
                   }});
  calls.push_back({"DisplacementMetric::distortion_hi", [b] {
                     return when(b->metric.distortion_hi({1, 0, 0}) < kInf);
                   }});
  calls.push_back({"DisplacementMetric::coordinate_error_hi", [b] {
                     return when(b->metric.coordinate_error_hi({1, 0, 0}) < kInf);
                   }});
  calls.push_back({"line_metric", [b] { return made(line_metric(b->metric, {}, {1, 0, 0})); }});
  calls.push_back({"plane_metric", [b] {
                     return made(plane_metric(b->metric, {}, {1, 0, 0}, {0, 1, 0}));
                   }});
  calls.push_back({"rational_bezier_curve", [] {
                     const std::vector<Affine> control{{}, {Mat3{}, {1, 0, 0}}};
                     return made(rational_bezier_curve(control, std::vector<double>{1, 1}));
                   }});
  calls.push_back({"screw_curve", [b] { return made(b->straight()); }});
  calls.push_back({"interpolated_curve", [b] {
                     const std::vector<Pose> poses{{}, {Mat3{}, {1, 0, 0}}};
                     return made(interpolated_curve(poses, b->times));
                   }});
  calls.push_back({"joined_curve",
                   [b] { return made(joined_curve(std::span<const CurvePointer>(&b->line, 1))); }});
  calls.push_back({"bounded_curve", [] {
                     BoundedCurve c;
                     c.at = [](double t) { return Affine{Mat3{}, {t, 0, 0}}; };
                     c.tangent = [](double) { return Affine{{{}, {}, {}}, {1, 0, 0}}; };
                     c.length_hi = [](double from, double to) { return to - from; };
                     c.curvature_hi = [](double, double) { return 0.0; };
                     return made(bounded_curve(c));
                   }});
  const std::vector<CurvePointer> curves{
      b->line,
      rational_bezier_curve(std::vector<Affine>{{}, {Mat3{}, {1, 0, 0}}},
                            std::vector<double>{1, 1}),
      interpolated_curve(std::vector<Pose>{{}, {Mat3{}, {1, 0, 0}}}, b->times),
      joined_curve(std::span<const CurvePointer>(&b->line, 1)),
      read_object_motion(b->motion_file).curve};
  for (const CurvePointer& curve : curves) {
    calls.push_back({"DisplacementCurve::ball",
                     [b, curve] { return when(curve->ball(b->metric, 0, 0.1).radius < kInf); }});
  }
  calls.push_back({"Polyhedron::mesh", [corners] {
                     const std::vector<Polyhedron::Triangle> one{{0, 1, 2}};
                     return made(Polyhedron::mesh(corners, one));
                   }});
  calls.push_back({"Polyhedron::faces", [corners] {
                     const std::vector<Polyhedron::Face> one{{{0, 1, 2}}};
                     return made(Polyhedron::faces(corners, one));
                   }});
  calls.push_back({"Polyhedron::polygon",
                   [corners] { return made(Polyhedron::polygon(std::span(corners).first(3))); }});
  calls.push_back({"Polyhedron::segment", [] { return made(Polyhedron::segment({}, {1, 0, 0})); }});
  calls.push_back({"Polyhedron::points", [corners] { return made(Polyhedron::points(corners)); }});
  calls.push_back({"Polyhedron::box", [] { return made(Polyhedron::box({1, 1, 1})); }});
  calls.push_back({"Polyhedron::boxes", [] {
                     const Box box{{0, 0, 0}, {1, 1, 1}};
                     return made(Polyhedron::boxes({&box, 1}));
                   }});
  calls.push_back({"Polyhedron::of", [b] { return made(Polyhedron::of(b->ball)); }});
  calls.push_back({"Polyhedron::placed", [b] {
                     return made(b->cube.placed({Mat3{}, {1, 0, 0}}));
                   }});
  calls.push_back({"TolerancedQuery::TolerancedQuery",
                   [b] { return made(TolerancedQuery(b->cube, {{b->cube}})); }});
  calls.push_back(
      {"TolerancedQuery::operator()", [b] { return of((*b->toleranced)(*b->line).verdict); }});
  calls.push_back({"TolerancedQuery::operator()",
                   [b] { return of((*b->toleranced)(*b->line, 0.01).verdict); }});
  calls.push_back({"object_query", [b] { return made(object_query(b->scene, {}, "part")); }});
}

void add_cycles(Calls& calls, const std::shared_ptr<Bench>& b) {
  calls.push_back({"Watch::Watch", [b] { return made(Watch(b->world)); }});
  calls.push_back({"Watch::step", [b] { return of(b->watch->step(b->q, 0.01).verdict); }});
  const int part = b->world.find_solid("part"), hand = b->world.find_solid("hand");
  const int table = b->world.find_solid("table");
  // Each from a state of its own: made where the mode is good.
  const auto fresh = [b] {
    auto watch = std::make_shared<Watch>(b->world);
    (void)watch->step(b->q, 0.01);
    return watch;
  };
  const auto taken = [fresh, part, hand] {
    auto watch = fresh();
    (void)watch->attach(part, hand);
    return watch;
  };
  calls.push_back(
      {"Watch::attach", [w = fresh(), part, hand] { return when(w->attach(part, hand)); }});
  calls.push_back({"Watch::release", [w = taken(), part] { return when(w->release(part)); }});
  calls.push_back({"Watch::place", [w = fresh(), part] {
                     return when(w->place(part, {Mat3{}, {1, 1, 0.1}}));
                   }});
  calls.push_back({"Watch::expect_contact",
                   [w = fresh(), part, hand] { return when(w->expect_contact(hand, part, 0.1)); }});
  const auto guarded = [b] {
    auto guard = std::make_shared<Guard>(b->world, b->brake);
    for (int i = 1; i < 6; ++i) (void)guard->step({1e-3 * i, b->q, b->v});
    return guard;
  };
  const auto carrying = [guarded, part, hand] {
    auto guard = guarded();
    (void)guard->attach(part, hand);
    return guard;
  };
  calls.push_back({"Guard::Guard", [b] { return made(Guard(b->world, b->brake)); }});
  calls.push_back({"Guard::step", [b] {
                     const Action action = b->step();
                     const GuardCycle& last = b->guard->last();
                     const bool right = action == Action::brake && last.bound == 0 &&
                                        last.reason == Reason::bad_rounding;
                     return when(!right);
                   }});
  calls.push_back(
      {"Guard::attach", [g = guarded(), part, hand] { return when(g->attach(part, hand)); }});
  calls.push_back({"Guard::release", [g = carrying(), part] { return when(g->release(part)); }});
  calls.push_back({"Guard::set_margin", [g = guarded(), table, hand] {
                     return when(g->set_margin(hand, table, 0.01));
                   }});
  std::vector<std::byte> memory(b->guard->memory_size());
  b->guard->save(memory);
  calls.push_back({"Guard::restore", [b, memory] { return when(b->guard->restore(memory)); }});
}

void add_certificates(Calls& calls, const std::shared_ptr<Bench>& b) {
  const auto written = [](const WrittenCertificate& c) { return when(!c.text.empty()); };
  calls.push_back({"path_certificate", [b, written, found = b->found()] {
                     return written(path_certificate(b->world, b->path, {}, found, b->facts));
                   }});
  const Path paths[] = {b->path};
  Certificate of_clocks = MotionQuery(b->world)(std::span<const Path>(paths, 1), 0);
  calls.push_back({"clock_certificate", [b, written, of_clocks] {
                     return written(clock_certificate(b->world, std::span<const Path>(&b->path, 1),
                                                      0, {}, of_clocks, b->facts));
                   }});
  calls.push_back({"box_certificate", [b, written, found = prove_box(b->world, b->box)] {
                     return written(box_certificate(b->world, b->box, {}, found, b->facts));
                   }});
  calls.push_back({"never_certificate", [b, written, pairs = classify_pairs(b->robot)] {
                     return written(never_certificate(b->robot, pairs, b->facts));
                   }});
  Recording recording = b->recording;
  RecordedCycle cycle;
  Guard guard(b->world, b->brake);
  for (int i = 1; i < 6; ++i) {
    cycle = {};
    cycle.time = 1e-3 * i, cycle.q = b->q, cycle.v = b->v;
    (void)guard.step(cycle.state());
    cycle.found = guard.last();
    recording.cycles.push_back(cycle);
  }
  calls.push_back({"guard_certificate", [b, written, recording] {
                     return written(guard_certificate(b->world, recording, b->facts));
                   }});
  calls.push_back({"fit_certificate", [b, written] {
                     return written(fit_certificate(b->robot, *b->model, b->facts));
                   }});
  calls.push_back({"sources_of", [b] { return made(sources_of(b->world, {})); }});
}

}  // namespace

std::vector<Entry> entries() {
  const auto bench = std::make_shared<Bench>();
  Calls calls;
  add_loading(calls, bench);
  add_distances(calls, bench);
  add_sets(calls, bench);
  add_paths(calls, bench);
  add_displacements(calls, bench);
  add_cycles(calls, bench);
  add_certificates(calls, bench);
  return calls;
}

}  // namespace keepclear::test
