// SPDX-License-Identifier: BSD-3-Clause
#include "guard_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "keepclear/error.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

constexpr auto kFirstLinkReason = static_cast<std::uint16_t>(LinkReason::no_state);

std::uint16_t code_of(Reason reason) {
  return static_cast<std::uint16_t>(reason);
}
std::uint16_t code_of(LinkReason reason) {
  return static_cast<std::uint16_t>(reason);
}

/// Brakes that belong to a start, and are no finding.
bool is_start(std::uint16_t reason) {
  return reason == code_of(Reason::starting) || reason == code_of(Reason::still_moving) ||
         reason == code_of(LinkReason::restarted);
}

std::string microseconds(Nanoseconds taken) {
  return fmt::format("{:.3f}", static_cast<double>(taken.count()) / 1e3);
}

const char* name_of(Action action) {
  return action == Action::go ? "go" : "brake";
}

}  // namespace

void LatencyHistogram::add(Nanoseconds taken) noexcept {
  const auto value = static_cast<std::uint64_t>(std::max<Nanoseconds::rep>(taken.count(), 0));
  const int shift = std::max(static_cast<int>(std::bit_width(value)) - kBits - 1, 0);
  // The highest bit of value >> shift says itself where the bin is: bins of one shift follow each
  // other, and those of the next come right after.
  ++bins_[(static_cast<std::size_t>(shift) << kBits) + static_cast<std::size_t>(value >> shift)];
  ++count_;
  longest_ = std::max(longest_, value);
}

Nanoseconds LatencyHistogram::quantile(double share) const noexcept {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t sum = 0;
  for (std::size_t bin = 0; bin < bins_.size() && wanted < count_; ++bin) {
    sum += bins_[bin];
    if (sum < std::max<std::uint64_t>(wanted, 1)) continue;
    const std::size_t shift = bin < (std::size_t{2} << kBits) ? 0 : (bin >> kBits) - 1;
    const std::uint64_t high = ((bin - (shift << kBits) + 1) << shift) - 1;
    return Nanoseconds(static_cast<Nanoseconds::rep>(std::min(high, longest_)));
  }
  return Nanoseconds(static_cast<Nanoseconds::rep>(longest_));
}

std::string_view reason_name(std::uint16_t reason) noexcept {
  return reason < kFirstLinkReason ? keepclear::name_of(static_cast<Reason>(reason))
                                   : keepclear::name_of(static_cast<LinkReason>(reason));
}

Session::Session(const World& world, const BrakeModel& brake, const GuardOptions& guard_options,
                 Guard guard, SessionOptions options, Sink sink)
    : world_(world),
      brake_(brake),
      latch_(guard_options.latch),
      graded_(guard_options.graded),
      gap_is_latency_(guard_options.max_gap == 0 && brake.latency > 0 && !brake.delays),
      guard_(std::move(guard)),
      options_(std::move(options)),
      sink_(std::move(sink)),
      json_pair_(world) {
  for (const JointBrake& joint : brake.joints) {
    must_stand_ = must_stand_ || guard_options.known_command ||
                  !(joint.brake_deceleration_most <= joint.max_acceleration);
  }
  // Whoever guarded before, if anyone, may have braked. A log is gone through as it would have been
  // answered live.
  link_braked_ = !options_.goes_on;
  if (!options_.record.empty()) {
    recorder_.emplace(world, brake, guard_options, guard_, options_.record_cycles);
  }
  if (!options_.live.empty()) {
    live_ = std::make_unique<LiveRing>(options_.live,
                                       LiveInfo{.process = static_cast<std::uint64_t>(::getpid()),
                                                .world = world.hash(),
                                                .margin = guard_options.margin,
                                                .budget = guard_options.budget,
                                                .work_bound = guard_.work_bound(),
                                                .brake = brake});
  }
}

Answer Session::take(const GuardState& state, LinkReason why) noexcept {
  Answer answer;
  answer.action = guard_.step(state);
  answer.found = guard_.last();
  answer.reason = code_of(answer.found.reason);
  answer.scale = answer.found.scale;
  answer.time = state.time;
  answer.stepped = true;
  answer.cycle = ++cycles_;
  see_cycle(answer.found, state.time);
  if (why != LinkReason::none) withdraw(answer, why);
  if (answer.action != Action::go) return answer;
  if (link_latched_) {
    withdraw(answer, LinkReason::link_latched);
  } else if (link_braked_ && must_stand_ && !stands(state)) {
    say(answer, code_of(Reason::still_moving));
  } else {
    link_braked_ = false;
  }
  return answer;
}

