// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "keepclear/proof.hpp"

namespace keepclear {

/// As sources_of(), of files as they are now: for a world that was loaded just before.
std::vector<CertificateFacts::Source> files_now(const World& world, const LoadOptions& options,
                                                const Scene* scene = nullptr);

}  // namespace keepclear
