// SPDX-License-Identifier: BSD-3-Clause
//
// The rule of docs/certificate.md, section 5, against configurations that are tried one by one.
#include "proof/prover.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "proof/random_cells.hpp"

namespace keepclear {
namespace {

using test::CellDraw;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1e-9;
/// What is apart along a direction is apart; that is looked at once in so many times.
constexpr std::uint64_t kDistanceEvery = 20;

int cases(int usual) {
  const char* const text = std::getenv("KEEPCLEAR_CASES");
  return text != nullptr ? std::max(usual, std::atoi(text)) : usual;
}

/// Bodies of a world at configurations, and how far apart they are along a direction.
class Sampler {
 public:
  explicit Sampler(const World& world)
      : data_(world.data()), frames_(static_cast<std::size_t>(data_.kinematics.frame_count())) {}

  bool go(std::span<const double> q) { return data_.kinematics.forward(q, 0, frames_); }
  const Pose& pose(int body) const { return frame(data_.bodies[body].frame); }
  const Pose& frame(int frame) const { return frames_[static_cast<std::size_t>(frame)].X; }

  /// The least n.x of a body under a pose.
  static double least(const Body& body, const Pose& X, Vec3 n) {
    const Volume volume = body.volume();
    double least = kInfinity;
    for (std::size_t i = 0; i < volume.count; ++i) {
      least = std::min(least, dot(n, X * volume.point(i)));
    }
    return least - volume.radius;
  }

 private:
  const WorldData& data_;
  std::vector<BoundedPose> frames_;
};

Vec3 unit_of(const Direction& d) {
  const Vec3 v{static_cast<double>(d[0]), static_cast<double>(d[1]), static_cast<double>(d[2])};
  return (1 / norm(v)) * v;
}

/// A piece that stands still as a body in the world; none of a half-space.
std::optional<Body> body_of(const Environment& env, std::uint32_t piece) {
  const Piece& p = env.pieces[piece];
  switch (p.kind) {
    case PieceKind::body:
      return env.bodies[p.index];
    case PieceKind::ball:
      return Body::sphere(env.balls[p.index].centre, env.balls[p.index].radius);
    case PieceKind::box:
      return Body::box(2 * env.boxes[p.index].half, Pose{{}, env.boxes[p.index].centre});
    default:
      return {};
  }
}

struct Tally {
  std::size_t worlds = 0, cells = 0, bounds = 0, useful = 0, samples = 0, floating = 0;
  double nearest = kInfinity;  ///< of what was sampled, beyond a bound
};

/// One world and one cell of it: every bound against every sample.
class CellJudge {
 public:
  CellJudge(CellDraw& draw, const World& world, Tally& tally)
      : draw_(draw), world_(world), data_(world.data()), sampler_(world), tally_(tally) {
    const Environment& env = data_.environment;
    for (std::uint32_t p = 0; p < env.pieces.size(); ++p) pieces_.push_back(body_of(env, p));
  }

  void judge(double width, int samples) {
    const bool off = draw_.below(3) == 0;
    const double metres = off ? draw_.uniform(0, 0.05) : 0, stray = off ? 0.01 : 0;
    const double radians = off ? draw_.uniform(0, 0.1) : 0;
    const CertificateWorld claim(world_, [](double margin) { return margin; });
    std::vector<LooseBase> loose;
    if (off) {
      loose.push_back({claim.root_of_robot(0), 0, metres, radians, data_.robots[0].base});
    }
    const std::vector<int> paths = draw_.below(3) == 0 ? clocks() : std::vector<int>{};
    Prover prover(claim, loose, stray, paths);
    const std::vector<NumberLine> cell = draw_.cell(world_, width);
    if (!prover.place(cell)) return;
    ++tally_.cells;
    const auto bodies = static_cast<int>(data_.bodies.size());
    struct Bound {
      int a, b;
      std::uint32_t piece;
      Prover::Found found;
      int common;
    };
    std::vector<Bound> bounds;
    for (int a = 0; a < bodies; ++a) {
      for (int b = a + 1; b < bodies; ++b) {
        if (data_.bodies[a].frame == data_.bodies[b].frame) continue;
        const Prover::Found found = prover.links_apart(a, b, -1);
        if (found.hopeless || found.n == Direction{} || std::isnan(found.bound)) continue;
        bounds.push_back(
            {a, b, 0, found, prover.common_frame(data_.bodies[a].frame, data_.bodies[b].frame)});
      }
      if (data_.bodies[a].frame == 0) continue;
      for (std::uint32_t p = 0; p < data_.environment.pieces.size(); ++p) {
        const Prover::Found found = prover.piece_apart(a, p, -1);
        const bool plane = data_.environment.pieces[p].kind == PieceKind::half_space;
        if (found.hopeless || (found.n == Direction{} && !plane)) continue;
        if (std::isnan(found.bound)) continue;
        bounds.push_back({a, -1, p, found, 0});
      }
    }
    std::vector<Box> boxes;
    for (int a = 0; a < bodies; ++a) {
      boxes.push_back(data_.bodies[a].frame == 0 ? Box{} : prover.box_of(a));
    }
    for (const Bound& bound : bounds) tally_.useful += bound.found.bound > 0;
    tally_.bounds += bounds.size();
    for (int s = 0; s < samples; ++s) {
      const auto q = draw_.configuration(world_, cell, paths, static_cast<std::uint64_t>(s));
      ASSERT_TRUE(sampler_.go(q));
      ++tally_.samples;
      for (const Bound& bound : bounds) {
        if (bound.b >= 0) {
          judge_links(bound.a, bound.b, bound.common, bound.found, stray);
        } else {
          judge_piece(bound.a, bound.piece, bound.found, stray, metres, radians);
        }
        if (testing::Test::HasFailure()) return;
      }
      for (int a = 0; a < bodies; ++a) {
        if (data_.bodies[a].frame == 0 || s % 4 != 0) continue;
        const Pose push = draw_.push(data_.robots[0].base, metres, radians, draw_.unit());
        const Pose X = push * sampler_.pose(a);
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 n{axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0};
          const Body& body = data_.bodies[a].body;
          // A ball joint that can be anyhow has no box.
          ASSERT_FALSE(Sampler::least(body, X, n) < boxes[a].lo[axis] - kSlack);
          ASSERT_FALSE(-Sampler::least(body, X, -n) > boxes[a].hi[axis] + kSlack);
        }
      }
    }
  }

