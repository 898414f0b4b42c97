// SPDX-License-Identifier: BSD-3-Clause
//
// A running guard as the page sees it: one thread reads its ring, makes one event of what is new,
// and everybody who looks gets that.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "guard_live.hpp"
#include "live_ring.hpp"
#include "motion/braking.hpp"
#include "page_guard.hpp"

namespace keepclear::command {

/// What is sent to all who listen: the latest of it. Whoever is slow misses some.
class EventHub {
 public:
  /// An event, as a server sends it.
  void publish(std::string text);
  /// No more events: whoever waits is woken.
  void stop();

  /// One who listens, from now on. At most kMost at a time: then none.
  static constexpr int kMost = 32;
  class Listener {
   public:
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    /// Appends what has come; waits for a second if that is nothing. False when it is over.
    bool next(std::string& text);

   private:
    friend class EventHub;
    Listener(EventHub& hub, std::uint64_t seen) : hub_(hub), seen_(seen) {}
    EventHub& hub_;
    std::uint64_t seen_;
  };
  std::shared_ptr<Listener> listen();
  int listeners() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> events_;
  std::uint64_t published_ = 0;
  int listeners_ = 0;
  bool stopped_ = false;
};

class AttachedGuard {
 public:
  /// There need not be a guard yet. Throws Error (malformed) for what is there and is none, or one
  /// of another world.
  AttachedGuard(const World& world, std::string file, EventHub& hub);
  ~AttachedGuard();
  AttachedGuard(const AttachedGuard&) = delete;
  AttachedGuard& operator=(const AttachedGuard&) = delete;

  bool found() const;
  void start();
  void stop();

  /// A GuardRun of document.ts: what is known now. From any thread.
  std::string document(Poser& poser) const;
  /// The braking motion of the last state; false if there is none. From any thread.
  bool braking(Sweeper& sweeper, DrawnSweep& out) const;

 private:
  void open();
  void watch();
  void take();
  std::string event(Poser& poser);

  const World world_;
  const std::string file_;
  EventHub& hub_;
  // Of the thread.
  std::unique_ptr<LiveReader> reader_;
  LiveCycles cycles_;
  std::vector<ShownCycle> fresh_;
  PosedWorld posed_;
  std::string fault_;  ///< why there is none

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  // With the lock.
  ShownGuard shown_;  ///< `rows` have the last ones, the older the fewer
  ShownLatencies latencies_;
  std::string histogram_ = "null";
  std::optional<Braking> braking_;
  std::vector<double> q_, v_;  ///< of the last state; empty: none
  std::optional<Clock::time_point> heard_;
  std::thread thread_;
};

}  // namespace keepclear::command
