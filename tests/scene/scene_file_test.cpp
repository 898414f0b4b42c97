// SPDX-License-Identifier: BSD-3-Clause
//
// Every scene under corpus/scene/ok is read; every one under corpus/scene/reject is refused as
// reject/expect.txt says: `FILE KIND LINE WHO PHRASE`.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "data.hpp"
#include "keepclear/error.hpp"
#include "keepclear/scene.hpp"
#include "scene/json.hpp"
#include "scene/scene_file.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(KEEPCLEAR_CORPUS) / "scene";

/// The message of the error that reading ends with.
std::string refusal(const std::string& json) {
  try {
    parse_scene(json, "cell.json", {});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    return error.what();
  }
  ADD_FAILURE() << "was read: " << json.substr(0, 200);
  return {};
}

Scene parse(const std::string& json) {
  return parse_scene(json, "cell.json", "folder");
}

const SceneObject& named(const Scene& scene, const std::string& name) {
  for (const auto& object : scene.objects) {
    if (object.name == name) return object;
  }
  throw std::out_of_range("no object " + name);
}

TEST(SceneCorpus, GoodFilesAreRead) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "ok")) {
    EXPECT_NO_THROW({
      const auto scene = read_scene(entry.path());
      EXPECT_EQ(scene.file, entry.path().string());
      for (const auto& object : scene.objects) EXPECT_FALSE(object.place.empty());
    }) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 8u);
}

TEST(SceneCorpus, BadFilesAreRefusedWithKindLineAndReason) {
  std::ifstream list(kCorpus / "reject/expect.txt");
  std::set<std::string> seen{"expect.txt"};
  for (std::string row; std::getline(list, row);) {
    if (row.starts_with('#')) continue;
    std::istringstream words(row);
    std::string file, who, phrase;
    int kind = 0, line = 0;
    words >> file >> kind >> line >> who >> std::ws;
    std::getline(words, phrase);
    SCOPED_TRACE(file);
    seen.insert(file);
    try {
      read_scene(kCorpus / "reject" / file);
      ADD_FAILURE() << "was read";
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_EQ(static_cast<int>(error.kind()), kind) << what;
      EXPECT_EQ(error.line(), line) << what;
      EXPECT_NE(what.find(phrase), std::string::npos) << what << "\nlacks " << phrase;
      EXPECT_EQ(what.find('\n'), std::string::npos);
    }
  }
  EXPECT_GE(seen.size(), 100u);
  for (const auto& entry : fs::directory_iterator(kCorpus / "reject")) {
    EXPECT_EQ(seen.count(entry.path().filename().string()), 1u)
        << entry.path() << " is not in expect.txt";
  }
}

TEST(SceneFile, EveryKeyArrivesWhereItBelongs) {
  const auto scene = read_scene(kCorpus / "ok/bench.json");
  const auto folder = kCorpus / "ok";
  EXPECT_EQ(scene.name, "bench with two arms");
  ASSERT_EQ(scene.robots.size(), 2u);
  const auto& left = scene.robots[0];
  EXPECT_EQ(left.name, "left");
  EXPECT_EQ(left.urdf, folder / "arm.urdf");
  EXPECT_EQ(left.srdf, folder / "arm.srdf");
  EXPECT_EQ(left.base.xyz, (Vec3{0, 0.4, 0}));
  EXPECT_EQ(left.base.rpy, (Vec3{0, 0, 1.5707963267948966}));
  EXPECT_EQ(left.packages.at("arm_description"), folder / "meshes");
  EXPECT_EQ(left.place, "/robots/0");
  EXPECT_EQ(scene.robots[1].builtin, "arm");
  EXPECT_TRUE(scene.robots[1].urdf.empty());
  EXPECT_FALSE(scene.robots[1].srdf);

  ASSERT_EQ(scene.objects.size(), 11u);
  const auto& table = named(scene, "table");
  EXPECT_EQ(table.shape.kind, Shape::Kind::box);
  EXPECT_EQ(table.shape.size, (Vec3{1.2, 0.8, 0.04}));
  EXPECT_EQ(table.pose, (Origin{{0.6, 0, -0.02}, {}, {}}));
  EXPECT_EQ(table.place, "/objects/0");
  EXPECT_EQ(named(scene, "ball").shape.radius, 0.05);
  EXPECT_EQ(named(scene, "post").shape.length, 0.5);
  EXPECT_EQ(named(scene, "post").pose.quaternion, (Quaternion{0, 0, 0.7071068, 0.7071068}));
  EXPECT_EQ(named(scene, "funnel").shape.kind, Shape::Kind::cone);
  EXPECT_EQ(named(scene, "floor").shape.normal, (Vec3{0, 0, 2}));
  EXPECT_EQ(named(scene, "floor").shape.offset, -0.7);
  EXPECT_EQ(named(scene, "fixture").shape.file, folder / "fixture.stl");
  EXPECT_EQ(named(scene, "fixture").shape.scale, (Vec3{0.001, 0.001, 0.001}));
  EXPECT_EQ(named(scene, "housing").shape.file, "package://arm_description/housing.dae");
  EXPECT_EQ(named(scene, "housing").shape.scale, (Vec3{1, -1, 1}));
  EXPECT_EQ(named(scene, "scan").shape.file, folder / "scan.pcd");
  EXPECT_EQ(named(scene, "corners").shape.points, (std::vector<Vec3>{{0, 0, 1}, {0.1, 0, 1}}));
  EXPECT_EQ(named(scene, "map").shape.unknown, UnknownSpace::occupied);

  ASSERT_EQ(scene.attached.size(), 1u);
  EXPECT_EQ(scene.attached[0].link, "left/hand");
  EXPECT_EQ(scene.attached[0].touch, (std::vector<std::string>{"left/finger_1", "left/finger_2"}));
  EXPECT_EQ(scene.attached[0].place, "/attached/0");
  EXPECT_EQ(named(scene, "can").pose.xyz, (Vec3{0, 0, 0.1}));
  ASSERT_EQ(scene.allow.size(), 3u);
  EXPECT_EQ(scene.allow[1].a, "right/base");
  EXPECT_EQ(scene.allow[1].b, "table");
  EXPECT_EQ(scene.allow[1].place, "/allow/1");
  EXPECT_EQ(scene.margin, 0.01);
  ASSERT_EQ(scene.margins.size(), 1u);
  EXPECT_EQ(scene.margins[0].margin, 0.05);
  EXPECT_EQ(scene.margins[0].pair.place, "/margins/0/pair");
  ASSERT_EQ(scene.contacts.size(), 1u);
  EXPECT_EQ(scene.contacts[0].link, "right/hand");
  EXPECT_EQ(scene.contacts[0].object, "ball");
  EXPECT_EQ(scene.contacts[0].max_speed, 0.02);
}

