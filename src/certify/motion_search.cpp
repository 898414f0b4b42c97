// SPDX-License-Identifier: BSD-3-Clause
#include "certify/motion_search.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {
namespace {

using rounding::inflate;

/// A motion begins with parts in which bodies go about this far, metres: longer ones are hardly
/// ever proved.
constexpr double kFirstWay = 0.6;
constexpr double kMostFirstParts = 64;
/// Parts that wait at most while contacts are sought breadth first.
constexpr std::size_t kMostWaiting = 1024;
/// What a list of what is left on a part has room for at least.
constexpr std::size_t kUsualItems = 64;
/// Up to so many pieces are looked at one by one instead of with the octree.
constexpr std::size_t kFewPieces = 256;
/// Tubes that move a body by less than this share of the tolerance are not worth a sweep.
constexpr double kWideTube = 0.1;

Convex convex_of(const Environment& env, const Piece& piece) {
  switch (piece.kind) {
    case PieceKind::body:
      return convex_of(env.bodies[piece.index].tables());
    case PieceKind::ball:
      return convex_box(env.balls[piece.index].centre, {}, env.balls[piece.index].radius);
    case PieceKind::box:
      return convex_box(env.boxes[piece.index].centre, env.boxes[piece.index].half, 0);
    case PieceKind::half_space:
      break;
  }
  return {};
}

}  // namespace

MotionSearch::MotionSearch(const WorldData& data, const CertifyOptions& options)
    : data_(data),
      options_(options),
      bounds_(data),
      loose_(!options.base.empty() || options.deviation > 0),
      way_(data.kinematics.variables().size()),
      stages_(static_cast<std::size_t>(data.kinematics.frame_count()) + 1) {
  const bool automatic = options.method == Method::automatic;
  if (automatic || options.method == Method::ball || options.deviation > 0) balls_.emplace(data);
  if (options.deviation > 0) {
    deviations_ = deviations_hi(data, bounds_, *balls_, options.deviation);
  }
  for (const LinkPair& pair : data.link_pairs) {
    meeting_.push_back(bounds_.meeting(pair.frame_a, pair.frame_b));
  }
  for (const WorldBody& body : data.bodies) convex_.push_back(convex_of(body.body));
  if (data.environment.empty()) return;
  for (std::size_t b = 0; b < data.bodies.size(); ++b) {
    const int solid = data.bodies[b].solid;
    if (!data.moves(solid)) continue;
    // Bodies come solid by solid.
    if (movers_.empty() || movers_.back().solid != solid) movers_.push_back({solid, {}});
    movers_.back().bodies.push_back(static_cast<int>(b));
  }
  if (data.environment.pieces.size() <= kFewPieces) {
    few_boxes_.emplace(data.environment.piece_boxes);
    for (const Piece& piece : data.environment.pieces) {
      const Environment& env = data.environment;
      convex_pieces_.push_back(piece.kind == PieceKind::body ? convex_of(env.bodies[piece.index])
                                                             : convex_of(env, piece));
    }
  }
}

int MotionSearch::take_pose() {
  if (free_poses_.empty()) {
    poses_.push_back(bounds_.make_posed());
    return static_cast<int>(poses_.size()) - 1;
  }
  const int index = free_poses_.back();
  free_poses_.pop_back();
  return index;
}

void MotionSearch::drop_pose(int index) noexcept {
  if (--poses_[index].users == 0) free_poses_.push_back(index);
}

std::vector<MotionItem> MotionSearch::take_items() {
  std::vector<MotionItem> items;
  if (!free_items_.empty()) {
    items = std::move(free_items_.back());
    free_items_.pop_back();
  }
  items.clear();
  items.reserve(kUsualItems);  // so that it matters little which of them comes back
  return items;
}

int MotionSearch::pose_at(const PathData& path, double place) {
  const int index = take_pose();
  poses_[index].users = 1;
  if (bounds_.pose_at(path, place, poses_[index])) return index;
  drop_pose(index);
  return -1;
}

