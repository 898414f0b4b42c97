// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/sweep_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "shape/support_table.hpp"
#include "sweep/sweep_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

struct V3 {
  V x, y, z;
};

/// Up to a vector of points from `at` on; `left` of them, and zeros.
HWY_INLINE V3 load(const double* const p[3], std::size_t at, std::size_t left) {
  const D d;
  if (left >= hn::Lanes(d)) {
    return {hn::LoadU(d, p[0] + at), hn::LoadU(d, p[1] + at), hn::LoadU(d, p[2] + at)};
  }
  const auto m = hn::FirstN(d, left);
  return {hn::MaskedLoad(m, d, p[0] + at), hn::MaskedLoad(m, d, p[1] + at),
          hn::MaskedLoad(m, d, p[2] + at)};
}
HWY_INLINE void store(const V3& v, double* const p[3], std::size_t at, std::size_t left) {
  const D d;
  if (left >= hn::Lanes(d)) {
    hn::StoreU(v.x, d, p[0] + at), hn::StoreU(v.y, d, p[1] + at), hn::StoreU(v.z, d, p[2] + at);
    return;
  }
  const auto m = hn::FirstN(d, left);
  hn::BlendedStore(v.x, m, d, p[0] + at);
  hn::BlendedStore(v.y, m, d, p[1] + at);
  hn::BlendedStore(v.z, m, d, p[2] + at);
}

HWY_INLINE V dot(Vec3 a, const V3& p) {
  const D d;
  return hn::Add(hn::Add(hn::Mul(hn::Set(d, a.x), p.x), hn::Mul(hn::Set(d, a.y), p.y)),
                 hn::Mul(hn::Set(d, a.z), p.z));
}
HWY_INLINE V3 apply(const AffineMap& map, const V3& p) {
  const D d;
  return {hn::Add(dot(map.M.row0, p), hn::Set(d, map.t.x)),
          hn::Add(dot(map.M.row1, p), hn::Set(d, map.t.y)),
          hn::Add(dot(map.M.row2, p), hn::Set(d, map.t.z))};
}
HWY_INLINE V squared_norm(const V3& p) {
  return hn::Add(hn::Add(hn::Mul(p.x, p.x), hn::Mul(p.y, p.y)), hn::Mul(p.z, p.z));
}
HWY_INLINE V3 cross(Vec3 a, const V3& p) {
  const D d;
  const V ax = hn::Set(d, a.x), ay = hn::Set(d, a.y), az = hn::Set(d, a.z);
  return {hn::Sub(hn::Mul(ay, p.z), hn::Mul(az, p.y)), hn::Sub(hn::Mul(az, p.x), hn::Mul(ax, p.z)),
          hn::Sub(hn::Mul(ax, p.y), hn::Mul(ay, p.x))};
}
HWY_INLINE V3 mix(V s, const V3& a, V t, const V3& b) {
  return {hn::Add(hn::Mul(s, a.x), hn::Mul(t, b.x)), hn::Add(hn::Mul(s, a.y), hn::Mul(t, b.y)),
          hn::Add(hn::Mul(s, a.z), hn::Mul(t, b.z))};
}

/// The largest lever and distance of the points seen.
struct Largest {
  V lever2, reach2;

  HWY_INLINE void take(const Stage& stage, const V3& p) {
    const V p2 = squared_norm(p);
    reach2 = hn::Max(reach2, p2);
    lever2 = hn::Max(lever2, stage.about_centre ? p2 : squared_norm(cross(stage.axis, p)));
  }
  HWY_INLINE void report(SweepTask& task) const {
    const D d;
    task.lever2 = hn::GetLane(hn::MaxOfLanes(d, lever2));
    task.reach2 = hn::GetLane(hn::MaxOfLanes(d, reach2));
  }
};

HWY_INLINE void copy_all(const Stage& stage, SweepTask& task, Largest& largest) {
  const std::size_t width = hn::Lanes(D()), n = task.count;
  for (std::size_t i = 0; i < n; i += width) {
    const std::size_t left = n - i;
    const V3 p = load(task.in, i, left);
    largest.take(stage, p);
    for (int k = 0; k < stage.count; ++k) {
      store(apply(stage.maps[k], p), task.out, static_cast<std::size_t>(k) * n + i, left);
    }
  }
}

