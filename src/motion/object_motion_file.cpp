// SPDX-License-Identifier: BSD-3-Clause
#include "motion/object_motion_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "keepclear/error.hpp"
#include "motion/displacement_curve.hpp"
#include "motion/path_file.hpp"
#include "robot/kinematics.hpp"
#include "robot/urdf.hpp"
#include "rounding/mode.hpp"
#include "scene/scene_values.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

using json::Array;
using json::Object;
using json::Place;
using json::Value;

constexpr const char* kKinds[] = {"rational_bezier", "screw", "poses"};

/// Of times and of the slide of a screw: seconds, metres.
constexpr double kMaxTime = 1e9, kMaxSlide = 1e9;
/// Radians, of the turn of a screw.
constexpr double kMaxAngle = 1e6;
constexpr std::size_t kMaxControl = 33;
/// Between the largest and the smallest weight, as the curve has it.
constexpr double kMaxWeights = 1e30;

/// The keys of a kind, or none for one that is not known.
json::Names keys_of(std::string_view kind) {
  if (kind == "rational_bezier") {
    return {"kind", "object", "control", "weights",   "begin",
            "end",  "pieces", "gap",     "deviation", "balls"};
  }
  if (kind == "screw") {
    return {"kind",  "object", "start", "point", "axis",
            "angle", "slide",  "begin", "end",   "deviation"};
  }
  if (kind == "poses") return {"kind", "object", "times", "poses", "centre", "deviation"};
  return {};
}

/// A curve whose poses were rounded when they were read.
class RoundedCurve final : public DisplacementCurve {
 public:
  RoundedCurve(CurvePointer curve, rounding::PoseError error)
      : curve_(std::move(curve)), error_(error) {}

  double begin() const noexcept override { return curve_->begin(); }
  double end() const noexcept override { return curve_->end(); }
  DisplacementBall ball(const DisplacementMetric& metric, double from, double to) const override {
    DisplacementBall ball = curve_->ball(metric, from, to);
    const double off = error_.rotation * lever_hi(metric) + error_.position;
    ball.radius = rounding::inflate(ball.radius + off, 4);
    ball.stretch = rounding::up(ball.stretch + error_.rotation);
    return ball;
  }

 private:
  CurvePointer curve_;
  rounding::PoseError error_;
};

class MotionReader {
 public:
  explicit MotionReader(const std::string& file) : reader_(file, {}) {}

  ObjectMotion read(const Object& top) {
    const Place at;
    const Place kind_at{&at, "kind"};
    const std::string& kind = reader_.text(reader_.required(top, "kind", at), kind_at);
    if (is_object_kind(kind)) reader_.allow_keys(top, keys_of(kind), at);
    ObjectMotion motion;
    if (kind == "rational_bezier") {
      motion.curve = bezier(top, at);
    } else if (kind == "screw") {
      motion.curve = screw(top, at);
    } else if (kind == "poses") {
      motion.curve = poses(top, at);
    } else {
      reader_.fail(kind_at, fmt::format("unknown kind {}", text::quoted(kind)),
                   "objects move by rational_bezier, screw and poses");
    }
    motion.object = reader_.required_name(top, "object", at);
    if (const Value* given = json::find(top, "deviation")) {
      motion.deviation = reader_.margin(*given, {&at, "deviation"});
    }
    return motion;
  }

