// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates of a guard: every *go* of a recording, over the whole braking motion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/braking.hpp"
#include "proof/box_domain.hpp"
#include "proof/claims.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

/// How often the time of a braking motion is divided before joints are.
constexpr double kShortestSlice = 1.0 / 64;

class BrakingDomain : public ProofDomain {
 public:
  BrakingDomain(const World& world, const Recording& recording,
                std::vector<const RecordedCycle*> cycles)
      : braking_(world, recording.brake),
        cycles_(std::move(cycles)),
        rest_(world.neutral()),
        known_command_(recording.options.known_command) {
    timed_ = std::ranges::all_of(recording.brake.joints, [](const JointBrake& joint) {
      return std::isfinite(joint.brake_deceleration_most);
    });
    for (const RecordedCycle* cycle : cycles_) {
      whole_.push_back(box(*cycle, kWholeBraking));
      stops_.push_back(braking_.stop_time_hi(state_of(*cycle)));
    }
  }

  ProofCell whole() const override {
    ProofCell cell;
    cell.ranges.assign(rest_.size(), {-kInfinity, kInfinity});
    cell.last_cycle = cycles_.size() - 1;
    return cell;
  }

  void lines(const ProofCell& cell, std::span<const char> matters,
             std::span<NumberLine> out) const override {
    const JointBox all = hull(cell);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = BoxDomain::line_of(all[k], rest_[k], matters[k] != 0);
    }
  }

  bool split(const ProofCell& cell, std::span<const char> matters, std::span<const double> gain,
             CellSplit& out) const override {
    if (cell.first_cycle < cell.last_cycle) {
      out.first = out.second = cell;
      const std::size_t middle = cell.first_cycle + (cell.last_cycle - cell.first_cycle) / 2;
      out.coordinate = "c";
      out.first.last_cycle = middle;
      out.second.first_cycle = middle + 1;
      out.first_range = fmt::format(" {} {}", cell.first_cycle, middle);
      out.second_range = fmt::format(" {} {}", middle + 1, cell.last_cycle);
      return true;
    }
    const double stop = stops_[cell.first_cycle], end = std::min(cell.time.upper, stop);
    if (timed_ && end - cell.time.lower > kShortestSlice * stop) {
      const auto time_of = [](ProofCell& part) -> Interval& { return part.time; };
      return halve(cell, time_of, 0.5 * (cell.time.lower + end), "t", out);
    }
    return BoxDomain::split_number(cell, hull(cell), matters, gain, out);
  }

 private:
  JointState state_of(const RecordedCycle& cycle) const {
    return {cycle.q, cycle.v,
            known_command_ ? std::span<const double>(cycle.command) : std::span<const double>{}};
  }
  JointBox box(const RecordedCycle& cycle, Interval time) const {
    JointBox out(rest_.size());
    if (!braking_.box(state_of(cycle), time, out)) {
      std::ranges::fill(out, Interval{-kInfinity, kInfinity});
    }
    return out;
  }
  /// All boxes of the cycles of a cell, within its ranges.
  JointBox hull(const ProofCell& cell) const {
    JointBox all(rest_.size(), {kInfinity, -kInfinity});
    const bool is_whole = cell.time.lower == 0 && cell.time.upper == kInfinity;
    for (std::size_t c = cell.first_cycle; c <= cell.last_cycle; ++c) {
      const JointBox own = is_whole ? whole_[c] : box(*cycles_[c], cell.time);
      for (std::size_t k = 0; k < all.size(); ++k) {
        all[k] = {std::min(all[k].lower, own[k].lower), std::max(all[k].upper, own[k].upper)};
      }
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k] = {std::max(all[k].lower, cell.ranges[k].lower),
                std::min(all[k].upper, cell.ranges[k].upper)};
    }
    return all;
  }

  Braking braking_;
  std::vector<const RecordedCycle*> cycles_;
  std::vector<double> rest_;
  bool known_command_, timed_ = false;
  std::vector<JointBox> whole_;
  std::vector<double> stops_;
};

