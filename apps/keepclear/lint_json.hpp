// SPDX-License-Identifier: BSD-3-Clause
//
// What a lint found, as `info` and `fit` both write it.
#pragma once

#include <nlohmann/json.hpp>

#include "keepclear/lint.hpp"

namespace keepclear::command {

inline nlohmann::ordered_json lint_json(const LinkLint& link) {
  const Vec3 at = link.sticks_out_at;
  return {{"link", link.link},
          {"has_collision", link.has_collision},
          {"has_visual", link.has_visual},
          {"visual_sticks_out", link.visual_sticks_out},
          {"sticks_out_at", {at.x, at.y, at.z}},
          {"visual_file", link.visual_file},
          {"hull_volume", link.hull_volume},
          {"parts_volume", link.parts_volume}};
}

inline nlohmann::ordered_json lint_json(const Lint& lint) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (const LinkLint& link : lint.links) links.push_back(lint_json(link));
  return {{"links", links}, {"findings", lint.findings}};
}

}  // namespace keepclear::command
