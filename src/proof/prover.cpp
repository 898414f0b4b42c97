// SPDX-License-Identifier: BSD-3-Clause
//
// The letters are those of docs/certificate.md, section 5.
#include "proof/prover.hpp"
#include "rounding/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace keepclear {
namespace {

/// Room for the rounding of a checker: this much of all lengths that go into a bound.
constexpr double kRoom = 1e-10;
/// Directions are told to one in so many; where that is not enough, to one in many more.
constexpr double kShortScale = 1 << 14, kLongScale = 1 << 29;
/// Metres: what a longer one can win at most.
constexpr double kWorthLonger = 1e-3;
/// What lies beside a line by less than this many metres need not be looked at point by point.
constexpr double kLittle = 1e-9;

}  // namespace

double short_below(double value, double least, double above) {
  for (const int bits : {5, 8, 12, 20, 32, 53}) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    const double rounded = std::ldexp(std::floor(std::ldexp(fraction, bits)), exponent - bits);
    if (rounded >= least && rounded > above) return rounded;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Prover::Prover(const CertificateWorld& world, std::vector<LooseBase> loose, double stray,
               std::vector<int> paths)
    : world_(world),
      data_(world.data()),
      loose_(std::move(loose)),
      stray_(stray),
      paths_(std::move(paths)) {
  const Kinematics& kinematics = data_.kinematics;
  using Kind = JointMotion::Kind;
  chains_.resize(static_cast<std::size_t>(kinematics.frame_count()));
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    const Kinematics::Frame& frame = kinematics.frame(f);
    chains_[f] = chains_[frame.parent];
    const auto add = [&](Kind kind, int number, int slide) {
      double multiplier = 1;
      for (const auto& step : frame.mimic) multiplier *= step.first;
      chains_[f].push_back(static_cast<int>(motions_.size()));
      motions_.push_back({kind, f, frame.variable + number, slide, multiplier});
    };
    switch (frame.type) {
      case JointType::prismatic:
        add(Kind::slide, 0, 0);
        break;
      case JointType::planar:
        add(Kind::slide, 0, 0), add(Kind::slide, 1, 1), add(Kind::hinge, 2, 0);
        break;
      case JointType::floating:
        for (int i = 0; i < 3; ++i) add(Kind::slide, i, i);
        add(Kind::ball, 3, 0);
        break;
      default:
        add(Kind::hinge, 0, 0);
    }
  }
  placed_.resize(motions_.size());
  poses_.resize(chains_.size());
  q_.resize(kinematics.variables().size());
  reaches_.resize(data_.bodies.size());
}

int Prover::common_frame(int a, int b) const noexcept {
  while (a != b) {
    int& deeper = a > b ? a : b;
    deeper = data_.kinematics.parent(deeper);
  }
  return a;
}

bool Prover::place(std::span<const NumberLine> lines) {
  ++stamp_;
  for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = lines[i].c;
  using Kind = JointMotion::Kind;
  for (const JointMotion& motion : motions_) {
    if (motion.kind != Kind::ball) continue;
    double* r = q_.data() + motion.number;
    const double length = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    if (!(length > 1e-3)) return false;
    for (int k = 0; k < 4; ++k) r[k] /= length;
  }
  const Kinematics& kinematics = data_.kinematics;
  if (!kinematics.forward(q_, 0, poses_)) return false;
  for (std::size_t m = 0; m < motions_.size(); ++m) {
    const JointMotion& motion = motions_[m];
    const Kinematics::Frame& frame = kinematics.frame(motion.frame);
    const Pose& X_WF = poses_[motion.frame].X;
    const Mat3& R_WP = poses_[frame.parent].X.R;
    Placed& at = placed_[m];
    const NumberLine& line = lines[motion.number];
    at.o = X_WF.p;
    if (motion.kind == Kind::ball) {
      double length2 = 0, off2 = 0;
      for (int k = 0; k < 4; ++k) {
        const NumberLine& part = lines[motion.number + k];
        length2 += part.c * part.c;
        const double off = std::fabs(part.v) + part.rho;
        off2 += off * off;
      }
      const double share = std::sqrt(off2 / length2);
      at.w = share < 1 ? 3.15 * share : kInfinity;
      continue;
    }
    if (motion.kind == Kind::hinge) {
      at.z = X_WF.R * frame.joint.axis.a;
    } else if (frame.type == JointType::floating) {
      const Mat3 columns = transpose(R_WP * frame.X_PJ.X.R);
      at.z = motion.slide == 0 ? columns.row0 : motion.slide == 1 ? columns.row1 : columns.row2;
    } else {
      at.z = R_WP * frame.slide[motion.slide].direction();
    }
    at.v = motion.multiplier * line.v;
    at.rho = std::fabs(motion.multiplier) * line.rho;
    at.w = std::fabs(at.v) + at.rho;
  }
  return true;
}

