// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>

namespace keepclear {

/// One number of a configuration. Joints of one degree of freedom give one variable of their own
/// name; a planar joint gives `joint/x`, `joint/y`, `joint/theta`; a floating one `joint/trans_x`,
/// `.../trans_y`, `.../trans_z`, `.../rot_x`, `.../rot_y`, `.../rot_z`, `.../rot_w`.
struct Variable {
  std::string name, joint, type;
  double lower, upper;  ///< metres or radians; infinite where there is no limit
  /// A second, of a hinge or slide; infinite where there is no limit, or one of zero.
  double velocity = std::numeric_limits<double>::infinity();
};

}  // namespace keepclear
