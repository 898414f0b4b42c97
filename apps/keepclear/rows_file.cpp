// SPDX-License-Identifier: BSD-3-Clause
#include "rows_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "files.hpp"
#include "keepclear/error.hpp"
#include "keepclear/version.hpp"
#include "scene/json.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostState = std::size_t{1} << 20;

[[noreturn]] void fail(const std::string& file, int code) {
  throw Error(Error::Kind::write, file, 0,
              "cannot write: " + std::generic_category().message(code));
}

/// The fields of a side file, and what it means when one differs.
std::vector<std::pair<const char*, std::string>> fields_of(const RowsOf& of) {
  return {{"command", of.command}, {"world", of.world}, {"options", of.options},
          {"input", of.input},     {"shard", of.shard}, {"version", kVersion}};
}

constexpr std::pair<const char*, const char*> kOther[] = {
    {"command", "another command"}, {"world", "another world"},
    {"options", "other options"},   {"input", "another input, or it has changed since"},
    {"shard", "another shard"},     {"version", "another version of keepclear"}};

std::string state_text(const RowsOf& of) {
  std::string text = "{";
  for (const auto& [key, value] : fields_of(of)) {
    text += (text.size() > 1 ? ",\n " : "") + json_string(key) + ": " + json_string(value);
  }
  return text + "}\n";
}

/// Adds what a row says. False for what is no row: zeros of a disk that lost them, or one that was
/// torn and has another behind it, are no JSON.
bool add_row(std::string_view row, const std::string& head, RowTally& tally) {
  if (!row.starts_with(head) || !row.ends_with('}') || !nlohmann::json::accept(row)) return false;
  // Inside a string a quote has a backslash, so this cannot be one.
  constexpr std::string_view kVerdict = "\"verdict\":\"";
  const std::size_t at = row.find(kVerdict);
  if (at == row.npos) {
    if (row.find("\"error\":\"") == row.npos) return false;
    ++tally.errors;
    return true;
  }
  const std::string_view verdict = row.substr(at + kVerdict.size());
  if (verdict.starts_with("free\"")) {
    ++tally.free;
  } else if (verdict.starts_with("contact\"")) {
    ++tally.contact;
  } else if (verdict.starts_with("undecided\"")) {
    ++tally.undecided;
  } else {
    return false;
  }
  return true;
}

}  // namespace

RowsFile::RowsFile(const std::string& file, bool resume, const RowsOf& of, const RowOrder& order)
    : file_(file), state_(file + ".state") {
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  // What cannot be read may be written all the same: a pipe, a terminal.
  if (descriptor_ < 0) descriptor_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(file, errno);
  // The destructor of an object that was never made does not run.
  try {
    output_ = std::make_unique<Output>(descriptor_, file);
    struct stat status = {};
    regular_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (!regular_) {
      if (!resume) return;
      throw Error(Error::Kind::usage, file, 0, "is no file that could be gone on with",
                  "leave out --resume");
    }
    // The lock goes when the program does, however that ends. A file system without locks has none.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw Error(Error::Kind::write, file, 0, "another run is writing it",
                  "wait for it, or write into another file");
    }
    if (resume && status.st_size > 0) {
      require_same(of);
      keep_rows(order);
    } else if (::ftruncate(descriptor_, 0) != 0) {
      fail(file, errno);
    }
    if (kept_ == 0) replace_file(state_, state_text(of));
    if (::lseek(descriptor_, 0, SEEK_END) < 0) fail(file, errno);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RowsFile::~RowsFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RowsFile::close() {
  if (descriptor_ < 0) return;
  // The number may soon be that of another file.
  output_ = std::make_unique<Output>(-1, file_);
  ::close(std::exchange(descriptor_, -1));
}

void RowsFile::require_same(const RowsOf& of) const {
  constexpr const char* kHint = "leave out --resume to begin anew, or write into another file";
  std::error_code ignored;
  if (!fs::exists(state_, ignored)) {
    throw Error(Error::Kind::usage, file_, 0,
                "no " + state_ + " is there to say of what its rows are", kHint);
  }
  const nlohmann::json state =
      nlohmann::json::parse(json::read_file(state_, kMostState), nullptr, false);
  for (const auto& [key, value] : fields_of(of)) {
    const auto found = state.is_object() ? state.find(key) : state.end();
    if (found == state.end() || !found->is_string()) {
      throw Error(Error::Kind::malformed, state_, 0, "is damaged", kHint);
    }
    const bool again = value != "" || std::string_view(key) != "input";
    if (again && *found == value) continue;
    if (!again) {
      throw Error(Error::Kind::usage, file_, 0, "its input cannot be read again", kHint);
    }
    for (const auto& [name, other] : kOther) {
      if (std::string_view(name) != key) continue;
      throw Error(Error::Kind::usage, file_, 0, std::string("its rows are of ") + other, kHint);
    }
  }
}

void RowsFile::keep_rows(const RowOrder& order) {
  std::ifstream in(file_, std::ios::binary);
  if (!in) fail(file_, errno);
  const std::size_t rows_a_unit = order.unit * order.rows_each;
  RowTally tally;
  std::size_t rows = 0;
  off_t end = 0, here = 0;
  for (std::string row; std::getline(in, row) && !in.eof();) {
    if (rows / order.rows_each == order.count) break;
    if (!add_row(row, order.head(rows), tally)) break;
    here += static_cast<off_t>(row.size()) + 1;
    if (++rows % rows_a_unit != 0) continue;
    end = here;
    kept_ = rows / order.rows_each;
    tally_ = tally;
  }
  if (in.bad()) throw Error(Error::Kind::missing, file_, 0, "cannot be read");
  if (::ftruncate(descriptor_, end) != 0) fail(file_, errno);
}

void RowsFile::finish() {
  output_->flush();
  if (regular_ && ::fsync(descriptor_) != 0) fail(file_, errno);
}

}  // namespace keepclear::command
