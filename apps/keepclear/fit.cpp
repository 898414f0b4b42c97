// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear fit: bodies of a few points around the links of a robot, how good they are, a model
// file of them and a page to look at them.
#include "keepclear/fit.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "certificate.hpp"
#include "csv.hpp"
#include "files.hpp"
#include "keepclear/error.hpp"
#include "keepclear/lint.hpp"
#include "keepclear/version.hpp"
#include "lint_json.hpp"
#include "options.hpp"
#include "output.hpp"
#include "page_fit.hpp"
#include "progress.hpp"
#include "proof/sources.hpp"
#include "scene/model_file.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct FitArguments {
  TalkOptions talk;
  WorldOptions world;
  std::string model, html, cache;  ///< empty: none asked for
  bool no_cache = false, no_lint = false, refined_given = false;
  std::string excess, seed;  ///< as written; empty without
  std::string around = to_string(Around::collision);
  int points = 0, budget = 0;  ///< 0: not said
  FitOptions fit;
  CertificateOptions certificate;
};

FitOptions fit_options(const FitArguments& options) {
  FitOptions fit = options.fit;
  if (!options.excess.empty()) {
    double excess = 0;
    std::string fault = parse_number(options.excess, excess);
    if (fault.empty() && excess < 0) fault = "'" + options.excess + "' is negative";
    if (!fault.empty()) usage("--excess: " + fault, "0.2 asks for 1.2 times the hull at most");
    fit.excess = excess;
  }
  if (!options.seed.empty()) {
    const char* const end = options.seed.data() + options.seed.size();
    const auto [rest, fault] = std::from_chars(options.seed.data(), end, fit.seed);
    if (fault != std::errc() || rest != end) {
      usage("--seed: '" + options.seed + "' is none", "it is a whole number below 2^64");
    }
  }
  if (options.points > 0) fit.points = options.points;
  if (options.budget > 0) fit.budget = options.budget;
  for (const Around around : {Around::collision, Around::visual, Around::both}) {
    if (options.around == to_string(around)) fit.around = around;
  }
  fit.threads = options.world.threads;
  return fit;
}

/// Where fits are kept unless told: as the XDG base directories say.
std::optional<fs::path> usual_cache() {
  const auto absolute = [](const char* variable) -> fs::path {
    const char* const value = std::getenv(variable);
    const fs::path path = value == nullptr ? "" : value;
    return path.is_absolute() ? path : fs::path();
  };
  if (const fs::path base = absolute("XDG_CACHE_HOME"); !base.empty()) return base / "keepclear";
  if (const fs::path home = absolute("HOME"); !home.empty()) return home / ".cache" / "keepclear";
  return std::nullopt;
}

/// The folder, made if need be. Without one the fit only takes longer.
std::optional<fs::path> usable_cache(const FitArguments& options) {
  if (options.no_cache) return std::nullopt;
  std::optional<fs::path> folder =
      options.cache.empty() ? usual_cache() : std::optional<fs::path>(options.cache);
  if (!folder) return std::nullopt;
  std::error_code code;
  fs::create_directories(*folder, code);
  if (!code && !fs::is_directory(*folder, code)) {
    code = std::make_error_code(std::errc::not_a_directory);
  }
  if (!code && ::access(folder->c_str(), R_OK | W_OK | X_OK) != 0) {
    code = std::error_code(errno, std::generic_category());
  }
  if (!code) return folder;
  if (!options.talk.quiet) {
    message("keepclear: no cache: " + printable(folder->string()) + ": " + code.message() + "\n");
  }
  return std::nullopt;
}

struct Totals {
  std::size_t points = 0, cached = 0;
  double volume = 0, hull_volume = 0, seconds = 0;
  /// Volume over that of the hull, over the bodies whose hull has one; NaN without any.
  double median = std::nan(""), worst = std::nan("");
};

double ratio_of(const FittedBody& fitted) {
  return fitted.hull_volume > 0 ? fitted.volume / fitted.hull_volume : std::nan("");
}

