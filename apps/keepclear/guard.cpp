// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear guard: go or brake, state by state, from a log, a pipe or the network.
#include "keepclear/guard.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "certificate.hpp"
#include "files.hpp"
#include "guard_files.hpp"
#include "guard_live.hpp"
#include "guard_session.hpp"
#include "keepclear/brake.hpp"
#include "keepclear/error.hpp"
#include "options.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

/// Seconds. No loop is faster, and a watchdog that is does nothing but expire.
constexpr double kShortestDeadline = 1e-6;

struct GuardArguments {
  TalkOptions talk;
  WorldOptions world;
  std::string replay, udp;
  bool from_stdin = false, allow_remote = false;
  std::string brake;
  // Numbers as given; empty: as the library has them.
  std::string latency, margin, horizon, max_age, max_gap, deadline;
  GuardOptions guard;
  std::string record, live;
  std::size_t record_cycles = 1000;
  std::uint64_t max_lost = 0;
  bool realtime = false, no_timing = false;
  CertificateOptions certificate;
  std::vector<const CLI::Option*> of_guard;  ///< that a recording has of its own
};

void require_no(const std::vector<const CLI::Option*>& options, const std::string& why) {
  for (const CLI::Option* option : options) {
    if (option->count() > 0) usage(option->get_name() + ": " + why);
  }
}

void require_an_input(const GuardArguments& options) {
  if (options.replay.empty() && options.udp.empty() && !options.from_stdin) {
    usage("no states given", "give one of --replay FILE, --stdin, --udp HOST:PORT");
  }
}

GuardOptions guard_options(const GuardArguments& options) {
  constexpr const char* kSeconds = "it is a time in seconds";
  GuardOptions guard = options.guard;
  set_number("--margin", options.margin, guard.margin, true, "it is a length in metres",
             kMaxGuardNumber);
  set_number("--horizon", options.horizon, guard.horizon, true, kSeconds, kMaxGuardNumber);
  set_number("--max-age", options.max_age, guard.max_age, false, kSeconds);
  set_number("--max-gap", options.max_gap, guard.max_gap, false, kSeconds);
  return guard;
}

/// Parts in time are looked at only where braking has a latest and an earliest course.
void require_slices_used(const GuardOptions& guard, const BrakeModel& brake) {
  if (guard.slices == GuardOptions().slices) return;
  const bool used = std::ranges::all_of(brake.joints, [](const JointBrake& joint) {
    return std::isfinite(joint.brake_deceleration_most);
  });
  if (used) return;
  usage(fmt::format("--slices '{}': has no effect with this brake file", guard.slices),
        "give \"brake_deceleration_most\" for every joint, or leave the option out");
}

SessionOptions session_options(const GuardArguments& options) {
  return {.talk = options.talk,
          .timing = !options.no_timing,
          .record = options.record,
          .record_cycles = options.record_cycles,
          .live = options.live};
}

/// Proves each *go* once more, and files that. Returns a member of the JSON, after a comma.
std::string file_gos(const World& world, const GuardArguments& options, const Recording& recording,
                     CertificateFiler& filer) {
  const std::string& file = options.certificate.file;
  if (file.empty()) return {};
  const std::string begin = ",\"certificate\":";
  const auto went = [](const RecordedCycle& cycle) { return cycle.found.action == Action::go; };
  if (std::ranges::none_of(recording.cycles, went)) {
    return begin + filer.refuse(file, "no cycle is go");
  }
  CertificateFacts facts = world_facts(world, options.world);
  add_source(options.replay, facts);
  if (!options.brake.empty()) add_source(options.brake, facts);
  add_asked("replay", options.replay, facts);
  add_asked("brake", options.brake, facts);
  add_asked("latency", options.latency, facts);
  if (recording.brake.delays) add_asked("delays", latency_rule(*recording.brake.delays), facts);
  add_asked("margin", options.margin, facts);
  const WrittenCertificate written =
      CertificateFiler::proved([&] { return guard_certificate(world, recording, facts); });
  return begin + filer.take(written, file, "cycles are go");
}

/// A cycle to be certified.
RecordedCycle recorded(const GuardState& state, const GuardCycle& found) {
  const auto copy = [](std::span<const double> from) {
    return std::vector<double>(from.begin(), from.end());
  };
  RecordedCycle cycle;
  cycle.time = state.time;
  cycle.age = state.age;
  cycle.q = copy(state.q);
  cycle.v = copy(state.v);
  cycle.command = copy(state.command);
  cycle.ages = copy(state.ages);
  cycle.found = found;
  return cycle;
}

