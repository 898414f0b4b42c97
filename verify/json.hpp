// SPDX-License-Identifier: BSD-3-Clause
// JSON by nlohmann's parser, with keys that stand twice refused.
#pragma once
#include <nlohmann/json.hpp>
#include <set>

#include "reader.hpp"

namespace verify {

using Json = nlohmann::json;

inline Json parse_json(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw CannotTell{"a second " + value.get<std::string>()};
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::exception& e) {
    throw CannotTell{e.what()};
  }
}

}  // namespace verify
