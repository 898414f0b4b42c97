// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "distance/gjk_lanes.cpp"
#include <hwy/foreach_target.h>

#include <bit>
#include <cstring>

#include "distance/gjk_lanes.hpp"
#include "distance/lanes-inl.hpp"
#include "distance/simplex.hpp"
#include "distance/support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace lanes {
namespace {

/// Searches in flight: the same on every target, so that targets agree.
constexpr std::size_t kWidth = 8;
static_assert(kWidth % kLanes == 0);

/// A search that has not ended by then is not the common case.
constexpr int kMaxSteps = 24;

/// Cells of more blocks than this are worked off on their own.
constexpr std::uint32_t kListed = 4;
/// Marks the first block of a scan.
constexpr std::uint32_t kFirst = 2 * kWidth;

using Row = double[kWidth];
using IdRow = std::uint64_t[kWidth];

struct alignas(64) State {
  // The placement.
  Row R[9], p[3], error, edge_a, edge_b;
  // Points of the simplex that carry v; the slots not in use repeat one that is.
  Row w[3][3], weight[3], count;
  IdRow id[3];
  // The newest point, and how many old ones it meets.
  Row new_w[3];
  IdRow new_id;
  Row old;
  // All points before the last sub-distance, for a search that leaves.
  IdRow all_id[4];
  Row steps, v[3], length, upper, lower, lower_v[3], lower_length;
  // Scans: those of A, then those of B.
  double n[3][2 * kWidth], value[2 * kWidth], point[3][2 * kWidth];
  double best[2 * kWidth][kBlock];
  std::uint64_t best_block[2 * kWidth][kBlock];
  alignas(64) std::int32_t cell[2 * kWidth];
  const std::uint32_t* first_block[2 * kWidth];
  const std::uint32_t* vertices[2 * kWidth];
  const double* blocks[2 * kWidth];
  const GjkTask* task[kWidth];
  unsigned cold, warm, active;  ///< a bit a lane
};

HWY_INLINE V load(const double* p) {
  return hn::Load(D(), p);
}
template <std::size_t kSize>
HWY_INLINE V3 load(const double (&rows)[3][kSize], std::size_t at) {
  return {load(rows[0] + at), load(rows[1] + at), load(rows[2] + at)};
}
HWY_INLINE void store(V v, double* p) {
  hn::Store(v, D(), p);
}
template <std::size_t kSize>
HWY_INLINE void store(const V3& v, double (&rows)[3][kSize], std::size_t at) {
  store(v.x, rows[0] + at), store(v.y, rows[1] + at), store(v.z, rows[2] + at);
}
HWY_INLINE VU load(const std::uint64_t* p) {
  return hn::Load(DU(), p);
}
HWY_INLINE void store(VU v, std::uint64_t* p) {
  hn::Store(v, DU(), p);
}

/// The bits of a mask over the lanes from `at` on.
HWY_INLINE unsigned bits(M m, std::size_t at) {
  std::uint8_t byte[8] = {};
  hn::StoreMaskBits(D(), m, byte);
  return static_cast<unsigned>(byte[0] & ((1u << kLanes) - 1)) << at;
}
/// The other way round.
HWY_INLINE M mask(unsigned set, std::size_t at) {
  alignas(8) std::uint8_t byte[8] = {static_cast<std::uint8_t>(set >> at)};
  return hn::LoadMaskBits(D(), byte);
}

HWY_INLINE std::uint64_t pack(std::uint32_t a, std::uint32_t b) {
  return (std::uint64_t{a} << 32) | b;
}

/// The tasks not yet begun. Where cold searches start is worked out some tasks ahead, off the path
/// of the lanes that wait for it.
struct Queue {
  std::span<const GjkTask> tasks;
  std::size_t next = 0, ready = 0;
  Vec3 start[kWidth];