 private:
  /// What `make` makes; if it refuses, that is a fault of the file.
  template <class Make>
  CurvePointer made(const Place& at, const Make& make) const {
    try {
      return make();
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::usage) throw;
      reader_.fail(at, error.what());
    }
  }

  /// At most `most` either way.
  double within(const Value& value, const Place& at, double most, const char* unit) const {
    const double given = reader_.number(value, at);
    if (!(std::abs(given) <= most)) {
      reader_.fail(at, fmt::format("is {}: the limit is {}{}", given, most, unit));
    }
    return given;
  }
  double number(const Object& object, const char* key, const Place& at, double otherwise,
                double most, const char* unit) const {
    const Value* value = json::find(object, key);
    return value == nullptr ? otherwise : within(*value, {&at, key}, most, unit);
  }
  double time(const Object& object, const char* key, const Place& at, double otherwise) const {
    return number(object, key, at, otherwise, kMaxTime, " s");
  }
  void require_growing_times(const Object& object, const Place& at, double begin,
                             double end) const {
    if (begin < end) return;
    if (json::find(object, "end") != nullptr) {
      reader_.fail({&at, "end"},
                   fmt::format("the end, {}, does not come after the begin, {}", end, begin));
    }
    reader_.fail({&at, "begin"},
                 fmt::format("the begin, {}, does not come before the end, {}", begin, end),
                 "give 'end' as well");
  }
  std::vector<double> numbers(const Value& value, const Place& at) const {
    std::vector<double> list;
    for (const Value& v : reader_.array(value, at)) {
      list.push_back(reader_.number(v, {&at, {}, list.size()}));
    }
    return list;
  }

  Affine displacement(const Value& value, const Place& at) const {
    const std::vector<double> n = numbers(value, at);
    if (n.size() != 12) {
      reader_.fail(at, fmt::format("{} numbers, not 12", n.size()),
                   "a displacement is 3 rows of 4, the last column in metres");
    }
    for (std::size_t i = 0; i < n.size(); ++i) {
      if (!(std::abs(n[i]) <= kMaxMetres)) {
        reader_.fail({&at, {}, i}, fmt::format("is {}: the limit is {}", n[i], kMaxMetres));
      }
    }
    return {{{n[0], n[1], n[2]}, {n[4], n[5], n[6]}, {n[8], n[9], n[10]}}, {n[3], n[7], n[11]}};
  }

  BezierBall balls(const Object& top, const Place& at) const {
    const Value* value = json::find(top, "balls");
    if (value == nullptr) return BezierBall::middle;
    const Place here{&at, "balls"};
    const std::string& word = reader_.text(*value, here);
    if (word == "middle") return BezierBall::middle;
    if (word == "smallest") return BezierBall::smallest;
    reader_.fail(here, fmt::format("must be 'middle' or 'smallest', is {}", text::quoted(word)));
  }

  /// The piece that goes from `begin` to `end` unless it says otherwise.
  CurvePointer piece(const Object& object, const Place& at, double begin, double end,
                     BezierBall ball) const {
    const Place control_at{&at, "control"};
    std::vector<Affine> control;
    for (const Value& value : reader_.array(reader_.required(object, "control", at), control_at)) {
      control.push_back(displacement(value, {&control_at, {}, control.size()}));
    }
    if (control.size() < 2 || control.size() > kMaxControl) {
      reader_.fail(control_at, fmt::format("a rational Bezier curve needs 2 to {} control points, "
                                           "not {}",
                                           kMaxControl, control.size()));
    }
    std::vector<double> weights;
    if (const Value* given = json::find(object, "weights")) {
      const Place here{&at, "weights"};
      weights = numbers(*given, here);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] > 0)) {
          reader_.fail({&here, {}, i}, fmt::format("must be positive, is {}", weights[i]));
        }
      }
      if (weights.size() != control.size()) {
        reader_.fail(
            here, fmt::format("{} weights for {} control points", weights.size(), control.size()));
      }
      const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
      if (!(*most / *least <= kMaxWeights)) {
        reader_.fail(here, fmt::format("{} and {} differ by more than a factor of {}", *least,
                                       *most, kMaxWeights));
      }
    }
    begin = time(object, "begin", at, begin);
    end = time(object, "end", at, end);
    require_growing_times(object, at, begin, end);
    return made(at, [&] { return rational_bezier_curve(control, weights, begin, end, ball); });
  }

  CurvePointer bezier(const Object& top, const Place& at) const {
    const Value* pieces = json::find(top, "pieces");
    if (pieces == nullptr) {
      if (json::find(top, "gap") != nullptr) {
        reader_.fail({&at, "gap"}, "a gap is between pieces, and there are no 'pieces'");
      }
      return piece(top, at, 0, 1, balls(top, at));
    }
    for (const char* key : {"control", "weights", "begin", "end"}) {
      if (json::find(top, key) == nullptr) continue;
      reader_.fail({&at, key}, fmt::format("'{}' stands beside 'pieces'", key),
                   "each piece has its own");
    }
    const BezierBall ball = balls(top, at);
    const Place list_at{&at, "pieces"};
    const Array& list = reader_.array(*pieces, list_at);
    std::vector<CurvePointer> parts;
    for (const Value& value : list) {
      const Place here{&list_at, {}, parts.size()};
      const Object& object = reader_.object(value, here);
      reader_.allow_keys(object, {"control", "weights", "begin", "end"}, here);
      // Without times each takes one, from where the one before ends.
      const double begin = time(object, "begin", here, parts.empty() ? 0 : parts.back()->end());
      parts.push_back(piece(object, here, begin, begin + 1, ball));
    }
    double gap = 1e-9;
    if (const Value* given = json::find(top, "gap")) gap = reader_.margin(*given, {&at, "gap"});
    return made(list_at, [&] { return joined_curve(parts, gap); });
  }

  CurvePointer screw(const Object& top, const Place& at) {
    const BoundedPose start = from_origin(reader_.pose(top, "start", at));
    Vec3 point;
    if (const Value* given = json::find(top, "point")) {
      point = reader_.position(*given, {&at, "point"});
    }
    const Place axis_at{&at, "axis"};
    const Vec3 axis = reader_.vec3(reader_.required(top, "axis", at), axis_at);
    if (axis == Vec3{}) reader_.fail(axis_at, "the axis of a screw is zero");
    const double angle = number(top, "angle", at, 0, kMaxAngle, " rad");
    const double slide = number(top, "slide", at, 0, kMaxSlide, " m");
    const double begin = time(top, "begin", at, 0), end = time(top, "end", at, 1);
    require_growing_times(top, at, begin, end);
    const CurvePointer curve =
        made(at, [&] { return screw_curve(start.X, point, axis, angle, slide, begin, end); });
    return std::make_shared<RoundedCurve>(curve, start.error);
  }

  CurvePointer poses(const Object& top, const Place& at) {
    const Place times_at{&at, "times"}, poses_at{&at, "poses"};
    std::vector<double> times;
    for (const Value& value : reader_.array(reader_.required(top, "times", at), times_at)) {
      times.push_back(within(value, {&times_at, {}, times.size()}, kMaxTime, " s"));
    }
    std::vector<Pose> list;
    rounding::PoseError error;
    for (const Value& value : reader_.array(reader_.required(top, "poses", at), poses_at)) {
      const BoundedPose pose = from_origin(reader_.pose(value, {&poses_at, {}, list.size()}));
      list.push_back(pose.X);
      error.rotation = std::max(error.rotation, pose.error.rotation);
      error.position = std::max(error.position, pose.error.position);
    }
    if (list.size() < 2) {
      reader_.fail(poses_at, fmt::format("two or more poses are needed, not {}", list.size()));
    }
    if (times.size() != list.size()) {
      reader_.fail(times_at, fmt::format("{} times for {} poses", times.size(), list.size()));
    }
    for (std::size_t i = 1; i < times.size(); ++i) {
      if (!(times[i] > times[i - 1])) {
        reader_.fail({&times_at, {}, i},
                     fmt::format("the time {} does not come after {}", times[i], times[i - 1]));
      }
    }
    Vec3 centre;
    if (const Value* given = json::find(top, "centre")) {
      centre = reader_.position(*given, {&at, "centre"});
    }
    // Between two rotations that are off by e each, the shorter turn is off by at most e / cos(a/4)
    // where a <= pi is its angle: below 2 e. The image of the centre is off by e of its distance,
    // and the origin by that and 2 e of it more.
    const double reach = rounding::norm_hi(centre);
    const rounding::PoseError off{
        2 * error.rotation, rounding::inflate(error.position + 4 * error.rotation * reach, 4)};
    const CurvePointer curve = made(at, [&] { return interpolated_curve(list, times, centre); });
    return std::make_shared<RoundedCurve>(curve, off);
  }

  SceneValues reader_;
};

}  // namespace

