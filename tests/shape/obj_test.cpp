// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "shape/mesh.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

using test::bytes_of;
using test::expect_refused;

const std::string kThree = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

Mesh obj(const std::string& text) {
  return parse_obj(bytes_of(text), "x");
}

TEST(ObjReader, TakesEveryWayToWriteACorner) {
  for (const char* face : {"f 1 2 3", "f 1/7 2/8 3/9", "f 1//7 2//8 3//9", "f 1/1/1 2/2/2 3/3/3",
                           "f -3 -2 -1", "  f\t1 2\t3  # all", "f 1 \\\n2 \\\n3"}) {
    const Mesh mesh = obj(kThree + face);
    ASSERT_EQ(mesh.triangles.size(), 1U) << face;
    EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{0, 1, 2})) << face;
  }
}

TEST(ObjReader, CutsPolygonsIntoAFan) {
  const Mesh mesh = obj(kThree + "v 1 1 0\nv 2 2 0\nf 1 2 3 4 5\n");
  ASSERT_EQ(mesh.triangles.size(), 3U);
  EXPECT_EQ(mesh.triangles[2], (std::array<std::uint32_t, 3>{0, 3, 4}));
}

TEST(ObjReader, TakesAllTrianglesOfAFaceThatIsNotFlat) {
  // Either diagonal may be meant.
  const Mesh mesh = obj("v 0 0 0\nv 1 0 0\nv 1 1 1\nv 0 1 0\nf 1 2 3 4\n");
  EXPECT_EQ(mesh.triangles.size(), 4U);
  // A little of it is in the error of the vertices.
  const Mesh nearly = obj("v 0 0 0\nv 1 0 0\nv 1 1 1e-7\nv 0 1 0\nf 1 2 3 4\n");
  EXPECT_EQ(nearly.triangles.size(), 2U);
  EXPECT_GT(nearly.vertex_error, 5e-8);
  EXPECT_LT(nearly.vertex_error, 5e-7);
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "v " + std::to_string(i) + " " + std::to_string(i * i) + " " +
            std::to_string(i * i * i) + "\n";
  text += "f";
  for (int i = 1; i <= 40; ++i) text += " " + std::to_string(i);
  EXPECT_THROW(obj(text + "\n"), Error);
}

TEST(ObjReader, NegativeIndicesCountFromTheLastVertexSoFar) {
  const Mesh mesh = obj(kThree + "f -1 -2 -3\nv 5 5 5\nf -1 -2 -3\n");
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{2, 1, 0}));
  EXPECT_EQ(mesh.triangles[1], (std::array<std::uint32_t, 3>{3, 2, 1}));
}

TEST(ObjReader, RefusesIndicesThatNameNoVertexWithTheLine) {
  for (const char* face : {"f 0 1 2", "f 1 2 4", "f 1 2 -4", "f 1 2 4294967297"}) {
    expect_refused([&] { obj(kThree + face); }, "no such vertex", 4);
  }
}

TEST(ObjReader, RefusesCornersThatAreNoIndices) {
  for (const char* face : {"f 1 2 x", "f 1 2 3/", "f 1 2 3//", "f 1 2 3/1/", "f 1 2 3/a/1",
                           "f 1 2 3.0", "f 1 2 /1", "f 1 2 3/1/1/1"}) {
    expect_refused([&] { obj(kThree + face); }, "is not v", 4);
  }
}

TEST(ObjReader, RefusesFacesOfTwo) {
  expect_refused([] { obj(kThree + "\n\nf 1 2\n"); }, "a face of 2", 6);
}

TEST(ObjReader, CountsJoinedLines) {
  expect_refused([] { obj(kThree + "f 1 \\\n2 \\\n3\nf 1 2 9"); }, "no such vertex", 7);
}

TEST(ObjReader, LeavesOutVerticesThatNoFaceUses) {
  const Mesh mesh = obj("v 9 9 9\n" + kThree + "v 8 8 8\nf 2 3 4\nl 1 5\np 1\n");
  EXPECT_EQ(mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
}

TEST(ObjReader, TakesWeightOneAndColours) {
  EXPECT_EQ(obj("v 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1 0\nf 1 2 3").vertices.size(), 3U);
  expect_refused([] { obj("v 0 0 0 2\n"); }, "weight", 1);
  expect_refused([] { obj("v 0 0\n"); }, "2 numbers", 1);
  expect_refused([] { obj("v 0 0 0 1 1\n"); }, "5 numbers", 1);
}

TEST(ObjReader, RefusesNumbersThatAreNotFinite) {
  for (const char* bad : {"nan", "inf", "-inf", "1e999", "1,5", "1.0abc", "0x1"}) {
    expect_refused([&] { obj("\nv 0 0 " + std::string(bad) + "\n"); }, "vertex 1", 2);
  }
}

TEST(ObjReader, RefusesSurfacesThatItDoesNotKnow) {
  for (const char* keyword : {"surf", "curv", "cstype", "call", "csh", "F", "face", "trim"}) {
    expect_refused([&] { obj(kThree + "f 1 2 3\n" + keyword + " 1 2 3"); }, "not supported", 5);
  }
}

TEST(ObjReader, RefusesAPointCloud) {
  expect_refused([] { obj(kThree); }, "no faces", 3);
  EXPECT_THROW(obj(""), Error);
}

}  // namespace
}  // namespace keepclear
