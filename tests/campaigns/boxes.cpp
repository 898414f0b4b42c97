// SPDX-License-Identifier: BSD-3-Clause
//
// boxes [--boxes N] [--clear N] [--width R] [--budget N] [--seed S] WORLD[,SRDF]...: boxes of joint
// values of robots (a URDF, with its SRDF after a comma, or the name of a built-in world). N random
// boxes of up to R rad (0.8) about free poses, each free one against poses that are sampled and
// brought as near as they go; and N boxes of 0.002 rad about poses with 2 cm to spare, which must
// all be free. Exit 0 when all was well, 1 otherwise, 64 for a wrong call.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "certify/box_judge.hpp"

int main(int argc, char** argv) {
  using namespace keepclear;
  std::size_t boxes = 1000, clear = 1000, budget = 20'000;
  double width = 0.8;
  std::uint64_t seed = 1;
  std::vector<std::string> worlds;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool valued = option.starts_with("--") && i + 1 < argc;
    if (option == "--boxes" && valued) {
      boxes = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--clear" && valued) {
      clear = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--budget" && valued) {
      budget = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--width" && valued) {
      width = std::strtod(argv[++i], nullptr);
    } else if (option == "--seed" && valued) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (option.starts_with("--")) {
      std::fprintf(stderr, "boxes: unknown option or no value: %s\n", argv[i]);
      return 64;
    } else {
      worlds.push_back(option);
    }
  }
  bool well = !worlds.empty();
  for (const std::string& name : worlds) {
    try {
      const std::size_t comma = name.find(',');
      LoadOptions load_options;
      if (comma != std::string::npos) load_options.srdf = name.substr(comma + 1);
      const bool file = name.find('.') != std::string::npos;
      const World world =
          file ? load(name.substr(0, comma), load_options) : load_builtin(name, load_options);
      BoxOptions options;
      options.budget = budget;
      const test::BoxTally wide = test::judge_boxes(world, boxes, width, options, 200, seed);
      std::printf(
          "%s: boxes of up to %g rad: free %zu, contact %zu, undecided %zu, tests %zu; "
          "refuted %zu, false contacts %zu\n",
          world.name().c_str(), width, wide.free, wide.contact, wide.undecided, wide.tests,
          wide.refuted, wide.no_contact);
      const test::BoxTally small =
          test::judge_clear_boxes(world, clear, 0.002, 0.02, 1000 * clear, seed);
      std::printf("  boxes of 0.002 rad with 2 cm to spare: free %zu, contact %zu, undecided %zu\n",
                  small.free, small.contact, small.undecided);
      std::fflush(stdout);
      well = well && wide.refuted == 0 && wide.no_contact == 0 && small.contact == 0 &&
             small.undecided == 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      well = false;
    }
  }
  return well ? 0 : 1;
}
