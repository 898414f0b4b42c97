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
#include "certify_lines.hpp"
#include "certify_object.hpp"
#include "csv.hpp"
#include "files.hpp"
#include "keepclear/error.hpp"
#include "motion/path_file.hpp"
#include "progress.hpp"
#include "scene/hasher.hpp"
#include "scene/json.hpp"
#include "scene/world.hpp"
#include "shard.hpp"

namespace keepclear::command {

namespace {

struct CertifyArguments {
  TalkOptions talk;
  WorldOptions world;
  MotionOptions motions;
  std::string lines;  ///< --paths
  ShardOptions shard;
  CertifyWords words;
  std::string proof;
  CertificateOptions certificate;
};

double offset_of(const CertifyArguments& options) {
  if (!options.motions.offset) return std::numeric_limits<double>::infinity();
  return not_negative("--offset", *options.motions.offset, "it is a time in seconds");
}

/// Refuses files for rows, proof and certificate that are read first, or that could not be written.
void require_files(const CertifyArguments& options, const std::vector<MotionFile>& files) {
  std::vector<std::string> outputs{options.proof}, inputs;
  if (!names_folder(options.certificate.file)) outputs.push_back(options.certificate.file);
  if (!options.shard.output.empty()) {
    outputs.push_back(options.shard.output);
    outputs.push_back(options.shard.output + ".state");
  }
  if (!options.lines.empty() && options.lines != "-") inputs.push_back(options.lines);
  for (const MotionFile& file : files) {
    if (!file.task) inputs.push_back(file.file);
  }
  if (options.motions.tube) inputs.push_back(*options.motions.tube);
  require_outputs(outputs, options.world, inputs);
}

/// What the verdicts do not say. Printed last, so that an error stays alone.
void print_notes(const World& world, std::size_t motions, std::size_t outside) {
  if (world.pair_count() == 0 && motions > 0) {
    message("keepclear: note: the world has no pair to check; keepclear info says why\n");
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
  Progress progress(options.talk.quiet, options.shard.output.empty());
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
                                     {"margin", options.words.margin},
                                     {"deviation", options.words.deviation}};
  for (const std::string& base : options.words.base) words.emplace_back("base", base);
  words.emplace_back("offset", motions.offset.value_or(""));
  return words;
}

/// Said of rows that went to a file, where nothing else is said.
void print_summary(const CertifyArguments& options, const RowTally& tally) {
  if (options.shard.output.empty() || options.talk.json || options.talk.quiet) return;
  const std::size_t rows = tally.free + tally.contact + tally.undecided + tally.errors;
  Output out;
  out.print("{}: {} free, {} contact, {} undecided, {}\n", counted(rows, "path"), tally.free,
            tally.contact, tally.undecided, counted(tally.errors, "error"));
  out.flush();
}

/// --paths: a path a line, and a row for each.
int run_lines(const CertifyArguments& options) {
  CertifyOptions query = certify_options(options.words);
  const Shard shard = shard_of(options.shard);
  require_files(options, {});
  PathLines::Contents contents;
  const bool known =
      options.shard.asked() && (options.lines != "-" || !shard.whole() || options.shard.resume);
  if (known) contents = PathLines::look_through(options.lines);
  Portion portion;
  if (known) portion = shard.portion(contents.paths);
  const World world = load_world(options.world);
  tell_what_was_passed_over(world, options.world, options.talk);
  query.base = base_of(world, options.words.base);
  LineCertifier certify(world, query, options.motions, options.world.threads);

  Output standard;
  std::optional<RowsFile> file;
  if (!options.shard.output.empty()) {
    const std::string asked = asked_text(query, rest_of(world, options.motions), options.motions);
    const RowsOf of{"certify --paths", world.hash(), asked, contents.sha256,
                    fmt::format("{}/{}", shard.index, shard.count)};
    const std::size_t first = portion.begin;
    file.emplace(options.shard.output, options.shard.resume, of,
                 RowOrder{.head = [first](std::size_t i) { return head_of_line_row(first + i); },
                          .count = portion.end - portion.begin});
    portion.begin += file->kept();
  }
  Output& out = file ? file->output() : standard;
  PathLines lines(options.lines, known ? contents.bytes : PathLines::kAll);
  const auto changed = [&] {
    throw Error(Error::Kind::malformed, lines.name(), 0, "has changed while it was read");
  };
  if (lines.skip(portion.begin) != portion.begin) changed();
  Progress progress(options.talk.quiet, !file);
  // Enough for every thread to have work while others are at the end of theirs.
  constexpr std::size_t kLines = 4096, kBytes = std::size_t{16} << 20;
  std::size_t at = portion.begin;
  for (std::vector<PathLine> some;;) {
    lines.read(std::min(kLines, portion.end - at), kBytes, some);
    if (some.empty()) break;
    certify(lines.name(), some, [&](const std::string& row) {
      out.write(row);
      out.flush();
    });
    at += some.size();
    progress.update(lines.fraction());
  }
  if (known && at != portion.end) changed();
  progress.clear();
  out.flush();
  if (file) file->finish();
  RowTally tally = certify.tally();
  if (file) tally += file->tally();
  print_summary(options, tally);
  if (!options.talk.quiet) print_notes(world, at, certify.outside());
  if (tally.errors > 0) return static_cast<int>(Error::Kind::malformed);
  if (tally.contact > 0) return 1;
  return tally.undecided > 0 ? 2 : 0;
}

/// Of all that motions are read from.
std::string input_hash(std::span<const MotionFile> files) {
  Hasher hasher;
  for (const MotionFile& file : files) {
    hasher.add(file.file);
    hasher.add(file.task ? *file.task : json::read_file(file.file, kMaxPathBytes));
  }
  return hasher.hex();
}

int run_certify(const CertifyArguments& given) {
  if (!given.lines.empty()) return run_lines(given);
  CertifyArguments options = given;
  const bool parts = options.shard.asked();
  options.talk.json = options.talk.json || parts;
  const Shard shard = shard_of(options.shard);
  CertifyOptions query = certify_options(options.words);
  query.keep_proof = !options.proof.empty();
  const double offset = offset_of(options);
  std::vector<MotionFile> files = motion_files(options.motions, options.world.world);
  const auto moves_object = [](const MotionFile& file) { return file.moves_object; };
  const auto object_file = std::ranges::find_if(files, moves_object);
  const bool objects_move = object_file != files.end();
  if (objects_move) {
    if (!options.certificate.file.empty()) {
      usage("--certificate: motions of objects have none: " + object_file->file,
            "it is for motions of joints");
    }
    if (!options.words.base.empty()) query.base.emplace_back();
    require_for_objects(query, options.motions, object_file->file);
  }
  require_files(options, files);
  WorldOptions of_world = options.world;
  // Where nothing but objects move, what links might hit is not asked. So it is in every shard.
  if (std::ranges::all_of(files, moves_object)) of_world.allow_no_pairs = true;
  const World world = load_world(of_world);
  tell_what_was_passed_over(world, options.world, options.talk);
  query.base = base_of(world, options.words.base);
  const Portion portion = shard.portion(files.size());
  files = {files.begin() + static_cast<std::ptrdiff_t>(portion.begin),
           files.begin() + static_cast<std::ptrdiff_t>(portion.end)};
  std::optional<RowsFile> file;
  if (!options.shard.output.empty()) {
    std::string asked = asked_text(query, rest_of(world, options.motions), options.motions);
    // Objects are checked as their own triangles: the hash of the world has their hulls.
    if (objects_move) {
      for (const auto& source : sources_of(world, load_options(of_world))) asked += source.sha256;
    }
    const RowsOf of{"certify --path", world.hash(), asked, input_hash(files),
                    fmt::format("{}/{}", shard.index, shard.count)};
    file.emplace(options.shard.output, options.shard.resume, of,
                 RowOrder{.head = [&](std::size_t i) { return head_of_file_row(files[i].file); },
                          .count = files.size()});
    files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(file->kept()));
  }
  const std::vector<Motion> motions = read_motions(world, options.motions, files);
  tell_what_was_assumed(motions, options.talk);
  JsonPairs json_pair(world);
  const bool clocks = !options.motions.clocks.empty();
  const Asked asked{world, query, options.motions, json_pair, clocks, offset};
  // A folder is a batch also when one path is in it.
  const bool one =
      clocks || (!parts && files.size() == 1 && files[0].file == options.motions.paths[0]);
  std::optional<ObjectMotions> objects;
  if (objects_move) {
    // The bytes of a batch do not depend on threads.
    objects.emplace(of_world, query, rest_of(world, options.motions), one ? of_world.threads : 1);
    for (const MotionFile& read : files) {
      if (read.moves_object) objects->add(read.file);
    }
  }
  const Work work{files, motions, objects ? &*objects : nullptr};
  MotionCertificates certificates({options.certificate, options.talk, options.world, one}, asked,
                                  files, motions, asked_words(options));
  Output standard;
  Output& out = file ? file->output() : standard;
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
  RowTally rows{tally.count(Verdict::free), tally.count(Verdict::contact),
                tally.count(Verdict::undecided), 0};
  if (file) {
    file->finish();
    rows += file->tally();
    print_summary(given, rows);
  }
  if (!options.talk.quiet) {
    const auto outside = std::ranges::count_if(
        motions, [&](const Motion& motion) { return beyond_limits(world, motion.path); });
    print_notes(world, motions.size(), static_cast<std::size_t>(outside));
    if (objects) objects->print_notes();
  }
  if (rows.contact > 0) return 1;
  return rows.undecided > 0 || certificates.failed() ? 2 : 0;
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
      ->allow_extra_args(false);
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
  const CertifyOptions library;
  command
      .add_option("--ask", options.words.ask,
                  "verdict: free or not; first: the first contact; all: every stretch\n"
                  "of time that is not free, pair by pair; clearance, the default: the\n"
                  "first contact, and of a free motion how near it comes")
      ->option_text("WHAT");
  command
      .add_option("--margin", options.words.margin,
                  "Metres, 0 by default: free means farther apart than this, and than\n"
                  "the margin of the scene")
      ->option_text("M");
  command
      .add_option("--tolerance", options.words.tolerance,
                  fmt::format("Metres, above 0, {} by default: a part of the motion is divided\n"
                              "until nothing moves by more than this in it",
                              library.tolerance))
      ->option_text("M");
  command
      .add_option("--accuracy", options.words.accuracy,
                  fmt::format("How closely --ask clearance is to know it: metres, or a share of\n"
                              "it if that is more; {},{} by default",
                              library.accuracy, library.relative_accuracy))
      ->option_text("M[,SHARE]");
  command
      .add_option("--base", options.words.base,
                  "How far the base of a robot, or of each, may be from where the scene\n"
                  "has it: metres, and radians about any axis through it")
      ->option_text("[ROBOT=]M,RAD")
      ->allow_extra_args(false);
  command
      .add_option("--deviation", options.words.deviation,
                  "Metres, 0 by default: how far links, or the object that moves, may be\n"
                  "from where the path has them, as the root mean square over their points")
      ->option_text("M");
  command
      .add_option("--method", options.words.method,
                  "How parts are proved: auto, the default, chord, sweep, velocity or\n"
                  "ball; objects take auto and ball")
      ->option_text("NAME");
  command
      .add_option_function<std::size_t>(
          "--budget", [&options](std::size_t budget) { options.words.budget = budget; },
          fmt::format("About how many tests of a pair over a part of a motion; {} by\n"
                      "default",
                      library.budget))
      ->option_text("N");
  command
      .add_option("--proof", options.proof,
                  "Write what proves each part there: JSON, a step a line")
      ->option_text("FILE");
  add_certificate_options(
      command, options.certificate,
      "Write proof that keepclear-verify checks on its own, of a motion that is\n"
      "free; of several, a folder, with NAME.kcert for each");
}

}  // namespace

