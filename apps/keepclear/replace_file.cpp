// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "files.hpp"
#include "keepclear/error.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;

void write_whole(const fs::path& path, std::string_view text, const std::string& name) {
  const auto fail = [&](int code) {
    throw Error(Error::Kind::write, name, 0,
                "cannot write: " + std::generic_category().message(code != 0 ? code : EIO));
  };
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail(errno);
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!whole || !closed) fail(errno);
}

}  // namespace

void replace_file(const std::string& name, std::string_view text) {
  std::error_code code;
  if (fs::exists(name, code) && !fs::is_regular_file(name, code)) {
    write_whole(name, text, name);
    return;
  }
  // A link stays one: what it leads to is replaced.
  const fs::path target = fs::exists(name, code) ? fs::canonical(name, code) : fs::path(name);
  const fs::path beside = target.string() + "." + std::to_string(::getpid()) + ".part";
  try {
    write_whole(beside, text, name);
    fs::rename(beside, target, code);
    if (code) throw Error(Error::Kind::write, name, 0, "cannot write: " + code.message());
  } catch (...) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    throw;
  }
}

}  // namespace keepclear::command
