// SPDX-License-Identifier: BSD-3-Clause
#include "scene/model_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "keepclear/error.hpp"
#include "keepclear/version.hpp"
#include "robot/urdf.hpp"
#include "rounding/mode.hpp"
#include "scene/new_file.hpp"
#include "scene/scene_file.hpp"
#include "scene/scene_values.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using json::Place;
using json::Value;

constexpr std::array<const char*, 3> kAround = {"collision", "visual", "both"};

std::optional<Around> around_of(std::string_view word) {
  for (std::size_t i = 0; i < kAround.size(); ++i) {
    if (word == kAround[i]) return static_cast<Around>(i);
  }
  return std::nullopt;
}

class ModelReader {
 public:
  explicit ModelReader(const std::string& file) : reader_(file, {}) { model_.file = file; }

  BodyModel read(std::string_view text) {
    // `keepclear` is the version that wrote it.
    static const json::Sections sections{
        {"bodies"}, {"$schema", "keepclear", "world", "around"}, {}};
    if (text.size() > kMaxModelBytes) {
      reader_.fail({}, fmt::format("larger than the limit of {} MiB", kMaxModelBytes >> 20));
    }
    json::parse(text, reader_.file(), sections,
                [this](std::string_view key, std::size_t index, const Value& value) {
                  item(key, index, value);
                });
    if (model_.bodies.empty()) reader_.fail({}, "no bodies");
    return std::move(model_);
  }

 private:
  void item(std::string_view key, std::size_t index, const Value& value) {
    const Place top;
    const Place section{&top, key};
    if (key == "bodies") return read_body(value, {&section, {}, index});
    if (key == "world") {
      // For people: who made the file may have more to say than a name.
      if (const auto* name = std::get_if<std::string>(&value.data)) model_.world = *name;
    }
    if (key == "around") {
      const auto& word = reader_.text(value, section);
      const auto around = around_of(word);
      if (!around) {
        reader_.fail(section,
                     "must be \"collision\", \"visual\" or \"both\", is " + text::quoted(word));
      }
      model_.around = *around;
    }
  }

  void read_body(const Value& value, const Place& at) {
    static const json::Names keys{"link",   "radius",      "points", "from",
                                  "volume", "hull_volume", "excess"};
    if (model_.bodies.size() >= kMaxModelBodies) {
      reader_.fail(at, fmt::format("more than {} bodies", kMaxModelBodies));
    }
    const auto& members = reader_.object(value, at);
    reader_.allow_keys(members, keys, at);
    ModelBody body;
    body.place = at.pointer();
    body.link = reader_.required_name(members, "link", at);
    const Place radius{&at, "radius"};
    body.radius = reader_.number(reader_.required(members, "radius", at), radius);
    if (body.radius < 0)
      reader_.fail(radius, fmt::format("must not be negative, is {}", body.radius));
    if (body.radius > kMaxMetres) {
      reader_.fail(radius, fmt::format("is {} m: the limit is {} m", body.radius, kMaxMetres));
    }
    const Place here{&at, "points"};
    const auto& points = reader_.array(reader_.required(members, "points", at), here);
    if (points.empty()) reader_.fail(here, "no points");
    if (points.size() > kMaxModelPoints) {
      reader_.fail(here, fmt::format("{} points: the limit is {}", points.size(), kMaxModelPoints));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      body.points.push_back(reader_.position(points[i], {&here, {}, i}));
    }
    model_.bodies.push_back(std::move(body));
  }

  SceneValues reader_;
  BodyModel model_;
};

/// The shortest text that reads as the same double; a zero keeps its sign.
std::string number(double value) {
  return value == 0 && std::signbit(value) ? "-0.0" : fmt::format("{}", value);
}

std::string quoted(const std::string& name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

const char* to_string(Around around) noexcept {
  return kAround[static_cast<std::size_t>(around)];
}

BodyModel parse_model(std::string_view json, const std::string& name) {
  return ModelReader(name).read(json);
}

BodyModel read_model(const fs::path& file) {
  rounding::require_mode();
  return parse_model(json::read_file(file, kMaxModelBytes), file.string());
}

std::string place_of(const BodyModel& model, std::size_t body) {
  const std::string& place = model.bodies[body].place;
  return place.empty() ? fmt::format("/bodies/{}", body) : place;
}

void require_sound(const BodyModel& model) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Error::Kind::malformed, model.file, 0, what);
  };
  if (static_cast<unsigned>(model.around) >= kAround.size()) refuse("around nothing that there is");
  if (model.bodies.empty()) refuse("no bodies");
  if (model.bodies.size() > kMaxModelBodies)
    refuse(fmt::format("more than {} bodies", kMaxModelBodies));
  const auto is_coordinate = [](double x) { return std::abs(x) <= kMaxMetres; };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const ModelBody& body = model.bodies[i];
    const std::string place = place_of(model, i);
    if (const auto fault = name_fault(body.link); !fault.empty()) refuse(place + "/link: " + fault);
    if (!(body.radius >= 0 && body.radius <= kMaxMetres)) {
      refuse(
          fmt::format("{}/radius: must be from 0 to {} m, is {}", place, kMaxMetres, body.radius));
    }
    if (body.points.empty() || body.points.size() > kMaxModelPoints) {
      refuse(fmt::format("{}/points: must be from 1 to {}, are {}", place, kMaxModelPoints,
                         body.points.size()));
    }
    for (std::size_t p = 0; p < body.points.size(); ++p) {
      const Vec3 at = body.points[p];
      if (is_coordinate(at.x) && is_coordinate(at.y) && is_coordinate(at.z)) continue;
      refuse(fmt::format("{}/points/{}: not finite or beyond {} m", place, p, kMaxMetres));
    }
  }
}

std::string to_json(const BodyModel& model) {
  require_sound(model);
  std::string text =
      fmt::format("{{\n  \"keepclear\": {},\n  \"world\": {},\n  \"around\": \"{}\",\n",
                  quoted(kVersion), quoted(model.world), to_string(model.around));
  text += "  \"bodies\": [";
  const char* before = "\n";
  for (const ModelBody& body : model.bodies) {
    text += fmt::format("{}    {{\"link\": {}, \"radius\": {}, \"points\": [", before,
                        quoted(body.link), number(body.radius));
    before = ",\n";
    for (std::size_t p = 0; p < body.points.size(); ++p) {
      const Vec3 at = body.points[p];
      text += fmt::format("{}[{}, {}, {}]", p > 0 ? ", " : "", number(at.x), number(at.y),
                          number(at.z));
    }
    text += "]}";
  }
  return text + "\n  ]\n}\n";
}

void write_model(const BodyModel& model, const fs::path& file) {
  const std::string text = to_json(model);
  NewFile out(file);
  out.write(text);
  out.keep();
}

}  // namespace keepclear