  HWY_INLINE void look_ahead() {
    if (next < ready) return;
    ready = std::min(next + kWidth, tasks.size());
    for (std::size_t i = next; i < ready; ++i) {
      if (tasks[i].cache->size != 0) continue;
      const Placement& pair = *tasks[i].pair;
      start[i % kWidth] = between_spines(pair);
    }
  }
};

/// Puts a task into a lane.
HWY_INLINE void enter(State& s, std::size_t lane, const GjkTask& task, const Vec3& start) {
  const Placement& pair = *task.pair;
  const Mat3& R = pair.X_AB.R;
  const double rows[9] = {R.row0.x, R.row0.y, R.row0.z, R.row1.x, R.row1.y,
                          R.row1.z, R.row2.x, R.row2.y, R.row2.z};
  for (int k = 0; k < 9; ++k) s.R[k][lane] = rows[k];
  s.p[0][lane] = pair.X_AB.p.x, s.p[1][lane] = pair.X_AB.p.y, s.p[2][lane] = pair.X_AB.p.z;
  s.error[lane] = pair.error_hi;
  s.edge_a[lane] = pair.a->cells_per_edge;
  s.edge_b[lane] = pair.b->cells_per_edge;
  for (const bool second : {false, true}) {
    const BodyTables& body = second ? *pair.b : *pair.a;
    const std::size_t scan = second ? lane + kWidth : lane;
    s.first_block[scan] = body.first_block.data();
    s.vertices[scan] = body.slot_vertex.data();
    s.blocks[scan] = body.blocks.data();
  }
  s.upper[lane] = std::numeric_limits<double>::infinity();
  s.lower[lane] = -std::numeric_limits<double>::infinity();
  s.lower_length[lane] = 1;
  s.task[lane] = &task;
  s.steps[lane] = 0;
  const unsigned bit = 1u << lane;
  s.active |= bit;
  const GjkCache& cache = *task.cache;
  auto put = [&](Row(&rows3)[3], Vec3 w)
                 HWY_ATTR { rows3[0][lane] = w.x, rows3[1][lane] = w.y, rows3[2][lane] = w.z; };
  if (cache.size == 0) {
    s.cold |= bit;
    Vec3 v = start;
    double length = norm(v);
    if (!(length > pair.error_hi)) v = {1, 0, 0}, length = 1;
    put(s.v, v);
    s.length[lane] = length;
    s.old[lane] = 0;
    return;
  }
  s.warm |= bit;
  // The first vertex stands for the newest.
  for (int i = 0; i < 4; ++i) {
    const int from = i < cache.size ? i : 0;
    const Vec3 w = difference(pair, cache.a[from], cache.b[from]);
    const std::uint64_t id = pack(cache.a[from], cache.b[from]);
    if (i == 0) {
      put(s.new_w, w);
      s.new_id[lane] = id;
    } else {
      put(s.w[i - 1], w);
      s.id[i - 1][lane] = id;
    }
  }
  s.old[lane] = cache.size - 1;
}

/// The nearest points of all simplices; the lanes where that is out of the ordinary come back.
HWY_INLINE unsigned descend(State& s) {
  const D d;
  unsigned odd = 0;
  for (std::size_t at = 0; at < kWidth; at += kLanes) {
    const V old = load(s.old + at);
    Corners c;
    c.a = {load(s.new_w, at), load(s.new_id + at)};
    const M alone = hn::Eq(old, hn::Zero(d));
    c.b = choose(alone, c.a, Corner{load(s.w[0], at), load(s.id[0] + at)});
    c.c = choose(alone, c.a, Corner{load(s.w[1], at), load(s.id[1] + at)});
    c.d = choose(alone, c.a, Corner{load(s.w[2], at), load(s.id[2] + at)});
    c.old = old;
    Nearest r = nearest_of_newest(c);
    const M cold = mask(s.cold, at);
    if (s.warm != 0) try_edge_bc(c, hn::And(mask(s.warm, at), hn::Eq(old, hn::Set(d, 2.0))), r);
    const V upper = load(s.upper + at);
    r.v = choose(cold, load(s.v, at), r.v);
    const V length = hn::Sqrt(dot(r.v, r.v));
    const V level = hn::Mul(upper, hn::Set(d, 1 + 8 * rounding::kU));
    const M good = hn::And(hn::Le(length, level), hn::Gt(length, load(s.error + at)));
    odd |= bits(hn::Not(hn::Or(cold, hn::AndNot(r.inside, good))), at);
    store(c.a.id, s.all_id[0] + at);
    store(c.b.id, s.all_id[1] + at);
    store(c.c.id, s.all_id[2] + at);
    store(c.d.id, s.all_id[3] + at);
    store(r.v, s.v, at);
    store(length, s.length + at);
    store(hn::IfThenElse(cold, upper, length), s.upper + at);
    for (std::size_t i = 0; i < 3; ++i) {
      store(r.corner[i].w, s.w[i], at);
      store(r.corner[i].id, s.id[i] + at);
      store(r.weight[i], s.weight[i] + at);
    }
    store(hn::IfThenElse(cold, hn::Zero(d), r.count), s.count + at);
    // The directions and their cells.
    const V3 n = -r.v;
    auto column = [&](int k) HWY_ATTR {
      return V3{load(s.R[k] + at), load(s.R[k + 3] + at), load(s.R[k + 6] + at)};
    };
    const V3 m{dot(column(0), r.v), dot(column(1), r.v), dot(column(2), r.v)};
    store(n, s.n, at);
    store(m, s.n, kWidth + at);
    const hn::Rebind<std::int32_t, D> di;
    hn::Store(cells(load(s.edge_a + at), n), di, s.cell + at);
    hn::Store(cells(load(s.edge_b + at), m), di, s.cell + kWidth + at);
  }
  return odd;
}

/// The extreme vertex of a scan. Of equal ones the first lane wins, and in it the first block, as
/// in scan_blocks.
HWY_INLINE std::uint32_t settle(State& s, std::size_t scan) {
  const D d;
  const double* best = s.best[scan];
  V top = hn::Load(d, best);
  for (std::size_t at = kLanes; at < kBlock; at += kLanes)
    top = hn::Max(top, hn::Load(d, best + at));
  top = hn::MaxOfLanes(d, top);
  unsigned equal = 0;
  for (std::size_t at = 0; at < kBlock; at += kLanes) {
    equal |= bits(hn::Eq(hn::Load(d, best + at), top), at);
  }
  const auto slot = static_cast<std::size_t>(std::countr_zero(equal | (1u << (kBlock - 1))));
  const std::size_t block = s.best_block[scan][slot];
  const double* p = s.blocks[scan] + block * (3 * kBlock) + slot;
  s.value[scan] = hn::GetLane(top);
  s.point[0][scan] = p[0], s.point[1][scan] = p[kBlock], s.point[2][scan] = p[2 * kBlock];
  return s.vertices[scan][block * kBlock + slot];
}

/// The extreme vertices of both bodies of some lanes. How many blocks a cell has cannot be
/// predicted: the blocks of all scans make one list, worked off in one loop.
HWY_INLINE void look(State& s, unsigned which) {
  const D d;
  const DU du;
  constexpr std::size_t kParts = kBlock / kLanes;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  V best[kParts];
  VU best_block[kParts];
  // The best so far is kept if `limit` is infinity and dropped if it is minus infinity.
  auto visit = [&](std::size_t scan, std::uint64_t block, double limit) HWY_ATTR {
    const double* p = s.blocks[scan] + block * (3 * kBlock);
    const V x = hn::Set(d, s.n[0][scan]), y = hn::Set(d, s.n[1][scan]),
            z = hn::Set(d, s.n[2][scan]);
    for (std::size_t part = 0; part < kParts; ++part, p += kLanes) {
      const V value =
          hn::Add(hn::Add(hn::Mul(x, hn::Load(d, p)), hn::Mul(y, hn::Load(d, p + kBlock))),
                  hn::Mul(z, hn::Load(d, p + 2 * kBlock)));
      const V so_far = hn::Min(best[part], hn::Set(d, limit));
      const auto more = hn::RebindMask(du, hn::Gt(value, so_far));
      best[part] = hn::Max(value, so_far);
      best_block[part] = hn::IfThenElse(more, hn::Set(du, block), best_block[part]);
    }
  };
  auto keep = [&](std::size_t scan) HWY_ATTR {
    for (std::size_t part = 0; part < kParts; ++part) {
      hn::Store(best[part], d, s.best[scan] + part * kLanes);
      hn::Store(best_block[part], du, s.best_block[scan] + part * kLanes);
    }
  };
  for (std::size_t part = 0; part < kParts; ++part) {
    best[part] = hn::Zero(d);
    best_block[part] = hn::Zero(du);
  }
  struct Item {
    std::uint32_t block, scan;
  };
  Item list[2 * kWidth * kListed + kListed];
  std::size_t listed = 0;
  auto list_scan = [&](std::size_t scan) HWY_ATTR {
    const std::uint32_t* first_block = s.first_block[scan] + s.cell[scan];
    const std::uint32_t first = first_block[0], count = first_block[1] - first;
    if (HWY_UNLIKELY(count > kListed)) {
      for (std::uint32_t i = 0; i < count; ++i) {
        visit(scan, first + i, i == 0 ? -kInfinity : kInfinity);
      }
      keep(scan);
      return;
    }
    const auto id = static_cast<std::uint32_t>(scan);
    for (std::uint32_t i = 0; i < kListed; ++i) list[listed + i] = {first + i, id};
    list[listed].scan = id + kFirst;
    listed += count;
  };
  for (unsigned left = which; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    list_scan(lane);
    list_scan(lane + kWidth);
  }
  constexpr double kLimit[2] = {kInfinity, -kInfinity};
  for (std::size_t i = 0; i < listed; ++i) {
    const Item item = list[i];
    const std::size_t scan = item.scan % kFirst;
    visit(scan, item.block, kLimit[item.scan / kFirst]);
    keep(scan);
  }
  for (unsigned left = which; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint32_t a = settle(s, lane), b = settle(s, lane + kWidth);
    s.new_id[lane] = pack(a, b);
  }
}

struct Judged {
  unsigned done = 0, stopped = 0;
  unsigned tired = 0;  ///< a vertex again that is there already, or too many steps
};

/// The new points, and the bounds that the directions prove.
HWY_INLINE Judged judge(State& s, const GjkOptions& options) {
  const D d;
  Judged r;
  for (std::size_t at = 0; at < kWidth; at += kLanes) {
    const V3 p = load(s.p, at), pa = load(s.point, at), pb = load(s.point, kWidth + at);
    auto row = [&](int k) HWY_ATTR {
      return V3{load(s.R[k] + at), load(s.R[k + 1] + at), load(s.R[k + 2] + at)};
    };
    const V3 turned{dot(row(0), pb), dot(row(3), pb), dot(row(6), pb)};
    store(pa - (turned + p), s.new_w, at);
    const V length = load(s.length + at), error = load(s.error + at);
    const V gap =
        hn::Sub(hn::Sub(dot(load(s.n, at), p), load(s.value + kWidth + at)), load(s.value + at));
    // The separation check: hull_distance_lo (separation.hpp), operation by operation.
    const V along = hn::Div(gap, length);
    const V off = hn::Add(error, hn::Mul(hn::Set(d, 16 * rounding::kU), hn::Abs(along)));
    const V lo = hn::Sub(along, off);
    const M tells = hn::And(hn::Gt(length, hn::Set(d, 1e-100)), hn::Lt(length, hn::Set(d, 1e100)));
    V lower = load(s.lower + at);
    const M better = hn::And(tells, hn::Gt(lo, lower));
    lower = hn::IfThenElse(better, lo, lower);
    store(lower, s.lower + at);
    store(choose(better, load(s.v, at), load(s.lower_v, at)), s.lower_v, at);
    store(hn::IfThenElse(better, length, load(s.lower_length + at)), s.lower_length + at);
    const V upper = load(s.upper + at);
    const V wanted = hn::Add(hn::Set(d, options.tolerance), hn::Add(error, error));
    const M done = hn::Le(hn::Sub(upper, lower), wanted);
    const M stopped = hn::Or(hn::Gt(lower, hn::Set(d, options.stop_above)),
                             hn::Lt(upper, hn::Set(d, options.stop_below)));
    const M ends = hn::Or(done, stopped);
    r.done |= bits(done, at);
    r.stopped |= bits(stopped, at);
    const VU id = load(s.new_id + at);
    const auto held =
        hn::Or(hn::Eq(id, load(s.id[0] + at)),
               hn::Or(hn::Eq(id, load(s.id[1] + at)), hn::Eq(id, load(s.id[2] + at))));
    const V steps = load(s.steps + at);
    const M again = hn::AndNot(mask(s.cold, at), hn::RebindMask(d, held));
    r.tired |= bits(hn::Or(again, hn::Ge(steps, hn::Set(d, kMaxSteps))), at);
    // A step counts when it is not the last.
    store(hn::Add(steps, hn::IfThenElse(ends, hn::Zero(d), hn::Set(d, 1.0))), s.steps + at);
    store(load(s.count + at), s.old + at);
  }
  return r;
}

HWY_INLINE Vec3 row_at(const Row (&rows)[3], std::size_t lane) {
  return {rows[0][lane], rows[1][lane], rows[2][lane]};
}

/// Writes what a lane has found.
HWY_INLINE void leave(const State& s, std::size_t lane, GjkResult::End end) {
  const GjkTask& task = *s.task[lane];
  GjkResult& result = *task.result;
  GjkCache& cache = *task.cache;
  result.end = end;
  result.upper = s.upper[lane];
  result.lower = s.lower[lane];
  result.n = (-1 / s.lower_length[lane]) * row_at(s.lower_v, lane);
  result.iterations = static_cast<int>(s.steps[lane]);
  Simplex& simplex = result.simplex;
  int size = static_cast<int>(s.count[lane]);
  simplex.size = cache.size = std::max(size, 1);
  for (int i = 0; i < size; ++i) {
    const std::uint64_t id = s.id[i][lane];
    simplex.w[i] = row_at(s.w[i], lane);
    simplex.weight[i] = s.weight[i][lane];
    simplex.vertex_a[i] = cache.a[i] = static_cast<std::uint32_t>(id >> 32);
    simplex.vertex_b[i] = cache.b[i] = static_cast<std::uint32_t>(id);
  }
  if (size > 0) return;
  // Stopped by its first direction: the vertices seen there are the simplex.
  const std::uint64_t id = s.new_id[lane];
  simplex.w[0] = row_at(s.new_w, lane);
  simplex.weight[0] = 1;
  simplex.vertex_a[0] = cache.a[0] = static_cast<std::uint32_t>(id >> 32);
  simplex.vertex_b[0] = cache.b[0] = static_cast<std::uint32_t>(id);
  result.upper = norm(simplex.w[0]);
}

/// Hands a search over to gjk() with the first `size` of the given vertices.
HWY_NOINLINE void hand_over(const State& s, std::size_t lane, const IdRow* ids, int size,
                            const GjkOptions& options) {
  const GjkTask& task = *s.task[lane];
  GjkCache& cache = *task.cache;
  cache.size = size;
  for (int i = 0; i < size; ++i) {
    cache.a[i] = static_cast<std::uint32_t>(ids[i][lane] >> 32);
    cache.b[i] = static_cast<std::uint32_t>(ids[i][lane]);
  }
  GjkResult& result = *task.result;
  gjk(*task.pair, options, cache, result);
  result.iterations += static_cast<int>(s.steps[lane]);
  if (s.lower[lane] > result.lower) {
    result.lower = s.lower[lane];
    result.n = (-1 / s.lower_length[lane]) * row_at(s.lower_v, lane);
  }
}

/// The next task for a free lane, if there is one.
HWY_INLINE void fill(State& s, std::size_t lane, Queue& queue, const GjkOptions& options) {
  while (queue.next < queue.tasks.size()) {
    queue.look_ahead();
    const std::size_t i = queue.next++;
    const GjkTask& task = queue.tasks[i];
    if (HWY_LIKELY(task.cache->size <= 3)) {
      enter(s, lane, task, queue.start[i % kWidth]);
      return;
    }
    // The two overlapped, and most likely still do.
    gjk(*task.pair, options, *task.cache, *task.result);
  }
}

}  // namespace
}  // namespace lanes

