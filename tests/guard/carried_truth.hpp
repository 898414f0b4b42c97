// SPDX-License-Identifier: BSD-3-Clause
//
// Hands among balls, and where everything truly is: hands slide along x and y, and may turn, so
// that the distance of each pair can be told without the library. Who carries what is bound where
// the robot is, whatever a guard believes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "keepclear/box.hpp"
#include "keepclear/scene.hpp"
#include "oracle/watch_scenes.hpp"

namespace keepclear::test {

/// A ball: of a hand, or an object.
struct TrueBall {
  std::string name;
  double radius = 0.1;
  bool is_object = false;
  int hand = -1;  ///< the hand that it is of, or that carries it; -1: it stands
  Vec3 at;        ///< its centre in the frame of that hand, or in the world
  std::set<int> touch{};
};

class CarriedTruth {
 public:
  CarriedTruth(oracle::Dice& dice, const oracle::ScratchFolder& folder)
      : turns_(dice.happens(0.4)), urdf_(folder.write("hand.urdf", robot(turns_))) {
    hands_ = dice.whole(1, 2);
    const int objects = dice.whole(2, 4);
    for (int h = 0; h < hands_; ++h) {
      balls_.push_back({"r" + std::to_string(h) + "/hand", 0.1, false, h, tool()});
    }
    for (int k = 0; k < objects; ++k) {
      TrueBall ball{"o" + std::to_string(k), dice.real(0.03, 0.15), true, -1, dice.vector(1.2)};
      ball.at.z = dice.either_side(0.05);
      balls_.push_back(ball);
    }
    load_.allow_no_pairs = true;
    // One may be carried from the start.
    if (dice.happens(0.4)) {
      TrueBall& ball = balls_[static_cast<std::size_t>(hands_)];
      ball.hand = 0;
      ball.at = {dice.either_side(0.3), dice.either_side(0.3), 0};
      ball.touch = {0};
    }
  }

  World world() const { return compile(scene(true, {}), load_); }
  /// With every object standing where it is at q.
  World world_at(std::span<const double> q) const { return compile(scene(false, q), load_); }

  bool turns() const { return turns_; }
  int hands() const { return hands_; }
  int count() const { return static_cast<int>(balls_.size()); }
  const TrueBall& ball(int b) const { return balls_[static_cast<std::size_t>(b)]; }
  std::size_t dof_of_hand() const { return turns_ ? 3 : 2; }

  Vec3 centre(int b, std::span<const double> q) const {
    const TrueBall& ball = balls_[static_cast<std::size_t>(b)];
    if (ball.hand < 0) return ball.at;
    const Place hand = place(ball.hand, q);
    return hand.p + Vec3{hand.c * ball.at.x - hand.s * ball.at.y,
                         hand.s * ball.at.x + hand.c * ball.at.y, ball.at.z};
  }

  /// Taken where it truly is.
  void attach(int b, int hand, const std::vector<int>& touch, std::span<const double> q) {
    TrueBall& ball = balls_[static_cast<std::size_t>(b)];
    const Vec3 p = centre(b, q);
    const Place at = place(hand, q);
    const Vec3 d = p - at.p;
    ball.at = {at.c * d.x + at.s * d.y, -at.s * d.x + at.c * d.y, d.z};
    ball.hand = hand;
    ball.touch = {touch.begin(), touch.end()};
    ball.touch.insert(hand);
    forget_excuses(b);
  }
  /// Put down where it truly is. What it touched is excused until it was proved apart once.
  void release(int b, std::span<const double> q) {
    TrueBall& ball = balls_[static_cast<std::size_t>(b)];
    ball.at = centre(b, q);
    ball.hand = -1;
    forget_excuses(b);
    for (const int other : ball.touch) excused_.insert(std::minmax(b, other));
    ball.touch.clear();
  }
  void set_margin(int a, int b, double margin) { margins_[std::minmax(a, b)] = margin; }
  const std::map<std::pair<int, int>, double>& margins() const { return margins_; }

