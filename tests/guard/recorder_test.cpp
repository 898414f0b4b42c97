// SPDX-License-Identifier: BSD-3-Clause
//
// The flight recorder: the last cycles of a guard, written and gone through again to the same
// answers; what is damaged or of another world is refused.
#include "keepclear/recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "keepclear/error.hpp"

namespace keepclear {
namespace {

class Recorder : public testing::Test {
 protected:
  /// A motion of the arm, slow enough to go; some states in it are none.
  void drive(Guard& guard, FlightRecorder& recorder, int from, int to) const {
    std::vector<double> q = world_.neutral(), v(world_.dof(), 0.05);
    for (int i = from; i < to; ++i) {
      for (std::size_t k = 0; k < q.size(); ++k) {
        q[k] = world_.neutral()[k] + 0.05 * 0.001 * static_cast<double>(i);
      }
      if (i % 17 == 5) q[0] = std::numeric_limits<double>::quiet_NaN();
      GuardState state{.time = 0.001 * i, .q = q, .v = v, .age = 0.0001 * (i % 3)};
      if (i % 19 == 7) state.v = std::span(v).first(1);
      if (i % 2 == 0) state.ages = ages_;
      guard.step(state);
      recorder.push(state, guard, i % 23 == 3 ? std::uint16_t{65} : std::uint16_t{0});
    }
  }
  void expect_same_again(const Recording& recording) const {
    Guard again = restored_guard(world_, recording);
    for (std::size_t i = 0; i < recording.cycles.size(); ++i) {
      again.step(recording.cycles[i].state());
      EXPECT_TRUE(same_finding(again.last(), recording.cycles[i].found)) << i;
    }
  }
  static std::string refusal(const std::string& text) {
    try {
      parse_recording(text, "last.kcr");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::malformed);
      return error.what();
    }
    return {};
  }

  const World world_ = load_builtin("six_axis_arm");
  const std::vector<double> ages_ = std::vector<double>(world_.dof(), 0.0005);
  // Brakes that are no stronger than the drives: after a bad state it goes again in motion.
  const BrakeModel brake_ = uniform_brake(world_, 0.01, {20, 20, 20});
  const GuardOptions options_{.margin = 0.001, .graded = true, .max_age = 0.5};
  Guard guard_{world_, brake_, options_};
};

TEST_F(Recorder, KeepsAtLeastTheLastCyclesAndGoesThroughThemAgain) {
  FlightRecorder recorder(world_, brake_, options_, guard_, 10);
  EXPECT_EQ(recorder.size(), 0U);
  expect_same_again(recorder.recording());
  for (int i = 0; i < 64; ++i) {
    drive(guard_, recorder, i, i + 1);
    const std::size_t size = recorder.size(), all = static_cast<std::size_t>(i) + 1;
    EXPECT_GE(size, std::min<std::size_t>(all, 10));
    EXPECT_LE(size, 20U);
    if (i % 3 != 0) continue;
    const Recording recording = recorder.recording();
    ASSERT_EQ(recording.cycles.size(), size);
    EXPECT_EQ(recording.first, all - size);
    EXPECT_EQ(recording.cycles.back().time, 0.001 * i);
    expect_same_again(recording);
  }
}

TEST_F(Recorder, TextIsReadAsItWasWritten) {
  FlightRecorder recorder(world_, brake_, options_, guard_, 20);
  drive(guard_, recorder, 0, 50);
  const Recording written = recorder.recording();
  const std::string text = to_text(written);
  EXPECT_TRUE(is_recording(text));
  const Recording read = parse_recording(text, "last.kcr");
  EXPECT_EQ(read.world, world_.hash());
  EXPECT_EQ(read.brake, brake_);
  EXPECT_EQ(read.memory, written.memory);
  EXPECT_EQ(read.first, written.first);
  EXPECT_EQ(read.options.margin, 0.001);
  EXPECT_EQ(read.options.max_age, 0.5);
  EXPECT_TRUE(read.options.graded);
  EXPECT_EQ(read.options.max_gap, 0);
  ASSERT_EQ(read.cycles.size(), written.cycles.size());
  bool nan = false, went = false, said = false, wrong = false;
  for (std::size_t i = 0; i < read.cycles.size(); ++i) {
    const RecordedCycle &a = read.cycles[i], &b = written.cycles[i];
    EXPECT_TRUE(same_finding(a.found, b.found));
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.age, b.age);
    EXPECT_EQ(a.v, b.v);
    EXPECT_EQ(a.ages, b.ages);
    EXPECT_EQ(a.said, b.said);
    nan = nan || std::isnan(a.q[0]);
    went = went || a.found.action == Action::go;
    said = said || a.said == 65;
    wrong = wrong || a.found.reason == Reason::wrong_size;
  }
  EXPECT_TRUE(nan && went && said && wrong) << nan << went << said << wrong;
  EXPECT_EQ(to_text(read), text);
  expect_same_again(read);
}

