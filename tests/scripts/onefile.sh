#!/bin/sh
# SPDX-License-Identifier: MIT
# The one-file build, exactly as documented, and a program linked to it.
# From the environment: CC.
set -u

root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

report() {
    if [ "$1" -eq 0 ]; then echo "ok onefile: $2"; else echo "FAIL onefile: $2"; fi
}

$CC -Iinclude/ouroboros -c src/all.c -o "$root/all.o"
report $? "compile src/all.c"
$CC -Iinclude/ouroboros tests/scripts/program.c "$root/all.o" -pthread -lm -o "$root/program" &&
    "$root/program"
report $? "link and run a program"