/// The time from one state to the next, of those whose time is one.
void Session::see_cycle(const GuardCycle& found, double time) noexcept {
  switch (found.reason) {
    case Reason::wrong_size:
    case Reason::not_finite:
    case Reason::time_back:
    case Reason::time_repeats:
    case Reason::bad_rounding:
    case Reason::corrupted:
      return;
    default:
      break;
  }
  if (seen_time_ && time > *seen_time_) {
    longest_cycle_ = std::max(longest_cycle_.value_or(0), time - *seen_time_);
  }
  seen_time_ = time;
}

std::string Session::cycle_warning() const {
  if (!longest_cycle_) return {};
  // Rounded time stamps make no gap.
  if (gap_is_latency_ && *longest_cycle_ > brake_.latency * 1.001) {
    return fmt::format(
        "states are up to {:.4g} s apart, more than the latency of {:.4g} s: give one that holds "
        "a cycle (--latency), or --max-gap",
        *longest_cycle_, brake_.latency);
  }
  return latency_warning(brake_, *longest_cycle_);
}

Answer Session::refuse(LinkReason why) noexcept {
  Answer answer;
  answer.time = std::nan("");
  answer.cycle = ++cycles_;
  withdraw(answer, why);
  return answer;
}

bool Session::stands(const GuardState& state) const noexcept {
  for (std::size_t i = 0; i < brake_.joints.size(); ++i) {
    if (!(std::abs(state.v[i]) <= brake_.joints[i].velocity_uncertainty)) return false;
  }
  return true;
}

void Session::say(Answer& answer, std::uint16_t reason) noexcept {
  answer.action = reason == code_of(Reason::free) ? Action::go : Action::brake;
  answer.reason = reason;
  answer.scale = 0;
}

void Session::withdraw(Answer& answer, LinkReason why) noexcept {
  say(answer, code_of(why));
  link_braked_ = true;
  if (latch_ && why != LinkReason::restarted) link_latched_ = true;
}

void Session::finish(const Answer& answer, const GuardState* state, Nanoseconds taken) {
  const bool go = answer.action == Action::go;
  if (answer.stepped) {
    flops_most_ = std::max(flops_most_, answer.found.flops);
    if (answer.found.reason == Reason::out_of_budget) ++overruns_;
  }
  ++reasons_[std::min<std::size_t>(answer.reason, reasons_.size() - 1)];
  if (!go) ++(is_start(answer.reason) && !went_ ? starting_ : brakes_);
  latencies_.add(taken);
  print(answer, taken);
  if (recorder_ && state != nullptr) {
    const bool own = answer.reason == code_of(answer.found.reason);
    recorder_->push(*state, guard_, own ? std::uint16_t{0} : answer.reason);
  }
  if (live_) show(answer, state, taken);
  // A robot waits for the next answer: said once, after this one.
  if (options_.deadline && !options_.talk.quiet && !warned_) {
    const std::string warning = cycle_warning();
    warned_ = !warning.empty();
    if (warned_) message("keepclear: warning: " + warning + "\n");
  }
  if (!go && !(is_start(answer.reason) && !went_)) ++unrecorded_;
  const bool began = !go && last_ == Action::go;
  last_ = answer.action;
  last_reason_ = answer.reason;
  went_ = went_ || go;
  if (began) brake_began();
}

void Session::show(const Answer& answer, const GuardState* state, Nanoseconds taken) noexcept {
  LiveCycle shown;
  shown.cycle = answer.cycle;
  if (state != nullptr) {
    last_time_ = state->time;
    shown.q = state->q;
    shown.v = state->v;
  }
  shown.time = last_time_;
  shown.go = answer.action == Action::go;
  shown.reason = answer.reason;
  if (answer.stepped) {
    shown.a = answer.found.a;
    shown.b = answer.found.b;
    shown.bound = answer.found.bound;
    shown.flops = answer.found.flops;
  }
  shown.scale = answer.scale;
  if (options_.timing) shown.nanoseconds = taken.count();
  live_->push(shown, {cycles_, brakes_, overruns_, silences_});
}