const Prover::Reach& Prover::reach(int body) {
  Reach& out = reaches_[body];
  if (out.stamp == stamp_) return out;
  out.stamp = stamp_;
  const WorldBody& of_world = data_.bodies[body];
  const Volume volume = of_world.body.volume();
  const Pose& X = poses_[of_world.frame].X;
  out.x.resize(volume.count);
  double far = 0;
  for (std::size_t i = 0; i < volume.count; ++i) {
    out.x[i] = X * volume.point(i);
    far = std::max(far, squared_norm(out.x[i]));
  }
  const std::vector<int>& chain = chains_[of_world.frame];
  out.y_hi.assign(chain.size(), 1);
  out.ball = 0;
  out.ball_at = chain.size();
  double travel = 0;
  using Kind = JointMotion::Kind;
  for (std::size_t j = chain.size(); j-- > 0;) {
    const Placed& at = placed_[chain[j]];
    const Kind kind = motions_[chain[j]].kind;
    if (kind != Kind::slide) {
      double most = 0;
      for (const Vec3 x : out.x) {
        const Vec3 r = x - at.o;
        most = std::max(most, squared_norm(kind == Kind::hinge ? cross(at.z, r) : r));
      }
      out.y_hi[j] = std::sqrt(most) + travel;
    }
    if (kind == Kind::ball) {
      // More than one that moves is beyond the rules.
      out.ball = out.ball > 0 && at.w > 0 ? kInfinity : std::max(out.ball, at.w * out.y_hi[j]);
      if (at.w > 0) out.ball_at = j;
      continue;
    }
    travel += at.w * out.y_hi[j];
  }
  out.travel = travel;
  out.far = std::sqrt(far) + (std::isfinite(travel) ? travel : 0);
  out.off = data_.moves(of_world.solid) ? stray_ : 0;
  return out;
}

Prover::Support Prover::support(const Reach& body, std::span<const int> chain, std::size_t skip,
                                Vec3 n) {
  using Kind = JointMotion::Kind;
  // Value and slope of a point x along n: n.x + t (m.x + m0).
  Vec3 m{};
  double m0 = 0, turned = 0, q = 0, beside = 0;
  double rho_constant = 0;
  h_.assign(chain.size(), 0);
  for (std::size_t j = skip; j < chain.size(); ++j) {
    const Placed& at = placed_[chain[j]];
    const Kind kind = motions_[chain[j]].kind;
    if (kind == Kind::ball) continue;
    if (kind == Kind::hinge) {
      const Vec3 row = cross(n, at.z);
      h_[j] = std::min(1.0, norm(row) + turned);
      turned += at.w;
      m = m + at.v * row;
      m0 -= at.v * dot(row, at.o);
      beside += at.rho * body.y_hi[j];
    } else {
      m0 += at.v * dot(n, at.z);
      rho_constant += at.rho * std::fabs(dot(n, at.z));
      beside += at.rho;
    }
    // Q: pairs (i, j), i <= j, of hinges i.
    double before = 0.5 * at.w * h_[j];
    for (std::size_t i = skip; i < j; ++i) before += placed_[chain[i]].w * h_[i];
    q += at.w * body.y_hi[j] * before;
  }
  const double ball = body.ball_at < chain.size() && body.ball_at >= skip ? body.ball : 0;
  Support out{kInfinity, kInfinity};
  if (beside <= kLittle) {
    for (const Vec3 x : body.x) {
      const double value = dot(n, x), slope = dot(m, x) + m0;
      out.up = std::min(out.up, value + slope);
      out.down = std::min(out.down, value - slope);
    }
    q += beside;
  } else {
    for (const Vec3 x : body.x) {
      const double value = dot(n, x), slope = dot(m, x) + m0;
      double off = rho_constant;
      for (std::size_t j = skip; j < chain.size(); ++j) {
        const Placed& at = placed_[chain[j]];
        if (motions_[chain[j]].kind != Kind::hinge || at.rho == 0) continue;
        off += at.rho * std::fabs(dot(n, cross(at.z, x - at.o)));
      }
      out.up = std::min(out.up, value + slope - off);
      out.down = std::min(out.down, value - slope - off);
    }
  }
  out.up -= q + ball, out.down -= q + ball;
  return out;
}

