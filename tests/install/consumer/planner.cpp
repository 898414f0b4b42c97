// SPDX-License-Identifier: BSD-3-Clause
//
// A stranger's program that uses OMPL: public headers alone.
#include <cstdio>
#include <keepclear/keepclear.hpp>
#include <keepclear/ompl.hpp>

int main() {
  const keepclear::World world = keepclear::load_builtin("six_axis_arm");
  const keepclear::ompl::Group group(world);
  const auto space = keepclear::ompl::make_space(group);
  const keepclear::ompl::Checker checker(group, *space);
  const auto state = space->allocState();
  checker.map().write(world.neutral(), state);
  std::printf("keepclear %s: %s, at least %.17g m\n", keepclear::kVersion,
              keepclear::to_string(checker.check(state)), checker.clearance(state));
  space->freeState(state);
  return 0;
}
