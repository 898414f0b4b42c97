// SPDX-License-Identifier: BSD-3-Clause
//
// How far bodies can go on a part of a path: paper 3's slips, then all bounds against samples on
// random robots with all kinds of joints, and lanes against their plain twins.
#include <gtest/gtest.h>

#include <random>

#include "certify/motion_bounds.hpp"
#include "certify/motion_lanes.hpp"
#include "certify/random_tree.hpp"
#include "keepclear/certify.hpp"
#include "scene/scenes.hpp"
#include "sweep/between.hpp"

namespace keepclear {
namespace {

using test::joint;
using test::link;
using test::sphere;
using test::world_of;

std::string at(const std::string& xyz, const std::string& axis = "0 0 1") {
  return "<origin xyz=\"" + xyz + "\"/><axis xyz=\"" + axis + "\"/>";
}

int body_of(const World& world, const std::string& name) {
  const int solid = world.find_solid(name);
  const auto& bodies = world.data().bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].solid == solid) return static_cast<int>(b);
  }
  throw std::out_of_range(name);
}

/// What two bodies can come nearer by when each number goes `way` from q.
double approach(const World& world, const std::string& a, const std::string& b,
                const std::vector<double>& q, const std::vector<double>& way) {
  MotionBounds bounds(world.data());
  PosedWorld posed = bounds.make_posed();
  posed.q = q;
  EXPECT_TRUE(bounds.pose(posed));
  return bounds.approach_hi(body_of(world, a), body_of(world, b), way, posed);
}

/// An upper arm of 1 m along x, an elbow at its end, a forearm of 1 m, and a ball at the wrist.
World arm() {
  return world_of(test::robot(link("base") +
                              "<link name=\"upper\"><collision><origin xyz=\"0.5 0 0\"/><geometry>"
                              "<box size=\"1 0.00002 0.00002\"/></geometry></collision></link>" +
                              link("forearm") + link("wrist", sphere(0.05)) +
                              joint("J1", "continuous", "base", "upper", at("0 0 0")) +
                              joint("J2", "continuous", "upper", "forearm", at("1 0 0")) +
                              joint("J3", "continuous", "forearm", "wrist", at("1 0 0"))));
}

TEST(Velocity, AJointPassedFromParentToChildHasALever) {
  const World world = arm();
  const double quarter = std::acos(0.0);
  // The wrist is 0.95 m from the upper arm and goes at 1 m/s: levers that take the elbow to stand
  // still would have it at 0.05.
  for (const bool other_way : {false, true}) {
    const double nearer = approach(world, other_way ? "wrist" : "upper",
                                   other_way ? "upper" : "wrist", {0, quarter, 0}, {0, 1, 0});
    EXPECT_GE(nearer, 1);
    EXPECT_LE(nearer, 1.002);
  }
  const Certificate found = certify(
      world,
      line_path(std::vector<double>{0, quarter, 0}, std::vector<double>{0, quarter + 19, 0}, 19),
      {.tolerance = 1e-4});
  EXPECT_EQ(found.verdict, Verdict::contact);
  EXPECT_NEAR(found.first_contact, 1.5208, 2e-4);
}

TEST(Velocity, EitherBodyMayBeTheOneThatMovesAndTheLesserLeverCounts) {
  // Seen from the small ball the large one is far from the joint at its own centre.
  const World world =
      world_of(test::robot(link("base", sphere(0.5)) + link("rod") + link("tip", sphere(0.01)) +
                           joint("turn", "continuous", "base", "rod", at("0.4 0 0")) +
                           joint("slide", "prismatic", "rod", "tip", at("1 0 0", "1 0 0"))));
  for (const bool other_way : {false, true}) {
    const double nearer =
        approach(world, other_way ? "base" : "tip", other_way ? "tip" : "base", {0, 0}, {1, 0});
    // The base reaches 0.9 m from the axis, the tip 1.01.
    EXPECT_GE(nearer, 0.9);
    EXPECT_LE(nearer, 0.901);
  }
}

