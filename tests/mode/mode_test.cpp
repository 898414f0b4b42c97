// SPDX-License-Identifier: BSD-3-Clause
//
// Nothing is proved, and nothing is claimed, where the floating-point unit is in another mode than
// the proofs assume: by a library that is loaded, by the program, by what a callback did.
#include "rounding/mode.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "keepclear/keepclear.hpp"
#include "mode/entries.hpp"

namespace keepclear {
namespace {

using test::Entry;
using test::Said;

/// Puts the mode of this thread back when it goes.
class KeepMode {
 public:
  KeepMode() { std::fegetenv(&before_); }
  ~KeepMode() { std::fesetenv(&before_); }
  KeepMode(const KeepMode&) = delete;
  KeepMode& operator=(const KeepMode&) = delete;

 private:
  std::fenv_t before_;
};

struct Mode {
  std::string name;
  std::function<void()> set;
};

/// Loads a library that was linked with -ffast-math. The next call loads it again.
void load_fast_math() {
  void* const library = dlopen(KEEPCLEAR_FAST_MATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  dlclose(library);
}

#if defined(__x86_64__)
void change_mxcsr(std::uint32_t bits) {
  std::uint32_t mode = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(mode));
  mode = (mode & ~0x3fu) ^ bits;
  __asm__ volatile("ldmxcsr %0" : : "m"(mode));
}
void change_x87(std::uint16_t bits) {
  std::uint16_t mode = 0;
  __asm__ volatile("fnclex\n\tfnstcw %0" : "=m"(mode));
  mode = static_cast<std::uint16_t>(mode ^ bits);
  __asm__ volatile("fldcw %0" : : "m"(mode));
}
#endif

std::vector<Mode> modes() {
  std::vector<Mode> all{{"a library linked with -ffast-math is loaded", load_fast_math},
                        {"upwards", [] { std::fesetround(FE_UPWARD); }},
                        {"downwards", [] { std::fesetround(FE_DOWNWARD); }},
                        {"towards zero", [] { std::fesetround(FE_TOWARDZERO); }}};
#if defined(__x86_64__)
  all.push_back({"flush to zero", [] { change_mxcsr(0x8000); }});
  all.push_back({"subnormals are zero", [] { change_mxcsr(0x0040); }});
  all.push_back({"rounding of SSE alone", [] { change_mxcsr(0x2000); }});
  all.push_back({"traps", [] { change_mxcsr(0x0280); }});
  all.push_back({"rounding of x87 alone", [] { change_x87(0x0800); }});
  all.push_back({"x87 with 53 bits", [] { change_x87(0x0100); }});
  all.push_back({"traps of x87", [] { change_x87(0x0004); }});
#endif
  return all;
}

/// What a call says, and that an error is the right one.
Said said_by(const Entry& entry, const std::function<void()>& set) {
  const KeepMode keep;
  set();
  try {
    return entry.call();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.kind(), Error::Kind::usage) << entry.name << ": " << what;
    EXPECT_NE(what.find("the floating-point unit of this thread"), what.npos)
        << entry.name << ": " << what;
    return Said::nothing;
  }
}

TEST(FloatingPointMode, OfAThreadIsRightUntilSomethingChangesIt) {
  EXPECT_EQ(rounding::mode_faults(), 0U);
  EXPECT_TRUE(rounding::mode_is_right());
  for (const Mode& mode : modes()) {
    const KeepMode keep;
    mode.set();
    EXPECT_NE(rounding::mode_faults(), 0U) << mode.name;
    EXPECT_FALSE(rounding::mode_is_right()) << mode.name;
    // A thread begins with the mode of the one that makes it.
    unsigned there = 0;
    std::thread([&] { there = rounding::mode_faults(); }).join();
    EXPECT_NE(there, 0U) << mode.name;
  }
  EXPECT_EQ(rounding::mode_faults(), 0U);
}

TEST(FloatingPointMode, EveryEntryAnswersWhereItIsRightAndNoneWhereItIsNot) {
  const std::vector<Entry> entries = test::entries();
  std::size_t claims = 0;
  for (const Mode& mode : modes()) {
    for (const Entry& entry : entries) {
      const Said said = said_by(entry, mode.set);
      EXPECT_EQ(said, Said::nothing) << entry.name << ": " << mode.name;
      claims += said == Said::something ? 1 : 0;
    }
  }
  RecordProperty("asked", static_cast<int>(entries.size() * modes().size()));
  std::printf("asked %zu entries in %zu modes, claims: %zu\n", entries.size(), modes().size(),
              claims);
  // The same calls: what they need is still there, and right.
  for (const Entry& entry : entries) {
    try {
      EXPECT_EQ(entry.call(), Said::something) << entry.name;
    } catch (const Error& error) {
      ADD_FAILURE() << entry.name << ": " << error.what();
    }
  }
}

TEST(FloatingPointMode, LeavesNothingWrongInWhatAQueryRemembers) {
  const World world = load_builtin("six_axis_arm");
  std::vector<double> q(world.dof(), 0.1), near(world.dof(), 0.12);
  DistanceQuery query(world);
  (void)query(q);
  for (const Mode& mode : modes()) {
    {
      const KeepMode keep;
      mode.set();
      (void)query(near);
      (void)query.check(near);
    }
    DistanceQuery fresh(world);
    const Nearest one = query(near), other = fresh(near);
    EXPECT_EQ(one.lower_bound, other.lower_bound) << mode.name;
    EXPECT_EQ(one.verdict, other.verdict) << mode.name;
  }
}

/// Switches flush-to-zero, or the like, on: as a callback that loads a library does.
void disturb() {
  std::fesetround(FE_UPWARD);
}

template <typename Call>
void expect_refused(const char* what, const Call& call) {
  const KeepMode keep;
  EXPECT_THROW(call(), Error) << what;
}

TEST(FloatingPointMode, IsAskedAgainAfterForeignCode) {
  const World world = load_builtin("six_axis_arm");
  const JointBox box(world.dof(), {-0.4, 0.4});
  expect_refused("prove_box", [&] {
    BoxOptions options{.tolerance = 1e-6, .relative_tolerance = 0, .budget = 20'000, .threads = 1};
    options.progress = [](double) { disturb(); };
    (void)prove_box(world, box, options);
  });
  expect_refused("classify_pairs", [&] {
    PairsOptions options;
    options.threads = 1;
    options.progress = [](std::size_t, std::size_t) { disturb(); };
    (void)classify_pairs(world, options);
  });
  expect_refused("fit_builtin", [&] {
    FitOptions options;
    options.starts = 50, options.refined = 2, options.threads = 1, options.points = 2;
    options.progress = [](double) { disturb(); };
    (void)fit_builtin("bench_arm", {.without_model = true}, options);
  });
  expect_refused("certify_all", [&] {
    const std::vector<double> from(world.dof(), 0.0), to(world.dof(), 0.1);
    const std::vector<Path> paths(3, line_path(from, to));
    certify_all(world, paths, {}, 1, [](std::size_t, const Certificate&) { disturb(); });
  });
  BoundedCurve curve;
  curve.at = [](double t) {
    disturb();
    return Affine{Mat3{}, {t, 0, 0}};
  };
  curve.tangent = [](double) { return Affine{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {1, 0, 0}}; };
  curve.length_hi = [](double from, double to) { return to - from; };
  curve.curvature_hi = [](double, double) { return 0.0; };
  const CurvePointer disturbing = bounded_curve(curve);
  const Polyhedron cube = Polyhedron::box({0.2, 0.2, 0.2});
  TolerancedQuery query(cube, {{cube.placed({{}, {0, 3, 0}}), "post"}});
  expect_refused("TolerancedQuery", [&] { (void)query(*disturbing); });
}

TEST(FloatingPointMode, OfAWorkerCountsRowByRow) {
  const World world = load_builtin("six_axis_arm");
  const std::size_t rows = 3000;
  const std::vector<double> poses(rows * world.dof(), 0.1);
  std::vector<CheckResult> results(rows);
  BatchOptions options;
  options.threads = 1;
  std::size_t before = 0;
  options.progress = [&](std::size_t done) {
    if (before == 0) before = done;
    disturb();
  };
  {
    const KeepMode keep;
    check_batch(world, poses, results, 0, options);
  }
  ASSERT_GT(before, 0U);
  ASSERT_LT(before, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    EXPECT_EQ(results[row].verdict != Verdict::undecided, row < before) << row;
  }
}

TEST(FloatingPointMode, IsNamedInTheError) {
  EXPECT_EQ(rounding::describe_mode(rounding::kFlushesToZero), "flushes small numbers to zero");
  const KeepMode keep;
  load_fast_math();
  try {
    (void)load_builtin("bench_arm");
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("flushes small numbers to zero"), what.npos) << what;
    EXPECT_NE(what.find("-ffast-math"), what.npos) << what;
    EXPECT_NE(what.find("std::fesetenv(FE_DFL_ENV)"), what.npos) << what;
  }
}

}  // namespace
}  // namespace keepclear
