// SPDX-License-Identifier: BSD-3-Clause
#include "certify_object.hpp"

#include <algorithm>
#include <cmath>

#include "certify/object_query.hpp"
#include "keepclear/error.hpp"

namespace keepclear::command {

namespace {

/// More stretches than this are for --json.
constexpr std::size_t kMostObjectStretches = 12;

std::string pair_of(const ObjectMotions::Answer& answer, int other) {
  if (other < 0) return "-";
  return printable(answer.motion.object) + " - " + printable(standing_name(answer.query, other));
}

std::string json_pair(const ObjectMotions::Answer& answer, int other) {
  if (other < 0) return "null";
  return fmt::format("[{},{}]", json_string(answer.motion.object),
                     json_string(standing_name(answer.query, other)));
}

/// 'a', 'b' and 3 more
std::string names_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  std::string words;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    words += fmt::format("{}'{}'", i == 0 ? "" : ", ", printable(names[i]));
  }
  if (names.size() > kMostNames) words += fmt::format(" and {} more", names.size() - kMostNames);
  return words;
}

/// {"edge":3}
std::string json_element(Element element) {
  if (element.kind == Element::Kind::none) return "null";
  return fmt::format("{{\"{}\":{}}}", to_string(element.kind), element.index);
}

bool has_elements(const TolerancedInterval& interval) {
  return interval.moving.kind != Element::Kind::none ||
         interval.standing.kind != Element::Kind::none;
}

std::string json_place(const TolerancedInterval& interval) {
  if (!has_elements(interval)) return "null";
  const Vec3 p = interval.place;
  return fmt::format("[{},{},{}]", json_number(p.x), json_number(p.y), json_number(p.z));
}

std::string element_words(Element element) {
  if (element.kind == Element::Kind::none) return "all of it";
  return fmt::format("{} {}", to_string(element.kind), element.index);
}

std::string stretch_words(const ObjectMotions::Answer& answer, const TolerancedInterval& interval) {
  return fmt::format("{:<9}  {} to {} s: {}{}", to_string(interval.status),
                     seconds_lo(interval.from), seconds_hi(interval.to),
                     pair_of(answer, interval.other), place_words(interval));
}

}  // namespace

const std::string& standing_name(const TolerancedQuery& query, int other) {
  const auto i = static_cast<std::size_t>(other);
  const std::size_t bodies = query.bodies().size();
  return i < bodies ? query.bodies()[i].name : query.planes()[i - bodies].name;
}

std::string place_words(const TolerancedInterval& interval) {
  if (!has_elements(interval)) return "";
  const Vec3 p = interval.place;
  return fmt::format(", {} at {}, near ({:.4g}, {:.4g}, {:.4g})", element_words(interval.moving),
                     element_words(interval.standing), p.x, p.y, p.z);
}

void require_for_objects(const CertifyOptions& options, const MotionOptions& motions,
                         const std::string& file) {
  const std::string why = ": " + file + " moves an object";
  if (options.method != Method::automatic && options.method != Method::ball) {
    usage(fmt::format("--method {}{}", to_string(options.method), why),
          "objects take auto and ball");
  }
  if (motions.tube) usage("--tube" + why, "objects take --deviation");
  if (!options.base.empty()) {
    usage("--base" + why, "robots stand where the scene has them; objects take --deviation");
  }
  if (options.keep_proof) usage("--proof" + why, "steps are written of joint motions alone");
}

ObjectMotions::ObjectMotions(const WorldOptions& world, const CertifyOptions& options,
                             std::vector<double> rest, int threads)
    : ObjectMotions(nullptr, load_options(world), options, std::move(rest), threads) {
  LoadOptions load = load_options(world);
  source_ = is_builtin(world.world) ? read_builtin_source(world.world, load)
                                    : read_source(world.world, load);
  scene_ = source_.scene.get();
}

ObjectMotions::ObjectMotions(const Scene* scene, LoadOptions load, const CertifyOptions& options,
                             std::vector<double> rest, int threads)
    : load_(std::move(load)), scene_(scene), rest_(std::move(rest)) {
  load_.scene.reset();
  options_.ask = options.ask;
  options_.margin = options.margin;
  options_.tolerance = options.tolerance;
  options_.accuracy = options.accuracy;
  options_.relative_accuracy = options.relative_accuracy;
  options_.deviation = options.deviation;
  // Tests of elements are smaller than tests of bodies: unless told, as many as come with them.
  if (options.budget != CertifyOptions().budget) options_.budget = options.budget;
  options_.threads = threads;
}

