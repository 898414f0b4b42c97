// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear info: the whole inventory of a world. What was read, what is checked, what was left
// out and why: nothing is dropped in silence.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "keepclear/version.hpp"
#include "keepclear/world.hpp"
#include "options.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  TalkOptions talk;
  WorldOptions world;
};

std::size_t collision_elements(const World& world) {
  std::set<std::pair<std::string_view, int>> elements;
  for (const BodyInfo& body : world.bodies()) elements.emplace(body.link, body.element);
  return elements.size();
}

/// "Never" in an SRDF comes from MoveIt's sampling of random poses. It is honoured, and named.
bool is_sampled(const LeftOutPair& pair) {
  return pair.why == LeftOutPair::Why::disabled && pair.reason == "Never";
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_of(const Variable& variable, std::size_t index) {
  return {{"index", index},
          {"name", variable.name},
          {"joint", variable.joint},
          {"type", variable.type},
          {"lower", finite_or_null(variable.lower)},
          {"upper", finite_or_null(variable.upper)}};
}

Json json_of(const BodyInfo& body) {
  return {{"link", body.link},
          {"shape", body.shape},
          {"name", body.name},
          {"file", body.file},
          {"line", body.line},
          {"element", body.element},
          {"part", body.part},
          {"parts", body.parts},
          {"source_vertices", body.source_vertices},
          {"source_triangles", body.source_triangles},
          {"points", body.points},
          {"radius", body.radius},
          {"excess", body.excess}};
}

Json json_of(const LeftOutPair& pair) {
  Json entry = {{"pair", {pair.a, pair.b}}, {"why", to_string(pair.why)}};
  if (!pair.reason.empty()) entry["reason"] = pair.reason;
  if (is_sampled(pair)) entry["note"] = "sampled by MoveIt, not proved";
  return entry;
}

Json inventory(const World& world) {
  Json document = {{"name", world.name()},
                   {"file", world.file()},
                   {"hash", world.hash()},
                   {"keepclear", kVersion},
                   {"joints", Json::array()},
                   {"neutral", world.neutral()},
                   {"links", world.links()},
                   {"links_without_bodies", world.links_without_bodies()},
                   {"collision_elements", collision_elements(world)},
                   {"bodies", Json::array()},
                   {"pairs", Json::array()},
                   {"left_out", Json::array()},
                   {"notes", world.notes()}};
  std::size_t index = 0;
  for (const Variable& variable : world.variables()) {
    document["joints"].push_back(json_of(variable, index++));
  }
  for (const BodyInfo& body : world.bodies()) document["bodies"].push_back(json_of(body));
  for (const PairInfo& pair : world.pairs()) {
    document["pairs"].push_back(
        {{"pair", {pair.a, pair.b}}, {"overlap_at_neutral", pair.overlap_at_neutral}});
  }
  for (const LeftOutPair& pair : world.left_out()) document["left_out"].push_back(json_of(pair));
  return document;
}

/// Columns as wide as their widest entry. Numbers stand on the right.
class Columns {
 public:
  explicit Columns(std::string alignment) : alignment_(std::move(alignment)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print(Output& out) const {
    std::vector<std::size_t> widths(alignment_.size(), 0);
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string padding(widths[i] - row[i].size(), ' ');
        line += "  " + (alignment_[i] == '>' ? padding + row[i] : row[i] + padding);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out.print("{}\n", line);
    }
  }

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

void print_joints(Output& out, const World& world) {
  out.print("\nJoints: {}, in this order in every pose\n",
            counted(world.dof(), "number", "numbers"));
  Columns columns("><<>><");
  columns.add({"#", "name", "type", "lower", "upper", ""});
  const auto limit = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.4f}", value) : std::string("none");
  };
  std::size_t index = 0;
  for (const Variable& variable : world.variables()) {
    const bool angle = variable.type == "revolute" || variable.type == "continuous" ||
                       variable.name.ends_with("/theta");
    const bool quaternion = variable.name.find("/rot_") != std::string::npos;
    columns.add({std::to_string(index++), printable(variable.name), printable(variable.type),
                 limit(variable.lower), limit(variable.upper),
                 quaternion ? "quaternion"
                 : angle    ? "rad"
                            : "m"});
  }
  if (index > 0) columns.print(out);
}

