// SPDX-License-Identifier: BSD-3-Clause
//
// A world as its files describe it, before anything is computed: what load() compiles, and what
// fit() and lint() look at.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "keepclear/model.hpp"
#include "scene/world.hpp"

namespace keepclear {

struct WorldSource {
  std::unique_ptr<const Scene> scene;  ///< of a scene; the model points at it
  WorldModel model;
};
/// Throws Error (usage) for options that name a file or folder by a blank text. It is no way to
/// leave one out: a variable of a script that was not set would remove the pairs or the
/// surroundings.
void require_names(const LoadOptions& options);
WorldSource read_source(const std::filesystem::path& file, const LoadOptions& options);
WorldSource read_builtin_source(const std::string& name, const LoadOptions& options);

}  // namespace keepclear
