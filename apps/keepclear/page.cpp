// SPDX-License-Identifier: BSD-3-Clause
#include "page.hpp"

#include <fmt/format.h>

#include "keepclear/error.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

struct Piece {
  const char* file;
  const char* text;
};
constexpr Piece kPieces[] = {
#include "viewer/page.inc"
    {"", ""}};

/// What the page may load: itself. A file on a disk has no other place to load from.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'";

std::string text_of(std::string_view file) {
  std::string text;
  for (const Piece& piece : kPieces) {
    if (piece.file == file) text += piece.text;
  }
  return text;
}

/// Fills the places of a template in one pass: what is put in is not searched again, for names of
/// links may hold anything.
std::string filled(const std::string& page,
                   const std::vector<std::pair<std::string_view, std::string>>& places) {
  std::string result;
  std::size_t at = 0;
  while (at < page.size()) {
    std::size_t next = page.find("{{", at);
    if (next == std::string::npos) next = page.size();
    result.append(page, at, next - at);
    at = next;
    if (at == page.size()) break;
    const std::size_t end = page.find("}}", at);
    const std::string_view name =
        end == std::string::npos ? "" : std::string_view(page).substr(at + 2, end - at - 2);
    bool found = false;
    for (const auto& [place, text] : places) {
      if (place != name) continue;
      result += text;
      found = true;
    }
    if (!found) {
      throw Error(Error::Kind::internal, "", 0,
                  "the page has a place that nothing is known for: " + std::string(name));
    }
    at = end + 2;
  }
  return result;
}

/// JSON that stands in a page: nothing in it may look like a tag.
std::string in_page(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string joined(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) {
    if (text.size() > 1) text += ",\n";
    text += item;
  }
  return text + "]";
}

std::string json_of(const TextSection& section) {
  std::vector<std::string> rows, text;
  for (const auto& [name, value] : section.rows) {
    rows.push_back(fmt::format("[{},{}]", json_string(name), json_string(value)));
  }
  for (const std::string& paragraph : section.text) text.push_back(json_string(paragraph));
  return fmt::format(R"({{"title":{},"rows":{},"text":{}}})", json_string(section.title),
                     joined(rows), joined(text));
}

std::string html_of(const TextSection& section) {
  std::string html = "<section>\n<h2>" + html_text(section.title) + "</h2>\n";
  if (!section.rows.empty()) {
    html += "<dl>\n";
    for (const auto& [name, value] : section.rows) {
      html += "<dt>" + html_text(name) + "</dt><dd>" + html_text(value) + "</dd>\n";
    }
    html += "</dl>\n";
  }
  for (const std::string& paragraph : section.text) {
    html += "<p>" + html_text(paragraph) + "</p>\n";
  }
  return html + "</section>\n";
}

}  // namespace

std::string to_json(const PageDocument& document) {
  std::vector<std::string> sections;
  for (const TextSection& section : document.sections) sections.push_back(json_of(section));
  std::string json = fmt::format(
      "{{\"format\":\"keepclear-page\",\"version\":1,\"live\":{},\"title\":{},\n\"world\":{},\n"
      "\"states\":{},\n\"poses\":{},\n\"motions\":{}",
      document.live, json_string(document.title), document.world, joined(document.states),
      joined(document.poses), joined(document.motions));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) json += fmt::format(",\n\"{}\":{}", name, value);
  };
  add("guard", document.guard);
  add("fit", document.fit);
  add("pairs", document.pairs);
  return json + ",\n\"sections\":" + joined(sections) + "}\n";
}

bool has_page() noexcept {
  return std::size(kPieces) > 1;
}

void require_page() {
  if (!has_page()) {
    throw Error(Error::Kind::usage, "", 0, "this build of the command has no page",
                "install Node.js and npm, and build it again");
  }
}

std::string page_file(std::string_view name) {
  return name == "page.css" || name == "page.js" ? text_of(name) : std::string();
}

std::string live_page(std::string_view title) {
  require_page();
  return filled(text_of("page.html"), {{"title", html_text(title)},
                                       {"head", "<link rel=\"stylesheet\" href=\"page.css\">"},
                                       {"text", ""},
                                       {"script", "<script src=\"page.js\"></script>"}});
}

std::string standalone_page(const PageDocument& document) {
  require_page();
  std::string sections;
  for (const TextSection& section : document.sections) sections += html_of(section);
  return filled(
      text_of("page.html"),
      {{"title", html_text(document.title)},
       {"head", fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                            "<style>{}</style>",
                            kPolicy, text_of("page.css"))},
       {"text", sections},
       {"script", "<script type=\"application/json\" id=\"document\">" +
                      in_page(to_json(document)) + "</script>\n<script>" + text_of("page.js") +
                      "</script>"}});
}

std::string html_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') result += c;
    }
  }
  return result;
}

}  // namespace keepclear::command
