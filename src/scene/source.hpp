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
WorldSource read_source(const std::filesystem::path& file, const LoadOptions& options);
WorldSource read_builtin_source(const std::string& name, const LoadOptions& options);

}  // namespace keepclear
