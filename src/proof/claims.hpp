// SPDX-License-Identifier: BSD-3-Clause
//
// What the claims of certificates have in common.
#pragma once

#include "proof/proof_tree.hpp"

namespace keepclear {

/// Throws Error (usage) for anything else: there is nothing to be proved then.
void require_free(const World& world, Verdict verdict);
/// The clearance that a certificate aims at, of few digits.
double clearance_to_prove(const CertificateWorld& world, double known, const ProofOptions& options);
/// A tree for each solid that moves with what stands still, and for each pair of those that move.
bool prove_pairwise(const CertificateWorld& world, ProofTree& tree, CertificateText& text);
WrittenCertificate finished(WrittenCertificate out, CertificateText&& text, const ProofTree& tree);

}  // namespace keepclear