/// What the latency holds is more than an option may ask for.
void require_held(const char* option, const std::string& text, double asked, const char* part,
                  double held) {
  if (text.empty() || asked <= held) return;
  usage(
      fmt::format("{}: {} s is longer than the {} of {} s in the delays", option, text, part, held),
      "make that longer in the brake file, if it is, or leave the option out");
}

/// The brake model of logs and of live loops, in agreement with the options.
BrakeModel asked_brake(const World& world, const GuardArguments& options,
                       const GuardOptions& guard) {
  BrakeModel brake = brake_model(world, options.brake, options.latency, options.talk);
  if (brake.delays) {
    require_held("--max-gap", options.max_gap, guard.max_gap, "cycle", brake.delays->cycle);
    require_held("--max-age", options.max_age, guard.max_age, "age", brake.delays->age);
  }
  require_slices_used(guard, brake);
  return brake;
}

/// Seconds without a state after which a robot is braked.
double deadline_of(const GuardArguments& options, const BrakeModel& brake) {
  double deadline = brake.latency / 4;
  // Silence is what the delays do not explain.
  if (const std::optional<BrakeDelays>& delays = brake.delays) {
    deadline = std::min(brake.latency / 2,
                        std::max(deadline, delays->age + delays->cycle + delays->communication));
  }
  set_number("--deadline", options.deadline, deadline, false, "it is a time in seconds");
  // A state may have waited unseen for one deadline, and silence lasts another.
  if (!(deadline >= kShortestDeadline && deadline <= brake.latency / 2 && brake.latency <= 3600)) {
    usage(fmt::format("--deadline: a deadline of {} s with a latency of {} s", deadline,
                      brake.latency),
          "it must be from 1e-6 s to half of the latency, and the latency at most 3600 s");
  }
  if (brake.delays && deadline < brake.delays->cycle) {
    usage(fmt::format("--deadline: a deadline of {:.6g} s is shorter than the cycle of {} s in the "
                      "delays: every cycle would brake",
                      deadline, brake.delays->cycle),
          "it must be from the cycle to half of the latency; a latency that holds two cycles "
          "(\"missing_answer_noticed\": \"end of cycle\") has room for that");
  }
  return deadline;
}

/// Goes through the cycles of a recording again. The guard must find the same, bit by bit.
int replay_recording(const World& world, const GuardArguments& options) {
  require_no(options.of_guard, "a recording has its own");
  const Recording recording = read_recording(options.replay);
  Output out;
  SessionOptions said = session_options(options);
  said.goes_on = true;
  Session session(world, recording.brake, recording.options,
                  restored_guard(world, recording, options.replay), said,
                  [&](std::string_view text) { out.write(text); });
  session.print_header();
  std::optional<std::size_t> differs;
  for (std::size_t i = 0; i < recording.cycles.size(); ++i) {
    const RecordedCycle& cycle = recording.cycles[i];
    const GuardState state = cycle.state();
    const Clock::time_point began = Clock::now();
    Answer answer = session.take(state);
    const Nanoseconds taken = Clock::now() - began;
    if (!same_finding(answer.found, cycle.found) && !differs) differs = i;
    if (cycle.said != 0) Session::say(answer, cycle.said);
    session.finish(answer, &state, taken);
  }
  CertificateFiler filer(options.certificate, options.talk);
  std::string more = fmt::format(",\"same\":{}", !differs);
  if (!differs) more += file_gos(world, options, recording, filer);
  session.print_summary(nullptr, more);
  if (!options.talk.json && !options.talk.quiet && !differs) {
    out.print("  the guard found the same in every cycle, bit by bit\n");
  }
  filer.print(out);
  out.flush();
  if (differs) {
    throw Error(Error::Kind::internal, options.replay, static_cast<int>(*differs) + 2,
                fmt::format("cycle {} of the recording comes out differently", *differs + 1),
                "recordings hold for the build that wrote them, with the same C library");
  }
  return filer.failed() ? 2 : session.exit_code(nullptr);
}

