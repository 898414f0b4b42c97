// SPDX-License-Identifier: BSD-3-Clause
//
// The page that `view` serves and `report` writes: its files, and the document it shows.
// viewer/src/document.ts names every member.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keepclear::command {

/// A part of a report as text: what a safety engineer files.
struct TextSection {
  std::string title;
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::string> text;  ///< paragraphs
};

/// Members are JSON, as the functions of page_*.hpp write it, unless they are text. Empty: left
/// out, or an empty list.
struct PageDocument {
  bool live = false;
  std::string title;  ///< text
  std::string world;
  std::vector<std::string> states, poses;  ///< as many of each
  std::vector<std::string> motions;
  std::string guard, fit, pairs;
  std::vector<TextSection> sections;
};
std::string to_json(const PageDocument& document);

/// Whether this build has the page. It takes Node.js to build it.
bool has_page() noexcept;
/// Throws Error (usage) where the build has none.
void require_page();

/// "page.css" or "page.js"; empty for any other name.
std::string page_file(std::string_view name);
/// What `view` serves as /: style and script are files beside it.
std::string live_page(std::string_view title);
/// One file that holds all it needs: opens from the disk, asks nobody for anything. The sections of
/// the document stand in it as text too, for those who print it or run no scripts.
std::string standalone_page(const PageDocument& document);

/// Text between tags or in an attribute.
std::string html_text(std::string_view text);

}  // namespace keepclear::command
