# SPDX-License-Identifier: BSD-3-Clause
#
# A clean root out of the packages that this machine has installed: those named, all that they depend on,
# the essential ones, and nothing else. It takes seconds and no network. Sourced.
# shellcheck shell=bash

# closure PACKAGE...: names, and dependencies as dpkg writes them ("a (>= 1), b | c"), to the packages that
# meet them, a line each. Fails with a line on stderr for what is not installed.
closure() {
  dpkg-query -W -f '${db:Status-Status}\t${Package}\t${Essential}\t${Pre-Depends}, ${Depends}\t${Provides}\n' |
    awk -F '\t' -v wanted="$(printf '%s, ' "$@")" '
      # Names in a list of dependencies, without versions and architectures.
      function names(text) { gsub(/\([^)]*\)|:[a-z0-9]+|\[[^]]*\]| /, "", text); return text }
      $1 != "installed" { next }
      {
        needs[$2] = names($4)
        if ($3 == "yes") wanted = wanted ", " $2
        count = split(names($5), provided, ",")
        for (i = 1; i <= count; i++) if (provided[i] != "" && !(provided[i] in by)) by[provided[i]] = $2
      }
      END {
        last = 0
        take(names(wanted), "what is tried")
        for (next_one = 1; next_one <= last; next_one++) take(needs[queue[next_one]], queue[next_one])
        for (i = 1; i <= last; i++) print queue[i]
        exit missing
      }
      function take(list, who,    groups, count, i, choices, n, j, name) {
        count = split(list, groups, ",")
        for (i = 1; i <= count; i++) {
          if (groups[i] == "") continue
          n = split(groups[i], choices, "|")
          name = ""
          for (j = 1; j <= n && name == ""; j++) if (choices[j] in needs) name = choices[j]
          for (j = 1; j <= n && name == ""; j++) if (choices[j] in by) name = by[choices[j]]
          if (name == "") {
            print "not installed here: " groups[i] ", needed by " who > "/dev/stderr"
            missing = 1
          } else if (!(name in seen)) {
            seen[name] = 1
            queue[++last] = name
          }
        }
      }'
}

# add_packages ROOT PACKAGE...: copies their files there, and what dpkg knows of them. Those that are there
# already are left as they are.
add_packages() {
  local root=$1 info=/var/lib/dpkg/info package files ending
  shift
  mkdir -p "$root"/var/lib/dpkg/{info,triggers,updates,alternatives} "$root"/{proc,dev,tmp,etc/alternatives}
  local folder
  for folder in bin sbin lib lib32 lib64 libx32; do
    # Debian's merged /usr.
    if [[ -L /$folder && ! -e $root/$folder ]]; then
      mkdir -p "$root/usr/$folder"
      ln -s "usr/$folder" "$root/$folder"
    fi
  done
  local lists=() records=() new=()
  for package in "$@"; do
    for files in "$info/$package.list" "$info/$package":*.list; do
      [[ -f $files && ! -f $root$files ]] || continue
      lists+=("$files")
      new+=("$package")
      for ending in list md5sums conffiles triggers shlibs symbols preinst postinst prerm postrm; do
        [[ ! -f ${files%list}$ending ]] || records+=("${files%list}$ending")
      done
    done
  done
  ((${#lists[@]})) || return 0
  cp "${records[@]}" "$info/format" "$root$info/"
  # With the links that scripts of packages make, which lead nowhere where their package is not. What is not
  # read there stays behind: documents, other languages, what compilers instrument with.
  local left='^\.$|^usr/share/(doc|locale|man|info|i18n/locales|cmake-[0-9.]+/Help)/|/lib[a-z]+san[._]|/lto1$'
  {
    cat "${lists[@]}"
    find /etc/alternatives -type l
    awk 'FNR == 1 { head = 1 } $0 == "" { head = 0 } head && /^\//' /var/lib/dpkg/alternatives/*
  } | sed 's,^/,,' | sort -u | grep -vE "$left" |
    tar -C / --no-recursion --ignore-failed-read -cf - -T - 2>/dev/null |
    tar -C "$root" --keep-directory-symlink -xpf -
  cp /etc/passwd /etc/group "$root/etc/"
  touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
  awk 'FNR == NR { wanted[$1] = 1; next }
    /^Package: / { keep = $2 in wanted }
    keep' <(printf '%s\n' "${new[@]}") /var/lib/dpkg/status >>"$root/var/lib/dpkg/status"
  # Files that packages are interested in.
  awk 'FNR == NR { if (/^Package: /) here[$2] = 1; next }
    { name = $NF; sub(/\/.*/, "", name) }
    name in here' "$root/var/lib/dpkg/status" /var/lib/dpkg/triggers/File >"$root/var/lib/dpkg/triggers/File"
  cp /var/lib/dpkg/triggers/[a-z]* "$root/var/lib/dpkg/triggers/"
}

# in_root ROOT COMMAND...: runs it there, as root, with a few devices.
in_root() {
  local root=$1 map=()
  shift
  ((EUID == 0)) || map=(--map-root-user)
  # shellcheck disable=SC2016
  unshare "${map[@]}" --mount --pid --fork bash -c '
    set -e
    for device in null zero urandom; do
      touch "$0/dev/$device"
      mount --bind "/dev/$device" "$0/dev/$device"
    done
    mount -t proc proc "$0/proc" 2>/dev/null || true
    cd /
    exec chroot "$0" /usr/bin/env -i HOME=/tmp LC_ALL=C.UTF-8 \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' "$root" "$@"
}