TEST(Velocity, ASlideLengthensTheLeversBeforeIt) {
  const World world = world_of(test::robot(
      link("base") + link("post", sphere(0.05)) + link("rod") + link("tip", sphere(0.05)) +
      joint("to_post", "fixed", "base", "post", at("0 2 0")) +
      joint("turn", "continuous", "base", "rod", at("0 0 0")) +
      joint("slide", "prismatic", "rod", "tip", at("0.1 0 0", "1 0 0"))));
  // At first the tip is 0.1 m from the axis, at the end 2 m, where it meets the post.
  const Path path = line_path(std::vector{0.0, 0.0}, std::vector{std::acos(0.0), 1.9});
  for (const Method method :
       {Method::automatic, Method::chord, Method::velocity, Method::sweep, Method::ball}) {
    EXPECT_EQ(certify(world, path, {.method = method}).verdict, Verdict::contact)
        << to_string(method);
  }
  const double whole = approach(world, "tip", "post", {0, 0}, {1, 1.9});
  EXPECT_GE(whole, 2.0 + 1.9);
}

TEST(MotionBounds, HoldSamplesOfRandomMotions) {
  std::mt19937_64 random(7);
  const auto number = [&](double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  std::size_t judged = 0;
  for (int round = 0; round < 150; ++round) {
    const World world = test::random_tree(random);
    const WorldData& data = world.data();
    const std::size_t dof = world.dof();
    const bool curved = random() % 2 == 0;
    const std::size_t rows = curved ? 4 : 2;
    const double size = std::pow(10, number(-3, 0.3));
    std::vector<double> control;
    const std::vector<double> from = test::random_pose(world, random);
    std::vector<int> quaternions;
    for (int f = 1; f < data.kinematics.frame_count(); ++f) {
      const FrameJoint& j = data.kinematics.joint(f);
      if (j.type == JointType::floating) quaternions.push_back(j.variable + 3);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < dof; ++i) control.push_back(from[i] + number(-size, size));
    }
    std::vector<double> width(dof);
    for (double& w : width) w = random() % 2 == 0 ? 0 : number(0, 0.05);
    for (const int first : quaternions) std::fill_n(width.begin() + first, 4, 0.0);
    const Path path = with_tube(bezier_path(dof, control, 0, 1), width);
    MotionBounds bounds(data);
    PosedWorld first = bounds.make_posed(), last = first, now = first, middle = first;
    const double a = number(0, 1), b = number(0, 1);
    ASSERT_TRUE(bounds.pose_at(path.data(), std::min(a, b), first));
    ASSERT_TRUE(bounds.pose_at(path.data(), std::max(a, b), last));
    ASSERT_TRUE(bounds.pose_at(path.data(), 0.5 * (a + b), middle));
    bounds.begin(path.data(), first, last);
    std::vector<double> way(dof);
    for (std::size_t i = 0; i < dof; ++i) {
      way[i] = std::max(std::fabs(first.q[i] - middle.q[i]), std::fabs(last.q[i] - middle.q[i])) +
               bounds.off()[i] + bounds.tube()[i];
    }
    DistanceQuery query(world);
    const auto distances = [&](const std::vector<double>& q) {
      std::vector<double> found;
      for (const Nearest& n : query.all_pairs(q)) found.push_back(n.distance);
      return found;
    };
    const std::vector<double> there = distances(middle.q);
    for (int k = 0; k < 12; ++k) {
      const double share = k < 2 ? k : number(0, 1);
      const double place = first.place + share * (last.place - first.place);
      ASSERT_TRUE(bounds.pose_at(path.data(), place, now));
      const bool off_path = k % 2 == 1;
      if (off_path) {
        for (std::size_t i = 0; i < dof; ++i) now.q[i] += number(-width[i], width[i]);
        ASSERT_TRUE(bounds.pose(now));
      }
      for (std::size_t body = 0; body < data.bodies.size(); ++body) {
        const WorldBody& of = data.bodies[body];
        for (int f = of.frame;; f = data.kinematics.parent(f)) {
          const Excursion way_of = bounds.excursion(static_cast<int>(body), f);
          const auto in_f = [&](const PosedWorld& posed, Vec3 p) {
            return rounding::relative_pose(posed.frames[f].X, posed.frames[of.frame].X) * p;
          };
          for (std::size_t i = 0; i < of.body.tables().count; ++i) {
            const Vec3 p = of.body.tables().point(i);
            const Vec3 x = in_f(first, p), y = in_f(last, p), z = in_f(now, p);
            // To the nearest point of the chord; on a straight path, to that of the same share.
            double s = dot(z - x, y - x) / std::max(squared_norm(y - x), 1e-300);
            s = curved ? std::clamp(s, 0.0, 1.0) : share;
            EXPECT_LE(norm(z - (x + s * (y - x))), way_of.beside() + 1e-12);
            EXPECT_LE(norm(z - x), way_of.moved + way_of.tube + 1e-12);
            ++judged;
          }
          if (f == data.origin) break;
        }
      }
      const std::vector<double> here = distances(now.q);
      for (std::size_t p = 0; p < here.size(); ++p) {
        const PairInfo& pair = world.pairs()[p];
        const double nearer =
            bounds.approach_hi(body_of(world, world.solids()[pair.a].name),
                               body_of(world, world.solids()[pair.b].name), way, middle);
        EXPECT_GE(here[p], there[p] - nearer - 1e-9);
      }
    }
  }
  EXPECT_GT(judged, 20000u);
}