void print_bodies(Output& out, const World& world) {
  out.print("\nBodies: {}, from {}\n", world.bodies().size(),
            counted(collision_elements(world), "collision element"));
  Columns columns("<<>>>><");
  columns.add({"link", "shape", "vertices", "points", "radius m", "excess m", "from"});
  for (const BodyInfo& body : world.bodies()) {
    std::string from = body.line > 0 ? fmt::format("line {}", body.line) : "";
    if (!body.name.empty()) from += " " + printable(body.name);
    if (!body.file.empty()) from += " " + printable(body.file);
    if (body.parts > 1) from += fmt::format(" (part {} of {})", body.part + 1, body.parts);
    columns.add({printable(body.link), printable(body.shape),
                 body.shape == "mesh" ? std::to_string(body.source_vertices) : "",
                 std::to_string(body.points), fmt::format("{:.6g}", body.radius),
                 fmt::format("{:.2g}", body.excess), from});
  }
  if (!world.bodies().empty()) columns.print(out);
  out.print(
      "  Radius: around the hull of the points. Excess: how far a body may reach beyond its\n"
      "  shape; of a mesh the shape is its hull{}.\n",
      std::ranges::any_of(world.bodies(), [](const BodyInfo& b) { return b.parts > 1; })
          ? ", or that of its part"
          : "");

  std::vector<std::string> without;
  for (const std::string& link : world.links_without_bodies()) without.push_back(printable(link));
  out.print("\nLinks: {}; without a body, hence never checked: {}\n", world.links().size(),
            without.empty() ? "none" : std::to_string(without.size()));
  out.write(paragraph(without, 2));
}

using Groups = std::map<std::string, std::vector<std::string>>;

/// Pairs under their first link: short, and nothing is omitted.
void print_grouped(Output& out, const Groups& groups, std::size_t indent) {
  for (const auto& [first, others] : groups) {
    std::vector<std::string> items = others;
    items.front() = first + " with " + items.front();
    out.write(paragraph(items, indent));
  }
}

void print_pairs(Output& out, const World& world) {
  out.print("\nChecked pairs: {}\n", world.pairs().size());
  Groups groups;
  std::vector<std::string> overlapping;
  for (const PairInfo& pair : world.pairs()) {
    groups[printable(pair.a)].push_back(printable(pair.b));
    if (pair.overlap_at_neutral) {
      overlapping.push_back(printable(pair.a) + " - " + printable(pair.b));
    }
  }
  print_grouped(out, groups, 2);

  if (!overlapping.empty()) {
    out.print(
        "\nOverlapping in the neutral pose: {}\n{}"
        "  These are checked all the same, so that poses like the neutral one are in contact. If\n"
        "  the real links cannot touch there, the hulls are too coarse: try --parts 4. If they\n"
        "  always touch, name the pair in an SRDF (disable_collisions) and give it with --srdf.\n",
        overlapping.size(), paragraph(overlapping, 2));
  }
}

void print_left_out(Output& out, const World& world) {
  out.print("\nPairs left out: {}\n", world.left_out().size());
  std::map<std::string, Groups> reasons;
  std::map<std::string, std::size_t> counts;
  for (const LeftOutPair& pair : world.left_out()) {
    std::string reason = to_string(pair.why);
    if (!pair.reason.empty()) reason += ", \"" + printable(pair.reason) + "\"";
    if (is_sampled(pair)) reason += " (sampled by MoveIt, not proved)";
    reasons[reason][printable(pair.a)].push_back(printable(pair.b));
    ++counts[reason];
  }
  for (const auto& [reason, groups] : reasons) {
    out.print("  {}: {}\n", reason, counts[reason]);
    print_grouped(out, groups, 4);
  }
}

int run_info(const Options& options) {
  const World world = load_world(options.world);
  Output out;
  if (options.talk.json) {
    out.write(inventory(world).dump(2, ' ', false, Json::error_handler_t::replace));
    out.write("\n");
    out.flush();
    return 0;
  }
  out.print("{}\n  from {}\n  hash {}\n", printable(world.name()), printable(world.file()),
            world.hash());
  print_joints(out, world);
  print_bodies(out, world);
  print_pairs(out, world);
  print_left_out(out, world);
  if (!world.notes().empty()) {
    out.print("\nNotes: {}\n", world.notes().size());
    for (const std::string& note : world.notes()) out.print("  {}\n", printable(note));
  }
  out.flush();
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("info", "Joints, bodies, checked pairs; what was left out and why");
  add_world_options(*command, options->world);
  add_talk_options(*command, options->talk);
  command->footer(
      "Joints are listed in the order used everywhere: movable, not mimic, depth first as in the\n"
      "URDF. The hash covers everything that a verdict depends on.\n"
      "\n"
      "With --json one document: {\"name\", \"file\", \"hash\", \"joints\", \"neutral\", "
      "\"links\",\n"
      "\"links_without_bodies\", \"collision_elements\", \"bodies\", \"pairs\", \"left_out\",\n"
      "\"notes\"}.\n"
      "\n"
      "Example: keepclear info robot.urdf --srdf robot.srdf");
  command->callback([options, &run] { run = [options] { return run_info(*options); }; });
}

}  // namespace keepclear::command
