// SPDX-License-Identifier: BSD-3-Clause
//
// What keepclear certify says of a motion: to scripts, to people, and as a proof.
#include <algorithm>
#include <cmath>

#include "certify.hpp"
#include "poses.hpp"
#include "rows.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

/// More stretches than this are for --json.
constexpr std::size_t kMostStretches = 12;

std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string short_time(double value, std::string (*rounded)(double)) {
  constexpr std::size_t kShort = 12;
  std::string exact = json_number(value);
  return exact.size() <= kShort ? exact : without_zeros(rounded(value));
}

/// {"path":...} of one path; {"clocks":{...},"offset":...} of several robots.
std::string json_motions(const Asked& asked, std::span<const Motion> motions) {
  if (!asked.clocks) return "\"path\":" + json_string(motions.front().file);
  std::string text = "\"clocks\":{";
  for (const Motion& motion : motions) {
    text += fmt::format("{}{}:{}", &motion == motions.data() ? "" : ",", json_string(motion.robot),
                        json_string(motion.file));
  }
  return text + "},\"offset\":" + json_number(asked.offset);
}

std::string json_option(const std::optional<std::string>& text) {
  return text ? json_string(*text) : "null";
}

/// How far bases may be off, by robot; null stands for all of them.
std::string json_bases(const Asked& asked) {
  std::string text;
  for (const BaseUncertainty& base : asked.options.base) {
    std::string robot = "null";
    if (base.robot >= 0) robot = json_string(robot_name(asked.world, base.robot));
    text +=
        fmt::format("{}{{\"robot\":{},\"position\":{},\"rotation\":{}}}", text.empty() ? "" : ",",
                    robot, json_number(base.position), json_number(base.rotation));
  }
  return text;
}

/// What shows the contact: an overlap, or a distance that is less than a margin, and whose margin.
std::string contact_words(const Asked& asked, const Certificate& certificate) {
  const double of_scene = asked.world.data().rules.margin_of(certificate.a, certificate.b);
  const double margin = std::max(asked.options.margin, of_scene);
  const bool apart = certificate.distance > 0;
  if (!apart && margin == 0) return "overlapping";
  return fmt::format("{}within the margin of {} m{},",
                     apart ? metres_hi(certificate.distance) + " m apart, " : "overlapping or ",
                     json_number(margin),
                     of_scene > asked.options.margin ? " that the scene asks for" : "");
}

std::string stretch_words(const World& world, const MotionInterval& interval) {
  const std::string times =
      fmt::format("{} to {} s", seconds_lo(interval.from), seconds_hi(interval.to));
  return fmt::format("{:<9}  {}: {}", to_string(interval.status), times,
                     pair_name(world, interval.a, interval.b));
}

void print_stretches(Output& out, const Asked& asked, const Certificate& certificate) {
  std::size_t printed = 0, open = 0;
  for (const MotionInterval& interval : certificate.intervals) {
    if (interval.status == Verdict::free || ++open > kMostStretches) continue;
    out.print("  {:<9}  {}\n", printed++ == 0 ? "not free" : "",
              stretch_words(asked.world, interval));
  }
  if (open > printed) out.print("  {:<9}  and {} more; --json has all\n", "", open - printed);
}

/// "the whole motion, 0 to 12 s", or of robots on clocks of their own.
std::string motion_words(const Asked& asked, std::span<const Motion> motions) {
  if (asked.clocks) {
    return std::isfinite(asked.offset)
               ? fmt::format("while the clocks of {} differ by {} s at most",
                             counted(motions.size(), "robot"), json_number(asked.offset))
               : fmt::format("whatever the timing of the {}", counted(motions.size(), "robot"));
  }
  const Path& path = motions.front().path;
  return fmt::format("for the whole motion, {} to {} s", seconds_near(path.begin()),
                     seconds_near(path.end()));
}

/// "1.5 s"; where robots have clocks of their own, by those of the robots of the pair.
std::string when(const Asked& asked, const Certificate& certificate) {
  const auto of = [&](double time, int solid) {
    const int robot = asked.world.solids()[static_cast<std::size_t>(solid)].robot;
    const std::string seconds = seconds_near(time) + " s";
    return robot < 0 ? seconds : seconds + " of " + robot_name(asked.world, robot);
  };
  if (!asked.clocks) return seconds_near(certificate.time) + " s";
  const std::string first = of(certificate.time, certificate.a);
  if (std::isnan(certificate.other_time)) return first;
  return first + " and " + of(certificate.other_time, certificate.b);
}

void print_headline(Output& out, const Asked& asked, std::span<const Motion> motions,
                    const Certificate& certificate) {
  const std::string pair = pair_name(asked.world, certificate.a, certificate.b);
  switch (certificate.verdict) {
    case Verdict::free:
      out.print("free: proved {}\n\n", motion_words(asked, motions));
      if (std::isfinite(certificate.clearance)) {
        out.print("  clearance  at least {} m throughout\n", metres_lo(certificate.clearance));
      } else {
        out.print("  clearance  nothing is there to hit\n");
      }
      break;
    case Verdict::contact:
      out.print("contact: {} at {}\n\n", pair, when(asked, certificate));
      break;
    case Verdict::undecided: {
      const auto open = static_cast<std::size_t>(
          std::ranges::count(certificate.intervals, Verdict::undecided, &MotionInterval::status));
      out.print("undecided: {} could not be proved either way\n\n",
                counted(open, "stretch of the motion", "stretches of the motion"));
      break;
    }
  }
}

