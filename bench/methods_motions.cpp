// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "bench/methods_bench.hpp"
#include "bench/sweep_scene.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/fit.hpp"
#include "keepclear/model.hpp"
#include "robot/urdf.hpp"
#include "scene/problem_set.hpp"
#include "scene/world.hpp"

namespace keepclear::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kEdge = 1;           ///< radians
constexpr double kNear = 0.2;         ///< radians
constexpr double kTurn = 1;           ///< radians
constexpr double kStraight = 0.2;     ///< metres
constexpr double kCircle = 0.05;      ///< metres: radius
constexpr int kDegree = 8;            ///< of the curves through what inverse kinematics finds
constexpr std::size_t kTries = 2000;  ///< for each motion

std::vector<double> direction(Random& random, std::size_t size, double length) {
  std::vector<double> d(size);
  double squared = 0;
  for (double& x : d) {
    x = std::sqrt(-2 * std::log(1 - random())) * std::cos(2 * std::numbers::pi * random());
    squared += x * x;
  }
  for (double& x : d) x *= length / std::sqrt(squared);
  return d;
}

Mat3 turned(Vec3 unit, double angle) {
  const double s = std::sin(angle / 2);
  return rotation_from_quaternion(s * unit.x, s * unit.y, s * unit.z, std::cos(angle / 2));
}

/// The arm of a problem and its hand.
class Arm {
 public:
  Arm(const World& world, const std::vector<std::string>& joints)
      : world_(world), poses_(world), at_(world.solids().size()), query_(world) {
    for (const char* const name : {"panda_hand", "gripper_link", "robotiq_85_base_link",
                                   "robotiq_arg2f_base_link", "wrist_3_link"}) {
      if (hand_ < 0) hand_ = world.find_solid(name);
    }
    if (hand_ < 0) throw std::runtime_error("a robot without a hand that the benchmark knows");
    for (const WorldBody& body : world.data().bodies) {
      if (body.solid == hand_) centre_ = body.body.centre();
    }
    for (std::size_t i = 0; i < world.dof(); ++i) {
      const bool moves =
          std::find(joints.begin(), joints.end(), world.variables()[i].name) != joints.end();
      if (moves) moving_.push_back(i);
    }
  }

  const std::vector<std::size_t>& moving() const { return moving_; }

  /// Where the hand is, its centre for its origin.
  Pose hand(std::span<const double> q) {
    if (!poses_(q, at_)) throw std::runtime_error("no configuration");
    const Pose& X = at_[static_cast<std::size_t>(hand_)];
    return {X.R, X * centre_};
  }

  bool within_limits(std::span<const double> q) const {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Variable& v = world_.variables()[i];
      if (!(q[i] >= v.lower && q[i] <= v.upper)) return false;
    }
    return true;
  }
  bool free(std::span<const double> q) {
    return within_limits(q) && query_.check(q).verdict == Verdict::free;
  }

  /// Brings the hand to X from nearby, by damped least squares. False where it cannot.
  bool reach(const Pose& X, std::vector<double>& q) {
    const auto count = static_cast<Eigen::Index>(moving_.size());
    for (int iteration = 0; iteration < 30; ++iteration) {
      const Eigen::Matrix<double, 6, 1> error = off(X, hand(q));
      if (error.norm() < 1e-9) return within_limits(q);
      Eigen::MatrixXd J(6, count);
      for (Eigen::Index k = 0; k < count; ++k) {
        constexpr double kStep = 1e-6;
        std::vector<double> beside = q;
        double& x = beside[moving_[static_cast<std::size_t>(k)]];
        x += kStep;
        const Pose plus = hand(beside);
        x -= 2 * kStep;
        J.col(k) = off(plus, hand(beside)) / (2 * kStep);
      }
      const Eigen::MatrixXd A = J * J.transpose() + 1e-8 * Eigen::MatrixXd::Identity(6, 6);
      const Eigen::VectorXd by = J.transpose() * A.ldlt().solve(error);
      if (by.norm() > 0.5) return false;
      for (Eigen::Index k = 0; k < count; ++k) q[moving_[static_cast<std::size_t>(k)]] += by(k);
    }
    return false;
  }

 private:
  /// What takes Y to X: radians, then metres.
  static Eigen::Matrix<double, 6, 1> off(const Pose& X, const Pose& Y) {
    const Mat3 R = X.R * transpose(Y.R);
    const Vec3 p = X.p - Y.p;
    Eigen::Matrix<double, 6, 1> v;
    v << 0.5 * (R.row2.y - R.row1.z), 0.5 * (R.row0.z - R.row2.x), 0.5 * (R.row1.x - R.row0.y), p.x,
        p.y, p.z;
    return v;
  }

  World world_;
  SolidPoses poses_;
  std::vector<Pose> at_;
  DistanceQuery query_;
  int hand_ = -1;
  Vec3 centre_;
  std::vector<std::size_t> moving_;
};

