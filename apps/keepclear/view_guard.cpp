// SPDX-License-Identifier: BSD-3-Clause
#include "view_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "keepclear/error.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTurn{50};      ///< how often the ring is looked at
constexpr milliseconds kSecond{1000};  ///< how often a silence is told
constexpr milliseconds kSeek{200};     ///< how often a guard is looked for
/// Events that are kept for those who are a little slow.
constexpr std::size_t kMostEvents = 40;
/// Rows of an event; rows that are kept for a page that is opened.
constexpr std::size_t kMostRows = 8, kMostKept = 1200;

double seconds_since(Clock::time_point when) {
  return std::chrono::duration<double>(Clock::now() - when).count();
}

ShownCycle shown_of(const LiveCycle& cycle) {
  ShownCycle shown;
  shown.cycle = cycle.cycle;
  shown.time = cycle.time;
  shown.go = cycle.go;
  shown.reason = cycle.reason;
  shown.a = cycle.a;
  shown.b = cycle.b;
  shown.bound = cycle.bound;
  shown.flops = cycle.flops;
  shown.microseconds = cycle.nanoseconds < 0 ? -1 : static_cast<double>(cycle.nanoseconds) / 1e3;
  shown.q.assign(cycle.q.begin(), cycle.q.end());
  shown.v.assign(cycle.v.begin(), cycle.v.end());
  return shown;
}

/// The older half with half as many.
void thin_older(std::vector<ShownCycle>& rows) {
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::vector<ShownCycle> older(std::make_move_iterator(rows.begin()),
                                std::make_move_iterator(middle));
  const std::size_t most = older.size() / 2;
  older = thinned_rows(std::move(older), most);
  older.insert(older.end(), std::make_move_iterator(middle), std::make_move_iterator(rows.end()));
  rows = std::move(older);
}

}  // namespace

void EventHub::publish(std::string text) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(text));
  if (events_.size() > kMostEvents) events_.pop_front();
  ++published_;
  changed_.notify_all();
}

void EventHub::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

int EventHub::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_;
}

std::shared_ptr<EventHub::Listener> EventHub::listen() {
  const std::lock_guard lock(mutex_);
  if (listeners_ >= kMost) return nullptr;
  std::shared_ptr<Listener> listener(new Listener(*this, published_));
  ++listeners_;
  return listener;
}

EventHub::Listener::~Listener() {
  const std::lock_guard lock(hub_.mutex_);
  --hub_.listeners_;
}

bool EventHub::Listener::next(std::string& text) {
  std::unique_lock lock(hub_.mutex_);
  hub_.changed_.wait_for(lock, kSecond,
                         [this] { return hub_.stopped_ || hub_.published_ != seen_; });
  if (hub_.stopped_) return false;
  const std::size_t behind = std::min<std::uint64_t>(hub_.published_ - seen_, hub_.events_.size());
  for (std::size_t i = hub_.events_.size() - behind; i < hub_.events_.size(); ++i) {
    text += hub_.events_[i];
  }
  seen_ = hub_.published_;
  return true;
}

AttachedGuard::AttachedGuard(const World& world, std::string file, EventHub& hub)
    : world_(world), file_(std::move(file)), hub_(hub) {
  open();
  if (!fault_.empty()) throw Error(Error::Kind::malformed, "", 0, fault_);
}

AttachedGuard::~AttachedGuard() {
  stop();
}

bool AttachedGuard::found() const {
  const std::lock_guard lock(mutex_);
  return braking_.has_value();
}

void AttachedGuard::start() {
  thread_ = std::thread([this] { watch(); });
}

void AttachedGuard::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

/// A guard, if there is one now. What a guard before has shown is forgotten.
void AttachedGuard::open() {
  fault_.clear();
  try {
    auto reader =
        std::make_unique<LiveReader>(file_, world_.hash(), world_.dof(), world_.solids().size());
    Braking braking(world_, reader->info().brake);
    const std::lock_guard lock(mutex_);
    reader_ = std::move(reader);
    braking_.emplace(std::move(braking));
    shown_ = {};
    shown_.brake = reader_->info().brake;
    shown_.options.margin = reader_->info().margin;
    shown_.options.budget = reader_->info().budget;
    shown_.work_bound = reader_->info().work_bound;
    latencies_ = {};
    histogram_ = "null";
    q_.clear();
    v_.clear();
    heard_.reset();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::missing) fault_ = error.what();
  }
}

