// SPDX-License-Identifier: BSD-3-Clause
//
// Judges distance(Body, Body) on pairs near contact. Every verdict and every lower bound is held
// against the exact distance of the same bodies in the same poses.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "distance/generators.hpp"
#include "keepclear/body.hpp"
#include "oracle/exact_overlap.hpp"
#include "oracle/reference_penetration.hpp"

namespace keepclear::oracle {

inline Body make_body(const test::Shape& shape) {
  using Kind = test::Shape::Kind;
  switch (shape.kind) {
    case Kind::box:
    case Kind::needle:
    case Kind::plate:
      return Body::box(shape.size);
    case Kind::rounded_box:
      return Body::box(shape.size, {}, shape.radius);
    case Kind::capsule:
      return Body::capsule(shape.points[0], shape.points[1], shape.radius);
    case Kind::sphere:
      return Body::sphere(shape.points[0], shape.radius);
    case Kind::hull:
    case Kind::flat:
    case Kind::point:
      break;
  }
  return Body::hull(shape.points, shape.radius);
}

inline std::vector<Vec3> points_of(const Volume& volume) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
  return points;
}

/// A shape, the body made from it, and what the judge keeps of both.
struct Contestant {
  explicit Contestant(test::Shape from)
      : shape(std::move(from)),
        body(make_body(shape)),
        source(shape.points),
        model(points_of(body.volume())) {
    radius = body.radius();
    const mpq_class slack = radius - mpq_class(shape.radius);
    contains_source = slack >= 0;
    is_exact = slack == 0;
    for (std::size_t i = 0; i < shape.points.size() && contains_source; ++i) {
      const ExactSet point({&shape.points[i], 1});
      contains_source = exact_distance(point, {}, model, {}).overlap(slack);
    }
    for (const Vec3& p : shape.points) size = std::max(size, keepclear::norm(p) + shape.radius);
    if (shape.points.size() <= 16) small.emplace(model.points);
  }

  test::Shape shape;
  Body body;
  ExactSet source, model;
  mpq_class radius;
  bool contains_source = false;  ///< proved: the body contains the shape
  bool is_exact = false;         ///< and grew by no radius of its own
  double size = 0;
  std::optional<SmallHull> small;
};

/// What was counted. Everything below `violations` must stay zero.
struct Tally {
  std::int64_t pairs = 0, free = 0, contact = 0, undecided = 0, overlaps = 0;
  std::int64_t signed_checked = 0, moved_checked = 0, witnesses_checked = 0;
  double worst_undecided = 0;  ///< metres: the largest |distance| or depth left undecided
  double worst_gap = 0;        ///< metres: the largest distance - lower_bound of a free pair
  double worst_depth_error = 0;

  std::int64_t wrongly_free = 0;
  std::int64_t wrongly_contact = 0;
  std::int64_t lower_violations = 0;    ///< lower_bound above the exact distance
  std::int64_t upper_violations = 0;    ///< distance below the exact distance
  std::int64_t loose = 0;               ///< free, and distance - lower_bound above 1e-9
  std::int64_t needless_undecided = 0;  ///< undecided far from touching
  std::int64_t conflicts = 0;           ///< swapping or an exact motion made free into contact
  std::int64_t depth_violations = 0;    ///< signed distance off by more than 1e-9
  std::int64_t witness_violations = 0;  ///< witness points off their bodies or each other
  std::int64_t not_contained = 0;       ///< bodies that lose a point of their shape
  std::vector<std::string> messages;    ///< the first few violations
  std::map<std::string, std::int64_t> by_pattern;  ///< violations, by kind and pattern

  std::int64_t violations() const {
    return wrongly_free + wrongly_contact + lower_violations + upper_violations + loose +
           needless_undecided + conflicts + depth_violations + witness_violations + not_contained;
  }

  void operator+=(const Tally& t) {
    pairs += t.pairs, free += t.free, contact += t.contact, undecided += t.undecided;
    overlaps += t.overlaps, signed_checked += t.signed_checked;
    moved_checked += t.moved_checked, witnesses_checked += t.witnesses_checked;
    worst_undecided = std::max(worst_undecided, t.worst_undecided);
    worst_gap = std::max(worst_gap, t.worst_gap);
    worst_depth_error = std::max(worst_depth_error, t.worst_depth_error);
    wrongly_free += t.wrongly_free, wrongly_contact += t.wrongly_contact;
    lower_violations += t.lower_violations, upper_violations += t.upper_violations;
    loose += t.loose, needless_undecided += t.needless_undecided, conflicts += t.conflicts;
    depth_violations += t.depth_violations, witness_violations += t.witness_violations;
    not_contained += t.not_contained;
    for (const auto& [name, count] : t.by_pattern) by_pattern[name] += count;
    messages.insert(messages.end(), t.messages.begin(), t.messages.end());
    if (messages.size() > 60) messages.resize(60);
  }
};

/// Judges pairs and counts. One object a thread.
class NearContactJudge {
 public:
  Tally tally;

