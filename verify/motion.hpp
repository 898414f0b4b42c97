// SPDX-License-Identifier: BSD-3-Clause
// docs/certificate.md §3: what is claimed; and the first half of §5: from a cell to lines.
#pragma once
#include "brake.hpp"

namespace verify {

struct Piece {
  double begin, end;
  std::size_t degree;
  std::vector<double> rows;  // degree + 1 rows, a number for each that is driven
};
struct Path {
  std::size_t first = 0, count = 0;  // the numbers it drives
  std::vector<double> beside = {};
  std::vector<Piece> pieces = {};
  std::vector<double> tube = {};  // rows, or none
};
struct Cycle {
  std::string name;
  std::vector<double> q, v, command;  // command: empty if there is none
};
/// q = c + λ v + e with |e| ≤ rho and |λ| ≤ 1, the same λ for all numbers of one path.
struct Line {
  double c = 0, rho = 0;
  Interval v = 0.0;
  int path = -1;
};

/// A line around [lo, hi] and extra more.
inline Line around(double lo, double hi, double extra) {
  Line line;
  const double middle = lo / 2 + hi / 2;
  if (std::isfinite(middle)) line.c = middle;
  line.rho = larger(hi - line.c, line.c - lo) + extra;
  return line;
}

/// Bernstein coefficients of one number of a piece on [a, b], 0 ≤ a < b ≤ 1: de Casteljau, twice.
inline std::vector<Interval> coefficients(const Path& path, const Piece& piece, std::size_t k,
                                          double a, double b) {
  const std::size_t d = piece.degree;
  std::vector<Interval> c(d + 1);
  for (std::size_t j = 0; j <= d; ++j) c[j] = piece.rows[j * path.count + k];
  if (a > 0)  // what is right of a
    for (std::size_t r = 1; r <= d; ++r)
      for (std::size_t j = 0; j + r <= d; ++j)
        c[j] = (1.0 - Interval(a)) * c[j] + Interval(a) * c[j + 1];
  if (b < 1) {  // what is left of b
    const Interval u = (Interval(b) - a) / (1.0 - Interval(a));
    for (std::size_t r = 1; r <= d; ++r)
      for (std::size_t j = d; j >= r; --j) c[j] = (1.0 - u) * c[j - 1] + u * c[j];
  }
  return c;
}

/// The width of the tube at u of piece i, from above.
inline double widest(const Path& path, std::size_t k, std::size_t i, double u) {
  if (path.tube.empty()) return 0;
  return up((1.0 - Interval(u)) * path.tube[i * path.count + k] +
            Interval(u) * path.tube[(i + 1) * path.count + k]);
}

inline Line path_line(const Path& path, std::size_t k, Range s) {
  const std::size_t n = path.pieces.size();
  const std::size_t first = std::min(static_cast<std::size_t>(s.lo), n - 1);
  double lo = INFINITY, hi = -INFINITY, width = 0;
  std::vector<Interval> c;
  std::size_t i = first;
  for (; i < n && static_cast<double>(i) < s.hi; ++i) {
    const double from = larger(s.lo - static_cast<double>(i), 0.0);  // exact
    const double to = smaller(s.hi - static_cast<double>(i), 1.0);
    Work::spend(path.pieces[i].degree * path.pieces[i].degree);
    c = coefficients(path, path.pieces[i], k, from, to);
    for (const Interval& x : c) lo = smaller(lo, down(x)), hi = larger(hi, up(x));
    width = larger(width, larger(widest(path, k, i, from), widest(path, k, i, to)));
  }
  if (i > first + 1) return around(lo, hi, path.beside[k] + width);
  const std::size_t d = c.size() - 1;
  const Interval rise = c[d] - c[0];
  Line line = around(down((c[0] + c[d]) / 2.0), up((c[0] + c[d]) / 2.0), path.beside[k] + width);
  line.v = rise / 2.0;
  double bent = 0;
  for (std::size_t j = 1; j < d; ++j)
    bent = larger(
        bent, size(c[j] - c[0] - Interval(static_cast<double>(j)) / static_cast<double>(d) * rise));
  line.rho += bent;
  return line;
}

struct Claim {
  std::string kind;
  double clearance = 0, offset = INFINITY, latency = 0;
  std::vector<Path> paths;
  std::vector<Range> ranges;
  std::vector<Pair> only;
  std::vector<Brake> brakes;
  std::vector<Cycle> cycles;

  void read(Reader& in, const World& world) {
    const std::size_t n = world.numbers.size();
    in.take("clearance");
    clearance = in.length();
    if (kind == "path" || kind == "clocks") {
      std::size_t next = 0;
      do read_path(in, next, n), next += paths.back().count;
      while (kind == "clocks" && in.at("path"));
      in.demand(next == n, "a number that no path drives");
    }
    if (kind == "clocks") {
      in.take("offset");
      offset = in.number(true);
      in.demand(offset >= 0, "negative");
    } else if (kind == "box" || kind == "never") {
      for (std::size_t k = 0; k < n; ++k) {
        in.take("range");
        Range r{in.number(true), in.number(true)};
        in.demand(r.lo <= r.hi && r.lo < INFINITY && r.hi > -INFINITY, "ends before it begins");
        ranges.push_back(r);
      }
    } else if (kind == "guard") {
      read_guard(in, world);
    }
    while (kind == "never" && (in.at("only") || only.empty())) {
      in.take("only");
      const std::size_t a = in.index(world.solids.size()), b = in.index(world.solids.size());
      in.demand(a < b && world.meet(a, b), "two solids that meet, the lower index first");
      in.demand(only.empty() || only.back() < Pair(a, b), "out of order");
      only.emplace_back(a, b);
    }
  }

