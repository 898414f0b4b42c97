// SPDX-License-Identifier: BSD-3-Clause
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/geometry/shape/utility.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "bench/certify_bench.hpp"

namespace keepclear::bench {
namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

fcl::Transform3d to_fcl(const Pose& X) {
  fcl::Transform3d t;
  t.matrix() << X.R.row0.x, X.R.row0.y, X.R.row0.z, X.p.x,  //
      X.R.row1.x, X.R.row1.y, X.R.row1.z, X.p.y,            //
      X.R.row2.x, X.R.row2.y, X.R.row2.z, X.p.z,            //
      0, 0, 0, 1;
  return t;
}

fcl::Vector3d to_fcl(Vec3 p) {
  return {p.x, p.y, p.z};
}

/// A shape of a link. FCL knows no rounded hulls: of these it has the hull, and `radius` is taken
/// off its distances.
class LinkObject final : public fcl::CollisionObjectd {
 public:
  LinkObject(const Geometry& geometry, const fcl::Transform3d& X_LS, const Shape& shape)
      : fcl::CollisionObjectd(geometry), X_LS_(X_LS), solid_(shape.link) {
    radius_ = shape.points.size() > 2 ? shape.radius : 0;
    fcl::Vector3d lo = to_fcl(shape.points[0]), hi = lo;
    for (const Vec3& p : shape.points) {
      lo = lo.cwiseMin(to_fcl(p));
      hi = hi.cwiseMax(to_fcl(p));
    }
    centre_ = 0.5 * (lo + hi);
    half_ = 0.5 * (hi - lo);
    round_ = shape.radius;
  }

  void place(const Pose& X_WL) {
    const fcl::Transform3d X = to_fcl(X_WL);
    t = X * X_LS_;
    const fcl::Vector3d centre = X * centre_;
    const fcl::Vector3d half = X.linear().cwiseAbs() * half_ + fcl::Vector3d::Constant(round_);
    aabb.min_ = centre - half;
    aabb.max_ = centre + half;
  }

  int solid() const { return solid_; }
  double radius() const { return radius_; }

 private:
  fcl::Transform3d X_LS_;
  fcl::Vector3d centre_, half_;
  double radius_ = 0, round_ = 0;
  int solid_;
};

std::unique_ptr<LinkObject> link_object(const Shape& shape) {
  fcl::Transform3d X_LS = fcl::Transform3d::Identity();
  if (shape.points.size() == 1) {
    X_LS.translation() = to_fcl(shape.points[0]);
    return std::make_unique<LinkObject>(std::make_shared<fcl::Sphered>(shape.radius), X_LS, shape);
  }
  if (shape.points.size() == 2) {
    const fcl::Vector3d from = to_fcl(shape.points[0]), along = to_fcl(shape.points[1]) - from;
    X_LS.translation() = from + 0.5 * along;
    X_LS.linear() =
        Eigen::Quaterniond::FromTwoVectors(fcl::Vector3d::UnitZ(), along).toRotationMatrix();
    return std::make_unique<LinkObject>(std::make_shared<fcl::Capsuled>(shape.radius, along.norm()),
                                        X_LS, shape);
  }
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3& p : shape.points) vertices->push_back(to_fcl(p));
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& facet : shape.facets) {
    faces->push_back(3);
    for (const std::uint32_t i : facet) faces->push_back(static_cast<int>(i));
  }
  return std::make_unique<LinkObject>(
      std::make_shared<fcl::Convexd>(vertices, static_cast<int>(shape.facets.size()), faces, true),
      X_LS, shape);
}

/// An obstacle, with a box that fits.
template <typename Known>
class StillObject final : public fcl::CollisionObjectd {
 public:
  StillObject(const std::shared_ptr<Known>& shape, const fcl::Transform3d& X)
      : fcl::CollisionObjectd(shape, X) {
    fcl::computeBV(*shape, t, aabb);
  }
};

std::unique_ptr<fcl::CollisionObjectd> still_object(const keepclear::Shape& shape,
                                                    const fcl::Transform3d& X) {
  using Kind = keepclear::Shape::Kind;
  const auto make = [&](auto known) -> std::unique_ptr<fcl::CollisionObjectd> {
    using Known = typename decltype(known)::element_type;
    return std::make_unique<StillObject<Known>>(known, X);
  };
  if (shape.kind == Kind::box) {
    return make(std::make_shared<fcl::Boxd>(shape.size.x, shape.size.y, shape.size.z));
  }
  if (shape.kind == Kind::cylinder) {
    return make(std::make_shared<fcl::Cylinderd>(shape.radius, shape.length));
  }
  if (shape.kind == Kind::sphere) return make(std::make_shared<fcl::Sphered>(shape.radius));
  throw std::runtime_error("an obstacle that the benchmark does not know");
}

