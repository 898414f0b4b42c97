// SPDX-License-Identifier: BSD-3-Clause
//
// Whether every single step of a proof is true, and whether the steps leave no gap. A step says
// that two bodies (or a body and all pieces that no other step names) stay farther apart than its
// bound over an interval of places, wherever in their tube, on their bases and off their links the
// robots are. Dense places in 113 bits try to refute each step by itself. docs/theory/certify.md,
// "What a proof is".
#pragma once

#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "certify/exact_world.hpp"
#include "certify/motion_worlds.hpp"
#include "keepclear/certify.hpp"

namespace keepclear::test {

struct StepTally {
  std::size_t worlds = 0, motions = 0, free = 0, contact = 0, undecided = 0;
  std::size_t steps = 0, looks = 0;
  std::array<std::size_t, 5> by_method{};  ///< of steps
  std::size_t around = 0;                  ///< steps about all pieces that no other names
  std::size_t clocks = 0, tubes = 0, bases = 0, deviations = 0;  ///< motions with these
  std::size_t close = 0;  ///< steps seen within a millimetre above their bound
  double least = std::numeric_limits<double>::infinity();  ///< metres: seen above a bound, at least

  // These must stay zero.
  std::size_t refuted = 0;  ///< steps whose pair was seen nearer than the bound
  std::size_t wrong = 0;    ///< steps that contradict their own margin, pair or interval
  std::size_t gaps = 0;     ///< motions with a pair and a time that no step covers
  std::vector<std::string> messages;

  std::size_t violations() const { return refuted + wrong + gaps; }
  void add(const StepTally& other) {
    worlds += other.worlds, motions += other.motions, free += other.free;
    contact += other.contact, undecided += other.undecided, steps += other.steps;
    looks += other.looks, around += other.around, clocks += other.clocks;
    tubes += other.tubes, bases += other.bases, deviations += other.deviations;
    close += other.close, refuted += other.refuted, wrong += other.wrong, gaps += other.gaps;
    least = std::min(least, other.least);
    for (std::size_t i = 0; i < by_method.size(); ++i) by_method[i] += other.by_method[i];
    messages.insert(messages.end(), other.messages.begin(), other.messages.end());
  }
};

/// Tries to refute the steps of one proof.
class StepJudge {
 public:
  StepJudge(const ExactWorld& exact, const CertifyOptions& options, std::mt19937_64& random,
            StepTally& tally)
      : exact_(exact), data_(exact.data()), options_(options), random_(random), tally_(tally) {}

  /// Paths: one, or one for each robot. `looks`: random places of each step, beside its ends.
  void judge(std::span<const Path> paths, const Certificate& found, int looks) {
    paths_ = paths;
    found_ = &found;
    named_.clear();
    std::map<std::array<double, 4>, std::vector<const ProofStep*>> groups;
    for (const ProofStep& step : found.proof) {
      check_words(step);
      if (step.piece && step.other >= 0) {
        named_[{step.body_a, step.other}].emplace_back(step.from, step.to);
      }
      groups[{step.from, step.to, step.from_b, step.to_b}].push_back(&step);
      ++tally_.steps;
      ++tally_.by_method[static_cast<std::size_t>(step.method)];
      tally_.around += step.piece && step.other < 0 && speaks_of_others();
    }
    std::vector<Closest> closest;
    for (const auto& [at, steps] : groups) {
      std::vector<Closest> here;
      for (const ProofStep* step : steps) here.push_back({step});
      for (int k = 0; k < looks + 3; ++k) {
        const double share[2] = {share_of(k), share_of(k == 1 || k > 2 ? k + 1 : k)};
        const Poses poses =
            poses_at(at[0] + share[0] * (at[1] - at[0]), at[2] + share[1] * (at[3] - at[2]), k > 0);
        for (Closest& of : here) {
          const double above = look(*of.step, poses);
          if (above < of.above) of.above = above, of.place = poses.place, of.other = poses.other;
        }
      }
      for (const Closest& of : here) closest.push_back(of);
    }
    std::sort(closest.begin(), closest.end(),
              [](const Closest& x, const Closest& y) { return x.above < y.above; });
    for (std::size_t k = 0; k < closest.size() && k < kDescents; ++k) descend(closest[k]);
    for (const Closest& of : closest) {
      tally_.close += of.above < 1e-3;
      tally_.least = std::min(tally_.least, of.above);
    }
  }

