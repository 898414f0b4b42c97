// SPDX-License-Identifier: BSD-3-Clause
//
// Words of certificates: exact, and in one form alone.
#include "proof/certificate_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

namespace keepclear {
namespace {

std::string number(double value) {
  CertificateText text;
  text.line("x").number(value);
  return std::move(text).taken().substr(2);
}

std::string name(const std::string& of) {
  CertificateText text;
  text.line("x").name(of);
  return std::move(text).taken().substr(2);
}

TEST(CertificateText, NumbersAreAsPrintfWritesThem) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(number(0.0), "0x0p+0");
  EXPECT_EQ(number(-0.0), "0x0p+0");
  EXPECT_EQ(number(1.0), "0x1p+0");
  EXPECT_EQ(number(-0.1875), "-0x1.8p-3");
  EXPECT_EQ(number(Limits::infinity()), "inf");
  EXPECT_EQ(number(-Limits::infinity()), "-inf");
  EXPECT_EQ(number(Limits::max()), "0x1.fffffffffffffp+1023");
  EXPECT_EQ(number(Limits::min()), "0x1p-1022");
  EXPECT_EQ(number(Limits::denorm_min()), "0x0.0000000000001p-1022");
}

TEST(CertificateText, NumbersReadBackAsTheSameBits) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200'000; ++k) {
    std::uint64_t bits = random();
    // Subnormals, and few digits, oftener than chance has them.
    if (k % 5 == 0) bits &= 0x800fffffffffffffu;
    if (k % 3 == 0) bits &= ~((std::uint64_t{1} << (random() % 52)) - 1);
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    const std::string text = number(value);
    const double back = std::strtod(text.c_str(), nullptr);
    if (value == 0) {
      ASSERT_EQ(text, "0x0p+0");
      continue;
    }
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back), bits) << text;
    char printed[64];
    std::snprintf(printed, sizeof printed, "%a", value);
    ASSERT_EQ(text, printed);
  }
}

TEST(CertificateText, NamesHaveOneFormAndAreTold) {
  EXPECT_EQ(name(""), "%");
  EXPECT_EQ(name("left/arm_1"), "left/arm_1");
  EXPECT_EQ(name("two words"), "two%20words");
  EXPECT_EQ(name("50%"), "50%25");
  EXPECT_EQ(name("\n\x7f\xc3\xa4~!"), "%0A%7F%C3%A4~!");
}

TEST(CertificateText, LinesHaveOneSpaceBetweenWordsAndTheSealIsTheirHash) {
  CertificateText text;
  text.line("a").word("b").index(7).whole(-3);
  CertificateText more;
  more.line("c");
  text.append(more).append(CertificateText{});
  EXPECT_EQ(text.lines(), 2u);
  const std::string sealed = std::move(text).sealed();
  const std::string lines = "a b 7 -3\nc\n";
  EXPECT_EQ(sealed, lines + "end " + sha256_of(lines) + "\n");
}

TEST(CertificateText, HashIsSha256) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace keepclear
