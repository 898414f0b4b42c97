// SPDX-License-Identifier: BSD-3-Clause
//
// FCL: convex shapes by libccd and by its own GJK, its dynamic AABB tree over them, and trees of
// oriented boxes over the surfaces of the same hulls.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/peer.hpp"

namespace keepclear::bench {
namespace {

using Object = fcl::CollisionObjectd;
using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

fcl::Transform3d to_fcl(const Pose& X) {
  fcl::Transform3d t;
  t.matrix() << X.R.row0.x, X.R.row0.y, X.R.row0.z, X.p.x,  //
      X.R.row1.x, X.R.row1.y, X.R.row1.z, X.p.y,            //
      X.R.row2.x, X.R.row2.y, X.R.row2.z, X.p.z,            //
      0, 0, 0, 1;
  return t;
}

std::vector<fcl::Vector3d> to_fcl(const std::vector<Vec3>& points) {
  std::vector<fcl::Vector3d> out;
  for (const Vec3& p : points) out.emplace_back(p.x, p.y, p.z);
  return out;
}

/// A shape as FCL has it: where FCL knows no rounded form, `radius` is taken off its distances.
struct Placed {
  Geometry geometry;
  fcl::Transform3d X_LS = fcl::Transform3d::Identity();
  double radius = 0;
};

Placed as_convex(const Shape& shape) {
  Placed out;
  if (shape.points.size() == 1) {
    out.geometry = std::make_shared<fcl::Sphered>(shape.radius);
    out.X_LS.translation() = to_fcl(shape.points)[0];
    return out;
  }
  if (shape.points.size() == 2) {
    const auto ends = to_fcl(shape.points);
    const fcl::Vector3d along = ends[1] - ends[0];
    out.geometry = std::make_shared<fcl::Capsuled>(shape.radius, along.norm());
    out.X_LS.translation() = 0.5 * (ends[0] + ends[1]);
    out.X_LS.linear() =
        Eigen::Quaterniond::FromTwoVectors(fcl::Vector3d::UnitZ(), along).toRotationMatrix();
    return out;
  }
  auto vertices = std::make_shared<const std::vector<fcl::Vector3d>>(to_fcl(shape.points));
  std::vector<int> faces;
  for (const auto& facet : shape.facets) {
    faces.push_back(3);
    for (std::uint32_t i : facet) faces.push_back(static_cast<int>(i));
  }
  out.geometry = std::make_shared<fcl::Convexd>(
      vertices, static_cast<int>(shape.facets.size()),
      std::make_shared<const std::vector<int>>(std::move(faces)), true);
  out.radius = shape.radius;
  return out;
}

Placed as_tree(const Shape& shape) {
  if (shape.points.size() < 3) return as_convex(shape);
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  std::vector<fcl::Triangle> triangles;
  for (const auto& f : shape.facets) triangles.emplace_back(f[0], f[1], f[2]);
  model->beginModel();
  model->addSubModel(to_fcl(shape.points), triangles);
  model->endModel();
  Placed out;
  out.geometry = model;
  out.radius = shape.radius;
  return out;
}

/// Shared by the loops and the broad phase: the objects, moved to a pose.
class Objects {
 public:
  Objects(const Scene& scene, Placed (*build)(const Shape&)) : scene_(scene) {
    for (const Shape& shape : scene.shapes) {
      placed_.push_back(build(shape));
      objects_.push_back(std::make_unique<Object>(placed_.back().geometry));
      objects_.back()->setUserData(
          reinterpret_cast<void*>(static_cast<std::uintptr_t>(objects_.size() - 1)));
    }
  }

  const Scene& scene() const { return scene_; }
  std::size_t size() const { return objects_.size(); }
  Object* operator[](std::size_t i) const { return objects_[i].get(); }
  double radii(std::size_t i, std::size_t j) const { return placed_[i].radius + placed_[j].radius; }
  static std::size_t index(const Object* object) {
    return reinterpret_cast<std::uintptr_t>(object->getUserData());
  }

