// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "bench/certify_edges.hpp"

namespace keepclear::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Edges in turn for each contender.
constexpr std::size_t kBlock = 10;

/// What was seen of one edge, by contender and by bodies.
struct Seen {
  double us[EdgeContest::kWho * kBodies];
  Verdict verdict[EdgeContest::kWho * kBodies];
  std::size_t tests[kBodies], parts[kBodies];
  std::size_t fine_poses = 0, coarse_poses = 0;
  /// By our bodies and FCL's: FCL collides in the pose of the contact that was proved.
  bool fcl_sees[kBodies][kBodies] = {};
};

/// Our bodies and FCL's, of each row.
constexpr std::size_t kCombinations[][2] = {
    {kHulls, kHulls}, {kFitted, kHulls}, {kFitted, kFitted}};

std::size_t place_of(EdgeContest::Who who, std::size_t bodies) {
  return static_cast<std::size_t>(who) * kBodies + bodies;
}

std::vector<Seen> measure_problem(EdgeContest& contest, int rounds) {
  const std::vector<Edge>& edges = contest.edges();
  const std::vector<EdgeContender>& contenders = contest.contenders();
  std::vector<Seen> all(edges.size());
  for (Seen& seen : all) std::fill(std::begin(seen.us), std::end(seen.us), 1e300);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t begin = 0; begin < edges.size(); begin += kBlock) {
      for (std::size_t c = 0; c < contenders.size(); ++c) {
        // Those before have emptied the caches: an edge once, by no clock.
        contenders[c].run(edges[begin > 0 ? begin - 1 : edges.size() - 1]);
        for (std::size_t e = begin; e < std::min(begin + kBlock, edges.size()); ++e) {
          const Clock::time_point start = Clock::now();
          all[e].verdict[c] = contenders[c].run(edges[e]);
          const std::chrono::duration<double, std::micro> took = Clock::now() - start;
          all[e].us[c] = std::min(all[e].us[c], took.count());
          if (c < kBodies) {
            all[e].tests[c] = contest.last_tests(c);
            all[e].parts[c] = contest.last_parts(c);
          }
        }
      }
    }
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    all[e].fine_poses = edges[e].fine.size() / contest.solids();
    all[e].coarse_poses = edges[e].coarse.size() / contest.solids();
    for (std::size_t b = 0; b < kBodies; ++b) {
      if (all[e].verdict[place_of(EdgeContest::connects, b)] != Verdict::contact) continue;
      const std::vector<bool> seen = contest.seen_by_fcl(edges[e], b);
      std::copy(seen.begin(), seen.end(), all[e].fcl_sees[b]);
    }
  }
  return all;
}

EdgeRow summarise(const std::string& set, std::size_t scenes, const std::vector<Seen>& all,
                  std::size_t ours, std::size_t fcl) {
  EdgeRow row;
  row.set = set;
  row.scenes = scenes;
  row.edges = all.size();
  std::vector<double> times;
  const auto count = static_cast<double>(all.size());
  for (const Seen& seen : all) {
    const double us = seen.us[place_of(EdgeContest::connects, ours)];
    const Verdict verdict = seen.verdict[place_of(EdgeContest::connects, ours)];
    times.push_back(us);
    row.us += us / count;
    row.free += verdict == Verdict::free;
    row.contact += verdict == Verdict::contact;
    row.undecided += verdict == Verdict::undecided;
    if (verdict == Verdict::free) row.us_free += us;
    if (verdict == Verdict::contact) row.us_contact += us;
    row.tests += static_cast<double>(seen.tests[ours]) / count;
    row.parts += static_cast<double>(seen.parts[ours]) / count;
    row.pose_us += seen.us[place_of(EdgeContest::pose, ours)] / count;
    row.fcl_pose_us += seen.us[place_of(EdgeContest::fcl_pose, fcl)] / count;
    row.unseen += verdict == Verdict::contact && !seen.fcl_sees[ours][fcl];
    const auto look = [&](EdgeContest::Who who, SampledEdges& sampled, std::size_t poses) {
      const bool collides = seen.verdict[place_of(who, fcl)] == Verdict::contact;
      sampled.us += seen.us[place_of(who, fcl)] / count;
      sampled.poses += static_cast<double>(poses) / count;
      sampled.missed += verdict == Verdict::contact && !collides && seen.fcl_sees[ours][fcl];
      sampled.colliding += verdict == Verdict::free && collides;
    };
    look(EdgeContest::fcl_fine, row.fine, seen.fine_poses);
    look(EdgeContest::fcl_coarse, row.coarse, seen.coarse_poses);
  }
  if (row.free > 0) row.us_free /= static_cast<double>(row.free);
  if (row.contact > 0) row.us_contact /= static_cast<double>(row.contact);
  std::sort(times.begin(), times.end());
  if (!times.empty()) {
    row.p50_us = times[times.size() / 2];
    row.p99_us = times[times.size() * 99 / 100];
    row.max_us = times.back();
  }
  return row;
}

}  // namespace