void AttachedGuard::watch() {
  Poser poser(world_);
  Clock::time_point told{}, sought = Clock::now(), counted{};
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTurn, [this] { return stop_; });
      if (stop_) return;
    }
    const Clock::time_point now = Clock::now();
    if (!reader_ && now - sought >= kSeek) {
      sought = now;
      open();
    }
    if (reader_) take();
    if (now - counted >= kSecond) {
      counted = now;
      const std::lock_guard lock(mutex_);
      histogram_ = latencies_.json();
    }
    if (fresh_.empty() && now - told < kSecond) continue;
    told = now;
    if (fresh_.size() > kMostRows) {
      // The newest stays, whatever is worse than it.
      ShownCycle newest = std::move(fresh_.back());
      fresh_.pop_back();
      fresh_ = thinned_rows(std::move(fresh_), kMostRows - 1);
      fresh_.push_back(std::move(newest));
    }
    if (hub_.listeners() > 0) hub_.publish("event: guard\ndata: " + event(poser) + "\n\n");
    const std::lock_guard lock(mutex_);
    std::ranges::move(fresh_, std::back_inserter(shown_.rows));
    fresh_.clear();
    if (shown_.rows.size() > kMostKept) thin_older(shown_.rows);
  }
}

/// What the ring has that is new.
void AttachedGuard::take() {
  const bool over = reader_->over();
  reader_->read(cycles_);
  const LiveTotals totals = reader_->totals();
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < cycles_.size(); ++i) {
    fresh_.push_back(shown_of(cycles_[i]));
    latencies_.add(fresh_.back().microseconds);
    if (fresh_.back().q.empty()) continue;
    q_ = fresh_.back().q;
    v_ = fresh_.back().v;
  }
  if (cycles_.size() > 0) heard_ = Clock::now();
  shown_.cycles = totals.cycles;
  shown_.brakes = totals.brakes;
  shown_.overruns = totals.overruns;
  if (over) reader_.reset();
}

std::string AttachedGuard::event(Poser& poser) {
  std::vector<double> q;
  std::string silent = "null", histogram, counts;
  {
    const std::lock_guard lock(mutex_);
    q = q_;
    if (heard_) silent = fmt::format("{:.3f}", seconds_since(*heard_));
    histogram = histogram_;
    counts = fmt::format("\"cycles\":{},\"brakes\":{},\"overruns\":{}", shown_.cycles,
                         shown_.brakes, shown_.overruns);
  }
  const bool posed = !q.empty() && poser.pose(q, posed_);
  std::string text = fmt::format(
      R"({{"running":{},"silent":{},"fault":{},"rows":{},"pose":{},{},"histogram":{}}})",
      !fresh_.empty(), silent, fault_.empty() ? "null" : json_string(fault_),
      rows_json(fresh_, poser), posed ? json_of(world_, posed_) : "null", counts, histogram);
  // A line end would end the event.
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string AttachedGuard::document(Poser& poser) const {
  ShownGuard shown;
  std::vector<double> q;
  std::string histogram;
  {
    const std::lock_guard lock(mutex_);
    shown = shown_;
    q = q_;
    histogram = latencies_.json();
  }
  PosedWorld posed;
  std::string poses;
  if (!q.empty() && !shown.rows.empty() && poser.pose(q, posed)) {
    poses = fmt::format(R"({{"row":{},"pose":{},"volumes":[]}})", shown.rows.size() - 1,
                        json_of(world_, posed));
  }
  shown.name = file_;
  shown.live = true;
  return guard_json(shown, histogram, rows_json(shown.rows, poser), poses);
}

bool AttachedGuard::braking(Sweeper& sweeper, DrawnSweep& out) const {
  std::optional<Braking> braking;
  std::vector<double> q, v;
  {
    const std::lock_guard lock(mutex_);
    braking = braking_;
    q = q_;
    v = v_;
  }
  return braking && !q.empty() && braking_sweep(*braking, q, v, sweeper, out);
}

}  // namespace keepclear::command
