// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "keepclear/error.hpp"
#include "keepclear/version.hpp"
#include "output.hpp"
#include "scene/model_bodies.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;

/// The folders of a list as the shell writes it, empty entries dropped.
std::vector<fs::path> path_list(const char* variable) {
  std::vector<fs::path> folders;
  const char* const value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

fs::path existing_folder(const std::string& folder, const char* option) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(Error::Kind::missing, folder, 0, "no such folder",
                std::string("correct the option ") + option);
  }
  return folder;
}

/// What was named on the command line comes first, then the environment.
void fill_packages(const WorldOptions& options, LoadOptions& load) {
  for (const std::string& entry : options.packages) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
      usage("--package '" + entry + "' is not NAME=DIR",
            "write for example --package my_robot=/opt/my_robot");
    }
    const std::string name = entry.substr(0, equals);
    if (!load.packages.emplace(name, existing_folder(entry.substr(equals + 1), "--package"))
             .second) {
      usage("--package: '" + name + "' is given twice", "a package lies in one folder");
    }
  }
  for (const std::string& folder : options.package_path) {
    load.package_path.push_back(existing_folder(folder, "--package-path"));
  }
  for (const fs::path& folder : path_list("ROS_PACKAGE_PATH")) {
    // An entry may hold packages, or be one.
    std::error_code ignored;
    if (fs::exists(folder / "package.xml", ignored)) {
      load.packages.emplace(folder.filename().string(), folder);
    }
    load.package_path.push_back(folder);
  }
  for (const fs::path& prefix : path_list("AMENT_PREFIX_PATH")) {
    load.package_path.push_back(prefix / "share");
  }
}

std::string builtin_names() {
  std::string names;
  for (const BuiltinWorld& world : builtin_worlds()) {
    names += (names.empty() ? "" : ", ") + world.name;
  }
  return names;
}

void choose_model(const WorldOptions& options, LoadOptions& load) {
  if (options.model == "none") {
    load.without_model = true;
  } else if (options.model == "builtin") {
    if (!is_builtin(options.world)) {
      throw Error(Error::Kind::usage, options.world, 0, "--model builtin needs a built-in world",
                  "name the file of the model; keepclear fit makes one");
    }
    load.bodies = builtin_model(options.world);
    if (!load.bodies) {
      throw Error(Error::Kind::missing, options.world, 0, "this built-in world comes with no model",
                  "keepclear fit makes one");
    }
  } else if (!options.model.empty()) {
    load.model = options.model;
  }
}

}  // namespace

Asks check_words(const CLI::App& command, std::span<const std::string> words) {
  std::vector<KnownOption> known;
  for (const CLI::Option* const option : command.get_options()) {
    KnownOption entry;
    entry.is_argument = option->get_positional();
    entry.name = entry.is_argument ? option->get_name(true) : "--" + option->get_lnames().at(0);
    if (!option->get_snames().empty()) entry.short_name = "-" + option->get_snames()[0];
    entry.takes_value = option->get_items_expected_max() > 0;
    known.push_back(std::move(entry));
  }
  return check_command_line(command.get_name(), known, words);
}

void add_talk_options(CLI::App& command, TalkOptions& options) {
  command.add_flag("--json", options.json, "Machine-readable result on stdout");
  command.add_flag("--quiet", options.quiet, "No messages and no progress; an error is one line");
  command.set_help_flag("--help,-h", "Print this help and exit");
  command.set_version_flag("--version", std::string("keepclear ") + kVersion,
                           "Print the version and exit");
}

void add_threads_option(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Threads; 0, the default, is one for each core")
      ->option_text("N");
}

void add_certificate_options(CLI::App& command, CertificateOptions& options,
                             const std::string& what) {
  command.add_option("--certificate", options.file, what)->option_text("FILE");
  command.add_flag("--summary", options.summary,
                   "With --certificate: what it says, what it rests on, how to check it");
}

void add_world_options(CLI::App& command, WorldOptions& options, bool bodies) {
  command
      .add_option("WORLD", options.world,
                  "A URDF file, a scene file (.json, or MoveIt's .scene), or the name\n"
                  "of a built-in world (keepclear worlds lists them; ./NAME is the file\n"
                  "of that name)")
      ->option_text(" ")
      ->required();
  command.add_option("--package", options.packages, "Where package://NAME/ leads; may be repeated")
      ->option_text("NAME=DIR")
      ->allow_extra_args(false);
  command
      .add_option("--package-path", options.package_path,
                  "A folder that holds packages; may be repeated. ROS_PACKAGE_PATH\n"
                  "and AMENT_PREFIX_PATH are read too")
      ->option_text("DIR")
      ->allow_extra_args(false);
  command.add_option("--srdf", options.srdf, "Pairs of links that need not be checked")
      ->option_text("FILE");
  command
      .add_option("--scene", options.scene,
                  "A scene file with objects, around a WORLD that is a robot alone")
      ->option_text("FILE");
  command.add_flag("--allow-no-pairs", options.allow_no_pairs,
                   "Go on when an SRDF or the scene leaves no pair to check");
  command.add_flag("--lenient", options.lenient,
                   "Note what is no URDF and holds no part of a robot, and go on");
  if (bodies) {
    command
        .add_option("--parts", options.parts,
                    "Hulls for each mesh, 1 by default: the hull of the whole")
        ->option_text("N");
    command
        .add_option("--model", options.model,
                    "Bodies in place of the shapes of links, as keepclear fit writes them;\n"
                    "builtin: those that come with a built-in WORLD; none: the shapes, where\n"
                    "WORLD comes with a model")
        ->option_text("FILE");
  }
  add_threads_option(command, options.threads);
}

LoadOptions load_options(const WorldOptions& options) {
  LoadOptions load;
  load.allow_no_pairs = options.allow_no_pairs;
  load.lenient = options.lenient;
  load.parts = options.parts;
  load.threads = options.threads;
  if (!options.srdf.empty()) load.srdf = options.srdf;
  if (!options.scene.empty()) load.scene = options.scene;
  choose_model(options, load);
  fill_packages(options, load);
  return load;
}

bool is_builtin(const std::string& world) {
  if (std::ranges::any_of(builtin_worlds(),
                          [&](const BuiltinWorld& known) { return known.name == world; })) {
    return true;
  }
  const fs::path file = world;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    throw Error(Error::Kind::missing, world, 0, "no such file, and no built-in world",
                "built-in worlds: " + builtin_names());
  }
  if (fs::is_directory(file, ignored)) {
    throw Error(Error::Kind::missing, world, 0, "is a folder", "name the URDF or scene file in it");
  }
  if (file.extension() == ".xacro") {
    throw Error(Error::Kind::malformed, world, 0, "xacro is not URDF yet",
                "expand it first: xacro FILE.xacro > FILE.urdf");
  }
  return false;
}

World load_world(const WorldOptions& options) {
  const LoadOptions load = load_options(options);
  return is_builtin(options.world) ? load_builtin(options.world, load)
                                   : keepclear::load(options.world, load);
}

void tell_what_was_passed_over(const World& world, const WorldOptions& options,
                               const TalkOptions& talk) {
  if (talk.quiet) return;
  for (const std::string& note : world.notes()) {
    const bool of_model = !options.model.empty() && note.starts_with(options.model + ": ");
    const bool of_visuals = note.find(kAroundVisual) != std::string::npos;
    if (options.lenient || of_model || of_visuals) message("keepclear: note: " + note + '\n');
  }
}

}  // namespace keepclear::command
