// SPDX-License-Identifier: BSD-3-Clause
//
// What was proved of pairs of links, as the disable_collisions of an SRDF.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keepclear/pairs.hpp"

namespace keepclear {

/// The SRDF `given`, well-formed XML as read_srdf takes it, with the pairs of write_srdf in place
/// of its own disable_collisions, enable_collisions and disable_default_collisions elements: what
/// it leaves unchecked is then what was proved, and adjacent pairs. Everything else, groups, states
/// and comments, stays byte for byte. A comment before the pairs names those that it disabled, one
/// by one or by default, and that are not disabled any more. Throws Error, with `file`, for what is
/// no XML.
std::string rewrite_srdf(std::string_view given, const std::string& file, const World& world,
                         const std::vector<PairOfLinks>& pairs, int robot = 0);

}  // namespace keepclear
