// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs of false statements: certificates of harmless motions, edited until something collides,
// and sealed anew. Each must be refused, and at a line that tells why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "keepclear/certify.hpp"
#include "keepclear/proof.hpp"
#include "proof/checker.hpp"
#include "proof/statement.hpp"
#include "scene/scenes.hpp"

namespace keepclear::test {
namespace {

std::string printed(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%a", value);
  return digits;
}

/// The lines of a certificate, without its seal.
class Lines {
 public:
  explicit Lines(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
    lines_.pop_back();
  }

  /// Where the nth line stands that begins so.
  std::size_t find(const std::string& begin, std::size_t nth = 0) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].starts_with(begin)) continue;
      if (nth-- == 0) return i;
    }
    ADD_FAILURE() << "no line '" << begin << "'";
    return 0;
  }
  std::size_t count(const std::string& begin) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines_, [&](const auto& line) { return line.starts_with(begin); }));
  }
  std::string& line(const std::string& begin, std::size_t nth = 0) {
    return lines_[find(begin, nth)];
  }
  std::string word(const std::string& begin, std::size_t place, std::size_t nth = 0) const {
    std::istringstream in(lines_[find(begin, nth)]);
    std::string word;
    for (std::size_t i = 0; i <= place; ++i) in >> word;
    return word;
  }
  void set(const std::string& begin, std::size_t place, const std::string& value,
           std::size_t nth = 0) {
    std::istringstream in(lines_[find(begin, nth)]);
    std::string line;
    std::size_t i = 0;
    for (std::string word; in >> word; ++i)
      line += (i > 0 ? " " : "") + (i == place ? value : word);
    ASSERT_LT(place, i);
    lines_[find(begin, nth)] = line;
  }
  void set(const std::string& begin, std::size_t place, double value, std::size_t nth = 0) {
    set(begin, place, printed(value), nth);
  }
  void drop(std::size_t first, std::size_t last) {
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(first),
                 lines_.begin() + static_cast<std::ptrdiff_t>(last));
  }
  void insert(std::size_t at, const std::string& line) {
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), line);
  }
  std::size_t size() const { return lines_.size(); }
  const std::string& operator[](std::size_t i) const { return lines_[i]; }
  /// Everything from the first tree on.
  void drop_proof() { drop(find("tree"), size()); }

  std::string sealed() const {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return resealed(text);
  }

 private:
  std::vector<std::string> lines_;
};

/// Invalid, and the line that is named begins with one of these.
void expect_refused(const std::string& text, std::initializer_list<const char*> where) {
  const Ruling ruling = check_certificate(text);
  ASSERT_EQ(ruling.verdict, Ruling::Verdict::invalid) << ruling.text();
  const bool there = std::ranges::any_of(
      where, [&](const char* begin) { return ruling.record.starts_with(begin); });
  EXPECT_TRUE(there) << ruling.text();
}

/// What was edited is false indeed, by sampling.
void expect_false(const std::string& text) {
  std::mt19937_64 random(1);
  EXPECT_LT(Statement(text).worst(random, 3000).beyond, 0);
}
void expect_refused_and_false(const Lines& lines, std::initializer_list<const char*> where) {
  expect_refused(lines.sealed(), where);
  expect_false(lines.sealed());
}

/// A ball of 10 cm on a carriage: along x, then along y. `other`: what stands around.
World carriage(const std::vector<SceneObject>& objects, int robots = 1) {
  const Folder folder;
  const auto slide = [](const char* name, const char* from, const char* to, const char* axis) {
    return joint(name, "prismatic", from, to, std::string("<axis xyz=\"") + axis + "\"/>");
  };
  const std::filesystem::path urdf =
      folder.write("carriage.urdf", robot(link("base") + link("cart") + link("ball", sphere(0.1)) +
                                          slide("x", "base", "cart", "1 0 0") +
                                          slide("y", "cart", "ball", "0 1 0")));
  Scene scene;
  for (int r = 0; r < robots; ++r) {
    scene.robots.push_back(robot_of(robots == 1 ? "" : r == 0 ? "one" : "two", urdf));
  }
  scene.objects = objects;
  return compile(scene, {.allow_no_pairs = true});
}

