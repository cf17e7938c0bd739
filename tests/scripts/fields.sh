#!/bin/sh
# SPDX-License-Identifier: MIT
# Declared fields: the same source prints the same on this library and on every CPython that is
# found, compiled as C and as C++, with nothing but the header ouro_fields.h.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPythons.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
source=tests/scripts/fields/fields.c
warnings="-Wall -Wextra ${WERROR-} -Wno-missing-field-initializers"

report() {
    if [ "$1" -eq 0 ]; then echo "ok fields: $2"; else echo "FAIL fields: $2"; fi
}

# The header alone, as an extension would copy it.
mkdir "$root/alone"
cp include/ouroboros/ouro_fields.h "$root/alone"

# shellcheck disable=SC2086
$CC -std=c99 -g $warnings -Iinclude/ouroboros "$source" "$BUILD/debug/libouroboros.a" -pthread -lm \
    -ldl -o "$root/ours" && "$root/ours" >"$root/ours.txt" && [ -s "$root/ours.txt" ]
report $? "every kind of field, on this library"

# same NAME PROGRAM: the program must print the same.
same() {
    "$2" >"$root/other.txt" && cmp -s "$root/ours.txt" "$root/other.txt"
    status=$?
    report $status "$1 prints the same"
    [ $status -eq 0 ] || diff "$root/ours.txt" "$root/other.txt"
}

# shellcheck disable=SC2086
if ! command -v c++ >/dev/null 2>&1; then
    echo "skip fields: C++: no c++"
elif c++ -x c++ -std=c++17 -g $warnings -Iinclude/ouroboros "$source" -x none \
    "$BUILD/debug/libouroboros.a" -pthread -lm -ldl -o "$root/ours++"; then
    same "the source as C++, on this library," "$root/ours++"
else
    report 1 "the source as C++"
fi

tools/install-packages.sh differential
tools/python-configs.sh >"$root/pythons"
[ -s "$root/pythons" ] || echo "skip fields: CPython: no python3-config that can embed"
while read -r version config; do
    if [ "${version#3.}" -lt 9 ]; then
        echo "skip fields: CPython $version: ouro_fields.h needs 3.9"
        continue
    fi
    prefix=$("$config" --prefix)
    # shellcheck disable=SC2046,SC2086
    if $CC -std=c99 -g $warnings -isystem "$("$config" --includes | sed 's/^-I//; s/ .*//')" \
        -I"$root/alone" "$source" $("$config" --embed --ldflags) -Wl,-rpath,"$prefix/lib" \
        -o "$root/peer"; then
        PYTHONHOME=$prefix same "CPython $version" "$root/peer"
    else
        report 1 "CPython $version compiles it"
    fi
done <"$root/pythons"
