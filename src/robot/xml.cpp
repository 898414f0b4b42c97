// SPDX-License-Identifier: BSD-3-Clause
#include "robot/xml.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>

#include "keepclear/error.hpp"

namespace keepclear::xml {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
// The same letters as tinyxml2's, so that both see the same tags.
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

/// One linear pass over the text with an explicit stack of open elements: tinyxml2 recurses, knows
/// nothing of duplicate attributes, and ends at the first NUL.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void run() {
    if (text_.size() > kMaxXmlBytes) {
      throw Error(Error::Kind::malformed, file_, 0,
                  fmt::format("{} bytes are too many: the limit is {} MiB", text_.size(),
                              kMaxXmlBytes >> 20));
    }
    refuse_binary();
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size()) {
      if (text_[at_] == '<') {
        markup();
      } else {
        content();
      }
    }
    if (!open_.empty()) {
      const auto& [name, offset] = open_.back();
      fail(offset, fmt::format("<{}> is not closed", shortened(name)));
    }
    if (!root_seen_) fail(0, text_.empty() ? "the file is empty" : "no element in this file");
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    offset = std::min(offset, text_.size());
    const auto before = text_.substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw Error(Error::Kind::malformed, file_, static_cast<int>(lines) + 1,
                fmt::format("column {}: {}", offset - start + 1, what));
  }

  static std::string shortened(std::string_view name) {
    return name.size() <= 60 ? std::string(name) : std::string(name.substr(0, 57)) + "...";
  }

  void refuse_binary() const {
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      fail(0, "UTF-16 is not read: save the file as UTF-8");
    }
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c < 0x20 && !is_blank(text_[i])) fail(i, fmt::format("binary: a byte 0x{:02x}", c));
    }
  }

  void count_item() {
    if (++items_ > kMaxXmlItems) {
      fail(at_, fmt::format("too much XML: more than {} elements and attributes", kMaxXmlItems));
    }
  }

  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  /// Moves behind the next `end`.
  void skip_to(std::string_view end, std::size_t from, const char* what) {
    const auto found = text_.find(end, from);
    if (found == std::string_view::npos) fail(at_, fmt::format("{} has no end", what));
    at_ = found + end.size();
  }

  void markup() {
    count_item();
    if (looking_at("<!--")) return skip_to("-->", at_ + 4, "a comment");
    if (looking_at("<![CDATA[")) {
      if (open_.empty()) fail(at_, "CDATA outside of the root element");
      const auto start = at_ + 9;
      skip_to("]]>", start, "CDATA");
      return check_utf8(start, at_ - 3);
    }
    if (looking_at("<!")) {
      fail(at_, "document types and entities (<!DOCTYPE, <!ENTITY) are refused: remove them");
    }
    if (looking_at("<?")) {
      if (root_seen_) fail(at_, "a processing instruction after the first element");
      return skip_to("?>", at_ + 2, "a processing instruction");
    }
    if (looking_at("</")) return end_tag();
    start_tag();
  }

  std::string_view name(const char* what) {
    const auto start = at_;
    if (at_ >= text_.size() || !starts_name(text_[at_]))
      fail(at_, fmt::format("{} expected", what));
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    if (at_ - start > kMaxXmlValue) {
      fail(start, fmt::format("a name longer than {} bytes", kMaxXmlValue));
    }
    check_utf8(start, at_);
    return text_.substr(start, at_ - start);
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  void end_tag() {
    const auto start = at_;
    at_ += 2;
    const auto closed = name("the name of an element");
    skip_blanks();
    if (!looking_at(">")) fail(at_, fmt::format("'>' expected after </{}", shortened(closed)));
    ++at_;
    if (open_.empty()) fail(start, fmt::format("</{}> closes nothing", shortened(closed)));
    const auto& [opened, offset] = open_.back();
    if (opened != closed) {
      const auto before = text_.substr(0, offset);
      fail(start, fmt::format("</{}> closes <{}> of line {}", shortened(closed), shortened(opened),
                              std::count(before.begin(), before.end(), '\n') + 1));
    }
    open_.pop_back();
  }

  void start_tag() {
    const auto start = at_;
    ++at_;
    const auto opened = name("the name of an element");
    if (open_.empty() && root_seen_) {
      fail(start, fmt::format("a second root element <{}>", shortened(opened)));
    }
    root_seen_ = true;
    if (open_.size() >= static_cast<std::size_t>(kMaxXmlDepth)) {
      fail(start, fmt::format("nesting too deep: more than {} levels", kMaxXmlDepth));
    }
    attributes_.clear();
    for (;;) {
      const auto before = at_;
      skip_blanks();
      if (looking_at("/>")) {
        at_ += 2;
        return;
      }
      if (looking_at(">")) {
        ++at_;
        open_.emplace_back(opened, start);
        return;
      }
      if (at_ >= text_.size()) fail(start, fmt::format("<{} has no end", shortened(opened)));
      if (before == at_) fail(at_, "a blank expected before an attribute");
      attribute();
    }
  }

  void attribute() {
    count_item();
    const auto start = at_;
    const auto key = name("the name of an attribute");
    if (std::find(attributes_.begin(), attributes_.end(), key) != attributes_.end()) {
      fail(start, fmt::format("attribute '{}' is given twice", shortened(key)));
    }
    attributes_.push_back(key);
    if (attributes_.size() > kMaxXmlAttributes) {
      fail(start, fmt::format("more than {} attributes in one element", kMaxXmlAttributes));
    }
    skip_blanks();
    if (!looking_at("=")) fail(at_, fmt::format("'=' expected after '{}'", shortened(key)));
    ++at_;
    skip_blanks();
    if (!looking_at("\"") && !looking_at("'")) {
      fail(at_, fmt::format("the value of '{}' wants quotes", shortened(key)));
    }
    const char quote = text_[at_];
    const auto first = ++at_;
    const auto last = text_.find(quote, first);
    if (last == std::string_view::npos) {
      fail(first - 1, fmt::format("the value of '{}' has no closing quote", shortened(key)));
    }
    if (last - first > kMaxXmlValue) {
      fail(start,
           fmt::format("the value of '{}' is longer than {} bytes", shortened(key), kMaxXmlValue));
    }
    if (text_.substr(first, last - first).find('<') != std::string_view::npos) {
      fail(first - 1,
           fmt::format("'<' in the value of '{}': is its closing quote missing?", shortened(key)));
    }
    check_utf8(first, last);
    check_references(first, last);
    at_ = last + 1;
  }

  /// Text between tags.
  void content() {
    count_item();
    const auto start = at_;
    const auto end = std::min(text_.find('<', at_), text_.size());
    for (; at_ < end; ++at_) {
      if (open_.empty() && !is_blank(text_[at_])) {
        fail(at_, root_seen_ ? "text after the root element" : "this is no XML: text before any <");
      }
    }
    check_utf8(start, end);
    check_references(start, end);
  }

  /// The five entities of XML itself and numbers; without a document type there are no others. A
  /// reference to NUL would end the value for tinyxml2.
  void check_references(std::size_t first, std::size_t last) const {
    auto text = text_.substr(0, last);
    for (auto at = text.find('&', first); at != std::string_view::npos;
         at = text.find('&', at + 1)) {
      const auto rest = text.substr(at + 1, 12);
      const auto end = rest.find(';');
      const auto body = rest.substr(0, end == std::string_view::npos ? 0 : end);
      if (body == "lt" || body == "gt" || body == "amp" || body == "quot" || body == "apos")
        continue;
      if (!body.starts_with("#") || !is_character(body.substr(1))) {
        fail(at, fmt::format("'&' starts no known entity: write &amp;"));
      }
    }
  }

  static bool is_character(std::string_view digits) {
    int base = 10;
    if (digits.starts_with("x")) {
      base = 16;
      digits.remove_prefix(1);
    }
    std::uint32_t value = 0;
    const auto end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
    if (error != std::errc() || stop != end) return false;
    return value == 9 || value == 10 || value == 13 || (value >= 0x20 && value < 0xD800) ||
           (value >= 0xE000 && value <= 0x10FFFF);
  }

  /// Comments may be in any encoding; what is used must be UTF-8.
  void check_utf8(std::size_t first, std::size_t last) const {
    for (auto i = first; i < last;) {
      const auto lead = static_cast<unsigned char>(text_[i]);
      const int tail = lead < 0x80                     ? 0
                       : (lead >= 0xC2 && lead < 0xE0) ? 1
                       : (lead >= 0xE0 && lead < 0xF0) ? 2
                       : (lead >= 0xF0 && lead < 0xF5) ? 3
                                                       : -1;
      bool good = tail >= 0 && i + static_cast<std::size_t>(std::max(tail, 0)) < last;
      for (int k = 1; good && k <= tail; ++k) {
        good = (static_cast<unsigned char>(text_[i + k]) & 0xC0) == 0x80;
      }
      if (!good) fail(i, fmt::format("byte 0x{:02x} is not UTF-8", lead));
      i += static_cast<std::size_t>(tail) + 1;
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t items_ = 0;
  bool root_seen_ = false;
  std::vector<std::pair<std::string_view, std::size_t>> open_;  // name, offset
  std::vector<std::string_view> attributes_;                    // of the current element
};

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Error::Kind::missing, file.string(), 0, why);
  };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) refuse("no such file");
  if (std::filesystem::is_directory(status)) refuse("this is a folder, not a file");
  // A device or pipe may have no end.
  if (!std::filesystem::is_regular_file(status)) refuse("this is no regular file");
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse("cannot be opened");
  std::string text;
  std::array<char, 65536> block;
  while (text.size() <= kMaxXmlBytes && in.read(block.data(), block.size()).gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) refuse("cannot be read");
  if (text.size() > kMaxXmlBytes) {
    throw Error(Error::Kind::malformed, file.string(), 0,
                fmt::format("larger than the limit of {} MiB", kMaxXmlBytes >> 20));
  }
  return text;
}

