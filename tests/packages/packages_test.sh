#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# packages_test.sh BUILD VERSION [--whole]: makes the Debian packages of a build folder, has lintian look at
# them, looks into them, and tries them in a clean root: one out of the packages of this machine, or, with
# --whole, one that mmdebstrap fetches from Debian. What cannot be done here is skipped with a word.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/clean_root.sh"
build=$1 version=$2 way=${3:-}
folder=$build/packages work=$build/packages-test
for program in dpkg-deb dpkg-shlibdeps lintian readelf; do
  command -v "$program" >/dev/null || {
    echo "skipped: no $program (scripts/setup package installs it)"
    exit 77
  }
done

fail() {
  echo "$*" >&2
  exit 1
}
quiet() {
  local log=$work/log
  "$@" >"$log" 2>&1 || {
    tail -40 "$log" >&2
    fail "failed: $*"
  }
}
start=$SECONDS
done_with() {
  echo "$*: ok, $((SECONDS - start)) s"
  start=$SECONDS
}

rm -rf "$work"
mkdir -p "$work"
quiet cmake --build "$build" --target packages
packages=(libkeepclear libkeepclear-dev keepclear)
# Without the module there is no package of it.
grep -q 'KEEPCLEAR_PYTHON:BOOL=ON' "$build/CMakeCache.txt" && packages+=(python3-keepclear)
declare -A file
for package in "${packages[@]}"; do
  file[$package]=$(echo "$folder/${package}_${version}"-*.deb)
  [[ -f ${file[$package]} ]] || fail "no package $package in $folder"
done
full=$(dpkg-deb -f "${file[libkeepclear]}" Version)
[[ $(find "$folder" -maxdepth 1 -name '*.deb' | wc -l) == "${#packages[@]}" ]] || fail "other packages in $folder"
done_with "packages"

lintian --fail-on error "${file[@]}" >"$work/lintian.log" 2>&1 || {
  cat "$work/lintian.log" >&2
  fail "lintian found errors"
}
# Warnings are errors too, unless packaging/debian says why they stand.
if grep '^W: ' "$work/lintian.log" >&2; then
  fail "lintian warns of what no override explains"
fi
done_with "lintian"

# has PACKAGE PATTERN...: the package has files like these.
has() {
  local package=$1 pattern
  shift
  dpkg-deb -c "${file[$package]}" >"$work/$package.list"
  for pattern in "$@"; do
    grep -qE " \./usr/$pattern( -> |\$)" "$work/$package.list" || fail "$package has no /usr/$pattern"
  done
  # Nobody but root writes there, and everybody reads.
  if awk '$2 != "root/root" || ($1 !~ /^l/ && $1 !~ /^-rw-r--r--|^-rwxr-xr-x|^drwxr-xr-x/)' \
    "$work/$package.list" | grep . >&2; then
    fail "$package: owners or permissions"
  fi
}
arch='[a-z0-9_]+-linux-gnu[a-z0-9]*'
minor=${version%.*}
for package in "${packages[@]}"; do
  has "$package" "share/doc/$package/"{copyright,changelog.gz,changelog.Debian.gz,NOTICE}
done
has libkeepclear "lib/$arch/libkeepclear.so.$minor" "lib/$arch/libkeepclear.so.$version"
has libkeepclear-dev "lib/$arch/libkeepclear.so" include/keepclear/keepclear.hpp "lib/$arch/pkgconfig/keepclear.pc" \
  "lib/$arch/cmake/keepclear/keepclear-config.cmake" share/doc/libkeepclear-dev/examples/01_distance.cpp
has keepclear bin/keepclear bin/keepclear-verify share/man/man1/keepclear.1.gz \
  share/man/man1/keepclear-verify.1.gz share/bash-completion/completions/keepclear
if [[ -n ${file[python3-keepclear]:-} ]]; then
  has python3-keepclear lib/python3/dist-packages/keepclear/__init__.py lib/python3/dist-packages/keepclear/py.typed \
    "lib/python3/dist-packages/keepclear/_keepclear\..*\.so" lib/python3/dist-packages/keepclear/__init__.pyi
