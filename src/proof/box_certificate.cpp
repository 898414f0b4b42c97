// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates of boxes of joint intervals, and of pairs that never touch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proof/box_domain.hpp"
#include "proof/claims.hpp"
#include "rounding/mode.hpp"

namespace keepclear {

NumberLine BoxDomain::line_of(Interval range, double rest, bool matters) {
  if (!matters) return {rest, 0, 0};
  const double c = 0.5 * range.lower + 0.5 * range.upper;
  return {c, 0, std::max(range.upper - c, c - range.lower)};
}

bool BoxDomain::split_number(const ProofCell& cell, std::span<const Interval> ranges,
                             std::span<const char> matters, std::span<const double> gain,
                             CellSplit& out) {
  std::size_t best = ranges.size();
  double most = -1;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (matters[k] == 0 || !(ranges[k].upper > ranges[k].lower)) continue;
    if (gain[k] > most) most = gain[k], best = k;
  }
  if (best == ranges.size()) return false;
  const double middle = 0.5 * ranges[best].lower + 0.5 * ranges[best].upper;
  if (!(middle > ranges[best].lower && middle < ranges[best].upper)) return false;
  const auto range_of = [best](ProofCell& part) -> Interval& { return part.ranges[best]; };
  return halve(cell, range_of, middle, fmt::format("q{}", best), out);
}

BoxDomain::BoxDomain(const World& world, std::span<const Interval> box)
    : box_(box.begin(), box.end()), rest_(world.neutral()) {}

ProofCell BoxDomain::whole() const {
  ProofCell cell;
  cell.ranges = box_;
  return cell;
}

void BoxDomain::lines(const ProofCell& cell, std::span<const char> matters,
                      std::span<NumberLine> out) const {
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = line_of(cell.ranges[k], rest_[k], matters[k] != 0);
  }
}

bool BoxDomain::split(const ProofCell& cell, std::span<const char> matters,
                      std::span<const double> gain, CellSplit& out) const {
  return split_number(cell, cell.ranges, matters, gain, out);
}

namespace {

void write_ranges(CertificateText& text, std::span<const Interval> box) {
  for (const Interval& range : box) text.line("range").number(range.lower).number(range.upper);
}

}  // namespace

WrittenCertificate box_certificate(const World& world, std::span<const Interval> box,
                                   const BoxOptions& options, const BoxResult& found,
                                   const CertificateFacts& facts, const ProofOptions& proof) {
  rounding::require_mode();
  require_free(world, found.verdict);
  const CertificateWorld claim(world,
                               [&](double margin) { return std::max(margin, options.margin); });
  const BoxDomain domain(world, box);
  Prover prover(claim, {}, 0);
  return best_of(claim, found.clearance, proof, [&](double clearance, CertificateText& text) {
    write_head(text, "box", world, facts);
    claim.write(text);
    text.line("clearance").number(clearance);
    write_ranges(text, box);
    ProofTree tree(claim, prover, domain, clearance, proof.budget);
    prove_pairwise(claim, tree, text);
    return tree;
  });
}

WrittenCertificate never_certificate(const World& world, std::span<const PairOfLinks> pairs,
                                     const CertificateFacts& facts, const ProofOptions& proof) {
  rounding::require_mode();
  // Of a pair that never touches nothing is asked but that: margins are left aside.
  const CertificateWorld claim(world, [](double) { return 0.0; });
  std::vector<const PairOfLinks*> sorted;
  std::size_t rigid = 0;
  for (const PairOfLinks& pair : pairs) {
    if (pair.kind != PairClass::never) continue;
    // What no joint moves against each other is apart for good; there is nothing to prove over.
    if (pair.joints.empty()) {
      ++rigid;
    } else {
      sorted.push_back(&pair);
    }
  }
  std::ranges::sort(sorted, {}, [](const PairOfLinks* p) { return std::minmax(p->a, p->b); });
  CertificateFacts told = facts;
  if (rigid > 0) told.options.emplace_back("rigid pairs, not in it", std::to_string(rigid));
  CertificateText text;
  write_head(text, "never", world, told);
  claim.write(text);
  const JointBox range = full_range(world);
  const BoxDomain domain(world, range);
  Prover prover(claim, {}, 0);
  std::vector<std::pair<int, int>> only;
  CertificateText trees;
  WrittenCertificate out;
  text.line("clearance").number(0);
  write_ranges(text, range);
  std::size_t left_out = 0;
  for (const PairOfLinks* pair : sorted) {
    const auto [a, b] = std::minmax(pair->a, pair->b);
    ProofTree tree(claim, prover, domain, 0, proof.budget / sorted.size() + 1000);
    CertificateText one;
    one.line("tree").index(claim.solid(a)).index(claim.solid(b));
    if (tree.prove(tree.of_links(a, b), one)) {
      only.emplace_back(claim.solid(a), claim.solid(b));
      trees.append(one);
      out.cells += tree.cells();
      out.records += tree.records();
    } else {
      ++left_out;
      if (left_out <= 3) out.why += (out.why.empty() ? "" : "; ") + tree.why();
    }
  }
  if (left_out > 3) out.why += fmt::format("; and {} pairs more", left_out - 3);
  if (only.empty()) {
    if (out.why.empty()) out.why = "there is no pair that never touches";
    return out;
  }
  for (const auto& [a, b] : only) text.line("only").index(a).index(b);
  text.append(trees);
  out.text = std::move(text).sealed();
  return out;
}

}  // namespace keepclear
