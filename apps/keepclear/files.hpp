// SPDX-License-Identifier: BSD-3-Clause
//
// Files that a command writes at its end, perhaps after an hour.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "scene/source.hpp"

namespace keepclear::command {

/// Every file that a world is read from, and that must not be written over.
std::vector<std::string> inputs_of(const WorldOptions& world, const WorldSource& source);

/// Throws Error (write) where the file could not be written at the end, as far as can be foreseen;
/// (usage) where it is one of the inputs. What is there stays as it is. An empty name is no file.
void require_writable(const std::string& file, std::span<const std::string> inputs);

/// The same for several files and every input of a world, which is read for that, and `more` of
/// them. No two may be the same. Empty names are no files.
void require_outputs(std::span<const std::string> files, const WorldOptions& world,
                     std::span<const std::string> more);

/// The file gets its new content all at once or not at all. Throws Error (write).
void replace_file(const std::string& file, std::string_view text);

}  // namespace keepclear::command
