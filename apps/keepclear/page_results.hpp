// SPDX-License-Identifier: BSD-3-Clause
//
// What `fit` and `pairs` found, for the page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "keepclear/pairs.hpp"
#include "page_pose.hpp"

namespace keepclear::command {

/// A FitResult of document.ts: the bodies of a world that come from a model; empty without any.
/// `surface_distance` has one number for each body of the world, or none.
std::string fit_document(const World& world, const std::string& model,
                         std::span<const double> surface_distance);

/// A PairsResult of document.ts, with the poses that show contacts, as far as there are not too
/// many.
std::string pairs_document(const World& world, std::span<const PairOfLinks> pairs, Poser& poser);

}  // namespace keepclear::command
