// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of a few points around the links of a robot, proved to contain them: fits a URDF (or the
// built-in six-axis arm), tells what each body costs in volume, and loads the robot with them.
//
//   example_03_fit [ROBOT.urdf [MODEL.json]]
#include <cstdio>
#include <keepclear/keepclear.hpp>
#include <memory>

int main(int argc, char** argv) {
  try {
    keepclear::FitOptions options;
    options.points = 4;
    options.parts = 1;     // one body a link
    options.starts = 200;  // a quick search; the default looks longer
    options.refined = 4;
    const keepclear::Fit fit = argc > 1 ? keepclear::fit(argv[1], {}, options)
                                        : keepclear::fit_builtin("six_axis_arm", {}, options);
    for (const keepclear::FittedBody& body : fit.bodies) {
      std::printf("%-20s %zu points, radius %.1f mm, %.2f times the hull, %.1f mm beyond it\n",
                  body.body.link.c_str(), body.body.points.size(), 1e3 * body.body.radius,
                  body.volume / body.hull_volume, 1e3 * body.excess);
    }
    if (argc > 2) keepclear::write_model(fit.model, argv[2]);

    // Loading believes nothing: it proves again that every triangle is in a body of its link.
    keepclear::LoadOptions with_bodies;
    with_bodies.bodies = std::make_shared<const keepclear::BodyModel>(fit.model);
    const keepclear::World world = argc > 1 ? keepclear::load(argv[1], with_bodies)
                                            : keepclear::load_builtin("six_axis_arm", with_bodies);
    const keepclear::Nearest nearest = keepclear::distance(world, world.neutral());
    std::printf("%s: %zu bodies; in the neutral pose %s, at least %.17g m apart\n",
                world.name().c_str(), world.bodies().size(), to_string(nearest.verdict),
                nearest.lower_bound);
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
  return 0;
}
