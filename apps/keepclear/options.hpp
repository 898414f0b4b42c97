// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands have in common: the world they work on, how it is found, how they speak.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "keepclear/world.hpp"
#include "option_rules.hpp"

// Sources that use them include it: its objects are long to compile.
namespace CLI {
class App;
}  // namespace CLI

namespace keepclear::command {

/// What a chosen command does. Returns the exit code; throws Error.
using Run = std::function<int()>;

/// Each adds its command to `app`; when the command line chooses it, `run` becomes its work.
void add_info(CLI::App& app, Run& run);
void add_distance(CLI::App& app, Run& run);
void add_check(CLI::App& app, Run& run);
void add_fit(CLI::App& app, Run& run);
void add_box(CLI::App& app, Run& run);
void add_certify(CLI::App& app, Run& run);
void add_pairs(CLI::App& app, Run& run);
void add_guard(CLI::App& app, Run& run);
void add_view(CLI::App& app, Run& run);
/// `words`: the command line, to stand in the report.
void add_report(CLI::App& app, Run& run, std::vector<std::string> words);
void add_worlds(CLI::App& app, Run& run);
void add_demo(CLI::App& app, Run& run);

struct TalkOptions {
  bool json = false;
  bool quiet = false;
};

struct WorldOptions {
  std::string world;
  std::vector<std::string> packages;  ///< NAME=DIR
  std::vector<std::string> package_path;
  std::string srdf;
  std::string scene;
  std::string model;  ///< a file, `builtin` or `none`
  bool allow_no_pairs = false;
  bool lenient = false;
  int parts = 1;
  int threads = 0;
};

/// A certificate to write, and whether to sum it up for people.
struct CertificateOptions {
  std::string file;  ///< empty: none
  bool summary = false;
};

/// The most tests that --budget may ask for.
inline constexpr std::size_t kMaxTests = 1'000'000'000'000;

/// Throws Error (usage).
[[noreturn]] void usage(const std::string& what, const std::string& hint = {});

/// Checks the words behind a command against the rules of its options (option_rules.hpp), before
/// CLI11 reads them. Throws Error (usage).
Asks check_words(const CLI::App& command, std::span<const std::string> words);
/// --json, --quiet, --help, --version.
void add_talk_options(CLI::App& command, TalkOptions& options);
/// --threads alone, for a command that takes no world.
void add_threads_option(CLI::App& command, int& threads);
/// --certificate, --summary. `what` is proved stands in the help.
void add_certificate_options(CLI::App& command, CertificateOptions& options,
                             const std::string& what);
/// WORLD and the options that say how to read it. Without `bodies`, those that say how links become
/// bodies are left out: for a command that makes bodies of its own.
void add_world_options(CLI::App& command, WorldOptions& options, bool bodies = true);

/// What the loader is told. Reads ROS_PACKAGE_PATH and AMENT_PREFIX_PATH: the library itself knows
/// no environment.
LoadOptions load_options(const WorldOptions& options);
/// Whether the name is that of a built-in world. Throws Error where it is no file either.
bool is_builtin(const std::string& world);
/// Loads the built-in world of that name, else the file.
World load_world(const WorldOptions& options);
/// What a lenient reading passed over, or a model leaves out, may change an answer: said on stderr,
/// unless quiet.
void tell_what_was_passed_over(const World& world, const WorldOptions& options,
                               const TalkOptions& talk);

}  // namespace keepclear::command
