// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <fmt/format.h>

#include "output.hpp"

namespace keepclear::command {

namespace {

std::string json_point(Vec3 p) {
  return fmt::format("[{},{},{}]", json_number(p.x), json_number(p.y), json_number(p.z));
}

}  // namespace

std::string certify_row(const RowsAbout& about, const std::string& head,
                        const Certificate& certificate, double seconds, const std::string& filed) {
  JsonPairs& json_pair = about.json_pair;
  const bool free = certificate.verdict == Verdict::free;
  std::string row = fmt::format(
      "{{{},\"verdict\":\"{}\",\"clearance\":{},\"first_contact\":{},\"distance\":{},\"time\":{},"
      "{}\"pair\":{},\"configuration\":{},\"intervals\":[",
      head, to_string(certificate.verdict), free ? json_number(certificate.clearance) : "null",
      json_number(certificate.first_contact), json_number(certificate.distance),
      json_number(certificate.time),
      about.clocks ? fmt::format("\"other_time\":{},", json_number(certificate.other_time)) : "",
      json_pair(certificate.a, certificate.b),
      certificate.q.empty() ? "null" : json_configuration(about.world, certificate.q));
  const char* comma = "";
  for (const MotionInterval& interval : certificate.intervals) {
    row += fmt::format("{}{{\"from\":{},\"to\":{},\"status\":\"{}\",\"pair\":{},\"contact\":{}}}",
                       comma, json_number(interval.from), json_number(interval.to),
                       to_string(interval.status), json_pair(interval.a, interval.b),
                       json_number(interval.contact));
    comma = ",";
  }
  row += fmt::format("],\"tests\":{},\"parts\":{},\"depth\":{}", certificate.tests,
                     certificate.parts, certificate.depth);
  if (seconds >= 0) row += ",\"seconds\":" + json_number(seconds);
  const double tolerance = about.options.tolerance;
  row += fmt::format(",\"contract\":{{\"certified_above\":{},\"found_below\":{}}}",
                     json_number(2 * tolerance), json_number(-tolerance));
  if (!filed.empty()) row += ",\"certificate\":" + filed;
  return row + "}\n";
}

std::string error_row(const std::string& head, const std::string& error) {
  return "{" + head + ",\"error\":" + json_string(error) + "}\n";
}

std::string check_row(JsonPairs& json_pair, std::size_t pose, const CheckResult& result) {
  const bool free = result.verdict == Verdict::free;
  return fmt::format("{{\"pose\":{},\"verdict\":\"{}\",\"pair\":{}}}\n", pose,
                     to_string(result.verdict),
                     json_pair(free ? -1 : result.a, free ? -1 : result.b));
}

std::string distance_row(JsonPairs& json_pair, std::size_t pose, const Nearest& near) {
  return fmt::format(
      "{{\"pose\":{},\"distance\":{},\"lower_bound\":{},\"pair\":{},\"points\":{},"
      "\"verdict\":\"{}\"}}\n",
      pose, json_number(near.distance), json_number(near.lower_bound), json_pair(near.a, near.b),
      near.a < 0 ? "null"
                 : fmt::format("[{},{}]", json_point(near.point_a), json_point(near.point_b)),
      to_string(near.verdict));
}

std::string check_asked(double margin) {
  return fmt::format("margin {}", margin);
}

std::string distance_asked(bool signed_distance, bool all_pairs) {
  return fmt::format("signed {} all pairs {}", signed_distance, all_pairs);
}

}  // namespace keepclear::command
