// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear certify: whole motions, proved free or shown not to be.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "certificate.hpp"
#include "certify_certificate.hpp"
#include "certify_object.hpp"
#include "csv.hpp"
#include "files.hpp"
#include "keepclear/error.hpp"
#include "progress.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

struct CertifyArguments {
  TalkOptions talk;
  WorldOptions world;
  MotionOptions motions;
  std::string method = "auto", ask = "clearance";
  std::string margin = "0", deviation = "0";
  std::string tolerance, accuracy;  ///< as given; empty: as the library has it
  std::vector<std::string> base;
  std::string proof;
  CertificateOptions certificate;
  CertifyOptions query;
};

Ask ask_called(const std::string& name) {
  if (name == "verdict") return Ask::verdict;
  if (name == "first") return Ask::first_contact;
  if (name == "all") return Ask::all_intervals;
  if (name == "clearance") return Ask::clearance;
  usage("--ask: there is no '" + name + "'", "there are verdict, first, all and clearance");
}

/// What can be said before a world is loaded.
CertifyOptions query_options(const CertifyArguments& options) {
  CertifyOptions query = options.query;
  query.method = method_called(options.method);
  query.ask = ask_called(options.ask);
  query.margin = not_negative("--margin", options.margin, kMetres);
  query.deviation = not_negative("--deviation", options.deviation, kMetres);
  if (!options.tolerance.empty()) {
    query.tolerance = not_negative("--tolerance", options.tolerance, kMetres);
    if (query.tolerance == 0) usage("--tolerance: it must be positive", kMetres);
  }
  if (!options.accuracy.empty()) {
    constexpr const char* kHint = "metres, or metres and a share below 1, for example 0.001,0.05";
    const std::size_t comma = options.accuracy.find(',');
    query.accuracy = not_negative("--accuracy", options.accuracy.substr(0, comma), kHint);
    query.relative_accuracy =
        comma == std::string::npos
            ? 0
            : not_negative("--accuracy", options.accuracy.substr(comma + 1), kHint);
    if (query.relative_accuracy >= 1) usage("--accuracy: the share must be below 1", kHint);
    if (query.accuracy == 0) usage("--accuracy: the length must be positive", kHint);
  }
  query.keep_proof = !options.proof.empty();
  return query;
}

double offset_of(const CertifyArguments& options) {
  if (!options.motions.offset) return std::numeric_limits<double>::infinity();
  return not_negative("--offset", *options.motions.offset, "it is a time in seconds");
}

/// [ROBOT=]METRES,RADIANS
std::vector<BaseUncertainty> base_of(const World& world, const std::vector<std::string>& texts) {
  std::vector<BaseUncertainty> bases;
  for (const std::string& text : texts) {
    const std::string option = "--base " + text;
    constexpr const char* kHint = "write METRES,RADIANS or ROBOT=METRES,RADIANS";
    const std::size_t equals = text.rfind('=');
    const bool named = equals != std::string::npos;
    const std::string values = named ? text.substr(equals + 1) : text;
    const std::size_t comma = values.find(',');
    if (comma == std::string::npos) usage(option + ": is not METRES,RADIANS", kHint);
    BaseUncertainty base;
    base.position = not_negative(option, values.substr(0, comma), kHint);
    base.rotation = not_negative(option, values.substr(comma + 1), kHint);
    if (named) base.robot = robot_called(world, text.substr(0, equals), "--base");
    if (std::ranges::find(bases, base.robot, &BaseUncertainty::robot) != bases.end()) {
      usage(option + ": this is given twice");
    }
    bases.push_back(base);
  }
  const bool all = std::ranges::find(bases, -1, &BaseUncertainty::robot) != bases.end();
  if (all && bases.size() > 1) {
    usage("--base: one is for all robots, another for one", "name the robot of each, or of none");
  }
  return bases;
}

