// SPDX-License-Identifier: BSD-3-Clause
#include "view_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "keepclear/error.hpp"
#include "keepclear/version.hpp"
#include "motion/object_motion_file.hpp"
#include "output.hpp"
#include "shape/text.hpp"

namespace keepclear::command {

namespace {

using nlohmann::json;

constexpr std::size_t kMostPoseBytes = std::size_t{64} << 10;
constexpr std::size_t kMostMotionBytes = std::size_t{16} << 20;
constexpr int kMostDepth = 4;
constexpr std::size_t kMostName = 200;
/// Tests of a motion that was sent in: it has to come to an end while someone waits.
constexpr std::size_t kMostTests = 300'000;
/// Of an object: these are tests of elements, which take less.
constexpr std::size_t kMostElementTests = 5'000'000;
/// Of a joint: radians or metres.
constexpr double kMostNumber = 1e6;
/// A document with a running guard in it is made this often at most.
constexpr std::chrono::seconds kFresh{1};

Reply busy() {
  return refuse(503, "busy: ask again in a moment");
}

/// As many as can run at once, one core left for others.
std::size_t most_at_once() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 5) - 1;
}

[[noreturn]] void bad(const std::string& what) {
  throw Error(Error::Kind::malformed, "", 0, what);
}

/// An object with these members and no other.
json parse_object(const std::string& text, std::span<const char* const> members) {
  json value;
  try {
    value = json::parse(text, [](int depth, json::parse_event_t, json&) {
      if (depth > kMostDepth) throw std::length_error("too deep");
      return true;
    });
  } catch (const std::length_error&) {
    bad("the JSON is nested too deeply");
  } catch (const json::exception&) {
    bad("this is no JSON");
  }
  if (!value.is_object()) bad("this is no JSON object");
  for (const auto& [name, ignored] : value.items()) {
    if (std::ranges::find(members, name) == members.end()) bad("there is a member too many");
  }
  for (const char* const name : members) {
    if (!value.contains(name)) bad(fmt::format("\"{}\" is missing", name));
  }
  return value;
}

std::vector<double> numbers(const json& object, const char* name, std::size_t size) {
  const json& list = object[name];
  if (!list.is_array()) bad(fmt::format("\"{}\" is no list", name));
  if (list.size() != size) {
    bad(fmt::format("\"{}\" has {} numbers, the world has {}", name, list.size(), size));
  }
  std::vector<double> values;
  for (const json& entry : list) {
    if (!entry.is_number()) bad(fmt::format("\"{}\" has something that is no number", name));
    values.push_back(entry.get<double>());
    if (!(std::abs(values.back()) <= kMostNumber)) {
      bad(fmt::format("\"{}\" has a number that is too large", name));
    }
  }
  return values;
}

/// The last part of a file's name, fit for a title.
std::string file_name(const std::string& given) {
  const std::size_t slash = given.find_last_of("/\\");
  std::string name = printable(slash == std::string::npos ? given : given.substr(slash + 1));
  if (name.size() > kMostName) name.erase(0, name.size() - kMostName);
  return name.empty() ? "motion.csv" : name;
}

Route get(const char* path, std::function<Reply()> answer) {
  return {.method = "GET", .path = path, .answer = [answer = std::move(answer)](const Question&) {
            return answer();
          }};
}

}  // namespace

ViewServer::ViewServer(const ShownWorld& shown, const MotionOptions& motions, PageDocument document,
                       EventHub& hub, AttachedGuard* guard)
    : shown_(shown),
      motions_(motions),
      world_(shown.world),
      document_(std::move(document)),
      hub_(hub),
      guard_(guard),
      posers_([this] { return std::make_unique<Poser>(world_, shown_.certify.margin); },
              most_at_once()),
      sweepers_([this] { return std::make_unique<Sweeper>(world_); }, most_at_once()) {}

std::vector<Route> ViewServer::routes() {
  const auto file = [](std::string text, const char* type) {
    return [answer = reply(std::move(text), type)] { return answer; };
  };
  const auto post = [this](const char* path, std::size_t most,
                           Reply (ViewServer::*answer)(const Question&)) {
    return Route{"POST", path, most,
                 [this, answer](const Question& question) { return (this->*answer)(question); }};
  };
  return {get("/", file(live_page(document_.title), "text/html; charset=utf-8")),
          get("/page.css", file(page_file("page.css"), "text/css; charset=utf-8")),
          get("/page.js", file(page_file("page.js"), "text/javascript; charset=utf-8")),
          get("/favicon.ico", [] { return Reply{.status = 204}; }),
          get("/api/document", [this] { return this->document(); }),
          get("/api/events", [this] { return events(); }),
          post("/api/pose", kMostPoseBytes, &ViewServer::pose),
          post("/api/sweep", kMostPoseBytes, &ViewServer::sweep),
          post("/api/braking", kMostPoseBytes, &ViewServer::braking),
          post("/api/motion", kMostMotionBytes, &ViewServer::motion)};
}