  /// Looks for a pair and a part of the path that no step covers though it is called free.
  void judge_cover(const Certificate& found) {
    if (found.verdict == Verdict::contact && options_.ask == Ask::verdict) return;
    if (found.verdict != Verdict::free && paths_.size() > 1) return;
    std::map<std::pair<int, int>, Steps> of_pair;
    std::map<int, Steps> around;
    for (const ProofStep& step : found.proof) {
      if (!step.piece) of_pair[std::minmax(step.body_a, step.other)].push_back(&step);
      if (step.piece && step.other < 0) around[step.body_a].push_back(&step);
    }
    for (const BodyPair& pair : data_.body_pairs) {
      const int robot_a = exact_.robot_of_body(pair.a), robot_b = exact_.robot_of_body(pair.b);
      const Steps& steps = of_pair[std::minmax(pair.a, pair.b)];
      if (paths_.size() > 1 && robot_a != robot_b) {
        cover_clocks(pair, steps, found);
      } else {
        cover(pair.a, data_.bodies[pair.b].solid, intervals_of(steps), found);
      }
    }
    if (data_.environment.empty()) return;
    for (std::size_t b = 0; b < data_.bodies.size(); ++b) {
      const auto body = static_cast<int>(b);
      if (!data_.moves(data_.bodies[b].solid)) continue;
      const Intervals whole = intervals_of(around[body]);
      for (int p = 0; p < static_cast<int>(exact_.piece_count()); ++p) {
        const int solid = data_.environment.solid_of(static_cast<std::uint32_t>(p));
        if (data_.rules.may_touch(data_.bodies[b].solid, solid)) continue;
        // The steps about this piece, and those about all others where it has none of its own.
        Intervals covered = named_[{body, p}];
        for (const auto& part : whole) {
          if (!is_named(body, p, part)) covered.push_back(part);
        }
        cover(body, solid, std::move(covered), found);
      }
    }
  }

 private:
  using Interval2 = std::pair<double, double>;
  using Intervals = std::vector<Interval2>;
  using Steps = std::vector<const ProofStep*>;
  static constexpr std::size_t kDescents = 12;

  struct Closest {
    const ProofStep* step = nullptr;
    double above = std::numeric_limits<double>::infinity();
    double place = 0, other = 0;
  };
  /// Where everything is; of robots on clocks of their own, each has its own poses.
  struct Poses {
    double place = 0, other = 0;
    std::vector<QPose> first, second;
  };

  double share_of(int k) {
    return k == 0 ? 0.0 : k == 1 ? 1.0 : k == 2 ? 0.5 : uniform(random_, 0, 1);
  }

  void blame(std::size_t& counter, const ProofStep* step, const std::string& what) {
    ++counter;
    if (tally_.messages.size() >= 5) return;
    std::string text = exact_.world().name() + ": ";
    if (step != nullptr) {
      text += std::string(to_string(step->method)) + ", body " + std::to_string(step->body_a) +
              (step->piece ? " and piece " : " and body ") + std::to_string(step->other) +
              ", places " + std::to_string(step->from) + " to " + std::to_string(step->to) +
              ", bound " + std::to_string(step->bound) + ": ";
    }
    tally_.messages.push_back(text + what);
  }

