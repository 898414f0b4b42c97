// SPDX-License-Identifier: BSD-3-Clause
//
// Bullet: its GJK pair detector on convex hull shapes of margin zero, in double precision.
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <limits>

#include "bench/peer.hpp"

namespace keepclear::bench {
namespace {

btTransform to_bullet(const Pose& X) {
  const btMatrix3x3 R(X.R.row0.x, X.R.row0.y, X.R.row0.z,  //
                      X.R.row1.x, X.R.row1.y, X.R.row1.z,  //
                      X.R.row2.x, X.R.row2.y, X.R.row2.z);
  return btTransform(R, btVector3(X.p.x, X.p.y, X.p.z));
}

class Bullet final : public Peer {
 public:
  explicit Bullet(const Scene& scene) : scene_(scene), placed_(scene.shapes.size()) {
    for (const Shape& shape : scene.shapes) {
      auto hull = std::make_unique<btConvexHullShape>();
      // The margin is part of the shape in Bullet: it stands for the radius of a rounded hull.
      hull->setMargin(shape.radius);
      for (const Vec3& p : shape.points) hull->addPoint(btVector3(p.x, p.y, p.z), false);
      hull->recalcLocalAabb();
      hulls_.push_back(std::move(hull));
    }
  }

  void all_pairs(const Frame& frame, std::span<double> distances) override {
    move(frame);
    for (std::size_t k = 0; k < distances.size(); ++k) {
      double least = std::numeric_limits<double>::infinity();
      each(k, [&](std::size_t i, std::size_t j) {
        least = std::min(least, distance(i, j));
        return false;
      });
      distances[k] = least;
    }
  }

  double least(const Frame& frame) override {
    move(frame);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < scene_.pairs.size() && least > 0; ++k) {
      each(k, [&](std::size_t i, std::size_t j) {
        least = std::min(least, distance(i, j));
        return false;
      });
    }
    return least;
  }

  bool check(const Frame& frame) override {
    move(frame);
    for (std::size_t i = 0; i < hulls_.size(); ++i) {
      hulls_[i]->getAabb(placed_[i].X_WL, placed_[i].box_min, placed_[i].box_max);
    }
    for (std::size_t k = 0; k < scene_.pairs.size(); ++k) {
      const bool hit = each(k, [&](std::size_t i, std::size_t j) {
        return TestAabbAgainstAabb2(placed_[i].box_min, placed_[i].box_max, placed_[j].box_min,
                                    placed_[j].box_max) &&
               distance(i, j) <= 0;
      });
      if (hit) return true;
    }
    return false;
  }

 private:
  struct Placed {
    btTransform X_WL;
    btVector3 box_min, box_max;
  };

  void move(const Frame& frame) {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      placed_[i].X_WL = to_bullet(frame.X_WL[static_cast<std::size_t>(scene_.shapes[i].link)]);
    }
  }

  template <typename Function>
  bool each(std::size_t k, Function&& function) {
    for (int i : scene_.shapes_of_link[static_cast<std::size_t>(scene_.pairs[k][0])]) {
      for (int j : scene_.shapes_of_link[static_cast<std::size_t>(scene_.pairs[k][1])]) {
        if (function(static_cast<std::size_t>(i), static_cast<std::size_t>(j))) return true;
      }
    }
    return false;
  }

  /// Without a solver for penetrations: the detector then reports no point for an overlap.
  double distance(std::size_t i, std::size_t j) {
    btGjkPairDetector detector(hulls_[i].get(), hulls_[j].get(), &simplex_, nullptr);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = placed_[i].X_WL;
    input.m_transformB = placed_[j].X_WL;
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    return result.m_hasResult ? std::max(0.0, static_cast<double>(result.m_distance)) : 0.0;
  }

  const Scene& scene_;
  std::vector<std::unique_ptr<btConvexHullShape>> hulls_;
  std::vector<Placed> placed_;
  btVoronoiSimplexSolver simplex_;
};

}  // namespace

std::vector<PeerKind> bullet_peers() {
  return {{"bullet", "btGjkPairDetector on btConvexHullShape, pair after pair",
           [](const Scene& scene) -> std::unique_ptr<Peer> {
             return std::make_unique<Bullet>(scene);
           }}};
}

std::string bullet_version() {
  return "Bullet " + std::to_string(BT_BULLET_VERSION / 100) + "." +
         std::to_string(BT_BULLET_VERSION % 100) +
         (sizeof(btScalar) == sizeof(double) ? " float64" : " float32");
}

}  // namespace keepclear::bench
