// SPDX-License-Identifier: BSD-3-Clause
//
// How this command was built: what `keepclear --version` tells.
#pragma once

#include <string>

namespace keepclear::command {

/// Lines for people; the first is `keepclear` and the version, alone.
std::string build_facts_text();
/// The same as one line of JSON.
std::string build_facts_json();

}  // namespace keepclear::command
