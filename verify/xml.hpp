// SPDX-License-Identifier: BSD-3-Clause
// XML by tinyxml2, with what that forgives refused: text, attributes given twice, document types.
#pragma once
#include <tinyxml2.h>

#include <functional>
#include <initializer_list>

#include "files.hpp"

namespace verify::xml {

using Element = tinyxml2::XMLElement;
using Words = std::initializer_list<std::string_view>;

[[noreturn]] inline void fail(const Element& at, const std::string& why) {
  throw CannotTell{"line " + std::to_string(at.GetLineNum()) + ": <" + at.Name() + ">: " + why};
}
inline bool holds(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
/// Of another vocabulary, like drake:proximity. What xacro leaves behind is none.
inline bool is_foreign(std::string_view name) {
  return name.find(':') != name.npos && !name.starts_with("xacro:");
}

/// Calls `use` for the root. Faults are told with the name of the file.
inline void read(const std::filesystem::path& file,
                 const std::function<void(const Element&)>& use) {
  const std::string text = read_file(file);
  tinyxml2::XMLDocument document;
  try {
    if (text.find('\0') != text.npos ||
        document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS ||
        document.RootElement() == nullptr)
      throw CannotTell{std::string("no XML: ") + document.ErrorStr()};
    for (const auto* node = document.FirstChild(); node != nullptr; node = node->NextSibling())
      if (node->ToUnknown() != nullptr || node->ToText() != nullptr ||
          (node->ToElement() != nullptr && node != document.RootElement()))
        throw CannotTell{"something beside its one element"};
    use(*document.RootElement());
  } catch (const CannotTell& e) {
    throw CannotTell{file.string() + ": " + e.why};
  }
}

/// No attributes but these and foreign ones, each once, and no text.
inline void allow(const Element& e, Words attributes, bool any_attribute = false) {
  for (const auto* a = e.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view name = a->Name();
    if (!any_attribute && !holds(attributes, name) && name != "xmlns" && !is_foreign(name))
      fail(e, "the attribute " + std::string(name) + " is not known");
    for (const auto* b = a->Next(); b != nullptr; b = b->Next())
      if (name == b->Name()) fail(e, "the attribute " + std::string(name) + " stands twice");
  }
  for (const auto* node = e.FirstChild(); node != nullptr; node = node->NextSibling())
    if (node->ToUnknown() != nullptr ||
        (node->ToText() != nullptr && !trimmed(node->Value()).empty()))
      fail(e, "text that is not understood");
}
/// And no elements in it.
inline void allow_alone(const Element& e, Words attributes) {
  allow(e, attributes);
  if (e.FirstChildElement() != nullptr) fail(*e.FirstChildElement(), "it is not known there");
}
inline const Element* only_child(const Element& e, const char* name) {
  const Element* child = e.FirstChildElement(name);
  if (child != nullptr && child->NextSiblingElement(name) != nullptr)
    fail(*child, "stands there twice");
  return child;
}
inline std::string text(const Element& e, const char* attribute) {
  const char* value = e.Attribute(attribute);
  if (value == nullptr || trimmed(value).empty()) fail(e, std::string("no ") + attribute);
  return value;
}
inline std::vector<double> numbers(const Element& e, const char* attribute) {
  const std::string words = text(e, attribute);
  std::string_view rest = words;
  std::vector<double> values;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    const auto value = to_number(word);
    if (!value) fail(e, "no number: " + std::string(word));
    values.push_back(*value);
  }
  return values;
}
inline double number(const Element& e, const char* attribute) {
  const std::vector<double> values = numbers(e, attribute);
  if (values.size() != 1) fail(e, std::string("not one number: ") + attribute);
  return values[0];
}
inline double number(const Element& e, const char* attribute, double otherwise) {
  return e.Attribute(attribute) == nullptr ? otherwise : number(e, attribute);
}
inline std::array<double, 3> three(const Element& e, const char* attribute,
                                   std::array<double, 3> otherwise) {
  if (e.Attribute(attribute) == nullptr) return otherwise;
  const std::vector<double> values = numbers(e, attribute);
  if (values.size() != 3) fail(e, std::string("not three numbers: ") + attribute);
  return {values[0], values[1], values[2]};
}
/// A subtree that is passed over must not hide anything that counts.
inline void pass_over(const Element& e) {
  for (const Element* child = e.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    if (holds({"link", "joint", "collision"}, child->Name()))
      fail(*child, "it does not belong here");
    pass_over(*child);
  }
}

}  // namespace verify::xml
