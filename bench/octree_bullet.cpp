// SPDX-License-Identifier: BSD-3-Clause
//
// Bullet, twice: btDbvtBroadphase as a physics engine uses it (fat boxes, a cache of pairs, filter
// groups so that what stands still never meets itself), and a bare btDbvt over what stands still
// with one query for each capsule. Both try the fitting boxes of a pair before they run GJK.
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btOverlappingPairCache.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <LinearMath/btAabbUtil2.h>

#include "bench/octree_contender.hpp"

namespace keepclear::bench {
namespace {

btTransform to_bullet(const Pose& X) {
  const btMatrix3x3 R(X.R.row0.x, X.R.row0.y, X.R.row0.z,  //
                      X.R.row1.x, X.R.row1.y, X.R.row1.z,  //
                      X.R.row2.x, X.R.row2.y, X.R.row2.z);
  return btTransform(R, btVector3(X.p.x, X.p.y, X.p.z));
}

btVector3 to_bullet(Vec3 p) {
  return btVector3(p.x, p.y, p.z);
}

struct Placed {
  std::unique_ptr<btConvexShape> shape;
  btTransform X = btTransform::getIdentity();
  btVector3 lo{0, 0, 0},
      hi{0, 0, 0};  ///< the box that fits, grown by the tolerance if the part moves
};

/// The parts as shapes, and the exact test of two of them.
class Parts {
 public:
  Parts(const Cell& cell, double tolerance) : cell_(cell), tolerance_(tolerance) {
    for (const Part& part : cell.moving) add(part);
    for (const Part& part : cell.fixed) {
      add(part);
      Placed& placed = all_.back();
      placed.X = to_bullet(part.X);
      const Box box = box_of(part, part.X);
      placed.lo = to_bullet(box.lo);
      placed.hi = to_bullet(box.hi);
    }
    near_.reserve(4096);
  }

  const Cell& cell() const { return cell_; }
  const Placed& operator[](int i) const { return all_[static_cast<std::size_t>(i)]; }
  std::vector<Pair>& near() { return near_; }
  const std::vector<Pair>& near() const { return near_; }

  void move(const Instant& now) {
    near_.clear();
    for (std::size_t i = 0; i < now.X_WP.size(); ++i) {
      Placed& placed = all_[i];
      const Part& part = cell_.moving[i];
      placed.X = to_bullet(now.X_WP[i]);
      const double by = part.radius + tolerance_;
      const btVector3 half =
          (0.5 * part.length * placed.X.getBasis().getColumn(2)).absolute() + btVector3(by, by, by);
      placed.lo = placed.X.getOrigin() - half;
      placed.hi = placed.X.getOrigin() + half;
    }
  }

  /// i moves.
  void test(int i, int j) {
    const Placed &a = (*this)[i], &b = (*this)[j];
    if (!cell_.checked(i, j) || !TestAabbAgainstAabb2(a.lo, a.hi, b.lo, b.hi)) return;
    btGjkPairDetector detector(a.shape.get(), b.shape.get(), &simplex_, nullptr);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = a.X;
    input.m_transformB = b.X;
    // Of the shapes without their margins, which hold the radii of the capsules.
    const double apart = a.shape->getMargin() + b.shape->getMargin() + tolerance_;
    input.m_maximumDistanceSquared = apart * apart;
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    if (result.m_hasResult && result.m_distance < tolerance_) near_.push_back({i, j});
  }

  void test_movers() {
    for (int i = 0; i < cell_.moving_count(); ++i) {
      for (int j = i + 1; j < cell_.moving_count(); ++j) test(i, j);
    }
  }

 private:
  void add(const Part& part) {
    Placed placed;
    if (part.kind == Part::Kind::capsule) {
      placed.shape = std::make_unique<btCapsuleShapeZ>(part.radius, part.length);
    } else {
      placed.shape = std::make_unique<btBoxShape>(to_bullet(0.5 * part.size));
      placed.shape->setMargin(0);
    }
    all_.push_back(std::move(placed));
  }

