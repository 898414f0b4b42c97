// SPDX-License-Identifier: BSD-3-Clause
//
// Judges distances of whole robots: 113-bit kinematics, every vertex of every mesh as the file
// holds it, every checked pair. From the library come the parsed description, the list of pairs
// and, for FCL alone, the facets of hulls.
#pragma once

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/distance.hpp"
#include "keepclear/world.hpp"
#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "robot/urdf.hpp"
#include "shape/hull.hpp"

namespace keepclear::oracle {

/// The different vertices of a binary STL file. float32 is exact in double.
inline std::vector<Vec3> read_vertices(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  if (bytes.size() < 84 || (bytes.size() - 84) % 50 != 0) {
    throw std::runtime_error(file.string() + " is not a binary STL file");
  }
  std::vector<std::array<float, 3>> vertices;
  for (std::size_t at = 84; at < bytes.size(); at += 50) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      std::array<float, 3> v;
      std::memcpy(v.data(), bytes.data() + at + 12 + 12 * corner, 12);
      vertices.push_back(v);
    }
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  std::vector<Vec3> result;
  for (const auto& v : vertices) result.push_back({v[0], v[1], v[2]});
  return result;
}

/// The judge's own picture of a robot whose collision elements are all unscaled binary STL meshes.
class RobotReference {
 public:
  explicit RobotReference(const std::filesystem::path& urdf)
      : robot_(read_urdf(urdf, {})), kinematics_(robot_) {
    for (std::size_t l = 0; l < robot_.links.size(); ++l) {
      for (const Collision& collision : robot_.links[l].collisions) {
        if (collision.geometry.kind != Geometry::Kind::mesh ||
            !(collision.geometry.scale == Vec3{1, 1, 1})) {
          throw std::runtime_error("only unscaled meshes are judged");
        }
        const std::vector<Vec3> vertices = read_vertices(collision.geometry.file);
        elements_.push_back({static_cast<int>(l), reference_origin(collision.origin),
                             PointSet(vertices), fcl_shapes(vertices)});
      }
    }
  }

  std::size_t dof() const { return kinematics_.dof(); }

  void set_pose(std::span<const double> q) {
    X_ = kinematics_(q);
    for (Element& e : elements_) {
      e.X = X_[e.link] * e.origin;
      const auto v = [](const QVec& a) {
        return Eigen::Vector3d(static_cast<double>(a.x), static_cast<double>(a.y),
                               static_cast<double>(a.z));
      };
      e.fcl_pose.linear().row(0) = v(e.X.R.row0);
      e.fcl_pose.linear().row(1) = v(e.X.R.row1);
      e.fcl_pose.linear().row(2) = v(e.X.R.row2);
      e.fcl_pose.translation() = v(e.X.p);
    }
  }

  /// What is known of a pair of links in the current pose.
  struct Truth {
    Quad upper = std::numeric_limits<double>::infinity();  ///< zero when they overlap
    Quad lower = std::numeric_limits<double>::infinity();
    bool certain = false;  ///< farther apart, or deeper, than 1e-6 m
    bool fcl_collides = false;
  };

  Truth truth(const std::string& link_a, const std::string& link_b, bool ask_fcl) {
    Truth truth;
    bool deep = false;
    for (Element& a : elements_) {
      if (robot_.links[a.link].name != link_a) continue;
      for (Element& b : elements_) {
        if (robot_.links[b.link].name != link_b) continue;
        const auto near = reference_distance(a.points, a.X, b.points, b.X, &memory_[{&a, &b}]);
        truth.upper = std::min(truth.upper, near.upper);
        truth.lower = std::min(truth.lower, near.lower);
        if (!ask_fcl) continue;
        if (!(near.upper > 0)) deep = deep || is_deeper_than(a, b, 1e-6);
        truth.fcl_collides = truth.fcl_collides || fcl_collides(a, b);
      }
    }
    truth.certain = deep || truth.lower > Quad(1e-6);
    return truth;
  }

 private:
  using FclTree = fcl::BVHModel<fcl::OBBRSS<double>>;
  struct FclShapes {
    std::shared_ptr<FclTree> surface;
    std::shared_ptr<fcl::Convex<double>> solid;
  };

