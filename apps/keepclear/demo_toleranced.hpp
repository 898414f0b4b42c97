// SPDX-License-Identifier: BSD-3-Clause
//
// The tour's look at a motion of one body that may be off: a tray goes through an opening.
#pragma once

#include <vector>

#include "keepclear/toleranced.hpp"
#include "output.hpp"

namespace keepclear::command {

/// The same way, with every motion that is nowhere farther off than `deviation`.
struct TrayPassage {
  double deviation = 0;  ///< metres
  TolerancedResult result;
  double seconds = 0;
};

std::vector<TrayPassage> pass_tray();
void print_tray(Output& out, const std::vector<TrayPassage>& passages);
/// As one member of an object: "tray": [...].
void print_tray_json(Output& out, const std::vector<TrayPassage>& passages);

}  // namespace keepclear::command