/// Refuses files for the proof and the certificate that are read first, or that could not be
/// written at the end.
void require_places_for_proof(const CertifyArguments& options,
                              const std::vector<MotionFile>& files) {
  std::vector<std::string> outputs{options.proof}, inputs;
  if (!names_folder(options.certificate.file)) outputs.push_back(options.certificate.file);
  for (const MotionFile& file : files) {
    if (!file.task) inputs.push_back(file.file);
  }
  if (options.motions.tube) inputs.push_back(*options.motions.tube);
  require_outputs(outputs, options.world, inputs);
}

/// What the verdicts do not say. Printed last, so that an error stays alone.
void print_notes(const World& world, const std::vector<Motion>& motions) {
  if (world.pair_count() == 0 && !motions.empty()) {
    message("keepclear: note: the world has no pair to check; keepclear info says why\n");
  }
  // Enclosures are a little wider than the motion: no note for one that ends at a limit.
  constexpr double kSlack = 1e-9;
  std::size_t outside = 0;
  for (const Motion& motion : motions) {
    const JointBox range = motion.path.range(motion.path.begin(), motion.path.end());
    bool beyond = false;
    for (std::size_t i = 0; i < range.size(); ++i) {
      const Variable& variable = world.variables()[i];
      beyond = beyond || range[i].lower < variable.lower - kSlack ||
               range[i].upper > variable.upper + kSlack;
    }
    outside += beyond ? 1 : 0;
  }
  if (outside > 0) {
    message(fmt::format("keepclear: note: {} beyond the limits of joints\n",
                        counted(outside, "path goes", "paths go")));
  }
}

/// What is kept while answers come in, path by path.
struct Tally {
  std::size_t counts[3] = {};
  std::string proof;

  std::size_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  void add(Verdict verdict) { ++counts[static_cast<std::size_t>(verdict)]; }
  void add(const Asked& asked, std::span<const Motion> motions, const Certificate& certificate) {
    add(certificate.verdict);
    if (asked.options.keep_proof) proof += proof_text(asked, motions, certificate);
  }
};

/// What there is to do: paths of joints, and motions of objects, as the files say.
struct Work {
  const std::vector<MotionFile>& files;
  const std::vector<Motion>& motions;
  ObjectMotions* objects = nullptr;
};

void certify_one(const CertifyArguments& options, const Asked& asked, const Work& work,
                 MotionCertificates& certificates, Output& out, Tally& tally) {
  std::vector<Path> paths;
  paths.reserve(work.motions.size());
  for (const Motion& motion : work.motions) paths.push_back(motion.path);
  const auto start = std::chrono::steady_clock::now();
  const auto taken = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (work.objects != nullptr) {
    const ObjectMotions::Answer answer = work.objects->ask(0);
    if (options.talk.json) {
      work.objects->print_json(out, answer, taken());
    } else {
      work.objects->print_text(out, answer, taken());
    }
    tally.add(answer.result.verdict);
    return;
  }
  MotionQuery query(asked.world, asked.options);
  const Certificate certificate = asked.clocks ? query(paths, asked.offset) : query(paths.front());
  const double seconds = taken();
  if (!options.talk.json) {
    print_text(out, asked, work.motions, certificate, seconds);
    out.flush();
  }
  const std::string filed =
      certificates.file(0, certificate, certificates.prove(work.motions, paths, certificate));
  if (options.talk.json) print_json(out, asked, work.motions, certificate, seconds, filed);
  tally.add(asked, work.motions, certificate);
}

