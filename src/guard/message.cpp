// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/message.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "guard/crc32c.hpp"

namespace keepclear {
namespace {

constexpr std::array<char, 4> kMagic = {'K', 'C', 'G', 'M'};
constexpr std::uint8_t kState = 1, kVerdict = 2;
constexpr std::uint8_t kHasCommand = 1, kHasAges = 2;
constexpr std::size_t kHeaderBytes = 8, kStateFixedBytes = 56, kChecksumBytes = 4;
constexpr std::uint16_t kReasons = static_cast<std::uint16_t>(Reason::corrupted) + 1;

/// Byte by byte: the same on any machine. The caller has made sure of the room.
class Writer {
 public:
  explicit Writer(std::span<std::byte> out) : out_(out) {}
  template <typename T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      out_[at_++] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
  }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(std::span<const double> values) {
    for (const double value : values) put(value);
  }
  void header(std::uint8_t kind, std::uint8_t flags) {
    for (const char c : kMagic) out_[at_++] = static_cast<std::byte>(c);
    put(kMessageVersion), put(kind), put(flags);
  }
  std::size_t finish() {
    put(crc32c(out_.first(at_)));
    return at_;
  }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  template <typename T>
  void get(T& value) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) {
      bits |= static_cast<std::uint64_t>(bytes_[at_++]) << (8 * i);
    }
    value = static_cast<T>(bits);
  }
  void get(double& value) {
    std::uint64_t bits = 0;
    get(bits);
    value = std::bit_cast<double>(bits);
  }
  std::span<const double> get(std::span<double> values) {
    for (double& value : values) get(value);
    return values;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

/// What every message begins and ends with.
MessageFault fault_of_frame(std::span<const std::byte> bytes, std::uint8_t kind) {
  if (bytes.size() < kHeaderBytes + kChecksumBytes) return MessageFault::size;
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) return MessageFault::magic;
  std::uint16_t version = 0;
  Reader(bytes, 4).get(version);
  if (version != kMessageVersion) return MessageFault::version;
  if (static_cast<std::uint8_t>(bytes[6]) != kind) return MessageFault::kind;
  std::uint32_t checksum = 0;
  Reader(bytes, bytes.size() - kChecksumBytes).get(checksum);
  if (checksum != crc32c(bytes.first(bytes.size() - kChecksumBytes))) return MessageFault::checksum;
  return MessageFault::none;
}

}  // namespace

std::string_view name_of(LinkReason reason) noexcept {
  switch (reason) {
    case LinkReason::none:
      return "none";
    case LinkReason::no_state:
      return "no state";
    case LinkReason::late:
      return "late";
    case LinkReason::malformed:
      return "malformed";
    case LinkReason::lost:
      return "lost";
    case LinkReason::stopped:
      return "stopped";
    case LinkReason::restarted:
      return "restarted";
    case LinkReason::link_latched:
      return "latched";
  }
  return "unknown";
}

std::string_view name_of(MessageFault fault) noexcept {
  constexpr std::array<std::string_view, 7> kNames = {"none", "size",     "magic",  "version",
                                                      "kind", "checksum", "content"};
  const auto i = static_cast<std::size_t>(fault);
  return i < kNames.size() ? kNames[i] : "unknown";
}

