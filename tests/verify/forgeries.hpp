// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates whose world is changed in one meaning, and sealed anew: what keepclear-verify
// --against must not accept.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "proof/checker.hpp"

namespace keepclear::test {

/// The lines of a certificate's world as words, by their kinds.
struct WorldLines {
  using Line = std::vector<std::string>;
  using Pair = std::pair<std::size_t, std::size_t>;

  std::vector<Line> head, numbers, links, solids, bodies, margins, skips, rest;

  explicit WorldLines(const std::string& text) {
    std::istringstream in(text);
    for (std::string row; std::getline(in, row);) {
      Line line;
      std::istringstream words(row);
      for (std::string word; words >> word;) line.push_back(word);
      std::vector<Line>* kind = place_of(line[0]);
      if (kind == nullptr) kind = numbers.empty() && links.empty() ? &head : &rest;
      if (rest.empty() || kind == &rest) {
        kind->push_back(line);
      } else {
        rest.push_back(line);  // words of the proof that are called alike
      }
    }
  }

  std::string text() const {
    std::string all;
    for (const auto* part : {&head, &numbers, &links, &solids, &bodies, &margins, &skips, &rest}) {
      for (const Line& line : *part) {
        if (line[0] == "end") continue;
        for (std::size_t i = 0; i < line.size(); ++i) all += (i > 0 ? " " : "") + line[i];
        all += '\n';
      }
    }
    return resealed(all);
  }

  static double number(const std::string& word) { return std::strtod(word.c_str(), nullptr); }
  static std::string word(double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%a", value == 0 ? 0.0 : value);
    return digits;
  }
  static std::size_t index(const std::string& word) {
    return std::strtoull(word.c_str(), nullptr, 10);
  }
  static void add(std::string& word, double by) { word = WorldLines::word(number(word) + by); }

  const std::string& kind(std::size_t link) const { return links[link].at(3); }
  /// Where the numbers of its joint stand in a line of a link: behind those of its place.
  std::size_t joint_at(std::size_t link) const { return links[link][7] == "rpy" ? 11 : 12; }
  std::size_t number_at(std::size_t link) const {
    return joint_at(link) + (kind(link) == "floating" ? 0 : kind(link) == "planar" ? 6 : 3);
  }
  bool moves(std::size_t link) const { return link > 0 && kind(link) != "fixed"; }
  std::size_t group(std::size_t link) const {
    while (link > 0 && !moves(link)) link = index(links[link][2]);
    return link;
  }
  std::size_t link_of(std::size_t solid) const { return index(solids[solid][3]); }
  bool meet(std::size_t a, std::size_t b) const { return group(link_of(a)) != group(link_of(b)); }

  /// Sorts the skips, as they stand in a file.
  void add_skip(std::size_t a, std::size_t b, const std::string& why) {
    skips.push_back(
        {"skip", std::to_string(std::min(a, b)), std::to_string(std::max(a, b)), why, "%"});
    std::sort(skips.begin(), skips.end(), [](const Line& x, const Line& y) {
      return Pair(index(x[1]), index(x[2])) < Pair(index(y[1]), index(y[2]));
    });
  }

 private:
  std::vector<Line>* place_of(const std::string& word) {
    if (word == "number") return &numbers;
    if (word == "link") return &links;
    if (word == "solid") return &solids;
    if (word == "hull" || word == "box" || word == "plane") return &bodies;
    if (word == "margin") return &margins;
    if (word == "skip") return &skips;
    return nullptr;
  }
};

struct Forgery {
  std::string what, text;
};

/// All forgeries of a certificate, one meaning each.
class Forger {
 public:
  /// `exact`: its bodies are hulls of the shapes themselves, and not those of a model, which may be
  /// larger. `apart`: no body of a solid holds another, and no mesh is a box.
  Forger(const std::string& text, bool exact, bool apart)
      : text_(text), all_(text), exact_(exact), apart_(apart) {}

  std::vector<Forgery> forgeries() {
    forge_names();
    forge_numbers();
    forge_joints();
    forge_tree();
    forge_solids();
    for (std::size_t b = 0; b < all_.bodies.size(); ++b) forge_body(b);
    forge_rules();
    return std::move(made_);
  }

 private:
  using Line = WorldLines::Line;
  using Change = std::function<void(WorldLines&)>;