double Prover::loose_off(int body, const Reach& of_body, int other_robot) const {
  const int robot = data_.solids[data_.bodies[body].solid].robot;
  double off = 0;
  for (const LooseBase& base : loose_) {
    if (base.robot != robot || robot == other_robot) continue;
    double far = 0;
    for (const Vec3 x : of_body.x) far = std::max(far, norm(x - base.origin));
    // What a ball takes is no part of travel.
    off += base.metres + base.radians * (far + of_body.travel + of_body.ball);
  }
  return off;
}

double Prover::finish(double bound, double size) const {
  return bound - kRoom * (1 + size);
}

namespace {

/// Whole numbers about along n.
Direction whole_direction(Vec3 n, double size) {
  const double largest = std::max({std::fabs(n.x), std::fabs(n.y), std::fabs(n.z)});
  const double scale = size / largest;
  return {std::llround(n.x * scale), std::llround(n.y * scale), std::llround(n.z * scale)};
}

Vec3 unit_of(const Direction& d) {
  const Vec3 v{static_cast<double>(d[0]), static_cast<double>(d[1]), static_cast<double>(d[2])};
  return (1 / norm(v)) * v;
}

}  // namespace

Prover::Found Prover::links_apart(int a, int b, double needed) {
  const WorldBody &body_a = data_.bodies[a], &body_b = data_.bodies[b];
  GjkCache start;
  PairOptions options;
  options.tolerance = 1e-7;
  const PairAnswer answer =
      solve_views({&body_a.body.tables(), nullptr}, poses_[body_a.frame],
                  {&body_b.body.tables(), nullptr}, poses_[body_b.frame], options, start, epa_);
  Found found;
  found.hopeless = !(answer.distance > needed);
  if (found.hopeless || !(norm(answer.n) > 0.5)) return found;
  const int common = common_frame(body_a.frame, body_b.frame);
  const Mat3& R_WC = poses_[common].X.R;
  const std::size_t skip = chains_[common].size();
  const Reach& reach_a = reach(a);
  const Reach& reach_b = reach(b);
  const auto path_of = [&](int frame) {
    const auto& chain = chains_[frame];
    return paths_.empty() || chain.size() <= skip ? -1 : paths_[motions_[chain.back()].number];
  };
  const int path_a = path_of(body_a.frame), path_b = path_of(body_b.frame);
  const bool apart_in_time = path_a >= 0 && path_b >= 0 && path_a != path_b;
  const int robot_a = data_.solids[body_a.solid].robot, robot_b = data_.solids[body_b.solid].robot;
  const double off = body_a.body.radius() + body_b.body.radius() + reach_a.off + reach_b.off +
                     loose_off(a, reach_a, robot_b) + loose_off(b, reach_b, robot_a);
  for (const double scale : {kShortScale, kLongScale}) {
    found.n = whole_direction(transposed_times(R_WC, answer.n), scale);
    const Vec3 n = R_WC * unit_of(found.n);
    const Support of_a = support(reach_a, chains_[body_a.frame], skip, -n);
    const Support of_b = support(reach_b, chains_[body_b.frame], skip, n);
    const double sum = apart_in_time ? std::min(of_a.up, of_a.down) + std::min(of_b.up, of_b.down)
                                     : std::min(of_a.up + of_b.up, of_a.down + of_b.down);
    found.bound = finish(sum - off, reach_a.far + reach_b.far);
    if (found.bound > needed || !(found.bound > needed - kWorthLonger)) break;
  }
  return found;
}