void check(std::string_view text, const std::string& file) {
  Scanner(text, file).run();
}

void parse(std::string_view text, const std::string& file, tinyxml2::XMLDocument& document) {
  check(text, file);
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS ||
      document.RootElement() == nullptr) {
    throw Error(Error::Kind::malformed, file, document.ErrorLineNum(),
                fmt::format("not well-formed XML ({})", document.ErrorName()));
  }
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= 60) return fmt::format("'{}'", text);
  return fmt::format("'{}...' ({} bytes)", text.substr(0, 50), text.size());
}

std::string tag(const Element& at) {
  const std::string_view name = at.Name();
  if (name.size() <= 60) return fmt::format("<{}>", name);
  return fmt::format("<{}...>", name.substr(0, 50));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kFar = 1000, kMost = 32;
  if (a.size() > kMost || b.size() > kMost) return kFar;
  std::array<std::array<std::size_t, kMost + 1>, kMost + 1> d;
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string did_you_mean(std::string_view name, const Names& known) {
  const std::string_view* best = nullptr;
  std::size_t least = 3;
  for (const auto& candidate : known) {
    const auto distance = edit_distance(name, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      best = &candidate;
    }
  }
  return best ? fmt::format("did you mean '{}'?", *best) : std::string();
}

bool is_prefixed(std::string_view name) {
  return name.find(':') != std::string_view::npos;
}

std::optional<std::vector<double>> to_numbers(std::string_view text) {
  std::vector<double> values;
  for (std::size_t at = 0;;) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return values;
    auto end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    auto token = text.substr(at, end - at);
    // from_chars takes no plus; C's strtod and the files written for it do.
    if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
    double value = 0;
    const auto last = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), last, value);
    if (error != std::errc() || stop != last || !std::isfinite(value)) return std::nullopt;
    values.push_back(value);
    at = end;
  }
}

