// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// Which geometry of a link a body is put around.
enum class Around { collision, visual, both };
const char* to_string(Around around) noexcept;

/// A sphere-swept convex hull that stands for a link or a part of it, in the frame of the link.
struct ModelBody {
  std::string link{};
  double radius = 0;           ///< metres, not negative
  std::vector<Vec3> points{};  ///< one at least
  std::string place{};         ///< where it stands in its file, for messages: a JSON pointer
};

/// Bodies in place of the shapes that a robot's description gives its links. Several may name one
/// link. A model is not believed: whoever loads a world with it proves again that the bodies of
/// each link contain its geometry.
struct BodyModel {
  std::string world{};  ///< the name of the world it was made for; for people
  std::string file{};   ///< for messages
  Around around = Around::collision;
  std::vector<ModelBody> bodies{};
};

/// The most points of one body, and the most bodies of one model: beyond them a file is refused.
inline constexpr std::size_t kMaxModelPoints = 256;
inline constexpr std::size_t kMaxModelBodies = 100'000;

/// Reads `{"world": ..., "bodies": [{"link", "radius", "points"}, ...]}`. Throws Error, naming file
/// and place.
BodyModel read_model(const std::filesystem::path& file);

/// Writes it so that reading gives the same numbers, bit for bit. Throws Error (write).
void write_model(const BodyModel& model, const std::filesystem::path& file);

}  // namespace keepclear