  void forge(const std::string& what, const Change& change) {
    WorldLines changed = all_;
    change(changed);
    std::string text = changed.text();
    if (text != text_) made_.push_back({what, std::move(text)});
  }
  /// Of a direction or a quaternion: a change of this number alone turns nothing.
  static bool only_one(const Line& line, std::size_t from, std::size_t to, std::size_t i) {
    if (to - from == 3 && line[7] == "rpy" && from == 8) return false;  // angles
    for (std::size_t k = from; k < to; ++k) {
      if (k != i && number(line, k) != 0) return false;
    }
    return true;
  }
  static double number(const Line& line, std::size_t i) { return WorldLines::number(line[i]); }

  void forge_names() {
    forge("another name of the world", [](WorldLines& w) {
      for (Line& line : w.head) {
        if (line[0] == "world") line[1] = line[1] == "%" ? "x" : line[1] + "x";
      }
    });
    const auto swap_names = [&](const std::string& of, std::vector<Line> WorldLines::*lines) {
      const std::size_t count = (all_.*lines).size();
      for (std::size_t i = 0; i < count; ++i) {
        forge(of + " with another name: " + (all_.*lines)[i][1], [&](WorldLines& w) {
          std::string& name = (w.*lines)[i][1];
          name = name == "%" ? "x" : name + "x";
        });
        const std::size_t j = (i + 1 + i % 3) % count;
        if (j == i) continue;
        forge("names of two exchanged: " + of + " " + (all_.*lines)[i][1],
              [&](WorldLines& w) { std::swap((w.*lines)[i][1], (w.*lines)[j][1]); });
      }
    };
    swap_names("number", &WorldLines::numbers);
    swap_names("link", &WorldLines::links);
    swap_names("solid", &WorldLines::solids);
  }

  void forge_numbers() {
    for (std::size_t k = 0; k < all_.numbers.size(); ++k) {
      for (const std::size_t end : {2, 3}) {
        const bool endless = std::isinf(number(all_.numbers[k], end));
        const std::string of =
            (end == 2 ? "lower limit of " : "upper limit of ") + all_.numbers[k][1];
        forge(of + " a little off", [&](WorldLines& w) {
          std::string& limit = w.numbers[k][end];
          if (endless) {
            limit = WorldLines::word(end == 2 ? -1000 : 1000);
          } else {
            WorldLines::add(limit, end == 2 ? 1e-9 : -1e-9);
          }
        });
        if (endless) continue;
        forge("no " + of, [&](WorldLines& w) { w.numbers[k][end] = end == 2 ? "-inf" : "inf"; });
      }
    }
    forge("a number more", [](WorldLines& w) {
      w.numbers.push_back({"number", "more", WorldLines::word(-1), WorldLines::word(1)});
    });
  }

