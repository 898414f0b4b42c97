// SPDX-License-Identifier: BSD-3-Clause
//
// Queries on random scenes against brute force over all pieces in 113-bit arithmetic. Robots,
// objects and attached objects are placed by the reference kinematics, straight from the scene; of
// the library's picture only the names of solids and the list of pairs are used. Queries are warm
// and cold, over coherent motion and jumps, with the three questions mixed.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "scene/random_scenes.hpp"
#include "scene/scene_judge.hpp"
#include "shape/point_cloud.hpp"

namespace keepclear {
namespace {

using oracle::PointSet;
using oracle::QPose;
using oracle::Quad;
using oracle::QVec;
using test::log_uniform;
using test::pick;
using test::Random;
using test::uniform;
using Kind = Shape::Kind;

/// A convex piece in the frame of what it belongs to, with a ball around it; or a half-space.
struct Piece {
  PointSet points;
  double radius = 0;
  Vec3 centre;
  double ball = 0;
  std::optional<QVec> normal{};
  double offset = 0;
};

Piece piece_of(const std::vector<Vec3>& points, double radius) {
  Piece piece{PointSet(points), radius, {}, 0};
  for (const Vec3& p : points) {
    piece.centre = piece.centre + (1.0 / static_cast<double>(points.size())) * p;
  }
  for (const Vec3& p : points) piece.ball = std::max(piece.ball, norm(p - piece.centre));
  piece.ball += radius + 1e-9;
  return piece;
}

std::vector<Piece> pieces_of(const Shape& shape) {
  switch (shape.kind) {
    case Kind::box:
      return {piece_of(box_hull(shape.size).points, 0)};
    case Kind::sphere:
      return {piece_of({{}}, shape.radius)};
    case Kind::cylinder:
      return {piece_of(cylinder_hull(shape.radius, shape.length).points, 0)};
    case Kind::capsule:
      return {piece_of(capsule_hull(shape.radius, shape.length).points, shape.radius)};
    case Kind::cone:
      return {piece_of(cone_hull(shape.radius, shape.length).points, 0)};
    case Kind::mesh:
      return {piece_of(shape.points, 0)};
    case Kind::points: {
      std::vector<Piece> balls;
      for (const Vec3& p : shape.points) balls.push_back(piece_of({p}, shape.radius));
      return balls;
    }
    case Kind::plane: {
      const QVec n = oracle::widen<Quad>(shape.normal);
      Piece piece = piece_of({{}}, 0);
      piece.normal = (1 / oracle::norm(n)) * n;
      piece.offset = shape.offset;
      return {piece};
    }
    case Kind::octomap: {
      const VoxelMap map = read_octomap(shape.file, shape.unknown == UnknownSpace::occupied);
      std::vector<Piece> cells;
      for (const auto* voxels : {&map.occupied, &map.unknown}) {
        for (const Voxel& cell : *voxels) {
          std::vector<Vec3> corners =
              box_hull({2 * cell.half, 2 * cell.half, 2 * cell.half}).points;
          for (Vec3& corner : corners) corner = corner + cell.centre;
          cells.push_back(piece_of(corners, 0));
        }
      }
      return cells;
    }
  }
  return {};
}

/// The pieces of one solid and where they are.
struct Solid {
  std::vector<Piece> pieces;
  std::string link;  ///< that moves it; empty for what stands still
  QPose X_LS;        ///< in the frame of that link, or in the world
  QPose X;
};

/// The least distance of two solids; overlapping ones are at most zero apart.
Quad distance_of(const Solid& a, const Solid& b, Quad below) {
  Quad least = below;
  for (const Piece& x : a.pieces) {
    const QVec centre_a = a.X * oracle::widen<Quad>(x.centre);
    for (const Piece& y : b.pieces) {
      if (y.normal) {
        const QVec n = b.X.R * *y.normal;
        Quad low = 1e9;
        for (std::size_t i = 0; i < x.points.size(); ++i) {
          const QVec p = a.X * oracle::widen<Quad>(x.points[i]) - b.X.p;
          low = std::min(low, oracle::dot(n, p));
        }
        least = std::min(least, low - y.offset - x.radius);
        continue;
      }
      const QVec between = b.X * oracle::widen<Quad>(y.centre) - centre_a;
      const Vec3 way = oracle::narrow(between);
      if (norm(way) - x.ball - y.ball > static_cast<double>(least)) continue;
      const auto near = oracle::reference_distance(x.points, a.X, y.points, b.X);
      least = std::min(least, near.upper - x.radius - y.radius);
    }
  }
  return least;
}

/// A scene as the judge sees it.
class Judge {
 public:
  Judge(const Scene& scene, const World& world) : world_(world), robots_(scene) {
    std::map<std::string, Attachment> held;
    for (const Attachment& a : scene.attached) held[a.object] = a;
    std::map<std::string, Solid> by_name;
    for (const SceneObject& object : scene.objects) {
      Solid solid{pieces_of(object.shape), "", oracle::quad_pose(object.pose), {}};
      if (held.contains(object.name)) solid.link = held[object.name].link;
      solid.X = solid.X_LS;
      by_name[object.name] = std::move(solid);
    }
    for (const SolidInfo& info : world.solids()) {
      if (info.is_object) {
        solids_.push_back({by_name.at(info.name)});
        continue;
      }
      // Pieces of links have poses of their own: a solid each.
      std::vector<Solid> parts;
      for (const oracle::JudgedPiece* piece : robots_.pieces(info.name)) {
        std::vector<Vec3> points;
        for (std::size_t i = 0; i < piece->points.size(); ++i) points.push_back(piece->points[i]);
        parts.push_back(
            {{piece_of(points, static_cast<double>(piece->radius))}, info.name, {}, {}});
      }
      solids_.push_back(std::move(parts));
    }
  }

