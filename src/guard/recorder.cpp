// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "keepclear/error.hpp"
#include "keepclear/version.hpp"
#include "rounding/mode.hpp"
#include "scene/new_file.hpp"

namespace keepclear {
namespace {

/// A state of the wrong size is kept as one of the wrong size, whatever its numbers are.
std::size_t kept_size(std::size_t size, std::size_t dof) noexcept {
  return std::min(size, dof + 1);
}

}  // namespace

GuardState RecordedCycle::state() const noexcept {
  return {.time = time, .q = q, .v = v, .command = command, .age = age, .ages = ages};
}

FlightRecorder::FlightRecorder(const World& world, const BrakeModel& brake,
                               const GuardOptions& options, const Guard& guard, std::size_t cycles)
    : world_(world.hash()),
      name_(world.name()),
      brake_(brake),
      options_(options),
      dof_(world.dof()),
      cycles_(cycles) {
  if (cycles < 1 || cycles > kMaxCycles) {
    throw Error(Error::Kind::usage, "", 0, fmt::format("a recorder of {} cycles", cycles),
                "1 to 1000000 can be kept");
  }
  slots_.resize(2 * cycles_);
  numbers_.resize(slots_.size() * 4 * (dof_ + 1));
  for (auto& memory : memory_) memory.resize(guard.memory_size());
  guard.save(memory_[0]);
}

void FlightRecorder::push(const GuardState& state, const Guard& guard,
                          std::uint16_t said) noexcept {
  const std::size_t i = count_ % slots_.size();
  Slot& slot = slots_[i];
  slot.time = state.time;
  slot.age = state.age;
  slot.found = guard.last();
  slot.said = said;
  const std::array<std::span<const double>, 4> blocks = {state.q, state.v, state.command,
                                                         state.ages};
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    slot.sizes[k] = kept_size(blocks[k].size(), dof_);
    std::copy_n(blocks[k].begin(), slot.sizes[k],
                numbers_.begin() + static_cast<std::ptrdiff_t>((i * 4 + k) * (dof_ + 1)));
  }
  ++count_;
  if (count_ % cycles_ == 0) guard.save(memory_[count_ / cycles_ % 2]);
}

void FlightRecorder::restart(const Guard& guard) noexcept {
  dropped_ += count_;
  count_ = 0;
  guard.save(memory_[0]);
}

std::size_t FlightRecorder::begin() const noexcept {
  const std::size_t multiple = count_ / cycles_;
  return multiple == 0 ? 0 : (multiple - 1) * cycles_;
}

std::size_t FlightRecorder::size() const noexcept {
  return count_ - begin();
}

Recording FlightRecorder::recording() const {
  const std::size_t first = begin();
  Recording recording{world_,           name_,    kVersion,
                      brake_,           options_, memory_[first / cycles_ % 2],
                      dropped_ + first, {}};
  recording.cycles.resize(count_ - first);
  for (std::size_t c = first; c < count_; ++c) {
    const std::size_t i = c % slots_.size();
    RecordedCycle& cycle = recording.cycles[c - first];
    const Slot& slot = slots_[i];
    cycle.time = slot.time;
    cycle.age = slot.age;
    cycle.found = slot.found;
    cycle.said = slot.said;
    const std::array<std::vector<double>*, 4> blocks = {&cycle.q, &cycle.v, &cycle.command,
                                                        &cycle.ages};
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const double* const from = numbers_.data() + (i * 4 + k) * (dof_ + 1);
      blocks[k]->assign(from, from + slot.sizes[k]);
    }
  }
  return recording;
}

void FlightRecorder::write(const std::filesystem::path& file) const {
  const std::string text = to_text(recording());
  NewFile out(file);
  out.write(text);
  out.keep();
}

Guard restored_guard(const World& world, const Recording& recording, const std::string& file) {
  rounding::require_mode();
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw Error(Error::Kind::malformed, file, 0, what, hint);
  };
  if (recording.world != world.hash()) {
    refuse(fmt::format("recorded of another world, '{}' with the hash {}", recording.name,
                       recording.world.substr(0, 16)),
           fmt::format("this one has {}", world.hash().substr(0, 16)));
  }
  if (recording.brake.joints.size() != world.dof()) {
    refuse(fmt::format("a brake model of {} numbers, the world has {}",
                       recording.brake.joints.size(), world.dof()),
           "the recording is not whole");
  }
  std::optional<Guard> made;
  try {
    made.emplace(world, recording.brake, recording.options);
  } catch (const Error& error) {
    refuse(error.what(), "the recording is of no guard");
  }
  Guard& guard = *made;
  if (!guard.restore(recording.memory)) {
    refuse(
        "the memory of the guard does not fit",
        fmt::format("it was recorded by Keepclear {}, this is {}", recording.keepclear, kVersion));
  }
  return std::move(guard);
}

bool same_finding(const GuardCycle& a, const GuardCycle& b) noexcept {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return a.action == b.action && a.reason == b.reason && a.a == b.a && a.b == b.b &&
         bits(a.bound) == bits(b.bound) && bits(a.scale) == bits(b.scale) && a.flops == b.flops;
}

}  // namespace keepclear