void write_brake(CertificateText& text, const JointBrake& joint, bool known_command) {
  // Unknown only where no command is relied on: it has no part in the claim then.
  const double off = joint.acceleration_uncertainty < kInfinity || known_command
                         ? joint.acceleration_uncertainty
                         : 0;
  text.line("brake").number(joint.max_acceleration).number(joint.brake_deceleration);
  text.number(joint.brake_deceleration_most).number(joint.position_uncertainty);
  text.number(joint.velocity_uncertainty).number(off);
  text.index(joint.stops ? 1 : 0);
}

/// Whether a guard did not take the state for one, or did not look at it.
bool is_refused(Reason reason) {
  switch (reason) {
    case Reason::free:
    case Reason::not_clear:
    case Reason::out_of_budget:
    case Reason::starting:
    case Reason::latched:
    case Reason::still_moving:
      return false;
    default:
      return true;
  }
}

/// Throws Error (usage) unless the guard of a recording guarded the world as it was loaded, from
/// the first cycle to the last. A recording without memory is of a guard that nobody changed.
void require_loaded_world(const World& world, const Recording& recording) {
  if (recording.memory.empty()) return;
  Guard guard = restored_guard(world, recording);
  if (guard.changed()) {
    throw Error(Error::Kind::usage, world.file(), 0,
                "margins were set, or objects taken and put down, before this was recorded: the "
                "world that was guarded is not the one that was loaded");
  }
  for (const RecordedCycle& cycle : recording.cycles) {
    guard.step(cycle.state());
    if (same_finding(guard.last(), cycle.found)) continue;
    throw Error(Error::Kind::usage, world.file(), 0,
                fmt::format("the cycle at {} s comes out differently: the guard was changed while "
                            "this was recorded, and may not have guarded the world as loaded",
                            cycle.time),
                "call FlightRecorder::restart() after each change of the guard");
  }
}

}  // namespace

WrittenCertificate guard_certificate(const World& world, const Recording& recording,
                                     const CertificateFacts& facts, const ProofOptions& proof) {
  rounding::require_mode();
  const auto refuse = [&](const std::string& what) {
    throw Error(Error::Kind::usage, world.file(), 0, what);
  };
  if (recording.world != world.hash()) refuse("the recording is of another world");
  for (const Variable& variable : world.variables()) {
    if (variable.type == "planar" || variable.type == "floating") {
      refuse(fmt::format("{}: guards of {} joints have no certificate", variable.joint,
                         variable.type));
    }
  }
  require_loaded_world(world, recording);
  std::vector<const RecordedCycle*> cycles;
  for (const RecordedCycle& cycle : recording.cycles) {
    if (cycle.found.action != Action::go) continue;
    const auto fits = [&](const std::vector<double>& numbers) {
      return numbers.size() == world.dof();
    };
    const bool is_state =
        fits(cycle.q) && fits(cycle.v) && (!recording.options.known_command || fits(cycle.command));
    if (is_refused(cycle.found.reason) || !is_state) {
      refuse(fmt::format("the cycle at {} s says go, and its state was refused ({})", cycle.time,
                         is_state ? name_of(cycle.found.reason) : name_of(Reason::wrong_size)));
    }
    cycles.push_back(&cycle);
  }
  if (cycles.empty()) refuse("no cycle was answered by go");
  const double more = recording.options.margin;
  const CertificateWorld claim(
      world, [&](double margin) { return more == 0 ? margin : rounding::up(margin + more); });
  const BrakingDomain domain(world, recording, cycles);
  Prover prover(claim, {}, 0);
  return best_of(claim, 0, proof, [&](double clearance, CertificateText& text) {
    write_head(text, "guard", world, facts);
    claim.write(text);
    text.line("clearance").number(clearance);
    text.line("latency").number(recording.brake.latency);
    for (const JointBrake& joint : recording.brake.joints) {
      write_brake(text, joint, recording.options.known_command);
    }
    for (const RecordedCycle* cycle : cycles) {
      text.line("cycle").name(fmt::format("{}", cycle->time));
      for (const double q : cycle->q) text.number(q);
      for (const double v : cycle->v) text.number(v);
      if (!recording.options.known_command) continue;
      for (const double c : cycle->command) text.number(c);
    }
    ProofTree tree(claim, prover, domain, clearance, proof.budget);
    prove_pairwise(claim, tree, text);
    return tree;
  });
}

}  // namespace keepclear
