// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked of motions, from the words of a command line.
#include <algorithm>

#include "certify.hpp"
#include "csv.hpp"
#include "keepclear/error.hpp"

namespace keepclear::command {

namespace {

Ask ask_called(const std::string& name) {
  if (name == "verdict") return Ask::verdict;
  if (name == "first") return Ask::first_contact;
  if (name == "all") return Ask::all_intervals;
  if (name == "clearance") return Ask::clearance;
  usage("--ask: there is no '" + name + "'", "there are verdict, first, all and clearance");
}

}  // namespace

double not_negative(const std::string& option, const std::string& text, const char* hint) {
  double value = 0;
  std::string fault = parse_number(text, value);
  if (fault.empty() && value < 0) fault = "'" + text + "' is negative";
  if (!fault.empty()) usage(option + ": " + fault, hint);
  return value;
}

Method method_called(const std::string& name) {
  if (name == "auto") return Method::automatic;
  if (name == "chord") return Method::chord;
  if (name == "sweep") return Method::sweep;
  if (name == "velocity") return Method::velocity;
  if (name == "ball") return Method::ball;
  usage("--method: there is no '" + name + "'", "there are auto, chord, sweep, velocity and ball");
}

CertifyOptions certify_options(const CertifyWords& options) {
  CertifyOptions query;
  query.method = method_called(options.method);
  query.ask = ask_called(options.ask);
  query.margin = not_negative("--margin", options.margin, kMetres);
  query.deviation = not_negative("--deviation", options.deviation, kMetres);
  if (!options.tolerance.empty()) {
    query.tolerance = not_negative("--tolerance", options.tolerance, kMetres);
    if (query.tolerance == 0) usage("--tolerance: it must be positive", kMetres);
  }
  if (!options.accuracy.empty()) {
    constexpr const char* kHint = "metres, or metres and a share below 1, for example 0.001,0.05";
    const std::size_t comma = options.accuracy.find(',');
    query.accuracy = not_negative("--accuracy", options.accuracy.substr(0, comma), kHint);
    query.relative_accuracy =
        comma == std::string::npos
            ? 0
            : not_negative("--accuracy", options.accuracy.substr(comma + 1), kHint);
    if (query.relative_accuracy >= 1) usage("--accuracy: the share must be below 1", kHint);
    if (query.accuracy == 0) usage("--accuracy: the length must be positive", kHint);
  }
  if (options.budget) query.budget = *options.budget;
  return query;
}

std::vector<BaseUncertainty> base_of(const World& world, const std::vector<std::string>& texts) {
  std::vector<BaseUncertainty> bases;
  for (const std::string& text : texts) {
    const std::string option = "--base " + text;
    constexpr const char* kHint = "write METRES,RADIANS or ROBOT=METRES,RADIANS";
    const std::size_t equals = text.rfind('=');
    const bool named = equals != std::string::npos;
    const std::string values = named ? text.substr(equals + 1) : text;
    const std::size_t comma = values.find(',');
    if (comma == std::string::npos) usage(option + ": is not METRES,RADIANS", kHint);
    BaseUncertainty base;
    base.position = not_negative(option, values.substr(0, comma), kHint);
    base.rotation = not_negative(option, values.substr(comma + 1), kHint);
    if (named) base.robot = robot_called(world, text.substr(0, equals), "--base");
    if (std::ranges::find(bases, base.robot, &BaseUncertainty::robot) != bases.end()) {
      usage(option + ": this is given twice");
    }
    bases.push_back(base);
  }
  const bool all = std::ranges::find(bases, -1, &BaseUncertainty::robot) != bases.end();
  if (all && bases.size() > 1) {
    usage("--base: one is for all robots, another for one", "name the robot of each, or of none");
  }
  return bases;
}

}  // namespace keepclear::command
