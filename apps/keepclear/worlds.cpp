// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear worlds: the built-in ones, their tasks, and their files for those who want to edit
// them.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "keepclear/error.hpp"
#include "keepclear/world.hpp"
#include "options.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;

struct WorldsArguments {
  TalkOptions talk;
  std::string name;                   ///< all worlds if empty
  std::optional<std::string> folder;  ///< --export
};

std::vector<const BuiltinWorld*> chosen(const std::string& name) {
  std::vector<const BuiltinWorld*> worlds;
  std::string names;
  for (const BuiltinWorld& world : builtin_worlds()) {
    if (name.empty() || world.name == name) worlds.push_back(&world);
    names += (names.empty() ? "" : ", ") + world.name;
  }
  if (worlds.empty()) {
    throw Error(Error::Kind::missing, "", 0, "no built-in world is called '" + name + "'",
                "there are: " + names);
  }
  return worlds;
}

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& why,
                                const std::string& hint = {}) {
  throw Error(Error::Kind::write, path.string(), 0, why, hint);
}

/// Someone may have edited what is there: nothing is ever overwritten.
[[noreturn]] void refuse(const fs::path& path) {
  fail_to_write(path, "is there already and is not overwritten",
                "export into another folder, or move it away");
}

void write_new(const fs::path& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) {
    if (errno == EEXIST) refuse(path);
    fail_to_write(path, "cannot create: " + std::generic_category().message(errno));
  }
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (whole && closed) return;
  const int code = errno != 0 ? errno : EIO;
  std::error_code ignored;
  fs::remove(path, ignored);
  fail_to_write(path, "cannot write: " + std::generic_category().message(code));
}

/// Writes the files of the worlds, each once, and returns their paths.
std::vector<fs::path> export_files(const std::vector<const BuiltinWorld*>& worlds,
                                   const fs::path& folder) {
  std::map<std::string, std::string_view> files;  // a robot may belong to several worlds
  for (const BuiltinWorld* const world : worlds) {
    files.insert(world->files.begin(), world->files.end());
  }
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) fail_to_write(folder, "cannot create the folder: " + code.message());
  if (!fs::is_directory(folder, code)) fail_to_write(folder, "is no folder");
  // All or, as far as can be foreseen, nothing.
  for (const auto& [name, text] : files) {
    if (fs::exists(fs::symlink_status(folder / name, code))) refuse(folder / name);
  }
  std::vector<fs::path> written;
  for (const auto& [name, text] : files) {
    written.push_back(folder / name);
    write_new(written.back(), text);
  }
  return written;
}

int run_export(const WorldsArguments& options) {
  const auto written = export_files(chosen(options.name), *options.folder);
  Output out;
  if (options.talk.json) {
    out.write("{\"written\":[");
    const char* comma = "";
    for (const fs::path& path : written) {
      out.print("{}{}", comma, json_string(path.string()));
      comma = ",";
    }
    out.write("]}\n");
  } else {
    for (const fs::path& path : written) out.print("{}\n", printable(path.string()));
  }
  out.flush();
  return 0;
}

void print_json(Output& out, const std::vector<const BuiltinWorld*>& worlds) {
  out.write("{\"worlds\":[");
  const char* comma = "";
  for (const BuiltinWorld* const world : worlds) {
    out.print("{}{{\"name\":{},\"what\":{},\"tasks\":[", comma, json_string(world->name),
              json_string(world->what));
    comma = "";
    for (const BuiltinWorld::Task& task : world->tasks) {
      out.print("{}{{\"name\":{},\"what\":{}}}", comma, json_string(task.name),
                json_string(task.what));
      comma = ",";
    }
    out.write("],\"files\":[");
    comma = "";
    for (const auto& [file, text] : world->files) {
      out.print("{}{}", comma, json_string(file));
      comma = ",";
    }
    out.write("]}");
    comma = ",";
  }
  out.write("]}\n");
}

void print_text(Output& out, const std::vector<const BuiltinWorld*>& worlds) {
  std::size_t width = 0;
  for (const BuiltinWorld* const world : worlds) width = std::max(width, world->name.size());
  for (const BuiltinWorld* const world : worlds) {
    out.print("{:<{}}  {}\n", world->name, width, world->what);
    for (const BuiltinWorld::Task& task : world->tasks) {
      out.print("{:<{}}  {}: {}\n", "", width, task.name, task.what);
    }
  }
}

int run_worlds(const WorldsArguments& options) {
  if (options.folder) return run_export(options);
  const auto worlds = chosen(options.name);
  Output out;
  if (options.talk.json) {
    print_json(out, worlds);
  } else {
    print_text(out, worlds);
  }
  out.flush();
  return 0;
}

}  // namespace

void add_worlds(CLI::App& app, Run& run) {
  const auto options = std::make_shared<WorldsArguments>();
  CLI::App* const command = app.add_subcommand("worlds", "The built-in worlds and their tasks");
  command->add_option("NAME", options->name, "One of them alone")->option_text(" ");
  command
      ->add_option_function<std::string>(
          "--export", [options](const std::string& text) { options->folder = text; },
          "Write their files (URDF, scene, tasks) into DIR, which is made if\n"
          "it is not there; a file that is there already is never overwritten")
      ->option_text("DIR");
  add_talk_options(*command, options->talk);
  command->footer(
      "A name from this list stands wherever a command takes a WORLD. A task is a motion of the\n"
      "world: a CSV file with a time and a configuration a row.\n"
      "\n"
      "With --json: {\"worlds\": [{\"name\", \"what\", \"tasks\": [{\"name\", \"what\"}],\n"
      "\"files\"}]}; with --export {\"written\"}, the paths.\n"
      "\n"
      "Examples:\n"
      "  keepclear worlds --export bench two_arms\n"
      "  keepclear check two_arms --poses bench/two_arms_task2.csv");
  command->callback([options, &run] { run = [options] { return run_worlds(*options); }; });
}

}  // namespace keepclear::command