std::span<const Vec3> Prover::piece_points(std::uint32_t piece) {
  if (points_of_ == piece) return piece_points_;
  points_of_ = piece;
  piece_points_.clear();
  const Environment& env = data_.environment;
  const Piece& p = env.pieces[piece];
  const Pose& X = env.objects[p.object].X_WO.X;
  switch (p.kind) {
    case PieceKind::body: {
      const Volume volume = env.bodies[p.index].volume();
      for (std::size_t i = 0; i < volume.count; ++i) piece_points_.push_back(X * volume.point(i));
      break;
    }
    case PieceKind::ball:
      piece_points_.push_back(X * env.balls[p.index].centre);
      break;
    case PieceKind::box:
      for (int corner = 0; corner < 8; ++corner) {
        const BoxPiece& box = env.boxes[p.index];
        const Vec3 half = box.half;
        piece_points_.push_back(X * (box.centre + Vec3{(corner & 1) != 0 ? half.x : -half.x,
                                                       (corner & 2) != 0 ? half.y : -half.y,
                                                       (corner & 4) != 0 ? half.z : -half.z}));
      }
      break;
    case PieceKind::half_space:
      break;
  }
  return piece_points_;
}

Prover::Found Prover::piece_apart(int a, std::uint32_t piece, double needed) {
  const Environment& env = data_.environment;
  const Piece& p = env.pieces[piece];
  const BoundedPose& X_WO = env.objects[p.object].X_WO;
  const WorldBody& body = data_.bodies[a];
  GjkCache start;
  PairOptions options;
  options.tolerance = 1e-7;
  const PieceView view = bench_.view(env, piece);
  const PairAnswer answer = solve_views({&body.body.tables(), nullptr}, poses_[body.frame], view,
                                        X_WO, options, start, epa_);
  Found found;
  found.hopeless = !(answer.distance > needed);
  if (found.hopeless) return found;
  const Reach& of_body = reach(a);
  const double off = body.body.radius() + of_body.off + loose_off(a, of_body, -1);
  const auto bound = [&](Vec3 n, double other, double size) {
    const Support of_a = support(of_body, chains_[body.frame], 0, -n);
    return finish(std::min(of_a.up, of_a.down) + other - off, of_body.far + size);
  };
  if (view.half_space != nullptr) {
    const HalfSpace& plane = *view.half_space;
    const Vec3 n = X_WO.X.R * ((-1 / norm(plane.n)) * plane.n);
    found.bound =
        bound(n, -plane.offset + dot(n, X_WO.X.p), std::fabs(plane.offset) + norm(X_WO.X.p));
    return found;
  }
  if (!(norm(answer.n) > 0.5)) return found;
  const double radius = p.kind == PieceKind::body   ? env.bodies[p.index].radius()
                        : p.kind == PieceKind::ball ? env.balls[p.index].radius
                                                    : 0;
  for (const double scale : {kShortScale, kLongScale}) {
    found.n = whole_direction(answer.n, scale);
    const Vec3 n = unit_of(found.n);
    double other = kInfinity, size = 0;
    for (const Vec3 x : piece_points(piece)) {
      other = std::min(other, dot(n, x));
      size = std::max(size, norm(x));
    }
    found.bound = bound(n, other - radius, size);
    if (found.bound > needed || !(found.bound > needed - kWorthLonger)) break;
  }
  return found;
}

Box Prover::box_of(int body) {
  const Reach& of_body = reach(body);
  const WorldBody& b = data_.bodies[body];
  const double out =
      b.body.radius() + of_body.off + loose_off(body, of_body, -1) + kRoom * (1 + of_body.far);
  const auto least = [&](Vec3 n) {
    const Support s = support(of_body, chains_[b.frame], 0, n);
    const double end = std::min(s.up, s.down) - out;
    return std::isnan(end) ? -kInfinity : end;
  };
  return {{least({1, 0, 0}), least({0, 1, 0}), least({0, 0, 1})},
          {-least({-1, 0, 0}), -least({0, -1, 0}), -least({0, 0, -1})}};
}

double Prover::moved_by(int body, int number) {
  const Reach& of_body = reach(body);
  const std::vector<int>& chain = chains_[data_.bodies[body].frame];
  double moved = 0;
  for (std::size_t j = 0; j < chain.size(); ++j) {
    const JointMotion& motion = motions_[chain[j]];
    const bool is_ball = motion.kind == JointMotion::Kind::ball;
    if (number >= motion.number && number < motion.number + (is_ball ? 4 : 1)) {
      moved += placed_[chain[j]].w * of_body.y_hi[j];
    }
  }
  return moved;
}

}  // namespace keepclear
