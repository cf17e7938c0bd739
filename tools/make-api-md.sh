#!/bin/sh
# SPDX-License-Identifier: MIT
# Print docs/api.md: every name that the headers offer, and the names that only CPython has.
# tools/missing-api.txt lists all names by chapter of CPython's manual ("# chapter", then names).
# A line "- names: reason" has names that our headers do not have. The script fails when a name
# has neither a declaration nor a reason, or both.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one_line HEADER: the header, with declarations joined whose name stands on the next line.
one_line() {
    sed -e ':again' -e '/PyAPI_[A-Z]*([^)]*)$/{N;s/\n */ /;bagain' -e '}' "$1"
}

functions() {
    one_line "$1" | sed -n 's/^PyAPI_FUNC([^)]*)//p' | grep -oE '^[^(]*\(' |
        grep -oE '(Py|Ouro_)[A-Za-z0-9_]*\($' | tr -d '(' || true
    grep -oE '^(Py|Ouro_)[A-Za-z0-9_]*\(' "$1" | tr -d '(' || true
}

data() {
    one_line "$1" | sed -n 's/^PyAPI_DATA([^)]*) *\**\([A-Za-z0-9_]*\).*/\1/p'
}

macros() {
    sed -n 's/^#define  *\([A-Za-z0-9_]*\).*/\1/p' "$1"
}

types() {
    sed -n -e 's/^} *\([A-Za-z0-9_]*\);.*/\1/p' \
        -e 's/^typedef [^(]*[ *]\([A-Za-z0-9_]*\);.*/\1/p' \
        -e 's/^typedef .*(\*\([A-Za-z0-9_]*\))(.*/\1/p' "$1"
}

# Names of one kind on one line, in backquotes; nothing when there are none.
listed() {
    grep -vE '^(_|PyAPI_|OURO_PY_|OUROBOROS_([A-Z]*_)?H|Py_PYTHON_H|$)' | sort -u >"$work/names"
    [ ! -s "$work/names" ] || {
        printf '\n%s: ' "$1"
        sed 's/.*/`&`/' "$work/names" | paste -sd' ' | sed 's/ /, /g'
    }
}

# The subject of the header: its second line, without the comment signs.
title() {
    sed -n '2s|^/\* *||p' "$1" | sed 's| *\*/$||'
}

section() {
    printf '\n### %s\n\n%s\n' "${1#include/ouroboros/}" "$(title "$1")"
    functions "$1" | listed Functions
    data "$1" | listed Objects
    types "$1" | listed Types
    functions "$1" | sort -u >"$work/functions"
    macros "$1" | sort -u | comm -23 - "$work/functions" | listed Macros
}

headers=$(ls include/ouroboros/py/*.h include/ouroboros/structmember.h include/ouroboros/osdefs.h include/ouroboros/datetime.h \
    include/ouroboros/ouroboros.h include/ouroboros/ouro_statistics.h)
for header in $headers; do
    functions "$header"
    data "$header"
    macros "$header"
done | grep -E '^(Py|PY)' | sort -u >"$work/ours"

cat <<END
# Everything the headers offer

Written by \`tools/make-api-md.sh\` from the headers; do not edit. What a name means, who
owns what, and how it fails stands at its declaration. \`#include <Python.h>\` brings all of
it but [ouroboros.h](../include/ouroboros/ouroboros.h) and the header that it includes, which have what CPython does not have.

## What is missing

Names that CPython 3.13's headers make public, and some that 3.14 and 3.15 document, which
are not here, by chapter of its manual, and why. A source that uses one of them does not
compile. Every function of the Limited API of 3.13 is here, or has its reason here.

| chapter | missing | why |
| --- | --- | --- |
END
awk -v ours="$work/ours" '
    BEGIN { while ((getline name < ours) > 0) { have[name] = 1 } }
    function complain(what) { print "tools/missing-api.txt: " what >"/dev/stderr"; bad = 1 }
    # Names up to the colon, then the reason, which may continue in indented lines.
    function flush(  colon, count, names, i, line) {
        if (entry == "") { return }
        colon = index(entry, ": ")
        count = split(substr(entry, 1, colon - 1), names, " ")
        for (i = 1; i <= count; i++) {
            if (names[i] in have) { complain(names[i] " is here, and has a reason why not") }
            line = line (i == 1 ? "" : ", ") "`" names[i] "`"
        }
        print "| " chapter " | " line " | " substr(entry, colon + 2) " |"
        entry = ""
    }
    /^  / { entry = entry " " substr($0, 3); next }
    { flush() }
    /^##/ { next }
    /^# / { chapter = substr($0, 3); next }
    /^- / { entry = substr($0, 3); next }
    { for (i = 1; i <= NF; i++) if (!($i in have)) { complain($i " is not here, and has no reason") } }
    END { flush(); exit bad }' tools/missing-api.txt
printf '\n## What is there\n'
for header in $headers; do
    section "$header"
done
