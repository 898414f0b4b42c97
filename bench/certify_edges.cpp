// SPDX-License-Identifier: BSD-3-Clause
#include "bench/certify_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <stdexcept>

#include "keepclear/fit.hpp"
#include "robot/urdf.hpp"

namespace keepclear::bench {
namespace {

constexpr double kFineStep = 0.01;         ///< radians
constexpr double kMoveItFraction = 0.005;  ///< as MoveIt's set-up writes it
constexpr double kNear = 0.2;              ///< radians
constexpr std::size_t kTries = 100'000;

/// Shares of the way in the order of OMPL's DiscreteMotionValidator.
std::vector<double> shares(std::size_t segments) {
  std::vector<double> order{1};
  std::queue<std::pair<std::size_t, std::size_t>> open;
  if (segments > 1) open.emplace(1, segments - 1);
  while (!open.empty()) {
    const auto [first, last] = open.front();
    open.pop();
    const std::size_t middle = (first + last) / 2;
    order.push_back(static_cast<double>(middle) / static_cast<double>(segments));
    if (first < middle) open.emplace(first, middle - 1);
    if (middle < last) open.emplace(middle + 1, last);
  }
  return order;
}

/// MoveIt measures both the edge and the extent of the space as sums over the joints.
std::size_t moveit_segments(const World& world, const Edge& edge) {
  double length = 0, extent = 0;
  for (std::size_t i = 0; i < edge.from.size(); ++i) {
    const Variable& v = world.variables()[i];
    length += std::abs(edge.to[i] - edge.from[i]);
    extent += std::isfinite(v.upper - v.lower) ? v.upper - v.lower : std::numbers::pi;
  }
  return static_cast<std::size_t>(std::ceil(length / (kMoveItFraction * extent)));
}

std::vector<Pose> poses_along(SolidPoses& poses, std::size_t solids, const Edge& edge,
                              std::size_t segments) {
  std::vector<Pose> rows;
  std::vector<double> q(edge.from.size());
  for (const double share : shares(segments)) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = edge.from[i] + share * (edge.to[i] - edge.from[i]);
    }
    rows.resize(rows.size() + solids);
    if (!poses(q, std::span(rows).last(solids))) throw std::runtime_error("no configuration");
  }
  return rows;
}

/// A direction at random, every one as likely.
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

CertifyOptions certify_options(const EdgeOptions& options, Ask ask) {
  CertifyOptions certify;
  certify.ask = ask;
  certify.tolerance = options.tolerance;
  return certify;
}

}  // namespace

EdgeScenes::EdgeScenes(const EdgeOptions& options) : options_(options) {
  const std::filesystem::path data = robots_dir().parent_path();
  const std::filesystem::path folder = data / "scenes/mbm/panda";
  if (!std::filesystem::exists(folder)) return;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Place> all;
  for (const auto& file : files) sets_.push_back(oracle::read_problems(file, data));
  for (const oracle::ProblemSet& set : sets_) {
    for (std::size_t p = 0; p < set.problems.size(); ++p) all.push_back({&set, p});
  }
  const std::size_t count = std::min(options.scenes, all.size());
  for (std::size_t k = 0; k < count; ++k) places_.push_back(all[k * all.size() / count]);
  robot_ = read_urdf(sets_.at(0).urdf, {});
  if (options.points == 0) return;
  FitOptions fit_options;
  fit_options.points = options.points;
  fitted_ = std::make_shared<const BodyModel>(fit(sets_[0].urdf, {}, fit_options).model);
}

std::string EdgeScenes::bodies_name(std::size_t bodies) const {
  return bodies == kHulls ? "hulls" : fmt::format("fit{}", options_.points);
}

World EdgeScenes::world(const Place& place, std::size_t bodies) const {
  LoadOptions load;
  if (bodies == kFitted) load.bodies = fitted_;
  return compile(oracle::scene_of(*place.set, place.set->problems[place.problem], *robot_), load);
}