void certify_batch(const CertifyArguments& options, const Asked& asked, const Work& work,
                   MotionCertificates& certificates, Output& out, Tally& tally) {
  const std::vector<Motion>& motions = work.motions;
  std::vector<Path> paths;
  paths.reserve(motions.size());
  std::size_t width = 4;
  for (const Motion& motion : motions) paths.push_back(motion.path);
  for (const MotionFile& file : work.files) {
    width = std::max(width, printable(file.file).size());
  }
  Progress progress(options.talk.quiet);
  if (!options.talk.json) {
    out.print("{:<{}}  {:<9}  {:>12}  {:>12}  {}\n", "path", width, "verdict", "clearance", "at",
              "pair");
    out.flush();
  }
  // Rows come in the order of the files: those of objects when it is their turn.
  std::size_t row = 0, object = 0;
  const auto next_row = [&] {
    out.flush();
    progress.update(static_cast<double>(++row) / static_cast<double>(work.files.size()));
  };
  const auto objects_before = [&](std::size_t end) {
    for (; row < end && work.files[row].moves_object; next_row()) {
      const ObjectMotions::Answer answer = work.objects->ask(object++);
      if (options.talk.json) {
        work.objects->print_json(out, answer, -1);
      } else {
        work.objects->print_row(out, answer, width);
      }
      tally.add(answer.result.verdict);
    }
  };
  const auto done = [&](std::size_t i, const Certificate& certificate,
                        const WrittenCertificate& written) {
    objects_before(work.files.size());
    const std::string filed = certificates.file(i, certificate, written);
    if (options.talk.json) {
      print_json(out, asked, {&motions[i], 1}, certificate, -1, filed);
    } else {
      print_row(out, asked, motions[i], certificate, width);
    }
    tally.add(asked, {&motions[i], 1}, certificate);
    next_row();
  };
  if (certificates.is_asked()) {
    certificates.certify_all(motions, paths, done);
  } else {
    certify_all(asked.world, paths, asked.options, options.world.threads,
                [&](std::size_t i, const Certificate& certificate) { done(i, certificate, {}); });
  }
  objects_before(work.files.size());
  progress.clear();
  if (!options.talk.json && !options.talk.quiet) {
    out.print(
        "\n{}: {} free, {} contact, {} undecided\n{}\n", counted(work.files.size(), "path"),
        tally.count(Verdict::free), tally.count(Verdict::contact), tally.count(Verdict::undecided),
        motions.empty() ? work.objects->contract(asked.options.deviation > 0) : contract_of(asked));
  }
}

/// What stands in a certificate of what was asked.
MotionCertificates::Words asked_words(const CertifyArguments& options) {
  const MotionOptions& motions = options.motions;
  MotionCertificates::Words words = {{"rest", motions.rest.value_or("")},
                                     {"columns", motions.columns.value_or("")},
                                     {"tube", motions.tube.value_or("")},
                                     {"margin", options.margin},
                                     {"deviation", options.deviation}};
  for (const std::string& base : options.base) words.emplace_back("base", base);
  words.emplace_back("offset", motions.offset.value_or(""));
  return words;
}

int run_certify(const CertifyArguments& options) {
  require_certificate(options.certificate);
  CertifyOptions query = query_options(options);
  const double offset = offset_of(options);
  const std::vector<MotionFile> files = motion_files(options.motions, options.world.world);
  const auto moves_object = [](const MotionFile& file) { return file.moves_object; };
  const auto object_file = std::ranges::find_if(files, moves_object);
  const bool objects_move = object_file != files.end();
  if (objects_move) {
    if (!options.certificate.file.empty()) {
      usage("--certificate: motions of objects have none: " + object_file->file,
            "it is for motions of joints");
    }
    if (!options.base.empty()) query.base.emplace_back();
    require_for_objects(query, options.motions, object_file->file);
  }
  require_places_for_proof(options, files);
  WorldOptions of_world = options.world;
  // Where nothing but objects move, what links might hit is not asked.
  if (std::ranges::all_of(files, moves_object)) of_world.allow_no_pairs = true;
  const World world = load_world(of_world);
  tell_what_was_passed_over(world, options.world, options.talk);
  query.base = base_of(world, options.base);
  const std::vector<Motion> motions = read_motions(world, options.motions, files);
  JsonPairs json_pair(world);
  const bool clocks = !options.motions.clocks.empty();
  const Asked asked{world, query, options.motions, json_pair, clocks, offset};
  // A folder is a batch also when one path is in it.
  const bool one = clocks || (files.size() == 1 && files[0].file == options.motions.paths[0]);
  std::optional<ObjectMotions> objects;
  if (objects_move) {
    // The bytes of a batch do not depend on threads.
    objects.emplace(of_world, query, rest_of(world, options.motions), one ? of_world.threads : 1);
    for (const MotionFile& file : files) {
      if (file.moves_object) objects->add(file.file);
    }
  }
  const Work work{files, motions, objects ? &*objects : nullptr};
  MotionCertificates certificates({options.certificate, options.talk, options.world, one}, asked,
                                  files, motions, asked_words(options));
  Output out;
  Tally tally;
  (one ? certify_one : certify_batch)(options, asked, work, certificates, out, tally);
  out.flush();
  if (!options.proof.empty()) {
    replace_file(options.proof, tally.proof);
    if (!options.talk.json && !options.talk.quiet) {
      out.print("proof: {}\n", printable(options.proof));
      out.flush();
    }
  }
  certificates.print(out);
  out.flush();
  if (!options.talk.quiet) {
    print_notes(world, motions);
    if (objects) objects->print_notes();
  }
  if (tally.count(Verdict::contact) > 0) return 1;
  return tally.count(Verdict::undecided) > 0 || certificates.failed() ? 2 : 0;
}

