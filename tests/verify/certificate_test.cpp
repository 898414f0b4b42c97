// SPDX-License-Identifier: BSD-3-Clause
// Small certificates written by hand, and false ones next to them: each is refused for the line
// that is wrong. All are sealed, so that it is the content that is judged.
#include "certificates.hpp"

namespace verify {
namespace {

// An arm of a metre that turns about z, a ball above it and one in its plane.
const std::string kArm =
    "number q {-3 3}\n"
    "link base\n"
    "link arm 0 hinge {0 0 0} rpy {0 0 0} {0 0 1} 0\n"
    "solid arm link 1\n"
    "solid ball object 0\n"
    "hull 0 1 {0.05} {0.2 0 0} {1 0 0}\n"
    "hull 1 0 {0.1} {0 0 1}\n"
    "margin {0.01}\n";
const std::string kClearance = "clearance {0.1}\n";
const std::string kPath = "path 0 0\nbeside {0}\npiece {0 2} 1 {0} {1}\n";
const std::string kAbove = kArm + kClearance + kPath + "tree all\n";

TEST(Certificate, OfAPathIsValid) {
  expect_valid("path", kAbove + "apart 0 1 0 0 1 {0.8499}\ndone\n");
  expect_valid("path", kAbove + "apart 0 1 0 0 7 {0.1}\ndone\n");
  expect_valid("path", kAbove + "clear 0\ndone\n");
  expect_valid("path", replaced(kAbove, "tree all", "tree 0 1") + "clear 0\ndone\n");
  expect_valid("path", replaced(kAbove, "tree all", "tree 0 still") + "clear 0\ndone\n");
  expect_valid(
      "path",
      kAbove + "cell s0 {0 0.5}\nclear 0\ndone\ncell s0 {0.5 1}\napart 0 1 0 0 1 {0.5}\ndone\n");
}

TEST(Certificate, ABoundThatDoesNotHoldIsRefused) {
  expect_invalid("path", kAbove + "apart 0 1 0 0 1 {0.8501}\ndone\n", "apart", "cannot confirm");
  expect_invalid("path", kAbove + "apart 0 1 0 0 -1 {0.8}\ndone\n", "apart", "cannot confirm");
  expect_invalid("path", kAbove + "apart 0 1 1 0 0 {0.8}\ndone\n", "apart", "cannot confirm");
  expect_invalid("path", kAbove + "apart 0 1 0 0 1 {0.01}\ndone\n", "apart",
                 "not above the margin");
  expect_invalid("path", kAbove + "apart 0 1 0 0 1 {0.09}\ndone\n", "apart", "below the clearance");
  expect_invalid("path",
                 replaced(kAbove, "clearance {0.1}", "clearance {0.86}") + "clear 0\ndone\n",
                 "done", "left open");
  expect_invalid("path", replaced(kAbove, "margin {0.01}", "margin {0.86}") + "clear 0\ndone\n",
                 "done", "left open");
  expect_invalid(
      "path",
      replaced(kAbove, "margin {0.01}", "margin {0}\nmargin 0 1 {0.86}") + "clear 0\ndone\n",
      "done", "left open");
  expect_valid("path", replaced(kAbove, "margin {0.01}", "margin {0.9}\nmargin 0 1 {0.84}") +
                           "clear 0\ndone\n");
}

TEST(Certificate, WhatIsOffComesOff) {
  for (const std::string off : {"stray {0.2}\n", "loose 1 {0.2 0}\n", "loose 0 {0.2 0}\n"}) {
    const std::string text = kArm + off + kClearance + kPath + "tree all\n";
    if (off.starts_with("loose 1")) {
      expect_invalid("path", text + "clear 0\ndone\n", "loose 1", "a joint moves");
    } else if (off.starts_with("loose 0")) {  // carries both
      expect_valid("path", text + "apart 0 1 0 0 1 {0.8499}\ndone\n");
    } else {
      expect_valid("path", text + "apart 0 1 0 0 1 {0.6499}\ndone\n");
      expect_invalid("path", text + "apart 0 1 0 0 1 {0.6501}\ndone\n", "apart", "cannot confirm");
      expect_valid("path",
                   replaced(text, "clearance {0.1}", "clearance {0.6499}") + "clear 0\ndone\n");
      expect_invalid("path",
                     replaced(text, "clearance {0.1}", "clearance {0.6501}") + "clear 0\ndone\n",
                     "done", "left open");
    }
  }
  // The arm on a base of its own, which is loose by 0.1 m and 0.1 rad: 0.1 + 0.1 · 1 come off.
  const std::string based =
      replaced(replaced(replaced(kArm, "link arm 0",
                                 "link foot 0 fixed {0 0 0} rpy {0 0 0}\nlink arm 1"),
                        "solid arm link 1\nsolid ball object 0\nhull 0 1",
                        "solid arm link 2\nsolid ball object 0\nhull 0 2"),
               "margin {0.01}\n", "margin {0.01}\nloose 1 {0.1 0.1}\n") +
      kClearance + replaced(kPath, "{0} {1}", "{0} {0.001}") + "tree all\n";
  expect_valid("path", based + "apart 0 1 0 0 1 {0.6498}\ndone\n");
  expect_invalid("path", based + "apart 0 1 0 0 1 {0.6501}\ndone\n", "apart", "cannot confirm");
  expect_valid("path", replaced(based, "{0.1}\n", "{0.6498}\n") + "clear 0\ndone\n");
  // The ball on that base instead.
  std::string ball = replaced(replaced(based, "link arm 1", "link arm 0"),
                              "solid ball object 0\nhull 0 2", "solid ball object 1\nhull 0 2");
  ball = replaced(ball, "hull 1 0", "hull 1 1");
  expect_valid("path", ball + "apart 0 1 0 0 1 {0.6498}\ndone\n");
  expect_invalid("path", ball + "apart 0 1 0 0 1 {0.6502}\ndone\n", "apart", "cannot confirm");
  expect_invalid("path", replaced(ball, "clearance {0.1}", "clearance {0.68}") + "clear 0\ndone\n",
                 "done", "left open");
}

TEST(Certificate, CellsTile) {
  const std::string a = "apart 0 1 0 0 1 {0.5}\ndone\n";
  expect_invalid("path", kAbove, "end", "a line 'cell' was expected");
  expect_invalid("path", kAbove + "done\n", "done", "left open");
  expect_invalid("path", kAbove + "cell s0 {0 0.5}\ndone\ncell s0 {0.5 1}\n" + a, "done",
                 "left open");
  expect_invalid("path", kAbove + "cell s0 {0 0.5}\n" + a, "end", "a line 'cell' was expected");
  expect_invalid("path", kAbove + "cell s0 {0 0.5}\n" + a + "cell s0 {0.6 1}\n" + a, "cell s0 {0.6",
                 "first half ends");
  expect_invalid("path", kAbove + "cell s0 {0 0.5}\n" + a + "cell s0 {0.5 0.9}\n" + a,
                 "cell s0 {0.5", "cell around");
  expect_invalid("path", kAbove + "cell s0 {0.1 0.5}\n" + a + "cell s0 {0.5 1}\n" + a,
                 "cell s0 {0.1", "does not begin");
  expect_invalid("path", kAbove + "cell s0 {0 1}\n" + a + "cell s0 {1 1}\n" + a, "cell s0 {0",
                 "not a part");
  expect_invalid("path", kAbove + "cell s0 {0 0}\n" + a + "cell s0 {0 1}\n" + a, "cell s0 {0 0}",
                 "not a part");
  expect_invalid("path", kAbove + "cell s1 {0 0.5}\n" + a, "cell s1", "no coordinate");
  expect_invalid("path", kAbove + "cell q0 {0 0.5}\n" + a, "cell q0", "no coordinate");
  expect_invalid("path", kAbove + "cell s00 {0 0.5}\n" + a, "cell s00", "no coordinate");
  expect_invalid("path", kAbove + "cell s {0 0.5}\n" + a, "cell s", "no coordinate");
  expect_invalid("path", kAbove + a + "cell s0 {0 0.5}\n" + a + "cell s0 {0.5 1}\n" + a, "cell s0",
                 "'end' was expected");
  expect_valid("path", kAbove + "apart 0 1 0 0 1 {0.4}\n" + "cell s0 {0 0.5}\n" + a +
                           "cell s0 {0.5 1}\ndone\n");
  expect_invalid("path",
                 kAbove + "cell s0 {0 0.5}\n" + a + "cell s0 {0.5 1}\napart 0 1 0 0 1 {0.4}\n" + a,
                 "apart 0 1 0 0 1 {0.5}", "out of order");
  expect_invalid("path", kAbove + "later\n", "later", "'cell' was expected");
  // 200 levels are enough for anyone.
  std::string deep = kAbove, rest;
  double lo = 0;
  for (int i = 0; i < 210; ++i) {
    const double middle = std::ldexp(1.0, -i - 1);
    deep += "cell s0 " + hex(lo) + " " + hex(middle) + "\n";
    rest = "cell s0 " + hex(middle) + " " + hex(2 * middle) + "\n" + a + rest;
    if (i == 198)
      expect_valid(
          "path", deep + a + [&] {
            std::string r;
            for (int k = 198; k >= 0; --k)
              r += "cell s0 " + hex(std::ldexp(1.0, -k - 1)) + " " + hex(std::ldexp(1.0, -k)) +
                   "\n" + a;
            return r;
          }());
  }
  expect_invalid("path", deep + a, "cell s0", "200 levels");
}

TEST(Certificate, EveryPairIsSettledOnce) {
  const std::string a = "apart 0 1 0 0 1 {0.5}\ndone\n";
  expect_invalid("path", kArm + kClearance + kPath, "end", "no tree has the solids 0 and 1");
  const std::string one = kArm + kClearance + kPath + "tree 0 1\n" + a;
  expect_invalid("path", one + "tree 0 1\n" + a, "tree 0 1", "another tree has");
  expect_invalid("path", one + "tree 0 still\n" + a, "tree 0 still", "another tree has");
  expect_invalid("path", one + "tree all\n" + a, "tree all", "whole number");
  expect_invalid("path", kAbove + a + "tree 0 1\n" + a, "tree 0 1", "'end' was expected");
  expect_invalid("path", kAbove + "apart 1 0 0 0 1 {0.5}\ndone\n", "apart", "does not have");
  expect_invalid("path", kAbove + "apart 0 2 0 0 1 {0.5}\ndone\n", "apart", "index");
  expect_invalid("path", kAbove + "apart 0 1 0 0 0 {0.5}\ndone\n", "apart", "0 0 0");
  expect_invalid("path", kAbove + "apart 0 1 0 0 1073741825 {0.5}\ndone\n", "apart", "too large");
  expect_invalid("path", kAbove + "clear 1\n", "clear 1", "stands still");
  expect_invalid("path", kAbove + "clear 0\nclear 0\ndone\n", "clear 0", "out of order");
  // A pair that is settled already may be settled again.
  expect_valid("path", kAbove + "clear 0\n" + a);
  expect_valid("path", kAbove + "clear 0\ncell s0 {0 0.5}\n" + a + "cell s0 {0.5 1}\n" + a);
  const std::string skipped = replaced(kAbove, kClearance, "skip 0 1 given %\n" + kClearance);
  expect_valid("path", skipped + "done\n");
  expect_invalid("path", replaced(skipped, "tree all", "tree 0 1") + a, "tree 0 1", "not claimed");
}

// Two links in a plane, with a margin of the pair of them; solids 0 and 2 meet, 1 is a floor.
const std::string kPlanar =
    "number a {-3 3}\nnumber b {-3 3}\n"
    "link base\n"
    "link upper 0 hinge {0 0 0} rpy {0 0 0} {0 0 1} 0\n"
    "link lower 1 hinge {1 0 0} quat {0 0 0 2} {0 0 2} 1\n"
    "solid floor object 0\nsolid upper link 1\nsolid lower link 2\n"
    "plane 0 0 {0 0 2} {-1}\n"
    "box 1 1 {0.25 0 0} {0.25 0.05 0.05}\n"
    "hull 2 2 {0.05} {0.2 0 0} {1 0 0}\n"
    "margin {0}\n";

TEST(Certificate, OfABox) {
  const std::string text = kPlanar + "skip 0 1 tested no%20need\n" +
                           "clearance {0.01}\nrange {-3 3}\nrange {-0.5 0.5}\n";
  const std::string floor = "tree 0 2\napart 2 0 0 0 0 {0.8249}\ndone\n";
  const std::string pair =
      "tree 1 2\ncell q1 {-0.5 0}\napart 1 2 1 0 0 {0.4}\ndone\ncell q1 {0 0.5}\napart 1 2 1 0 0 "
      "{0.4}\ndone\n";
  expect_valid("box", text + floor + pair);
  expect_valid("box", replaced(text, "{-3 3}\nrange {-0.5", "{-9 9}\nrange {-0.5") + floor + pair);
  // Numbers above both do not matter: not even if they are not bounded.
  expect_invalid("box", replaced(text, "range {-3 3}", "range -inf inf") + floor + pair,
                 "apart 2 0", "cannot confirm");
  expect_invalid("box",
                 replaced(text, "skip 0 1 tested no%20need", "skip 0 2 tested no%20need") +
                     "tree 0 1\napart 1 0 0 0 0 {0.5}\ndone\n" + floor,
                 "tree 0 2", "not claimed");
  expect_valid(
      "box", replaced(replaced(text, "range {-3 3}", "range -inf inf"), "skip 0 1 tested no%20need",
                      "skip 0 1 tested no%20need\nskip 0 2 tested %") +
                 pair);
  expect_invalid("box", text + pair, "end", "solids 0 and 2");
  expect_invalid("box", text + pair + floor, "tree 0 2", "out of order");
  expect_invalid("box", text + replaced(floor, "0 0 0", "0 0 1"), "apart 2 0", "0 0 0");
  expect_invalid("box", text + replaced(floor, "0.8249", "0.8251"), "apart 2 0", "cannot confirm");
  expect_invalid("box", text + floor + replaced(pair, "cell q1 {-0.5 0}", "cell q0 {-3 0}"),
                 "cell q0", "no coordinate");
  expect_invalid("box", text + floor + replaced(pair, "0.4}\ndone\ncell", "0.64}\ndone\ncell"),
                 "apart 1 2", "cannot confirm");
  expect_invalid("box", replaced(text, "range {-0.5 0.5}\n", "") + floor + pair, "tree",
                 "'range' was expected");
  expect_invalid("box", replaced(text, "{-0.5 0.5}", "{0.5 -0.5}") + floor + pair, "range",
                 "before it begins");
}

TEST(Certificate, OfPairsThatNeverMeet) {
  const std::string text =
      kPlanar + "skip 1 2 adjacent %\nclearance {0}\nrange {-3 3}\nrange {-0.5 0.5}\nonly 1 2\n";
  const std::string pair =
      "tree 1 2\ncell q1 {-0.5 0}\napart 1 2 1 0 0 {0.4}\ndone\ncell q1 {0 0.5}\napart 1 2 1 0 0 "
      "{0.4}\ndone\n";
  expect_valid("never", text + pair);
  expect_invalid("never", text, "end", "solids 1 and 2");
  expect_invalid("never", text + "tree 0 2\napart 2 0 0 0 0 {0.1}\ndone\n", "tree 0 2",
                 "not claimed");
  expect_invalid("never", replaced(text, "only 1 2\n", "") + pair, "tree", "'only' was expected");
  expect_invalid("never", replaced(text, "only 1 2", "only 2 1") + pair, "only", "lower index");
  expect_invalid("never", replaced(text, "only 1 2", "only 1 2\nonly 0 1") + pair, "only 0 1",
                 "out of order");
}

// The ball at (0, 1.5) and an arm that comes near it, along a cubic and in a tube.
TEST(Certificate, OfACurveInATube) {
  const std::string world = replaced(kArm, "{0 0 1}\nmargin", "{0 1.5 0}\nmargin");
  const std::string text =
      world +
      "clearance {0.1}\npath 0 0\nbeside {0.001}\npiece {0 1} 3 {0} {0.01} {0.01} {0.02}\n"
      "piece {1 1} 1 {0.02} {0.02}\ntube {0.01}\ntube {0}\ntube {0}\ntree all\n";
  expect_valid("path", text + "apart 0 1 0 1 0 {1.3}\ndone\n");
  expect_invalid("path", text + "apart 0 1 0 1 0 {1.325}\ndone\n", "apart", "cannot confirm");
  // The least along y is 1.35 - sin(0.02 + 0.001 + the tube) at the end.
  const std::string halves = text +
                             "cell s0 {0 1}\napart 0 1 0 1 0 {1.328}\ndone\ncell s0 {1 2}\napart 0 "
                             "1 0 1 0 {1.3289}\ndone\n";
  expect_invalid("path", halves, "apart 0 1 0 1 0 {1.328}", "cannot confirm");
  expect_valid("path", replaced(replaced(halves, "{1.328}", "{1.31}"), "{1.3289}", "{1.3287}"));
  expect_invalid(
      "path",
      replaced(text, "tube {0}\ntube {0}\n", "tube {0}\n") + "apart 0 1 0 1 0 {1.3}\ndone\n",
      "tree", "'tube' was expected");
  expect_invalid(
      "path",
      replaced(text, "tube {0}\n", "tube {0}\ntube {0}\n") + "apart 0 1 0 1 0 {1.3}\ndone\n",
      "tube", "more rows");
  expect_invalid("path",
                 replaced(text, "piece {1 1}", "piece {1.1 2}") + "apart 0 1 0 1 0 {1.3}\ndone\n",
                 "piece {1.1", "before does not end");
  expect_invalid("path",
                 replaced(text, "piece {0 1} 3", "piece {0 1} 2") + "apart 0 1 0 1 0 {1.3}\ndone\n",
                 "piece {0", "words too many");
  expect_invalid("path", replaced(text, "piece {0 1} 3", "piece {0 1} 33") + "", "piece {0",
                 "index");
  expect_invalid("path", replaced(text, "tube {0.01}", "tube {-0.01}") + "", "tube", "negative");
  // With a wider tube it no longer holds.
  expect_invalid("path",
                 replaced(text, "tube {0.01}", "tube {0.05}") + "apart 0 1 0 1 0 {1.3}\ndone\n",
                 "apart", "cannot confirm");
  expect_invalid(
      "path", replaced(text, "beside {0.001}", "beside {0.05}") + "apart 0 1 0 1 0 {1.3}\ndone\n",
      "apart", "cannot confirm");
}

// Two arms one metre apart that sweep through the same place, one after the other.
const std::string kTwo =
    "number a -inf inf\nnumber b -inf inf\n"
    "link world\n"
    "link one 0 slide {0 0 0} rpy {0 0 0} {1 0 0} 0\n"
    "link two 0 slide {0 0 0} rpy {0 0 0} {0 1 0} 1\n"
    "solid one link 1\nsolid two link 2\n"
    "hull 0 1 {0.1} {0 0 0}\nhull 1 2 {0.1} {0 0 0}\n"
    "margin {0}\nclearance {0}\n"
    "path 0 0\nbeside {0}\npiece {0 4} 1 {-1} {1}\npiece {4 8} 1 {1} {1}\n"
    "path 1 1\nbeside {0}\npiece {0 4} 1 {-1} {-1}\npiece {4 8} 1 {-1} {1}\n";

TEST(Certificate, OfClocks) {
  const std::string text = kTwo + "offset {0.5}\ntree 0 1\n";
  // One moves in [0, 1] and passes 0 at its place 0.5, two at its place 1.5.
  const std::string proof =
      "cell s0 {0 1}\n"
      "cell s1 {0 1.2}\napart 0 1 0 -1 0 {0.3}\ndone\n"
      "cell s1 {1.2 2}\n"
      "cell s0 {0 0.9}\nlater\n"
      "cell s0 {0.9 1}\napart 0 1 -1 0 0 {0.5}\ndone\n"
      "cell s0 {1 2}\napart 0 1 -1 0 0 {0.5}\ndone\n";
  expect_valid("clocks", text + proof);
  expect_invalid("clocks", replaced(text, "offset {0.5}", "offset {1.3}") + proof, "later",
                 "no two times");
  expect_invalid("clocks", replaced(text, "offset {0.5}", "offset inf") + proof, "later",
                 "no two times");
  expect_invalid("clocks", replaced(text, "offset {0.5}", "offset {-0.5}") + proof, "offset",
                 "negative");
  expect_invalid("clocks", replaced(text, "tree 0 1", "tree all") + proof, "tree all",
                 "is for path");
  expect_invalid("clocks",
                 text + replaced(proof, "cell s0 {0 0.9}\nlater\n",
                                 "cell s0 {0 0.9}\napart 0 1 -1 0 0 {0.01}\ndone\n"),
                 "apart", "cannot confirm");
  expect_invalid("clocks", text + "later\n", "later", "no two times");
  expect_invalid("clocks",
                 text + replaced(proof, "later\n", "later\napart 0 1 -1 0 0 {0.01}\ndone\n"),
                 "apart", "'cell' was expected");
  expect_invalid("clocks", replaced(text, "path 1 1", "path 0 0") + proof, "path 0 0",
                 "no path drives");
  // Moving along the same line at the same time is no excuse: the clocks are two.
  const std::string both = replaced(replaced(kTwo, "{0 1 0} 1", "{1 0 0} 1"),
                                    "piece {0 4} 1 {-1} {-1}\npiece {4 8} 1 {-1} {1}",
                                    "piece {0 4} 1 {0} {2}\npiece {4 8} 1 {2} {2}") +
                           "offset {0.5}\ntree 0 1\n";
  expect_invalid("clocks", both + "apart 0 1 1 0 0 {0.5}\ndone\n", "apart", "cannot confirm");
  const std::string one = replaced(replaced(both,
                                            "{-1} {1}\npiece {4 8} 1 {1} {1}\npath 1 1\nbeside "
                                            "{0}\npiece {0 4} 1 {0} {2}\npiece {4 8} 1 {2} {2}",
                                            "{-1 0} {1 2}"),
                                   "offset {0.5}\n", "");
  expect_valid("path",
               replaced(replaced(one, "path 0 0", "path 0 1"), "beside {0}", "beside {0 0}") +
                   "apart 0 1 1 0 0 {0.7999}\ndone\n");
}

// A slide of which the braking way is known: 1 m/s, latency 0.1 s, 2 m/s² up to then, brakes of 4
// to 8 m/s².
TEST(Certificate, OfAGuard) {
  const std::string world =
      "number a {-5 5}\nlink base\nlink cart 0 slide {0 0 0} rpy {0 0 0} {1 0 0} 0\n"
      "solid cart link 1\nsolid wall object 0\nhull 0 1 {0} {0 0 0}\nplane 1 0 {-1 0 0} {-1}\n"
      "margin {0}\nclearance {0}\nlatency {0.1}\nbrake {2 4 8 0 0 0} 0\n";
  // Its way is 0.1 + 0.01 + 1.2² / 8 = 0.29.
  const std::string text = world + "cycle 0.00 {0} {1}\ntree 0 1\n";
  expect_valid("guard", text + "apart 0 1 0 0 0 {0.7099}\ndone\n");
  expect_invalid("guard", text + "apart 0 1 0 0 0 {0.7101}\ndone\n", "apart", "cannot confirm");
  expect_invalid(
      "guard",
      replaced(text, "latency {0.1}", "latency {0.2}") + "apart 0 1 0 0 0 {0.7099}\ndone\n",
      "apart", "cannot confirm");
  expect_invalid(
      "guard",
      replaced(text, "{2 4 8 0 0 0}", "{2 4 8 0.001 0 0}") + "apart 0 1 0 0 0 {0.7099}\ndone\n",
      "apart", "cannot confirm");
  expect_invalid(
      "guard",
      replaced(text, "{2 4 8 0 0 0}", "{2 4 8 0 0.001 0}") + "apart 0 1 0 0 0 {0.7099}\ndone\n",
      "apart", "cannot confirm");
  expect_invalid(
      "guard",
      replaced(text, "{2 4 8 0 0 0}", "{2 0 8 0 0 0}") + "apart 0 1 0 0 0 {0.7099}\ndone\n",
      "brake", "do not brake");
  // With a command of 0 ± 1: 0.1 + 0.005 + 1.1² / 8 = 0.25625.
  const std::string command =
      replaced(replaced(text, "{0} {1}\n", "{0} {1} {0}\n"), "{2 4 8 0 0 0}", "{2 4 8 0 0 1}");
  expect_valid("guard", command + "apart 0 1 0 0 0 {0.7437}\ndone\n");
  expect_invalid("guard", command + "apart 0 1 0 0 0 {0.7438}\ndone\n", "apart", "cannot confirm");
  // In slices of time and of the number.
  const std::string sliced = text +
                             "cell t {0 0.1}\napart 0 1 0 0 0 {0.889}\ndone\ncell t {0.1} inf\n"
                             "cell q0 -inf {0.1}\napart 0 1 0 0 0 {0.89}\ndone\ncell q0 {0.1} "
                             "inf\napart 0 1 0 0 0 {0.7099}\ndone\n";
  expect_valid("guard", sliced);
  expect_invalid("guard", replaced(sliced, "{0.889}", "{0.891}"), "apart 0 1 0 0 0 {0.891}",
                 "cannot confirm");
  // A part of the number where it never is proves anything, if its record is in order.
  const std::string nowhere = text +
                              "cell q0 -inf {0.4}\napart 0 1 0 0 0 {0.7}\ndone\ncell q0 {0.4} "
                              "inf\napart 0 1 0 0 0 {0.9}\ndone\n";
  expect_valid("guard", nowhere);
  // Two cycles, the second of which is nearer.
  const std::string two =
      replaced(text, "tree", "cycle 0.01 {0.2} {1}\ntree") +
      "cell c 0 0\napart 0 1 0 0 0 {0.7099}\ndone\ncell c 1 1\napart 0 1 0 0 0 {0.5099}\ndone\n";
  expect_valid("guard", two);
  expect_invalid("guard", replaced(two, "{0.5099}", "{0.7099}"), "apart", "cannot confirm");
  expect_invalid("guard", replaced(two, "cell c 1 1", "cell c 0 1"), "cell c 0 1",
                 "first half ends");
  expect_invalid("guard", replaced(two, "cell c 0 0", "cell c 0 1"), "cell c 0 1", "not a part");
  expect_invalid("guard", replaced(two, "{0.2} {1}", "{0.2} {1} {0}"), "cycle 0.01",
                 "all cycles or none");
  // Stops: it does not pass 0.05, and stays there.
  const std::string stops = replaced(replaced(text, "number a {-5 5}", "number a {-0.01 0.05}"),
                                     "{2 4 8 0 0 0} 0", "{2 4 8 0 0 0} 1");
  expect_valid("guard", stops + "apart 0 1 0 0 0 {0.9499}\ndone\n");
  expect_invalid("guard", stops + "apart 0 1 0 0 0 {0.9501}\ndone\n", "apart", "cannot confirm");
}

// A tetrahedron in a hull with room, and a triangle that needs two bodies.
TEST(Certificate, OfAFit) {
  const std::string world =
      "link a\nsolid a link 0\n"
      "hull 0 0 {0.1} {0 0 0} {1 0 0} {0 1 0} {0 0 1}\n"
      "hull 0 0 {0.1} {1 0 0} {2 0 0} {1 1 0}\n";
  const std::string tetra =
      "shape 0 {0.01} {0.001}\ncorner {0 0 0}\ncorner {1 0 0}\ncorner {0 1 0.05}\ncorner {0.25 "
      "0.25 0.25}\n";
  const std::string proof =
      "inside 0 0 1 1 0\ninside 1 0 1 7 1\ninside 2 0 1 1 2\ninside 3 0 4 1 0 1 1 1 2 1 3\nwhole "
      "0\n";
  expect_valid("fit", world + tetra + proof);
  expect_invalid("fit", world + replaced(tetra, "0.01}", "0.06}") + proof, "inside 2",
                 "cannot confirm");
  expect_invalid("fit", world + replaced(tetra, "0.001}", "0.06}") + proof, "inside 2",
                 "cannot confirm");
  expect_invalid("fit", replaced(world, "hull 0 0 {0.1}", "hull 0 0 {0.05}") + tetra + proof,
                 "inside 2", "cannot confirm");
  expect_invalid("fit", world + tetra + replaced(proof, "1 3\n", "2 3\n"), "inside 3",
                 "cannot confirm");
  expect_invalid("fit", world + tetra + replaced(proof, "inside 2 0 1 1 2\n", ""), "whole 0",
                 "not inside");
  expect_invalid("fit", world + tetra + replaced(proof, "whole 0\n", "whole 1\n"), "whole 1",
                 "not inside");
  expect_invalid("fit", world + tetra + replaced(proof, "whole 0\n", ""), "end",
                 "'whole' was expected");
  expect_invalid("fit", world + tetra + replaced(proof, "1 7 1", "1 -7 1"), "inside 1",
                 "not above 0");
  expect_invalid("fit", world + tetra + replaced(proof, "1 7 1", "0"), "inside 1", "no points");
  const std::string face =
      "shape 0 {0} {0}\ncorner {0 0 0}\ncorner {2 0 0}\ncorner {1 0.05 0}\nface 0 1 2\n";
  const std::string halves =
      "halve 0\ninside 0 0 1 1 0\ninside 3 0 1 1 1\ninside 2 0 1 1 1\nwhole 0\n"
      "inside 3 1 1 1 0\ninside 1 1 1 1 1\ninside 2 1 1 1 0\nwhole 1\n";
  expect_valid("fit", world + tetra + proof + face + halves);
  expect_valid("fit", world + face + halves);
  expect_invalid("fit", world + replaced(face, "0 1 2", "1 2 0") + halves, "inside 3 0",
                 "cannot confirm");
  expect_invalid("fit", world + face + replaced(halves, "halve 0", "halve 3"), "halve", "index");
  expect_invalid("fit", world + face + "inside 0 0 1 1 0\ninside 2 0 1 1 1\nwhole 0\n", "whole 0",
                 "not inside");
  expect_invalid("fit", world + face + replaced(halves, "whole 1\n", ""), "end",
                 "'halve' was expected");
  std::string deep = world + face;
  for (int i = 0; i < 61; ++i) deep += "halve 0\n";
  expect_invalid("fit", deep, "halve", "60");
  expect_invalid("fit", world, "end", "'shape' was expected");
}

// A floating body that turns by up to δ, and one more on its way.
TEST(Certificate, OfAFloatingJoint) {
  std::string text;
  for (const char* n : {"x", "y", "z", "i", "j", "k", "w"})
    text += std::string("number ") + n + " -inf inf\n";
  text +=
      "link base\nlink body 0 floating {0 0 0} rpy {0 0 0} 0\nsolid body link 1\nsolid ball object "
      "0\n"
      "hull 0 1 {0} {0.5 0 0}\nhull 1 0 {0} {0 0 1}\nmargin {0}\nclearance {0}\n"
      "range {-0.1 0.1}\nrange {-0.1 0.1}\nrange {-0.1 0.1}\nrange {-0.01 0.01}\nrange {-0.01 "
      "0.01}\nrange {-0.01 0.01}\n"
      "range {0.99 1.01}\ntree 0 1\n";
  // 2 asin(0.02) · 0.5 = 0.02000133
  expect_valid("box", text + "apart 0 1 0 0 1 {0.87999}\ndone\n");
  expect_invalid("box", text + "apart 0 1 0 0 1 {0.87999999}\ndone\n", "apart", "cannot confirm");
  expect_invalid(
      "box", replaced(text, "range {0.99 1.01}", "range {-1 1}") + "apart 0 1 0 0 1 {0.1}\ndone\n",
      "apart", "cannot confirm");
  const std::string two = replaced(
      replaced(text, "solid body", "link more 1 floating {0 0 0} rpy {0 0 0} 0\nsolid body"),
      "link 1\nsolid ball object 0\nhull 0 1", "link 2\nsolid ball object 0\nhull 0 2");
  EXPECT_EQ(verdict("box", two + "apart 0 1 0 0 1 {0.1}\ndone\n").code, 2);
}

TEST(Certificate, IsReadStrictly) {
  const std::string good = kAbove + "clear 0\ndone\n";
  expect_valid("path", good);
  expect_invalid("path", replaced(good, "link arm 0", "link arm 1"), "link arm", "index");
  expect_invalid("path", replaced(good, "hinge", "hinged"), "link arm", "no kind");
  expect_invalid("path", replaced(good, "{0 0 1} 0\n", "{0 0 0} 0\n"), "link arm", "zero");
  expect_invalid("path", replaced(good, "{0 0 1} 0\n", "{0 0 1} 1\n"), "link arm", "index");
  expect_invalid("path", replaced(good, "{0 0 1} 0\n", "{0 0 1} 0 {1}\n"), "link arm",
                 "words too few");
  expect_invalid("path", replaced(good, "rpy {0 0 0}", "quat {0 0 0 0}"), "link arm", "zero");
  expect_invalid("path", replaced(good, "hull 0 1 {0.05}", "hull 0 1 {-0.05}"), "hull 0",
                 "negative");
  expect_invalid("path", replaced(good, "hull 0 1 {0.05} {0.2 0 0}", "hull 0 1 {0.05} {0.2 0}"),
                 "hull 0", "words too few");
  expect_invalid("path", replaced(good, "hull 1 0", "hull 0 0"), "hull 0 0", "a joint is between");
  expect_invalid("path", replaced(good, "hull 0 1", "hull 1 1"), "hull 1 1", "out of its order");
  expect_invalid(
      "path", replaced(good, "solid ball object 0\n", "solid ball object 0\nsolid none link 0\n"),
      "hull 1", "without a body");
  expect_invalid("path", replaced(good, "solid ball object 0\n", "solid ball thing 0\n"),
                 "solid ball", "link or object");
  expect_invalid("path", replaced(good, "hull 1 0 {0.1} {0 0 1}", "plane 1 1 {0 0 1} {-1}"),
                 "plane", "a joint is between");
  expect_invalid("path", replaced(good, "margin {0.01}\n", ""), "clearance",
                 "'margin' was expected");
  expect_invalid("path", replaced(good, "number q {-3 3}", "number q {3 -3}"), "number", "limits");
  expect_invalid("path", replaced(good, "number q ", "number q%41 "), "number", "one form");
  expect_invalid("path", replaced(good, "number q ", "number q% "), "number", "one form");
  expect_invalid("path", replaced(good, "number q ", "number q%2f "), "number", "one form");
  expect_invalid("path", replaced(good, "number q ", "number  q "), "number", "one space");
  expect_invalid("path", replaced(good, "clear 0\ndone\n", "clear 0 \n"), "clear", "one space");
  expect_invalid("path", replaced(good, "clear 0\ndone\n", "clear 00\n"), "clear", "one form");
  expect_invalid("path", replaced(good, "clear 0\ndone\n", "clear 0\r\n"), "clear", "one form");
  expect_invalid("path", replaced(good, "clear 0\ndone\n", "\nclear 0\ndone\n"), "",
                 "words too few");
  expect_invalid("path", good + "clear 0\ndone\n", "clear 0", "'end' was expected");
  expect_invalid("path", good + "hello\n", "hello", "'end' was expected");
  expect_invalid("paths", good, "claim paths", "no kind");
  expect_valid("path", replaced(good, "number q ", "number q%20%25%00%FF "));
  expect_valid("path", replaced(good, "number q ", "number % "));
  expect_valid("path", replaced(good, "{0 0 1} 0\n", "{0 0 1} 0 {-1 0.5} {2 0}\n"));
}

TEST(Certificate, IsSealed) {
  round_upwards();
  const std::string text = seal(head("path") + with_hex(kAbove + "clear 0\ndone\n"));
  EXPECT_EQ(verdict_of(text).code, 0);
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      const int code = verdict_of(changed).code;
      // The version is the one thing that cannot be judged.
      ASSERT_TRUE(code == 1 || (code == 2 && i == 22)) << i << changed;
    }
  for (std::size_t i = 0; i < text.size(); ++i)
    ASSERT_EQ(verdict_of(text.substr(0, i)).code, 1) << i;
  EXPECT_EQ(verdict_of(text + "\n").code, 1);
  EXPECT_EQ(verdict_of(text + "end " + sha256(text) + "\n").code, 1);
  EXPECT_EQ(verdict_of(text + " ").code, 1);
  EXPECT_EQ(verdict_of("").code, 1);
  EXPECT_EQ(verdict_of("\n").code, 1);
  EXPECT_EQ(verdict_of("keepclear-certificate 2\nwhatever\n").code, 2);
  EXPECT_EQ(verdict_of("keepclear-certificate 1\n").code, 1);
  EXPECT_EQ(verdict_of(std::string(1000, '\0')).code, 1);
}

}  // namespace
}  // namespace verify
