// SPDX-License-Identifier: BSD-3-Clause
//
// Verdicts of the built-in arm over seeded poses, pinned: a change here is a change of answers, and
// wants a reason.
#include <gtest/gtest.h>

#include "scene/worlds.hpp"

namespace keepclear {
namespace {

/// FNV-1a.
class Fingerprint {
 public:
  void add(unsigned byte) { hash_ = (hash_ ^ byte) * 0x100000001b3u; }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

struct Summary {
  int free = 0, contact = 0, undecided = 0;
  std::uint64_t fingerprint = 0;
};

template <typename Ask>
Summary summarize(const World& world, const Ask& ask) {
  Summary sum;
  Fingerprint print;
  std::mt19937_64 random(20);
  for (int k = 0; k < 20000; ++k) {
    const Verdict verdict = ask(test::random_pose(world, random));
    sum.free += verdict == Verdict::free;
    sum.contact += verdict == Verdict::contact;
    sum.undecided += verdict == Verdict::undecided;
    print.add(static_cast<unsigned>(verdict));
  }
  sum.fingerprint = print.value();
  return sum;
}

TEST(VerdictGolden, OfTheBuiltinArmByDistance) {
  const World world = load_builtin("six_axis_arm");
  DistanceQuery query(world);
  const Summary sum = summarize(world, [&](const auto& q) { return query(q).verdict; });
  EXPECT_EQ(sum.free, 15392);
  EXPECT_EQ(sum.contact, 4608);
  EXPECT_EQ(sum.undecided, 0);
  EXPECT_EQ(sum.fingerprint, 1243258838227814955u);
}

TEST(VerdictGolden, OfTheBuiltinArmByCheck) {
  const World world = load_builtin("six_axis_arm");
  DistanceQuery query(world);
  const Summary sum = summarize(world, [&](const auto& q) { return query.check(q).verdict; });
  EXPECT_EQ(sum.fingerprint, 1243258838227814955u);
}

TEST(VerdictGolden, OfTheBuiltinArmByCheckWithAMargin) {
  const World world = load_builtin("six_axis_arm");
  DistanceQuery query(world);
  const Summary sum = summarize(world, [&](const auto& q) { return query.check(q, 0.02).verdict; });
  EXPECT_EQ(sum.free, 14400);
  EXPECT_EQ(sum.undecided, 0);
  EXPECT_EQ(sum.fingerprint, 14999441148832494701u);
}

}  // namespace
}  // namespace keepclear
