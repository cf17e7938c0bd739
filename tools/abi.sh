#!/bin/sh
# SPDX-License-Identifier: MIT
# Compare the ABI of the shared libraries with the descriptions in packaging/abi/.
#   tools/abi.sh compare   print every difference; fail if there is one
#   tools/abi.sh record    write the descriptions anew. An incompatible difference is refused
#                          unless OURO_ABI_TAG in version.h, or the soname, has changed, too
# docs/release.md has the rules. From the environment: LIBRARIES, the folder of the libraries
# (build); HEADERS, that of the headers; RECORDS, that of the descriptions.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 2

LIBRARIES=${LIBRARIES:-build}
HEADERS=${HEADERS:-include/ouroboros}
RECORDS=${RECORDS:-packaging/abi}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

command -v abidw >/dev/null 2>&1 ||
    { echo "skip abi: no abidw (Debian: abigail-tools)"; exit 0; }
[ "$(uname -m)" = x86_64 ] || { echo "skip abi: the descriptions are for x86-64"; exit 0; }

# describe NAME: the description of lib<NAME>, as it is recorded. Types that no public header
# defines are left out, because they may change. Names that both libraries have are described
# once: the description of the checking library has only its additional names.
describe() {
    own=
    [ "$1" = ouroboros ] || own="--suppressions packaging/abi/check.suppr"
    # shellcheck disable=SC2086
    abidw $own --headers-dir "$HEADERS" --drop-private-types --exported-interfaces-only \
        --no-show-locs --no-corpus-path --no-comp-dir-path \
        --no-parameter-names --no-write-default-sizes --no-elf-needed --type-id-style hash \
        "$LIBRARIES/lib$1.so" |
        sed "1a\\<!-- SPDX-License-Identifier: MIT; $(tag_of "$HEADERS/py/version.h"); by make abi-record -->"
}

# tag_of FILE: the ABI tag that the header defines for the plain library, or that a description has.
tag_of() {
    grep -oE '0x6F75[0-9A-F]*' "$1" | sort | head -n 1
}

soname_of() {
    sed -n "s/.*soname='\([^']*\)'.*/\1/p" "$1"
}

# differs NAME OPTIONS...: abidiff compares the record with the library; its output goes to
# $work/report.
differs() {
    name=$1
    shift
    abidiff "$@" "$RECORDS/lib$name.abi" "$work/$name.abi" >"$work/report" 2>&1
    status=$?
    [ $((status & 3)) -eq 0 ] || { cat "$work/report"; exit 2; }
    [ $status -ne 0 ]
}

compare() {
    if differs "$1"; then
        cat "$work/report"
        echo "FAIL abi: lib$1 has another ABI than the recorded one. Announce the change in" \
            "CHANGELOG.md, then: make abi-record (docs/release.md)"
        return 1
    fi
    echo "ok abi: lib$1 has the recorded ABI"
}

# Added names do not break existing programs. Every other difference needs another tag or soname.
record() {
    if [ -f "$RECORDS/lib$1.abi" ] && differs "$1" --no-added-syms &&
        [ "$(soname_of "$RECORDS/lib$1.abi")" = "$(soname_of "$work/$1.abi")" ] &&
        [ "$(tag_of "$RECORDS/lib$1.abi")" = "$(tag_of "$work/$1.abi")" ]; then
        cat "$work/report"
        echo "FAIL abi: lib$1 is incompatible with the recorded ABI. Give OURO_ABI_TAG in" \
            "include/ouroboros/py/version.h other values, then: make abi-record"
        return 1
    fi
    cp "$work/$1.abi" "$RECORDS/lib$1.abi"
    echo "ok abi: lib$1 recorded in $RECORDS/lib$1.abi"
}

failed=0
for library in ouroboros ouroboros-check; do
    describe $library >"$work/$library.abi"
    [ -s "$work/$library.abi" ] || exit 2
    case ${1-} in
    compare | record) "$1" $library || failed=1 ;;
    *) sed -n 's/^#   //p' "$0"; exit 2 ;;
    esac
done
exit $failed
