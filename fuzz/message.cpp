// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a message to or from a guard, and as a recording of one; as they are, and with a
// checksum that fits. What is read is written as the same bytes again; all else is refused.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "guard/crc32c.hpp"
#include "keepclear/error.hpp"
#include "keepclear/message.hpp"
#include "keepclear/recorder.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

void require_message_or_fault(std::span<const std::byte> bytes) {
  static std::vector<double> numbers(4 * keepclear::kMaxMessageNumbers);
  std::vector<std::byte> again(bytes.size());
  keepclear::StateMessage state;
  if (decode(bytes, numbers, state) == keepclear::MessageFault::none) {
    // An empty command is no command: a robot without joints has nothing to say there.
    if (!state.q.empty()) {
      require(encode(state, again) == bytes.size() && std::ranges::equal(again, bytes));
    }
  }
  keepclear::VerdictMessage verdict;
  if (decode(bytes, verdict) == keepclear::MessageFault::none) {
    require(encode(verdict, again) == bytes.size() && std::ranges::equal(again, bytes));
    require(verdict.action == keepclear::Action::brake || verdict.reason == 0);
  }
}

void require_recording_or_error(const std::string& text) {
  try {
    const keepclear::Recording recording = keepclear::parse_recording(text, "fuzz.kcr");
    const std::string once = to_text(recording);
    require(to_text(keepclear::parse_recording(once, "again.kcr")) == once);
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  require_message_or_fault(bytes);
  std::vector<std::byte> sealed(bytes.begin(), bytes.end());
  const std::uint32_t crc = keepclear::crc32c(bytes);
  for (int i = 0; i < 4; ++i) sealed.push_back(static_cast<std::byte>(crc >> (8 * i)));
  require_message_or_fault(sealed);

  std::string text(reinterpret_cast<const char*>(data), size);
  require_recording_or_error(text);
  if (!keepclear::is_recording(text)) return 0;
  char last[32];
  std::snprintf(last, sizeof last, "{\"crc32c\":\"%08x\"}\n", crc);
  require_recording_or_error(text + last);
  return 0;
}