void MotionSearch::reset(const PathData& path) {
  path_ = &path;
  for (Part& part : waiting_) {
    if (part.items.capacity() > 0) free_items_.push_back(std::move(part.items));
  }
  waiting_.clear();
  free_poses_.clear();
  for (std::size_t i = poses_.size(); i-- > 0;) free_poses_.push_back(static_cast<int>(i));
  clearance_ = kInfinity;
  open_.clear();
  contact_ = false;
  contact_at_ = kInfinity;
  nearest_ = expected_;
  tests_ = parts_ = 0;
  depth_ = 0;
  proof_.clear();
}

Verdict MotionSearch::verdict() const noexcept {
  if (contact_) return Verdict::contact;
  return open_.empty() ? Verdict::free : Verdict::undecided;
}

void MotionSearch::push_first_parts() {
  const double last = path_->last_place();
  int before = pose_at(*path_, 0);
  const int end = before >= 0 ? pose_at(*path_, last) : -1;
  if (end < 0) {
    // Not a configuration: nothing is known of any of it.
    open_.push_back({0, last, -1, -1, false, 0});
    return;
  }
  const auto give_up = [&] {
    waiting_.clear();
    open_.push_back({0, last, -1, -1, false, 0});
  };
  const auto add = [&](double to) {
    const int after = to < last ? pose_at(*path_, to) : end;
    if (after < 0) return false;
    Part& part = waiting_.emplace_back();
    part.a = poses_[before].place;
    part.b = to;
    part.pose_a = before;
    part.pose_b = after;
    part.fresh = true;
    part.items = take_items();
    ++poses_[after].users;
    before = after;
    return true;
  };
  // Of many pieces several together; of few, each in parts.
  const double step = std::ceil(last / kMostFirstParts);
  for (double from = 0; from < last; from += step) {
    const double to = std::min(from + step, last);
    double count = 1;
    if (step == 1) {
      position_at(*path_, to, way_.data());
      const double way = bounds_.way_of(poses_[before].q, way_);
      // A way that is not a number takes the most: no piece may be left out.
      count = way < kFirstWay * kMostFirstParts ? std::max(1.0, std::ceil(way / kFirstWay))
                                                : kMostFirstParts;
    }
    for (double i = 1; i <= count; ++i) {
      if (!add(i < count ? from + (to - from) * (i / count) : to)) return give_up();
    }
  }
  drop_pose(before);
}

void MotionSearch::run(const PathData& path, int only_robot) {
  reset(path);
  only_robot_ = only_robot;
  push_first_parts();
  const bool in_time = options_.ask != Ask::verdict;
  if (in_time) std::reverse(waiting_.begin(), waiting_.end());
  // Last in, first out goes through time in order; first in, first out finds contacts soonest, but
  // must not have too many waiting.
  for (std::size_t next = 0; next < waiting_.size();) {
    const bool newest = in_time || waiting_.size() - next > kMostWaiting;
    Part part = std::move(newest ? waiting_.back() : waiting_[next]);
    if (newest) {
      waiting_.pop_back();
    } else if (++next > kMostWaiting) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(next));
      next = 0;
    }
    const bool later = contact_ && options_.ask != Ask::all_intervals && part.a >= contact_at_;
    if (!later) process(part);
    drop_pose(part.pose_a);
    drop_pose(part.pose_b);
    free_items_.push_back(std::move(part.items));
    if (contact_ && !in_time) break;
  }
}

MotionSearch::Sides MotionSearch::sides_of(const MotionItem& item, const PosedWorld& at) noexcept {
  Sides s;
  s.body_a = item.body;
  const WorldBody& a = data_.bodies[item.body];
  s.solid_a = a.solid;
  s.a = &convex_[item.body];
  s.meet = data_.origin;
  if (item.kind == MotionItem::Kind::links) {
    const BodyPair& pair = data_.body_pairs[item.other];
    const LinkPair& links = data_.link_pairs[pair.pair];
    s.body_b = pair.b;
    s.solid_b = data_.bodies[pair.b].solid;
    s.b = &convex_[pair.b];
    s.meet = meeting_[pair.pair];
    s.margin = std::max(options_.margin, links.margin);
    if (!loose_) return s;
    s.deviation = deviation_hi(s.body_a) + deviation_hi(s.body_b);
    if (data_.solids[s.solid_a].robot == data_.solids[s.solid_b].robot) return s;
    s.base = base_hi(s.solid_a, s.body_a, at) + base_hi(s.solid_b, s.body_b, at);
    return s;
  }
  s.margin = std::max(options_.margin, data_.rules.margin_hi);
  if (loose_) {
    s.base = base_hi(s.solid_a, s.body_a, at);
    s.deviation = deviation_hi(s.body_a);
  }
  if (item.kind == MotionItem::Kind::around) return s;
  const Environment& env = data_.environment;
  const Piece& piece = env.pieces[item.other];
  const PlacedObject& object = env.objects[piece.object];
  s.solid_b = object.solid;
  s.stands = &object.X_WO;
  s.margin = std::max(options_.margin, data_.rules.margin_of(s.solid_a, s.solid_b));
  if (piece.kind == PieceKind::half_space) {
    s.half_space = &env.half_spaces[piece.index];
  } else if (!convex_pieces_.empty()) {
    s.b = &convex_pieces_[item.other];
  } else {
    some_piece_ = convex_of(env, piece);
    s.b = &some_piece_;
  }
  return s;
}

