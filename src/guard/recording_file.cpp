// SPDX-License-Identifier: BSD-3-Clause
//
// The text of a recording: a line for what was guarded, one for each cycle, one for the checksum.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "guard/crc32c.hpp"
#include "guard/fields.hpp"
#include "keepclear/error.hpp"
#include "keepclear/recorder.hpp"
#include "rounding/mode.hpp"
#include "scene/json.hpp"

namespace keepclear {
namespace {

using json::Place;
using json::Value;

constexpr std::string_view kBegin = "{\"keepclear_recording\":";
constexpr int kFormat = 1;
constexpr std::size_t kMaxBytes = std::size_t{512} << 20;
constexpr std::string_view kDamaged = "the file is damaged, or was changed";

/// The shortest text that reads as the same double; a zero keeps its sign.
std::string number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return value == 0 && std::signbit(value) ? "-0.0" : fmt::format("{}", value);
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string numbers(std::span<const double> values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + number(values[i]);
  return text + "]";
}

std::uint32_t checksum(std::string_view text) {
  return crc32c(std::as_bytes(std::span(text.data(), text.size())));
}

template <typename T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, double>) return number(value);
  return fmt::format("{}", value);
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text(2 * bytes.size(), '0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text[2 * i] = "0123456789abcdef"[static_cast<unsigned>(bytes[i]) >> 4];
    text[2 * i + 1] = "0123456789abcdef"[static_cast<unsigned>(bytes[i]) & 15];
  }
  return text;
}

/// A member of the head; nothing where the latency is not made up of parts.
std::string delays_text(const std::optional<BrakeDelays>& delays) {
  if (!delays) return {};
  return fmt::format("\"delays\":[{},{},{},{},{}],", number(delays->age), number(delays->cycle),
                     number(delays->communication), number(delays->brake_reaction),
                     static_cast<int>(delays->missing_answer_noticed));
}

std::string head_line(const Recording& recording) {
  std::string text = fmt::format(
      "{}{},\"keepclear\":{},\"world\":{},\"name\":{},\"first\":{},\"cycles\":{},"
      "\"latency\":{},{}\"joints\":[",
      kBegin, kFormat, quoted(recording.keepclear), quoted(recording.world), quoted(recording.name),
      recording.first, recording.cycles.size(), number(recording.brake.latency),
      delays_text(recording.brake.delays));
  const char* between = "";
  for (const JointBrake& joint : recording.brake.joints) {
    text += between;
    between = "[";
    for_each_field(joint, [&](const auto& field) {
      text += between + value_text(field);
      between = ",";
    });
    text += "]";
  }
  text += "],\"options\":{";
  between = "";
  for_each_option(recording.options, [&](const char* name, const auto& value) {
    text += fmt::format("{}\"{}\":{}", between, name, value_text(value));
    between = ",";
  });
  return text + "},\"memory\":\"" + hex(recording.memory) + "\"}\n";
}

std::string cycle_line(const RecordedCycle& cycle) {
  const GuardCycle& found = cycle.found;
  return fmt::format(
      "{{\"cycle\":{},\"time\":{},\"age\":{},\"q\":{},\"v\":{},\"command\":{},\"ages\":{},"
      "\"action\":\"{}\",\"reason\":{},\"said\":{},\"a\":{},\"b\":{},\"bound\":{},\"scale\":{},"
      "\"flops\":{}}}\n",
      found.cycle, number(cycle.time), number(cycle.age), numbers(cycle.q), numbers(cycle.v),
      numbers(cycle.command), numbers(cycle.ages), found.action == Action::go ? "go" : "brake",
      static_cast<int>(found.reason), cycle.said, found.a, found.b, number(found.bound),
      number(found.scale), found.flops);
}

class RecordingReader {
 public:
  RecordingReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Recording read() {
    if (!is_recording(text_)) fail("no recording of keepclear guard");
    if (text_.size() > kMaxBytes) fail(fmt::format("larger than {} MiB", kMaxBytes >> 20));
    check_end();
    read_head(next_line());
    recording_.cycles.reserve(std::min<std::size_t>(cycles_, text_.size() / 64));
    while (!text_.empty()) read_cycle(next_line());
    if (recording_.cycles.size() != cycles_) {
      fail(fmt::format("{} cycles where {} were recorded", recording_.cycles.size(), cycles_));
    }
    return std::move(recording_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Error::Kind::malformed, file_, line_, what, std::string(kDamaged));
  }

