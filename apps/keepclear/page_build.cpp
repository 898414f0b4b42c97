// SPDX-License-Identifier: BSD-3-Clause
#include "page_build.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "files.hpp"
#include "guard_files.hpp"
#include "guard_session.hpp"
#include "keepclear/error.hpp"
#include "keepclear/lint.hpp"
#include "keepclear/recorder.hpp"
#include "page_results.hpp"
#include "poses.hpp"
#include "progress.hpp"
#include "report_text.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// Rows of a long log that are kept in memory; a document holds fewer.
constexpr std::size_t kMostRows = 100'000;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

CertifyOptions certify_options(const ShowOptions& options) {
  CertifyOptions query;
  query.keep_proof = true;
  query.method = method_called(options.method);
  if (!options.margin.empty()) query.margin = not_negative("--margin", options.margin, kMetres);
  if (!options.deviation.empty()) {
    query.deviation = not_negative("--deviation", options.deviation, kMetres);
  }
  if (!options.tolerance.empty()) {
    query.tolerance = not_negative("--tolerance", options.tolerance, kMetres);
    if (query.tolerance == 0) usage("--tolerance: it must be positive", kMetres);
  }
  if (options.budget && !options.motions.paths.empty()) query.budget = *options.budget;
  return query;
}

GuardOptions guard_options(const ShowOptions& options) {
  GuardOptions guard;
  set_number("--margin", options.margin, guard.margin, true, kMetres, kMaxGuardNumber);
  if (options.budget) guard.budget = *options.budget;
  return guard;
}

std::string contract_for(const World& world, const CertifyOptions& certify,
                         const MotionOptions& motions) {
  JsonPairs json_pair(world);
  return contract_of({world, certify, motions, json_pair});
}

/// Goes through the cycles of a log, and keeps what is shown of them.
class Replay {
 public:
  Replay(const World& world, const BrakeModel& brake, const GuardOptions& options, Guard guard,
         const std::string& name, bool timing, bool goes_on)
      : timing_(timing),
        session_(world, brake, options, std::move(guard), session_options(goes_on), [](auto) {}) {
    run_.guard.name = name;
    run_.guard.brake = brake;
    run_.guard.options = options;
    run_.guard.work_bound = session_.guard().work_bound();
  }

  /// `said`: what a loop around the guard said instead, where it was recorded.
  GuardCycle step(const GuardState& state, std::uint16_t said = 0) {
    const SteadyClock::time_point began = SteadyClock::now();
    Answer answer = session_.take(state);
    const auto taken = std::chrono::duration_cast<Nanoseconds>(SteadyClock::now() - began);
    if (said != 0) Session::say(answer, said);
    const std::uint64_t brakes = session_.brakes();
    session_.finish(answer, &state, taken);
    ShownCycle row;
    row.cycle = answer.cycle;
    row.time = answer.time;
    row.go = answer.action == Action::go;
    row.reason = answer.reason;
    row.a = answer.found.a;
    row.b = answer.found.b;
    row.bound = answer.found.bound;
    row.flops = answer.found.flops;
    row.microseconds = timing_ ? static_cast<double>(taken.count()) / 1e3 : -1;
    row.q.assign(state.q.begin(), state.q.end());
    row.v.assign(state.v.begin(), state.v.end());
    if (timing_) run_.latencies.add(row.microseconds);
    if (session_.brakes() > brakes && !run_.first_brake) run_.first_brake = row;
    run_.guard.rows.push_back(std::move(row));
    if (run_.guard.rows.size() >= 2 * kMostRows) {
      run_.guard.rows = thinned_rows(std::move(run_.guard.rows), kMostRows);
    }
    return answer.found;
  }

  ShownRun finish() {
    run_.guard.cycles = session_.cycles();
    run_.guard.brakes = session_.brakes();
    run_.guard.overruns = session_.overruns();
    run_.starting = session_.starting();
    run_.exit_code = session_.exit_code(nullptr);
    run_.cycle_warning = session_.cycle_warning();
    return std::move(run_);
  }

 private:
  static SessionOptions session_options(bool goes_on) {
    SessionOptions options;
    options.goes_on = goes_on;
    options.talk.quiet = true;
    return options;
  }

  bool timing_;
  ShownRun run_;
  Session session_;
};

ShownRun replay_states(const World& world, const ShowOptions& options, const TalkOptions& talk,
                       bool timing) {
  StatesFile states(options.states, "--states");
  if (states.has_recording()) {
    usage("--states: " + options.states + " is a recording", "give it as --recording");
  }
  const GuardOptions guard = guard_options(options);
  StateColumns columns = states.columns(world, guard.known_command);
  const BrakeModel brake = brake_model(world, options.brake, options.latency, talk);
  Replay replay(world, brake, guard, Guard(world, brake, guard), options.states, timing, false);
  StateRow row;
  while (states.next(columns, row)) replay.step(row.state());
  return replay.finish();
}

