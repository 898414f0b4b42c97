// SPDX-License-Identifier: BSD-3-Clause
//
// The refusals stand in corpus/scene/reject; scene_file_test.cpp goes through them.
#include <gtest/gtest.h>

#include <cmath>

#include "keepclear/error.hpp"
#include "keepclear/scene.hpp"
#include "scene/scene_file.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

Scene corpus(const char* file) {
  return read_scene(fs::path(KEEPCLEAR_CORPUS) / "scene/ok" / file);
}

/// One object with the given pose lines that holds a sphere with the given ones.
Origin placed(const std::string& object_pose, const std::string& shape_pose) {
  return parse_moveit_scene(
             "s\n* a\n" + object_pose + "\n1\nsphere\n1\n" + shape_pose + "\n0 0 0 0\n0\n.\n",
             "a.scene")
      .objects.at(0)
      .pose;
}

TEST(MoveitScene, TheOldFormatHasShapesWithPosesInTheWorld) {
  const auto scene = corpus("old.scene");
  EXPECT_EQ(scene.name, "(noname)");
  ASSERT_EQ(scene.objects.size(), 3u);
  const auto& box = scene.objects[0];
  EXPECT_EQ(box.name, "Box_0");
  EXPECT_EQ(box.shape.kind, Shape::Kind::box);
  EXPECT_EQ(box.shape.size, (Vec3{0.2, 0.5, 0.8}));
  EXPECT_EQ(box.pose.xyz, (Vec3{-0.5, 0.3, 0.4}));
  ASSERT_TRUE(box.pose.quaternion);
  EXPECT_EQ(*box.pose.quaternion, (Quaternion{0, 0, std::sqrt(0.5), std::sqrt(0.5)}));
  EXPECT_EQ(box.place, "line 4");
  EXPECT_EQ(scene.objects[1].name, "two parts#0");
  EXPECT_EQ(scene.objects[1].shape.kind, Shape::Kind::cylinder);
  EXPECT_EQ(scene.objects[1].shape.radius, 0.05);
  EXPECT_EQ(scene.objects[1].shape.length, 0.3);
  EXPECT_EQ(scene.objects[2].name, "two parts#1");
  EXPECT_EQ(scene.objects[2].shape.kind, Shape::Kind::sphere);
  EXPECT_EQ(scene.objects[2].pose, (Origin{{0, 0, 0.35}, {}, {}}));
}

TEST(MoveitScene, TheNewFormatHasShapesWithPosesInTheObject) {
  const auto scene = corpus("new.scene");
  ASSERT_EQ(scene.objects.size(), 3u);
  const auto& cone = scene.objects[0];
  EXPECT_EQ(cone.name, "Cone_0");
  EXPECT_EQ(cone.shape.kind, Shape::Kind::cone);
  // A quarter turn about z takes (1, 0, 0.5) to (0, 1, 0.5).
  EXPECT_NEAR(cone.pose.xyz.x, 1, 1e-15);
  EXPECT_NEAR(cone.pose.xyz.y, 3, 1e-15);
  EXPECT_EQ(cone.pose.xyz.z, 0.5);
  const auto& mesh = scene.objects[2];
  EXPECT_EQ(mesh.name, "sheet#1");
  EXPECT_EQ(mesh.shape.kind, Shape::Kind::mesh);
  EXPECT_TRUE(mesh.shape.file.empty());
  EXPECT_EQ(scene.notes.size(), 2u) << "an object without shapes, and a plane";
}

