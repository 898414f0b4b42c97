// SPDX-License-Identifier: BSD-3-Clause
//
// What every option of every command takes, and what it needs to have an effect: one table, and the
// one check of command lines against it. It is made before CLI11 reads the line, because CLI11
// passes over an empty value and takes the next word for it, reads 010 as eight, and answers false
// to --json=0.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keepclear::command {

/// How the value of an option is written.
enum class Form {
  flag,            ///< no value
  text,            ///< any text that is not blank: files, folders, names
  number,          ///< a finite decimal number
  whole,           ///< digits without a leading zero
  words,           ///< one of the words of the rule
  numbers,         ///< M,... : as many numbers as `parts` allows
  named_text,      ///< NAME=TEXT
  named_list,      ///< NAME=TEXT,NAME=TEXT,...
  named_numbers,   ///< NAME=M,... : the name may be missing where `name_optional`
  configuration,   ///< A,B,... or NAME=A,... or a JSON object
  number_or_file,  ///< a number, else a file
  address,         ///< HOST:PORT
  fraction,        ///< I/N, whole numbers
  size,            ///< WxH, whole numbers
};

struct OptionRule {
  std::string_view commands;  ///< names with blanks between; empty: every command
  std::string_view option;    ///< its long name; or of an argument
  Form form = Form::flag;
  std::string_view what{};  ///< "a length in metres, 0 or more": ends the sentence "it is ..."
  double least = 0;
  double most = std::numeric_limits<double>::max();
  bool above_least = false;  ///< `least` itself is out of range
  std::string_view words{};  ///< with blanks between: also taken, or, of Form::words, all there is
  int min_parts = 1, max_parts = 1;  ///< of Form::numbers and named_numbers
  bool name_optional = false;
  bool repeats = false;  ///< may be given more than once
  /// Without these it has no effect. Groups with blanks between, alternatives in a group with '|'
  /// between. --option=VALUE: with that value.
  std::string_view needs{};
  /// With any of these it has no effect, or contradicts it.
  std::string_view excludes{};
};

/// The whole table.
std::span<const OptionRule> option_rules();
/// The rule of an option of a command; null where there is none.
const OptionRule* rule_of(std::string_view command, std::string_view option);

/// An option that a command has.
struct KnownOption {
  std::string name;         ///< --long, or the name of an argument
  std::string short_name;   ///< -s, or empty
  bool takes_value = true;  ///< else a flag
  bool is_argument = false;
};

/// What a command line asks for: --help and --version are answered whatever else is given.
enum class Asks { work, help, version };

/// Checks all that stands on the line behind the command: each option and its value by its rule,
/// and all of them together. Throws Error (usage), naming the option and the value; (internal) for
/// an option of the command that has no rule.
Asks check_command_line(std::string_view command, std::span<const KnownOption> known,
                        std::span<const std::string> words);

/// Why `value` is not what the rule wants, as the end of "'value' ..."; empty where it is.
std::string fault_of_value(const OptionRule& rule, std::string_view value);

}  // namespace keepclear::command
