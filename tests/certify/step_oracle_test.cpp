// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "certify/mobile_box_judge.hpp"
#include "certify/step_worlds.hpp"

namespace keepclear {
namespace {

TEST(StepOracle, EveryStepOfEveryProofIsTrueAndTheStepsLeaveNoGap) {
  test::StepTally tally;
  const test::StepOptions how{2, 4000};
  std::size_t number = 0;
  for (const char* name : {"six_axis_arm", "two_bench_arms"}) {
    const test::MotionRobot robot = test::motion_robot(name);
    for (int k = 0; k < 6; ++k) test::StepRun(3, number++, how, tally).robot(robot, 2);
  }
  for (int k = 0; k < 12; ++k) test::StepRun(3, number++, how, tally).scene(2);
  for (int k = 0; k < 12; ++k) test::StepRun(3, number++, how, tally).mobile(2);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.violations(), 0u);
  // There must have been something to refute.
  EXPECT_GT(tally.steps, 2000u);
  EXPECT_GT(tally.free, 10u);
  EXPECT_GT(tally.around, 100u);
  EXPECT_GT(tally.close, 10u);
}

TEST(MobileBoxOracle, NoConfigurationOfABaseInABoxIsNearerThanWasProved) {
  test::MobileBoxTally tally;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) test::judge_mobile_boxes(seed, 6, tally);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.violations(), 0u);
  EXPECT_GT(tally.free, 40u);
  EXPECT_GT(tally.swept, 40u);
}

/// A free motion of an arm past a ball, and its proof.
struct Proved {
  Scene scene;
  World world;
  CertifyOptions options;
  Path path;
  Certificate found;
};
Proved proved(Method method) {
  Scene scene = test::motion_robot("six_axis_arm").scene;
  SceneObject ball;
  ball.name = "ball";
  ball.shape.kind = Shape::Kind::sphere;
  ball.shape.radius = 0.1;
  ball.pose.xyz = {0.9, 0, 0.6};
  scene.objects.push_back(ball);
  World world = compile(scene);
  const std::vector<double> from(6, 0.0), to{0.5, -0.4, 0.3, 0.5, 0.2, 0};
  CertifyOptions options;
  options.method = method;
  options.keep_proof = true;
  Path path = line_path(from, to);
  Certificate found = certify(world, path, options);
  return {std::move(scene), std::move(world), options, std::move(path), std::move(found)};
}
test::StepTally judged(const Proved& p, const Certificate& found) {
  const test::ExactWorld exact(p.scene, p.world);
  std::mt19937_64 random(1);
  test::StepTally tally;
  test::StepJudge judge(exact, p.options, random, tally);
  judge.judge({&p.path, 1}, found, 3);
  judge.judge_cover(found);
  return tally;
}

TEST(StepOracle, TheJudgeSeesBoundsThatAreTooBoldAndStepsThatAreMissing) {
  for (const Method method : {Method::automatic, Method::velocity, Method::sweep, Method::ball}) {
    const Proved p = proved(method);
    ASSERT_EQ(p.found.verdict, Verdict::free);
    EXPECT_EQ(judged(p, p.found).violations(), 0u);
    // Every bound is raised by what was taken off for what lies between the poses, and a metre.
    Certificate bold = p.found;
    for (ProofStep& step : bold.proof) step.bound += step.growth + 1;
    EXPECT_GT(2 * judged(p, bold).refuted, bold.proof.size());
    const std::size_t stride = 1 + p.found.proof.size() / 6;
    for (std::size_t k = 0; k < p.found.proof.size(); k += stride) {
      Certificate less = p.found;
      less.proof.erase(less.proof.begin() + static_cast<std::ptrdiff_t>(k));
      EXPECT_GT(judged(p, less).gaps + judged(p, less).refuted, 0u) << "step " << k;
      Certificate shorter = p.found;
      ProofStep& cut = shorter.proof[k];
      cut.to = std::nextafter(cut.to, cut.from);
      EXPECT_GT(judged(p, shorter).gaps + judged(p, shorter).refuted, 0u) << "step " << k;
    }
  }
}

}  // namespace
}  // namespace keepclear
