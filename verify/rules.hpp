// SPDX-License-Identifier: BSD-3-Clause
// docs/certificate.md §5: the sum, and what it proves of the bodies in one cell.
#pragma once
#include "motion.hpp"

namespace verify {

class Rules {
 public:
  Rules(World& world, const Claim& claim)
      : world_(world), claim_(claim), placed_(world.links.size()), reaches_(world.bodies.size()) {
    // What stands still is where it is in every cell.
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      Body& body = world.bodies[i];
      if (!world.still(body.link)) continue;
      if (!body.plane) body.box = box(i).ends;
      for (const Loose& l : world.loose)
        body.loose.push_back(!world.carries_body(l.link, i) ? 0
                             : body.plane && l.radians > 0  ? INFINITY
                                                            : moved_by(l, i, 0));
    }
  }

  /// A new cell. Poses are taken in the frame of base, which carries all that is asked for.
  void enter(std::size_t base, const std::vector<Line>& lines) {
    ++cell_;
    base_ = base;
    lines_ = &lines;
  }

  /// (apart), along x y z in the frame of the deepest link that carries both; a plane has its own.
  bool apart(std::size_t a, std::size_t b, const Vec& xyz, double bound) {
    return gap(a, b, xyz) >= bound;
  }

  /// (clear), first half: the box around the points of a body, and by how much loose links move it.
  struct Box {
    std::array<double, 6> ends;  // least, most
    std::vector<double> loose;
  };
  Box box(std::size_t body) {
    Box result;
    for (std::size_t i = 0; i < 6; ++i) {
      Vec n = {0.0, 0.0, 0.0};
      n[i % 3] = i < 3 ? -1.0 : 1.0;
      const double end = most_along(body, n, 0).any();
      result.ends[i] = i < 3 ? -end : end;
    }
    for (const Loose& l : world_.loose)
      result.loose.push_back(world_.carries_body(l.link, body) ? moved_by(l, body, 0) : 0);
    return result;
  }

  /// (clear), second half: is b, which stands still, far enough from that box?
  bool clear(std::size_t a, const Box& box, std::size_t b) const {
    const Body &x = world_.bodies[a], &y = world_.bodies[b];
    double pad = x.radius + y.radius + world_.stray;
    for (std::size_t l = 0; l < world_.loose.size(); ++l)
      if (world_.carries_body(world_.loose[l].link, a) !=
          world_.carries_body(world_.loose[l].link, b))
        pad += box.loose[l] + y.loose[l];  // one of them is 0
    double minus = 0;  // minus the square of the distance of the boxes, from above
    for (std::size_t i = 0; i < 3; ++i) {
      const double d = larger(-(box.ends[3 + i] - y.box[i]), -(y.box[3 + i] - box.ends[i]));
      if (d > 0) minus += -d * d;
    }
    const double margin = pad + world_.margin_of(x.solid, y.solid), least = pad + claim_.clearance;
    return !y.plane && -minus > margin * margin && -minus >= least * least;
  }

 private:
  enum Motion { turns, shifts, ball };
  struct Joint {  // of a way; a planar or a floating joint is several
    Motion kind;
    std::size_t link;
    Vec axis, origin;
    Interval v;
    double rho, w;  // w = |v| + rho; of a ball the angle φ
    int path;
  };
  struct Placed {  // a link at the centre of the cell
    std::size_t cell = 0;
    Mat turn;
    Vec shift;
    std::vector<Joint> way;  // from base outwards
  };
  struct Reaches {  // of a body, for each joint of its way
    std::size_t cell = 0;
    std::vector<double> all, beyond;  // Y; the sum of w Y over the joints after
  };
  struct Most {
    double at[2] = {NAN, NAN};  // for λ = −1 and 1
    int path = -1;              // that λ belongs to
    double any() const { return at[0] <= at[1] ? at[1] : at[1] <= at[0] ? at[0] : NAN; }
  };

