// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "keepclear/guard.hpp"

namespace keepclear {

// What a controller and `keepclear guard --udp` say to each other: one message a datagram, all
// numbers little-endian. docs/guard.md has the bytes. Nothing here allocates or throws.

/// Of the format: others are refused.
inline constexpr std::uint16_t kMessageVersion = 1;
/// Numbers of a configuration, at most: four blocks of them fit one datagram.
inline constexpr std::size_t kMaxMessageNumbers = 2000;
inline constexpr std::size_t kVerdictBytes = 80;

/// Why a guarded loop brakes besides what a Guard itself says. The numbers stand in messages,
/// where those below 64 are Reason.
enum class LinkReason : std::uint16_t {
  none = 0,          ///< the guard's own reason holds
  no_state = 64,     ///< none for longer than the deadline, or one that may have waited as long
  late = 65,         ///< the answer came later than the deadline
  malformed = 66,    ///< what was to be a state is none
  lost = 67,         ///< more states than allowed are missing before this one
  stopped = 68,      ///< the guard ends
  restarted = 69,    ///< the first state after a start, or one that waited for it
  link_latched = 70  ///< one of these was said before, and the latch is set
};
/// As the command line prints it: "no state", "late", ...
std::string_view name_of(LinkReason reason) noexcept;

/// A measured state on its way to the guard.
struct StateMessage {
  std::uint64_t source = 0;    ///< a number that the sender chose anew when it started
  std::uint64_t sequence = 0;  ///< grows with every message of a source; the first is at least 1
  std::uint64_t world = 0;     ///< world_tag() of the world that the sender means
  double time = 0, age = 0;    ///< as in GuardState
  std::span<const double> q, v;
  std::span<const double> command{}, ages{};  ///< may be empty
};

/// The answer.
struct VerdictMessage {
  std::uint64_t source = 0, sequence = 0, world = 0;  ///< of the state that it answers
  double time = 0;                                    ///< of that state
  double scale = 0, bound = 0;                        ///< as in GuardCycle
  std::uint64_t cycle = 0;                            ///< states that were taken so far
  Action action = Action::brake;
  std::uint16_t reason = 0;  ///< a Reason, or a LinkReason from 64 on
  std::int32_t a = -1, b = -1;
};

/// Why bytes are no message.
enum class MessageFault : std::uint8_t {
  none,
  size,      ///< not as many bytes as such a message has
  magic,     ///< no message of Keepclear at all
  version,   ///< of another version of the format
  kind,      ///< a verdict where a state is asked for, or the other way round
  checksum,  ///< bits have changed on the way
  content,   ///< a flag, count or code that there is not
};
std::string_view name_of(MessageFault fault) noexcept;

/// The first eight bytes of a World::hash(), the first of them lowest.
std::uint64_t world_tag(std::string_view hash) noexcept;

/// Bytes of a state of `count` numbers.
std::size_t state_bytes(std::size_t count, bool command = false, bool ages = false) noexcept;

/// Writes the message to the front of `out` and returns its size; 0 if it does not fit, or if q, v,
/// command and ages differ in size.
std::size_t encode(const StateMessage& message, std::span<std::byte> out) noexcept;
std::size_t encode(const VerdictMessage& message, std::span<std::byte> out) noexcept;

/// Reads the whole of `bytes` or nothing of it. `numbers` holds what the spans of the message then
/// point at; a message with more than that is MessageFault::content.
MessageFault decode(std::span<const std::byte> bytes, std::span<double> numbers,
                    StateMessage& message) noexcept;
MessageFault decode(std::span<const std::byte> bytes, VerdictMessage& message) noexcept;

}  // namespace keepclear
