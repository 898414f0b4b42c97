// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "keepclear/model.hpp"
#include "keepclear/world.hpp"

namespace keepclear {

/// The most points that a body can be fitted with.
inline constexpr int kMaxFitPoints = 32;

struct FitOptions {
  /// Points of each body, 6 unless given; with `excess` or `budget` the most of any body, 12 unless
  /// given.
  std::optional<int> points{};
  /// With it, each body gets the fewest points with which its volume is at most (1 + excess) times
  /// that of the hull it stands for, or `points` if none suffices.
  std::optional<double> excess{};
  /// With it, so many points in all, spread over the bodies so that the sum of their volumes is
  /// least. Each body needs one.
  std::optional<int> budget{};
  /// The most bodies of each link: shapes are split where that saves volume, or put together, in
  /// the way that lowers the sum of their hulls' volumes most. 0: one body for each shape.
  int parts = 0;
  Around around = Around::collision;
  std::uint64_t seed = 1;
  int starts = 2000;  ///< random starts for each number of points
  int refined = 24;   ///< of these the best, which are improved step by step
  int threads = 0;    ///< 0 means one for each core; the result does not depend on it
  /// A folder that keeps what was fitted, by the content of the shapes and the options. It may be
  /// shared and deleted at any time; what comes from it is proved like anything else.
  std::optional<std::filesystem::path> cache{};
  /// Called now and then with the share of the work that is done, from 0 to 1, one call at a time.
  std::function<void(double)> progress{};
};

/// A body that was fitted, and what it stands for.
struct FittedBody {
  ModelBody body;
  std::vector<int> elements{};       ///< of the link: indices of its shapes, whole or in part
  std::vector<std::string> files{};  ///< of the meshes among them
  int part = 0, parts = 1;           ///< of one shape, when it was split
  std::size_t source_points = 0;     ///< that are proved to be inside: vertices of the shapes
  double volume = 0;                 ///< cubic metres
  double hull_volume = 0;            ///< of the hull of what it stands for
  /// At most this far (metres) does the body reach beyond that hull.
  double excess = 0;
  /// The largest distance (metres) from a point of the body's surface to the shapes themselves, to
  /// a hundredth of its size: more than `excess` where the hull spans a hollow.
  double surface_distance = 0;
  double seconds = 0;  ///< of one core; 0 for one that came from the cache or has a twin
  bool cached = false;
};

struct Fit {
  BodyModel model;
  std::vector<FittedBody> bodies;  ///< those of the model, in the same order
  std::vector<std::string> notes;  ///< what a reader should know and that is no error
};

/// Fits bodies around the links of all robots of a world: a URDF or scene file. Objects keep their
/// shapes. Every vertex of every shape is proved to be inside. Throws Error.
Fit fit(const std::filesystem::path& file, const LoadOptions& load = {},
        const FitOptions& options = {});
/// The same for a built-in world.
Fit fit_builtin(const std::string& name, const LoadOptions& load = {},
                const FitOptions& options = {});

}  // namespace keepclear
