// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear pairs: what every two links do to each other over the whole range of the joints, and an
// SRDF of it.
#include "keepclear/pairs.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "certificate.hpp"
#include "certify/srdf_writer.hpp"
#include "files.hpp"
#include "keepclear/error.hpp"
#include "options.hpp"
#include "output.hpp"
#include "poses.hpp"
#include "progress.hpp"
#include "robot/xml.hpp"
#include "scene/builtin.hpp"
#include "shape/text.hpp"

namespace keepclear::command {

namespace {

/// Metres: a millionth of a radian at every joint does not part what overlaps by more.
constexpr double kPlainDepth = 1e-3;

constexpr std::array kKinds = {PairClass::adjacent, PairClass::always, PairClass::never,
                               PairClass::sometimes, PairClass::undecided};

struct PairsArguments {
  TalkOptions talk;
  WorldOptions world;
  PairsOptions pairs;
  std::string output;  ///< -o
  CertificateOptions certificate;
  std::string robot;  ///< --robot
};

struct Result {
  const PairsArguments& options;
  const World& world;
  std::vector<PairOfLinks> pairs;
  bool compared = false;  ///< with an SRDF
  double seconds = 0;
  std::string filed{};  ///< another member of the JSON, after a comma

  std::size_t count(PairClass kind) const {
    return static_cast<std::size_t>(std::ranges::count(pairs, kind, &PairOfLinks::kind));
  }
};

/// The SRDF that a robot was loaded with: its text, and its name for messages; both may be empty.
struct GivenSrdf {
  std::string text, file;
};

GivenSrdf given_srdf(const PairsArguments& options, const WorldSource& source, bool builtin,
                     int robot) {
  const auto from_file = [](const std::string& file) {
    return GivenSrdf{xml::read_file(file), file};
  };
  const auto from_builtin = [](const std::string& name) {
    return GivenSrdf{std::string(builtin_srdf(name)), name + ".srdf"};
  };
  if (!options.world.srdf.empty()) return from_file(options.world.srdf);
  if (source.scene == nullptr) return builtin ? from_builtin(options.world.world) : GivenSrdf{};
  const SceneRobot& entry = source.scene->robots[static_cast<std::size_t>(robot)];
  if (entry.srdf) return from_file(entry.srdf->string());
  return entry.builtin.empty() ? GivenSrdf{} : from_builtin(entry.builtin);
}

/// The robot that -o is about.
int chosen_robot(const PairsArguments& options, const WorldModel& model) {
  const std::vector<RobotNames>& robots = model.robots;
  const auto called = [](const RobotNames& robot) {
    return robot.prefix.substr(0, robot.prefix.size() - (robot.prefix.empty() ? 0 : 1));
  };
  std::string names;
  for (const RobotNames& robot : robots) names += (names.empty() ? "" : ", ") + called(robot);
  if (options.robot.empty()) {
    if (robots.empty()) usage("-o: the world has no robot", "an SRDF is about one");
    if (robots.size() > 1) {
      usage("-o: an SRDF is about one robot, the world has several",
            "say which by --robot; they are " + names);
    }
    return 0;
  }
  const auto found = std::ranges::find(robots, options.robot, called);
  if (found == robots.end()) {
    usage("--robot: the world has no robot '" + options.robot + "'",
          names.empty() ? "its only robot has no name: leave the option out" : "there is " + names);
  }
  return static_cast<int>(found - robots.begin());
}

/// What the SRDF disables also where the pair is not checked for another reason.
std::vector<PairOfLinks> compared(std::vector<PairOfLinks> pairs, const World& world,
                                  const Srdf& srdf) {
  using Names = std::pair<std::string_view, std::string_view>;
  const auto ordered = [](std::string_view a, std::string_view b) {
    return Names{std::min(a, b), std::max(a, b)};
  };
  std::map<Names, std::string_view> reasons;
  for (const DisabledPair& pair : srdf.disabled) {
    reasons[ordered(pair.link1, pair.link2)] = pair.reason;
  }
  const auto name = [&](int solid) -> const std::string& {
    return world.solids()[static_cast<std::size_t>(solid)].name;
  };
  for (PairOfLinks& pair : pairs) {
    if (pair.disabled) continue;
    const auto found = reasons.find(ordered(name(pair.a), name(pair.b)));
    if (found == reasons.end()) continue;
    pair.disabled = true;
    pair.reason = found->second;
  }
  return pairs;
}

bool is_reason(const PairOfLinks& pair, std::string_view word) {
  std::string_view rest = pair.reason;
  // "Never (proved, ...)" is what an earlier run has written.
  return text::equal_ignoring_case(text::take_word(rest), word);
}

/// Disabled by the SRDF, and in contact somewhere. What says that it always is, is no news.
bool is_disabled_in_contact(const PairOfLinks& pair) {
  return pair.disabled && (pair.kind == PairClass::sometimes ||
                           (pair.kind == PairClass::always && !is_reason(pair, "always")));
}

/// These reasons say that contact was no surprise.
constexpr std::array<const char*, 2> kExpected = {"Adjacent", "Default"};

bool is_wrongly_disabled(const PairOfLinks& pair) {
  return is_disabled_in_contact(pair) && std::ranges::none_of(kExpected, [&](const char* reason) {
           return is_reason(pair, reason);
         });
}

/// Those that are called never in contact first.
std::vector<PairOfLinks> wrongly_disabled(const Result& result) {
  std::vector<PairOfLinks> found;
  std::ranges::copy_if(result.pairs, std::back_inserter(found), is_wrongly_disabled);
  std::ranges::stable_partition(found,
                                [](const PairOfLinks& pair) { return is_reason(pair, "never"); });
  return found;
}

void print_json(Output& out, const Result& result) {
  JsonPairs json_pair(result.world);
  out.write("{\"pairs\":[");
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    const PairOfLinks& pair = result.pairs[i];
    const bool found = !pair.witness.empty();
    out.print(
        "{}\n{{\"pair\":{},\"class\":\"{}\",\"clearance\":{},\"witness\":{},\"distance\":{},"
        "\"tests\":{},\"disabled\":{},\"reason\":{}}}",
        i == 0 ? "" : ",", json_pair(pair.a, pair.b), to_string(pair.kind),
        pair.kind == PairClass::never ? json_number(pair.clearance) : "null",
        found ? json_configuration(result.world, pair.witness) : "null",
        found ? json_number(pair.distance) : "null", pair.tests, pair.disabled,
        pair.disabled ? json_string(pair.reason) : "null");
  }
  out.write("\n],\"counts\":{");
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    out.print("{}\"{}\":{}", i == 0 ? "" : ",", to_string(kKinds[i]), result.count(kKinds[i]));
  }
  out.print("}},\"world\":{},\"hash\":\"{}\",\"srdf\":{},\"seconds\":{}{}}}\n",
            json_string(result.world.name()), result.world.hash(),
            result.options.output.empty() ? "null" : json_string(result.options.output),
            json_number(result.seconds), result.filed);
}

