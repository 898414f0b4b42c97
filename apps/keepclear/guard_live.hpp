// SPDX-License-Identifier: BSD-3-Clause
//
// The guard in a control loop: states from a pipe or from the network, a watchdog, signals.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "guard_session.hpp"

namespace keepclear::command {

/// Never goes back and knows no time zone, unlike that on the wall.
using Clock = std::chrono::steady_clock;

struct LiveOptions {
  std::string address;  ///< HOST:PORT; empty: standard input
  bool allow_remote = false;
  bool realtime = false;
  bool needs_command = false;
  std::uint64_t max_lost = 0;
  Nanoseconds deadline{};
  Clock::time_point began{};  ///< of the program: what waits when the loop starts came after it
};

/// Asks for locked memory and a real-time priority. What is not allowed is said, unless quiet.
void ask_for_realtime(bool quiet);

/// SIGTERM, SIGINT and SIGHUP as something to wait for. Before any thread is started.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  bool came() const noexcept;
  /// Waits until `descriptor` has something to read (then true), a signal came, or the time is
  /// over.
  bool wait(int descriptor, Nanoseconds most) const;

 private:
  int descriptor_ = -1;
};

/// Standard output line by line, from any thread. A reader that does not read cannot keep the
/// program from being stopped.
class LiveOutput {
 public:
  explicit LiveOutput(const StopSignals& stop) : stop_(stop) {}
  /// Waits until a line can be written at once, but no longer than that.
  void wait(Clock::time_point until) const noexcept;
  /// Throws Error (write).
  void write(std::string_view lines);

 private:
  const StopSignals& stop_;
  std::mutex mutex_;
};

/// A thread with a timer of its own: calls `brake` when it was not fed for longer than the
/// deadline, and again each time that passes, until it is fed.
class Watchdog {
 public:
  /// `brake` is told whether it is the first time since it was fed. It must not throw.
  Watchdog(Nanoseconds deadline, std::function<void(bool)> brake);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A state that came at that time was answered. The first one starts the watch. Takes no lock.
  void feed(Clock::time_point came) noexcept { fed_ = came.time_since_epoch().count(); }
  /// Times that the deadline passed after feed(). Takes no lock.
  std::uint64_t expiries() const noexcept { return expiries_; }
  /// No more calls of `brake` after this.
  void stop() noexcept;

 private:
  void watch();

  const Nanoseconds deadline_;
  const std::function<void(bool)> brake_;
  std::atomic<Clock::rep> fed_ = 0;  ///< 0: never
  std::atomic<std::uint64_t> expiries_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

/// Where a datagram came from.
struct Peer {
  sockaddr_storage address = {};
  socklen_t size = 0;

  bool operator==(const Peer& other) const noexcept;
};

/// A UDP port of this program alone.
class UdpPort {
 public:
  /// Throws Error: (usage) for what is no HOST:PORT, and for a host that is not this machine unless
  /// `allow_remote`; (missing) for a port that cannot be had.
  UdpPort(const std::string& address, bool allow_remote);
  ~UdpPort();
  UdpPort(const UdpPort&) = delete;
  UdpPort& operator=(const UdpPort&) = delete;

  int descriptor() const noexcept { return socket_; }
  /// HOST:PORT as it is bound.
  const std::string& name() const noexcept { return name_; }
  /// The next datagram, if one waits: its size, which may be more than fits. kNothing if none does,
  /// kFailed if that cannot be said.
  static constexpr std::ptrdiff_t kNothing = -1, kFailed = -2;
  std::ptrdiff_t receive(std::span<std::byte> bytes, Peer& from) const noexcept;
  bool send(std::span<const std::byte> bytes, const Peer& to) const noexcept;

 private:
  int socket_ = -1;
  std::string name_;
};

/// Until the input ends or a signal comes. Returns the exit code.
int run_stdin(Session& session, const World& world, const LiveOptions& options,
              const TalkOptions& talk, const StopSignals& stop, LiveOutput& out);
int run_udp(Session& session, const World& world, const LiveOptions& options,
            const TalkOptions& talk, const StopSignals& stop);

}  // namespace keepclear::command
