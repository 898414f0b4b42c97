// SPDX-License-Identifier: BSD-3-Clause
#include "report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "keepclear/version.hpp"
#include "output.hpp"
#include "poses.hpp"
#include "report_world.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string metres(double value) {
  return json_number(value) + " m";
}

std::string times_of(const ShownMotion& motion) {
  return fmt::format("{} to {} s", seconds_near(motion.begin()), seconds_near(motion.end()));
}

bool goes_beyond_limits(const World& world, const Path& path) {
  // Enclosures are a little wider than the motion.
  constexpr double kSlack = 1e-9;
  const JointBox range = path.range(path.begin(), path.end());
  for (std::size_t i = 0; i < range.size() && i < world.dof(); ++i) {
    const Variable& variable = world.variables()[i];
    if (range[i].lower < variable.lower - kSlack || range[i].upper > variable.upper + kSlack) {
      return true;
    }
  }
  return false;
}

std::string margin_words(const World& world, double margin) {
  return metres(margin) + (world.data().rules.margin_hi > margin
                               ? " (or the margin of the scene, where that is more)"
                               : "");
}

std::string interval_words(const World& world, const MotionInterval& interval) {
  // What is free is told of no moment more, what is not of no moment less.
  const bool free = interval.status == Verdict::free;
  std::string text =
      free ? fmt::format("{} to {} s", seconds_hi(interval.from), seconds_lo(interval.to))
           : fmt::format("{} to {} s", seconds_lo(interval.from), seconds_hi(interval.to));
  if (interval.a >= 0) text += ": " + pair_name(world, interval.a, interval.b);
  if (std::isfinite(interval.contact)) {
    text += fmt::format(", in contact at {} s", seconds_near(interval.contact));
  }
  return text;
}

/// Rows that both kinds of motions begin with: the verdict and what is behind it.
void add_verdict(const World& world, const ShownMotion& motion, Rows& rows) {
  const Certificate& found = motion.certificate;
  rows.emplace_back("Verdict", motion_answer(world, motion));
  rows.emplace_back("Time", times_of(motion));
  if (found.verdict == Verdict::free) {
    rows.emplace_back("Clearance, proved",
                      std::isfinite(found.clearance)
                          ? "at least " + metres_lo(found.clearance) + " m throughout"
                          : "nothing is there to hit");
  }
  if (found.verdict == Verdict::contact) {
    rows.emplace_back("First contact found", seconds_near(found.first_contact) + " s");
  }
}

TextSection object_section(const World& world, const ShowOptions& options,
                           const ShownMotion& motion) {
  const Certificate& found = motion.certificate;
  const ShownObject& object = *motion.object;
  TextSection section{"Motion " + printable(motion.name), {}, {}};
  Rows& rows = section.rows;
  rows.emplace_back("Object that moves",
                    printable(world.solids()[static_cast<std::size_t>(object.solid)].name));
  add_verdict(world, motion, rows);
  if (found.a >= 0 && std::isfinite(found.distance) && found.verdict != Verdict::contact) {
    rows.emplace_back("Nearest found", fmt::format("{}, about {:.6g} m apart at {} s",
                                                   pair_name(world, found.a, found.b),
                                                   found.distance, seconds_near(found.time)));
  }
  for (std::size_t i = 0; i < found.intervals.size(); ++i) {
    rows.emplace_back(
        std::string(to_string(found.intervals[i].status)),
        interval_words(world, found.intervals[i]) + place_words(object.result.intervals[i]));
  }
  rows.emplace_back("Margin", metres(motion.options.margin));
  rows.emplace_back("Tolerance", metres(motion.options.tolerance));
  rows.emplace_back("Deviation of the object", metres(motion.options.deviation));
  rows.emplace_back("Robots stand at",
                    options.motions.rest ? printable(*options.motions.rest) : "neutral");
  rows.emplace_back("Method", to_string(motion.options.method));
  rows.emplace_back("Proof", fmt::format("{} of elements in {}, divided {} times at most",
                                         counted(found.tests, "test"), counted(found.parts, "ball"),
                                         found.depth));
  rows.emplace_back("Contract", motion.contract);
  for (const std::string& note : object.notes) section.text.push_back("Note: " + note + ".");
  section.text.emplace_back(
      "The object is a polyhedron here, a mesh its own triangles; all else stands still. Pictures "
      "show the convex pieces of it that robots are checked against.");
  return section;
}