void run_gjk_lanes(std::span<const GjkTask> tasks, const GjkOptions& options) {
  using namespace lanes;
  State s;
  std::memset(static_cast<void*>(&s), 0, sizeof(s));
  for (std::size_t lane = 0; lane < kWidth; ++lane) s.length[lane] = s.v[0][lane] = 1;
  Queue queue;
  queue.tasks = tasks;
  for (std::size_t lane = 0; lane < kWidth; ++lane) fill(s, lane, queue, options);
  while (s.active != 0) {
    const unsigned odd = descend(s) & s.active;
    for (unsigned left = odd; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      hand_over(s, lane, s.all_id, static_cast<int>(s.old[lane]) + 1, options);
    }
    s.active &= ~odd;
    look(s, s.active);
    const Judged found = judge(s, options);
    const unsigned ended = (found.done | found.stopped) & s.active;
    const unsigned tired = found.tired & s.active & ~ended;
    for (unsigned left = tired; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      hand_over(s, lane, s.id, static_cast<int>(s.count[lane]), options);
    }
    s.cold = s.warm = 0;
    s.active &= ~tired;
    for (unsigned left = odd | tired | ended; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if ((ended >> lane & 1) != 0) {
        leave(
            s, lane,
            (found.stopped >> lane & 1) != 0 ? GjkResult::End::stopped : GjkResult::End::converged);
        s.active &= ~(1u << lane);
      }
      fill(s, lane, queue, options);
    }
  }
}

