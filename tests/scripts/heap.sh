#!/bin/sh
# SPDX-License-Identifier: MIT
# Snapshots of the heap: `ouro heap`, and ouro_heap for the newest CPython found, the oldest and the
# system's (all with HEAP_PYTHONS=all). tests/views/ has the tests that need a browser.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPythons.
set -u
BUILD=${BUILD:-build}
CC=${CC:-cc}
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

report() {
    if [ "$1" -eq 0 ]; then echo "ok heap: $2"; else echo "FAIL heap: $2"; fi
}

# says NAME STATUS TEXT ARGUMENTS...: `ouro heap` ends with this status, and prints the text.
says() {
    name=$1 expected=$2 text=$3
    shift 3
    "$BUILD/ouro" heap "$@" >"$root/output" 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -qF -e "$text" "$root/output" ||
        { cat "$root/output"; echo "status $status"; false; }
    report $? "$name"
}

# ---- the command ---------------------------------------------------------------------------------

check_command() {
    # shellcheck disable=SC2086
    $CC -O1 -Iinclude/ouroboros tests/views/program.c $library -lm -ldl -pthread \
        -o "$root/program" || { report 1 "the program compiles"; return; }
    "$root/program" "$root/old.heapsnapshot" 400 >/dev/null
    "$root/program" "$root/new.heapsnapshot" 4000 >"$root/new.expected"
    says "types are listed by bytes" 0 "retained  type" "$root/new.heapsnapshot"
    says "what retains most has its path" 0 "held by ['shop'] of dict" "$root/new.heapsnapshot"
    says "--top chooses the number of lines" 0 "more types; --top" "$root/new.heapsnapshot" --top 2
    says "--diff shows what grew" 0 "          +900" --diff "$root/old.heapsnapshot" \
        "$root/new.heapsnapshot"
    says "--explain lists types" 0 "unaccounted reference" "$root/new.heapsnapshot" --explain
    says "--explain has JSON" 0 '"self_held": ' "$root/new.heapsnapshot" --explain --json
    address=$(sed -n 's/.*"address": "\(0x[0-9a-f]*\)", "type": "tuple".*/\1/p' \
        "$root/new.expected" | tail -n 1)
    says "--object shows referrers" 0 "referrers" "$root/new.heapsnapshot" --object "$address"
    says "an address that is not there" 2 "no object at 0x10" "$root/new.heapsnapshot" --object 0x10
    "$BUILD/ouro" heap "$root/new.heapsnapshot" --html "$root/new.html" &&
        grep -q "const data = {name:" "$root/new.html"
    report $? "--html writes a page with its data"
    says "a page is never written over a file" 2 "File exists" "$root/new.heapsnapshot" \
        --html "$root/new.html"
    says "a file that is no snapshot" 2 "is no .heapsnapshot" tests/scripts/heap.sh
    says "a file that is not there" 2 "No such file" "$root/none"
    says "two files" 2 "one snapshot at a time" "$root/new.heapsnapshot" b
    says "no file" 2 "which snapshot?" --top 3
    says "--help" 0 "--object ADDRESS" --help
}

library=$BUILD/libouroboros-check.a
[ -f "$library" ] && library="-DOURO_CHECK=1 $library"
if [ -x "$BUILD/ouro" ] && [ -n "${library#"$BUILD"}" ]; then
    check_command
else
    echo "skip heap: ouro heap (make ouro)"
fi

# ---- inside CPython ------------------------------------------------------------------------------

# check_python VERSION CONFIG
check_python() {
    python=$("$2" --prefix)/bin/python$1
    CFLAGS="-Werror -O1" "$python" cpython/backend/ouro_build.py "$root/$1" >"$root/output" 2>&1 ||
        { cat "$root/output"; report 1 "ouro_heap builds for CPython $1"; return; }
    PYTHONPATH=$root/$1 "$python" tests/cpython/ouro_heap/check_heap.py >"$root/claims" 2>&1
    report $? "the claims run to their end on CPython $1"
    sed -n -e "s/^\(ok\|FAIL\) \(.*\)/\1 heap: \2, on CPython $1/p" "$root/claims"
    grep -vE '^ok ' "$root/claims"
}

tools/install-packages.sh differential
tools/python-configs.sh >"$root/pythons"
if [ "${HEAP_PYTHONS:-}" = all ]; then
    cat "$root/pythons"
else
    { head -n 1 "$root/pythons"; tail -n 1 "$root/pythons"; grep '/usr/bin/' "$root/pythons" |
        head -n 1; } | awk '!seen[$1]++'
fi >"$root/chosen"
while read -r version config; do
    check_python "$version" "$config"
done <"$root/chosen"
[ -s "$root/chosen" ] || echo "skip heap: no python3-config with headers (python3-dev)"
