// SPDX-License-Identifier: BSD-3-Clause
//
// The members of what a guard remembers, for memory in which every byte is defined: between the
// members of a struct lies padding, and nobody writes that.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "guard/guard_impl.hpp"

namespace keepclear {

/// f(number) for each number in a value, in order. A member that is added to a struct and not here
/// does not compile.
template <typename T, typename F>
void each_number(const T& value, const F& f) noexcept {
  const auto each = [&](const auto&... members) { (each_number(members, f), ...); };
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    f(value);
  } else if constexpr (std::is_same_v<T, Vec3>) {
    const auto& [x, y, z] = value;
    each(x, y, z);
  } else if constexpr (std::is_same_v<T, Interval>) {
    const auto& [lower, upper] = value;
    each(lower, upper);
  } else if constexpr (std::is_same_v<T, GuardCycle>) {
    const auto& [action, reason, a, b, bound, scale, flops, cycle] = value;
    each(action, reason, a, b, bound, scale, flops, cycle);
  } else if constexpr (std::is_same_v<T, GuardCounters>) {
    const auto& [cycles, brakes, steps, looks, lookups] = value;
    each(cycles, brakes, steps, looks, lookups);
  } else if constexpr (std::is_same_v<T, GuardPair>) {
    const auto& [a, b, skip, origin, change_a, change_b, margin, active] = value;
    each(a, b, skip, origin, change_a, change_b, margin, active);
  } else if constexpr (std::is_same_v<T, GuardBound>) {
    const auto& [lower, n, other, fleeting, excused] = value;
    each(lower, n, other, fleeting, excused);
  } else if constexpr (std::is_same_v<T, PieceDirection>) {
    const auto& [piece, n] = value;
    each(piece, n);
  } else if constexpr (std::is_same_v<T, GuardMargin>) {
    const auto& [a, b, margin] = value;
    each(a, b, margin);
  } else if constexpr (std::is_same_v<T, MovedObject>) {
    const auto& [solid, link, first, last] = value;
    each(solid, link, first, last);
  } else if constexpr (std::is_same_v<T, GuardTouch>) {
    const auto& [object, other] = value;
    each(object, other);
  } else if constexpr (std::is_same_v<T, GuardBody>) {
    const auto& [frame, solid, first, count, radius_hi, centre, ball_hi, reach_hi, way, active] =
        value;
    each(frame, solid, first, count, radius_hi, centre, ball_hi, reach_hi, way, active);
  } else {
    static_assert(std::is_same_v<T, Guard::Impl::Kept>);
    const auto& [time, world_time, has_last, has_box, settled_once, corrupted, went, braked,
                 changed, next_slot, next_tight, used_pairs, used_among, scale_level, cycle,
                 counters] = value;
    each(time, world_time, has_last, has_box, settled_once, corrupted, went, braked, changed,
         next_slot, next_tight, used_pairs, used_among, scale_level, cycle, counters);
  }
}

/// Copies values as they lie in memory, zero where no number is.
template <typename T>
void put_defined(std::span<const T> values, std::byte* to) noexcept {
  if constexpr (std::is_arithmetic_v<T>) {
    if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  } else {
    for (const T& value : values) {
      const auto* const begin = reinterpret_cast<const std::byte*>(&value);
      std::memset(to, 0, sizeof(T));
      each_number(value, [&](const auto& number) {
        const std::ptrdiff_t at = reinterpret_cast<const std::byte*>(&number) - begin;
        std::memcpy(to + at, &number, sizeof(number));
      });
      to += sizeof(T);
    }
  }
}

}  // namespace keepclear
