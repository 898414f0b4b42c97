// SPDX-License-Identifier: BSD-3-Clause
//
// The two control loops. Whatever is not a state that came in time ends in *brake*; only what the
// guard has proved goes.
#include "guard_live.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "guard_states.hpp"
#include "keepclear/error.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

/// What both loops keep of time: when the last state came, since when it may have waited, and
/// whether the watchdog has spoken.
class Pace {
 public:
  Pace(Watchdog& watchdog, const LiveOptions& options)
      : watchdog_(watchdog), deadline_(options.deadline), empty_(options.began) {}

  /// At that time, or after it, nothing waited: whatever comes next has not waited for longer.
  void saw_empty(Clock::time_point when) { empty_ = when; }
  /// Why a state that came now is not to be trusted: it may have waited for as long as the program
  /// was busy, stopped or slower than the sender. A silence before it counts as its age too.
  LinkReason on_state(Clock::time_point came) {
    const bool gap = started_ && came - last_ > deadline_;
    const bool waited = came - empty_ > deadline_;
    // The sender of one more may have been kept from writing it by those that waited.
    const bool blocked = std::exchange(behind_, waited);
    started_ = true;
    last_ = came;
    if (!gap && !waited && !blocked) {
      kept_up_ = true;
      return LinkReason::none;
    }
    return kept_up_ ? LinkReason::no_state : LinkReason::restarted;
  }
  /// Once the answer is ready to go out.
  LinkReason on_answer(Clock::time_point came) {
    if (note_expiry()) return LinkReason::no_state;
    return Clock::now() - came > deadline_ ? LinkReason::late : LinkReason::none;
  }
  /// Whether the watchdog has spoken since this was last asked.
  bool note_expiry() {
    const std::uint64_t expiries = watchdog_.expiries();
    return std::exchange(seen_, expiries) != expiries;
  }
  void answered(Clock::time_point came) { watchdog_.feed(came); }

 private:
  Watchdog& watchdog_;
  const Nanoseconds deadline_;
  Clock::time_point last_{}, empty_;
  bool started_ = false, behind_ = false;
  bool kept_up_ =
      false;  ///< some state came in time: what waited while the program started is over
  std::uint64_t seen_ = 0;
};

enum class Got { line, end, signal };

/// One controller behind a UDP port.
class UdpLoop {
 public:
  UdpLoop(Session& session, const World& world, const LiveOptions& options)
      : session_(session),
        options_(options),
        port_(options.address, options.allow_remote),
        world_(world_tag(world.hash())),
        dof_(world.dof()),
        numbers_(4 * kMaxMessageNumbers),
        bytes_(state_bytes(kMaxMessageNumbers, true, true)),
        watchdog_(options.deadline, [this](bool) { send_brake(LinkReason::no_state); }),
        pace_(watchdog_, options) {}

  const std::string& name() const { return port_.name(); }

  void run(const StopSignals& stop) {
    while (!stop.came()) {
      Peer from;
      const Clock::time_point before = Clock::now();
      // One datagram a turn, so that a flood cannot keep a signal from being seen.
      const std::ptrdiff_t size = port_.receive(bytes_, from);
      const Clock::time_point came = Clock::now();
      if (size == UdpPort::kNothing) pace_.saw_empty(before);
      if (pace_.note_expiry()) session_.brake_without_state(LinkReason::no_state, true);
      if (size >= 0) {
        receive(static_cast<std::size_t>(size), from, came);
      } else {
        stop.wait(port_.descriptor(), options_.deadline);
      }
    }
    watchdog_.stop();
    send_brake(LinkReason::stopped);
    session_.brake_without_state(LinkReason::stopped, true);
  }

  /// For whatever ends the loop from outside.
  void say_stopped() noexcept {
    watchdog_.stop();
    send_brake(LinkReason::stopped);
  }

  LinkCounts counts() const {
    LinkCounts counts = counts_;
    counts.watchdog = watchdog_.expiries();
    counts.unsent = unsent_;
    return counts;
  }

