// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear box: every configuration in a box of joint intervals, proved free or shown not to be.
#include "keepclear/box.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "certificate.hpp"
#include "csv.hpp"
#include "files.hpp"
#include "keepclear/error.hpp"
#include "motion/box_file.hpp"
#include "options.hpp"
#include "output.hpp"
#include "poses.hpp"
#include "progress.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

struct BoxArguments {
  TalkOptions talk;
  WorldOptions world;
  std::string box;                  ///< --box
  std::vector<std::string> joints;  ///< --joint
  std::optional<std::string> q;     ///< --q
  std::string width;                ///< --width
  std::string margin = "0";
  std::string tolerance;  ///< as given; empty: as the library has it
  BoxOptions query;
  CertificateOptions certificate;
};

double length_of(const std::string& option, const std::string& text, const char* hint) {
  double value = 0;
  std::string fault = parse_number(text, value);
  if (fault.empty() && value < 0) fault = "'" + text + "' is negative";
  if (!fault.empty()) usage(option + ": " + fault, hint);
  return value;
}

BoxOptions query_options(const BoxArguments& options) {
  BoxOptions query = options.query;
  constexpr const char* kMetres = "it is a length in metres";
  query.margin = length_of("--margin", options.margin, kMetres);
  if (!options.tolerance.empty()) {
    query.tolerance = options.tolerance == "inf"
                          ? std::numeric_limits<double>::infinity()
                          : length_of("--tolerance", options.tolerance, kMetres);
    query.relative_tolerance = 0;
  }
  if (query.tolerance == 0) {
    usage("--tolerance: it must be positive", "a length in metres, or inf: any proof will do");
  }
  query.threads = options.world.threads;
  return query;
}

/// A world without joints has one box.
void require_box(const World& world, const BoxArguments& options) {
  if (world.variables().empty()) return;
  if (options.box.empty() && !options.q && options.joints.empty()) {
    usage("no box given",
          "give --box FILE, --joint NAME=LOWER,UPPER, or --q A,B,... with --width W");
  }
}

/// NAME=LOWER,UPPER or NAME=VALUE.
void set_joint(const World& world, const std::string& text, JointBox& box,
               std::vector<char>& seen) {
  const auto fail = [&](const std::string& what, const std::string& hint = {}) {
    usage("--joint " + text + ": " + what, hint);
  };
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    fail("is not NAME=LOWER,UPPER", "write for example --joint elbow=-0.5,0.5");
  }
  const Kinematics& kinematics = world.data().kinematics;
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  const std::size_t variable =
      box_variable(kinematics, name, Error::Kind::usage, "", "--joint " + text);
  if (seen[variable] != 0) fail("'" + name + "' is given twice");
  seen[variable] = 1;
  const std::size_t comma = value.find(',');
  Interval interval;
  std::string fault = parse_number(value.substr(0, comma), interval.lower);
  interval.upper = interval.lower;
  if (fault.empty() && comma != std::string::npos) {
    fault = parse_number(value.substr(comma + 1), interval.upper);
  }
  if (fault.empty()) fault = fault_of_interval(world.variables()[variable], interval);
  if (!fault.empty()) fail(fault);
  box[variable] = interval;
}

/// Of that width about a configuration, rounded outwards.
JointBox box_about(const World& world, const BoxArguments& options) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> q = parse_configuration(world, *options.q);
  const double half = length_of("--width", options.width, "it is a width in radians or metres") / 2;
  JointBox box;
  for (std::size_t i = 0; i < q.size(); ++i) {
    Interval interval{q[i], q[i]};
    if (half > 0) {
      interval = {std::nextafter(q[i] - half, -kInfinity), std::nextafter(q[i] + half, kInfinity)};
    }
    // The numbers of a quaternion are from -1 to 1.
    const Variable& variable = world.variables()[i];
    if (variable.type == "floating") {
      interval = {std::max(interval.lower, variable.lower),
                  std::min(interval.upper, variable.upper)};
    }
    const std::string fault = fault_of_interval(variable, interval);
    if (!fault.empty()) usage("--q: " + variable.name + ": " + fault);
    box.push_back(interval);
  }
  return box;
}

JointBox box_of(const World& world, const BoxArguments& options) {
  JointBox box = !options.box.empty() ? read_box(world, options.box)
                 : options.q          ? box_about(world, options)
                                      : full_range(world);
  std::vector<char> seen(box.size(), 0);
  for (const std::string& joint : options.joints) set_joint(world, joint, box, seen);
  const std::string fault = fault_of_box(world.data().kinematics, box);
  if (!fault.empty()) usage(fault, "give the four numbers of the quaternion other intervals");
  return box;
}

