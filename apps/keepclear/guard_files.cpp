// SPDX-License-Identifier: BSD-3-Clause
#include "guard_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "csv.hpp"
#include "keepclear/error.hpp"
#include "keepclear/recorder.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

int opened(const std::string& file, const std::string& option) {
  const std::string hint = option + " names a states CSV or a recording";
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const int code = errno;
  struct stat status = {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    throw Error(Error::Kind::missing, file, 0,
                "cannot open: " + std::generic_category().message(code), hint);
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    throw Error(Error::Kind::missing, file, 0, "is a folder", hint);
  }
  return descriptor;
}

}  // namespace

void set_number(const std::string& option, const std::string& text, double& value, bool zero,
                const char* hint, double below) {
  if (text.empty()) return;
  std::string fault = parse_number(text, value);
  if (fault.empty() && value < 0) fault = "'" + text + "' is negative";
  if (fault.empty() && value == 0 && !zero) fault = "it must be positive";
  if (fault.empty() && !(value < below)) fault = fmt::format("it must be below {}", below);
  if (!fault.empty()) usage(option + ": " + fault, hint);
}

BrakeModel brake_model(const World& world, const std::string& file, const std::string& latency,
                       const TalkOptions& talk) {
  double seconds = kDefaultLatency;
  set_number("--latency", latency, seconds, true, "it is a time in seconds");
  if (file.empty()) {
    if (!talk.quiet) {
      message(
          fmt::format("keepclear: note: no --brake: every joint is taken to speed up and to brake "
                      "with {} rad/s^2 (m/s^2), {} s after its state\n",
                      kDefaultAcceleration, seconds));
    }
    JointBrake joint;
    joint.max_acceleration = joint.brake_deceleration = kDefaultAcceleration;
    return uniform_brake(world, seconds, joint);
  }
  BrakeModel brake = read_brake(world, file);
  if (!latency.empty() && brake.delays) {
    usage(fmt::format("--latency: '{}', and {} has the parts of the latency in \"delays\"", latency,
                      printable(file)),
          "change them there, or leave --latency out");
  }
  if (!latency.empty()) brake.latency = seconds;
  return brake;
}

StatesFile::StatesFile(const std::string& file, const std::string& option)
    : descriptor_(opened(file, option)), reader_(descriptor_, file) {
  try {
    if (!reader_.next(line_)) fail("empty: there is no header line", kHeaderHint);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

StatesFile::~StatesFile() {
  ::close(descriptor_);
}

void StatesFile::fail(const std::string& what, const std::string& hint) const {
  throw Error(Error::Kind::malformed, reader_.name(), reader_.line_number(), what, hint);
}

bool StatesFile::has_recording() const {
  return is_recording(line_);
}

bool StatesFile::next_line() {
  while (reader_.next(line_)) {
    if (!line_.starts_with('#')) return true;
  }
  return false;
}

StateColumns StatesFile::columns(const World& world, bool needs_command) {
  if (line_.starts_with('#') && !next_line()) fail("there is no header line", kHeaderHint);
  return {world.variables(), line_, reader_.name(), reader_.line_number(), needs_command};
}

bool StatesFile::next(StateColumns& columns, StateRow& row) {
  // Empty lines may end a file; between states one may stand where a state was lost.
  bool empty = false;
  while (next_line()) {
    if (is_blank(line_)) {
      empty = true;
      continue;
    }
    if (empty) fail("an empty line between states", "remove it");
    const std::string fault = columns.read(line_, row);
    if (!fault.empty()) fail(fault);
    return true;
  }
  return false;
}

}  // namespace keepclear::command
