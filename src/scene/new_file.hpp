// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are written whole, onto the disk, or not at all.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "keepclear/error.hpp"

namespace keepclear {

[[noreturn]] inline void fail_to_write(const std::filesystem::path& file, int error) {
  throw Error(Error::Kind::write, file.string(), 0,
              fmt::format("cannot be written: {}", std::generic_category().message(error)));
}

/// A file that gets its new content all at once or not at all: it is gone at the end, unless it was
/// kept. Throws Error (write).
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& file) : target_(file) {
    // Nobody means a file of that name: a variable of a script was not set.
    if (file.native().find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
      throw Error(Error::Kind::usage, "", 0,
                  "the file to write has a blank name: '" + file.native() + "'", "name a file");
    }
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (std::filesystem::is_directory(status)) fail_to_write(target_, EISDIR);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      // A pipe or a device cannot be replaced.
      file_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
      // What a link leads to is replaced, not the link.
      if (std::filesystem::exists(status)) target_ = std::filesystem::canonical(file, ignored);
      for (int i = 0; i < 100 && file_ < 0 && (i == 0 || errno == EEXIST); ++i) {
        name_ = fmt::format("{}.{}.{}.new", target_.string(), ::getpid(), i);
        file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      }
      is_there_ = file_ >= 0;
    }
    if (file_ < 0) fail_to_write(file, errno);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ >= 0) ::close(file_);
    if (is_there_) ::unlink(name_.c_str());
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(file_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail_to_write(target_, written < 0 ? errno : ENOSPC);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void keep() {
    if (is_there_ && ::fsync(file_) != 0) fail_to_write(target_, errno);
    const int closed = ::close(std::exchange(file_, -1));
    if (closed != 0) fail_to_write(target_, errno);
    if (!is_there_) return;
    std::error_code error;
    std::filesystem::rename(name_, target_, error);
    if (error) fail_to_write(target_, error.value());
    is_there_ = false;
  }

 private:
  std::filesystem::path target_;
  std::string name_;
  int file_ = -1;
  bool is_there_ = false;  ///< under its temporary name
};

}  // namespace keepclear
