// SPDX-License-Identifier: BSD-3-Clause
#include "demo_page.hpp"

#include <filesystem>

#include "files.hpp"
#include "page_build.hpp"
#include "report_text.hpp"
#include "view.hpp"

namespace keepclear::command {

namespace {

constexpr const char* kWorld = "two_arms";

WorldOptions tour_world(int threads) {
  WorldOptions world;
  world.world = kWorld;
  world.threads = threads;
  return world;
}

ShowOptions tour_motions() {
  ShowOptions show;
  show.motions.paths = {"task1", "task2", "task3"};
  return show;
}

}  // namespace

void require_report(const std::string& file) {
  if (file.empty()) return;
  require_page();
  require_writable(file, {});
}

void write_tour_report(const std::string& file, int threads) {
  const WorldOptions world = tour_world(threads);
  const ShowOptions show = tour_motions();
  const TalkOptions quiet{.quiet = true};
  const ShownWorld shown = read_shown(world, show, quiet);
  Shown found = build_shown(shown, world, show, quiet, false);
  found.document.sections.push_back(versions_section());
  found.document.sections.push_back(repeat_section(
      {"report", kWorld, "--path", "task1", "--path", "task2", "--path", "task3", "-o", file}, ""));
  replace_file(file, standalone_page(found.document));
}

void print_report(Output& out, const std::string& file) {
  out.write("\n13. See it\n");
  if (file.empty()) {
    out.print(
        "  keepclear report {0} --path task1 -o report.html   one file, to look at and to file\n"
        "  keepclear view {0} --path task1                    live: move the joints yourself\n",
        kWorld);
    return;
  }
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(file, ignored);
  out.print("  The three tasks of the arms as a report, to open in a browser:\n    {}\n",
            printable(ignored ? file : whole.string()));
}

int serve_tour(int threads) {
  ViewOptions view;
  view.world = tour_world(threads);
  view.show = tour_motions();
  return run_view(view);
}

}  // namespace keepclear::command