void Session::brake_without_state(LinkReason why, bool print) {
  ++silences_;
  if (live_) {
    const LiveTotals totals{cycles_, brakes_, overruns_, silences_};
    // A silence goes on: it is shown as it begins.
    if (last_ == Action::go || last_reason_ != code_of(why)) {
      live_->push({.time = last_time_, .reason = code_of(why)}, totals);
    } else {
      live_->count(totals);
    }
  }
  if (print) {
    if (options_.talk.json || last_ == Action::go) sink_(line_without_state(why));
  }
  link_braked_ = true;
  if (latch_) link_latched_ = true;
  const bool began = last_ == Action::go;
  last_ = Action::brake;
  last_reason_ = code_of(why);
  if (began) brake_began();
}

/// The robot brakes by now: there is time for the disk.
void Session::brake_began() {
  if (!recorder_) return;
  unrecorded_ = 0;
  try {
    recorder_->write(options_.record);
    ++recordings_;
  } catch (const Error& error) {
    if (write_failed_.empty()) write_failed_ = error.what();
  }
}

void Session::finish_recording() {
  if (!recorder_) return;
  if (unrecorded_ > 0 && recordings_ == 0) brake_began();
  if (!write_failed_.empty()) throw Error(Error::Kind::write, "", 0, write_failed_);
}

std::string Session::line_without_state(LinkReason why) const {
  if (options_.talk.json) {
    return fmt::format(
        "{{\"cycle\":null,\"time\":null,\"action\":\"brake\",\"reason\":\"{}\",\"distance\":null,"
        "\"pair\":null,\"flops\":0,\"microseconds\":null{}}}\n",
        keepclear::name_of(why), graded_ ? ",\"scale\":0" : "");
  }
  return fmt::format("{:>14}  {:<6}  {}\n", "-", "brake", keepclear::name_of(why));
}

void Session::print_header() {
  if (options_.talk.json) return;
  sink_(fmt::format("{:>14}  {:<6}  {:<14}  {:>10}  {}\n", "time", "action", "reason", "distance",
                    "pair"));
}

void Session::print(const Answer& answer, Nanoseconds taken) {
  const GuardCycle& found = answer.found;
  const bool paired = answer.stepped && found.a >= 0 && found.b >= 0;
  if (options_.talk.json) {
    std::string line = fmt::format(
        "{{\"cycle\":{},\"time\":{},\"action\":\"{}\",\"reason\":\"{}\",\"distance\":{},"
        "\"pair\":{},\"flops\":{},\"microseconds\":{}",
        answer.cycle, json_number(answer.time), name_of(answer.action), reason_name(answer.reason),
        paired ? json_number(found.bound) : "null", paired ? json_pair_(found.a, found.b) : "null",
        answer.stepped ? found.flops : 0, options_.timing ? microseconds(taken) : "null");
    if (graded_) line += fmt::format(",\"scale\":{}", json_number(answer.scale));
    if (answer.sequence) line += fmt::format(",\"sequence\":{}", *answer.sequence);
    sink_(line + "}\n");
    return;
  }
  const bool of_start = is_start(last_reason_) && answer.reason != last_reason_;
  if (said_ && answer.action == last_ && !of_start) return;
  said_ = true;
  sink_(fmt::format("{:>14.6f}  {:<6}  {:<14}  {:>10}  {}\n", answer.time, name_of(answer.action),
                    reason_name(answer.reason), paired ? metres_lo(found.bound) : "-",
                    paired ? pair_name(world_, found.a, found.b) : "-"));
}

std::string Session::latency_json() const {
  std::string text = fmt::format(",\"latency\":{}", json_number(brake_.latency));
  if (const std::optional<BrakeDelays>& delays = brake_.delays) {
    const bool at_once = delays->missing_answer_noticed == MissingAnswer::at_once;
    text += fmt::format(
        ",\"delays\":{{\"age\":{},\"cycle\":{},\"communication\":{},\"brake_reaction\":{},"
        "\"missing_answer_noticed\":\"{}\"}},\"latency_rule\":\"{}\"",
        json_number(delays->age), json_number(delays->cycle), json_number(delays->communication),
        json_number(delays->brake_reaction), at_once ? "at once" : "end of cycle",
        latency_rule(*delays));
  } else {
    text += ",\"delays\":null,\"latency_rule\":null";
  }
  return text + fmt::format(",\"longest_cycle\":{}",
                            longest_cycle_ ? json_number(*longest_cycle_) : "null");
}