  /// `thorough` adds what costs more: moved copies, witness points, penetration depth.
  void judge(const Contestant& a, const Contestant& b, const test::Placement& at, bool thorough) {
    a_ = &a, b_ = &b, at_ = &at;
    ++tally.pairs;
    const BodyDistance result = distance(a.body, at.X_WA, b.body, at.X_WB);
    const ExactDistance exact = exact_distance(a.model, at.X_WA, b.model, at.X_WB);
    const mpq_class radius = a.radius + b.radius;
    const bool overlap = exact.overlap(radius);
    tally.overlaps += overlap;
    judge_verdict(result, exact, overlap, radius);
    judge_bounds(result, exact, radius);
    if (!thorough) return;
    judge_moved(result.verdict);
    if (result.verdict == Verdict::free) judge_witnesses(result);
    if (overlap && at.pattern != test::Pattern::uncertain_rotation) judge_depth(exact, radius);
  }

 private:
  void judge_verdict(const BodyDistance& result, const ExactDistance& exact, bool overlap,
                     const mpq_class& radius) {
    switch (result.verdict) {
      case Verdict::free:
        ++tally.free;
        if (overlap || source_overlaps()) blame(tally.wrongly_free, "wrongly free", result, exact);
        break;
      case Verdict::contact:
        ++tally.contact;
        if (!overlap) blame(tally.wrongly_contact, "wrongly contact", result, exact);
        break;
      case Verdict::undecided: {
        ++tally.undecided;
        const double limit = 1e-11 * (a_->size + b_->size + at_->offset) +
                             at_->rotation_deviation * (a_->size + b_->size);
        const double apart = exact.approximate() - radius.get_d();
        if (exact.squared == 0) {
          // Hulls that meet. Of uncertain rotations nothing is asked: thin shapes multiply the
          // uncertainty of a proof by their aspect.
          if (at_->rotation_deviation == 0 && is_deeper_than(limit)) {
            blame(tally.needless_undecided, "undecided but deep", result, exact);
          }
        } else {
          if (at_->rotation_deviation == 0) {
            tally.worst_undecided = std::max(tally.worst_undecided, std::abs(apart));
          }
          if (std::abs(apart) > limit) {
            blame(tally.needless_undecided, "undecided but clear", result, exact);
          }
        }
        break;
      }
    }
  }

  /// The shape itself, where its body is not exactly it.
  bool source_overlaps() const {
    if (a_->contains_source && b_->contains_source && a_->is_exact && b_->is_exact) return false;
    return exact_distance(a_->source, at_->X_WA, b_->source, at_->X_WB)
        .overlap(mpq_class(a_->shape.radius) + mpq_class(b_->shape.radius));
  }

  /// Whether B can be moved by `depth` any way and still overlap: it can if it can be moved to all
  /// corners of an octahedron around that ball.
  bool is_deeper_than(double depth) const {
    for (int k = 0; k < 6; ++k) {
      const double step = (k % 2 ? -1.75 : 1.75) * depth;
      Pose X_WB = at_->X_WB;
      X_WB.p = X_WB.p + Vec3{k / 2 == 0 ? step : 0, k / 2 == 1 ? step : 0, k / 2 == 2 ? step : 0};
      if (exact_distance(a_->model, at_->X_WA, b_->model, X_WB).squared > 0) return false;
    }
    return true;
  }

  void judge_bounds(const BodyDistance& result, const ExactDistance& exact,
                    const mpq_class& radius) {
    if (!std::isfinite(result.distance) || !std::isfinite(result.lower_bound)) {
      blame(tally.upper_violations, "not finite", result, exact);
      return;
    }
    if (result.lower_bound > 0) {
      const mpq_class reach = radius + mpq_class(result.lower_bound);
      if (reach * reach > exact.squared) {
        blame(tally.lower_violations, "lower bound too high", result, exact);
      }
    }
    if (result.verdict == Verdict::contact) return;
    // The upper bound is that of rounded witness points.
    const double rounding =
        1e-13 * (1 + a_->size + b_->size) + at_->rotation_deviation * (a_->size + b_->size);
    const mpq_class reach = radius + mpq_class(std::max(0.0, result.distance)) + rounding;
    if (reach * reach < exact.squared) {
      blame(tally.upper_violations, "distance too low", result, exact);
    }
    if (result.verdict == Verdict::free && at_->pattern != test::Pattern::uncertain_rotation) {
      const double gap = result.distance - result.lower_bound;
      tally.worst_gap = std::max(tally.worst_gap, gap);
      if (!(gap <= 1e-9)) blame(tally.loose, "loose", result, exact);
    }
  }

  void judge_moved(Verdict verdict) {
    ++tally.moved_checked;
    const auto conflict = [](Verdict x, Verdict y) {
      return (x == Verdict::free && y == Verdict::contact) ||
             (x == Verdict::contact && y == Verdict::free);
    };
    const Verdict swapped = distance(b_->body, at_->X_WB, a_->body, at_->X_WA).verdict;
    // A quarter turn permutes coordinates: an exact motion.
    const Pose turn{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {}};
    const Verdict turned = distance(a_->body, turn * at_->X_WA, b_->body, turn * at_->X_WB).verdict;
    if (conflict(verdict, swapped) || conflict(verdict, turned)) {
      blame(tally.conflicts, "verdict changed by a motion", {}, {});
    }
  }

