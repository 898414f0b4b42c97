// SPDX-License-Identifier: BSD-3-Clause
//
// The worlds that come with Keepclear: URDF files under worlds/, embedded at configure time.
#include <algorithm>
#include <string_view>
#include <vector>

#include "keepclear/world.hpp"
#include "robot/srdf.hpp"
#include "robot/urdf.hpp"
#include "scene/world.hpp"

namespace keepclear {

namespace {

struct Embedded {
  const char* name;
  const char* what;
  std::string_view urdf;
};

constexpr Embedded kEmbedded[] = {
#include "worlds.inc"
};

}  // namespace

std::span<const BuiltinWorld> builtin_worlds() {
  static const std::vector<BuiltinWorld> worlds = [] {
    std::vector<BuiltinWorld> list;
    for (const Embedded& world : kEmbedded) list.push_back({world.name, world.what});
    return list;
  }();
  return worlds;
}

World load_builtin(const std::string& name, const LoadOptions& options) {
  const auto* const world =
      std::find_if(std::begin(kEmbedded), std::end(kEmbedded),
                   [&](const Embedded& candidate) { return candidate.name == name; });
  if (world == std::end(kEmbedded)) {
    std::string names;
    for (const Embedded& known : kEmbedded) {
      names += names.empty() ? "" : ", ";
      names += known.name;
    }
    throw Error(Error::Kind::missing, "", 0, "no built-in world is called '" + name + "'",
                "there are: " + names);
  }
  const PackagePaths packages{options.packages, options.package_path};
  const RobotModel model = parse_urdf(world->urdf, name, packages, {});
  if (!options.srdf) return compile_world(model, nullptr, options);
  const Srdf srdf = read_srdf(*options.srdf, model);
  return compile_world(model, &srdf, options);
}

}  // namespace keepclear
