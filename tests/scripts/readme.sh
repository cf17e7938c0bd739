#!/bin/sh
# SPDX-License-Identifier: MIT
# The container type of the README is that of examples/link.c. It compiles and collects its cycle.
set -u
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
report() {
    [ "$1" -eq 0 ] && echo "ok readme: $2" || echo "FAIL readme: $2"
}

awk '/^```c link.c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$root/readme.c"
sed -e 1,2d -e '/clang-format/d' examples/link.c | diff - "$root/readme.c"
report $? "the type it shows is examples/link.c"

# shellcheck disable=SC2086
$CC -std=c11 -Wall -Wextra ${WERROR-} -Iinclude/ouroboros examples/link.c \
    "$BUILD/debug/libouroboros.a" -pthread -lm -o "$root/link" &&
    [ "$("$root/link")" = "1 collected" ]
report $? "the type it shows collects its cycle"
