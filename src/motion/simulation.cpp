// SPDX-License-Identifier: BSD-3-Clause
#include "motion/simulation.hpp"
#include "rounding/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {
namespace {

double sign(double x) {
  return x < 0 ? -1.0 : 1.0;
}

}  // namespace

JointSimulation::JointSimulation(const World& world, const BrakeModel& model, Behaviour behaviour,
                                 std::uint64_t seed)
    : model_(model), behaviour_(behaviour) {
  const std::size_t n = world.dof();
  for (const Variable& variable : world.variables()) {
    limits_.push_back({variable.lower, variable.upper});
    const bool alone = variable.type != "planar" && variable.type != "floating";
    moves_.push_back(alone || variable.name == variable.joint + "/theta");
  }
  for (std::size_t i = 0; i < n; ++i)
    random_.push_back(seed * 0x9e3779b97f4a7c15 + i * 0xd1342543de82ef95);
  v_.assign(n, 0);
  command_ = signs_ = v_;
  pieces_.resize(n);
  q_ = world.neutral();
  measured_q_ = q_;
  measured_v_ = v_;
}

double JointSimulation::uniform(std::size_t i, double lower, double upper) {
  // SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t z = random_[i] += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  const double share = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  return lower + share * (upper - lower);
}

void JointSimulation::set(std::span<const double> q, std::span<const double> v) {
  std::ranges::copy(q, q_.begin());
  for (std::size_t i = 0; i < v.size(); ++i) v_[i] = moves_[i] ? v[i] : 0;
  std::ranges::fill(command_, 0.0);
  accelerate(command_);
  measure();
}

void JointSimulation::push(std::span<const double> signs) {
  std::ranges::copy(signs, signs_.begin());
}

void JointSimulation::drive(std::span<const double> velocities, double dt) {
  std::vector<double> accelerations(v_.size());
  for (std::size_t i = 0; i < v_.size(); ++i) {
    const double most = model_.joints[i].max_acceleration;
    // What is measured may be faster.
    const double fastest =
        std::max(0.0, model_.joints[i].max_velocity - 2 * model_.joints[i].velocity_uncertainty);
    const double target = std::clamp(velocities[i], -fastest, fastest);
    double a = std::clamp((target - v_[i]) / dt, -most, most);
    const double next = v_[i] + a * dt;
    const double way = next > 0 ? limits_[i].upper - q_[i] : q_[i] - limits_[i].lower;
    const double ahead = way - std::fabs(v_[i] + next) / 2 * dt;
    // It could not stop before the limit any more: it slows down now, and stands if it can.
    if (most > 0 && next * next / (2 * most) > ahead) {
      a = std::clamp(-v_[i] / dt, -most, most);
    }
    accelerations[i] = a;
  }
  accelerate(accelerations);
}

void JointSimulation::accelerate(std::span<const double> accelerations) {
  braking_ = false;
  for (std::size_t i = 0; i < v_.size(); ++i) {
    const JointBrake& brake = model_.joints[i];
    const double most = brake.max_acceleration;
    // Unknown: nobody relies on commands, and they are kept to.
    const double off =
        std::isfinite(brake.acceleration_uncertainty) ? brake.acceleration_uncertainty : 0;
    command_[i] = moves_[i] ? std::clamp(accelerations[i], -most, most) : 0;
    double a = command_[i];
    if (behaviour_ == Behaviour::random) a = std::clamp(a + uniform(i, -off, off), -most, most);
    pieces_[i] = {moves_[i] ? a : 0, kInfinity, kInfinity};
  }
}

double JointSimulation::latency_acceleration(std::size_t i) {
  const JointBrake& brake = model_.joints[i];
  if (!moves_[i]) return 0;
  if (behaviour_ == Behaviour::exact) return command_[i];
  const double way = signs_[i] != 0 ? sign(signs_[i]) : sign(v_[i]);
  const double middle = keeps_commands_ ? command_[i] : 0;
  const double off = keeps_commands_ ? brake.acceleration_uncertainty : brake.max_acceleration;
  if (behaviour_ == Behaviour::worst) return middle + way * off;
  // All that may be, and the ends of it often.
  const double share = uniform(i, -1, 1);
  return middle + std::clamp(2 * share, -1.0, 1.0) * off;
}

