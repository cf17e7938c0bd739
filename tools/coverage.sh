#!/bin/sh
# SPDX-License-Identifier: MIT
# Run the unit tests on the coverage build, and print which parts of the library they ran. The
# rules are in tools/coverage.py. From the environment: BUILD, MAKE.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
MAKE="${MAKE:-make} --no-print-directory"
out=$BUILD/coverage

for tool in gcc gcov gcovr python3; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "coverage: skipped, there is no $tool"
        exit 0
    fi
done
$MAKE BUILD="$BUILD" CC=gcc VARIANT=coverage tests || exit 1
find "$out" -name '*.gcda' -delete
# The tests are slow in this build: it is not optimised, and counts.
OURO_TEST_TIMEOUT=8 "$out/tests" >"$out/tests.log" 2>&1
status=$?
tail -n 1 "$out/tests.log"
# The branches of failing assertions need not run.
gcovr --root . --object-directory "$out/obj/src" --filter 'src/' \
    --exclude-branches-by-pattern '.*OURO_(ASSERT|VERIFY|ASSUME)\(.*' \
    --json "$out/coverage.json" "$out/obj/src" || exit 1
python3 tools/coverage.py "$out/coverage.json" || exit 1
# The figures took long to get, and are of use even so.
if [ "$status" -ne 0 ]; then
    echo "coverage: tests failed; see $out/tests.log"
    exit 1
fi
