// SPDX-License-Identifier: BSD-3-Clause
//
// Model files, strictly: what is not understood is an error that names its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "keepclear/model.hpp"

namespace keepclear {

/// Beyond it a file is refused.
inline constexpr std::size_t kMaxModelBytes = std::size_t{256} << 20;

/// read_model from memory; `name` appears in errors.
BodyModel parse_model(std::string_view json, const std::string& name);

/// The text of a model, bodies one a line. Throws Error (usage) for a model that no file may hold.
std::string to_json(const BodyModel& model);

/// A model that a program filled has passed no reader. Throws Error (malformed), naming the place.
void require_sound(const BodyModel& model);

/// Where a body stands in its model, for messages.
std::string place_of(const BodyModel& model, std::size_t body);

}  // namespace keepclear
