#!/bin/sh
# SPDX-License-Identifier: MIT
# The fuzzer's target as a program of its own, on inputs made up from seeds.
# From the environment: BUILD and CC. `make fuzz` searches longer.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck disable=SC2086
if $CC -std=c11 -O1 -g -Wall -Wextra ${WERROR-} -D_GNU_SOURCE -DOURO_DEBUG=1 -pthread \
    -Iinclude/ouroboros tests/fuzz/model.c "$BUILD/debug/libouroboros.a" -lm \
    -o "$root/replay" && "$root/replay" --random "${OURO_FUZZ_INPUTS:-300}"; then
    echo "ok fuzz: the collector and its model agree on inputs made up from seeds"
else
    echo "FAIL fuzz: the collector and its model agree on inputs made up from seeds"
fi