ShownRun replay_recording(const World& world, const ShowOptions& options, bool timing) {
  const Recording recording = read_recording(options.recording);
  Replay replay(world, recording.brake, recording.options,
                restored_guard(world, recording, options.recording), options.recording, timing,
                true);
  for (std::size_t i = 0; i < recording.cycles.size(); ++i) {
    const RecordedCycle& cycle = recording.cycles[i];
    if (same_finding(replay.step(cycle.state(), cycle.said), cycle.found)) continue;
    throw Error(Error::Kind::internal, options.recording, static_cast<int>(i) + 2,
                fmt::format("cycle {} of the recording comes out differently", i + 1),
                "recordings hold for the build that wrote them, with the same C library");
  }
  ShownRun run = replay.finish();
  run.recording = true;
  return run;
}

/// The configuration that was asked for comes first.
std::vector<NamedState> states_of(const ShownWorld& shown, const ShowOptions& options) {
  const World& world = shown.world;
  std::vector<NamedState> states = named_states(world, shown.source, shown.builtin);
  if (options.q) {
    std::vector<double> q = parse_configuration(world, *options.q);
    if (!world.data().kinematics.is_configuration(q)) {
      usage("--q: this is no configuration of the world",
            "a number is too large, or a rotation is not of length 1");
    }
    states.insert(states.begin(), {"as asked", std::move(q)});
  }
  if (!options.state.empty()) {
    const auto found = std::ranges::find(states, options.state, &NamedState::name);
    if (found == states.end()) {
      std::string names;
      for (const NamedState& state : states) names += (names.empty() ? "" : ", ") + state.name;
      usage("--state: the world has no state '" + options.state + "'", "there are " + names);
    }
    std::rotate(states.begin(), found, found + 1);
  }
  return states;
}

void prove_paths(const ShownWorld& shown, const WorldOptions& world, const ShowOptions& options,
                 Progress& progress, std::vector<ShownMotion>& proved) {
  if (shown.motions.empty()) return;
  if (shown.motions.size() == 1) {
    proved.push_back(prove(shown, shown.motions.front(), options));
    return;
  }
  std::vector<Path> paths;
  for (const Motion& motion : shown.motions) paths.push_back(motion.path);
  const std::string contract = contract_for(shown.world, shown.certify, options.motions);
  certify_all(
      shown.world, paths, shown.certify, world.threads,
      [&](std::size_t i, const Certificate& certificate) {
        const Motion& motion = shown.motions[i];
        proved.push_back({motion.file, contract, motion.path, shown.certify, certificate, 0});
        progress.update(static_cast<double>(i + 1) / static_cast<double>(paths.size()));
      });
}

void prove_all(const ShownWorld& shown, const WorldOptions& world, const ShowOptions& options,
               Progress& progress, Shown& found) {
  std::vector<ShownMotion> paths;
  prove_paths(shown, world, options, progress, paths);
  std::size_t path = 0, object = 0;
  for (const bool moves_object : shown.moves_object) {
    if (!moves_object) {
      found.motions.push_back(std::move(paths[path++]));
      continue;
    }
    const SteadyClock::time_point began = SteadyClock::now();
    const ObjectMotions::Answer answer = shown.objects->ask(object++);
    found.motions.push_back(shown_motion(shown.world, *shown.objects, answer, shown.certify));
    found.motions.back().seconds = seconds_since(began);
  }
}

/// The worst of what was asked for, in a word and a sentence.
void judge(const World& world, const ShowOptions& options, Shown& found) {
  std::vector<std::pair<std::string, std::string>> answers;
  for (const ShownMotion& motion : found.motions) {
    const std::string name = found.motions.size() > 1 ? printable(motion.name) + ": " : "";
    answers.emplace_back(to_string(motion.certificate.verdict),
                         name + motion_answer(world, motion));
  }
  if (found.run) {
    const bool empty = found.run->guard.cycles == 0;
    answers.emplace_back(empty                      ? "done"
                         : found.run->exit_code > 0 ? "brake"
                                                    : "go",
                         run_answer(world, *found.run));
  }
  if (found.check) {
    double margin = 0;
    if (!options.margin.empty()) margin = not_negative("--margin", options.margin, kMetres);
    answers.emplace_back(to_string(found.check->verdict),
                         pose_answer(world, found.poses.front(), *found.check, margin));
  }
  found.verdict = "done";
  found.headline = "done";
  for (const char* const worst : {"contact", "brake", "undecided", "free", "go"}) {
    const auto at = std::ranges::find(
        answers, worst, [](const auto& answer) { return std::string_view(answer.first); });
    if (at == answers.end()) continue;
    found.verdict = worst;
    found.headline = at->second;
    break;
  }
  found.exit_code = found.verdict == "contact" || found.verdict == "brake" ? 1
                    : found.verdict == "undecided"                         ? 2
                                                                           : 0;
}

