#!/bin/sh
# SPDX-License-Identifier: MIT
# Build the libraries and run the unit tests with other compilers and for other machines.
#   tools/ports.sh [TEXT ...]      only the ports whose name holds one of the texts
# Each port prints one line,
#     ok port: name: what the tests said
#     FAIL port: name      after the end of its log, which is build/ports/NAME.log
#     skip port: name: why
# From the environment: BUILD, VERSION, MAKE.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
VERSION=${VERSION:-$(sed -n "s/^VERSION *:= *//p" Makefile)}
MAKE="${MAKE:-make} --no-print-directory -j $(nproc 2>/dev/null || echo 2)"
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT CC CFLAGS
filters=$*
failed=0
mkdir -p "$BUILD/ports"
BUILD=$(cd "$BUILD" && pwd)

# ---- running a port -----------------------------------------------------------------------

is_wanted() {
    [ -n "$filters" ] || return 0
    for text in $filters; do
        case $1 in *"$text"*) return 0 ;; esac
    done
    return 1
}

skip() {
    echo "skip port: $1: $2"
}

# port NAME COMMAND...: the command must succeed. With status 77 the port is skipped, for the reason
# that the command printed last. Warnings are no failure, and are counted.
port() {
    name=$1 log=$BUILD/ports/$1.log
    shift
    is_wanted "$name" || return 0
    "$@" >"$log" 2>&1
    case $? in
    0) echo "ok port: $name: $(summary "$log")" ;;
    77) skip "$name" "$(tail -n 1 "$log")" ;;
    *)
        tail -n 30 "$log" | sed 's/^/    /'
        echo "FAIL port: $name ($log)"
        failed=1
        ;;
    esac
}

# summary LOG: the compiler, the last line of the runner, and how often the compiler warned.
summary() {
    echo "$(head -n 1 "$1"); $(tail -n 1 "$1"); $(grep -c 'warning:' "$1") warnings"
}

# ---- the ports -------------------------------------------------------------------------------

# builds COMPILER: everything that is installed, and the tests, below $folder.
builds() {
    folder=$BUILD/ports/$(echo "$1" | tr -c 'A-Za-z0-9\n' _)
    "$1" --version | head -n 1
    for goals in "all" "VARIANT=check all" "VARIANT=debug tests"; do
        # shellcheck disable=SC2086
        $MAKE BUILD="$folder" CC="$1" $goals || return 1
    done
}

native() {
    builds "$1" && $MAKE BUILD="$folder" CC="$1" run &&
        $MAKE BUILD="$folder" CC="$1" VARIANT=debug run-tests
}

# qemu-user keeps memory for each OS page of a range: a whole range of 64 GiB takes gigabytes.
# Everything is slower there.
emulated() {
    command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 ||
        { echo "no aarch64-linux-gnu-gcc (Debian: gcc-aarch64-linux-gnu)"; return 77; }
    command -v qemu-aarch64 >/dev/null 2>&1 ||
        { echo "no qemu-aarch64 (Debian: qemu-user)"; return 77; }
    builds aarch64-linux-gnu-gcc &&
        OURO_HEAP_RANGE=2G OURO_TEST_TIMEOUT=10 qemu-aarch64 -L /usr/aarch64-linux-gnu \
            "$folder/debug/tests"
}

# The compiler need not be able to link for 32 bits: our headers stop it before it reads the
# system's headers.
thirty_two_bits() {
    echo '#include <Python.h>' >"$BUILD/ports/bits.c"
    cc --version | head -n 1
    ! cc -m32 -Iinclude/ouroboros -fsyntax-only "$BUILD/ports/bits.c" >"$BUILD/ports/bits" 2>&1 &&
        grep -o 'error: .*Ouroboros needs a 64-bit platform' "$BUILD/ports/bits"
}

# The release archive with the newest gcc of Debian, in a system of its own.
newest() {
    system=$BUILD/ports/root-unstable
    if [ ! -x "$system/usr/bin/gcc" ]; then
        rm -rf "$system"
        tools/scratch-root.sh unstable "$system" gcc,libc6-dev,make || return $?
    fi
    chroot "$system" gcc --version | head -n 1
    BUILD=$BUILD VERSION=$VERSION tools/dist.sh && rm -rf "$system/tmp/ouroboros-$VERSION" &&
        tar -xf "$BUILD/ouroboros-$VERSION.tar.gz" -C "$system/tmp" || return 1
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -ec "cd /tmp/ouroboros-$1
            make all run; make VARIANT=check all; make VARIANT=debug run-tests"' "$system" "$VERSION"
}

# Compilers by number, as Debian calls them, and those without a number; each version once.
compilers() {
    for compiler in gcc clang; do
        for path in $(echo "$PATH" | tr : ' '); do
            ls "$path" 2>/dev/null | grep -xE "$compiler(-[0-9]+)?"
        done
    done | while read -r compiler; do
        echo "$compiler ${compiler%-*} $("$compiler" -dumpfullversion -dumpversion)"
    done | sort -t ' ' -k 2 -u | cut -d ' ' -f 1
}

for compiler in $(compilers); do
    port "$compiler" native "$compiler"
done
for compiler in gcc clang; do
    compilers | grep -q "^$compiler" || skip "$compiler" "not installed"
done
port aarch64 emulated
port 32-bit thirty_two_bits
port unstable newest
exit $failed
