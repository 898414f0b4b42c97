// SPDX-License-Identifier: BSD-3-Clause
//
// Model files: every one under corpus/model/ok is read, every one under corpus/model/reject is
// refused as reject/expect.txt says (`FILE PHRASE`), and what is written reads as the same bits.
#include "scene/model_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "keepclear/error.hpp"
#include "scene/scenes.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using test::Folder;

const fs::path kCorpus = fs::path(KEEPCLEAR_CORPUS) / "model";

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

void expect_same(const BodyModel& a, const BodyModel& b) {
  EXPECT_EQ(a.world, b.world);
  EXPECT_EQ(a.around, b.around);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    EXPECT_EQ(a.bodies[i].link, b.bodies[i].link);
    EXPECT_EQ(bits(a.bodies[i].radius), bits(b.bodies[i].radius));
    ASSERT_EQ(a.bodies[i].points.size(), b.bodies[i].points.size());
    for (std::size_t p = 0; p < a.bodies[i].points.size(); ++p) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(bits(a.bodies[i].points[p][k]), bits(b.bodies[i].points[p][k])) << i << ' ' << p;
      }
    }
  }
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

template <typename Call>
Error refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "not refused";
  return {Error::Kind::internal, "", 0, "nothing"};
}

TEST(ModelFile, GoodFilesAreRead) {
  const BodyModel plain = read_model(kCorpus / "ok/plain.json");
  EXPECT_EQ(plain.file, (kCorpus / "ok/plain.json").string());
  EXPECT_EQ(plain.around, Around::collision);
  ASSERT_EQ(plain.bodies.size(), 1u);
  EXPECT_EQ(plain.bodies[0].link, "base");
  EXPECT_EQ(plain.bodies[0].radius, 0.5);
  EXPECT_EQ(plain.bodies[0].place, "/bodies/0");
  ASSERT_EQ(plain.bodies[0].points.size(), 1u);

  const BodyModel rich = read_model(kCorpus / "ok/rich.json");
  EXPECT_EQ(rich.around, Around::both);
  ASSERT_EQ(rich.bodies.size(), 2u);
  ASSERT_EQ(rich.bodies[0].points.size(), 2u);
  EXPECT_EQ(rich.bodies[0].points[1], (Vec3{1e-3, -2.5, 3}));
  EXPECT_EQ(rich.bodies[1].radius, 1e6);
  EXPECT_TRUE(std::signbit(rich.bodies[1].points[0].z));
}

TEST(ModelFile, BadFilesAreRefusedWithTheirPlace) {
  std::ifstream list(kCorpus / "reject/expect.txt");
  std::set<std::string> seen{"expect.txt"};
  for (std::string row; std::getline(list, row);) {
    if (row.starts_with('#')) continue;
    const std::string file = row.substr(0, row.find(' ')), phrase = row.substr(row.find(' ') + 1);
    SCOPED_TRACE(file);
    seen.insert(file);
    const Error error = refusal([&] { read_model(kCorpus / "reject" / file); });
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    EXPECT_EQ(error.file(), (kCorpus / "reject" / file).string());
    EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos)
        << error.what() << "\nlacks " << phrase;
  }
  EXPECT_GE(seen.size(), 30u);
  for (const auto& entry : fs::directory_iterator(kCorpus / "reject")) {
    EXPECT_EQ(seen.count(entry.path().filename().string()), 1u) << entry.path();
  }
}

TEST(ModelFile, AFileThatIsNotThereIsMissing) {
  EXPECT_EQ(refusal([] { read_model("/no/such/model.json"); }).kind(), Error::Kind::missing);
  EXPECT_EQ(refusal([] { read_model(kCorpus); }).kind(), Error::Kind::missing);
}

