// SPDX-License-Identifier: BSD-3-Clause
//
// What a guard remembers from cycle to cycle, as bytes; and a checksum over what it must never
// forget, a part of it every cycle.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "guard/fields.hpp"
#include "guard/guard_impl.hpp"
#include "guard/members.hpp"
#include "rounding/mode.hpp"
#include "scene/hasher.hpp"
#include "sweep/layout.hpp"

namespace keepclear {
namespace {

constexpr std::uint64_t kSeed = 0x6b656570636c6561u;
/// Of the memory, counted up whenever its layout changes.
constexpr std::uint64_t kMemoryFormat = 2;

std::uint64_t mix(std::uint64_t sum, std::uint64_t word) noexcept {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
  return sum ^ (sum >> 29);
}

std::uint64_t sum_words(std::uint64_t sum, const std::byte* bytes, std::size_t words) noexcept {
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word;
    std::memcpy(&word, bytes + 8 * i, 8);
    sum = mix(sum, word);
  }
  return sum;
}

/// What is left at the end of a block, in one word.
std::uint64_t sum_rest(std::uint64_t sum, std::span<const std::byte> block) noexcept {
  std::uint64_t word = block.size();
  std::memcpy(&word, block.data() + block.size() / 8 * 8, block.size() % 8);
  return mix(sum, word);
}

std::uint64_t sum_all(std::uint64_t sum, std::span<const std::byte> block) noexcept {
  return sum_rest(sum_words(sum, block.data(), block.size() / 8), block);
}

template <typename T>
std::span<const std::byte> bytes_of(const T& values) {
  return std::as_bytes(std::span(values));
}

/// SHA-256, in hexadecimal, of everything that an answer depends on but states and calls.
std::string hash_guard(const std::string& world, const BrakeModel& brake,
                       const GuardOptions& options) {
  Hasher h;
  h.add(std::string_view("keepclear guard 1"));
  h.add(std::string_view(world));
  const auto add = [&](const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_floating_point_v<Value>) {
      h.add(static_cast<double>(value));
    } else {
      h.add(static_cast<std::uint64_t>(value));
    }
  };
  // A member that is added to a BrakeModel and not here does not compile.
  const auto& [latency, joints, delays] = brake;
  add(latency);
  add(static_cast<std::uint64_t>(delays.has_value()));
  if (delays) {
    const auto& [age, cycle, communication, reaction, noticed] = *delays;
    add(age), add(cycle), add(communication), add(reaction), add(noticed);
  }
  h.add(static_cast<std::uint64_t>(joints.size()));
  for (const JointBrake& joint : joints) for_each_field(joint, add);
  for_each_option(options, [&](const char* name, const auto& value) {
    h.add(std::string_view(name));
    add(value);
  });
  return h.hex();
}

}  // namespace

/// Everything that is never written after construction and that a verdict rests on.
void Guard::Impl::list_memory() {
  const auto add = [&](std::span<const std::byte> block) {
    if (!block.empty()) blocks.push_back(block);
  };
  const Kinematics& kinematics = data.kinematics;
  add({reinterpret_cast<const std::byte*>(&kinematics.frame(0)),
       sizeof(Kinematics::Frame) * static_cast<std::size_t>(kinematics.frame_count())});
  std::size_t points = 0;
  for (const WorldBody& body : data.bodies) points += body.body.tables().count;
  for (const AlignedVector* axis : {&all.x, &all.y, &all.z}) {
    add(std::as_bytes(std::span(axis->data(), points)));
  }
  add(bytes_of(rows)), add(bytes_of(weights));
  add(bytes_of(all.motions_to)), add(bytes_of(all.chain));
  add(bytes_of(among)), add(bytes_of(among_row));
  add(bytes_of(braking.model().joints));
  const Environment& env = data.environment;
  add(bytes_of(env.objects)), add(bytes_of(env.pieces)), add(bytes_of(env.balls));
  add(bytes_of(env.boxes)), add(bytes_of(env.half_spaces));
  for (const Body& body : env.bodies) {
    const BodyTables& tables = body.tables();
    add(bytes_of(tables.x)), add(bytes_of(tables.y)), add(bytes_of(tables.z));
    add(bytes_of(tables.blocks)), add(bytes_of(tables.first_block));
    add(bytes_of(tables.slot_vertex));
  }
  for (const std::span<const std::byte> block : env.index.memory()) add(block);
  memory_sum = kSeed;
  for (const std::span<const std::byte> block : blocks) {
    memory_sum = sum_all(memory_sum, block);
    memory_words += block.size() / 8 + 1;
  }
  check_sum = kSeed;

  // A snapshot must agree with all that the future of a cycle depends on.
  hash = hash_guard(data.hash, braking.model(), options);
  key = kSeed;
  for (const char c : hash) key = mix(key, static_cast<unsigned char>(c));
  key = mix(key, kMemoryFormat);
}