  void judge_witnesses(const BodyDistance& result) {
    ++tally.witnesses_checked;
    const double rounding = 1e-14 * (1 + a_->size + b_->size) + 1e-15 * at_->offset +
                            at_->rotation_deviation * (a_->size + b_->size);
    const double apart = keepclear::norm(result.point_b - result.point_a);
    const auto off = [&](const Contestant& body, const Pose& X, Vec3 point) {
      const ExactSet set({&point, 1});
      return !exact_distance(set, {}, body.model, X).overlap(body.radius + mpq_class(rounding));
    };
    if (std::abs(apart - result.distance) > 2 * rounding || off(*a_, at_->X_WA, result.point_a) ||
        off(*b_, at_->X_WB, result.point_b)) {
      blame(tally.witness_violations, "witness points", result, {});
    }
  }

  void judge_depth(const ExactDistance& exact, const mpq_class& radius) {
    BodyDistanceOptions options;
    options.signed_distance = true;
    const BodyDistance result = distance(a_->body, at_->X_WA, b_->body, at_->X_WB, options);
    if (result.verdict == Verdict::free) {
      blame(tally.wrongly_free, "wrongly free (signed)", result, exact);
    }
    double depth = 0;
    if (exact.squared > 0) {
      depth = radius.get_d() - exact.approximate();
    } else {
      if (!a_->small || !b_->small || !(a_->small->solid || b_->small->solid)) return;
      depth = radius.get_d() + static_cast<double>(reference_penetration(
                                   a_->model.points, *a_->small, widen<Quad>(at_->X_WA),
                                   b_->model.points, *b_->small, widen<Quad>(at_->X_WB)));
    }
    if (result.verdict != Verdict::contact) return;
    ++tally.signed_checked;
    const double error = std::abs(result.distance + depth);
    tally.worst_depth_error = std::max(tally.worst_depth_error, error);
    if (!(error <= 1e-9)) {
      blame(tally.depth_violations, "wrong depth", result, exact, depth);
    }
    if (result.lower_bound > -depth + 1e-14 * (1 + a_->size + b_->size)) {
      blame(tally.lower_violations, "lower bound above the signed distance", result, exact);
    }
  }

  void blame(std::int64_t& counter, const std::string& what, const BodyDistance& result,
             const ExactDistance& exact, double depth = 0) {
    ++counter;
    ++tally.by_pattern[what + " / " + to_string(at_->pattern)];
    if (counter > 2 || tally.messages.size() >= 12) return;
    char text[600];
    std::snprintf(
        text, sizeof text,
        "%s: %s, %s (%zu points, r %.3g) against %s (%zu points, r %.3g), aimed at gap "
        "%.3g, pair %lld: verdict %s, distance %.17g, lower bound %.17g, exact %.17g, depth "
        "%.17g",
        what.c_str(), to_string(at_->pattern), to_string(a_->shape.kind), a_->shape.points.size(),
        a_->shape.radius, to_string(b_->shape.kind), b_->shape.points.size(), b_->shape.radius,
        at_->gap, static_cast<long long>(tally.pairs), to_string(result.verdict), result.distance,
        result.lower_bound, exact.approximate() - a_->radius.get_d() - b_->radius.get_d(), depth);
    tally.messages.emplace_back(text);
  }

  const Contestant* a_ = nullptr;
  const Contestant* b_ = nullptr;
  const test::Placement* at_ = nullptr;
};

/// Pairs are made in chunks of this many: a chunk has its own bodies and its own random numbers, so
/// that the outcome depends on the seed and not on the number of threads.
inline constexpr std::int64_t kChunkPairs = 5000;

inline Tally judge_chunk(std::uint64_t seed, std::uint64_t chunk, std::int64_t pairs) {
  test::Random random(seed * 0x9e3779b97f4a7c15u + chunk);
  std::vector<Contestant> pool;
  NearContactJudge judge;
  for (int k = 0; k < 36; ++k) {
    const auto kind = static_cast<test::Shape::Kind>(k % 9);
    pool.emplace_back(test::random_shape(random, kind));
    judge.tally.not_contained += !pool.back().contains_source;
  }
  for (std::int64_t k = 0; k < pairs; ++k) {
    const auto pattern = static_cast<test::Pattern>(k % test::kPatternCount);
    const Contestant& a = pool[random() % pool.size()];
    const bool twins = pattern == test::Pattern::axis_aligned && test::pick(random, 2) == 0;
    const Contestant& b = twins ? a : pool[random() % pool.size()];
    const test::Placement at = test::place(random, a.shape, b.shape, pattern);
    const bool thorough = test::pick(random, 8) == 0;
    judge.judge(a, b, at, thorough);
  }
  for (std::string& text : judge.tally.messages) {
    std::string place("seed ");
    place.append(std::to_string(seed)).append(", chunk ").append(std::to_string(chunk));
    text = place.append(", ").append(text);
  }
  return judge.tally;
}

}  // namespace keepclear::oracle
