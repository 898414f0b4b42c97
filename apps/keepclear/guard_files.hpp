// SPDX-License-Identifier: BSD-3-Clause
//
// What a guard is told by files: states that were logged, and how the joints stop.
#pragma once

#include <limits>
#include <string>

#include "guard_states.hpp"
#include "keepclear/brake.hpp"
#include "options.hpp"

namespace keepclear::command {

/// Where no brake file says otherwise: rad/s^2 or m/s^2, as in the experiments of paper 1.
inline constexpr double kDefaultLatency = 0.01, kDefaultAcceleration = 20;
/// Of margins (metres) and horizons (seconds): the library takes less than this.
inline constexpr double kMaxGuardNumber = 1e6;
inline constexpr const char* kHeaderHint =
    "the first line has time, and q.NAME and v.NAME for every joint";

/// A number that an option gives, not negative; an empty text leaves it as it is. Throws Error
/// (usage).
void set_number(const std::string& option, const std::string& text, double& value, bool zero,
                const char* hint, double below = std::numeric_limits<double>::infinity());

/// The brake file, or where it is empty the same numbers for every joint, said on stderr: for logs.
/// `latency` takes the place of the file's. Throws Error, of a file whose latency has parts too.
BrakeModel brake_model(const World& world, const std::string& file, const std::string& latency,
                       const TalkOptions& talk);

/// A states CSV, or a recording, from a file.
class StatesFile {
 public:
  /// Opens it and reads the first line; `option` is for messages. Throws Error.
  StatesFile(const std::string& file, const std::string& option);
  ~StatesFile();
  StatesFile(const StatesFile&) = delete;
  StatesFile& operator=(const StatesFile&) = delete;

  /// It is a recording: read_recording() reads it.
  bool has_recording() const;
  /// The columns, from the header line. Throws Error (malformed).
  StateColumns columns(const World& world, bool needs_command);
  /// The next state; false at the end. Throws Error (malformed) for a line that is none.
  bool next(StateColumns& columns, StateRow& row);

 private:
  bool next_line();
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

  int descriptor_;
  LineReader reader_;
  std::string line_;
};

}  // namespace keepclear::command
