// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates of motions along paths, on one clock and on several.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/path_bernstein.hpp"
#include "motion/path_data.hpp"
#include "proof/claims.hpp"
#include "proof/proof_tree.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

/// A path and the numbers [first, last) that it drives.
struct DrivenPath {
  const PathData* data = nullptr;
  std::size_t first = 0, last = 0;
};

/// The place in the middle of a stretch: a border of pieces, if there is one inside.
double middle_of(Interval places) {
  const double middle = 0.5 * (places.lower + places.upper);
  const double border = std::nearbyint(middle);
  if (border > places.lower && border < places.upper) return border;
  // The only border inside may be on one side of the middle.
  const double next = std::floor(places.lower) + 1;
  return next < places.upper ? next : middle;
}

/// The line of one number on a stretch of a path.
NumberLine line_of(const PathData& path, Interval places, std::size_t k) {
  const bernstein::Stretch stretch(path, places.lower, places.upper);
  double row[kMaxPathDegree + 1];
  NumberLine line;
  double tube = 0;
  if (!path.tube.empty()) {
    const auto at = [&](std::size_t border) { return path.tube[border * path.dof + k]; };
    for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
      const double a = at(i), b = at(i + 1);
      for (const double u : {stretch.from(i), stretch.to(i)}) {
        tube = std::max(tube, (1 - u) * a + u * b);
      }
    }
  }
  if (stretch.first == stretch.last) {
    const PathPiece& piece = path.pieces[stretch.first];
    bernstein::part(bernstein::numbers(path, piece, k), stretch.first_share, stretch.last_share,
                    row);
    const double begin = row[0], end = row[piece.degree];
    line.c = 0.5 * (begin + end);
    line.v = 0.5 * (end - begin);
    for (int j = 0; j <= piece.degree; ++j) {
      const double on_line = begin + (static_cast<double>(j) / piece.degree) * (end - begin);
      line.rho = std::max(line.rho, std::fabs(row[j] - on_line));
    }
  } else {
    Interval all{kInfinity, -kInfinity};
    for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
      const PathPiece& piece = path.pieces[i];
      bernstein::part(bernstein::numbers(path, piece, k), stretch.from(i), stretch.to(i), row);
      const Interval hull = bernstein::hull(row, piece.degree);
      all = {std::min(all.lower, hull.lower), std::max(all.upper, hull.upper)};
    }
    line.c = 0.5 * (all.lower + all.upper);
    line.rho = 0.5 * (all.upper - all.lower);
  }
  line.rho += path.error[k] + tube;
  return line;
}

class PathDomain : public ProofDomain {
 public:
  PathDomain(std::vector<DrivenPath> paths, double offset)
      : paths_(std::move(paths)), offset_(offset) {}

  ProofCell whole() const override {
    ProofCell cell;
    for (const DrivenPath& path : paths_) cell.places.push_back({0, path.data->last_place()});
    return cell;
  }

  void lines(const ProofCell& cell, std::span<const char>,
             std::span<NumberLine> out) const override {
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      for (std::size_t k = paths_[p].first; k < paths_[p].last; ++k) {
        out[k] = line_of(*paths_[p].data, cell.places[p], k);
      }
    }
  }

  bool later(const ProofCell& cell, std::span<const char> matters) const override {
    if (paths_.size() < 2 || !std::isfinite(offset_)) return false;
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      for (std::size_t r = p + 1; r < paths_.size(); ++r) {
        if (!drives(p, matters) || !drives(r, matters)) continue;
        const Interval a = times(p, cell.places[p]), b = times(r, cell.places[r]);
        const double gap = std::max(b.lower - a.upper, a.lower - b.upper);
        // Well beyond: the checker, which rounds outward, is to see it too.
        if (gap > offset_ + 1e-9 * (1 + std::fabs(gap) + std::fabs(a.upper))) return true;
      }
    }
    return false;
  }

  bool split(const ProofCell& cell, std::span<const char> matters, std::span<const double> gain,
             CellSplit& out) const override {
    std::size_t best = paths_.size();
    double most = -1;
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      if (!drives(p, matters)) continue;
      double gains = 0;
      for (std::size_t k = paths_[p].first; k < paths_[p].last; ++k) gains += gain[k];
      // Two clocks that are far apart need not be looked at: so of equal motions the longer time.
      gains += 1e-6 * (cell.places[p].upper - cell.places[p].lower);
      if (gains > most) most = gains, best = p;
    }
    if (best == paths_.size()) return false;
    const auto places_of = [best](ProofCell& part) -> Interval& { return part.places[best]; };
    return halve(cell, places_of, middle_of(cell.places[best]), fmt::format("s{}", best), out);
  }

  bool drives(std::size_t p, std::span<const char> matters) const {
    return std::any_of(matters.begin() + static_cast<std::ptrdiff_t>(paths_[p].first),
                       matters.begin() + static_cast<std::ptrdiff_t>(paths_[p].last),
                       [](char m) { return m != 0; });
  }

 private:
  Interval times(std::size_t p, Interval places) const {
    const PathData& path = *paths_[p].data;
    const auto time = [&](double place) {
      const auto i = std::min(static_cast<std::size_t>(place), path.pieces.size() - 1);
      const double u = place - static_cast<double>(i);
      return path.pieces[i].begin + u * (path.pieces[i].end - path.pieces[i].begin);
    };
    return {places.lower == 0 ? -kInfinity : time(places.lower),
            places.upper == path.last_place() ? kInfinity : time(places.upper)};
  }

  std::vector<DrivenPath> paths_;
  double offset_;
};

