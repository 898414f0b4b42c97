// SPDX-License-Identifier: BSD-3-Clause
// --against: is the robot of a certificate the one that a URDF describes? It is read again with
// urdfdom and assimp. This is no part of the proof: it has tolerances, for what these libraries
// round.
#pragma once
#include <filesystem>

#include "certificate.hpp"

namespace verify {

struct Differs {
  std::string why;
};
struct Packages {
  std::map<std::string, std::filesystem::path> named;  // package://NAME
  std::vector<std::filesystem::path> folders;          // that packages lie in
};

/// Throws Differs, or CannotTell where a file cannot be read. Returns what was found, in words.
/// Links of the robot have prefix and their name in the certificate.
std::string against(const Certificate& certificate, const std::string& prefix,
                    const std::filesystem::path& urdf, const Packages& packages);
/// How far x is from the hull of points, from above. It is searched until it is enough, or cannot
/// be.
double distance_to_hull(const std::vector<double>& points, const std::array<double, 3>& x,
                        double enough);
std::string read_file(const std::filesystem::path& path);  // throws CannotTell

}  // namespace verify
