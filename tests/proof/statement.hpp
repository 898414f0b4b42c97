// SPDX-License-Identifier: BSD-3-Clause
//
// What a certificate says, read once more and tried out: configurations of what is meant, in plain
// doubles, and how near claimed pairs come in them. It shares nothing with the writer or the
// checker but docs/certificate.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/geometry.hpp"

namespace keepclear::test {

/// Throws std::runtime_error for a text that is none.
class Statement {
 public:
  explicit Statement(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      words_.clear();
      next_ = 0;
      std::istringstream split(line);
      for (std::string word; split >> word;) words_.push_back(word);
      if (words_.empty()) throw std::runtime_error("an empty line");
      const std::string kind = take();
      if (kind == "tree" || kind == "end") break;
      read(kind);
    }
    finish();
  }

  struct Seen {
    /// Of any configuration that was tried and any claimed pair: its distance less what is claimed.
    double beyond = std::numeric_limits<double>::infinity();
    int a = -1, b = -1;  ///< bodies
    std::vector<double> q;
  };

  /// The worst of `samples` random configurations and of as many more beside the worst.
  Seen worst(std::mt19937_64& random, int samples) const {
    Seen seen;
    std::vector<double> z(dimensions()), best = z;
    const auto uniform = [&](double lower, double upper) {
      return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
    };
    const auto look = [&] {
      const double before = seen.beyond;
      try_at(z, seen);
      if (seen.beyond < before) best = z;
    };
    for (int k = 0; k < samples; ++k) {
      for (double& x : z) x = std::clamp(uniform(-0.15, 1.15), 0.0, 1.0);
      look();
    }
    double step = 0.3;
    for (int k = 0; k < samples; ++k, step *= std::pow(1e-4, 1.0 / samples)) {
      z = best;
      const bool one = random() % 2 == 0;
      const std::size_t only = z.empty() ? 0 : random() % z.size();
      for (std::size_t i = 0; i < z.size(); ++i) {
        if (one && i != only) continue;
        z[i] = std::clamp(z[i] + uniform(-step, step), 0.0, 1.0);
      }
      look();
    }
    return seen;
  }

  const std::string& kind() const { return kind_; }
  std::size_t claimed() const { return pairs_.size(); }
  std::size_t skipped() const { return skips_.size(); }

 private:
  struct Link {
    int parent = -1;
    std::string kind = "fixed";
    Pose place;
    Vec3 axis, across;
    std::size_t number = 0;
    std::vector<std::pair<double, double>> follows;
    bool moves = false;
    std::size_t group = 0;
  };
  struct Thing {
    std::size_t solid = 0, link = 0;
    bool plane = false;
    Vec3 n;
    double offset = 0, radius = 0;
    std::vector<Vec3> points;
    std::vector<Body> body;  ///< one, unless it is a plane
    Vec3 centre;
    double around = 0;
  };
  struct Piece {
    double begin = 0, end = 0;
    std::size_t degree = 0;
    std::vector<double> rows;
  };
  struct Path {
    std::size_t first = 0, last = 0;
    std::vector<double> beside;
    std::vector<Piece> pieces;
    std::vector<std::vector<double>> tube;
  };
  struct Brake {
    double a = 0, b = 0, most = 0, ep = 0, ev = 0, ea = 0;
    bool stops = false;
  };
  struct Cycle {
    std::vector<double> q, v, c;
  };
  struct Loose {
    std::size_t link = 0;
    double metres = 0, radians = 0;
  };
  struct Pair {
    std::size_t a = 0, b = 0;  ///< bodies
    double need = 0;
  };

