#!/bin/sh
# SPDX-License-Identifier: MIT
# Run gcc's -fanalyzer over every file of src/: as released, with the checks of a debug build, and
# the checker as it is built for the checking library. `make analyze` calls this script. It prints
# the findings, and fails if there are any. A comment in the line of a false one says why it is wrong:
#     /* analyzer: the caller has set it */
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

# analyze LABEL FLAGS FILE...: print the commands, one for each file.
analyze() {
    label=$1 flags=$2
    shift 2
    for file; do
        echo "$CC -Iinclude/ouroboros -D_GNU_SOURCE -std=c11 -O1 $flags -fanalyzer" \
            "-c -o /dev/null $file >$work/$(echo "$file" | tr / _).$label.log 2>&1"
    done
}

# The checker is built into the checking library alone.
files=$(ls src/*/*.c | grep -v '^src/check/')
rm -f "$work"/*.log
# shellcheck disable=SC2086
{
    analyze release "" $files
    analyze debug "-DOURO_DEBUG=1" $files
    analyze check "-DOURO_DEBUG=1 -DOURO_CHECK=1" src/check/*.c
} | xargs -P "$(nproc 2>/dev/null || echo 1)" -I '{}' sh -c '{}'

found=0 judged=0
grep -h 'warning: \|error: ' "$work"/*.log >"$work/findings"
while IFS=: read -r file line rest; do
    if sed -n "${line}p" "$file" 2>/dev/null | grep -q '/\* analyzer: '; then
        judged=$((judged + 1))
    else
        found=$((found + 1))
        grep -l -F "$file:$line:$rest" "$work"/*.log | head -n 1 | xargs cat
    fi
done <"$work/findings"
echo "analyze: $(find src -name '*.c' ! -name all.c | wc -l) files, $found findings, $judged known to be wrong"
[ "$found" -eq 0 ]
