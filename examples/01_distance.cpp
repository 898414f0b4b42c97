// SPDX-License-Identifier: BSD-3-Clause
//
// How far is a robot from hitting itself? Loads a URDF (or the built-in six-axis arm), asks for the
// nearest pair of links in a few poses, and prints what is certain.
//
//   example_01_distance [ROBOT.urdf [ROBOT.srdf]]
#include <algorithm>
#include <cstdio>
#include <keepclear/keepclear.hpp>
#include <vector>

namespace {

void print(const keepclear::World& world, const keepclear::Nearest& nearest) {
  if (nearest.a < 0) {
    std::printf("%s: no pair to check\n", to_string(nearest.verdict));
    return;
  }
  const keepclear::SolidInfo& a = world.solids()[static_cast<std::size_t>(nearest.a)];
  const keepclear::SolidInfo& b = world.solids()[static_cast<std::size_t>(nearest.b)];
  // `distance` belongs to the witness points; `lower_bound` is the one to rely on. All its digits:
  // a shorter print could round it up.
  std::printf("%-9s %.9f m, at least %.17g m: %s - %s\n", to_string(nearest.verdict),
              nearest.distance, nearest.lower_bound, a.name.c_str(), b.name.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // Loading is the slow part and the only one that throws. A World is const: share it.
    keepclear::LoadOptions options;
    if (argc > 2) options.srdf = argv[2];
    const keepclear::World world = argc > 1 ? keepclear::load(argv[1], options)
                                            : keepclear::load_builtin("six_axis_arm", options);
    std::printf("%s: %zu joint values, %zu bodies, %zu pairs checked, %zu left out\n",
                world.name().c_str(), world.dof(), world.bodies().size(), world.pairs().size(),
                world.left_out().size());

    // One query object a thread. Nothing is allocated after this line.
    keepclear::DistanceQuery query(world);
    std::vector<double> q = world.neutral();
    for (int step = 0; step < 5; ++step) {
      print(world, query(q));
      for (std::size_t i = 0; i < q.size(); ++i) {
        const keepclear::Variable& v = world.variables()[i];
        if (v.type == "floating") continue;  // the numbers of a quaternion do not move alone
        q[i] = std::clamp(q[i] + 0.2 * (i % 2 == 0 ? 1 : -1), v.lower, v.upper);
      }
    }

    // A check asks for less and is faster: is everything at least 10 mm apart?
    const keepclear::CheckResult check = query.check(world.neutral(), 0.01);
    std::printf("with a margin of 10 mm: %s\n", to_string(check.verdict));
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
  return 0;
}
