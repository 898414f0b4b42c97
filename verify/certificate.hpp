// SPDX-License-Identifier: BSD-3-Clause
// A whole certificate: docs/certificate.md §1.
#pragma once
#include "proof.hpp"

namespace verify {

struct Certificate {
  std::string program, version, name, inventory;
  std::vector<std::pair<std::string, std::string>> sources, options;  // hash, name; name, value
  std::vector<std::string> notes;
  World world;
  Claim claim;
  std::size_t pairs = 0, records = 0, shapes = 0;  // pairs of solids that are claimed

  /// Throws Invalid or CannotTell. Returns if the claim is proved.
  void check(std::string_view text);
  /// From the kind of the claim to the end of the world: nothing is proved.
  void read_world(Reader& in);
  std::string in_words() const;
  std::string summary(std::string_view hash) const;  // of the file
};

}  // namespace verify
