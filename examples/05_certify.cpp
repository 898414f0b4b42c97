// SPDX-License-Identifier: BSD-3-Clause
//
// Is a whole motion free, and how near does it come? Reads a motion and certifies it, looks for the
// straight edges that a planner may use, and keeps what proves one of them.
//
//   example_05_certify [ROBOT.urdf MOTION [MARGIN]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <keepclear/certify.hpp>
#include <keepclear/keepclear.hpp>
#include <string>
#include <vector>

namespace {

std::string pair_of(const keepclear::World& world, int a, int b) {
  if (a < 0 || b < 0) return "nobody";
  return world.solids()[static_cast<std::size_t>(a)].name + " - " +
         world.solids()[static_cast<std::size_t>(b)].name;
}

void tell(const keepclear::World& world, const char* what,
          const keepclear::Certificate& certificate) {
  std::printf("%s: %s", what, to_string(certificate.verdict));
  const std::string pair = pair_of(world, certificate.a, certificate.b);
  if (certificate.verdict == keepclear::Verdict::free) {
    std::printf(", at least %.4f m throughout; nearest %s at %.3f s", certificate.clearance,
                pair.c_str(), certificate.time);
  } else if (certificate.verdict == keepclear::Verdict::contact) {
    std::printf(", %s at %.3f s", pair.c_str(), certificate.first_contact);
  }
  std::printf("; %zu tests\n", certificate.tests);
}

/// Which of two configurations a straight line joins that is free throughout.
void tell_edges(const keepclear::World& world) {
  keepclear::MotionQuery query(world, {.margin = 0.005});
  const std::vector<double> from = {0, 0.9, -0.5, 0, 0, 0};
  for (const double waist : {-0.6, -0.3, 0.3, 0.6, 0.9, 1.2}) {
    std::vector<double> to = from;
    to[0] = waist;
    const keepclear::Verdict verdict = query.connects(from, to);
    std::printf("  the waist from 0 to %4.1f: %-9s %zu tests\n", waist, to_string(verdict),
                query.last_tests());
  }
}

int certify_file(const char* robot, const char* motion, double margin) {
  const keepclear::World world = keepclear::load(robot);
  const keepclear::Path path = keepclear::read_path(world, motion);
  tell(world, motion, keepclear::certify(world, path, {.margin = margin}));
  return 0;
}

int tour() {
  const keepclear::World world = keepclear::load_builtin("six_axis_arm");
  std::puts("edges of a planner, 5 mm clear at least");
  tell_edges(world);

  // A motion in two lines, as a CSV has it: rows of numbers, one for each time. The second time
  // every joint may be a hundredth of a radian off: a controller that does not follow exactly.
  const std::vector<double> times = {0, 1, 2};
  const std::vector<double> waypoints = {-0.5, 0.9, -0.5, 0, 0, 0,  //
                                         0,    0.6, -0.5, 0, 0, 0,  //
                                         0.3,  0.2, -0.5, 0, 0, 0};
  const keepclear::Path path = keepclear::straight_path(times, waypoints);
  const keepclear::Certificate exact = keepclear::certify(world, path);
  tell(world, "as planned", exact);
  const keepclear::Path tube = keepclear::with_tube(path, std::vector<double>(6, 0.01));
  const keepclear::Certificate followed = keepclear::certify(world, tube, {.keep_proof = true});
  tell(world, "as driven ", followed);

  // What proves it: which bodies, where on the path, how far apart at least.
  std::printf("%zu steps prove that, the first of them:\n", followed.proof.size());
  for (std::size_t i = 0; i < followed.proof.size() && i < 3; ++i) {
    const keepclear::ProofStep& step = followed.proof[i];
    std::printf("  %s from %.3f to %.3f of the path by %s: %.4f m\n",
                pair_of(world, step.a, step.b).c_str(), step.from, step.to, to_string(step.method),
                step.bound);
  }
  return followed.verdict == keepclear::Verdict::free && followed.clearance <= exact.distance &&
                 !followed.proof.empty()
             ? 0
             : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) return tour();
    return certify_file(argv[1], argv[2], argc > 3 ? std::strtod(argv[3], nullptr) : 0);
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