TextSection motion_section(const World& world, const ShowOptions& options,
                           const ShownMotion& motion) {
  if (motion.object) return object_section(world, options, motion);
  const Certificate& found = motion.certificate;
  const CertifyOptions& asked = motion.options;
  const bool contact = found.verdict == Verdict::contact;
  TextSection section{"Motion " + printable(motion.name), {}, {}};
  Rows& rows = section.rows;
  add_verdict(world, motion, rows);
  if (found.a >= 0 && !found.q.empty()) {
    const std::string apart =
        found.distance > 0 ? metres_hi(found.distance) + " m apart" : std::string("overlapping");
    rows.emplace_back(contact ? "Pair in contact" : "Nearest pair found",
                      fmt::format("{}, {} at {} s", pair_name(world, found.a, found.b), apart,
                                  seconds_near(found.time)));
    rows.emplace_back("Configuration there", pasted_configuration(world, found.q, false));
  }
  for (const MotionInterval& interval : found.intervals) {
    rows.emplace_back(std::string(to_string(interval.status)), interval_words(world, interval));
  }
  rows.emplace_back("Margin", metres(asked.margin));
  rows.emplace_back("Tolerance", metres(asked.tolerance));
  rows.emplace_back("Deviation of bodies", metres(asked.deviation));
  rows.emplace_back("Tube around the path",
                    options.motions.tube ? printable(*options.motions.tube) : "none");
  rows.emplace_back("Joints that the path does not name",
                    options.motions.rest ? printable(*options.motions.rest) : "neutral");
  rows.emplace_back("Method", to_string(asked.method));
  rows.emplace_back(
      "Proof", fmt::format("{} in {}, divided {} times at most; {}", counted(found.tests, "test"),
                           counted(found.parts, "part of the motion", "parts of the motion"),
                           found.depth, counted(found.proof.size(), "step")));
  rows.emplace_back("Contract", motion.contract);
  if (goes_beyond_limits(world, *motion.path)) {
    section.text.emplace_back("The path goes beyond the limits of joints.");
  }
  return section;
}

std::string limit_of(double value, const std::string& unit) {
  return std::isfinite(value) ? json_number(value) + " " + unit : "unknown";
}

TextSection brake_section(const World& world, const BrakeModel& brake) {
  TextSection section{"Brake model", {}, {}};
  section.rows.emplace_back("Latency", brake.delays ? fmt::format("{:.6g} s = {}", brake.latency,
                                                                  latency_rule(*brake.delays))
                                                    : json_number(brake.latency) + " s, as given");
  for (std::size_t i = 0; i < brake.joints.size() && i < world.dof(); ++i) {
    const JointBrake& joint = brake.joints[i];
    const Variable& variable = world.variables()[i];
    const std::string unit = unit_of(variable);
    std::string text =
        fmt::format("speeds up by at most {0} {2}/s^2, brakes by at least {1} {2}/s^2, at most {3}",
                    json_number(joint.max_acceleration), json_number(joint.brake_deceleration),
                    unit, limit_of(joint.brake_deceleration_most, unit + "/s^2"));
    text +=
        fmt::format("; measured to {0} {2} and {1} {2}/s", json_number(joint.position_uncertainty),
                    json_number(joint.velocity_uncertainty), unit);
    if (joint.acceleration_uncertainty > 0 && std::isfinite(joint.acceleration_uncertainty)) {
      text +=
          fmt::format("; command to {} {}/s^2", json_number(joint.acceleration_uncertainty), unit);
    }
    if (std::isfinite(joint.max_velocity)) {
      text += fmt::format("; not believed beyond {} {}/s", json_number(joint.max_velocity), unit);
    }
    if (joint.stops) text += "; mechanical stops at its limits";
    section.rows.emplace_back(printable(variable.name), text);
  }
  section.text.emplace_back(
      "Go is proved for a robot that moves as this model says. That it does, that the latency "
      "holds all delays, and that a brake is obeyed, is for the integrator to keep.");
  return section;
}