void Session::print_summary(const LinkCounts* link, const std::string& extra) {
  constexpr std::array<std::pair<const char*, double>, 4> kShares = {
      {{"median", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}}};
  const std::uint64_t late = reasons_[code_of(LinkReason::late)];
  // The latch of the guard and that of the loop have one name.
  std::array<std::uint64_t, kReasons> reasons = reasons_;
  reasons[code_of(Reason::latched)] +=
      std::exchange(reasons[code_of(LinkReason::link_latched)], std::uint64_t{0});
  if (options_.talk.json) {
    std::string text = fmt::format(
        "{{\"summary\":{{\"cycles\":{},\"brakes\":{},\"starting\":{},\"overruns\":{},\"late\":{},"
        "\"reasons\":{{",
        cycles_, brakes_, starting_, overruns_, late);
    const char* between = "";
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (reasons[i] == 0) continue;
      text += fmt::format("{}\"{}\":{}", between, reason_name(static_cast<std::uint16_t>(i)),
                          reasons[i]);
      between = ",";
    }
    text += fmt::format("}},\"flops\":{{\"max\":{},\"bound\":{}}},\"microseconds\":", flops_most_,
                        guard_.work_bound());
    if (options_.timing && cycles_ > 0) {
      between = "{";
      for (const auto& [name, share] : kShares) {
        text += fmt::format("{}\"{}\":{}", between, name, microseconds(latencies_.quantile(share)));
        between = ",";
      }
      text += "}";
    } else {
      text += "null";
    }
    text += fmt::format("{},\"deadline\":{},\"recordings\":{}", latency_json(),
                        options_.deadline ? json_number(*options_.deadline) : "null", recordings_);
    if (link != nullptr) {
      text += fmt::format(
          ",\"watchdog\":{},\"corrupted\":{},\"foreign\":{},\"wrong_world\":{},\"old\":{},"
          "\"lost\":{},\"unsent\":{}",
          link->watchdog, link->corrupted, link->foreign, link->wrong_world, link->old, link->lost,
          link->unsent);
    }
    sink_(text + extra + "}}\n");
    return;
  }
  if (options_.talk.quiet) return;
  std::string text = fmt::format("\n{}: {} go, {} brake, {} to start; {} out of budget, {} late\n",
                                 counted(cycles_, "cycle"), cycles_ - brakes_ - starting_, brakes_,
                                 starting_, overruns_, late);
  for (std::size_t i = 1; i < reasons.size(); ++i) {
    if (reasons[i] == 0) continue;
    text +=
        fmt::format("  {:<16} {:>12}\n", reason_name(static_cast<std::uint16_t>(i)), reasons[i]);
  }
  if (cycles_ > 0) {
    text += fmt::format("  {:<16} {:>12}  of at most {}\n", "flops, most", flops_most_,
                        guard_.work_bound());
  }
  if (brake_.delays) {
    text += fmt::format("  {:<16} {:>12.6g}  = {}\n", "latency, s", brake_.latency,
                        latency_rule(*brake_.delays));
  }
  if (options_.timing && cycles_ > 0) {
    for (const auto& [name, share] : kShares) {
      text += fmt::format("  {:<16} {:>12}\n", fmt::format("us, {}", name),
                          microseconds(latencies_.quantile(share)));
    }
  }
  if (link != nullptr) {
    text += fmt::format(
        "  states stopped coming {} times; {} corrupted, {} foreign, {} for another world, {} old, "
        "{} lost; {} unsent\n",
        link->watchdog, link->corrupted, link->foreign, link->wrong_world, link->old, link->lost,
        link->unsent);
  }
  if (recordings_ > 0) {
    text += fmt::format("  {}, the last in {}\n", counted(recordings_, "recording"),
                        printable(options_.record));
  }
  sink_(text);
}

int Session::exit_code(const LinkCounts* link) const noexcept {
  const bool stopped = link != nullptr && link->watchdog > 0;
  return brakes_ > 0 || stopped || (cycles_ > 0 && !went_) ? 1 : 0;
}

}  // namespace keepclear::command
