// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a path of a robot with several kinds of joints, as a tube around one, and as the
// motion of an object: pieces that meet, with numbers and bounds that are some, or an Error of one
// line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/error.hpp"
#include "motion/object_motion_file.hpp"
#include "motion/path_data.hpp"
#include "motion/path_file.hpp"
#include "robot/urdf.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

const keepclear::Kinematics& kinematics() {
  static const keepclear::Kinematics tree(keepclear::parse_urdf(
      "<robot name='r'><link name='0'/><link name='1'/><link name='2'/><link name='3'/>"
      "<link name='4'/>"
      "<joint name='a' type='continuous'><parent link='0'/><child link='1'/></joint>"
      "<joint name='b' type='continuous'><parent link='1'/><child link='2'/><mimic joint='a'/>"
      "</joint><joint name='s' type='prismatic'><parent link='2'/><child link='3'/>"
      "<limit lower='0' upper='1' effort='1' velocity='1'/></joint>"
      "<joint name='f' type='floating'><parent link='3'/><child link='4'/></joint></robot>",
      "robot.urdf", {}, {}));
  return tree;
}

void require_path(const keepclear::Path& path) {
  const keepclear::PathData& data = path.data();
  require(data.dof == kinematics().variables().size() && !data.pieces.empty());
  for (std::size_t i = 0; i < data.pieces.size(); ++i) {
    const keepclear::PathPiece& piece = data.pieces[i];
    const std::size_t rows = static_cast<std::size_t>(piece.degree) + 1;
    require(piece.degree >= 1 && piece.degree <= keepclear::kMaxPathDegree);
    require(piece.begin <= piece.end && piece.first + rows * data.dof <= data.control.size());
    require(i == 0 || data.pieces[i - 1].end == piece.begin);
  }
  const double end = data.last_place();
  std::vector<double> q_a(data.dof), q_b(data.dof), off(data.dof);
  keepclear::position_at(data, 0.25, q_a.data());
  keepclear::position_at(data, 0.75 * end, q_b.data());
  keepclear::deviation_from_chord(data, 0.25, 0.75 * end, q_a.data(), q_b.data(), off.data());
  const auto range = path.range(path.begin(), path.end());
  const auto velocity = path.velocity(path.begin(), path.end());
  const auto acceleration = path.acceleration(path.begin(), path.end());
  const auto tube = path.tube(path.begin(), path.end());
  for (std::size_t k = 0; k < data.dof; ++k) {
    require(std::isfinite(off[k]) && off[k] >= 0 && std::isfinite(tube[k]) && tube[k] >= 0);
    require(range[k].lower <= range[k].upper && velocity[k].lower <= velocity[k].upper);
    require(acceleration[k].lower <= acceleration[k].upper);
  }
}

void require_motion(const keepclear::ObjectMotion& motion) {
  static const keepclear::DisplacementMetric metric(
      std::vector<keepclear::Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}});
  const keepclear::DisplacementCurve& curve = *motion.curve;
  require(!motion.object.empty() && motion.deviation >= 0 && curve.begin() < curve.end());
  const double middle = curve.begin() + (curve.end() - curve.begin()) / 2;
  for (const double from : {curve.begin(), middle}) {
    for (const double to : {middle, curve.end()}) require(curve.ball(metric, from, to).radius >= 0);
  }
}

template <typename Read>
void require_path_or_error(Read read) {
  try {
    read();
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const std::vector<double> rest = kinematics().neutral();
  static const keepclear::Path line =
      keepclear::parse_path("time,a\n0,0\n1,3\n4,-3\n", "line.csv", kinematics(), rest);
  // Without an ending, the text decides what it is.
  require_path_or_error(
      [&] { require_path(keepclear::parse_path(text, "fuzz", kinematics(), rest)); });
  require_path_or_error(
      [&] { require_path(keepclear::parse_tube(text, "fuzz", kinematics(), line)); });
  require_path_or_error([&] { require_motion(keepclear::parse_object_motion(text, "fuzz")); });
  keepclear::says_object_motion(text, "fuzz");
  return 0;
}
