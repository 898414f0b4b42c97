// SPDX-License-Identifier: BSD-3-Clause
//
// The guard: motions that it has to stop, and what is measured of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "keepclear/box.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/guard.hpp"
#include "keepclear/sweep.hpp"

namespace keepclear::bench {

/// The parameters of the paper, for every joint: rad/s^2, seconds, rad/s.
inline constexpr double kPaperDeceleration = 20, kPaperLatency = 0.01, kPaperCycle = 0.01;
inline constexpr double kPaperSpeed = 0.75 * 3.14159265358979323846;
/// Speeding up, of our motions: rad/s^2 of the fastest joint.
inline constexpr double kRamp = 10;

struct Kinetics {
  std::vector<double> q, v, a;
};

/// From a standing start along a line in joint space, the fastest joint at `speed` in the end.
/// `ahead` has one as its largest number, so that a place on the line is in radians of that joint.
struct Line {
  std::vector<double> start, ahead;
  double speed = 0;
  double ramp = kRamp;

  double place(double time) const;
  void at_place(double x, std::span<double> q) const;
  void at(double time, Kinetics& out) const;
};

/// What the robot does from `time` on if it brakes: goes on for the latency, each number with the
/// acceleration that it had at that time, and slows down by exactly `deceleration` then.
void brake_exactly(const Kinetics& from, double latency, double deceleration, double time,
                   std::span<double> q);
/// When the last joint stands, after the trigger.
double standing_after(const Kinetics& from, double latency, double deceleration);

/// A line that ends in a contact of two solids.
struct Manoeuvre {
  std::string name;
  Line line;
  int a = -1, b = -1;
  double contact = 0;  ///< place on the line
};

/// Distances of single pairs. One object a world.
class PairDistance {
 public:
  explicit PairDistance(const World& world) : world_(world), query_(world) {}
  const World& world() const { return world_; }
  Nearest nearest(std::span<const double> q) { return query_(q); }
  bool touches(std::span<const double> q) { return query_.check(q).verdict != Verdict::free; }
  /// Metres; zero for an overlap.
  double operator()(std::span<const double> q, int a, int b);
  /// Metres a second: how fast the distance falls on a line at this time.
  double approach(const Line& line, double time, int a, int b);

 private:
  World world_;
  DistanceQuery query_;
};

/// Seven manoeuvres of the humanoid that approach at the speeds of Table I, drawn by seed: each
/// with the pair that touches and the joints that move given, the rest at random.
std::vector<Manoeuvre> table_manoeuvres(const World& humanoid);
/// Any pair, any joints, speeds of approach from 0.3 to 0.7 m/s at 0.75 pi rad/s.
std::vector<Manoeuvre> random_manoeuvres(const World& humanoid, std::size_t count,
                                         std::uint64_t seed);
/// The hands come together at a relative speed, both arms alike.
Manoeuvre hands_together(const World& humanoid, double speed);

/// What the guard is told, and what the simulated robot does.
struct GuardSetting {
  std::string name;
  double latency = kPaperLatency;
  bool known_command = false;
  bool both_decelerations = false;
  BrakeModel brake(const World& world) const;
  GuardOptions options() const;
};
std::vector<GuardSetting> settings();

/// One braking of one manoeuvre, as one method bounds it.
struct BrakingRow {
  std::string manoeuvre, method;
  int a = -1, b = -1;   ///< the pair that decides
  double time = 0;      ///< of the trigger
  double approach = 0;  ///< metres a second, there
  double bounded = 0;   ///< the distance at the trigger
  double actual = 0;    ///< that, less the least distance while the robot brakes
  double stopped = 0;   ///< the least distance while it brakes
  double joint_speed = 0;
  double factor() const { return bounded / actual; }
};

/// The joint box of (35) to (37) in plain arithmetic, for shares of the over-estimation.
JointBox paper_box(const Kinetics& state, double latency, double worst, double deceleration);

struct TableOptions {
  std::size_t random = 0;  ///< random manoeuvres besides the seven
  std::uint64_t seed = 1;
  bool shares = true;
  std::uint64_t budget = GuardOptions{}.budget;
};

/// Tables of paper 1, VI.
void run_table(const World& humanoid, const TableOptions& options, const std::string& csv);
void run_hands(const World& humanoid, const TableOptions& options, const std::string& csv);
/// Figures 9 and 10.
void run_curves(const World& humanoid, const std::string& csv);

}  // namespace keepclear::bench