void add_certify(CLI::App& app, Run& run) {
  const auto options = std::make_shared<CertifyArguments>();
  CLI::App* const command =
      app.add_subcommand("certify", "Proves whole motions free, or says when and where not");
  add_world_options(*command, options->world);
  add_motion_options(*command, options->motions);
  command
      ->add_option("--paths", options->lines,
                   "Many motions instead: JSON Lines, a path as in a JSON file on each\n"
                   "line, perhaps with an \"id\"; - for stdin. The answer is JSON Lines")
      ->option_text("FILE");
  add_shard_options(*command, options->shard, "paths");
  add_certify_options(*command, *options);
  add_talk_options(*command, options->talk);
  command->footer(
      "'free' is proved for every moment of the motion, with all rounding accounted for;\n"
      "'contact' comes with a time and a configuration that show it; 'undecided' is said of\n"
      "stretches where neither was possible at this tolerance or budget. Exits 0, 1 or 2; of a\n"
      "batch 1 if any path is in contact, else 2 if any is undecided. Of --paths, 65 if any line\n"
      "is no path; the others are answered all the same.\n"
      "\n"
      "With --json one line a path: {\"path\", \"verdict\": \"free\"|\"contact\"|\"undecided\",\n"
      "\"clearance\", \"first_contact\", \"distance\", \"time\", \"pair\": [a, b] or null,\n"
      "\"configuration\": {joint: value} or null, \"intervals\": [{\"from\", \"to\", \"status\",\n"
      "\"pair\", \"contact\"}], \"tests\", \"parts\", \"depth\", \"seconds\", \"contract\"}; with\n"
      "--certificate also \"certificate\": {\"file\", \"sha256\", \"clearance\", \"cells\",\n"
      "\"records\", \"bytes\"} or null. A batch has no 'seconds', so that its bytes depend on its\n"
      "input alone. Of --paths, \"path\" is the number of the path, from 0, and \"id\" what its\n"
      "line gives; a line that is no path has {\"path\", \"error\"}. Of an object that moves:\n"
      "\"object\" and \"deviation\" beside these, no \"configuration\" and \"parts\", but\n"
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
      "  keepclear certify cell.json --paths edges.jsonl --shard 3/8 -o edges.3.jsonl --resume\n"
      "  keepclear certify cell.json --clock left=a.csv --clock right=b.csv --offset 0.5");
  command->callback([options, &run] { run = [options] { return run_certify(*options); }; });
}

}  // namespace keepclear::command
