// SPDX-License-Identifier: BSD-3-Clause
#include "scene/fit_pieces.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "robot/kinematics.hpp"
#include "scene/mesh_hulls.hpp"
#include "shape/body.hpp"
#include "shape/hull.hpp"
#include "shape/split.hpp"

namespace keepclear {
namespace {

/// Both sides of a cut keep this share of the mesh's size: a proof that halves triangles until each
/// half is in one body then ends.
constexpr double kOverlap = 0.01;

/// Points that span what a set of balls spans: all the search needs to see.
FitInput spanning(const std::vector<Vec3>& points, double radius) {
  FitInput input;
  input.points = convex_hull(points).vertices;
  input.radii.assign(input.points.size(), radius);
  return input;
}

/// Of the hull of all balls.
double volume_of(const FitInput& input) {
  const double least = *std::min_element(input.radii.begin(), input.radii.end());
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < input.points.size(); ++i) {
    add_ball(input.points[i], input.radii[i] - least, points);
  }
  const Hull hull = convex_hull(points);
  return least > 0 ? SmallHull(hull.vertices).volume(least) : volume(hull);
}

/// One mesh at one scale, and its parts, 1 or 2 or ... of them.
class MeshParts {
 public:
  MeshParts(const Mesh& mesh, int most) : mesh_(mesh) {
    split_mesh(mesh.vertices, mesh.triangles, most, kOverlap, &volumes_);
  }

  int most() const { return static_cast<int>(volumes_.size()); }
  std::vector<MeshPart> parts(int n) const {
    return split_mesh(mesh_.vertices, mesh_.triangles, n, kOverlap);
  }
  double vertex_error() const { return mesh_.vertex_error; }
  double volume(int n) const { return volumes_[static_cast<std::size_t>(n - 1)]; }

 private:
  const Mesh& mesh_;
  std::vector<double> volumes_;  ///< of the hulls of 1, 2, ... parts together
};

using AllParts = std::map<MeshKey, MeshParts>;

class LinkPieces {
 public:
  LinkPieces(int link, std::vector<const Collision*> elements, const AllParts& meshes, int parts)
      : link_(link), elements_(std::move(elements)), meshes_(meshes) {
    const int count = static_cast<int>(elements_.size());
    if (parts > 0 && count > parts) {
      std::vector<int> split(elements_.size(), 1);
      make(split);
      while (static_cast<int>(pieces_.size()) > parts) join_two();
    } else {
      make(shares(parts > 0 ? parts : count));
    }
  }

  std::vector<FitPiece> take() { return std::move(pieces_); }

 private:
  const MeshParts* mesh_of(std::size_t e) const {
    const Geometry& g = elements_[e]->geometry;
    return g.kind == Geometry::Kind::mesh ? &meshes_.at(key_of(g)) : nullptr;
  }

  /// Into how many parts each shape goes: the cut that saves most volume first.
  std::vector<int> shares(int total) const {
    std::vector<int> split(elements_.size(), 1);
    for (int left = total - static_cast<int>(elements_.size()); left > 0; --left) {
      double most = 0;
      std::size_t best = elements_.size();
      for (std::size_t e = 0; e < elements_.size(); ++e) {
        const MeshParts* mesh = mesh_of(e);
        if (mesh == nullptr || split[e] >= mesh->most()) continue;
        const double saved = mesh->volume(split[e]) - mesh->volume(split[e] + 1);
        if (saved > most) {
          most = saved;
          best = e;
        }
      }
      if (best == elements_.size()) break;
      ++split[best];
    }
    return split;
  }