  void forge_joints() {
    for (std::size_t l = 1; l < all_.links.size(); ++l) {
      const std::string of = " of link " + all_.links[l][1];
      for (std::size_t i = 4; i < all_.joint_at(l); ++i) {
        if (i == 7) continue;  // rpy, quat
        if (i > 7 && only_one(all_.links[l], 8, all_.joint_at(l), i)) continue;
        for (const double by : {1e-6, 0.1}) {
          forge("another origin" + of, [&](WorldLines& w) { WorldLines::add(w.links[l][i], by); });
        }
      }
      if (!all_.moves(l)) {
        if (all_.numbers.empty()) continue;
        forge("no more fixed: joint" + of, [&](WorldLines& w) {
          w.links[l][3] = "slide";
          const std::string zero = WorldLines::word(0), one = WorldLines::word(1);
          w.links[l].insert(w.links[l].end(), {zero, zero, one, "0"});
        });
        continue;
      }
      forge("fixed: joint" + of, [&](WorldLines& w) {
        w.links[l][3] = "fixed";
        w.links[l].resize(w.joint_at(l));
      });
      const std::size_t at = all_.joint_at(l), k = all_.number_at(l);
      const std::string& kind = all_.kind(l);
      for (std::size_t n = 0; n < all_.numbers.size(); ++n) {
        if (std::to_string(n) == all_.links[l][k]) continue;
        forge("it reads another number: joint" + of,
              [&](WorldLines& w) { w.links[l][k] = std::to_string(n); });
      }
      if (kind == "floating") continue;
      forge("axis turned round" + of, [&](WorldLines& w) {
        for (std::size_t i = at; i < at + 3; ++i) {
          w.links[l][i] = WorldLines::word(-number(w.links[l], i));
        }
      });
      for (std::size_t i = at; i < at + 3; ++i) {
        if (only_one(all_.links[l], at, at + 3, i)) continue;
        forge("axis a little off" + of,
              [&](WorldLines& w) { WorldLines::add(w.links[l][i], i == at ? 1e-6 : 0.01); });
      }
      if (kind == "planar") {
        forge("axis and x exchanged" + of, [&](WorldLines& w) {
          std::swap_ranges(w.links[l].begin() + static_cast<std::ptrdiff_t>(at),
                           w.links[l].begin() + static_cast<std::ptrdiff_t>(at + 3),
                           w.links[l].begin() + static_cast<std::ptrdiff_t>(at + 3));
        });
        for (std::size_t i = at + 3; i < at + 6; ++i) {
          // Along the axis, or as it was, it is the same direction.
          const bool along = only_one(all_.links[l], at, at + 3, i - 3);
          if (along || only_one(all_.links[l], at + 3, at + 6, i)) continue;
          forge("another x" + of, [&](WorldLines& w) { WorldLines::add(w.links[l][i], 0.3); });
        }
        continue;
      }
      forge("a hinge for a slide, or the other way: joint" + of,
            [&](WorldLines& w) { w.links[l][3] = kind == "hinge" ? "slide" : "hinge"; });
      forge("it follows in one more step: joint" + of, [&](WorldLines& w) {
        w.links[l].insert(w.links[l].end(), {WorldLines::word(1), WorldLines::word(0.1)});
      });
      if (all_.links[l].size() == k + 1) continue;
      forge("it does not follow: joint" + of, [&](WorldLines& w) { w.links[l].resize(k + 1); });
      for (std::size_t i = k + 1; i < all_.links[l].size(); ++i) {
        forge("it follows in another way: joint" + of,
              [&](WorldLines& w) { WorldLines::add(w.links[l][i], 1e-6); });
      }
    }
  }

  /// Each index of a link counts one more.
  static void shift_links(WorldLines& w) {
    const auto up = [](std::string& word) { word = std::to_string(WorldLines::index(word) + 1); };
    for (std::size_t l = 1; l < w.links.size(); ++l) up(w.links[l][2]);
    for (Line& solid : w.solids) up(solid[3]);
    for (Line& body : w.bodies) up(body[2]);
  }

  void forge_tree() {
    const std::string zero = WorldLines::word(0), one = WorldLines::word(1);
    for (std::size_t l = 2; l < all_.links.size(); ++l) {
      const std::size_t parent = WorldLines::index(all_.links[l][2]);
      if (parent == l - 1 && parent == 0) continue;
      forge("another parent of link " + all_.links[l][1],
            [&](WorldLines& w) { w.links[l][2] = std::to_string(parent == l - 1 ? 0 : l - 1); });
    }
    forge("a link more", [&](WorldLines& w) {
      w.links.push_back({"link", "more", "0", "fixed", zero, zero, zero, "rpy", zero, zero, zero});
    });
    if (all_.numbers.empty()) return;
    for (const bool extra : {false, true}) {
      forge(extra ? "the root on a slide of its own" : "the root on a slide", [&](WorldLines& w) {
        shift_links(w);
        Line root = w.links[0];
        w.links[0] = {"link", "rail"};
        root.insert(root.end(), {"0", "slide", zero, zero, zero, "rpy", zero, zero, zero, one, zero,
                                 zero, extra ? std::to_string(w.numbers.size()) : "0"});
        w.links.insert(w.links.begin() + 1, root);
        if (extra) w.numbers.push_back({"number", "rail", WorldLines::word(-1), one});
      });
    }
  }

