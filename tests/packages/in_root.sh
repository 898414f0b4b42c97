#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What is done with the packages in a clean root, where they lie in /packages beside the consumer:
#   in_root.sh run VERSION      the commands and the Python module are installed: they answer
#   in_root.sh build VERSION    with the development files: a stranger's program is built; man finds the pages
#   in_root.sh list             every file of the root, but those that dpkg, the loader and Python keep
set -euo pipefail
cd /tmp

# expect WHAT PATTERN COMMAND...: the command succeeds, and what it prints matches.
expect() {
  local what=$1 pattern=$2 output
  shift 2
  output=$("$@" 2>&1) || {
    echo "$what failed: $* said: ${output:0:1000}" >&2
    exit 1
  }
  [[ $output =~ $pattern ]] || {
    echo "$what: $* said: ${output:0:1000}" >&2
    exit 1
  }
  echo "$what: ok"
}

case $1 in
  run)
    expect version "^keepclear $2"$'\n' keepclear --version
    expect lanes '"lanes":\{"used":"[A-Z]' keepclear --version --json
    expect check 'free' keepclear check six_axis_arm --q 0,0,0,0,0,0
    expect certificate 'free' keepclear certify two_arms --path task1 --certificate task1.kcert
    expect verify '^valid: ' keepclear-verify task1.kcert
    expect report '"verdict":"free"' keepclear report two_arms --path task1 -o task1.html --json
    grep -q '<script' task1.html
    expect completion 'certify' bash -c 'source /usr/share/bash-completion/completions/keepclear
      COMP_WORDS=(keepclear cer) COMP_CWORD=1; _keepclear; echo "${COMPREPLY[@]}"'
    if [[ -d /usr/lib/python3/dist-packages/keepclear ]]; then
      expect python "^$2 free [0-9.]+ True"$'\n'"?$" python3 -c '
import keepclear, numpy
world = keepclear.load("six_axis_arm")
near = world.distance(world.neutral())
batch = world.check(numpy.tile(world.neutral(), (100, 1)))
print(keepclear.__version__, near.verdict.name, near.lower_bound, bool(batch.free.all()))'
    fi
    ;;
  build)
    consumer=/packages/consumer
    answer="^keepclear $2: free, at least [0-9]+\.[0-9]+ m"
    cmake -S "$consumer" -B by_cmake -DCMAKE_BUILD_TYPE=Release -DWANTED="$2" >cmake.log 2>&1 ||
      { cat cmake.log >&2; exit 1; }
    cmake --build by_cmake >cmake.log 2>&1 || { cat cmake.log >&2; exit 1; }
    expect find_package "$answer" by_cmake/consumer
    # shellcheck disable=SC2046
    g++ -std=c++20 "$consumer/main.cpp" -o by_pkg_config $(pkg-config --cflags --libs keepclear)
    expect pkg-config "$answer" ./by_pkg_config
    expect "man page" 'keepclear-certify.*motions.*--method' bash -c 'man keepclear-certify | tr "\n" " "'
    # One library for all: nobody has a copy of it.
    expect "shared library" 'libkeepclear\.so\.0' ldd by_pkg_config
    ;;
  list)
    find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /packages -o -path /var/lib/dpkg \
      -o -path /var/log -o -path /var/cache -o -path /etc/ld.so.cache \) -prune -o -print |
      awk '!/__pycache__/ || /keepclear/' | sort
    ;;
esac
