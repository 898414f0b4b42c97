// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear view: a page that shows a world, its motions and a running guard, on a port of this
// machine.
#include "view.hpp"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "keepclear/error.hpp"
#include "output.hpp"
#include "view_server.hpp"

namespace keepclear::command {

namespace {

constexpr int kDefaultPort = 7717;

/// Whatever else runs on this machine comes first: a guard above all.
void stand_back() {
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, 10));
  const sched_param none = {};
  static_cast<void>(::sched_setscheduler(0, SCHED_BATCH, &none));
}

std::unique_ptr<Gate> open_gate(std::optional<int> port) {
  if (port) return std::make_unique<Gate>(*port);
  try {
    return std::make_unique<Gate>(kDefaultPort);
  } catch (const Error&) {
    return std::make_unique<Gate>(0);
  }
}

/// Nothing that it says is of interest, and it may outlive this program.
void open_browser(std::string url, bool quiet) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2}) {
    ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  }
  // It is to be stopped by the signals that this program waits for.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = "xdg-open";
  char* const words[] = {name.data(), url.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, name.c_str(), &actions, &attributes, words, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0 && !quiet) {
    message("keepclear: note: there is no xdg-open here; open the address yourself\n");
  }
}

}  // namespace

int run_view(const ViewOptions& options) {
  require_page();
  if (!options.attach.empty() && options.show.has_guard()) {
    usage("--attach: a guard that runs, or one of a log", "leave out --states and --recording");
  }
  const std::unique_ptr<Gate> gate = open_gate(options.port);
  stand_back();
  const ShownWorld shown = read_shown(options.world, options.show, options.talk);
  EventHub hub;
  std::optional<AttachedGuard> guard;
  if (!options.attach.empty()) {
    guard.emplace(shown.world, options.attach, hub);
    if (!guard->found() && !options.talk.quiet) {
      message("keepclear: note: no guard shows itself in " + printable(options.attach) +
              " yet; waiting for one\n");
    }
  }
  Shown built = build_shown(shown, options.world, options.show, options.talk, true);
  ViewServer server(shown, options.show.motions, std::move(built.document), hub,
                    guard ? &*guard : nullptr);
  // Before any thread is started.
  const StopSignals stop;
  const std::string url = fmt::format("http://127.0.0.1:{}/", gate->port());
  Output out;
  if (options.talk.json) {
    out.print("{{\"url\":{}}}\n", json_string(url));
  } else {
    out.print("{}\n", url);
  }
  out.flush();
  if (options.open) open_browser(url, options.talk.quiet);
  if (guard) guard->start();
  gate->run(server.routes(), stop);
  hub.stop();
  if (guard) guard->stop();
  // A proof that is under way is not waited for: its thread ends with the program.
  if (!gate->close()) std::_Exit(0);
  return 0;
}

void add_view(CLI::App& app, Run& run) {
  const auto options = std::make_shared<ViewOptions>();
  CLI::App* const command =
      app.add_subcommand("view", "A page that shows a world, motions and a running guard");
  add_world_options(*command, options->world);
  add_show_options(*command, options->show);
  command
      ->add_option("--attach", options->attach,
                   "A guard that runs, or will: what keepclear guard --live names")
      ->option_text("FILE");
  command
      ->add_option("--port", options->port,
                   fmt::format("Of 127.0.0.1; 0: any that is free. Without it {}, or any if that\n"
                               "is taken",
                               kDefaultPort))
      ->option_text("N");
  command->add_flag("--open", options->open, "Show it in the browser (xdg-open)");
  add_talk_options(*command, options->talk);
  command->footer(
      "Prints the address of the page, and serves it until it is stopped (Ctrl-C). Only this\n"
      "machine can reach it; from another one: ssh -L 7717:127.0.0.1:7717 HOST. A guard that is\n"
      "looked at is neither delayed nor changed. docs/view.md has the calls behind the page.\n"
      "\n"
      "With --json one line {\"url\"}.\n"
      "\n"
      "Examples:\n"
      "  keepclear view six_axis_arm --open\n"
      "  keepclear view cell.json --path pick.csv\n"
      "  keepclear guard cell.json --udp 127.0.0.1:47600 --brake brake.json --live /tmp/guard &\n"
      "  keepclear view cell.json --attach /tmp/guard");
  command->callback([options, &run] { run = [options] { return run_view(*options); }; });
}

}  // namespace keepclear::command
