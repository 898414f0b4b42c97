// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a certificate, as they are and sealed anew: valid, or a line that is named, or a
// word why it cannot be told.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "certificate.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

/// Whether it is valid.
bool check(std::string_view text) {
  verify::round_upwards();
  try {
    verify::Certificate certificate;
    certificate.check(text);
    require(!certificate.summary(verify::sha256(text)).empty());
    return true;
  } catch (const verify::Invalid& found) {
    const auto lines = std::count(text.begin(), text.end(), '\n');
    require(found.line >= 1 && found.line <= static_cast<std::size_t>(lines) + 1);
    require(!found.why.empty() && found.record.size() <= 100);
  } catch (const verify::CannotTell& found) {
    require(!found.why.empty());
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool valid = check(text);
  const std::size_t seal = text.rfind("\nend ");
  std::string lines(text.substr(0, seal == text.npos ? text.size() : seal + 1));
  const bool again = check(lines + "end " + verify::sha256(lines) + "\n");
  require(!valid || again);
  return 0;
}
