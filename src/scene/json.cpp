// SPDX-License-Identifier: BSD-3-Clause
#include "scene/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "keepclear/error.hpp"
#include "robot/xml.hpp"

namespace keepclear::json {
namespace {

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key.substr(0, 100)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return key.size() > 100 ? out + "..." : out;
}

bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Builds the value of one item at a time from the events of nlohmann's parser, which does not
/// recurse.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view source, const std::string& file, const Sections& sections,
          const OnItem& on_item)
      : source_(source), file_(file), sections_(sections), on_item_(on_item) {}

  bool null() override { return add({std::monostate{}}); }
  bool boolean(bool value) override { return add({value}); }
  bool number_integer(number_integer_t value) override { return add({static_cast<double>(value)}); }
  bool number_unsigned(number_unsigned_t value) override {
    return add({static_cast<double>(value)});
  }
  bool number_float(number_float_t value, const string_t&) override { return add({value}); }
  bool string(string_t& value) override { return add({std::move(value)}); }
  bool binary(binary_t&) override { return false; }  // never in text
  bool start_object(std::size_t) override { return open({Object{}}); }
  bool start_array(std::size_t) override { return open({Array{}}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (stack_.empty()) return section(name);
    auto& members = std::get<Object>(stack_.back()->data);
    const bool twice = find(members, name) != nullptr;
    members.push_back({std::move(name), {}});
    if (twice) fail("this key is given twice");
    if (members.size() > kMaxKeys) fail(fmt::format("more than {} keys in one object", kMaxKeys));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // What was read last ends at `position`; a line break that is itself at fault ends its line.
    const auto before =
        source_.substr(0, std::min(position > 0 ? position - 1 : 0, source_.size()));
    const auto lines = std::count(before.begin(), before.end(), '\n') + 1;
    const int line =
        static_cast<int>(std::min<std::ptrdiff_t>(lines, std::numeric_limits<int>::max()));
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    if (error.id == 406) {
      throw Error(Error::Kind::malformed, file_, line,
                  fmt::format("{}: a number beyond what a double can hold", here()));
    }
    throw Error(Error::Kind::malformed, file_, line,
                fmt::format("column {}: {}", column, reason(error.what())));
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    const auto place = here();
    throw Error(Error::Kind::malformed, file_, 0, place.empty() ? what : place + ": " + what, hint);
  }

  /// The library's message without its own names, and with nothing but plain letters of the file.
  static std::string reason(std::string_view message) {
    const auto column = message.find("column ");
    const auto begin = column == message.npos ? message.find("] ") : message.find(": ", column);
    if (begin != message.npos) message.remove_prefix(begin + 2);
    std::string out(message.substr(0, 160));
    for (char& c : out) {
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
    return message.size() > 160 ? out + "..." : out;
  }

  /// The pointer of the value at hand.
  std::string here() const {
    if (section_.empty()) return {};
    std::string out = "/" + escaped(section_);
    if (in_list_) out += fmt::format("/{}", index_);
    for (std::size_t i = 0; i < stack_.size(); ++i) {
      if (const auto* array = std::get_if<Array>(&stack_[i]->data)) {
        // A container within is already in the list; a value to come is not.
        out += fmt::format("/{}", array->size() - (i + 1 < stack_.size() ? 1 : 0));
      } else if (const auto& members = std::get<Object>(stack_[i]->data); !members.empty()) {
        out += "/" + escaped(members.back().key);
      }
    }
    return out;
  }

  bool section(std::string& name) {
    section_ = std::move(name);
    is_list_ = holds(sections_.lists, section_);
    if (!is_list_ && !holds(sections_.singles, section_)) {
      Names known = sections_.lists;
      known.insert(known.end(), sections_.singles.begin(), sections_.singles.end());
      const auto nearest = xml::did_you_mean(section_, known);
      fail(fmt::format("unknown key {}", xml::in_quotes(section_)),
           nearest.empty() ? sections_.hint : nearest);
    }
    if (std::find(seen_.begin(), seen_.end(), section_) != seen_.end()) {
      fail("this key is given twice");
    }
    seen_.push_back(section_);
    index_ = 0;
    return true;
  }

  void count_value() {
    if (++values_ > kMaxValues) fail(fmt::format("more than {} values in one item", kMaxValues));
  }

  bool add(Value value) {
    if (depth_ == 0) fail(fmt::format("must be an object, is {}", kind_of(value)));
    if (stack_.empty()) {
      if (is_list_ && !in_list_) fail(fmt::format("must be a list, is {}", kind_of(value)));
      return hand_over(value);
    }
    put(std::move(value));
    return true;
  }

  Value* put(Value value) {
    count_value();
    if (auto* array = std::get_if<Array>(&stack_.back()->data)) {
      array->push_back(std::move(value));
      return &array->back();
    }
    auto& member = std::get<Object>(stack_.back()->data).back();
    member.value = std::move(value);
    return &member.value;
  }

  bool open(Value container) {
    const bool is_object = std::holds_alternative<Object>(container.data);
    if (depth_ >= kMaxDepth) fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    if (depth_ == 0) {
      if (!is_object) fail("must be an object, is a list");
    } else if (!stack_.empty()) {
      stack_.push_back(put(std::move(container)));
    } else if (is_list_ && !in_list_) {
      if (is_object) fail("must be a list, is an object");
      in_list_ = true;
    } else {
      item_ = std::move(container);
      stack_.push_back(&item_);
    }
    ++depth_;
    return true;
  }

  bool close() {
    --depth_;
    if (stack_.empty()) {
      in_list_ = false;
      if (depth_ == 1) section_.clear();
      return true;
    }
    stack_.pop_back();
    return !stack_.empty() || hand_over(item_);
  }

  bool hand_over(const Value& value) {
    values_ = 0;
    on_item_(section_, in_list_ ? index_++ : Place::kNoIndex, value);
    return true;
  }

  std::string_view source_;
  const std::string& file_;
  const Sections& sections_;
  const OnItem& on_item_;
  std::string section_;  ///< the key of the document at hand
  std::vector<std::string> seen_;
  bool is_list_ = false;  ///< that key is one of the lists
  bool in_list_ = false;  ///< and the list is open
  std::size_t index_ = 0, values_ = 0;
  int depth_ = 0;
  Value item_;
  std::vector<Value*> stack_;  ///< the open containers of item_; each is the last of the one before
};

}  // namespace

