// SPDX-License-Identifier: BSD-3-Clause
//
// A robot of many links, made fit for being driven about.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "keepclear/distance.hpp"
#include "keepclear/world.hpp"

namespace keepclear::test {

/// A world without the pairs that overlap in its neutral pose, or in every other pose: with them it
/// would have no free one.
inline World without_usual_overlaps(const std::filesystem::path& urdf, LoadOptions options) {
  const World all = load(urdf, options);
  DistanceQuery query(all);
  std::mt19937_64 random(1);
  constexpr int kPoses = 100;
  std::vector<int> hits(all.pairs().size(), 0);
  for (int k = 0; k < kPoses; ++k) {
    std::vector<double> q = all.neutral();
    for (std::size_t i = 0; i < q.size() && k > 0; ++i) {
      const Variable& v = all.variables()[i];
      const double lower = std::max(v.lower, -3.1), upper = std::min(v.upper, 3.1);
      q[i] = lower + (upper - lower) * static_cast<double>(random() >> 11) * 0x1p-53;
    }
    const auto found = query.all_pairs(q);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].distance <= 0) hits[i] += k == 0 ? kPoses : 1;
    }
  }
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("keepclear-" + std::to_string(::getpid()) + ".srdf");
  {
    std::ofstream srdf(file);
    srdf << "<robot name=\"" << all.name() << "\">\n";
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (2 * hits[i] < kPoses) continue;
      const auto name = [&](int s) { return all.solids()[static_cast<std::size_t>(s)].name; };
      srdf << "<disable_collisions link1=\"" << name(all.pairs()[i].a) << "\" link2=\""
           << name(all.pairs()[i].b) << "\" reason=\"Default\"/>\n";
    }
    srdf << "</robot>\n";
  }
  options.srdf = file;
  World world = load(urdf, options);
  std::filesystem::remove(file);
  return world;
}

}  // namespace keepclear::test