void MotionSearch::take(MotionItem& item, double lower, double growth, double rounding, Vec3 n,
                        Method method, const Part& part) const noexcept {
  if (!(lower > item.lower)) return;
  item.lower = lower;
  item.from = part.a, item.to = part.b;
  item.growth = growth, item.rounding = rounding;
  item.shown = n;
  item.method = method;
}

bool MotionSearch::settle(MotionItem& item, const Part& part) {
  ++tests_;
  const Sides sides = sides_of(item, poses_[part.pose_a]);
  Excursion way = bounds_.excursion(sides.body_a, sides.meet);
  if (sides.body_b >= 0) {
    const Excursion of_b = bounds_.excursion(sides.body_b, sides.meet);
    way.bulge += of_b.bulge, way.tube += of_b.tube;
  }
  const double tube = way.tube;
  const double wanted = wanted_of(sides.margin, tube + sides.loose());
  if (!(item.lower > wanted)) {
    if (options_.method == Method::automatic || options_.method == Method::chord) {
      try_chord(item, sides, part, wanted);
    }
    // A tube is a ball around everything between the poses, but follows the joints of a sweep.
    const bool wide = options_.method == Method::automatic && tube > way.bulge &&
                      tube > kWideTube * options_.tolerance;
    if (!(item.lower > wanted) && (options_.method == Method::sweep || wide)) {
      try_sweep(item, sides, part, wanted);
    }
  }
  if (!(item.lower > wanted)) return false;
  prove(item, part, sides);
  return true;
}

void MotionSearch::prove(const MotionItem& item, const Part& part, const Sides& sides) {
  clearance_ = std::min(clearance_, item.lower);
  if (!options_.keep_proof) return;
  ProofStep& step = proof_.emplace_back();
  step.a = sides.solid_a, step.b = sides.solid_b;
  step.body_a = sides.body_a;
  step.piece = item.kind != MotionItem::Kind::links;
  step.other = step.piece ? item.other : sides.body_b;
  // Where it was shown, which may be more than this part.
  step.from = std::min(part.a, item.from), step.to = std::max(part.b, item.to);
  step.method = item.method;
  step.n = item.shown;
  step.bound = item.lower;
  step.margin = sides.margin;
  step.growth = item.growth;
  step.rounding = item.rounding;
}

void MotionSearch::leave_open(const Sides& sides, double from, double to, bool contact, double at) {
  open_.push_back({from, to, sides.solid_a, sides.solid_b, contact, at});
}

void MotionSearch::give_up(const Part& part, std::span<const MotionItem> items) {
  for (const MotionItem& item : items) {
    const Sides sides = sides_of(item, poses_[part.pose_a]);
    if (item.lower > sides.margin) {
      prove(item, part, sides);
    } else {
      leave_open(sides, part.a, part.b, false, 0);
    }
  }
}