TextSection run_section(const World& world, const ShownRun& run) {
  const ShownGuard& guard = run.guard;
  const GuardOptions& options = guard.options;
  TextSection section{"Guard", {}, {}};
  Rows& rows = section.rows;
  rows.emplace_back("Verdict", run_answer(world, run));
  rows.emplace_back(run.recording ? "Recording" : "States", printable(guard.name));
  rows.emplace_back("Cycles", std::to_string(guard.cycles));
  rows.emplace_back("Brakes", fmt::format("{}, and {} to start", guard.brakes, run.starting));
  if (run.first_brake) {
    const ShownCycle& brake = *run.first_brake;
    rows.emplace_back("First brake",
                      fmt::format("cycle {}, at {} s", brake.cycle, seconds_near(brake.time)));
    rows.emplace_back("Why", std::string(reason_name(brake.reason)));
    rows.emplace_back("Pair that decided", pair_name(world, brake.a, brake.b));
    rows.emplace_back("Bound of that pair while braking",
                      std::isfinite(brake.bound) ? metres_lo(brake.bound) + " m" : "none");
    rows.emplace_back("Configuration there", pasted_configuration(world, brake.q, false));
  }
  rows.emplace_back("Cycles out of budget", std::to_string(guard.overruns));
  rows.emplace_back("Work of a cycle, at most",
                    fmt::format("{} floating-point operations", guard.work_bound));
  rows.emplace_back("Budget for pairs",
                    fmt::format("{} floating-point operations a cycle", options.budget));
  rows.emplace_back("Margin", metres(options.margin) + " beyond those of the scene");
  rows.emplace_back("Braking followed in", counted(static_cast<std::size_t>(options.slices),
                                                   "part in time", "parts in time"));
  rows.emplace_back("Joint boxes halved", fmt::format("{} times at most", options.splits));
  rows.emplace_back("Latch", options.latch ? "braked once, braked until it is reset" : "no");
  rows.emplace_back("Commands", options.known_command ? "known" : "not relied on");
  rows.emplace_back("States between cycles, at most",
                    options.max_gap > 0  ? json_number(options.max_gap) + " s apart"
                    : guard.brake.delays ? "the cycle in the delays apart"
                                         : "the latency apart");
  if (!run.cycle_warning.empty()) section.text.emplace_back("Warning: " + run.cycle_warning + ".");
  rows.emplace_back("Limits of joints, tolerance",
                    json_number(options.limit_tolerance) + " rad or m");
  if (run.recording) {
    section.text.emplace_back(
        "The cycles of the recording were gone through again, and the guard "
        "found the same in each, bit by bit.");
  }
  return section;
}

TextSection pairs_section(const World& world, const Shown& found) {
  TextSection section{"Pairs of links, over the whole range of their joints", {}, {}};
  constexpr std::array<std::pair<PairClass, const char*>, 5> kMeaning = {{
      {PairClass::adjacent, "joined by a joint; not looked at"},
      {PairClass::always, "overlap in every configuration: proved"},
      {PairClass::never, "apart in every configuration: proved"},
      {PairClass::sometimes, "overlap in some configuration, which is known"},
      {PairClass::undecided, "none of these was shown within the budget"},
  }};
  for (const auto& [kind, meaning] : kMeaning) {
    section.rows.emplace_back(
        to_string(kind),
        fmt::format("{}: {}", std::ranges::count(found.pairs, kind, &PairOfLinks::kind), meaning));
  }
  for (const PairOfLinks& pair : found.pairs) {
    std::string text = to_string(pair.kind);
    if (pair.kind == PairClass::never) {
      text += ", at least " + metres_lo(pair.clearance) + " m apart";
    } else if (pair.kind == PairClass::undecided && !pair.witness.empty()) {
      text += ", " + metres_hi(pair.distance) + " m apart the nearest found";
    } else if (pair.kind == PairClass::sometimes) {
      text += ", " + metres_lo(-pair.distance) + " m deep at " +
              pasted_configuration(world, pair.witness, false, pair.joints);
    }
    if (pair.disabled) {
      text += "; not checked: the SRDF disables it";
      if (!pair.reason.empty()) text += ", \"" + printable(pair.reason) + "\"";
    }
    section.rows.emplace_back(pair_name(world, pair.a, pair.b), text);
  }
  return section;
}

