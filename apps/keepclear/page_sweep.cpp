// SPDX-License-Identifier: BSD-3-Clause
#include "page_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "output.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

/// Points of all volumes together, for a picture that follows a slider; bodies of many points take
/// the coarsest plan there is.
constexpr std::size_t kMostPoints = 20'000;
/// Volumes drawn, and points that the surface of one is looked for among.
constexpr std::size_t kMostVolumes = 120, kMostOfOne = 100;
constexpr int kSubdivisions = 2;

/// The finest rule of the paper that stays within so many points: two at the first joints of every
/// chain, one above them.
Sweep drawable_sweep(const World& world) {
  const int joints = static_cast<int>(swept_joints(world).size());
  Sweep best(world, paper_plan(world, 0));
  for (int fine = 1; fine <= std::min(joints, 4); ++fine) {
    Sweep finer(world, paper_plan(world, fine));
    if (finer.point_count() > kMostPoints) break;
    best = std::move(finer);
  }
  return best;
}

/// The middle of a box of quaternions need not have a norm of one.
void normalise_quaternions(const World& world, std::vector<double>& q) {
  const auto variables = world.variables();
  for (std::size_t i = 0; i + 4 <= q.size(); ++i) {
    if (variables[i].name != variables[i].joint + "/rot_x") continue;
    double squares = 0;
    for (std::size_t k = 0; k < 4; ++k) squares += q[i + k] * q[i + k];
    if (!(squares > 0)) q[i + 3] = squares = 1;
    for (std::size_t k = 0; k < 4; ++k) q[i + k] /= std::sqrt(squares);
  }
}

/// The points that stand out, in directions spread evenly: enough for a picture of many.
std::vector<Vec3> prominent(const Volume& volume) {
  std::vector<Vec3> points;
  if (volume.count <= kMostOfOne) {
    for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
    return points;
  }
  const double golden = 3.14159265358979 * (3 - std::sqrt(5.0));
  std::set<std::size_t> kept;
  for (std::size_t k = 0; k < kMostOfOne; ++k) {
    const double z = 1 - (2 * static_cast<double>(k) + 1) / static_cast<double>(kMostOfOne);
    const double r = std::sqrt(1 - z * z), turn = golden * static_cast<double>(k);
    const Vec3 n{r * std::cos(turn), r * std::sin(turn), z};
    std::size_t best = 0;
    for (std::size_t i = 1; i < volume.count; ++i) {
      if (dot(n, volume.point(i)) > dot(n, volume.point(best))) best = i;
    }
    kept.insert(best);
  }
  for (const std::size_t i : kept) points.push_back(volume.point(i));
  return points;
}

}  // namespace

Sweeper::Sweeper(const World& world)
    : world_(world),
      sweep_(drawable_sweep(world)),
      frames_(static_cast<std::size_t>(world.data().kinematics.frame_count())) {}

std::size_t Sweeper::volume_count() const noexcept {
  return std::min(kMostVolumes, world_.data().bodies.size());
}

bool Sweeper::sweep(std::span<const Interval> box, DrawnSweep& out, std::size_t triangles) {
  out = {};
  if (!sweep_.update(box)) return false;
  std::vector<double> middle;
  for (const auto& [lower, upper] : box) middle.push_back(0.5 * lower + 0.5 * upper);
  normalise_quaternions(world_, middle);
  if (!world_.data().kinematics.forward(middle, 0, frames_)) return false;
  const SweptClearance found = sweep_.clearance();
  out.clearance = found.clearance, out.a = found.a, out.b = found.b;

  // A body that meets its partners in several frames is drawn in the one nearest to the root.
  std::map<int, const SweptVolume*> of_body;
  for (const SweptVolume& volume : sweep_.volumes()) {
    const SweptVolume*& known = of_body[volume.body];
    if (known == nullptr || volume.frame < known->frame) known = &volume;
  }
  for (const auto& [body, volume] : of_body) {
    const WorldBody& of = world_.data().bodies[static_cast<std::size_t>(body)];
    if (!std::isfinite(volume->volume.radius) || out.volumes.size() >= kMostVolumes) {
      ++out.not_drawn;
      continue;
    }
    // Without a joint between its frame and itself a body covers what it is.
    if (of.frame == volume->frame) continue;
    const Surface surface =
        surface_of(prominent(volume->volume), volume->volume.radius, kSubdivisions);
    bool ignored = false;
    out.volumes.push_back({of.solid, body, frames_[static_cast<std::size_t>(volume->frame)].X,
                           thinned(surface.vertices, surface.triangles, triangles, ignored)});
  }
  return true;
}

std::string json_of(std::span<const DrawnVolume> volumes) {
  std::string text = "[";
  for (const DrawnVolume& volume : volumes) {
    if (text.size() > 1) text += ",\n";
    text += fmt::format(R"({{"solid":{},"body":{},"X":{},"shape":{}}})", volume.solid, volume.body,
                        json_of(volume.X_WF), json_of(volume.shape));
  }
  return text + "]";
}

std::string json_of(const DrawnSweep& sweep) {
  return fmt::format(R"({{"clearance":{},"pair":{},"not_drawn":{},"volumes":{}}})",
                     sweep.a < 0 ? "null" : json_number(sweep.clearance),
                     sweep.a < 0 ? "null" : fmt::format("[{},{}]", sweep.a, sweep.b),
                     sweep.not_drawn, json_of(sweep.volumes));
}

}  // namespace keepclear::command