  const Cell& cell_;
  double tolerance_;
  std::vector<Placed> all_;
  std::vector<Pair> near_;
  btVoronoiSimplexSolver simplex_;
};

class Broadphase final : public Contender {
 public:
  Broadphase(const Cell& cell, double tolerance) : parts_(cell, tolerance) {
    enum Group { kMoving = 1, kStill = 2 };
    for (int i = cell.moving_count(); i < cell.count(); ++i) {
      make_proxy(i, kStill, kMoving);
    }
    // What has not moved for two rounds goes to the tree of what stands still, which is then put in
    // order once and for all.
    for (int i = 0; i < 4; ++i) broadphase_.calculateOverlappingPairs(nullptr);
    while (broadphase_.m_fixedleft > 0) broadphase_.calculateOverlappingPairs(nullptr);
    broadphase_.optimize();
    for (int i = 0; i < cell.moving_count(); ++i) {
      movers_.push_back(make_proxy(i, kMoving, kMoving | kStill));
    }
  }

  void cycle(const Instant& now) override {
    parts_.move(now);
    for (std::size_t i = 0; i < movers_.size(); ++i) {
      const Placed& placed = parts_[static_cast<int>(i)];
      broadphase_.setAabb(movers_[i], placed.lo, placed.hi, nullptr);
    }
    broadphase_.calculateOverlappingPairs(nullptr);
    btBroadphasePairArray& pairs = broadphase_.getOverlappingPairCache()->getOverlappingPairArray();
    for (int k = 0; k < pairs.size(); ++k) {
      const int a = part_of(pairs[k].m_pProxy0), b = part_of(pairs[k].m_pProxy1);
      parts_.test(std::min(a, b), std::max(a, b));
    }
  }

  void near(std::vector<Pair>& pairs) const override {
    pairs.insert(pairs.end(), parts_.near().begin(), parts_.near().end());
  }

 private:
  static int part_of(const btBroadphaseProxy* proxy) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(proxy->m_clientObject));
  }
  btBroadphaseProxy* make_proxy(int i, int group, int mask) {
    return broadphase_.createProxy(parts_[i].lo, parts_[i].hi, BOX_SHAPE_PROXYTYPE,
                                   reinterpret_cast<void*>(static_cast<std::intptr_t>(i)), group,
                                   mask, nullptr);
  }

  Parts parts_;
  btDbvtBroadphase broadphase_;
  std::vector<btBroadphaseProxy*> movers_;
};

class BareTree final : public Contender, private btDbvt::ICollide {
 public:
  BareTree(const Cell& cell, double tolerance) : parts_(cell, tolerance) {
    for (int i = cell.moving_count(); i < cell.count(); ++i) {
      tree_.insert(btDbvtVolume::FromMM(parts_[i].lo, parts_[i].hi),
                   reinterpret_cast<void*>(static_cast<std::intptr_t>(i)));
    }
    tree_.optimizeTopDown();
  }

  void cycle(const Instant& now) override {
    parts_.move(now);
    parts_.test_movers();
    for (asking_ = 0; asking_ < parts_.cell().moving_count(); ++asking_) {
      const Placed& placed = parts_[asking_];
      tree_.collideTVNoStackAlloc(tree_.m_root, btDbvtVolume::FromMM(placed.lo, placed.hi), stack_,
                                  *this);
    }
  }

  void near(std::vector<Pair>& pairs) const override {
    pairs.insert(pairs.end(), parts_.near().begin(), parts_.near().end());
  }

 private:
  void Process(const btDbvtNode* leaf) override {
    parts_.test(asking_, static_cast<int>(reinterpret_cast<std::intptr_t>(leaf->data)));
  }

  Parts parts_;
  btDbvt tree_;
  btNodeStack stack_;
  int asking_ = 0;
};

template <typename Kind>
ContenderKind kind(const char* name, const char* what) {
  return {name, what,
          [](const Cell& cell, double tolerance) -> std::unique_ptr<Contender> {
            return std::make_unique<Kind>(cell, tolerance);
          },
          true};
}

}  // namespace

std::vector<ContenderKind> bullet_kinds() {
  return {kind<Broadphase>("bullet", "btDbvtBroadphase and its pair cache, btGjkPairDetector"),
          kind<BareTree>("bullet_dbvt", "bare btDbvt, btGjkPairDetector")};
}

}  // namespace keepclear::bench
