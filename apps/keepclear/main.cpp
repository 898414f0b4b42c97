// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of Keepclear. Whatever goes wrong ends in one line on stderr and an exit code.
#include <CLI/CLI.hpp>

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build_facts.hpp"
#include "keepclear/error.hpp"
#include "keepclear/version.hpp"
#include "options.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

/// --help, --version, --version --json.
void check_words_without_command(std::span<const std::string> words) {
  bool asks = false;
  for (const std::string& word : words) {
    asks = asks || word == "--help" || word == "-h" || word == "--version";
    if (!asks && word != "--json") {
      usage("'" + word + "' stands where the command should", "see keepclear --help");
    }
  }
  if (!asks) usage("no command given", "see keepclear --help");
}

int run(int argc, char** argv) {
  CLI::App app(
      "Keepclear tells with proof how far robots are from hitting themselves and what is around.",
      "keepclear");
  app.get_formatter()->column_width(26);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Subcommands", "Commands");
  app.get_formatter()->label("OPTIONS", "options");
  app.get_formatter()->label("Positionals", "Arguments");
  app.set_help_flag("--help,-h", "Print this help and exit");
  app.set_version_flag(
      "--version", kVersion,
      "Print the version and how it was built, and exit; with --json one document");
  app.require_subcommand(1);
  app.footer(
      "keepclear COMMAND --help tells more. New here? keepclear demo\n"
      "\n"
      "Exit codes: 0 free, or done; 1 contact found, or brake; 2 undecided; 64 wrong usage;\n"
      "65 input malformed; 66 input missing; 70 internal error; 74 write failed.");
  Run chosen;
  add_info(app, chosen);
  add_distance(app, chosen);
  add_check(app, chosen);
  add_fit(app, chosen);
  add_box(app, chosen);
  add_certify(app, chosen);
  add_pairs(app, chosen);
  add_guard(app, chosen);
  add_view(app, chosen);
  add_report(app, chosen, {argv + 1, argv + argc});
  add_worlds(app, chosen);
  add_demo(app, chosen);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");

  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty()) usage("no command given", "see keepclear --help");
  const auto commands = app.get_subcommands({});
  const bool known = std::ranges::any_of(
      commands, [&](const CLI::App* command) { return command->get_name() == first; });
  if (!known && !first.starts_with('-')) {
    usage("there is no command '" + first + "'", "see keepclear --help");
  }

  std::vector<std::string> words(argv + 1, argv + argc);
  if (known) {
    const Asks asks =
        check_words(*app.get_subcommand(first), std::span<const std::string>(words).subspan(1));
    if (asks == Asks::help) words = {first, "--help"};
    if (asks == Asks::version) words = {first, "--version"};
  } else {
    check_words_without_command(words);
  }
  std::ranges::reverse(words);  // as CLI11 takes them

  Output out;
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    out.write(app.help());
    out.flush();
    return 0;
  } catch (const CLI::CallForVersion&) {
    const bool json = std::ranges::count(argv + 1, argv + argc, std::string_view("--json")) > 0;
    out.write(json ? build_facts_json() : build_facts_text());
    out.flush();
    return 0;
  } catch (const CLI::ParseError& error) {
    usage(error.what(), "see keepclear " + first + " --help");
  }
  return chosen();
}

/// What any escape from `run` means. Does not allocate where memory may be gone.
int guarded(int argc, char** argv) noexcept {
  constexpr int kInternal = static_cast<int>(Error::Kind::internal);
  try {
    try {
      return run(argc, argv);
    } catch (const Error& error) {
      message("keepclear: " + std::string(error.what()) + "\n");
      return static_cast<int>(error.kind());
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      // Error also keeps a stranger's control characters out of the line.
      const Error line(Error::Kind::internal, "", 0, error.what(), "please report this");
      message("keepclear: " + std::string(line.what()) + "\n");
      return kInternal;
    }
  } catch (const std::bad_alloc&) {
    message("keepclear: out of memory; give it more, or a smaller input\n");
  } catch (...) {
    message("keepclear: unexpected failure; please report this\n");
  }
  return kInternal;
}

/// Whatever is opened next must not become standard input or output because that was closed. From
/// what stands in its place nothing can be read, and writing to it fails.
void fill_standard_descriptors() noexcept {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    // Gives the lowest that is free: this one.
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
  }
}

}  // namespace

}  // namespace keepclear::command

int main(int argc, char** argv) {
  keepclear::command::fill_standard_descriptors();
  // A reader that went away is a failed write, not a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  return keepclear::command::guarded(argc, argv);
}