void print_counts(Output& out, const Result& result) {
  constexpr std::array kMeaning = {
      "joined by a joint; not looked at", "overlap in every configuration: proved",
      "apart in every configuration: proved", "overlap in some configuration",
      "none of these was shown within the budget"};
  Columns columns("<><");
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    columns.add({to_string(kKinds[i]), std::to_string(result.count(kKinds[i])), kMeaning[i]});
  }
  columns.print(out);
}

std::string srdf_word(const PairOfLinks& pair) {
  if (!pair.disabled) return pair.joints.empty() ? "nothing moves it" : "checked";
  return pair.reason.empty() ? "disabled" : "disabled: " + printable(pair.reason);
}

void print_never(Output& out, const Result& result) {
  if (result.count(PairClass::never) == 0) return;
  out.write("\nNever in contact:\n");
  Columns columns(result.compared ? "<>><" : "<>>");
  std::vector<std::string> head = {"pair", "at least m", "tests"};
  if (result.compared) head.emplace_back("in the SRDF");
  columns.add(head);
  std::size_t unused = 0;
  for (const PairOfLinks& pair : result.pairs) {
    if (pair.kind != PairClass::never) continue;
    if (!pair.disabled && !pair.joints.empty()) ++unused;
    std::vector<std::string> row = {pair_name(result.world, pair.a, pair.b),
                                    metres_lo(pair.clearance), std::to_string(pair.tests)};
    if (result.compared) row.push_back(srdf_word(pair));
    columns.add(std::move(row));
  }
  columns.print(out);
  if (result.compared && unused > 0) {
    out.print("  {} checked for nothing: the SRDF could disable {}.\n",
              counted(unused, "pair is", "pairs are"), unused == 1 ? "it" : "them");
  }
}

void print_names(Output& out, const Result& result, PairClass kind, const char* title) {
  std::vector<std::string> names;
  for (const PairOfLinks& pair : result.pairs) {
    if (pair.kind == kind) names.push_back(pair_name(result.world, pair.a, pair.b));
  }
  if (!names.empty()) out.print("\n{}:\n{}", title, paragraph(names, 2));
}

void print_undecided(Output& out, const Result& result) {
  if (result.count(PairClass::undecided) == 0) return;
  out.write("\nUndecided, and to be checked:\n");
  Columns columns("<>><");
  columns.add({"pair", "nearest m", "tests", ""});
  for (const PairOfLinks& pair : result.pairs) {
    if (pair.kind != PairClass::undecided) continue;
    columns.add({pair_name(result.world, pair.a, pair.b),
                 pair.witness.empty() ? "-" : metres_hi(pair.distance), std::to_string(pair.tests),
                 result.compared ? srdf_word(pair) : ""});
  }
  columns.print(out);
}