  /// What a step says of itself.
  void check_words(const ProofStep& step) {
    const auto bodies = static_cast<int>(data_.bodies.size());
    const auto pieces = static_cast<int>(exact_.piece_count());
    if (!(step.body_a >= 0 && step.body_a < bodies && step.other >= (step.piece ? -1 : 0) &&
          step.other < (step.piece ? pieces : bodies))) {
      return blame(tally_.wrong, &step, "names what is not there");
    }
    if (!(step.from <= step.to && step.from_b <= step.to_b)) {
      blame(tally_.wrong, &step, "ends before it begins");
    }
    // What is not listed is farther than the bound.
    const bool around = step.piece && step.other < 0;
    if (!(around ? step.bound >= step.margin : step.bound > step.margin)) {
      blame(tally_.wrong, &step, "proves less than its margin");
    }
    double margin = options_.margin;
    const int a = data_.bodies[step.body_a].solid;
    const auto of_solids = [&](int b) {
      for (const PairInfo& pair : exact_.world().pairs()) {
        if (std::minmax(pair.a, pair.b) == std::minmax(a, b))
          margin = std::max(margin, pair.margin);
      }
    };
    if (!step.piece) {
      of_solids(data_.bodies[step.other].solid);
    } else if (step.other >= 0) {
      of_solids(data_.environment.solid_of(static_cast<std::uint32_t>(step.other)));
    } else {
      for (const PlacedObject& object : data_.environment.objects) of_solids(object.solid);
    }
    if (!(step.margin >= margin)) {
      blame(tally_.wrong, &step, "asks for less than the margin " + std::to_string(margin));
    }
  }

  const PathData& path_of(int robot) const {
    const bool own = paths_.size() > 1 && robot >= 0;
    return paths_[own ? static_cast<std::size_t>(robot) : 0].data();
  }
  static bool on_clocks(const ProofStep& step) { return step.to_b > step.from_b; }

  std::vector<QPose> frames_at(const PathData& path, double place, bool in_tube) {
    std::vector<Quad> q = exact_position(path, place);
    if (in_tube && !path.tube.empty()) {
      const std::vector<Quad> width = exact_tube(path, place);
      const bool corner = random_() % 4 != 0;
      for (std::size_t k = 0; k < q.size(); ++k) {
        const double at = uniform(random_, -1, 1);
        q[k] += width[k] * (corner ? (at < 0 ? -1 : 1) : at);
      }
    }
    return exact_.frames(q);
  }

  /// Of all robots at one place; on clocks of their own each robot's frames come from its path.
  Poses poses_at(double place, double other, bool in_tube) {
    Poses poses{place, other, {}, {}};
    if (paths_.size() == 1) {
      poses.first = frames_at(paths_[0].data(), place, in_tube);
      return poses;
    }
    by_robot_.clear();
    in_tube_ = in_tube;
    return poses;
  }

  /// The frames of a robot at a place of its own path.
  const std::vector<QPose>& own_frames(int robot, double place) {
    const auto [found, fresh] = by_robot_.try_emplace({robot, place});
    if (fresh) found->second = frames_at(path_of(robot), place, in_tube_);
    return found->second;
  }

  /// How far above its bound a pair of a step is seen; blames the step where it is below.
  double look(const ProofStep& step, const Poses& poses) {
    const int robot_a = exact_.robot_of_body(step.body_a);
    const std::vector<QPose>& frames_a =
        paths_.size() == 1 ? poses.first : own_frames(robot_a, poses.place);
    const QPose& X = exact_.frame_of(frames_a, step.body_a);
    if (!step.piece) {
      const int robot_b = exact_.robot_of_body(step.other);
      const double place_b = on_clocks(step) ? poses.other : poses.place;
      const std::vector<QPose>& frames_b =
          paths_.size() == 1 ? poses.first : own_frames(robot_b, place_b);
      return look_at(step, X, exact_.frame_of(frames_b, step.other), step.other, false, poses);
    }
    if (step.other >= 0) {
      return look_at(step, X, exact_.place_of_piece(step.other), step.other, true, poses);
    }
    double least = std::numeric_limits<double>::infinity();
    for (const int p : others_of(step)) {
      least = std::min(least, look_at(step, X, exact_.place_of_piece(p), p, true, poses));
    }
    return least;
  }