  void move(const Frame& frame) {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const auto link = static_cast<std::size_t>(scene_.shapes[i].link);
      if (scene_.shapes[i].points.size() > 2) {
        objects_[i]->setTransform(to_fcl(frame.X_WL[link]));
      } else {
        objects_[i]->setTransform(to_fcl(frame.X_WL[link]) * placed_[i].X_LS);
      }
    }
  }

  double distance(std::size_t i, std::size_t j, fcl::GJKSolverType solver) const {
    fcl::DistanceRequestd request;
    request.gjk_solver_type = solver;
    fcl::DistanceResultd result;
    fcl::distance(objects_[i].get(), objects_[j].get(), request, result);
    return std::max(0.0, result.min_distance - radii(i, j));
  }

  bool collide(std::size_t i, std::size_t j, fcl::GJKSolverType solver) const {
    if (radii(i, j) > 0) return distance(i, j, solver) <= 0;
    fcl::CollisionRequestd request;
    request.gjk_solver_type = solver;
    fcl::CollisionResultd result;
    return fcl::collide(objects_[i].get(), objects_[j].get(), request, result) > 0;
  }

 private:
  const Scene& scene_;
  std::vector<Placed> placed_;
  std::vector<std::unique_ptr<Object>> objects_;
};

/// Pair after pair, with the library's default requests.
class Loop final : public Peer {
 public:
  Loop(const Scene& scene, Placed (*build)(const Shape&), fcl::GJKSolverType solver)
      : objects_(scene, build), solver_(solver) {}

  void all_pairs(const Frame& frame, std::span<double> distances) override {
    objects_.move(frame);
    for (std::size_t k = 0; k < distances.size(); ++k) distances[k] = pair_distance(k);
  }

  double least(const Frame& frame) override {
    objects_.move(frame);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < objects_.scene().pairs.size() && least > 0; ++k) {
      least = std::min(least, pair_distance(k));
    }
    return least;
  }

  bool check(const Frame& frame) override {
    objects_.move(frame);
    const Scene& scene = objects_.scene();
    for (const auto& [a, b] : scene.pairs) {
      for (int i : scene.shapes_of_link[static_cast<std::size_t>(a)]) {
        for (int j : scene.shapes_of_link[static_cast<std::size_t>(b)]) {
          if (objects_.collide(static_cast<std::size_t>(i), static_cast<std::size_t>(j), solver_)) {
            return true;
          }
        }
      }
    }
    return false;
  }

 private:
  double pair_distance(std::size_t k) const {
    const Scene& scene = objects_.scene();
    double least = std::numeric_limits<double>::infinity();
    for (int i : scene.shapes_of_link[static_cast<std::size_t>(scene.pairs[k][0])]) {
      for (int j : scene.shapes_of_link[static_cast<std::size_t>(scene.pairs[k][1])]) {
        least = std::min(least, objects_.distance(static_cast<std::size_t>(i),
                                                  static_cast<std::size_t>(j), solver_));
      }
    }
    return least;
  }

  Objects objects_;
  fcl::GJKSolverType solver_;
};

