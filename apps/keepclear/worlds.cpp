// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear worlds: the built-in ones.
#include <algorithm>
#include <memory>

#include "keepclear/world.hpp"
#include "options.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

int run_worlds(const TalkOptions& talk) {
  Output out;
  if (talk.json) {
    out.write("{\"worlds\":[");
    const char* comma = "";
    for (const BuiltinWorld& world : builtin_worlds()) {
      out.print("{}{{\"name\":{},\"what\":{}}}", comma, json_string(world.name),
                json_string(world.what));
      comma = ",";
    }
    out.write("]}\n");
  } else {
    std::size_t width = 0;
    for (const BuiltinWorld& world : builtin_worlds()) width = std::max(width, world.name.size());
    for (const BuiltinWorld& world : builtin_worlds()) {
      out.print("{:<{}}  {}\n", world.name, width, world.what);
    }
  }
  out.flush();
  return 0;
}

}  // namespace

void add_worlds(CLI::App& app, Run& run) {
  const auto talk = std::make_shared<TalkOptions>();
  CLI::App* const command = app.add_subcommand("worlds", "The built-in worlds");
  add_talk_options(*command, *talk);
  command->footer(
      "A name from this list stands wherever a command takes a WORLD.\n"
      "With --json: {\"worlds\": [{\"name\", \"what\"}]}.");
  command->callback([talk, &run] { run = [talk] { return run_worlds(*talk); }; });
}

}  // namespace keepclear::command
