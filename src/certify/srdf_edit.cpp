// SPDX-License-Identifier: BSD-3-Clause
#include "certify/srdf_edit.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace keepclear {
namespace {

bool is_about_pairs(std::string_view element) {
  return element == "disable_collisions" || element == "enable_collisions" ||
         element == "disable_default_collisions";
}

/// Finds what is to be replaced in XML that was checked: it cannot end in the middle of anything.
class Replacer {
 public:
  explicit Replacer(std::string_view text) : text_(text) {
    std::size_t at = text_.find('<');
    for (; at != text_.npos; at = text_.find('<', at)) at = markup(at);
    join_cuts();
  }

  std::string replaced(const std::vector<std::string>& lines) const {
    const std::string end_of_line = text_.find("\r\n") != text_.npos ? "\r\n" : "\n";
    if (cuts_.empty()) return with_lines_at_the_end(lines, end_of_line);
    std::string out(text_.substr(0, cuts_.front().from()));
    const bool own_lines = cuts_.front().own_lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (own_lines || i > 0) out += indent_;
      out += lines[i];
      if (own_lines || i + 1 < lines.size()) out += end_of_line;
    }
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      const std::size_t next = i + 1 < cuts_.size() ? cuts_[i + 1].from() : text_.size();
      out += text_.substr(cuts_[i].to(), next - cuts_[i].to());
    }
    return out;
  }

 private:
  struct Cut {
    std::size_t begin, end;
    std::size_t line_begin, line_end;
    bool own_lines;  ///< nothing else stands on its lines, which go with it

    std::size_t from() const { return own_lines ? line_begin : begin; }
    std::size_t to() const { return own_lines ? line_end : end; }
  };

  std::size_t behind(std::string_view what, std::size_t from) const {
    return std::min(text_.find(what, from), text_.size() - what.size()) + what.size();
  }

  /// Behind the '>' of a tag; values may hold one.
  std::size_t behind_tag(std::size_t at) const {
    for (char quote = '\0'; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return at + 1;
      }
    }
    return at;
  }

  /// Looks at what begins there, and returns where it ends.
  std::size_t markup(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("<!--")) {
      const std::size_t end = behind("-->", at + 4);
      if (depth_ == 1 && rest.starts_with(kPairsComment)) cut(at, end);
      return end;
    }
    if (rest.starts_with("<![CDATA[")) return behind("]]>", at);
    if (rest.starts_with("<?")) return behind("?>", at);
    const std::size_t end = behind_tag(at);
    if (rest.starts_with("</")) {
      --depth_;
      if (depth_ == 0) end_of_root_ = at;
      if (depth_ == 1 && inside_pair_) cut(pair_, end);
      if (depth_ == 1) inside_pair_ = false;
      return end;
    }
    const bool empty = text_[end - 2] == '/';
    const std::string_view name = rest.substr(1, rest.find_first_of(" \t\r\n/>", 1) - 1);
    if (depth_ == 1 && is_about_pairs(name)) {
      if (empty) cut(at, end);
      inside_pair_ = !empty;
      pair_ = at;
    }
    if (depth_ == 0) {
      root_ = name;
      if (empty) end_of_root_ = end;
      root_is_empty_ = empty;
    }
    if (!empty) ++depth_;
    return end;
  }

  void cut(std::size_t begin, std::size_t end) {
    constexpr std::string_view kBlanks = " \t";
    std::size_t first = begin;
    while (first > 0 && kBlanks.find(text_[first - 1]) != kBlanks.npos) --first;
    std::size_t last = end;
    while (last < text_.size() && kBlanks.find(text_[last]) != kBlanks.npos) ++last;
    if (text_.substr(last).starts_with("\r\n")) ++last;
    const bool own_lines =
        (first == 0 || text_[first - 1] == '\n') && last < text_.size() && text_[last] == '\n';
    if (cuts_.empty() && own_lines) indent_ = text_.substr(first, begin - first);
    cuts_.push_back({begin, end, first, last + 1, own_lines});
  }

  /// Those that share a line with something else, and nothing stands between them, are one: what
  /// takes their place is found as such again.
  void join_cuts() {
    std::vector<Cut> joined;
    for (const Cut& cut : cuts_) {
      if (!joined.empty()) {
        Cut& last = joined.back();
        const std::string_view between = text_.substr(last.end, cut.begin - last.end);
        if (!(last.own_lines && cut.own_lines) &&
            between.find_first_not_of(" \t\r\n") == between.npos) {
          last.end = cut.end;
          last.own_lines = false;
          continue;
        }
      }
      joined.push_back(cut);
    }
    cuts_ = std::move(joined);
  }

  /// Where there was no pair to take the place of.
  std::string with_lines_at_the_end(const std::vector<std::string>& lines,
                                    const std::string& end_of_line) const {
    std::string out(text_.substr(0, end_of_root_));
    // <robot .../> opens, and is closed below.
    if (root_is_empty_) out.replace(out.rfind('/'), 1, "");
    std::string blanks;
    while (!out.empty() && (out.back() == ' ' || out.back() == '\t')) {
      blanks.insert(blanks.begin(), out.back());
      out.pop_back();
    }
    if (out.back() != '\n' && out.back() != '\r') out += end_of_line;
    for (const std::string& line : lines) out += indent_ + line + end_of_line;
    out += blanks;
    if (root_is_empty_) out += "</" + std::string(root_) + ">";
    out += text_.substr(end_of_root_);
    return out;
  }

  std::string_view text_, root_;
  std::vector<Cut> cuts_;
  std::string indent_ = "  ";
  int depth_ = 0;
  bool inside_pair_ = false, root_is_empty_ = false;
  std::size_t pair_ = 0, end_of_root_ = 0;
};

}  // namespace

std::string replace_pairs(std::string_view srdf, const std::vector<std::string>& lines) {
  return Replacer(srdf).replaced(lines);
}

}  // namespace keepclear
