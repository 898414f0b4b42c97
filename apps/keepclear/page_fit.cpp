// SPDX-License-Identifier: BSD-3-Clause
#include "page_fit.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <vector>

#include "keepclear/error.hpp"
#include "page_pose.hpp"
#include "page_results.hpp"
#include "page_world.hpp"
#include "report_text.hpp"
#include "report_world.hpp"
#include "scene/link_shapes.hpp"

namespace keepclear::command {

namespace {

/// How far from its shapes the surface of each body of the world gets; not a number where that is
/// not known. Bodies of a link come in the order of the model, the links in that of the world.
std::vector<double> surface_distances(const World& world, const Fit& fit) {
  std::map<std::string, std::vector<double>> of_link;
  for (const FittedBody& fitted : fit.bodies) {
    of_link[fitted.body.link].push_back(fitted.surface_distance);
  }
  std::map<std::string, std::size_t> used;
  std::vector<double> distances;
  for (const BodyInfo& body : world.bodies()) {
    const std::vector<double>& known = of_link[body.link];
    const std::size_t k = body.modelled ? used[body.link]++ : known.size();
    distances.push_back(k < known.size() ? known[k] : std::numeric_limits<double>::quiet_NaN());
  }
  return distances;
}

}  // namespace

std::string origin_of(const FittedBody& fitted, const WorldSource& source, Around around) {
  constexpr std::size_t kMaxNamed = 3;
  const RobotModel& robot = source.model.robot;
  const int link = robot.find_link(fitted.body.link);
  if (link < 0) return "";
  const auto elements = elements_of(robot.links[static_cast<std::size_t>(link)], around);
  std::string text;
  std::size_t named = 0;
  for (const int element : fitted.elements) {
    if (element < 0 || static_cast<std::size_t>(element) >= elements.size()) continue;
    if (++named > kMaxNamed) break;
    const Geometry& g = elements[static_cast<std::size_t>(element)]->geometry;
    text += (text.empty() ? "" : " + ") +
            (g.file.empty() ? std::string(to_string(g.kind)) : g.file.filename().string());
  }
  if (named > kMaxNamed) text += fmt::format(" + {} more", fitted.elements.size() - kMaxNamed);
  return text;
}

PageDocument fit_page_document(const World& world, const WorldSource& source, const Fit& fit) {
  PageDocument document;
  document.title = "Bodies of " + (fit.model.world.empty() ? world.name() : fit.model.world);
  document.world = world_document(world, drawn_world(world, source, fit.model.around));
  document.fit = fit_document(world, fit.model.world, surface_distances(world, fit));
  Poser poser(world);
  PosedWorld posed;
  for (const NamedState& state : named_states(world, source, "")) {
    if (!poser.pose(state.q, posed)) continue;
    document.states.push_back(json_of(state));
    document.poses.push_back(json_of(world, posed));
  }
  if (document.states.empty()) {
    throw Error(Error::Kind::malformed, world.file(), 0, "the robot has no neutral pose to show");
  }
  document.sections = world_sections(world);
  TextSection notes{"Notes of the fit", {}, fit.notes};
  if (!notes.text.empty()) document.sections.insert(document.sections.begin(), notes);
  document.sections.push_back(versions_section());
  return document;
}

}  // namespace keepclear::command