  void make(const std::vector<int>& split) {
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      const MeshParts* mesh = mesh_of(e);
      if (mesh == nullptr) {
        add_primitive(e);
        continue;
      }
      const std::vector<MeshPart> parts = mesh->parts(split[e]);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        FitPiece& piece =
            add(e, parts[p].vertices, 0, rounding::up(parts[p].error_hi + mesh->vertex_error()));
        piece.part = static_cast<int>(p);
        piece.parts = static_cast<int>(parts.size());
        piece.vertices = piece.points;
        piece.triangles = parts[p].triangles;
        piece.hull_volume = parts[p].hull_volume;
      }
    }
  }

  void add_primitive(std::size_t e) {
    const Geometry& g = elements_[e]->geometry;
    const RoundedHull hull = rounded_hull(g);
    FitPiece& piece = add(e, hull.points, hull.radius, 0);
    piece.hull_volume = primitive_volume(g);
    const Body body = make_body(hull, piece.X_LS, {});
    Surface surface = triangulate(body.volume(), 3);
    piece.vertices = std::move(surface.vertices);
    piece.triangles = std::move(surface.triangles);
  }

  FitPiece& add(std::size_t e, const std::vector<Vec3>& points, double radius, double error_hi) {
    const BoundedPose X_LS = from_origin(elements_[e]->origin);
    FitPiece piece;
    piece.link = link_;
    piece.elements = {static_cast<int>(e)};
    piece.input = spanning(points, radius);
    piece.X_LS = X_LS.X;
    PlacedPoints placed = place(points, X_LS.X, X_LS.error);
    piece.points = std::move(placed.points);
    const double off_hi = rounding::up(placed.error_hi + error_hi);
    piece.reach_hi.assign(piece.points.size(), off_hi > 0 ? rounding::up(radius + off_hi) : radius);
    pieces_.push_back(std::move(piece));
    return pieces_.back();
  }

  /// Puts the two together whose hull grows least.
  void join_two() {
    double least = std::numeric_limits<double>::infinity();
    std::size_t first = 0, second = 1;
    FitPiece best;
    for (std::size_t a = 0; a < pieces_.size(); ++a) {
      for (std::size_t b = a + 1; b < pieces_.size(); ++b) {
        FitPiece both = joined(pieces_[a], pieces_[b]);
        const double more = both.hull_volume - pieces_[a].hull_volume - pieces_[b].hull_volume;
        if (more >= least) continue;
        least = more;
        best = std::move(both);
        first = a;
        second = b;
      }
    }
    pieces_[first] = std::move(best);
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(second));
  }

  static FitPiece joined(const FitPiece& a, const FitPiece& b) {
    FitPiece both = a;
    both.elements.insert(both.elements.end(), b.elements.begin(), b.elements.end());
    std::sort(both.elements.begin(), both.elements.end());
    both.part = 0;
    both.parts = 1;
    both.X_LS = {};
    both.input = {};
    for (const FitPiece* piece : {&a, &b}) {
      for (std::size_t i = 0; i < piece->input.points.size(); ++i) {
        both.input.points.push_back(piece->X_LS * piece->input.points[i]);
        both.input.radii.push_back(piece->input.radii[i]);
      }
    }
    both.hull_volume = volume_of(both.input);
    both.points.insert(both.points.end(), b.points.begin(), b.points.end());
    both.reach_hi.insert(both.reach_hi.end(), b.reach_hi.begin(), b.reach_hi.end());
    const auto offset = static_cast<std::uint32_t>(both.vertices.size());
    both.vertices.insert(both.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const Triangle& t : b.triangles) {
      both.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    }
    return both;
  }

  int link_;
  std::vector<const Collision*> elements_;
  const AllParts& meshes_;
  std::vector<FitPiece> pieces_;
};

}  // namespace

std::vector<FitPiece> fit_pieces(const WorldModel& model, const Meshes& meshes,
                                 const FitOptions& options) {
  AllParts split;
  {
    std::vector<std::pair<const MeshKey*, const Mesh*>> work;
    for (const auto& [key, mesh] : meshes) work.emplace_back(&key, &mesh);
    std::vector<std::optional<MeshParts>> done(work.size());
    for_each_parallel(work.size(), options.threads, [&](std::size_t i) {
      done[i].emplace(*work[i].second, std::max(1, options.parts));
    });
    for (std::size_t i = 0; i < work.size(); ++i) {
      split.emplace(*work[i].first, std::move(*done[i]));
    }
  }
  std::vector<FitPiece> pieces;
  for (int l = model.first_link(); l < model.first_attached; ++l) {
    std::vector<const Collision*> elements = elements_of(model.robot.links[l], options.around);
    if (elements.empty()) continue;
    LinkPieces of_link(l, std::move(elements), split, options.parts);
    for (FitPiece& piece : of_link.take()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace keepclear
