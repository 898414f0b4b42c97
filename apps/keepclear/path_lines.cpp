// SPDX-License-Identifier: BSD-3-Clause
#include "path_lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "keepclear/error.hpp"
#include "motion/path_file.hpp"
#include "scene/hasher.hpp"

namespace keepclear::command {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr const char* kHint = "--paths names a file with a path a line, or - for standard input";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == text.npos;
}

}  // namespace

PathLines::PathLines(const std::string& file, std::uint64_t most)
    : name_(file == "-" ? "standard input" : file), left_(most), buffer_(kBuffer) {
  descriptor_ = file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw Error(Error::Kind::missing, name_, 0,
                "cannot open: " + std::generic_category().message(errno), kHint);
  }
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    throw Error(Error::Kind::missing, name_, 0, "is a folder", kHint);
  }
  if (S_ISREG(status.st_mode)) total_ = static_cast<std::uint64_t>(status.st_size);
}

PathLines::~PathLines() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

bool PathLines::refill() {
  ssize_t n = -1;
  do {
    n = ::read(descriptor_, buffer_.data(), std::min<std::uint64_t>(buffer_.size(), left_));
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    throw Error(Error::Kind::missing, name_, 0,
                "cannot read: " + std::generic_category().message(errno));
  }
  begin_ = 0;
  end_ = static_cast<std::size_t>(n);
  left_ -= end_;
  read_ += end_;
  if (hasher_ != nullptr) hasher_->add_bytes({buffer_.data(), end_});
  return n > 0;
}

bool PathLines::next(PathLine& line) {
  for (;;) {
    line.text.clear();
    line.too_long = false;
    bool any = false, ended = false;
    while (!ended && (begin_ < end_ || refill())) {
      any = true;
      const char* const from = buffer_.data() + begin_;
      const void* const stop = std::memchr(from, '\n', end_ - begin_);
      ended = stop != nullptr;
      const std::size_t size =
          ended ? static_cast<std::size_t>(static_cast<const char*>(stop) - from) : end_ - begin_;
      begin_ += size + (ended ? 1 : 0);
      line.too_long = line.too_long || line.text.size() + size > kMaxPathBytes;
      if (!line.too_long) line.text.append(from, size);
    }
    if (!any) return false;
    ++lines_;
    if (line.too_long) line.text = {};
    if (lines_ == 1 && line.text.starts_with("\xef\xbb\xbf")) line.text.erase(0, 3);
    if (line.text.ends_with('\r')) line.text.pop_back();
    if (!line.too_long && is_blank(line.text)) continue;
    line.line = lines_;
    line.index = paths_++;
    return true;
  }
}

std::size_t PathLines::skip(std::size_t paths) {
  PathLine line;
  std::size_t skipped = 0;
  while (skipped < paths && next(line)) ++skipped;
  return skipped;
}

void PathLines::read(std::size_t count, std::size_t bytes, std::vector<PathLine>& lines) {
  lines.clear();
  std::size_t taken = 0;
  for (PathLine line; lines.size() < count && taken < bytes && next(line);) {
    taken += line.text.size();
    lines.push_back(std::move(line));
  }
}

double PathLines::fraction() const noexcept {
  if (total_ == 0) return -1;
  return static_cast<double>(read_) / static_cast<double>(total_);
}

PathLines::Contents PathLines::look_through(const std::string& file) {
  struct stat status = {};
  if (file == "-" || (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
                      !S_ISDIR(status.st_mode))) {
    throw Error(Error::Kind::usage, file == "-" ? "standard input" : file, 0,
                "is read only once: it has no shards, and no run goes on with it",
                "write the paths to a file first");
  }
  PathLines lines(file);
  Hasher hasher;
  lines.hasher_ = &hasher;
  Contents contents;
  contents.paths = lines.skip(std::numeric_limits<std::size_t>::max());
  contents.bytes = lines.read_;
  contents.sha256 = hasher.hex();
  return contents;
}

}  // namespace keepclear::command
