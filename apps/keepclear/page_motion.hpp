// SPDX-License-Identifier: BSD-3-Clause
//
// A proved motion for the page.
#pragma once

#include <string>

#include "keepclear/certify.hpp"
#include "page_pose.hpp"
#include "page_sweep.hpp"

namespace keepclear::command {

/// What was asked and what was answered. The certificate has its proof (keep_proof).
struct ShownMotion {
  std::string name, contract;
  Path path;
  CertifyOptions options;
  Certificate certificate;
  double seconds = 0;
};

/// Poses along the way at most, and parts whose swept volumes are drawn.
struct MotionDetail {
  std::size_t samples = 400;
  std::size_t swept = 24;
};
/// A Motion of document.ts.
std::string motion_document(const World& world, const ShownMotion& motion, Poser& poser,
                            Sweeper& sweeper, const MotionDetail& detail = {});

}  // namespace keepclear::command
