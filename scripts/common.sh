# SPDX-License-Identifier: BSD-3-Clause
#
# What the scripts share; sourced from the root of the project.
# shellcheck shell=bash

jobs=$(nproc 2>/dev/null || echo 2)

# Every C++ source of the project: as git knows them, or as they lie there without git.
cpp_sources() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' | while read -r file; do
      [[ -f $file ]] && echo "$file"
    done
  else
    find apps bench examples fuzz include src tests -name '*.cpp' -o -name '*.hpp'
  fi | sort
}

# no_arguments SCRIPT "$@": refuses whatever is given.
no_arguments() {
  (($# == 1)) && return
  echo "$1: unknown option '$2' (it takes none)" >&2
  exit 64
}

# Configures a preset and builds it, or the targets named after it.
build() {
  local preset=$1
  shift
  local targets=()
  if (($#)); then
    targets=(--target "$@")
  fi
  cmake --preset "$preset" -Wno-dev --log-level=WARNING &&
    cmake --build "build/$preset" -j "$jobs" "${targets[@]}"
}
