// SPDX-License-Identifier: BSD-3-Clause
//
// Meshes by grammar: the same solids in every way that a format lets one write them.
#include <gtest/gtest.h>

#include <span>

#include "shape/mesh_grammar/trial.hpp"
#include "shape/surface_claim.hpp"

namespace keepclear::test {
namespace {

/// Every pair of choices: nothing is read as another solid, and what is promised is read.
void expect_every_pair_right(Grammar grammar, int at_least) {
  const Trial trial;
  int read = 0, refused = 0;
  for_all_pairs([&](Choices& choices) {
    const Judgement judgement = trial.judge(write(grammar, choices));
    EXPECT_NE(judgement.kind, Judgement::Kind::wrong)
        << choices.in_words() << ": " << judgement.why;
    ++(judgement.kind == Judgement::Kind::refused ? refused : read);
  });
  EXPECT_GE(read, at_least);
  ::testing::Test::RecordProperty("read", read);
  ::testing::Test::RecordProperty("refused", refused);
}

TEST(MeshGrammar, EveryPairOfChoicesInPly) {
  expect_every_pair_right(Grammar::ply, 1000);
}
TEST(MeshGrammar, EveryPairOfChoicesInCollada) {
  expect_every_pair_right(Grammar::dae, 1000);
}
TEST(MeshGrammar, EveryPairOfChoicesInGltf) {
  expect_every_pair_right(Grammar::gltf, 500);
}

// Choices that are drawn: tests/campaigns/mesh_grammar.cpp.

// ---- The judge itself, and the comparison with what assimp read: each must be able to say no.

TEST(MeshGrammar, TheJudgeNoticesWhatIsLost) {
  Choices choices(std::map<std::string, int>{{"solid", 4}});
  const Written written = PlyWriter(choices).write();
  const auto bytes = std::as_bytes(std::span(written.bytes));
  const Mesh right = parse_ply_mesh(bytes, "x");
  ASSERT_EQ(judge(written, right).kind, Judgement::Kind::right);
  Mesh fewer = right;
  fewer.triangles.pop_back();
  EXPECT_EQ(judge(written, fewer).kind, Judgement::Kind::wrong);
  Mesh moved = right;
  moved.vertices[3].z += 1e-9;
  EXPECT_EQ(judge(written, moved).kind, Judgement::Kind::wrong);
  Mesh turned = right;
  std::swap(turned.triangles[0][0], turned.triangles[0][1]);
  EXPECT_EQ(judge(written, turned).kind, Judgement::Kind::wrong);
}

using foreign::BoundedPoint;
using foreign::ClaimCheck;
using foreign::SurfaceClaim;

/// Two triangles of a square, shown at z = 0 and at z = 5.
SurfaceClaim two_squares() {
  SurfaceClaim claim;
  claim.positions = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  foreign::Primitive square;
  square.place = "<triangles> of geometry 'square'";
  square.line = 7;
  square.add({0, 1, 2});
  square.add({0, 2, 3});
  claim.primitives = {square};
  claim.frames = {{-1, {}}, {-1, {foreign::step({}, {0, 0, 5})}}};
  claim.shown = {{0, 0}, {0, 1}};
  return claim;
}

struct ReadAs {
  std::size_t squares = 2, triangles = 2;
  Vec3 moved;           ///< added to the last corner of each triangle
  bool turned = false;  ///< the other way round
  double error = 1e-7;
};

/// What the comparison says of it; empty for nothing.
std::string compare(const ReadAs& read) {
  const SurfaceClaim claim = two_squares();
  const std::string name = "x.dae";
  ClaimCheck check(claim, name);
  try {
    for (std::size_t s = 0; s < read.squares; ++s) {
      check.next();
      for (std::size_t t = 0; t < read.triangles; ++t) {
        check.polygon(3, [&](std::size_t k) {
          const std::size_t corner = read.turned ? 2 - k : k;
          const std::uint32_t v = claim.primitives[0].corners[3 * (t % 2) + corner];
          Vec3 p = claim.positions[0][v] + Vec3{0, 0, 5.0 * static_cast<double>(s)};
          if (k == 2) p = p + read.moved;
          return BoundedPoint{p, read.error};
        });
      }
      check.end_element();
    }
    check.end();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(SurfaceClaim, IsComparedCornerByCorner) {
  EXPECT_EQ(compare({}), "");
  EXPECT_EQ(compare({.moved = {0, 0, 9e-8}}), "");
  const auto says = [](const ReadAs& read, const char* what) {
    const std::string said = compare(read);
    EXPECT_NE(said.find(what), std::string::npos) << what << " in: " << said;
    return said;
  };
  EXPECT_NE(
      says({.triangles = 1}, "2 polygons, 1 are read").find("x.dae:7: <triangles> of geometry"),
      std::string::npos);
  says({.triangles = 3}, "polygon 3 is read, the element has 2");
  says({.squares = 1}, "it is not read");
  says({.squares = 3}, "more than the file says");
  says({.moved = {0, 0, 1.1e-7}}, "corner 3 of polygon 1");
  says({.moved = {NAN, 0, 0}}, "corner 3 of polygon 1");
  says({.turned = true}, "corner 1 of polygon 1");
}

}  // namespace
}  // namespace keepclear::test