  void forge_solids() {
    const std::string zero = WorldLines::word(0);
    for (std::size_t s = 0; s < all_.solids.size(); ++s) {
      const std::string name = all_.solids[s][1];
      forge("a link called an object, or the other way: " + name,
            [&](WorldLines& w) { w.solids[s][2] = w.solids[s][2] == "link" ? "object" : "link"; });
      for (std::size_t l = 0; l < all_.links.size(); ++l) {
        if (l == all_.link_of(s) || all_.group(l) != all_.group(all_.link_of(s))) continue;
        forge("a solid on another link: " + name,
              [&](WorldLines& w) { w.solids[s][3] = std::to_string(l); });
      }
      // Its shape becomes a grain, and stands in a solid that nothing is claimed of.
      forge("the true shape in a skipped solid: " + name, [&](WorldLines& w) {
        const std::string more = std::to_string(w.solids.size());
        std::vector<Line> moved;
        std::vector<Line> kept;
        for (Line body : w.bodies) {
          if (body[1] != std::to_string(s)) {
            kept.push_back(body);
            continue;
          }
          if (moved.empty()) {
            kept.push_back({"hull", body[1], body[2], WorldLines::word(1e-6), zero, zero, zero});
          }
          body[1] = more;
          moved.push_back(body);
        }
        kept.insert(kept.end(), moved.begin(), moved.end());
        w.bodies = kept;
        Line solid = w.solids[s];
        solid[1] = "more";
        w.solids.push_back(solid);
        for (std::size_t other = 0; other + 1 < w.solids.size(); ++other) {
          if (w.meet(other, w.solids.size() - 1))
            w.add_skip(other, w.solids.size() - 1, "adjacent");
        }
      });
      if (all_.solids.size() < 2) continue;
      forge("a solid less: " + name, [&](WorldLines& w) {
        w.solids.erase(w.solids.begin() + static_cast<std::ptrdiff_t>(s));
        const auto is_its = [&](const Line& line) { return line[1] == std::to_string(s); };
        const auto lower = [&](std::string& word) {
          const std::size_t i = WorldLines::index(word);
          if (i > s) word = std::to_string(i - 1);
        };
        std::erase_if(w.bodies, is_its);
        for (Line& body : w.bodies) lower(body[1]);
        for (auto* pairs : {&w.skips, &w.margins}) {
          std::erase_if(*pairs, [&](const Line& line) {
            return line.size() > 2 && (is_its(line) || line[2] == std::to_string(s));
          });
          for (Line& pair : *pairs) {
            if (pair.size() > 2) lower(pair[1]), lower(pair[2]);
          }
        }
      });
    }
  }

  void replace_body(const std::string& what, std::size_t b, const std::vector<Line>& with) {
    forge(what + " of solid " + all_.solids[WorldLines::index(all_.bodies[b][1])][1],
          [&](WorldLines& w) {
            const auto at = w.bodies.begin() + static_cast<std::ptrdiff_t>(b);
            w.bodies.insert(w.bodies.erase(at), with.begin(), with.end());
          });
  }

  bool alone(std::size_t b) const {
    return (b == 0 || all_.bodies[b - 1][1] != all_.bodies[b][1]) &&
           (b + 1 == all_.bodies.size() || all_.bodies[b + 1][1] != all_.bodies[b][1]);
  }

  void forge_body(std::size_t b) {
    const Line& body = all_.bodies[b];
    if (!alone(b) && exact_ && apart_) replace_body("a body less", b, {});
    if (body[0] == "plane") {
      for (const auto& [i, by] : {std::pair<std::size_t, double>{6, -1e-3}, {3, 0.01}, {4, 0.01}}) {
        Line changed = body;
        WorldLines::add(changed[i], by);
        replace_body("another plane", b, {changed});
      }
    } else if (body[0] == "box") {
      for (std::size_t i = 3; i < 9; ++i) {
        Line changed = body;
        WorldLines::add(changed[i], i < 6 ? 1e-3 : -1e-3 * number(body, i));
        replace_body(i < 6 ? "a box elsewhere" : "a smaller box", b, {changed});
      }
    } else {
      forge_hull(b);
    }
  }