  /// The last line is the checksum of all before it.
  void check_end() {
    if (!text_.ends_with('\n')) fail("truncated: the last line has no end");
    const std::size_t end = text_.rfind('\n', text_.size() - 2);
    if (end == text_.npos) fail("truncated: there is no checksum");
    const std::string_view last = text_.substr(end + 1);
    text_ = text_.substr(0, end + 1);
    if (!last.starts_with("{\"crc32c\":\"")) fail("truncated: the last line is no checksum");
    if (last != fmt::format("{{\"crc32c\":\"{:08x}\"}}\n", checksum(text_))) {
      fail("the checksum does not match");
    }
  }

  std::string_view next_line() {
    const std::size_t end = text_.find('\n');
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    ++line_;
    return line;
  }

  /// Every key of `sections` exactly once, but for one that may be missing.
  template <typename OnItem>
  void parse(std::string_view line, const json::Sections& sections, std::string_view may_miss,
             const OnItem& on_item) {
    std::size_t seen = 0;
    json::parse(line, fmt::format("{}:{}", file_, line_), sections,
                [&](std::string_view key, std::size_t, const Value& value) {
                  seen += key == may_miss ? 0 : 1;
                  const Place top;
                  on_item(key, value, Place{&top, key});
                });
    if (seen + (may_miss.empty() ? 0 : 1) != sections.singles.size()) fail("a key is missing");
  }

  double number_of(const Value& value, const Place& at) const {
    if (const auto* word = std::get_if<std::string>(&value.data)) {
      if (*word == "nan") return std::numeric_limits<double>::quiet_NaN();
      if (*word == "inf") return std::numeric_limits<double>::infinity();
      if (*word == "-inf") return -std::numeric_limits<double>::infinity();
    }
    return reader_.number(value, at);
  }

