#!/bin/sh
# SPDX-License-Identifier: MIT
# The output of `make run`: each figure stands beside the figure that it should be.
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

# The columns: in one piece, in slices.
awk '/ asked for: .* 0.25 ms$/ { asked = 1 }
     / promised: .* 1.00 ms$/ { promised = 1 }
     / the longest pause +[0-9.]+ ms +[0-9.]+ ms$/ { piece = $(NF - 3); slices = $(NF - 1) }
     / of any 20 ms, at least +[0-9]+ % +[0-9]+ %$/ { share = $(NF - 1) > $(NF - 3) }
     END { exit !(asked && promised && share && slices > 0 && piece > slices) }' "$root/output"
report $? "the longest pause stands beside budget and promise, and is shorter in slices"

grep -q 'The promise is kept:' "$root/output" || [ "$(awk '/ the longest pause /{print ($(NF - 1) > 1)}' \
    "$root/output")" = 1 ]
report $? "a promise that was not kept is not called kept"
