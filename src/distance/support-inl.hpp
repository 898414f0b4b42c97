// SPDX-License-Identifier: BSD-3-Clause
//
// Support functions in lanes: compiled once for each instruction set (Highway), included by .cpp
// files of this room and of sweep only. All targets agree to the bit: a fixed number of virtual
// lanes, products and sums in the same order, ties to the lowest virtual lane.
#if defined(KEEPCLEAR_SUPPORT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef KEEPCLEAR_SUPPORT_INL_HPP
#undef KEEPCLEAR_SUPPORT_INL_HPP
#else
#define KEEPCLEAR_SUPPORT_INL_HPP
#endif

#include <hwy/highway.h>

#include "distance/separation.hpp"
#include "shape/support_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The extreme vertex of a body along a direction.
struct Extreme {
  double value;  ///< largest computed n.p
  std::uint32_t vertex;
  Vec3 point;  ///< of that vertex, in the body's frame
};

/// The largest n.p over `count` >= 1 blocks. Of equal ones the first lane wins, and in it the first
/// block: the same on every target.
HWY_INLINE Extreme scan_blocks(const double* HWY_RESTRICT blocks,
                               const std::uint32_t* HWY_RESTRICT vertices, std::uint32_t count,
                               Vec3 n) {
  // Fixed-size vectors of at most a block: the number of parts is known when compiling.
  const hn::FixedTag<double, HWY_MIN(kBlock, HWY_MAX_BYTES / sizeof(double))> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kParts = kBlock / kLanes;
  const V nx = hn::Set(d, n.x), ny = hn::Set(d, n.y), nz = hn::Set(d, n.z);
  auto along = [&](const double* p) HWY_ATTR {
    return hn::Add(hn::Add(hn::Mul(nx, hn::Load(d, p)), hn::Mul(ny, hn::Load(d, p + kBlock))),
                   hn::Mul(nz, hn::Load(d, p + 2 * kBlock)));
  };
  V best[kParts], where[kParts];
  for (std::size_t part = 0; part < kParts; ++part) {
    best[part] = along(blocks + part * kLanes);
    where[part] = hn::Zero(d);
  }
  for (std::uint32_t block = 1; block < count; ++block) {
    const V here = hn::Set(d, static_cast<double>(block));
    for (std::size_t part = 0; part < kParts; ++part) {
      const V value = along(blocks + block * (3 * kBlock) + part * kLanes);
      const auto better = hn::Gt(value, best[part]);
      best[part] = hn::IfThenElse(better, value, best[part]);
      where[part] = hn::IfThenElse(better, here, where[part]);
    }
  }
  V top = best[0];
  for (std::size_t part = 1; part < kParts; ++part) top = hn::Max(top, best[part]);
  top = hn::MaxOfLanes(d, top);
  std::uint32_t slot = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::intptr_t lane = hn::FindFirstTrue(d, hn::Eq(best[part], top));
    if (lane < 0) continue;
    HWY_ALIGN double block_of_lane[kLanes];
    hn::Store(where[part], d, block_of_lane);
    slot = static_cast<std::uint32_t>(static_cast<std::int32_t>(block_of_lane[lane])) * kBlock +
           static_cast<std::uint32_t>(part * kLanes + static_cast<std::size_t>(lane));
    break;
  }
  const double* p = blocks + (slot / kBlock) * (3 * kBlock) + slot % kBlock;
  return {hn::GetLane(top), vertices[slot], {p[0], p[kBlock], p[2 * kBlock]}};
}

/// The extreme vertex along n by the candidates of n's cell; n finite and not zero.
HWY_INLINE Extreme support(const BodyTables& body, Vec3 n) {
  const std::uint32_t cell = body.cells_per_edge == 0 ? 0 : cell_of(body.cells_per_edge, n);
  const std::size_t first = body.first_block[cell];
  return scan_blocks(body.blocks.data() + first * (3 * kBlock),
                     body.slot_vertex.data() + first * kBlock,
                     body.first_block[cell + 1] - body.first_block[cell], n);
}

/// Evaluates direction n (in A's frame, from A towards B).
HWY_INLINE Separation separate(const Placement& pair, Vec3 n) {
  const Extreme a = support(*pair.a, n);
  const Extreme b = support(*pair.b, -transposed_times(pair.X_AB.R, n));
  return {(dot(n, pair.X_AB.p) - b.value) - a.value, a.vertex, b.vertex,
          a.point - pair.X_AB * b.point};
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#endif  // include guard by target
