// SPDX-License-Identifier: BSD-3-Clause
//
// What compile() makes of numbers: scenes that programs fill have not passed a reader, so that
// every number is looked at here again; hashes; and scenes of very many objects.
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "scene/scenes.hpp"

namespace keepclear {
namespace {

using test::box_shape;
using test::object_of;
using test::plane_shape;
using test::robot_of;
using test::sphere_shape;
using Kind = Shape::Kind;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A ball that slides along x, one metre up; its base has no bodies.
const std::string kBall = test::robot(
    test::link("base") + test::link("ball", test::sphere(0.1)) +
    test::joint("x", "prismatic", "base", "ball", "<origin xyz=\"0 0 1\"/><axis xyz=\"1 0 0\"/>"));

class CompileNumbers : public testing::Test {
 protected:
  CompileNumbers() : urdf_(folder_.write("ball.urdf", kBall)) {
    scene_.file = "test.json";
    scene_.robots.push_back(robot_of("", urdf_));
  }
  void add(const std::string& name, const Shape& shape, const Origin& pose = {}) {
    scene_.objects.push_back(object_of(name, shape, pose));
  }
  void expect_refused(const std::string& what, const std::string& word = "/objects/thing") const {
    try {
      const World world = compile(scene_);
      ADD_FAILURE() << what << ": not refused, "
                    << to_string(DistanceQuery(world).check(world.neutral()).verdict);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::malformed) << error.what();
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

  test::Folder folder_;
  std::filesystem::path urdf_;
  Scene scene_;
};

TEST_F(CompileNumbers, PosesThatAreNoPosesAreRefused) {
  std::vector<std::pair<const char*, Origin>> wrong;
  wrong.push_back({"NaN position", {{0, kNan, 0}, {}, {}}});
  wrong.push_back({"infinite position", {{kInfinity, 0, 0}, {}, {}}});
  wrong.push_back({"position beyond 1e6 m", {{0, 0, 1e9}, {}, {}}});
  wrong.push_back({"NaN angle", {{}, {0, 0, kNan}, {}}});
  wrong.push_back({"infinite angle", {{}, {kInfinity, 0, 0}, {}}});
  wrong.push_back({"zero quaternion", {{}, {}, Quaternion{0, 0, 0, 0}}});
  wrong.push_back({"NaN quaternion", {{}, {}, Quaternion{kNan, 0, 0, 1}}});
  wrong.push_back({"quaternion of length two", {{}, {}, Quaternion{0, 0, 2, 0}}});
  wrong.push_back({"quaternion of four digits", {{}, {}, Quaternion{0, 0, 0.7071, 0.7071}}});
  for (const auto& [what, pose] : wrong) {
    scene_.objects.clear();
    scene_.attached.clear();
    scene_.robots[0].base = {};
    add("thing", sphere_shape(0.1), pose);
    expect_refused(what);
    scene_.attached.push_back({"thing", "ball", {}, "/attached/0"});
    add("floor", box_shape({1, 1, 1}), {{0, 0, -1}, {}, {}});
    expect_refused(std::string(what) + ", attached", "thing");
    scene_.objects.clear();
    scene_.attached.clear();
    add("floor", box_shape({1, 1, 1}), {{0, 0, -1}, {}, {}});
    scene_.robots[0].base = pose;
    expect_refused(std::string(what) + ", of a base", "/robots/");
  }
}

TEST_F(CompileNumbers, SizesThatAreNoSizesAreRefused) {
  for (const double size : {0.0, -0.1, kNan, kInfinity, 1e9}) {
    std::vector<Shape> shapes{box_shape({1, size, 1}), sphere_shape(size)};
    if (size == 0.0) shapes.pop_back();  // a ball of no radius is a point
    for (const Kind kind : {Kind::cylinder, Kind::capsule, Kind::cone}) {
      shapes.push_back(test::round_shape(kind, size, 1));
      if (kind != Kind::capsule || size != 0.0) shapes.push_back(test::round_shape(kind, 1, size));
      if (kind == Kind::capsule && size == 0.0) shapes.pop_back();
    }
    Shape points;
    points.kind = Kind::points;
    points.radius = size;
    points.points = {{1, 2, 3}};
    if (size != 0.0) shapes.push_back(points);
    for (const Shape& shape : shapes) {
      scene_.objects.clear();
      add("thing", shape, {{0, 0, -5}, {}, {}});
      expect_refused(std::string(to_string(shape.kind)) + " of " + std::to_string(size));
    }
  }
}

TEST_F(CompileNumbers, PlanesAndPointsThatAreNoneAreRefused) {
  const auto refuses = [&](const Shape& shape, const char* what) {
    scene_.objects.clear();
    add("thing", shape);
    expect_refused(what);
  };
  refuses(plane_shape({0, 0, 0}, 0), "no normal");
  refuses(plane_shape({0, 0, kNan}, 0), "NaN normal");
  refuses(plane_shape({0, 0, kInfinity}, 0), "infinite normal");
  refuses(plane_shape({0, 0, 1}, kNan), "NaN offset");
  refuses(plane_shape({0, 0, 1}, kInfinity), "infinite offset");
  Shape points;
  points.kind = Kind::points;
  points.radius = 0.01;
  refuses(points, "no points");
  points.points = {{0, 0, kNan}};
  refuses(points, "NaN point");
  points.points = {{0, 0, 1e9}};
  refuses(points, "far point");
  Shape mesh;
  mesh.kind = Kind::mesh;
  refuses(mesh, "empty mesh");
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  refuses(mesh, "no triangles");
  mesh.triangles = {{0, 1, 3}};
  refuses(mesh, "index out of range");
  mesh.triangles = {{0, 1, 2}};
  mesh.points[2].x = kNan;
  refuses(mesh, "NaN vertex");
  mesh.points[2].x = 1e9;
  refuses(mesh, "far vertex");
  mesh.points[2].x = 0;
  mesh.scale = {1, kNan, 1};
  refuses(mesh, "NaN scale");
}

TEST_F(CompileNumbers, AnAttachmentMayNotHideABadShape) {
  add("thing", box_shape({1, kNan, 1}));
  scene_.attached.push_back({"thing", "ball", {}, "/attached/0"});
  add("floor", box_shape({1, 1, 1}), {{0, 0, -1}, {}, {}});
  expect_refused("NaN edge, attached", "thing");
}

TEST_F(CompileNumbers, TheHashFollowsEverythingThatAVerdictDependsOn) {
  add("table", box_shape({1, 1, 0.1}));
  add("post", test::round_shape(Kind::cylinder, 0.1, 1), {{2, 0, 0}, {}, {}});
  const std::string hash = compile(scene_).hash();
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(compile(scene_).hash(), hash) << "nothing changed";
  LoadOptions threads;
  threads.threads = 3;
  EXPECT_EQ(compile(scene_, threads).hash(), hash) << "threads do not matter";
  Scene renamed_place = scene_;
  renamed_place.objects[0].place = "/objects/17";
  EXPECT_EQ(compile(renamed_place).hash(), hash) << "places do not matter";

  std::vector<std::pair<const char*, Scene>> changed;
  const auto changes = [&](const char* what, const auto& change) {
    Scene other = scene_;
    change(other);
    changed.push_back({what, other});
  };
  changes("an object moved", [](Scene& s) { s.objects[0].pose.xyz.x += 1e-12; });
  changes("an object turned", [](Scene& s) { s.objects[0].pose.rpy.x += 1e-9; });
  changes("a size", [](Scene& s) { s.objects[0].shape.size.x += 1e-12; });
  changes("a radius", [](Scene& s) { s.objects[1].shape.radius += 1e-12; });
  changes("a kind", [](Scene& s) { s.objects[1].shape.kind = Kind::cone; });
  changes("a base", [](Scene& s) { s.robots[0].base.xyz.y = 1e-12; });
  changes("the margin", [](Scene& s) { s.margin = 1e-12; });
  changes("a margin of a pair", [](Scene& s) {
    s.margins.push_back({{"ball", "post", ""}, 0.01});
  });
  changes("a pair that may touch", [](Scene& s) { s.allow.push_back({"ball", "post", ""}); });
  changes("an attachment", [](Scene& s) { s.attached.push_back({"post", "ball", {}, ""}); });
  changes("a touch", [](Scene& s) { s.attached.push_back({"post", "ball", {"table"}, ""}); });
  changes("an intended contact", [](Scene& s) { s.contacts.push_back({"ball", "post", 0.1, ""}); });
  changes("one object less", [](Scene& s) { s.objects.pop_back(); });
  changes("a plane more", [](Scene& s) {
    s.objects.push_back(object_of("floor", plane_shape({0, 0, 1}, -3)));
  });
  changes("a plane more, elsewhere", [](Scene& s) {
    s.objects.push_back(object_of("floor", plane_shape({0, 0, 1}, -4)));
  });
  changes("a name", [](Scene& s) { s.objects[0].name = "desk"; });
  std::map<std::string, std::string> seen{{hash, "the scene itself"}};
  for (const auto& [what, scene] : changed) {
    const auto [place, fresh] = seen.try_emplace(compile(scene).hash(), what);
    EXPECT_TRUE(fresh) << what << " hashes like " << place->second;
  }
}

TEST_F(CompileNumbers, PointsOfACloudAndVerticesOfAMeshAreInTheHash) {
  Shape cloud;
  cloud.kind = Kind::points;
  cloud.radius = 0.01;
  cloud.points = {{0, 0, -1}, {0, 0, -2}};
  Shape mesh;
  mesh.kind = Kind::mesh;
  mesh.points = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, -2}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}};
  add("cloud", cloud);
  add("mesh", mesh);
  const std::string hash = compile(scene_).hash();
  Scene other = scene_;
  other.objects[0].shape.points[1].z -= 1e-12;
  EXPECT_NE(compile(other).hash(), hash);
  other = scene_;
  other.objects[1].shape.points[3].z -= 1e-9;
  EXPECT_NE(compile(other).hash(), hash);
}

