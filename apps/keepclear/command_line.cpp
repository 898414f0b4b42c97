// SPDX-License-Identifier: BSD-3-Clause
//
// The check of a command line against the table of option_rules.cpp. CLI11 reads the line after it,
// and finds nothing there that it could read in another way.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "keepclear/error.hpp"
#include "option_rules.hpp"
#include "options.hpp"
#include "shape/text.hpp"

namespace keepclear::command {

namespace {

/// Length in bytes of the blank that begins the text: ASCII, or a space of Unicode that a copied
/// text may bring. 0 for anything else.
std::size_t blank_length(std::string_view text) {
  if (text.empty()) return 0;
  if (static_cast<unsigned char>(text[0]) <= 0x20 || text[0] == 0x7f) return 1;
  constexpr std::string_view kWide[] = {"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                        "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
                                        "\u200a", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f",
                                        "\u2060", "\u3000", "\ufeff"};
  for (const std::string_view blank : kWide) {
    if (text.starts_with(blank)) return blank.size();
  }
  return 0;
}

bool is_blank(std::string_view text) {
  while (const std::size_t length = blank_length(text)) text.remove_prefix(length);
  return text.empty();
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

bool has_word(std::string_view words, std::string_view word) {
  if (words.empty()) return false;
  const auto all = parts_of(words, ' ');
  return std::ranges::find(all, word) != all.end();
}

constexpr const char* kNoNumber = "is not a finite decimal number";
constexpr const char* kOutOfRange = "is out of range";

std::string fault_of_number(const OptionRule& rule, std::string_view word) {
  const std::optional<double> value = text::parse_number(word);
  if (!value) return kNoNumber;
  const bool within =
      *value <= rule.most && (rule.above_least ? *value > rule.least : *value >= rule.least);
  return within ? "" : kOutOfRange;
}

/// Digits alone: CLI11 would take 010 for eight and 0x10 for sixteen.
std::string fault_of_whole(const OptionRule& rule, std::string_view word) {
  const bool digits =
      !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (word.size() > 1 && word[0] == '0'))
    return "is not a whole number in decimal digits";
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc()) return kOutOfRange;
  const auto number = static_cast<double>(value);
  return number >= rule.least && number <= rule.most ? "" : kOutOfRange;
}

std::string fault_of_numbers(const OptionRule& rule, std::string_view text) {
  const auto parts = parts_of(text, ',');
  const auto count = static_cast<int>(parts.size());
  if (count < rule.min_parts || count > rule.max_parts) {
    return rule.min_parts == rule.max_parts
               ? fmt::format("is not {} numbers", rule.min_parts)
               : fmt::format("is not {} to {} numbers", rule.min_parts, rule.max_parts);
  }
  for (const std::string_view part : parts) {
    const std::string fault = fault_of_number(rule, part);
    if (!fault.empty())
      return parts.size() == 1 ? fault : "has '" + std::string(part) + "', which " + fault;
  }
  return {};
}

std::string fault_of_named(const OptionRule& rule, std::string_view text) {
  const bool numbers = rule.form == Form::named_numbers;
  // Names of joints may hold an equals sign, numbers none.
  const std::size_t equals = numbers ? text.rfind('=') : text.find('=');
  if (equals == std::string_view::npos) {
    return rule.name_optional ? fault_of_numbers(rule, text) : "has no '='";
  }
  if (is_blank(text.substr(0, equals))) return "has no name before '='";
  const std::string_view value = text.substr(equals + 1);
  if (is_blank(value)) return "has nothing after '='";
  return numbers ? fault_of_numbers(rule, value) : "";
}

/// How many entries there must be, and which names are known, only the world knows.
std::string fault_of_configuration(std::string_view text) {
  std::string_view json = text;
  while (const std::size_t length = blank_length(json)) json.remove_prefix(length);
  if (json.starts_with('{')) {
    json.remove_prefix(1);
    while (const std::size_t length = blank_length(json)) json.remove_prefix(length);
    return json.starts_with('}') ? "names no joint" : "";
  }
  for (std::string_view part : parts_of(text, ',')) {
    if (is_blank(part)) return "has an empty entry";
    const std::size_t equals = part.rfind('=');
    if (equals != std::string_view::npos) {
      if (is_blank(part.substr(0, equals))) return "has no name before '='";
      part.remove_prefix(equals + 1);
    }
    // Blanks after commas are common.
    while (!part.empty() && text::is_blank(part.front())) part.remove_prefix(1);
    while (!part.empty() && text::is_blank(part.back())) part.remove_suffix(1);
    if (!text::parse_number(part)) return "has '" + std::string(part) + "', which " + kNoNumber;
  }
  return {};
}

std::string fault_of_number_or_file(const OptionRule& rule, const std::string& text) {
  if (text::parse_number(text)) return fault_of_number(rule, text);
  // 0.1m, 0,1 and nan begin as numbers do: files only if they are there.
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  std::error_code code;
  if (end == text.data() || std::filesystem::exists(text, code)) return {};
  return "is neither a number nor a file that is there";
}

std::string fault_of_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return "has no ':'";
  std::string host(text.substr(0, colon));
  if (is_blank(host)) return "has no host before ':'";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  unsigned char address[sizeof(in6_addr)];
  const bool is_address = host == "localhost" || ::inet_pton(AF_INET, host.c_str(), address) == 1 ||
                          ::inet_pton(AF_INET6, host.c_str(), address) == 1;
  if (!is_address) return "has a host that is no IP address";
  const OptionRule port{.commands = "", .option = "", .least = 0, .most = 65535};
  const std::string fault = fault_of_whole(port, text.substr(colon + 1));
  return fault.empty() ? "" : "has a port that " + fault;
}