std::uint64_t world_tag(std::string_view hash) noexcept {
  const auto digit = [](char c) {
    return static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::uint64_t tag = 0;
  for (std::size_t i = 0; i < 8 && 2 * i + 1 < hash.size(); ++i) {
    tag |= (digit(hash[2 * i]) << 4 | digit(hash[2 * i + 1])) << (8 * i);
  }
  return tag;
}

std::size_t state_bytes(std::size_t count, bool command, bool ages) noexcept {
  const std::size_t blocks = 2U + (command ? 1U : 0U) + (ages ? 1U : 0U);
  return kStateFixedBytes + blocks * count * sizeof(double) + kChecksumBytes;
}

std::size_t encode(const StateMessage& message, std::span<std::byte> out) noexcept {
  const std::size_t count = message.q.size();
  const bool command = !message.command.empty(), ages = !message.ages.empty();
  if (count > kMaxMessageNumbers || message.v.size() != count ||
      (command && message.command.size() != count) || (ages && message.ages.size() != count) ||
      out.size() < state_bytes(count, command, ages)) {
    return 0;
  }
  Writer writer(out);
  writer.header(kState,
                static_cast<std::uint8_t>((command ? kHasCommand : 0) | (ages ? kHasAges : 0)));
  writer.put(message.source), writer.put(message.sequence), writer.put(message.world);
  writer.put(message.time), writer.put(message.age);
  writer.put(static_cast<std::uint32_t>(count)), writer.put(std::uint32_t{0});
  writer.put(message.q), writer.put(message.v), writer.put(message.command),
      writer.put(message.ages);
  return writer.finish();
}

std::size_t encode(const VerdictMessage& message, std::span<std::byte> out) noexcept {
  if (out.size() < kVerdictBytes) return 0;
  Writer writer(out);
  writer.header(kVerdict, static_cast<std::uint8_t>(message.action));
  writer.put(message.source), writer.put(message.sequence), writer.put(message.world);
  writer.put(message.time), writer.put(message.scale), writer.put(message.bound);
  writer.put(message.cycle), writer.put(message.reason), writer.put(std::uint16_t{0});
  writer.put(static_cast<std::uint32_t>(message.a)),
      writer.put(static_cast<std::uint32_t>(message.b));
  return writer.finish();
}

MessageFault decode(std::span<const std::byte> bytes, std::span<double> numbers,
                    StateMessage& message) noexcept {
  if (const MessageFault fault = fault_of_frame(bytes, kState); fault != MessageFault::none) {
    return fault;
  }
  if (bytes.size() < kStateFixedBytes + kChecksumBytes) return MessageFault::size;
  const auto flags = static_cast<std::uint8_t>(bytes[7]);
  if ((flags & ~(kHasCommand | kHasAges)) != 0) return MessageFault::content;
  const bool command = (flags & kHasCommand) != 0, ages = (flags & kHasAges) != 0;
  StateMessage read;
  std::uint32_t count = 0, zero = 0;
  Reader reader(bytes, kHeaderBytes);
  reader.get(read.source), reader.get(read.sequence), reader.get(read.world);
  reader.get(read.time), reader.get(read.age), reader.get(count), reader.get(zero);
  if (zero != 0 || count > kMaxMessageNumbers) return MessageFault::content;
  if (bytes.size() != state_bytes(count, command, ages)) return MessageFault::size;
  const std::size_t blocks = 2U + (command ? 1U : 0U) + (ages ? 1U : 0U);
  if (numbers.size() < blocks * count) return MessageFault::content;
  const auto block = [&] {
    const auto values = reader.get(numbers.first(count));
    numbers = numbers.subspan(count);
    return values;
  };
  read.q = block();
  read.v = block();
  if (command) read.command = block();
  if (ages) read.ages = block();
  message = read;
  return MessageFault::none;
}

MessageFault decode(std::span<const std::byte> bytes, VerdictMessage& message) noexcept {
  if (const MessageFault fault = fault_of_frame(bytes, kVerdict); fault != MessageFault::none) {
    return fault;
  }
  if (bytes.size() != kVerdictBytes) return MessageFault::size;
  VerdictMessage read;
  std::uint16_t zero = 0;
  std::uint32_t a = 0, b = 0;
  Reader reader(bytes, kHeaderBytes);
  reader.get(read.source), reader.get(read.sequence), reader.get(read.world);
  reader.get(read.time), reader.get(read.scale), reader.get(read.bound), reader.get(read.cycle);
  reader.get(read.reason), reader.get(zero), reader.get(a), reader.get(b);
  const auto action = static_cast<std::uint8_t>(bytes[7]);
  const bool known = read.reason < kReasons ||
                     (read.reason >= static_cast<std::uint16_t>(LinkReason::no_state) &&
                      read.reason <= static_cast<std::uint16_t>(LinkReason::link_latched));
  if (zero != 0 || action > static_cast<std::uint8_t>(Action::go) || !known) {
    return MessageFault::content;
  }
  read.action = static_cast<Action>(action);
  // Only one reason goes: a verdict that says otherwise is none.
  if (read.action == Action::go && read.reason != static_cast<std::uint16_t>(Reason::free)) {
    return MessageFault::content;
  }
  read.a = static_cast<std::int32_t>(a);
  read.b = static_cast<std::int32_t>(b);
  message = read;
  return MessageFault::none;
}

}  // namespace keepclear