 private:
  void receive(std::size_t size, const Peer& from, Clock::time_point came) {
    StateMessage state;
    if (size > bytes_.size() ||
        decode(std::span(bytes_).first(size), numbers_, state) != MessageFault::none) {
      ++counts_.corrupted;
    } else if (state.world != world_ || state.q.size() != dof_) {
      ++counts_.wrong_world;
    } else if (locked_ && (state.source != source_ || !(from == peer_))) {
      ++counts_.foreign;
    } else if (state.sequence <= sequence_) {
      ++counts_.old;
    } else {
      answer(state, from, came);
    }
  }

  void answer(const StateMessage& message, const Peer& from, Clock::time_point came) {
    LinkReason why = pace_.on_state(came);
    if (!locked_) {
      why = LinkReason::restarted;
      source_ = message.source;
      peer_ = from;
    } else if (const std::uint64_t lost = message.sequence - sequence_ - 1; lost > 0) {
      counts_.lost += lost;
      if (lost > options_.max_lost) why = LinkReason::lost;
    }
    sequence_ = message.sequence;
    locked_ = true;
    const GuardState state{.time = message.time,
                           .q = message.q,
                           .v = message.v,
                           .command = message.command,
                           .age = message.age,
                           .ages = message.ages};
    Answer answer = session_.take(state, why);
    answer.sequence = message.sequence;
    cycle_ = answer.cycle;
    if (const LinkReason late = pace_.on_answer(came);
        late != LinkReason::none && answer.action == Action::go) {
      session_.withdraw(answer, late);
    }
    const GuardCycle& found = answer.found;
    send({.source = message.source,
          .sequence = message.sequence,
          .world = world_,
          .time = message.time,
          .scale = answer.scale,
          .bound = found.bound,
          .cycle = answer.cycle,
          .action = answer.action,
          .reason = answer.reason,
          .a = found.a,
          .b = found.b});
    pace_.answered(came);
    session_.finish(answer, &state, Clock::now() - came);
  }

  /// From any thread: what it reads does not change any more once states have come.
  void send_brake(LinkReason why) noexcept {
    if (!locked_) return;
    send({.source = source_,
          .sequence = sequence_,
          .world = world_,
          .cycle = cycle_,
          .reason = static_cast<std::uint16_t>(why)});
  }

  void send(const VerdictMessage& verdict) noexcept {
    std::array<std::byte, kVerdictBytes> bytes;
    const std::size_t size = encode(verdict, bytes);
    if (!port_.send(std::span(bytes).first(size), peer_)) ++unsent_;
  }

  Session& session_;
  const LiveOptions options_;
  const UdpPort port_;
  const std::uint64_t world_;
  const std::size_t dof_;
  std::vector<double> numbers_;
  std::vector<std::byte> bytes_;
  LinkCounts counts_;
  std::uint64_t source_ = 0;  ///< of the first sender: written before locked_ is set, never again
  Peer peer_;
  std::atomic<bool> locked_ = false;
  std::atomic<std::uint64_t> sequence_ = 0, cycle_ = 0, unsent_ = 0;
  Watchdog watchdog_;
  Pace pace_;
};

}  // namespace

int run_udp(Session& session, const World& world, const LiveOptions& options,
            const TalkOptions& talk, const StopSignals& stop) {
  if (world.dof() > kMaxMessageNumbers) {
    usage(fmt::format("the world has {} numbers, a message holds {}", world.dof(),
                      kMaxMessageNumbers),
          "use --stdin");
  }
  UdpLoop loop(session, world, options);
  if (!talk.quiet) message(fmt::format("keepclear: listening on {}\n", loop.name()));
  session.print_header();
  try {
    loop.run(stop);
  } catch (...) {
    loop.say_stopped();
    throw;
  }
  const LinkCounts counts = loop.counts();
  session.print_summary(&counts);
  session.finish_recording();
  return session.exit_code(&counts);
}