/// A part of the sum a cycle, so that it has gone through all after check_cycles of them.
bool Guard::Impl::check_memory() noexcept {
  if (options.check_cycles == 0) return kept.corrupted == 0;
  std::uint64_t words = memory_words / options.check_cycles + 1;
  while (words > 0) {
    const std::span<const std::byte> block = blocks[check_block];
    const std::uint64_t whole = block.size() / 8;
    const std::uint64_t now = std::min(words, whole - check_at);
    check_sum = sum_words(check_sum, block.data() + 8 * check_at, now);
    check_at += now;
    words -= now;
    if (check_at < whole || words == 0) continue;
    check_sum = sum_rest(check_sum, block);
    --words;
    check_at = 0;
    if (++check_block < blocks.size()) continue;
    if (check_sum != memory_sum) kept.corrupted = 1;
    check_block = 0;
    check_sum = kSeed;
  }
  return kept.corrupted == 0;
}

/// f(values) for every piece of memory that a cycle writes and the next one reads.
template <typename F>
void Guard::Impl::each_block(F&& f) {
  const auto one = [&](auto& value) {
    static_assert(std::is_trivially_copyable_v<std::remove_reference_t<decltype(value)>>);
    f(std::span(&value, 1));
  };
  const auto all_of = [&](auto& values) { f(std::span(values)); };
  one(kept), one(margin_hi);
  all_of(last_q), all_of(last_v), all_of(box);
  all_of(bounds), all_of(obstacle_bounds), all_of(piece_directions);
  all_of(pairs), all_of(is_moved), all_of(all.bodies);
  const std::size_t own = all.x.size() - carried_points;
  for (AlignedVector* axis : {&all.x, &all.y, &all.z}) {
    f(std::span(axis->data() + own, carried_points));
  }
}

/// The lists that grow and shrink, each in the room of the longest it can be.
template <typename F>
void Guard::Impl::each_list(F&& f) {
  f(margins), f(moved), f(touching);
}

const std::string& Guard::hash() const noexcept {
  return impl_->hash;
}

std::size_t Guard::memory_size() const noexcept {
  // The key and a checksum; and of each list its length.
  std::size_t size = 16;
  impl_->each_block([&](auto block) { size += block.size_bytes(); });
  impl_->each_list([&](auto& list) { size += 8 + list.capacity() * sizeof(list[0]); });
  return size;
}

void Guard::Impl::save(std::span<std::byte> memory) noexcept {
  std::byte* to = memory.data();
  const auto put = [&](auto values) {
    put_defined(std::span<const typename decltype(values)::value_type>(values), to);
    to += values.size_bytes();
  };
  put(std::span(&key, 1));
  each_block(put);
  each_list([&](auto& list) {
    const std::uint64_t count = list.size();
    put(std::span(&count, 1));
    put(std::span(list));
    const std::size_t rest = (list.capacity() - list.size()) * sizeof(list[0]);
    std::memset(to, 0, rest);
    to += rest;
  });
  sign(memory);
}

/// The sum of all, in the last eight bytes.
void Guard::Impl::sign(std::span<std::byte> memory) const noexcept {
  const std::uint64_t sum = sum_all(kSeed, memory.first(memory.size() - 8));
  std::memcpy(memory.data() + memory.size() - 8, &sum, 8);
}

