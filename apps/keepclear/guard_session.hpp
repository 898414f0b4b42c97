// SPDX-License-Identifier: BSD-3-Clause
//
// The guard with what the command puts around it: what is said of each cycle, what is counted, what
// is recorded.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/brake.hpp"
#include "keepclear/guard.hpp"
#include "keepclear/message.hpp"
#include "keepclear/recorder.hpp"
#include "live_ring.hpp"
#include "options.hpp"
#include "poses.hpp"

namespace keepclear::command {

using Nanoseconds = std::chrono::nanoseconds;

/// How long cycles took, in bins no wider than 1/64 of what is in them: for a run without end.
class LatencyHistogram {
 public:
  void add(Nanoseconds taken) noexcept;
  /// At least this share of all took no longer than that; the longest itself for 1.
  Nanoseconds quantile(double share) const noexcept;

 private:
  static constexpr int kBits = 6;
  std::array<std::uint64_t, std::size_t{64} << kBits> bins_{};
  std::uint64_t count_ = 0;
  std::uint64_t longest_ = 0;
};

/// What one state was answered with.
struct Answer {
  Action action = Action::brake;
  std::uint16_t reason = 0;  ///< a Reason, or a LinkReason
  GuardCycle found;          ///< of the guard itself, if it was asked
  double time = 0, scale = 0;
  std::uint64_t cycle = 0;                  ///< states answered so far, this one among them
  std::optional<std::uint64_t> sequence{};  ///< of a message
  bool stepped = false;                     ///< the guard was asked
};

std::string_view reason_name(std::uint16_t reason) noexcept;

struct SessionOptions {
  TalkOptions talk;
  bool timing = true;  ///< say how long cycles took
  std::string record;  ///< the file; empty: none
  std::size_t record_cycles = 1000;
  std::string live{};                ///< where others can see it; empty: nowhere
  std::optional<double> deadline{};  ///< seconds, of a live loop: a robot is at the other end
  bool goes_on = false;              ///< with a recording, which knows what was before
};

/// What came in over the wire and was not taken.
struct LinkCounts {
  std::uint64_t corrupted = 0;    ///< no message, or a damaged one
  std::uint64_t foreign = 0;      ///< of another sender
  std::uint64_t wrong_world = 0;  ///< for another robot or scene
  std::uint64_t old = 0;          ///< repeated, replayed or overtaken
  std::uint64_t lost = 0;         ///< missing in the sequence
  std::uint64_t unsent = 0;       ///< verdicts that could not be sent
  std::uint64_t watchdog = 0;     ///< times that states stopped coming
};

class Session {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// The guard must be one of these. What is printed goes to `sink`, whole lines.
  Session(const World& world, const BrakeModel& brake, const GuardOptions& guard_options,
          Guard guard, SessionOptions options, Sink sink);

  /// One cycle. `why` is what the loop itself has against the state; the guard sees it all the
  /// same.
  Answer take(const GuardState& state, LinkReason why = LinkReason::none) noexcept;
  /// What was read is no state: the guard is not asked.
  Answer refuse(LinkReason why) noexcept;
  /// An answer that turned out to be too late, or not to be given.
  void withdraw(Answer& answer, LinkReason why) noexcept;
  /// What was said when it was recorded, whatever the guard finds now.
  static void say(Answer& answer, std::uint16_t reason) noexcept;
  /// After the answer has gone out: counts, prints, records, shows.
  void finish(const Answer& answer, const GuardState* state, Nanoseconds taken);
  /// The loop brakes without a state. With `print` it is said here.
  void brake_without_state(LinkReason why, bool print);
  /// What the loop would say without a state.
  std::string line_without_state(LinkReason why) const;

  void print_header();
  /// The last line, or table. `extra` is more members of the JSON summary, each after a comma.
  void print_summary(const LinkCounts* link, const std::string& extra = {});
  /// Writes the recording if there is a brake that none was written for. Throws Error (write) for
  /// this or an earlier one that failed.
  void finish_recording();
  int exit_code(const LinkCounts* link) const noexcept;
  /// Why the latency does not hold the time between states that were seen, and what to do; empty if
  /// it does.
  std::string cycle_warning() const;

  const Guard& guard() const noexcept { return guard_; }
  std::uint64_t cycles() const noexcept { return cycles_; }
  bool went() const noexcept { return went_; }
  std::uint64_t brakes() const noexcept { return brakes_; }      ///< once it had gone
  std::uint64_t starting() const noexcept { return starting_; }  ///< brakes before that
  std::uint64_t overruns() const noexcept { return overruns_; }

 private:
  bool stands(const GuardState& state) const noexcept;
  void see_cycle(const GuardCycle& found, double time) noexcept;
  std::string latency_json() const;
  void print(const Answer& answer, Nanoseconds taken);
  void brake_began();
  void show(const Answer& answer, const GuardState* state, Nanoseconds taken) noexcept;

  const World world_;
  const BrakeModel brake_;
  const bool latch_, graded_;
  const bool gap_is_latency_;  ///< states that are farther apart than the latency brake
  /// Brakes can be stronger than what a state is proved for: once they are set, only a robot that
  /// stands goes. The guard knows of its own brakes; these are those of the loop.
  bool must_stand_ = false, link_braked_ = false;
  Guard guard_;
  SessionOptions options_;
  Sink sink_;
  JsonPairs json_pair_;
  std::optional<FlightRecorder> recorder_;
  std::string write_failed_;  ///< why the first recording that failed did
  std::uint64_t recordings_ = 0, unrecorded_ = 0;

  bool link_latched_ = false, went_ = false;
  Action last_ = Action::brake;
  std::uint16_t last_reason_ = 0;
  bool said_ = false;  ///< a cycle has been said in text
  std::uint64_t cycles_ = 0, brakes_ = 0, starting_ = 0, overruns_ = 0, flops_most_ = 0;
  std::uint64_t silences_ = 0;                       ///< brakes without a state
  std::optional<double> seen_time_, longest_cycle_;  ///< of states, seconds
  bool warned_ = false;                              ///< that the latency does not hold it
  double last_time_ = 0;                             ///< of the last state
  std::unique_ptr<LiveRing> live_;
  static constexpr std::size_t kReasons = 128;
  std::array<std::uint64_t, kReasons> reasons_{};
  LatencyHistogram latencies_;
};

}  // namespace keepclear::command