void ObjectMotions::add(const std::string& file) {
  add(file, read_object_motion(file));
}

void ObjectMotions::add(const std::string& file, ObjectMotion motion) {
  const auto fail = [&](const std::string& what, const std::string& hint) {
    throw Error(Error::Kind::malformed, file, 0, "/object: " + what, hint);
  };
  if (scene_ == nullptr) fail("WORLD is a robot alone", "give a scene, or --scene FILE");
  const auto& objects = scene_->objects;
  const auto object = std::ranges::find(objects, motion.object, &SceneObject::name);
  if (object == objects.end()) {
    fail("the scene has no object '" + motion.object + "'", "keepclear info lists them");
  }
  if (is_carried(motion.object)) {
    fail("'" + motion.object + "' is carried by a link", "it moves as the robot does");
  }
  if (object->shape.kind == Shape::Kind::plane) {
    fail("'" + motion.object + "' is a plane", "what moves must have an end");
  }
  try {
    const TolerancedQuery& query = query_of(motion.object);
    require_within_reach(*scene_, query, *motion.curve,
                         std::max(motion.deviation, options_.deviation));
  } catch (const Error& error) {
    const bool usage = error.kind() == Error::Kind::usage;
    throw Error(usage ? Error::Kind::malformed : error.kind(), file, 0,
                std::string("/object: ") + error.what());
  }
  motions_.push_back({file, std::move(motion)});
}

bool ObjectMotions::is_carried(const std::string& object) const {
  const auto& attached = scene_->attached;
  return std::ranges::find(attached, object, &Attachment::object) != attached.end();
}

TolerancedQuery& ObjectMotions::query_of(const std::string& object) {
  auto query = queries_.find(object);
  if (query == queries_.end()) {
    TolerancedQuery made = object_query(*scene_, load_, object, options_, rest_);
    query = queries_.emplace(object, std::move(made)).first;
  }
  return query->second;
}

std::vector<std::string> ObjectMotions::notes() const {
  std::vector<std::string> alone, open;
  const auto look = [&](const Polyhedron& body, const std::string& name) {
    if (body.face_count() == 0 || body.solid()) return;
    const auto& objects = scene_->objects;
    const auto object = std::ranges::find(objects, name, &SceneObject::name);
    // Links, and what they carry, are convex bodies.
    if (object == objects.end() || object->shape.kind != Shape::Kind::mesh || is_carried(name)) {
      return;
    }
    if (std::ranges::find(open, name) == open.end()) open.push_back(name);
  };
  for (const auto& [object, query] : queries_) {
    if (query.bodies().empty() && query.planes().empty()) alone.push_back(object);
    look(query.moving(), object);
    for (const StandingBody& body : query.bodies()) look(body.body, body.name);
  }
  std::vector<std::string> notes;
  if (!alone.empty()) {
    notes.push_back(
        fmt::format("there is no pair to check for {}: nothing else is there, or it may be touched",
                    names_of(alone)));
  }
  if (open.size() == 1) {
    notes.push_back(
        fmt::format("the mesh of {} is not closed: it is taken as a surface, and what is inside it "
                    "is not in contact",
                    names_of(open)));
  } else if (!open.empty()) {
    notes.push_back(
        fmt::format("the meshes of {} are not closed: they are taken as surfaces, and what is "
                    "inside them is not in contact",
                    names_of(open)));
  }
  return notes;
}

void ObjectMotions::print_notes() const {
  for (const std::string& note : notes()) message("keepclear: note: " + note + "\n");
}

ObjectMotions::Answer ObjectMotions::ask(std::size_t i) {
  const auto& [file, motion] = motions_[i];
  TolerancedQuery& query = query_of(motion.object);
  const double deviation = std::max(motion.deviation, options_.deviation);
  return {file, motion, query, deviation, query(*motion.curve, deviation)};
}