/// Whether memory that has the right sum is that of such a guard: every index in it leads
/// somewhere.
bool Guard::Impl::makes_sense(const std::byte* memory) noexcept {
  const auto solids = static_cast<int>(data.solids.size());
  const auto is_solid = [&](int solid, int least) { return solid >= least && solid < solids; };
  const auto frames = data.kinematics.frame_count();
  const auto body_count = static_cast<int>(all.bodies.size());
  bool right = true;
  const std::byte* at = memory + 8;
  const auto each = [&](auto& values, auto check) {
    using Value = std::remove_reference_t<decltype(values[0])>;
    for (std::size_t i = 0; i < values.size(); ++i) {
      Value value;
      std::memcpy(&value, at + i * sizeof(Value), sizeof(Value));
      right = right && check(value, i);
    }
  };
  const std::byte* bodies_at = nullptr;
  const auto body_of = [&](int b) {
    GuardBody body;
    std::memcpy(&body, bodies_at + static_cast<std::size_t>(b) * sizeof(GuardBody), sizeof(body));
    return body;
  };
  // Bodies first: pairs are of them.
  each_block([&](auto typed) {
    const std::span<std::byte> block = std::as_writable_bytes(typed);
    if (block.data() == reinterpret_cast<std::byte*>(all.bodies.data())) {
      bodies_at = at;
      each(all.bodies, [&](const GuardBody& body, std::size_t b) {
        const GuardBody& own = all.bodies[b];
        const std::size_t room =
            (b + 1 < all.bodies.size() ? all.bodies[b + 1].first : all.x.size()) - own.first;
        return body.first == own.first && body.way == own.way && body.count <= room &&
               (body.count > 0 || !body.active) && body.frame >= 0 && body.frame < frames &&
               is_solid(body.solid, 0) && body.radius_hi >= 0;
      });
    }
    at += block.size();
  });
  at = memory + 8;
  each_block([&](auto typed) {
    if (!right) return;
    const std::span<std::byte> block = std::as_writable_bytes(typed);
    const std::byte* const own = block.data();
    if (own == reinterpret_cast<std::byte*>(&kept)) {
      Kept value;
      std::memcpy(&value, at, sizeof(value));
      right = value.used_pairs >= fixed_pairs && value.used_pairs <= pairs.size() &&
              value.used_among >= fixed_among && value.used_among <= among.size() &&
              is_solid(value.cycle.a, -1) && is_solid(value.cycle.b, -1) &&
              value.cycle.action <= Action::go && value.cycle.reason <= Reason::corrupted;
    } else if (own == reinterpret_cast<std::byte*>(pairs.data())) {
      each(pairs, [&](const GuardPair& pair, std::size_t i) {
        if (pair.change_a != pairs[i].change_a || pair.change_b != pairs[i].change_b) return false;
        if (i < fixed_pairs && (pair.a != pairs[i].a || pair.b != pairs[i].b)) return false;
        if (!pair.active) return true;
        if (pair.a < 0 || pair.b < 0 || pair.a >= body_count || pair.b >= body_count) return false;
        const int origin =
            meeting_frame(data.kinematics, body_of(pair.a).frame, body_of(pair.b).frame);
        return pair.origin == origin && pair.skip == all.motions_to[origin] && pair.margin >= 0;
      });
    } else if (own == reinterpret_cast<std::byte*>(obstacle_bounds.data())) {
      each(obstacle_bounds,
           [&](const GuardBound& bound, std::size_t) { return is_solid(bound.other, -1); });
    }
    at += block.size();
  });
  each_list([&](auto& list) {
    std::uint64_t count = 0;
    if (right) std::memcpy(&count, at, 8);
    right = right && count <= list.capacity();
    using Value = std::remove_reference_t<decltype(list[0])>;
    for (std::uint64_t i = 0; right && i < count; ++i) {
      Value value;
      std::memcpy(&value, at + 8 + i * sizeof(Value), sizeof(Value));
      if constexpr (std::is_same_v<Value, GuardMargin>) {
        right = is_solid(value.a, 0) && is_solid(value.b, 0) && value.margin >= 0;
      } else if constexpr (std::is_same_v<Value, GuardTouch>) {
        right = is_solid(value.object, 0) && is_solid(value.other, 0);
      } else {
        right = is_solid(value.solid, 0) && is_solid(value.link, -1) &&
                value.first >= static_cast<int>(data.bodies.size()) && value.first <= value.last &&
                value.last <= body_count;
      }
    }
    at += 8 + list.capacity() * sizeof(Value);
  });
  return right;
}

bool Guard::Impl::restore(std::span<const std::byte> memory) noexcept {
  const std::byte* from = memory.data();
  const auto get = [&](void* to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    from += bytes;
  };
  std::uint64_t its_key = 0, sum = 0;
  std::memcpy(&sum, memory.data() + memory.size() - 8, 8);
  if (sum != sum_all(kSeed, memory.first(memory.size() - 8))) return false;
  get(&its_key, 8);
  if (its_key != key || !makes_sense(memory.data())) return false;
  const Flag was_corrupted = kept.corrupted;
  each_block([&](auto block) { get(block.data(), block.size_bytes()); });
  each_list([&](auto& list) {
    std::uint64_t count = 0;
    get(&count, 8);
    list.resize(count);
    get(list.data(), list.size() * sizeof(list[0]));
    from += (list.capacity() - list.size()) * sizeof(list[0]);
  });
  if (was_corrupted != 0) kept.corrupted = 1;
  last_state = LastState::none;
  return true;
}

void Guard::save(std::span<std::byte> memory) const noexcept {
  if (memory.size() == memory_size()) impl_->save(memory);
}
bool Guard::restore(std::span<const std::byte> memory) noexcept {
  return rounding::mode_is_right() && memory.size() == memory_size() && impl_->restore(memory);
}

}  // namespace keepclear
