// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include <fstream>

namespace verify {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_inside(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path f = fs::canonical(file, error), d = fs::canonical(folder, error);
  return !error && std::mismatch(d.begin(), d.end(), f.begin(), f.end()).first == d.end();
}

fs::path in_package(const std::string& rest, const fs::path& folder, const Packages& packages) {
  const std::string name = rest.substr(0, rest.find('/'));
  const fs::path inner = fs::path(rest.substr(std::min(rest.size(), name.size() + 1)))
                             .relative_path()
                             .lexically_normal();
  if (name.empty() || name == "." || name == ".." || inner.empty() || inner == "." ||
      *inner.begin() == "..")
    throw CannotTell{"package://" + rest + " names no file of a package"};
  std::vector<fs::path> roots;
  const auto below = [&](fs::path place) {
    if (!place.has_filename()) place = place.parent_path();
    if (place.filename() == name) roots.push_back(place);
    roots.push_back(place / name);
  };
  if (const auto found = packages.named.find(name); found != packages.named.end())
    roots.push_back(found->second);
  for (const fs::path& place : packages.folders) {
    below(place);
    roots.push_back(place / "share" / name);
  }
  fs::path up = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  if (!up.has_filename() && up.has_relative_path()) up = up.parent_path();
  for (;; up = up.parent_path()) {
    below(up);
    if (!up.has_relative_path()) break;
  }
  for (const fs::path& root : roots)
    if (is_file(root / inner)) {
      if (!is_inside(root / inner, root))
        throw CannotTell{(root / inner).string() + " leads out of its package"};
      return root / inner;
    }
  throw CannotTell{"package://" + rest + " is in no folder known: say --package " + name +
                   "=FOLDER"};
}

}  // namespace

fs::path resolve(const std::string& uri, const fs::path& folder, const Packages& packages) {
  const std::size_t end = uri.find("://");
  fs::path path = folder / uri;
  if (end != uri.npos && end >= 2) {
    const std::string scheme = lowered(uri.substr(0, end)), rest = uri.substr(end + 3);
    if (scheme == "package") return in_package(rest, folder, packages);
    path = rest.starts_with("localhost/") ? rest.substr(9) : rest;
    if (scheme != "file" || !path.is_absolute() || rest.find('%') != rest.npos)
      throw CannotTell{"where " + uri + " leads is not known here"};
  }
  if (!is_file(path)) throw CannotTell{"cannot read " + path.string()};
  return path;
}

std::string read_file(const fs::path& path) {
  // A pipe could keep the checker waiting, a device without end.
  if (!is_file(path)) throw CannotTell{"cannot read " + path.string()};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CannotTell{"cannot read " + path.string()};
  if (fs::file_size(path) > (1u << 31))
    throw CannotTell{"a file of more than 2 GiB: " + path.string()};
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace verify