bool is_object_kind(std::string_view kind) {
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

bool says_object_motion(std::string_view text, const std::string& file) {
  // A long joint trajectory need not be read twice.
  const auto named = [&](const char* kind) { return text.find(kind) != text.npos; };
  const bool escaped = text.find('\\') != text.npos;
  if (!escaped && std::none_of(std::begin(kKinds), std::end(kKinds), named)) return false;
  return is_object_kind(kind_of_path(text, file));
}

ObjectMotion parse_object_motion(std::string_view text, const std::string& file) {
  const json::Names keys = keys_of(kind_of_path(text, file));
  const std::optional<Object> top = parse_path_tree(text, file, keys);
  if (!top) {
    throw Error(Error::Kind::malformed, file, 0, "a table of times moves joints, not an object",
                "objects move by rational_bezier, screw and poses, as JSON or YAML");
  }
  return MotionReader(file).read(*top);
}

bool is_object_motion(const std::filesystem::path& file) {
  if (text::equal_ignoring_case(file.extension().string(), ".csv")) return false;
  return says_object_motion(json::read_file(file, kMaxPathBytes), file.string());
}

ObjectMotion read_object_motion(const std::filesystem::path& file) {
  rounding::require_mode();
  return parse_object_motion(json::read_file(file, kMaxPathBytes), file.string());
}

}  // namespace keepclear
