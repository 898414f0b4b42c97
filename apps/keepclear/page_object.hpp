// SPDX-License-Identifier: BSD-3-Clause
//
// An object that moves by itself, for the page: where it is when.
#pragma once

#include <string>
#include <vector>

#include "certify_object.hpp"
#include "keepclear/displacement.hpp"
#include "keepclear/toleranced.hpp"
#include "page_world.hpp"

namespace keepclear::command {

/// Beside what is told of all motions: who moves, and what else was found.
struct ShownObject {
  int solid = -1;
  Pose X_WO;  ///< where the world has it
  CurvePointer curve;
  DisplacementMetric metric;
  std::vector<double> rest;  ///< where robots stand
  TolerancedResult result;
  std::vector<std::string> notes;  ///< sentences

  /// From where it is drawn to where it is then.
  Affine moved(double time) const;
};
ShownObject shown_object(const World& world, const ObjectMotions& motions,
                         const ObjectMotions::Answer& answer);
/// The same as a certificate: solids in place of what stands there, `parts` counts balls.
Certificate certificate_of(const World& world, const ObjectMotions::Answer& answer);

/// For a picture: the world with the object where it is then.
DrawnWorld with_moved(DrawnWorld drawn, const ShownObject& object, double time);

}  // namespace keepclear::command
