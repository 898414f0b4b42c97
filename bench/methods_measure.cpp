// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bench/methods_bench.hpp"

namespace keepclear::bench {
namespace {

constexpr const char* kAskNames[] = {"verdict", "clearance"};

std::size_t place_of(Method method) {
  return static_cast<std::size_t>(std::find(std::begin(kMethods), std::end(kMethods), method) -
                                  std::begin(kMethods));
}

/// The classes of clearance, millimetres: from, to.
struct Class {
  const char* name;
  double from, to;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Class kClasses[] = {{"below 2 mm", 0, 2e-3},
                              {"2 to 10 mm", 2e-3, 0.01},
                              {"10 to 50 mm", 0.01, 0.05},
                              {"above 50 mm", 0.05, kInfinity}};

struct Sums {
  std::size_t decided = 0, open = 0;
  std::size_t fewest = 0, soonest = 0;          ///< of the methods, `auto` beside them
  std::size_t fewest_but = 0, soonest_but = 0;  ///< the same without chords
  double tests = 0, parts = 0, log_us = 0, us = 0;
};

/// Rows that one method at least proved free; sums of those that the method itself proved.
void print_table(const char* title, const std::vector<const MethodsRow*>& rows) {
  std::array<Sums, kMethodCount> sums;
  std::size_t pairs = 0, free = 0;
  std::array<std::size_t, kMethodCount> steps{};
  for (const MethodsRow* row : rows) {
    if (!row->proved()) continue;
    ++free;
    pairs += row->pairs;
    std::size_t fewest = std::numeric_limits<std::size_t>::max(), fewest_but = fewest;
    double soonest = kInfinity, soonest_but = kInfinity;
    // Of the methods alone: what `auto` mixes them to is beside them.
    for (std::size_t m = 0; m + 1 < kMethodCount; ++m) {
      if (row->by[m].verdict != Verdict::free) continue;
      fewest = std::min(fewest, row->by[m].tests);
      soonest = std::min(soonest, row->by[m].us);
      if (kMethods[m] == Method::chord) continue;
      fewest_but = fewest;
      soonest_but = soonest;
    }
    for (std::size_t m = 0; m < kMethodCount; ++m) {
      const MethodsCell& cell = row->by[m];
      steps[m] += row->steps[m];
      if (cell.verdict != Verdict::free) {
        ++sums[m].open;
        continue;
      }
      ++sums[m].decided;
      sums[m].tests += static_cast<double>(cell.tests);
      sums[m].parts += static_cast<double>(cell.parts);
      sums[m].us += cell.us;
      sums[m].log_us += std::log(cell.us);
      sums[m].fewest += cell.tests <= fewest;
      sums[m].soonest += cell.us <= soonest;
      if (kMethods[m] == Method::chord || kMethods[m] == Method::automatic) continue;
      sums[m].fewest_but += cell.tests <= fewest_but;
      sums[m].soonest_but += cell.us <= soonest_but;
    }
  }
  if (free == 0) return;
  std::size_t all_steps = 0;
  for (const std::size_t n : steps) all_steps += n;
  for (std::size_t m = 0; m < kMethodCount; ++m) {
    const Sums& s = sums[m];
    const double n = std::max<double>(1, static_cast<double>(s.decided));
    fmt::print("{:26} {:9} {:7} {:6} {:9.1f} {:8.1f} {:10.2f} {:10.2f} {:9.1f} {:7} {:8} {:8} {:8}",
               title, to_string(kMethods[m]), free, s.open, s.tests / n, s.parts / n, s.us / n,
               std::exp(s.log_us / n),
               1000 * s.us / n / (static_cast<double>(pairs) / static_cast<double>(free)), s.fewest,
               s.soonest, s.fewest_but, s.soonest_but);
    if (all_steps > 0 && m + 1 < kMethodCount) {
      fmt::print(" {:7.2f} %",
                 100 * static_cast<double>(steps[m]) / static_cast<double>(all_steps));
    }
    fmt::print("\n");
  }
}

}  // namespace

bool MethodsRow::proved() const {
  return std::any_of(by.begin(), by.end(),
                     [](const MethodsCell& cell) { return cell.verdict == Verdict::free; });
}

std::vector<MethodsRow> measure_motion(const MethodsMotion& motion, const MethodsOptions& options) {
  using Clock = std::chrono::steady_clock;
  std::vector<MethodsRow> rows;
  for (const Ask ask : kAsks) {
    MethodsRow row;
    row.robot = motion.robot;
    row.scene = motion.scene;
    row.kind = motion.kind;
    row.number = motion.number;
    row.pairs = motion.world.pair_count();
    row.ask = ask;
    std::vector<MotionQuery> queries;
    CertifyOptions certify;
    certify.ask = ask;
    certify.tolerance = options.tolerance;
    certify.budget = options.budget;
    for (const Method method : kMethods) {
      certify.method = method;
      queries.emplace_back(motion.world, certify);
    }
    for (MethodsCell& cell : row.by) cell.us = kInfinity;
    for (int round = 0; round < options.rounds; ++round) {
      for (std::size_t m = 0; m < kMethodCount; ++m) {
        const Clock::time_point start = Clock::now();
        const Certificate answer = queries[m](motion.path);
        const std::chrono::duration<double, std::micro> took = Clock::now() - start;
        MethodsCell& cell = row.by[m];
        cell.us = std::min(cell.us, took.count());
        cell.verdict = answer.verdict;
        cell.tests = answer.tests;
        cell.parts = answer.parts;
        cell.depth = answer.depth;
        cell.clearance = answer.clearance;
        if (ask == Ask::clearance && m + 1 == kMethodCount) {
          row.distance = answer.verdict == Verdict::contact ? 0 : answer.distance;
        }
      }
    }
    certify.method = Method::automatic;
    certify.keep_proof = true;
    const Certificate proof = MotionQuery(motion.world, certify)(motion.path);
    for (const ProofStep& step : proof.proof) ++row.steps[place_of(step.method)];
    rows.push_back(row);
  }
  for (MethodsRow& row : rows) row.distance = rows.back().distance;
  return rows;
}

void print_summary(const std::vector<MethodsRow>& rows) {
  for (const MethodsRow& row : rows) {
    const bool contact = std::any_of(row.by.begin(), row.by.end(), [](const MethodsCell& cell) {
      return cell.verdict == Verdict::contact;
    });
    if (contact && row.proved()) {
      throw std::runtime_error(
          fmt::format("WRONG: {} {} {} {}: free by one method, in contact by "
                      "another",
                      row.robot, row.scene, row.kind, row.number));
    }
  }
  const auto select = [&](Ask ask, const auto& keep) {
    std::vector<const MethodsRow*> some;
    for (const MethodsRow& row : rows) {
      if (row.ask == ask && keep(row)) some.push_back(&row);
    }
    return some;
  };
  std::vector<std::string> kinds, robots;
  for (const MethodsRow& row : rows) {
    if (std::find(kinds.begin(), kinds.end(), row.kind) == kinds.end()) kinds.push_back(row.kind);
    if (std::find(robots.begin(), robots.end(), row.robot) == robots.end()) {
      robots.push_back(row.robot);
    }
  }
  for (const Ask ask : kAsks) {
    fmt::print(
        "\n{:26} {:9} {:>7} {:>6} {:>9} {:>8} {:>10} {:>10} {:>9} {:>7} {:>8} {:>8} {:>8} {:>9}\n",
        kAskNames[ask == Ask::clearance], "method", "free", "open", "tests", "parts", "us",
        "us (geom.)", "ns a pair", "fewest", "soonest", "no chord", "no chord", "of auto");
    print_table("all", select(ask, [](const MethodsRow&) { return true; }));
    for (const std::string& kind : kinds) {
      print_table(kind.c_str(), select(ask, [&](const MethodsRow& r) { return r.kind == kind; }));
    }
    for (const std::string& robot : robots) {
      print_table(robot.c_str(),
                  select(ask, [&](const MethodsRow& r) { return r.robot == robot; }));
    }
    for (const Class& c : kClasses) {
      print_table(c.name, select(ask, [&](const MethodsRow& r) {
                    return r.distance >= c.from && r.distance < c.to;
                  }));
    }
  }
}

void write_head(std::ostream& out) {
  out << "robot,scene,kind,number,ask,pairs,distance_mm";
  for (const Method method : kMethods) {
    const std::string name = to_string(method);
    out << fmt::format(",{0}_verdict,{0}_clearance_mm,{0}_tests,{0}_parts,{0}_us", name);
  }
  for (std::size_t m = 0; m + 1 < kMethodCount; ++m) {
    out << fmt::format(",auto_{}_steps", to_string(kMethods[m]));
  }
  out << '\n';
}

void write_row(std::ostream& out, const MethodsRow& row) {
  out << fmt::format("{},{},{},{},{},{},{:.3f}", row.robot, row.scene, row.kind, row.number,
                     kAskNames[row.ask == Ask::clearance], row.pairs, 1000 * row.distance);
  for (const MethodsCell& cell : row.by) {
    out << fmt::format(",{},{:.3f},{},{},{:.2f}", to_string(cell.verdict), 1000 * cell.clearance,
                       cell.tests, cell.parts, cell.us);
  }
  for (std::size_t m = 0; m + 1 < kMethodCount; ++m) out << ',' << row.steps[m];
  out << '\n';
}

}  // namespace keepclear::bench
