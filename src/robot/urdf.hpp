// SPDX-License-Identifier: BSD-3-Clause
//
// A strict reader for URDF: what it does not understand inside a link or joint is an error, with
// file and line. A model that lost a shape to a typing error does not load.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "robot/model.hpp"
#include "robot/packages.hpp"
#include "robot/xml.hpp"

namespace keepclear {

/// Limits on what a stranger's file may ask for; beyond them loading fails with the limit named.
/// Those of any XML stand in xml.hpp.
inline constexpr std::size_t kMaxLinks = 20'000;
/// Metres: of a size, a coordinate or a prismatic limit.
inline constexpr double kMaxMetres = 1e6;
/// Radians: of a joint limit or a mimic offset.
inline constexpr double kMaxRadians = 1e6;
/// Radians: of roll, pitch or yaw. Beyond one turn there is a note: someone may have meant degrees.
inline constexpr double kMaxRpy = 1e3;

/// What is read, and how strictly:
/// - Inside <link>, <joint>, <collision>, <geometry>, <origin> and the like an unknown element or
///   attribute, text between tags, or a second element where one belongs is an error. Known and
///   not used, without a note: inertial, material, dynamics, calibration, safety_controller. Known
///   extensions (contact, self_filter, surface, ...) and names with a namespace (drake:...) are not
///   used and noted. A <collision> inside any of these is an error: it would be lost.
/// - <visual> is read like <collision>, for a look at the model alone: what is not understood in it
///   stands in Link::visual_faults, and is neither an error nor a note.
/// - Other elements beside links and joints (gazebo, transmission, ...) are noted, unless they look
///   like a misspelt link or joint or hold geometry.
/// - <capsule radius length> is Keepclear's extension, `length` that of the cylindrical part;
///   <drake:capsule> is the same.
/// - Revolute and prismatic joints need both limits. Limits of other joints are not used. A mimic
///   of a fixed joint is not used, and noted.
/// - Numbers: decimal, finite, whatever the locale; a plus and blanks around are fine.
/// - `lenient`: unknown attributes and text between tags are noted and passed over, for
/// descriptions
///   with typing errors that cannot be mended. Unknown elements and numbers that are none stay
///   errors.
RobotModel read_urdf(const std::filesystem::path& file, const PackagePaths& packages,
                     bool lenient = false);

/// The same from memory. `name` appears in errors; meshes are sought from `base`.
RobotModel parse_urdf(std::string_view xml, const std::string& name, const PackagePaths& packages,
                      const std::filesystem::path& base, bool lenient = false);

}  // namespace keepclear
