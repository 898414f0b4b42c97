// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "shape/mesh.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

using test::bytes_of;
using test::error_of;
using test::expect_refused;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Mesh ply(const std::string& text) {
  return parse_ply_mesh(bytes_of(text), "x.ply");
}

/// Four corners of a tetrahedron; `more` continues the header.
std::string head(const std::string& more, const std::string& type = "double") {
  return "ply\nformat ascii 1.0\nelement vertex 4\nproperty " + type + " x\nproperty " + type +
         " y\nproperty " + type + " z\n" + more + "end_header\n";
}
const std::string kPoints = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
const std::string kList = "property list int int vertex_indices\n";

std::string faces(const std::string& lines, int count) {
  return head("element face " + std::to_string(count) + "\n" + kList) + kPoints + lines;
}
std::string strips(const std::string& lines, int count = 1) {
  return head("element tristrips " + std::to_string(count) + "\n" + kList) + kPoints + lines;
}

TEST(PlyMesh, AStripTurnsEverySecondTriangle) {
  EXPECT_EQ(ply(strips("4 0 1 2 3\n")).triangles, (Triangles{{0, 1, 2}, {2, 1, 3}}));
}

TEST(PlyMesh, MinusOneBeginsAStripAnew) {
  const Triangles two = {{0, 1, 2}, {1, 2, 3}};
  for (const char* line : {"7 0 1 2 -1 1 2 3\n", "8 0 1 2 -1 -1 1 2 3\n", "8 0 1 2 -1 1 2 3 -1\n",
                           "8 -1 0 1 2 -1 1 2 3\n"}) {
    EXPECT_EQ(ply(strips(line)).triangles, two) << line;
  }
  EXPECT_EQ(ply(strips("3 0 1 2\n0\n1 -1\n3 1 2 3\n", 4)).triangles, two);
}

TEST(PlyMesh, CornersOfAFaceOfOneOrTwoAreNotLost) {
  EXPECT_EQ(ply(faces("3 0 1 2\n2 0 3\n", 2)).triangles, (Triangles{{0, 1, 2}, {0, 3, 3}}));
  EXPECT_EQ(ply(faces("3 0 1 2\n1 3\n", 2)).triangles, (Triangles{{0, 1, 2}, {3, 3, 3}}));
  EXPECT_EQ(ply(faces("3 0 1 2\n0\n", 2)).triangles, (Triangles{{0, 1, 2}}));
  EXPECT_EQ(ply(strips("6 0 1 2 -1 0 3\n")).triangles, (Triangles{{0, 1, 2}, {0, 3, 3}}));
}

TEST(PlyMesh, KeepsDoublePrecision) {
  const Mesh mesh =
      ply(head("element face 1\n" + kList) + "0.1 0 0\n1.00000000001 0 0\n0 1 0\n0 0 1\n3 0 1 2\n");
  EXPECT_EQ(mesh.vertices[0].x, 0.1);
  EXPECT_EQ(mesh.vertices[1].x, 1.00000000001);
  EXPECT_LT(mesh.vertex_error, 1e-15);
  EXPECT_GT(mesh.vertex_error, 0);
}

TEST(PlyMesh, TakesAllTrianglesOfAFaceThatIsNotFlat) {
  EXPECT_EQ(ply(faces("4 0 1 2 3\n", 1)).triangles.size(), 4U);
}

TEST(PlyMesh, RefusesIndicesThatNameNoVertexWithTheLine) {
  for (const char* line :
       {"3 0 1 4\n", "3 0 -1 2\n", "3 0 1 2147483647\n", "3 -2147483648 1 2\n"}) {
    expect_refused([&] { ply(faces(line, 1)); }, "face 1 of 1: no vertex", 14);
  }
  for (const char* line : {"4 0 1 2 4\n", "4 0 1 2 -2\n"}) {
    expect_refused([&] { ply(strips(line)); }, "tristrips 1 of 1: no vertex", 14);
  }
  // All bits set, without a sign, is no end of a strip.
  expect_refused(
      [] {
        ply(head("element tristrips 1\nproperty list int uint vertex_indices\n") + kPoints +
            "4 0 1 2 4294967295\n");
      },
      "no vertex 4294967295", 14);
}

TEST(PlyMesh, RefusesVerticesThatAreNotFiniteAlsoWhereNoFaceUsesThem) {
  for (const char* bad : {"nan 0 0", "0 inf 0", "0 0 -inf"}) {
    expect_refused(
        [&] {
          ply(head("element face 1\n" + kList) + "0 0 0\n1 0 0\n0 1 0\n" + bad + "\n3 0 1 2\n");
        },
        "vertex 4 is not finite", 13);
  }
}

TEST(PlyMesh, RefusesASurfaceThatItDoesNotKnow) {
  const std::string face = "element face 1\n" + kList;
  const std::string good = kPoints + "3 0 1 2\n";
  // A list of corners in an element of another name would be triangles that are passed over.
  expect_refused([&] { ply(head(face + "element trifans 1\n" + kList) + good + "3 1 2 3\n"); },
                 "no known kind of surface", 9);
  expect_refused([&] { ply(head("element face 1\nproperty list int int vertices\n") + good); },
                 "the list 'vertices'", 7);
  expect_refused(
      [&] {
        ply(head(face + "property list int int vertex_index\n") + kPoints + "3 0 1 2 3 0 1 3\n");
      },
      "two lists", 7);
  expect_refused(
      [&] { ply(head("element face 1\nproperty list int float vertex_indices\n") + good); },
      "no list of whole numbers", 7);
  expect_refused(
      [&] { ply(head("element face 1\nproperty int vertex_indices\n") + kPoints + "3\n"); },
      "no list of whole numbers", 7);
  // Where there are none of them, they are nothing.
  EXPECT_EQ(ply(head(face + "element trifans 0\n" + kList) + good).triangles.size(), 1U);
}

TEST(PlyMesh, RefusesWhatIsCutShortOrLeftOver) {
  const std::string whole = faces("3 0 1 2\n3 1 2 3\n", 2);
  EXPECT_EQ(ply(whole).triangles.size(), 2U);
  // Up to the last digit; the last line end may be missing.
  for (std::size_t size = 0; size < whole.size() - 2; ++size) {
    EXPECT_THROW(ply(whole.substr(0, size)), Error) << size;
  }
  expect_refused([&] { ply(whole + "3 0 1 2\n"); }, "more data than the header announces", 16);
  EXPECT_THROW(ply(head("element face 0\n" + kList) + kPoints), Error);
  EXPECT_THROW(ply(head("") + kPoints), Error);
}

TEST(PlyMesh, RefusesCountsBeforeTakingMemoryForThem) {
  std::string huge = faces("3 0 1 2\n", 1);
  huge.replace(huge.find("face 1"), 6, "face 4000000000");
  expect_refused([&] { ply(huge); }, "the file has room for", 7);
  huge = faces("3 0 1 2\n", 1);
  huge.replace(huge.find("vertex 4"), 8, "vertex 18446744073709551615");
  EXPECT_EQ(error_of([&] { ply(huge); }).kind(), Error::Kind::malformed);
}

}  // namespace
}  // namespace keepclear