  /// Steps without a piece speak of all pieces that are neither named nor open: what is open is
  /// listed unless the search ended early.
  bool speaks_of_others() const {
    return found_->verdict == Verdict::free || options_.ask == Ask::all_intervals ||
           (found_->verdict == Verdict::undecided && options_.ask != Ask::verdict);
  }
  bool is_open(int a, int b) const {
    return found_->verdict != Verdict::free &&
           std::any_of(found_->intervals.begin(), found_->intervals.end(),
                       [&](const MotionInterval& part) {
                         return part.status != Verdict::free &&
                                (part.a < 0 || std::minmax(part.a, part.b) == std::minmax(a, b));
                       });
  }
  /// The pieces that a step without a piece speaks of.
  const std::vector<int>& others_of(const ProofStep& step) {
    const auto [found, fresh] = others_.try_emplace(&step);
    if (!speaks_of_others()) return found->second;
    for (int p = 0; fresh && p < static_cast<int>(exact_.piece_count()); ++p) {
      const int solid = data_.environment.solid_of(static_cast<std::uint32_t>(p));
      if (data_.rules.may_touch(data_.bodies[step.body_a].solid, solid)) continue;
      if (is_open(data_.bodies[step.body_a].solid, solid)) continue;
      if (!is_named(step.body_a, p, {step.from, step.to})) found->second.push_back(p);
    }
    return found->second;
  }

  double look_at(const ProofStep& step, const QPose& X, const QPose& Y, int other, bool piece,
                 const Poses& poses) {
    const ExactShape& a = exact_.body(step.body_a);
    const ExactShape& b = piece ? exact_.piece(other) : exact_.body(other);
    oracle::ActiveSet* const memory = &memory_[{step.body_a, other, piece}];
    const ExactWorld::Apart apart = ExactWorld::look(a, X, b, Y, step.bound, memory);
    see(step, poses, apart);
    const double above = apart.about - step.bound;
    // What bases and links can be off by counts only where that is near.
    if (apart.under || !is_loose() || above > 3 * most_off(a, X)) return above;
    return std::min(above, look_off(step, X, Y, other, piece, apart.n, poses));
  }

  bool is_loose() const { return !options_.base.empty() || options_.deviation > 0; }
  double most_off(const ExactShape& a, const QPose& X) const {
    double most = 4 * options_.deviation;
    for (const BaseUncertainty& base : options_.base) {
      most += 2 * (base.position + base.rotation * (3 + a.ball + norm(oracle::narrow(X.p))));
    }
    return most;
  }

  /// With bases that are off straight towards each other, and bodies too.
  double look_off(const ProofStep& step, const QPose& X, const QPose& Y, int other, bool piece,
                  Vec3 n, const Poses& poses) {
    const int robot_a = exact_.robot_of_body(step.body_a);
    const int robot_b = piece ? -1 : exact_.robot_of_body(other);
    const auto moved = [&](const QPose& Z, int robot, const ExactShape& shape, Vec3 way) {
      QPose out = Z;
      if (robot < 0 || robot_a == robot_b) return out;
      for (const BaseUncertainty& base : options_.base) {
        if (base.robot >= 0 && base.robot != robot) continue;
        const Vec3 at = oracle::narrow(Z * oracle::widen<Quad>(shape.centre)) + shape.ball * way;
        Vec3 axis = cross(at - base_of(robot), way);
        const double size = norm(axis);
        axis = size > 1e-9 ? (base.rotation * (1 - 1e-15) / size) * axis : Vec3{};
        out = exact_.off_base(out, robot, (base.position * (1 - 1e-15)) * way, axis);
        break;  // several entries of one robot: the largest counts; one is enough to try
      }
      return out;
    };
    const ExactShape& a = exact_.body(step.body_a);
    const ExactShape& b = piece ? exact_.piece(other) : exact_.body(other);
    QPose X_off = moved(X, robot_a, a, n), Y_off = piece ? Y : moved(Y, robot_b, b, -n);
    ExactWorld::Apart apart;
    if (options_.deviation > 0) {
      const double by = options_.deviation * (1 - 1e-12);
      const bool moves_a = data_.moves(data_.bodies[step.body_a].solid);
      const bool moves_b = !piece && data_.moves(data_.bodies[other].solid);
      const ExactShape far_a = moves_a ? exact_.displaced_body(step.body_a, X_off, n, by) : a;
      const ExactShape far_b = moves_b ? exact_.displaced_body(other, Y_off, -n, by) : b;
      // Points of displaced bodies are rounded.
      apart = ExactWorld::look(far_a, moves_a ? QPose{} : X_off, far_b, moves_b ? QPose{} : Y_off,
                               Quad(step.bound) - Quad(1e-12));
    } else {
      apart = ExactWorld::look(a, X_off, b, Y_off, step.bound);
    }
    see(step, poses, apart);
    return apart.about - step.bound;
  }

