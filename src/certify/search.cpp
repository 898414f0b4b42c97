// SPDX-License-Identifier: BSD-3-Clause
#include "certify/search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "rounding/rounding.hpp"
#include "sweep/layout.hpp"

namespace keepclear {
namespace {

using std::numbers::pi;

/// More pieces than this near a part of the box, and it is divided before anything is tested.
constexpr std::size_t kMostItems = 4096;
/// Choices of one map a joint along a chain, at most: those of joints that are followed with
/// several points multiply.
constexpr int kMostChoices = 256;
/// A joint whose middle position would add more than this share of the distance to the radius is
/// followed with two points.
constexpr double kCoarseShare = 0.05;
/// Poses that are tried before a box is divided.
constexpr std::size_t kProbes = 32;

/// Half the width of an interval, infinite for one without ends.
double half_width(Interval i) {
  return 0.5 * (i.upper - i.lower);
}

Ball ball_around(const WorldData& data, std::span<const int> bodies) {
  Ball ball;
  for (const int b : bodies) ball.centre = ball.centre + data.bodies[b].body.tables().centre;
  ball.centre = (1.0 / static_cast<double>(std::max<std::size_t>(1, bodies.size()))) * ball.centre;
  for (const int b : bodies) {
    const BodyTables& tables = data.bodies[b].body.tables();
    ball.radius =
        std::max(ball.radius, norm(tables.centre - ball.centre) + tables.bounding_radius_hi);
  }
  return ball;
}

std::vector<int> bodies_of(const WorldData& data, int solid) {
  std::vector<int> bodies;
  for (int b = 0; b < static_cast<int>(data.bodies.size()); ++b) {
    if (data.bodies[b].solid == solid) bodies.push_back(b);
  }
  return bodies;
}

/// Brings a quaternion to length one.
void make_unit(double* r) {
  const double n = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
  for (int i = 0; i < 4; ++i) r[i] = n > 1e-3 ? r[i] / n : (i == 3 ? 1.0 : 0.0);
}

/// A unit quaternion in a box of its four numbers, if one is found: alternately into the box and to
/// length one.
bool find_quaternion(std::span<const Interval> box, double* r) {
  for (int step = 0; step < 200; ++step) {
    for (int i = 0; i < 4; ++i) r[i] = std::clamp(r[i], box[i].lower, box[i].upper);
    if (rounding::is_unit_quaternion(r[0], r[1], r[2], r[3])) return true;
    // From where the box is on one side of zero alone this may stand still: begin in the middle.
    if (step == 100) {
      for (int i = 0; i < 4; ++i) r[i] = middle_of(box[i]).value;
    }
    make_unit(r);
  }
  return false;
}

/// Frames from `top`, itself left out, down to `frame`.
std::vector<int> path_to(const Kinematics& kinematics, int top, int frame) {
  std::vector<int> path;
  for (int f = frame; f != top; f = kinematics.parent(f)) path.push_back(f);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

SearchWorkspace::SearchWorkspace(const WorldData& data)
    : frames(static_cast<std::size_t>(data.kinematics.frame_count())),
      stages(static_cast<std::size_t>(data.kinematics.frame_count()) + 1),
      q(data.kinematics.neutral()),
      box(data.kinematics.variables().size()) {}

PairSearch::PairSearch(const WorldData& data, int solid_a, int solid_b, bool margins)
    : data_(data),
      solid_a_(solid_a),
      solid_b_(solid_b),
      bodies_a_(bodies_of(data, solid_a)),
      bodies_b_(bodies_of(data, solid_b)),
      margins_(margins) {
  set_up(data.bodies[bodies_a_.front()].frame, data.bodies[bodies_b_.front()].frame);
  for (std::uint32_t a = 0; a < bodies_a_.size(); ++a) {
    for (std::uint32_t b = 0; b < bodies_b_.size(); ++b) all_.push_back({a, b});
  }
}

PairSearch::PairSearch(const WorldData& data, int solid)
    : data_(data), solid_a_(solid), bodies_a_(bodies_of(data, solid)) {
  set_up(data.bodies[bodies_a_.front()].frame, 0);
}

void PairSearch::set_up(int frame_a, int frame_b) {
  const Kinematics& kinematics = data_.kinematics;
  meeting_ = meeting_frame(kinematics, frame_a, frame_b);
  last_ = std::max(frame_a, frame_b);
  path_a_ = path_to(kinematics, meeting_, frame_a);
  path_b_ = path_to(kinematics, meeting_, frame_b);
  for (const std::vector<int>* path : {&path_a_, &path_b_}) {
    for (const int f : *path) {
      const FrameJoint& joint = kinematics.joint(f);
      const int numbers = joint.type == JointType::planar     ? 3
                          : joint.type == JointType::floating ? 7
                                                              : 1;
      for (int i = 0; i < numbers; ++i) variables_.push_back(joint.variable + i);
    }
  }
  std::sort(variables_.begin(), variables_.end());
  variables_.erase(std::unique(variables_.begin(), variables_.end()), variables_.end());
  ball_a_ = ball_around(data_, bodies_a_);
  ball_b_ = ball_around(data_, bodies_b_);
}

double PairSearch::margin_of(const Item& item) const {
  if (!margins_) return margin_;
  const int other = solid_b_ >= 0 ? solid_b_ : data_.environment.solid_of(item.other);
  return std::max(margin_, data_.rules.margin_of(solid_a_, other));
}

PieceView PairSearch::view_other(const Item& item, SearchWorkspace& space) const {
  if (solid_b_ < 0) return space.bench.view(data_.environment, item.other);
  return {&data_.bodies[bodies_b_[item.other]].body.tables(), nullptr};
}

const BoundedPose& PairSearch::pose_other(const Item& item, const SearchWorkspace& space) const {
  if (solid_b_ >= 0) return space.frames[data_.bodies[bodies_b_[item.other]].frame];
  const Environment& env = data_.environment;
  return env.objects[env.pieces[item.other].object].X_WO;
}

PairAnswer PairSearch::solve(const Item& item, double stop_above, bool deepest,
                             SearchWorkspace& space) const {
  PairOptions how;
  how.tolerance = 1e-5;
  how.margin = margin_of(item);
  how.signed_distance = deepest;
  how.stop_above = stop_above;
  const WorldBody& body = data_.bodies[bodies_a_[item.body]];
  GjkCache cold;
  return solve_views({&body.body.tables(), nullptr}, space.frames[body.frame],
                     view_other(item, space), pose_other(item, space), how, cold, space.epa);
}

bool PairSearch::pose(SearchWorkspace& space) const {
  return data_.kinematics.forward(space.q, meeting_, last_, space.frames);
}

bool PairSearch::set_middle(const Part& part, std::vector<double>& q) const {
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const Interval i = part.box[v];
    const double middle = 0.5 * i.lower + 0.5 * i.upper;
    // Without ends: as near to zero as it may be.
    q[variables_[v]] = std::isfinite(middle) ? std::clamp(middle, i.lower, i.upper)
                                             : std::clamp(0.0, i.lower, i.upper);
  }
  // Quaternions are brought to length one, which may lead out of the part.
  bool inside = true;
  for (const std::vector<int>* path : {&path_a_, &path_b_}) {
    for (const int f : *path) {
      const FrameJoint& joint = data_.kinematics.joint(f);
      if (joint.type != JointType::floating) continue;
      make_unit(&q[joint.variable + 3]);
    }
  }
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const double x = q[variables_[v]];
    inside = inside && x >= part.box[v].lower && x <= part.box[v].upper;
  }
  return inside;
}

void PairSearch::take(const Item& item, const PairAnswer& answer, const SearchWorkspace& space) {
  const bool touches = answer.verdict == Verdict::contact;
  // Where the rest of the configuration is not in the box, nothing in the box was found.
  if ((contact_ && !touches) || !base_inside_) return;
  if (!(answer.distance < distance_ || (touches && !contact_))) return;
  distance_ = answer.distance;
  nearest_ = space.q;
  contact_ = contact_ || touches;
  if (solid_b_ < 0) nearest_solid_ = data_.environment.solid_of(item.other);
}

void PairSearch::add(Part part) {
  if (part.split >= 0) {
    parts_.push(std::move(part));
    return;
  }
  settled_lower_ = std::min(settled_lower_, part.lower);
  settled_room_ = std::min(settled_room_, part.room);
}

void PairSearch::set_box(std::span<const Interval> box) {
  const Kinematics& kinematics = data_.kinematics;
  box_.assign(box.begin(), box.end());
  base_ = kinematics.neutral();
  for (std::size_t v = 0; v < box.size(); ++v) {
    base_[v] = std::clamp(base_[v], box[v].lower, box[v].upper);
  }
  base_inside_ = true;
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    const FrameJoint& joint = kinematics.joint(f);
    if (joint.type != JointType::floating) continue;
    const auto rotation = static_cast<std::size_t>(joint.variable) + 3;
    base_inside_ = base_inside_ && find_quaternion(box.subspan(rotation, 4), &base_[rotation]);
  }
  for (const int v : variables_) {
    const double period = period_of(v);
    Interval& i = box_[v];
    if (!(i.upper - i.lower > period) || !(period < 1e6)) continue;
    // At least a period in real arithmetic, of a number that is not too large to add it to.
    if (std::fabs(i.lower) < 1e3) {
      i.upper = std::min(i.upper, rounding::up(i.lower + period));
    } else if (i.lower <= -0.5 * period && i.upper >= 0.5 * period) {
      i = {-0.5 * period, 0.5 * period};
    }
  }
}