  bool checked(int a, int b) const {
    const TrueBall &x = ball(a), &y = ball(b);
    if (a == b || (x.hand < 0 && y.hand < 0)) return false;
    return !x.touch.contains(b) && !y.touch.contains(a);
  }
  double margin(int a, int b, double margin_of_all) const {
    const auto own = margins_.find(std::minmax(a, b));
    return margin_of_all + (own != margins_.end() ? own->second : 0);
  }
  /// The least distance of any checked pair beyond its margin at q, excused pairs left out.
  double least(std::span<const double> q, double margin_of_all) const {
    double least = std::numeric_limits<double>::infinity();
    each_pair([&](int a, int b) {
      if (excused_.contains({a, b})) return;
      least = std::min(least, apart(a, b, q) - margin(a, b, margin_of_all));
    });
    return least;
  }
  /// The same over a box of hands that only slide: exact.
  double least_over(std::span<const Interval> box, double margin_of_all) const {
    double least = std::numeric_limits<double>::infinity();
    each_pair([&](int a, int b) {
      if (excused_.contains({a, b})) return;
      Interval d[3];
      for (int i = 0; i < 3; ++i) {
        d[i].lower = ball(a).at[i] - ball(b).at[i];
        d[i].upper = d[i].lower;
        if (i == 2 || ball(a).hand == ball(b).hand) continue;
        const auto add = [&](int hand, bool minus) {
          if (hand < 0) return;
          const Interval& q = box[static_cast<std::size_t>(hand) * 2 + static_cast<std::size_t>(i)];
          d[i].lower += minus ? -q.upper : q.lower;
          d[i].upper += minus ? -q.lower : q.upper;
        };
        add(ball(a).hand, false);
        add(ball(b).hand, true);
      }
      double square = 0;
      for (const Interval& one : d) {
        const double gap = std::max({one.lower, -one.upper, 0.0});
        square += gap * gap;
      }
      least = std::min(
          least, std::sqrt(square) - ball(a).radius - ball(b).radius - margin(a, b, margin_of_all));
    });
    return least;
  }
  bool any_excused() const { return !excused_.empty(); }
  /// A cycle looked at everything over a box around q: what is sure to be apart all over it is
  /// excused no longer.
  void looked_at(std::span<const double> q, std::span<const Interval> box, double margin_of_all) {
    double way = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      const bool is_turn = i % dof_of_hand() == 2;  // nothing is carried farther away than 4 m
      way += (is_turn ? 4 : 1) * (box[i].upper - box[i].lower);
    }
    std::erase_if(excused_, [&](const std::pair<int, int>& pair) {
      const auto [a, b] = pair;
      return apart(a, b, q) - way > margin(a, b, margin_of_all) + 1e-3;
    });
  }

 private:
  struct Place {
    Vec3 p;
    double c = 1, s = 0;
  };
  template <typename F>
  void each_pair(F&& f) const {
    for (int a = 0; a < count(); ++a) {
      for (int b = a + 1; b < count(); ++b) {
        if (checked(a, b)) f(a, b);
      }
    }
  }
  double apart(int a, int b, std::span<const double> q) const {
    return keepclear::norm(centre(a, q) - centre(b, q)) - ball(a).radius - ball(b).radius;
  }
  Place place(int hand, std::span<const double> q) const {
    const double* own = q.data() + static_cast<std::size_t>(hand) * dof_of_hand();
    if (!turns_) return {{own[0], own[1], 0}};
    return {{own[0], own[1], 0}, std::cos(own[2]), std::sin(own[2])};
  }
  Vec3 tool() const { return {turns_ ? 0.25 : 0, 0, 0}; }
  void forget_excuses(int b) {
    std::erase_if(excused_, [&](const std::pair<int, int>& pair) {
      return pair.first == b || pair.second == b;
    });
  }

  static std::string robot(bool turns) {
    const auto joint = [](const char* name, const char* type, const char* parent, const char* child,
                          const char* axis, const char* limit) {
      return std::string("<joint name=\"") + name + "\" type=\"" + type + "\"><parent link=\"" +
             parent + "\"/><child link=\"" + child + "\"/><axis xyz=\"" + axis +
             "\"/><limit lower=\"-" + limit + "\" upper=\"" + limit +
             "\" effort=\"1\" velocity=\"9\"/></joint>";
    };
    std::string text = "<robot name=\"r\"><link name=\"base\"/><link name=\"cart\"/>";
    text += turns ? "<link name=\"wrist\"/>" : "";
    text += "<link name=\"hand\"><collision><origin xyz=\"";
    text += turns ? "0.25" : "0";
    text += " 0 0\"/><geometry><sphere radius=\"0.1\"/></geometry></collision></link>";
    text += joint("x", "prismatic", "base", "cart", "1 0 0", "20");
    text += joint("y", "prismatic", "cart", turns ? "wrist" : "hand", "0 1 0", "20");
    if (turns) text += joint("turn", "revolute", "wrist", "hand", "0 0 1", "20");
    return text + "</robot>";
  }

  Scene scene(bool at_load, std::span<const double> q) const {
    Scene scene;
    scene.name = "carried";
    for (int h = 0; h < hands_; ++h) {
      SceneRobot robot;
      robot.name = "r" + std::to_string(h);
      robot.urdf = urdf_;
      scene.robots.push_back(robot);
    }
    for (int b = hands_; b < count(); ++b) {
      const TrueBall& ball = balls_[static_cast<std::size_t>(b)];
      SceneObject object;
      object.name = ball.name;
      object.shape.kind = Shape::Kind::sphere;
      object.shape.radius = ball.radius;
      object.pose.xyz = at_load ? ball.at : centre(b, q);
      scene.objects.push_back(object);
      if (!at_load || ball.hand < 0) continue;
      Attachment attachment;
      attachment.object = ball.name;
      attachment.link = balls_[static_cast<std::size_t>(ball.hand)].name;
      scene.attached.push_back(attachment);
    }
    return scene;
  }

  bool turns_;
  std::filesystem::path urdf_;
  int hands_ = 1;
  std::vector<TrueBall> balls_;  ///< hands first
  std::map<std::pair<int, int>, double> margins_;
  std::set<std::pair<int, int>> excused_;
  LoadOptions load_;
};

}  // namespace keepclear::test