SceneObject plate(const std::string& name, Vec3 size, Vec3 at) {
  return object_of(name, box_shape(size), {at, {}, {}});
}

std::string path_text(const World& world, const Path& path, const CertifyOptions& options = {},
                      const ProofOptions& proof = {}) {
  const Certificate found = certify(world, path, options);
  EXPECT_EQ(found.verdict, Verdict::free);
  const WrittenCertificate written = path_certificate(world, path, options, found, {}, proof);
  const std::string& text = written.text;
  if (text.empty()) throw std::runtime_error(written.why);
  const Ruling ruling = check_certificate(text);
  EXPECT_TRUE(ruling.valid()) << ruling.text();
  return text;
}

/// From (0, 0) to (2, 0) in a second, past a thin plate 5 m away.
std::string past_a_plate() {
  const std::vector<double> from{0, 0}, to{2, 0};
  return path_text(carriage({plate("plate", {1e-3, 1, 1}, {1, 5, 0})}), line_path(from, to));
}

TEST(FalseProofs, AThinPlateBetweenTheEndsIsNotPassed) {
  Lines lines(past_a_plate());
  // `link plate 0 fixed X Y Z rpy ...`
  lines.set("link plate", 5, 0.0);
  expect_refused_and_false(lines, {"clear", "apart", "done"});
}

TEST(FalseProofs, AThinPlateIsNotPassedWithADeepProofEither) {
  // The proof of a motion beside the plate, at 2 cm, that has many cells.
  const std::vector<double> control{0, 0, 1, 1.2, 2, 0};
  const World world = carriage({plate("plate", {1e-3, 1, 1}, {1, 1.25, 0})});
  const std::string text = path_text(world, bezier_path(2, control, 0, 1));
  for (const double y : {1.2, 1.13, 1.0, 0.6}) {
    Lines lines(text);
    lines.set("link plate", 5, y);
    expect_refused_and_false(lines, {"clear", "apart", "done"});
  }
}

TEST(FalseProofs, WhatTouchesAtTheEndOnlyIsNotFree) {
  const std::vector<double> from{0, 0}, to{1, 0};
  const World world = carriage({plate("wall", {0.2, 1, 1}, {1.3, 0, 0})});
  const std::string text = path_text(world, line_path(from, to));
  Lines lines(text);
  // `piece BEGIN END DEGREE x0 y0 x1 y1`: the ball ends at the wall, to the last bit or beyond.
  lines.set("piece", 6, 1.1);
  expect_refused(lines.sealed(), {"clear", "apart", "done"});
  lines.set("piece", 6, 1.1 + 1e-8);
  expect_refused_and_false(lines, {"clear", "apart", "done"});
}

TEST(FalseProofs, ABentPathIsAnotherPath) {
  const std::vector<double> control{0, 0, 1, 0.1, 2, 0};
  const World world = carriage({plate("plate", {0.1, 0.1, 1}, {1, 0.6, 0})});
  Lines lines(path_text(world, bezier_path(2, control, 0, 1)));
  lines.set("piece", 7, 1.1);
  expect_refused_and_false(lines, {"clear", "apart", "done"});
}

TEST(FalseProofs, ACollisionWithinTheTubeAloneIsOne) {
  const std::vector<double> from{0, 0}, to{2, 0}, width{0, 0.01};
  const World world = carriage({plate("plate", {0.1, 0.1, 1}, {1, 0.3, 0})});
  Lines lines(path_text(world, with_tube(line_path(from, to), width)));
  lines.set("tube", 2, 0.2, 0), lines.set("tube", 2, 0.2, 1);
  expect_refused_and_false(lines, {"clear", "apart", "done"});
  Lines beside(path_text(world, line_path(from, to)));
  beside.set("beside", 2, 0.2);
  expect_refused_and_false(beside, {"clear", "apart", "done"});
  // A tube that is wide at one end alone.
  Lines end(path_text(world, with_tube(line_path(from, to), width)));
  end.set("tube", 2, 0.4, 1);
  expect_refused_and_false(end, {"clear", "apart", "done"});
}