void add_motion_options(CLI::App& command, MotionOptions& motions) {
  const auto text = [&](const char* name, std::optional<std::string>& value,
                        const std::string& what) {
    return command.add_option_function<std::string>(
        name, [&value](const std::string& given) { value = given; }, what);
  };
  command
      .add_option("--path", motions.paths,
                  "A motion: CSV with a time and joints in its header, JSON or YAML\n"
                  "as ROS's JointTrajectory, or a spline; a file that moves an object of\n"
                  "the scene; a folder of such files, or a task of a built-in WORLD. May\n"
                  "be repeated: a batch")
      ->option_text("PATH")
      ->allow_extra_args(false)
      ->check(not_empty());
  text("--rest", motions.rest,
       "Where joints are that a path does not name: a number for each, or\n"
       "some as NAME=VALUE, or {\"NAME\": VALUE, ...}; the others are neutral")
      ->option_text("A,B,...");
  text("--columns", motions.columns,
       "Of a CSV with other names: which column is the time and which is\n"
       "which joint; columns that are neither are left out")
      ->option_text("COLUMN=JOINT,...");
  text("--tube", motions.tube,
       "How far each joint may be off the path, either way: radians or\n"
       "metres for all of them, or a CSV with a time and joints")
      ->option_text("W|FILE");
  command
      .add_option("--clock", motions.clocks,
                  "In place of --path, for each robot of a scene: its motion on a clock\n"
                  "of its own")
      ->option_text("ROBOT=PATH")
      ->allow_extra_args(false);
  text("--offset", motions.offset,
       "How far the clocks may differ at most; without it, any timing counts")
      ->option_text("SECONDS");
}

void add_certify_options(CLI::App& command, CertifyArguments& options) {
  command
      .add_option("--ask", options.ask,
                  "verdict: free or not; first: the first contact; all: every stretch\n"
                  "of time that is not free, pair by pair; clearance, the default: the\n"
                  "first contact, and of a free motion how near it comes")
      ->option_text("WHAT");
  command
      .add_option("--margin", options.margin,
                  "Metres, 0 by default: free means farther apart than this, and than\n"
                  "the margin of the scene")
      ->option_text("M");
  command
      .add_option("--tolerance", options.tolerance,
                  fmt::format("Metres, above 0, {} by default: a part of the motion is divided\n"
                              "until nothing moves by more than this in it",
                              options.query.tolerance))
      ->option_text("M");
  command
      .add_option("--accuracy", options.accuracy,
                  fmt::format("How closely --ask clearance is to know it: metres, or a share of\n"
                              "it if that is more; {},{} by default",
                              options.query.accuracy, options.query.relative_accuracy))
      ->option_text("M[,SHARE]");
  command
      .add_option("--base", options.base,
                  "How far the base of a robot, or of each, may be from where the scene\n"
                  "has it: metres, and radians about any axis through it")
      ->option_text("[ROBOT=]M,RAD")
      ->allow_extra_args(false);
  command
      .add_option("--deviation", options.deviation,
                  "Metres, 0 by default: how far links, or the object that moves, may be\n"
                  "from where the path has them, as the root mean square over their points")
      ->option_text("M");
  command
      .add_option("--method", options.method,
                  "How parts are proved: auto, the default, chord, sweep, velocity or\n"
                  "ball; objects take auto and ball")
      ->option_text("NAME");
  command
      .add_option("--budget", options.query.budget,
                  fmt::format("About how many tests of a pair over a part of a motion; {} by\n"
                              "default",
                              options.query.budget))
      ->option_text("N")
      ->check(CLI::Range(std::size_t{1}, kMaxTests));
  command
      .add_option("--proof", options.proof,
                  "Write what proves each part there: JSON, a step a line")
      ->option_text("FILE")
      ->check(not_empty());
  add_certificate_options(
      command, options.certificate,
      "Write proof that keepclear-verify checks on its own, of a motion that is\n"
      "free; of several, a folder, with NAME.kcert for each");
}

}  // namespace