TEST(MotionLanes, AgreeWithTheirPlainTwins) {
  std::mt19937_64 random(3);
  const auto number = [&](double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % 21;
    struct Rows {
      std::vector<double> v[14];
      BodyRows view() {
        const auto at = [&](int i) { return v[i].data(); };
        return {{at(0), at(1)}, {at(2), at(3)}, {at(4), at(5)}, at(6),  at(7), at(8),
                at(9),          at(10),         at(11),         at(12), at(13)};
      }
    } lanes;
    for (auto& row : lanes.v) {
      for (std::size_t i = 0; i < count; ++i) row.push_back(number(0, 1));
    }
    Rows plain = lanes;
    const auto vector = [&] { return Vec3{number(-1, 1), number(-1, 1), number(-1, 1)}; };
    JointRow joint;
    for (int end = 0; end < 2; ++end) joint.axis[end] = vector(), joint.place[end] = vector();
    joint.about_centre = random() % 4 == 0;
    joint.turned_hi = 1e-14, joint.moved_hi = 1e-13;
    joint.begin = random() % count, joint.end = count;
    for (double* part : {&joint.step.turn, &joint.step.slide, &joint.step.turn_off,
                         &joint.step.slide_off, &joint.step.turn_tube, &joint.step.slide_tube}) {
      *part = random() % 2 == 0 ? 0 : number(0, 1);
    }
    carry_excursions(joint, lanes.view());
    carry_excursions_plain(joint, plain.view());
    for (int row = 0; row < 14; ++row) {
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_NEAR(lanes.v[row][i], plain.v[row][i], 1e-14 * (1 + plain.v[row][i]));
      }
    }
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 lo{number(-2, 2), number(-2, 2), number(-2, 2)};
      boxes.push_back({lo, lo + Vec3{number(0, 1), number(0, 1), number(0, 1)}});
    }
    const double infinity = std::numeric_limits<double>::infinity();
    if (round % 5 == 0) {
      boxes[0] = {{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
    }
    const Vec3 c_0{number(-1, 1), number(-1, 1), number(-1, 1)};
    const Vec3 c_1 = c_0 + number(0, 1) * Vec3{number(-1, 1), number(-1, 1), number(-1, 1)};
    const double radius = number(0, 0.5), enough = number(0, 0.2);
    const BoxRows rows(boxes);
    std::vector<int> near, near_plain;
    const double beyond = list_near_boxes(rows, c_0, c_1, radius, enough, near);
    EXPECT_EQ(beyond, list_near_boxes_plain(rows, c_0, c_1, radius, enough, near_plain));
    EXPECT_EQ(near, near_plain);
    std::vector<int> within;
    list_boxes_within(rows, c_0, c_1, radius, enough, within);
    EXPECT_TRUE(std::includes(within.begin(), within.end(), near.begin(), near.end()));
    EXPECT_EQ(within, near);  // none is within rounding of the limit here
    // No box that is left out comes nearer than that to the ball on its way.
    for (std::size_t i = 0; i < count; ++i) {
      if (std::find(near.begin(), near.end(), static_cast<int>(i)) != near.end()) continue;
      for (int k = 0; k <= 10; ++k) {
        const Vec3 c = c_0 + 0.1 * k * (c_1 - c_0);
        const Vec3 nearest{std::clamp(c.x, boxes[i].lo.x, boxes[i].hi.x),
                           std::clamp(c.y, boxes[i].lo.y, boxes[i].hi.y),
                           std::clamp(c.z, boxes[i].lo.z, boxes[i].hi.z)};
        EXPECT_GE(norm(nearest - c) - radius, beyond - 1e-12);
        EXPECT_GT(norm(nearest - c) - radius, enough - 1e-12);
      }
    }
  }
}

