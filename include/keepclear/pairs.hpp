// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "keepclear/world.hpp"

namespace keepclear {

/// What two links do to each other over the whole range of the joints between them.
enum class PairClass {
  adjacent,   ///< joined by a joint; not looked at
  always,     ///< proved: their bodies overlap in every configuration
  never,      ///< proved: they are apart in every configuration
  sometimes,  ///< there is a configuration in which they overlap
  undecided,  ///< none of these could be proved to the budget
};
const char* to_string(PairClass kind) noexcept;

struct PairOfLinks {
  int a = -1, b = -1;  ///< indices into World::solids()
  PairClass kind = PairClass::undecided;
  /// Metres, of a pair that never touches: proved to be at least this far apart everywhere.
  double clearance = 0;
  /// sometimes: the configuration of the deepest overlap that was found, where meshes within their
  /// hulls meet soonest. never, undecided: the nearest that was found.
  std::vector<double> witness;
  double distance = 0;        ///< metres, there: minus the depth of an overlap
  std::size_t tests = 0;      ///< proofs tried
  std::vector<int> joints{};  ///< the numbers of a configuration that move one against the other
  /// It is checked but for the SRDF that the world was loaded with, which disables it; and why, as
  /// the SRDF says, or "by default" where it turns off all pairs of a link.
  bool disabled = false;
  std::string reason;
};

struct PairsOptions {
  /// About how many proofs are tried for each pair, at least one.
  std::size_t budget = 200'000;
  /// Configurations tried at random before anything is proved, with a descent from the best.
  std::size_t samples = 2'000;
  unsigned seed = 1;
  int threads = 0;  ///< 0 means one for each core; the result does not depend on it
  /// Called now and then, from one thread at a time, with the number of pairs done and of all.
  std::function<void(std::size_t, std::size_t)> progress{};
};

/// Sorts every pair of links that have bodies, whatever an SRDF or a scene lets touch, in the order
/// of World::solids(). Objects that stand still are left aside.
std::vector<PairOfLinks> classify_pairs(const World& world, const PairsOptions& options = {});

/// An SRDF that disables what need not be checked: adjacent pairs, those proved to be always and
/// those proved never in contact, each with its reason. It is about one robot of the world: it has
/// the pairs of links within that one, by the names of its URDF.
std::string write_srdf(const World& world, const std::vector<PairOfLinks>& pairs, int robot = 0);

}  // namespace keepclear
