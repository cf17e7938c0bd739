#!/bin/sh
# SPDX-License-Identifier: MIT
# Shared objects built against the headers are found and loaded, or refused with a reason.
# The program exports the library's names; a second one is linked with the shared library.
# From the environment: BUILD and CC.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
sources=tests/scripts/modules
cflags="-Iinclude/ouroboros -Wall -Wextra ${WERROR-} -fPIC"
shared="-L$BUILD/debug -louroboros -Wl,-rpath,$(pwd)/$BUILD/debug"
case $BUILD in /*) shared="-L$BUILD/debug -louroboros -Wl,-rpath,$BUILD/debug" ;; esac

report() {
    if [ "$1" -eq 0 ]; then echo "ok modules: $2"; else echo "FAIL modules: $2"; fi
}

# built FILE SOURCE FLAGS...: a shared object.
built() {
    file=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    $CC "$@" $cflags -shared "$sources/$source" -o "$root/$file"
}

# shellcheck disable=SC2086
$CC $cflags "$sources/importer.c" -o "$root/importer" -rdynamic \
    -Wl,--whole-archive "$BUILD/debug/libouroboros.a" -Wl,--no-whole-archive -pthread -lm -ldl
report $? "a program that exports the static library"

mkdir "$root/lib" "$root/tagged"
cp -r include "$root/older"
sed -i "s/0x6F7501/0x6F7500/" "$root/older/ouroboros/py/version.h"
built lib/counter.so counter.c &&
    built lib/exported.so exported.c &&
    built tagged/counter.some-tag.so counter.c &&
    built lib/noinit.so counter.c -DINIT=PyInit_other &&
    built lib/older.so counter.c -DINIT=PyInit_older -I"$root/older/ouroboros" &&
    built lib/checking.so counter.c -DINIT=PyInit_checking -DOURO_CHECK &&
    built lib/undefined.so counter.c -DINIT=PyInit_undefined -DMISSING
report $? "shared objects"

# imports NAME TEXT ARGS...: the importer with these arguments prints the text.
imports() {
    name=$1 text=$2
    shift 2
    "$root/importer" "$@" >"$root/output" 2>&1
    status=$?
    cat "$root/output"
    [ $status -eq 0 ] && grep -qF -e "$text" "$root/output"
    report $? "$name"
}

export OURO_PATH="$root/nothing:$root/lib"
imports "OURO_PATH is searched" "<module 'counter' from '$root/lib/counter.so'>" counter
imports "PyModExport is found" "<module 'exported' from '$root/lib/exported.so'>" exported
OURO_PATH=$root/tagged
imports "a file name may have a tag" "counter.some-tag.so'>" counter
OURO_PATH=
imports "without a path nothing is found" \
    "ModuleNotFoundError: No module named 'counter'" counter
imports "a file is loaded by its path" "<module 'counter' from '$root/lib/counter.so'>" \
    counter "$root/lib/counter.so"
imports "a missing init function is named" "PyInit_noinit" noinit "$root/lib/noinit.so"
imports "a module of another version is refused" \
    "module older was compiled with headers of another version" older "$root/lib/older.so"
imports "a module for the checking library is refused" \
    "these headers with OURO_CHECK" checking "$root/lib/checking.so"
imports "an undefined name is explained" "undefined symbol: PyFrame_Missing" \
    undefined "$root/lib/undefined.so"

# A module linked with the shared library works if the program exports its own copy of the names. It
# is refused if it would use the other copy.
version=$(sed -n 's/^VERSION *:= *//p' Makefile)
MAKEFLAGS='' make VARIANT=debug BUILD="$BUILD" CC="$CC" \
    "$BUILD/debug/libouroboros.so.$version" &&
    built lib/twice.so counter.c -DINIT=PyInit_twice -Wl,--no-as-needed $shared
report $? "the shared library"
imports "the program's copy of the library comes first" "counted to 3" \
    twice "$root/lib/twice.so"
# shellcheck disable=SC2086
$CC $cflags "$sources/importer.c" -o "$root/importer" \
    "$BUILD/debug/libouroboros.a" -pthread -lm -ldl
imports "a second copy of the library is refused" \
    "linked with another copy of the Ouroboros library" twice "$root/lib/twice.so"
imports "a program that exports nothing is told how to" "-rdynamic" \
    counter "$root/lib/counter.so"
# shellcheck disable=SC2086
$CC $cflags "$sources/importer.c" -o "$root/importer" $shared
imports "a program with the shared library" "counted to 3" twice "$root/lib/twice.so"

# Modules built with CPython's own headers.
if read -r version config <<END
$(tools/python-configs.sh)
END
then
    cpython=$("$config" --includes)
    # shellcheck disable=SC2086
    $CC $cpython -fPIC -shared "$sources/counter.c" -DINIT=PyInit_cpython \
        -o "$root/lib/cpython.so" &&
        $CC $cpython -fPIC -shared "$sources/single.c" -o "$root/lib/single.so"
    report $? "modules built for CPython $version"
    imports "a multi-phase module built for CPython is refused" \
        "compiled with CPython's or other headers" cpython "$root/lib/cpython.so"
    imports "a single-phase module built for CPython is refused" \
        "compiled with CPython's or other headers" single "$root/lib/single.so"
else
    echo "skip modules: a module built for CPython: no python3-config with headers"
fi
