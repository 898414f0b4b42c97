// SPDX-License-Identifier: BSD-3-Clause
// docs/certificate.md §4: trees of cells, in which every pair that is claimed is settled
// everywhere.
#pragma once
#include <set>

#include "rules.hpp"

namespace verify {

class Proof {
 public:
  Proof(Reader& in, World& world, const Claim& claim)
      : in_(in), world_(world), claim_(claim), rules_(world, claim) {
    const std::size_t n = world.solids.size();
    for (std::size_t a = 0; a < n; ++a) {
      if (world.solid_still(a)) continue;
      Work::spend(n);
      for (std::size_t b = 0; b < n; ++b)
        if ((b > a || world.solid_still(b)) && is_claimed(a, b))
          claimed_.push_back(std::minmax(a, b));
    }
  }
  const std::vector<Pair>& claimed() const { return claimed_; }  // pairs of solids
  std::size_t records() const { return records_; }

  void read_trees() {
    std::pair<std::size_t, std::int64_t> last{0, -2}, here;
    while (in_.at("tree")) {
      in_.take("tree");
      root_.clear();
      matters_.assign(world_.numbers.size(), false);
      base_ = 0;
      if (last.second == -2 && in_.skip("all")) {
        in_.demand(claim_.kind == "path", "'tree all' is for path");
        for (const auto& [a, b] : claimed_) cover(a, b);
        matters_.flip();
        return read_tree();
      }
      const std::size_t n = world_.solids.size(), a = in_.index(n), x = world_.solids[a].link;
      std::size_t y = 0;
      if (in_.skip("still")) {
        here = {a, -1};
        for (std::size_t b = 0; b < n && !world_.solid_still(a); ++b)
          if (world_.solid_still(b) && is_claimed(a, b)) cover(a, b);
        in_.demand(!root_.empty(), "a tree without pairs");
      } else {
        const std::size_t b = in_.index(n);
        here = {a, static_cast<std::int64_t>(b)};
        in_.demand(a < b && is_claimed(a, b),
                   "a pair that is not claimed, or not the lower index first");
        cover(a, b);
        y = world_.solids[b].link;
      }
      in_.demand(last < here, "trees out of order");
      last = here;
      const std::size_t c = world_.common(x, y);
      if (!world_.still(x) && !world_.still(y)) base_ = world_.links[c].group;
      for (std::size_t end : {x, y})
        for (; end != c; end = world_.links[end].parent)
          for (std::size_t k = 0; k < kNumbers[world_.links[end].kind]; ++k)
            matters_[world_.links[end].number + k] = true;
      read_tree();
    }
  }
  /// Is every claimed pair in a tree?
  void finish() const {
    for (const auto& [a, b] : claimed_)
      if (!covered_.contains({a, b}))
        in_.fail("no tree has the solids " + std::to_string(a) + " and " + std::to_string(b));
  }

 private:
  using Pairs = std::vector<std::uint32_t>;  // of bodies: indices in root_

  bool is_claimed(std::size_t a, std::size_t b) const {
    const Pair ab = std::minmax(a, b);
    if (claim_.kind == "never")
      return std::binary_search(claim_.only.begin(), claim_.only.end(), ab);
    return world_.meet(a, b) && !world_.skips.contains(ab);
  }

  /// Adds the pairs of bodies of two solids to the tree; the one that moves comes first.
  void cover(std::size_t a, std::size_t b) {
    const Pair ab = std::minmax(a, b);
    in_.demand(covered_.insert(ab).second, "a pair that another tree has");
    const bool turn = world_.solid_still(ab.first);
    const Solid& x = world_.solids[turn ? ab.second : ab.first];
    const Solid& y = world_.solids[turn ? ab.first : ab.second];
    body_pairs_ += (x.last - x.first) * (y.last - y.first);
    if (body_pairs_ > 50'000'000) throw CannotTell{"more than 50 million pairs of bodies"};
    for (std::size_t i = x.first; i < x.last; ++i)
      for (std::size_t j = y.first; j < y.last; ++j) root_.emplace_back(i, j);
  }

