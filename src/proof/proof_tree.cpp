// SPDX-License-Identifier: BSD-3-Clause
#include "proof/proof_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace keepclear {
namespace {

constexpr int kMostLevels = 190;
/// Metres: where bodies move by less than this and are too near, no division will help.
constexpr double kNothing = 1e-9;

double box_distance(const Box& a, const Box& b) {
  const auto gap = [](double a_lo, double a_hi, double b_lo, double b_hi) {
    return std::max({0.0, b_lo - a_hi, a_lo - b_hi});
  };
  return norm(Vec3{gap(a.lo.x, a.hi.x, b.lo.x, b.hi.x), gap(a.lo.y, a.hi.y, b.lo.y, b.hi.y),
                   gap(a.lo.z, a.hi.z, b.lo.z, b.hi.z)});
}

}  // namespace

bool halve(const ProofCell& cell, const std::function<Interval&(ProofCell&)>& range_of,
           double middle, std::string coordinate, CellSplit& out) {
  const auto text_of = [](Interval range) {
    CertificateText text;
    text.line("").number(range.lower).number(range.upper);
    return std::move(text).taken();
  };
  out.coordinate = std::move(coordinate);
  out.first = out.second = cell;
  Interval &first = range_of(out.first), &second = range_of(out.second);
  if (!(middle > first.lower && middle < first.upper)) return false;
  first.upper = second.lower = middle;
  out.first_range = text_of(first);
  out.second_range = text_of(second);
  return true;
}

ProofTree::ProofTree(const CertificateWorld& world, Prover& prover, const ProofDomain& domain,
                     double clearance, std::size_t budget)
    : world_(world),
      data_(world.data()),
      prover_(prover),
      domain_(domain),
      clearance_(clearance),
      budget_(budget),
      matters_(data_.kinematics.variables().size()),
      lines_(matters_.size()),
      gain_(matters_.size()) {}

OpenPairs ProofTree::of_links(int solid_a, int solid_b) const {
  const auto [first_a, last_a] = world_.bodies_of(solid_a);
  const auto [first_b, last_b] = world_.bodies_of(solid_b);
  OpenPairs open;
  for (int a = first_a; a < last_a; ++a) {
    for (int b = first_b; b < last_b; ++b) {
      // The one that moves comes first.
      if (data_.bodies[a].frame == 0) {
        open.links.emplace_back(b, a);
      } else if (data_.bodies[b].frame == 0) {
        open.links.emplace_back(a, b);
      } else {
        open.links.emplace_back(std::min(a, b), std::max(a, b));
      }
    }
  }
  return open;
}

OpenPairs ProofTree::of_still(int solid) const {
  const auto [first, last] = world_.bodies_of(solid);
  OpenPairs open;
  for (const CertificateWorld::Pair& pair : world_.checked()) {
    if (pair.a != solid && pair.b != solid) continue;
    const int other = pair.a == solid ? pair.b : pair.a;
    if (!data_.moves(other)) join(open, of_links(solid, other));
  }
  const auto& objects = data_.environment.objects;
  const bool any = std::ranges::any_of(objects, [&](const PlacedObject& object) {
    return object.first < object.last && !data_.rules.may_touch(solid, object.solid);
  });
  for (int b = first; any && b < last; ++b) open.around.push_back({b, true});
  return open;
}

OpenPairs ProofTree::of_all() const {
  OpenPairs open;
  for (const CertificateWorld::Pair& pair : world_.checked()) {
    if (data_.moves(pair.a) && data_.moves(pair.b)) join(open, of_links(pair.a, pair.b));
  }
  for (int s = 0; s < static_cast<int>(data_.solids.size()); ++s) {
    if (data_.moves(s)) join(open, of_still(s));
  }
  return open;
}

void ProofTree::join(OpenPairs& into, const OpenPairs& more) {
  into.links.insert(into.links.end(), more.links.begin(), more.links.end());
  into.around.insert(into.around.end(), more.around.begin(), more.around.end());
}

double ProofTree::margin_of(int body_a, int body_b) const {
  const int a = data_.bodies[body_a].solid, b = data_.bodies[body_b].solid;
  const auto& checked = world_.checked();
  const auto found =
      std::ranges::lower_bound(checked, PairRules::key(a, b), {},
                               [](const auto& pair) { return PairRules::key(pair.a, pair.b); });
  // Of a claim about pairs that are not checked, nothing is asked but to be apart.
  return found != checked.end() && PairRules::key(found->a, found->b) == PairRules::key(a, b)
             ? found->margin
             : world_.margin();
}

bool ProofTree::settle(const Prover::Found& found, double margin, int a, int b) {
  ++tests_;
  if (!(found.bound > margin && found.bound >= clearance_)) return false;
  const double bound = short_below(found.bound, clearance_, margin);
  if (!(bound > margin)) return false;
  found_.push_back({a, b, found.n, bound});
  return true;
}

void ProofTree::settle_links(const OpenPairs& open, OpenPairs& left) {
  for (const auto& [a, b] : open.links) {
    const double margin = margin_of(a, b);
    const Prover::Found found = prover_.links_apart(a, b, std::max(margin, clearance_));
    if (!settle(found, margin, world_.body(a), world_.body(b))) left.links.emplace_back(a, b);
  }
}

