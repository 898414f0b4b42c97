// SPDX-License-Identifier: BSD-3-Clause
//
// Two robots, each on its own path and clock: every time of one against every time of the other, or
// against those that differ by no more than an offset. A part is a part of each path; the longer
// way is divided.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "certify/motion_bounds.hpp"
#include "certify/motion_search.hpp"
#include "rounding/infinity.hpp"

namespace keepclear {

class ClockSearch {
 public:
  /// `data` and `options` must outlive this.
  ClockSearch(const WorldData& data, const CertifyOptions& options);

  /// The pairs of robot r on one path and robot s on another.
  void run(const PathData& path_r, int r, const PathData& path_s, int s, double offset);

  /// Places of the first path; those of a contact, of both.
  const std::vector<OpenStretch>& open() const noexcept { return open_; }
  bool has_contact() const noexcept { return contact_; }
  double contact_place(int side) const noexcept { return contact_at_[side]; }
  double clearance() const noexcept { return clearance_; }
  /// The least distance that was found, at places of both.
  double distance() const noexcept { return distance_; }
  double near_place(int side) const noexcept { return near_at_[side]; }
  int near_a() const noexcept { return near_a_; }
  int near_b() const noexcept { return near_b_; }
  std::size_t tests() const noexcept { return tests_; }
  std::size_t parts() const noexcept { return parts_; }
  int depth() const noexcept { return depth_; }
  std::vector<ProofStep>& proof() noexcept { return proof_; }

 private:
  /// Two bodies, A of robot r and B of robot s.
  struct Item {
    int a = 0, b = 0;
    int pair = 0;  ///< index into WorldData::link_pairs
    Vec3 n;
    double lower = -kInfinity;
  };
  struct Part {
    double from[2] = {0, 0}, to[2] = {0, 0};
    int depth = 0;
    std::vector<Item> items;
  };
  /// A path and the poses on it that were looked at.
  struct Side {
    const PathData* path = nullptr;
    int robot = -1;
    std::map<double, std::unique_ptr<PosedWorld>> poses;
  };

  /// Two places of a part whose times differ by no more than the offset: its middles, or those of
  /// about the same time. False if there are none.
  bool probe_of(const Part& part, double probe[2]) const noexcept;
  /// Null if that is no configuration.
  const PosedWorld* pose_at(int side, double place);
  /// Whether any two times of the places may be as near as the offset asks.
  bool may_meet(const Part& part) const noexcept;
  void process(Part part);
  /// How near anything is at a few places of both.
  void look_ahead(const Part& whole);
  void take_distance(const Item& item, const PairAnswer& answer, const Part& here);
  /// What the base of a robot and a body of it may be off by.
  double loose_hi(int side, int body, const PosedWorld& at) const noexcept;
  double bound(Item& item, const Part& part, const PosedWorld* const first[2],
               const PosedWorld* const last[2], double wanted);
  /// What a test shows of an item, for the proof.
  struct Shown {
    Method method;
    Vec3 n;
    double bound, growth, rounding;
  };
  void prove(const Item& item, const Part& part, const Shown& shown);
  PairAnswer solve(const Item& item, const PosedWorld& at_a, const PosedWorld& at_b, double margin);
  double wanted_of(double margin, double beside) const noexcept {
    return keepclear::wanted_of(options_, margin, distance_, beside);
  }
  void leave_open(const Item& item, const Part& part, bool contact);

  const WorldData& data_;
  const CertifyOptions& options_;
  MotionBounds bounds_[2];
  std::vector<double> deviations_;  ///< of bodies; empty: none
  Side sides_[2];
  double offset_ = kInfinity;
  double times_off_ = 0;  ///< seconds: at least what two computed times are off by together
  std::vector<Part> waiting_;
  EpaWorkspace epa_;

  std::vector<OpenStretch> open_;
  bool contact_ = false;
  double contact_at_[2] = {0, 0}, near_at_[2] = {0, 0};
  double clearance_ = kInfinity, distance_ = kInfinity;
  int near_a_ = -1, near_b_ = -1;
  std::size_t tests_ = 0, parts_ = 0;
  int depth_ = 0;
  std::vector<ProofStep> proof_;
};

}  // namespace keepclear