fi
for package in "${packages[@]}"; do
  dpkg-deb -x "${file[$package]}" "$work/unpacked"
  while read -r program; do
    if readelf -d "$program" | grep -E 'RPATH|RUNPATH'; then fail "$program: a path to libraries"; fi
    if readelf -SW "$program" | grep -q '\.symtab'; then fail "$program is not stripped"; fi
    readelf -lW "$program" | grep -q GNU_RELRO || fail "$program: no relro"
  done < <(find "$work/unpacked" -type f \( -name '*.so*' -o -path '*/bin/*' \))
done
for package in keepclear python3-keepclear libkeepclear-dev; do
  [[ -z ${file[$package]:-} ]] || dpkg-deb -f "${file[$package]}" Depends | grep -qF "libkeepclear (= $full)" ||
    fail "$package does not depend on its library"
done
# What is shipped as an example compiles with what is shipped.
examples=$work/unpacked/usr/share/doc/libkeepclear-dev/examples
flags=(-std=c++20 -fsyntax-only -I "$work/unpacked/usr/include")
for example in "$examples"/*.cpp; do
  more=()
  if grep -q '<keepclear/ompl.hpp>' "$example"; then
    pkg-config --exists ompl eigen3 || {
      echo "skipped: ${example##*/} (no OMPL)"
      continue
    }
    read -ra more < <(pkg-config --cflags-only-I ompl eigen3)
  fi
  quiet g++ "${flags[@]}" "${more[@]}" "$example"
done
done_with "contents"

# What a plain root needs beside the packages: to run, and to build a program.
tools=(g++ cmake make pkg-config man-db)
install=("${file[libkeepclear]}" "${file[keepclear]}" ${file[python3-keepclear]:+"${file[python3-keepclear]}"})
stage() {
  mkdir -p "$1/packages"
  cp "${file[@]}" "$here/in_root.sh" "$1/packages/"
  cp -r "$here/../install/consumer" "$1/packages/"
}

if [[ $way == --whole ]]; then
  stage "$work/stage"
  "$here/whole_root.sh" "$work/stage" "$version"
  done_with "a whole root"
  exit 0
fi

root=$work/root
mapfile -t needed < <(for package in "${install[@]}"; do dpkg-deb -f "$package" Depends; done)
# Their own library is what is tried.
needed=("${needed[@]/libkeepclear (= $full)/}")
if ! closure "${needed[@]}" bash dpkg >"$work/needed" || ! closure "${tools[@]}" >"$work/tools"; then
  echo "skipped: a clean root, for the packages it takes are not all installed here"
  exit 77
fi
mapfile -t needed <"$work/needed"
mapfile -t tools <"$work/tools"
add_packages "$root" "${needed[@]}"
if ! in_root "$root" true 2>"$work/log"; then
  echo "skipped: a clean root, for there is no chroot here ($(head -1 "$work/log"))"
  exit 77
fi
stage "$root"
in_root "$root" ldconfig
in_root "$root" /packages/in_root.sh list >"$work/before"
names=("${install[@]##*/}")
in_root "$root" dpkg -i "${names[@]/#//packages/}" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "dpkg -i"; }
in_root "$root" /packages/in_root.sh run "$version"
in_root "$root" dpkg --purge "${packages[@]}" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "dpkg --purge"; }
in_root "$root" /packages/in_root.sh list >"$work/after"
comm -13 "$work/before" "$work/after" | grep . >&2 && fail "left behind by the packages"
done_with "a clean root: installed, run, removed"

add_packages "$root" "${tools[@]}"
in_root "$root" ldconfig
names=("${file[@]##*/}")
in_root "$root" dpkg -i "${names[@]/#//packages/}" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "dpkg -i"; }
in_root "$root" /packages/in_root.sh build "$version"
done_with "a clean root: a program built"
rm -rf "$root" "$work/unpacked"
