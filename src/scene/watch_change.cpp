// SPDX-License-Identifier: BSD-3-Clause
//
// What changes between the cycles of a Watch: who carries what, what is seen to move, which contact
// is meant. Nothing allocates; what finds no room is refused.
#include <algorithm>

#include "scene/watch_impl.hpp"
#include "shape/support_table.hpp"

namespace keepclear {

using rounding::norm_hi;

bool Watch::Impl::is_object(int solid) const {
  return solid >= 0 && solid < static_cast<int>(carriers.size()) && data.solids[solid].is_object;
}
bool Watch::Impl::is_link(int solid) const {
  return solid >= 0 && solid < first_piece && !data.solids[solid].is_object;
}

bool Watch::Impl::add_movers(int solid) {
  const auto [first, last] = pieces_of[solid];
  const std::size_t needed = solid < first_piece ? 1 : last - first;
  if (movers.size() + needed > movers.capacity()) return false;
  for (std::size_t k = 0; k < needed; ++k) {
    Mover mover;
    mover.solid = solid;
    mover.item = solid < first_piece ? solid : first_piece + static_cast<int>(first + k);
    const PieceView view = view_of(mover.item, bench_a);
    if (view.tables == nullptr) return false;  // a half-space has no place to be carried to
    mover.centre_S = view.tables->centre;
    mover.ball_hi = view.tables->bounding_radius_hi;
    mover.reach_hi = view.tables->reach_hi;
    const bool is_capsule = view.tables->kind == BodyKind::segment;
    mover.end_a_S = is_capsule ? view.tables->point(0) : mover.centre_S;
    mover.end_b_S = is_capsule ? view.tables->point(1) : mover.centre_S;
    mover.radius_hi = is_capsule ? view.tables->radius : mover.ball_hi;
    // An object comes from where it stands; a link is first seen in the first cycle.
    const BoundedPose& X_WS = carriers[solid].X_WS;
    mover.centre = X_WS.X * mover.centre_S;
    mover.R = X_WS.X.R;
    mover.error_hi =
        rounding::transform_error(X_WS.error, rounding::span_hi(X_WS.X.p), 0, mover.reach_hi);
    mover.seen = data.solids[solid].is_object && (has_last || solid >= first_piece);
    movers.push_back(mover);
  }
  carriers[solid].moving = true;
  in_motion.push_back(solid);
  arrange();
  return true;
}

void Watch::Impl::remove_movers(int solid) {
  for (Mover& mover : movers) {
    if (mover.solid != solid) continue;
    drop_partners(mover);
    mover_of[mover.item] = -1;
  }
  movers.erase(std::remove_if(movers.begin(), movers.end(),
                              [&](const Mover& mover) { return mover.solid == solid; }),
               movers.end());
  in_motion.erase(std::remove(in_motion.begin(), in_motion.end(), solid), in_motion.end());
  carriers[solid].moving = false;
  arrange();
}

/// Movers in the order of their frames, as levers want them.
void Watch::Impl::arrange() {
  std::sort(movers.begin(), movers.end(), [&](const Mover& a, const Mover& b) {
    const int frame_a = carriers[a.solid].frame, frame_b = carriers[b.solid].frame;
    return frame_a != frame_b ? frame_a < frame_b : a.item < b.item;
  });
  for (std::size_t i = 0; i < movers.size(); ++i) mover_of[movers[i].item] = static_cast<int>(i);
}

/// Everybody's partners are looked up again in the next cycle.
void Watch::Impl::stir() {
  for (Mover& mover : movers) {
    mover.lookup_at = mover.again_at = -std::numeric_limits<double>::infinity();
  }
  quiet = false;
}

/// What stands is in the tree as it is, without slack.
void Watch::Impl::settle(int object) {
  if (carriers[object].moving) return;
  if (object < first_piece) {
    index.move(object, box_of(object));
    return;
  }
  for (std::uint32_t p = pieces_of[object].first; p < pieces_of[object].second; ++p) {
    const int item = first_piece + static_cast<int>(p);
    index.move(item, box_of(item));
  }
}

/// Poses as of the last cycle, which may have been settled without any.
bool Watch::Impl::come_up_to_date() {
  if (!has_last) return false;
  if (last_q == anchor_q) return true;
  quiet = false;
  return drop_anchor(last_q, 0);
}

void Watch::Impl::forget_touches(int object) {
  touching.erase(std::remove_if(touching.begin(), touching.end(),
                                [&](const Touch& t) { return t.object == object; }),
                 touching.end());
}

bool Watch::Impl::attach(int object, int link, std::span<const int> touch) {
  if (!is_object(object) || !is_link(link)) return false;
  const auto freed = static_cast<std::size_t>(std::count_if(
      touching.begin(), touching.end(), [&](const Touch& t) { return t.object == object; }));
  if (touch.size() + 1 > touching.capacity() - touching.size() + freed) return false;
  for (const int other : touch) {
    if (other < 0 || other >= static_cast<int>(carriers.size())) return false;
  }
  if (!come_up_to_date()) return false;
  Carrier& carrier = carriers[object];
  const int frame = carriers[link].frame;
  if (frame > 0 && !carrier.moving && !add_movers(object)) return false;
  const BoundedPose X_WL = carriers[link].X_WS;
  const double apart_hi = norm_hi(carrier.X_WS.X.p - X_WL.X.p);
  carrier.X = {rounding::relative_pose(X_WL.X, carrier.X_WS.X),
               rounding::relative(X_WL.error, carrier.X_WS.error, apart_hi)};
  carrier.frame = frame;
  carrier.simple = false;
  forget_touches(object);
  touching.push_back({object, link});
  for (const int other : touch) touching.push_back({object, other});
  arrange();
  settle(object);
  stir();
  return true;
}

bool Watch::Impl::release(int object) {
  if (!is_object(object) || carriers[object].frame < 0 || !come_up_to_date()) return false;
  Carrier& carrier = carriers[object];
  if (carrier.moving) remove_movers(object);
  carrier.X = carrier.X_WS;
  carrier.frame = -1;
  carrier.simple = false;
  forget_touches(object);
  settle(object);
  stir();
  return true;
}

bool Watch::Impl::place(int object, const Pose& X_WO) {
  if (!is_object(object) || carriers[object].frame >= 0) return false;
  const double off_hi = rounding::deviation_from_rotation_hi(X_WO.R);
  if (!(off_hi <= 1e-6) || !(norm_hi(X_WO.p) <= 1e9)) return false;
  Carrier& carrier = carriers[object];
  if (!carrier.moving && !add_movers(object)) return false;
  stir();
  carrier.X = carrier.X_WS = {X_WO, {off_hi, 0}};
  if (object < first_piece) {
    // The bodies of what was carried from the start are in the frame that carried it.
    const BoundedPose& X_FO = data.kinematics.pose_in_frame(data.bodies[fine[object].first].link);
    const BoundedPose X_OF{inverse(X_FO.X), rounding::relative(X_FO.error, {}, norm_hi(X_FO.X.p))};
    carrier.X = carrier.X_WS = carrier.X_WS * X_OF;
  }
  return true;
}

bool Watch::Impl::expect_contact(int link, int object, double max_speed) {
  if (!is_link(link) || !is_object(object) || !(max_speed < 1e9)) return false;
  const auto known = std::find_if(contacts.begin(), contacts.end(), [&](const SolidContact& c) {
    return c.link == link && c.object == object;
  });
  if (max_speed <= 0) {
    if (known != contacts.end()) contacts.erase(known);
  } else if (known != contacts.end()) {
    known->max_speed = max_speed;
  } else if (contacts.size() < contacts.capacity()) {
    contacts.push_back({link, object, max_speed});
  } else {
    return false;
  }
  return true;
}

void Watch::Impl::reset() {
  has_last = false;
  for (Mover& mover : movers) {
    // What is placed from outside keeps its place.
    mover.seen = carriers[mover.solid].frame < 0;
    mover.speed_hi = 0;
  }
  stir();
}

}  // namespace keepclear