TEST(ModelFile, WhatIsWrittenReadsAsTheSameBits) {
  std::mt19937_64 random(4);
  const auto number = [&] {
    // Any double within the limits, denormal ones and both zeros among them.
    for (;;) {
      const double x = std::bit_cast<double>(random());
      if (std::abs(x) <= 1e6) return x;
      if (std::isfinite(x)) return std::remainder(x, 1e6);
    }
  };
  BodyModel model;
  model.world = "a \"world\" of\tits own\\, \xC3\xA4";
  model.around = Around::visual;
  for (int i = 0; i < 300; ++i) {
    ModelBody body;
    body.link = "left/link " + std::to_string(i % 7) + " \"\\ \xE2\x82\xAC";
    body.radius = std::abs(number());
    for (int p = 0; p <= i % 9; ++p) body.points.push_back({number(), number(), number()});
    model.bodies.push_back(body);
  }
  model.bodies[0].points[0] = {0.0, -0.0, std::numeric_limits<double>::denorm_min()};
  model.bodies[0].radius = 0.1 + 0.2;
  const Folder folder;
  const fs::path file = folder.path() / "model.json";
  write_model(model, file);
  expect_same(model, read_model(file));
  // Over a file that is there, too, and nothing is left beside it.
  model.bodies.resize(1);
  write_model(model, file);
  expect_same(model, read_model(file));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(ModelFile, WhatNoFileMayHoldIsNotWritten) {
  const BodyModel good{"w", "", Around::collision, {{"base", 1, {{}}, ""}}};
  const Folder folder;
  const fs::path file = folder.write("model.json", "as it was");
  const auto expect_refused = [&](const BodyModel& model, const std::string& phrase) {
    const Error error = refusal([&] { write_model(model, file); });
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos) << error.what();
    EXPECT_EQ(text_of(file), "as it was");
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BodyModel model = good;
  model.bodies.clear();
  expect_refused(model, "no bodies");
  for (const double radius : {-1e-300, nan, 1.1e6}) {
    model = good;
    model.bodies[0].radius = radius;
    expect_refused(model, "/bodies/0/radius");
  }
  for (const Vec3 p : {Vec3{nan, 0, 0}, {0, 2e6, 0}, {0, 0, -HUGE_VAL}}) {
    model = good;
    model.bodies[0].points.push_back(p);
    expect_refused(model, "/bodies/0/points/1");
  }
  model = good;
  model.bodies[0].points.clear();
  expect_refused(model, "/bodies/0/points");
  model = good;
  model.bodies[0].points.resize(kMaxModelPoints + 1);
  expect_refused(model, "/bodies/0/points");
  model = good;
  model.bodies[0].link.clear();
  expect_refused(model, "/bodies/0/link");
}

TEST(ModelFile, AFailureToWriteLosesNothing) {
  const BodyModel model{"w", "", Around::collision, {{"base", 1, {{}}, ""}}};
  const Folder folder;
  EXPECT_EQ(refusal([&] { write_model(model, folder.path()); }).kind(), Error::Kind::write);
  EXPECT_EQ(refusal([&] { write_model(model, folder.path() / "no/model.json"); }).kind(),
            Error::Kind::write);
  EXPECT_EQ(refusal([&] { write_model(model, ""); }).kind(), Error::Kind::usage);
  if (fs::exists("/dev/full")) {
    const fs::path file = folder.path() / "link.json";
    fs::create_symlink("/dev/full", file);
    const Error error = refusal([&] { write_model(model, file); });
    EXPECT_EQ(error.kind(), Error::Kind::write);
    EXPECT_NE(std::string(error.what()).find("cannot be written"), std::string::npos);
    EXPECT_TRUE(fs::is_symlink(file));
  }
  EXPECT_LE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(ModelFile, ALinkIsFollowed) {
  const BodyModel model{"w", "", Around::collision, {{"base", 1, {{}}, ""}}};
  const Folder folder;
  const fs::path file = folder.write("model.json", "{}");
  fs::create_symlink(file, folder.path() / "link.json");
  write_model(model, folder.path() / "link.json");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.json"));
  expect_same(model, read_model(file));
}

}  // namespace
}  // namespace keepclear
