// SPDX-License-Identifier: BSD-3-Clause
#include "contained.hpp"

#include <sstream>

namespace verify {
namespace {

/// The point of the hull of up to four points that is nearest to the origin, as a mean of them.
/// Which of them count stays in simplex.
Point nearest(std::vector<Point>& simplex) {
  Point best = simplex[0];
  double least = INFINITY;
  std::vector<Point> kept;
  for (unsigned subset = 1; subset < 1u << simplex.size(); ++subset) {
    Point s[4] = {};
    std::size_t size = 0;
    for (std::size_t i = 0; i < simplex.size(); ++i)
      if (subset >> i & 1) s[size++] = simplex[i];
    // Least squares for x = s0 + Σ t_i (s_i - s0), by elimination.
    const std::size_t n = size - 1;
    double a[3][4] = {}, t[3] = {};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a[i][j] = inner(s[i + 1] - s[0], s[j + 1] - s[0]);
      a[i][3] = -inner(s[i + 1] - s[0], s[0]);
    }
    bool flat = false;
    for (std::size_t i = 0; i < n && !flat; ++i) {
      std::size_t pivot = i;
      for (std::size_t j = i; j < n; ++j)
        if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
      std::swap_ranges(a[i], a[i] + 4, a[pivot]);
      flat = std::abs(a[i][i]) < 1e-300;
      for (std::size_t j = 0; j < n && !flat; ++j)
        for (std::size_t k = 4; k-- > i && j != i;) a[j][k] -= a[i][k] * a[j][i] / a[i][i];
    }
    double rest = 1;
    Point x = s[0];
    for (std::size_t i = 0; i < n && !flat; ++i) {
      t[i] = a[i][3] / a[i][i];
      rest -= t[i];
      flat |= !(t[i] >= 0);
      x = x + t[i] * (s[i + 1] - s[0]);
    }
    const double square = inner(x, x);
    if (flat || !(rest >= 0) || !(square < least)) continue;
    best = x, least = square, kept.assign(s, s + size);
  }
  simplex = kept;
  return best;
}

std::string at(const Point& p) {
  std::ostringstream out;
  out << "at (" << p[0] << ", " << p[1] << ", " << p[2] << ") of its link";
  return out.str();
}

/// The disc of that radius about z of the link is in the body: all arcs of its rim are. An arc is
/// if both ends are and the point where its tangents meet is; else it is halved.
class Rim {
 public:
  Rim(const PlacedConvex& body, const Place& place, double radius, double z, double slack)
      : body_(body), place_(body.from_link * place), radius_(radius), z_(z), slack_(slack) {}

  Inside inside() const {
    Inside all = at(0, radius_);
    for (int i = 0; i < 8 && all == Inside::yes; ++i) all = arc(i * M_PI / 4, (i + 1) * M_PI / 4);
    return all;
  }

 private:
  Inside at(double angle, double radius) const {
    return body_.body.holds(place_ * Point{radius * std::cos(angle), radius * std::sin(angle), z_},
                            0, slack_);
  }
  /// Its first end is inside.
  Inside arc(double from, double to) const {
    if (const Inside end = at(to, radius_); end != Inside::yes) return end;
    const double half = (to - from) / 2, tangents = radius_ / std::cos(half);
    if (tangents - radius_ <= slack_ || at(from + half, tangents) == Inside::yes)
      return Inside::yes;
    const Inside first = arc(from, from + half);
    return first == Inside::yes ? arc(from + half, to) : first;
  }

  const PlacedConvex& body_;
  const Place place_;
  const double radius_, z_, slack_;
};

Inside holds(const PlacedConvex& body, const Form& shape, const Place& place, double slack) {
  std::vector<Point> corners;
  double radius = 0;
  const double half = shape.length / 2;
  Inside all = Inside::yes;
  const auto also = [&](Inside one) {
    if (all != Inside::no && one != Inside::yes) all = one;
  };
  switch (shape.kind) {
    case Form::box:
      for (int k = 0; k < 8; ++k)
        corners.push_back({shape.size[0] * (k & 1 ? 0.5 : -0.5),
                           shape.size[1] * (k & 2 ? 0.5 : -0.5),
                           shape.size[2] * (k & 4 ? 0.5 : -0.5)});
      break;
    case Form::ball:
      corners = {{0, 0, 0}}, radius = shape.radius;
      break;
    case Form::capsule:
      corners = {{0, 0, -half}, {0, 0, half}}, radius = shape.radius;
      break;
    case Form::cylinder:
      also(Rim(body, place, shape.radius, half, slack).inside());
      also(Rim(body, place, shape.radius, -half, slack).inside());
      break;
    case Form::cone:
      also(Rim(body, place, shape.radius, -half, slack).inside());
      corners = {{0, 0, half}};
      break;
    default:
      throw CannotTell{"a shape of a kind that is not known"};
  }
  for (const Point& c : corners) also(body.body.holds(body.from_link * (place * c), radius, slack));
  return all;
}

/// Triangles of a mesh, each in one body, or cut and halved until its parts are.
class Surface {
 public:
  Surface(std::vector<Point> points, std::span<const PlacedConvex> bodies, double slack)
      : points_(std::move(points)),
        bodies_(bodies),
        slack_(slack),
        state_(points_.size() * bodies.size(), kNotSeen) {}

