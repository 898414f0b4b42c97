// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear info: the whole inventory of a world. What was read, what is checked, what was left
// out and why: nothing is dropped in silence.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "keepclear/lint.hpp"
#include "keepclear/version.hpp"
#include "keepclear/world.hpp"
#include "lint_json.hpp"
#include "options.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments {
  TalkOptions talk;
  WorldOptions world;
  bool no_lint = false;
};

/// Rows of a table of objects, and items of any other list, that are printed; --json has them all.
constexpr std::size_t kMaxObjects = 100;
constexpr std::size_t kMaxItems = 1000;

void print_more(Output& out, std::size_t count, std::size_t shown, std::size_t indent) {
  if (count > shown) out.print("{:{}}and {} more; --json lists them\n", "", indent, count - shown);
}

std::size_t collision_elements(const World& world) {
  std::set<std::pair<std::string_view, int>> elements;
  for (const BodyInfo& body : world.bodies()) {
    elements.emplace(body.link, body.element);
    for (const int element : body.elements) elements.emplace(body.link, element);
  }
  return elements.size();
}

/// Of all bodies together.
struct Totals {
  std::size_t bodies = 0, points = 0, modelled = 0;
  double volume = 0, hull_volume = 0;
};

Totals totals_of(const World& world) {
  Totals totals;
  for (const BodyInfo& body : world.bodies()) {
    ++totals.bodies;
    totals.points += body.points;
    totals.modelled += body.modelled ? 1 : 0;
    totals.volume += body.volume;
    totals.hull_volume += body.hull_volume;
  }
  return totals;
}

const std::string& name_of(const World& world, int solid) {
  return world.solids()[static_cast<std::size_t>(solid)].name;
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
          {"excess", body.excess},
          {"volume", body.volume},
          {"hull_volume", body.hull_volume},
          {"modelled", body.modelled},
          {"elements", body.elements}};
}

Json json_of(const Totals& totals) {
  return {{"bodies", totals.bodies},
          {"points", totals.points},
          {"modelled", totals.modelled},
          {"volume", totals.volume},
          {"hull_volume", totals.hull_volume}};
}

Json json_of(const LeftOutPair& pair) {
  Json entry = {{"pair", {pair.a, pair.b}}, {"why", to_string(pair.why)}};
  if (!pair.reason.empty()) entry["reason"] = pair.reason;
  if (is_sampled(pair)) entry["note"] = "sampled by MoveIt, not proved";
  return entry;
}

Json json_of(const SolidInfo& solid) {
  return {{"name", solid.name},     {"object", solid.is_object}, {"robot", solid.robot},
          {"moves", solid.moves},   {"shape", solid.shape},      {"file", solid.file},
          {"pieces", solid.pieces}, {"excess", solid.excess}};
}

/// A robot of the world. Its name is empty when its links go by their plain names.
struct RobotInfo {
  std::string name;
  std::size_t links = 0, variables = 0;
};

Json json_of(const RobotInfo& robot) {
  return {{"name", robot.name}, {"links", robot.links}, {"variables", robot.variables}};
}

/// The name of a robot stands before the first slash of all its links; but a slash may also be part
/// of a plain name, and then one robot has several such beginnings.
std::vector<RobotInfo> robots_of(const World& world) {
  const auto before_slash = [](const std::string& name) {
    return name.substr(0, std::min(name.find('/'), name.size()));
  };
  std::vector<RobotInfo> robots;
  bool named = true;
  for (const std::string& link : world.links()) {
    named = named && link.find('/') != std::string::npos;
    const std::string name = before_slash(link);
    if (robots.empty() || robots.back().name != name) robots.push_back({name});
    ++robots.back().links;
  }
  std::map<int, std::string> seen;
  for (const SolidInfo& solid : world.solids()) {
    if (solid.is_object) continue;
    const auto [entry, is_new] = seen.emplace(solid.robot, before_slash(solid.name));
    named = named && (is_new || entry->second == before_slash(solid.name));
  }
  if (!named && !robots.empty()) robots = {{"", world.links().size(), world.dof()}};
  if (!named) return robots;
  for (const Variable& variable : world.variables()) {
    const auto found = std::ranges::find(robots, before_slash(variable.name), &RobotInfo::name);
    if (found != robots.end()) ++found->variables;
  }
  return robots;
}

/// One member of the document a line, lists one entry a line: a list may have a million, and none
/// of them is kept.
class JsonWriter {
 public:
  explicit JsonWriter(Output& out) : out_(out) { out_.write("{"); }
  void member(const char* key, const Json& value) {
    begin(key);
    out_.write(text(value));
  }
  template <typename List, typename Entry>
  void list(const char* key, const List& values, const Entry& entry) {
    begin(key);
    const char* separator = "[";
    for (const auto& value : values) {
      out_.print("{}\n    {}", separator, text(entry(value)));
      separator = ",";
    }
    out_.write(std::ranges::empty(values) ? "[]" : "\n  ]");
  }
  void finish() { out_.write("\n}\n"); }

