// SPDX-License-Identifier: BSD-3-Clause
//
// The checker in process. It has its own rounding and its own headers, which stay in checker.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace keepclear::test {

struct Ruling {
  enum class Verdict { valid, invalid, cannot_tell };
  Verdict verdict = Verdict::valid;
  std::size_t line = 0;  ///< of an invalid one, from 1
  std::string why, record;

  bool valid() const { return verdict == Verdict::valid; }
  std::string text() const;
};

/// What keepclear-verify says of a text. The rounding mode is as before when it returns.
Ruling check_certificate(std::string_view text);

/// What keepclear-verify --against says, with each of the files. `world_alone`: of the world that
/// stands in the text, whether its claim is proved or not.
Ruling compare_certificate(std::string_view text, const std::vector<std::filesystem::path>& files,
                           bool world_alone = false);

/// What keepclear-verify --summary says of a valid one; empty of any other.
std::string summary_of(std::string_view text);

/// The text with the hash that its lines have, whatever its last line was.
std::string resealed(std::string_view text);

}  // namespace keepclear::test