TEST(FalseProofs, ACollisionWithTheBaseOffIsOne) {
  const std::vector<double> from{0, 0}, to{2, 0};
  const World world = carriage({plate("plate", {0.1, 0.1, 1}, {1, 0.3, 0})});
  CertifyOptions options;
  options.base.push_back({0, 0.01, 0.001});
  const std::string text = path_text(world, line_path(from, to), options);
  Lines shifted(text);
  shifted.set("loose", 2, 0.2);
  expect_refused_and_false(shifted, {"clear", "apart", "done"});
  Lines turned(text);
  turned.set("loose", 3, 0.2);
  expect_refused_and_false(turned, {"clear", "apart", "done"});
  CertifyOptions deviates;
  deviates.deviation = 0.01;
  Lines strays(path_text(world, line_path(from, to), deviates, {.share = 0.5}));
  strays.set("stray", 1, 0.2);
  expect_refused_and_false(strays, {"clear", "apart", "done"});
}

/// Two carriages that cross at (1, 0), a second one after the other.
std::string crossing(double offset) {
  const World world = carriage({}, 2);
  const std::vector<double> from{0, 0, 1, -1}, to{2, 0, 1, 1};
  const Path paths[] = {line_path(from, to), retimed(line_path(from, to), 2, 1)};
  const Certificate found = MotionQuery(world)(paths, offset);
  EXPECT_EQ(found.verdict, Verdict::free);
  const std::string text = clock_certificate(world, paths, offset, {}, found, {}).text;
  const Ruling ruling = check_certificate(text);
  EXPECT_TRUE(ruling.valid()) << ruling.text();
  return text;
}

TEST(FalseProofs, OneTimingOfTwoThatCollidesIsEnough) {
  Lines lines(crossing(0.5));
  lines.set("offset", 1, 1.5);
  expect_refused_and_false(lines, {"later", "apart", "done", "cell"});
  lines.set("offset", 1, "inf");
  expect_refused(lines.sealed(), {"later", "apart", "done", "cell"});
  // The second one sets out earlier: `piece BEGIN END`.
  Lines early(crossing(0.5));
  early.set("piece", 1, 0.4, 1), early.set("piece", 2, 1.4, 1);
  expect_refused_and_false(early, {"later", "apart", "done", "cell"});
}

/// One cycle: at x with the velocity v, a wall at 2.
std::string braking(double v, double latency) {
  const World world = carriage({plate("wall", {0.2, 2, 2}, {2.1, 0, 0})});
  Recording recording;
  recording.world = world.hash();
  recording.brake =
      uniform_brake(world, latency,
                    {.max_acceleration = 1, .brake_deceleration = 2, .brake_deceleration_most = 4});
  RecordedCycle cycle;
  cycle.q = {0, 0}, cycle.v = {v, 0};
  cycle.found.action = Action::go;
  recording.cycles.push_back(cycle);
  const std::string text = guard_certificate(world, recording, {}).text;
  const Ruling ruling = check_certificate(text);
  EXPECT_TRUE(ruling.valid()) << ruling.text();
  return text;
}