  /// Moves all to q and finds the truth of every pair.
  void move(const std::vector<double>& q) {
    robots_.set_pose(q);
    for (std::size_t s = 0; s < solids_.size(); ++s) {
      if (!world_.solids()[s].is_object) {
        const auto pieces = robots_.pieces(world_.solids()[s].name);
        for (std::size_t k = 0; k < pieces.size(); ++k) solids_[s][k].X = pieces[k]->X;
      } else if (!solids_[s][0].link.empty()) {
        solids_[s][0].X = robots_.link_pose(solids_[s][0].link) * solids_[s][0].X_LS;
      }
    }
    truth_.clear();
    for (const PairInfo& pair : world_.pairs()) {
      Quad least = 1e9;
      for (const Solid& a : solids_[static_cast<std::size_t>(pair.a)]) {
        for (const Solid& b : solids_[static_cast<std::size_t>(pair.b)]) {
          least = std::min(least, distance_of(a, b, least));
        }
      }
      truth_.push_back(least);
    }
  }

  Quad truth(std::size_t pair) const { return truth_[pair]; }
  Quad least() const { return *std::min_element(truth_.begin(), truth_.end()); }

  /// How far a point is from a solid; at most zero inside.
  double off(Vec3 point, int solid) const {
    Solid probe{{piece_of({point}, 0)}, "", {}, {}};
    Quad least = 1e9;
    for (const Solid& s : solids_[static_cast<std::size_t>(solid)]) {
      least = std::min(least, distance_of(probe, s, least));
    }
    return static_cast<double>(least);
  }

 private:
  const World& world_;
  oracle::JudgedRobots robots_;
  std::vector<std::vector<Solid>> solids_;
  std::vector<Quad> truth_;
};

struct Seen {
  int free = 0, contact = 0, undecided = 0, checked_free = 0, checked_contact = 0;
};

Quad positive(Quad x) {
  return x > 0 ? x : Quad(0);
}

/// What every answer must satisfy, whoever asks.
void expect_bounds(const Nearest& near, Quad truth, const std::string& name) {
  ASSERT_LE(Quad(near.lower_bound), positive(truth)) << name << ": bound above the distance";
  ASSERT_GE(Quad(near.distance), positive(truth) - Quad(1e-12)) << name;
  ASSERT_LE(Quad(near.distance), positive(truth) + Quad(1e-9)) << name;
  switch (near.verdict) {
    case Verdict::free:
      ASSERT_GT(truth, Quad(0)) << name << ": wrongly free";
      ASSERT_LE(near.distance - near.lower_bound, 1e-9) << name;
      break;
    case Verdict::contact:
      ASSERT_LE(truth, Quad(1e-12)) << name << ": wrongly in contact";
      break;
    case Verdict::undecided:
      ASSERT_LT(truth, Quad(1e-9)) << name << ": undecided without need";
  }
}

class SceneOracle : public testing::Test {
 protected:
  void expect_all_pairs(DistanceQuery& query, const World& world, const Judge& judge,
                        const std::vector<double>& q, Seen& seen) {
    const auto all = query.all_pairs(q);
    ASSERT_EQ(all.size(), world.pairs().size());
    for (std::size_t p = 0; p < all.size(); ++p) {
      ASSERT_EQ(all[p].a, world.pairs()[p].a);
      ASSERT_EQ(all[p].b, world.pairs()[p].b);
      expect_bounds(all[p], judge.truth(p), test::names_of(world, all[p].a, all[p].b));
      if (HasFatalFailure()) return;
      (all[p].verdict == Verdict::free      ? seen.free
       : all[p].verdict == Verdict::contact ? seen.contact
                                            : seen.undecided)++;
    }
  }