Pose pose_of(const Origin& origin) {
  if (!origin.quaternion) return {rotation_from_rpy(origin.rpy), origin.xyz};
  const Quaternion& q = *origin.quaternion;
  const double n = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {rotation_from_quaternion(q.x / n, q.y / n, q.z / n, q.w / n), origin.xyz};
}

/// Of an obstacle, its solid; of a link, it has its own.
std::size_t solid_of(const fcl::CollisionObjectd* object) {
  return reinterpret_cast<std::uintptr_t>(object->getUserData());
}

}  // namespace

struct FclChecker::Impl {
  std::vector<std::unique_ptr<LinkObject>> links;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> obstacles;
  std::unique_ptr<fcl::DynamicAABBTreeCollisionManagerd> manager;
  std::vector<std::array<LinkObject*, 2>> self;
  std::vector<bool> checked;  ///< solids by solids
  std::size_t solids = 0;
  bool hit = false;
  const fcl::CollisionRequestd request;
  const fcl::DistanceRequestd distance_request;

  bool collide(const fcl::CollisionObjectd* a, const fcl::CollisionObjectd* b, double radii) const {
    if (!a->getAABB().overlap(b->getAABB())) return false;
    if (radii > 0) {
      fcl::DistanceResultd result;
      return fcl::distance(a, b, distance_request, result) <= radii;
    }
    fcl::CollisionResultd result;
    return fcl::collide(a, b, request, result) > 0;
  }
};

FclChecker::FclChecker(const Scene& robot) : impl_(std::make_unique<Impl>()) {
  for (const Shape& shape : robot.shapes) {
    if (robot.world.solids()[static_cast<std::size_t>(shape.link)].is_object) continue;
    impl_->links.push_back(link_object(shape));
    impl_->links.back()->setUserData(
        reinterpret_cast<void*>(static_cast<std::uintptr_t>(shape.link)));
  }
}
FclChecker::~FclChecker() = default;

void FclChecker::surround(const World& world, std::span<const SceneObject> objects) {
  Impl& my = *impl_;
  my.solids = world.solids().size();
  my.checked.assign(my.solids * my.solids, false);
  for (const PairInfo& pair : world.pairs()) {
    const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
    my.checked[a * my.solids + b] = my.checked[b * my.solids + a] = true;
  }
  my.self.clear();
  for (std::size_t i = 0; i < my.links.size(); ++i) {
    for (std::size_t j = i + 1; j < my.links.size(); ++j) {
      if (my.checked[solid_of(my.links[i].get()) * my.solids + solid_of(my.links[j].get())]) {
        my.self.push_back({my.links[i].get(), my.links[j].get()});
      }
    }
  }
  my.manager = std::make_unique<fcl::DynamicAABBTreeCollisionManagerd>();
  my.obstacles.clear();
  std::vector<fcl::CollisionObjectd*> still;
  for (const SceneObject& object : objects) {
    my.obstacles.push_back(still_object(object.shape, to_fcl(pose_of(object.pose))));
    my.obstacles.back()->setUserData(
        reinterpret_cast<void*>(static_cast<std::uintptr_t>(world.find_solid(object.name))));
    still.push_back(my.obstacles.back().get());
  }
  my.manager->registerObjects(still);
  my.manager->setup();
}

bool FclChecker::check(std::span<const Pose> X_WS) {
  Impl& my = *impl_;
  for (const auto& link : my.links) link->place(X_WS[static_cast<std::size_t>(link->solid())]);
  my.hit = false;
  for (const auto& link : my.links) {
    // FCL hands the objects of the tree over first, the one that asks second.
    my.manager->collide(link.get(), &my,
                        [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
                          Impl& self = *static_cast<Impl*>(data);
                          const LinkObject* const asks = static_cast<const LinkObject*>(b);
                          if (!self.checked[solid_of(a) * self.solids + solid_of(b)]) return false;
                          self.hit = self.collide(a, b, asks->radius());
                          return self.hit;
                        });
    if (my.hit) return true;
  }
  for (const auto& [a, b] : my.self) {
    if (my.collide(a, b, a->radius() + b->radius())) return true;
  }
  return false;
}

}  // namespace keepclear::bench