TEST(FalseProofs, AGuardOfAnotherWorldThanTheOneLoadedHasNoCertificate) {
  const World world = carriage({plate("wall", {0.2, 2, 2}, {2.1, 0, 0})});
  const BrakeModel brake =
      uniform_brake(world, 0.1, {.max_acceleration = 1, .brake_deceleration = 2});
  const std::vector<double> q{0, 0}, v{0, 0};
  const auto recorded = [&](bool changed) {
    Guard guard(world, brake);
    FlightRecorder recorder(world, brake, {}, guard, 10);
    const PairInfo pair = world.pairs()[0];
    if (changed) {
      EXPECT_TRUE(guard.set_margin(pair.a, pair.b, 0.3));
      recorder.restart(guard);
    }
    const GuardState state{.time = 1, .q = q, .v = v};
    EXPECT_EQ(guard.step(state), Action::go);
    recorder.push(state, guard);
    return recorder.recording();
  };
  EXPECT_TRUE(check_certificate(guard_certificate(world, recorded(false), {}).text).valid());
  EXPECT_THROW(guard_certificate(world, recorded(true), {}), Error);
}

TEST(FalseProofs, ABrakingMotionThatEndsInAWallIsOne) {
  const std::string text = braking(1, 0.1);
  const auto where = {"clear", "apart", "done"};
  Lines fast(text);  // `cycle NAME qx qy vx vy`
  fast.set("cycle", 4, 3.0);
  expect_refused_and_false(fast, where);
  Lines weak(text);  // `brake A B MOST EP EV EA STOPS`
  weak.set("brake", 2, 0.2);
  expect_refused_and_false(weak, where);
  Lines late(text);
  late.set("latency", 1, 2.0);
  expect_refused_and_false(late, where);
  Lines pushed(text);
  pushed.set("brake", 1, 60.0);
  expect_refused_and_false(pushed, where);
  Lines unsure(text);
  unsure.set("brake", 5, 3.0);
  expect_refused_and_false(unsure, where);
  Lines elsewhere(text);
  elsewhere.set("cycle", 2, 1.85);
  expect_refused_and_false(elsewhere, where);
}

TEST(FalseProofs, ASecondCycleNeedsAProofOfItsOwn) {
  Lines lines(braking(1, 0.1));
  std::string again = lines.line("cycle");
  lines.insert(lines.find("cycle") + 1, again);
  EXPECT_TRUE(check_certificate(lines.sealed()).valid());
  lines.set("cycle", 4, 3.0, 1);
  expect_refused_and_false(lines, {"clear", "apart", "done"});
}

TEST(FalseProofs, GrownAndMovedThingsAreSeen) {
  const std::vector<double> from{0, 0}, to{2, 0};
  const World world = carriage({plate("plate", {0.1, 0.1, 1}, {1, 0.3, 0}),
                                object_of("floor", plane_shape({0, 0, 1}, -0.2))});
  const std::string text = path_text(world, line_path(from, to));
  const auto where = {"clear", "apart", "done"};
  Lines radius(text);  // `hull SOLID LINK RADIUS X Y Z`
  radius.set("hull", 3, 0.26);
  expect_refused_and_false(radius, where);
  Lines point(text);
  point.set("hull", 5, 0.2);
  expect_refused_and_false(point, where);
  Lines more(text);
  more.line("hull") += " " + printed(0) + " " + printed(0.2) + " " + printed(0);
  expect_refused_and_false(more, where);
  Lines box(text);  // `box SOLID LINK CX CY CZ HX HY HZ`
  box.set("box", 7, 0.25);
  expect_refused_and_false(box, where);
  Lines floor(text);  // `plane SOLID LINK NX NY NZ OFFSET`
  floor.set("plane", 6, -0.05);
  expect_refused_and_false(floor, where);
  Lines tilted(text);
  tilted.set("plane", 3, -0.3);
  expect_refused_and_false(tilted, where);
  Lines turned(text);  // `link cart 1 slide X Y Z rpy R P Y AX AY AZ K`
  turned.set("link cart", 10, 0.25);
  expect_refused_and_false(turned, where);
  Lines axis(text);
  axis.set("link cart", 12, 0.25);
  expect_refused_and_false(axis, where);
}

