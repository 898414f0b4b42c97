// SPDX-License-Identifier: BSD-3-Clause
#include "proof/claims.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {

void require_free(const World& world, Verdict verdict) {
  if (verdict == Verdict::free) return;
  throw Error(Error::Kind::usage, world.file(), 0, "only what is free has a certificate");
}

double clearance_to_prove(const CertificateWorld& world, double known,
                          const ProofOptions& options) {
  if (!(options.share >= 0 && options.share < 1)) {
    throw Error(Error::Kind::usage, "", 0, "the share of a clearance must be from 0 to below 1");
  }
  // Nothing is checked, or nothing is near: a metre beyond the margin says enough.
  const double least = world.margin();
  const double beyond = std::min(known - least, 1.0);
  if (!(beyond > 0)) return 0;
  const double aim = least + options.share * beyond;
  const double rounded = short_below(aim, 0.99 * aim, least);
  return rounded > least ? rounded : 0;
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

WrittenCertificate finished(WrittenCertificate out, CertificateText&& text, const ProofTree& tree) {
  out.text = std::move(text).sealed();
  out.cells = tree.cells();
  out.records = tree.records();
  return out;
}

}  // namespace keepclear