  std::string take() {
    if (next_ >= words_.size()) throw std::runtime_error("words too few");
    return words_[next_++];
  }
  bool more() const { return next_ < words_.size(); }
  double number() {
    const std::string word = take();
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (*end != '\0' || std::isnan(value)) throw std::runtime_error("no number: " + word);
    return value;
  }
  std::size_t index() { return std::stoul(take()); }
  Vec3 vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(number());
    return all;
  }
  static Vec3 unit(Vec3 v) { return (1 / norm(v)) * v; }
  static Mat3 rotation(double x, double y, double z, double w) {
    const double size = std::sqrt(x * x + y * y + z * z + w * w);
    return rotation_from_quaternion(x / size, y / size, z / size, w / size);
  }
  static Mat3 turn(Vec3 axis, double angle) {
    const double s = std::sin(0.5 * angle);
    return rotation(s * axis.x, s * axis.y, s * axis.z, std::cos(0.5 * angle));
  }

  void read(const std::string& kind) {
    if (kind == "claim") kind_ = take();
    if (kind == "number") take(), limits_.emplace_back(number(), number());
    if (kind == "link") read_link();
    if (kind == "solid") {
      take(), take();
      solids_.push_back(index());
    }
    if (kind == "hull" || kind == "box" || kind == "plane") read_body(kind);
    if (kind == "margin") read_margin();
    if (kind == "skip") {
      const std::size_t a = index(), b = index();
      skips_.insert({a, b});
    }
    if (kind == "only") {
      const std::size_t a = index(), b = index();
      only_.insert({a, b});
    }
    if (kind == "loose") {
      const std::size_t link = index();
      const double metres = number();
      loose_.push_back({link, metres, number()});
    }
    if (kind == "stray") stray_ = number();
    if (kind == "clearance") clearance_ = number();
    if (kind == "offset") offset_ = number();
    if (kind == "latency") latency_ = number();
    read_motion(kind);
  }

  void read_motion(const std::string& kind) {
    if (kind == "path") {
      paths_.emplace_back();
      paths_.back().first = index();
      paths_.back().last = index() + 1;
    }
    if (kind == "range") {
      const double lower = number();
      ranges_.emplace_back(lower, number());
    }
    if (kind == "brake") {
      Brake b;
      for (double* x : {&b.a, &b.b, &b.most, &b.ep, &b.ev, &b.ea}) *x = number();
      b.stops = index() == 1;
      brakes_.push_back(b);
    }
    if (kind == "cycle") {
      take();
      Cycle c{numbers(limits_.size()), numbers(limits_.size()), {}};
      if (more()) c.c = numbers(limits_.size());
      cycles_.push_back(c);
    }
    if (paths_.empty()) return;
    Path& path = paths_.back();
    const std::size_t count = path.last - path.first;
    if (kind == "beside") path.beside = numbers(count);
    if (kind == "tube") path.tube.push_back(numbers(count));
    if (kind == "piece") {
      Piece piece;
      piece.begin = number();
      piece.end = number();
      piece.degree = index();
      piece.rows = numbers((piece.degree + 1) * count);
      path.pieces.push_back(piece);
    }
  }

  void read_link() {
    take();
    Link link;
    if (more()) {
      link.parent = static_cast<int>(index());
      link.kind = take();
      link.place.p = vector();
      if (take() == "rpy") {
        link.place.R = rotation_from_rpy(vector());
      } else {
        const double x = number(), y = number(), z = number();
        link.place.R = rotation(x, y, z, number());
      }
      if (link.kind != "fixed" && link.kind != "floating") link.axis = unit(vector());
      if (link.kind == "planar") {
        const Vec3 h = vector();
        link.across = unit(h - dot(h, link.axis) * link.axis);
      }
      if (link.kind != "fixed") link.number = index();
      while (more()) {
        const double m = number();
        link.follows.emplace_back(m, number());
      }
      const Link& parent = links_.at(static_cast<std::size_t>(link.parent));
      link.moves = parent.moves || link.kind != "fixed";
      link.group = link.kind == "fixed" ? parent.group : links_.size();
    }
    links_.push_back(link);
  }

  void read_body(const std::string& kind) {
    Thing thing;
    thing.solid = index();
    thing.link = index();
    if (kind == "plane") {
      thing.plane = true;
      thing.n = unit(vector());
      thing.offset = number();
    } else if (kind == "hull") {
      thing.radius = number();
      while (more()) thing.points.push_back(vector());
    } else {
      const Vec3 c = vector(), h = vector();
      for (int k = 0; k < 8; ++k) {
        thing.points.push_back(c + Vec3{(k & 1) != 0 ? h.x : -h.x, (k & 2) != 0 ? h.y : -h.y,
                                        (k & 4) != 0 ? h.z : -h.z});
      }
    }
    if (!thing.plane) {
      for (const Vec3 p : thing.points) {
        if (!(norm(p) < 1e6)) throw std::runtime_error("farther than a body of this test may be");
        thing.centre = thing.centre + (1.0 / static_cast<double>(thing.points.size())) * p;
      }
      for (const Vec3 p : thing.points)
        thing.around = std::max(thing.around, norm(p - thing.centre));
      thing.around += thing.radius;
      thing.body.push_back(Body::hull(thing.points, thing.radius));
    }
    things_.push_back(thing);
  }

  void read_margin() {
    const std::string first = take();
    if (!more()) {
      margin_ = std::strtod(first.c_str(), nullptr);
      return;
    }
    const std::size_t b = index();
    margins_[{std::stoul(first), b}] = number();
  }

  void finish() {
    for (std::size_t a = 0; a < things_.size(); ++a) {
      for (std::size_t b = a + 1; b < things_.size(); ++b) {
        const Thing &x = things_[a], &y = things_[b];
        if (links_.at(solids_.at(x.solid)).group == links_.at(solids_.at(y.solid)).group) continue;
        const auto key = std::pair(std::min(x.solid, y.solid), std::max(x.solid, y.solid));
        if (kind_ == "never" ? !only_.contains(key) : skips_.contains(key)) continue;
        const auto own = margins_.find(key);
        const double margin = own != margins_.end() ? own->second : margin_;
        pairs_.push_back({x.plane ? b : a, x.plane ? a : b, std::max(margin, clearance_)});
      }
    }
  }

  // Points of the unit cube stand for configurations: first those of the claim, then those of what
  // is loose, an axis and an angle each.
  std::size_t dimensions() const { return motion_dimensions() + 3 * loose_.size(); }
  std::size_t motion_dimensions() const {
    const std::size_t n = limits_.size();
    if (!paths_.empty()) return 1 + 2 * paths_.size() + n;
    return cycles_.empty() ? n : 2 + 6 * n;
  }

  std::vector<double> configuration(const std::vector<double>& z) const {
    const std::size_t n = limits_.size();
    std::vector<double> q(n, 0);
    if (!paths_.empty()) {
      on_paths(z, q);
    } else if (!cycles_.empty()) {
      braking(z, q);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        const double lower = std::max(ranges_.at(k).first, std::min(-20.0, ranges_[k].second));
        const double upper = std::min(ranges_[k].second, std::max(20.0, lower));
        q[k] = lower + z[k] * (upper - lower);
      }
    }
    return q;
  }

  static double at(const Piece& piece, std::size_t count, std::size_t k, double u) {
    std::vector<double> c;
    for (std::size_t j = 0; j <= piece.degree; ++j) c.push_back(piece.rows[j * count + k]);
    for (std::size_t r = piece.degree; r > 0; --r) {
      for (std::size_t j = 0; j < r; ++j) c[j] = (1 - u) * c[j] + u * c[j + 1];
    }
    return c[0];
  }

  void on_paths(const std::vector<double>& z, std::vector<double>& q) const {
    double begin = std::numeric_limits<double>::infinity(), end = -begin;
    for (const Path& path : paths_) {
      begin = std::min(begin, path.pieces.front().begin);
      end = std::max(end, path.pieces.back().end);
    }
    const double wide = std::min(offset_, end - begin);
    const double from = begin - wide + z[0] * (end - begin + wide);
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      const Path& path = paths_[p];
      const auto n = static_cast<double>(path.pieces.size());
      double place = z[0] * n;
      if (kind_ == "clocks") {
        const double time = from + z[1 + 2 * p] * wide;
        place = time < path.pieces.front().begin ? 0 : n;
        for (std::size_t i = 0; i < path.pieces.size(); ++i) {
          const Piece& piece = path.pieces[i];
          if (time < piece.begin || time > piece.end) continue;
          const double length = piece.end - piece.begin;
          place =
              static_cast<double>(i) + (length > 0 ? (time - piece.begin) / length : z[2 + 2 * p]);
          break;
        }
      }
      const std::size_t i = std::min(static_cast<std::size_t>(place), path.pieces.size() - 1);
      const double u = std::clamp(place - static_cast<double>(i), 0.0, 1.0);
      const std::size_t count = path.last - path.first;
      for (std::size_t k = 0; k < count; ++k) {
        double wide_k = path.beside.at(k);
        if (!path.tube.empty()) {
          wide_k += (1 - u) * path.tube.at(i).at(k) + u * path.tube.at(i + 1).at(k);
        }
        const double e = 2 * z[1 + 2 * paths_.size() + path.first + k] - 1;
        q.at(path.first + k) = at(path.pieces[i], count, k, u) + e * wide_k;
      }
    }
  }

  void braking(const std::vector<double>& z, std::vector<double>& q) const {
    const auto c = std::min(static_cast<std::size_t>(z[0] * static_cast<double>(cycles_.size())),
                            cycles_.size() - 1);
    // The time until everything stands, at least.
    double longest = 0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const Brake& b = brakes_.at(k);
      const double a = cycles_[c].c.empty() ? b.a : std::fabs(cycles_[c].c[k]) + b.ea;
      const double speed = std::fabs(cycles_[c].v[k]) + b.ev + a * latency_;
      longest = std::max(longest, latency_ + speed / b.b);
    }
    const double time = z[1] * longest;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const Brake& b = brakes_[k];
      const double* const own = &z[2 + 6 * k];
      double lo = -b.a, hi = b.a;
      if (!cycles_[c].c.empty()) lo = cycles_[c].c[k] - b.ea, hi = cycles_[c].c[k] + b.ea;
      double at = cycles_[c].q[k] + (2 * own[0] - 1) * b.ep;
      double v = cycles_[c].v[k] + (2 * own[1] - 1) * b.ev;
      const double hold = own[2] * latency_;
      const double a = lo + own[3] * (hi - lo), a2 = lo + own[4] * (hi - lo);
      const double strongest = std::min(b.most, 100 * b.b);
      const double d = std::max(b.b, b.b + own[5] * (strongest - b.b));
      constexpr int kSteps = 40;
      const double start = at;
      const auto advance = [&](double seconds, double acceleration, bool brakes) {
        if (!(seconds > 0)) return;
        if (brakes) {
          const double sign = v > 0 ? 1 : -1, stand = std::fabs(v) / acceleration;
          seconds = std::min(seconds, stand);
          at += v * seconds - 0.5 * sign * acceleration * seconds * seconds;
          v = seconds < stand ? v - sign * acceleration * seconds : 0;
        } else {
          at += v * seconds + 0.5 * acceleration * seconds * seconds;
          v += acceleration * seconds;
        }
        if (!b.stops) return;
        const double top = std::max(limits_[k].second, start);
        const double bottom = std::min(limits_[k].first, start);
        if (at > top && v > 0) v = 0;
        if (at < bottom && v < 0) v = 0;
        at = std::clamp(at, bottom, top);
      };
      for (int s = 0; s < kSteps; ++s) {
        const double from = time * s / kSteps, to = time * (s + 1) / kSteps;
        const double change = std::clamp(0.5 * hold, from, to), brake = std::clamp(hold, from, to);
        advance(change - from, a, false);
        advance(brake - change, a2, false);
        advance(to - brake, d, true);
      }
      q[k] = at;
    }
  }

  bool place(const std::vector<double>& q, std::vector<Pose>& poses) const {
    poses.assign(links_.size(), {});
    for (std::size_t i = 1; i < links_.size(); ++i) {
      const Link& link = links_[i];
      Pose X = poses[static_cast<std::size_t>(link.parent)] * link.place;
      const auto value = [&] {
        double x = q.at(link.number);
        for (const auto& [m, o] : link.follows) x = m * x + o;
        return x;
      };
      if (link.kind == "hinge") X = X * Pose{turn(link.axis, value()), {}};
      if (link.kind == "slide") X = X * Pose{{}, value() * link.axis};
      if (link.kind == "planar") {
        const Vec3 side = cross(link.axis, link.across);
        X = X * Pose{turn(link.axis, q.at(link.number + 2)),
                     q.at(link.number) * link.across + q.at(link.number + 1) * side};
      }
      if (link.kind == "floating") {
        const double* const f = &q.at(link.number);
        if (q.size() < link.number + 7) throw std::runtime_error("numbers too few");
        const double size = std::sqrt(f[3] * f[3] + f[4] * f[4] + f[5] * f[5] + f[6] * f[6]);
        if (!(size > 1e-9)) return false;
        X = X * Pose{rotation(f[3], f[4], f[5], f[6]), {f[0], f[1], f[2]}};
      }
      poses[i] = X;
    }
    return true;
  }

  /// What is loose is turned about the origin of its link, with all solids that the link carries.
  std::vector<Pose> turned(const std::vector<double>& z, const std::vector<Pose>& poses) const {
    std::vector<Pose> all;
    for (const Thing& thing : things_) all.push_back(poses.at(thing.link));
    for (std::size_t l = 0; l < loose_.size(); ++l) {
      const double* const own = &z[motion_dimensions() + 3 * l];
      const double height = 2 * own[0] - 1, around = 6.283185307179586 * own[1];
      const double wide = std::sqrt(std::max(0.0, 1 - height * height));
      const Mat3 R = turn({wide * std::cos(around), wide * std::sin(around), height},
                          own[2] * loose_[l].radians);
      const Vec3 o = poses.at(loose_[l].link).p;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (carries(loose_[l].link, solids_[things_[i].solid]))
          all[i] = Pose{R, o - R * o} * all[i];
      }
    }
    return all;
  }
  bool carries(std::size_t a, std::size_t b) const {
    while (b > a) b = static_cast<std::size_t>(links_[b].parent);
    return a == b;
  }

  void try_at(const std::vector<double>& z, Seen& seen) const {
    const std::vector<double> q = configuration(z);
    for (const double x : q) {
      if (!(std::fabs(x) < 1e6)) return;
    }
    std::vector<Pose> poses;
    if (!place(q, poses)) return;
    const std::vector<Pose> placed = turned(z, poses);
    for (const Pair& pair : pairs_) {
      const Thing &x = things_[pair.a], &y = things_[pair.b];
      const Pose &X = placed[pair.a], &Y = placed[pair.b];
      const std::size_t link_x = solids_[x.solid], link_y = solids_[y.solid];
      // Shifts straight towards each other.
      double nearer = pair.need;
      for (const std::size_t link : {link_x, link_y}) nearer += links_[link].moves ? stray_ : 0;
      for (const Loose& loose : loose_) {
        if (carries(loose.link, link_x) != carries(loose.link, link_y)) nearer += loose.metres;
      }
      if (y.plane) {
        const Vec3 n = Y.R * y.n;
        double least = std::numeric_limits<double>::infinity();
        for (const Vec3 p : x.points) least = std::min(least, dot(n, X * p - Y.p));
        note(least - y.offset - x.radius - nearer, pair, q, seen);
        continue;
      }
      if (norm(X * x.centre - Y * y.centre) - x.around - y.around - nearer > seen.beyond) continue;
      // Of what overlaps, how deep.
      const BodyDistance apart = distance(x.body[0], X, y.body[0], Y, {.signed_distance = true});
      note(apart.distance - nearer, pair, q, seen);
    }
  }
  static void note(double beyond, const Pair& pair, const std::vector<double>& q, Seen& seen) {
    if (!(beyond < seen.beyond)) return;
    seen = {beyond, static_cast<int>(pair.a), static_cast<int>(pair.b), q};
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::vector<std::size_t> solids_;  ///< their links
  std::string kind_;
  std::vector<std::pair<double, double>> limits_, ranges_;
  std::vector<Link> links_;
  std::vector<Thing> things_;
  double margin_ = 0, stray_ = 0, clearance_ = 0, latency_ = 0;
  double offset_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, double> margins_;
  std::set<std::pair<std::size_t, std::size_t>> skips_, only_;
  std::vector<Loose> loose_;
  std::vector<Path> paths_;
  std::vector<Brake> brakes_;
  std::vector<Cycle> cycles_;
  std::vector<Pair> pairs_;
};

}  // namespace keepclear::test
