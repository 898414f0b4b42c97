// SPDX-License-Identifier: BSD-3-Clause
//
// What a guard's recording must be for a certificate: of a guard that guarded the world as loaded
// from the first cycle to the last, and of states that it understood.
#include <gtest/gtest.h>

#include <cmath>

#include "keepclear/error.hpp"
#include "keepclear/proof.hpp"
#include "keepclear/recorder.hpp"
#include "keepclear/scene.hpp"

namespace keepclear {
namespace {

class GuardCertificate : public testing::Test {
 protected:
  GuardCertificate() {
    JointBrake joint;
    joint.max_acceleration = joint.brake_deceleration = joint.brake_deceleration_most = 20;
    brake_ = uniform_brake(world_, 0.01, joint);
    options_.budget = 1'000'000;
  }
  /// Standing still; `between` is called before cycle 5.
  template <typename F>
  Recording drive(const F& between) {
    Guard guard(world_, brake_, options_);
    FlightRecorder recorder(world_, brake_, options_, guard, 100);
    const std::vector<double> q = world_.neutral(), v(q.size(), 0.0);
    for (int k = 1; k <= 8; ++k) {
      if (k == 5) between(guard, recorder);
      const GuardState state{.time = 0.001 * k, .q = q, .v = v};
      guard.step(state);
      recorder.push(state, guard);
    }
    return recorder.recording();
  }
  std::string refusal(const Recording& recording) const {
    try {
      guard_certificate(world_, recording, {}, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::usage);
      return error.what();
    }
    return {};
  }

  World world_ = load_builtin("two_arms");
  BrakeModel brake_;
  GuardOptions options_;
};

TEST_F(GuardCertificate, IsOfAGuardThatNobodyChangedMeanwhile) {
  const int object = world_.find_solid("front_box"), link = world_.find_solid("left/link7");
  const Recording good = drive([](Guard&, FlightRecorder&) {});
  ASSERT_EQ(good.cycles.back().found.action, Action::go);
  EXPECT_EQ(refusal(good), "");
  EXPECT_NE(
      refusal(drive([&](Guard& guard, FlightRecorder&) {
        EXPECT_TRUE(guard.attach(object, link, std::vector{world_.find_solid("front_table")}));
      })).find("comes out differently"),
      std::string::npos);
  EXPECT_NE(
      refusal(drive([&](Guard& guard, FlightRecorder& recorder) {
        EXPECT_TRUE(guard.attach(object, link, std::vector{world_.find_solid("front_table")}));
        recorder.restart(guard);
      })).find("before this was recorded"),
      std::string::npos);
}

TEST_F(GuardCertificate, IsOfStatesThatWereUnderstood) {
  const Recording good = drive([](Guard&, FlightRecorder&) {});
  for (const Reason reason : {Reason::stale, Reason::not_finite, Reason::corrupted}) {
    for (const bool with_memory : {true, false}) {
      Recording recording = good;
      recording.cycles[6].found.reason = reason;
      if (!with_memory) recording.memory.clear();
      EXPECT_NE(refusal(recording), "") << name_of(reason);
    }
  }
  Recording recording = good;
  recording.memory.clear();
  EXPECT_EQ(refusal(recording), "");
  recording.cycles[6].q.pop_back();
  EXPECT_NE(refusal(recording).find("wrong size"), std::string::npos);
}

}  // namespace
}  // namespace keepclear
