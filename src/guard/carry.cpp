// SPDX-License-Identifier: BSD-3-Clause
//
// What changes between cycles: who carries what, and what pairs are to keep. Nothing allocates;
// what finds no room is refused.
#include <algorithm>

#include "guard/guard_impl.hpp"
#include "sweep/layout.hpp"

namespace keepclear {

using rounding::inflate;

bool Guard::Impl::set_margin(int a, int b, double margin) noexcept {
  const auto solids = static_cast<int>(data.solids.size());
  if (!(margin >= 0 && margin < 1e6) || a < 0 || b < 0 || a >= solids || b >= solids) return false;
  const auto is_pair = [&](const GuardPair& pair) {
    const int of_a = all.bodies[pair.a].solid, of_b = all.bodies[pair.b].solid;
    return pair.active && ((of_a == a && of_b == b) || (of_a == b && of_b == a));
  };
  // A body that is looked at among obstacles, and one of these.
  const auto meets = [&](int solid, int obstacle) {
    if (!data.solids[obstacle].is_object || data.moves(obstacle)) return false;
    if (is_moved[obstacle] != 0 || lets_touch(solid, obstacle)) return false;
    return std::any_of(among.begin(), among.end(), [&](int body) {
      return all.bodies[body].active && all.bodies[body].frame > 0 &&
             all.bodies[body].solid == solid;
    });
  };
  const bool any_pair = std::any_of(pairs.begin(), pairs.end(), is_pair);
  if (!any_pair && !meets(a, b) && !meets(b, a)) return false;
  // Kept in the list as well: who carries what may change.
  const auto place = std::find_if(margins.begin(), margins.end(), [&](const GuardMargin& m) {
    return (m.a == a && m.b == b) || (m.a == b && m.b == a);
  });
  if (place != margins.end()) {
    place->margin = margin;
  } else {
    if (margins.size() == margins.capacity()) return false;
    margins.push_back({a, b, margin});
  }
  const double with_own = rounding::up(margin + options.margin);
  for (GuardPair& pair : pairs) {
    if (is_pair(pair)) pair.margin = with_own;
  }
  margin_hi = std::max(margin_hi, with_own);
  // What was proved among obstacles was proved for the old margin.
  for (GuardBound& bound : obstacle_bounds) bound.lower = -kInfiniteMetres;
  return true;
}

bool Guard::Impl::touches(int object, int other) const noexcept {
  return std::any_of(touching.begin(), touching.end(),
                     [&](const GuardTouch& t) { return t.object == object && t.other == other; });
}

bool Guard::Impl::lets_touch(int a, int b) const noexcept {
  if (is_moved[a] == 0 && is_moved[b] == 0) return data.rules.may_touch(a, b);
  return data.rules.allowed(a, b) || touches(a, b) || touches(b, a);
}

void Guard::Impl::forget_touches(int object) noexcept {
  touching.erase(std::remove_if(touching.begin(), touching.end(),
                                [&](const GuardTouch& t) { return t.object == object; }),
                 touching.end());
}

bool Guard::Impl::attach(int object, int link, std::span<const int> touch) noexcept {
  const auto solids = static_cast<int>(data.solids.size());
  if (object < 0 || object >= solids || link < 0 || link >= solids) return false;
  if (!data.solids[object].is_object || data.solids[link].is_object) return false;
  const auto freed = static_cast<std::size_t>(std::count_if(
      touching.begin(), touching.end(), [&](const GuardTouch& t) { return t.object == object; }));
  if (touch.size() + 1 > touching.capacity() - touching.size() + freed) return false;
  for (const int other : touch) {
    if (other < 0 || other >= solids) return false;
  }
  const auto body = std::find_if(data.bodies.begin(), data.bodies.end(),
                                 [&](const WorldBody& b) { return b.solid == link; });
  if (body == data.bodies.end() || !move_bodies(object, link, body->frame)) return false;
  forget_touches(object);
  touching.push_back({object, link});
  for (const int other : touch) touching.push_back({object, other});
  pair_up(object, false);
  return true;
}

bool Guard::Impl::release(int object) noexcept {
  if (object < 0 || object >= static_cast<int>(data.solids.size())) return false;
  if (!data.solids[object].is_object) return false;
  const MovedObject* known = moved_object(object);
  if (known != nullptr ? known->link < 0 : !data.moves(object)) return false;
  const auto at_load = std::find_if(data.attached.begin(), data.attached.end(),
                                    [&](const SolidAttachment& a) { return a.object == object; });
  if (known == nullptr) {
    if (at_load == data.attached.end() ||
        at_load->touch.size() + 1 > touching.capacity() - touching.size()) {
      return false;
    }
  }
  const bool first_time = known == nullptr;
  if (!move_bodies(object, -1, 0)) return false;
  if (first_time) {
    touching.push_back({object, at_load->link});
    for (const int other : at_load->touch) touching.push_back({object, other});
  }
  // Who could touch it may go on so until they are proved apart once.
  pair_up(object, true);
  forget_touches(object);
  return true;
}

MovedObject* Guard::Impl::moved_object(int object) noexcept {
  const auto place = std::find_if(moved.begin(), moved.end(),
                                  [&](const MovedObject& m) { return m.solid == object; });
  return place != moved.end() ? &*place : nullptr;
}

/// At least how far a point of a ball in the world, fixed to a frame, may be from where the last
/// state puts it.
double Guard::Impl::off_hi(int frame, Vec3 centre, double ball_hi) const noexcept {
  const Kinematics& kinematics = data.kinematics;
  double off = 0;
  for (int f = frame; f > 0; f = kinematics.parent(f)) {
    SpreadMotion motions[kMaxJointMotions];
    const int count = make_motions(kinematics, f, pose.frame(kinematics.parent(f)).X,
                                   pose.frame(f).X, pose.half_hi(), motions);
    for (int k = 0; k < count; ++k) off = inflate(off + way_hi(motions[k], centre, ball_hi), 1);
  }
  return off;
}

/// Takes the bodies of an object from where they are to a frame, 0 being the world's, where they
/// are in the last state. That is known as well as the joints are: what they may be off by is added
/// to the radius.
bool Guard::Impl::move_bodies(int object, int link, int frame) noexcept {
  if (last_state != LastState::believed) return false;
  for (std::size_t i = 0; i < last_q.size(); ++i) {
    const double off = braking.model().joints[i].position_uncertainty;
    part[i] = {rounding::down(last_q[i] - off), rounding::up(last_q[i] + off)};
  }
  if (!pose.set(part, 0, data.kinematics.frame_count() - 1)) return false;

  const Environment& env = data.environment;
  const auto in_scene = std::find_if(env.objects.begin(), env.objects.end(),
                                     [&](const PlacedObject& o) { return o.solid == object; });
  const auto is_own = [&](const WorldBody& body) { return body.solid == object; };
  MovedObject* known = moved_object(object);
  if (known == nullptr) {
    const auto count =
        in_scene != env.objects.end()
            ? static_cast<int>(in_scene->last - in_scene->first)
            : static_cast<int>(std::count_if(data.bodies.begin(), data.bodies.end(), is_own));
    auto first = static_cast<int>(data.bodies.size());
    for (const MovedObject& m : moved) first = std::max(first, m.last);
    if (count == 0 || moved.size() == moved.capacity() ||
        first + count > static_cast<int>(all.bodies.size())) {
      return false;
    }
    if (in_scene != env.objects.end()) {
      for (std::uint32_t p = in_scene->first; p < in_scene->last; ++p) {
        if (env.pieces[p].kind == PieceKind::half_space) return false;
      }
    }
    moved.push_back({object, link, first, first + count});
    known = &moved.back();
    // The scene's own bodies of it are no longer there.
    auto next = first;
    for (std::size_t b = 0; b < data.bodies.size(); ++b) {
      if (!is_own(data.bodies[b])) continue;
      const GuardBody& from = all.bodies[b];
      GuardBody& to = all.bodies[next++];
      std::copy_n(all.x.begin() + from.first, from.count, all.x.begin() + to.first);
      std::copy_n(all.y.begin() + from.first, from.count, all.y.begin() + to.first);
      std::copy_n(all.z.begin() + from.first, from.count, all.z.begin() + to.first);
      to.frame = from.frame, to.solid = object, to.count = from.count;
      to.radius_hi = from.radius_hi;
      measure_points(all, to);
      all.bodies[b].active = false;
    }
    std::uint32_t piece = in_scene != env.objects.end() ? in_scene->first : 0;
    for (int b = first; b < first + count && in_scene != env.objects.end(); ++b, ++piece) {
      const BodyTables& tables = *bench.view(env, piece).tables;
      const BoundedPose& X_WO = in_scene->X_WO;
      GuardBody& to = all.bodies[b];
      to.frame = 0, to.solid = object, to.count = static_cast<std::uint32_t>(tables.count);
      for (std::uint32_t i = 0; i < to.count; ++i) {
        const Vec3 p = X_WO.X * tables.point(i);
        all.x[to.first + i] = p.x, all.y[to.first + i] = p.y, all.z[to.first + i] = p.z;
      }
      to.radius_hi =
          inflate(tables.radius + rounding::transform_error(X_WO.error, rounding::norm_hi(X_WO.X.p),
                                                            0, tables.reach_hi),
                  2);
      measure_points(all, to);
    }
    is_moved[object] = 1;
    for (GuardPair& pair : pairs) {
      if (pair.active && (!all.bodies[pair.a].active || !all.bodies[pair.b].active)) {
        pair.active = false;
      }
    }
  }
  known->link = link;
  for (int b = known->first; b < known->last; ++b) {
    GuardBody& body = all.bodies[b];
    body.active = true;
    if (body.frame == frame) continue;
    const BoundedPose &X_WS = pose.frame(body.frame), &X_WF = pose.frame(frame);
    const Vec3 centre = X_WS.X * body.centre;
    double error =
        off_hi(body.frame, centre, 2 * body.ball_hi) + off_hi(frame, centre, 2 * body.ball_hi);
    const double far_hi =
        inflate(body.reach_hi + rounding::norm_hi(X_WS.X.p) + rounding::norm_hi(X_WF.X.p), 2);
    error += (X_WS.error.rotation + X_WF.error.rotation + rounding::gamma(64)) * (4 * far_hi) +
             (X_WS.error.position + X_WF.error.position);
    for (std::uint32_t i = body.first; i < body.first + body.count; ++i) {
      const Vec3 p_W = X_WS.X * Vec3{all.x[i], all.y[i], all.z[i]};
      const Vec3 p = transposed_times(X_WF.X.R, p_W - X_WF.X.p);
      all.x[i] = p.x, all.y[i] = p.y, all.z[i] = p.z;
    }
    body.frame = frame;
    body.radius_hi = inflate(body.radius_hi + error, 12);
    measure_points(all, body);
  }
  pose.clear();
  return true;
}

/// The pairs of a moved object, anew. Those that may touch are left out while it is carried, and
/// excused once it stands.
void Guard::Impl::pair_up(int object, bool stands) noexcept {
  const MovedObject& m = *moved_object(object);
  const auto is_own = [&](int b) { return b >= m.first && b < m.last; };
  for (std::size_t i = fixed_pairs; i < pairs.size(); ++i) {
    if (is_own(pairs[i].a) || is_own(pairs[i].b)) pairs[i].active = false;
  }
  std::size_t slot = fixed_pairs;
  for (int b = m.first; b < m.last; ++b) {
    for (int o = 0; o < static_cast<int>(all.bodies.size()); ++o) {
      const GuardBody& other = all.bodies[o];
      if (!other.active || other.solid == object) continue;
      if (stands && other.frame == 0) continue;
      // What the other is carried with holds until it is put down itself.
      const bool may_touch = touches(object, other.solid);
      if (data.rules.allowed(object, other.solid) || touches(other.solid, object)) continue;
      if (may_touch && !stands) continue;
      // There is a slot for each piece and each body; else this is not the memory it was.
      while (slot < pairs.size() && pairs[slot].active) ++slot;
      if (slot == pairs.size()) {
        kept.corrupted = true;
        return;
      }
      GuardPair& pair = pairs[slot];
      pair.a = b, pair.b = o;
      pair.origin = meeting_frame(data.kinematics, all.bodies[b].frame, other.frame);
      pair.skip = all.motions_to[pair.origin];
      pair.margin = obstacle_margin(object, other.solid);
      pair.active = true;
      bounds[slot] = {};
      bounds[slot].excused = may_touch;
      kept.used_pairs = std::max<std::uint64_t>(kept.used_pairs, slot + 1);
    }
  }
  const auto bodies = static_cast<std::uint64_t>(m.last) - data.bodies.size();
  kept.used_among = std::max(kept.used_among, fixed_among + bodies);
  // It is no longer where it was, for everyone.
  for (GuardBound& bound : obstacle_bounds) bound = {};
}

}  // namespace keepclear