void print_wrongly_disabled(Output& out, const Result& result) {
  if (!result.compared) return;
  const std::vector<PairOfLinks> found = wrongly_disabled(result);
  if (found.empty()) {
    out.write(
        "\nNo pair that the SRDF disables for another reason than Adjacent, Default or Always was\n"
        "found in contact.\n");
  } else {
    out.print("\nDisabled by the SRDF, and in contact: {}\n", counted(found.size(), "pair"));
  }
  for (const PairOfLinks& pair : found) {
    out.print("  {}, {}: {}", pair_name(result.world, pair.a, pair.b),
              pair.reason.empty() ? "no reason given" : "\"" + printable(pair.reason) + "\"",
              to_string(pair.kind));
    if (!pair.witness.empty()) out.print(", {} m deep", metres_lo(-pair.distance));
    if (!pair.witness.empty() && !pair.joints.empty()) {
      out.print(" at\n    --q {}", pasted_configuration(result.world, pair.witness,
                                                        -pair.distance > kPlainDepth, pair.joints));
    }
    out.write("\n");
  }
  for (const char* const reason : kExpected) {
    const auto count = std::ranges::count_if(result.pairs, [&](const PairOfLinks& pair) {
      return is_disabled_in_contact(pair) && is_reason(pair, reason);
    });
    if (count == 0) continue;
    out.print("  {} with the reason {} {} in contact, and not listed.\n", count, reason,
              count == 1 ? "is" : "are");
  }
}

void print_text(Output& out, const Result& result) {
  out.print("{} of links, over the whole range of the joints between them:\n\n",
            counted(result.pairs.size(), "pair"));
  print_counts(out, result);
  print_never(out, result);
  print_names(out, result, PairClass::always, "Always in contact");
  print_names(out, result, PairClass::sometimes, "Sometimes in contact; --json has a pose of each");
  print_undecided(out, result);
  print_wrongly_disabled(out, result);
  std::size_t tests = 0;
  for (const PairOfLinks& pair : result.pairs) tests += pair.tests;
  out.print("\n{}, {:.1f} s\n", counted(tests, "test"), result.seconds);
}

void print_report(Output& out, const Result& result) {
  if (result.options.talk.json) {
    print_json(out, result);
  } else {
    print_text(out, result);
  }
  out.flush();
}

/// That the written SRDF goes on naming the robot of the one it was given.
void tell_of_another_robot(const PairsArguments& options, const WorldModel& model) {
  // A lenient reading tells all notes, and this among them.
  if (options.talk.quiet || options.world.lenient || !model.srdf) return;
  const std::string& name = model.srdf->name;
  if (name.empty() || name == model.robot.name) return;
  message(fmt::format(
      "keepclear: note: {}: written for robot '{}', used with '{}'; -o keeps that name\n",
      printable(model.srdf->file), printable(name), printable(model.robot.name)));
}

/// Proves the pairs that never touch once more, and files that. Returns a member of the JSON, after
/// a comma.
std::string file_never(const Result& result, CertificateFiler& filer) {
  const PairsArguments& options = result.options;
  const std::string& file = options.certificate.file;
  if (file.empty()) return {};
  const std::string begin = ",\"certificate\":";
  if (std::ranges::none_of(result.pairs, [](const PairOfLinks& pair) {
        return pair.kind == PairClass::never && !pair.joints.empty();
      })) {
    return begin + filer.refuse(file, "no joint moves two links that never touch");
  }
  const CertificateFacts facts = world_facts(result.world, options.world);
  const WrittenCertificate written = CertificateFiler::proved(
      [&] { return never_certificate(result.world, result.pairs, facts); });
  return begin + filer.take(written, file, "pairs never touch");
}

