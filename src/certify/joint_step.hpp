// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace keepclear {

/// What a joint does over a part of a path: radians for hinges, metres for slides; all at least.
struct JointStep {
  double turn = 0, slide = 0;            ///< between the ends, along the straight line
  double turn_off = 0, slide_off = 0;    ///< what the path leaves that line by
  double turn_tube = 0, slide_tube = 0;  ///< what the joint may be off the path by
};

}  // namespace keepclear