  void expect_nearest(const Nearest& near, const World& world, const Judge& judge) {
    const std::string name = test::names_of(world, near.a, near.b);
    expect_bounds(near, judge.least(), name);
    if (HasFatalFailure()) return;
    const Quad named = judge.truth(test::index_of(world, near.a, near.b));
    ASSERT_LE(positive(named), positive(judge.least()) + Quad(1e-9)) << name << " is not nearest";
    if (near.verdict != Verdict::free) return;  // points of overlapping bodies mean nothing
    ASSERT_NEAR(norm(near.point_a - near.point_b), near.distance, 1e-12);
    ASSERT_LE(judge.off(near.point_a, near.a), 1e-9) << name;
    ASSERT_LE(judge.off(near.point_b, near.b), 1e-9) << name;
  }

  void expect_check(const CheckResult& result, const World& world, const Judge& judge,
                    double margin, Seen& seen) {
    bool nearer = false, near = false;  // certainly, perhaps
    for (std::size_t p = 0; p < world.pairs().size(); ++p) {
      const Quad asked = std::max(margin, world.pairs()[p].margin);
      near = near || judge.truth(p) <= asked + Quad(1e-9);
      nearer = nearer || judge.truth(p) <= asked - Quad(1e-9);
      if (result.verdict == Verdict::free) {
        ASSERT_GT(judge.truth(p), asked)
            << "free, but " << test::names_of(world, world.pairs()[p].a, world.pairs()[p].b);
      }
    }
    if (!near) {
      ASSERT_EQ(result.verdict, Verdict::free);
    }
    if (nearer) {
      ASSERT_EQ(result.verdict, Verdict::contact);
    }
    if (result.verdict != Verdict::contact) {
      seen.checked_free += result.verdict == Verdict::free;
      return;
    }
    ++seen.checked_contact;
    const std::size_t named = test::index_of(world, result.a, result.b);
    const Quad asked = std::max(margin, world.pairs()[named].margin);
    ASSERT_LE(judge.truth(named), asked + Quad(1e-12)) << test::names_of(world, result.a, result.b);
  }

  /// One pose, asked in all ways: of a warm query in random order, of a cold one now and then.
  void expect_right(const World& world, Judge& judge, DistanceQuery& warm, Random& random,
                    const std::vector<double>& q, Seen& seen) {
    judge.move(q);
    for (int k = 0; k < 3; ++k) {
      const double margin = pick(random, 2) ? 0 : log_uniform(random, 1e-4, 0.3);
      switch (pick(random, 3)) {
        case 0:
          expect_nearest(warm(q), world, judge);
          break;
        case 1:
          expect_check(warm.check(q, margin), world, judge, margin, seen);
          break;
        default:
          expect_all_pairs(warm, world, judge, q, seen);
      }
      if (HasFatalFailure()) return;
    }
    if (pick(random, 4) != 0) return;
    DistanceQuery cold(world);
    expect_nearest(cold(q), world, judge);
    if (HasFatalFailure()) return;
    cold.reset();
    expect_check(cold.check(q), world, judge, 0, seen);
    if (HasFatalFailure()) return;
    // What came before changes answers by the tolerance at most.
    ASSERT_NEAR(warm(q).distance, cold(q).distance, 1e-9);
  }

  void expect_right_everywhere(const Scene& scene, std::uint64_t seed, int legs, int steps,
                               int jumps, Seen& seen) {
    const World world = compile(scene);
    if (world.pair_count() == 0) return;
    Judge judge(scene, world);
    DistanceQuery warm(world);
    Random random(seed);
    auto poses = test::smooth_poses(world, seed, legs, steps);
    // Tiny steps too, which the memory of earlier proofs lives on.
    for (const auto& q : test::smooth_poses(world, seed + 1, 1, 2000)) {
      if (poses.size() >= static_cast<std::size_t>(legs * steps + steps)) break;
      poses.push_back(q);
    }
    for (int k = 0; k < jumps; ++k) poses.push_back(test::random_pose(world, random));
    for (std::size_t k = 0; k < poses.size(); ++k) {
      expect_right(world, judge, warm, random, poses[k], seen);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", pose " << k;
    }
  }