HWY_INLINE void raise_degree(const Stage& stage, SweepTask& task, Largest& largest) {
  const D d;
  const std::size_t width = hn::Lanes(d), inner = task.inner;
  const std::size_t old = static_cast<std::size_t>(task.degree) + 1, m = old;
  const std::size_t outer = task.count / (inner * old);
  const double* const* in = task.in;
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; i += width) {
      const std::size_t left = inner - i, at = o * old * inner + i;
      const std::size_t to = o * (m + 1) * inner + i;
      V3 before = load(in, at, left);
      largest.take(stage, before);
      store(apply(stage.maps[0], before), task.out, to, left);
      for (std::size_t j = 1; j < m; ++j) {
        const V3 here = load(in, at + j * inner, left);
        largest.take(stage, here);
        const V late = hn::Set(d, static_cast<double>(j) / static_cast<double>(m));
        const V early = hn::Set(d, static_cast<double>(m - j) / static_cast<double>(m));
        store(mix(late, apply(stage.maps[1], before), early, apply(stage.maps[0], here)), task.out,
              to + j * inner, left);
        before = here;
      }
      store(apply(stage.maps[1], before), task.out, to + m * inner, left);
    }
  }
}

}  // namespace

void run_apply_stage(const Stage& stage, std::span<SweepTask> tasks) {
  for (SweepTask& task : tasks) {
    Largest largest{hn::Zero(D()), hn::Zero(D())};
    if (task.degree == 0) {
      copy_all(stage, task, largest);
    } else {
      raise_degree(stage, task, largest);
    }
    largest.report(task);
  }
}

Box run_fill_blocks(double* const points[3], std::size_t count, double* HWY_RESTRICT blocks) {
  const hn::FixedTag<double, HWY_MIN(kBlock, HWY_MAX_BYTES / sizeof(double))> d;
  using VB = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  double lo[3], hi[3];
  const std::size_t padded = (count + kBlock - 1) / kBlock * kBlock;
  for (int axis = 0; axis < 3; ++axis) {
    double* HWY_RESTRICT p = points[axis];
    for (std::size_t i = count; i < padded; ++i) p[i] = p[count - 1];
    VB least = hn::LoadU(d, p), most = least;
    for (std::size_t i = 0; i < padded; i += kLanes) {
      const VB v = hn::LoadU(d, p + i);
      least = hn::Min(least, v), most = hn::Max(most, v);
      hn::Store(v, d, blocks + i / kBlock * (3 * kBlock) + axis * kBlock + i % kBlock);
    }
    lo[axis] = hn::GetLane(hn::MinOfLanes(d, least));
    hi[axis] = hn::GetLane(hn::MaxOfLanes(d, most));
  }
  return {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {
namespace {

Vec3 point(const double* const p[3], std::size_t i) {
  return {p[0][i], p[1][i], p[2][i]};
}
void set_point(double* const p[3], std::size_t i, Vec3 v) {
  p[0][i] = v.x, p[1][i] = v.y, p[2][i] = v.z;
}

}  // namespace

HWY_EXPORT(run_apply_stage);
HWY_EXPORT(run_fill_blocks);

std::size_t points_after(const SweepTask& task, int maps) noexcept {
  if (task.degree == 0) return task.count * static_cast<std::size_t>(maps);
  const auto old = static_cast<std::size_t>(task.degree) + 1;
  return task.count / old * (old + 1);
}

void apply_stage(const Stage& stage, std::span<SweepTask> tasks) noexcept {
  HWY_DYNAMIC_DISPATCH(run_apply_stage)(stage, tasks);
}

Box fill_blocks(double* const points[3], std::size_t count, double* blocks) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_fill_blocks)(points, count, blocks);
}

void apply_stage_plain(const Stage& stage, std::span<SweepTask> tasks) noexcept {
  for (SweepTask& task : tasks) {
    task.lever2 = task.reach2 = 0;
    for (std::size_t i = 0; i < task.count; ++i) {
      const Vec3 p = point(task.in, i);
      const double p2 = squared_norm(p);
      task.reach2 = std::max(task.reach2, p2);
      const double lever2 = stage.about_centre ? p2 : squared_norm(cross(stage.axis, p));
      task.lever2 = std::max(task.lever2, lever2);
    }
    if (task.degree == 0) {
      std::size_t to = 0;
      for (int k = 0; k < stage.count; ++k) {
        for (std::size_t i = 0; i < task.count; ++i) {
          set_point(task.out, to++, stage.maps[k] * point(task.in, i));
        }
      }
      continue;
    }
    const std::size_t m = static_cast<std::size_t>(task.degree) + 1;
    for (std::size_t to = 0; to < points_after(task, 2); ++to) {
      const std::size_t i = to % task.inner, j = to / task.inner % (m + 1);
      const std::size_t from = to / task.inner / (m + 1) * m * task.inner + i;
      const auto image = [&](int map, std::size_t control) {
        return stage.maps[map] * point(task.in, from + control * task.inner);
      };
      if (j == 0 || j == m) {
        set_point(task.out, to, j == 0 ? image(0, 0) : image(1, m - 1));
        continue;
      }
      const double late = static_cast<double>(j) / static_cast<double>(m);
      const double early = static_cast<double>(m - j) / static_cast<double>(m);
      set_point(task.out, to, late * image(1, j - 1) + early * image(0, j));
    }
  }
}

}  // namespace keepclear
#endif  // HWY_ONCE
