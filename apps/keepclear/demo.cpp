// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear demo: a tour on the built-in worlds. Every number it prints was computed just then.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <thread>

#include "csv.hpp"
#include "demo_certificate.hpp"
#include "demo_guard.hpp"
#include "demo_page.hpp"
#include "demo_toleranced.hpp"
#include "files.hpp"
#include "keepclear/box.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/error.hpp"
#include "keepclear/fit.hpp"
#include "keepclear/pairs.hpp"
#include "keepclear/watch.hpp"
#include "options.hpp"
#include "output.hpp"
#include "poses.hpp"

namespace keepclear::command {

namespace {

constexpr const char* kWorld = "six_axis_arm";
constexpr int kSwingSteps = 20;
constexpr std::size_t kRandomPoses = 20'000;
constexpr std::uint64_t kSeed = 1;
constexpr const char* kBench = "two_arms";
constexpr double kCycle = 0.05;  // seconds, of the first cycle; then the times of the task count
constexpr double kReactionTime = 0.05, kStoppingTime = 0.05;

struct DemoArguments {
  TalkOptions talk;
  int threads = 0;
  std::string report, certificate;  ///< empty: none
  bool view = false;
};

/// Bodies of few points around the arm, and what they cost in precision.
struct Fitted {
  Fit fit;
  double seconds = 0;
  std::size_t points = 0, shape_points = 0;  ///< of the bodies, and of the shapes they stand for
  double loss = 0;                           ///< metres: median of the least distance, free poses
};

struct SwingStep {
  double angle;
  Nearest near;
};

/// The waist turns, the arm stretched out at the height of the post.
std::vector<SwingStep> swing(const World& world) {
  std::vector<SwingStep> steps;
  DistanceQuery query(world, {.signed_distance = true});
  for (int i = 0; i <= kSwingSteps; ++i) {
    const double angle = 0.3 + 1.0 * i / kSwingSteps;
    const std::string pose = fmt::format("waist={},shoulder=0.9,elbow=-0.5", angle);
    const std::vector<double> q = parse_configuration(world, pose);
    steps.push_back({angle, query(q)});
  }
  return steps;
}

struct Batch {
  double seconds = 0;
  double least = 0;
  std::size_t counts[3] = {};

