// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between controller and guard: what is written is read, and nothing else is.
#include "keepclear/message.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "guard/crc32c.hpp"

namespace keepclear {
namespace {

using Bytes = std::vector<std::byte>;

const std::vector<double> kQ = {1, -2.5, 3e-300}, kV = {0, -0.0, 1e300}, kCommand = {4, 5, 6},
                          kAges = {0.001, 0.002, 0.003};

StateMessage state_message() {
  StateMessage state;
  state.source = 0x0123456789abcdef;
  state.sequence = 42;
  state.world = 0xfedcba9876543210;
  state.time = 12.5;
  state.age = 0.25;
  state.q = kQ;
  state.v = kV;
  return state;
}

Bytes bytes_of(const StateMessage& state) {
  Bytes bytes(1000);
  bytes.resize(encode(state, bytes));
  return bytes;
}

MessageFault fault_of(std::span<const std::byte> bytes) {
  std::array<double, 12> numbers = {};
  StateMessage state;
  return decode(bytes, numbers, state);
}

/// With a checksum that fits.
void seal(Bytes& bytes) {
  const std::uint32_t crc = crc32c(std::span(bytes).first(bytes.size() - 4));
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[bytes.size() - 4 + i] = static_cast<std::byte>(crc >> (8 * i));
  }
}

TEST(Crc32c, HasTheValuesOfRfc3720) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits))), 0xe3069283U);
  EXPECT_EQ(crc32c(Bytes(32, std::byte{0})), 0x8a9136aaU);
  EXPECT_EQ(crc32c(Bytes(32, std::byte{0xff})), 0x62a8ab43U);
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits)).subspan(4),
                   crc32c(std::as_bytes(std::span(digits)).first(4))),
            0xe3069283U);
}

TEST(StateMessage, IsReadAsItWasWritten) {
  for (const bool command : {false, true}) {
    for (const bool ages : {false, true}) {
      StateMessage state = state_message();
      if (command) state.command = kCommand;
      if (ages) state.ages = kAges;
      const Bytes bytes = bytes_of(state);
      EXPECT_EQ(bytes.size(), state_bytes(3, command, ages));
      std::array<double, 12> numbers = {};
      StateMessage read;
      ASSERT_EQ(decode(bytes, numbers, read), MessageFault::none);
      EXPECT_EQ(read.source, state.source);
      EXPECT_EQ(read.sequence, state.sequence);
      EXPECT_EQ(read.world, state.world);
      EXPECT_EQ(read.time, state.time);
      EXPECT_EQ(read.age, state.age);
      const auto same = [](std::span<const double> a, std::span<const double> b) {
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]));
        }
      };
      same(read.q, state.q);
      same(read.v, state.v);
      same(read.command, state.command);
      same(read.ages, state.ages);
    }
  }
}

// docs/guard.md tells controllers in other languages to write exactly this.
TEST(StateMessage, HasTheBytesThatAreWrittenDown) {
  StateMessage state;
  state.source = 1;
  state.sequence = 2;
  state.world = 3;
  state.time = 1;
  state.age = -2;
  const std::array<double, 1> q = {0.5}, v = {0};
  state.q = q;
  state.v = v;
  const Bytes bytes = bytes_of(state);
  const std::array<unsigned char, 72> expected = {
      'K', 'C', 'G', 'M', 1, 0, 1,    0,                             // magic, version, kind, flags
      1,   0,   0,   0,   0, 0, 0,    0,    2, 0, 0, 0, 0, 0, 0, 0,  // source, sequence
      3,   0,   0,   0,   0, 0, 0,    0,                             // world
      0,   0,   0,   0,   0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0,  // time, age
      1,   0,   0,   0,   0, 0, 0,    0,                                // count, zero
      0,   0,   0,   0,   0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0};    // q, v
  ASSERT_EQ(bytes.size(), expected.size() + 4);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(static_cast<unsigned char>(bytes[i]), expected[i]) << i;
  }
}

TEST(StateMessage, NamesTheWorldByTheFirstBytesOfItsHash) {
  EXPECT_EQ(world_tag("0123456789abcdef00112233"), 0xefcdab8967452301U);
  EXPECT_EQ(world_tag(""), 0U);
}

TEST(StateMessage, NumbersThatAreNoneArriveAsSuch) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::array<double, 1> q = {nan}, v = {std::numeric_limits<double>::infinity()};
  StateMessage state;
  state.q = q;
  state.v = v;
  std::array<double, 4> numbers = {};
  StateMessage read;
  ASSERT_EQ(decode(bytes_of(state), numbers, read), MessageFault::none);
  EXPECT_TRUE(std::isnan(read.q[0]));
  EXPECT_TRUE(std::isinf(read.v[0]));
}

