# SPDX-License-Identifier: BSD-3-Clause
#
# A man page from what a command says of itself, and sections written by hand:
#   awk -f page.awk -v name=NAME -v version=V -v date=D TOP_HELP HELP SECTIONS
# TOP_HELP is keepclear --help, for the exit codes; HELP that of the command; SECTIONS has a line
# [TITLE] before each section, and man macros below it. Sections stand in the order of `order`; what
# is written by hand comes first in those that have both.

# Text as roff: no character of it is taken for a request; options are bold.
function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/'/, "\\(aq", text)
  gsub(/\^/, "\\(ha", text)
  gsub(/~/, "\\(ti", text)
  if (text ~ /^\./) text = "\\\&" text
  return text
}
# Every hyphen as the ASCII one: to be copied.
function literal(text) {
  text = roff(text)
  gsub(/-/, "\\-", text)
  return text
}
# A sentence: options in bold, other hyphens are hyphens.
function prose(text,    out, word) {
  text = roff(text)
  out = ""
  while (match(text, /--[a-z][a-z-]*|keepclear-verify|keepclear [a-z]+ --help/)) {
    word = substr(text, RSTART, RLENGTH)
    gsub(/-/, "\\-", word)
    out = out substr(text, 1, RSTART - 1) "\\fB" word "\\fR"
    text = substr(text, RSTART + RLENGTH)
  }
  return out text
}
# An option as help has it, "-o,--output FILE": names bold, the value in italics.
function option(text,    names, value, at) {
  at = match(text, / /)
  names = at ? substr(text, 1, at - 1) : text
  value = at ? substr(text, at + 1) : ""
  names = literal(names)
  gsub(/,/, "\\fR, \\fB", names)
  return "\\fB" names "\\fR" (value == "" ? "" : " \\fI" literal(value) "\\fR")
}
function add(title, text) {
  sections[title] = sections[title] text "\n"
}
# One entry of a list is whole once the next begins.
function entry_done() {
  if (entry == "") return
  add(list, ".TP\n" entry "\n" entry_text)
  entry = entry_text = ""
}

BEGIN {
  count = split("DESCRIPTION COMMANDS ARGUMENTS OPTIONS OUTPUT EXIT_STATUS ENVIRONMENT FILES NOTES " \
                "EXAMPLES SEE_ALSO", order, " ")
}
FNR == 1 { file++; list = ""; title = "" }

file == 1 && /^Exit codes: / { codes = 1; sub(/^Exit codes: /, "") }
file == 1 && codes {
  exit_codes = exit_codes (exit_codes == "" ? "" : " ") $0
  next
}
file == 1 { next }

file == 2 && /^[Uu]sage: / { synopsis = substr($0, 8); in_usage = 1; next }
file == 2 && in_usage && /^ / { synopsis = synopsis $0; next }
file == 2 { in_usage = 0 }
file == 2 && FNR == 1 { summary = $0; sub(/\.$/, "", summary); next }
file == 2 && /^(Arguments|Options|Commands):$/ {
  entry_done()
  list = toupper(substr($0, 1, length($0) - 1))
  next
}
file == 2 && list != "" && list != "text" {
  if ($0 == "") { entry_done(); list = "after"; next }
  if (list != "after") {
    if ($0 ~ /^  [^ ]/) {
      entry_done()
      entry = substr($0, 3)
      at = match(entry, /  +/)
      if (at) { entry_text = prose(substr(entry, at + RLENGTH)); entry = substr(entry, 1, at - 1) }
      entry = list == "COMMANDS" ? "\\fBkeepclear\\-" entry "\\fR(1)" : option(entry)
    } else {
      sub(/^ +/, "")
      entry_text = entry_text (entry_text == "" ? "" : "\n") prose($0)
    }
    next
  }
  list = "text"
}
file == 2 && list == "text" {
  if ($0 == "") { if (section == "EXAMPLES") add(section, ".EE"); section = ""; next }
  if ($0 ~ /^Exit codes: /) { section = "skip" }
  if ($0 ~ /^Examples?:/) {
    section = "EXAMPLES"
    sub(/^Examples?: */, "")
    add(section, ".EX")
    if ($0 == "") next
  }
  if (section == "") {
    section = $0 ~ /^With --json/ ? "OUTPUT" : "DESCRIPTION"
    if (sections[section] != "") add(section, ".PP")
  }
  if (section == "EXAMPLES") { sub(/^  /, ""); add(section, literal($0)) }
  else if (section != "skip") add(section, prose($0))
  next
}

file == 3 && /^\[.*\]$/ { title = substr($0, 2, length($0) - 2); gsub(/ /, "_", title); next }
file == 3 && /^#/ { next }
file == 3 && title == "SUMMARY" { summary = $0; next }
file == 3 && title != "" { by_hand[title] = by_hand[title] $0 "\n" }

END {
  if (section == "EXAMPLES") add(section, ".EE")
  entry_done()
  # Codes of the whole program: a command says in its description which it can end with.
  sub(/\.$/, "", exit_codes)
  codes = split(exit_codes, each, "; *")
  for (i = 1; i <= codes && by_hand["EXIT_STATUS"] == ""; i++) {
    at = index(each[i], " ")
    add("EXIT_STATUS", ".TP\n" substr(each[i], 1, at - 1) "\n" prose(substr(each[i], at + 1)))
  }
  printf ".\\\" Made by packaging/man/page.awk: what is to change stands in the help of the command.\n"
  printf ".TH %s 1 \"%s\" \"Keepclear %s\" \"Keepclear\"\n", toupper(name), date, version
  printf ".nh\n.ad l\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", literal(name), prose(tolower(substr(summary, 1, 1)) substr(summary, 2))
  n = split(synopsis, words, " ")
  line = ""
  for (i = 1; i <= n; i++) {
    # Words to be typed are bold, those that stand for something in italics, brackets neither.
    word = literal(words[i])
    gsub(/[A-Z][A-Za-z.]*|options/, "\\fI&\\fR", word)
    if (words[i] !~ /[A-Z]|options/) gsub(/[a-z\\][a-z\\-]*/, "\\fB&\\fR", word)
    line = line (i == 1 ? "" : " ") word
  }
  print line
  for (i = 1; i <= count; i++) {
    title = order[i]
    text = by_hand[title]
    if (text != "" && sections[title] != "" && text !~ /\.EE\n$/) text = text ".PP\n"
    text = text sections[title]
    if (text == "") continue
    heading = title
    sub(/_/, " ", heading)
    printf ".SH %s\n%s", heading, text
  }
}
