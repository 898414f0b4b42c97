// SPDX-License-Identifier: BSD-3-Clause
#include "robot/packages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "keepclear/error.hpp"
#include "robot/xml.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

struct Seeker {
  const std::string& uri;
  const std::string& file;
  int line;
  std::vector<std::string> tried;

  [[noreturn]] void refuse(const std::string& why, const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, file, line,
                fmt::format("mesh {}: {}", xml::in_quotes(uri), why), hint);
  }

  /// The path, if a regular file is there. Devices and pipes could block or never end.
  bool is_file(const fs::path& path) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_regular_file(status)) return true;
    std::string place = path.string();
    if (place.size() > 400) place = place.substr(0, 397) + "...";
    if (fs::exists(status)) place += " (no regular file)";
    if (std::find(tried.begin(), tried.end(), place) == tried.end()) tried.push_back(place);
    return false;
  }

  [[noreturn]] void not_found(const std::string& hint) const {
    std::string places;
    for (const auto& place : tried) places += (places.empty() ? "" : ", ") + place;
    throw Error(Error::Kind::missing, file, line,
                fmt::format("mesh {} not found; tried {}", xml::in_quotes(uri), places), hint);
  }
};

/// A scheme of at least two letters; one letter would be a Windows drive, which is no scheme.
std::optional<std::string> scheme_of(std::string_view uri) {
  const auto end = uri.find("://");
  if (end == std::string_view::npos || end < 2) return std::nullopt;
  std::string scheme(uri.substr(0, end));
  for (char& c : scheme) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')) {
      return std::nullopt;
    }
  }
  return scheme;
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// file:// URIs write blanks and the like as %20.
std::string percent_decoded(const Seeker& seeker, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex(text[i + 2]) : -1;
    if (high < 0 || low < 0) seeker.refuse("'%' wants two hexadecimal digits");
    if (high == 0 && low == 0) seeker.refuse("a NUL in the path");
    out += static_cast<char>(16 * high + low);
    i += 2;
  }
  return out;
}

/// Both must exist.
bool is_inside(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const auto real_file = fs::canonical(file, error);
  if (error) return false;
  const auto real_folder = fs::canonical(folder, error);
  if (error) return false;
  const auto [rest, _] =
      std::mismatch(real_folder.begin(), real_folder.end(), real_file.begin(), real_file.end());
  return rest == real_folder.end();
}

fs::path resolve_package(Seeker& seeker, std::string_view rest, const PackagePaths& packages,
                         const fs::path& base) {
  const auto slash = rest.find('/');
  const std::string name(rest.substr(0, slash));
  if (name.empty() || name == "." || name == ".." || slash == std::string_view::npos) {
    seeker.refuse("package:// wants a package and a path: package://NAME/meshes/part.stl");
  }
  const auto inner =
      fs::path(std::string(rest.substr(slash + 1))).relative_path().lexically_normal();
  if (inner.empty() || inner == ".") seeker.refuse("no path behind the package");
  if (*inner.begin() == "..") seeker.refuse("'..' leads out of the package");

  std::vector<fs::path> roots;
  const auto below = [&](const fs::path& folder) {
    auto plain = folder;
    if (!plain.has_filename()) plain = plain.parent_path();  // a slash at the end
    if (plain.filename() == name) roots.push_back(plain);
    roots.push_back(folder / name);
  };
  if (const auto named = packages.named.find(name); named != packages.named.end()) {
    roots.push_back(named->second);
  }
  for (const auto& folder : packages.search) {
    below(folder);
    roots.push_back(folder / "share" / name);
  }
  std::error_code error;
  auto folder = fs::absolute(base.empty() ? fs::path(".") : base, error).lexically_normal();
  if (!folder.has_filename() && folder.has_relative_path()) folder = folder.parent_path();
  for (;;) {
    below(folder);
    if (!folder.has_relative_path()) break;
    folder = folder.parent_path();
  }

  for (const auto& root : roots) {
    const auto path = root / inner;
    if (!seeker.is_file(path)) continue;
    if (!is_inside(path, root)) {
      seeker.refuse(
          fmt::format("{} is a symbolic link out of its package {}", path.string(), root.string()),
          "name the folder that holds the real files as the package");
    }
    return path;
  }
  seeker.not_found(fmt::format("say where it is with --package {}=DIR", name));
}

}  // namespace

fs::path resolve_mesh(const std::string& uri, const PackagePaths& packages, const fs::path& base,
                      const std::string& file, int line) {
  Seeker seeker{uri, file, line, {}};
  if (uri.empty()) seeker.refuse("no file name");
  if (uri.find('\0') != std::string::npos) seeker.refuse("a NUL in the path");
  fs::path path = uri;
  if (const auto scheme = scheme_of(uri)) {
    const auto rest = std::string_view(uri).substr(scheme->size() + 3);
    if (*scheme == "package") return resolve_package(seeker, rest, packages, base);
    if (*scheme != "file") {
      seeker.refuse(fmt::format("{}:// is not read", *scheme), "use package://, file:// or a path");
    }
    // file:///path, file://localhost/path; another machine is out of reach.
    auto local = rest.starts_with("localhost/") ? rest.substr(9) : rest;
    if (!local.starts_with("/"))
      seeker.refuse("file:// wants an absolute path: file:///folder/part.stl");
    path = percent_decoded(seeker, local);
  } else if (path.is_relative()) {
    path = base / path;
  }
  if (!seeker.is_file(path)) seeker.not_found({});
  return path;
}

}  // namespace keepclear
