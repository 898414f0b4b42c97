// SPDX-License-Identifier: BSD-3-Clause
#include "build_facts.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "keepclear/version.hpp"
#include "output.hpp"
#include "page.hpp"

namespace keepclear::command {

namespace {

/// What CMake knew when it configured the build (apps/build_facts.cmake).
struct Configured {
  std::string_view revision;  ///< empty: not known
  bool modified;              ///< the sources differed from the revision
  std::string_view compiler, compiler_version, build_type, flags, system;
};
struct Library {
  std::string_view name, version;
};
#include "build_facts.inc"

/// Whether products are rounded before sums: 1 + 2^-52 squared, less its rounded square, is zero
/// only then. Measured with the options that all sources have.
bool contracts() noexcept {
  const volatile double x = 1 + 0x1p-52;
  const volatile double square = x * x;
  const double a = x;
  const double b = square;
  return a * a - b != 0;
}

constexpr bool kFastMath =
#ifdef __FAST_MATH__
    true;
#else
    false;
#endif

/// Instruction sets that lanes are compiled for, best first; the first that this machine has is
/// used.
std::vector<std::string> lanes(std::int64_t targets) {
  std::vector<std::string> names;
  // A bit each, the best is the lowest.
  for (std::uint64_t rest = static_cast<std::uint64_t>(targets); rest != 0; rest &= rest - 1) {
    names.emplace_back(hwy::TargetName(static_cast<std::int64_t>(rest & (~rest + 1))));
  }
  return names;
}

std::string lanes_used() {
  const auto usable = lanes(HWY_TARGETS & hwy::SupportedTargets());
  return usable.empty() ? "none" : usable.front();
}

/// `items` as `write` has them, separated by commas.
template <typename Items, typename Write>
std::string joined(const Items& items, std::string_view separator, Write write) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += separator;
    text += write(item);
  }
  return text;
}

}  // namespace

std::string build_facts_text() {
  std::vector<std::string> libraries;
  for (const Library& library : kLibraries) {
    libraries.push_back(fmt::format("{} {}", library.name, library.version));
  }
  const std::string compiled =
      joined(lanes(HWY_TARGETS), ", ", [](const std::string& name) { return name; });
  std::string text = fmt::format("keepclear {}\n\n", kVersion);
  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<16}{}\n", name, value);
  };
  row("revision", kConfigured.revision.empty() ? "not known"
                  : kConfigured.modified       ? fmt::format("{}, changed", kConfigured.revision)
                                               : std::string(kConfigured.revision));
  row("compiler", fmt::format("{} {}, {}", kConfigured.compiler, kConfigured.compiler_version,
                              kConfigured.system));
  row("build", fmt::format("{}: {}", kConfigured.build_type, kConfigured.flags));
  row("floating point", fmt::format("IEEE doubles, {}, {}",
                                    contracts() ? "products and sums contracted" : "no contraction",
                                    kFastMath ? "fast-math" : "no fast-math"));
  row("lanes", fmt::format("{} here; compiled for {}", lanes_used(), compiled));
  row("page", has_page() ? "built in" : "none: built without Node.js");
  text += "libraries\n" + paragraph(libraries, 2);
  return text;
}

std::string build_facts_json() {
  const std::string compiled = joined(lanes(HWY_TARGETS), ",", json_string);
  const std::string libraries = joined(kLibraries, ",", [](const Library& library) {
    return fmt::format("{}:{}", json_string(library.name), json_string(library.version));
  });
  return fmt::format(
      "{{\"keepclear\":{},\"revision\":{},\"modified\":{},\"compiler\":{{\"name\":{},\"version\":{}"
      "}},"
      "\"system\":{},\"build_type\":{},\"flags\":{},"
      "\"floating_point\":{{\"contraction\":{},\"fast_math\":{}}},"
      "\"lanes\":{{\"used\":{},\"compiled\":[{}]}},\"page\":{},\"libraries\":{{{}}}}}\n",
      json_string(kVersion),
      kConfigured.revision.empty() ? "null" : json_string(kConfigured.revision),
      kConfigured.modified, json_string(kConfigured.compiler),
      json_string(kConfigured.compiler_version), json_string(kConfigured.system),
      json_string(kConfigured.build_type), json_string(kConfigured.flags), contracts(), kFastMath,
      json_string(lanes_used()), compiled, has_page(), libraries);
}

}  // namespace keepclear::command
