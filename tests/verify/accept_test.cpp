// SPDX-License-Identifier: BSD-3-Clause
//
// What is written is accepted, and is true as far as sampling can tell.
#include "verify/accept.hpp"

#include <gtest/gtest.h>

#include <cfenv>

#include "data.hpp"

namespace keepclear::test {
namespace {

void expect_well(const AcceptTally& tally) {
  tally.print();
  EXPECT_TRUE(tally.refused.empty());
  EXPECT_TRUE(tally.refuted.empty());
  // A motion that is free by a hair may be beyond what can be written down.
  EXPECT_LE(50 * tally.unproved.size(), tally.free());
}

TEST(Accept, EveryCertificateOfTheBuiltinRobotsIsValid) {
  AcceptTally tally;
  const std::pair<const char*, std::uint64_t> robots[] = {
      {"six_axis_arm", 60}, {"bench_arm", 60}, {"two_bench_arms", 40}, {"humanoid", 15}};
  for (const auto& [name, count] : robots) {
    CertificateDraw draw(name);
    for (std::uint64_t k = 0; k < count; ++k) judge_robot(draw, k, 10, tally);
  }
  expect_well(tally);
  for (const char* kind : {"path", "clocks", "box", "guard"}) {
    EXPECT_GT(tally.kinds[kind].written, 5u) << kind;
  }
}

TEST(Accept, PairsThatNeverTouchAreCertified) {
  AcceptTally tally;
  std::mt19937_64 random(1);
  for (const char* name : {"six_axis_arm", "bench_arm"}) {
    CertificateDraw draw(name);
    judge_certificate(name, draw.never(500), 50, random, tally);
  }
  expect_well(tally);
  EXPECT_EQ(tally.kinds["never"].written, 2u);
}

TEST(Accept, TheModelsOfBuiltinRobotsAreCertified) {
  AcceptTally tally;
  std::mt19937_64 random(1);
  for (const char* name : {"six_axis_arm", "bench_arm"}) {
    CertificateDraw draw(name);
    judge_certificate(name, draw.fit(), 50, random, tally);
  }
  expect_well(tally);
  EXPECT_EQ(tally.kinds["fit"].written, 2u);
}

TEST(Accept, EveryCertificateOfRobotsOfOthersIsValid) {
  KEEPCLEAR_NEEDS_DATA("robots");
  AcceptTally tally;
  const std::vector<std::string> all = certificate_robots(data_dir());
  for (const char* wanted : {"panda.urdf", "spot_arm.urdf", "stretch_re1_dex_wrist.urdf"}) {
    const auto name =
        std::ranges::find_if(all, [&](const std::string& n) { return n.ends_with(wanted); });
    if (name == all.end()) continue;
    CertificateDraw draw(*name);
    for (std::uint64_t k = 0; k < 3; ++k) judge_robot(draw, k, 3, tally);
  }
  expect_well(tally);
}

TEST(Accept, TheSameMotionHasTheSameBytes) {
  CertificateDraw one("bench_arm"), other("bench_arm");
  std::size_t written = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    const DrawnCertificate first = one.path(k), second = other.path(k);
    EXPECT_EQ(first.written.text, second.written.text);
    written += !first.written.text.empty();
  }
  EXPECT_GT(written, 1u);
}

TEST(Accept, TheCheckerLeavesTheRoundingAsItWas) {
  EXPECT_FALSE(check_certificate("").valid());
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

}  // namespace
}  // namespace keepclear::test