/// One polynomial through all of them, as closely as its degree lets it.
Path curve_through(const std::vector<std::vector<double>>& all) {
  const auto rows = static_cast<Eigen::Index>(all.size());
  const auto dof = static_cast<Eigen::Index>(all[0].size());
  Eigen::MatrixXd B(rows, kDegree + 1), Q(rows, dof);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const double t = static_cast<double>(r) / static_cast<double>(rows - 1);
    double binomial = 1;
    for (int i = 0; i <= kDegree; ++i) {
      B(r, i) = binomial * std::pow(t, i) * std::pow(1 - t, kDegree - i);
      binomial = binomial * (kDegree - i) / (i + 1);
    }
    for (Eigen::Index i = 0; i < dof; ++i) {
      Q(r, i) = all[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
    }
  }
  const Eigen::MatrixXd C = B.colPivHouseholderQr().solve(Q);
  std::vector<double> control;
  for (int i = 0; i <= kDegree; ++i) {
    for (Eigen::Index k = 0; k < dof; ++k) control.push_back(C(i, k));
  }
  return bezier_path(static_cast<std::size_t>(dof), control, 0, 1);
}

/// Motions of each kind in one problem; fewer where none are found.
class Problem {
 public:
  Problem(const World& world, const oracle::ProblemSet& set,
          const oracle::ProblemSet::Problem& problem, std::uint64_t seed)
      : world_(world), arm_(world, set.joints), random_(seed) {
    for (const auto& values : {problem.start, problem.goal}) {
      ends_.push_back(oracle::configuration(world, set, values));
    }
  }

