// SPDX-License-Identifier: BSD-3-Clause
#include "page_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "motion/path_data.hpp"
#include "output.hpp"
#include "page_geometry.hpp"

namespace keepclear::command {

namespace {

/// Of worlds with more pairs, samples are not coloured: their distances are looked for one by one.
constexpr std::size_t kMaxColouredPairs = 5'000;
/// Triangles of all swept volumes of a motion together, and of one at least.
constexpr std::size_t kSweptTriangles = 250'000, kLeastTriangles = 60;
/// Parts of the strip: what a wide screen has pixels for.
constexpr std::size_t kMostParts = 2'000;

std::string pair_json(int a, int b) {
  return a < 0 ? "null" : fmt::format("[{},{}]", a, b);
}

std::string numbers(const std::vector<double>& values) {
  return json_list(values, [](double value) { return json_number(value); });
}

/// Times that are looked at: evenly, and the moments that matter.
std::vector<double> sample_times(const ShownMotion& motion, std::size_t count) {
  const double begin = motion.begin(), end = motion.end();
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    times.push_back(i + 1 == count ? end : begin + share * (end - begin));
  }
  const auto add = [&](double time) {
    if (time >= begin && time <= end) times.push_back(time);
  };
  add(motion.certificate.time);
  add(motion.certificate.first_contact);
  for (const MotionInterval& interval : motion.certificate.intervals) add(interval.contact);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Robots stand: one pose of them serves all times.
std::string object_samples_json(const ShownMotion& motion, Poser& poser, std::size_t count) {
  const ShownObject& object = *motion.object;
  std::vector<float> frames, placements;
  PosedWorld posed;
  if (poser.pose(object.rest, posed, false)) {
    for (const Pose& X : posed.frames) append(X, frames);
  }
  const std::vector<double> times = sample_times(motion, std::max<std::size_t>(count, 2));
  for (const double time : times) {
    const Affine M = object.moved(time);
    append(Pose{M.A, M.a}, placements);
  }
  const std::string none = json_list(times, [](double) { return "null"; });
  return fmt::format(
      R"({{"time":{0},"q":[{1}],"frames":{2},"distance":{3},"lower_bound":{3},"nearest":{3},)"
      R"("clearance":"","object":{4}}})",
      numbers(times), numbers(object.rest), packed(frames), none, packed(placements));
}

std::string samples_json(const World& world, const ShownMotion& motion, Poser& poser,
                         std::size_t count) {
  if (motion.object) return object_samples_json(motion, poser, count);
  const bool coloured = world.pair_count() <= kMaxColouredPairs;
  std::vector<double> times, distances, bounds;
  std::vector<float> frames, clearance;
  std::string configurations, nearest, kept;
  PosedWorld posed;
  for (const double time : sample_times(motion, std::max<std::size_t>(count, 2))) {
    const std::vector<double> q = motion.path->position(time);
    if (!poser.pose(q, posed, coloured)) continue;
    const bool any = posed.nearest.a >= 0;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    times.push_back(time);
    distances.push_back(any ? posed.nearest.distance : kNone);
    kept += fmt::format("{}{}", kept.empty() ? "" : ",", posed.kept ? 1 : 0);
    bounds.push_back(any ? posed.nearest.lower_bound : kNone);
    configurations += (configurations.empty() ? "" : ",") +
                      json_list(q, [](double value) { return fmt::format("{:.6g}", value); });
    nearest += (nearest.empty() ? "" : ",") + json_of(posed.nearest);
    for (const Pose& X : posed.frames) append(X, frames);
    for (const double value : posed.clearance) clearance.push_back(static_cast<float>(value));
  }
  return fmt::format(
      R"({{"time":{},"q":[{}],"frames":{},"distance":{},"lower_bound":{},"nearest":[{}],)"
      R"("kept":[{}],"clearance":{}}})",
      numbers(times), configurations, packed(frames), numbers(distances), numbers(bounds), nearest,
      kept, packed(clearance));
}

/// The steps of all pairs laid over each other. Where they end at too many places, the ends are
/// rounded outwards to a grid: a part then shows the worst of all that meet it.
std::string strip_json(const ShownMotion& motion) {
  if (!motion.path) return R"({"from":[],"to":[],"bound":[],"steps":[],"method":[]})";
  const PathData& path = motion.path->data();
  std::vector<double> ends;
  struct Step {
    double from, to;
    const ProofStep* step;
  };
  std::vector<Step> steps;
  // After the first contact only some pairs were looked at: what holds for these is no bound.
  const auto& intervals = motion.certificate.intervals;
  const double known =
      intervals.empty() ? -std::numeric_limits<double>::infinity() : intervals.back().to;
  for (const ProofStep& step : motion.certificate.proof) {
    const double from = time_of_place(path, step.from);
    if (from >= known) continue;
    steps.push_back({from, std::min(time_of_place(path, step.to), known), &step});
    ends.push_back(steps.back().from);
    ends.push_back(steps.back().to);
  }
  // What is not free has no bound, whatever single steps show of it.
  for (const MotionInterval& interval : intervals) {
    if (steps.empty() || interval.status == Verdict::free) continue;
    ends.push_back(interval.from);
    ends.push_back(interval.to);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (ends.size() > kMostParts) {
    const double begin = ends.front(), width = ends.back() - begin;
    ends.clear();
    for (std::size_t i = 0; i <= kMostParts; ++i) {
      ends.push_back(begin + width * static_cast<double>(i) / kMostParts);
    }
  }
  const std::size_t count = ends.size() < 2 ? 0 : ends.size() - 1;
  // Beginning of a step at the part that holds it, end at the one before the next end.
  const auto first_part = [&](double time) {
    const auto after = std::ranges::upper_bound(ends, time) - ends.begin();
    return std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(after, 1)) - 1, count - 1);
  };
  const auto last_part = [&](double time) {
    return std::clamp<std::size_t>(
        static_cast<std::size_t>(std::ranges::lower_bound(ends, time) - ends.begin()), 1, count);
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> bounds(count, kNone);  // of each part between two ends
  std::vector<std::map<Method, std::ptrdiff_t>> changes(count + 1);
  std::vector<std::size_t> unpainted(count + 1);
  std::iota(unpainted.begin(), unpainted.end(), 0);
  const auto next_unpainted = [&](std::size_t part) {
    while (unpainted[part] != part) part = unpainted[part] = unpainted[unpainted[part]];
    return part;
  };
  // The least bound first: what it covers is painted, and not looked at again.
  std::ranges::sort(steps, {}, [](const Step& step) { return step.step->bound; });
  if (count > 0) {
    for (const Step& step : steps) {
      const std::size_t first = first_part(step.from);
      const std::size_t last = std::max(last_part(step.to), first + 1);
      ++changes[first][step.step->method];
      --changes[last][step.step->method];
      for (std::size_t k = next_unpainted(first); k < last; k = next_unpainted(k)) {
        bounds[k] = step.step->bound;
        unpainted[k] = k + 1;
      }
    }
  }
  std::map<Method, std::ptrdiff_t> running;
  std::string from, to, bound, number, method;
  for (std::size_t k = 0; k < count; ++k) {
    for (const auto& [kind, change] : changes[k]) running[kind] += change;
    std::ptrdiff_t sum = 0, most = 0;
    Method usual = Method::chord;
    for (const auto& [kind, of_kind] : running) {
      sum += of_kind;
      if (of_kind > most) most = of_kind, usual = kind;
    }
    const char* const comma = k > 0 ? "," : "";
    from += comma + json_number(ends[k]);
    to += comma + json_number(ends[k + 1]);
    const bool open = std::ranges::any_of(intervals, [&](const MotionInterval& interval) {
      return interval.status != Verdict::free && interval.from < ends[k + 1] &&
             interval.to > ends[k];
    });
    bound += comma + (!open && std::isfinite(bounds[k]) ? json_number(bounds[k]) : "0");
    number += fmt::format("{}{}", comma, sum);
    method += fmt::format("{}\"{}\"", comma, to_string(usual));
  }
  return fmt::format(R"({{"from":[{}],"to":[{}],"bound":[{}],"steps":[{}],"method":[{}]}})", from,
                     to, bound, number, method);
}

std::string swept_json(const ShownMotion& motion, Sweeper* sweeper, std::size_t parts) {
  if (!motion.path || sweeper == nullptr) return "[]";
  const Path& path = *motion.path;
  const double begin = path.begin(), length = path.end() - begin;
  const std::size_t triangles =
      std::clamp(kSweptTriangles / std::max<std::size_t>(parts * sweeper->volume_count(), 1),
                 kLeastTriangles, Sweeper::kTriangles);
  std::string text;
  DrawnSweep sweep;
  for (std::size_t k = 0; k < parts; ++k) {
    const auto at = [&](std::size_t i) {
      return i == parts ? path.end()
                        : begin + length * static_cast<double>(i) / static_cast<double>(parts);
    };
    if (!sweeper->sweep(path.range(at(k), at(k + 1)), sweep, triangles)) continue;
    text += fmt::format(R"({}{{"from":{},"to":{},"clearance":{},"pair":{},"volumes":{}}})",
                        text.empty() ? "" : ",\n", json_number(at(k)), json_number(at(k + 1)),
                        sweep.a < 0 ? "null" : json_number(sweep.clearance),
                        pair_json(sweep.a, sweep.b), json_of(sweep.volumes));
  }
  return "[" + text + "]";
}

}  // namespace

ShownMotion shown_motion(const World& world, const ObjectMotions& motions,
                         const ObjectMotions::Answer& answer, const CertifyOptions& asked) {
  ShownMotion motion{
      answer.file, motions.contract(answer.deviation > 0), {}, asked, certificate_of(world, answer),
      0,           shown_object(world, motions, answer)};
  motion.options.method = Method::ball;
  motion.options.deviation = answer.deviation;
  return motion;
}

std::string motion_document(const World& world, const ShownMotion& motion, Poser& poser,
                            Sweeper* sweeper, const MotionDetail& detail) {
  const Certificate& found = motion.certificate;
  const CertifyOptions& asked = motion.options;
  const bool free = found.verdict == Verdict::free;
  return fmt::format(
      R"({{"name":{},{}"verdict":"{}","begin":{},"end":{},"clearance":{},"distance":{},"time":{},)"
      R"("pair":{},"first_contact":{},"margin":{},"tolerance":{},"deviation":{},"method":"{}",)"
      R"("tests":{},"parts":{},"depth":{},"seconds":{},"contract":{},)"
      "\n\"intervals\":{},\n\"strip\":{},\n\"samples\":{},\n\"swept\":{}}}",
      json_string(motion.name),
      motion.object ? fmt::format("\"object\":{},", motion.object->solid) : "",
      to_string(found.verdict), json_number(motion.begin()), json_number(motion.end()),
      free ? json_number(found.clearance) : "null", json_number(found.distance),
      json_number(found.time), pair_json(found.a, found.b), json_number(found.first_contact),
      json_number(asked.margin), json_number(asked.tolerance), json_number(asked.deviation),
      to_string(asked.method), found.tests, found.parts, found.depth, json_number(motion.seconds),
      json_string(motion.contract),
      json_list(found.intervals,
                [](const MotionInterval& interval) {
                  return fmt::format(
                      R"({{"from":{},"to":{},"status":"{}","pair":{},"contact":{}}})",
                      json_number(interval.from), json_number(interval.to),
                      to_string(interval.status), pair_json(interval.a, interval.b),
                      json_number(interval.contact));
                }),
      strip_json(motion), samples_json(world, motion, poser, detail.samples),
      swept_json(motion, sweeper, detail.swept));
}

}  // namespace keepclear::command