/// FCL's dynamic AABB tree in front of the same convex shapes.
class Tree final : public Peer {
 public:
  explicit Tree(const Scene& scene) : objects_(scene, as_convex) {
    const std::size_t links = scene.shapes_of_link.size();
    std::vector<bool> linked(links * links, false);
    for (const auto& [a, b] : scene.pairs) {
      linked[static_cast<std::size_t>(a) * links + static_cast<std::size_t>(b)] = true;
      linked[static_cast<std::size_t>(b) * links + static_cast<std::size_t>(a)] = true;
    }
    checked_.resize(objects_.size() * objects_.size());
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      for (std::size_t j = 0; j < objects_.size(); ++j) {
        checked_[i * objects_.size() + j] =
            linked[static_cast<std::size_t>(scene.shapes[i].link) * links +
                   static_cast<std::size_t>(scene.shapes[j].link)];
      }
      // Room for the radius that FCL's shape lacks, lest the tree leave out a pair.
      widest_ = std::max(widest_, objects_.radii(i, i));
    }
    for (std::size_t i = 0; i < objects_.size(); ++i) manager_.registerObject(objects_[i]);
    manager_.setup();
  }

  void all_pairs(const Frame&, std::span<double>) override {}

  double least(const Frame& frame) override {
    update(frame);
    least_ = std::numeric_limits<double>::infinity();
    manager_.distance(this, [](Object* a, Object* b, void* data, double& bound) {
      auto& self = *static_cast<Tree*>(data);
      const std::size_t i = Objects::index(a), j = Objects::index(b);
      if (self.checked(i, j)) {
        self.least_ = std::min(self.least_, self.objects_.distance(i, j, fcl::GST_LIBCCD));
      }
      bound = self.least_ + self.widest_;
      return self.least_ <= 0;
    });
    return least_;
  }

  bool check(const Frame& frame) override {
    // Boxes of shapes that lack their radius could miss each other: then only distances tell.
    if (widest_ > 0) return least(frame) <= 0;
    update(frame);
    hit_ = false;
    manager_.collide(this, [](Object* a, Object* b, void* data) {
      auto& self = *static_cast<Tree*>(data);
      const std::size_t i = Objects::index(a), j = Objects::index(b);
      self.hit_ = self.checked(i, j) && self.objects_.collide(i, j, fcl::GST_LIBCCD);
      return self.hit_;
    });
    return hit_;
  }

 private:
  bool checked(std::size_t i, std::size_t j) const { return checked_[i * objects_.size() + j]; }

  void update(const Frame& frame) {
    objects_.move(frame);
    for (std::size_t i = 0; i < objects_.size(); ++i) objects_[i]->computeAABB();
    manager_.update();
  }

  Objects objects_;
  std::vector<bool> checked_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  double least_ = 0, widest_ = 0;
  bool hit_ = false;
};

}  // namespace

std::vector<PeerKind> fcl_peers() {
  return {
      {"fcl", "convex shapes, libccd, pair after pair",
       [](const Scene& scene) -> std::unique_ptr<Peer> {
         return std::make_unique<Loop>(scene, as_convex, fcl::GST_LIBCCD);
       }},
      {"fcl_tree", "convex shapes, libccd, dynamic AABB tree",
       [](const Scene& scene) -> std::unique_ptr<Peer> { return std::make_unique<Tree>(scene); },
       false},
      {"fcl_indep", "convex shapes, FCL's own GJK, pair after pair",
       [](const Scene& scene) -> std::unique_ptr<Peer> {
         return std::make_unique<Loop>(scene, as_convex, fcl::GST_INDEP);
       },
       true, 20},
      {"fcl_obb", "OBBRSS trees of the hull surfaces, pair after pair",
       [](const Scene& scene) -> std::unique_ptr<Peer> {
         return std::make_unique<Loop>(scene, as_tree, fcl::GST_LIBCCD);
       },
       true, 100},
  };
}

struct FclShapes::Impl {
  Objects objects;
};

FclShapes::FclShapes(const Scene& scene)
    : impl_(std::make_unique<Impl>(Impl{Objects(scene, [](const Shape& shape) {
        return shape.surface ? as_tree(shape) : as_convex(shape);
      })})) {}
FclShapes::~FclShapes() = default;

void FclShapes::move(std::span<const Pose> X_WL) {
  impl_->objects.move({{}, X_WL});
}

bool FclShapes::collide(int shape_a, int shape_b) const {
  return impl_->objects.collide(static_cast<std::size_t>(shape_a),
                                static_cast<std::size_t>(shape_b), fcl::GST_LIBCCD);
}

std::string fcl_version() {
  return "FCL " FCL_VERSION;
}

}  // namespace keepclear::bench