int run_stdin(Session& session, const World& world, const LiveOptions& options,
              const TalkOptions& talk, const StopSignals& stop, LiveOutput& out) {
  LineReader reader(STDIN_FILENO, "standard input");
  std::string line;
  // Comments are no lines.
  const auto next_line = [&](const auto& idle, const auto& saw_empty) {
    for (;;) {
      if (stop.came()) return Got::signal;
      if (reader.pop(line)) {
        if (line.starts_with('#')) continue;
        return Got::line;
      }
      const Clock::time_point before = Clock::now();
      if (!stop.wait(STDIN_FILENO, Nanoseconds(0))) {
        // The beginning of a line may be as old as the whole of one.
        if (reader.rest().empty()) saw_empty(before);
        if (!stop.wait(STDIN_FILENO, options.deadline)) {
          idle();
          continue;
        }
      }
      if (!stop.came() && !reader.fill()) return Got::end;
    }
  };
  std::optional<Clock::time_point> empty;
  Got got = next_line([] {}, [&](Clock::time_point when) { empty = when; });
  if (got == Got::end) {
    throw Error(Error::Kind::malformed, reader.name(), 0, "empty: there is no header line",
                "the first line has time, and q.NAME and v.NAME for every joint");
  }
  const auto finish = [&](std::uint64_t expiries) {
    if (got == Got::signal) session.brake_without_state(LinkReason::stopped, true);
    LinkCounts counts;
    counts.watchdog = expiries;
    session.print_summary(&counts);
    session.finish_recording();
    return session.exit_code(&counts);
  };
  if (got == Got::signal) {
    session.print_header();
    return finish(0);
  }
  StateColumns columns(world.variables(), line, reader.name(), reader.line_number(),
                       options.needs_command);
  session.print_header();
  // The watchdog speaks for itself: the loop may hang.
  Watchdog watchdog(options.deadline, [&](bool first) {
    if (!first) return;
    try {
      out.write(session.line_without_state(LinkReason::no_state));
    } catch (const Error&) {
      // Nobody reads any more: the loop finds that out too.
    }
  });
  Pace pace(watchdog, options);
  if (empty) pace.saw_empty(*empty);
  const auto note_expiry = [&] {
    if (pace.note_expiry()) session.brake_without_state(LinkReason::no_state, false);
  };
  StateRow row;
  bool told = false, blank = false;
  while ((got = next_line(note_expiry, [&](Clock::time_point when) { pace.saw_empty(when); })) ==
         Got::line) {
    if (is_blank(line)) {
      blank = true;
      continue;
    }
    // A blank line is fine as the last one: only now it is known not to be.
    if (std::exchange(blank, false)) {
      session.finish(session.refuse(LinkReason::malformed), nullptr, Nanoseconds(0));
    }
    const Clock::time_point came = Clock::now();
    note_expiry();
    const LinkReason why = pace.on_state(came);
    const std::string fault = columns.read(line, row);
    const bool good = fault.empty();
    const GuardState state = row.state();
    Answer answer = good ? session.take(state, why) : session.refuse(LinkReason::malformed);
    // A reader that does not read gets no *go* later on.
    if (answer.action == Action::go) out.wait(came + options.deadline);
    if (const LinkReason late = pace.on_answer(came);
        late != LinkReason::none && answer.action == Action::go) {
      session.withdraw(answer, late);
    }
    pace.answered(came);
    session.finish(answer, good ? &state : nullptr, Clock::now() - came);
    if (!good && !std::exchange(told, true) && !talk.quiet) {
      message(fmt::format("keepclear: note: {}:{}: {}; further ones are not told\n", reader.name(),
                          reader.line_number(), printable(fault)));
    }
  }
  watchdog.stop();
  note_expiry();
  // A line without an end may lack digits of its last number.
  if (got == Got::end && !reader.rest().empty()) {
    session.finish(session.refuse(LinkReason::malformed), nullptr, Nanoseconds(0));
  }
  return finish(watchdog.expiries());
}

}  // namespace keepclear::command
