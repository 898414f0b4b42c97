// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clocale>
#include <cstring>
#include <limits>

#include "shape/mesh.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

using test::bytes_of;
using test::expect_refused;

/// A binary file of facets with corners (i, 0.1f, 2).
std::string binary(std::uint32_t announced, std::uint32_t facets, const char* header = "made") {
  std::string text(80, ' ');
  text.replace(0, std::strlen(header), header);
  const auto put = [&](const void* value) { text.append(static_cast<const char*>(value), 4); };
  put(&announced);
  for (std::uint32_t i = 0; i < facets; ++i) {
    text.append(12, '\0');
    for (int corner = 0; corner < 3; ++corner) {
      const float x = static_cast<float>(i), y = 0.1F, z = static_cast<float>(corner);
      put(&x);
      put(&y);
      put(&z);
    }
    text.append(2, '\0');
  }
  return text;
}

std::string ascii(const std::string& vertex) {
  return "solid a b\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex " + vertex +
         "\n   vertex 0 1 0\n  endloop\n endfacet\nendsolid a b\n";
}

TEST(StlReader, KeepsTheFloatsOfABinaryFileBitForBit) {
  const Mesh mesh = parse_stl(bytes_of(binary(2, 2)), "x");
  ASSERT_EQ(mesh.vertices.size(), 6U);
  EXPECT_EQ(mesh.vertices[5], (Vec3{1, static_cast<double>(0.1F), 2}));
  EXPECT_EQ(mesh.vertex_error, 0);
}

TEST(StlReader, TakesABinaryFileThatBeginsWithSolid) {
  EXPECT_EQ(parse_stl(bytes_of(binary(3, 3, "solid part")), "x").triangles.size(), 3U);
}

TEST(StlReader, RefusesACountLargerThanTheFile) {
  expect_refused([] { parse_stl(bytes_of(binary(4294967295U, 2)), "x"); }, "4294967295 facets", 0);
  expect_refused([] { parse_stl(bytes_of(binary(3, 2)), "x"); }, "the file holds 2", 0);
}

TEST(StlReader, RefusesDataForFacetsThatTheCountLeavesOut) {
  expect_refused([] { parse_stl(bytes_of(binary(1, 2)), "x"); }, "data for 2", 0);
}

TEST(StlReader, TakesPaddingTooShortForAFacet) {
  EXPECT_EQ(parse_stl(bytes_of(binary(2, 2) + std::string(49, 'x')), "x").triangles.size(), 2U);
}

TEST(StlReader, RefusesAFileWithoutFacets) {
  expect_refused([] { parse_stl(bytes_of(binary(0, 0)), "x"); }, "no facets", 0);
  expect_refused([] { parse_stl(bytes_of("solid\nendsolid\n"), "x"); }, "no facets", 0);
  expect_refused([] { parse_stl({}, "x"); }, "too short", 0);
}

TEST(StlReader, NamesTheFacetAndVertexThatIsNotFinite) {
  std::string text = binary(3, 3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(text.data() + 84 + 50 + 12 + 24, &nan, 4);
  expect_refused([&] { parse_stl(bytes_of(text), "x"); }, "facet 2 of 3: vertex 3", 0);
  expect_refused([] { parse_stl(bytes_of(ascii("1 inf 0")), "x"); }, "facet 1, vertex 2", 5);
}

TEST(StlReader, RefusesWordsThatAreNotNumbers) {
  for (const char* bad : {"1.0abc 0 0", "1,5 0 0", "0x10 0 0", "1e999 0 0", "nan 0 0", "--1 0 0"}) {
    expect_refused([&] { parse_stl(bytes_of(ascii(bad)), "x"); }, "not a finite number", 5);
  }
}

TEST(StlReader, ReadsAsciiToTheNearestDoubleAndSaysHowFarThatMayBeOff) {
  const Mesh mesh = parse_stl(bytes_of(ascii("+0.1 -2.5e-3 1E2")), "x");
  EXPECT_EQ(mesh.vertices[1], (Vec3{0.1, -2.5e-3, 100}));
  EXPECT_GE(mesh.vertex_error, 100 * 0x1p-53);
  EXPECT_LE(mesh.vertex_error, 101 * 0x1p-53);
}

TEST(StlReader, DoesNotMindTheLocale) {
  const char* const before = std::setlocale(LC_NUMERIC, nullptr);
  const std::string saved = before ? before : "C";
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, name)) break;
  }
  EXPECT_EQ(parse_stl(bytes_of(ascii("1.5 0 0")), "x").vertices[1].x, 1.5);
  std::setlocale(LC_NUMERIC, saved.c_str());
}

TEST(StlReader, TakesSeveralSolidsCarriageReturnsAndAnyCase) {
  std::string text = ascii("1 0 0") + ascii("2 0 0");
  for (std::size_t i = text.find('\n'); i != std::string::npos; i = text.find('\n', i + 2)) {
    text.insert(i, "\r");
  }
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(parse_stl(bytes_of(text), "x").triangles.size(), 2U);
}

TEST(StlReader, RefusesEveryPrefixOfAnAsciiFile) {
  const std::string text = ascii("1 0 0");
  // Up to the end of "endsolid": the name behind it may be cut, as it may be absent.
  for (std::size_t n = 0; n < text.size() - 6; ++n) {
    EXPECT_THROW(parse_stl(bytes_of(text.substr(0, n)), "x"), Error) << n;
  }
}

TEST(StlReader, RefusesEveryPrefixOfABinaryFile) {
  const std::string text = binary(3, 3, "solid");
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_THROW(parse_stl(bytes_of(text.substr(0, n)), "x"), Error) << n;
  }
}

TEST(StlReader, RefusesALoopOfFour) {
  std::string text = ascii("1 0 0");
  text.insert(text.find("  endloop"), "   vertex 1 1 1\n");
  expect_refused([&] { parse_stl(bytes_of(text), "x"); }, "expected 'endloop'", 7);
}

}  // namespace
}  // namespace keepclear
