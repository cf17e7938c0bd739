#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's program under valgrind: no bad access, and nothing lost at exit.
set -u
if ! command -v valgrind >/dev/null 2>&1; then
    echo "skip valgrind: the README's program leaks nothing: no valgrind"
    exit 0
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# shellcheck disable=SC2086
$CC -g -Iinclude/ouroboros examples/link.c "$BUILD/debug/libouroboros.a" -pthread -lm \
    -o "$root/link" &&
    valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,possible \
        --error-exitcode=9 "$root/link"
if [ $? -eq 0 ]; then
    echo "ok valgrind: the README's program leaks nothing"
else
    echo "FAIL valgrind: the README's program leaks nothing"
fi
