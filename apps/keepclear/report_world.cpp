// SPDX-License-Identifier: BSD-3-Clause
#include "report_world.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "output.hpp"
#include "page_world.hpp"
#include "poses.hpp"
#include "robot/kinematics.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

TextSection summary(const World& world) {
  const WorldData& data = world.data();
  TextSection section{"World", {}, {}};
  auto& rows = section.rows;
  rows.emplace_back("Name", world.name().empty() ? "none" : printable(world.name()));
  rows.emplace_back("File", printable(world.file()));
  rows.emplace_back("SHA-256 of all that verdicts depend on", world.hash());
  for (const RobotNames& robot : data.robots) {
    std::string text = robot.name.empty() ? "without a name" : printable(robot.name);
    if (!robot.prefix.empty()) {
      text += ", here " + printable(robot.prefix.substr(0, robot.prefix.size() - 1));
    }
    rows.emplace_back("Robot",
                      fmt::format("{}, base at ({}, {}, {}) m", text, json_number(robot.base.x),
                                  json_number(robot.base.y), json_number(robot.base.z)));
  }
  std::size_t objects = 0, points = 0, modelled = 0;
  for (const SolidInfo& solid : world.solids()) objects += solid.is_object ? 1 : 0;
  for (const BodyInfo& body : world.bodies()) {
    points += body.points;
    modelled += body.modelled ? 1 : 0;
  }
  rows.emplace_back("Joints", counted(world.dof(), "number", "numbers") + " of a configuration");
  rows.emplace_back("Links", fmt::format("{}, {} of them without a body", world.links().size(),
                                         world.links_without_bodies().size()));
  rows.emplace_back("Bodies", fmt::format("{} of {}, {} of a model", world.bodies().size(),
                                          counted(points, "point"), modelled));
  rows.emplace_back("Objects", std::to_string(objects));
  rows.emplace_back("Checked pairs", std::to_string(world.pair_count()));
  rows.emplace_back("Margin of the scene", json_number(data.rules.margin) + " m");
  return section;
}

TextSection joints(const World& world) {
  TextSection section{"Joints", {}, {}};
  for (const Variable& variable : world.variables()) {
    const std::string unit = unit_of(variable);
    const auto end = [&](double value, const char* none) {
      return std::isfinite(value) ? json_number(value) : std::string(none);
    };
    std::string text = printable(variable.type);
    if (!std::isfinite(variable.lower) && !std::isfinite(variable.upper)) {
      text += unit.empty() ? ", part of a quaternion" : ", without limits, " + unit;
    } else {
      text += fmt::format(", {} to {} {}", end(variable.lower, "no limit"),
                          end(variable.upper, "no limit"), unit);
    }
    if (std::isfinite(variable.velocity)) {
      text += fmt::format(", at most {} {}/s", json_number(variable.velocity), unit);
    }
    section.rows.emplace_back(printable(variable.name), text);
  }
  return section;
}

/// What a body stands for: a file without its folder, or a kind of shape.
std::string stands_for(const BodyInfo& body) {
  std::string text = body.file.empty()
                         ? printable(body.shape)
                         : printable(std::filesystem::path(body.file).filename().string());
  if (!body.name.empty()) text += " " + printable(body.name);
  if (body.parts > 1) text += fmt::format(", part {} of {}", body.part + 1, body.parts);
  if (body.modelled) {
    text += body.elements.size() > 1
                ? fmt::format(" and {} more, by a model", body.elements.size() - 1)
                : std::string(", by a model");
  }
  return text;
}

TextSection bodies(const World& world) {
  TextSection section{"Bodies", {}, {}};
  for (const BodyInfo& body : world.bodies()) {
    section.rows.emplace_back(
        printable(body.link),
        fmt::format("{} with a radius of {} m, for {}; at most {} m beyond it",
                    counted(body.points, "point"), json_number(body.radius), stands_for(body),
                    metres_hi(body.excess)));
  }
  for (const std::string& link : world.links_without_bodies()) {
    section.rows.emplace_back(printable(link), "no body: never checked");
  }
  section.text.emplace_back(
      "A body is the hull of its points with a ball of its radius around each. The hull of a "
      "mesh counts as its shape.");
  return section;
}

TextSection objects(const World& world) {
  TextSection section{"Objects", {}, {}};
  for (const SolidInfo& solid : world.solids()) {
    if (!solid.is_object) continue;
    std::string text = printable(solid.shape);
    if (!solid.file.empty()) {
      text += " " + printable(std::filesystem::path(solid.file).filename().string());
    }
    text += ", " + counted(solid.pieces, "convex piece");
    text += solid.robot < 0 ? ", stands"
            : solid.moves   ? ", carried by a link that moves"
                            : ", carried";
    if (solid.excess > 0) text += fmt::format("; at most {} m beyond it", metres_hi(solid.excess));
    section.rows.emplace_back(printable(solid.name), text);
  }
  return section;
}

TextSection checked(const World& world) {
  TextSection section{"Checked pairs", {}, {}};
  section.rows.emplace_back("Number", std::to_string(world.pair_count()));
  std::map<double, std::size_t> margins;
  std::size_t overlaps = 0;
  for (const PairInfo& pair : world.pairs()) {
    ++margins[pair.margin];
    overlaps += pair.overlap_at_neutral ? 1 : 0;
  }
  for (const auto& [margin, count] : margins) {
    if (margin > 0) {
      section.rows.emplace_back(fmt::format("Margin of {} m", json_number(margin)),
                                counted(count, "pair"));
    }
  }
  section.rows.emplace_back("Overlap in the neutral pose", std::to_string(overlaps));
  for (const PairInfo& pair : world.pairs()) {
    if (!pair.overlap_at_neutral) continue;
    section.rows.emplace_back(pair_name(world, pair.a, pair.b),
                              "overlap in the neutral pose, and are checked all the same");
  }
  if (world.pairs().size() < world.pair_count()) {
    section.text.emplace_back(
        "Pairs of links and objects are too many to be looked at one by one "
        "here; they are checked all the same.");
  }
  return section;
}

/// Under the first solid of each pair, by reason: complete, and short.
TextSection left_out(const World& world) {
  TextSection section{"Pairs that are not checked", {}, {}};
  std::map<std::pair<std::string, std::string>, std::string> groups;
  for (const LeftOutPair& pair : world.left_out()) {
    std::string reason = to_string(pair.why);
    if (!pair.reason.empty()) reason += ", \"" + printable(pair.reason) + "\"";
    if (pair.why == LeftOutPair::Why::disabled && pair.reason == "Never") {
      reason += " (sampled by MoveIt, not proved)";
    }
    std::string& others = groups[{printable(pair.a), reason}];
    others += (others.empty() ? "" : ", ") + printable(pair.b);
  }
  section.rows.emplace_back("Number", std::to_string(world.left_out().size()));
  for (const auto& [key, others] : groups) {
    section.rows.emplace_back(key.first, key.second + ": " + others);
  }
  return section;
}

}  // namespace

std::vector<TextSection> world_sections(const World& world) {
  std::vector<TextSection> sections = {summary(world), joints(world), bodies(world)};
  TextSection things = objects(world);
  if (!things.rows.empty()) sections.push_back(std::move(things));
  sections.push_back(checked(world));
  sections.push_back(left_out(world));
  if (!world.notes().empty()) {
    TextSection notes{"Notes of the reader", {}, {}};
    for (const std::string& note : world.notes()) notes.text.push_back(printable(note));
    sections.push_back(std::move(notes));
  }
  return sections;
}

}  // namespace keepclear::command