/// Fourteen balls on fourteen slides, side by side along y.
std::string many_sliders() {
  std::string text = test::link("base");
  for (int k = 0; k < 14; ++k) {
    const std::string name = "ball" + std::to_string(k);
    text += test::link(name, test::sphere(0.1)) +
            test::joint("x" + std::to_string(k), "prismatic", "base", name,
                        "<origin xyz=\"0 " + std::to_string(k) + " 1\"/><axis xyz=\"1 0 0\"/>");
  }
  return test::robot(text);
}

TEST_F(CompileNumbers, MorePairsThanAreListedAreAllChecked) {
  scene_.robots[0].urdf = folder_.write("sliders.urdf", many_sliders());
  // A floor of small boxes below everything, and one box in the way of each ball.
  for (int k = 0; k < 100000; ++k) {
    const double x = 0.05 * (k % 400) - 10, y = 0.05 * (k / 400);
    add("tile" + std::to_string(k), box_shape({0.04, 0.04, 0.04}), {{x, y, -1}, {}, {}});
  }
  for (int k = 0; k < 14; ++k) {
    add("stop" + std::to_string(k), box_shape({0.1, 0.1, 0.1}), {{1, k * 1.0, 1}, {}, {}});
  }
  const World world = compile(scene_);
  const std::size_t links = 14 * 13 / 2;
  EXPECT_EQ(world.pair_count(), links + 14 * 100014u);
  EXPECT_GT(world.pair_count(), World::kMaxListedPairs);
  EXPECT_EQ(world.pairs().size(), links);
  EXPECT_FALSE(world.notes().empty());
  DistanceQuery query(world);
  std::vector<double> q(14, 0.0);
  EXPECT_EQ(query.check(q).verdict, Verdict::free);
  EXPECT_TRUE(query.all_pairs(q).empty());
  for (std::size_t k = 0; k < 14; ++k) {
    std::fill(q.begin(), q.end(), 0.0);
    q[k] = 0.9;
    const CheckResult hit = query.check(q);
    EXPECT_EQ(hit.verdict, Verdict::contact);
    const std::string expected = "ball" + std::to_string(k) + " and stop" + std::to_string(k);
    EXPECT_EQ(test::names_of(world, hit.a, hit.b), expected);
    q[k] = 0.75;
    const Nearest near = query(q);
    EXPECT_EQ(test::names_of(world, near.a, near.b), expected);
    EXPECT_NEAR(near.distance, 0.1, 1e-9);
    EXPECT_EQ(query.check(q).verdict, Verdict::free);
    EXPECT_EQ(query.check(q, 0.11).verdict, Verdict::contact);
  }
}

}  // namespace
}  // namespace keepclear
