// SPDX-License-Identifier: BSD-3-Clause
// docs/certificate.md §2: links, solids, bodies, and what they may be off by.
#pragma once
#include <map>
#include <utility>

#include "reader.hpp"

namespace verify {

using Pair = std::pair<std::size_t, std::size_t>;
enum Kind { fixed, hinge, slide, planar, floating };
constexpr std::string_view kKinds[] = {"fixed", "hinge", "slide", "planar", "floating"};
constexpr std::size_t kNumbers[] = {0, 1, 1, 3, 7};  // that a joint of the kind reads

struct Number {
  std::string name;
  double lower = 0, upper = 0;
};
struct Link {
  std::string name;
  std::size_t parent = 0, depth = 0;
  std::size_t group = 0;  // all links that are fixed to each other have the same
  Kind kind = fixed;
  Mat turn = Mat::identity();  // the place of its joint
  Vec shift = {0.0, 0.0, 0.0}, axis = {}, across = {};
  std::size_t number = 0;
  std::vector<std::pair<double, double>> follows = {};  // M, O
};
struct Body {
  std::size_t solid = 0, link = 0;
  bool plane = false;
  double radius = 0, offset = 0;    // offset: of a plane
  Vec normal = {};                  // of a plane, of length 1
  std::vector<double> points = {};  // x y z x y z …; of a box its corners, rounded outwards
  std::array<double, 6> box = {};   // if it stands still: of the points, in link 0, least and most
  std::vector<double> loose = {};   // if it stands still: by how much each loose link moves it
};
struct Solid {
  std::string name;
  bool object = false;
  std::size_t link = 0, first = 0, last = 0;  // its bodies: [first, last)
};
struct Loose {
  std::size_t link;
  double metres, radians;
};

/// The largest value of w·p, from above; p is exact.
inline double most(const Vec& w, const double* p) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += p[i] * (p[i] >= 0 ? w[i].upper() : w[i].lower());
  return sum;
}

/// The largest |m p + k| over the points of a body, from above.
inline double farthest(const Body& body, const Mat& m, const Vec& k) {
  if (!m.finite() || !k.finite()) return INFINITY;
  Work::spend(body.points.size());
  const Mat minus = -m;
  double result = 0;
  for (std::size_t p = 0; p < body.points.size(); p += 3) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double s = larger(most(m[i], &body.points[p]) + k[i].upper(),
                              most(minus[i], &body.points[p]) - k[i].lower());
      sum += s * s;
    }
    result = larger(result, sum);
  }
  return std::sqrt(result);
}

struct World {
  std::vector<Number> numbers;
  std::vector<Link> links;
  std::vector<Solid> solids;
  std::vector<Body> bodies;
  double margin = 0, stray = 0;
  std::map<Pair, double> margins;                             // of pairs of solids
  std::map<Pair, std::pair<std::string, std::string>> skips;  // why, reason
  std::vector<Loose> loose;

  bool still(std::size_t link) const { return links[link].group == 0; }
  bool solid_still(std::size_t solid) const { return still(solids[solid].link); }
  bool body_still(std::size_t body) const { return still(bodies[body].link); }
  bool meet(std::size_t a, std::size_t b) const {
    return links[solids[a].link].group != links[solids[b].link].group;
  }
  /// The deepest link that carries both.
  std::size_t common(std::size_t a, std::size_t b) const {
    while (a != b) {
      Work::spend(1);
      if (links[a].depth < links[b].depth) std::swap(a, b);
      a = links[a].parent;
    }
    return a;
  }
  bool carries(std::size_t a, std::size_t b) const { return common(a, b) == a; }
  bool carries_body(std::size_t link, std::size_t body) const {
    return carries(link, solids[bodies[body].solid].link);
  }
  double margin_of(std::size_t a, std::size_t b) const {
    const auto found = margins.empty() ? margins.end() : margins.find(std::minmax(a, b));
    return found == margins.end() ? margin : found->second;
  }

  void read(Reader& in, bool fit) {
    while (in.at("number")) {
      in.take("number");
      const Number n{in.name(), in.number(true), in.number(true)};
      in.demand(n.lower <= n.upper && n.lower < INFINITY && n.upper > -INFINITY,
                "limits that are none");
      numbers.push_back(n);
    }
    in.take("link");
    links.push_back({in.name()});
    while (in.at("link")) read_link(in);
    while (in.at("solid")) {
      in.take("solid");
      solids.push_back({in.name(), in.skip("object")});
      in.demand(solids.back().object || in.skip("link"), "link or object was expected");
      solids.back().link = in.index(links.size());
    }
    while (in.at("hull") || (!fit && (in.at("box") || in.at("plane")))) read_body(in);
    in.demand(solids.empty() ? bodies.empty()
                             : !bodies.empty() && bodies.back().solid + 1 == solids.size(),
              "a solid without a body");
    if (!fit) read_rules(in);
  }

