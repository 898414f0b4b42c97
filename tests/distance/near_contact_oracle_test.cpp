// SPDX-License-Identifier: BSD-3-Clause
//
// A slice of the near-contact campaign (tests/campaigns/near_contact.cpp runs as many as one
// likes).
#include <gtest/gtest.h>

#include "oracle/near_contact_judge.hpp"

namespace keepclear::oracle {
namespace {

const Tally& slice() {
  static const Tally tally = [] {
    Tally sum;
    for (std::uint64_t chunk = 0; chunk < 5; ++chunk) sum += judge_chunk(1, chunk, kChunkPairs);
    return sum;
  }();
  return tally;
}

TEST(NearContact, NothingIsFreeThatOverlapsInExactArithmetic) {
  EXPECT_EQ(slice().wrongly_free, 0);
}
TEST(NearContact, NothingIsContactThatIsApartInExactArithmetic) {
  EXPECT_EQ(slice().wrongly_contact, 0);
}
TEST(NearContact, TheLowerBoundIsNeverAboveTheExactDistance) {
  EXPECT_EQ(slice().lower_violations, 0);
}
TEST(NearContact, TheDistanceIsNeverBelowTheExactOne) {
  EXPECT_EQ(slice().upper_violations, 0);
}
TEST(NearContact, TheBoundsOfFreePairsMeetWithinANanometre) {
  EXPECT_EQ(slice().loose, 0);
}
TEST(NearContact, UndecidedIsLeftToPairsThatTouchToWithinRounding) {
  EXPECT_EQ(slice().needless_undecided, 0);
}
TEST(NearContact, SwappingOrTurningNeverMakesFreeIntoContact) {
  EXPECT_EQ(slice().conflicts, 0);
}
TEST(NearContact, SignedDistancesMatchBruteForce) {
  EXPECT_EQ(slice().depth_violations, 0);
}
TEST(NearContact, WitnessPointsLieOnTheBodiesAtTheDistance) {
  EXPECT_EQ(slice().witness_violations, 0);
}
TEST(NearContact, BodiesContainTheirShapes) {
  EXPECT_EQ(slice().not_contained, 0);
}

TEST(NearContact, NoPairIsToBlame) {
  for (const std::string& message : slice().messages) ADD_FAILURE() << message;
}

TEST(NearContact, TheSliceHasAllThreeKindsOfPairs) {
  EXPECT_EQ(slice().pairs, 5 * kChunkPairs);
  EXPECT_GT(slice().free, slice().pairs / 5);
  EXPECT_GT(slice().contact, slice().pairs / 5);
  EXPECT_LT(slice().undecided, slice().pairs / 4);
  EXPECT_GT(slice().signed_checked, 300);
  EXPECT_GT(slice().witnesses_checked, 300);
}

TEST(NearContact, ARotationThatIsNoneIsUndecided) {
  test::Random random(7);
  const Contestant box(test::random_shape(random, test::Shape::Kind::box));
  for (const double factor : {0.0, 0.9, 0.999, 1.001, 1.1, -1.0}) {
    for (const double apart : {0.0, 10.0}) {
      Pose X;
      X.R = test::stretched(test::random_rotation(random), factor);
      X.p.x = apart;
      EXPECT_EQ(distance(box.body, X, box.body, {}).verdict, Verdict::undecided) << factor;
      EXPECT_EQ(distance(box.body, {}, box.body, X).verdict, Verdict::undecided) << factor;
    }
  }
}

TEST(NearContact, APoseThatIsNotFiniteIsUndecided) {
  test::Random random(8);
  const Contestant box(test::random_shape(random, test::Shape::Kind::box));
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Pose X;
    X.p.y = bad;
    EXPECT_EQ(distance(box.body, X, box.body, {}).verdict, Verdict::undecided);
    X = {};
    X.R.row1.z = bad;
    EXPECT_EQ(distance(box.body, {}, box.body, X).verdict, Verdict::undecided);
  }
}

}  // namespace
}  // namespace keepclear::oracle