int replay_states(const World& world, const GuardArguments& options, StatesFile& states) {
  const GuardOptions guard = guard_options(options);
  StateColumns columns = states.columns(world, guard.known_command);
  const BrakeModel brake = asked_brake(world, options, guard);
  if (!(brake.latency > 0) && options.max_gap.empty()) {
    usage("--latency: a latency of 0 s holds no cycle, so no time between states would be too long",
          "give the delays in the brake file, or --max-gap");
  }
  Output out;
  Session session(world, brake, guard, Guard(world, brake, guard), session_options(options),
                  [&](std::string_view text) { out.write(text); });
  session.print_header();
  StateRow row;
  const auto next = [&] {
    try {
      return states.next(columns, row);
    } catch (const Error&) {
      out.flush();
      throw;
    }
  };
  Recording went;
  went.world = world.hash();
  went.name = world.name();
  went.brake = brake;
  went.options = guard;
  while (next()) {
    const GuardState state = row.state();
    const Clock::time_point began = Clock::now();
    const Answer answer = session.take(state);
    session.finish(answer, &state, Clock::now() - began);
    if (!options.certificate.file.empty() && answer.action == Action::go) {
      went.cycles.push_back(recorded(state, answer.found));
    }
  }
  CertificateFiler filer(options.certificate, options.talk);
  session.print_summary(nullptr, file_gos(world, options, went, filer));
  filer.print(out);
  out.flush();
  if (const std::string warning = session.cycle_warning();
      !warning.empty() && !options.talk.quiet) {
    message("keepclear: warning: " + warning + "\n");
  }
  if (session.cycles() == 0 && !options.talk.quiet) message("keepclear: note: no states\n");
  session.finish_recording();
  return filer.failed() ? 2 : session.exit_code(nullptr);
}

int run_replay(const World& world, const GuardArguments& options) {
  StatesFile states(options.replay, "--replay");
  if (states.has_recording()) return replay_recording(world, options);
  return replay_states(world, options, states);
}

int run_live(const World& world, const GuardArguments& options, Clock::time_point program_began) {
  const GuardOptions guard = guard_options(options);
  if (options.brake.empty()) {
    usage("--brake is missing: a robot is at the other end of --stdin and --udp",
          "say how it stops in a brake file, docs/brake.md");
  }
  const BrakeModel brake = asked_brake(world, options, guard);
  const double deadline = deadline_of(options, brake);
  if (brake.delays && !options.talk.quiet) {
    message(fmt::format("keepclear: latency {:.6g} s = {}\n", brake.latency,
                        latency_rule(*brake.delays)));
  }
  LiveOptions live{
      .address = options.udp,
      .allow_remote = options.allow_remote,
      .realtime = options.realtime,
      .needs_command = guard.known_command,
      .max_lost = options.max_lost,
      .deadline = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(deadline)),
      .began = program_began};
  const StopSignals stop;
  LiveOutput out(stop);
  SessionOptions said = session_options(options);
  said.deadline = deadline;
  Session session(world, brake, guard, Guard(world, brake, guard), said,
                  [&](std::string_view text) { out.write(text); });
  if (options.realtime) ask_for_realtime(options.talk.quiet);
  return options.udp.empty() ? run_stdin(session, world, live, options.talk, stop, out)
                             : run_udp(session, world, live, options.talk, stop);
}

int run_guard(const GuardArguments& options) {
  const Clock::time_point began = Clock::now();
  require_an_input(options);
  const World world = load_world(options.world);
  tell_what_was_passed_over(world, options.world, options.talk);
  const std::vector<std::string> inputs = {options.world.world, options.world.srdf,
                                           options.world.scene, options.world.model,
                                           options.brake,       options.replay};
  require_writable(options.record, inputs);
  if (!options.certificate.file.empty()) {
    require_outputs(std::vector{options.certificate.file, options.record}, options.world, inputs);
  }
  return options.replay.empty() ? run_live(world, options, began) : run_replay(world, options);
}

void add_input_options(CLI::App& command, GuardArguments& options) {
  command
      .add_option("--replay", options.replay,
                  "A states CSV: header time, q.NAME and v.NAME for every joint (and a.NAME\n"
                  "with --known-command), a state a row; or a recording, to go through again")
      ->option_text("FILE");
  command.add_flag("--stdin", options.from_stdin,
                   "The same lines as they come; each is answered at once");
  command
      .add_option("--udp", options.udp,
                  "Messages on a port of this machine, each answered by one; see docs/guard.md")
      ->option_text("HOST:PORT");
  command.add_flag("--allow-remote", options.allow_remote,
                   "With --udp: an address that others can reach");
  command
      .add_option("--deadline", options.deadline,
                  "Seconds without a state after which a watchdog brakes, and within which\n"
                  "an answer must be out; by default a quarter of the latency, with delays\n"
                  "longer, see docs/guard.md; at most half of the latency")
      ->option_text("S");
  command
      .add_option("--max-lost", options.max_lost,
                  "With --udp: states that may be missing in a row; 0 by default")
      ->option_text("N");
  command.add_flag("--realtime", options.realtime,
                   "Ask for SCHED_FIFO and locked memory; says what is refused");
}

