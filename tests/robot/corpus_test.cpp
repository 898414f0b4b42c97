// SPDX-License-Identifier: BSD-3-Clause
//
// Every file under corpus/*/ok loads; every file under corpus/*/reject is refused as its first
// line says, `<!-- expect: KIND line LINE "PHRASE" -->`, or its name where it cannot hold one,
// `what.KIND.LINE.urdf`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>

#include "keepclear/error.hpp"
#include "robot/srdf.hpp"
#include "robot/urdf.hpp"
#include "robot/xml.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(KEEPCLEAR_CORPUS) / folder)) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

struct Expectation {
  int kind, line;
  std::string phrase;
};

std::optional<Expectation> expectation(const fs::path& file) {
  Expectation expected{0, 0, {}};
  const std::string name = file.filename().string();
  const auto dot = name.find('.');
  if (std::sscanf(name.c_str() + dot, ".%d.%d.", &expected.kind, &expected.line) == 2) {
    return expected;
  }
  const auto text = xml::read_file(file);
  const auto first = text.substr(0, text.find('\n'));
  if (std::sscanf(first.c_str(), "<!-- expect: %d line %d ", &expected.kind, &expected.line) != 2) {
    return std::nullopt;
  }
  const auto open = first.find('"'), close = first.rfind('"');
  if (close == std::string::npos || close < open + 2) return std::nullopt;
  expected.phrase = first.substr(open + 1, close - open - 1);
  return expected;
}

void expect_refusal(const fs::path& file, const std::function<void()>& read) {
  SCOPED_TRACE(file.filename().string());
  const auto expected = expectation(file);
  ASSERT_TRUE(expected) << "no expectation in the first line";
  try {
    read();
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), expected->kind) << error.what();
    EXPECT_EQ(error.line(), expected->line) << error.what();
    EXPECT_EQ(error.file(), file.string());
    EXPECT_NE(std::string(error.what()).find(expected->phrase), std::string::npos)
        << error.what() << "\nlacks " << expected->phrase;
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(UrdfCorpus, GoodFilesLoad) {
  const auto good = files("urdf/ok", ".urdf");
  EXPECT_GE(good.size(), 10u);
  for (const auto& file : good) {
    EXPECT_NO_THROW(read_urdf(file, {})) << file;
  }
}

TEST(UrdfCorpus, BadFilesAreRefusedWithKindLineAndReason) {
  const auto bad = files("urdf/reject", ".urdf");
  EXPECT_GE(bad.size(), 60u);
  for (const auto& file : bad) {
    expect_refusal(file, [&] { read_urdf(file, {}); });
  }
}

TEST(SrdfCorpus, GoodFilesLoad) {
  const auto robot = read_urdf(fs::path(KEEPCLEAR_CORPUS) / "srdf/ok/robot.urdf", {});
  const auto good = files("srdf/ok", ".srdf");
  EXPECT_GE(good.size(), 2u);
  for (const auto& file : good) {
    EXPECT_NO_THROW(read_srdf(file, robot)) << file;
  }
}

TEST(SrdfCorpus, BadFilesAreRefusedWithKindLineAndReason) {
  const auto robot = read_urdf(fs::path(KEEPCLEAR_CORPUS) / "srdf/ok/robot.urdf", {});
  const auto bad = files("srdf/reject", ".srdf");
  EXPECT_GE(bad.size(), 20u);
  for (const auto& file : bad) {
    expect_refusal(file, [&] { read_srdf(file, robot); });
  }
}

}  // namespace
}  // namespace keepclear