TEST(StateMessage, EveryFlippedBitIsSeen) {
  const Bytes good = bytes_of(state_message());
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_NE(fault_of(bytes), MessageFault::none) << bit;
  }
}

TEST(StateMessage, EveryOtherSizeIsSeen) {
  const Bytes good = bytes_of(state_message());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(fault_of(std::span(good).first(size)), MessageFault::none) << size;
  }
  Bytes longer = good;
  longer.insert(longer.end() - 4, 8, std::byte{0});
  seal(longer);
  EXPECT_EQ(fault_of(longer), MessageFault::size);
}

TEST(StateMessage, WhatIsNoneSaysWhy) {
  const Bytes good = bytes_of(state_message());
  const auto with = [&](std::size_t at, unsigned char value) {
    Bytes bytes = good;
    bytes[at] = static_cast<std::byte>(value);
    seal(bytes);
    return fault_of(bytes);
  };
  EXPECT_EQ(fault_of(good), MessageFault::none);
  EXPECT_EQ(with(0, 'k'), MessageFault::magic);
  EXPECT_EQ(with(4, 2), MessageFault::version);
  EXPECT_EQ(with(5, 1),
            MessageFault::version);  // the version of a writer with the other byte order
  EXPECT_EQ(with(6, 2), MessageFault::kind);
  EXPECT_EQ(with(7, 4), MessageFault::content);
  EXPECT_EQ(with(7, 1), MessageFault::size);   // a command is promised
  EXPECT_EQ(with(48, 2), MessageFault::size);  // fewer numbers
  EXPECT_EQ(with(51, 255), MessageFault::content);
  EXPECT_EQ(with(52, 1), MessageFault::content);
  Bytes bytes = good;
  bytes.back() ^= std::byte{1};
  EXPECT_EQ(fault_of(bytes), MessageFault::checksum);
  std::array<double, 5> small = {};
  StateMessage read;
  EXPECT_EQ(decode(good, small, read), MessageFault::content);
  EXPECT_EQ(read.sequence, 0U) << "nothing of a message that is refused may be left behind";
}

TEST(StateMessage, AnyBytesAreRefused) {
  std::mt19937_64 random(7);
  Bytes bytes;
  for (int round = 0; round < 2000; ++round) {
    bytes.resize(random() % 200);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_NE(fault_of(bytes), MessageFault::none);
  }
}

TEST(StateMessage, WhatDoesNotFitIsNotWritten) {
  StateMessage state = state_message();
  Bytes bytes(state_bytes(3) - 1);
  EXPECT_EQ(encode(state, bytes), 0U);
  bytes.resize(1000);
  state.v = std::span(kV).first(2);
  EXPECT_EQ(encode(state, bytes), 0U);
  state.v = kV;
  state.command = std::span(kCommand).first(1);
  EXPECT_EQ(encode(state, bytes), 0U);
}

TEST(VerdictMessage, IsReadAsItWasWrittenAndNothingElseIs) {
  VerdictMessage verdict;
  verdict.source = 1;
  verdict.sequence = 2;
  verdict.world = 3;
  verdict.time = 4;
  verdict.scale = 0.5;
  verdict.bound = 0.25;
  verdict.cycle = 6;
  verdict.action = Action::go;
  verdict.a = 7;
  verdict.b = -1;
  Bytes good(kVerdictBytes);
  ASSERT_EQ(encode(verdict, good), kVerdictBytes);
  VerdictMessage read;
  ASSERT_EQ(decode(good, read), MessageFault::none);
  EXPECT_EQ(read.source, 1U);
  EXPECT_EQ(read.sequence, 2U);
  EXPECT_EQ(read.world, 3U);
  EXPECT_EQ(read.time, 4);
  EXPECT_EQ(read.scale, 0.5);
  EXPECT_EQ(read.bound, 0.25);
  EXPECT_EQ(read.cycle, 6U);
  EXPECT_EQ(read.action, Action::go);
  EXPECT_EQ(read.reason, 0U);
  EXPECT_EQ(read.a, 7);
  EXPECT_EQ(read.b, -1);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_NE(decode(bytes, read), MessageFault::none) << bit;
  }
  EXPECT_EQ(fault_of(good), MessageFault::kind);
  EXPECT_EQ(decode(bytes_of(state_message()), read), MessageFault::kind);
}

TEST(VerdictMessage, OnlyFreeGoes) {
  for (unsigned reason = 0; reason < 200; ++reason) {
    VerdictMessage verdict;
    verdict.action = Action::go;
    verdict.reason = static_cast<std::uint16_t>(reason);
    Bytes bytes(kVerdictBytes);
    ASSERT_EQ(encode(verdict, bytes), kVerdictBytes);
    EXPECT_EQ(decode(bytes, verdict) == MessageFault::none, reason == 0) << reason;
  }
}

}  // namespace
}  // namespace keepclear
