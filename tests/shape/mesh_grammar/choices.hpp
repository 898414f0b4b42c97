// SPDX-License-Identifier: BSD-3-Clause
//
// A grammar as code that chooses: the same code writes one file for each series of choices. Either
// every pair of choices is tried, or they are drawn.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace keepclear::test {

/// What a writer asks for each thing that its format lets it do in several ways.
class Choices {
 public:
  /// Choices not named are the first ones.
  explicit Choices(std::map<std::string, int> forced) : forced_(std::move(forced)) {}
  /// All are drawn.
  explicit Choices(std::uint64_t seed) : random_(seed), is_drawn_(true) {}

  /// From 0 to n - 1, the same for the same name.
  int choose(const std::string& name, int n) {
    const auto made = made_.find(name);
    if (made != made_.end()) return made->second.first;
    int value = 0;
    if (is_drawn_) {
      value = static_cast<int>(random_() % static_cast<std::uint64_t>(n));
    } else if (const auto found = forced_.find(name); found != forced_.end()) {
      value = found->second % n;
    }
    made_[name] = {value, n};
    return value;
  }
  template <std::size_t n>
  const char* choose(const std::string& name, const char* const (&of)[n]) {
    return of[choose(name, static_cast<int>(n))];
  }

  /// All that was chosen, and from how many.
  const std::map<std::string, std::pair<int, int>>& made() const { return made_; }
  /// What differs from the first choices.
  std::string in_words() const {
    std::string words;
    for (const auto& [name, value] : made_) {
      if (value.first > 0) words += " " + name + "=" + std::to_string(value.first);
    }
    return words.empty() ? " plain" : words;
  }

 private:
  std::map<std::string, int> forced_;
  std::mt19937_64 random_;
  bool is_drawn_ = false;
  std::map<std::string, std::pair<int, int>> made_;
};

/// Calls `write` with every pair of choices, the others the first ones; each file once.
inline void for_all_pairs(const std::function<void(Choices&)>& write) {
  std::set<std::string> written;
  std::map<std::string, int> known;  // how many ways each choice has
  const auto run = [&](const std::map<std::string, int>& forced) {
    // What the choices come to, without writing twice.
    Choices choices(forced);
    std::string key;
    for (const auto& [name, value] : forced) key += name + "=" + std::to_string(value) + " ";
    if (!written.insert(key).second) return;
    write(choices);
    for (const auto& [name, value] : choices.made()) known[name] = value.second;
  };
  run({});
  for (std::size_t before = 0; before != known.size();) {
    before = known.size();
    for (const auto& [name, ways] : std::map(known)) {
      for (int value = 1; value < ways; ++value) run({{name, value}});
    }
  }
  const std::map<std::string, int> all = known;
  for (auto a = all.begin(); a != all.end(); ++a) {
    for (auto b = std::next(a); b != all.end(); ++b) {
      for (int x = 1; x < a->second; ++x) {
        for (int y = 1; y < b->second; ++y) run({{a->first, x}, {b->first, y}});
      }
    }
  }
}

}  // namespace keepclear::test
