// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a model: only what the limits allow, written and read again bit for bit, or an Error
// of one line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keepclear/error.hpp"
#include "robot/urdf.hpp"
#include "scene/model_file.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

bool same(double a, double b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

void require_same(const keepclear::BodyModel& a, const keepclear::BodyModel& b) {
  require(a.world == b.world && a.around == b.around && a.bodies.size() == b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const auto& x = a.bodies[i];
    const auto& y = b.bodies[i];
    require(x.link == y.link && same(x.radius, y.radius) && x.points.size() == y.points.size());
    for (std::size_t p = 0; p < x.points.size(); ++p) {
      for (int k = 0; k < 3; ++k) require(same(x.points[p][k], y.points[p][k]));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto model = keepclear::parse_model(text, "fuzz.json");
    require(!model.bodies.empty() && model.bodies.size() <= keepclear::kMaxModelBodies);
    for (const auto& body : model.bodies) {
      require(!body.link.empty() && !body.place.empty());
      require(body.radius >= 0 && body.radius <= keepclear::kMaxMetres);
      require(!body.points.empty() && body.points.size() <= keepclear::kMaxModelPoints);
      for (const auto& p : body.points) {
        for (int k = 0; k < 3; ++k) require(std::abs(p[k]) <= keepclear::kMaxMetres);
      }
    }
    require_same(model, keepclear::parse_model(keepclear::to_json(model), "again.json"));
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
