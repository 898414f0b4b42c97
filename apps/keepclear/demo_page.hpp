// SPDX-License-Identifier: BSD-3-Clause
//
// The tour's last stop: what was proved, to look at.
#pragma once

#include <string>

#include "output.hpp"

namespace keepclear::command {

/// Throws Error where the file could not be written at the end.
void require_report(const std::string& file);
/// Writes what is proved of the tasks of two arms as one page. Throws Error (write).
void write_tour_report(const std::string& file, int threads);
/// An empty name: none was written.
void print_report(Output& out, const std::string& file);
/// Serves the same as a live page until a signal comes.
int serve_tour(int threads);

}  // namespace keepclear::command