TEST_F(Recorder, KeepsTheDelaysAndBelievesNoOtherSum) {
  const BrakeDelays delays{.age = 0.001,
                           .cycle = 0.1,
                           .communication = 0.002,
                           .brake_reaction = 0.01,
                           .missing_answer_noticed = MissingAnswer::at_once};
  const BrakeModel brake = uniform_brake(world_, delays, brake_.joints[0]);
  const GuardOptions options{.max_gap = 0.1};
  const Guard guard(world_, brake, options);
  const FlightRecorder recorder(world_, brake, options, guard, 10);
  const Recording recording = recorder.recording();
  const Recording read = parse_recording(to_text(recording), "last.kcr");
  EXPECT_EQ(read.brake, brake);
  EXPECT_NO_THROW(restored_guard(world_, read));
  for (const auto part : {&BrakeDelays::age, &BrakeDelays::cycle, &BrakeDelays::communication,
                          &BrakeDelays::brake_reaction}) {
    Recording wrong = recording;
    (*wrong.brake.delays).*part *= 0.5;
    EXPECT_THROW(restored_guard(world_, parse_recording(to_text(wrong), "w.kcr")), Error);
  }
  Recording other = recording;
  other.brake.delays.reset();
  EXPECT_THROW(restored_guard(world_, parse_recording(to_text(other), "o.kcr")), Error)
      << "the memory is of a guard with delays";
}

TEST_F(Recorder, StartsAnewWhenTheGuardWasChanged) {
  FlightRecorder recorder(world_, brake_, options_, guard_, 10);
  drive(guard_, recorder, 0, 33);
  EXPECT_FALSE(guard_.changed());
  EXPECT_FALSE(restored_guard(world_, recorder.recording()).changed());
  const PairInfo pair = world_.pairs()[0];
  ASSERT_TRUE(guard_.set_margin(pair.a, pair.b, 0.5));
  EXPECT_TRUE(guard_.changed());
  recorder.restart(guard_);
  EXPECT_EQ(recorder.size(), 0U);
  drive(guard_, recorder, 33, 45);
  const Recording recording = recorder.recording();
  EXPECT_EQ(recording.first, 33U);
  EXPECT_TRUE(restored_guard(world_, recording).changed());
  expect_same_again(recording);
}

TEST_F(Recorder, FilesAreWrittenWholeOrNotAtAll) {
  FlightRecorder recorder(world_, brake_, options_, guard_, 10);
  drive(guard_, recorder, 0, 12);
  std::string folder = std::filesystem::temp_directory_path() / "keepclear-recorder-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::filesystem::path file = std::filesystem::path(folder) / "last.kcr";
  recorder.write(file);
  expect_same_again(read_recording(file));
  drive(guard_, recorder, 12, 15);
  recorder.write(file);
  EXPECT_EQ(read_recording(file).cycles.size(), 15U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
  try {
    recorder.write(file);
    FAIL() << "there is no such folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::write);
  }
}

TEST_F(Recorder, DamageIsSeen) {
  FlightRecorder recorder(world_, brake_, options_, guard_, 4);
  drive(guard_, recorder, 0, 6);
  const std::string good = to_text(recorder.recording());
  EXPECT_EQ(refusal(good), "");
  // Lines of memory are long: every byte near the ends, and some in between.
  for (std::size_t at = 0; at < good.size(); at += at < 200 || good.size() - at < 200 ? 1 : 97) {
    EXPECT_NE(refusal(good.substr(0, at)), "") << at;
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    EXPECT_NE(refusal(flipped), "") << at;
  }
  EXPECT_NE(refusal(good + "\n"), "");
  EXPECT_NE(refusal(good + good), "");
  EXPECT_NE(refusal(""), "");
  std::string other = good;
  other.replace(other.find("g\":1"), 4, "g\":2");
  EXPECT_NE(refusal(other), "");
}

TEST_F(Recorder, GoWithAReasonToBrakeIsRefused) {
  FlightRecorder recorder(world_, brake_, options_, guard_, 20);
  drive(guard_, recorder, 0, 20);
  const Recording good = recorder.recording();
  EXPECT_EQ(refusal(to_text(good)), "");
  for (int reason = 0; reason <= static_cast<int>(Reason::corrupted); ++reason) {
    for (const Action action : {Action::go, Action::brake}) {
      Recording recording = good;
      recording.cycles[7].found.action = action;
      recording.cycles[7].found.reason = static_cast<Reason>(reason);
      const bool agrees = (action == Action::go) == (reason == 0);
      EXPECT_EQ(refusal(to_text(recording)).empty(), agrees) << reason;
    }
  }
}

TEST_F(Recorder, OfAnotherWorldOrBuildIsRefused) {
  FlightRecorder recorder(world_, brake_, options_, guard_, 4);
  drive(guard_, recorder, 0, 3);
  Recording recording = recorder.recording();
  EXPECT_THROW(restored_guard(load_builtin("two_arms"), recording), Error);
  recording.memory.pop_back();
  EXPECT_THROW(restored_guard(world_, recording), Error);
  recording = recorder.recording();
  recording.brake.joints.pop_back();
  EXPECT_THROW(restored_guard(world_, recording), Error);
  recording = recorder.recording();
  recording.brake.latency = -1;
  try {
    restored_guard(world_, recording, "last.kcr");
    FAIL() << "no guard can be made of this";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
  }
  EXPECT_THROW(FlightRecorder(world_, brake_, options_, guard_, 0), Error);
}

}  // namespace
}  // namespace keepclear