TEST(SceneFile, AnErrorNamesFilePointerAndNumber) {
  EXPECT_EQ(refusal(R"({"objects": [{"name": "b", "shape": "box", "size": [1, -0.2, 1]}]})"),
            "cell.json: /objects/0/size/1: must be positive, is -0.2");
  EXPECT_EQ(refusal("{\"objects\": [\n\n}"),
            "cell.json:3: column 1: syntax error while parsing value - unexpected '}'; expected "
            "'[', '{', or a literal");
}

TEST(SceneFile, IncludedObjectsFollowThoseOfTheFile) {
  const auto scene = read_scene(kCorpus / "ok/include.json");
  std::vector<std::string> names;
  for (const auto& object : scene.objects) names.push_back(object.name);
  EXPECT_EQ(names, (std::vector<std::string>{"own", "Kugel ü / #1", "Box_0", "two parts#0",
                                             "two parts#1"}));
  EXPECT_EQ(scene.objects[1].place, (kCorpus / "ok/objects_only.json").string() + " /objects/0");
  EXPECT_EQ(scene.objects[2].place, (kCorpus / "ok/old.scene").string() + " line 4");
  EXPECT_EQ(scene.notes.size(), 2u);
}

TEST(SceneFile, AttachmentsMayStandBeforeTheirObjects) {
  const auto scene = read_scene(kCorpus / "ok/key_order.json");
  ASSERT_EQ(scene.attached.size(), 1u);
  EXPECT_EQ(scene.attached[0].object, "a");
  EXPECT_EQ(scene.objects[0].pose.xyz, (Vec3{1, 2, 3}));
}

TEST(SceneFile, PathsAreJoinedToTheFolder) {
  const auto scene = parse(R"({"robots": [{"name": "a", "urdf": "../a.urdf"},
                                          {"name": "b", "urdf": "/b.urdf"}]})");
  EXPECT_EQ(scene.robots[0].urdf, "folder/../a.urdf");
  EXPECT_EQ(scene.robots[1].urdf, "/b.urdf");
}

TEST(SceneFile, OddNumbersAreNotedOnceWithTheirCount) {
  const auto scene = parse(R"({"objects": [
      {"name": "a", "shape": "box", "size": [500, 1, 800], "pose": {"rpy": [0, 0, 90]}},
      {"name": "b", "shape": "sphere", "radius": 1, "pose": {"rpy": [0, 0, 1.57]}}]})");
  ASSERT_EQ(scene.notes.size(), 2u);
  EXPECT_EQ(scene.notes[0],
            "/objects/0/size/0: a size of more than 100 m (2 in all): millimetres?");
  EXPECT_EQ(scene.notes[1], "/objects/0/pose/rpy: more than a turn (1 in all): degrees?");
}

TEST(SceneFile, NumbersAreTheNearestDoublesInAnyNotation) {
  const auto scene = parse(R"({"objects": [{"name": "b", "shape": "box",
      "size": [0.1, 1E-3, 123456]}], "margin": 0})");
  EXPECT_EQ(scene.objects[0].shape.size, (Vec3{0.1, 0.001, 123456}));
}