double PairSearch::period_of(int variable) const {
  // The next double above 2 pi.
  constexpr double kTurn = 6.2831853071795872;
  int joints = 0;
  bool whole_turns = true;
  double gain_lo = 1;
  for (const std::vector<int>* path : {&path_a_, &path_b_}) {
    for (const int f : *path) {
      const Kinematics::Frame& frame = data_.kinematics.frame(f);
      const bool planar_turn = frame.type == JointType::planar && variable == frame.variable + 2;
      if (frame.variable != variable && !planar_turn) continue;
      ++joints;
      whole_turns = whole_turns && (planar_turn || frame.returns_after_a_turn());
      if (!planar_turn && !frame.turns()) gain_lo = 0;
      for (const auto& [multiplier, offset] : frame.mimic) {
        gain_lo = std::max(0.0, rounding::down(gain_lo * std::fabs(multiplier)));
      }
    }
  }
  if (joints == 0) return kInfinity;
  if (whole_turns) return kTurn;
  // One that follows alone is back when its own angle has made a turn.
  return joints == 1 && gain_lo > 0 ? rounding::up(kTurn / gain_lo) : kInfinity;
}

void PairSearch::start(std::span<const Interval> box, double margin, Closeness closeness,
                       double nearest_hi, SearchWorkspace& space) {
  set_box(box);
  margin_ = margin;
  parts_ = {};
  settled_lower_ = settled_room_ = kInfinity;
  contact_ = false;
  distance_ = kInfinity;
  nearest_.clear();
  nearest_solid_ = -1;
  tests_ = 0;
  order_ = 0;
  Part whole;
  for (const int v : variables_) whole.box.push_back(box_[v]);
  whole.open = all_;
  space.q = base_;
  // How near they are in the middle says how much there is to show.
  Item item;
  PairAnswer answer;
  if (std::isfinite(closeness.metres) && set_middle(whole, space.q) &&
      nearest_at(false, item, answer, space)) {
    take(item, answer, space);
    whole.near = std::max(distance_, 0.0);
  }
  assess(whole, closeness.goal(std::min(distance_, nearest_hi)), space);
  if (!contact_ && !(whole.room > 0)) probe(kProbes, 1, false, space);
  add(std::move(whole));
}