TEST(FalseProofs, AJointThatFollowsGoesWhereItIsTold) {
  // The ball, which follows y, is 5 m off: where the plate stands.
  Lines lines(past_a_plate());
  lines.line("link ball") += " " + printed(1) + " " + printed(0);
  EXPECT_TRUE(check_certificate(lines.sealed()).valid());
  Lines off = lines;
  off.line("link ball") += " " + printed(-1) + " " + printed(5);
  expect_refused_and_false(off, {"clear", "apart", "done"});
}

TEST(FalseProofs, ASkippedPairIsSaidToBeSkipped) {
  Lines lines(past_a_plate());
  // The pair is no longer claimed. That is valid, of nothing; and the summary says so.
  lines.insert(lines.find("clearance"), "skip 0 1 allowed because");
  lines.drop_proof();
  const Ruling ruling = check_certificate(lines.sealed());
  ASSERT_TRUE(ruling.valid()) << ruling.text();
  const std::string summary = summary_of(lines.sealed());
  EXPECT_NE(summary.find("ball"), std::string::npos) << summary;
  EXPECT_NE(summary.find("plate"), std::string::npos) << summary;
  EXPECT_NE(summary.find("because"), std::string::npos) << summary;
}

TEST(FalseProofs, NothingIsLeftOut) {
  Lines none(past_a_plate());
  none.drop_proof();
  expect_refused(none.sealed(), {"end"});

  // Of two children, the second is missing: then the first, then what settles a pair.
  const std::vector<double> control{0, 0, 1, 1.2, 2, 0};
  const World world = carriage({plate("plate", {1e-3, 1, 1}, {1, 1.25, 0})});
  const std::string text = path_text(world, bezier_path(2, control, 0, 1));
  ASSERT_GE(Lines(text).count("cell"), 2u);
  Lines second(text);
  std::size_t last = second.size();
  while (!second[last - 1].starts_with("cell")) --last;
  second.drop(last - 1, second.size());
  expect_refused(second.sealed(), {"end"});
  Lines first(text);
  const std::size_t cell = first.find("cell");
  std::size_t next = cell + 1;
  while (!first[next].starts_with("cell")) ++next;
  first.drop(cell, next);
  EXPECT_FALSE(check_certificate(first.sealed()).valid());
  for (const char* kind : {"apart ", "clear "}) {
    for (std::size_t k = 0; k < Lines(text).count(kind); ++k) {
      Lines dropped(text);
      const std::size_t at = dropped.find(kind, k);
      dropped.drop(at, at + 1);
      expect_refused(dropped.sealed(), {"done", "cell", "apart"});
    }
  }
}

TEST(FalseProofs, HalvesMeetAndFillTheirCell) {
  const std::vector<double> control{0, 0, 1, 1.2, 2, 0};
  const World world = carriage({plate("plate", {1e-3, 1, 1}, {1, 1.25, 0})});
  const std::string text = path_text(world, bezier_path(2, control, 0, 1));
  // `cell s0 LO HI`: the first child, and the one that begins where it ends.
  const double middle = std::strtod(Lines(text).word("cell", 3).c_str(), nullptr);
  std::size_t other = 1;
  while (Lines(text).word("cell", 2, other) != printed(middle)) ++other;
  for (const double by : {-0.1, 0.1}) {
    Lines gap(text);
    gap.set("cell", 2, middle + by, other);
    expect_refused(gap.sealed(), {"cell"});
    Lines one(text);
    one.set("cell", 3, middle + by);
    EXPECT_FALSE(check_certificate(one.sealed()).valid());
  }
  Lines beyond(text);
  beyond.set("cell", 3, 1.5);
  expect_refused(beyond.sealed(), {"cell"});
  Lines backwards(text);
  backwards.set("cell", 3, -0.5);
  expect_refused(backwards.sealed(), {"cell"});
  Lines short_of(text);
  std::size_t last = short_of.count("cell") - 1;
  while (short_of.word("cell", 3, last) != printed(1)) --last;
  short_of.set("cell", 3, 0.99, last);
  EXPECT_FALSE(check_certificate(short_of.sealed()).valid());
}