 private:
  void read_link(Reader& in) {
    in.take("link");
    Link link{in.name(), in.index(links.size())};
    const auto kind = std::find(std::begin(kKinds), std::end(kKinds), in.word());
    in.demand(kind != std::end(kKinds), "no kind of a joint");
    link.kind = static_cast<Kind>(kind - std::begin(kKinds));
    link.depth = links[link.parent].depth + 1;
    if (link.depth > 1000) throw CannotTell{"more than 1000 links one upon the other"};
    link.group = link.kind == fixed ? links[link.parent].group : links.size();
    link.shift = in.vector();
    if (in.skip("rpy")) {
      const double r = in.number(), p = in.number(), y = in.number();
      const Mat e = Mat::identity();
      link.turn = turn(e[2], y) * (turn(e[1], p) * turn(e[0], r));
    } else {
      in.demand(in.skip("quat"), "rpy or quat was expected");
      std::array<double, 4> q = {in.number(), in.number(), in.number(), in.number()};
      in.demand(q != std::array<double, 4>{}, "a quaternion that is zero");
      link.turn = turn(q);
    }
    if (link.kind != fixed && link.kind != floating) link.axis = in.direction();
    if (link.kind == planar) {
      const Vec h = in.vector(), f = h - dot(h, link.axis) * link.axis;
      link.across = f.unit();
      in.demand(link.across.finite(), "a heading along the axis");
    }
    if (link.kind != fixed) link.number = in.index(numbers.size());
    in.demand(link.number + kNumbers[link.kind] <= numbers.size(), "a number that is not there");
    while (in.more() && (link.kind == hinge || link.kind == slide)) {
      const double m = in.number();
      link.follows.emplace_back(m, in.number());
    }
    links.push_back(std::move(link));
  }

  void read_body(Reader& in) {
    const std::string kind = in.at("hull") ? "hull" : in.at("box") ? "box" : "plane";
    in.take(kind);
    Body b{in.index(solids.size()), in.index(links.size())};
    Solid& solid = solids[b.solid];
    const std::size_t last = bodies.empty() ? SIZE_MAX : bodies.back().solid;
    in.demand(b.solid == last || b.solid == last + 1,
              "a solid without a body, or out of its order");
    if (b.solid != last) solid.first = bodies.size();
    solid.last = bodies.size() + 1;
    in.demand(links[solid.link].group == links[b.link].group,
              "a joint is between it and the link of its solid");
    if (kind == "hull") {
      b.radius = in.length();
      do b.points.push_back(in.number());
      while (in.more() || b.points.size() % 3 != 0);
    } else if (kind == "box") {
      const Vec c = in.vector();
      const double h[3] = {in.length(), in.length(), in.length()};
      for (int k = 0; k < 24; ++k)
        b.points.push_back(k / 3 >> k % 3 & 1 ? up(c[k % 3] + h[k % 3])
                                              : down(c[k % 3] - h[k % 3]));
    } else {
      b.plane = true;
      b.normal = in.direction();
      b.offset = in.number();
      in.demand(still(b.link), "a plane that moves");
    }
    bodies.push_back(std::move(b));
  }

  void read_rules(Reader& in) {
    in.take("margin");
    margin = in.length();
    Pair last{0, 0};
    auto take_pair = [&](std::string_view kind) {
      in.take(kind);
      const std::size_t a = in.index(solids.size()), b = in.index(solids.size());
      in.demand(a < b && meet(a, b), "two solids with a joint between, the lower index first");
      in.demand(last < Pair(a, b), "out of order");
      return last = {a, b};
    };
    while (in.at("margin")) {
      const Pair ab = take_pair("margin");
      margins[ab] = in.length();
    }
    last = {0, 0};
    while (in.at("skip")) {
      const Pair ab = take_pair("skip");
      skips[ab] = {in.name(), in.name()};
    }
    while (in.at("loose")) {
      in.take("loose");
      const Loose l{in.index(links.size()), in.length(), in.length()};
      in.demand(still(l.link), "a loose link that a joint moves");
      in.demand(loose.empty() || loose.back().link < l.link, "out of order");
      loose.push_back(l);
    }
    if (in.at("stray")) in.take("stray"), stray = in.length();
  }
};

}  // namespace verify