void pose_states(const ShownWorld& shown, const ShowOptions& options, Poser& poser, Shown& found) {
  for (NamedState& state : states_of(shown, options)) {
    PosedWorld posed;
    // What an SRDF calls a state need not be a configuration.
    if (!poser.pose(state.q, posed)) continue;
    found.states.push_back(std::move(state));
    found.poses.push_back(std::move(posed));
  }
  if ((options.q || !options.state.empty()) && !found.states.empty()) {
    DistanceQuery query(shown.world);
    found.check = query.check(found.states.front().q, shown.certify.margin);
  }
}

void write_document(const ShownWorld& shown, const WorldOptions& world, const ShowOptions& options,
                    bool live, Poser& poser, Progress& progress, Shown& found) {
  PageDocument& document = found.document;
  const std::string& name = shown.world.name();
  document.live = live;
  document.title = (name.empty() ? "Keepclear" : name) + (live ? "" : ": " + found.verdict);
  document.world = world_document(shown.world, found.drawn);
  for (std::size_t i = 0; i < found.states.size(); ++i) {
    document.states.push_back(json_of(found.states[i]));
    document.poses.push_back(json_of(shown.world, found.poses[i]));
  }
  std::optional<Sweeper> sweeper;
  if (!found.motions.empty() || found.run) sweeper.emplace(shown.world);
  MotionDetail detail;
  // Of many motions each is shown with less, so that a page stays one that opens.
  const std::size_t count = std::max<std::size_t>(found.motions.size(), 1);
  detail.samples = std::clamp<std::size_t>(1200 / count, 40, detail.samples);
  detail.swept = std::min(48 / count, detail.swept);
  for (std::size_t i = 0; i < found.motions.size(); ++i) {
    document.motions.push_back(
        motion_document(shown.world, found.motions[i], poser, &*sweeper, detail));
    progress.update(static_cast<double>(i + 1) / static_cast<double>(count));
  }
  if (found.run) {
    document.guard =
        guard_document(shown.world, found.run->guard, found.run->latencies, poser, *sweeper);
  }
  if (options.pairs) document.pairs = pairs_document(shown.world, found.pairs, poser);
  const bool modelled = std::ranges::any_of(shown.world.bodies(), &BodyInfo::modelled);
  if (modelled) {
    std::vector<double> surface;
    if (!live) {
      const LoadOptions load = load_options(world);
      surface =
          (shown.builtin.empty() ? lint(world.world, load) : lint_builtin(shown.builtin, load))
              .surface_distance;
    }
    document.fit = fit_document(shown.world, world.model, surface);
  }
  document.sections = text_sections(shown, world, options, found);
}

}  // namespace

void add_show_options(CLI::App& command, ShowOptions& options) {
  const auto text = [&](const char* name, std::string& target, const char* what, const char* unit) {
    return command.add_option(name, target, what)->option_text(unit);
  };
  const auto maybe = [&](const char* name, std::optional<std::string>& value, const char* what) {
    return command.add_option_function<std::string>(
        name, [&value](const std::string& given) { value = given; }, what);
  };
  command
      .add_option("--path", options.motions.paths,
                  "A motion to prove, of joints or of an object, as certify takes it: a\n"
                  "file, a folder of them, or a task of a built-in WORLD. May be repeated")
      ->option_text("PATH")
      ->allow_extra_args(false);
  maybe("--rest", options.motions.rest, "Where joints are that a path does not name")
      ->option_text("A,B,...");
  maybe("--columns", options.motions.columns, "Of a CSV path with other names")
      ->option_text("COLUMN=JOINT,...");
  maybe("--tube", options.motions.tube,
        "How far each joint may be off the path: radians or metres, or a CSV")
      ->option_text("W|FILE");
  text("--method", options.method, "How motions are proved: auto, chord, sweep, velocity or ball",
       "NAME");
  text("--tolerance", options.tolerance,
       "Metres: a part of a motion is divided until nothing moves by more in it", "M");
  text("--deviation", options.deviation, "Metres: how far links may be from where a path has them",
       "M");
  text("--states", options.states, "Measured states for a guard, as guard --replay takes them",
       "FILE");
  text("--recording", options.recording, "A recording that a guard wrote: guard --record", "FILE");
  text("--brake", options.brake, "With --states: how the joints stop", "FILE");
  text("--latency", options.latency,
       "With --states: seconds from a measurement until braking takes hold", "S");
  text("--margin", options.margin, "Metres to keep, in motions, cycles and configurations", "M");
  command
      .add_option_function<std::size_t>(
          "--budget", [&options](std::size_t given) { options.budget = given; },
          "With --path: tests; with --states: floating-point operations of a cycle")
      ->option_text("N");
  maybe("--q", options.q, "A configuration to look at: numbers, or NAME=VALUE for some")
      ->option_text("A,B,...");
  text("--state", options.state, "The same, by the name that the world has for it", "NAME");
  command.add_flag("--pairs", options.pairs,
                   "Which links can touch, over the whole range of the joints; takes a while");
}

