// SPDX-License-Identifier: BSD-3-Clause
/// Everything: `#include <keepclear/keepclear.hpp>`.
#pragma once

#include "keepclear/body.hpp"
#include "keepclear/box.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/error.hpp"
#include "keepclear/fit.hpp"
#include "keepclear/geometry.hpp"
#include "keepclear/lint.hpp"
#include "keepclear/model.hpp"
#include "keepclear/pairs.hpp"
#include "keepclear/path.hpp"
#include "keepclear/scene.hpp"
#include "keepclear/sweep.hpp"
#include "keepclear/variable.hpp"
#include "keepclear/verdict.hpp"
#include "keepclear/version.hpp"
#include "keepclear/watch.hpp"
#include "keepclear/world.hpp"