void JointSimulation::brake(double within) {
  if (braking_) return;
  braking_ = true;
  if (within < 0) within = model_.latency;
  for (std::size_t i = 0; i < v_.size(); ++i) {
    double delay = within;
    if (behaviour_ == Behaviour::random) {
      delay *= std::clamp(uniform(i, -0.2, 1.5), 0.0, 1.0);
    }
    pieces_[i].until_braking = delay;
    next_piece(i);
  }
}

void JointSimulation::next_piece(std::size_t i) {
  Piece& piece = pieces_[i];
  const JointBrake& brake = model_.joints[i];
  const bool varies = behaviour_ == Behaviour::random;
  if (piece.until_braking > 0) {
    piece.acceleration = latency_acceleration(i);
    piece.left = piece.until_braking;
    if (varies) piece.left = std::min(piece.left, uniform(i, 0.02, 0.8) * model_.latency + 1e-9);
    return;
  }
  const double least = brake.brake_deceleration;
  piece.acceleration = least;
  piece.left = kInfinity;
  if (varies) {
    const double most = std::min(brake.brake_deceleration_most, 5 * least);
    piece.acceleration = std::clamp(uniform(i, least - (most - least) / 2, most), least, most);
    piece.left = uniform(i, 0.01, 0.5) * (std::fabs(v_[i]) / least) + 1e-6;
  }
}

void JointSimulation::move(std::size_t i, double dt) {
  Piece& piece = pieces_[i];
  while (dt > 0) {
    const bool brakes = braking_ && !(piece.until_braking > 0);
    if (brakes && v_[i] == 0) return;
    double step = std::min(dt, piece.left);
    double a = brakes ? -sign(v_[i]) * piece.acceleration : piece.acceleration;
    const double stands_after = brakes ? std::fabs(v_[i]) / piece.acceleration : kInfinity;
    const bool stands = stands_after <= step;
    if (stands) step = stands_after;
    q_[i] += (v_[i] + 0.5 * a * step) * step;
    v_[i] = stands ? 0 : v_[i] + a * step;
    if (model_.joints[i].stops) {
      const double inside = std::clamp(q_[i], limits_[i].lower, limits_[i].upper);
      if (inside != q_[i]) {
        q_[i] = inside;
        v_[i] = 0;
      }
    }
    dt -= step;
    piece.left -= step;
    if (!braking_) continue;
    piece.until_braking = brakes ? 0 : std::max(0.0, piece.until_braking - step);
    if (!(piece.left > 0) || (!brakes && piece.until_braking == 0)) next_piece(i);
  }
}

void JointSimulation::advance(double dt) {
  for (std::size_t i = 0; i < v_.size(); ++i) {
    if (moves_[i]) move(i, dt);
  }
  time_ += dt;
}

bool JointSimulation::standing() const {
  if (!braking_) return false;
  for (std::size_t i = 0; i < v_.size(); ++i) {
    if (moves_[i] && (v_[i] != 0 || pieces_[i].until_braking > 0)) return false;
  }
  return true;
}

void JointSimulation::measure() {
  for (std::size_t i = 0; i < v_.size(); ++i) {
    const JointBrake& brake = model_.joints[i];
    double off_q = 0, off_v = 0;
    if (behaviour_ == Behaviour::random && moves_[i]) {
      off_q = uniform(i, -brake.position_uncertainty, brake.position_uncertainty);
      off_v = uniform(i, -brake.velocity_uncertainty, brake.velocity_uncertainty);
    } else if (behaviour_ == Behaviour::worst && moves_[i]) {
      // Behind where it is, and slower.
      const double way = signs_[i] != 0 ? sign(signs_[i]) : sign(v_[i]);
      off_q = -way * brake.position_uncertainty;
      off_v = -way * brake.velocity_uncertainty;
    }
    measured_q_[i] = q_[i] + off_q;
    measured_v_[i] = v_[i] + off_v;
  }
}

}  // namespace keepclear
