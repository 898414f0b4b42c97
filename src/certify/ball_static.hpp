// SPDX-License-Identifier: BSD-3-Clause
//
// Two polyhedra under one displacement: whether they overlap, one inside the other included, and
// about how far apart they are. Without an event nothing of this changes, so that a motion needs it
// only once for each stretch without events.
#pragma once

#include "certify/ball_tests.hpp"

namespace keepclear {

class StaticTests {
 public:
  StaticTests(const FatBody& moving, const Standing& standing)
      : moving_(moving), standing_(standing), placed_(moving.data()) {}

  /// Of triangles and nodes, since it was made.
  std::size_t tests() const noexcept { return tests_; }

  /// Free: for every displacement within the ball (a small one: the place of a curve at a time, and
  /// its rounding) nothing of the moving body's core is on that of the other, nor inside it, nor
  /// the other way round; radii and margins are left to events. Contact: cores overlap. Of a plane
  /// both with its margin.
  Verdict classify(int other, const DisplacementBall& at);

  /// True if the elements of an event are nearer than radii and margin say, for every displacement
  /// of the (small) ball.
  bool too_near(const BallItem& item, const DisplacementBall& at);

  struct Nearest {
    double distance = std::numeric_limits<double>::infinity();  ///< of surfaces; rounded
    Vec3 place;
  };
  /// About the least distance of the body and what stands there. Nothing beyond `beyond`.
  Nearest nearest(int other, const Affine& g, double beyond);
  /// The same of two elements.
  Nearest nearest(const BallItem& item, const Affine& g);

 private:
  struct Triangle {
    Vec3 p[3];
  };
  /// What a ray counts of a shell.
  struct Crossings {
    int all = 0, winding = 0;
  };
  void place(const DisplacementBall& at, int other) noexcept;
  Verdict surfaces(int other);
  Verdict leaf_surfaces(const PolyhedronNode& a, const PolyhedronNode& b, int other);
  /// Whether a part of one is inside a closed part of the other.
  Verdict containment(int other);
  /// True if a point is found that is inside solid parts of both.
  bool share_a_point(int other);
  Nearest nearest_elements(const BallItem& item);
  void list_triangles(const PolyhedronNode& node, bool moving, const PolyhedronData& data,
                      std::vector<Triangle>& list);
  /// Counts what the segment pq crosses of closed shells. False if that is not certain.
  bool count_crossings(Vec3 p, Vec3 q, bool in_moving, const PolyhedronData& data);
  Verdict is_inside(Vec3 p, bool in_moving, const PolyhedronData& data, double size);

  const FatBody& moving_;
  const Standing& standing_;
  PlacedVertices placed_;
  double noise_ = 0;     ///< how far any vertex of either may be off
  double round_lo_ = 0;  ///< at most the radius of what is round about the moving body in place
  double stretch_hi_ = 1;
  std::vector<Triangle> triangles_a_, triangles_b_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack_;
  std::vector<Crossings> crossings_;  ///< of shells
  std::vector<std::uint32_t> node_stack_;
  std::size_t tests_ = 0;
};

}  // namespace keepclear