 private:
  static std::string text(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void begin(const char* key) {
    out_.print("{}\n  \"{}\": ", first_ ? "" : ",", key);
    first_ = false;
  }

  Output& out_;
  bool first_ = true;
};

void print_json(Output& out, const World& world, const std::optional<Lint>& lint) {
  const auto as_json = [](const auto& value) { return json_of(value); };
  JsonWriter document(out);
  document.member("name", world.name());
  document.member("file", world.file());
  document.member("hash", world.hash());
  document.member("keepclear", kVersion);
  document.list("robots", robots_of(world), as_json);
  std::size_t index = 0;
  document.list("joints", world.variables(),
                [&](const Variable& variable) { return json_of(variable, index++); });
  document.member("neutral", world.neutral());
  document.member("links", world.links());
  document.member("links_without_bodies", world.links_without_bodies());
  document.member("collision_elements", collision_elements(world));
  std::size_t body_index = 0;
  document.list("bodies", world.bodies(), [&](const BodyInfo& body) {
    Json entry = json_of(body);
    if (lint) entry["surface_distance"] = finite_or_null(lint->surface_distance[body_index++]);
    return entry;
  });
  document.member("totals", json_of(totals_of(world)));
  document.list("solids", world.solids(), as_json);
  document.member("pair_count", world.pair_count());
  document.list("pairs", world.pairs(), [&](const PairInfo& pair) {
    return Json{{"pair", {name_of(world, pair.a), name_of(world, pair.b)}},
                {"overlap_at_neutral", pair.overlap_at_neutral},
                {"margin", pair.margin}};
  });
  document.list("left_out", world.left_out(), as_json);
  document.member("notes", world.notes());
  if (lint) document.member("lint", lint_json(*lint));
  document.finish();
}

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

void print_robots(Output& out, const World& world) {
  const std::vector<RobotInfo> robots = robots_of(world);
  if (robots.empty() || robots.front().name.empty()) return;
  out.print("\nRobots: {}\n", robots.size());
  Columns columns("<<");
  for (const RobotInfo& robot : robots) {
    columns.add({printable(robot.name), counted(robot.links, "link") + ", " +
                                            counted(robot.variables, "number", "numbers")});
  }
  columns.print(out);
}

void print_objects(Output& out, const World& world) {
  std::size_t count = 0, shown = 0;
  Columns columns("<<><><");
  columns.add({"name", "shape", "pieces", "", "excess m", "from"});
  for (const SolidInfo& solid : world.solids()) {
    if (!solid.is_object || ++count > kMaxObjects) continue;
    ++shown;
    const bool carried = solid.robot >= 0;
    columns.add({printable(solid.name), printable(solid.shape), std::to_string(solid.pieces),
                 !carried      ? "stands"
                 : solid.moves ? "carried, moves"
                               : "carried",
                 fmt::format("{:.2g}", solid.excess), printable(solid.file)});
  }
  if (count == 0) return;
  out.print("\nObjects: {}\n", count);
  columns.print(out);
  print_more(out, count, shown, 2);
}

/// Of a volume and that of the hull it stands for; nothing where there is no hull to speak of.
std::string ratio(double volume, double hull_volume) {
  return hull_volume > 0 ? fmt::format("{:.3f}", volume / hull_volume) : "";
}

std::string origin_of(const BodyInfo& body) {
  std::string from = body.line > 0 ? fmt::format("line {}", body.line) : "";
  if (!body.name.empty()) from += " " + printable(body.name);
  if (!body.file.empty()) from += " " + printable(body.file);
  if (body.parts > 1) from += fmt::format(" (part {} of {})", body.part + 1, body.parts);
  if (body.modelled) {
    from += body.elements.size() > 1
                ? fmt::format(" (model, for {} elements)", body.elements.size())
                : std::string(" (model)");
  }
  return from;
}

void print_bodies(Output& out, const World& world, const std::optional<Lint>& lint) {
  const Totals totals = totals_of(world);
  out.print("\nBodies: {}, from {}{}; {} in all\n", totals.bodies,
            counted(collision_elements(world), "collision element"),
            totals.modelled > 0 ? fmt::format(", {} of a model", totals.modelled) : "",
            counted(totals.points, "point"));
  Columns columns("<<>>>>>>><");
  columns.add({"link", "shape", "vertices", "points", "radius m", "excess m",
               lint ? "surface m" : "", "volume l", "volume/hull", "from"});
  const std::size_t shown = std::min(world.bodies().size(), kMaxItems);
  for (std::size_t i = 0; i < shown; ++i) {
    const BodyInfo& body = world.bodies()[i];
    columns.add({printable(body.link), printable(body.shape),
                 body.shape == "mesh" ? std::to_string(body.source_vertices) : "",
                 std::to_string(body.points), fmt::format("{:.6g}", body.radius),
                 fmt::format("{:.2g}", body.excess),
                 lint ? fmt::format("{:.2g}", lint->surface_distance[i]) : "",
                 fmt::format("{:.3g}", 1e3 * body.volume), ratio(body.volume, body.hull_volume),
                 origin_of(body)});
  }
  if (totals.bodies > 1) {
    columns.add({"all", "", "", std::to_string(totals.points), "", "", "",
                 fmt::format("{:.3g}", 1e3 * totals.volume),
                 ratio(totals.volume, totals.hull_volume), ""});
  }
  if (shown > 0) columns.print(out);
  print_more(out, world.bodies().size(), shown, 2);
  out.print(
      "  Radius: around the hull of the points. Excess: how far a body may reach beyond its\n"
      "  shape; of a mesh the shape is its hull{}.{} Volume: in litres, and over that of the\n"
      "  shape.\n",
      std::ranges::any_of(world.bodies(), [](const BodyInfo& b) { return b.parts > 1; })
          ? ", or that of its part"
          : "",
      lint ? " Surface: how far a point of\n  the body's surface is at most from the geometry of "
             "its link, about."
           : "");

  std::vector<std::string> without;
  const std::size_t count = world.links_without_bodies().size();
  for (const std::string& link : world.links_without_bodies().first(std::min(count, kMaxItems))) {
    without.push_back(printable(link));
  }
  out.print("\nLinks: {}; without a body, hence never checked: {}\n", world.links().size(),
            count == 0 ? "none" : std::to_string(count));
  out.write(paragraph(without, 2));
  print_more(out, count, without.size(), 2);
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

/// Pairs that are asked to stay apart by more than nothing, by how much.
void print_margins(Output& out, const World& world) {
  constexpr std::size_t kMaxMargins = 20;
  std::map<double, std::size_t, std::greater<>> counts;
  for (const PairInfo& pair : world.pairs()) ++counts[pair.margin];
  if (counts.empty() || counts.begin()->first == 0) return;
  out.print("\nMargins: how far apart check asks pairs to be\n");
  std::size_t shown = 0;
  for (const auto& [margin, count] : counts) {
    if (++shown > kMaxMargins) break;
    out.print("  {} m: {}\n", margin, counted(count, "pair"));
  }
  print_more(out, counts.size(), std::min(counts.size(), kMaxMargins), 2);
}

/// Checked pairs under their first solid. Of many objects that stand still, a link is checked
/// against nearly all, and the list of pairs left out names the others: the number says it all.
void print_checked(Output& out, const World& world) {
  constexpr std::size_t kMaxNamed = 8;
  const auto stands = [&](int i) {
    const SolidInfo& solid = world.solids()[static_cast<std::size_t>(i)];
    return solid.is_object && solid.robot < 0;
  };
  std::size_t standing = 0;
  for (int i = static_cast<int>(world.solids().size()) - 1; i >= 0 && stands(i); --i) ++standing;
  Groups groups;
  std::map<int, std::size_t> unnamed;
  std::size_t count = 0;
  for (const PairInfo& pair : world.pairs()) {
    if (standing > kMaxNamed && stands(pair.b)) {
      ++unnamed[pair.a];
    } else if (++count <= kMaxItems) {
      groups[printable(name_of(world, pair.a))].push_back(printable(name_of(world, pair.b)));
    }
  }
  for (const auto& [solid, objects] : unnamed) {
    const std::string name = printable(name_of(world, solid));
    if (groups.size() > kMaxItems && !groups.contains(name)) break;
    groups[name].push_back(fmt::format("{} of the {} objects that stand", objects, standing));
  }
  print_grouped(out, groups, 2);
  print_more(out, count, std::min(count, kMaxItems), 2);
  if (world.pairs().size() != world.pair_count()) {
    out.print("  and {} of these with objects that stand\n",
              counted(world.pair_count() - world.pairs().size(), "pair"));
  }
}

void print_pairs(Output& out, const World& world) {
  const auto pairs = world.pairs();
  out.print("\nChecked pairs: {}\n", world.pair_count());
  print_checked(out, world);
  print_margins(out, world);

  std::vector<std::string> overlapping;
  std::size_t count = 0;
  for (const PairInfo& pair : pairs) {
    if (!pair.overlap_at_neutral || ++count > kMaxItems) continue;
    overlapping.push_back(printable(name_of(world, pair.a)) + " - " +
                          printable(name_of(world, pair.b)));
  }
  if (count == 0) return;
  out.print("\nOverlapping in the neutral pose: {}\n{}", count, paragraph(overlapping, 2));
  print_more(out, count, overlapping.size(), 2);
  out.write(
      "  These are checked all the same, so that poses like the neutral one are in contact. If\n"
      "  the real links cannot touch there, the hulls are too coarse: try --parts 4. If they\n"
      "  always touch, name the pair in an SRDF (disable_collisions) and give it with --srdf,\n"
      "  or in the list \"allow\" of the scene.\n");
}

/// What keepclear pairs writes has a clearance of its own for every pair: they are one reason.
std::string short_reason(const std::string& reason) {
  const std::size_t comma = reason.find(',', std::min(reason.find(" ("), reason.size()));
  return comma == std::string::npos ? reason : reason.substr(0, comma) + ", ...)";
}

void print_left_out(Output& out, const World& world) {
  out.print("\nPairs left out: {}\n", world.left_out().size());
  std::map<std::string, Groups> reasons;
  std::map<std::string, std::size_t> counts;
  for (const LeftOutPair& pair : world.left_out()) {
    std::string reason = to_string(pair.why);
    if (!pair.reason.empty()) reason += ", \"" + printable(short_reason(pair.reason)) + "\"";
    if (is_sampled(pair)) reason += " (sampled by MoveIt, not proved)";
    if (++counts[reason] > kMaxItems) continue;
    reasons[reason][printable(pair.a)].push_back(printable(pair.b));
  }
  for (const auto& [reason, groups] : reasons) {
    out.print("  {}: {}\n", reason, counts[reason]);
    print_grouped(out, groups, 4);
    print_more(out, counts[reason], std::min(counts[reason], kMaxItems), 4);
  }
}

void print_notes(Output& out, const World& world) {
  if (world.notes().empty()) return;
  const std::size_t shown = std::min(world.notes().size(), kMaxItems);
  out.print("\nNotes: {}\n", world.notes().size());
  for (const std::string& note : world.notes().first(shown)) out.print("  {}\n", printable(note));
  print_more(out, world.notes().size(), shown, 2);
}

void print_lint(Output& out, const Lint& lint) {
  if (lint.findings.empty()) {
    out.print("\nModel: what to look at: nothing was found\n");
    return;
  }
  const std::size_t shown = std::min(lint.findings.size(), kMaxItems);
  out.print("\nModel: what to look at: {}\n", lint.findings.size());
  for (std::size_t i = 0; i < shown; ++i) out.print("  {}\n", printable(lint.findings[i]));
  print_more(out, lint.findings.size(), shown, 2);
}

Lint lint_world(const WorldOptions& options) {
  const LoadOptions load = load_options(options);
  return is_builtin(options.world) ? lint_builtin(options.world, load) : lint(options.world, load);
}

int run_info(const InfoArguments& options) {
  const World world = load_world(options.world);
  std::optional<Lint> lint;
  if (!options.no_lint) lint = lint_world(options.world);
  Output out;
  if (options.talk.json) {
    print_json(out, world, lint);
  } else {
    out.print("{}\n  from {}\n  hash {}\n",
              world.name().empty() ? "without a name" : printable(world.name()),
              printable(world.file()), world.hash());
    print_robots(out, world);
    print_joints(out, world);
    print_bodies(out, world, lint);
    print_objects(out, world);
    print_pairs(out, world);
    print_left_out(out, world);
    print_notes(out, world);
    if (lint) print_lint(out, *lint);
  }
  out.flush();
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  const auto options = std::make_shared<InfoArguments>();
  CLI::App* const command =
      app.add_subcommand("info", "Joints, bodies, checked pairs; what was left out and why");
  add_world_options(*command, options->world);
  command->add_flag("--no-lint", options->no_lint,
                    "Leave out the look at visual geometry and large hulls");
  add_talk_options(*command, options->talk);
  command->footer(
      "Joints are listed in the order used everywhere: movable, not mimic, depth first as in the\n"
      "URDF, robot by robot. The hash covers everything that a verdict depends on.\n"
      "\n"
      "With --json one document: {\"name\", \"file\", \"hash\", \"robots\", \"joints\", "
      "\"neutral\",\n"
      "\"links\", \"links_without_bodies\", \"collision_elements\", \"bodies\", \"totals\",\n"
      "\"solids\", \"pair_count\", \"pairs\", \"left_out\", \"notes\", \"lint\"}. Solids are what "
      "can be\n"
      "hit: links with bodies and objects. Beyond a million pairs, only those of links are "
      "listed.\n"
      "\n"
      "The lint compares what is seen with what is checked: visual geometry that sticks out of "
      "the\n"
      "bodies or has none, and meshes whose hull is much larger than a few hulls would be.\n"
      "\n"
      "Example: keepclear info robot.urdf --srdf robot.srdf");
  command->callback([options, &run] { run = [options] { return run_info(*options); }; });
}

}  // namespace keepclear::command