void write_path(CertificateText& text, const DrivenPath& path) {
  const PathData& data = *path.data;
  text.line("path").index(path.first).index(path.last - 1);
  text.line("beside");
  for (std::size_t k = path.first; k < path.last; ++k) text.number(data.error[k]);
  const auto row = [&](const std::vector<double>& numbers, std::size_t first) {
    for (std::size_t k = path.first; k < path.last; ++k) text.number(numbers[first + k]);
  };
  for (const PathPiece& piece : data.pieces) {
    text.line("piece").number(piece.begin).number(piece.end);
    text.index(static_cast<std::size_t>(piece.degree));
    for (int j = 0; j <= piece.degree; ++j) {
      row(data.control, piece.first + static_cast<std::size_t>(j) * data.dof);
    }
  }
  for (std::size_t border = 0; border * data.dof < data.tube.size(); ++border) {
    text.line("tube");
    row(data.tube, border * data.dof);
  }
}

/// What all motions have in common: who is asked to keep how far, and what may be off.
struct MotionClaim {
  CertificateWorld world;
  std::vector<LooseBase> loose;
  double stray;

  MotionClaim(const World& of, const CertifyOptions& options)
      : world(of, [&](double margin) { return std::max(margin, options.margin); }),
        stray(2 * options.deviation) {
    const WorldData& data = of.data();
    for (int robot = 0; robot < static_cast<int>(data.robots.size()); ++robot) {
      LooseBase base{world.root_of_robot(robot), robot, 0, 0, {}};
      for (const BaseUncertainty& entry : options.base) {
        if (entry.robot != -1 && entry.robot != robot) continue;
        base.metres += entry.position, base.radians += entry.rotation;
      }
      base.origin = data.is_scene ? data.robots[robot].base : Vec3{};
      if (base.metres > 0 || base.radians > 0) loose.push_back(base);
    }
  }
};

}  // namespace

WrittenCertificate path_certificate(const World& world, const Path& path,
                                    const CertifyOptions& options, const Certificate& found,
                                    const CertificateFacts& facts, const ProofOptions& proof) {
  rounding::require_mode();
  require_free(world, found.verdict);
  const MotionClaim claim(world, options);
  const DrivenPath driven{&path.data(), 0, path.dof()};
  const PathDomain domain({driven}, 0);
  Prover prover(claim.world, claim.loose, claim.stray);
  return best_of(claim.world, found.clearance, proof, [&](double clearance, CertificateText& text) {
    write_head(text, "path", world, facts);
    claim.world.write(text);
    claim.world.write_off(text, claim.loose, claim.stray);
    text.line("clearance").number(clearance);
    write_path(text, driven);
    ProofTree tree(claim.world, prover, domain, clearance, proof.budget);
    if (const OpenPairs open = tree.of_all(); !open.empty()) {
      text.line("tree").word("all");
      tree.prove(open, text);
    }
    return tree;
  });
}

WrittenCertificate clock_certificate(const World& world, std::span<const Path> paths, double offset,
                                     const CertifyOptions& options, const Certificate& found,
                                     const CertificateFacts& facts, const ProofOptions& proof) {
  rounding::require_mode();
  require_free(world, found.verdict);
  const MotionClaim claim(world, options);
  const WorldData& data = world.data();
  const auto variables = data.kinematics.variables();
  std::vector<DrivenPath> driven;
  std::vector<int> path_of(variables.size(), -1);
  for (std::size_t r = 0; r < paths.size(); ++r) {
    const std::string& prefix = data.robots[r].prefix;
    DrivenPath next{&paths[r].data(), variables.size(), 0};
    for (std::size_t k = 0; k < variables.size(); ++k) {
      if (!variables[k].name.starts_with(prefix)) continue;
      next.first = std::min(next.first, k);
      next.last = k + 1;
      path_of[k] = static_cast<int>(driven.size());
    }
    if (next.first < next.last) driven.push_back(next);
  }
  const PathDomain domain(driven, offset);
  Prover prover(claim.world, claim.loose, claim.stray, path_of);
  return best_of(claim.world, found.clearance, proof, [&](double clearance, CertificateText& text) {
    write_head(text, "clocks", world, facts);
    claim.world.write(text);
    claim.world.write_off(text, claim.loose, claim.stray);
    text.line("clearance").number(clearance);
    for (const DrivenPath& path : driven) write_path(text, path);
    text.line("offset").number(offset);
    ProofTree tree(claim.world, prover, domain, clearance, proof.budget);
    prove_pairwise(claim.world, tree, text);
    return tree;
  });
}

}  // namespace keepclear