TEST(MoveitScene, AMeshKeepsTheVerticesThatItsTrianglesUse) {
  const auto scene = corpus("new.scene");
  const auto& shape = scene.objects[2].shape;
  EXPECT_EQ(shape.points, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, -0.2}}));
  EXPECT_EQ(shape.triangles, (std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(MoveitScene, AHalfSpaceContainsThePlaneItStandsFor) {
  const auto plane = [](const std::string& numbers) {
    return parse_moveit_scene("s\n* a\n1\nplane\n" + numbers + "\n0 0 0\n0 0 0 1\n0 0 0 0\n.\n",
                              "a")
        .objects.at(0)
        .shape;
  };
  EXPECT_EQ(plane("0 0 1 0.25").offset, -0.25);
  EXPECT_EQ(plane("0 -1 0 0").offset, 0);
  // 2 z + 1 = 0, and 3 x + 4 y - 1 = 0: at least -d / |n|, by a rounding error at most.
  EXPECT_GE(plane("0 0 2 1").offset, -0.5);
  EXPECT_NEAR(plane("0 0 2 1").offset, -0.5, 1e-15);
  EXPECT_GE(plane("3 4 0 -1").offset, 0.2);
  EXPECT_NEAR(plane("3 4 0 -1").offset, 0.2, 1e-15);
  EXPECT_EQ(plane("3 4 0 -1").normal, (Vec3{3, 4, 0}));
}

TEST(MoveitScene, PosesAreComposedAsMatricesAre) {
  const auto q = [](double x, double y, double z, double w) {
    return rotation_from_quaternion(x, y, z, w);
  };
  const auto got = placed("1 2 3\n0.5 0.5 0.5 0.5", "0.1 -0.2 0.3\n0.6 0 0 0.8");
  const Pose expected =
      Pose{q(0.5, 0.5, 0.5, 0.5), {1, 2, 3}} * Pose{q(0.6, 0, 0, 0.8), {0.1, -0.2, 0.3}};
  ASSERT_TRUE(got.quaternion);
  const auto R = q(got.quaternion->x, got.quaternion->y, got.quaternion->z, got.quaternion->w);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(got.xyz[i], expected.p[i], 1e-15);
    EXPECT_NEAR(R.row0[i], expected.R.row0[i], 1e-15);
    EXPECT_NEAR(R.row1[i], expected.R.row1[i], 1e-15);
    EXPECT_NEAR(R.row2[i], expected.R.row2[i], 1e-15);
  }
}

TEST(MoveitScene, PosesWithoutARotationAreExact) {
  EXPECT_EQ(placed("0 0 0\n0 0 0 1", "0.1 0.2 0.3\n0 0 0 1"), (Origin{{0.1, 0.2, 0.3}, {}, {}}));
  EXPECT_EQ(placed("0.1 0.2 0.3\n0 0 0 -1", "0 0 0\n0 0 0 1"), (Origin{{0.1, 0.2, 0.3}, {}, {}}));
}

TEST(MoveitScene, QuaternionsOfSixDigitsAreTakenAndNormalised) {
  // The worst that rounding to six digits does, and more than that.
  const auto pose = placed("0 0 0\n0 0 0 1", "0 0 0\n0.500001 0.5 0.5 0.500001");
  ASSERT_TRUE(pose.quaternion);
  const auto& [x, y, z, w] = *pose.quaternion;
  EXPECT_NEAR(x * x + y * y + z * z + w * w, 1, 4e-16);
  EXPECT_THROW(placed("0 0 0\n0 0 0 1", "0 0 0\n0 0 0.7071 0.7071"), Error);
}

TEST(MoveitScene, WindowsLineEndsAndBlankLinesAreFine) {
  const auto scene = parse_moveit_scene(
      "\xEF\xBB\xBFname\r\n* a\r\n\r\n1\r\nsphere\r\n1\r\n0 0 0\r\n0 0 0 1\r\n\r\n0 0 0 "
      "0\r\n.\r\n\r\n",
      "a");
  EXPECT_EQ(scene.name, "name");
  ASSERT_EQ(scene.objects.size(), 1u);
  EXPECT_EQ(scene.objects[0].name, "a");
  EXPECT_EQ(scene.objects[0].place, "line 5");
}

TEST(MoveitScene, AProductOfPosesBeyondTheLimitIsRefused) {
  EXPECT_THROW(placed("900000 0 0\n0 0 0 1", "900000 0 0\n0 0 0 1"), Error);
}

TEST(MoveitScene, ASceneWithoutObjectsIsRead) {
  EXPECT_TRUE(parse_moveit_scene("(noname)\n.\n", "a").objects.empty());
}

}  // namespace
}  // namespace keepclear