  std::string why_outside(const Face& face, int depth = 0) {
    if (covered(face)) return {};
    for (const std::size_t corner : face)
      if (!somewhere(corner)) return "it reaches out of its bodies " + at(points_[corner]);
    if (depth == 60 || ++pieces_ > 100'000)
      return "a part of it is in none of its bodies " + at(points_[face[0]]);
    std::vector<Face> rest;
    if (cut_off(face, rest)) {
      for (const Face& part : rest)
        if (const std::string why = why_outside(part, depth + 1); !why.empty()) return why;
      return {};
    }
    std::size_t side = 0;
    double longest = -1;
    for (std::size_t i = 0; i < 3; ++i) {
      const double length = norm(points_[face[i]] - points_[face[(i + 1) % 3]]);
      if (length > longest) longest = length, side = i;
    }
    const std::size_t next = (side + 1) % 3,
                      middle = add(0.5 * (points_[face[side]] + points_[face[next]]));
    Face first = face, second = face;
    first[next] = second[side] = middle;
    const std::string why = why_outside(first, depth + 1);
    return why.empty() ? why_outside(second, depth + 1) : why;
  }

 private:
  static constexpr char kNotSeen = 3;

  bool in(std::size_t corner, std::size_t body) {
    char& state = state_[corner * bodies_.size() + body];
    if (state == kNotSeen) {
      const PlacedConvex& b = bodies_[body];
      const Inside found = b.body.holds(b.from_link * points_[corner], 0, slack_);
      unsure_ |= found == Inside::unknown;
      state = static_cast<char>(found);
    }
    return state == static_cast<char>(Inside::yes);
  }
  std::size_t add(const Point& p) {
    points_.push_back(p);
    state_.resize(points_.size() * bodies_.size(), kNotSeen);
    return points_.size() - 1;
  }

  /// How far from its first end, as a share, a side of the triangle stays in a body.
  double share_inside(std::size_t from, std::size_t to, std::size_t body) const {
    const PlacedConvex& b = bodies_[body];
    const Point step = points_[to] - points_[from];
    double inside = 0, outside = 1;
    for (int i = 0; i < 50; ++i) {
      const double t = (inside + outside) / 2;
      const Point p = b.from_link * (points_[from] + t * step);
      (b.body.holds(p, 0, slack_) == Inside::yes ? inside : outside) = t;
    }
    return inside;
  }

  /// Takes off what one body holds, by a straight cut between two sides. Bodies that touch and do
  /// not overlap, as parts of a mesh do, leave no triangle that halving would end with.
  bool cut_off(const Face& face, std::vector<Face>& rest) {
    constexpr double kLeast = 1e-3;  // of a side: less is no way to get on
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t c = face[i], next = face[(i + 1) % 3], last = face[(i + 2) % 3];
        if (in(next, b)) continue;
        if (in(c, b) && in(last, b)) {  // next alone is outside
          const double x = share_inside(c, next, b), y = share_inside(last, next, b);
          if (x < kLeast || y < kLeast) continue;
          const Point p = points_[c] + x * (points_[next] - points_[c]),
                      q = points_[last] + y * (points_[next] - points_[last]);
          rest = {{add(p), next, add(q)}};
          return true;
        }
        if (in(c, b) && !in(last, b)) {  // c alone is inside
          const double x = share_inside(c, next, b), y = share_inside(c, last, b);
          if (x < kLeast || y < kLeast) continue;
          const std::size_t p = add(points_[c] + x * (points_[next] - points_[c])),
                            q = add(points_[c] + y * (points_[last] - points_[c]));
          rest = {{p, next, last}, {p, last, q}};
          return true;
        }
      }
    return false;
  }

