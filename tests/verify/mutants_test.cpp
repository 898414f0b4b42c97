// SPDX-License-Identifier: BSD-3-Clause
//
// Changed certificates: refused, or true all the same. More of them: campaigns/mutants.cpp.
#include "verify/mutants.hpp"

#include <gtest/gtest.h>

namespace keepclear::test {
namespace {

TEST(Mutants, AreRefusedOrTrue) {
  MutantTally tally;
  std::mt19937_64 random(1);
  std::map<std::string, int> kinds;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const std::string text = SmallCertificates::text(number);
    if (text.empty() || text.size() > 15'000) continue;
    const std::string kind = SmallCertificates::kKinds[number % SmallCertificates::kKinds.size()];
    const Ruling ruling = check_certificate(text);
    ASSERT_TRUE(ruling.valid()) << number << " " << ruling.text();
    ++kinds[kind];
    judge_mutants(kind + " " + std::to_string(number), text, 60, 25, random, tally);
  }
  tally.print();
  EXPECT_TRUE(tally.wrong.empty());
  EXPECT_EQ(kinds.size(), SmallCertificates::kKinds.size());
  const MutantTally::Kind all = tally.all();
  EXPECT_EQ(2 * all.seal, all.tried);
  // The proof is what catches most of those that are well formed.
  EXPECT_GT(all.proof, all.tried / 20);
}

/// The judge of the test above is one: it sees what is false.
TEST(Mutants, TheJudgeSeesWhatIsFalse) {
  std::size_t seen = 0, tried = 0;
  std::mt19937_64 random(1);
  for (std::uint64_t number = 0; number < 48; number += 6) {
    const std::string text = SmallCertificates::text(number);
    if (text.empty()) continue;
    // Two centimetres more than there are.
    const std::size_t at = text.find("\nclearance ") + 11;
    const std::string claimed = text.substr(at, text.find('\n', at) - at);
    const Statement::Seen real = Statement(text).worst(random, 600);
    char more[40];
    std::snprintf(more, sizeof more, "%a",
                  std::strtod(claimed.c_str(), nullptr) + real.beyond + 0.02);
    std::string wrong = text;
    wrong.replace(at, claimed.size(), more);
    ++tried;
    seen += Statement(wrong).worst(random, 600).beyond < 0;
    EXPECT_FALSE(check_certificate(resealed(wrong)).valid());
  }
  EXPECT_GT(tried, 3u);
  EXPECT_EQ(seen, tried);
}

}  // namespace
}  // namespace keepclear::test