int run_pairs(const PairsArguments& options) {
  // A world in which nothing is left to check is looked at like any other.
  WorldOptions world_options = options.world;
  world_options.allow_no_pairs = true;
  const LoadOptions load = load_options(world_options);
  const std::string& name = options.world.world;
  const bool builtin = is_builtin(name);
  require_outputs(std::vector{options.output, options.certificate.file}, world_options, {});
  const WorldSource source = builtin ? read_builtin_source(name, load) : read_source(name, load);
  int robot = 0;
  GivenSrdf given;
  if (!options.output.empty()) {
    robot = chosen_robot(options, source.model);
    given = given_srdf(options, source, builtin, robot);
  }
  const World world = load_world(world_options);
  tell_what_was_passed_over(world, options.world, options.talk);
  if (!options.output.empty()) tell_of_another_robot(options, source.model);

  PairsOptions asked = options.pairs;
  asked.threads = options.world.threads;
  Progress progress(options.talk.quiet, false);
  asked.progress = [&](std::size_t done, std::size_t all) {
    progress.update(all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all));
  };
  const auto start = std::chrono::steady_clock::now();
  std::vector<PairOfLinks> pairs = classify_pairs(world, asked);
  progress.clear();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;

  const std::optional<Srdf>& srdf = source.model.srdf;
  if (srdf) pairs = compared(std::move(pairs), world, *srdf);
  Result result{options, world, std::move(pairs), srdf.has_value(), taken.count()};
  // It took long: where one of report, SRDF and certificate cannot be written, the others still
  // are.
  Output out;
  std::exception_ptr unread;
  CertificateFiler filer(options.certificate, options.talk);
  const auto file = [&] {
    try {
      result.filed = file_never(result, filer);
    } catch (const Error&) {
      unread = std::current_exception();
    }
  };
  if (options.talk.json) file();
  try {
    print_report(out, result);
  } catch (const Error&) {
    unread = std::current_exception();
  }
  if (!options.output.empty()) {
    replace_file(options.output, given.text.empty() ? write_srdf(world, result.pairs, robot)
                                                    : rewrite_srdf(given.text, given.file, world,
                                                                   result.pairs, robot));
  }
  if (!options.talk.json) file();
  if (unread) std::rethrow_exception(unread);
  if (!options.output.empty() && !options.talk.json) {
    out.print("SRDF: {}\n", printable(options.output));
  }
  filer.print(out);
  out.flush();
  return filer.failed() ? 2 : 0;
}

void add_pairs_options(CLI::App& command, PairsArguments& options) {
  PairsOptions& pairs = options.pairs;
  command
      .add_option("-o,--output", options.output,
                  "Write an SRDF there: adjacent pairs and what was proved never or\n"
                  "always in contact are disabled. With --srdf, that SRDF with these\n"
                  "pairs in place of all that it disables or enables, and the rest as\n"
                  "it was")
      ->option_text("FILE");
  command
      .add_option("--robot", options.robot,
                  "In a scene of several robots, the one that -o is about")
      ->option_text("NAME");
  command
      .add_option("--budget", pairs.budget,
                  fmt::format("About how many proofs are tried for each pair; {} by default.\n"
                              "Each pair is tried at least once",
                              pairs.budget))
      ->option_text("N");
  command
      .add_option("--samples", pairs.samples,
                  fmt::format("Configurations tried at random before any proof; {} by default",
                              pairs.samples))
      ->option_text("N");
  command.add_option("--seed", pairs.seed, "Of these, 1 by default")->option_text("N");
  add_certificate_options(command, options.certificate,
                          "Write proof that keepclear-verify checks on its own, of the pairs that\n"
                          "never touch and that a joint moves");
}

}  // namespace

void add_pairs(CLI::App& app, Run& run) {
  const auto options = std::make_shared<PairsArguments>();
  CLI::App* const command = app.add_subcommand(
      "pairs", "Which links never touch, always do, or sometimes; writes an SRDF");
  add_world_options(*command, options->world);
  // Taken, but always so here.
  command->get_option("--allow-no-pairs")->group("");
  add_pairs_options(*command, *options);
  add_talk_options(*command, options->talk);
  command->footer(
      "Every pair of links that have bodies is looked at over the whole range of the joints\n"
      "between them, also those that an SRDF or a scene leaves out; objects that stand still\n"
      "are not. 'never' and 'always' are proved, 'sometimes' comes with a configuration. With\n"
      "--srdf it also tells which pairs that SRDF disables though they touch. Exits 0 when\n"
      "done, whatever was found, also with undecided pairs; with --certificate 2 where a pair\n"
      "that never touches is not certified.\n"
      "\n"
      "With --json one document: {\"pairs\": [{\"pair\": [a, b], \"class\": "
      "\"adjacent\"|\"always\"|\n"
      "\"never\"|\"sometimes\"|\"undecided\", \"clearance\", \"witness\": {joint: value} or null,\n"
      "\"distance\", \"tests\", \"disabled\", \"reason\"}], \"counts\", ...}; 'distance' is that "
      "at the\n"
      "witness, minus the depth of an overlap.\n"
      "\n"
      "Examples:\n"
      "  keepclear pairs robot.urdf -o robot.srdf\n"
      "  keepclear pairs robot.urdf --srdf robot.srdf -o proved.srdf\n"
      "  keepclear pairs two_arms -o left.srdf --robot left");
  command->callback([options, &run] { run = [options] { return run_pairs(*options); }; });
}

}  // namespace keepclear::command