  struct Element {
    int link;
    QPose origin;
    PointSet points;
    FclShapes fcl;
    QPose X{};
    Eigen::Isometry3d fcl_pose = Eigen::Isometry3d::Identity();
  };

  static FclShapes fcl_shapes(const std::vector<Vec3>& vertices) {
    const Hull hull = convex_hull(vertices);
    std::vector<Eigen::Vector3d> points;
    for (const Vec3& p : hull.vertices) points.emplace_back(p.x, p.y, p.z);
    std::vector<fcl::Triangle> triangles;
    auto faces = std::make_shared<std::vector<int>>();
    for (const auto& f : hull.facets) {
      triangles.emplace_back(f[0], f[1], f[2]);
      faces->push_back(3);
      for (const std::uint32_t corner : f) faces->push_back(static_cast<int>(corner));
    }
    FclShapes shapes{std::make_shared<FclTree>(), nullptr};
    shapes.surface->beginModel();
    shapes.surface->addSubModel(points, triangles);
    shapes.surface->endModel();
    shapes.solid = std::make_shared<fcl::Convex<double>>(
        std::make_shared<const std::vector<Eigen::Vector3d>>(points),
        static_cast<int>(hull.facets.size()), faces);
    return shapes;
  }

  /// FCL's trees see crossing surfaces but not one body inside another; its convex solids do.
  static bool fcl_collides(const Element& a, const Element& b) {
    const fcl::CollisionRequest<double> request;
    fcl::CollisionResult<double> crossing, solid;
    return fcl::collide<double>(a.fcl.surface.get(), a.fcl_pose, b.fcl.surface.get(), b.fcl_pose,
                                request, crossing) > 0 ||
           fcl::collide<double>(a.fcl.solid.get(), a.fcl_pose, b.fcl.solid.get(), b.fcl_pose,
                                request, solid) > 0;
  }

  /// The ball of that radius fits into the octahedron that B is moved around.
  static bool is_deeper_than(const Element& a, const Element& b, double depth) {
    const Quad step = 1.75 * depth;
    for (const QVec& way : {QVec{step, 0, 0}, QVec{-step, 0, 0}, QVec{0, step, 0},
                            QVec{0, -step, 0}, QVec{0, 0, step}, QVec{0, 0, -step}}) {
      QPose X = b.X;
      X.p = X.p + way;
      if (reference_distance(a.points, a.X, b.points, X).upper > 0) return false;
    }
    return true;
  }

  RobotModel robot_;
  ReferenceKinematics kinematics_;
  std::vector<Element> elements_;
  std::vector<QPose> X_;
  std::map<std::pair<const Element*, const Element*>, ActiveSet> memory_;
};

/// What was counted over poses; the lower half must stay zero.
struct RobotTally {
  std::int64_t poses = 0, pairs = 0, free = 0, contact = 0, undecided = 0;
  std::int64_t asked_fcl = 0, fcl_disagrees = 0;
  double worst_error = 0;      ///< metres: of a distance against the reference
  double worst_gap = 0;        ///< metres: of distance - lower_bound where free
  double worst_reference = 0;  ///< metres: the duality gap of the reference itself

  std::int64_t wrong_verdicts = 0, wrong_distances = 0, lower_violations = 0;
  std::int64_t wrong_least = 0;  ///< the least distance, or the check, differs from the pairs
  std::int64_t against_fcl = 0;  ///< a verdict that is not FCL's where the gap is certain
  std::vector<std::string> messages;

  std::int64_t violations() const {
    return wrong_verdicts + wrong_distances + lower_violations + wrong_least + against_fcl;
  }
};

