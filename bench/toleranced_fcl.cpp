// SPDX-License-Identifier: BSD-3-Clause
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBBRSS.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include "bench/toleranced_bench.hpp"

namespace keepclear::bench {
namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

fcl::Transform3d to_fcl(const Pose& X) {
  fcl::Transform3d t;
  t.matrix() << X.R.row0.x, X.R.row0.y, X.R.row0.z, X.p.x,  //
      X.R.row1.x, X.R.row1.y, X.R.row1.z, X.p.y,            //
      X.R.row2.x, X.R.row2.y, X.R.row2.z, X.p.z,            //
      0, 0, 0, 1;
  return t;
}

std::shared_ptr<Model> model_of(const Polyhedron& polyhedron) {
  std::vector<fcl::Vector3d> vertices;
  for (const Vec3& v : polyhedron.vertices()) vertices.emplace_back(v.x, v.y, v.z);
  std::vector<fcl::Triangle> triangles;
  for (std::size_t f = 0; f < polyhedron.face_count(); ++f) {
    for (const auto& t : polyhedron.triangles_of(f)) triangles.emplace_back(t[0], t[1], t[2]);
  }
  auto model = std::make_shared<Model>();
  model->beginModel();
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

}  // namespace

struct FclMeshes::Impl {
  std::shared_ptr<Model> moving, standing;
};

FclMeshes::FclMeshes(const Polyhedron& moving, const Polyhedron& standing)
    : impl_(std::make_unique<Impl>(Impl{model_of(moving), model_of(standing)})) {}
FclMeshes::~FclMeshes() = default;

bool FclMeshes::collide(const Pose& X) {
  const fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  return fcl::collide(impl_->moving.get(), to_fcl(X), impl_->standing.get(),
                      fcl::Transform3d::Identity(), request, result) > 0;
}

double FclMeshes::distance(const Pose& X) {
  const fcl::DistanceRequestd request;
  fcl::DistanceResultd result;
  return fcl::distance(impl_->moving.get(), to_fcl(X), impl_->standing.get(),
                       fcl::Transform3d::Identity(), request, result);
}

FclMeshes::Advanced FclMeshes::advance(const Pose& from, const Pose& to, std::size_t iterations,
                                       double time_error) {
  const fcl::ContinuousCollisionRequestd request(iterations, time_error, fcl::CCDM_LINEAR,
                                                 fcl::GST_LIBCCD,
                                                 fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
  fcl::ContinuousCollisionResultd result;
  const fcl::Transform3d still = fcl::Transform3d::Identity();
  fcl::continuousCollide(impl_->moving.get(), to_fcl(from), to_fcl(to), impl_->standing.get(),
                         still, still, request, result);
  return {result.is_collide, result.time_of_contact};
}

}  // namespace keepclear::bench
