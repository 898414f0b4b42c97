// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of cells (docs/certificate.md, section 4): what is meant is divided until every pair of
// bodies is settled in every cell, and written down on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/box.hpp"
#include "proof/prover.hpp"

namespace keepclear {

/// A part of what is meant. Which of these count depends on the claim.
struct ProofCell {
  std::vector<Interval> places;  ///< on each path
  std::vector<Interval> ranges;  ///< of each number
  std::size_t first_cycle = 0, last_cycle = 0;
  Interval time{0, std::numeric_limits<double>::infinity()};
};

/// How a cell is divided: the lines that both halves begin with, and the halves.
struct CellSplit {
  std::string coordinate;
  std::string first_range, second_range;
  ProofCell first, second;
};

/// What is meant by a claim.
class ProofDomain {
 public:
  virtual ~ProofDomain() = default;
  virtual ProofCell whole() const = 0;
  /// The lines of all numbers in a cell; those that do not matter to the tree may be anything.
  virtual void lines(const ProofCell& cell, std::span<const char> matters,
                     std::span<NumberLine> out) const = 0;
  /// Nothing in the cell is meant, by times.
  virtual bool later(const ProofCell&, std::span<const char>) const { return false; }
  /// Divides a cell. `gain` says what is gained by dividing a number. False if it cannot be.
  virtual bool split(const ProofCell& cell, std::span<const char> matters,
                     std::span<const double> gain, CellSplit& out) const = 0;
};

/// Pairs that are open in a cell.
struct OpenPairs {
  struct Around {
    int body = 0;
    bool all = false;                     ///< every piece that the body may not touch
    std::vector<std::uint32_t> pieces{};  ///< unless all
  };
  std::vector<std::pair<int, int>> links{};  ///< bodies of the world: the one that moves first
  std::vector<Around> around{};

  bool empty() const noexcept { return links.empty() && around.empty(); }
};

class ProofTree {
 public:
  ProofTree(const CertificateWorld& world, Prover& prover, const ProofDomain& domain,
            double clearance, std::size_t budget);

  /// The pairs of bodies of two links; all those of a solid with what stands still.
  OpenPairs of_links(int solid_a, int solid_b) const;
  OpenPairs of_still(int solid) const;
  OpenPairs of_all() const;
  static void join(OpenPairs& into, const OpenPairs& more);

  /// Writes the nodes of a tree. False, and why() tells, if something is left open.
  bool prove(const OpenPairs& open, CertificateText& text);
  const std::string& why() const noexcept { return why_; }
  std::size_t cells() const noexcept { return cells_; }
  std::size_t records() const noexcept { return records_; }

 private:
  struct Record {
    int a = 0, b = 0;
    Direction n{};
    double bound = 0;
  };
  bool node(const ProofCell& cell, const OpenPairs& open, int depth, CertificateText& text);
  void settle_links(const OpenPairs& open, OpenPairs& left);
  void settle_around(const OpenPairs::Around& around, OpenPairs& left, CertificateText& text);
  bool settle(const Prover::Found& found, double margin, int a, int b);
  double margin_of(int body_a, int body_b) const;
  bool fail(const std::string& what, const OpenPairs& open);

  const CertificateWorld& world_;
  const WorldData& data_;
  Prover& prover_;
  const ProofDomain& domain_;
  double clearance_;
  std::size_t budget_, tests_ = 0, cells_ = 0, records_ = 0;
  std::vector<char> matters_;
  std::vector<NumberLine> lines_;
  std::vector<double> gain_;
  std::vector<Record> found_;
  std::string why_;
};

/// Halves one range of a cell, that which `range_of` finds in it. False if it cannot be.
bool halve(const ProofCell& cell, const std::function<Interval&(ProofCell&)>& range_of,
           double middle, std::string coordinate, CellSplit& out);

}  // namespace keepclear
