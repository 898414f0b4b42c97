// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of JSON Lines: what certify, check and distance say of a path or a pose. Bytes depend on the
// world, the question and the input alone.
#pragma once

#include <cstddef>
#include <string>

#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "poses.hpp"

namespace keepclear::command {

/// What rows about paths have in common.
struct RowsAbout {
  const World& world;
  const CertifyOptions& options;
  JsonPairs& json_pair;
  bool clocks = false;
};

/// `head`: the fields that name the motion, "path":... for example. Negative seconds are left out.
/// `filed` is the certificate that was written, as JSON; empty where none is asked for.
std::string certify_row(const RowsAbout& about, const std::string& head,
                        const Certificate& certificate, double seconds = -1,
                        const std::string& filed = {});
/// Of a path that could not be read.
std::string error_row(const std::string& head, const std::string& error);

std::string check_row(JsonPairs& json_pair, std::size_t pose, const CheckResult& result);
std::string distance_row(JsonPairs& json_pair, std::size_t pose, const Nearest& near);
/// What was asked, as a text: rows of one are not rows of another.
std::string check_asked(double margin);
std::string distance_asked(bool signed_distance, bool all_pairs);

}  // namespace keepclear::command
