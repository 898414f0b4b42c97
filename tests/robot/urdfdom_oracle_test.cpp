// SPDX-License-Identifier: BSD-3-Clause
//
// The same robots through urdfdom, which is right on files without faults.
#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <cmath>

#include "data.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

void expect_same(const urdf::Vector3& theirs, const Vec3& ours) {
  EXPECT_EQ(theirs.x, ours.x);
  EXPECT_EQ(theirs.y, ours.y);
  EXPECT_EQ(theirs.z, ours.z);
}

void expect_same(const urdf::Pose& theirs, const Origin& ours) {
  expect_same(theirs.position, ours.xyz);
  // urdfdom keeps a quaternion.
  const auto& q = theirs.rotation;
  const Mat3 a = rotation_from_quaternion(q.x, q.y, q.z, q.w);
  const Mat3 b = rotation_from_rpy(ours.rpy);
  for (const Vec3 unit : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
    EXPECT_LT(norm(a * unit - b * unit), 1e-12);
  }
}

void expect_same(const urdf::Geometry& theirs, const Geometry& ours) {
  switch (ours.kind) {
    case Geometry::Kind::box:
      ASSERT_EQ(theirs.type, urdf::Geometry::BOX);
      return expect_same(dynamic_cast<const urdf::Box&>(theirs).dim, ours.size);
    case Geometry::Kind::sphere:
      ASSERT_EQ(theirs.type, urdf::Geometry::SPHERE);
      EXPECT_EQ(dynamic_cast<const urdf::Sphere&>(theirs).radius, ours.radius);
      return;
    case Geometry::Kind::cylinder: {
      ASSERT_EQ(theirs.type, urdf::Geometry::CYLINDER);
      const auto& cylinder = dynamic_cast<const urdf::Cylinder&>(theirs);
      EXPECT_EQ(cylinder.radius, ours.radius);
      EXPECT_EQ(cylinder.length, ours.length);
      return;
    }
    case Geometry::Kind::cone:
      FAIL() << "a URDF has no cones";
    case Geometry::Kind::mesh: {
      ASSERT_EQ(theirs.type, urdf::Geometry::MESH);
      const auto& mesh = dynamic_cast<const urdf::Mesh&>(theirs);
      EXPECT_EQ(mesh.filename, ours.uri);
      return expect_same(mesh.scale, ours.scale);
    }
    case Geometry::Kind::capsule:
      FAIL() << "urdfdom knows no capsule";
  }
}

JointType type_of(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
      return JointType::revolute;
    case urdf::Joint::CONTINUOUS:
      return JointType::continuous;
    case urdf::Joint::PRISMATIC:
      return JointType::prismatic;
    case urdf::Joint::PLANAR:
      return JointType::planar;
    case urdf::Joint::FLOATING:
      return JointType::floating;
    default:
      return JointType::fixed;
  }
}

void expect_same(const urdf::Joint& theirs, const Joint& ours, const RobotModel& robot) {
  SCOPED_TRACE(ours.name);
  EXPECT_EQ(type_of(theirs), ours.type);
  EXPECT_EQ(theirs.parent_link_name, robot.links[ours.parent].name);
  EXPECT_EQ(theirs.child_link_name, robot.links[ours.child].name);
  expect_same(theirs.parent_to_joint_origin_transform, ours.origin);
  if (ours.type != JointType::fixed && ours.type != JointType::floating) {
    expect_same(theirs.axis, ours.axis);
  }
  if (ours.type == JointType::revolute || ours.type == JointType::prismatic) {
    ASSERT_TRUE(theirs.limits);
    EXPECT_EQ(theirs.limits->lower, ours.lower);
    EXPECT_EQ(theirs.limits->upper, ours.upper);
    EXPECT_EQ(theirs.limits->velocity, ours.velocity);
  } else {
    EXPECT_TRUE(std::isinf(ours.lower) && std::isinf(ours.upper));
  }
  // A fixed joint that mimics another is nothing: urdfdom keeps it, we do not.
  const bool theirs_mimics = theirs.mimic && ours.type != JointType::fixed;
  ASSERT_EQ(theirs_mimics, ours.mimic.has_value());
  if (ours.mimic) {
    EXPECT_EQ(theirs.mimic->joint_name, robot.joints[ours.mimic->joint].name);
    EXPECT_EQ(theirs.mimic->multiplier, ours.mimic->multiplier);
    EXPECT_EQ(theirs.mimic->offset, ours.mimic->offset);
  }
}

TEST(UrdfdomOracle, AgreesOnEveryPublicRobot) {
  KEEPCLEAR_NEEDS_DATA("robots");
  std::size_t robots = 0, collisions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "robots")) {
    if (entry.path().extension() != ".urdf") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const auto ours = read_urdf(entry.path(), {});
    const auto theirs = urdf::parseURDFFile(entry.path().string());
    ASSERT_TRUE(theirs);
    ++robots;
    EXPECT_EQ(theirs->getName(), ours.name);
    EXPECT_EQ(theirs->links_.size(), ours.links.size());
    EXPECT_EQ(theirs->joints_.size(), ours.joints.size());
    EXPECT_EQ(theirs->getRoot()->name, ours.links[ours.root].name);
    for (const auto& link : ours.links) {
      SCOPED_TRACE(link.name);
      const auto other = theirs->getLink(link.name);
      ASSERT_TRUE(other);
      ASSERT_EQ(other->collision_array.size(), link.collisions.size());
      EXPECT_EQ(other->child_joints.size(), link.child_joints.size());
      for (std::size_t i = 0; i < link.collisions.size(); ++i) {
        const auto& collision = *other->collision_array[i];
        EXPECT_EQ(collision.name, link.collisions[i].name);
        expect_same(collision.origin, link.collisions[i].origin);
        expect_same(*collision.geometry, link.collisions[i].geometry);
        ++collisions;
      }
    }
    for (const auto& joint : ours.joints) {
      const auto other = theirs->getJoint(joint.name);
      ASSERT_TRUE(other);
      expect_same(*other, joint, ours);
    }
  }
  EXPECT_GE(robots, 28u);
  EXPECT_GE(collisions, 811u);
}

}  // namespace
}  // namespace keepclear
