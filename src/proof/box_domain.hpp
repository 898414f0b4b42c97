// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proof/proof_tree.hpp"

namespace keepclear {

/// Every configuration in a box.
class BoxDomain : public ProofDomain {
 public:
  BoxDomain(const World& world, std::span<const Interval> box);
  ProofCell whole() const override;
  void lines(const ProofCell& cell, std::span<const char> matters,
             std::span<NumberLine> out) const override;
  bool split(const ProofCell& cell, std::span<const char> matters, std::span<const double> gain,
             CellSplit& out) const override;

  /// The line of a number that is anywhere in a range; of one that does not matter, where it rests.
  static NumberLine line_of(Interval range, double rest, bool matters);
  /// Halves the one of these ranges by which most is gained.
  static bool split_number(const ProofCell& cell, std::span<const Interval> ranges,
                           std::span<const char> matters, std::span<const double> gain,
                           CellSplit& out);

 private:
  JointBox box_;
  std::vector<double> rest_;
};

}  // namespace keepclear