void add_guard_options(CLI::App& command, GuardArguments& options) {
  const auto text = [&](const char* name, std::string& target, const char* what,
                        const char* unit) -> CLI::Option* {
    return command.add_option(name, target, what)->option_text(unit);
  };
  GuardOptions& guard = options.guard;
  options.of_guard = {
      text("--brake", options.brake,
           "How the joints stop; with --replay alone it may be left out: then 20 rad/s^2\n"
           "(m/s^2) to speed up and to brake, 0.01 s after the state",
           "FILE"),
      text("--latency", options.latency,
           "Seconds from a measurement until braking takes hold, in place of the file's\n"
           "\"latency\"; not with \"delays\"",
           "S"),
      command
          .add_option(
              "--budget", guard.budget,
              fmt::format(
                  "Floating-point operations of a cycle for looking at pairs, {} by default",
                  guard.budget))
          ->option_text("FLOP"),
      text("--margin", options.margin, "Metres to keep beyond the margins of the scene", "M"),
      command.add_flag("--latch", guard.latch, "Once braked, brake until the program is restarted"),
      command.add_flag("--graded", guard.graded,
                       "Also tell the share of its speed a robot can keep"),
      text("--horizon", options.horizon,
           "With --graded: seconds that it can be kept for; 0.1 by default", "S"),
      command.add_flag("--known-command", guard.known_command,
                       "States have the commanded accelerations, and these are kept to"),
      command
          .add_option(
              "--slices", guard.slices,
              fmt::format("Parts in time to look at braking in, {} by default", guard.slices))
          ->option_text("N"),
      command
          .add_option(
              "--splits", guard.splits,
              fmt::format("Times that a joint box may be halved, {} by default", guard.splits))
          ->option_text("N"),
      text("--max-age", options.max_age,
           "Seconds: older states brake; by default the age in the delays of the brake\n"
           "file, or its latency",
           "S"),
      text("--max-gap", options.max_gap,
           "Seconds between states, at most; by default the cycle in the delays of the\n"
           "brake file, or its latency",
           "S")};
}

}  // namespace

void add_guard(CLI::App& app, Run& run) {
  const auto options = std::make_shared<GuardArguments>();
  CLI::App* const command =
      app.add_subcommand("guard", "Go or brake, every cycle: can braking wait for the next one?");
  add_world_options(*command, options->world);
  add_input_options(*command, *options);
  add_guard_options(*command, *options);
  options->of_guard.push_back(
      command
          ->add_option("--record", options->record,
                       "Where the last cycles go when it brakes; --replay goes through them again")
          ->option_text("FILE"));
  command
      ->add_option("--record-cycles", options->record_cycles,
                   "With --record: how many at least, 1000 by default")
      ->option_text("N");
  command
      ->add_option("--live", options->live,
                   "Show the last cycles there while it runs: keepclear view --attach FILE")
      ->option_text("FILE");
  add_certificate_options(*command, options->certificate,
                          "With --replay: write proof that keepclear-verify checks on its own, of\n"
                          "every cycle that is go");
  command->add_flag("--no-timing", options->no_timing,
                    "Leave out how long cycles took: the same states, the same bytes");
  add_talk_options(*command, options->talk);
  command->footer(
      "'go' is proved: a robot that moves as the brake file says, and brakes from the next cycle\n"
      "on at the latest, keeps every checked pair apart until it stands. Everything else brakes.\n"
      "Exits 0 when it never braked once it had gone, or there was no state; 1 when it did, or\n"
      "never went.\n"
      "\n"
      "With --json one line a state: {\"cycle\", \"time\", \"action\": \"go\"|\"brake\", "
      "\"reason\",\n"
      "\"distance\", \"pair\": [a, b] or null, \"flops\", \"microseconds\"}, with \"scale\" if "
      "graded;\n"
      "a last line {\"summary\": ...}.\n"
      "\n"
      "Examples:\n"
      "  keepclear guard cell.json --replay states.csv --brake brake.json --record last.kcr\n"
      "  keepclear guard cell.json --udp 127.0.0.1:47600 --brake brake.json --realtime --latch");
  command->callback([options, &run] { run = [options] { return run_guard(*options); }; });
}

}  // namespace keepclear::command
