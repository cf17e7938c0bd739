#!/bin/sh
# SPDX-License-Identifier: MIT
# `make abi` reports changes of the ABI, and no other changes. The changes are made in copies of
# the sources, compiled as one file.
. "$(dirname "$0")/claims"
claims abi
tools/install-packages.sh abi

make -s BUILD="$BUILD" CC="$CC" all >/dev/null && make -s BUILD="$BUILD" CC="$CC" CHECK=1 all >/dev/null ||
    exit 2

all_names_have_the_version() {
    nm -D --defined-only "$BUILD/$1" | grep -v ' A ' >"$root/names"
    [ -s "$root/names" ] && ! grep -v "@@OUROBOROS_$minor\$" "$root/names"
}
claim "every name of libouroboros carries the version of its ABI" all_names_have_the_version libouroboros.so
claim "and every name of libouroboros-check" all_names_have_the_version libouroboros-check.so

# ---- two libraries in one process ------------------------------------------------------------

# A module linked with the plain library, in a program linked with the checking one.
mixed() {
    $CC -shared -fPIC -Iinclude/ouroboros tests/scripts/modules/counter.c -L"$BUILD" -louroboros \
        -o "$root/counter.so" &&
        printf '#include <ouroboros.h>\nint main(int n, char **v) { Py_Initialize();
            Ouro_ImportFile("counter", v[n - 1]); PyErr_Print(); }\n' >"$root/host.c" &&
        $CC -Iinclude/ouroboros -DOURO_CHECK=1 "$root/host.c" -L"$BUILD" -louroboros-check \
            -o "$root/host" || return 1
    prints "Compile it again" env LD_LIBRARY_PATH="$BUILD" "$root/host" "$root/counter.so"
}
claim "a module of the plain library is refused in a program of the checking one" mixed

# ---- make abi ----------------------------------------------------------------------------------

needs abidw "make abi" || exit 0
claim "the libraries have the recorded ABI" tools/abi.sh compare

# variant NAME COMMAND...: a copy of the sources, changed by the command there, and its libraries.
# The checking library is the one of the build: one of the two is enough.
variant() {
    copy=$root/$1
    shift
    mkdir -p "$copy/records" && cp -r src include Makefile "$copy" &&
        cp packaging/abi/*.abi "$copy/records" && (cd "$copy" && "$@") &&
        echo "OUROBOROS_$minor { global: Py*; _Py*; Ouro_*; local: *; };" >"$copy/map" &&
        $CC -g -O0 -fPIC -shared -fvisibility=hidden -D_GNU_SOURCE -pthread \
            -I"$copy/include/ouroboros" "-Wl,-soname,libouroboros.so.$minor" \
            "-Wl,--version-script=$copy/map" "$copy/src/all.c" -lm -ldl -o "$copy/libouroboros.so" &&
        ln -s "$(realpath "$BUILD/libouroboros-check.so")" "$copy/libouroboros-check.so"
}

# abi NAME compare|record: run tools/abi.sh on that copy.
abi() {
    LIBRARIES=$root/$1 HEADERS=$root/$1/include/ouroboros RECORDS=$root/$1/records \
        tools/abi.sh "$2"
}

new_tag() {
    sed -i 's/0x6F75/0x6F75F/' "$root/$1/include/ouroboros/py/version.h"
}

variant same true
claim "compiled as one file, the library has the same ABI" abi same compare

variant internal sed -i 's/^struct _is {/&\n    long another;/' src/thread/interpreter.h
claim "an internal structure may change" abi internal compare

variant added sh -c 'echo "PyAPI_FUNC(int) Ouro_Another(void); int Ouro_Another(void) { return 0; }" >>src/all.c'
claim "an added function is noticed" prints "Added function" refuses abi added compare
claim "an added function is recorded without another tag" abi added record
claim "what was recorded is no difference any more" abi added compare

variant field sed -i 's/^typedef struct {$/&\n    long another;/' include/ouroboros/ouroboros.h
claim "a field in a public structure is noticed" prints "another" refuses abi field compare
claim "an incompatible change is not recorded with the same tag" \
    prints "Give OURO_ABI_TAG" refuses abi field record
new_tag field
claim "an incompatible change is recorded with another tag" abi field record