void PairSearch::run(std::size_t tests, Closeness closeness, double nearest_hi,
                     SearchWorkspace& space) {
  space.q = base_;
  const std::size_t end = tests_ + tests;
  while (!contact_ && !exhausted() && tests_ < end) {
    const double goal = closeness.goal(std::min(distance_, nearest_hi));
    if (parts_.top().room > 0 && parts_.top().lower >= goal) break;
    const Part part = parts_.top();
    parts_.pop();
    const Interval whole = part.box[part.split];
    const double middle = 0.5 * whole.lower + 0.5 * whole.upper;
    const double before = distance_;
    for (const Interval half : {Interval{whole.lower, middle}, Interval{middle, whole.upper}}) {
      Part child = part;
      child.box[part.split] = half;
      assess(child, goal, space);
      add(std::move(child));
    }
    // A pose nearer than all before may be on the way to a contact.
    if (!contact_ && distance_ < 0.8 * before && !(parts_.empty() || parts_.top().room > 0)) {
      probe(0, 1, false, space);
    }
  }
}

double PairSearch::clearance() const noexcept {
  return parts_.empty() ? settled_lower_ : std::min(settled_lower_, parts_.top().lower);
}

Verdict PairSearch::verdict() const noexcept {
  if (contact_) return Verdict::contact;
  const bool proved = settled_room_ > 0 && (parts_.empty() || parts_.top().room > 0);
  return proved ? Verdict::free : Verdict::undecided;
}

double PairSearch::bound(const Item& item, const SweptBody& a, std::span<const SweptBody> swept_b,
                         Vec3 start, double enough, SearchWorkspace& space) const {
  if (solid_b_ >= 0) return bound_swept(a, swept_b[item.other], start, enough).lower;
  const PieceView view = view_other(item, space);
  const BoundedPose& X_WO = pose_other(item, space);
  if (view.half_space != nullptr) return bound_half_space(a, *view.half_space, X_WO);
  Stage& still = space.stages.back();
  make_still_stage(X_WO, still);
  const Stage* const chain[] = {&still};
  return bound_swept(a, sweep_body(*view.tables, chain), start, enough).lower;
}

