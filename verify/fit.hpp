// SPDX-License-Identifier: BSD-3-Clause
// docs/certificate.md §6: shapes that are covered by the bodies of their link.
#pragma once
#include <set>

#include "world.hpp"

namespace verify {

using Face = std::array<std::size_t, 3>;  // corners

class Shape {
 public:
  Shape(Reader& in, const World& world) : in_(in), world_(world) {}

  void check() {
    in_.take("shape");
    link_ = in_.index(world_.links.size());
    grown_ = in_.length() + in_.length();  // rounded up
    do {
      in_.take("corner");
      corners_.push_back(in_.vector());
    } while (in_.at("corner"));
    std::vector<Face> faces;
    const std::size_t n = corners_.size();
    while (in_.at("face")) {
      in_.take("face");
      faces.push_back({in_.index(n), in_.index(n), in_.index(n)});
    }
    if (faces.empty()) {
      while (in_.at("inside")) inside();
      in_.take("whole");
      const std::size_t body = in_.index(world_.bodies.size());
      for (std::size_t i = 0; i < n; ++i)
        in_.demand(inside_.contains({i, body}), "a corner that is not inside");
    }
    for (const Face& face : faces) cover(face, 0);
  }

 private:
  void inside() {
    in_.take("inside");
    const std::size_t corner = in_.index(corners_.size()), body = in_.index(world_.bodies.size());
    const Body& b = world_.bodies[body];
    in_.demand(b.link == link_, "a body of another link");
    const std::size_t n = b.points.size() / 3;
    Vec sum = {0.0, 0.0, 0.0};
    Interval weights = 0.0;
    for (std::size_t i = in_.index(SIZE_MAX); i > 0; --i) {
      const auto weight = static_cast<double>(in_.whole(std::int64_t{1} << 53));
      in_.demand(weight > 0, "a weight that is not above 0");
      const double* p = &b.points[3 * in_.index(n)];
      weights += weight;
      sum = sum + weight * Vec{Interval(p[0]), Interval(p[1]), Interval(p[2])};
    }
    in_.demand(down(weights) > 0, "no points");
    const Vec off = corners_[corner] - sum / weights;
    in_.demand(up(length(off)) + grown_ <= b.radius, "cannot confirm that the corner is inside");
    inside_.insert({corner, body});
  }

  void cover(const Face& face, int depth) {
    while (in_.at("inside")) inside();
    if (in_.at("whole")) {
      in_.take("whole");
      const std::size_t body = in_.index(world_.bodies.size());
      for (const std::size_t i : face)
        in_.demand(inside_.contains({i, body}), "a corner that is not inside");
      return;
    }
    in_.take("halve");
    in_.demand(depth < 60, "halved more than 60 times");
    const std::size_t side = in_.index(3), other = (side + 1) % 3;
    const Vec middle = Interval(0.5) * (corners_[face[side]] + corners_[face[other]]);
    Face first = face, second = face;
    first[other] = second[side] = corners_.size();
    corners_.push_back(middle);
    cover(first, depth + 1);
    cover(second, depth + 1);
  }

  Reader& in_;
  const World& world_;
  std::size_t link_ = 0;
  double grown_ = 0;  // RADIUS + OFF
  std::vector<Vec> corners_;
  std::set<std::pair<std::size_t, std::size_t>> inside_;  // corner, body
};

inline std::size_t check_fit(Reader& in, const World& world) {
  std::size_t shapes = 0;
  do Shape(in, world).check(), ++shapes;
  while (in.at("shape"));
  return shapes;
}

}  // namespace verify