 private:
  /// Two clocks: the first joint on the base and all that it carries have one of them. None where
  /// a joint follows one on the other.
  std::vector<int> clocks() const {
    const Kinematics& kinematics = data_.kinematics;
    std::vector<int> paths(world_.dof(), 1);
    std::vector<char> first(static_cast<std::size_t>(kinematics.frame_count()), 0);
    for (int f = 1; f < kinematics.frame_count(); ++f) {
      const Kinematics::Frame& frame = kinematics.frame(f);
      if (!frame.mimic.empty()) return {};
      first[f] = f == 1 || (frame.parent > 0 && first[frame.parent] != 0);
      const int next = f + 1 < kinematics.frame_count() ? kinematics.frame(f + 1).variable
                                                        : static_cast<int>(world_.dof());
      for (int k = frame.variable; k < next && first[f] != 0; ++k) paths[k] = 0;
    }
    return paths;
  }

  /// What moves may stray by this much; two links of one robot are off by nothing else.
  double stray_of(int body, double stray) const {
    return data_.moves(data_.bodies[body].solid) ? stray : 0;
  }

  void judge_links(int a, int b, int common, const Prover::Found& found, double stray) {
    const Vec3 n = sampler_.frame(common).R * unit_of(found.n);
    Pose X_A = sampler_.pose(a), X_B = sampler_.pose(b);
    X_A.p = X_A.p + stray_of(a, stray) * n;
    X_B.p = X_B.p - stray_of(b, stray) * n;
    const Body &body_a = data_.bodies[a].body, &body_b = data_.bodies[b].body;
    const double along = Sampler::least(body_b, X_B, n) + Sampler::least(body_a, X_A, -n);
    compare(along, found.bound);
    if (found.bound > 0 && draw_.below(kDistanceEvery) == 0) {
      ASSERT_GE(distance(body_a, X_A, body_b, X_B).distance, found.bound - kSlack);
    }
  }

  void judge_piece(int a, std::uint32_t piece, const Prover::Found& found, double stray,
                   double metres, double radians) {
    const Environment& env = data_.environment;
    const Piece& p = env.pieces[piece];
    const Pose& X_WO = env.objects[p.object].X_WO.X;
    const Body& body = data_.bodies[a].body;
    if (p.kind == PieceKind::half_space) {
      const HalfSpace& plane = env.half_spaces[p.index];
      const Vec3 up = X_WO.R * ((1 / norm(plane.n)) * plane.n);
      const Pose X = draw_.push(data_.robots[0].base, metres, radians, -up) * sampler_.pose(a);
      compare(Sampler::least(body, X, up) - stray - plane.offset - dot(up, X_WO.p), found.bound);
      return;
    }
    const Vec3 n = unit_of(found.n);
    Pose X = draw_.push(data_.robots[0].base, metres, radians, n) * sampler_.pose(a);
    X.p = X.p + stray * n;
    const Body& other = *pieces_[piece];
    compare(Sampler::least(other, X_WO, n) + Sampler::least(body, X, -n), found.bound);
    if (found.bound > 0 && draw_.below(kDistanceEvery) == 0) {
      ASSERT_GE(distance(body, X, other, X_WO).distance, found.bound - kSlack);
    }
  }

  void compare(double seen, double bound) {
    if (std::isfinite(bound)) tally_.nearest = std::min(tally_.nearest, seen - bound);
    ASSERT_GE(seen, bound - kSlack);
  }

