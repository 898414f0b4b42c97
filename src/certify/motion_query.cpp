// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked of a motion, and the answer put together: stretches of time from stretches of
// places, the least distance, the first contact.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "certify/clock_search.hpp"
#include "certify/motion_search.hpp"
#include "certify/parallel.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

/// Places of a path that are tried before a clearance is sought.
constexpr int kTries = 17;

void require(const World& world, const CertifyOptions& options) {
  auto refuse = [&](const char* what) { throw Error(Error::Kind::usage, world.file(), 0, what); };
  const auto is_length = [](double x) { return x >= 0 && x < kInfinity; };
  if (!is_length(options.margin)) refuse("the margin of a motion must be a length, not negative");
  if (!(options.tolerance > 0)) refuse("the tolerance of a motion must be positive");
  if (!(options.accuracy > 0)) refuse("the accuracy of a clearance must be positive");
  if (!(options.relative_accuracy >= 0 && options.relative_accuracy < 1)) {
    refuse("the relative accuracy of a clearance must be from 0 to below 1");
  }
  if (!is_length(options.deviation))
    refuse("the deviation of links must be a length, not negative");
  const auto robots = static_cast<int>(world.data().robots.size());
  for (const BaseUncertainty& base : options.base) {
    if (!is_length(base.position)) refuse("the uncertainty of a base must be a length");
    if (!is_length(base.rotation)) refuse("the uncertainty of a base must be an angle, in radians");
    if (base.robot < -1 || base.robot >= robots) refuse("there is no robot of that number");
  }
}

/// Stretches of one pair that touch become one; then all in the order of time.
std::vector<MotionInterval> intervals_of(const PathData& path, std::vector<OpenStretch> open,
                                         double last, bool with_free) {
  std::sort(open.begin(), open.end(), [](const OpenStretch& x, const OpenStretch& y) {
    return std::tie(x.a, x.b, x.from, x.to) < std::tie(y.a, y.b, y.from, y.to);
  });
  std::vector<OpenStretch> joined;
  for (const OpenStretch& next : open) {
    if (!joined.empty() && joined.back().a == next.a && joined.back().b == next.b &&
        next.from <= joined.back().to) {
      OpenStretch& before = joined.back();
      if (next.contact) before.at = before.contact ? std::min(before.at, next.at) : next.at;
      before.contact = before.contact || next.contact;
      before.to = std::max(before.to, next.to);
    } else {
      joined.push_back(next);
    }
  }
  std::stable_sort(joined.begin(), joined.end(),
                   [](const OpenStretch& x, const OpenStretch& y) { return x.from < y.from; });
  std::vector<MotionInterval> intervals;
  double free_from = 0;
  const auto add_free = [&](double to) {
    if (!with_free || !(to > free_from)) return;
    MotionInterval& made = intervals.emplace_back();
    made.from = time_of_place(path, free_from), made.to = time_of_place(path, to);
    made.status = Verdict::free;
  };
  for (const OpenStretch& stretch : joined) {
    add_free(stretch.from);
    free_from = std::max(free_from, stretch.to);
    MotionInterval& made = intervals.emplace_back();
    made.from = time_of_place(path, stretch.from), made.to = time_of_place(path, stretch.to);
    made.status = stretch.contact ? Verdict::contact : Verdict::undecided;
    made.a = stretch.a, made.b = stretch.b;
    if (stretch.contact) made.contact = time_of_place(path, stretch.at);
  }
  add_free(last);
  return intervals;
}

}  // namespace

const char* to_string(Method method) noexcept {
  switch (method) {
    case Method::chord:
      return "chord";
    case Method::velocity:
      return "velocity";
    case Method::sweep:
      return "sweep";
    case Method::ball:
      return "ball";
    default:
      return "auto";
  }
}

struct MotionQuery::Impl {
  Impl(const World& world, const CertifyOptions& opts)
      : keep(world),
        data(world.data()),
        options(opts),
        edge_options(opts),
        distance(world),
        search(data, options),
        edges(data, edge_options),
        clocks(data, options) {
    edge_options.ask = Ask::verdict;
    edge_options.keep_proof = false;
    const std::size_t dof = data.kinematics.variables().size();
    edge.dof = dof;
    edge.pieces.push_back({0, 1, 1, 0});
    edge.control.resize(2 * dof);
    edge.error.assign(dof, 0.0);
  }

  std::size_t dof() const { return edge.dof; }

  std::vector<double> configuration_at(const PathData& path, double place) const {
    std::vector<double> q(dof());
    position_at(path, place, q.data());
    make_quaternions_unit(data.kinematics, q);
    return q;
  }