Reply ViewServer::document() {
  const std::lock_guard lock(writing_);
  if (!written_ || (guard_ != nullptr && Clock::now() - written_at_ > kFresh)) {
    if (guard_ != nullptr) {
      const auto poser = posers_.take();
      if (!poser) return busy();
      document_.guard = guard_->document(*poser);
    }
    written_ = std::make_shared<const std::string>(to_json(document_));
    written_at_ = Clock::now();
  }
  return {.body = written_};
}

Reply ViewServer::events() {
  const auto listener = hub_.listen();
  if (!listener) return refuse(503, "as many look at it as can; close another page of it");
  std::string hello = fmt::format("event: hello\ndata: {{\"keepclear\":{},\"hash\":{}}}\n\n",
                                  json_string(kVersion), json_string(world_.hash()));
  return {.type = "text/event-stream",
          .next = [listener, hello = std::move(hello)](std::string& text) mutable {
            text = std::exchange(hello, {});
            if (!text.empty()) return true;
            if (!listener->next(text)) return false;
            if (text.empty()) text = ": beat\n\n";
            return true;
          }};
}

Reply ViewServer::pose(const Question& question) {
  constexpr const char* kMembers[] = {"q"};
  const std::vector<double> q = numbers(parse_object(question.body, kMembers), "q", world_.dof());
  const auto poser = posers_.take();
  if (!poser) return busy();
  PosedWorld posed;
  if (!poser->pose(q, posed)) bad("\"q\" is no configuration of the world");
  return reply(json_of(world_, posed));
}

Reply ViewServer::sweep(const Question& question) {
  constexpr const char* kMembers[] = {"q", "half_width"};
  const json asked = parse_object(question.body, kMembers);
  const std::vector<double> q = numbers(asked, "q", world_.dof());
  const std::vector<double> half = numbers(asked, "half_width", world_.dof());
  std::vector<Interval> box;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (half[i] < 0) bad("\"half_width\" has a number that is negative");
    // At least what was asked for, rounding or not.
    constexpr double kEverywhere = std::numeric_limits<double>::infinity();
    box.push_back({std::nextafter(q[i] - half[i], -kEverywhere),
                   std::nextafter(q[i] + half[i], kEverywhere)});
  }
  const auto sweeper = sweepers_.take();
  if (!sweeper) return busy();
  DrawnSweep drawn;
  if (!sweeper->sweep(box, drawn)) bad("this is no box of the world");
  return reply(json_of(drawn));
}

Reply ViewServer::braking(const Question& question) {
  parse_object(question.body, {});
  if (guard_ == nullptr) return refuse(409, "no guard is attached");
  const auto sweeper = sweepers_.take();
  if (!sweeper) return busy();
  DrawnSweep drawn;
  if (!guard_->braking(*sweeper, drawn)) return refuse(409, "the guard has shown no state yet");
  return reply(json_of(drawn));
}

Reply ViewServer::motion(const Question& question) {
  const std::unique_lock lock(proving_, std::try_to_lock);
  if (!lock) return refuse(503, "another motion is being proved: ask again in a moment");
  MotionFile file;
  file.file = file_name(question.name);
  file.task = question.body;
  const bool csv =
      text::equal_ignoring_case(std::filesystem::path(file.file).extension().string(), ".csv");
  if (!csv && says_object_motion(question.body, file.file)) {
    return object_motion(file.file, question.body);
  }
  std::vector<Motion> read = read_motions(world_, motions_, {file});
  ShownMotion shown{.name = file.file,
                    .contract = {},
                    .path = std::move(read.front().path),
                    .options = shown_.certify,
                    .certificate = {},
                    .seconds = 0};
  shown.options.budget = std::min(shown.options.budget, kMostTests);
  shown.options.keep_proof = true;
  JsonPairs pairs(world_);
  shown.contract = contract_of({world_, shown.options, motions_, pairs});
  MotionQuery query(world_, shown.options);
  const Clock::time_point began = Clock::now();
  shown.certificate = query(*shown.path);
  shown.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  const auto poser = posers_.take();
  const auto sweeper = sweepers_.take();
  if (!poser || !sweeper) return busy();
  return reply(motion_document(world_, shown, *poser, &*sweeper));
}

Reply ViewServer::object_motion(const std::string& file, const std::string& text) {
  CertifyOptions asked = shown_.certify;
  const bool told = asked.budget != CertifyOptions().budget;
  asked.budget = told ? std::min(asked.budget, kMostElementTests) : kMostElementTests;
  ObjectMotions objects = object_motions(shown_, asked, motions_, file);
  objects.add(file, parse_object_motion(text, file));
  const Clock::time_point began = Clock::now();
  const ObjectMotions::Answer answer = objects.ask(0);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  ShownMotion shown = shown_motion(world_, objects, answer, asked);
  shown.seconds = seconds;
  const auto poser = posers_.take();
  if (!poser) return busy();
  return reply(motion_document(world_, shown, *poser, nullptr));
}

}  // namespace keepclear::command