Totals totals_of(const Fit& fit) {
  Totals totals;
  std::vector<double> ratios;
  for (const FittedBody& fitted : fit.bodies) {
    totals.points += fitted.body.points.size();
    totals.cached += fitted.cached ? 1 : 0;
    totals.volume += fitted.volume;
    totals.hull_volume += fitted.hull_volume;
    totals.seconds += fitted.seconds;
    if (fitted.hull_volume > 0) ratios.push_back(ratio_of(fitted));
  }
  if (ratios.empty()) return totals;
  std::ranges::sort(ratios);
  const std::size_t half = ratios.size() / 2;
  totals.median = ratios.size() % 2 == 1 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
  totals.worst = ratios.back();
  return totals;
}

/// What is told at the end.
struct Result {
  const FitArguments& options;
  const FitOptions& asked;
  const WorldSource& source;
  const Fit& fit;
  const Lint* lint = nullptr;
  Totals totals{};
  double wall_seconds = 0;
  std::string filed{};  ///< the certificate as JSON
};

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json file_or_null(const std::string& file) {
  return file.empty() ? Json(nullptr) : Json(file);
}

Json json_of(const FittedBody& fitted) {
  return {{"link", fitted.body.link},     {"elements", fitted.elements},
          {"files", fitted.files},        {"part", fitted.part},
          {"parts", fitted.parts},        {"points", fitted.body.points.size()},
          {"radius", fitted.body.radius}, {"source_points", fitted.source_points},
          {"volume", fitted.volume},      {"hull_volume", fitted.hull_volume},
          {"excess", fitted.excess},      {"surface_distance", number(fitted.surface_distance)},
          {"seconds", fitted.seconds},    {"cached", fitted.cached}};
}