void PairSearch::assess(Part& part, double goal, SearchWorkspace& space) {
  part.order = order_++;
  ++tests_;
  const bool inside = set_middle(part, space.q);
  const bool posed = pose(space);
  make_stages(part, posed, space);
  std::vector<const Stage*> chain(path_a_.size() + path_b_.size());
  for (std::size_t i = 0; i < chain.size(); ++i) chain[i] = &space.stages[i];
  const std::span<const Stage* const> chain_a(chain.data(), path_a_.size());
  const std::span<const Stage* const> chain_b(chain.data() + path_a_.size(), path_b_.size());
  std::vector<SweptBody> swept_a, swept_b;
  for (const int b : bodies_a_) {
    swept_a.push_back(sweep_body(data_.bodies[b].body.tables(), chain_a));
  }
  for (const int b : bodies_b_) {
    swept_b.push_back(sweep_body(data_.bodies[b].body.tables(), chain_b));
  }
  const double scene_margin = std::max(margin_, data_.rules.margin_hi);
  // What was dropped when less was asked for comes back.
  if (solid_b_ >= 0 && part.dropped_lower < goal) {
    part.open = all_;
    part.dropped_lower = part.dropped_room = kInfinity;
  }
  if (solid_b_ < 0 && std::min(part.look, part.dropped_lower) < std::max(goal, scene_margin)) {
    const double look = std::max(goal, scene_margin) + kLookFarther;
    part.open.clear();
    bool few = true;
    for (std::uint32_t b = 0; b < swept_a.size() && few; ++b) {
      few = list_pieces(b, swept_a[b], look, part.open);
    }
    if (few) {
      // What is not in the list is farther away than that.
      part.look = part.dropped_lower = look;
      part.dropped_room = rounding::down(look - scene_margin);
    } else {
      part.open.clear();
      part.look = part.dropped_lower = part.dropped_room = -kInfinity;
    }
  }
  part.lower = part.dropped_lower;
  part.room = part.dropped_room;
  std::vector<Item> open;
  double near = kInfinity;
  for (const Item& item : part.open) {
    const SweptBody& a = swept_a[item.body];
    const double margin = margin_of(item);
    const double wanted = std::max(margin, goal);
    double lower = -kInfinity;
    if (&item != part.open.data()) ++tests_;
    if (solid_b_ >= 0 && a.radius_hi < kInfinity && swept_b[item.other].radius_hi < kInfinity) {
      const SweptBody& b = swept_b[item.other];
      lower =
          ball_distance_lo(a.centre, b.centre,
                           rounding::inflate(a.ball_hi + a.radius_hi + b.ball_hi + b.radius_hi, 3));
    }
    if (!(lower > wanted)) {
      Vec3 start{1, 0, 0};
      double enough = wanted;
      if (posed) {
        const PairAnswer answer = solve(item, kInfinity, false, space);
        start = answer.n;
        near = std::min(near, std::max(answer.distance, 0.0));
        // No more than that can be shown.
        enough = std::max(margin, std::min(wanted, answer.distance));
        if (inside) take(item, answer, space);
        if (contact_) return;
      }
      lower = std::max(lower, bound(item, a, swept_b, start, enough, space));
    }
    if (!(lower >= -kInfinity)) lower = -kInfinity;
    part.lower = std::min(part.lower, lower);
    part.room = std::min(part.room, rounding::down(lower - margin));
    if (lower > wanted) {
      part.dropped_lower = std::min(part.dropped_lower, lower);
      part.dropped_room = std::min(part.dropped_room, rounding::down(lower - margin));
    } else {
      open.push_back(item);
    }
  }
  part.open = std::move(open);
  if (near < kInfinity) part.near = near;
  choose_split(part, posed, space);
}

bool PairSearch::list_pieces(std::uint32_t body, const SweptBody& swept, double look,
                             std::vector<Item>& open) const {
  const Environment& env = data_.environment;
  const double own = swept.body->bounding_radius_hi;
  // Dividing makes a list shorter only while the motion makes the volume larger than the body is.
  const bool limited = !(swept.ball_hi + swept.radius_hi < 1.25 * own);
  std::size_t found = 0;
  // A box that is not finite overlaps all.
  env.index.visit(grown(box_of(swept), std::max(look, 0.0)), [&](int id) {
    const auto piece = static_cast<std::uint32_t>(id);
    if (data_.rules.may_touch(solid_a_, env.solid_of(piece))) return;
    if (++found <= kMostItems || !limited) open.push_back({body, piece});
  });
  // The octree may hand them out in any order; ours depends on the scene alone.
  std::sort(open.begin(), open.end(), [](const Item& a, const Item& b) {
    return a.body != b.body ? a.body < b.body : a.other < b.other;
  });
  return found <= kMostItems || !limited;
}