  std::optional<Path> edge() {
    std::vector<double> from = near(), to = from;
    add(to, direction(random_, arm_.moving().size(), kEdge));
    if (!arm_.free(from) || !arm_.free(to)) return std::nullopt;
    return line_path(from, to);
  }
  std::optional<Path> line() {
    const std::vector<double> from = anywhere(), to = anywhere();
    if (!arm_.free(from) || !arm_.free(to)) return std::nullopt;
    return line_path(from, to);
  }
  enum class Way { turn, straight, circle };
  std::optional<Path> cartesian(Way way) {
    std::vector<double> q = near();
    if (!arm_.free(q)) return std::nullopt;
    const Pose X = arm_.hand(q);
    const std::vector<double> d = direction(random_, 3, 1);
    const Vec3 unit{d[0], d[1], d[2]};
    // Across it, for the plane of a circle.
    Vec3 side = cross(unit, std::abs(unit.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
    side = (1 / norm(side)) * side;
    const auto goal_at = [&](double share) -> Pose {
      const double angle = 2 * std::numbers::pi * share;
      if (way == Way::turn) return {turned(unit, share * kTurn) * X.R, X.p};
      if (way == Way::straight) return {X.R, X.p + (share * kStraight) * unit};
      return {X.R,
              X.p + (kCircle * (1 - std::cos(angle))) * unit + (kCircle * std::sin(angle)) * side};
    };
    constexpr int kPlaces = 40;
    std::vector<std::vector<double>> all{q};
    for (int k = 1; k <= kPlaces; ++k) {
      if (!arm_.reach(goal_at(double(k) / kPlaces), q)) return std::nullopt;
      all.push_back(q);
    }
    if (!arm_.free(q)) return std::nullopt;
    return curve_through(all);
  }

 private:
  void add(std::vector<double>& q, const std::vector<double>& by) const {
    for (std::size_t k = 0; k < by.size(); ++k) q[arm_.moving()[k]] += by[k];
  }
  std::vector<double> near() {
    std::vector<double> q = ends_[random_() < 0.5 ? 0 : 1];
    add(q, direction(random_, arm_.moving().size(), kNear * random_()));
    return q;
  }
  std::vector<double> anywhere() {
    std::vector<double> q = ends_[0], all = q;
    set_random(world_, random_, all);
    for (const std::size_t i : arm_.moving()) q[i] = all[i];
    return q;
  }

  World world_;
  Arm arm_;
  Random random_;
  std::vector<std::vector<double>> ends_;
};

}  // namespace

void for_each_problem_motion(const MethodsOptions& options,
                             const std::function<void(const MethodsMotion&)>& done) {
  const fs::path data = robots_dir().parent_path();
  struct Robot {
    const char *name, *folder;
    bool fitted;
  };
  constexpr Robot kRobots[] = {{"panda", "panda", false},
                               {"panda_fit", "panda", true},
                               {"fetch", "fetch", false},
                               {"ur5_robotiq85", "ur5_robotiq85", false}};
  for (const Robot& robot : kRobots) {
    const auto wanted = [&] {
      return options.robots.empty() || std::find(options.robots.begin(), options.robots.end(),
                                                 robot.name) != options.robots.end();
    };
    const fs::path folder = data / "scenes/mbm" / robot.folder;
    if (!wanted() || !fs::exists(folder)) continue;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<oracle::ProblemSet> sets;
    for (const fs::path& file : files) sets.push_back(oracle::read_problems(file, data));
    const RobotModel model = read_urdf(sets.at(0).urdf, {});
    LoadOptions load;
    if (robot.fitted) {
      FitOptions fit_options;
      fit_options.points = options.points;
      load.bodies = std::make_shared<const BodyModel>(fit(sets[0].urdf, {}, fit_options).model);
    }
    for (std::size_t p = 0; p < options.problems; ++p) {
      const oracle::ProblemSet& set = sets[p % sets.size()];
      const std::size_t at = (p / sets.size()) * 7 % set.problems.size();
      const oracle::ProblemSet::Problem& problem = set.problems[at];
      const World world = compile(oracle::scene_of(set, problem, model), load);
      Problem motions(world, set, problem, options.seed * 1'000'003 + p);
      const auto some = [&](const char* kind, const auto& draw) {
        std::size_t found = 0;
        for (std::size_t t = 0; t < kTries && found < options.each; ++t) {
          const std::optional<Path> path = draw();
          if (!path) continue;
          done({robot.name, fmt::format("{} {}", set.name, problem.index), kind, found, world,
                *path});
          ++found;
        }
      };
      some("edge", [&] { return motions.edge(); });
      some("line", [&] { return motions.line(); });
      some("turn", [&] { return motions.cartesian(Problem::Way::turn); });
      some("straight", [&] { return motions.cartesian(Problem::Way::straight); });
      some("circle", [&] { return motions.cartesian(Problem::Way::circle); });
    }
  }
}

void for_each_task(const MethodsOptions& options,
                   const std::function<void(const MethodsMotion&)>& done) {
  for (const BuiltinWorld& builtin : builtin_worlds()) {
    if (!options.robots.empty() && std::find(options.robots.begin(), options.robots.end(),
                                             builtin.name) == options.robots.end()) {
      continue;
    }
    for (const BuiltinWorld::Task& task : builtin.tasks) {
      const World world = load_builtin(builtin.name);
      const fs::path file = fs::temp_directory_path() / "keepclear_bench_task.csv";
      std::ofstream(file) << task.csv;
      const Path path = read_path(world, file);
      fs::remove(file);
      done({builtin.name, task.name, "task", 0, world, path});
    }
  }
}

}  // namespace keepclear::bench