  Vec3 base_of(int robot) const { return data_.robots[static_cast<std::size_t>(robot)].base; }

  void see(const ProofStep& step, const Poses& poses, const ExactWorld::Apart& apart) {
    ++tally_.looks;
    if (!apart.under || !refuted_.insert(&step).second) return;
    blame(tally_.refuted, &step,
          "at place " + std::to_string(poses.place) + " only " + std::to_string(apart.about) +
              " apart, " + std::to_string(step.bound - apart.about) + " below the bound");
  }

  /// Golden section about the place where a step is nearest to its bound, in a tube from the same
  /// random corner.
  void descend(const Closest& of) {
    constexpr double kGolden = 0.6180339887498949;
    const ProofStep& step = *of.step;
    for (const int side : {0, 1}) {
      if (side == 1 && !on_clocks(step)) break;
      const double from = side == 0 ? step.from : step.from_b, to = side == 0 ? step.to : step.to_b;
      const double start = side == 0 ? of.place : of.other;
      double low = std::max(from, start - 0.25 * (to - from));
      double high = std::min(to, start + 0.25 * (to - from));
      const std::uint64_t seed = random_();
      const auto at = [&](double place) {
        random_.seed(seed);
        const Poses poses =
            side == 0 ? poses_at(place, of.other, true) : poses_at(of.place, place, true);
        return look(step, poses);
      };
      for (int k = 0; k < 16; ++k) {
        const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
        const bool left = at(a) < at(b);
        (left ? high : low) = left ? b : a;
      }
    }
    // Corners of the tube where it is nearest.
    const int corners = paths_[0].data().tube.empty() ? 0 : 24;
    for (int k = 0; k < corners; ++k) look(step, poses_at(of.place, of.other, true));
  }

  bool is_named(int body, int piece, const Interval2& part) const {
    const auto found = named_.find({body, piece});
    if (found == named_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const Interval2& i) {
      return i.first >= part.first && i.second <= part.second;
    });
  }

  static Intervals intervals_of(const Steps& steps) {
    Intervals all;
    for (const ProofStep* step : steps) all.emplace_back(step->from, step->to);
    return all;
  }

  /// Whether a time on a path is one that the answer calls free for two solids.
  bool is_called_free(const PathData& path, double place, int a, int b,
                      const Certificate& found) const {
    const double time = time_of_place(path, place);
    const double slack = 1e-9 * (1 + std::abs(time));
    if (found.verdict == Verdict::contact && options_.ask != Ask::all_intervals &&
        time >= found.first_contact - slack) {
      return false;
    }
    return std::none_of(
        found.intervals.begin(), found.intervals.end(), [&](const MotionInterval& part) {
          const bool same = part.a < 0 || std::minmax(part.a, part.b) == std::minmax(a, b);
          return part.status != Verdict::free && same && time >= part.from - slack &&
                 time <= part.to + slack;
        });
  }