  CellDraw& draw_;
  const World& world_;
  const WorldData& data_;
  Sampler sampler_;
  std::vector<std::optional<Body>> pieces_;
  Tally& tally_;
};

TEST(Prover, NoConfigurationOfACellIsNearerThanItsBounds) {
  Tally tally;
  const int worlds = cases(80);
  for (int w = 0; w < worlds && !HasFailure(); ++w) {
    SCOPED_TRACE("world " + std::to_string(w));
    CellDraw draw(static_cast<std::uint64_t>(w) * 77 + 5);
    const bool floating = w % 3 == 2;
    const World world = draw.world({.floating = floating});
    ++tally.worlds, tally.floating += floating;
    CellJudge judge(draw, world, tally);
    for (const double width : {1e-6, 1e-3, 0.03, 0.2, 0.7, 2.0}) {
      judge.judge(width, 300);
      if (HasFailure()) break;
    }
  }
  RecordProperty("samples", static_cast<int>(tally.samples));
  std::printf("%zu worlds, %zu cells, %zu bounds (%zu above 0), %zu samples, nearest %.3g m\n",
              tally.worlds, tally.cells, tally.bounds, tally.useful, tally.samples, tally.nearest);
  EXPECT_GT(tally.useful, tally.bounds / 20);
}

/// The least along the direction of a bound over all corners of a cell, less the bound.
double loss(Prover& prover, const World& world, CellDraw& draw, const std::vector<NumberLine>& cell,
            int a, int b) {
  const WorldData& data = world.data();
  if (!prover.place(cell)) return -1;
  const Prover::Found found = prover.links_apart(a, b, 0);
  if (found.hopeless || found.n == Direction{}) return -1;
  const int common = prover.common_frame(data.bodies[a].frame, data.bodies[b].frame);
  Sampler sampler(world);
  double least = kInfinity;
  for (std::uint64_t corner = 0; corner < 256; ++corner) {
    EXPECT_TRUE(sampler.go(draw.configuration(world, cell, {}, corner)));
    const Vec3 n = sampler.frame(common).R * unit_of(found.n);
    least = std::min(least, Sampler::least(data.bodies[b].body, sampler.pose(b), n) +
                                Sampler::least(data.bodies[a].body, sampler.pose(a), -n));
  }
  return least - found.bound;
}

/// What lies beside the line of a number that drives two joints counts for each by itself.
bool follows(const World& world) {
  for (int f = 1; f < world.data().kinematics.frame_count(); ++f) {
    if (!world.data().kinematics.frame(f).mimic.empty()) return true;
  }
  return false;
}

TEST(Prover, BoundsReachTheDistanceToSecondOrder) {
  std::size_t compared = 0;
  double worst = 0;
  for (int w = 0; w < 60; ++w) {
    CellDraw draw(static_cast<std::uint64_t>(w) + 1000);
    const World world = draw.world({});
    // All corners of a cell: at most seven numbers beside the line.
    if (world.dof() > 7 || follows(world)) continue;
    const CertificateWorld claim(world, [](double margin) { return margin; });
    Prover prover(claim, {}, 0);
    std::vector<NumberLine> wide = draw.cell(world, 0.1);
    const auto bodies = static_cast<int>(world.data().bodies.size());
    for (int a = 0; a < bodies; ++a) {
      for (int b = a + 1; b < bodies; ++b) {
        if (world.data().bodies[a].frame == world.data().bodies[b].frame) continue;
        std::vector<NumberLine> narrow = wide;
        for (NumberLine& line : narrow) line.v /= 16, line.rho /= 16;
        const double before = loss(prover, world, draw, wide, a, b);
        const double after = loss(prover, world, draw, narrow, a, b);
        if (before < 0 || after < 0) continue;
        ++compared;
        EXPECT_LE(after, before / 100 + 4e-9) << "world " << w;
        if (before > 1e-6) worst = std::max(worst, after / before);
      }
    }
  }
  EXPECT_GT(compared, 100u);
  std::printf("%zu bounds; a cell of a 16th of the width loses at most %.4f as much\n", compared,
              worst);
}

TEST(Prover, ACellOfOnePointHasTheDistanceItself) {
  for (int w = 0; w < 40; ++w) {
    CellDraw draw(static_cast<std::uint64_t>(w) + 3000);
    const World world = draw.world({.floating = w % 2 == 0});
    const CertificateWorld claim(world, [](double margin) { return margin; });
    Prover prover(claim, {}, 0);
    const std::vector<NumberLine> cell = draw.cell(world, 0);
    ASSERT_TRUE(prover.place(cell));
    Sampler sampler(world);
    ASSERT_TRUE(sampler.go(draw.configuration(world, cell, {}, 0)));
    const std::vector<WorldBody>& bodies = world.data().bodies;
    for (int a = 0; a + 1 < static_cast<int>(bodies.size()); ++a) {
      const int b = a + 1;
      const Prover::Found found = prover.links_apart(a, b, 0);
      const BodyDistance real =
          distance(bodies[a].body, sampler.pose(a), bodies[b].body, sampler.pose(b));
      EXPECT_EQ(found.hopeless, !(real.distance > 0));
      if (found.hopeless) continue;
      EXPECT_LE(found.bound, real.distance);
      // A direction is told to one in 16384.
      EXPECT_GE(found.bound, real.distance - 5e-5 * (1 + real.distance));
    }
  }
}

}  // namespace
}  // namespace keepclear