/// Judges `poses` random poses of a robot within its limits. Each pair has its own verdict held
/// against the reference; the least distance and the check are held against the pairs.
inline RobotTally judge_robot(const std::filesystem::path& urdf, std::int64_t poses,
                              std::uint64_t seed, bool ask_fcl) {
  const World world = load(urdf);
  RobotReference reference(urdf);
  if (reference.dof() != world.dof()) throw std::runtime_error("dof differ");
  DistanceQuery query(world);
  std::mt19937_64 random(seed);
  RobotTally tally;
  std::vector<double> q(world.dof());
  const auto blame = [&](std::int64_t& counter, const std::string& what) {
    ++counter;
    if (tally.messages.size() >= 10) return;
    std::string text = urdf.filename().string() + ", pose " + std::to_string(tally.poses) + ": ";
    tally.messages.push_back(text + what);
  };
  for (; tally.poses < poses; ++tally.poses) {
    for (std::size_t k = 0; k < q.size(); ++k) {
      const Variable& v = world.variables()[k];
      const double lower = std::max(v.lower, -3.2), upper = std::min(v.upper, 3.2);
      q[k] = lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
    }
    reference.set_pose(q);
    const Nearest least = query(q);
    const Verdict checked = query.check(q).verdict;
    const std::span<const Nearest> all = query.all_pairs(q);
    if (all.size() != world.pairs().size()) throw std::runtime_error("pairs are missing");
    Quad least_truth = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < all.size(); ++k) {
      ++tally.pairs;
      const PairInfo& pair = world.pairs()[k];
      const std::string& link_a = world.solids()[static_cast<std::size_t>(pair.a)].name;
      const std::string& link_b = world.solids()[static_cast<std::size_t>(pair.b)].name;
      const auto truth = reference.truth(link_a, link_b, ask_fcl);
      least_truth = std::min(least_truth, truth.upper);
      tally.worst_reference =
          std::max(tally.worst_reference, static_cast<double>(truth.upper - truth.lower));
      const std::string name = link_a + " and " + link_b + ": " + to_string(all[k].verdict) +
                               ", distance " + std::to_string(all[k].distance) + ", reference " +
                               std::to_string(static_cast<double>(truth.upper));
      const double error = std::abs(static_cast<double>(Quad(all[k].distance) - truth.upper));
      tally.worst_error = std::max(tally.worst_error, error);
      if (!(error <= 1e-9)) blame(tally.wrong_distances, name);
      if (Quad(all[k].lower_bound) > truth.upper) blame(tally.lower_violations, name);
      switch (all[k].verdict) {
        case Verdict::free:
          ++tally.free;
          tally.worst_gap = std::max(tally.worst_gap, all[k].distance - all[k].lower_bound);
          if (!(truth.lower > 0)) blame(tally.wrong_verdicts, name);
          if (!(all[k].distance - all[k].lower_bound <= 1e-9)) blame(tally.wrong_distances, name);
          break;
        case Verdict::contact:
          ++tally.contact;
          // Bodies are larger than their meshes by rounding.
          if (truth.lower > Quad(1e-12)) blame(tally.wrong_verdicts, name);
          break;
        case Verdict::undecided:
          ++tally.undecided;
          if (truth.certain) blame(tally.wrong_verdicts, name);
          break;
      }
      if (!ask_fcl || !truth.certain) continue;
      ++tally.asked_fcl;
      const bool overlaps = !(truth.upper > 0);
      if (truth.fcl_collides != overlaps) ++tally.fcl_disagrees;
      if (truth.fcl_collides != (all[k].verdict == Verdict::contact)) {
        blame(tally.against_fcl, name + (truth.fcl_collides ? ", FCL collides" : ", FCL is free"));
      }
    }
    const double error = std::abs(static_cast<double>(Quad(least.distance) - least_truth));
    tally.worst_error = std::max(tally.worst_error, error);
    if (!(error <= 1e-9) || Quad(least.lower_bound) > least_truth) {
      blame(tally.wrong_least, "least distance " + std::to_string(least.distance));
    }
    const bool overlaps = !(least_truth > 0);
    const auto wrong = [&](Verdict v) {
      return (v == Verdict::free && overlaps) ||
             (v == Verdict::contact && least_truth > Quad(1e-12)) ||
             (v == Verdict::undecided && least_truth > Quad(1e-9));
    };
    if (wrong(least.verdict) || wrong(checked)) blame(tally.wrong_least, "verdict");
  }
  return tally;
}

}  // namespace keepclear::oracle