  std::size_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
};

/// The same poses on every machine: the generator is fixed by the standard, the mapping by us.
std::vector<double> random_poses(const World& world, std::size_t count) {
  std::mt19937_64 generator(kSeed);
  std::vector<double> poses;
  poses.reserve(count * world.dof());
  for (std::size_t i = 0; i < count; ++i) {
    for (const Variable& variable : world.variables()) {
      constexpr double kPi = 3.14159265358979323846;
      const double lower = std::isfinite(variable.lower) ? variable.lower : -kPi;
      const double upper = std::isfinite(variable.upper) ? variable.upper : kPi;
      const double unit = static_cast<double>(generator() >> 11) * 0x1p-53;
      poses.push_back(lower + unit * (upper - lower));
    }
  }
  return poses;
}

Batch run_batch(const World& world, int threads) {
  const std::vector<double> poses = random_poses(world, kRandomPoses);
  std::vector<Nearest> results(kRandomPoses);
  BatchOptions options;
  options.threads = threads;
  const auto begin = std::chrono::steady_clock::now();
  distance_batch(world, poses, results, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  Batch batch;
  batch.seconds = taken.count();
  batch.least = std::ranges::max(results, {}, &Nearest::distance).distance;
  for (const Nearest& near : results) {
    ++batch.counts[static_cast<std::size_t>(near.verdict)];
    if (near.verdict == Verdict::free) batch.least = std::min(batch.least, near.lower_bound);
  }
  return batch;
}

/// One task of the bench, watched to its end or to the first cycle that is not free.
struct WatchedTask {
  std::string name;
  std::size_t cycles = 0, rows = 0;
  Verdict verdict = Verdict::free;
  double time = 0;  ///< of the last cycle, in seconds
  Imminent first;   ///< of that cycle, when it was not free
};

struct Bench {
  World world;
  std::vector<WatchedTask> tasks;
  std::size_t cycles = 0;
  double seconds = 0;  ///< in all cycles
};

WatchedTask watch_task(const World& world, const BuiltinWorld::Task& task, double& seconds) {
  const auto rows = task_rows(task.csv);
  WatchedTask result{task.name, 0, rows.size(), Verdict::free, 0, {}};
  Watch watch(world, {.reaction_time = kReactionTime, .stopping_time = kStoppingTime});
  double last = -kCycle;
  for (const std::vector<double>& row : rows) {
    const auto begin = std::chrono::steady_clock::now();
    const WatchCycle cycle = watch.step(std::span(row).subspan(1), row.front() - last);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    seconds += taken.count();
    ++result.cycles;
    result.time = last = row.front();
    result.verdict = cycle.verdict;
    if (cycle.verdict == Verdict::free) continue;
    if (!cycle.imminent.empty()) result.first = cycle.imminent.front();
    break;
  }
  return result;
}

Bench watch_bench(const LoadOptions& load) {
  Bench bench{load_builtin(kBench, load), {}, 0, 0};
  const auto builtin = std::ranges::find(builtin_worlds(), kBench, &BuiltinWorld::name);
  for (const BuiltinWorld::Task& task : builtin->tasks) {
    bench.tasks.push_back(watch_task(bench.world, task, bench.seconds));
    bench.cycles += bench.tasks.back().cycles;
  }
  return bench;
}

/// A whole box of configurations, proved free or not.
struct ProvedBox {
  std::string what;
  BoxResult result;
  double seconds = 0;
};

/// What holds over whole boxes: two of them, and the whole range of the joints, pair by pair.
struct Proofs {
  std::vector<ProvedBox> boxes;
  std::vector<PairOfLinks> pairs;
  double seconds = 0;  ///< for all pairs

  std::size_t count(PairClass kind) const {
    return static_cast<std::size_t>(std::ranges::count(pairs, kind, &PairOfLinks::kind));
  }
};

/// `width` radians about a pose, but for the waist, which has an interval of its own.
ProvedBox prove_about(const World& world, const std::string& pose, double width, Interval waist,
                      const BoxOptions& options) {
  JointBox box;
  for (const double q : parse_configuration(world, pose)) {
    box.push_back({q - width / 2, q + width / 2});
  }
  box.front() = waist;
  const auto start = std::chrono::steady_clock::now();
  ProvedBox proved{
      fmt::format("waist {} to {}, the others {} about {}", waist.lower, waist.upper, width, pose),
      prove_box(world, box, options), 0};
  proved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return proved;
}

Proofs prove(const World& world, int threads) {
  Proofs proofs;
  BoxOptions options;
  options.threads = threads;
  constexpr const char* kPose = "shoulder=0.9,elbow=-0.5";
  for (const Interval waist : {Interval{-0.3, 0.3}, Interval{0.3, 1.3}}) {
    proofs.boxes.push_back(prove_about(world, kPose, 0.1, waist, options));
  }
  PairsOptions asked;
  asked.threads = threads;
  const auto start = std::chrono::steady_clock::now();
  proofs.pairs = classify_pairs(world, asked);
  proofs.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return proofs;
}

/// A task of the bench as one motion, all of it proved free or shown not to be.
struct ProvedTask {
  std::string name;
  double tube = 0;  ///< radians that each joint may be off
  double duration = 0;
  Certificate result;
  double seconds = 0;
};

ProvedTask prove_task(MotionQuery& query, const BuiltinWorld::Task& task, double tube) {
  std::vector<double> times, waypoints;
  for (const std::vector<double>& row : task_rows(task.csv)) {
    times.push_back(row.front());
    waypoints.insert(waypoints.end(), row.begin() + 1, row.end());
  }
  Path path = straight_path(times, waypoints);
  if (tube > 0) path = with_tube(path, std::vector<double>(path.dof(), tube));
  const auto start = std::chrono::steady_clock::now();
  ProvedTask proved{task.name, tube, path.end() - path.begin(), query(path), 0};
  proved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return proved;
}

/// Every task as it is, and the first again with joints that follow it to a milliradian.
std::vector<ProvedTask> prove_tasks(const World& world) {
  constexpr double kTube = 0.001;
  std::vector<ProvedTask> proved;
  MotionQuery query(world);
  const auto builtin = std::ranges::find(builtin_worlds(), kBench, &BuiltinWorld::name);
  for (const BuiltinWorld::Task& task : builtin->tasks) {
    proved.push_back(prove_task(query, task, 0));
  }
  proved.push_back(prove_task(query, builtin->tasks.front(), kTube));
  return proved;
}

int threads_used(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void print_swing(Output& out, const World& world, const std::vector<SwingStep>& steps) {
  double most = 0;
  for (const SwingStep& step : steps) most = std::max(most, step.near.distance);
  constexpr int kBar = 32;
  for (const SwingStep& step : steps) {
    const int length =
        most > 0 ? static_cast<int>(std::lround(kBar * std::max(0.0, step.near.distance) / most))
                 : 0;
    const bool contact = step.near.verdict == Verdict::contact;
    const std::string bar =
        contact ? "X" : std::string(static_cast<std::size_t>(std::max(1, length)), '=');
    out.print("  waist {:4.2f} |{:<{}}| {:<7} {} {:>8} m  {}\n", step.angle, bar, kBar,
              to_string(step.near.verdict), contact ? "depth   " : "at least",
              contact ? metres_hi(-step.near.distance) : metres_lo(step.near.lower_bound),
              pair_name(world, step.near.a, step.near.b));
  }
}

void print_bench(Output& out, const Bench& bench) {
  out.print(
      "\n5. The built-in world '{}', {}, watched while it moves: what goes at\n"
      "   speed v must keep clear by v * {} s, so that there is time to stop it.\n",
      bench.world.name(), counted(bench.world.solids().size(), "solid"),
      kReactionTime + kStoppingTime);
  for (const WatchedTask& task : bench.tasks) {
    if (task.verdict == Verdict::free) {
      out.print("   {}: free in all {}, {} s\n", task.name, counted(task.cycles, "cycle"),
                task.time);
      continue;
    }
    out.print("   {}: stop at {} s: {}, {} m apart, {} m asked for\n", task.name, task.time,
              pair_name(bench.world, task.first.a, task.first.b), metres_hi(task.first.distance),
              metres_hi(task.first.tolerance));
  }
  out.print("   {}, {:.1f} us each on this machine.\n", counted(bench.cycles, "cycle"),
            1e6 * bench.seconds / static_cast<double>(std::max<std::size_t>(bench.cycles, 1)));
}

void print_proofs(Output& out, const World& world, const Proofs& proofs) {
  out.write("\n7. Not pose by pose, but all configurations in a box of joint intervals at once:\n");
  for (const ProvedBox& box : proofs.boxes) {
    const BoxResult& result = box.result;
    out.print("   {}:\n     {}", box.what, to_string(result.verdict));
    if (result.verdict == Verdict::free) {
      out.print(", at least {} m everywhere in it", metres_lo(result.clearance));
    } else if (!result.q.empty()) {
      out.print(": {} at waist {:.2f}", pair_name(world, result.a, result.b), result.q.front());
    }
    out.print("; {:.3f} s\n", box.seconds);
  }
  out.print(
      "\n8. All {} of links over the whole range of their joints, {:.1f} s: {} adjacent,\n"
      "   {} always in contact, {} never (proved), {} sometimes, {} undecided.\n",
      counted(proofs.pairs.size(), "pair"), proofs.seconds, proofs.count(PairClass::adjacent),
      proofs.count(PairClass::always), proofs.count(PairClass::never),
      proofs.count(PairClass::sometimes), proofs.count(PairClass::undecided));
  const PairOfLinks* nearest = nullptr;
  for (const PairOfLinks& pair : proofs.pairs) {
    if (pair.kind != PairClass::never) continue;
    if (nearest == nullptr || pair.clearance < nearest->clearance) nearest = &pair;
  }
  if (nearest != nullptr) {
    out.print("   The closest of those that never touch: {}, at least {} m.\n",
              pair_name(world, nearest->a, nearest->b), metres_lo(nearest->clearance));
  }
}

void print_motions(Output& out, const World& world, const std::vector<ProvedTask>& motions) {
  out.print(
      "\n9. Not cycle by cycle, but every moment of the motion: the tasks of '{}' as paths.\n",
      world.name());
  for (const ProvedTask& motion : motions) {
    const Certificate& result = motion.result;
    out.print("   {}, {} s{}: {}", motion.name, motion.duration,
              motion.tube > 0 ? fmt::format(", every joint up to {} rad off", motion.tube) : "",
              to_string(result.verdict));
    if (result.verdict == Verdict::free) {
      out.print(", at least {} m throughout", metres_lo(result.clearance));
    } else if (result.verdict == Verdict::contact) {
      out.print(" at {:.3f} s", result.first_contact);
    }
    out.print("; {:.3f} s\n", motion.seconds);
    if (result.a >= 0) {
      out.print("     {}{}\n", pair_name(world, result.a, result.b),
                result.verdict == Verdict::free
                    ? fmt::format(" comes nearest, at {:.2f} s", result.time)
                    : "");
    }
  }
}

/// What the tour shows, computed.
struct Tour {
  World world;
  std::vector<SwingStep> steps;
  Batch batch;
  Bench bench;
  Fitted fitted;
  Proofs proofs;
  std::vector<ProvedTask> motions;
  GuardTour guard;
  std::vector<TrayPassage> tray;
  int threads = 0;
};

void print_tour(Output& out, const Tour& tour) {
  const auto& [world, steps, batch, bench, fitted, proofs, motions, guard, tray, threads] = tour;
  out.print(
      "Keepclear answers with proof: how far is a robot from hitting itself or what is\n"
      "around it? 'free' and 'contact' are theorems about the model, rounding included.\n\n");
  out.print("1. The built-in world '{}': {}, {}, {} to check.\n", world.name(),
            counted(world.dof(), "joint"), counted(world.bodies().size(), "body", "bodies"),
            counted(world.pair_count(), "pair"));
  std::vector<std::string> joints;
  for (const Variable& variable : world.variables()) joints.push_back(variable.name);
  out.print("{}\n", paragraph(joints, 3));

  const Nearest neutral = distance(world, world.neutral());
  out.print(
      "2. All joints at zero: {}. The nearest pair is {}:\n"
      "   at least {} m (proved), at most {} m (its witness points).\n\n",
      to_string(neutral.verdict), pair_name(world, neutral.a, neutral.b),
      json_number(neutral.lower_bound), json_number(neutral.distance));

  out.print("3. The arm stretched out swings past the post. The bar is the distance:\n\n");
  print_swing(out, world, steps);
  const auto hit = std::ranges::find(steps, Verdict::contact,
                                     [](const SwingStep& step) { return step.near.verdict; });
  if (hit != steps.end()) {
    const auto deepest = std::ranges::min_element(
        steps, {}, [](const SwingStep& step) { return step.near.distance; });
    out.print(
        "\n   Contact first shows at waist {:.2f}: {}. At the deepest, {:.2f},\n"
        "   {} m of translation would part them.\n",
        hit->angle, pair_name(world, hit->near.a, hit->near.b), deepest->angle,
        metres_hi(-deepest->near.distance));
  }

  out.print(
      "\n4. {} random poses on {}, each with its least distance and a proof:\n"
      "   {:.3f} s, {:.0f} poses a second on this machine.\n"
      "   {} free, {} in contact, {} undecided; the tightest free pose keeps {} m.\n",
      kRandomPoses, counted(static_cast<std::size_t>(threads), "thread"), batch.seconds,
      kRandomPoses / batch.seconds, batch.count(Verdict::free), batch.count(Verdict::contact),
      batch.count(Verdict::undecided), metres_lo(batch.least));

  print_bench(out, bench);

  out.print(
      "\n6. {} fitted around the links of '{}', {} instead of {}: {:.1f} s. Every\n"
      "   corner of every shape is proved to be inside. Median loss of distance: {} m.\n",
      counted(fitted.fit.bodies.size(), "body", "bodies"), world.name(),
      counted(fitted.points, "point"), fitted.shape_points, fitted.seconds, metres_hi(fitted.loss));

  print_proofs(out, world, proofs);
  print_motions(out, bench.world, motions);
  print_guard(out, guard);
  print_tray(out, tray);
}

void print_hints(Output& out) {
  out.print(
      "\nTry next:\n"
      "  keepclear info {0}\n"
      "  keepclear distance {0} --q waist=0.8,shoulder=0.9,elbow=-0.5 --all-pairs --signed\n"
      "  keepclear worlds --export bench {1}\n"
      "  keepclear fit {0} --html fit.html\n"
      "  keepclear box {0} --q shoulder=0.9,elbow=-0.5 --width 0.3\n"
      "  keepclear certify {1} --path task2\n"
      "  keepclear check YOUR_ROBOT.urdf --poses poses.csv --margin 0.02\n"
      "  keepclear pairs YOUR_ROBOT.urdf -o proved.srdf\n",
      kWorld, kBench);
}

void print_json(Output& out, const Tour& tour, const TourCertificate& certificate,
                const std::string& report) {
  const auto& [world, steps, batch, bench, fitted, proofs, motions, guard, tray, threads] = tour;
  JsonPairs json_pair(world);
  out.print("{{\"world\":{},\"swing\":[", json_string(world.name()));
  const char* comma = "";
  for (const SwingStep& step : steps) {
    out.print(
        "{}{{\"waist\":{},\"verdict\":\"{}\",\"distance\":{},\"lower_bound\":{},\"pair\":{}}}",
        comma, json_number(step.angle), to_string(step.near.verdict),
        json_number(step.near.distance), json_number(step.near.lower_bound),
        json_pair(step.near.a, step.near.b));
    comma = ",";
  }
  out.print(
      "],\"batch\":{{\"poses\":{},\"threads\":{},\"seconds\":{},\"free\":{},\"contact\":{},"
      "\"undecided\":{}}},\"watch\":{{\"world\":{},\"cycles\":{},\"seconds\":{},\"tasks\":[",
      kRandomPoses, threads, json_number(batch.seconds), batch.count(Verdict::free),
      batch.count(Verdict::contact), batch.count(Verdict::undecided),
      json_string(bench.world.name()), bench.cycles, json_number(bench.seconds));
  JsonPairs bench_pair(bench.world);
  comma = "";
  for (const WatchedTask& task : bench.tasks) {
    const bool free = task.verdict == Verdict::free;
    out.print(
        "{}{{\"task\":{},\"cycles\":{},\"time\":{},\"verdict\":\"{}\",\"pair\":{},"
        "\"distance\":{}}}",
        comma, json_string(task.name), task.cycles, json_number(task.time), to_string(task.verdict),
        bench_pair(task.first.a, task.first.b), free ? "null" : json_number(task.first.distance));
    comma = ",";
  }
  out.print(
      "]}},\"fit\":{{\"bodies\":{},\"points\":{},\"seconds\":{},\"median_loss\":{}}},\"boxes\":[",
      fitted.fit.bodies.size(), fitted.points, json_number(fitted.seconds),
      json_number(fitted.loss));
  comma = "";
  for (const ProvedBox& box : proofs.boxes) {
    const bool free = box.result.verdict == Verdict::free;
    out.print("{}{{\"verdict\":\"{}\",\"clearance\":{},\"pair\":{},\"tests\":{},\"seconds\":{}}}",
              comma, to_string(box.result.verdict),
              free ? json_number(box.result.clearance) : "null",
              json_pair(box.result.a, box.result.b), box.result.tests, json_number(box.seconds));
    comma = ",";
  }
  out.print(
      "],\"pairs\":{{\"adjacent\":{},\"always\":{},\"never\":{},\"sometimes\":{},\"undecided\":{},"
      "\"seconds\":{}}},\"motions\":[",
      proofs.count(PairClass::adjacent), proofs.count(PairClass::always),
      proofs.count(PairClass::never), proofs.count(PairClass::sometimes),
      proofs.count(PairClass::undecided), json_number(proofs.seconds));
  comma = "";
  for (const ProvedTask& motion : motions) {
    const Certificate& result = motion.result;
    const bool free = result.verdict == Verdict::free;
    out.print(
        "{}{{\"task\":{},\"tube\":{},\"verdict\":\"{}\",\"clearance\":{},\"first_contact\":{},"
        "\"pair\":{},\"tests\":{},\"seconds\":{}}}",
        comma, json_string(motion.name), json_number(motion.tube), to_string(result.verdict),
        free ? json_number(result.clearance) : "null", json_number(result.first_contact),
        bench_pair(result.a, result.b), result.tests, json_number(motion.seconds));
    comma = ",";
  }
  out.write("],");
  print_guard_json(out, guard);
  out.write(",");
  print_tray_json(out, tray);
  out.write(",");
  print_certificate_json(out, certificate);
  if (!report.empty()) out.print(",\"report\":{}", json_string(report));
  out.write("}\n");
}

Fitted fit_arm(const World& world, const LoadOptions& load) {
  constexpr std::size_t kPoses = 1000;
  FitOptions options;
  options.parts = 1;
  options.starts = 300;
  options.refined = 6;
  options.threads = load.threads;
  const auto start = std::chrono::steady_clock::now();
  Fitted fitted{fit_builtin(kWorld, load, options)};
  fitted.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  LoadOptions with_bodies = load;
  with_bodies.bodies = std::make_shared<const BodyModel>(fitted.fit.model);
  const World modelled = load_builtin(kWorld, with_bodies);
  for (const BodyInfo& body : world.bodies()) fitted.shape_points += body.points;
  for (const BodyInfo& body : modelled.bodies()) fitted.points += body.points;
  DistanceQuery exact(world), simple(modelled);
  std::vector<double> losses;
  const std::vector<double> poses = random_poses(world, kPoses);
  for (std::size_t i = 0; i < kPoses; ++i) {
    const auto q = std::span(poses).subspan(i * world.dof(), world.dof());
    const Nearest near = exact(q);
    if (near.verdict == Verdict::free) losses.push_back(near.distance - simple(q).distance);
  }
  std::ranges::nth_element(losses, losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2));
  fitted.loss = losses[losses.size() / 2];
  return fitted;
}

int run_demo(const DemoArguments& options) {
  require_report(options.report);
  if (!options.certificate.empty()) require_writable(options.certificate, {});
  LoadOptions load;
  load.threads = options.threads;
  const World world = load_builtin(kWorld, load);
  Bench bench = watch_bench(load);
  std::vector<ProvedTask> motions = prove_tasks(bench.world);
  const Tour tour{world,
                  swing(world),
                  run_batch(world, options.threads),
                  std::move(bench),
                  fit_arm(world, load),
                  prove(world, options.threads),
                  std::move(motions),
                  guard_hands(load),
                  pass_tray(),
                  threads_used(options.threads)};
  if (!options.report.empty()) write_tour_report(options.report, options.threads);
  const TourCertificate certificate = certify_bench(tour.bench.world, options.certificate);
  Output out;
  if (options.talk.json) {
    print_json(out, tour, certificate, options.report);
  } else {
    print_tour(out, tour);
    print_certificate(out, certificate, options.certificate);
    print_report(out, options.report);
    print_hints(out);
    if (options.view) out.write("\nThe same live, until Ctrl-C:\n");
  }
  out.flush();
  return options.view ? serve_tour(options.threads) : 0;
}

}  // namespace

void add_demo(CLI::App& app, Run& run) {
  const auto options = std::make_shared<DemoArguments>();
  CLI::App* const command = app.add_subcommand("demo", "A tour on built-in worlds");
  add_threads_option(*command, options->threads);
  command->add_option("--report", options->report, "Write what is proved of motions as a page")
      ->option_text("FILE");
  command->add_option("--certificate", options->certificate, "Write one proof for keepclear-verify")
      ->option_text("FILE");
  command->add_flag("--view", options->view, "Then serve it as a live page, until Ctrl-C");
  add_talk_options(*command, options->talk);
  command->footer("Takes a few seconds; every number is computed while you watch.");
  command->callback([options, &run] { run = [options] { return run_demo(*options); }; });
}

}  // namespace keepclear::command