/// Two whole numbers with a separator between.
std::string fault_of_two(const OptionRule& rule, std::string_view text, char separator) {
  const auto parts = parts_of(text, separator);
  if (parts.size() != 2) return fmt::format("is not two numbers with '{}' between", separator);
  for (const std::string_view part : parts) {
    const std::string fault = fault_of_whole(rule, part);
    if (!fault.empty()) return "has '" + std::string(part) + "', which " + fault;
  }
  return {};
}

std::string fault_of_fraction(std::string_view text) {
  const OptionRule part{.commands = "", .option = "", .least = 1, .most = 1e6};
  std::string fault = fault_of_two(part, text, '/');
  if (!fault.empty()) return fault;
  std::size_t number[2] = {};
  const auto parts = parts_of(text, '/');
  for (int i = 0; i < 2; ++i)
    std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), number[i]);
  return number[0] <= number[1] ? "" : kOutOfRange;
}

struct Word {
  const KnownOption* option = nullptr;
  std::string as_given{};
  std::optional<std::string> value{};  ///< that stands in the same word
};

class Line {
 public:
  Line(std::string_view command, std::span<const KnownOption> known)
      : command_(command), known_(known) {
    for (const KnownOption& option : known) {
      const OptionRule* const rule = rule_of(command, option.name);
      if (rule == nullptr || (rule->form == Form::flag) == option.takes_value) {
        throw Error(Error::Kind::internal, "", 0,
                    "no rule for " + option.name + " of " + std::string(command),
                    "please report this");
      }
    }
  }