TEST(SceneFile, QuaternionsOfLengthOneToSixDigitsAreTaken) {
  const auto with = [](const std::string& w) {
    return R"({"objects": [{"name": "s", "shape": "sphere", "radius": 1, "pose":
        {"quaternion": [0, 0, 0, )" +
           w + "]}}]}";
  };
  EXPECT_NO_THROW(parse(with("1.0000009")));
  EXPECT_NO_THROW(parse(with("-0.9999991")));
  refusal(with("1.0000011"));
  refusal(with("0.9999989"));
}

TEST(SceneFile, WhatCannotBeReadIsMissing) {
  for (const char* file : {"/dev/zero", "/", "/nowhere/cell.json", ""}) {
    try {
      read_scene(file);
      ADD_FAILURE() << file;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::missing) << error.what();
    }
  }
}

TEST(SceneFile, AFileBeyondTheLimitIsRefusedUnread) {
  const auto file = fs::path(testing::TempDir()) / "keepclear_large_scene.json";
  std::ofstream(file).put('{');
  fs::resize_file(file, kMaxSceneBytes + 1);  // sparse
  try {
    read_scene(file);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    EXPECT_NE(std::string(error.what()).find("larger than the limit of 1024 MiB"),
              std::string::npos);
  }
  fs::remove(file);
}

TEST(SceneFile, ListsBeyondTheirLimitsAreRefused) {
  std::string robots = R"({"robots": [)";
  for (std::size_t i = 0; i <= kMaxSceneRobots; ++i) {
    robots += (i ? "," : "") + (R"({"urdf": "a", "name": ")" + std::to_string(i)) + "\"}";
  }
  EXPECT_EQ(refusal(robots + "]}"), "cell.json: /robots/1000: more than 1000 in this list");

  std::string points = R"({"objects": [{"name": "p", "shape": "points", "radius": 1, "points": [)";
  for (std::size_t i = 0; i < kMaxScenePoints; ++i) points += "[0,0,0],";
  EXPECT_NE(refusal(points + "[0,0,0]]}]}").find("the limit is 1000000; put them into a file"),
            std::string::npos);

  std::string keys = R"({"robots": [{"packages": {)";
  for (std::size_t i = 0; i <= json::kMaxKeys; ++i) {
    keys += (i ? ",\"" : "\"") + std::to_string(i) + R"(": "a")";
  }
  EXPECT_NE(refusal(keys + "}}]}").find("more than 1000 keys"), std::string::npos);
}

TEST(SceneFile, AHundredThousandNestedListsEndAtTheLimit) {
  EXPECT_NE(refusal(R"({"objects": )" + std::string(100000, '[')).find("nested deeper"),
            std::string::npos);
}

TEST(SceneFile, AMessageQuotesNoWholeFile) {
  const std::string long_word(1 << 20, 'x');
  EXPECT_LT(refusal(R"({"objects": [{")" + long_word + R"(": 1}]})").size(), 500u);
  EXPECT_LT(refusal("{\"" + long_word + "\": 1}").size(), 500u);
  EXPECT_LT(refusal("{\"objects\": \"" + long_word).size(), 500u);
  EXPECT_LT(refusal(R"({"objects": [{"name": "a", "shape": ")" + long_word + "\"}]}").size(), 500u);
}

TEST(SceneFile, ShapesAreNamedAsInFiles) {
  EXPECT_STREQ(to_string(Shape::Kind::box), "box");
  EXPECT_STREQ(to_string(Shape::Kind::octomap), "octomap");
}

TEST(SceneFile, TheExampleOfTheDocumentationIsRead) {
  const auto text =
      json::read_file(fs::path(KEEPCLEAR_CORPUS) / "../../docs/scenes.md", kMaxSceneBytes);
  const auto begin = text.find("```json\n") + 8, end = text.find("```", begin);
  ASSERT_NE(end, std::string::npos);
  auto example = text.substr(begin, end - begin);
  const auto include = example.find("  \"include\"");
  ASSERT_NE(include, std::string::npos);
  example.erase(include, example.find('\n', include) + 1 - include);  // those files are not there
  const auto scene = parse(example);
  EXPECT_EQ(scene.robots.size(), 2u);
  EXPECT_EQ(scene.objects.size(), 7u);
}

TEST(SceneFile, PublicScenesAreRead) {
  KEEPCLEAR_NEEDS_DATA("scenes/bookcase");
  std::size_t scenes = 0, paths = 0;
  for (const auto& entry : fs::directory_iterator(test::data_dir() / "scenes/bookcase")) {
    if (entry.path().extension() != ".json") continue;
    const auto text = json::read_file(entry.path(), kMaxSceneBytes);
    // Two files there are paths, not scenes.
    if (text.find("joint_names") != std::string::npos) {
      EXPECT_THROW(read_scene(entry.path()), Error) << entry.path();
      ++paths;
      continue;
    }
    EXPECT_NO_THROW({
      const auto scene = read_scene(entry.path());
      EXPECT_FALSE(scene.objects.empty());
      for (const auto& robot : scene.robots) EXPECT_TRUE(fs::exists(robot.urdf)) << robot.urdf;
    }) << entry.path();
    ++scenes;
  }
  EXPECT_GE(scenes, 5u);
  EXPECT_GE(paths, 2u);
}

}  // namespace
}  // namespace keepclear
