#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/contract.md says which tests prove which rule. Every test that it names must exist, and
# each of the collector's scenarios C1 to C121 must have one row that names a test. The script
# prints what is wrong, and then ends with status 1.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 2

contract=${1:-docs/contract.md}
[ -f "$contract" ] || { echo "$contract is missing"; exit 1; }

awk -v scenarios=121 '
# tests/api/test_memory.c -> api/memory
function group_of(file) {
    sub(/^tests\//, "", file)
    sub(/test_/, "", file)
    sub(/\.c$/, "", file)
    return file
}

function complain(text) {
    print text
    bad = 1
}

# The name stands behind the bracket, or in the next line if it does not fit.
FILENAME != contract {
    if (/^TEST(_PY)?\(/ || is_open) {
        name = $0
        sub(/^TEST(_PY)?\(/, "", name)
        sub(/^ +/, "", name)
        sub(/[^a-zA-Z0-9_].*/, "", name)
        is_open = name == ""
        if (!is_open) {
            exists[group_of(FILENAME) "." name] = 1
        }
    }
    next
}

{
    line = $0
    named = 0
    while (match(line, /`[a-z_]+\/[a-z0-9_]+\.[a-z0-9_]+`/)) {
        test = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        named++
        total++
        if (!(test in exists)) {
            complain(contract ":" FNR ": there is no test " test)
        }
    }
}

/^\| C[0-9]+ \|/ {
    number = substr($2, 2) + 0
    rows[number]++
    if (named == 0) {
        complain(contract ":" FNR ": C" number " names no test")
    }
}

END {
    for (number = 1; number <= scenarios; number++) {
        if (rows[number] != 1) {
            complain(contract ": C" number " has " rows[number] + 0 " rows, not 1")
        }
    }
    if (total == 0) {
        complain(contract ": names no test at all")
    }
    exit bad
}
' contract="$contract" tests/*/test_*.c "$contract"