/// What the verdict does not say. Printed last, so that an error stays alone.
void print_notes(const World& world, const JointBox& box) {
  if (world.pair_count() == 0) {
    message("keepclear: note: the world has no pair to check; keepclear info says why\n");
  }
  std::size_t outside = 0;
  const Variable* endless = nullptr;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Variable& variable = world.variables()[i];
    if (box[i].lower < variable.lower || box[i].upper > variable.upper) ++outside;
    const bool ends = std::isfinite(box[i].lower) && std::isfinite(box[i].upper);
    if (!ends && endless == nullptr) endless = &variable;
  }
  if (endless != nullptr) {
    message(
        fmt::format("keepclear: note: '{}' has no limits; give it an interval, or little can be "
                    "proved\n",
                    printable(endless->name)));
  }
  if (outside > 0) {
    message(fmt::format("keepclear: note: the box reaches beyond the limits of {}\n",
                        counted(outside, "joint")));
  }
}

/// `more` is another member, after a comma.
void print_json(Output& out, const World& world, const BoxResult& result, const std::string& more) {
  JsonPairs json_pair(world);
  const bool free = result.verdict == Verdict::free;
  const bool found = !result.q.empty();
  out.print(
      "{{\"verdict\":\"{}\",\"clearance\":{},\"pair\":{},\"tests\":{},\"q\":{},\"distance\":{},"
      "\"open_pairs\":{}{}}}\n",
      to_string(result.verdict), free ? json_number(result.clearance) : "null",
      json_pair(result.a, result.b), result.tests,
      found ? json_configuration(world, result.q) : "null",
      found ? json_number(result.distance) : "null", result.open_pairs, more);
}

void print_text(Output& out, const World& world, const BoxResult& result,
                const BoxOptions& options) {
  const std::string pair = pair_name(world, result.a, result.b);
  switch (result.verdict) {
    case Verdict::free:
      out.print("free: proved for every configuration in the box\n\n");
      if (std::isfinite(result.clearance)) {
        out.print("  clearance  at least {} m everywhere: {}\n", metres_lo(result.clearance), pair);
      } else {
        out.print("  clearance  nothing is there to hit\n");
      }
      break;
    case Verdict::contact:
      out.print("contact: {}\n\n", pair);
      break;
    case Verdict::undecided:
      out.print("undecided: {} could not be proved either way\n\n",
                counted(result.open_pairs, "pair"));
      if (result.a >= 0) out.print("  pair       {}\n", pair);
      break;
  }
  if (!result.q.empty()) {
    const bool contact = result.verdict == Verdict::contact;
    if (!contact) {
      out.print("  nearest    {} m, the least found of any pair, at\n", metres_hi(result.distance));
    } else if (result.distance <= 0) {
      out.print("  where      overlapping at\n");
    } else {
      const double of_scene = world.data().rules.margin_of(result.a, result.b);
      out.print("  where      {} m apart, within the margin of {} m{}, at\n",
                metres_hi(result.distance), json_number(std::max(options.margin, of_scene)),
                of_scene > options.margin ? " that the scene asks for" : "");
    }
    out.print("             --q {}\n", pasted_configuration(world, result.q, !contact));
  }
  out.print("  tests      {}\n", result.tests);
}

/// Proves it once more for the certificate that is asked for, and files it. Returns a member of the
/// JSON, after a comma.
std::string file_box(const BoxArguments& options, const World& world, const JointBox& box,
                     const BoxOptions& asked, const BoxResult& found, CertificateFiler& filer) {
  const std::string& file = options.certificate.file;
  if (file.empty()) return {};
  const std::string begin = ",\"certificate\":";
  if (found.verdict != Verdict::free) return begin + filer.refuse(file, "the box is not free");
  CertificateFacts facts = world_facts(world, options.world);
  if (!options.box.empty()) add_source(options.box, facts);
  add_asked("box", options.box, facts);
  for (const std::string& joint : options.joints) add_asked("joint", joint, facts);
  add_asked("q", options.q.value_or(""), facts);
  add_asked("width", options.width, facts);
  add_asked("margin", options.margin, facts);
  const WrittenCertificate written =
      CertificateFiler::proved([&] { return box_certificate(world, box, asked, found, facts); });
  return begin + filer.take(written, file, "the box is free");
}