ShownWorld read_shown(const WorldOptions& options, const ShowOptions& show,
                      const TalkOptions& talk) {
  if (show.budget && !show.motions.paths.empty() && !show.states.empty()) {
    usage("--budget: of motions it counts tests, of states floating-point operations",
          "give --path and --states apart");
  }
  const CertifyOptions certify = certify_options(show);
  guard_options(show);
  std::vector<MotionFile> files;
  if (!show.motions.paths.empty()) files = motion_files(show.motions, options.world);
  const auto object_file = std::ranges::find_if(files, &MotionFile::moves_object);
  WorldOptions of_world = options;
  const bool asks_pairs = show.pairs && files.empty() && !show.has_guard();
  // Where nothing but objects move, what links might hit is not asked.
  const bool asks_objects =
      !files.empty() && !show.has_guard() && std::ranges::all_of(files, &MotionFile::moves_object);
  of_world.allow_no_pairs = of_world.allow_no_pairs || asks_pairs || asks_objects;
  const LoadOptions load = load_options(of_world);
  const bool builtin = is_builtin(options.world);
  ShownWorld shown{
      load_world(of_world),
      builtin ? read_builtin_source(options.world, load) : read_source(options.world, load),
      builtin ? options.world : "",
      {},
      certify,
      load,
      {}};
  tell_what_was_passed_over(shown.world, options, talk);
  shown.inputs = inputs_of(options, shown.source);
  for (const MotionFile& file : files) {
    if (!file.task) shown.inputs.push_back(file.file);
  }
  if (show.motions.tube) shown.inputs.push_back(*show.motions.tube);
  for (const std::string& file : {show.states, show.recording, show.brake}) {
    if (!file.empty()) shown.inputs.push_back(file);
  }
  if (object_file != files.end()) {
    shown.objects = std::make_shared<ObjectMotions>(
        object_motions(shown, certify, show.motions, object_file->file));
  }
  for (const MotionFile& file : files) {
    shown.moves_object.push_back(file.moves_object);
    if (file.moves_object) shown.objects->add(file.file);
  }
  if (!files.empty()) shown.motions = read_motions(shown.world, show.motions, std::move(files));
  tell_what_was_assumed(shown.motions, talk);
  return shown;
}

ObjectMotions object_motions(const ShownWorld& shown, const CertifyOptions& certify,
                             const MotionOptions& motions, const std::string& file) {
  CertifyOptions asked = certify;
  asked.keep_proof = false;
  require_for_objects(asked, motions, file);
  // What is told does not depend on threads.
  return ObjectMotions(shown.source.scene.get(), shown.load, asked, rest_of(shown.world, motions),
                       1);
}

ShownMotion prove(const ShownWorld& shown, const Motion& motion, const ShowOptions& options) {
  ShownMotion proved{motion.file,   contract_for(shown.world, shown.certify, options.motions),
                     motion.path,   shown.certify,
                     Certificate{}, 0};
  const SteadyClock::time_point began = SteadyClock::now();
  MotionQuery query(shown.world, shown.certify);
  proved.certificate = query(motion.path);
  proved.seconds = seconds_since(began);
  return proved;
}

Shown build_shown(const ShownWorld& shown, const WorldOptions& world, const ShowOptions& options,
                  const TalkOptions& talk, bool live) {
  // A live page is another each time anyway.
  const bool timing = options.timing || live;
  Shown found;
  Progress progress(talk.quiet, false);
  Poser poser(shown.world, shown.certify.margin);
  pose_states(shown, options, poser, found);
  if (!shown.moves_object.empty()) prove_all(shown, world, options, progress, found);
  if (!options.states.empty()) found.run = replay_states(shown.world, options, talk, timing);
  if (!options.recording.empty()) found.run = replay_recording(shown.world, options, timing);
  if (options.pairs) {
    PairsOptions asked;
    asked.threads = world.threads;
    asked.progress = [&](std::size_t done, std::size_t all) {
      progress.update(all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all));
    };
    found.pairs = classify_pairs(shown.world, asked);
  }
  if (!timing) {
    for (ShownMotion& motion : found.motions) motion.seconds = 0;
  }
  judge(shown.world, options, found);
  found.drawn = drawn_world(shown.world, shown.source);
  write_document(shown, world, options, live, poser, progress, found);
  progress.clear();
  if (shown.objects && !talk.quiet) shown.objects->print_notes();
  return found;
}

}  // namespace keepclear::command
