// SPDX-License-Identifier: BSD-3-Clause
//
// The events by which a contact can begin, in one ball of displacements: a vertex meets a face, an
// edge an edge, a face a vertex. What cannot be excluded is handed on.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "keepclear/toleranced.hpp"
#include "sweep/fat_body.hpp"

namespace keepclear {

/// The vertices of a body under a displacement, computed as they are asked for.
class PlacedVertices {
 public:
  explicit PlacedVertices(const PolyhedronData& data)
      : data_(data), at_(data.vertices.size()), when_(data.vertices.size(), 0) {}

  void place(const Affine& g) noexcept { g_ = g, ++now_; }
  const Affine& displacement() const noexcept { return g_; }
  Vec3 operator[](std::uint32_t vertex) noexcept {
    if (when_[vertex] != now_) {
      at_[vertex] = g_ * data_.vertices[vertex];
      when_[vertex] = now_;
    }
    return at_[vertex];
  }

 private:
  const PolyhedronData& data_;
  Affine g_;
  std::vector<Vec3> at_;
  std::vector<std::uint64_t> when_;
  std::uint64_t now_ = 0;
};

/// Something that may happen: an event, or any of those between two nodes.
struct BallItem {
  enum class Kind : std::uint8_t {
    nodes,        ///< elements of the node a of the moving body, and of b of the other
    vertex_face,  ///< the vertex a, and the face b of the other
    edge_edge,
    face_vertex,
    node_plane,  ///< vertices of the node a, and a plane
    vertex_plane
  };
  Kind kind = Kind::nodes;
  int other = 0;  ///< bodies first, then planes
  std::uint32_t a = 0, b = 0;
};
Element moving_element(const BallItem& item) noexcept;
Element standing_element(const BallItem& item) noexcept;

/// All that stands still, ready for tests.
class Standing {
 public:
  Standing(const FatBody& moving, std::vector<StandingBody> bodies,
           std::vector<StandingPlane> planes, double margin);

  /// Of the moving body.
  double radius() const noexcept { return radius_; }
  /// What it grows by on a curve that stretches the body. What is not a number stays none: nothing
  /// is excluded then.
  double rounder_hi(double stretch) const noexcept {
    return stretch <= 1 ? 0.0 : rounding::inflate(radius_ * (stretch - 1), 3);
  }

  struct Plane {
    Vec3 normal;  ///< of length one, but for 4 roundings
    double offset = 0;
  };
  struct Other {
    /// Metres: how far the cores of bodies that are not stretched must be apart: radii and margin.
    double apart_hi = 0;
    double still_lo = 0;  ///< that, less the radius of the moving body
    double margin = 0;
    double error_hi = 0;    ///< of what is known of its place
    double reach_hi = 0;    ///< the distance of any of its points from the origin; 0 of a plane
    double stretch_hi = 1;  ///< what faces of either body make of an error of their anchors
  };
  std::size_t count() const noexcept { return others_.size(); }
  bool is_plane(int other) const noexcept {
    return static_cast<std::size_t>(other) >= bodies_.size();
  }
  const Other& other(int i) const noexcept { return others_[static_cast<std::size_t>(i)]; }
  const PolyhedronData& body(int i) const noexcept {
    return bodies_[static_cast<std::size_t>(i)].body.data();
  }
  const Plane& plane(int i) const noexcept {
    return half_spaces_[static_cast<std::size_t>(i) - bodies_.size()];
  }
  std::span<const StandingBody> bodies() const noexcept { return bodies_; }
  std::span<const StandingPlane> planes() const noexcept { return planes_; }

 private:
  std::vector<StandingBody> bodies_;
  std::vector<StandingPlane> planes_;
  std::vector<Plane> half_spaces_;
  std::vector<Other> others_;
  double radius_ = 0;  ///< of the moving body
};

class BallTests {
 public:
  BallTests(const FatBody& moving, const Standing& standing);

  /// Everything that may happen: where a motion begins.
  void list_all(std::vector<BallItem>& items) const;

  /// A ball around g: of radius R, `reducible` of which dividing can make smaller. Bodies are to be
  /// farther apart than `clearance`, and than their margins.
  /// `stretch`: as a DisplacementBall has it.
  void begin(const Affine& g, double R, double reducible, double stretch,
             double clearance) noexcept;
  /// Puts what cannot be excluded into `left`; nodes for which the ball is too coarse stay nodes
  /// unless `finest`.
  void sift(std::span<const BallItem> items, bool finest, std::vector<BallItem>& left);
  /// True if an event is excluded in the ball.
  bool excludes(const BallItem& item) noexcept;

  std::size_t tests() const noexcept { return tests_; }
  /// Beyond so many tests, counted from the first on, nothing is excluded any more.
  void limit(std::size_t tests) noexcept { limit_ = tests; }

 private:
  struct Radii {
    Growth growth;
    double most = 0;  ///< at least what is to be kept beside R rho
  };
  void sift_nodes(const BallItem& item, bool finest, std::vector<BallItem>& left);
  void sift_leaves(const BallItem& item, std::vector<BallItem>& left);
  void sift_plane(const BallItem& item, bool finest, std::vector<BallItem>& left);
  bool nodes_apart(const PolyhedronNode& a, double rho, const PolyhedronNode& b,
                   const Radii& radii) const noexcept;
  const Radii& radii_of(int other) noexcept;

  const FatBody& moving_;
  const Standing& standing_;
  PlacedVertices placed_;
  double R_ = 0, reducible_ = 0, clearance_ = 0, stretch_hi_ = 1;
  double rounder_ = 0;   ///< what the radius of the body grows by
  double shift_hi_ = 0;  ///< of a placed vertex, rounding and its own error
  std::vector<Radii> radii_;
  std::vector<std::uint64_t> radii_of_;
  std::uint64_t ball_ = 0;
  std::vector<BallItem> stack_;
  std::size_t tests_ = 0, limit_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace keepclear