  const Placed& place(std::size_t link) {
    Placed& here = placed_[link];
    if (here.cell == cell_) return here;
    here.cell = cell_;
    if (link == base_)
      return here.turn = Mat::identity(), here.shift = {0.0, 0.0, 0.0}, here.way.clear(), here;
    const Link& l = world_.links[link];
    const Placed& parent = place(l.parent);
    here.turn = parent.turn * l.turn;
    here.shift = parent.turn * l.shift + parent.shift;
    here.way = parent.way;
    auto line = [&](std::size_t k) { return (*lines_)[l.number + k]; };
    auto add = [&](Motion kind, const Vec& axis, const Line& q) {
      here.way.push_back({kind, link, axis, here.shift, q.v, q.rho, size(q.v) + q.rho, q.path});
      if (kind == shifts) here.shift = here.shift + q.c * axis;
    };
    if (l.kind == floating) {
      const Mat axes = transposed(here.turn);
      for (std::size_t k = 0; k < 3; ++k) add(shifts, axes[k], line(k));
      Interval square_length = 0.0;
      double square_off = 0;
      for (std::size_t k = 3; k < 7; ++k) {
        square_length += square(Interval(line(k).c));
        const double w = size(line(k).v) + line(k).rho;
        square_off += w * w;
      }
      const double sine = up(std::sqrt(square_off) / root(square_length));
      add(ball, {0.0, 0.0, 0.0}, {});
      here.way.back().w = sine < 1 ? 2 * asin_up(sine) : INFINITY;
      here.turn = here.turn * turn({line(3).c, line(4).c, line(5).c, line(6).c});
    } else if (l.kind != fixed) {
      if (l.kind == planar) {
        add(shifts, here.turn * l.across, line(0));
        add(shifts, here.turn * cross(l.axis, l.across), line(1));
      }
      Line value = line(l.kind == planar ? 2 : 0);
      for (const auto& [m, o] : l.follows) {
        const Interval c = m * Interval(value.c) + o;
        const Line next = around(down(c), up(c), std::abs(m) * value.rho);
        value = {next.c, next.rho, m * value.v, value.path};
      }
      add(l.kind == slide ? shifts : turns, here.turn * l.axis, value);
      if (l.kind != slide) here.turn = here.turn * turn(l.axis, value.c);
    }
    return here;
  }

  const Reaches& reaches(std::size_t body) {
    Reaches& r = reaches_[body];
    if (r.cell == cell_) return r;
    r.cell = cell_;
    const Body& b = world_.bodies[body];
    const Placed& p = place(b.link);
    const std::size_t n = p.way.size();
    r.all.assign(n, 1), r.beyond.assign(n, 0);
    double beyond = 0;
    for (std::size_t j = n; j-- > 0;) {
      const Joint& joint = p.way[j];
      r.beyond[j] = beyond;
      if (joint.kind != shifts) {
        const Mat m = joint.kind == turns ? Mat::crossing(joint.axis) : Mat::identity();
        r.all[j] = farthest(b, m * p.turn, m * (p.shift - joint.origin)) + beyond;
      }
      if (joint.kind != ball) beyond += joint.w * r.all[j];
    }
    return r;
  }