  /// How near anything is at a few places; of one robot, it and itself or what stands still.
  MotionSearch::Near look_ahead(const PathData& path, int robot) {
    MotionSearch::Near near;
    distance.reset();
    for (int i = 0; i < kTries; ++i) {
      const double place = path.last_place() * i / (kTries - 1);
      const std::vector<double> q = configuration_at(path, place);
      const auto take = [&](const Nearest& found) {
        if (found.a < 0 || !(found.distance < near.distance)) return;
        near = {std::max(found.distance, 0.0), place, found.a, found.b, q};
      };
      if (robot < 0) {
        take(distance(q));
        continue;
      }
      for (const Nearest& found : distance.all_pairs(q)) {
        const int of_a = data.solids[found.a].robot, of_b = data.solids[found.b].robot;
        if (of_a == robot && (of_b == robot || of_b < 0)) take(found);
      }
    }
    return near;
  }

  Certificate run(const PathData& path) {
    if (path.dof != dof() || path.pieces.empty()) return {};
    return search_one(path, -1);
  }

  Certificate search_one(const PathData& path, int robot) {
    Certificate result;
    search.expect(options.ask == Ask::clearance ? look_ahead(path, robot) : MotionSearch::Near{});
    search.run(path, robot);
    result.verdict = search.verdict();
    result.tests = search.tests();
    result.parts = search.parts();
    result.depth = search.depth();
    result.proof = std::move(search.proof());
    conclude(path, search.nearest(), robot >= 0, result);
    return result;
  }

  void conclude(const PathData& path, const MotionSearch::Near& near, bool on_clocks,
                Certificate& result) {
    result.clearance = result.verdict == Verdict::free ? std::max(search.clearance(), 0.0) : 0.0;
    std::vector<OpenStretch> open = search.open();
    double last = path.last_place();
    if (search.has_contact()) {
      const double at = search.contact_place();
      const auto first = std::find_if(
          open.begin(), open.end(), [&](const OpenStretch& s) { return s.contact && s.at == at; });
      result.first_contact = result.time = time_of_place(path, at);
      result.a = first->a, result.b = first->b;
      result.q = configuration_at(path, at);
      // Of a margin, bodies may be apart.
      distance.reset();
      result.distance = std::max(distance(result.q).distance, 0.0);
      if (options.ask != Ask::all_intervals) {
        std::erase_if(open, [&](const OpenStretch& s) { return s.from > at; });
        for (OpenStretch& s : open) {
          s.to = std::min(s.to, at);
          // Where it is known to touch is later than what is told.
          if (s.contact && s.at > at) s.contact = false;
        }
        last = at;
      }
    } else if (near.a >= 0) {
      result.distance = near.distance;
      result.time = time_of_place(path, near.place);
      result.q = near.q;
      result.a = near.a, result.b = near.b;
    }
    const bool with_free = options.ask != Ask::verdict && !on_clocks;
    result.intervals = intervals_of(path, std::move(open), last, with_free);
  }

  Certificate run_clocks(std::span<const Path> paths, double offset);
  /// One answer out of two.
  static void merge(Certificate& all, Certificate next);
  /// The numbers of a robot, from a path of all numbers, into q.
  void put_robot(int robot, const PathData& path, double place, std::vector<double>& q) const;

  World keep;
  const WorldData& data;
  CertifyOptions options, edge_options;
  DistanceQuery distance;
  MotionSearch search, edges;
  ClockSearch clocks;
  PathData edge;
};

void MotionQuery::Impl::put_robot(int robot, const PathData& path, double place,
                                  std::vector<double>& q) const {
  const std::vector<double> all = configuration_at(path, place);
  const std::string& prefix = data.robots[static_cast<std::size_t>(robot)].prefix;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (data.kinematics.variables()[i].name.starts_with(prefix)) q[i] = all[i];
  }
}

void MotionQuery::Impl::merge(Certificate& all, Certificate next) {
  const bool contact = next.verdict == Verdict::contact, had = all.verdict == Verdict::contact;
  if ((contact && !had) || (contact == had && next.distance < all.distance)) {
    all.distance = next.distance;
    all.time = next.time, all.other_time = next.other_time;
    all.q = next.q;
    all.a = next.a, all.b = next.b;
    all.first_contact = next.first_contact;
  }
  if (contact || (next.verdict == Verdict::undecided && !had)) all.verdict = next.verdict;
  all.clearance = all.verdict == Verdict::free ? std::min(all.clearance, next.clearance) : 0;
  all.tests += next.tests, all.parts += next.parts;
  all.depth = std::max(all.depth, next.depth);
  all.intervals.insert(all.intervals.end(), next.intervals.begin(), next.intervals.end());
  all.proof.insert(all.proof.end(), next.proof.begin(), next.proof.end());
}

