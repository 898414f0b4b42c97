// SPDX-License-Identifier: BSD-3-Clause
//
// What a safety engineer files, in words: what was asked, what was answered, of which world, by
// which means, and what lies outside of it. Lists are complete, bounds rounded to the safe side.
#pragma once

#include <string>
#include <vector>

#include "page_build.hpp"

namespace keepclear::command {

/// "free: keeps at least 0.021 m throughout", "contact: a - b at 3.2 s", ...
std::string motion_answer(const World& world, const ShownMotion& motion);
std::string run_answer(const World& world, const ShownRun& run);
/// As `keepclear check` has it, with the distance.
std::string pose_answer(const World& world, const PosedWorld& posed, const CheckResult& check,
                        double margin);

/// The answers first, then all that they rest on.
std::vector<TextSection> text_sections(const ShownWorld& shown, const WorldOptions& world,
                                       const ShowOptions& options, const Shown& found);
/// Versions of what made the file.
TextSection versions_section();
/// How it was made and can be made again. `words` are those after the name of the command.
TextSection repeat_section(const std::vector<std::string>& words, const std::string& date);
/// A word as a POSIX shell reads it back.
std::string shell_quoted(const std::string& word);

}  // namespace keepclear::command
