// SPDX-License-Identifier: BSD-3-Clause
//
// A page to look at a fit: shapes and the bodies around them, one over the other.
#pragma once

#include <string>

#include "keepclear/fit.hpp"
#include "scene/source.hpp"

namespace keepclear::command {

/// What a body stands for, in short: mesh files without their folders, the kinds of other shapes.
std::string origin_of(const FittedBody& fitted, const WorldSource& source, Around around);

/// An HTML file that holds all it needs: it opens from the disk, without a network. The robot
/// stands in its neutral pose; meshes of many triangles are thinned for display.
std::string fit_page(const WorldSource& source, const Fit& fit);

}  // namespace keepclear::command