double PairSearch::lever_of(int frame, bool of_b, const SearchWorkspace& space) const {
  const std::vector<int>& path = of_b ? path_b_ : path_a_;
  const Ball& ball = of_b ? ball_b_ : ball_a_;
  const Pose& X = space.frames[frame].X;
  const Vec3 centre = space.frames[path.back()].X * ball.centre;
  const Vec3 axis = X.R * data_.kinematics.joint(frame).axis.a;
  const bool about_centre = data_.kinematics.joint(frame).type == JointType::floating;
  return (about_centre ? norm(centre - X.p) : norm(cross(axis, centre - X.p))) + ball.radius;
}

double PairSearch::sway_of(int frame, bool of_b, bool posed, const SearchWorkspace& space) const {
  const Kinematics::Frame& f = data_.kinematics.frame(frame);
  const double lever = posed ? lever_of(frame, of_b, space) : 1;
  switch (f.type) {
    case JointType::prismatic:
      return half_width(joint_interval(f, space.box));
    case JointType::revolute:
    case JointType::continuous:
      return std::min(half_width(joint_interval(f, space.box)), pi) * lever;
    default:
      return kInfinity;  // several numbers: always worth it
  }
}

void PairSearch::make_stages(const Part& part, bool posed, SearchWorkspace& space) const {
  for (std::size_t v = 0; v < variables_.size(); ++v) space.box[variables_[v]] = part.box[v];
  std::size_t at = 0;
  for (const bool of_b : {false, true}) {
    const std::vector<int>& path = of_b ? path_b_ : path_a_;
    std::vector<double> sway;
    std::vector<std::size_t> order(path.size());
    for (const int f : path) sway.push_back(sway_of(f, of_b, posed, space));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sway[a] > sway[b]; });
    // Those that sway most, as long as their choices do not multiply too much.
    std::vector<JointOperator> operators(path.size());
    int choices = 1;
    for (const std::size_t i : order) {
      const JointType type = data_.kinematics.joint(path[i]).type;
      const JointOperator fine{type == JointType::floating ? 1 : 2, 2};
      const int maps = map_count(type, fine);
      if (!(sway[i] > kCoarseShare * part.near) || choices * maps > kMostChoices) continue;
      choices *= maps;
      operators[i] = fine;
    }
    for (std::size_t i = 0; i < path.size(); ++i) {
      const JointOperator op = operators[i];
      make_stage(data_.kinematics, path[i], space.box, op, space.stages[at++]);
    }
  }
}

void PairSearch::choose_split(Part& part, bool posed, SearchWorkspace& space) const {
  std::vector<double> score(variables_.size(), 0.0);
  auto add_to = [&](int variable, double value) {
    const auto at = std::lower_bound(variables_.begin(), variables_.end(), variable);
    score[static_cast<std::size_t>(at - variables_.begin())] += value;
  };
  for (const bool of_b : {false, true}) {
    for (const int f : of_b ? path_b_ : path_a_) {
      const FrameJoint& joint = data_.kinematics.joint(f);
      const int v = joint.variable;
      const double lever = posed ? lever_of(f, of_b, space) : 1;
      if (joint.type == JointType::planar || joint.type == JointType::floating) {
        const int slides = joint.type == JointType::planar ? 2 : 3;
        for (int i = 0; i < slides; ++i) add_to(v + i, half_width(space.box[v + i]));
        const int turns = joint.type == JointType::planar ? 1 : 4;
        for (int i = slides; i < slides + turns; ++i) {
          add_to(v + i, std::min(half_width(space.box[v + i]), pi) * lever * (turns > 1 ? 2 : 1));
        }
      } else {
        add_to(v, sway_of(f, of_b, posed, space));
      }
    }
  }
  part.split = -1;
  double best = 0;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const Interval i = part.box[v];
    const double middle = 0.5 * i.lower + 0.5 * i.upper;
    if (!std::isfinite(i.lower) || !std::isfinite(i.upper)) {
      // Halves of what has no end have none either.
      part.split = -1;
      return;
    }
    if (score[v] > best && middle > i.lower && middle < i.upper) {
      best = score[v];
      part.split = static_cast<int>(v);
    }
  }
}

}  // namespace keepclear
