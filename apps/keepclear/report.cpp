// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear report: one file that shows what was asked and answered, to be mailed and filed; and a
// picture of it.
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "certificate.hpp"
#include "certify_certificate.hpp"
#include "files.hpp"
#include "keepclear/error.hpp"
#include "motion/braking.hpp"
#include "output.hpp"
#include "page_build.hpp"
#include "png.hpp"
#include "render.hpp"
#include "report_text.hpp"

namespace keepclear::command {

namespace {

struct ReportArguments {
  TalkOptions talk;
  WorldOptions world;
  ShowOptions show;
  std::string output, png;
  std::string size, view = "iso";
  std::string date;
  CertificateOptions certificate;
  std::vector<std::string> words;  ///< the command line
};

/// WIDTHxHEIGHT
void parse_size(const std::string& text, RenderOptions& render) {
  if (text.empty()) return;
  constexpr int kLeast = 16;
  const std::size_t cross = text.find('x');
  const auto side = [&](std::string_view digits) {
    int value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && stop == digits.data() + digits.size();
    return whole && value >= kLeast && value <= kMaxPictureSide ? value : 0;
  };
  const std::string_view all = text;
  render.width = cross == std::string::npos ? 0 : side(all.substr(0, cross));
  render.height = cross == std::string::npos ? 0 : side(all.substr(cross + 1));
  if (render.width == 0 || render.height == 0) {
    usage("--size '" + text + "' is not WIDTHxHEIGHT",
          fmt::format("write for example 1600x1000; each from {} to {}", kLeast, kMaxPictureSide));
  }
}

RenderOptions render_options(const ReportArguments& options) {
  RenderOptions render;
  render.threads = options.world.threads;
  parse_size(options.size, render);
  const std::optional<View> view = view_called(options.view);
  if (!view) {
    usage("--view: there is no '" + options.view + "'", "there are iso, front, left and top");
  }
  render.view = *view;
  return render;
}

/// What a picture shows: a configuration, and what is covered around it.
struct Shot {
  std::vector<double> q;
  std::vector<DrawnVolume> volumes;
  const ShownMotion* motion = nullptr;  ///< of an object, which is shown where it is at `time`
  double time = 0;
};

/// The configuration that was asked for; else where the guard first braked, with all that braking
/// covers; else the first contact or the nearest moment of the first motion that is not free, or of
/// the first one, with all that it covers.
Shot shot_of(const ShownWorld& shown, const ShowOptions& options, const Shown& found) {
  Shot shot;
  shot.q = found.states.empty() ? shown.world.neutral() : found.states.front().q;
  if (options.q || !options.state.empty()) return shot;
  Sweeper sweeper(shown.world);
  DrawnSweep sweep;
  if (found.run && found.run->first_brake) {
    const ShownCycle& brake = *found.run->first_brake;
    const Braking braking(shown.world, found.run->guard.brake);
    shot.q = brake.q;
    if (braking_sweep(braking, brake.q, brake.v, sweeper, sweep)) shot.volumes = sweep.volumes;
    return shot;
  }
  if (found.motions.empty()) return shot;
  const ShownMotion* motion = &found.motions.front();
  for (const ShownMotion& each : found.motions) {
    if (to_string(each.certificate.verdict) == found.verdict) {
      motion = &each;
      break;
    }
  }
  if (motion->object) {
    const Certificate& certificate = motion->certificate;
    shot.q = motion->object->rest;
    shot.motion = motion;
    shot.time = std::isfinite(certificate.first_contact) ? certificate.first_contact
                : std::isfinite(certificate.time)        ? certificate.time
                                                         : motion->begin();
    return shot;
  }
  const Path& path = *motion->path;
  shot.q = motion->certificate.q.empty() ? path.position(path.begin()) : motion->certificate.q;
  constexpr int kParts = 48;
  constexpr std::size_t kTriangles = 200;  // of each volume
  const double length = path.end() - path.begin();
  const auto at = [&](int part) {
    return part == kParts ? path.end() : path.begin() + length * part / kParts;
  };
  for (int part = 0; part < kParts; ++part) {
    if (!sweeper.sweep(path.range(at(part), at(part + 1)), sweep, kTriangles)) continue;
    shot.volumes.insert(shot.volumes.end(), sweep.volumes.begin(), sweep.volumes.end());
  }
  return shot;
}

Picture picture_of(const ShownWorld& shown, const ReportArguments& options, const Shown& found,
                   const RenderOptions& render_options) {
  const Shot shot = shot_of(shown, options.show, found);
  Poser poser(shown.world);
  PosedWorld posed;
  if (!poser.pose(shot.q, posed)) poser.pose(shown.world.neutral(), posed);
  if (shot.motion == nullptr) {
    return render(shown.world, found.drawn, posed, shot.volumes, render_options);
  }
  // Distances of the pose are to where the world has the object: those of the motion alone count.
  const Certificate& known = shot.motion->certificate;
  posed.nearest = Nearest{};
  posed.near.clear();
  posed.clearance.assign(shown.world.solids().size(), std::numeric_limits<double>::quiet_NaN());
  for (const int solid : {known.a, known.b}) {
    if (solid < 0) continue;
    posed.clearance[static_cast<std::size_t>(solid)] =
        known.verdict == Verdict::contact ? 0 : known.distance;
  }
  return render(shown.world, with_moved(found.drawn, *shot.motion->object, shot.time), posed,
                shot.volumes, render_options);
}

void require_places(const ReportArguments& options, std::span<const std::string> inputs) {
  require_writable(options.output, inputs);
  require_writable(options.png, inputs);
  if (!names_folder(options.certificate.file)) require_writable(options.certificate.file, inputs);
}

/// Files the certificates of motions that are free, and adds what they say to the report. Returns
/// members of JSON, each after a comma.
std::string add_certificates(const ShownWorld& shown, MotionCertificates& certificates,
                             Shown& found) {
  std::string members;
  for (std::size_t i = 0; certificates.is_asked() && i < shown.motions.size(); ++i) {
    const Motion& motion = shown.motions[i];
    const Certificate& proved = found.motions[i].certificate;
    const WrittenCertificate written = certificates.prove({&motion, 1}, {&motion.path, 1}, proved);
    members += (i == 0 ? ",\"certificates\":[" : ",") + certificates.file(i, proved, written);
    if (written.text.empty()) continue;
    TextSection section{"Certificate of " + printable(motion.file), {}, {}};
    section.rows = certificate_summary(written.text, certificates.files()[i]);
    section.text.emplace_back(
        "keepclear-verify checks this file by itself: it shares no code with Keepclear, and "
        "believes nothing that it was told. docs/certificate.md has its rules.");
    found.document.sections.push_back(std::move(section));
  }
  return members.empty() ? members : members + "]";
}

void print_result(const ReportArguments& options, const ShownWorld& shown, const Shown& found,
                  const std::string& filed) {
  std::vector<std::string> files;
  for (const std::string& file : {options.output, options.png}) {
    if (!file.empty()) files.push_back(file);
  }
  Output out;
  if (options.talk.json) {
    std::string names;
    for (const std::string& file : files) {
      names += (names.empty() ? "" : ",") + json_string(file);
    }
    out.print(
        "{{\"files\":[{}],\"verdict\":\"{}\",\"answer\":{},\"world\":{},\"hash\":\"{}\"{}}}\n",
        names, found.verdict, json_string(found.headline), json_string(shown.world.name()),
        shown.world.hash(), filed);
  } else {
    out.print("{}\n", printable(found.headline));
    for (const std::string& file : files) out.print("written: {}\n", printable(file));
  }
  out.flush();
}

int run_report(const ReportArguments& options) {
  if (options.output.empty() && options.png.empty()) {
    usage("no file to write", "give -o FILE.html, --png FILE.png, or both");
  }
  std::error_code ignored;
  if (std::filesystem::weakly_canonical(options.output, ignored) ==
      std::filesystem::weakly_canonical(options.png, ignored)) {
    usage("-o and --png name the same file", "they are two");
  }
  if (!options.output.empty()) require_page();
  const RenderOptions render = render_options(options);
  require_places(options, {&options.world.world, 1});
  const ShownWorld shown = read_shown(options.world, options.show, options.talk);
  require_places(options, shown.inputs);
  if (shown.objects && !options.certificate.file.empty()) {
    usage("--certificate: motions of objects have none", "it is for motions of joints");
  }
  JsonPairs json_pair(shown.world);
  const Asked asked{shown.world, shown.certify, options.show.motions, json_pair};
  MotionCertificates certificates(
      {options.certificate, options.talk, options.world, shown.motions.size() == 1}, asked,
      shown.motions.empty() ? std::vector<MotionFile>()
                            : motion_files(options.show.motions, options.world.world),
      shown.motions,
      {{"rest", options.show.motions.rest.value_or("")},
       {"columns", options.show.motions.columns.value_or("")},
       {"tube", options.show.motions.tube.value_or("")},
       {"margin", options.show.margin},
       {"deviation", options.show.deviation}});
  Shown found = build_shown(shown, options.world, options.show, options.talk, false);
  const std::string filed = add_certificates(shown, certificates, found);
  found.document.sections.push_back(versions_section());
  found.document.sections.push_back(repeat_section(options.words, options.date));
  // Both are made before either is written.
  std::string page, png;
  if (!options.output.empty()) page = standalone_page(found.document);
  if (!options.png.empty()) png = png_of(picture_of(shown, options, found, render));
  if (!options.output.empty()) replace_file(options.output, page);
  if (!options.png.empty()) replace_file(options.png, png);
  print_result(options, shown, found, filed);
  Output out;
  certificates.print(out);
  out.flush();
  return found.exit_code == 0 && certificates.failed() ? 2 : found.exit_code;
}

}  // namespace

void add_report(CLI::App& app, Run& run, std::vector<std::string> words) {
  const auto options = std::make_shared<ReportArguments>();
  options->words = std::move(words);
  CLI::App* const command = app.add_subcommand(
      "report", "One file to show and to file: scene, motions, guard runs, verdicts");
  add_world_options(*command, options->world);
  add_show_options(*command, options->show);
  command->add_option("-o,--output", options->output, "The report: HTML that needs nothing else")
      ->option_text("FILE");
  command->add_option("--png", options->png, "A picture")->option_text("FILE");
  command->add_option("--size", options->size, "Of the picture, 1600x1000 by default")
      ->option_text("WxH");
  command->add_option("--view", options->view, "Of the picture: iso, front, left or top")
      ->option_text("NAME");
  command->add_option("--date", options->date, "A date, or any text, to stand in the report")
      ->option_text("TEXT");
  command->add_flag("--timing", options->show.timing,
                    "Also tell how long proofs and cycles took: no two reports are the same then");
  add_certificate_options(*command, options->certificate,
                          "With --path: also write proof that keepclear-verify checks on its own,\n"
                          "and sum it up in the report; of several motions, a folder");
  add_talk_options(*command, options->talk);
  command->footer(
      "The report opens in any browser, from the disk, without a network. It has the scene with\n"
      "what is checked in it, motions to play with their proofs, guard runs with their plots, "
      "and\n"
      "the inventory, options, versions and verdicts as text. The same input gives the same "
      "bytes.\n"
      "Exits as certify and guard do: 0 free, go or done; 1 contact or brake; 2 undecided.\n"
      "\n"
      "With --json one line: {\"files\": [...], \"verdict\": "
      "\"free\"|\"contact\"|\"undecided\"|\"go\"|\n"
      "\"brake\"|\"done\", \"answer\", \"world\", \"hash\"}.\n"
      "\n"
      "Examples:\n"
      "  keepclear report two_arms --path task1 -o task1.html --png task1.png\n"
      "  keepclear report cell.json --recording last.kcr -o brake.html\n"
      "  keepclear report robot.urdf --srdf robot.srdf --pairs -o pairs.html");
  command->callback([options, &run] { run = [options] { return run_report(*options); }; });
}

}  // namespace keepclear::command
