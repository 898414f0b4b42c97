// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "raster.hpp"

namespace keepclear::command {

/// The bytes of a PNG file, 8 bits a colour. The same picture gives the same bytes. Throws Error.
std::string png_of(const Picture& picture);

}  // namespace keepclear::command
