// SPDX-License-Identifier: BSD-3-Clause
#include "robot/packages.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "keepclear/error.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

/// A workspace with one package, `arm`, and a file outside of it.
class Packages : public testing::Test {
 protected:
  void SetUp() override {
    top_ = fs::temp_directory_path() / ("keepclear_packages_" + std::to_string(::getpid()));
    fs::remove_all(top_);
    fs::create_directories(top_ / "ws/arm/urdf");
    fs::create_directories(top_ / "ws/arm/meshes");
    fs::create_directories(top_ / "prefix/share/leg");
    for (const auto* file : {"ws/arm/meshes/part.stl", "ws/arm/meshes/two words.stl", "secret.stl",
                             "prefix/share/leg/foot.stl"}) {
      std::ofstream(top_ / file) << "solid\n";
    }
    top_ = fs::canonical(top_);
    base_ = top_ / "ws/arm/urdf";
  }
  void TearDown() override { fs::remove_all(top_); }

  fs::path resolve(const std::string& uri, const PackagePaths& packages = {}) const {
    return resolve_mesh(uri, packages, base_, "r.urdf", 7);
  }
  std::string refusal(const std::string& uri, Error::Kind kind,
                      const PackagePaths& packages = {}) const {
    try {
      const auto path = resolve(uri, packages);
      ADD_FAILURE() << uri << " led to " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_EQ(error.line(), 7);
      EXPECT_EQ(error.file(), "r.urdf");
      return error.what();
    }
    return {};
  }
  bool is_part(const fs::path& path) const {
    return fs::equivalent(path, top_ / "ws/arm/meshes/part.stl");
  }

  fs::path top_, base_;
};

TEST_F(Packages, AreFoundUpwardsFromTheUrdf) {
  EXPECT_TRUE(is_part(resolve("package://arm/meshes/part.stl")));
  EXPECT_TRUE(is_part(resolve("package://ws/arm/meshes/part.stl")));
  EXPECT_TRUE(is_part(resolve("PACKAGE://arm/meshes/../meshes//part.stl")));
}

TEST_F(Packages, NamedOnesComeFirst) {
  std::ofstream(top_ / "part.stl") << "solid\n";
  const PackagePaths named{.named = {{"arm", top_}}, .search = {}};
  EXPECT_EQ(resolve("package://arm/part.stl", named), top_ / "part.stl");
  // What is not there is sought further on.
  EXPECT_TRUE(is_part(resolve("package://arm/meshes/part.stl", named)));
}

TEST_F(Packages, AreFoundInSearchFoldersAndPrefixes) {
  const PackagePaths below{.named = {}, .search = {top_ / "prefix"}};
  EXPECT_EQ(resolve("package://leg/foot.stl", below), top_ / "prefix/share/leg/foot.stl");
  const PackagePaths itself{.named = {}, .search = {(top_ / "prefix/share/leg").string() + "/"}};
  EXPECT_TRUE(fs::equivalent(resolve("package://leg/foot.stl", itself),
                             top_ / "prefix/share/leg/foot.stl"));
}

TEST_F(Packages, PlainPathsAndFileUrisWork) {
  EXPECT_TRUE(is_part(resolve("../meshes/part.stl")));
  EXPECT_TRUE(is_part(resolve((top_ / "ws/arm/meshes/part.stl").string())));
  EXPECT_TRUE(is_part(resolve("file://" + (top_ / "ws/arm/meshes/part.stl").string())));
  EXPECT_TRUE(is_part(resolve("file://localhost" + (top_ / "ws/arm/meshes/part.stl").string())));
  EXPECT_EQ(resolve("file://" + top_.string() + "/ws/arm/meshes/two%20words.stl").filename(),
            "two words.stl");
}

TEST_F(Packages, EveryPlaceTriedIsListedInOneLine) {
  const PackagePaths packages{.named = {{"gone", top_ / "named"}}, .search = {top_ / "prefix"}};
  const auto text = refusal("package://gone/a.stl", Error::Kind::missing, packages);
  for (const auto& place :
       {top_ / "named/a.stl", top_ / "prefix/gone/a.stl", top_ / "prefix/share/gone/a.stl",
        base_ / "gone/a.stl", top_ / "ws/arm/gone/a.stl", top_ / "ws/gone/a.stl",
        top_ / "gone/a.stl", fs::path("/gone/a.stl")}) {
    EXPECT_NE(text.find(place.string()), std::string::npos) << place << " in " << text;
  }
  EXPECT_NE(text.find("--package gone=DIR"), std::string::npos);
}

TEST_F(Packages, MayNotBeLeftByDots) {
  refusal("package://arm/../../secret.stl", Error::Kind::malformed);
  refusal("package://arm/meshes/../../../secret.stl", Error::Kind::malformed);
  refusal("package://../secret.stl", Error::Kind::malformed);
  refusal("package://./secret.stl", Error::Kind::malformed);
  refusal("package:///secret.stl", Error::Kind::malformed);
  refusal("package://arm/", Error::Kind::malformed);
  refusal("package://arm", Error::Kind::malformed);
  refusal("package://arm//../../secret.stl", Error::Kind::malformed);
}

TEST_F(Packages, MayNotBeLeftBySymbolicLinks) {
  fs::create_symlink(top_ / "secret.stl", top_ / "ws/arm/meshes/link.stl");
  EXPECT_NE(refusal("package://arm/meshes/link.stl", Error::Kind::malformed).find("symbolic link"),
            std::string::npos);
  fs::create_directory_symlink(top_, top_ / "ws/arm/out");
  refusal("package://arm/out/secret.stl", Error::Kind::malformed);
  fs::create_symlink("part.stl", top_ / "ws/arm/meshes/alias.stl");
  EXPECT_TRUE(is_part(resolve("package://arm/meshes/alias.stl")));
  // A package may itself be reached by a link.
  fs::create_directory_symlink(top_ / "ws/arm", top_ / "ws/alias");
  EXPECT_TRUE(is_part(resolve("package://alias/meshes/part.stl")));
}

TEST_F(Packages, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((top_ / "ws/arm/pipe.stl").c_str(), 0600), 0);
  refusal("package://arm/pipe.stl", Error::Kind::missing);
  refusal("../pipe.stl", Error::Kind::missing);
  refusal("package://dev/zero", Error::Kind::missing);
  refusal("/dev/zero", Error::Kind::missing);
  refusal("package://arm/meshes", Error::Kind::missing);
  fs::create_symlink("loop.stl", top_ / "ws/arm/loop.stl");
  refusal("package://arm/loop.stl", Error::Kind::missing);
}

TEST_F(Packages, OtherSchemesAndOddUrisAreRefused) {
  refusal("http://example.com/part.stl", Error::Kind::malformed);
  refusal("https://example.com/part.stl", Error::Kind::malformed);
  refusal("model://arm/part.stl", Error::Kind::malformed);
  refusal("file://part.stl", Error::Kind::malformed);
  refusal("file:///a%0", Error::Kind::malformed);
  refusal("file:///a%00b", Error::Kind::malformed);
  refusal("file:///a%zzb", Error::Kind::malformed);
  refusal("", Error::Kind::malformed);
  refusal(std::string(100'000, 'a'), Error::Kind::missing);
  refusal(std::string("a\0b", 3), Error::Kind::malformed);
}

}  // namespace
}  // namespace keepclear
