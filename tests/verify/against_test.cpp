// SPDX-License-Identifier: BSD-3-Clause
// --against: a certificate and the URDF it is of, and URDFs that are not.
#include "against.hpp"

#include <cstdlib>
#include <fstream>
#include <random>

#include "certificates.hpp"

namespace verify {
namespace {

const std::string kUrdf = R"(<robot name="r">
  <!-- <collision> in a comment, and <capsule radius="9" length="9"/> -->
  <link name="base"><collision><origin xyz="0 0 -0.5"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="arm">
    <collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><capsule length="1" radius="0.05"/></geometry></collision>
    <collision><origin xyz="1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="tip"><collision><geometry><mesh filename="package://pack/tip.stl" scale="2 2 2"/></geometry></collision></link>
  <link name="slider"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.1" rpy="0.3 0.2 0.1"/>
    <axis xyz="0 0 2"/><limit lower="-1" upper="2" velocity="1" effort="1"/></joint>
  <joint name="hold" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="1 0 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="tip"/><child link="slider"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/><mimic joint="turn" multiplier="0.5" offset="0.25"/></joint>
</robot>)";

// The tip is a tetrahedron of edges of 0.1.
const std::string kStl =
    "solid t\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 0.05 0\nvertex 0.05 0 "
    "0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 0.05 0 0\nvertex 0 0 "
    "0.05\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 0.05\nvertex 0 0.05 "
    "0\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 0.05 0 0\nvertex 0 0.05 0\nvertex 0 0 "
    "0.05\nendloop\nendfacet\n"
    "endsolid t\n";

const std::string kWorld =
    "number turn {-1 2}\n"
    "link base\n"
    "link arm 0 hinge {0 0 0.1} rpy {0.3 0.2 0.1} {0 0 1} 0\n"
    "link tip 1 fixed {1 0 0} rpy {0 0 0}\n"
    "link slider 2 slide {0 0 0} rpy {0 0 0} {1 0 0} 0 {0.5 0.25}\n"
    "link gripped 2 fixed {0 0 0} rpy {0 0 0}\n"
    "solid base link 0\nsolid arm link 1\nsolid tip link 2\n"
    "box 0 0 {0 0 -0.5} {0.1 0.1 0.1}\n"
    "hull 1 1 {0.05} {0 0 0} {1 0 0}\n"
    "hull 2 1 {0} {1 0 0} {1.1 0 0} {1 0.1 0} {1 0 0.1}\n"
    "margin {0}\nskip 0 1 given %\nskip 0 2 given %\nclearance {0}\nrange {-1 2}\n";

class Against : public testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "keepclear-against-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "pack" / "urdf");
    write("pack/tip.stl", kStl);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  /// What it says; the reason if the two differ.
  std::string compare(const std::string& urdf, const std::string& world = kWorld,
                      const std::string& prefix = "", const std::string& head_end = "") {
    write("pack/urdf/r.urdf", urdf);
    round_nearest();
    const std::string text = seal(head("box") + head_end + with_hex(world));
    round_upwards();
    Certificate c;
    try {
      c.check(text);
    } catch (const Invalid& e) {
      ADD_FAILURE() << e.line << ": " << e.why << ": " << e.record;
    }
    round_nearest();
    try {
      return against(c, prefix, folder_ / "pack/urdf/r.urdf", {});
    } catch (const Differs& e) {
      return "differs: " + e.why;
    } catch (const CannotTell& e) {
      return "cannot tell: " + e.why;
    }
  }
  void expect_differs(const std::string& from, const std::string& to, const std::string& why) {
    const std::string said = compare(replaced(kUrdf, from, to));
    EXPECT_TRUE(said.starts_with("differs: ") && said.find(why) != said.npos) << said;
  }

  std::filesystem::path folder_;
};

TEST_F(Against, ItsOwnUrdfAgrees) {
  const std::string said = compare(kUrdf);
  EXPECT_NE(said.find("4 links and 4 shapes (15 points)"), said.npos) << said;
  EXPECT_NE(said.find("not in it: link gripped"), said.npos) << said;
}

TEST_F(Against, WhatIsOtherInTheUrdfIsFound) {
  expect_differs("xyz=\"0 0 0.1\"", "xyz=\"0 0 0.1001\"", "arm: another origin");
  expect_differs("rpy=\"0.3 0.2 0.1\"", "rpy=\"0.3 0.2 0.1001\"", "arm: another origin");
  expect_differs("axis xyz=\"0 0 2\"", "axis xyz=\"0 0 -2\"", "arm: another axis");
  expect_differs("lower=\"-1\"", "lower=\"-1.1\"", "arm: other limits");
  expect_differs("upper=\"2\"", "upper=\"3\"", "arm: other limits");
  expect_differs("type=\"revolute\"", "type=\"continuous\"", "arm: other limits");
  expect_differs("type=\"revolute\"", "type=\"prismatic\"", "arm: another kind");
  expect_differs("multiplier=\"0.5\"", "multiplier=\"0.6\"",
                 "slider: its joint follows in another way");
  expect_differs("offset=\"0.25\"", "offset=\"0\"", "slider: its joint follows in another way");
  expect_differs("<mimic joint=\"turn\" multiplier=\"0.5\" offset=\"0.25\"/>", "",
                 "slider: its joint follows another");
  expect_differs("<parent link=\"tip\"/>", "<parent link=\"arm\"/>", "slider: another parent");
  expect_differs("<link name=\"slider\"/>",
                 "<link name=\"slider\"/><link name=\"more\"/><joint name=\"m\" type=\"fixed\">"
                 "<parent link=\"tip\"/><child link=\"more\"/></joint>",
                 "no link more");
}