  void read_tree() {
    std::sort(root_.begin(), root_.end());
    cell_ = claim_.root(world_);
    Pairs open(root_.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = static_cast<std::uint32_t>(i);
    read_node(open, 1);
  }

  void read_node(const Pairs& before, std::size_t level) {
    entered_ = false;
    Work::spend(before.size());
    if (claim_.kind == "clocks" && in_.at("later")) return take_later();
    const bool records = in_.at("clear") || in_.at("apart");
    Pairs left, settled;
    if (records) left = before;
    if ((held_ += left.capacity()) > 400'000'000)
      throw CannotTell{"too many pairs of bodies, too deep"};
    for (std::size_t least = 0; in_.at("clear");) least = take_clear(left, least) + 1;
    while (in_.at("apart")) take_apart(settled);
    std::erase_if(left, [&](std::uint32_t i) {
      return std::binary_search(settled.begin(), settled.end(), i);
    });
    const Pairs& open = records ? left : before;
    if (in_.at("done")) {
      in_.take("done");
      in_.demand(open.empty(), "a pair of bodies is left open");
    } else {
      read_children(open, level);
    }
    held_ -= left.capacity();
  }

  void read_children(const Pairs& open, std::size_t level) {
    in_.take("cell");
    in_.demand(level < 200, "more than 200 levels");
    const std::string_view word = in_.word();
    std::size_t k = 0;
    in_.demand(find_coordinate(word, k), "no coordinate of this tree");
    const Range whole = cell_[k];
    const double lo = end_of(in_, k), middle = end_of(in_, k);
    in_.demand(lo == whole.lo, "it does not begin where the cell around it does");
    in_.demand((lo < middle || (is_cycles(k) && lo == middle)) && middle < whole.hi,
               "it is not a part");
    cell_[k] = {lo, middle};
    read_node(open, level + 1);
    in_.take("cell");
    in_.demand(in_.word() == word, "another coordinate than that of the first half");
    const double from = end_of(in_, k), to = end_of(in_, k);
    in_.demand(from == (is_cycles(k) ? middle + 1 : middle),
               "it does not begin where the first half ends");
    in_.demand(to == whole.hi, "it does not end where the cell around it does");
    cell_[k] = {from, to};
    read_node(open, level + 1);
    cell_[k] = whole;
  }
  bool is_cycles(std::size_t k) const {
    return claim_.kind == "guard" && k == world_.numbers.size();
  }
  double end_of(Reader& in, std::size_t k) const {
    return is_cycles(k) ? static_cast<double>(in.index(claim_.cycles.size())) : in.number(true);
  }
  /// A word like q3, s0, c, t; k is its index in the cell.
  bool find_coordinate(std::string_view word, std::size_t& k) const {
    const std::size_t n = world_.numbers.size();
    if (claim_.kind == "guard" && (word == "c" || word == "t"))
      return k = word == "c" ? n : n + 1, true;
    const bool paths = !claim_.paths.empty();
    std::from_chars(word.data() + 1, word.data() + word.size(), k);
    if (word != (paths ? "s" : "q") + std::to_string(k) || k >= (paths ? claim_.paths.size() : n))
      return false;
    const std::size_t first = paths ? claim_.paths[k].first : k,
                      count = paths ? claim_.paths[k].count : 1;
    const auto begin = matters_.begin() + static_cast<std::ptrdiff_t>(first);
    return std::find(begin, begin + static_cast<std::ptrdiff_t>(count), true) !=
           begin + static_cast<std::ptrdiff_t>(count);
  }

  /// The lines and poses of a cell are made when a record asks for them.
  void enter() {
    ++records_;
    if (entered_) return;
    entered_ = true;
    meant_ = claim_.lines(world_, cell_, matters_, lines_);
    rules_.enter(base_, lines_);
  }

  void take_later() {
    in_.take("later");
    ++records_;
    bool holds = false;
    std::size_t p = 0, q = 0;
    for (std::size_t i = 0; i < claim_.paths.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        holds |= find_coordinate("s" + std::to_string(i), p) &&
                 find_coordinate("s" + std::to_string(j), q) && claim_.later(cell_, p, q);
    in_.demand(holds, "no two times are farther apart than the offset");
  }

  /// Which pairs it settles depends on the last digit of the one who evaluates it. So the writer
  /// may take a pair for open that is clear here, and settle it again.
  std::size_t take_clear(Pairs& left, std::size_t least) {
    in_.take("clear");
    const std::size_t a = in_.index(world_.bodies.size());
    in_.demand(a >= least && !world_.body_still(a), "out of order, or a body that stands still");
    enter();
    const Rules::Box box = meant_ ? rules_.box(a) : Rules::Box{};
    auto settles = [&](std::uint32_t i) {
      const std::size_t b = root_[i].second;
      return world_.body_still(b) && (meant_ ? rules_.clear(a, box, b) : !world_.bodies[b].plane);
    };
    auto below = [&](std::uint32_t i, std::size_t body) { return root_[i].first < body; };
    const auto begin = std::lower_bound(left.begin(), left.end(), a, below);
    const auto end = std::lower_bound(begin, left.end(), a + 1, below);
    Work::spend(left.size());
    left.erase(std::remove_if(begin, end, settles), end);
    return a;
  }

  void take_apart(Pairs& settled) {
    in_.take("apart");
    const Pair ab{in_.index(world_.bodies.size()), in_.index(world_.bodies.size())};
    std::array<double, 3> n;
    for (double& x : n) x = static_cast<double>(in_.whole(1 << 30));
    const double bound = in_.number();
    in_.demand(settled.empty() || root_[settled.back()] < ab, "out of order");
    const auto found = std::lower_bound(root_.begin(), root_.end(), ab);
    in_.demand(found != root_.end() && *found == ab, "a pair that the tree does not have");
    const auto i = static_cast<std::uint32_t>(found - root_.begin());
    const Body &a = world_.bodies[ab.first], &b = world_.bodies[ab.second];
    in_.demand(b.plane == (n == std::array<double, 3>{}),
               "0 0 0 is the direction of planes, and only of them");
    in_.demand(bound > world_.margin_of(a.solid, b.solid), "the bound is not above the margin");
    in_.demand(bound >= claim_.clearance, "the bound is below the clearance");
    enter();
    in_.demand(!meant_ || rules_.apart(ab.first, ab.second, {n[0], n[1], n[2]}, bound),
               "cannot confirm the bound");
    settled.push_back(i);
  }

  Reader& in_;
  const World& world_;
  const Claim& claim_;
  Rules rules_;
  std::vector<Pair> claimed_;
  std::set<Pair> covered_;
  std::size_t records_ = 0, body_pairs_ = 0, held_ = 0;
  // Of one tree:
  std::vector<Pair> root_;  // its pairs of bodies, ascending
  std::size_t base_ = 0;
  std::vector<bool> matters_;  // the numbers that drive a joint between the two
  std::vector<Range> cell_;
  std::vector<Line> lines_;
  bool entered_ = false, meant_ = true;
};

}  // namespace verify