  bool somewhere(std::size_t corner) {
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      if (in(corner, b)) return true;
    return false;
  }
  bool covered(const Face& face) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const std::size_t b = (last_ + i) % bodies_.size();
      if (!in(face[0], b) || !in(face[1], b) || !in(face[2], b)) continue;
      last_ = b;
      return true;
    }
    return false;
  }

  std::vector<Point> points_;  // in the link
  const std::span<const PlacedConvex> bodies_;
  const double slack_;
  std::vector<char> state_;  // of each point in each body
  std::size_t last_ = 0, pieces_ = 0;

 public:
  bool unsure_ = false;
};

}  // namespace

double distance_to_hull(std::span<const Point> points, const Point& x, double enough, bool& apart) {
  double result = INFINITY;
  std::vector<Point> simplex;
  const auto support = [&](const auto& value) {
    double least = INFINITY;
    Point best = points[0] - x;
    for (const Point& p : points) {
      const Point d = p - x;
      if (const double v = value(d); v < least) least = v, best = d;
    }
    return best;
  };
  if (!points.empty()) simplex.push_back(support([](const Point& p) { return inner(p, p); }));
  for (int i = 0; i < 200 && !simplex.empty(); ++i) {
    const Point v = nearest(simplex);
    const double here = norm(v);
    if (here >= result) break;
    result = here;
    if (here <= enough || simplex.size() == 4) break;
    simplex.push_back(support([&](const Point& p) { return inner(v, p); }));
    if (inner(v, simplex.back()) > enough * here) {  // nothing is nearer than this over here
      apart = true;
      break;
    }
  }
  return result;
}

Convex::Convex(const Body& body) : radius_(body.radius) {
  for (std::size_t i = 0; i < body.points.size(); i += 3) {
    points_.push_back({body.points[i], body.points[i + 1], body.points[i + 2]});
    reach_ = std::max(reach_, norm(points_.back()) + radius_);
    for (std::size_t k = 0; k < 3; ++k) {
      least_[k] = std::min(least_[k], points_.back()[k]);
      most_[k] = std::max(most_[k], points_.back()[k]);
    }
  }
}

Inside Convex::holds(const Point& x, double radius, double slack) const {
  const double enough = radius_ - radius + slack;
  if (!(enough >= 0)) return Inside::no;
  for (std::size_t k = 0; k < 3; ++k)
    if (x[k] < least_[k] - enough || x[k] > most_[k] + enough) return Inside::no;
  bool apart = false;
  if (distance_to_hull(points_, x, enough, apart) <= enough) return Inside::yes;
  // The search may have ended where rounding left it. A little beside it goes another way.
  const double off = slack / 4;
  for (unsigned k = 0; k < 8 && !apart; ++k) {
    const Point beside = x + off / std::sqrt(3.0) *
                                 Point{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0};
    bool far = false;
    if (distance_to_hull(points_, beside, enough - off, far) <= enough - off) return Inside::yes;
    if (distance_to_hull(points_, beside, enough + off, apart) <= enough - off) return Inside::yes;
  }
  return apart ? Inside::no : Inside::unknown;
}

std::string why_outside(const Form& shape, const Mesh& mesh, const Place& place,
                        std::span<const PlacedConvex> bodies) {
  double size = norm(shape.size) + shape.radius + shape.length;
  std::vector<Point> points;
  for (const Point& p : mesh.points) {
    points.push_back(place * p);
    size = std::max(size, norm(p));
  }
  double distance = norm(place.shift);
  for (const PlacedConvex& b : bodies) distance = std::max(distance, norm(b.from_link.shift));
  const double slack = kOutside * (size + distance);
  if (shape.kind != Form::mesh) {
    bool unsure = false;
    for (const PlacedConvex& b : bodies) {
      const Inside found = holds(b, shape, place, slack);
      if (found == Inside::yes) return {};
      unsure |= found == Inside::unknown;
    }
    if (unsure) throw CannotTell{"whether a shape is in its body was not found"};
    return "it is in none of its bodies";
  }
  Surface surface(std::move(points), bodies, slack);
  for (const Face& face : mesh.faces)
    if (const std::string why = surface.why_outside(face); !why.empty()) {
      if (surface.unsure_)
        throw CannotTell{"whether a shape is in its bodies was not found: " + why};
      return why;
    }
  return {};
}

}  // namespace verify