double not_negative(const std::string& option, const std::string& text, const char* hint) {
  double value = 0;
  std::string fault = parse_number(text, value);
  if (fault.empty() && value < 0) fault = "'" + text + "' is negative";
  if (!fault.empty()) usage(option + ": " + fault, hint);
  return value;
}

Method method_called(const std::string& name) {
  if (name == "auto") return Method::automatic;
  if (name == "chord") return Method::chord;
  if (name == "sweep") return Method::sweep;
  if (name == "velocity") return Method::velocity;
  if (name == "ball") return Method::ball;
  usage("--method: there is no '" + name + "'", "there are auto, chord, sweep, velocity and ball");
}

void add_certify(CLI::App& app, Run& run) {
  const auto options = std::make_shared<CertifyArguments>();
  CLI::App* const command =
      app.add_subcommand("certify", "Proves whole motions free, or says when and where not");
  add_world_options(*command, options->world);
  add_motion_options(*command, options->motions);
  add_certify_options(*command, *options);
  add_talk_options(*command, options->talk);
  command->footer(
      "'free' is proved for every moment of the motion, with all rounding accounted for;\n"
      "'contact' comes with a time and a configuration that show it; 'undecided' is said of\n"
      "stretches where neither was possible at this tolerance or budget. Exits 0, 1 or 2; of a\n"
      "batch 1 if any path is in contact, else 2 if any is undecided.\n"
      "\n"
      "With --json one line a path: {\"path\", \"verdict\": \"free\"|\"contact\"|\"undecided\",\n"
      "\"clearance\", \"first_contact\", \"distance\", \"time\", \"pair\": [a, b] or null,\n"
      "\"configuration\": {joint: value} or null, \"intervals\": [{\"from\", \"to\", \"status\",\n"
      "\"pair\", \"contact\"}], \"tests\", \"parts\", \"depth\", \"seconds\", \"contract\"}; with\n"
      "--certificate also \"certificate\": {\"file\", \"sha256\", \"clearance\", \"cells\",\n"
      "\"records\", \"bytes\"} or null. A batch has no 'seconds', so that its bytes depend on its\n"
      "input alone. Of an object that moves: \"object\" and \"deviation\" beside these, no "
      "\"configuration\" and \"parts\", but\n"
      "\"balls\", and in \"intervals\" \"moving\" and \"standing\" as "
      "{\"vertex\"|\"edge\"|\"face\":\n"
      "index} or null, with the \"time\" and the \"place\".\n"
      "\n"
      "Examples:\n"
      "  keepclear certify two_arms --path task1\n"
      "  keepclear certify robot.urdf --scene cell.json --path motion.yaml --margin 0.01\n"
      "  keepclear certify cell.json --path motion.csv --certificate motion.kcert\n"
      "  keepclear certify cell.json --path motions/ --tube 0.005 --json\n"
      "  keepclear certify cell.json --path tray.json --deviation 0.002\n"
      "  keepclear certify cell.json --clock left=a.csv --clock right=b.csv --offset 0.5");
  command->callback([options, &run] { run = [options] { return run_certify(*options); }; });
}

}  // namespace keepclear::command