  void forge_hull(std::size_t b) {
    const Line& body = all_.bodies[b];
    using Point = std::array<double, 3>;
    std::vector<Point> points;
    for (std::size_t i = 4; i < body.size(); i += 3) {
      points.push_back({number(body, i), number(body, i + 1), number(body, i + 2)});
    }
    const auto hull = [&](const std::vector<Point>& of, double radius) {
      Line line{"hull", body[1], body[2], WorldLines::word(radius)};
      for (const Point& p : of) {
        for (const double x : p) line.push_back(WorldLines::word(x));
      }
      return line;
    };
    const double radius = number(body, 3);
    if (radius > 1e-5 && exact_) replace_body("a smaller radius", b, {hull(points, 0.99 * radius)});
    Point lo = points[0], hi = points[0], middle{};
    for (const Point& p : points) {
      for (std::size_t i = 0; i < 3; ++i) {
        lo[i] = std::min(lo[i], p[i]), hi[i] = std::max(hi[i], p[i]);
        middle[i] += p[i] / static_cast<double>(points.size());
      }
    }
    // One body for all of a solid: another body may hold what is taken away here.
    if (!alone(b)) return;
    std::vector<Point> moved = points, shrunk = points;
    for (std::size_t p = 0; p < points.size(); ++p) {
      moved[p][0] += exact_ ? 1e-3 : 0.5;
      for (std::size_t i = 0; i < 3; ++i) {
        shrunk[p][i] = middle[i] + (exact_ ? 0.999 : 0.5) * (points[p][i] - middle[i]);
      }
    }
    replace_body("a shape elsewhere", b, {hull(moved, radius)});
    if (points.size() == 1) return;
    if (exact_ || radius < 0.1 * (hi[0] - lo[0] + hi[1] - lo[1] + hi[2] - lo[2])) {
      replace_body("a smaller shape", b, {hull(shrunk, radius)});
    }
    std::size_t axis = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (hi[i] - lo[i] > hi[axis] - lo[axis]) axis = i;
    }
    // The parts below lose more than what a model, or a round shape, has to spare.
    if (radius > 0.2 * (hi[axis] - lo[axis])) return;
    std::vector<Line> balls, needles, plates;
    for (std::size_t p = 0; p < points.size(); ++p) {
      balls.push_back(hull({points[p]}, radius));
      needles.push_back(hull({points[p], points[(p + 1) % points.size()]}, radius));
    }
    replace_body("balls at the corners", b, balls);
    if (points.size() > 2) replace_body("needles along the edges", b, needles);
    std::vector<Point> low, high, ends_low, ends_high;
    for (const Point& p : points) {
      const double at = (p[axis] - lo[axis]) / (hi[axis] - lo[axis]);
      (at < 0.5 ? low : high).push_back(p);
      if (at < 0.05) ends_low.push_back(p);
      if (at > 0.95) ends_high.push_back(p);
    }
    replace_body("two halves with a gap", b, {hull(low, radius), hull(high, radius)});
    replace_body("two end plates", b, {hull(ends_low, radius), hull(ends_high, radius)});
    replace_body("a lid", b, {hull(high, radius)});
    if (points.size() != 8 || !apart_) return;
    // The faces of a box, each by itself: a box without its volume.
    std::vector<Line> walls;
    for (std::size_t i = 0; i < 3; ++i) {
      for (const bool upper : {false, true}) {
        std::vector<Point> wall;
        for (const Point& p : points) {
          if ((upper ? hi[i] - p[i] : p[i] - lo[i]) < 0.02 * (hi[i] - lo[i])) wall.push_back(p);
        }
        if (wall.size() == 4) walls.push_back(hull(wall, radius));
      }
    }
    if (walls.size() == 6) replace_body("walls", b, walls);
  }

  void forge_rules() {
    for (std::size_t m = 0; m < all_.margins.size(); ++m) {
      const std::size_t last = all_.margins[m].size() - 1;
      if (number(all_.margins[m], last) > 0) {
        forge("a smaller margin", [&](WorldLines& w) {
          w.margins[m][last] = WorldLines::word(0.9 * number(w.margins[m], last));
        });
      }
      if (last < 2 || !(number(all_.margins[m], last) > number(all_.margins[0], 1))) continue;
      forge("a margin of a pair less", [&](WorldLines& w) {
        w.margins.erase(w.margins.begin() + static_cast<std::ptrdiff_t>(m));
      });
    }
    for (std::size_t s = 0; s < all_.skips.size(); ++s) {
      forge("a pair less that is skipped", [&](WorldLines& w) {
        w.skips.erase(w.skips.begin() + static_cast<std::ptrdiff_t>(s));
      });
      forge("skipped for another reason", [&](WorldLines& w) {
        w.skips[s][3] = w.skips[s][3] == "adjacent" ? "allowed" : "adjacent";
      });
      forge("skipped with another word",
            [&](WorldLines& w) { w.skips[s][4] = w.skips[s][4] == "%" ? "Never" : "%"; });
    }
    std::set<WorldLines::Pair> skipped;
    for (const Line& skip : all_.skips) {
      skipped.insert({WorldLines::index(skip[1]), WorldLines::index(skip[2])});
    }
    const std::array<const char*, 6> whys{"adjacent", "disabled", "disabled%20by%20default",
                                          "allowed",  "touch",    "left%20out"};
    std::size_t next = 0;
    for (std::size_t a = 0; a < all_.solids.size(); ++a) {
      for (std::size_t b = a + 1; b < all_.solids.size(); ++b) {
        if (!all_.meet(a, b) || skipped.contains({a, b})) continue;
        const char* const why = whys[next++ % whys.size()];
        forge(std::string("skipped as ") + why + ": " + all_.solids[a][1] + " and " +
                  all_.solids[b][1],
              [&](WorldLines& w) { w.add_skip(a, b, why); });
      }
    }
  }

