// SPDX-License-Identifier: BSD-3-Clause
#include "robot/xml.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tinyxml2.h>
#include <unistd.h>

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <random>

#include "keepclear/error.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

std::string refusal(const std::string& text) {
  try {
    xml::check(text, "x");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string repeated(const std::string& what, std::size_t times) {
  std::string text;
  text.reserve(what.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += what;
  return text;
}

TEST(XmlCheck, NamesLineAndColumn) {
  EXPECT_EQ(refusal("<a>\n  <b></c>\n</a>"), "x:2: column 6: </c> closes <b> of line 2");
}

TEST(XmlCheck, TwoHundredThousandLevelsAreTooDeep) {
  EXPECT_TRUE(contains(refusal(repeated("<a>", 200'000)), "nesting too deep"));
  EXPECT_TRUE(
      contains(refusal(repeated("<a>", 200'000) + repeated("</a>", 200'000)), "nesting too deep"));
}

TEST(XmlCheck, TheDeepestLevelAllowedIsAlsoReadByTinyxml) {
  const auto deep = repeated("<a>", kMaxXmlDepth) + repeated("</a>", kMaxXmlDepth);
  tinyxml2::XMLDocument document;
  EXPECT_NO_THROW(xml::parse(deep, "x", document));
  EXPECT_TRUE(contains(refusal("<b>" + deep + "</b>"), "more than 64 levels"));
}

TEST(XmlCheck, TagsInsideCommentsDataAndQuotesAreNoTags) {
  EXPECT_EQ(refusal("<a b='>' c=\"/>\"><!-- <x> \" --><![CDATA[<y>]]></a>"), "accepted");
}

TEST(XmlCheck, TenMegabytesInOneAttributeAreTooLong) {
  EXPECT_TRUE(contains(refusal("<a b=\"" + std::string(10 << 20, 'x') + "\"/>"), "longer than"));
  EXPECT_TRUE(contains(refusal("<a " + std::string(10 << 20, 'x') + "=\"1\"/>"), "a name longer"));
}

TEST(XmlCheck, TooManyElementsOrAttributesAreRefusedByTheirLimit) {
  EXPECT_TRUE(contains(refusal("<r>" + repeated("<a/>", 2'100'000) + "</r>"), "too much XML"));
  std::string attributes;
  for (int i = 0; i < 65; ++i) attributes += " a" + std::to_string(i) + "=''";
  EXPECT_TRUE(contains(refusal("<r" + attributes + "/>"), "more than 64 attributes"));
}

TEST(XmlCheck, MoreBytesThanTheLimitAreNotLookedAt) {
  EXPECT_TRUE(contains(refusal(std::string(kMaxXmlBytes + 1, ' ')), "the limit is 64 MiB"));
}

TEST(XmlCheck, ALongRowOfBracketsEndsInLinearTime) {
  EXPECT_NE(refusal(std::string(1 << 20, '<')), "accepted");
  EXPECT_NE(refusal(repeated("<!--", 1 << 18)), "accepted");
  EXPECT_NE(refusal("<a>" + repeated("&", 1 << 20) + "</a>"), "accepted");
}

TEST(XmlReadFile, RefusesPipesFoldersAndWhatIsNotThere) {
  const auto pipe =
      std::filesystem::temp_directory_path() / ("keepclear_fifo_" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& file :
       {pipe, std::filesystem::path("/"), std::filesystem::path("/dev/zero"),
        std::filesystem::path("no_such_file.urdf")}) {
    try {
      xml::read_file(file);
      ADD_FAILURE() << file;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::missing) << error.what();
    }
  }
  std::filesystem::remove(pipe);
}

TEST(XmlNumber, IsDecimalFiniteAndWhole) {
  EXPECT_EQ(xml::to_number("1.5"), 1.5);
  EXPECT_EQ(xml::to_number(" \t-2.5e-3\n"), -2.5e-3);
  EXPECT_EQ(xml::to_number("+3"), 3.0);
  EXPECT_EQ(xml::to_number(".5"), 0.5);
  EXPECT_EQ(xml::to_number("5."), 5.0);
  for (const auto* bad : {"",    " ",    "nan",   "NaN",    "inf", "-INF", "infinity",    "1.0abc",
                          "1,5", "0x10", "1e999", "-1e999", "1e",  "--1",  "+-1",         "++1",
                          "+",   "-",    ".",     "1 2",    "1_0", "1'0",  "\xEF\xBC\x91"}) {
    EXPECT_FALSE(xml::to_number(bad)) << bad;
  }
}

TEST(XmlNumber, ReadsBackEveryDoubleExactly) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const auto bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    ASSERT_EQ(xml::to_number(text), value) << text;
  }
}

/// A decimal comma for everything that asks C++'s locale.
struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(XmlNumber, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const auto old = std::locale::global(std::locale(std::locale(), new Comma));
  // Also C's, where the machine has one with a comma or can make one.
  const auto folder =
      std::filesystem::temp_directory_path() / ("keepclear_locale_" + std::to_string(::getpid()));
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8")) {
    std::filesystem::create_directories(folder);
    const auto command =
        "localedef -i de_DE -f UTF-8 " + (folder / "de_DE.UTF-8").string() + " >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) {
      ::setenv("LOCPATH", folder.c_str(), 1);
      EXPECT_TRUE(std::setlocale(LC_ALL, "de_DE.UTF-8"));
      ::unsetenv("LOCPATH");
    }
  }
  std::printf("C's decimal sign here: %s\n", std::localeconv()->decimal_point);
  EXPECT_EQ(xml::to_number("1234.5"), 1234.5);
  EXPECT_FALSE(xml::to_number("1,5"));
  EXPECT_FALSE(xml::to_number("1.234,5"));
  const auto robot = parse_urdf(
      "<robot name='r'><link name='a'><collision><geometry><sphere radius='1234.5'/></geometry>"
      "</collision></link></robot>",
      "r", {}, {});
  EXPECT_EQ(robot.links[0].collisions[0].geometry.radius, 1234.5);
  EXPECT_EQ(robot.notes.at(0), "line 1: 'radius' of <sphere> is 1234.5 m: are these millimetres?");
  std::locale::global(old);
  std::setlocale(LC_ALL, before.c_str());
  std::filesystem::remove_all(folder);
}

TEST(EditDistance, CountsSwapsAsOne) {
  EXPECT_EQ(xml::edit_distance("lnik", "link"), 1u);
  EXPECT_EQ(xml::edit_distance("colision", "collision"), 1u);
  EXPECT_EQ(xml::edit_distance("", "abc"), 3u);
  EXPECT_EQ(xml::edit_distance("same", "same"), 0u);
  EXPECT_GT(xml::edit_distance(std::string(100, 'a'), "a"), 100u);
}

}  // namespace
}  // namespace keepclear
