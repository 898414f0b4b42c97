// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of least expected over-estimation. What a plan over-estimates along a direction is how
// far the volume reaches there beyond the true hull of the sweep; the true hull does not depend on
// the plan, so that plans are compared by how far their volumes reach, on average.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "keepclear/sweep.hpp"
#include "rounding/mode.hpp"
#include "scene/world.hpp"
#include "sweep/layout.hpp"
#include "sweep/stage.hpp"

namespace keepclear {
namespace {

/// The corners of an icosahedron.
std::vector<Vec3> directions() {
  const double g = 0.5 * (1 + std::sqrt(5.0)), size = std::sqrt(1 + g * g);
  std::vector<Vec3> list;
  for (const double a : {-1 / size, 1 / size}) {
    for (const double b : {-g / size, g / size}) {
      list.push_back({0, a, b});
      list.push_back({a, b, 0});
      list.push_back({b, 0, a});
    }
  }
  return list;
}

/// A number from 0 to 1, the same with every standard library.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

bool is_rotation(const Variable& v) {
  return v.type == "floating" && v.name.starts_with(v.joint + "/rot_");
}

std::vector<double> widths(const World& world, const AutomaticPlanOptions& options) {
  if (!options.half_widths.empty()) return options.half_widths;
  std::vector<double> half;
  for (const Variable& v : world.variables()) {
    const bool turns = is_angle(v);
    // Of a quaternion a box of this size holds turns by 0.1 rad.
    half.push_back(is_rotation(v) ? 0.025 : turns ? 0.1 : 0.02);
  }
  return half;
}

/// Boxes around configurations drawn evenly within the limits; positions without limits at zero.
std::vector<JointBox> sample_boxes(const World& world, const AutomaticPlanOptions& options) {
  const std::vector<double> half = widths(world, options);
  std::mt19937_64 random(options.seed);
  std::vector<JointBox> boxes;
  for (int s = 0; s < options.samples; ++s) {
    std::vector<double> q;
    for (const Variable& v : world.variables()) {
      const double at = uniform(random);
      if (is_rotation(v)) {
        q.push_back(2 * at - 1);
      } else if (v.type == "continuous" || v.name == v.joint + "/theta") {
        q.push_back((2 * at - 1) * std::numbers::pi);
      } else if (std::isfinite(v.upper - v.lower)) {
        q.push_back(v.lower + (v.upper - v.lower) * at);
      } else {
        q.push_back(0);
      }
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!is_rotation(world.variables()[i])) continue;
      const double n =
          std::sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
      for (std::size_t k = 0; k < 4; ++k) q[i + k] = n > 0 ? q[i + k] / n : 0.5;
      i += 3;
    }
    JointBox& box = boxes.emplace_back();
    for (std::size_t i = 0; i < q.size(); ++i) box.push_back({q[i] - half[i], q[i] + half[i]});
  }
  return boxes;
}

/// A plan, its points, and how far its volumes reach: the mean over poses and directions, of each
/// volume and of all.
struct Measured {
  SweepPlan plan;
  std::size_t points = 0;
  std::vector<std::size_t> counts;  ///< of each volume
  std::vector<double> reach;        ///< of each volume
  double mean = 0;
};

class Planner {
 public:
  Planner(const World& world, const AutomaticPlanOptions& options)
      : world_(world), boxes_(sample_boxes(world, options)), budget_(options.points) {}

  std::size_t points_of(const SweepPlan& plan) const {
    return make_layout(world_.data(), plan).points;
  }

  /// Volumes that have as many points as in `like`, where it is given, are the same as there.
  Measured measure(const SweepPlan& plan, const Measured* like = nullptr) const {
    Measured result;
    result.plan = plan;
    Sweep sweep(world_, plan);
    result.points = sweep.point_count();
    for (const SweptVolume& v : sweep.volumes()) result.counts.push_back(v.volume.count);
    result.reach.assign(result.counts.size(), 0);
    for (const JointBox& box : boxes_) {
      sweep.update(box);
      for (std::size_t v = 0; v < result.reach.size(); ++v) {
        if (like != nullptr && like->counts[v] == result.counts[v]) continue;
        work_ += result.counts[v];
        result.reach[v] += reach_of(sweep.volumes()[v].volume);
      }
    }
    double sum = 0;
    for (std::size_t v = 0; v < result.reach.size(); ++v) {
      if (like != nullptr && like->counts[v] == result.counts[v]) {
        result.reach[v] = like->reach[v];
      } else {
        result.reach[v] /= static_cast<double>(boxes_.size());
      }
      sum += result.reach[v];
    }
    result.mean = result.reach.empty() ? 0 : sum / static_cast<double>(result.reach.size());
    return result;
  }

