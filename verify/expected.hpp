// SPDX-License-Identifier: BSD-3-Clause
// The world that files describe, by the rules of docs/certificate.md §8: what a certificate about
// them has to say.
#pragma once
#include "description.hpp"

namespace verify {

/// What --against was given.
struct Given {
  std::vector<std::filesystem::path> robots;  // URDF
  std::optional<std::filesystem::path> srdf, scene, model;
  Packages packages;
};
Given sorted(const std::vector<std::filesystem::path>& files, const Packages& packages);

/// Names are as Reader::name() returns them.
struct Expected {
  struct Link {
    std::string name;
    std::size_t parent = 0;
    Kind kind = fixed;
    Place place = {};
    Point axis = {1, 0, 0};
    std::vector<std::string> numbers = {};
    std::vector<std::pair<double, double>> follows = {};
    bool standing = false;  // an object that nothing carries
  };
  struct Solid {
    std::string name;
    bool object = false, standing = false;
    std::size_t link = 0;
    int robot = -1;
    std::vector<Element> pieces = {};  // in the link
  };

  std::string world;
  std::vector<Number> numbers;
  std::vector<Link> links;
  std::vector<Solid> solids;
  bool is_scene = false, has_srdf = false;
  std::string seen;  // links that stand there by their visual shapes, in words
  double margin = 0;
  std::map<Pair, double> margins;  // of solids
  std::set<Pair> allowed, touching, enabled;
  std::map<Pair, std::string> disabled;
  std::set<std::size_t> off_by_default;

  /// Why a pair that a joint is between is skipped, if it is: a word and a reason.
  std::optional<std::pair<std::string, std::string>> why_skipped(std::size_t a,
                                                                 std::size_t b) const;
  double margin_of(std::size_t a, std::size_t b) const {
    const auto found = margins.find(std::minmax(a, b));
    return found == margins.end() ? margin : found->second;
  }
};

Expected expect(const Given& given);

}  // namespace verify