void print_json(Output& out, const Result& result) {
  const FitOptions& asked = result.asked;
  const Totals& totals = result.totals;
  Json bodies = Json::array();
  for (const FittedBody& fitted : result.fit.bodies) bodies.push_back(json_of(fitted));
  Json document = {{"world", result.fit.model.world},
                   {"keepclear", kVersion},
                   {"model", file_or_null(result.options.model)},
                   {"html", file_or_null(result.options.html)},
                   {"options",
                    {{"points", asked.points ? Json(*asked.points) : Json(nullptr)},
                     {"excess", asked.excess ? Json(*asked.excess) : Json(nullptr)},
                     {"budget", asked.budget ? Json(*asked.budget) : Json(nullptr)},
                     {"parts", asked.parts},
                     {"around", to_string(asked.around)},
                     {"seed", asked.seed},
                     {"starts", asked.starts},
                     {"refined", asked.refined},
                     {"cache", asked.cache ? Json(asked.cache->string()) : Json(nullptr)}}},
                   {"bodies", bodies},
                   {"totals",
                    {{"bodies", result.fit.bodies.size()},
                     {"points", totals.points},
                     {"volume", totals.volume},
                     {"hull_volume", totals.hull_volume},
                     {"median_ratio", number(totals.median)},
                     {"worst_ratio", number(totals.worst)},
                     {"cached", totals.cached},
                     {"seconds", totals.seconds},
                     {"wall_seconds", result.wall_seconds}}},
                   {"lint", result.lint != nullptr ? lint_json(*result.lint) : Json(nullptr)},
                   {"notes", result.fit.notes}};
  if (!result.filed.empty()) document["certificate"] = Json::parse(result.filed);
  out.write(document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// Millimetres, to a hundredth below ten.
std::string millimetres(double metres) {
  if (!std::isfinite(metres)) return "-";
  return fmt::format("{:.{}f}", 1000 * metres, metres < 0.01 ? 2 : 1);
}

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "-";
}

void print_bodies(Output& out, const Result& result) {
  Columns columns("<><>>>>>>");
  columns.add(
      {"link", "part", "from", "points", "radius mm", "vol/hull", "excess mm", "surface mm", "s"});
  for (const FittedBody& fitted : result.fit.bodies) {
    columns.add({printable(fitted.body.link),
                 fitted.parts > 1 ? fmt::format("{}/{}", fitted.part + 1, fitted.parts) : "",
                 printable(origin_of(fitted, result.source, result.fit.model.around)),
                 std::to_string(fitted.body.points.size()), millimetres(fitted.body.radius),
                 ratio_text(ratio_of(fitted)), millimetres(fitted.excess),
                 millimetres(fitted.surface_distance),
                 fitted.cached ? "cached" : fmt::format("{:.1f}", fitted.seconds)});
  }
  if (!result.fit.bodies.empty()) columns.print(out);
}

void print_text(Output& out, const Result& result) {
  const Totals& totals = result.totals;
  const Fit& fit = result.fit;
  print_bodies(out, result);
  out.print("\n{}, {}; volume over hull: median {}, worst {}, all together {}\n",
            counted(fit.bodies.size(), "body", "bodies"), counted(totals.points, "point"),
            ratio_text(totals.median), ratio_text(totals.worst),
            ratio_text(totals.hull_volume > 0 ? totals.volume / totals.hull_volume : std::nan("")));
  out.print("{:.1f} s, {:.1f} s of one core; {} of {} from the cache\n", result.wall_seconds,
            totals.seconds, totals.cached, counted(fit.bodies.size(), "body", "bodies"));
  out.write(
      "Every vertex of the shapes is proved to be inside. Excess: how far a body reaches beyond\n"
      "the hull of its shapes, at most; surface: how far from the shapes its surface gets.\n");
  if (!fit.notes.empty()) {
    out.print("\nNotes: {}\n", fit.notes.size());
    for (const std::string& note : fit.notes) out.print("  {}\n", printable(note));
  }
  if (result.lint != nullptr && !result.lint->findings.empty()) {
    out.print("\nWorth a look: {}\n", result.lint->findings.size());
    for (const std::string& finding : result.lint->findings) {
      out.print("  {}\n", printable(finding));
    }
  }
  const FitArguments& options = result.options;
  if (options.model.empty() && options.html.empty() && options.certificate.file.empty()) {
    out.write(
        "\nNothing was written; -o FILE writes the model, --html FILE a page to look at it\n");
    return;
  }
  out.write("\n");
  if (!options.model.empty()) {
    out.print("Model: {}\n  use it: keepclear check {} --model {} --poses POSES.csv\n",
              printable(options.model), printable(options.world.world), printable(options.model));
  }
  if (!options.html.empty()) out.print("Picture: {}\n", printable(options.html));
}

/// Proves once more that the bodies contain the shapes, and files that. Returns JSON.
std::string file_fit(const FitArguments& options, const LoadOptions& load, const Fit& fit,
                     CertificateFiler& filer) {
  const std::string& file = options.certificate.file;
  if (file.empty()) return {};
  // The shapes themselves, whatever model the world comes with.
  LoadOptions shapes = load;
  shapes.without_model = true;
  shapes.allow_no_pairs = true;
  const std::string& name = options.world.world;
  const World world = is_builtin(name) ? load_builtin(name, shapes) : keepclear::load(name, shapes);
  CertificateFacts facts;
  LoadOptions read = shapes;
  read.bodies = std::make_shared<const BodyModel>(fit.model);
  read.without_model = false;
  facts.sources = files_now(world, read);
  add_asked("around", to_string(fit.model.around), facts);
  if (!options.model.empty()) {
    facts.sources.push_back({options.model, sha256_of(to_json(fit.model))});
  }
  return filer.take(
      CertificateFiler::proved([&] { return fit_certificate(world, fit.model, facts); }), file,
      "the bodies contain the shapes");
}

int run_fit(const FitArguments& options) {
  FitOptions asked = fit_options(options);
  std::error_code ignored;
  if (!options.model.empty() && !options.html.empty() &&
      fs::weakly_canonical(options.model, ignored) == fs::weakly_canonical(options.html, ignored)) {
    usage("-o and --html name the same file", "they are two");
  }
  if (!options.html.empty()) require_page();
  if (!options.refined_given) asked.refined = std::min(asked.refined, asked.starts);
  const LoadOptions load = load_options(options.world);
  const std::string& world = options.world.world;
  const bool builtin = is_builtin(world);
  require_outputs(std::vector{options.model, options.html, options.certificate.file}, options.world,
                  {});
  const WorldSource source = builtin ? read_builtin_source(world, load) : read_source(world, load);
  asked.cache = usable_cache(options);

  const auto start = std::chrono::steady_clock::now();
  Progress progress(options.talk.quiet, false);
  asked.progress = [&](double share) { progress.update(share); };
  const Fit fit = builtin ? fit_builtin(world, load, asked) : keepclear::fit(world, load, asked);
  progress.clear();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  // First what took so long.
  if (!options.model.empty()) write_model(fit.model, options.model);
  LoadOptions fitted = load;
  fitted.bodies = std::make_shared<const BodyModel>(fit.model);
  if (!options.html.empty()) {
    LoadOptions shown = fitted;
    shown.allow_no_pairs = true;
    replace_file(
        options.html,
        standalone_page(fit_page_document(
            builtin ? load_builtin(world, shown) : keepclear::load(world, shown), source, fit)));
  }
  std::optional<Lint> lint;
  if (!options.no_lint) {
    // Of the bodies that will be checked.
    lint = builtin ? lint_builtin(world, fitted) : keepclear::lint(world, fitted);
  }

  Output out;
  Result result{options, asked, source, fit, lint ? &*lint : nullptr, totals_of(fit), wall.count()};
  CertificateFiler filer(options.certificate, options.talk);
  if (!options.talk.json) {
    print_text(out, result);
    out.flush();
  }
  result.filed = file_fit(options, load, fit, filer);
  if (options.talk.json) print_json(out, result);
  filer.print(out);
  out.flush();
  return filer.failed() ? 2 : 0;
}

void add_fit_options(CLI::App& command, FitArguments& options) {
  FitOptions& fit = options.fit;
  command.add_option("-o,--output", options.model, "Write the model there")->option_text("FILE");
  command
      .add_option("--points", options.points,
                  "Points of each body, 6 by default; with --excess or --budget the\n"
                  "most of any, 12 by default")
      ->option_text("N");
  command
      .add_option("--excess", options.excess,
                  "Each body gets the fewest points with which its volume is at most\n"
                  "1 + X times that of its hull")
      ->option_text("X");
  command
      .add_option("--budget", options.budget,
                  "So many points in all, spread over the bodies where they help most")
      ->option_text("N");
  command
      .add_option("--parts", fit.parts,
                  "Bodies of each link; 0, the default, is one for each shape")
      ->option_text("N");
  command.add_option("--around", options.around, "What is wrapped, collision by default")
      ->option_text("collision|visual|both");
  command.add_option("--seed", options.seed, "Of the random starts, 1 by default")
      ->option_text("N");
  command
      .add_option("--starts", fit.starts,
                  fmt::format("Random starts for each number of points, {} by default", fit.starts))
      ->option_text("N");
  command
      .add_option_function<int>(
          "--refined",
          [&options](int count) {
            options.fit.refined = count;
            options.refined_given = true;
          },
          fmt::format("Of these the best, improved step by step; {} by default", fit.refined))
      ->option_text("N");
  command
      .add_option("--html", options.html, "Write a page with shapes and bodies over one another")
      ->option_text("FILE");
  command
      .add_option("--cache", options.cache,
                  "Where fits are kept; $XDG_CACHE_HOME/keepclear or ~/.cache/keepclear\n"
                  "by default")
      ->option_text("DIR");
  command.add_flag("--no-cache", options.no_cache, "Keep nothing, and fit all again")
      ->option_text(" ");
  command.add_flag("--no-lint", options.no_lint, "Leave out the look at visual meshes and hulls");
  add_certificate_options(command, options.certificate,
                          "Write proof that keepclear-verify checks on its own: that the bodies\n"
                          "contain the shapes");
}

}  // namespace

