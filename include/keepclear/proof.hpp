// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keepclear/box.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/fit.hpp"
#include "keepclear/pairs.hpp"
#include "keepclear/path.hpp"
#include "keepclear/recorder.hpp"

namespace keepclear {

struct Scene;

/// What a certificate says for people, beside what it proves.
struct CertificateFacts {
  struct Source {
    std::string file;    ///< as given
    std::string sha256;  ///< of its bytes, in hexadecimal
  };
  std::vector<Source> sources{};
  std::vector<std::pair<std::string, std::string>> options{};  ///< what was asked
};

/// SHA-256 of bytes, in hexadecimal.
std::string sha256_of(std::string_view bytes);
/// The files that a world was loaded from: description, SRDF, scene, models, meshes, clouds. Files
/// that are built in are named as `builtin:NAME`. Throws Error for one that cannot be read, and
/// where they are not what the world was made of any more: it is loaded once more and compared.
/// Of a world that a program compiled, `scene` is what from.
std::vector<CertificateFacts::Source> sources_of(const World& world, const LoadOptions& options,
                                                 const Scene* scene = nullptr);

struct ProofOptions {
  /// About how many tests of a pair of bodies over a cell; what is open then is not proved.
  std::size_t budget = 20'000'000;
  /// Which share of the clearance that is known is to be proved again, beyond the margin. More
  /// costs more cells. From 0 to below 1.
  double share = 0.95;
};

/// A certificate (docs/certificate.md), or why there is none.
struct WrittenCertificate {
  std::string text;      ///< empty: none
  std::string why;       ///< what could not be proved, of an empty text
  double clearance = 0;  ///< metres, that it proves
  std::size_t cells = 0, records = 0;
};

// Each proves once more, by rules that are made for checking, what was found to be free: with
// `found` that of certify() and its like, which must be `free`. Nothing that was found is leaned
// on but the clearance to be aimed at. Throws Error (usage) where the world has no such
// certificate.

WrittenCertificate path_certificate(const World& world, const Path& path,
                                    const CertifyOptions& options, const Certificate& found,
                                    const CertificateFacts& facts, const ProofOptions& proof = {});
/// Robots on their own clocks: a path for each robot, as MotionQuery takes them.
WrittenCertificate clock_certificate(const World& world, std::span<const Path> paths, double offset,
                                     const CertifyOptions& options, const Certificate& found,
                                     const CertificateFacts& facts, const ProofOptions& proof = {});
WrittenCertificate box_certificate(const World& world, std::span<const Interval> box,
                                   const BoxOptions& options, const BoxResult& found,
                                   const CertificateFacts& facts, const ProofOptions& proof = {});
/// Of those among the pairs that never touch. Pairs that are not proved within the budget are left
/// out, and named in `why`; the certificate is about the others.
WrittenCertificate never_certificate(const World& world, std::span<const PairOfLinks> pairs,
                                     const CertificateFacts& facts, const ProofOptions& proof = {});
/// Of each *go* of a recording, or of states that a guard went through: those with found.action go.
/// Throws Error (usage) for a go whose state was refused, and for a recording with memory that was
/// not of the world as loaded: its guard was changed before, or a cycle comes out differently.
WrittenCertificate guard_certificate(const World& world, const Recording& recording,
                                     const CertificateFacts& facts, const ProofOptions& proof = {});
/// That the bodies of a model contain the shapes of the links of the world, which was loaded
/// without it.
WrittenCertificate fit_certificate(const World& world, const BodyModel& model,
                                   const CertificateFacts& facts);

}  // namespace keepclear