Certificate MotionQuery::Impl::run_clocks(std::span<const Path> paths, double offset) {
  Certificate all;
  if (paths.size() != data.robots.size() || !(offset >= 0)) return all;
  for (const Path& path : paths) {
    if (path.dof() != dof() || path.piece_count() == 0) return all;
  }
  all.verdict = Verdict::free;
  all.clearance = kInfinity;
  const auto count = static_cast<int>(paths.size());
  const bool enough = options.ask == Ask::all_intervals;
  for (int r = 0; r < count && (enough || all.verdict != Verdict::contact); ++r) {
    Certificate own = search_one(paths[r].data(), r);
    for (int k = 0; k < count && !own.q.empty(); ++k) {
      if (k != r) put_robot(k, paths[k].data(), 0, own.q);
    }
    merge(all, std::move(own));
    for (int s = r + 1; s < count && (enough || all.verdict != Verdict::contact); ++s) {
      const PathData &path_r = paths[r].data(), &path_s = paths[s].data();
      clocks.run(path_r, r, path_s, s, offset);
      Certificate next;
      next.verdict = clocks.has_contact()    ? Verdict::contact
                     : clocks.open().empty() ? Verdict::free
                                             : Verdict::undecided;
      next.clearance = std::max(clocks.clearance(), 0.0);
      next.distance = clocks.distance();
      next.tests = clocks.tests(), next.parts = clocks.parts();
      next.depth = clocks.depth();
      next.proof = std::move(clocks.proof());
      next.a = clocks.near_a(), next.b = clocks.near_b();
      const auto place = [&](int side) {
        return clocks.has_contact() ? clocks.contact_place(side) : clocks.near_place(side);
      };
      if (next.a >= 0) {
        next.time = time_of_place(path_r, place(0));
        next.other_time = time_of_place(path_s, place(1));
        next.q = data.kinematics.neutral();
        for (int k = 0; k < count; ++k) put_robot(k, paths[k].data(), 0, next.q);
        put_robot(r, path_r, place(0), next.q);
        put_robot(s, path_s, place(1), next.q);
      }
      if (clocks.has_contact()) next.first_contact = next.time;
      next.intervals = intervals_of(path_r, clocks.open(), path_r.last_place(), false);
      merge(all, std::move(next));
    }
  }
  return all;
}

MotionQuery::MotionQuery(const World& world, const CertifyOptions& options) {
  rounding::require_mode();
  require(world, options);
  impl_ = std::make_unique<Impl>(world, options);
}

MotionQuery::~MotionQuery() = default;
MotionQuery::MotionQuery(MotionQuery&&) noexcept = default;
MotionQuery& MotionQuery::operator=(MotionQuery&&) noexcept = default;

Certificate MotionQuery::operator()(const Path& path) {
  rounding::require_mode();
  return impl_->run(path.data());
}

Certificate MotionQuery::operator()(std::span<const Path> paths, double offset) {
  rounding::require_mode();
  return impl_->run_clocks(paths, offset);
}

Verdict MotionQuery::connects(std::span<const double> from, std::span<const double> to) {
  Impl& m = *impl_;
  if (!rounding::mode_is_right()) return Verdict::undecided;
  if (from.size() != m.dof() || to.size() != m.dof()) return Verdict::undecided;
  std::copy(from.begin(), from.end(), m.edge.control.begin());
  std::copy(to.begin(), to.end(), m.edge.control.begin() + static_cast<std::ptrdiff_t>(m.dof()));
  m.edges.run(m.edge);
  return m.edges.verdict();
}

std::size_t MotionQuery::last_tests() const noexcept {
  return impl_->edges.tests();
}
std::size_t MotionQuery::last_parts() const noexcept {
  return impl_->edges.parts();
}

Certificate certify(const World& world, const Path& path, const CertifyOptions& options) {
  return MotionQuery(world, options)(path);
}

void certify_all(const World& world, std::span<const Path> paths, const CertifyOptions& options,
                 int threads, const std::function<void(std::size_t, const Certificate&)>& done) {
  rounding::require_mode();
  std::vector<MotionQuery> queries;
  const std::size_t count = thread_count(threads, paths.size());
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
    queries.emplace_back(world, options);
  }
  std::mutex handing_out;
  std::map<std::size_t, Certificate> ready;
  std::size_t next = 0;
  for_each_task(paths.size(), queries, [&](std::size_t i, MotionQuery& query) {
    Certificate answer = query(paths[i]);
    const std::lock_guard lock(handing_out);
    ready.emplace(i, std::move(answer));
    for (auto it = ready.find(next); it != ready.end(); it = ready.find(next)) {
      done(next, it->second);
      rounding::require_mode();
      ready.erase(it);
      ++next;
    }
  });
}

}  // namespace keepclear
