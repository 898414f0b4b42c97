// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors, cells and the sub-distance with a pair in each lane. Compiled once for each instruction
// set (Highway), included by gjk_lanes.cpp only. No branches on lanes: masks choose.
#if defined(KEEPCLEAR_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef KEEPCLEAR_LANES_INL_HPP
#undef KEEPCLEAR_LANES_INL_HPP
#else
#define KEEPCLEAR_LANES_INL_HPP
#endif

#include <hwy/highway.h>

#include "shape/support_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace lanes {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::FixedTag<double, HWY_MIN(kBlock, HWY_MAX_BYTES / sizeof(double))>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using VU = hn::Vec<DU>;
using M = hn::Mask<D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());

/// Three numbers a lane.
struct V3 {
  V x, y, z;
};
HWY_INLINE V3 operator-(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE V3 operator+(const V3& a, const V3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE V3 operator-(const V3& a) {
  return {hn::Neg(a.x), hn::Neg(a.y), hn::Neg(a.z)};
}
HWY_INLINE V3 times(V s, const V3& a) {
  return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
}
/// Products and sums in the order of keepclear::dot, none fused.
HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)),
          hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE V3 choose(M m, const V3& yes, const V3& no) {
  return {hn::IfThenElse(m, yes.x, no.x), hn::IfThenElse(m, yes.y, no.y),
          hn::IfThenElse(m, yes.z, no.z)};
}

/// A point of the Minkowski difference and the vertices that made it, packed.
struct Corner {
  V3 w;
  VU id;
};
HWY_INLINE Corner choose(M m, const Corner& yes, const Corner& no) {
  return {choose(m, yes.w, no.w), hn::IfThenElse(hn::RebindMask(DU(), m), yes.id, no.id)};
}

/// The cell of each direction, to the bit as cell_of. `edge` is cells_per_edge; zero gives zero.
HWY_INLINE auto cells(V edge, const V3& n) {
  const D d;
  const V ax = hn::Abs(n.x), ay = hn::Abs(n.y), az = hn::Abs(n.z);
  const V largest = hn::Max(hn::Max(ax, ay), az);
  const M is_x = hn::Eq(ax, largest), is_y = hn::Eq(ay, largest);
  auto pick = [&](V x, V y, V z)
                  HWY_ATTR { return hn::IfThenElse(is_x, x, hn::IfThenElse(is_y, y, z)); };
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const V axis2 = pick(zero, hn::Set(d, 2.0), hn::Set(d, 4.0));
  const V face = hn::Add(axis2, hn::IfThenElseZero(hn::Lt(pick(n.x, n.y, n.z), zero), one));
  const V half = hn::Mul(hn::Set(d, 0.5), edge);
  const V scale = hn::Div(half, largest);
  const V last = hn::Sub(half, one);
  auto index = [&](V u) HWY_ATTR {
    const V out = hn::Min(hn::Floor(hn::Mul(hn::Abs(u), scale)), last);
    const V sign = hn::CopySignToAbs(one, u);
    return hn::Add(half, hn::IfThenElse(hn::Lt(sign, zero), hn::Sub(hn::Neg(out), one), out));
  };
  const V i = index(pick(n.y, n.z, n.x)), j = index(pick(n.z, n.x, n.y));
  // Whole numbers far below 2^53: exact.
  const V cell = hn::Max(hn::Add(hn::Mul(hn::Add(hn::Mul(face, edge), i), edge), j), zero);
  return hn::DemoteTo(hn::Rebind<std::int32_t, D>(), cell);
}

/// Up to four points and what is nearest to the origin of them. Slots that are not in use repeat
/// one that is.
struct Corners {
  Corner a, b, c, d;  ///< a is the newest
  V old;              ///< how many points there are besides a: 0 to 3
};
struct Nearest {
  V3 v;
  Corner corner[3];  ///< those that carry v; the others repeat the first
  V weight[3];
  V count;
  M inside;
};

/// How much nearer an edge comes than its newest end, times the squared length of the edge.
HWY_INLINE V edge_gain(V along, V length2) {
  const V beyond = hn::Mul(hn::Sub(hn::Add(along, along), length2), length2);
  const V gain = hn::IfThenElse(hn::Lt(along, length2), hn::Mul(along, along), beyond);
  return hn::IfThenElseZero(hn::Gt(along, hn::Zero(D())), gain);
}

