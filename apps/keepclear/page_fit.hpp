// SPDX-License-Identifier: BSD-3-Clause
//
// A fit for the page: shapes and the bodies around them, one over the other.
#pragma once

#include <string>

#include "keepclear/fit.hpp"
#include "page.hpp"
#include "scene/source.hpp"

namespace keepclear::command {

/// What a body stands for, in short: mesh files without their folders, the kinds of other shapes.
std::string origin_of(const FittedBody& fitted, const WorldSource& source, Around around);

/// The document of a fit. `world` was loaded with the bodies of the fit.
PageDocument fit_page_document(const World& world, const WorldSource& source, const Fit& fit);

}  // namespace keepclear::command