std::optional<double> to_number(std::string_view text) {
  const auto values = to_numbers(text);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front();
}

void Reader::fail(int line, const std::string& what, const std::string& hint) const {
  throw Error(Error::Kind::malformed, file_, line, what, hint);
}

void Reader::fail(const Element& at, const std::string& what, const std::string& hint) const {
  fail(at.GetLineNum(), what, hint);
}

void Reader::fail_or_note(int line, const std::string& what, const std::string& hint) const {
  if (!lenient_) fail(line, what, hint);
  constexpr std::size_t kMostNoted = 100;
  if (pardoned_.size() >= kMostNoted) fail(line, what, "too many such faults to pass over");
  pardoned_.push_back(fmt::format("{}:{}: {}: passed over, as asked", file_, line, what));
}

namespace {

/// What says nothing of the element itself: namespaces, schemas, and what Drake adds for dynamics.
bool is_foreign_attribute(std::string_view name) {
  return name == "xmlns" || name.starts_with("xmlns:") || name.starts_with("xml:") ||
         name.starts_with("xsi:") || name == "drake:acceleration";
}

}  // namespace

void Reader::allow_attributes(const Element& at, const Names& known) const {
  for (const auto* a = at.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view name = a->Name(), value = a->Value();
    if (value.find("${") != std::string_view::npos || value.find("$(") != std::string_view::npos) {
      fail(a->GetLineNum(),
           fmt::format("'{}' of <{}> is {}: it is not expanded", name, at.Name(), in_quotes(value)),
           "this is xacro: expand the file with 'xacro' first");
    }
    if (name.starts_with("xacro:")) {
      fail(a->GetLineNum(), fmt::format("unknown attribute {} of <{}>", in_quotes(name), at.Name()),
           "this is xacro: expand the file with 'xacro' first");
    }
    if (holds(known, name) || is_foreign_attribute(name)) continue;
    const std::string what =
        fmt::format("unknown attribute {} of <{}>", in_quotes(name), at.Name());
    // One that is misspelt means something: without it the element would be another.
    const std::string meant = did_you_mean(name.substr(name.find(':') + 1), known);
    if (!meant.empty()) fail(a->GetLineNum(), what, meant);
    fail_or_note(a->GetLineNum(), what, "");
  }
}

void Reader::unknown_child(const Element& child, const Names& known) const {
  const auto* parent = child.Parent()->ToElement();
  fail(child,
       fmt::format("unknown element {} in {}", tag(child), parent ? tag(*parent) : "the file"),
       did_you_mean(child.Name(), known));
}

