// SPDX-License-Identifier: BSD-3-Clause
#include "certify/srdf_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "certify/srdf_edit.hpp"
#include "keepclear/error.hpp"
#include "keepclear/version.hpp"
#include "robot/xml.hpp"
#include "rounding/mode.hpp"
#include "scene/world.hpp"

namespace keepclear {
namespace {

/// What is beyond ASCII becomes character references, which are right in any encoding that the
/// file declares. Bytes that are no character stay.
std::string in_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned value = size == 1 ? 0 : lead & (0x7Fu >> size);
    for (const char c : text.substr(i + 1, size - 1)) {
      value = value << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
    }
    const bool whole = size > 1 && i + size <= text.size();
    const bool surrogate = value >= 0xD800 && value < 0xE000;
    if (whole && value >= 0x80 && value <= 0x10FFFF && !surrogate) {
      out += fmt::format("&#x{:X};", value);
      i += size;
    } else {
      out += text[i++];
    }
  }
  return out;
}

/// For the value of an attribute in double quotes. Names hold no control characters.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return in_ascii(out);
}

/// For a comment, in which no two hyphens may follow each other.
std::string in_comment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    if (c == '-' && out.ends_with('-')) out += ' ';
    out += plain ? c : '?';
  }
  return in_ascii(out);
}

/// Metres to the micrometre, never above the value.
std::string metres_lo(double value) {
  const double scaled = value * 1e6;
  double whole = std::floor(scaled);
  // The product may have been rounded up to a whole number; fma tells.
  if (scaled == whole && std::fma(value, 1e6, -scaled) < 0) whole -= 1;
  return fmt::format("{:.6f}", whole / 1e6);
}

std::string reason_of(const PairOfLinks& pair) {
  switch (pair.kind) {
    case PairClass::adjacent:
      return "Adjacent";
    case PairClass::always:
      return "Always (proved)";
    default:
      return fmt::format("Never (proved, clearance at least {} m)", metres_lo(pair.clearance));
  }
}

std::string how_it_was_disabled(const PairOfLinks& pair) {
  if (pair.reason.empty()) return "no reason was given";
  return pair.reason == "by default" ? "off by default" : "it said " + pair.reason;
}

/// What an SRDF says of one robot: lines without indentation.
class Lines {
 public:
  Lines(const World& world, const std::vector<PairOfLinks>& pairs, int robot)
      : world_(world), robot_(robot) {
    const auto& robots = world.data().robots;
    if (robot < 0 || robot >= static_cast<int>(robots.size())) {
      throw Error(Error::Kind::usage, world.file(), 0,
                  fmt::format("there is no robot number {} for an SRDF", robot));
    }
    prefix_ = robots[robot].prefix;
    for (const PairOfLinks& pair : pairs) {
      if (of_robot(pair.a) && of_robot(pair.b)) pairs_.push_back(pair);
    }
  }

  const std::string& robot_name() const { return world_.data().robots[robot_].name; }

  std::vector<std::string> pairs() const {
    std::vector<std::string> lines;
    for (const PairOfLinks& pair : pairs_) {
      if (!is_disabled(pair)) continue;
      lines.push_back(fmt::format("<disable_collisions link1=\"{}\" link2=\"{}\" reason=\"{}\"/>",
                                  escaped(link(pair.a)), escaped(link(pair.b)),
                                  escaped(reason_of(pair))));
    }
    return lines;
  }

  /// `compared`: with the SRDF that the pairs know of.
  std::vector<std::string> comment(bool compared) const {
    std::vector<std::string> lines = {
        fmt::format("{} {}: proved for the modelled bodies over the whole range of the joints,",
                    kPairsComment, kVersion),
        "     with all rounding accounted for. World (SHA-256):", "     " + world_.hash(),
        fmt::format("     Disabled: {} adjacent, {} always and {} never in contact.",
                    count(PairClass::adjacent), count(PairClass::always), count(PairClass::never)),
        fmt::format("     To be checked: {} sometimes in contact, {} undecided.",
                    count(PairClass::sometimes), count(PairClass::undecided))};
    if (compared) {
      for (const PairOfLinks& pair : pairs_) {
        if (!pair.disabled || is_disabled(pair)) continue;
        lines.push_back(fmt::format("     No longer disabled ({}): {} and {}, {}",
                                    in_comment(how_it_was_disabled(pair)), in_comment(link(pair.a)),
                                    in_comment(link(pair.b)), to_string(pair.kind)));
      }
    }
    lines.back() += " -->";
    return lines;
  }

 private:
  static bool is_disabled(const PairOfLinks& pair) {
    return pair.kind == PairClass::adjacent || pair.kind == PairClass::always ||
           pair.kind == PairClass::never;
  }

  bool of_robot(int solid) const {
    const auto solids = world_.solids();
    if (solid < 0 || solid >= static_cast<int>(solids.size())) return false;
    return solids[solid].robot == robot_ && !solids[solid].is_object;
  }

  /// As the URDF calls it.
  std::string_view link(int solid) const {
    std::string_view name = world_.solids()[solid].name;
    if (name.starts_with(prefix_)) name.remove_prefix(prefix_.size());
    return name;
  }

  std::ptrdiff_t count(PairClass kind) const {
    return std::ranges::count(pairs_, kind, &PairOfLinks::kind);
  }

  const World& world_;
  int robot_;
  std::string prefix_;
  std::vector<PairOfLinks> pairs_;
};

}  // namespace

const char* to_string(PairClass kind) noexcept {
  switch (kind) {
    case PairClass::adjacent:
      return "adjacent";
    case PairClass::always:
      return "always";
    case PairClass::never:
      return "never";
    case PairClass::sometimes:
      return "sometimes";
    case PairClass::undecided:
      break;
  }
  return "undecided";
}

std::string write_srdf(const World& world, const std::vector<PairOfLinks>& pairs, int robot) {
  rounding::require_mode();
  const Lines lines(world, pairs, robot);
  std::string out = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot name=\"{}\">\n",
                                escaped(lines.robot_name()));
  for (const std::string& line : lines.comment(false)) out += "  " + line + '\n';
  for (const std::string& line : lines.pairs()) out += "  " + line + '\n';
  return out + "</robot>\n";
}

std::string rewrite_srdf(std::string_view given, const std::string& file, const World& world,
                         const std::vector<PairOfLinks>& pairs, int robot) {
  xml::check(given, file);
  const Lines source(world, pairs, robot);
  std::vector<std::string> lines = source.comment(true);
  const std::vector<std::string> disabled = source.pairs();
  lines.insert(lines.end(), disabled.begin(), disabled.end());
  return replace_pairs(given, lines);
}

}  // namespace keepclear