TEST(Between, GapsAgreeWithFullScansAndBoundsHold) {
  std::mt19937_64 random(11);
  const auto number = [&](double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  const World world = load_builtin("six_axis_arm", {.without_model = true});
  const auto& bodies = world.data().bodies;
  const auto pose = [&](double far) {
    const Vec3 rpy{number(-3, 3), number(-3, 3), number(-3, 3)};
    return Pose{rotation_from_rpy(rpy), {number(-far, far), number(-far, far), number(-far, far)}};
  };
  std::size_t apart = 0;
  for (int round = 0; round < 3000; ++round) {
    const Convex a = convex_of(bodies[random() % bodies.size()].body);
    const Convex b = random() % 2 == 0
                         ? convex_of(bodies[random() % bodies.size()].body)
                         : convex_box({number(-1, 1), 0, 0}, {0.1, number(0, 0.3), 0.2}, 0.01);
    const Pose a_0 = pose(1), a_1 = pose(1), b_0 = pose(1), b_1 = pose(1);
    const Mat3 m_0 = pose(1).R, m_1 = pose(1).R;
    const bool turned = random() % 2 == 0, stands = !turned && random() % 2 == 0;
    const Moment first{&a_0, &b_0, turned ? &m_0 : nullptr};
    const Moment last{&a_1, stands ? &b_0 : &b_1, turned ? &m_1 : nullptr};
    const Vec3 n{number(-1, 1), number(-1, 1), number(-1, 1)};
    EXPECT_NEAR(between_gap(a, b, first, last, n), between_gap_plain(a, b, first, last, n), 1e-13);
    const double error = between_error_hi(a, b, 8, {});
    const BetweenBound bound = bound_between(a, b, first, last, error, n, 1e9);
    const BetweenBound loose = bound_out_of_step(a, b, first, last, error, n, 1e9);
    // With little asked for, boxes and capsules around both may do.
    const BetweenBound rough = bound_between(a, b, first, last, error, bound.n, 0);
    if (rough.lower > 0) {
      const double gap = between_gap_plain(a, b, first, last, rough.n) / norm(rough.n);
      EXPECT_LE(rough.lower, gap - a.radius - b.radius);
    }
    if (bound.lower > 0) {
      ++apart;
      const double gap = between_gap_plain(a, b, first, last, bound.n) / norm(bound.n);
      EXPECT_LE(bound.lower, gap - a.radius - b.radius);
      EXPECT_LE(bound.lower, bound.upper + 1e-12);
    }
    if (turned || !(loose.lower > 0)) continue;
    for (const Pose* x : {&a_0, &a_1}) {
      for (const Pose* y : {&b_0, stands ? &b_0 : &b_1}) {
        const Moment both{x, y, nullptr};
        const double gap = between_gap_plain(a, b, both, both, loose.n) / norm(loose.n);
        EXPECT_LE(loose.lower, gap - a.radius - b.radius);
      }
    }
  }
  EXPECT_GT(apart, 400u);
}

}  // namespace
}  // namespace keepclear
