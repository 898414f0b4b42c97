// SPDX-License-Identifier: BSD-3-Clause
//
// Whole motions. A part of a path is looked at with everything that is not yet proved apart there:
// each pair of bodies is settled by the first bound that settles it, and what is left is handed on
// to both halves. Proofs are those of the separation check; everything else chooses where to look.
// docs/theory/certify.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "certify/base_uncertainty.hpp"
#include "certify/motion_balls.hpp"
#include "certify/motion_bounds.hpp"
#include "certify/motion_lanes.hpp"
#include "certify/search.hpp"
#include "keepclear/certify.hpp"
#include "motion/path_data.hpp"
#include "rounding/infinity.hpp"
#include "scene/solve.hpp"
#include "sweep/between.hpp"
#include "sweep/swept_body.hpp"

namespace keepclear {

/// Something that is not yet proved on a part of a motion.
struct MotionItem {
  enum class Kind : std::uint8_t {
    links,  ///< `other` is an index into WorldData::body_pairs
    piece,  ///< a body, and a piece of what stands still
    around  ///< a body, and all that stands still: not listed yet
  };
  Kind kind = Kind::links;
  int body = 0, other = 0;
  Vec3 n;  ///< the last direction, in the meeting frame
  /// About how near they come between the ends of the part; a guess.
  double upper = std::numeric_limits<double>::infinity();
  /// The most that is proved of it so far, metres, and how.
  double lower = -std::numeric_limits<double>::infinity();
  double from = 0, to = 0;  ///< where that was
  double growth = 0, rounding = 0;
  Vec3 shown;
  Method method = Method::chord;
};

/// What is to be shown of a pair, metres: the margin, and where a clearance is asked for, that it
/// stays about as far apart as the least distance known, but for what tube, bases and deviations
/// take.
inline double wanted_of(const CertifyOptions& options, double margin, double nearest,
                        double tube_and_loose) noexcept {
  if (options.ask != Ask::clearance) return margin;
  const Closeness closeness{options.accuracy, options.relative_accuracy};
  // Written so that what is not a number leaves the margin.
  return std::max(margin, closeness.goal(nearest) - tube_and_loose);
}

/// Where a part is divided: between pieces as long as there are several, then in the middle of one.
inline double middle_place(double a, double b) {
  const double middle = 0.5 * a + 0.5 * b, border = std::round(middle);
  return border > a && border < b ? border : middle;
}

/// A stretch of places that is not proved free.
struct OpenStretch {
  double from = 0, to = 0;
  int a = -1, b = -1;
  bool contact = false;
  double at = 0;  ///< of a contact
};

class MotionSearch {
 public:
  /// `data` must outlive this.
  MotionSearch(const WorldData& data, const CertifyOptions& options);

  /// Pairs that count: all, or those with what stands still and within one robot.
  void run(const PathData& path, int only_robot = -1);

  Verdict verdict() const noexcept;
  /// Of the last run.
  const std::vector<OpenStretch>& open() const noexcept { return open_; }
  double clearance() const noexcept { return clearance_; }
  std::size_t tests() const noexcept { return tests_; }
  std::size_t parts() const noexcept { return parts_; }
  int depth() const noexcept { return depth_; }
  bool has_contact() const noexcept { return contact_; }
  double contact_place() const noexcept { return contact_at_; }
  /// The least distance that was found, and where.
  struct Near {
    double distance = std::numeric_limits<double>::infinity(), place = 0;
    int a = -1, b = -1;
    std::vector<double> q;
  };
  const Near& nearest() const noexcept { return nearest_; }
  /// A distance that is known from elsewhere, before a run: of `Ask::clearance` nothing is worth
  /// knowing far beyond it.
  void expect(const Near& near) { expected_ = near; }
  std::vector<ProofStep>& proof() noexcept { return proof_; }

 private:
  struct Part {
    double a = 0, b = 0;
    int pose_a = -1, pose_b = -1;
    int depth = 0;
    bool fresh = false;  ///< everything that is checked is open, beside the items
    std::vector<MotionItem> items;
  };
  /// A solid that moves among what stands still.
  struct Mover {
    int solid = -1;
    std::vector<int> bodies;
  };
  /// Everything that a test of an item needs to know of its two sides.
  struct Sides {
    int body_a = 0, body_b = -1;
    int solid_a = -1, solid_b = -1;
    int meet = 0;
    const Convex* a = nullptr;
    const Convex* b = nullptr;
    const HalfSpace* half_space = nullptr;
    const BoundedPose* stands = nullptr;  ///< of a piece
    double margin = 0;
    double base = 0;       ///< what the bases may be off by
    double deviation = 0;  ///< what the bodies may be off by

    double loose() const noexcept { return base + deviation; }
  };

  // Memory that is used again and again.
  int take_pose();
  void drop_pose(int index) noexcept;
  std::vector<MotionItem> take_items();
  /// The pose at a place; -1 if that is no configuration.
  int pose_at(const PathData& path, double place);