  /// Gives points where they help most for what they cost, until there are none left to give.
  Measured improve(Measured plan) const {
    for (;;) {
      Measured best;
      double best_rate = 0;
      for (std::size_t j = 0; j < plan.plan.operators.size(); ++j) {
        for (const JointOperator op : finer(static_cast<int>(j) + 1, plan.plan.operators[j])) {
          SweepPlan next = plan.plan;
          next.operators[j] = op;
          const std::size_t points = points_of(next);
          if (points > budget_ || points <= plan.points) continue;
          Measured measured = measure(next, &plan);
          const double rate =
              (plan.mean - measured.mean) / static_cast<double>(points - plan.points);
          if (rate > best_rate) best = std::move(measured), best_rate = rate;
        }
      }
      if (!(best_rate > 0)) return plan;
      plan = std::move(best);
    }
  }

  /// Takes points from one joint and gives them to others, as long as that helps. The work is
  /// counted, not timed: the plan must not depend on the machine.
  Measured exchange(Measured plan) const {
    const std::size_t end = work_ + kExchangeWork;
    for (bool better = true; better;) {
      better = false;
      for (std::size_t j = 0; j < plan.plan.operators.size(); ++j) {
        for (const JointOperator op : coarser(plan.plan.operators[j])) {
          if (work_ > end) return plan;
          SweepPlan less = plan.plan;
          less.operators[j] = op;
          Measured other = improve(measure(less, &plan));
          if (!(other.mean < plan.mean * (1 - 1e-9))) continue;
          plan = std::move(other);
          better = true;
          break;
        }
      }
    }
    return plan;
  }

 private:
  /// The next finer operators of the joint of a frame.
  std::vector<JointOperator> finer(int frame, JointOperator op) const {
    std::vector<JointOperator> list;
    const JointType type = world_.data().kinematics.frame(frame).type;
    const bool turns = type != JointType::prismatic;
    const bool slides =
        type == JointType::prismatic || type == JointType::planar || type == JointType::floating;
    const int most = type == JointType::floating ? 2 : kMaxArcPoints;
    for (const int more : {1, 2}) {
      if (turns && op.turn + more <= most) list.push_back({op.turn + more, op.slide});
    }
    if (slides && op.slide < 2) list.push_back({op.turn, 2});
    return list;
  }

  static std::vector<JointOperator> coarser(JointOperator op) {
    std::vector<JointOperator> list;
    if (op.turn > 1) list.push_back({op.turn - 1, op.slide});
    if (op.turn > 2) list.push_back({1, op.slide});
    if (op.slide > 1) list.push_back({op.turn, 1});
    return list;
  }

  /// The mean of the support function over the directions.
  double reach_of(const Volume& volume) const {
    double sum = 0;
    for (const Vec3 n : directions_) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < volume.count; ++i) {
        most = std::max(most, n.x * volume.x[i] + n.y * volume.y[i] + n.z * volume.z[i]);
      }
      sum += most;
    }
    return volume.radius + sum / static_cast<double>(directions_.size());
  }

  World world_;
  std::vector<JointBox> boxes_;
  std::size_t budget_;
  std::vector<Vec3> directions_ = directions();
  mutable std::size_t work_ = 0;  ///< points that were measured

  /// A few seconds.
  static constexpr std::size_t kExchangeWork = 200'000'000;
};

void require(bool condition, const std::string& what) {
  if (!condition) throw Error(Error::Kind::usage, "", 0, what);
}

}  // namespace

SweepPlan automatic_plan(const World& world, const AutomaticPlanOptions& options) {
  rounding::require_mode();
  require(options.samples >= 1, "an automatic plan wants at least one sample");
  require(options.half_widths.empty() || options.half_widths.size() == world.dof(),
          "an automatic plan wants " + std::to_string(world.dof()) + " half widths, not " +
              std::to_string(options.half_widths.size()));
  for (const double half : options.half_widths) {
    require(half >= 0 && half < std::numeric_limits<double>::infinity(),
            "a half width is not a size");
  }
  SweepPlan coarse = uniform_plan(world, {1, 1});
  const Planner planner(world, options);
  if (planner.points_of(coarse) >= options.points) return coarse;

  const Measured start = planner.measure(coarse);
  Measured paper = start;
  const int joints = static_cast<int>(coarse.operators.size());
  for (int fine = 1; fine <= joints; ++fine) {
    const SweepPlan plan = paper_plan(world, fine);
    if (plan == paper_plan(world, fine - 1) || planner.points_of(plan) > options.points) break;
    Measured measured = planner.measure(plan);
    if (measured.mean < paper.mean) paper = std::move(measured);
  }
  const Measured from_paper = planner.exchange(planner.improve(std::move(paper)));
  const Measured from_coarse = planner.exchange(planner.improve(start));
  return from_coarse.mean <= from_paper.mean ? from_coarse.plan : from_paper.plan;
}

}  // namespace keepclear