  test::Folder folder_;
};

TEST_F(SceneOracle, RandomScenesAreJudgedRightlyWarmAndCold) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Scene scene = test::random_scene(random, folder_);
    expect_right_everywhere(scene, seed, 2, 12, 12, seen);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(seen.free, 5000);
  EXPECT_GT(seen.contact, 300);
  EXPECT_GT(seen.checked_free, 100);
  EXPECT_GT(seen.checked_contact, 300);
  EXPECT_LT(seen.undecided, 20);
}

TEST_F(SceneOracle, ACrowdOfPiecesIsJudgedRightly) {
  Seen seen;
  expect_right_everywhere(test::crowd(folder_, 1), 1, 1, 10, 8, seen);
  EXPECT_GT(seen.contact, 0);
  EXPECT_GT(seen.free, 1000);
}

TEST_F(SceneOracle, SignedDistancesAreThoseOfThePairsWhateverCameBefore) {
  int overlapping = 0;
  for (std::uint64_t seed = 100; seed < 115; ++seed) {
    Random random(seed);
    const Scene scene = test::random_scene(random, folder_);
    const World world = compile(scene);
    if (world.pair_count() == 0) continue;
    DistanceOptions options;
    options.signed_distance = true;
    DistanceQuery warm(world, options), pairwise(world, options);
    for (const auto& q : test::smooth_poses(world, seed, 2, 15)) {
      const Nearest near = warm(q);
      const double cold = DistanceQuery(world, options)(q).distance;
      double least = std::numeric_limits<double>::infinity();
      for (const Nearest& pair : pairwise.all_pairs(q)) least = std::min(least, pair.distance);
      ASSERT_NEAR(near.distance, least, 1e-8) << seed;
      ASSERT_NEAR(near.distance, cold, 1e-8) << seed;
      if (near.verdict == Verdict::contact) {
        ASSERT_LE(near.distance, 0);
        ++overlapping;
      }
      ASSERT_NEAR(DistanceQuery(world)(q).distance, std::max(near.distance, 0.0), 1e-9);
    }
  }
  EXPECT_GT(overlapping, 50);
}

bool same(const Nearest& a, const Nearest& b) {
  return a.verdict == b.verdict && a.distance == b.distance && a.lower_bound == b.lower_bound &&
         a.a == b.a && a.b == b.b && a.point_a == b.point_a && a.point_b == b.point_b;
}

TEST_F(SceneOracle, BatchesDoNotDependOnTheNumberOfThreads) {
  for (std::uint64_t seed = 200; seed < 204; ++seed) {
    Random random(seed);
    const World world = compile(test::random_scene(random, folder_));
    const auto poses = test::smooth_poses(world, seed, 3, 50);
    const std::vector<double> rows = test::flat(poses);
    const std::size_t pairs = world.pairs().size();
    std::vector<Nearest> nearest(poses.size()), all(poses.size() * pairs);
    std::vector<CheckResult> checks(poses.size());
    BatchOptions options;
    options.threads = 1;
    distance_batch(world, rows, nearest, options);
    all_pairs_batch(world, rows, all, options);
    check_batch(world, rows, checks, 0.05, options);
    for (const int threads : {2, 3, 0}) {
      options.threads = threads;
      std::vector<Nearest> again(poses.size()), all_again(all.size());
      std::vector<CheckResult> checks_again(poses.size());
      distance_batch(world, rows, again, options);
      all_pairs_batch(world, rows, all_again, options);
      check_batch(world, rows, checks_again, 0.05, options);
      for (std::size_t k = 0; k < poses.size(); ++k) {
        ASSERT_TRUE(same(nearest[k], again[k])) << seed << ", pose " << k;
        ASSERT_EQ(checks[k].verdict, checks_again[k].verdict);
        ASSERT_EQ(checks[k].a, checks_again[k].a);
        ASSERT_EQ(checks[k].b, checks_again[k].b);
      }
      for (std::size_t k = 0; k < all.size(); ++k) ASSERT_TRUE(same(all[k], all_again[k]));
    }
    // And they are what a single query says.
    DistanceQuery query(world);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      ASSERT_NEAR(query(poses[k]).distance, nearest[k].distance, 1e-9);
    }
  }
}

}  // namespace
}  // namespace keepclear
