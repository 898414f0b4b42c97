#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# whole_root.sh STAGE VERSION: tries the packages that lie in STAGE/packages in a root that mmdebstrap
# fetches from Debian: apt installs them with what they depend on, they run, are removed, and a program is
# built with them. Takes a network, and root or user namespaces.
set -euo pipefail
stage=$1 version=$2
command -v mmdebstrap >/dev/null || {
  echo "skipped: no mmdebstrap (scripts/setup package installs it)"
  exit 77
}
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' "Codename: $suite" 2>/dev/null | head -1)
[[ -n $mirror ]] || mirror=http://deb.debian.org/debian
if ! curl -fsSo /dev/null --max-time 20 "${mirror%/}/dists/$suite/InRelease"; then
  echo "skipped: $mirror does not answer"
  exit 77
fi

steps=$stage/steps.sh
cat >"$steps" <<STEPS
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
get() { apt-get -q -y --no-install-recommends "\$@" >/tmp/apt.log 2>&1 || { tail -20 /tmp/apt.log >&2; exit 1; }; }
in_root=/packages/in_root.sh
dpkg-query -W -f '\${Package}\n' | sort >/tmp/packages.before
cd /packages
get install \$(ls ./*.deb | grep -v -e -dev_)
dpkg-query -W -f '\${Package}\n' | sort >/tmp/packages.after
echo "packages installed: \$(comm -13 /tmp/packages.before /tmp/packages.after | wc -l)"
\$in_root run $version
\$in_root list >/tmp/with
get purge \$(dpkg-query -W -f '\${Package} ' '*keepclear*')
\$in_root list >/tmp/without
# Of what is gone, all was ours; of what is ours, nothing stayed.
if grep keepclear /tmp/without >&2; then echo "left behind by the packages" >&2; exit 1; fi
echo "removed: \$(comm -23 /tmp/with /tmp/without | wc -l) files and folders"
get install g++ cmake make pkg-config man-db ./libkeepclear_*.deb ./libkeepclear-dev_*.deb ./keepclear_*.deb
\$in_root build $version
man -w keepclear-certify
STEPS
mmdebstrap --quiet --variant=apt --format=null \
  --customize-hook="mkdir -p \"\$1/packages\"" \
  --customize-hook="sync-in $stage/packages /packages" \
  --customize-hook="upload $steps /packages/steps.sh" \
  --customize-hook='chroot "$1" bash /packages/steps.sh' \
  "$suite" /dev/null "deb $mirror $suite main"
echo "a root of $suite from $mirror: ok"