TextSection verdict_section(const ShownWorld& shown, const ShowOptions& options,
                            const Shown& found) {
  const World& world = shown.world;
  TextSection section{"Verdict", {}, {}};
  Rows& rows = section.rows;
  const auto ask = [&](const std::string& question, const std::string& answer) {
    rows.emplace_back("Asked", question);
    rows.emplace_back("Answered", answer);
  };
  const std::string checked = counted(world.pair_count(), "checked pair");
  for (const ShownMotion& motion : found.motions) {
    const std::string whom =
        motion.object
            ? fmt::format(
                  "{} and all that it must not touch",
                  printable(world.solids()[static_cast<std::size_t>(motion.object->solid)].name))
            : "the " + checked;
    ask(fmt::format("Does the motion {} keep {} apart by more than {} at every moment, {}?",
                    printable(motion.name), whom, margin_words(world, motion.options.margin),
                    times_of(motion)),
        motion_answer(world, motion));
  }
  if (found.run) {
    ask(fmt::format("Does the guard let the robot go in all cycles of {}?",
                    printable(found.run->guard.name)),
        run_answer(world, *found.run));
  }
  if (options.q || !options.state.empty()) {
    ask(fmt::format("Are the {} apart by more than {} in the configuration {}?", checked,
                    margin_words(world, shown.certify.margin),
                    printable(found.states.front().name)),
        pose_answer(world, found.poses.front(), *found.check, shown.certify.margin));
  }
  if (options.pairs) {
    const auto count = [&](PairClass kind) {
      return std::ranges::count(found.pairs, kind, &PairOfLinks::kind);
    };
    ask("Which pairs of links can touch, over the whole range of their joints?",
        fmt::format("{} never, {} always, {} sometimes, {} undecided, {} joined by a joint",
                    count(PairClass::never), count(PairClass::always), count(PairClass::sometimes),
                    count(PairClass::undecided), count(PairClass::adjacent)));
  }
  if (rows.empty()) {
    ask("What is in this world?",
        fmt::format("{} of {}, {}", counted(world.bodies().size(), "body", "bodies"),
                    counted(world.links().size(), "link"), checked));
  }
  section.text.emplace_back(
      "Free is proved: in real arithmetic, with all rounding accounted for, for every moment or "
      "configuration that it is said of. Contact is shown by a configuration. Undecided means "
      "that neither was proved, and is to be treated as contact.");
  const bool objects = !found.motions.empty() && std::ranges::all_of(found.motions, [](auto& each) {
    return each.object.has_value();
  });
  if (world.pair_count() == 0 && !objects) {
    section.text.emplace_back("The world has no pair to check: nothing can be found in contact.");
  }
  return section;
}

TextSection options_section(const ShownWorld& shown, const WorldOptions& world,
                            const ShowOptions& options) {
  TextSection section{"Options in force", {}, {}};
  Rows& rows = section.rows;
  const auto or_none = [](const std::string& text) {
    return text.empty() ? std::string("none") : printable(text);
  };
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  rows.emplace_back("SRDF", or_none(world.srdf));
  rows.emplace_back("Scene", or_none(world.scene));
  rows.emplace_back("Model", world.model.empty() ? "as the world has it" : printable(world.model));
  rows.emplace_back("Hulls for each mesh", std::to_string(world.parts));
  for (const std::string& package : world.packages)
    rows.emplace_back("Package", printable(package));
  for (const std::string& folder : world.package_path) {
    rows.emplace_back("Packages in", printable(folder));
  }
  rows.emplace_back("Lenient reading", yes(world.lenient));
  rows.emplace_back("A world without pairs is allowed", yes(world.allow_no_pairs));
  if (!options.motions.paths.empty()) {
    const CertifyOptions& certify = shown.certify;
    rows.emplace_back("Motions: margin", metres(certify.margin));
    rows.emplace_back("Motions: tolerance", metres(certify.tolerance));
    rows.emplace_back("Motions: accuracy of the clearance",
                      fmt::format("{}, or {} of it", metres(certify.accuracy),
                                  json_number(certify.relative_accuracy)));
    rows.emplace_back("Motions: deviation", metres(certify.deviation));
    rows.emplace_back("Motions: method", to_string(certify.method));
    rows.emplace_back("Motions: budget", counted(certify.budget, "test"));
    rows.emplace_back("Motions: tube", options.motions.tube ? printable(*options.motions.tube)
                                                            : std::string("none"));
    rows.emplace_back("Motions: rest", options.motions.rest ? printable(*options.motions.rest)
                                                            : std::string("neutral"));
    rows.emplace_back("Motions: columns", options.motions.columns
                                              ? printable(*options.motions.columns)
                                              : std::string("as in the files"));
  }
  if (options.has_guard()) {
    rows.emplace_back("Guard: brake file", !options.recording.empty()
                                               ? std::string("that of the recording")
                                               : or_none(options.brake));
  }
  if (options.pairs) {
    const PairsOptions pairs;
    rows.emplace_back("Pairs: budget", counted(pairs.budget, "proof") + " for each");
    rows.emplace_back("Pairs: samples", std::to_string(pairs.samples));
    rows.emplace_back("Pairs: seed", std::to_string(pairs.seed));
  }
  return section;
}

TextSection assumptions_section() {
  TextSection section{"What lies outside of this", {}, {}};
  const auto add = [&](const char* text) { section.text.emplace_back(text); };
  add("That the description is that of the robot: cables, tools, tolerances of manufacture and "
      "calibration, links that bend. A margin is the place for these.");
  add("That the robot is where the numbers say and goes where it is told, but for what a tube, a "
      "deviation or the uncertainties of a brake model allow. What lies before the begin and after "
      "the end of a path.");
  add("Pairs that are not checked: they are listed here with their reasons. The reason Never of an "
      "SRDF comes from sampling, unless it says proved.");
  add("Objects that nobody described. Objects that stand still are not checked against each other, "
      "nor against links that no joint moves. Links without a collision element have no body.");
  add("Of the arithmetic it is assumed: IEEE 754 binary64, rounded to nearest, with gradual "
      "underflow; sine and cosine of the C library within 2^-51; a compiler and a processor that "
      "do what they should.");
  add("The whole promise, with its proofs, is in docs/guarantee.md of Keepclear. Pictures show "
      "single-precision coordinates and thinned meshes; what was proved stands in numbers.");
  return section;
}

}  // namespace

