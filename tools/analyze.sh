#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc's -fanalyzer over every file of src/, as it is released and with the checks of a debug
# build: what `make analyze` runs. Prints what it finds, and fails if that is anything.
# From the environment: CC, BUILD.
set -u
cd "$(dirname "$0")/.." || exit 2
CC=${CC:-cc}
work=${BUILD:-build}/analyze
mkdir -p "$work"

echo 'int x;' >"$work/try.c"
if ! $CC -fanalyzer -c -o "$work/try.o" "$work/try.c" 2>/dev/null; then
    CC=gcc
    if ! $CC -fanalyzer -c -o "$work/try.o" "$work/try.c" 2>/dev/null; then
        echo "skip analyze: no gcc with -fanalyzer"
        exit 0
    fi
fi

rm -f "$work"/*.log
for debug in 0 1; do
    for file in src/*/*.c; do
        log=$(echo "$file" | tr / _)
        echo "$CC -Iinclude/ouroboros -D_GNU_SOURCE -std=c11 -O1 -DOURO_DEBUG=$debug" \
            "-fanalyzer -c -o /dev/null $file >$work/$log.$debug.log 2>&1"
    done
done | xargs -P "$(nproc 2>/dev/null || echo 1)" -I '{}' sh -c '{}'

found=$(cat "$work"/*.log | grep -c 'warning: \|error: ')
if [ "$found" -ne 0 ]; then
    cat "$work"/*.log
fi
echo "analyze: $(find src -name '*.c' ! -name all.c | wc -l) files, $found findings"
[ "$found" -eq 0 ]