  void get(const Value& value, const Place& at, double& out) const { out = number_of(value, at); }
  void get(const Value& value, const Place& at, bool& out) const {
    const auto* flag = std::get_if<bool>(&value.data);
    if (flag == nullptr) reader_.fail(at, "must be true or false");
    out = *flag;
  }
  template <typename Integer>
  requires std::is_integral_v<Integer>
  void get(const Value& value, const Place& at, Integer& out) const {
    const double number = reader_.number(value, at);
    constexpr double kExact = 9007199254740992;  // 2^53: beyond, doubles are no integers any more
    const double most = std::min(kExact, static_cast<double>(std::numeric_limits<Integer>::max()));
    if (!(number >= static_cast<double>(std::numeric_limits<Integer>::min()) && number <= most &&
          number >= -kExact && number == std::floor(number))) {
      reader_.fail(at, "must be a whole number in its range");
    }
    out = static_cast<Integer>(number);
  }
  void get(const Value& value, const Place& at, std::vector<double>& out) const {
    const auto& items = reader_.array(value, at);
    out.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      out.push_back(number_of(items[i], {&at, {}, i}));
    }
  }

  void read_head(std::string_view line) {
    static const json::Sections sections{
        {},
        {"keepclear_recording", "keepclear", "world", "name", "first", "cycles", "latency",
         "delays", "joints", "options", "memory"},
        {}};
    parse(line, sections, "delays", [&](std::string_view key, const Value& value, const Place& at) {
      if (key == "keepclear_recording") {
        int format = 0;
        get(value, at, format);
        if (format != kFormat) {
          throw Error(Error::Kind::malformed, file_, line_,
                      fmt::format("a recording of format {}", format),
                      fmt::format("this Keepclear reads format {}", kFormat));
        }
      } else if (key == "keepclear") {
        recording_.keepclear = reader_.text(value, at);
      } else if (key == "world") {
        recording_.world = reader_.text(value, at);
      } else if (key == "name") {
        recording_.name = reader_.text(value, at);
      } else if (key == "first") {
        get(value, at, recording_.first);
      } else if (key == "cycles") {
        get(value, at, cycles_);
      } else if (key == "latency") {
        get(value, at, recording_.brake.latency);
      } else if (key == "delays") {
        read_delays(value, at);
      } else if (key == "joints") {
        read_joints(value, at);
      } else if (key == "options") {
        read_options(value, at);
      } else {
        read_memory(reader_.text(value, at), at);
      }
    });
  }

  void read_delays(const Value& value, const Place& at) {
    std::vector<double> numbers;
    get(value, at, numbers);
    if (numbers.size() != 5) reader_.fail(at, "must be a list of 5");
    if (numbers[4] != 0 && numbers[4] != 1) reader_.fail({&at, {}, 4}, "must be 0 or 1");
    recording_.brake.delays = {.age = numbers[0],
                               .cycle = numbers[1],
                               .communication = numbers[2],
                               .brake_reaction = numbers[3],
                               .missing_answer_noticed = numbers[4] == 0
                                                             ? MissingAnswer::at_once
                                                             : MissingAnswer::end_of_cycle};
  }

  void read_joints(const Value& value, const Place& at) {
    const auto& items = reader_.array(value, at);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Place here{&at, {}, i};
      const auto& fields = reader_.array(items[i], here);
      JointBrake joint;
      std::size_t k = 0;
      for_each_field(joint, [&](auto& field) {
        if (k < fields.size()) get(fields[k], {&here, {}, k}, field);
        ++k;
      });
      if (k != fields.size()) reader_.fail(here, fmt::format("must be a list of {}", k));
      recording_.brake.joints.push_back(joint);
    }
  }

  void read_options(const Value& value, const Place& at) {
    const auto& members = reader_.object(value, at);
    std::size_t known = 0;
    for_each_option(recording_.options, [&](const char* name, auto& option) {
      get(reader_.required(members, name, at), {&at, name}, option);
      ++known;
    });
    if (members.size() != known) reader_.fail(at, "an unknown key");
  }

  void read_memory(const std::string& text, const Place& at) {
    const auto digit = [&](char c) {
      if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
      reader_.fail(at, "must be hexadecimal");
    };
    if (text.size() % 2 != 0) reader_.fail(at, "half a byte is missing");
    recording_.memory.resize(text.size() / 2);
    for (std::size_t i = 0; i < recording_.memory.size(); ++i) {
      recording_.memory[i] =
          static_cast<std::byte>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
  }

  void read_cycle(std::string_view line) {
    static const json::Sections sections{
        {},
        {"cycle", "time", "age", "q", "v", "command", "ages", "action", "reason", "said", "a", "b",
         "bound", "scale", "flops"},
        {}};
    RecordedCycle cycle;
    GuardCycle& found = cycle.found;
    parse(line, sections, {}, [&](std::string_view key, const Value& value, const Place& at) {
      if (key == "action") {
        const std::string& word = reader_.text(value, at);
        if (word != "go" && word != "brake") reader_.fail(at, "must be \"go\" or \"brake\"");
        found.action = word == "go" ? Action::go : Action::brake;
      } else if (key == "reason") {
        std::uint8_t reason = 0;
        get(value, at, reason);
        if (reason > static_cast<std::uint8_t>(Reason::corrupted)) {
          reader_.fail(at, "no reason of a guard");
        }
        found.reason = static_cast<Reason>(reason);
      } else {
        if (key == "cycle") get(value, at, found.cycle);
        if (key == "time") get(value, at, cycle.time);
        if (key == "age") get(value, at, cycle.age);
        if (key == "q") get(value, at, cycle.q);
        if (key == "v") get(value, at, cycle.v);
        if (key == "command") get(value, at, cycle.command);
        if (key == "ages") get(value, at, cycle.ages);
        if (key == "said") get(value, at, cycle.said);
        if (key == "a") get(value, at, found.a);
        if (key == "b") get(value, at, found.b);
        if (key == "bound") get(value, at, found.bound);
        if (key == "scale") get(value, at, found.scale);
        if (key == "flops") get(value, at, found.flops);
      }
    });
    if ((found.action == Action::go) != (found.reason == Reason::free)) {
      fail(fmt::format("\"{}\" with the reason {}", found.action == Action::go ? "go" : "brake",
                       static_cast<int>(found.reason)));
    }
    recording_.cycles.push_back(std::move(cycle));
  }

  std::string_view text_;
  std::string file_;
  json::Reader reader_{file_};
  int line_ = 0;
  std::uint64_t cycles_ = 0;
  Recording recording_;
};

}  // namespace

bool is_recording(std::string_view text) noexcept {
  return text.starts_with(kBegin);
}

std::string to_text(const Recording& recording) {
  std::string text = head_line(recording);
  for (const RecordedCycle& cycle : recording.cycles) text += cycle_line(cycle);
  return text + fmt::format("{{\"crc32c\":\"{:08x}\"}}\n", checksum(text));
}

Recording parse_recording(std::string_view text, const std::string& file) {
  rounding::require_mode();
  return RecordingReader(text, file).read();
}

Recording read_recording(const std::filesystem::path& file) {
  rounding::require_mode();
  return parse_recording(json::read_file(file, kMaxBytes), file.string());
}

}  // namespace keepclear