void print_where(Output& out, const Asked& asked, const Certificate& certificate) {
  if (certificate.q.empty() || certificate.a < 0) return;
  const World& world = asked.world;
  const bool contact = certificate.verdict == Verdict::contact;
  if (contact) {
    out.print("  where      {} at\n", contact_words(asked, certificate));
  } else {
    out.print("  nearest    {} m, the least found: {} at {}, at\n", metres_hi(certificate.distance),
              pair_name(world, certificate.a, certificate.b), when(asked, certificate));
  }
  out.print("             --q {}\n", pasted_configuration(world, certificate.q, !contact));
}

}  // namespace

std::string seconds_lo(double value) {
  return short_time(value, metres_lo);
}
std::string seconds_hi(double value) {
  return short_time(value, metres_hi);
}
std::string seconds_near(double value) {
  // Adding zero turns -0 into 0.
  return without_zeros(fmt::format("{:.6f}", value + 0.0));
}

std::string contract_of(const Asked& asked) {
  const double tolerance = asked.options.tolerance;
  const bool margin = asked.options.margin > 0;
  std::string beyond;
  if (asked.motions.tube) beyond = " and what the tube takes";
  if (!asked.options.base.empty()) beyond += " and what the bases may be off by";
  if (asked.options.deviation > 0) beyond += " and what the deviation takes";
  return fmt::format("clear by more than {} m{}{} is proved free, deeper than {} m{} is found",
                     2 * tolerance,
                     margin ? fmt::format(" + {} m of margin", asked.options.margin) : "", beyond,
                     tolerance, margin ? " below the margin" : "");
}

void print_json(Output& out, const Asked& asked, std::span<const Motion> motions,
                const Certificate& certificate, double seconds, const std::string& filed) {
  out.write(certify_row({asked.world, asked.options, asked.json_pair, asked.clocks},
                        json_motions(asked, motions), certificate, seconds, filed));
}

void print_text(Output& out, const Asked& asked, std::span<const Motion> motions,
                const Certificate& certificate, double seconds) {
  print_headline(out, asked, motions, certificate);
  print_where(out, asked, certificate);
  const auto& intervals = certificate.intervals;
  if (!asked.clocks && !intervals.empty() && certificate.verdict != Verdict::free &&
      intervals.front().status == Verdict::free) {
    out.print("  free       until {} s\n", seconds_lo(intervals.front().to));
  }
  print_stretches(out, asked, certificate);
  out.print("  contract   {}\n", contract_of(asked));
  out.print("  tests      {} in {}, {:.3g} s\n", certificate.tests,
            counted(certificate.parts, "part of the motion", "parts of the motion"), seconds);
}

void print_row(Output& out, const Asked& asked, const Motion& motion,
               const Certificate& certificate, std::size_t width) {
  const bool free = certificate.verdict == Verdict::free;
  const bool contact = certificate.verdict == Verdict::contact;
  const std::string clearance =
      free && std::isfinite(certificate.clearance) ? metres_lo(certificate.clearance) + " m" : "-";
  const double time = contact ? certificate.first_contact : certificate.time;
  const std::string when = std::isfinite(time) ? seconds_near(time) + " s" : "-";
  out.print("{:<{}}  {:<9}  {:>12}  {:>12}  {}\n", printable(motion.file), width,
            to_string(certificate.verdict), clearance, when,
            pair_name(asked.world, certificate.a, certificate.b));
}

std::string proof_text(const Asked& asked, std::span<const Motion> motions,
                       const Certificate& certificate) {
  const World& world = asked.world;
  const CertifyOptions& options = asked.options;
  std::string text = fmt::format(
      "{{\"world\":{},\"hash\":{},{},\"verdict\":\"{}\",\"clearance\":{},\"margin\":{},"
      "\"tolerance\":{},\"method\":\"{}\",\"tube\":{},\"rest\":{},\"columns\":{},\"base\":[{}],"
      "\"deviation\":{},\"steps\":{},\"rules\":\"docs/theory/certify.md\"}}\n",
      json_string(world.name()), json_string(world.hash()), json_motions(asked, motions),
      to_string(certificate.verdict),
      certificate.verdict == Verdict::free ? json_number(certificate.clearance) : "null",
      json_number(options.margin), json_number(options.tolerance), to_string(options.method),
      json_option(asked.motions.tube), json_option(asked.motions.rest),
      json_option(asked.motions.columns), json_bases(asked), json_number(options.deviation),
      certificate.proof.size());
  JsonPairs& json_pair = asked.json_pair;
  for (const ProofStep& step : certificate.proof) {
    text += fmt::format("{{\"pair\":{},\"body\":{},\"{}\":{},\"from\":{},\"to\":{}",
                        json_pair(step.a, step.b), step.body_a, step.piece ? "piece" : "other",
                        step.other, json_number(step.from), json_number(step.to));
    if (asked.clocks) {
      text += fmt::format(",\"from_b\":{},\"to_b\":{}", json_number(step.from_b),
                          json_number(step.to_b));
    }
    text += fmt::format(
        ",\"method\":\"{}\",\"n\":[{},{},{}],\"bound\":{},\"margin\":{},\"growth\":{},"
        "\"rounding\":{}}}\n",
        to_string(step.method), json_number(step.n.x), json_number(step.n.y), json_number(step.n.z),
        json_number(step.bound), json_number(step.margin), json_number(step.growth),
        json_number(step.rounding));
  }
  return text;
}

}  // namespace keepclear::command
