#!/bin/sh
# SPDX-License-Identifier: MIT
# A program is compiled with CPython's own headers, or with the flag of the checking build, but
# linked with this library. It must print an error at its start, and not run.
# From the environment: BUILD and CC.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
program=tests/scripts/program.c
library="$BUILD/debug/libouroboros.a -pthread -lm"

# refused NAME TEXT FLAGS...: compiled with these flags, the program dies with the text.
refused() {
    name=$1 text=$2
    shift 2
    # shellcheck disable=SC2086
    if ! $CC "$@" $program $library -o "$root/program"; then
        echo "FAIL abi: $name (does not build)"
        return
    fi
    (ulimit -c 0; "$root/program") >"$root/output" 2>&1
    status=$?
    cat "$root/output"
    if [ "$status" -eq 134 ] && grep -qF -e "$text" "$root/output"; then
        echo "ok abi: $name"
    else
        echo "FAIL abi: $name (status $status)"
    fi
}

refused "a program built for the checking library is refused" \
    "with OURO_CHECK (ABI tag" -Iinclude/ouroboros -DOURO_CHECK

# python3-config may be a stub that fails; the header itself decides.
cflags=$(python3-config --includes 2>/dev/null) || cflags=
# shellcheck disable=SC2086
if [ -n "$cflags" ] && $CC $cflags -fsyntax-only $program 2>/dev/null; then
    # shellcheck disable=SC2086
    refused "a program built with CPython's headers is refused" \
        "with CPython's or other headers" $cflags
else
    echo "skip abi: a program built with CPython's headers: no python3-config with headers"
fi
