// SPDX-License-Identifier: BSD-3-Clause
//
// What a guard saves: every byte is defined, whatever was in memory before; and what older versions
// saved is still read.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "guard/guard_impl.hpp"
#include "guard/members.hpp"
#include "guard/order_run.hpp"
#include "keepclear/scene.hpp"

namespace keepclear {
namespace {

class Snapshot : public testing::Test {
 protected:
  Snapshot() {
    JointBrake joint;
    joint.max_acceleration = joint.brake_deceleration = 20;
    joint.max_velocity = 3;
    brake_ = uniform_brake(world_, 0.03, joint);
    options_.graded = true;
  }
  /// The same cycles and calls in memory that is full of `byte`.
  std::vector<std::byte> after(int cycles, int byte) const {
    const test::Poison poison(byte);
    Guard guard(world_, brake_, options_);
    const std::vector<double> start = world_.neutral();
    std::vector<double> q = start, v(q.size());
    const int object = world_.find_solid("front_box"), link = world_.find_solid("left/link7");
    int attached = 0, released = 0, margins = 0;
    for (int k = 1; k <= cycles; ++k) {
      for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = start[i] + 0.2 * std::sin(0.003 * k);
        v[i] = 0.06 * std::cos(0.003 * k);
      }
      if (k % 50 == 25) v.pop_back();
      guard.step({.time = 0.01 * k, .q = q, .v = v});
      v.resize(q.size());
      const test::Poison again(byte);
      if (k % 40 == 10) attached += guard.attach(object, link, std::vector{0}) ? 1 : 0;
      if (k % 40 == 30) released += guard.release(object) ? 1 : 0;
      if (k % 40 == 35) margins += guard.set_margin(link, object, 0.001 * k) ? 1 : 0;
    }
    EXPECT_EQ(attached, (cycles + 30) / 40);
    EXPECT_EQ(released, (cycles + 10) / 40);
    EXPECT_EQ(margins, (cycles + 5) / 40);
    std::vector<std::byte> memory(guard.memory_size(), static_cast<std::byte>(~byte));
    guard.save(memory);
    return memory;
  }

  World world_ = load_builtin("two_arms");
  BrakeModel brake_;
  GuardOptions options_;
};

TEST_F(Snapshot, HasNoByteThatDependsOnTheMemoryBefore) {
  for (const int cycles : {0, 1, 20, 45, 130}) {
    const std::vector<std::byte> first = after(cycles, 0x00);
    for (const int byte : {0xff, 0x5a}) {
      const std::vector<std::byte> second = after(cycles, byte);
      ASSERT_EQ(first.size(), second.size());
      std::size_t differ = 0;
      for (std::size_t i = 0; i < first.size(); ++i) differ += first[i] != second[i] ? 1 : 0;
      EXPECT_EQ(differ, 0U) << "of " << first.size() << ", after " << cycles << " cycles";
    }
  }
}

/// Nothing but the numbers of a struct is copied, and all of them are.
template <typename T>
void expect_numbers_alone(const T& sample) {
  alignas(T) std::byte memory[2][sizeof(T)];
  std::byte out[2][sizeof(T)];
  for (int k = 0; k < 2; ++k) {
    std::memset(memory[k], k == 0 ? 0 : 0xff, sizeof(T));
    T* const value = reinterpret_cast<T*>(memory[k]);
    each_number(sample, [&](const auto& number) {
      const std::ptrdiff_t at =
          reinterpret_cast<const std::byte*>(&number) - reinterpret_cast<const std::byte*>(&sample);
      std::memcpy(memory[k] + at, &number, sizeof(number));
    });
    put_defined(std::span<const T>(value, 1), out[k]);
  }
  EXPECT_EQ(std::memcmp(out[0], out[1], sizeof(T)), 0);
  T back;
  std::memcpy(static_cast<void*>(&back), out[0], sizeof(T));
  std::size_t count = 0, same = 0;
  std::vector<std::vector<std::byte>> numbers;
  each_number(sample, [&](const auto& number) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&number);
    numbers.emplace_back(bytes, bytes + sizeof(number));
  });
  each_number(back, [&](const auto& number) {
    same += std::memcmp(&number, numbers[count].data(), sizeof(number)) == 0 ? 1 : 0;
    ++count;
  });
  EXPECT_EQ(same, numbers.size());
}

TEST_F(Snapshot, CopiesTheNumbersOfEachStructAlone) {
  expect_numbers_alone(GuardBound{1, {2, 3, 4}, 5, 6, 7});
  expect_numbers_alone(GuardPair{1, 2, 3, 4, 5, 6, 7, 8});
  expect_numbers_alone(GuardBody{1, 2, 3, 4, 5, {6, 7, 8}, 9, 10, 11, 12});
  expect_numbers_alone(PieceDirection{1, {2, 3, 4}});
  expect_numbers_alone(GuardMargin{1, 2, 3});
  expect_numbers_alone(MovedObject{1, 2, 3, 4});
  expect_numbers_alone(GuardTouch{1, 2});
  Guard::Impl::Kept kept;
  kept.time = 1, kept.corrupted = 2, kept.changed = 3, kept.scale_level = 4;
  kept.cycle = {Action::go, Reason::jump, 5, 6, 7, 8, 9, 10};
  kept.counters = {11, 12, 13, 14, 15};
  expect_numbers_alone(kept);
}

TEST_F(Snapshot, OfAnotherGuardIsRefused) {
  std::vector<std::byte> memory = after(45, 0);
  Guard::Impl guard(world_, brake_, options_);
  ASSERT_TRUE(guard.restore(memory));
  const std::uint64_t other = guard.key + 1;
  std::memcpy(memory.data(), &other, 8);
  guard.sign(memory);
  EXPECT_FALSE(guard.restore(memory));
}

}  // namespace
}  // namespace keepclear
