// SPDX-License-Identifier: BSD-3-Clause
//
// FCL: its dynamic AABB tree over what stands still, registered once; each cycle one query of that
// tree for each capsule, and the few capsules against each other by their boxes.
//
// What was chosen because it is the fastest: a query of the tree for each capsule, not manager
// against manager (a second tree of 14 capsules has to be kept); boxes that fit (FCL's own
// computeAABB takes the ball around any turned shape); collide() with a capsule grown by the
// tolerance, which asks the same question as a distance and is several times as fast.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree_array.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/utility.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>

#include "bench/octree_contender.hpp"

namespace keepclear::bench {
namespace {

fcl::Transform3d to_fcl(const Pose& X) {
  fcl::Transform3d t;
  t.matrix() << X.R.row0.x, X.R.row0.y, X.R.row0.z, X.p.x,  //
      X.R.row1.x, X.R.row1.y, X.R.row1.z, X.p.y,            //
      X.R.row2.x, X.R.row2.y, X.R.row2.z, X.p.z,            //
      0, 0, 0, 1;
  return t;
}

/// An object whose box fits.
template <typename Shape>
class Tight final : public fcl::CollisionObjectd {
 public:
  Tight(const std::shared_ptr<Shape>& shape, int part)
      : fcl::CollisionObjectd(shape), shape_(shape.get()) {
    setUserData(reinterpret_cast<void*>(static_cast<std::intptr_t>(part)));
  }
  void place(const Pose& X) {
    t = to_fcl(X);
    fcl::computeBV(*shape_, t, aabb);
  }

 private:
  const Shape* shape_;
};

int part_of(const fcl::CollisionObjectd* object) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(object->getUserData()));
}

template <typename Manager>
class Fcl final : public Contender {
 public:
  Fcl(const Cell& cell, double tolerance, fcl::GJKSolverType solver) : cell_(cell) {
    request_.gjk_solver_type = solver;
    int part = 0;
    for (const Part& capsule : cell.moving) {
      grown_.push_back(make_capsule(capsule, tolerance, part));
      plain_.push_back(make_capsule(capsule, 0, part));
      ++part;
    }
    std::vector<fcl::CollisionObjectd*> still;
    for (const Part& shape : cell.fixed) {
      if (shape.kind == Part::Kind::capsule) {
        auto capsule = make_capsule(shape, 0, part++);
        capsule->place(shape.X);
        fixed_.push_back(std::move(capsule));
      } else {
        auto box = std::make_unique<Tight<fcl::Boxd>>(
            std::make_shared<fcl::Boxd>(shape.size.x, shape.size.y, shape.size.z), part++);
        box->place(shape.X);
        fixed_.push_back(std::move(box));
      }
      still.push_back(fixed_.back().get());
    }
    manager_.registerObjects(still);
    manager_.setup();
    near_.reserve(4096);
  }

  void cycle(const Instant& now) override {
    near_.clear();
    for (std::size_t i = 0; i < grown_.size(); ++i) {
      grown_[i]->place(now.X_WP[i]);
      plain_[i]->place(now.X_WP[i]);
    }
    for (std::size_t i = 0; i < grown_.size(); ++i) {
      for (std::size_t j = i + 1; j < plain_.size(); ++j) {
        if (grown_[i]->getAABB().overlap(plain_[j]->getAABB())) {
          test(grown_[i].get(), plain_[j].get());
        }
      }
      // FCL hands the objects of the tree over first, the one that asks second.
      manager_.collide(grown_[i].get(), this,
                       [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
                         auto& self = *static_cast<Fcl*>(data);
                         if (part_of(a) < part_of(b)) {
                           self.test(a, b);
                         } else {
                           self.test(b, a);
                         }
                         return false;
                       });
    }
  }

  void near(std::vector<Pair>& pairs) const override {
    pairs.insert(pairs.end(), near_.begin(), near_.end());
  }

 private:
  using Capsule = Tight<fcl::Capsuled>;

  static std::unique_ptr<Capsule> make_capsule(const Part& part, double by, int number) {
    return std::make_unique<Capsule>(std::make_shared<fcl::Capsuled>(part.radius + by, part.length),
                                     number);
  }

  void test(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b) {
    const int i = part_of(a), j = part_of(b);
    if (!cell_.checked(i, j)) return;
    // The tree's nodes are tested, its leaves are not.
    if (!a->getAABB().overlap(b->getAABB())) return;
    fcl::CollisionResultd result;
    if (fcl::collide(a, b, request_, result) > 0) near_.push_back({i, j});
  }

  const Cell& cell_;
  std::vector<std::unique_ptr<Capsule>> grown_, plain_;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> fixed_;
  Manager manager_;
  fcl::CollisionRequestd request_;
  std::vector<Pair> near_;
};

template <typename Manager>
ContenderKind kind(const char* name, const char* what, fcl::GJKSolverType solver) {
  return {name, what,
          [=](const Cell& cell, double tolerance) -> std::unique_ptr<Contender> {
            return std::make_unique<Fcl<Manager>>(cell, tolerance, solver);
          },
          true};
}

}  // namespace

std::vector<ContenderKind> fcl_kinds() {
  return {kind<fcl::DynamicAABBTreeCollisionManagerd>("fcl", "dynamic AABB tree, libccd",
                                                      fcl::GST_LIBCCD),
          kind<fcl::DynamicAABBTreeCollisionManager_Array<double>>(
              "fcl_array", "dynamic AABB tree in an array, libccd", fcl::GST_LIBCCD)};
}

}  // namespace keepclear::bench