TEST_F(Against, ShapesThatReachOutAreFound) {
  expect_differs("size=\"0.2 0.2 0.2\"", "size=\"0.2 0.2 0.201\"", "base: a shape reaches out");
  expect_differs("xyz=\"0 0 -0.5\"", "xyz=\"0 0 -0.501\"", "base: a shape reaches out");
  expect_differs("<sphere radius=\"0.05\"/>", "<sphere radius=\"0.051\"/>",
                 "arm: a shape reaches out");
  expect_differs("length=\"1\" radius=\"0.05\"", "length=\"1.01\" radius=\"0.05\"",
                 "arm: a shape reaches out");
  expect_differs("<capsule length=\"1\" radius=\"0.05\"/>",
                 "<cylinder length=\"1.3\" radius=\"0.05\"/>", "arm: a shape reaches out");
  expect_differs("scale=\"2 2 2\"", "scale=\"2 2 2.1\"", "tip: a shape reaches out");
  expect_differs("<link name=\"slider\"/>",
                 "<link name=\"slider\"><collision><geometry><sphere "
                 "radius=\"0.01\"/></geometry></collision></link>",
                 "slider: it has a shape in the URDF and no body");
  // A smaller one does not.
  EXPECT_TRUE(compare(replaced(kUrdf, "size=\"0.2 0.2 0.2\"", "size=\"0.1 0.2 0.2\""))
                  .find("as in the certificate") != std::string::npos);
  EXPECT_TRUE(compare(replaced(kUrdf, "<capsule length=\"1\" radius=\"0.05\"/>",
                               "<cylinder length=\"1\" radius=\"0.05\"/>"))
                  .find("as in the") != std::string::npos);
}

TEST_F(Against, WhatCannotBeReadIsSaid) {
  EXPECT_TRUE(compare("garbage").starts_with("cannot tell"));
  EXPECT_TRUE(compare(replaced(kUrdf, "package://pack", "package://other"))
                  .starts_with("cannot tell: no folder for package://other"));
  EXPECT_TRUE(
      compare(replaced(kUrdf, "tip.stl", "top.stl")).starts_with("cannot tell: cannot read"));
  // urdfdom leaves out what it does not know.
  EXPECT_TRUE(compare(replaced(kUrdf, "<sphere radius=\"0.05\"/>", "<torus radius=\"0.05\"/>"))
                  .starts_with("cannot tell: urdfdom reads 3 of the 4"));
}

TEST_F(Against, AMeshThatWasChangedIsFound) {
  round_nearest();
  const std::string good = "source " + sha256(kStl) + " x/tip.stl\n",
                    bad = "source " + sha256("else") + " x/tip.stl\n";
  EXPECT_NE(compare(kUrdf, kWorld, "", good).find("as in the certificate"), std::string::npos);
  EXPECT_NE(compare(kUrdf, kWorld, "", bad).find("another hash"), std::string::npos);
}

TEST_F(Against, ARobotOfAScene) {
  std::string world = kWorld;
  for (const char* name : {"arm", "tip", "slider"})
    world = replaced(world, std::string("link ") + name + " ", std::string("link a/") + name + " ");
  // The base hangs on a world.
  world = replaced(world, "link base\n", "link world\nlink a/base 0 fixed {1 2 3} rpy {0 0 1}\n");
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"slider 2", "slider 3"},
                                                        {"gripped 2", "gripped 3"},
                                                        {"tip 1", "tip 2"},
                                                        {"arm 0", "arm 1"},
                                                        {"tip link 2", "tip link 3"},
                                                        {"arm link 1", "arm link 2"},
                                                        {"base link 0", "base link 1"},
                                                        {"hull 2 1", "hull 2 2"},
                                                        {"hull 1 1", "hull 1 2"},
                                                        {"box 0 0", "box 0 1"}})
    world = replaced(world, from, to);
  EXPECT_NE(compare(kUrdf, world, "a/").find("as in the certificate"), std::string::npos)
      << compare(kUrdf, world, "a/");
  EXPECT_EQ(compare(kUrdf, world, "b/"), "differs: no link b/arm");
}

TEST(DistanceToHull, OfACubeAndOfRandomPoints) {
  round_nearest();
  std::vector<double> cube;
  for (int k = 0; k < 24; ++k) cube.push_back(k / 3 >> k % 3 & 1 ? 1 : -1);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<> uniform(-3, 3);
  for (int i = 0; i < 20000; ++i) {
    std::array<double, 3> x = {uniform(random), uniform(random), uniform(random)};
    if (i % 3 == 0) x[0] = 1;
    double square = 0;
    for (const double c : x) square += std::pow(std::max(0.0, std::abs(c) - 1), 2);
    // From above always, and found to be within what is asked if it is.
    const double real = std::sqrt(square);
    ASSERT_GE(distance_to_hull(cube, x, real - 1e-3), real - 1e-12);
    ASSERT_LE(distance_to_hull(cube, x, real + 1e-6), real + 1e-6)
        << x[0] << ' ' << x[1] << ' ' << x[2];
  }
  // A mean of the points is in their hull.
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> points(3 * (1 + random() % 40));
    for (double& p : points) p = uniform(random);
    std::array<double, 3> mean = {};
    double sum = 0;
    for (std::size_t k = 0; k < points.size(); k += 3) {
      const double weight = random() % 3 ? 0.0 : std::exp(uniform(random));
      sum += weight;
      for (std::size_t j = 0; j < 3; ++j) mean[j] += weight * points[k + j];
    }
    if (sum == 0) continue;
    for (double& m : mean) m /= sum;
    ASSERT_LE(distance_to_hull(points, mean, 1e-6), 1e-6) << i;
  }
}

}  // namespace
}  // namespace verify
