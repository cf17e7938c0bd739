#!/bin/sh
# SPDX-License-Identifier: MIT
# Report what `make test-faults` has shown: which calls of the library ask for memory, and
# whether each of them has failed at least once.
#
#     tools/fault-sites.sh TESTS NOTES         the test program, and the file of OURO_FAULT_SITES
#     tools/fault-sites.sh --explain TESTS     replace each site+0x... of stdin by its line
#
# A site is a line of src/ that calls an allocation function, or that was on the stack, below
# the test's own code, when one was called. Lines of the first kind are found in the program's
# code, so the report also has lines that no test reaches. The script prints the sites that never
# failed, and fails if there are any. tests/sites.c writes the notes.
set -u
LC_ALL=C
export LC_ALL

first_address() {
    nm "$1" | awk '$3 == "__start_ouro_text" { print $1 }'
}

# lines_of PROGRAM: for each address of stdin, in hexadecimal, "file:line function".
lines_of() {
    addr2line -f -e "$1" |
        awk 'NR % 2 == 1 { name = $1; next } { sub(/.*\/src\//, "src/", $1); print $1, name }'
}

if [ "$1" = --explain ]; then
    text=$(cat)
    offsets=$(echo "$text" | grep -o 'site+0x[0-9a-f]*' | sort -u | sed 's/site+//')
    [ -n "$offsets" ] || { echo "$text"; exit; }
    base=0x$(first_address "$2")
    for offset in $offsets; do
        printf '%x\n' $((base + offset - 1))
    done | lines_of "$2" >"${TMPDIR:-/tmp}/fault-lines.$$"
    echo "$offsets" | paste -d ' ' - "${TMPDIR:-/tmp}/fault-lines.$$" |
        awk '{ printf "s|site+%s\\b|\\n        %s %s|\n", $1, $2, $3 }' >"${TMPDIR:-/tmp}/fault-sed.$$"
    echo "$text" | sed -f "${TMPDIR:-/tmp}/fault-sed.$$"
    rm -f "${TMPDIR:-/tmp}/fault-lines.$$" "${TMPDIR:-/tmp}/fault-sed.$$"
    exit
fi

program=$1 notes=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
base=0x$(first_address "$program")

# The return address of each call of an allocation function.
objdump -d --no-show-raw-insn --section=ouro_text "$program" | awk '
    BEGIN {
        split("PyMem_RawMalloc PyMem_RawCalloc PyMem_RawRealloc PyMem_Malloc PyMem_Calloc " \
              "PyMem_Realloc PyObject_Malloc PyObject_Calloc PyObject_Realloc " \
              "_PyObject_New _PyObject_NewVar _PyObject_GC_New _PyObject_GC_NewVar " \
              "_PyObject_GC_Resize PyUnstable_Object_GC_NewWithExtraData " \
              "PyType_GenericAlloc ouro_fault_hits ouro_platform_reserve " \
              "ouro_platform_commit", names, " ")
        for (i in names) is_allocation["<" names[i] ">"] = 1
    }
    /^ *[0-9a-f]+:/ {
        if (called) { sub(/:/, "", $1); print $1 }
        called = /[ \t]call[ \t]/ && ($NF in is_allocation)
    }' >"$work/calls"

# "offset flags" of the sites seen.
od -An -v -tu1 -w1 "$notes" | awk '$1 != 0 { print NR - 1, $1 }' >"$work/seen"

# One line "address flags" for each site; then the source line replaces the address.
{
    awk -v base=$((base)) '{ printf "%x %d\n", base + $1 - 1, $2 }' "$work/seen"
    while read -r address; do
        printf '%x 16\n' $((0x$address - 1))
    done <"$work/calls"
} >"$work/sites"
cut -d ' ' -f 1 "$work/sites" | lines_of "$program" >"$work/lines"
cut -d ' ' -f 2 "$work/sites" | paste -d ' ' - "$work/lines" | awk '
    # The flags of tests/sites.c: 1 asked, 2 failed; 4 and 8 the same while starting. 16: calls
    # an allocation function.
    { name[$2] = $3; for (bit = 1; bit <= 16; bit *= 2)
          if (int($1 / bit) % 2) flag[$2, bit] = 1 }
    END {
        for (site in name) {
            seen = (site, 1) in flag || (site, 4) in flag
            missed = !seen || ((site, 1) in flag && !((site, 2) in flag)) ||
                ((site, 4) in flag && !((site, 8) in flag))
            calls++
            if ((site, 16) in flag) direct++
            if (missed) {
                count++
                print "never failed: " site, name[site], \
                    seen ? "" : "(no test comes here)" | "sort"
            }
        }
        close("sort")
        printf "faults: %d lines ask for memory, %d of them directly; %d never failed\n", \
            calls, direct, count
        exit count > 0
    }'
