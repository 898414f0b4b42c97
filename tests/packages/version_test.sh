#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# version_test.sh KEEPCLEAR VERSION BUILD_TYPE: what --version tells is true, as text and as JSON.
set -euo pipefail
keepclear=$1
text=$("$keepclear" --version)
[[ ${text%%$'\n'*} == "keepclear $2" ]] || { echo "the first line is: ${text%%$'\n'*}" >&2; exit 1; }
"$keepclear" --version --json >/dev/null
[[ $("$keepclear" --json --version) == "$("$keepclear" --version --json)" ]]
[[ $("$keepclear" check --version --json) == "$("$keepclear" --version --json)" ]]
"$keepclear" --version --json | TEXT=$text VERSION=$2 BUILD_TYPE=$3 /usr/bin/python3 -c '
import json, os, re, subprocess, sys
lines = sys.stdin.read().splitlines()
assert len(lines) == 1, lines
facts, text = json.loads(lines[0]), os.environ["TEXT"]
assert facts["keepclear"] == os.environ["VERSION"]
assert facts["build_type"] == os.environ["BUILD_TYPE"]
# The proofs rest on these two.
assert facts["floating_point"] == {"contraction": False, "fast_math": False}
assert facts["lanes"]["used"] in facts["lanes"]["compiled"]
assert isinstance(facts["page"], bool) and isinstance(facts["modified"], bool)
assert facts["revision"] is None or re.fullmatch("[0-9a-f]{12}", facts["revision"])
for name in ["assimp", "Eigen", "fmt", "Highway", "Qhull", "tinyxml2", "yaml-cpp", "OpenSSL", "Clp"]:
    version = facts["libraries"][name]
    assert re.match("[0-9]+[.][0-9]", version), (name, version)
    assert f"{name} {version}" in re.sub(r"\s+", " ", text), name
for word in [facts["compiler"]["name"], facts["compiler"]["version"], facts["lanes"]["used"], facts["flags"]]:
    assert word in text, word
'
echo "version: ok"