TEST(FalseProofs, BoundsAreAboveTheMarginAndAtLeastTheClearance) {
  // From corner to corner, past the corner of a plate at (0.3, 0.7).
  const std::vector<double> from{0, 0}, to{1, 1};
  const double real = std::sqrt(0.08) - 0.1;
  const World world = carriage({plate("plate", {0.2, 0.2, 1}, {0.2, 0.8, 0})});
  CertifyOptions options;
  options.margin = 0.01;
  const std::string text = path_text(world, line_path(from, to), options);
  ASSERT_EQ(Lines(text).count("apart "), 1u);
  Lines claimed(text);
  claimed.set("clearance", 1, 0.2);
  expect_refused_and_false(claimed, {"apart"});
  Lines margin(text);
  margin.set("margin", 1, 0.2);
  expect_refused_and_false(margin, {"apart"});
  // A margin that is the bound itself is not kept by it.
  Lines exact(text);
  exact.set("margin", 1, exact.word("apart", 6));
  exact.set("clearance", 1, 0.0);
  expect_refused(exact.sealed(), {"apart"});
  // As far as it goes, and beyond.
  const auto with_bound = [&](double bound) {
    Lines lines(text);
    lines.set("apart", 3, "-16384"), lines.set("apart", 4, "16384"), lines.set("apart", 5, "0");
    lines.set("apart", 6, bound);
    return lines;
  };
  EXPECT_TRUE(check_certificate(with_bound(real - 1e-12).sealed()).valid());
  expect_refused(with_bound(real + 1e-12).sealed(), {"apart"});
  expect_refused(with_bound(2 * real).sealed(), {"apart"});
  Lines along = with_bound(real - 1e-12);
  along.set("apart", 4, "-16384");
  expect_refused(along.sealed(), {"apart"});
}

TEST(FalseProofs, ClearSaysNothingOfPlanesAndOfWhatMoves) {
  const std::vector<double> from{0, 0}, to{2, 0};
  const World world = carriage(
      {plate("plate", {1e-3, 1, 1}, {1, 5, 0}), object_of("floor", plane_shape({0, 0, 1}, -5))});
  Lines lines(path_text(world, line_path(from, to)));
  const std::size_t at = lines.find("apart");
  lines.drop(at, at + 1);
  expect_refused(lines.sealed(), {"done"});
}

TEST(FalseProofs, LevelsAreCounted) {
  Lines lines(past_a_plate());
  lines.drop_proof();
  lines.insert(lines.size(), "tree all");
  double middle = 1;
  for (int level = 0; level < 300; ++level) {
    middle /= 2;
    lines.insert(lines.size(), "cell s0 " + printed(0) + " " + printed(middle));
  }
  expect_refused(lines.sealed(), {"cell"});
}

TEST(FalseProofs, WordsHaveOneForm) {
  const std::string text = past_a_plate();
  for (const char* word : {"nan", "inf", "-inf", "0x1P+0", "0X1p+0", "1", "0x1.0p+0", "0x2p+0",
                           "-0x0p+0", "0x1p0", "0x1p+00", "+0x1p+0", "0x1p+1024", "0x.8p+1"}) {
    Lines lines(text);
    lines.set("piece", 4, word);
    expect_refused(lines.sealed(), {"piece"});
  }
  for (const char* word : {"00", "+0", "-0", "0x0p+0", "", "18446744073709551616"}) {
    Lines lines(text);
    lines.set("hull", 1, word);
    expect_refused(lines.sealed(), {"hull"});
  }
  Lines spaces(text);
  spaces.line("margin") += " ";
  expect_refused(spaces.sealed(), {"margin"});
  Lines negative(text);
  negative.set("hull", 3, -0.1);
  expect_refused(negative.sealed(), {"hull"});
}

}  // namespace
}  // namespace keepclear::test
