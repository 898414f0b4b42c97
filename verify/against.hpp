// SPDX-License-Identifier: BSD-3-Clause
// --against: is the world of a certificate the one that the files describe which it was made from?
// They are read again by readers of this folder's own, the world is put together again, and all of
// it is compared, both ways: docs/certificate.md §8. This is no part of the proof, and has
// tolerances.
#pragma once
#include "certificate.hpp"
#include "files.hpp"

namespace verify {

struct Differs {
  std::string why;
};

/// All files that the world was made from, but meshes: URDF, SRDF, scene, model. Throws Differs, or
/// CannotTell for whatever is not understood. Returns what was compared, in words.
std::string against(const Certificate& certificate, const std::vector<std::filesystem::path>& files,
                    const Packages& packages);

}  // namespace verify