  void cover(int body, int other_solid, Intervals parts, const Certificate& found) {
    const int solid = data_.bodies[body].solid;
    const PathData& path = path_of(data_.solids[solid].robot);
    std::sort(parts.begin(), parts.end());
    double reached = 0;
    bool begun = false;
    const auto gap = [&](double from, double to) {
      for (const double place : {from, 0.5 * (from + to), to}) {
        if (!is_called_free(path, place, solid, other_solid, found)) continue;
        blame(tally_.gaps, nullptr,
              "no step covers body " + std::to_string(body) + " and solid " +
                  std::to_string(other_solid) + " from place " + std::to_string(from) + " to " +
                  std::to_string(to));
        return;
      }
    };
    for (const Interval2& part : parts) {
      if (begun ? part.first > reached : part.first > 0) gap(reached, part.first);
      begun = true;
      reached = std::max(reached, part.second);
    }
    if (!begun || reached < path.last_place()) gap(reached, path.last_place());
  }

  /// Of robots on clocks of their own: random pairs of places, and those a hair beside the border
  /// of a step.
  void cover_clocks(const BodyPair& pair, const Steps& steps, const Certificate& found) {
    if (found.verdict != Verdict::free) return;
    const int robot[2] = {std::min(exact_.robot_of_body(pair.a), exact_.robot_of_body(pair.b)),
                          std::max(exact_.robot_of_body(pair.a), exact_.robot_of_body(pair.b))};
    const PathData* path[2] = {&path_of(robot[0]), &path_of(robot[1])};
    const auto try_at = [&](double x, double y) {
      x = std::clamp(x, 0.0, path[0]->last_place()), y = std::clamp(y, 0.0, path[1]->last_place());
      const double apart = std::abs(time_of_place(*path[0], x) - time_of_place(*path[1], y));
      // A clock that shows an end may be anywhere beyond.
      const bool ends =
          x == 0 || y == 0 || x == path[0]->last_place() || y == path[1]->last_place();
      if (!ends && apart > offset) return;
      if (ends && std::isfinite(offset)) return;
      for (const ProofStep* step : steps) {
        if (x >= step->from && x <= step->to && y >= step->from_b && y <= step->to_b) return;
      }
      blame(tally_.gaps, nullptr,
            "no step covers bodies " + std::to_string(pair.a) + " and " + std::to_string(pair.b) +
                " at places " + std::to_string(x) + " and " + std::to_string(y));
    };
    for (int k = 0; k < 50; ++k) {
      try_at(uniform(random_, 0, path[0]->last_place()),
             uniform(random_, 0, path[1]->last_place()));
    }
    for (std::size_t k = 0; k < steps.size() && k < 100; ++k) {
      const ProofStep& step = *steps[k];
      const double x = uniform(random_, step.from, step.to);
      const double y = uniform(random_, step.from_b, step.to_b);
      try_at(std::nextafter(step.to, 1e9), y), try_at(std::nextafter(step.from, -1), y);
      try_at(x, std::nextafter(step.to_b, 1e9)), try_at(x, std::nextafter(step.from_b, -1));
    }
  }

 public:
  double offset = 0;  ///< of clocks, seconds

 private:
  const ExactWorld& exact_;
  const WorldData& data_;
  const CertifyOptions& options_;
  std::mt19937_64& random_;
  StepTally& tally_;
  std::span<const Path> paths_;
  const Certificate* found_ = nullptr;
  std::map<std::pair<int, int>, Intervals> named_;  ///< by body and piece
  std::map<std::pair<int, double>, std::vector<QPose>> by_robot_;
  bool in_tube_ = false;
  std::map<std::tuple<int, int, bool>, oracle::ActiveSet> memory_;
  std::set<const ProofStep*> refuted_;
  std::map<const ProofStep*, std::vector<int>> others_;
};

}  // namespace keepclear::test
