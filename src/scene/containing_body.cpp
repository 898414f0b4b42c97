// SPDX-License-Identifier: BSD-3-Clause
#include "scene/containing_body.hpp"

#include <algorithm>
#include <numeric>

#include "rounding/rounding.hpp"
#include "scene/link_shapes.hpp"
#include "shape/small_hull.hpp"

namespace keepclear {
namespace {

/// A little larger than the body.
Box around(const ModelBody& body) {
  Vec3 lo = body.points[0], hi = lo;
  for (const Vec3 p : body.points) {
    lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
  }
  const double far = 1.001 * body.radius + 1e-6 * norm(hi - lo) + 1e-9 * (norm(lo) + norm(hi));
  const Vec3 more{far, far, far};
  return {lo - more, hi + more};
}

}  // namespace

ContainingBody::ContainingBody(const ModelBody& body)
    : body_(&body),
      near_(body.points),
      volume_(SmallHull(body.points).volume(body.radius)),
      around_(around(body)) {}

int ContainingBody::own_point(Vec3 p) const {
  const auto& own = body_->points;
  const auto found = std::find(own.begin(), own.end(), p);
  return found == own.end() ? -1 : static_cast<int>(found - own.begin());
}

double ContainingBody::needed_hi(Vec3 p, double reach_hi) const {
  return own_point(p) >= 0 ? reach_hi : needed_radius_hi(near_, p, reach_hi);
}

bool ContainingBody::contains(Vec3 p, double reach_hi) const {
  const Box& box = around_;
  const bool is_near = box.lo.x <= p.x && p.x <= box.hi.x && box.lo.y <= p.y && p.y <= box.hi.y &&
                       box.lo.z <= p.z && p.z <= box.hi.z;
  return is_near && needed_hi(p, reach_hi) <= body_->radius;
}

double middles_off_hi(std::span<const Vec3> corners) {
  double largest_hi = 0;
  for (const Vec3& p : corners) largest_hi = std::max(largest_hi, rounding::norm_hi(p));
  return rounding::inflate(kMostHalvings * 4 * rounding::kU * largest_hi, 8);
}

int longest_side(const std::array<Vec3, 3>& corners) {
  int longest = 0;
  double most = -1;
  for (int k = 0; k < 3; ++k) {
    const double length = squared_norm(corners[(k + 1) % 3] - corners[k]);
    if (length > most) {
      most = length;
      longest = k;
    }
  }
  return longest;
}

std::vector<std::size_t> by_volume(std::span<const double> volumes) {
  std::vector<std::size_t> order(volumes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return volumes[a] < volumes[b]; });
  return order;
}

}  // namespace keepclear