void MotionSearch::process(Part& part) {
  if (tests_ >= options_.budget) {
    if (part.fresh) open_.push_back({part.a, part.b, -1, -1, false, 0});
    give_up(part, part.items);
    return;
  }
  ++parts_;
  depth_ = std::max(depth_, part.depth);
  const PosedWorld &at_a = poses_[part.pose_a], &at_b = poses_[part.pose_b];
  bounds_.begin(*path_, at_a, at_b);
  ++part_number_;
  std::vector<MotionItem> left = take_items();
  if (part.fresh) process_all(part, left);
  for (MotionItem& item : part.items) {
    if (item.kind == MotionItem::Kind::around) {
      process_around(item.body, part, left);
    } else if (!settle(item, part)) {
      left.push_back(item);
    }
  }
  if (!left.empty()) divide(part, left);
  free_items_.push_back(std::move(left));
}

void MotionSearch::divide(Part& part, std::vector<MotionItem>& left) {
  const double middle = middle_place(part.a, part.b);
  const bool divisible = middle > part.a && middle < part.b && tests_ < options_.budget;
  const int posed = divisible ? pose_at(*path_, middle) : -1;
  if (posed < 0) return give_up(part, left);
  const PosedWorld& at = poses_[posed];
  // How far each number can be from where it is in the middle.
  const PosedWorld &at_a = poses_[part.pose_a], &at_b = poses_[part.pose_b];
  double most_way = 0, most_off = 0;
  for (std::size_t i = 0; i < way_.size(); ++i) {
    const double most = std::max(std::fabs(at.q[i] - at_a.q[i]), std::fabs(at_b.q[i] - at.q[i]));
    way_[i] = inflate(rounding::up(most) + bounds_.off()[i] + bounds_.tube()[i], 2);
    most_way = std::max(most_way, way_[i]), most_off = std::max(most_off, bounds_.off()[i]);
  }
  // Where the joints go in a bow, a ball loses as much as a chord.
  const bool straight = 10 * most_off < most_way;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    MotionItem& item = left[k];
    if (item.kind == MotionItem::Kind::around) {
      left[kept++] = item;
      continue;
    }
    const Sides sides = sides_of(item, at_a);
    const Excursion way_a = bounds_.excursion(sides.body_a, sides.meet);
    double moved = way_a.moved, tube = way_a.tube;
    if (sides.body_b >= 0) {
      const Excursion way_b = bounds_.excursion(sides.body_b, sides.meet);
      moved += way_b.moved, tube += way_b.tube;
    }
    const bool smallest = moved <= options_.tolerance;
    bool contact = false;
    double where = middle;
    const double wanted = wanted_of(sides.margin, tube + sides.loose());
    if (options_.method == Method::ball ||
        (options_.method == Method::automatic && straight &&
         seems_to_stay(item, sides, part, at, wanted + tube + sides.loose()))) {
      try_ball(item, sides, part, at, wanted);
      if (item.lower > wanted) {
        prove(item, part, sides);
        continue;
      }
    }
    if (smallest || options_.ask == Ask::clearance || options_.method == Method::velocity ||
        item.upper < sides.margin) {
      try_middle(item, sides, part, at, wanted, contact);
      if (contact) {
        // It may be in contact from the begin of the part on, which no later part shows.
        if (smallest && solve_at(item, sides, at_a, 0).verdict == Verdict::contact) where = part.a;
        contact_ = true;
        contact_at_ = std::min(contact_at_, where);
        leave_open(sides, where, where, true, where);
        if (options_.ask == Ask::verdict) break;
      }
      if (item.lower > wanted_of(sides.margin, tube + sides.loose())) {
        prove(item, part, sides);
        continue;
      }
    }
    if (smallest && !(item.lower > sides.margin)) {
      leave_open(sides, part.a, part.b, contact, where);
      continue;
    }
    left[kept++] = item;
  }
  left.resize(kept);
  const bool ends = contact_ && options_.ask == Ask::verdict;
  if (!left.empty() && !ends) {
    const bool in_time = options_.ask != Ask::verdict;
    for (const bool second : {in_time, !in_time}) {
      Part& half = waiting_.emplace_back();
      half.a = second ? middle : part.a;
      half.b = second ? part.b : middle;
      half.pose_a = second ? posed : part.pose_a;
      half.pose_b = second ? part.pose_b : posed;
      half.depth = part.depth + 1;
      half.items = take_items();
      half.items.assign(left.begin(), left.end());
      ++poses_[half.pose_a].users;
      ++poses_[half.pose_b].users;
    }
  }
  drop_pose(posed);
}

}  // namespace keepclear
