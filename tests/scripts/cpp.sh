#!/bin/sh
# SPDX-License-Identifier: MIT
# ouroboros.hpp: its claims hold with and without exceptions, under the sanitizers, and on CPython.
# Wrong classes do not compile, or the checking library names the mistake. The examples print what
# they should. EVERY=1 (`make test-cpp`) tests every combination, and every CPython that is found.
# From the environment: BUILD, CC, CXX, and PY_CONFIGS to choose the CPythons.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT
CXX=${CXX:-c++}
EVERY=${EVERY:-}
here=tests/scripts/cpp
warnings="-Wall -Wextra -Wpedantic ${WERROR-}"
system="-pthread -lm -ldl"

report() {
    if [ "$1" -eq 0 ]; then echo "ok cpp: $2"; else echo "FAIL cpp: $2"; fi
}

has() {
    command -v "$1" >/dev/null 2>&1
}

if ! has "$CXX"; then
    echo "skip cpp: no $CXX"
    exit
fi

# holds NAME LIBRARY COMMAND...: the claims of behaviour.cc hold, compiled with this command.
holds() {
    name=$1 library=$2
    shift 2
    rm -f "$root/behaviour"
    # shellcheck disable=SC2086
    "$@" $warnings -g -Iinclude/ouroboros $here/behaviour.cc "$library" $system \
        -o "$root/behaviour" && "$root/behaviour" >"$root/output" 2>&1 &&
        ! grep -q 'gc-check\[' "$root/output" && grep -q '^ok ' "$root/output" ||
        { grep -v '^ok ' "$root/output"; false; }
    report $? "every claim holds, $name"
}

debug=$BUILD/debug/libouroboros.a
sanitized="-fsanitize=address,undefined -fno-sanitize-recover=all"

# ---- claims --------------------------------------------------------------------------------------

if [ -z "$EVERY" ]; then
    # shellcheck disable=SC2086
    holds "C++17, sanitizers" "$debug" $CXX -std=c++17 $sanitized
    other=$CXX
    ! has clang++ || other=clang++
    holds "C++20, $other without exceptions and RTTI" "$debug" $other -std=c++20 -fno-exceptions \
        -fno-rtti
else
    for variant in release debug asan check; do
        make -s BUILD="$BUILD" CC="$CC" VARIANT=$variant all >"$root/log" 2>&1 ||
            { tail -n 20 "$root/log"; report 1 "make VARIANT=$variant"; }
    done
    for compiler in g++ clang++; do
        has $compiler || { echo "skip cpp: no $compiler"; continue; }
        for standard in c++17 c++20; do
            for way in "" "-fno-exceptions" "-fno-rtti"; do
                # shellcheck disable=SC2086
                holds "$compiler $standard $way" "$debug" $compiler -std=$standard $way
            done
            for way in "" "-fno-exceptions -fno-rtti"; do
                # shellcheck disable=SC2086
                holds "$compiler $standard -O2 $way, release" "$BUILD/libouroboros.a" $compiler \
                    -std=$standard -O2 $way
            done
            # shellcheck disable=SC2086
            holds "$compiler $standard, sanitizers" "$debug" $compiler -std=$standard $sanitized
            holds "$compiler $standard, checking library" "$BUILD/libouroboros-check.a" \
                $compiler -std=$standard -DOURO_CHECK=1
        done
        holds "$compiler c++2b" "$debug" $compiler -std=c++2b
        OURO_STRESS=collect holds "$compiler, collecting at every allocation" "$debug" $compiler \
            -std=c++17 -DSHORT
    done
    # The sanitizers of gcc, which the library is built with, see inside its heap.
    # shellcheck disable=SC2086
    holds "g++, library and program with sanitizers" "$BUILD/asan/libouroboros.a" g++ -std=c++17 \
        $sanitized
fi

# ---- what is refused ------------------------------------------------------------------------------