  /// All of what is meant: a range for each coordinate; of a guard c and t come last.
  std::vector<Range> root(const World& world) const {
    if (!ranges.empty()) return ranges;
    std::vector<Range> cell;
    for (const Path& p : paths) cell.push_back({0, static_cast<double>(p.pieces.size())});
    if (kind != "guard") return cell;
    cell.assign(world.numbers.size(), {-INFINITY, INFINITY});
    cell.push_back({0, static_cast<double>(cycles.size() - 1)});
    cell.push_back({0, INFINITY});
    return cell;
  }

  /// The lines of the numbers that matter in a cell. False: nothing is meant there.
  bool lines(const World& world, const std::vector<Range>& cell, const std::vector<bool>& matters,
             std::vector<Line>& lines) const {
    const std::size_t n = world.numbers.size();
    lines.assign(n, {});
    for (std::size_t p = 0; p < paths.size(); ++p)
      for (std::size_t k = 0; k < paths[p].count; ++k)
        if (Line& line = lines[paths[p].first + k]; matters[paths[p].first + k]) {
          line = path_line(paths[p], k, cell[p]);
          line.path = static_cast<int>(p);
        }
    for (std::size_t k = 0; k < n && paths.empty(); ++k) {
      if (!matters[k]) continue;
      Range r = cell[k];
      if (kind == "guard") {
        Range all = {INFINITY, -INFINITY};
        const Range c = cell[n], t = cell[n + 1];
        Work::spend(static_cast<std::size_t>(c.hi - c.lo) * 16 + 16);
        for (auto i = static_cast<std::size_t>(c.lo); i <= static_cast<std::size_t>(c.hi); ++i) {
          const Cycle& s = cycles[i];
          const Range box = braking_box(world.numbers[k], brakes[k], latency, s.q[k], s.v[k],
                                        s.command.empty() ? nullptr : &s.command[k], t.lo, t.hi);
          if (!(box.lo <= box.hi)) return lines[k].rho = NAN, true;
          all = {smaller(all.lo, box.lo), larger(all.hi, box.hi)};
        }
        r = {larger(r.lo, all.lo), smaller(r.hi, all.hi)};
        if (r.lo > r.hi) return false;
      }
      lines[k] = around(r.lo, r.hi, 0);
    }
    return true;
  }

  /// §5 (later): are the times of the cell on the paths a and b farther apart than the offset?
  bool later(const std::vector<Range>& cell, std::size_t a, std::size_t b) const {
    const Range x = time_of(paths[a], cell[a]), y = time_of(paths[b], cell[b]);
    // Rounded upwards: -(hi - lo) is a lower bound of lo - hi. Infinite ends are never farther.
    return -(x.hi - y.lo) > offset || -(y.hi - x.lo) > offset;
  }

 private:
  static Range time_of(const Path& path, Range s) {
    const auto n = static_cast<double>(path.pieces.size());
    auto time = [&](double place) {
      const std::size_t i = std::min(static_cast<std::size_t>(place), path.pieces.size() - 1);
      const Piece& p = path.pieces[i];
      return Interval(p.begin) +
             (Interval(place) - static_cast<double>(i)) * (Interval(p.end) - p.begin);
    };
    return {s.lo == 0 ? -INFINITY : down(time(s.lo)), s.hi == n ? INFINITY : up(time(s.hi))};
  }

  void read_path(Reader& in, std::size_t first, std::size_t end) {
    in.take("path");
    Path path{in.index(end), 0};
    in.demand(path.first == first, "a number that no path drives, or two do");
    path.count = in.index(end) + 1 - first;
    in.demand(path.count > 0 && path.count <= end, "the last number before the first");
    in.take("beside");
    for (std::size_t k = 0; k < path.count; ++k) path.beside.push_back(in.length());
    do {
      in.take("piece");
      Piece p{in.number(), in.number(), in.index(33), {}};
      in.demand(p.begin <= p.end, "ends before it begins");
      in.demand(path.pieces.empty() || path.pieces.back().end == p.begin,
                "begins when the piece before does not end");
      in.demand(p.degree > 0, "the degree is from 1 to 32");
      for (std::size_t k = 0; k < (p.degree + 1) * path.count; ++k) p.rows.push_back(in.number());
      path.pieces.push_back(std::move(p));
    } while (in.at("piece"));
    for (std::size_t i = 0; in.at("tube") || (i > 0 && i <= path.pieces.size()); ++i) {
      in.take("tube");
      in.demand(i <= path.pieces.size(), "more rows than one and the number of pieces");
      for (std::size_t k = 0; k < path.count; ++k) path.tube.push_back(in.length());
    }
    paths.push_back(std::move(path));
  }

  void read_guard(Reader& in, const World& world) {
    for (const Link& link : world.links)
      in.demand(link.kind != planar && link.kind != floating,
                "a guard of planar or floating joints");
    in.take("latency");
    latency = in.length();
    for (std::size_t k = 0; k < world.numbers.size(); ++k) {
      in.take("brake");
      Brake b{in.length(), in.length(), in.number(true), in.length(), in.length(),
              in.length(), false};
      in.demand(b.b > 0 && b.most >= b.b, "brakes that do not brake");
      b.stops = in.index(2) == 1;
      brakes.push_back(b);
    }
    do {
      in.take("cycle");
      Cycle c{in.name(), {}, {}, {}};
      for (auto* part : {&c.q, &c.v, &c.command})
        for (std::size_t k = 0;
             k < world.numbers.size() && (part != &c.command || in.more() || k > 0); ++k)
          part->push_back(in.number());
      in.demand(cycles.empty() || cycles[0].command.size() == c.command.size(),
                "commands in all cycles or none");
      cycles.push_back(std::move(c));
    } while (in.at("cycle"));
  }
};

}  // namespace verify
