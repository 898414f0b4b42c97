// SPDX-License-Identifier: BSD-3-Clause
#include "page_pose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output.hpp"
#include "page_geometry.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

/// Pairs that every solid is coloured by: more would keep who moves a slider waiting.
constexpr std::size_t kMaxPairs = 100'000;
constexpr std::size_t kNear = 12;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string points_json(const Nearest& nearest) {
  return fmt::format("[{},{}]", json_of(nearest.point_a), json_of(nearest.point_b));
}

}  // namespace

Poser::Poser(const World& world, double margin)
    : world_(world),
      margin_(margin),
      query_(world),
      depth_query_(world, {.signed_distance = true}),
      frames_(static_cast<std::size_t>(world.data().kinematics.frame_count())) {}

bool Poser::pose(std::span<const double> q, PosedWorld& out, bool all_pairs) {
  const Kinematics& kinematics = world_.data().kinematics;
  if (!kinematics.forward(q, 0, frames_)) return false;
  out.q.assign(q.begin(), q.end());
  out.frames.clear();
  for (const BoundedPose& frame : frames_) out.frames.push_back(frame.X);
  query_.reset();
  out.nearest = query_(q);
  out.kept = query_.check(q, margin_).verdict == Verdict::free;
  out.depth = kNaN;
  if (out.nearest.verdict == Verdict::contact) {
    depth_query_.reset();
    out.depth = -depth_query_(q).distance;
  }
  out.near.clear();
  out.clearance.clear();
  out.partner.clear();
  if (out.nearest.a < 0) return true;
  if (!all_pairs || world_.pair_count() > std::min(kMaxPairs, World::kMaxListedPairs)) {
    out.near.push_back(out.nearest);
    return true;
  }
  query_.reset();
  const std::span<const Nearest> all = query_.all_pairs(q);
  out.clearance.assign(world_.solids().size(), kNaN);
  out.partner.assign(world_.solids().size(), -1);
  const auto nearer = [&](int solid, int other, double distance) {
    double& least = out.clearance[static_cast<std::size_t>(solid)];
    if (!(distance >= least)) {
      least = distance;
      out.partner[static_cast<std::size_t>(solid)] = other;
    }
  };
  for (const Nearest& pair : all) {
    nearer(pair.a, pair.b, pair.distance);
    nearer(pair.b, pair.a, pair.distance);
  }
  std::vector<const Nearest*> order;
  for (const Nearest& pair : all) order.push_back(&pair);
  const std::size_t count = std::min(kNear, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [](const Nearest* x, const Nearest* y) {
                      return x->distance != y->distance ? x->distance < y->distance : x < y;
                    });
  for (std::size_t i = 0; i < count; ++i) out.near.push_back(*order[i]);
  return true;
}

std::string json_of(const Nearest& nearest) {
  if (nearest.a < 0) return "null";
  return fmt::format(R"({{"a":{},"b":{},"distance":{},"lower_bound":{},"points":{}}})", nearest.a,
                     nearest.b, json_number(nearest.distance), json_number(nearest.lower_bound),
                     points_json(nearest));
}

std::string json_of(const World& world, const PosedWorld& posed) {
  std::vector<float> frames;
  for (const Pose& X : posed.frames) append(X, frames);
  const auto number = [](double value) { return json_number(value); };
  std::vector<std::size_t> beyond;
  for (std::size_t i = 0; i < posed.q.size(); ++i) {
    const Variable& variable = world.variables()[i];
    if (posed.q[i] < variable.lower || posed.q[i] > variable.upper) beyond.push_back(i);
  }
  const bool any = posed.nearest.a >= 0;
  return fmt::format(
      R"({{"q":{},"frames":{},"verdict":"{}","kept":{},"distance":{},"lower_bound":{},"depth":{},)"
      R"("nearest":{},"near":{},"clearance":{},"partner":{},"beyond":{}}})",
      json_list(posed.q, number), packed(frames), to_string(posed.nearest.verdict), posed.kept,
      any ? json_number(posed.nearest.distance) : "null",
      any ? json_number(posed.nearest.lower_bound) : "null", json_number(posed.depth),
      json_of(posed.nearest), json_list(posed.near, [](const Nearest& n) { return json_of(n); }),
      json_list(posed.clearance,
                [](double value) {
                  // For colours: what differs by a millionth looks the same.
                  return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("null");
                }),
      json_list(posed.partner, [](int value) { return fmt::format("{}", value); }),
      json_list(beyond, [](std::size_t value) { return fmt::format("{}", value); }));
}

}  // namespace keepclear::command
