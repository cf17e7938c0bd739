#!/bin/sh
# SPDX-License-Identifier: MIT
# The core links with a seam and nothing else of the library, and collects a cycle.
# From the environment: BUILD, CC.
set -u

program=$(mktemp) || exit 1
trap 'rm -f "$program"' EXIT
core=$(sed -n 's/^[0-9]* *\([a-z]*\) *core$/\1/p' tools/layers)
objects=$(for folder in $core; do ls "$BUILD/debug/obj/src/$folder/"*.o; done)

# shellcheck disable=SC2086
$CC -std=c11 -Wall -Wextra -O1 -g -DOURO_DEBUG=1 -D_GNU_SOURCE -Iinclude/ouroboros \
    tests/core/core.c $objects -pthread -lm -ldl -o "$program"
if [ $? -eq 0 ]; then echo "ok core: it links alone"; else echo "FAIL core: it links alone"; fi
"$program"
