// SPDX-License-Identifier: BSD-3-Clause
//
// XML from strangers: checked for well-formedness and limits in one linear pass before tinyxml2
// builds a tree of it, and strict access to that tree. Every error names file and line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/geometry.hpp"

namespace tinyxml2 {
class XMLAttribute;
class XMLDocument;
class XMLElement;
}  // namespace tinyxml2

namespace keepclear {

/// Limits on what a stranger's file may ask for; beyond them loading fails with the limit named.
inline constexpr std::size_t kMaxXmlBytes = std::size_t{64} << 20;
inline constexpr int kMaxXmlDepth = 64;
/// Elements, attributes, comments and texts together: each costs tinyxml2 about 100 bytes.
inline constexpr std::size_t kMaxXmlItems = 2'000'000;
/// In one element.
inline constexpr std::size_t kMaxXmlAttributes = 64;
/// Bytes of one attribute value, or of one name.
inline constexpr std::size_t kMaxXmlValue = std::size_t{64} << 10;
/// Bytes of the name of a link, joint or file.
inline constexpr std::size_t kMaxName = 1024;

namespace xml {

using Element = tinyxml2::XMLElement;
using Names = std::vector<std::string_view>;

/// The content of a regular file of at most kMaxXmlBytes.
std::string read_file(const std::filesystem::path& file);

/// Throws Error (malformed) with line, column and reason for what is no well-formed XML, for
/// document types and entities of any kind, for control characters and for what exceeds a limit.
/// Never recurses.
void check(std::string_view text, const std::string& file);

/// check(), then a tree with exactly one root.
void parse(std::string_view text, const std::string& file, tinyxml2::XMLDocument& document);

/// `text` in quotes for a message, shortened when long.
std::string in_quotes(std::string_view text);

/// "<name>" for a message, shortened when long.
std::string tag(const Element& at);

/// "did you mean 'x'?" for the nearest of `known` at most two edits away, or nothing.
std::string did_you_mean(std::string_view name, const Names& known);
bool holds(const Names& names, std::string_view name);

/// The least number of inserted, removed, replaced or swapped letters. Words beyond 32 letters
/// count as far away from everything.
std::size_t edit_distance(std::string_view a, std::string_view b);

bool is_prefixed(std::string_view name);  ///< has a namespace, as in drake:capsule

/// A number in plain decimal notation, with blanks around it or a sign before it, whatever the
/// locale. Nothing for nan, inf, hexadecimal, commas, rests, and what no double can hold.
std::optional<double> to_number(std::string_view text);
/// The blank-separated numbers of `text`; nothing if one of them is none.
std::optional<std::vector<double>> to_numbers(std::string_view text);

/// Strict access to elements of one file.
class Reader {
 public:
  /// A lenient reader notes unknown attributes and letters between tags, and goes on; everything
  /// else is refused all the same.
  explicit Reader(std::string file, bool lenient = false)
      : file_(std::move(file)), lenient_(lenient) {}

  const std::string& file() const { return file_; }
  [[noreturn]] void fail(int line, const std::string& what, const std::string& hint = {}) const;
  [[noreturn]] void fail(const Element& at, const std::string& what,
                         const std::string& hint = {}) const;

  /// Fails for a fault, or notes it if lenient: for what surely changes nothing that is read.
  void fail_or_note(int line, const std::string& what, const std::string& hint) const;
  /// Fails for an attribute that is not listed, unless it declares a namespace or a schema, and for
  /// a value that xacro should have replaced.
  void allow_attributes(const Element& at, const Names& known) const;
  /// Fails for a child that is not listed, with a hint.
  [[noreturn]] void unknown_child(const Element& child, const Names& known) const;
  /// Fails for letters between the tags.
  void refuse_text(const Element& at) const;
  /// No children, no text.
  void refuse_content(const Element& at) const;
  /// The only child of that name, or nullptr. Two are an error.
  const Element* only_child(const Element& at, const char* name) const;

  /// A name: there, not empty, at most kMaxName bytes, free of control characters.
  std::string name(const Element& at, const char* attribute) const;
  std::string optional_name(const Element& at, const char* attribute) const;
  double number(const Element& at, const char* attribute) const;
  std::optional<double> optional_number(const Element& at, const char* attribute) const;
  std::vector<double> numbers(const Element& at, const char* attribute) const;
  std::optional<Vec3> optional_vec3(const Element& at, const char* attribute) const;

  /// Counts an element that is known and not used; notes() has one line a kind of element.
  void ignore(const Element& at, const std::string& where);
  std::vector<std::string> notes() const;

 private:
  const tinyxml2::XMLAttribute& required(const Element& at, const char* attribute) const;

  struct Ignored {
    int first_line = 0;
    std::size_t count = 0;
  };
  std::string file_;
  bool lenient_ = false;
  mutable std::vector<std::string> pardoned_;
  std::map<std::string, Ignored> ignored_;
};

}  // namespace xml
}  // namespace keepclear
