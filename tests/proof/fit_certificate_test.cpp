// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates of fits, read again in exact rational arithmetic (docs/certificate.md, section 6).
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "keepclear/fit.hpp"
#include "keepclear/proof.hpp"

namespace keepclear {
namespace {

using Exact = std::array<mpq_class, 3>;

/// Reads shapes and their proofs; says what is wrong, or nothing.
class Judge {
 public:
  explicit Judge(const std::string& text) : stream_(text) { next(); }

  std::string judge() {
    while (kind_ != "hull" && kind_ != "end") next();
    for (; kind_ == "hull"; next()) take_hull();
    while (kind_ == "shape") {
      if (std::string fault = judge_shape(); !fault.empty()) return fault;
    }
    return kind_ == "end" ? "" : "a line that does not belong here: " + kind_;
  }

  std::size_t shapes = 0, faces = 0, halves = 0, corners = 0, bodies = 0;

 private:
  struct Hull {
    std::size_t link = 0;
    mpq_class radius;
    std::vector<Exact> points;
  };

  void next() {
    std::string line;
    words_.clear();
    kind_.clear();
    if (!std::getline(stream_, line)) return;
    std::istringstream words(line);
    words >> kind_;
    for (std::string word; words >> word;) words_.push_back(word);
  }
  std::size_t index(std::size_t i) const { return std::stoul(words_.at(i)); }
  mpq_class number(std::size_t i) const {
    double value = 0;
    EXPECT_EQ(std::sscanf(words_.at(i).c_str(), "%la", &value), 1);
    return mpq_class(value);
  }
  Exact point(std::size_t i) const { return {number(i), number(i + 1), number(i + 2)}; }

  void take_hull() {
    Hull hull{index(1), number(2), {}};
    for (std::size_t i = 3; i < words_.size(); i += 3) hull.points.push_back(point(i));
    hulls_.push_back(std::move(hull));
    ++bodies;
  }

  std::string judge_shape() {
    ++shapes;
    link_ = index(0);
    reach_ = number(1) + number(2);
    corners_.clear();
    inside_.clear();
    std::vector<std::array<std::size_t, 3>> given;
    for (next(); kind_ == "corner"; next()) corners_.push_back(point(0));
    corners += corners_.size();
    for (; kind_ == "face"; next()) given.push_back({index(0), index(1), index(2)});
    faces += given.size();
    for (const auto& face : given) {
      if (std::string fault = judge_face(face, 0); !fault.empty()) return fault;
    }
    if (!given.empty()) return {};
    if (std::string fault = take_insides(); !fault.empty()) return fault;
    if (kind_ != "whole") return "no whole";
    for (std::size_t c = 0; c < corners_.size(); ++c) {
      if (!inside_.contains({c, index(0)})) return "a corner is not inside";
    }
    next();
    return {};
  }

  std::string take_insides() {
    for (; kind_ == "inside"; next()) {
      const Exact& corner = corners_.at(index(0));
      const Hull& hull = hulls_.at(index(1));
      if (hull.link != link_) return "a body of another link";
      mpz_class sum = 0;
      Exact mean{};
      if (words_.size() != 3 + 2 * index(2)) return "not so many weights";
      for (std::size_t i = 3; i < words_.size(); i += 2) {
        const mpz_class weight(words_[i]);
        if (weight <= 0 || weight > mpz_class(1) << 53) return "a weight out of range";
        sum += weight;
        const Exact& p = hull.points.at(index(i + 1));
        for (int k = 0; k < 3; ++k) mean[k] += weight * p[k];
      }
      if (sum == 0) return "no weights";
      mpq_class squared = 0;
      for (int k = 0; k < 3; ++k) {
        const mpq_class off = corner[k] - mean[k] / sum;
        squared += off * off;
      }
      const mpq_class room = hull.radius - reach_;
      if (room < 0 || squared > room * room) return "a corner sticks out";
      inside_.emplace(index(0), index(1));
    }
    return {};
  }

  std::string judge_face(const std::array<std::size_t, 3>& face, int depth) {
    if (std::string fault = take_insides(); !fault.empty()) return fault;
    if (kind_ == "whole") {
      for (const std::size_t corner : face) {
        if (!inside_.contains({corner, index(0)})) return "a corner is not inside";
      }
      next();
      return {};
    }
    if (kind_ != "halve" || depth == 60) return "a face is left open";
    ++halves;
    const std::size_t side = index(0), other = (side + 1) % 3;
    next();
    Exact middle;
    for (int k = 0; k < 3; ++k)
      middle[k] = (corners_[face[side]][k] + corners_[face[other]][k]) / 2;
    auto first = face, second = face;
    first[other] = second[side] = corners_.size();
    corners_.push_back(middle);
    std::string fault = judge_face(first, depth + 1);
    return fault.empty() ? judge_face(second, depth + 1) : fault;
  }

