// SPDX-License-Identifier: BSD-3-Clause
//
// The text of an SRDF with other pairs in it, and nothing else changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keepclear {

/// Begins the comment that an earlier run has left, and that the next one replaces.
inline constexpr std::string_view kPairsComment = "<!-- keepclear pairs";

/// `srdf` with `lines` in place of all that says which pairs are checked, its elements
/// disable_collisions, enable_collisions and disable_default_collisions, and of comments that begin
/// with kPairsComment; without any, they come last in the root element. All else stays byte for
/// byte. `srdf` has passed xml::check. A line has no end, and is indented like what it replaces.
std::string replace_pairs(std::string_view srdf, const std::vector<std::string>& lines);

}  // namespace keepclear