  void reset(const PathData& path);
  void push_first_parts();
  /// Goes through everything that is checked; what balls do not show to be far apart is tested.
  void process_all(const Part& part, std::vector<MotionItem>& left);
  /// Lists pieces near a body, or a ball around a solid, in near_. Returns what the others are
  /// beyond.
  double list_few(int body, const Part& part, double growth, double wanted);
  bool is_far_from_all(const Mover& mover, const Part& part);
  void process_around(int body, const Part& part, std::vector<MotionItem>& left);
  bool counts(int solid) const noexcept {
    return only_robot_ < 0 || data_.solids[solid].robot == only_robot_;
  }
  void process(Part& part);
  /// Leaves what is not proved on a part open.
  void give_up(const Part& part, std::span<const MotionItem> items);
  /// Goes on with what is left of a part: looks at its middle, and leaves the rest to its halves.
  void divide(Part& part, std::vector<MotionItem>& left);
  Sides sides_of(const MotionItem& item, const PosedWorld& at) noexcept;
  /// What the base of a body's robot may be off by, where the body is.
  double base_hi(int solid, int body, const PosedWorld& at) const noexcept {
    return base_excursion_hi(data_, options_.base, solid, body, bounds_, at);
  }
  /// What a body, or the ball around a solid, may be off by at most.
  double deviation_hi(int body) const noexcept {
    return deviations_.empty() ? 0.0 : deviations_[static_cast<std::size_t>(body)];
  }
  double wanted_of(double margin, double tube_and_loose) const noexcept {
    return keepclear::wanted_of(options_, margin, nearest_.distance, tube_and_loose);
  }
  /// True once the item is proved as far apart as wanted over the part in hand.
  bool settle(MotionItem& item, const Part& part);
  /// From A to B, in the meeting frame: where a search may well end.
  Vec3 likely_direction(const Sides& sides, const Moment& first, const Moment& last) const noexcept;
  void try_chord(MotionItem& item, const Sides& sides, const Part& part, double wanted);
  void try_sweep(MotionItem& item, const Sides& sides, const Part& part, double wanted);
  /// Whether balls around the middle may well settle what chords do not: the joints can move the
  /// two by far more than their ends and the middle show. A guess.
  bool seems_to_stay(const MotionItem& item, const Sides& sides, const Part& part,
                     const PosedWorld& middle, double enough) const noexcept;
  /// With balls of displacements around the middle.
  void try_ball(MotionItem& item, const Sides& sides, const Part& part, const PosedWorld& middle,
                double wanted);
  /// From the distance in the middle; `contact` if the two are in contact there.
  void try_middle(MotionItem& item, const Sides& sides, const Part& part, const PosedWorld& middle,
                  double wanted, bool& contact);
  PairAnswer solve_at(const MotionItem& item, const Sides& sides, const PosedWorld& at,
                      double stop_above);
  void take(MotionItem& item, double lower, double growth, double rounding, Vec3 n, Method method,
            const Part& part) const noexcept;
  /// Lists what stands near a body, with the octree. False if that is too much to look at.
  bool list_around(int body, const Part& part, double growth, double look);
  void make_stages(const Part& part);
  std::span<const Stage* const> chain_to(int meet, int frame, std::vector<const Stage*>& chain);
  void prove(const MotionItem& item, const Part& part, const Sides& sides);
  void leave_open(const Sides& sides, double from, double to, bool contact, double at);

  const WorldData& data_;
  const CertifyOptions& options_;
  MotionBounds bounds_;
  std::optional<MotionBalls> balls_;  ///< where the method or a deviation asks for them
  std::vector<double> deviations_;    ///< of balls, as in bounds_; empty: none
  bool loose_ = false;                ///< bases or bodies may be off
  const PathData* path_ = nullptr;

  std::deque<PosedWorld> poses_;
  std::vector<int> free_poses_;
  std::vector<std::vector<MotionItem>> free_items_;
  std::vector<Part> waiting_;
  std::vector<double> way_;   ///< of the part in hand: how far each number is from its middle
  std::vector<int> meeting_;  ///< of link pairs
  std::vector<Mover> movers_;
  std::vector<Convex> convex_;         ///< of bodies
  std::vector<Convex> convex_pieces_;  ///< of what stands still, if that is little
  Convex some_piece_;                  ///< otherwise
  std::optional<BoxRows> few_boxes_;   ///< of what stands still, if that is little
  std::vector<int> near_;
  int only_robot_ = -1;
  // For the sweep.
  std::vector<Stage> stages_;
  std::vector<const Stage*> chain_a_, chain_b_;
  std::uint64_t staged_ = 0, balled_ = 0, part_number_ = 0;
  JointBox sweep_box_;

  EpaWorkspace epa_;
  Workbench bench_;

  double clearance_ = kInfinity;
  std::vector<OpenStretch> open_;
  bool contact_ = false;
  double contact_at_ = 0;
  Near nearest_, expected_;
  std::size_t tests_ = 0, parts_ = 0;
  int depth_ = 0;
  std::vector<ProofStep> proof_;
};

}  // namespace keepclear