std::vector<Edge> EdgeScenes::edges(const Place& place, const World& hulls,
                                    const World& fitted) const {
  DistanceQuery first(hulls), second(fitted);
  SolidPoses poses(hulls);
  const oracle::ProblemSet::Problem& problem = place.set->problems[place.problem];
  const std::size_t solids = hulls.solids().size();
  const auto number = static_cast<std::uint64_t>(&place - places_.data());
  Random random(options_.seed * 1'000'003 + number);
  const auto free = [&](const std::vector<double>& q) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Variable& v = hulls.variables()[i];
      if (!(q[i] >= v.lower && q[i] <= v.upper)) return false;
    }
    return first.check(q).verdict == Verdict::free && second.check(q).verdict == Verdict::free;
  };
  std::vector<Edge> edges;
  for (std::size_t t = 0; t < kTries && edges.size() < options_.edges; ++t) {
    Edge edge;
    if (options_.near) {
      edge.from =
          oracle::configuration(hulls, *place.set, t % 2 == 0 ? problem.start : problem.goal);
      const std::vector<double> by = direction(random, hulls.dof(), kNear * random());
      for (std::size_t i = 0; i < by.size(); ++i) edge.from[i] += by[i];
    } else {
      edge.from.resize(hulls.dof());
      set_random(hulls, random, edge.from);
    }
    edge.to = direction(random, hulls.dof(), options_.length);
    for (std::size_t i = 0; i < edge.to.size(); ++i) edge.to[i] += edge.from[i];
    if (!free(edge.from) || !free(edge.to)) continue;
    edge.first.resize(solids);
    poses(edge.from, edge.first);
    edge.fine = poses_along(poses, solids, edge,
                            static_cast<std::size_t>(std::ceil(options_.length / kFineStep)));
    edge.coarse = poses_along(poses, solids, edge, moveit_segments(hulls, edge));
    edges.push_back(std::move(edge));
  }
  return edges;
}

EdgeContest::EdgeContest(const EdgeScenes& scenes, const EdgeOptions& options)
    : scenes_(scenes), options_(options), worlds_(kBodies), motion_(kBodies), distance_(kBodies) {
  for (std::size_t b = 0; b < kBodies; ++b) {
    const World world = scenes.world(scenes.places().at(0), b);
    fcl_.push_back(std::make_unique<FclChecker>(solids_of("panda", world)));
  }
  const auto in_contact = [](bool hit) { return hit ? Verdict::contact : Verdict::free; };
  const auto along = [this, in_contact](FclChecker& fcl, const std::vector<Pose>& rows) {
    for (std::size_t at = 0; at < rows.size(); at += solids_) {
      if (fcl.check(std::span(rows).subspan(at, solids_))) return Verdict::contact;
    }
    return Verdict::free;
  };
  const auto add = [&](const char* name, auto run) {
    for (std::size_t b = 0; b < kBodies; ++b) {
      contenders_.push_back({fmt::format("{}_{}", name, scenes_.bodies_name(b)),
                             [run, b](const Edge& edge) { return run(edge, b); }});
    }
  };
  add("connects",
      [this](const Edge& edge, std::size_t b) { return motion_[b]->connects(edge.from, edge.to); });
  add("check",
      [this](const Edge& edge, std::size_t b) { return distance_[b]->check(edge.from).verdict; });
  add("fcl_pose", [this, in_contact](const Edge& edge, std::size_t b) {
    return in_contact(fcl_[b]->check(edge.first));
  });
  add("fcl_fine",
      [this, along](const Edge& edge, std::size_t b) { return along(*fcl_[b], edge.fine); });
  add("fcl_coarse",
      [this, along](const Edge& edge, std::size_t b) { return along(*fcl_[b], edge.coarse); });
}

void EdgeContest::enter(const EdgeScenes::Place& place) {
  for (std::size_t b = 0; b < kBodies; ++b) {
    worlds_[b] = scenes_.world(place, b);
    motion_[b] =
        std::make_unique<MotionQuery>(*worlds_[b], certify_options(options_, Ask::verdict));
    distance_[b] = std::make_unique<DistanceQuery>(*worlds_[b]);
    fcl_[b]->surround(*worlds_[b], place.set->problems[place.problem].objects);
  }
  solids_ = worlds_[kHulls]->solids().size();
  edges_ = scenes_.edges(place, *worlds_[kHulls], *worlds_[kFitted]);
}

std::vector<bool> EdgeContest::seen_by_fcl(const Edge& edge, std::size_t bodies) {
  MotionQuery query(*worlds_[bodies], certify_options(options_, Ask::verdict));
  const Certificate found = query(line_path(edge.from, edge.to));
  if (found.verdict != Verdict::contact) throw std::runtime_error("a contact is not found again");
  SolidPoses poses(*worlds_[bodies]);
  std::vector<Pose> at(solids_);
  if (!poses(found.q, at)) throw std::runtime_error("a contact without a configuration");
  std::vector<bool> seen;
  for (const auto& fcl : fcl_) seen.push_back(fcl->check(at));
  return seen;
}

}  // namespace keepclear::bench
