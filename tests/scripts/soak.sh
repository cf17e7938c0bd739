#!/bin/sh
# SPDX-License-Identifier: MIT
# `make soak` itself, with a make that does nothing: its time, its log, its first failure.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

# soak HOURS MAKE: the step tsan alone; the output is in $root/out.
soak() {
    HOURS=$1 MAKE=$2 BUILD=$root/build SEED=7 timeout 60 tools/soak.sh --only tsan >"$root/out" 2>&1
}

# claim NAME STATUS: what was true of the last run.
claim() {
    if [ "$2" -eq 0 ]; then
        echo "ok soak: $1"
    else
        sed 's/^/    /' "$root/out"
        echo "FAIL soak: $1"
    fi
}

soak 0.0001 true && grep -q 'passed tsan' "$root/out" && grep -q 'nothing failed$' "$root/build/soak/log"
claim "an hour has parts, and the log says how it ended" $?

! soak soon true && grep -q 'HOURS is a number, not "soon"' "$root/out" && ! grep -q passed "$root/out"
claim "hours that are no number are refused" $?

! soak 1 false && grep -q "SEED=7 sh -c 'false tsan'" "$root/out" && grep -q 'FAILED tsan' "$root/build/soak/log"
claim "the first failure ends it, with the command that repeats it" $?

printf '#!/bin/sh\n! (: <&3) 2>/dev/null\n' >"$root/make"
chmod +x "$root/make"
soak 0.0001 "$root/make"
claim "a step cannot read from the list of steps" $?
