#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# completion_test.sh KEEPCLEAR VERIFY: completes command lines as bash would, and compares.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keepclear=$(realpath "$1") verify=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/bin "$work/here/folder"
ln -s "$keepclear" "$work/bin/keepclear"
ln -s "$verify" "$work/bin/keepclear-verify"
PATH=$work/bin:$PATH
cd "$work/here"
touch robot.urdf robot.srdf cell.json cell.scene poses.csv motion.yaml last.kcr task.kcert page.html notes.txt 'a b.urdf'
source "$here/../../packaging/completion/keepclear"
source "$here/../../packaging/completion/keepclear-verify"
failed=0

# completes "WORDS..." WANTED...: the last word becomes exactly these; with ... at the end, these among others.
completes() {
  local line=$1 function=_keepclear got want
  shift
  read -ra COMP_WORDS <<<"$line"
  [[ $line != *" " ]] || COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  [[ ${COMP_WORDS[0]} == keepclear ]] || function=_keepclear_verify
  "$function" || true
  if [[ ${!#} == ... ]]; then
    set -- "${@:1:$#-1}"
    for want in "$@"; do
      printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -e "$want" || {
        echo "'$line' is not completed by '$want' but by: ${COMPREPLY[*]}" >&2
        failed=1
      }
    done
    return
  fi
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort)
  want=$(printf '%s\n' "$@" | sort)
  [[ $got == "$want" ]] || {
    echo "'$line' is completed by ${got//$'\n'/, }; wanted: ${want//$'\n'/, }" >&2
    failed=1
  }
}

# Every command, and every option of it.
mapfile -t commands < <(keepclear --help | awk '$0 == "Commands:" { on = 1; next } /^[^ ]/ { on = 0 } on && NF { print $1 }')
((${#commands[@]} >= 12)) || { echo "commands of the help: ${commands[*]}" >&2; exit 1; }
completes "keepclear " "${commands[@]}" --help --version
for command in "${commands[@]}"; do
  mapfile -t options < <(keepclear "$command" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+')
  completes "keepclear $command --" "${options[@]}"
done
completes "keepclear ce" certify
completes "keepclear pairs -o " robot.srdf folder
completes "keepclear report two_arms --output " page.html folder

# Worlds and files.
mapfile -t worlds < <(keepclear worlds | awk '/^[^ ]/ { print $1 }')
completes "keepclear info " "${worlds[@]}" robot.urdf 'a b.urdf' cell.json cell.scene folder
completes "keepclear info six" six_axis_arm
completes "keepclear worlds two" two_arms
completes "keepclear certify two_arms --path ta" task1 task2 task3
completes "keepclear certify robot.urdf --path m" motion.yaml
completes "keepclear check robot.urdf --poses " poses.csv folder
completes "keepclear check robot.urdf --srdf " robot.srdf folder
completes "keepclear check robot.urdf --package name = f" folder
completes "keepclear info robot.urdf --package-path " folder
completes "keepclear guard robot.urdf --replay " poses.csv last.kcr folder
completes "keepclear check robot.urdf --model b" builtin
# No file of that kind: any.
completes "keepclear report robot.urdf --png not" notes.txt
completes "keepclear demo " ""
completes "keepclear-verify " task.kcert folder
completes "keepclear-verify --a" --against
completes "keepclear-verify task.kcert --against r" robot.srdf robot.urdf
completes "keepclear-verify task.kcert --against c" cell.json cell.scene
completes "keepclear-verify task.kcert --package name = f" folder
completes "keepclear-verify task.kcert --source no" notes.txt
completes "keepclear-verify --" --summary --source --against --package --package-path --help ...

# Values, which the help names too.
values() {
  local command=$1 option=$2 value help
  shift 2
  completes "keepclear $command robot.urdf $option " "$@"
  help=$(keepclear "$command" --help | awk -v option="$option" '
    index($0, "  " option " ") == 1 { on = 1; print; next } /^  [^ ]/ || /^$/ { on = 0 } on')
  for value in "$@"; do
    grep -qw "$value" <<<"$help" || {
      echo "$command $option: the help does not know $value: $help" >&2
      failed=1
    }
  done
}
values certify --method auto chord sweep velocity ball
values view --method auto chord sweep velocity ball
values certify --ask verdict first all clearance
values report --view iso front left top
values fit --around collision visual both
completes "keepclear certify robot.urdf --margin " ""

((failed == 0)) && echo "completion: ok"
exit $failed
