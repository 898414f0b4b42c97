// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace keepclear {

/// What went wrong while loading or writing. The library throws nothing else, and only outside
/// queries: a query is `noexcept` and answers *undecided* instead.
///
/// `what()` is one line: `file:line: what; hint`.
class Error : public std::runtime_error {
 public:
  /// The values are the exit codes of the command line.
  enum class Kind {
    usage = 64,      ///< the call makes no sense (an unknown option, a wrong size)
    malformed = 65,  ///< an input was read and is wrong
    missing = 66,    ///< an input is not there, or may not be read
    internal = 70,   ///< a fault of Keepclear itself
    write = 74,      ///< an output could not be written
  };

  /// `line` is 1-based; 0 means that no line can be named. `hint` says what to do; may be empty.
  Error(Kind kind, std::string file, int line, const std::string& message,
        const std::string& hint = {})
      : std::runtime_error(compose(file, line, message, hint)),
        kind_(kind),
        file_(std::move(file)),
        line_(line) {}

  Kind kind() const noexcept { return kind_; }
  const std::string& file() const noexcept { return file_; }
  int line() const noexcept { return line_; }

 private:
  static std::string compose(const std::string& file, int line, const std::string& message,
                             const std::string& hint) {
    std::string text = file;
    if (line > 0) text.append(":").append(std::to_string(line));
    if (!text.empty()) text.append(": ");
    text.append(message);
    if (!hint.empty()) text.append("; ").append(hint);
    // Names come from strangers' files: a control character must not break the one line.
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return text;
  }

  Kind kind_;
  std::string file_;
  int line_;
};

}  // namespace keepclear