void run_cells_in_lanes(int cells_per_edge, std::span<const Vec3> directions,
                        std::span<std::uint32_t> found) {
  using namespace lanes;
  const D d;
  for (std::size_t first = 0; first < directions.size(); first += kLanes) {
    alignas(64) double n[3][kLanes];
    alignas(64) std::int32_t cell[kLanes];
    const std::size_t count = std::min(kLanes, directions.size() - first);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const Vec3 direction = directions[first + std::min(i, count - 1)];
      n[0][i] = direction.x, n[1][i] = direction.y, n[2][i] = direction.z;
    }
    hn::Store(cells(hn::Set(d, cells_per_edge),
                    {hn::Load(d, n[0]), hn::Load(d, n[1]), hn::Load(d, n[2])}),
              hn::Rebind<std::int32_t, D>(), cell);
    for (std::size_t i = 0; i < count; ++i) found[first + i] = static_cast<std::uint32_t>(cell[i]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {

HWY_EXPORT(run_gjk_lanes);
HWY_EXPORT(run_cells_in_lanes);

void gjk_lanes(std::span<const GjkTask> tasks, const GjkOptions& options) noexcept {
  HWY_DYNAMIC_DISPATCH(run_gjk_lanes)(tasks, options);
}

void cells_in_lanes(int cells_per_edge, std::span<const Vec3> directions,
                    std::span<std::uint32_t> cells) noexcept {
  HWY_DYNAMIC_DISPATCH(run_cells_in_lanes)(cells_per_edge, directions, cells);
}

}  // namespace keepclear
#endif  // HWY_ONCE
