// SPDX-License-Identifier: BSD-3-Clause
#include "page_object.hpp"

#include <algorithm>
#include <cmath>

#include "scene/world.hpp"

namespace keepclear::command {

namespace {

Pose moved_pose(const Affine& M, const Pose& X) {
  return {M.A * X.R, M * X.p};
}

/// How much a ball grows: what is round stays round.
double stretch_of(const Mat3& A) {
  const Mat3 columns = transpose(A);
  return std::max({norm(columns.row0), norm(columns.row1), norm(columns.row2)});
}

}  // namespace

Affine ShownObject::moved(double time) const {
  const Affine D = curve->ball(metric, time, time).centre;
  const Mat3 A = D.A * transpose(X_WO.R);
  return {A, D.a - A * X_WO.p};
}

ShownObject shown_object(const World& world, const ObjectMotions& motions,
                         const ObjectMotions::Answer& answer) {
  const int solid = world.find_solid(answer.motion.object);
  Pose X_WO;
  for (const PlacedObject& object : world.data().environment.objects) {
    if (object.solid == solid) X_WO = object.X_WO.X;
  }
  return {solid,          X_WO,          answer.motion.curve, answer.query.metric(),
          motions.rest(), answer.result, motions.notes()};
}

Certificate certificate_of(const World& world, const ObjectMotions::Answer& answer) {
  const TolerancedResult& result = answer.result;
  const int object = world.find_solid(answer.motion.object);
  const auto solid_of = [&](int other) {
    return other < 0 ? -1 : world.find_solid(standing_name(answer.query, other));
  };
  const auto set_pair = [&](int other, int& a, int& b) {
    b = solid_of(other);
    a = b < 0 ? -1 : object;
  };
  Certificate found;
  found.verdict = result.verdict;
  found.clearance = result.clearance;
  found.distance = result.distance;
  found.time = result.time;
  found.first_contact = result.first_contact;
  set_pair(result.other, found.a, found.b);
  for (const TolerancedInterval& each : result.intervals) {
    MotionInterval interval;
    interval.from = each.from;
    interval.to = each.to;
    interval.status = each.status;
    set_pair(each.other, interval.a, interval.b);
    // Times of other stretches are about right, and not proved.
    const double contact = result.first_contact;
    if (each.status == Verdict::contact && each.from <= contact && contact <= each.to) {
      interval.contact = contact;
    }
    found.intervals.push_back(interval);
  }
  found.tests = result.tests;
  found.parts = result.balls;
  found.depth = result.depth;
  return found;
}

DrawnWorld with_moved(DrawnWorld drawn, const ShownObject& object, double time) {
  const Affine M = object.moved(time);
  for (DrawnItem& item : drawn.items) {
    if (item.solid == object.solid && item.frame == 0) item.X_FI = moved_pose(M, item.X_FI);
  }
  for (DrawnBox& box : drawn.boxes) {
    if (box.solid == object.solid) box.X_WB = moved_pose(M, box.X_WB);
  }
  for (DrawnBall& ball : drawn.balls) {
    if (ball.solid != object.solid) continue;
    ball.centre = M * ball.centre;
    ball.radius *= stretch_of(M.A);
  }
  return drawn;
}

}  // namespace keepclear::command
