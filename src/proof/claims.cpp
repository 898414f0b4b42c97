// SPDX-License-Identifier: BSD-3-Clause
#include "proof/claims.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {

void require_free(const World& world, Verdict verdict) {
  if (verdict == Verdict::free) return;
  throw Error(Error::Kind::usage, world.file(), 0, "only what is free has a certificate");
}

namespace {

/// A share of what is known beyond the margin, of few digits.
double clearance_to_prove(double margin, double known, double share) {
  // Nothing is checked, or nothing is near: a metre beyond the margin says enough.
  const double beyond = std::min(known - margin, 1.0);
  if (!(share > 0 && beyond > 0)) return 0;
  const double aim = margin + share * beyond;
  const double rounded = short_below(aim, 0.99 * aim, margin);
  return rounded > margin ? rounded : 0;
}

}  // namespace

WrittenCertificate best_of(const CertificateWorld& world, double known, const ProofOptions& options,
                           const Attempt& attempt) {
  if (!(options.share >= 0 && options.share < 1)) {
    throw Error(Error::Kind::usage, "", 0, "the share of a clearance must be from 0 to below 1");
  }
  WrittenCertificate out;
  for (const double share : {options.share, 0.5 * options.share, 0.0}) {
    out.clearance = clearance_to_prove(world.margin(), known, share);
    CertificateText text;
    const ProofTree tree = attempt(out.clearance, text);
    out.cells = tree.cells(), out.records = tree.records();
    out.why = tree.why();
    if (!out.why.empty() && out.clearance > 0) continue;
    if (out.why.empty()) out.text = std::move(text).sealed();
    break;
  }
  return out;
}

bool prove_pairwise(const CertificateWorld& world, ProofTree& tree, CertificateText& text) {
  const WorldData& data = world.data();
  const auto prove = [&](int a, const std::string& with, const OpenPairs& open) {
    text.line("tree").index(world.solid(a)).word(with);
    return tree.prove(open, text);
  };
  for (int s = 0; s < static_cast<int>(data.solids.size()); ++s) {
    if (!data.moves(s)) continue;
    const OpenPairs still = tree.of_still(s);
    if (!still.empty() && !prove(s, "still", still)) return false;
    for (const CertificateWorld::Pair& pair : world.checked()) {
      if (pair.a != s || !data.moves(pair.b)) continue;
      if (!prove(s, std::to_string(world.solid(pair.b)), tree.of_links(s, pair.b))) return false;
    }
  }
  return true;
}

}  // namespace keepclear