void add_fit(CLI::App& app, Run& run) {
  const auto options = std::make_shared<FitArguments>();
  CLI::App* const command =
      app.add_subcommand("fit", "Bodies of a few points around the links: a model to use");
  add_world_options(*command, options->world, false);
  add_fit_options(*command, *options);
  add_talk_options(*command, options->talk);
  command->footer(
      "Each body is the hull of a few points grown by a radius, of the least volume that was\n"
      "found, and proved to contain every vertex of its shapes. The same seed gives the same\n"
      "model, whatever the number of threads. Commands take it with --model FILE and prove it\n"
      "again. Without -o and --html the bodies are only told about.\n"
      "\n"
      "With --json one document: {\"world\", \"model\", \"html\", \"options\", \"bodies\": "
      "[{\"link\",\n"
      "\"elements\", \"files\", \"points\", \"radius\", \"volume\", \"hull_volume\", \"excess\",\n"
      "\"surface_distance\", \"seconds\", \"cached\"}], \"totals\", \"lint\", \"notes\"}.\n"
      "\n"
      "Examples:\n"
      "  keepclear fit robot.urdf -o robot.model.json --html robot.html\n"
      "  keepclear check robot.urdf --model robot.model.json --poses poses.csv");
  command->callback([options, &run] { run = [options] { return run_fit(*options); }; });
}

}  // namespace keepclear::command
