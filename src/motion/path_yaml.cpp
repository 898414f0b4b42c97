// SPDX-License-Identifier: BSD-3-Clause
#include "motion/path_yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "keepclear/error.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

using json::Array;
using json::Object;
using json::Value;

/// Values from the events of the parser. It never makes a tree of its own, so that an alias costs
/// nothing before it is refused.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override {
    root_ = Value{};
    stack_.clear();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(mark, {std::monostate{}}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "an alias (*) is not read", "write out what it stands for");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    if (expects_key()) {
      add_key(mark, text);
      return;
    }
    require_no_tag(mark, tag);
    const bool in_quotes = tag == "!";
    const auto number = in_quotes ? std::nullopt : text::parse_number(text);
    if (number) {
      add(mark, {*number});
    } else if (!in_quotes && (text == "true" || text == "false")) {
      add(mark, {text == "true"});
    } else {
      add(mark, {text});
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    require_no_tag(mark, tag);
    open(mark, {Array{}});
  }
  void OnSequenceEnd() override { stack_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    require_no_tag(mark, tag);
    open(mark, {Object{}});
  }
  void OnMapEnd() override { stack_.pop_back(); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what,
                         const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, file_, mark.is_null() ? 0 : mark.line + 1, what, hint);
  }
  bool is_empty() const { return std::holds_alternative<std::monostate>(root_.data); }
  Value& root() { return root_; }

 private:
  struct Open {
    Value* value;
    bool has_key = false;  ///< of an object: a key waits for its value
  };

  /// The parser has ? for what is plain and ! for what is in quotes. Any other tag makes something
  /// else of the value: text of a number, or an object of some program.
  void require_no_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, "a tag (!) is not read", "write the value without it");
  }

  bool expects_key() const {
    return !stack_.empty() && std::holds_alternative<Object>(stack_.back().value->data) &&
           !stack_.back().has_key;
  }

  void add_key(const YAML::Mark& mark, const std::string& key) {
    auto& members = std::get<Object>(stack_.back().value->data);
    if (json::find(members, key) != nullptr) {
      fail(mark, fmt::format("the key {} is given twice", text::quoted(key)));
    }
    if (members.size() >= json::kMaxKeys) {
      fail(mark, fmt::format("more than {} keys in one object", json::kMaxKeys));
    }
    members.push_back({key, {}});
    stack_.back().has_key = true;
  }

  Value* add(const YAML::Mark& mark, Value value) {
    if (++values_ > json::kMaxValues)
      fail(mark, fmt::format("more than {} values", json::kMaxValues));
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Open& open = stack_.back();
    if (auto* array = std::get_if<Array>(&open.value->data)) {
      array->push_back(std::move(value));
      return &array->back();
    }
    if (!open.has_key) fail(mark, "a key must be a word");
    open.has_key = false;
    Value& member = std::get<Object>(open.value->data).back().value;
    member = std::move(value);
    return &member;
  }

  void open(const YAML::Mark& mark, Value container) {
    if (stack_.size() >= static_cast<std::size_t>(json::kMaxDepth)) {
      fail(mark, fmt::format("nested deeper than {} levels", json::kMaxDepth));
    }
    // A list grows only while it is the innermost, so that what is open stays where it is.
    stack_.push_back({add(mark, std::move(container))});
  }

  const std::string& file_;
  Value root_;
  std::vector<Open> stack_;
  std::size_t values_ = 0;
};

}  // namespace

json::Object parse_yaml(std::string_view text, const std::string& file) {
  const auto refuse = [&](const std::string& what, const std::string& hint = {}) {
    throw Error(Error::Kind::malformed, file, 0, what, hint);
  };
  if (text.size() > kMaxYamlBytes) {
    refuse(fmt::format("larger than the limit of {} MiB for YAML", kMaxYamlBytes >> 20),
           "JSON and CSV may be larger");
  }
  if (text.find('\0') != text.npos) refuse("binary: a byte 0x00");
  Builder builder(file);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder) || builder.is_empty()) refuse("the file is empty");
    Value root = std::move(builder.root());
    auto* object = std::get_if<json::Object>(&root.data);
    if (object == nullptr) refuse(fmt::format("must be an object, is {}", json::kind_of(root)));
    // One look, not a loop: the parser may stay where it is and call that a document.
    const bool more = parser.HandleNextDocument(builder) && !builder.is_empty();
    if (more || parser) refuse("more than one document", "a path is one trajectory");
    return std::move(*object);
  } catch (const YAML::Exception& error) {
    const int column = error.mark.is_null() ? 0 : error.mark.column + 1;
    builder.fail(error.mark, fmt::format("column {}: {}", column, error.msg));
  }
  return {};
}

}  // namespace keepclear