void ObjectMotions::print_json(Output& out, const Answer& answer, double seconds) const {
  const TolerancedResult& result = answer.result;
  const bool free = result.verdict == Verdict::free;
  out.print(
      "{{\"path\":{},\"object\":{},\"verdict\":\"{}\",\"clearance\":{},\"first_contact\":{},"
      "\"distance\":{},\"time\":{},\"pair\":{},\"deviation\":{},\"intervals\":[",
      json_string(answer.file), json_string(answer.motion.object), to_string(result.verdict),
      free ? json_number(result.clearance) : "null", json_number(result.first_contact),
      json_number(result.distance), json_number(result.time), json_pair(answer, result.other),
      json_number(answer.deviation));
  const char* comma = "";
  for (const TolerancedInterval& interval : result.intervals) {
    out.print(
        "{}{{\"from\":{},\"to\":{},\"status\":\"{}\",\"pair\":{},\"moving\":{},\"standing\":{},"
        "\"time\":{},\"place\":{}}}",
        comma, json_number(interval.from), json_number(interval.to), to_string(interval.status),
        json_pair(answer, interval.other), json_element(interval.moving),
        json_element(interval.standing), json_number(interval.time), json_place(interval));
    comma = ",";
  }
  out.print("],\"balls\":{},\"tests\":{},\"depth\":{}", result.balls, result.tests, result.depth);
  if (seconds >= 0) out.print(",\"seconds\":{}", json_number(seconds));
  out.print(",\"contract\":{{\"certified_above\":{}}}}}\n", json_number(2 * options_.tolerance));
}

void ObjectMotions::print_text(Output& out, const Answer& answer, double seconds) const {
  const TolerancedResult& result = answer.result;
  const DisplacementCurve& curve = *answer.motion.curve;
  const auto& intervals = result.intervals;
  switch (result.verdict) {
    case Verdict::free:
      out.print("free: proved for the whole motion of {}, {} to {} s\n\n",
                printable(answer.motion.object), seconds_near(curve.begin()),
                seconds_near(curve.end()));
      if (std::isfinite(result.clearance)) {
        out.print("  clearance  at least {} m throughout\n", metres_lo(result.clearance));
      } else {
        out.print("  clearance  nothing is there to hit\n");
      }
      if (std::isfinite(result.distance)) {
        out.print("  nearest    about {:.6g} m, the least found: {} at {} s\n", result.distance,
                  pair_of(answer, result.other), seconds_near(result.time));
      }
      break;
    case Verdict::contact:
      out.print("contact: {} at {} s\n\n", pair_of(answer, result.other),
                seconds_near(result.first_contact));
      break;
    case Verdict::undecided:
      out.print("undecided: {} could not be proved either way\n\n",
                counted(static_cast<std::size_t>(std::ranges::count(intervals, Verdict::undecided,
                                                                    &TolerancedInterval::status)),
                        "stretch of the motion", "stretches of the motion"));
      break;
  }
  if (result.verdict != Verdict::free && !intervals.empty() &&
      intervals.front().status == Verdict::free) {
    out.print("  free       until {} s\n", seconds_lo(intervals.front().to));
  }
  std::size_t printed = 0, open = 0;
  for (const TolerancedInterval& interval : intervals) {
    if (interval.status == Verdict::free || ++open > kMostObjectStretches) continue;
    out.print("  {:<9}  {}\n", printed++ == 0 ? "not free" : "", stretch_words(answer, interval));
  }
  if (open > printed) out.print("  {:<9}  and {} more; --json has all\n", "", open - printed);
  out.print("  contract   {}\n", contract(answer.deviation > 0));
  out.print("  tests      {} of elements in {}, {:.3g} s\n", result.tests,
            counted(result.balls, "ball"), seconds);
}

std::string ObjectMotions::contract(bool deviation) const {
  return fmt::format("clear by more than {} m{}{} is proved free", 2 * options_.tolerance,
                     options_.margin > 0 ? fmt::format(" + {} m of margin", options_.margin) : "",
                     deviation ? " and what the deviation takes" : "");
}

void ObjectMotions::print_row(Output& out, const Answer& answer, std::size_t width) const {
  const TolerancedResult& result = answer.result;
  const bool free = result.verdict == Verdict::free;
  const std::string clearance =
      free && std::isfinite(result.clearance) ? metres_lo(result.clearance) + " m" : "-";
  const double time = result.verdict == Verdict::contact ? result.first_contact : result.time;
  out.print("{:<{}}  {:<9}  {:>12}  {:>12}  {}\n", printable(answer.file), width,
            to_string(result.verdict), clearance,
            std::isfinite(time) ? seconds_near(time) + " s" : "-", pair_of(answer, result.other));
}

}  // namespace keepclear::command