void ProofTree::settle_around(const OpenPairs::Around& around, OpenPairs& left,
                              CertificateText& text) {
  const Environment& env = data_.environment;
  const int solid = data_.bodies[around.body].solid;
  const Box box = prover_.box_of(around.body);
  const double reach = std::max(world_.margin_hi(), clearance_) + 1e-6;
  std::vector<std::uint32_t> near;
  const auto consider = [&](std::uint32_t piece) {
    if (env.pieces[piece].kind == PieceKind::half_space ||
        !(box_distance(box, env.piece_boxes[piece]) > reach)) {
      near.push_back(piece);
    }
  };
  std::size_t before = around.pieces.size();
  if (around.all) {
    before = env.pieces.size();
    env.index.visit(grown(box, reach), [&](int piece) {
      if (!data_.rules.may_touch(solid, env.solid_of(static_cast<std::uint32_t>(piece)))) {
        consider(static_cast<std::uint32_t>(piece));
      }
    });
    std::ranges::sort(near);
  } else {
    for (const std::uint32_t piece : around.pieces) consider(piece);
  }
  if (near.size() < before) {
    text.line("clear").index(world_.body(around.body));
    ++records_;
  }
  OpenPairs::Around rest{around.body};
  for (const std::uint32_t piece : near) {
    const double margin = world_.still_margin(solid, env.solid_of(piece));
    const Prover::Found found =
        prover_.piece_apart(around.body, piece, std::max(margin, clearance_));
    if (!settle(found, margin, world_.body(around.body), world_.piece(piece))) {
      rest.pieces.push_back(piece);
    }
  }
  if (!rest.pieces.empty()) left.around.push_back(std::move(rest));
}

bool ProofTree::fail(const std::string& what, const OpenPairs& open) {
  const auto name = [&](int body) { return data_.solids[data_.bodies[body].solid].name; };
  std::string pair;
  if (!open.links.empty()) {
    pair = fmt::format("'{}' and '{}'", name(open.links[0].first), name(open.links[0].second));
  } else {
    const auto& around = open.around[0];
    const std::string other =
        around.all ? "its surroundings"
                   : '\'' + data_.solids[data_.environment.solid_of(around.pieces[0])].name + '\'';
    pair = fmt::format("'{}' and {}", name(around.body), other);
  }
  why_ = fmt::format("{}: {}", pair, what);
  return false;
}

bool ProofTree::prove(const OpenPairs& open, CertificateText& text) {
  // What matters: numbers that drive a joint between the two of any pair.
  std::ranges::fill(matters_, 0);
  const auto mark = [&](int frame, std::size_t skip) {
    const auto& chain = prover_.chain(frame);
    for (std::size_t j = skip; j < chain.size(); ++j) {
      const Prover::JointMotion& motion = prover_.motion(chain[j]);
      const int count = motion.kind == Prover::JointMotion::Kind::ball ? 4 : 1;
      for (int k = 0; k < count; ++k) matters_[motion.number + k] = 1;
    }
  };
  for (const auto& [a, b] : open.links) {
    const int frame_a = data_.bodies[a].frame, frame_b = data_.bodies[b].frame;
    const std::size_t skip = prover_.chain(prover_.common_frame(frame_a, frame_b)).size();
    mark(frame_a, skip), mark(frame_b, skip);
  }
  for (const auto& around : open.around) mark(data_.bodies[around.body].frame, 0);
  return node(domain_.whole(), open, 0, text);
}

bool ProofTree::node(const ProofCell& cell, const OpenPairs& open, int depth,
                     CertificateText& text) {
  ++cells_;
  if (domain_.later(cell, matters_)) {
    text.line("later");
    ++records_;
    return true;
  }
  domain_.lines(cell, matters_, lines_);
  OpenPairs left;
  found_.clear();
  if (prover_.place(lines_)) {
    settle_links(open, left);
    // In the order of bodies, as they were opened.
    for (const OpenPairs::Around& around : open.around) settle_around(around, left, text);
    std::ranges::sort(found_, {}, [](const Record& r) { return std::pair(r.a, r.b); });
    for (const Record& r : found_) {
      text.line("apart").index(r.a).index(r.b).whole(r.n[0]).whole(r.n[1]).whole(r.n[2]);
      text.number(r.bound);
    }
    records_ += found_.size();
    if (left.empty()) {
      text.line("done");
      return true;
    }
    std::ranges::fill(gain_, 0);
    for (std::size_t k = 0; k < gain_.size(); ++k) {
      if (matters_[k] == 0) continue;
      const auto number = static_cast<int>(k);
      for (const auto& [a, b] : left.links) {
        gain_[k] = std::max(gain_[k], prover_.moved_by(a, number) + prover_.moved_by(b, number));
      }
      for (const auto& around : left.around) {
        gain_[k] = std::max(gain_[k], prover_.moved_by(around.body, number));
      }
    }
  } else {
    left = open;
    std::ranges::fill(gain_, 1);
  }
  if (tests_ > budget_) return fail("not proved within the budget", left);
  double gains = 0;
  for (const double gain : gain_) gains += gain;
  CellSplit halves;
  if (depth >= kMostLevels || gains < kNothing || !domain_.split(cell, matters_, gain_, halves)) {
    return fail("too near to be proved with room for rounding", left);
  }
  text.line("cell").word(halves.coordinate + halves.first_range);
  if (!node(halves.first, left, depth + 1, text)) return false;
  text.line("cell").word(halves.coordinate + halves.second_range);
  return node(halves.second, left, depth + 1, text);
}

}  // namespace keepclear