  Asks read(std::span<const std::string> words) {
    bool all_arguments = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (all_arguments || word.size() < 2 || word[0] != '-') {
        arguments_.push_back(word);
        continue;
      }
      if (word == "--") {
        all_arguments = true;
        continue;
      }
      const Word found = option_of(word);
      if (found.option == nullptr) {
        unknown_.push_back(word);
        continue;
      }
      if (found.option->name == "--help") return Asks::help;
      if (found.option->name == "--version") return Asks::version;
      if (!found.option->takes_value) {
        if (found.value)
          fail(found.as_given, *found.value, "stands behind a flag", "it takes no value");
        add(*found.option, found.as_given, "");
        continue;
      }
      if (found.value) {
        add(*found.option, found.as_given, *found.value);
      } else if (i + 1 == words.size() || is_option(words[i + 1])) {
        missing_.push_back(found);
      } else {
        add(*found.option, found.as_given, words[++i]);
      }
    }
    return Asks::work;
  }

  void check() const {
    for (const Word& word : missing_) {
      usage(word.as_given + ": a value is missing",
            "it is " + std::string(rule(*word.option).what) +
                "; one that begins with -- is written --OPTION=VALUE");
    }
    if (!unknown_.empty()) {
      usage("there is no option " + text::quoted(unknown_.front()),
            "see keepclear " + std::string(command_) + " --help");
    }
    for (const Given& given : given_) check_value(given);
    check_arguments();
    for (const Given& given : given_) check_count(given);
    for (const Given& given : given_) check_effect(given);
  }

 private:
  struct Given {
    const KnownOption* option;
    std::string as_given, value;
  };

  const OptionRule& rule(const KnownOption& option) const {
    return *rule_of(command_, option.name);
  }

  [[noreturn]] static void fail(const std::string& option, std::string_view value,
                                const std::string& fault, const std::string& hint) {
    usage(option + ": " + text::quoted(value) + " " + fault, hint);
  }

  Word option_of(const std::string& word) const {
    const bool is_long = word.starts_with("--");
    const std::size_t equals = is_long ? word.find('=') : std::string::npos;
    const std::string name = is_long ? word.substr(0, equals) : word.substr(0, 2);
    for (const KnownOption& option : known_) {
      if (option.is_argument || name != (is_long ? option.name : option.short_name)) continue;
      Word found{&option, name};
      if (is_long && equals != std::string::npos) found.value = word.substr(equals + 1);
      if (!is_long && word.size() > 2) found.value = word.substr(2);
      // A value that begins with = is a typing error.
      if (!is_long && found.value && found.value->starts_with('=')) {
        fail(name, *found.value, "begins with '='",
             "write " + name + " VALUE, or " + option.name + "=VALUE");
      }
      return found;
    }
    return {};
  }

  /// A word that can be no value: the value before it was forgotten.
  bool is_option(const std::string& word) const {
    if (word.starts_with("--")) return true;
    return word.size() == 2 && word[0] == '-' && option_of(word).option != nullptr;
  }

  void add(const KnownOption& option, const std::string& as_given, const std::string& value) {
    given_.push_back({&option, as_given, value});
  }

  void check_value(const Given& given) const {
    const OptionRule& rule = this->rule(*given.option);
    if (rule.form == Form::flag) return;
    const std::string fault = fault_of_value(rule, given.value);
    if (!fault.empty()) fail(given.as_given, given.value, fault, "it is " + std::string(rule.what));
  }

  void check_arguments() const {
    std::vector<const KnownOption*> wanted;
    for (const KnownOption& option : known_) {
      if (option.is_argument) wanted.push_back(&option);
    }
    if (arguments_.size() > wanted.size()) {
      const std::string names =
          wanted.empty() ? "no argument" : "one argument, " + wanted.front()->name;
      usage(text::quoted(arguments_[wanted.size()]) + " is one argument too many",
            std::string(command_) + " takes " + names);
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      check_value({wanted[i], wanted[i]->name, arguments_[i]});
    }
  }

  void check_count(const Given& given) const {
    if (rule(*given.option).repeats) return;
    const auto other = std::ranges::find_if(
        given_, [&](const Given& g) { return g.option == given.option && &g != &given; });
    if (other == given_.end()) return;
    const bool flag = !given.option->takes_value;
    usage(given.as_given + ": is given twice" +
              (flag ? "" : ", " + text::quoted(given.value) + " and " + text::quoted(other->value)),
          "give it once");
  }

  /// --option, or --option=VALUE.
  const Given* find(std::string_view wanted) const {
    const std::size_t equals = wanted.find('=');
    const std::string_view name = wanted.substr(0, equals);
    for (const Given& given : given_) {
      if (given.option->name != name) continue;
      if (equals == std::string_view::npos || given.value == wanted.substr(equals + 1))
        return &given;
    }
    return nullptr;
  }

  /// -o where the option has a short name: that is what people write.
  std::string shown(std::string_view wanted) const {
    std::string text(wanted);
    std::ranges::replace(text, '=', ' ');
    for (const KnownOption& option : known_) {
      if (option.name == wanted && !option.short_name.empty()) return option.short_name;
    }
    return text;
  }

  void check_effect(const Given& given) const {
    const OptionRule& rule = this->rule(*given.option);
    const std::string value = given.option->takes_value ? " " + text::quoted(given.value) : "";
    if (!rule.excludes.empty()) {
      for (const std::string_view other : parts_of(rule.excludes, ' ')) {
        if (find(other) == nullptr) continue;
        usage(given.as_given + value + ": not with " + shown(other), "leave out one of the two");
      }
    }
    if (rule.needs.empty()) return;
    for (const std::string_view group : parts_of(rule.needs, ' ')) {
      const auto any = parts_of(group, '|');
      if (std::ranges::any_of(any, [&](std::string_view other) { return find(other) != nullptr; }))
        continue;
      std::string names;
      for (std::size_t i = 0; i < any.size(); ++i) {
        names += (i == 0 ? "" : i + 1 == any.size() ? " or " : ", ") + shown(any[i]);
      }
      usage(given.as_given + value + ": only with " + names, "without that it has no effect");
    }
  }

  std::string_view command_;
  std::span<const KnownOption> known_;
  std::vector<Given> given_;
  std::vector<Word> missing_;
  std::vector<std::string> unknown_, arguments_;
};

}  // namespace

std::string fault_of_value(const OptionRule& rule, std::string_view value) {
  if (value.empty()) return "is empty";
  if (is_blank(value)) return "is blank";
  // CLI11 takes this for a list of nothing.
  if (value == "{}") return "names nothing";
  if (has_word(rule.words, value)) return {};
  switch (rule.form) {
    case Form::flag:
    case Form::text:
      return {};
    case Form::words:
      return "is none of the words";
    case Form::number:
      return fault_of_number(rule, value);
    case Form::whole:
      return fault_of_whole(rule, value);
    case Form::numbers:
      return fault_of_numbers(rule, value);
    case Form::named_text:
    case Form::named_numbers:
      return fault_of_named(rule, value);
    case Form::named_list:
      for (const std::string_view part : parts_of(value, ',')) {
        if (is_blank(part)) return "has an empty entry";
        const std::string fault = fault_of_named(rule, part);
        if (!fault.empty()) return "has '" + std::string(part) + "', which " + fault;
      }
      return {};
    case Form::configuration:
      return fault_of_configuration(value);
    case Form::number_or_file:
      return fault_of_number_or_file(rule, std::string(value));
    case Form::address:
      return fault_of_address(value);
    case Form::fraction:
      return fault_of_fraction(value);
    case Form::size:
      return fault_of_two(rule, value, 'x');
  }
  return {};
}

Asks check_command_line(std::string_view command, std::span<const KnownOption> known,
                        std::span<const std::string> words) {
  Line line(command, known);
  const Asks asks = line.read(words);
  if (asks == Asks::work) line.check();
  return asks;
}

}  // namespace keepclear::command
