// SPDX-License-Identifier: BSD-3-Clause
//
// What `keepclear view` does, for those who do it as well.
#pragma once

#include <optional>
#include <string>

#include "options.hpp"
#include "page_build.hpp"

namespace keepclear::command {

struct ViewOptions {
  TalkOptions talk;
  WorldOptions world;
  ShowOptions show;
  std::string attach;
  std::optional<int> port;
  bool open = false;
};
/// Prints the address of the page, and serves it until a signal comes. Throws Error.
int run_view(const ViewOptions& options);

}  // namespace keepclear::command