int run_box(const BoxArguments& options) {
  BoxOptions asked = query_options(options);
  require_outputs({&options.certificate.file, 1}, options.world, {&options.box, 1});
  const World world = load_world(options.world);
  require_box(world, options);
  tell_what_was_passed_over(world, options.world, options.talk);
  const JointBox box = box_of(world, options);
  Progress progress(options.talk.quiet, false);
  asked.progress = [&](double share) { progress.update(share); };
  const BoxResult result = prove_box(world, box, asked);
  progress.clear();
  Output out;
  if (!options.talk.json) {
    print_text(out, world, result, asked);
    out.flush();
  }
  CertificateFiler filer(options.certificate, options.talk);
  const std::string filed = file_box(options, world, box, asked, result, filer);
  if (options.talk.json) print_json(out, world, result, filed);
  filer.print(out);
  out.flush();
  if (!options.talk.quiet) print_notes(world, box);
  if (filer.failed()) return 2;
  return result.verdict == Verdict::free ? 0 : result.verdict == Verdict::contact ? 1 : 2;
}

void add_box_options(CLI::App& command, BoxArguments& options) {
  command
      .add_option("--box", options.box,
                  "A file: {\"joints\": {\"name\": [lower, upper], ...}}; a joint that is\n"
                  "not named keeps its full range")
      ->option_text("FILE");
  command
      .add_option("--joint", options.joints,
                  "The interval of one joint, in place of that of the file; may be\n"
                  "repeated; NAME=VALUE holds it still. Without --box and --q the\n"
                  "other joints have their full range")
      ->option_text("NAME=LOWER,UPPER")
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--q", [&options](const std::string& text) { options.q = text; },
          "A box about one configuration instead: a number for each joint, or\n"
          "some as NAME=VALUE and the rest neutral")
      ->option_text("A,B,...");
  command
      .add_option("--width", options.width,
                  "How wide the box about --q is, for each joint: radians or metres")
      ->option_text("W");
  command
      .add_option("--margin", options.margin,
                  "Metres, 0 by default: free means farther apart than this, and than\n"
                  "the margin of the scene")
      ->option_text("M");
  command
      .add_option("--tolerance", options.tolerance,
                  "Metres, above 0: how near the proved clearance should come to the\n"
                  "least distance found; inf: any proof will do. By default within\n"
                  "0.01 m, or a tenth of that distance if that is more")
      ->option_text("M");
  command
      .add_option("--budget", options.query.budget,
                  fmt::format("About how many tests of a pair over a part of the box; {} by\n"
                              "default. Each pair is tried at least once",
                              options.query.budget))
      ->option_text("N");
  add_certificate_options(command, options.certificate,
                          "Write proof that keepclear-verify checks on its own, of a box that is\n"
                          "free");
}

}  // namespace

void add_box(CLI::App& app, Run& run) {
  const auto options = std::make_shared<BoxArguments>();
  CLI::App* const command =
      app.add_subcommand("box", "Proves every configuration in a box of joint intervals free");
  add_world_options(*command, options->world);
  add_box_options(*command, *options);
  add_talk_options(*command, options->talk);
  command->footer(
      "'free' is proved for all configurations in the box at once, with all rounding accounted\n"
      "for; 'contact' comes with a configuration that shows it; 'undecided' is said where the\n"
      "budget ended first. Exits 0, 1 or 2. The box may reach beyond the limits of joints.\n"
      "\n"
      "With --json one line: {\"verdict\": \"free\"|\"contact\"|\"undecided\", \"clearance\",\n"
      "\"pair\": [a, b] or null, \"tests\", \"q\": {joint: value} or null, \"distance\",\n"
      "\"open_pairs\"}; 'clearance' is null unless free, and where there is nothing to hit. With\n"
      "--certificate also \"certificate\": {\"file\", \"sha256\", \"clearance\", \"cells\",\n"
      "\"records\", \"bytes\"} or null.\n"
      "\n"
      "Examples:\n"
      "  keepclear box robot.urdf --box box.json --margin 0.01\n"
      "  keepclear box six_axis_arm --q 0,0.3,-0.5,0,0,0 --width 0.2\n"
      "  keepclear box six_axis_arm --joint waist=-0.5,0.5 --joint shoulder=0 --joint elbow=0");
  command->callback([options, &run] { run = [options] { return run_box(*options); }; });
}

}  // namespace keepclear::command
