#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make run` shows: each figure stands beside what it should be.
# From the environment: BUILD.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

report() {
    if [ "$1" -eq 0 ]; then echo "ok demo: $2"; else echo "FAIL demo: $2"; fi
}

"$BUILD/debug/demo" >"$root/output"
status=$?
[ $status -eq 0 ] || cat "$root/output"
report $status "it ends well"

awk '/ [0-9]+ of [0-9]+$/ { rows++; if ($(NF - 2) != $NF) bad = 1 }
     END { exit bad || rows != 4 }' "$root/output"
report $? "what should be freed, kept and called is, in four rows"

# The columns: asked for, longest pause, 99.9 % below, all together.
awk '/ in one piece +- +[0-9.]+ ms +[0-9.]+ ms +[0-9]+ ms$/ { piece = $5 }
     / in slices +0.25 ms +[0-9.]+ ms +[0-9.]+ ms +[0-9]+ ms$/ { slices = $5 }
     END { exit !(slices > 0 && piece > slices) }' "$root/output"
report $? "the longest pause stands beside the one that was asked for, and is shorter in slices"
