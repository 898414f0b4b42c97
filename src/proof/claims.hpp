// SPDX-License-Identifier: BSD-3-Clause
//
// What the claims of certificates have in common.
#pragma once

#include <functional>

#include "proof/proof_tree.hpp"

namespace keepclear {

/// Throws Error (usage) for anything else: there is nothing to be proved then.
void require_free(const World& world, Verdict verdict);
/// Writes a certificate that claims a clearance, into an empty text; the tree tells how that went.
using Attempt = std::function<ProofTree(double clearance, CertificateText& text)>;
/// With as much of the clearance that is known as can be proved: the share that is asked for, half
/// of it, or none beyond the margin.
WrittenCertificate best_of(const CertificateWorld& world, double known, const ProofOptions& options,
                           const Attempt& attempt);
/// A tree for each solid that moves with what stands still, and for each pair of those that move.
bool prove_pairwise(const CertificateWorld& world, ProofTree& tree, CertificateText& text);

}  // namespace keepclear