# refuses COMPILER...: each message of refused.cc is printed.
refuses() {
    ! "$@" -fsyntax-only -Iinclude/ouroboros $here/refused.cc >"$root/output" 2>&1
    status=$?
    sed -n 's|^// refused: ||p' $here/refused.cc >"$root/messages"
    while read -r message; do
        grep -qF "$message" "$root/output" || { echo "not said: $message"; status=1; }
    done <"$root/messages"
    report $status "lists that cannot be right do not compile, and say why, $1"
}

refuses "$CXX" -std=c++17
if [ -n "$EVERY" ] && has clang++; then
    refuses clang++ -std=c++17 -ferror-limit=0
fi

# ---- what the checking library names ----------------------------------------------------------------

make -s VARIANT=check BUILD="$BUILD" CC="$CC" all >"$root/log" 2>&1 ||
    { tail -n 20 "$root/log"; report 1 "make VARIANT=check"; }

# names COMPILER WHAT TEXT: the class of forgotten.cc that forgets WHAT is reported with TEXT.
names() {
    "$root/forgotten-$1" "$2" >"$root/output" 2>&1
    grep -qF -e "$3" "$root/output" || { cat "$root/output"; false; }
    report $? "the checking library names what is forgotten: $2, $1"
}

for compiler in "$CXX" ${EVERY:+clang++}; do
    # shellcheck disable=SC2086
    if ! has readelf; then
        echo "skip cpp: names of forgotten members: no readelf"
    elif $compiler -std=c++17 -g $warnings -Iinclude/ouroboros -DOURO_CHECK=1 $here/forgotten.cc \
        -L"$BUILD" -Wl,-rpath,"$(cd "$BUILD" && pwd)" -louroboros-check -o "$root/forgotten-$compiler"; then
        names "$compiler" member "its list lacks member 'forgotten' of class Partly"
        names "$compiler" only "its list lacks member 'only' of class None"
        names "$compiler" derived "its list lacks member 'three' of class Derived"
        for what in container asked; do
            names "$compiler" $what \
                "the list of class Store lacks members that can hold references: 'by_name', 'extra'"
        done
        "$root/forgotten-$compiler" nothing >"$root/output" 2>&1 && ! grep 'gc-check' "$root/output"
        report $? "the checking library says nothing about a whole list, $compiler"
    else
        report 1 "forgotten.cc compiles"
    fi
done

# ---- examples ----------------------------------------------------------------------------------------

# example NAME INPUT FLAGS...: it prints what is expected, and nothing else.
example() {
    name=$1 input=$2
    shift 2
    # shellcheck disable=SC2086
    $CXX -std=c++17 $warnings -g -Iinclude/ouroboros "$@" "examples/cpp/$name.cc" "$debug" $system \
        -o "$root/$name" && "$root/$name" <"$input" >"$root/output" 2>&1 &&
        diff "$here/$name.txt" "$root/output"
    report $? "examples/cpp/$name.cc prints what it should"
}

example document /dev/null
example graph examples/cpp/graph.txt -fno-exceptions -fno-rtti

# ---- CPython -----------------------------------------------------------------------------------------

tools/install-packages.sh differential
tools/python-configs.sh | awk '{ split($1, v, "."); if (v[2] >= 9) print }' >"$root/pythons"
[ -n "$EVERY" ] || sed -i 1q "$root/pythons"
[ -s "$root/pythons" ] || echo "skip cpp: CPython: no python3-config that can embed, 3.9 or newer"
mkdir "$root/alone"
cp include/ouroboros/ouroboros.hpp include/ouroboros/ouro_fields.h "$root/alone"
while read -r version config; do
    prefix=$("$config" --prefix)
    # shellcheck disable=SC2046,SC2086
    $CXX -std=c++17 -g -Wall -Wextra ${WERROR-} \
        -isystem "$("$config" --includes | sed 's/^-I//; s/ .*//')" -I"$root/alone" \
        $here/behaviour.cc $("$config" --embed --ldflags) -Wl,-rpath,"$prefix/lib" \
        -o "$root/peer" && PYTHONHOME=$prefix "$root/peer" >"$root/output" 2>&1 ||
        { grep -v '^ok ' "$root/output"; false; }
    report $? "every claim that is not about this library alone holds on CPython $version"
done <"$root/pythons"
