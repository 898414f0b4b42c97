// SPDX-License-Identifier: BSD-3-Clause
//
// A scene to be filled and compiled, for the tests of compile().
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "scene/scenes.hpp"

namespace keepclear::test {

/// A base, an arm on a slide along x, a hand beyond it that slides along y; frames without bodies
/// between. Balls of 0.1 m; the arm half a metre above the base, the hand a whole one.
inline const std::string kSlider =
    robot(link("base", sphere(0.1)) + link("arm", sphere(0.1)) + link("hand", sphere(0.1)) +
          link("tool") +
          joint("x", "prismatic", "base", "arm", "<origin xyz=\"0 0 0.5\"/><axis xyz=\"1 0 0\"/>") +
          joint("y", "prismatic", "arm", "hand", "<origin xyz=\"0 0 0.5\"/><axis xyz=\"0 1 0\"/>") +
          joint("f", "fixed", "hand", "tool", "<origin xyz=\"0 0 0.25\"/>"));

class CompileFixture : public testing::Test {
 protected:
  CompileFixture() : urdf_(folder_.write("slider.urdf", kSlider)) { scene_.file = "test.json"; }

  void one_robot(const std::string& name = {}, const Origin& base = {}) {
    scene_.robots.push_back(robot_of(name, urdf_, base));
  }
  void two_robots() {
    one_robot("left");
    one_robot("right", {{0, 2, 0}, {}, {}});
  }
  SceneObject& add(const std::string& name, const keepclear::Shape& shape,
                   const Origin& pose = {}) {
    return scene_.objects.emplace_back(object_of(name, shape, pose));
  }
  void attach(const std::string& object, const std::string& link,
              std::vector<std::string> touch = {}) {
    scene_.attached.push_back({object, link, std::move(touch), "/attached/0"});
  }

  /// The error that compiling throws; fails the test where there is none.
  Error refused(const LoadOptions& options = {}) const {
    try {
      compile(scene_, options);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "not refused";
    return {Error::Kind::internal, "", 0, "nothing"};
  }
  void expect_refused(Error::Kind kind, const std::vector<std::string>& words,
                      const LoadOptions& options = {}) const {
    const Error error = refused(options);
    EXPECT_EQ(error.kind(), kind) << error.what();
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "no '" << word << "' in: " << error.what();
    }
  }

  static std::vector<std::string> solid_names(const World& world) {
    std::vector<std::string> names;
    for (const SolidInfo& solid : world.solids()) names.push_back(solid.name);
    return names;
  }
  static std::set<std::string> pair_names(const World& world) {
    std::set<std::string> names;
    for (const PairInfo& pair : world.pairs()) {
      names.insert(names_of(world, pair.a, pair.b));
    }
    return names;
  }
  static std::string why(const World& world, const std::string& a, const std::string& b) {
    for (const LeftOutPair& pair : world.left_out()) {
      if (std::minmax(pair.a, pair.b) == std::minmax(a, b)) return to_string(pair.why);
    }
    return "checked";
  }

  Folder folder_;
  std::filesystem::path urdf_;
  Scene scene_;
};

}  // namespace keepclear::test
