// SPDX-License-Identifier: BSD-3-Clause
#include "demo_toleranced.hpp"

#include <chrono>

namespace keepclear::command {

namespace {

/// A wall with a square opening, 2 cm thick: two faces with a hole each, and what is between.
Polyhedron wall(double half_wall, double half_opening) {
  std::vector<Vec3> corners;
  for (const double x : {-0.01, 0.01}) {
    for (const double h : {half_wall, half_opening}) {
      corners.insert(corners.end(), {{x, -h, -h}, {x, h, -h}, {x, h, h}, {x, -h, h}});
    }
  }
  std::vector<Polyhedron::Face> faces{{{0, 1, 2, 3}, {{4, 5, 6, 7}}},
                                      {{8, 9, 10, 11}, {{12, 13, 14, 15}}}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t next = (i + 1) % 4;
    faces.push_back({{i, next, next + 8, i + 8}});
    faces.push_back({{i + 4, next + 4, next + 12, i + 12}});
  }
  return Polyhedron::faces(corners, faces);
}

}  // namespace

std::vector<TrayPassage> pass_tray() {
  // A metre forwards, and half a turn about its own axis on the way.
  const CurvePointer way = screw_curve({Mat3{}, {-0.5, 0, 0}}, {}, {1, 0, 0}, 3.14159, 1);
  TolerancedQuery query(Polyhedron::box({0.3, 0.2, 0.05}), {{wall(0.5, 0.12), "wall", 0}});
  std::vector<TrayPassage> passages;
  for (const double deviation : {0.0, 0.004, 0.02}) {
    const auto start = std::chrono::steady_clock::now();
    TrayPassage& made = passages.emplace_back();
    made.deviation = deviation;
    made.result = query(*way, deviation);
    made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return passages;
}

void print_tray(Output& out, const std::vector<TrayPassage>& passages) {
  out.print(
      "\n11. A body by itself, and a motion that is not quite as planned: a tray turns on its way\n"
      "   through an opening, displacements covered by balls (metres: root mean square off):\n");
  for (const auto& [deviation, result, seconds] : passages) {
    out.print("   up to {} m off: {}", deviation, to_string(result.verdict));
    if (result.verdict == Verdict::free) {
      out.print(", at least {:.6f} m throughout", result.clearance);
    } else if (!result.intervals.empty()) {
      for (const TolerancedInterval& interval : result.intervals) {
        if (interval.status == Verdict::free) continue;
        out.print(" from {:.3f} s on, {} {} of the tray and {} {} of the wall", interval.from,
                  to_string(interval.moving.kind), interval.moving.index,
                  to_string(interval.standing.kind), interval.standing.index);
        break;
      }
    }
    out.print("; {} balls, {:.3f} s\n", result.balls, seconds);
  }
}

void print_tray_json(Output& out, const std::vector<TrayPassage>& passages) {
  out.write("\"tray\":[");
  const char* comma = "";
  for (const auto& [deviation, result, seconds] : passages) {
    out.print(
        "{}{{\"deviation\":{},\"verdict\":\"{}\",\"clearance\":{},\"balls\":{},\"seconds\":{}}}",
        comma, json_number(deviation), to_string(result.verdict), json_number(result.clearance),
        result.balls, json_number(seconds));
    comma = ",";
  }
  out.write("]");
}

}  // namespace keepclear::command