  std::string text_;
  WorldLines all_;
  bool exact_, apart_;
  std::vector<Forgery> made_;
};

/// What became of forgeries, by what they are.
struct ForgeryTally {
  /// `core`: its proof holds all the same; `ill_formed`: it is no certificate at all.
  struct Kind {
    std::size_t tried = 0, ill_formed = 0, core = 0, valid = 0, invalid = 0, cannot_tell = 0;
  };
  std::map<std::string, Kind> kinds;
  std::size_t worlds = 0;
  // These must stay empty.
  std::vector<std::string> refused, wrong;

  Kind all() const {
    Kind sum;
    for (const auto& [name, k] : kinds) {
      sum.tried += k.tried, sum.valid += k.valid, sum.invalid += k.invalid;
      sum.cannot_tell += k.cannot_tell, sum.core += k.core, sum.ill_formed += k.ill_formed;
    }
    return sum;
  }
  void print() const {
    for (const auto& [name, k] : kinds) {
      std::printf(
          "%-50s tried %zu: invalid %zu, cannot tell %zu, valid %zu; proved all the same %zu\n",
          name.c_str(), k.tried, k.invalid, k.cannot_tell, k.valid, k.core);
    }
    const Kind sum = all();
    std::printf(
        "%zu worlds, %zu forgeries: invalid %zu (ill-formed %zu), cannot tell %zu, valid %zu; "
        "proved all the same %zu\n",
        worlds, sum.tried, sum.invalid, sum.ill_formed, sum.cannot_tell, sum.valid, sum.core);
    for (const auto* list : {&refused, &wrong}) {
      for (std::size_t i = 0; i < list->size() && i < 20; ++i)
        std::printf("  %s\n", (*list)[i].c_str());
    }
    std::fflush(stdout);
  }
};

/// `keep(i)`: whether forgery i is tried. `proved`: the text is a whole certificate; else its world
/// alone is compared.
inline void judge_forgeries(const std::string& name, const std::string& text, bool exact,
                            bool apart, const std::vector<std::filesystem::path>& files,
                            bool proved, const std::function<bool(std::size_t)>& keep,
                            ForgeryTally& tally) {
  ++tally.worlds;
  const Ruling honest = compare_certificate(text, files, !proved);
  if (!honest.valid()) {
    tally.refused.push_back(name + ": " + honest.text());
    return;
  }
  const std::vector<Forgery> forged = Forger(text, exact, apart).forgeries();
  for (std::size_t i = 0; i < forged.size(); ++i) {
    if (!keep(i)) continue;
    ForgeryTally::Kind& kind = tally.kinds[forged[i]
                                               .what.substr(0, forged[i].what.find_first_of(":"))
                                               .substr(0, forged[i].what.find(" of "))];
    ++kind.tried;
    if (proved && check_certificate(forged[i].text).valid()) ++kind.core;
    const Ruling found = compare_certificate(forged[i].text, files, true);
    if (found.verdict == Ruling::Verdict::invalid) ++kind.invalid;
    if (found.line > 0) ++kind.ill_formed;
    if (found.verdict == Ruling::Verdict::cannot_tell) ++kind.cannot_tell;
    if (!found.valid()) continue;
    ++kind.valid;
    tally.wrong.push_back(name + ": " + forged[i].what);
  }
}

}  // namespace keepclear::test