std::vector<EdgeRow> measure_edges(const EdgeOptions& options) {
  const EdgeScenes scenes(options);
  if (scenes.places().empty()) return {};
  EdgeContest contest(scenes, options);
  std::vector<EdgeRow> rows;
  std::vector<Seen> all, of_set;
  std::size_t in_set = 0;
  const auto report = [&](const std::string& set, std::size_t count,
                          const std::vector<Seen>& seen) {
    for (const auto& [ours, fcl] : kCombinations) {
      rows.push_back(summarise(set, count, seen, ours, fcl));
      rows.back().bodies = scenes.bodies_name(ours);
      rows.back().fcl_bodies = scenes.bodies_name(fcl);
    }
  };
  for (std::size_t k = 0; k < scenes.places().size(); ++k) {
    const EdgeScenes::Place& place = scenes.places()[k];
    contest.enter(place);
    const std::vector<Seen> seen = measure_problem(contest, options.rounds);
    of_set.insert(of_set.end(), seen.begin(), seen.end());
    ++in_set;
    if (k + 1 < scenes.places().size() && scenes.places()[k + 1].set == place.set) continue;
    report(place.set->name, in_set, of_set);
    all.insert(all.end(), of_set.begin(), of_set.end());
    of_set.clear();
    in_set = 0;
  }
  report("all", scenes.places().size(), all);
  for (const EdgeRow& row : rows) {
    if (row.fine.colliding + row.coarse.colliding > 0) {
      fmt::print("WRONG: {} {}: FCL collides on an edge that is called free\n", row.set,
                 row.bodies);
    }
  }
  return rows;
}

void print_edges(const std::vector<EdgeRow>& rows) {
  fmt::print("\n{:24} {:6} {:6} {:>6} {:>6} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}\n",
             "edges", "bodies", "FCL's", "edges", "free", "contact", "undecided", "us", "us free",
             "us cont", "p99", "tests", "parts");
  for (const EdgeRow& r : rows) {
    fmt::print(
        "{:24} {:6} {:6} {:6} {:6} {:7} {:9} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:7.1f} {:7.2f}\n",
        r.set, r.bodies, r.fcl_bodies, r.edges, r.free, r.contact, r.undecided, r.us, r.us_free,
        r.us_contact, r.p99_us, r.tests, r.parts);
  }
  fmt::print(
      "\n{:24} {:6} {:6} {:>8} {:>8} {:>7} {:>9} {:>6} {:>7} {:>6} {:>9} {:>6} {:>7} {:>6} "
      "{:>6}\n",
      "FCL", "bodies", "FCL's", "pose", "our pose", "edge/p.", "0.01 rad", "poses", "ratio",
      "missed", "MoveIt", "poses", "ratio", "missed", "unseen");
  for (const EdgeRow& r : rows) {
    fmt::print(
        "{:24} {:6} {:6} {:8.2f} {:8.2f} {:7.2f} {:9.2f} {:6.1f} {:7.1f} {:6} {:9.2f} "
        "{:6.1f} {:7.1f} {:6} {:6}\n",
        r.set, r.bodies, r.fcl_bodies, r.fcl_pose_us, r.pose_us, r.us / r.fcl_pose_us, r.fine.us,
        r.fine.poses, r.fine.us / r.us, r.fine.missed, r.coarse.us, r.coarse.poses,
        r.coarse.us / r.us, r.coarse.missed, r.unseen);
  }
}

void write_edges(std::ostream& out, const std::vector<EdgeRow>& rows) {
  out << "set,bodies,fcl_bodies,scenes,edges,free,contact,undecided,us,us_free,us_contact,p50_us,"
         "p99_us,max_us,tests,parts,check_pose_us,fcl_pose_us,edge_per_fcl_pose,fine_us,fine_poses,"
         "times_fine,fine_missed,fine_colliding_where_free,moveit_us,moveit_poses,times_moveit,"
         "moveit_missed,moveit_colliding_where_free,contacts_unseen_by_fcl\n";
  for (const EdgeRow& r : rows) {
    out << fmt::format(
        "{},{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.2f},{:.3f},{:.3f},"
        "{:.3f},{:.3f},{:.3f},{:.1f},{:.2f},{},{},{:.3f},{:.1f},{:.2f},{},{},{}\n",
        r.set, r.bodies, r.fcl_bodies, r.scenes, r.edges, r.free, r.contact, r.undecided, r.us,
        r.us_free, r.us_contact, r.p50_us, r.p99_us, r.max_us, r.tests, r.parts, r.pose_us,
        r.fcl_pose_us, r.us / r.fcl_pose_us, r.fine.us, r.fine.poses, r.fine.us / r.us,
        r.fine.missed, r.fine.colliding, r.coarse.us, r.coarse.poses, r.coarse.us / r.us,
        r.coarse.missed, r.coarse.colliding, r.unseen);
  }
}

void count_edge_instructions(const EdgeOptions& options) {
  const EdgeScenes scenes(options);
  if (scenes.places().empty()) return;
  EdgeContest contest(scenes, options);
  for (const EdgeScenes::Place& place : scenes.places()) {
    contest.enter(place);
    CALLGRIND_START_INSTRUMENTATION;
    for (const EdgeContender& contender : contest.contenders()) {
      CALLGRIND_ZERO_STATS;
      // The first fills what a contender remembers and is not counted.
      if (!contest.edges().empty()) contender.run(contest.edges().back());
      for (const Edge& edge : contest.edges()) {
        CALLGRIND_TOGGLE_COLLECT;
        contender.run(edge);
        CALLGRIND_TOGGLE_COLLECT;
      }
      const std::string label = fmt::format("keepclear-bench,{} {},{},{}", place.set->name,
                                            place.set->problems[place.problem].index,
                                            contender.name, contest.edges().size());
      CALLGRIND_DUMP_STATS_AT(label.c_str());
    }
    CALLGRIND_STOP_INSTRUMENTATION;
  }
}

}  // namespace keepclear::bench
