// SPDX-License-Identifier: BSD-3-Clause
//
// A stranger's program: public headers alone.
#include <cstdio>
#include <keepclear/keepclear.hpp>

int main() {
  try {
    const keepclear::World world = keepclear::load_builtin("six_axis_arm");
    keepclear::DistanceQuery query(world);
    const keepclear::Nearest nearest = query(world.neutral());
    std::printf("keepclear %s: %s, at least %.17g m\n", keepclear::kVersion,
                keepclear::to_string(nearest.verdict), nearest.lower_bound);
    return nearest.verdict == keepclear::Verdict::free ? 0 : 1;
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
