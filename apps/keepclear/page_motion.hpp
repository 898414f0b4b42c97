// SPDX-License-Identifier: BSD-3-Clause
//
// A proved motion for the page.
#pragma once

#include <optional>
#include <string>

#include "keepclear/certify.hpp"
#include "page_object.hpp"
#include "page_pose.hpp"
#include "page_sweep.hpp"

namespace keepclear::command {

/// What was asked and what was answered. It moves joints, by a path, and the certificate has its
/// proof (keep_proof); or it moves an object.
struct ShownMotion {
  std::string name, contract;
  std::optional<Path> path;
  CertifyOptions options;
  Certificate certificate;
  double seconds = 0;
  std::optional<ShownObject> object{};

  double begin() const { return path ? path->begin() : object->curve->begin(); }
  double end() const { return path ? path->end() : object->curve->end(); }
};
/// Of a motion of an object. `asked`: the options that were in force.
ShownMotion shown_motion(const World& world, const ObjectMotions& motions,
                         const ObjectMotions::Answer& answer, const CertifyOptions& asked);

/// Poses along the way at most, and parts whose swept volumes are drawn.
struct MotionDetail {
  std::size_t samples = 400;
  std::size_t swept = 24;
};
/// A Motion of document.ts. Of an object nothing is swept: the sweeper may be null.
std::string motion_document(const World& world, const ShownMotion& motion, Poser& poser,
                            Sweeper* sweeper, const MotionDetail& detail = {});

}  // namespace keepclear::command
