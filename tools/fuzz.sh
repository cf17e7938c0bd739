#!/bin/sh
# SPDX-License-Identifier: MIT
# Let libFuzzer search for a program for which the collector and its model disagree
# (tests/fuzz/model.c), for FUZZ_SECONDS seconds (60). It prints such a program as a test in C.
# From the environment: BUILD, FUZZ_SECONDS, FUZZ_SEED (0, the default: another each time).
set -u
out=$BUILD/fuzz
flags="-std=c11 -O1 -g -D_GNU_SOURCE -DOURO_DEBUG=1 -Iinclude/ouroboros -pthread"
mkdir -p "$out/corpus" "$out/found"

if ! command -v clang >/dev/null 2>&1; then
    echo "fuzz: skipped, there is no clang"
    exit 0
fi
echo "fuzz: building"
# shellcheck disable=SC2086
clang $flags -DOURO_LIBFUZZER -Wno-unused-function -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=all src/all.c tests/fuzz/model.c -lm -o "$out/fuzzer" ||
    { echo "fuzz: skipped, clang cannot build it (is libclang-rt there?)"; exit 0; }
# shellcheck disable=SC2086
clang $flags -Wno-unused-function src/all.c tests/fuzz/model.c -lm -o "$out/replay" || exit 1

echo "fuzz: ${FUZZ_SECONDS:-60} seconds"
if ! "$out/fuzzer" -seed="${FUZZ_SEED:-0}" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=4000 -timeout=60 \
    -artifact_prefix="$out/found/" -print_final_stats=1 "$out/corpus" >"$out/log" 2>&1; then
    tail -n 40 "$out/log"
    "$out/replay" "$out"/found/*
    exit 1
fi
grep -E 'stat::(number_of_executed_units|new_units_added)' "$out/log"
echo "fuzz: $(find "$out/corpus" -type f | wc -l) inputs in the corpus, nothing found"
