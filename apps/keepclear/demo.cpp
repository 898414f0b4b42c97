// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear demo: a tour on a built-in world. Every number it prints was computed just then.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <thread>

#include "keepclear/distance.hpp"
#include "options.hpp"
#include "output.hpp"
#include "poses.hpp"

namespace keepclear::command {

namespace {

constexpr const char* kWorld = "six_axis_arm";
constexpr int kSwingSteps = 20;
constexpr std::size_t kRandomPoses = 20'000;
constexpr std::uint64_t kSeed = 1;

struct Options {
  TalkOptions talk;
  int threads = 0;
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
std::vector<double> random_poses(const World& world) {
  std::mt19937_64 generator(kSeed);
  std::vector<double> poses;
  poses.reserve(kRandomPoses * world.dof());
  for (std::size_t i = 0; i < kRandomPoses; ++i) {
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
  const std::vector<double> poses = random_poses(world);
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
              pair_name(world, step.near.pair));
  }
}

void print_tour(Output& out, const World& world, const std::vector<SwingStep>& steps,
                const Batch& batch, int threads) {
  out.print(
      "Keepclear answers with proof: how far is a robot from hitting itself or what is\n"
      "around it? 'free' and 'contact' are theorems about the model, rounding included.\n\n");
  out.print("1. The built-in world '{}': {}, {}, {} to check.\n", world.name(),
            counted(world.dof(), "joint"), counted(world.bodies().size(), "body", "bodies"),
            counted(world.pairs().size(), "pair"));
  std::vector<std::string> joints;
  for (const Variable& variable : world.variables()) joints.push_back(variable.name);
  out.print("{}\n", paragraph(joints, 3));

  const Nearest neutral = distance(world, world.neutral());
  out.print(
      "2. All joints at zero: {}. The nearest pair is {}:\n"
      "   at least {} m (proved), at most {} m (its witness points).\n\n",
      to_string(neutral.verdict), pair_name(world, neutral.pair), json_number(neutral.lower_bound),
      json_number(neutral.distance));

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
        hit->angle, pair_name(world, hit->near.pair), deepest->angle,
        metres_hi(-deepest->near.distance));
  }

  out.print(
      "\n4. {} random poses on {}, each with its least distance and a proof:\n"
      "   {:.3f} s, {:.0f} poses a second on this machine.\n"
      "   {} free, {} in contact, {} undecided; the tightest free pose keeps {} m.\n",
      kRandomPoses, counted(static_cast<std::size_t>(threads), "thread"), batch.seconds,
      kRandomPoses / batch.seconds, batch.count(Verdict::free), batch.count(Verdict::contact),
      batch.count(Verdict::undecided), metres_lo(batch.least));

  out.print(
      "\nTry next:\n"
      "  keepclear info {0}\n"
      "  keepclear distance {0} --q waist=0.8,shoulder=0.9,elbow=-0.5 --all-pairs --signed\n"
      "  keepclear check YOUR_ROBOT.urdf --poses poses.csv --margin 0.02\n",
      kWorld);
}

void print_json(Output& out, const World& world, const std::vector<SwingStep>& steps,
                const Batch& batch, int threads) {
  const std::vector<std::string> pairs = json_pairs(world);
  out.print("{{\"world\":{},\"swing\":[", json_string(world.name()));
  const char* comma = "";
  for (const SwingStep& step : steps) {
    out.print(
        "{}{{\"waist\":{},\"verdict\":\"{}\",\"distance\":{},\"lower_bound\":{},\"pair\":{}}}",
        comma, json_number(step.angle), to_string(step.near.verdict),
        json_number(step.near.distance), json_number(step.near.lower_bound),
        step.near.pair < 0 ? "null" : pairs[static_cast<std::size_t>(step.near.pair)]);
    comma = ",";
  }
  out.print(
      "],\"batch\":{{\"poses\":{},\"threads\":{},\"seconds\":{},\"free\":{},\"contact\":{},"
      "\"undecided\":{}}}}}\n",
      kRandomPoses, threads, json_number(batch.seconds), batch.count(Verdict::free),
      batch.count(Verdict::contact), batch.count(Verdict::undecided));
}

int run_demo(const Options& options) {
  LoadOptions load;
  load.threads = options.threads;
  const World world = load_builtin(kWorld, load);
  const std::vector<SwingStep> steps = swing(world);
  const Batch batch = run_batch(world, options.threads);
  Output out;
  (options.talk.json ? print_json : print_tour)(out, world, steps, batch,
                                                threads_used(options.threads));
  out.flush();
  return 0;
}

}  // namespace

void add_demo(CLI::App& app, Run& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("demo", "A tour on a built-in world");
  add_threads_option(*command, options->threads);
  add_talk_options(*command, options->talk);
  command->footer("Takes a few seconds; every number is computed while you watch.");
  command->callback([options, &run] { run = [options] { return run_demo(*options); }; });
}

}  // namespace keepclear::command