  std::istringstream stream_;
  std::string kind_;
  std::vector<std::string> words_;
  std::vector<Hull> hulls_;
  std::size_t link_ = 0;
  mpq_class reach_;
  std::vector<Exact> corners_;
  std::set<std::pair<std::size_t, std::size_t>> inside_;
};

/// A bar, 2 x 0.2 x 0.2, as a mesh of twelve long triangles, placed aslant, and a ball.
class FitCertificate : public testing::Test {
 protected:
  FitCertificate() {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("keepclear-fit-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    std::string mesh;
    for (int i = 0; i < 8; ++i) {
      mesh += "v " + std::string(i & 1 ? "1 " : "-1 ") + (i & 2 ? "0.1 " : "-0.1 ") +
              (i & 4 ? "0.1\n" : "-0.1\n");
    }
    for (const char* face : {"1 2 4 3", "5 6 8 7", "1 2 6 5", "3 4 8 7", "1 3 7 5", "2 4 8 6"}) {
      mesh += std::string("f ") + face + "\n";
    }
    write("bar.obj", mesh);
    urdf_ = write("bar.urdf", R"(<robot name="bar"><link name="post"><collision>
      <geometry><sphere radius="0.25"/></geometry></collision></link>
      <link name="bar"><collision><origin xyz="0.3 -0.2 0.1" rpy="0.1 0.2 0.3"/>
      <geometry><mesh filename="bar.obj"/></geometry></collision></link>
      <joint name="turn" type="continuous"><parent link="post"/><child link="bar"/>
      <origin xyz="0 0 3"/></joint></robot>)");
  }
  ~FitCertificate() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  /// The ball has a body of its own size.
  BodyModel model(std::vector<ModelBody> bodies) const {
    BodyModel model;
    bodies.insert(bodies.begin(), {"post", 0.25, {{0, 0, 0}}, ""});
    model.bodies = std::move(bodies);
    return model;
  }

  WrittenCertificate certificate(const BodyModel& of) const {
    LoadOptions options;
    options.allow_no_pairs = true;
    return fit_certificate(load(urdf_, options), of, {});
  }

  std::filesystem::path folder_;
  std::string urdf_;
};

TEST_F(FitCertificate, OfFittedBodiesIsTrueInExactArithmetic) {
  for (const int parts : {0, 3}) {
    FitOptions options;
    options.points = 4;
    options.starts = 30;
    options.refined = 1;
    options.parts = parts;
    const Fit fitted = fit(urdf_, {}, options);
    const WrittenCertificate written = certificate(fitted.model);
    ASSERT_FALSE(written.text.empty()) << written.why;
    Judge judge(written.text);
    EXPECT_EQ(judge.judge(), "");
    EXPECT_EQ(judge.shapes, 2U);
    EXPECT_EQ(judge.faces, 12U);
    EXPECT_EQ(judge.bodies, fitted.bodies.size());
    EXPECT_EQ(judge.halves > 0, fitted.bodies.size() > 2) << "parts " << parts;
  }
}

/// Two bodies that overlap in the middle: no triangle along the bar is in one of them.
TEST_F(FitCertificate, HalvesWhatGoesFromOneBodyIntoAnother) {
  const Vec3 along{0.936293363584199, 0.289629477625516, -0.198669330795061};
  const Vec3 centre{0.3, -0.2, 0.1};
  const BodyModel two = model({{"bar", 0.25, {centre - 1.0 * along, centre + 0.1 * along}, ""},
                               {"bar", 0.25, {centre - 0.1 * along, centre + 1.0 * along}, ""}});
  const WrittenCertificate written = certificate(two);
  ASSERT_FALSE(written.text.empty()) << written.why;
  Judge judge(written.text);
  EXPECT_EQ(judge.judge(), "");
  EXPECT_GE(judge.halves, 8U);
  EXPECT_EQ(written.text, certificate(two).text);
}

TEST_F(FitCertificate, ABallIsInABodyOfItsOwnSize) {
  const Vec3 centre{0.3, -0.2, 0.1};
  const WrittenCertificate written = certificate(model({{"bar", 1.2, {centre}, ""}}));
  ASSERT_FALSE(written.text.empty()) << written.why;
  EXPECT_EQ(Judge(written.text).judge(), "");
  BodyModel less = model({{"bar", 1.2, {centre}, ""}});
  less.bodies[0].radius = std::nextafter(0.25, 0);
  const WrittenCertificate none = certificate(less);
  EXPECT_EQ(none.text, "");
  EXPECT_NE(none.why.find("link 'post': sphere"), std::string::npos) << none.why;
}

TEST_F(FitCertificate, WhatIsNotInsideHasNone) {
  const Vec3 centre{0.3, -0.2, 0.1};
  // The half diagonal of the bar is 1.00995.
  EXPECT_FALSE(certificate(model({{"bar", 1.01, {centre}, ""}})).text.empty());
  const WrittenCertificate out = certificate(model({{"bar", 1.0099, {centre}, ""}}));
  EXPECT_EQ(out.text, "");
  EXPECT_NE(out.why.find("bar.obj, face "), std::string::npos) << out.why;
  const WrittenCertificate bare = certificate(model({}));
  EXPECT_EQ(bare.text, "");
  EXPECT_NE(bare.why.find("link 'bar' has shapes and no body"), std::string::npos) << bare.why;
  const WrittenCertificate other = certificate(model({{"barn", 2, {centre}, ""}}));
  EXPECT_EQ(other.text, "");
  EXPECT_NE(other.why.find("no link 'barn'"), std::string::npos) << other.why;
}

/// The judge does see what is wrong.
TEST_F(FitCertificate, AChangedNumberIsSeen) {
  const Vec3 centre{0.3, -0.2, 0.1};
  const std::string text = certificate(model({{"bar", 1.01, {centre}, ""}})).text;
  ASSERT_EQ(Judge(text).judge(), "");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return other.replace(at, from.size(), to);
  };
  EXPECT_EQ(Judge(changed("\nhull 1 1 0x1.028f5c28f5c29p+0 ", "\nhull 1 1 0x1.02p+0 ")).judge(),
            "a corner sticks out");
  EXPECT_EQ(Judge(changed("\ninside 0 1 1 1 0", "")).judge(), "a corner is not inside");
  EXPECT_EQ(Judge(changed("\nwhole 1", "\nwhole 0")).judge(), "a corner is not inside");
}

}  // namespace
}  // namespace keepclear