std::string motion_answer(const World& world, const ShownMotion& motion) {
  const Certificate& found = motion.certificate;
  switch (found.verdict) {
    case Verdict::free:
      return std::isfinite(found.clearance)
                 ? fmt::format("free: at least {} m apart throughout, {}",
                               metres_lo(found.clearance), times_of(motion))
                 : "free: nothing is there to hit";
    case Verdict::contact:
      return fmt::format("contact: {} at {} s", pair_name(world, found.a, found.b),
                         seconds_near(found.first_contact));
    case Verdict::undecided:
      break;
  }
  const auto open = static_cast<std::size_t>(
      std::ranges::count(found.intervals, Verdict::undecided, &MotionInterval::status));
  return fmt::format("undecided: {} could not be proved either way",
                     counted(open, "stretch of the motion", "stretches of the motion"));
}

std::string run_answer(const World& world, const ShownRun& run) {
  const ShownGuard& guard = run.guard;
  if (guard.cycles == 0) return "no states";
  if (run.first_brake) {
    const ShownCycle& brake = *run.first_brake;
    std::string text = fmt::format("brake: {} of {} brake, the first at {} s: {}", guard.brakes,
                                   counted(guard.cycles, "cycle"), seconds_near(brake.time),
                                   reason_name(brake.reason));
    if (brake.a >= 0) text += ", " + pair_name(world, brake.a, brake.b);
    return text;
  }
  if (run.exit_code != 0) return "brake: it never let the robot go";
  return fmt::format("go: in all {} once it had started", counted(guard.cycles, "cycle"));
}

std::string pose_answer(const World& world, const PosedWorld& posed, const CheckResult& check,
                        double margin) {
  const Nearest& nearest = posed.nearest;
  switch (check.verdict) {
    case Verdict::free:
      return nearest.a < 0 ? std::string("free: nothing is there to hit")
                           : fmt::format("free: at least {} m apart, the nearest {}",
                                         metres_lo(nearest.lower_bound),
                                         pair_name(world, nearest.a, nearest.b));
    case Verdict::contact:
      return fmt::format("contact: {}{}", pair_name(world, check.a, check.b),
                         margin > 0 || nearest.distance > 0 ? ", or nearer than its margin" : "");
    case Verdict::undecided:
      break;
  }
  return "undecided: neither contact nor its absence was proved";
}

std::vector<TextSection> text_sections(const ShownWorld& shown, const WorldOptions& world,
                                       const ShowOptions& options, const Shown& found) {
  std::vector<TextSection> sections;
  sections.push_back(verdict_section(shown, options, found));
  for (const ShownMotion& motion : found.motions) {
    sections.push_back(motion_section(shown.world, options, motion));
  }
  if (found.run) {
    sections.push_back(run_section(shown.world, *found.run));
    sections.push_back(brake_section(shown.world, found.run->guard.brake));
  }
  if (options.pairs) sections.push_back(pairs_section(shown.world, found));
  for (TextSection& section : world_sections(shown.world)) sections.push_back(std::move(section));
  sections.push_back(options_section(shown, world, options));
  sections.push_back(assumptions_section());
  return sections;
}

TextSection versions_section() {
  TextSection section{"Versions", {}, {}};
  section.rows.emplace_back("keepclear", kVersion);
#ifdef __clang__
  section.rows.emplace_back("Compiler", __VERSION__);
#else
  section.rows.emplace_back("Compiler", "g++ " __VERSION__);
#endif
  return section;
}

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

TextSection repeat_section(const std::vector<std::string>& words, const std::string& date) {
  TextSection section{"How to repeat it", {}, {}};
  std::string line = "keepclear";
  for (const std::string& word : words) line += " " + shell_quoted(word);
  section.rows.emplace_back("Command", printable(line));
  if (!date.empty()) section.rows.emplace_back("Date, as given", printable(date));
  section.text.emplace_back(
      "The same version with the same files gives this file again, byte for byte. The hash of the "
      "world tells whether what a verdict depends on is the same.");
  return section;
}

}  // namespace keepclear::command