void Reader::refuse_text(const Element& at) const {
  for (const auto* node = at.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (const auto* text = node->ToText()) {
      std::string_view value = text->Value();
      while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
      while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
      fail_or_note(text->GetLineNum(), fmt::format("text {} in <{}>", in_quotes(value), at.Name()),
                   "is a '<' missing?");
    }
  }
}

void Reader::refuse_content(const Element& at) const {
  refuse_text(at);
  if (const auto* child = at.FirstChildElement()) unknown_child(*child, {});
}

const Element* Reader::only_child(const Element& at, const char* name) const {
  const auto* first = at.FirstChildElement(name);
  if (first == nullptr) return nullptr;
  if (const auto* second = first->NextSiblingElement(name)) {
    fail(*second, fmt::format("a second <{}> in <{}> (the first is in line {})", name, at.Name(),
                              first->GetLineNum()));
  }
  return first;
}

const tinyxml2::XMLAttribute& Reader::required(const Element& at, const char* attribute) const {
  const auto* found = at.FindAttribute(attribute);
  if (found == nullptr) fail(at, fmt::format("<{}> has no '{}'", at.Name(), attribute));
  return *found;
}

std::string Reader::name(const Element& at, const char* attribute) const {
  const auto& found = required(at, attribute);
  std::string value = found.Value();
  if (value.size() > kMaxName) {
    fail(found.GetLineNum(),
         fmt::format("'{}' of <{}> is longer than {} bytes", attribute, at.Name(), kMaxName));
  }
  const bool blank = std::all_of(value.begin(), value.end(), is_blank);
  if (blank) fail(found.GetLineNum(), fmt::format("'{}' of <{}> is empty", attribute, at.Name()));
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto c = static_cast<unsigned char>(value[i]);
    // U+0080 to U+009F steer terminals too; the text is known to be UTF-8.
    const bool second = c == 0xC2 && static_cast<unsigned char>(value[i + 1]) < 0xA0;
    if (c < 0x20 || c == 0x7f || second) {
      fail(found.GetLineNum(),
           fmt::format("a control character in '{}' {}", attribute, in_quotes(value)));
    }
  }
  return value;
}

std::string Reader::optional_name(const Element& at, const char* attribute) const {
  const auto* found = at.Attribute(attribute);
  return found ? found : "";
}

std::vector<double> Reader::numbers(const Element& at, const char* attribute) const {
  const auto& found = required(at, attribute);
  const std::string_view text = found.Value();
  const auto values = to_numbers(text);
  if (!values || values->empty()) {
    std::string hint;
    if (text.find("${") != std::string_view::npos) {
      hint = "this is xacro: expand the file with 'xacro' first";
    } else if (text.find(',') != std::string_view::npos) {
      hint = "the decimal sign is a point, and blanks stand between numbers";
    }
    fail(found.GetLineNum(),
         fmt::format("'{}' of <{}> is no finite number: {}", attribute, at.Name(), in_quotes(text)),
         hint);
  }
  return *values;
}

double Reader::number(const Element& at, const char* attribute) const {
  const auto values = numbers(at, attribute);
  if (values.size() != 1) {
    fail(required(at, attribute).GetLineNum(),
         fmt::format("'{}' of <{}> wants one number, not {}", attribute, at.Name(), values.size()));
  }
  return values.front();
}

std::optional<double> Reader::optional_number(const Element& at, const char* attribute) const {
  if (at.FindAttribute(attribute) == nullptr) return std::nullopt;
  return number(at, attribute);
}

std::optional<Vec3> Reader::optional_vec3(const Element& at, const char* attribute) const {
  const auto* found = at.FindAttribute(attribute);
  if (found == nullptr) return std::nullopt;
  const auto values = numbers(at, attribute);
  if (values.size() != 3) {
    fail(found->GetLineNum(), fmt::format("'{}' of <{}> wants three numbers, not {}: {}", attribute,
                                          at.Name(), values.size(), in_quotes(found->Value())));
  }
  return Vec3{values[0], values[1], values[2]};
}

void Reader::ignore(const Element& at, const std::string& where) {
  auto& entry = ignored_[fmt::format("{} in {}", tag(at), where)];
  if (entry.count++ == 0) entry.first_line = at.GetLineNum();
}

std::vector<std::string> Reader::notes() const {
  constexpr std::size_t kMostLines = 100;
  std::vector<std::string> lines = pardoned_;
  for (const auto& [what, entry] : ignored_) {
    if (lines.size() == pardoned_.size() + kMostLines) {
      lines.push_back(
          fmt::format("{} more kinds of elements are not used", ignored_.size() - kMostLines));
      break;
    }
    lines.push_back(fmt::format("{} is not used ({} times, first in line {})", what, entry.count,
                                entry.first_line));
  }
  return lines;
}

}  // namespace keepclear::xml
