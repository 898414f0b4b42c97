#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# man_test.sh KEEPCLEAR VERIFY FOLDER: the pages in FOLDER are those of the commands, each has every option
# that the help has, and groff has nothing to say of them.
set -euo pipefail
keepclear=$1 verify=$2 folder=$3
failed=0
wrong() {
  echo "$*" >&2
  failed=1
}

mapfile -t commands < <("$keepclear" --help | awk '$0 == "Commands:" { on = 1; next } /^[^ ]/ { on = 0 } on && NF { print $1 }')
wanted=$(printf '%s\n' keepclear keepclear-verify "${commands[@]/#/keepclear-}" | sort)
found=$(cd "$folder" && ls | sed 's/\.1\.gz$//' | sort)
[[ $wanted == "$found" ]] || wrong "pages: ${found//$'\n'/ }; wanted: ${wanted//$'\n'/ }"

# page NAME HELP...: compares the page with the help that the command prints.
page() {
  local name=$1 text help option roff
  shift
  roff=$(zcat "$folder/$name.1.gz")
  help=$("$@" --help)
  # The longest lines there are: no option is cut.
  text=$(MANWIDTH=1000 GROFF_NO_SGR=1 groff -man -Tascii -P -bcou -rLL=1000n <<<"$roff")
  for option in $(grep -oE -- '(^|[^a-z-])--?[a-z][a-z-]*' <<<"$help" | grep -oE -- '--?[a-z].*' | sort -u); do
    grep -qF -- "$option" <<<"$text" || wrong "$name.1 does not have $option"
  done
  # And none that is not there.
  for option in $(grep -oE '^\\fB\\-.*' <<<"$roff" | grep -oE '\\-\\-[a-z]([a-z]|\\-)*' | tr -d '\\' | sort -u); do
    grep -qF -- "$option" <<<"$help" || [[ $option == --help ]] || wrong "$name.1 has $option, the help has not"
  done
  for title in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' 'SEE ALSO'; do
    grep -A 1 -x ".SH $title" <<<"$roff" | grep -qv '^\.SH' || wrong "$name.1 has no section $title"
  done
  for warning in "$(groff -ww -man -Tutf8 -z <<<"$roff" 2>&1)" "$(groff -ww -man -Tps -z <<<"$roff" 2>&1)"; do
    [[ -z $warning ]] || wrong "$name.1: $warning"
  done
  if command -v lexgrog >/dev/null; then
    lexgrog "$folder/$name.1.gz" >/dev/null || wrong "$name.1: no name and description for apropos"
  fi
}
command -v groff >/dev/null || {
  echo "skipped: no groff"
  exit 77
}
page keepclear "$keepclear"
page keepclear-verify "$verify"
for command in "${commands[@]}"; do
  page "keepclear-$command" "$keepclear" "$command"
done
((failed == 0)) && echo "$((${#commands[@]} + 2)) pages: ok"
exit $failed