  /// The sum: the most of n·x over a body in the whole cell, without its radius; the least of −n·x
  /// is minus that. Joints of the way count from `from` on.
  Most most_along(std::size_t body, const Vec& n, std::size_t from) {
    const Body& b = world_.bodies[body];
    const Placed& p = place(b.link);
    const Reaches& r = reaches(body);
    const Mat back = transposed(p.turn);
    Most result;
    bool mixed = false;  // numbers of two paths on one way: there is no one λ, and λ v counts as e
    int balls = 0;
    for (std::size_t j = from; j < p.way.size(); ++j) {
      mixed |= result.path >= 0 && p.way[j].path >= 0 && p.way[j].path != result.path;
      result.path = std::max(result.path, p.way[j].path);
      if (p.way[j].kind == ball && ++balls > 1)
        throw CannotTell{"two floating joints on the way to a body"};
      if (!std::isfinite(p.way[j].w) || !std::isfinite(r.all[j])) return {};
    }
    struct Term {
      Vec w, minus;  // g(p) = w·p + k; −w
      Interval k;
      double rho;
    };
    std::vector<Term> terms;
    Vec slope = {0.0, 0.0, 0.0};  // Σ v g(p) = slope·p + slope_k
    Interval slope_k = 0.0;
    bool sloped = false;
    double loss = 0, turned = 0;  // Q + S and what does not depend on p; the hinges so far
    for (std::size_t j = from; j < p.way.size(); ++j) {
      const Joint& joint = p.way[j];
      if (joint.kind == ball) {
        loss += joint.w * r.all[j];
        continue;
      }
      Term t{{0.0, 0.0, 0.0}, {}, dot(n, joint.axis), mixed ? joint.w : joint.rho};
      if (joint.kind == turns) {
        const Vec u = cross(n, joint.axis);
        t = {back * u, -(back * u), dot(u, p.shift - joint.origin), t.rho};
        loss +=
            joint.w * smaller(1.0, up(length(u)) + turned) * (joint.w * r.all[j] / 2 + r.beyond[j]);
        turned += joint.w;
        if (t.rho > 0) terms.push_back(t);
      } else {
        loss += t.rho * size(t.k);
      }
      if (!t.w.finite() || !finite(t.k)) return {};
      if (mixed || size(joint.v) == 0) continue;
      sloped = true, slope = slope + joint.v * t.w, slope_k += joint.v * t.k;
    }
    for (const int side : {0, 1}) {
      const Interval lambda = side == 0 ? -1.0 : 1.0;
      const Vec w = back * n + lambda * slope;
      const Interval k = dot(n, p.shift) + lambda * slope_k;
      if (!w.finite() || !finite(k)) return {};
      Work::spend(b.points.size() * (1 + terms.size()));
      double end = -INFINITY;
      for (std::size_t i = 0; i < b.points.size(); i += 3) {
        double value = most(w, &b.points[i]);
        for (const Term& t : terms)
          value += t.rho * larger(most(t.w, &b.points[i]) + t.k.upper(),
                                  most(t.minus, &b.points[i]) - t.k.lower());
        end = larger(end, value);
      }
      result.at[side] = end + k.upper() + loss;
      if (!sloped) return {{result.at[0], result.at[0]}, -1};
    }
    if (mixed) result.path = -1;
    return result;
  }

  /// By how much a loose link can move a body that it carries.
  double moved_by(const Loose& loose, std::size_t body, std::size_t from) {
    const Body& b = world_.bodies[body];
    const Placed& p = place(b.link);
    const Reaches& r = reaches(body);
    const Vec off = p.shift - place(loose.link).shift;
    double reach = farthest(b, p.turn, off);
    for (std::size_t j = from; j < p.way.size(); ++j)
      reach += p.way[j].w * r.all[j];  // of a ball: S
    return loose.metres + loose.radians * reach;
  }

  double gap(std::size_t a, std::size_t b, const Vec& xyz) {
    const Body &x = world_.bodies[a], &y = world_.bodies[b];
    const std::size_t both = world_.links[world_.common(x.link, y.link)].group,
                      from = place(both).way.size();
    const Placed& end = place(y.link);
    const Vec n = y.plane ? -(end.turn * y.normal) : place(both).turn * xyz.unit();
    const Most to = most_along(a, n, from);
    Most back;
    if (y.plane)
      back.at[0] = back.at[1] = up(y.offset - dot(n, end.shift));
    else
      back = most_along(b, -n, from);
    const bool one = to.path < 0 || back.path < 0 || to.path == back.path;
    double sum =
        one ? Most{{to.at[0] + back.at[0], to.at[1] + back.at[1]}}.any() : to.any() + back.any();
    sum += x.radius + y.radius;
    for (const std::size_t body : {a, b}) {
      const std::size_t link = world_.bodies[body].link;
      if (!world_.still(link)) sum += world_.stray;
      for (std::size_t l = 0; l < world_.loose.size(); ++l)
        if (const std::size_t loose = world_.loose[l].link;
            world_.carries_body(loose, a) != world_.carries_body(loose, b) &&
            world_.carries_body(loose, body))
          sum += world_.still(link) ? world_.bodies[body].loose[l]
                                    : moved_by(world_.loose[l], body, from);
    }
    return -sum;
  }

  World& world_;
  const Claim& claim_;
  std::size_t cell_ = 1, base_ = 0;
  const std::vector<Line>* lines_ = nullptr;
  std::vector<Placed> placed_;
  std::vector<Reaches> reaches_;
};

}  // namespace verify
