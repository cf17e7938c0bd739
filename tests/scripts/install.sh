#!/bin/sh
# SPDX-License-Identifier: MIT
# Install into an empty folder, and use what is there as a stranger would: through
# pkg-config, against the shared and the static library, from C and from C++.
# From the environment: BUILD and CC.
set -u
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT  # the tests run with that of the debug build; release is what is installed

root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
program=tests/scripts/program.c
lib=$root/opt/ouro/lib

report() {
    if [ "$1" -eq 0 ]; then echo "ok install: $2"; else echo "FAIL install: $2"; fi
}

make -j "$(nproc)" BUILD="$BUILD" CC="$CC" PREFIX=/opt/ouro DESTDIR="$root" install
report $? "make install"

if command -v pkg-config >/dev/null 2>&1; then
    export PKG_CONFIG_PATH="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
    cflags=$(pkg-config --cflags ouroboros)
    report $? "pkg-config finds ouroboros"

    # shellcheck disable=SC2046,SC2086
    $CC $cflags $program -o "$root/shared" $(pkg-config --libs ouroboros) &&
        LD_LIBRARY_PATH=$lib "$root/shared"
    report $? "a program with the shared library"

    # shellcheck disable=SC2046,SC2086
    $CC $cflags $program -o "$root/static" \
        $(pkg-config --static --libs ouroboros | sed 's/-louroboros/-l:libouroboros.a/') &&
        "$root/static"
    report $? "a program with the static library"

    if command -v c++ >/dev/null 2>&1; then
        # shellcheck disable=SC2046,SC2086
        c++ -std=c++17 -Wall -Wextra -Wpedantic ${WERROR-} $cflags \
            tests/scripts/container.cc -o "$root/cxx" $(pkg-config --libs ouroboros) &&
            LD_LIBRARY_PATH=$lib "$root/cxx"
        report $? "a container type in C++"
    else
        echo "skip install: a container type in C++: no c++"
    fi
else
    echo "skip install: programs through pkg-config: no pkg-config"
fi

"$root/opt/ouro/bin/ouro" --version && [ -x "$root/opt/ouro/libexec/ouroboros/demo" ] &&
    [ -f "$root/opt/ouro/share/man/man1/ouro.1" ]
report $? "the program ouro, its demonstration and its manual"

make BUILD="$BUILD" PREFIX=/opt/ouro DESTDIR="$root" uninstall
left=$(find "$root/opt" ! -type d)
[ -z "$left" ]
report $? "make uninstall leaves nothing $left"

unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
tests/scripts/pages/follow.sh