const char* kind_of(const Value& value) noexcept {
  constexpr std::array<const char*, 6> kKinds = {"null",     "true or false", "a number",
                                                 "a string", "a list",        "an object"};
  return kKinds[value.data.index()];
}

const Value* find(const Object& object, std::string_view key) noexcept {
  for (const Member& member : object) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string Place::pointer() const {
  std::string out = up ? up->pointer() : std::string();
  if (index != kNoIndex) return out + fmt::format("/{}", index);
  return key.empty() && !up ? out : out + "/" + escaped(key);
}

void parse(std::string_view text, const std::string& file, const Sections& sections,
           const OnItem& on_item) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Error::Kind::malformed, file, 0, what);
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    refuse("UTF-16 is not read: save the file as UTF-8");
  }
  // The library takes a NUL for the end, and would leave out the rest.
  if (text.find('\0') != text.npos) refuse("binary: a byte 0x00");
  if (text.find_first_not_of(" \t\r\n") == text.npos) refuse("the file is empty");
  Builder builder(text, file, sections, on_item);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) refuse("no JSON");
}

std::string read_file(const std::filesystem::path& file, std::size_t most) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Error::Kind::missing, file.string(), 0, why);
  };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) refuse("no such file");
  if (std::filesystem::is_directory(status)) refuse("this is a folder, not a file");
  // A device or pipe may have no end.
  if (!std::filesystem::is_regular_file(status)) refuse("this is no regular file");
  const auto size = std::filesystem::file_size(file, error);
  if (error) refuse("cannot be read");
  const auto too_large = [&] {
    throw Error(Error::Kind::malformed, file.string(), 0,
                fmt::format("larger than the limit of {} MiB", most >> 20));
  };
  if (size > most) too_large();
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse("cannot be opened");
  // One byte more than expected, to see a file that has grown since.
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) refuse("cannot be read");
  if (static_cast<std::size_t>(in.gcount()) > size) refuse("grows while it is read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

void Reader::fail(const Place& at, const std::string& what, const std::string& hint) const {
  const auto pointer = at.pointer();
  throw Error(Error::Kind::malformed, file_, 0, pointer.empty() ? what : pointer + ": " + what,
              hint);
}

const Object& Reader::object(const Value& value, const Place& at) const {
  const auto* found = std::get_if<Object>(&value.data);
  if (!found) fail(at, fmt::format("must be an object, is {}", kind_of(value)));
  return *found;
}

const Array& Reader::array(const Value& value, const Place& at) const {
  const auto* found = std::get_if<Array>(&value.data);
  if (!found) fail(at, fmt::format("must be a list, is {}", kind_of(value)));
  return *found;
}

const std::string& Reader::text(const Value& value, const Place& at) const {
  const auto* found = std::get_if<std::string>(&value.data);
  if (!found) fail(at, fmt::format("must be a string, is {}", kind_of(value)));
  return *found;
}

double Reader::number(const Value& value, const Place& at) const {
  const auto* found = std::get_if<double>(&value.data);
  if (!found) fail(at, fmt::format("must be a number, is {}", kind_of(value)));
  return *found;
}

Vec3 Reader::vec3(const Value& value, const Place& at) const {
  const auto& items = array(value, at);
  if (items.size() != 3) fail(at, fmt::format("must be three numbers, is {}", items.size()));
  return {number(items[0], {&at, {}, 0}), number(items[1], {&at, {}, 1}),
          number(items[2], {&at, {}, 2})};
}

const Value& Reader::required(const Object& object, const char* key, const Place& at) const {
  const auto* found = find(object, key);
  if (!found) fail(at, fmt::format("'{}' is missing", key));
  return *found;
}

void Reader::allow_keys(const Object& object, const Names& known, const Place& at) const {
  for (const Member& member : object) {
    if (holds(known, member.key)) continue;
    fail({&at, member.key}, fmt::format("unknown key {}", xml::in_quotes(member.key)),
         xml::did_you_mean(member.key, known));
  }
}

}  // namespace keepclear::json