/// The sub-distance of the newest vertex (subdistance.hpp), all regions side by side. A face that
/// has the origin on its outer side and right above it holds the nearest point; if there is none
/// such, the edge that comes nearest does.
HWY_INLINE Nearest nearest_of_newest(const Corners& s) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const V3 ab = s.b.w - s.a.w, ac = s.c.w - s.a.w, ad = s.d.w - s.a.w, ao = -s.a.w;
  const V3 ob = cross(ao, ab), oc = cross(ao, ac), od = cross(ao, ad);
  const V3 n1 = cross(ab, ac), n2 = cross(ac, ad), n3 = cross(ab, ad);
  const V det = dot(n1, ad);
  const V o1 = dot(n1, ao), o2 = dot(n2, ao), o3 = dot(n3, ao);
  const M four = hn::Eq(s.old, hn::Set(d, 3.0));
  const M same1 = hn::And(four, hn::Gt(hn::Mul(det, o1), zero));
  const M same2 = hn::Gt(hn::Mul(det, o2), zero);
  const M same3 = hn::Lt(hn::Mul(det, o3), zero);

  // Weights of the old vertices of each face, times the squared norm of its normal.
  const V nn1 = dot(n1, n1), nn2 = dot(n2, n2), nn3 = dot(n3, n3);
  const V x1 = dot(n1, oc), y1 = hn::Neg(dot(n1, ob));
  const V x2 = dot(n2, od), y2 = hn::Neg(dot(n2, oc));
  const V x3 = dot(n3, od), y3 = hn::Neg(dot(n3, ob));
  auto above = [&](V x, V y, V nn) HWY_ATTR {
    return hn::And(hn::Gt(hn::Min(x, y), zero), hn::Le(hn::Add(x, y), nn));
  };
  const M face1 = hn::AndNot(same1, above(x1, y1, nn1));
  const M face2 = hn::AndNot(same2, hn::And(four, above(x2, y2, nn2)));
  const M face3 = hn::AndNot(same3, hn::And(four, above(x3, y3, nn3)));
  const M face = hn::Or(face1, hn::Or(face2, face3));
  auto pick = [&](V f1, V f2, V f3)
                  HWY_ATTR { return hn::IfThenElse(face1, f1, hn::IfThenElse(face2, f2, f3)); };
  const V3 n = choose(face1, n1, choose(face2, n2, n3));
  const V nn = pick(nn1, nn2, nn3);
  const V tx = hn::Div(pick(x1, x2, x3), nn), ty = hn::Div(pick(y1, y2, y3), nn);
  const V3 v_face = times(hn::Neg(hn::Div(pick(o1, o2, o3), nn)), n);

  V along = dot(ao, ab), length2 = dot(ab, ab);
  const V along_c = dot(ao, ac), length2_c = dot(ac, ac);
  const V along_d = dot(ao, ad), length2_d = dot(ad, ad);
  V gain = edge_gain(along, length2);
  const V gain_c = edge_gain(along_c, length2_c), gain_d = edge_gain(along_d, length2_d);
  const M to_c = hn::Gt(hn::Mul(gain_c, length2), hn::Mul(gain, length2_c));
  along = hn::IfThenElse(to_c, along_c, along);
  length2 = hn::IfThenElse(to_c, length2_c, length2);
  gain = hn::IfThenElse(to_c, gain_c, gain);
  const M to_d = hn::Gt(hn::Mul(gain_d, length2), hn::Mul(gain, length2_d));
  along = hn::IfThenElse(to_d, along_d, along);
  length2 = hn::IfThenElse(to_d, length2_d, length2);
  gain = hn::IfThenElse(to_d, gain_d, gain);
  const M edge = hn::AndNot(face, hn::Gt(gain, zero));
  const V t = hn::IfThenElseZero(
      edge, hn::IfThenElse(hn::Lt(along, length2), hn::Div(along, length2), one));
  const V3 v_edge = s.a.w + times(t, choose(to_d, ad, choose(to_c, ac, ab)));

  Nearest r;
  r.v = choose(face, v_face, v_edge);
  r.weight[0] = hn::IfThenElse(face, hn::Sub(hn::Sub(one, tx), ty), hn::Sub(one, t));
  r.weight[1] = hn::IfThenElse(face, tx, t);
  r.weight[2] = hn::IfThenElseZero(face, ty);
  r.count = hn::IfThenElse(face, hn::Set(d, 3.0), hn::IfThenElse(edge, hn::Set(d, 2.0), one));
  r.inside = hn::And(same1, hn::And(same2, same3));
  const M second_d = hn::AndNot(face, hn::And(edge, to_d));
  const M second_c = hn::Or(hn::AndNot(face1, face2), hn::And(edge, to_c));
  const M any = hn::Or(face, edge);
  r.corner[0] = s.a;
  r.corner[1] = choose(any, choose(second_d, s.d, choose(second_c, s.c, s.b)), s.a);
  r.corner[2] = choose(face, choose(face1, s.c, s.d), s.a);
  return r;
}

/// For a triangle whose newest vertex is not known: edge bc as well. `where`: the lanes to change.
HWY_INLINE void try_edge_bc(const Corners& s, M where, Nearest& r) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const V3 bc = s.c.w - s.b.w;
  const V length2 = dot(bc, bc);
  const V share = hn::Div(hn::Neg(dot(s.b.w, bc)), length2);
  const V t = hn::IfThenElseZero(hn::Gt(length2, zero), hn::Min(hn::Max(share, zero), one));
  const V3 v = s.b.w + times(t, bc);
  const M face = hn::Eq(r.count, hn::Set(d, 3.0));
  const M nearer = hn::AndNot(face, hn::And(where, hn::Lt(dot(v, v), dot(r.v, r.v))));
  r.v = choose(nearer, v, r.v);
  r.corner[0] = choose(nearer, s.b, r.corner[0]);
  r.corner[1] = choose(nearer, s.c, r.corner[1]);
  r.corner[2] = choose(nearer, s.b, r.corner[2]);
  r.weight[0] = hn::IfThenElse(nearer, hn::Sub(one, t), r.weight[0]);
  r.weight[1] = hn::IfThenElse(nearer, t, r.weight[1]);
  r.weight[2] = hn::IfThenElse(nearer, zero, r.weight[2]);
  r.count = hn::IfThenElse(nearer, hn::Set(d, 2.0), r.count);
}

}  // namespace lanes
}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#endif  // include guard by target
