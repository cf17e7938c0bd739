#!/bin/sh
# SPDX-License-Identifier: MIT
# The contract checker, as a user sees it. Every code has a row in docs/checker.md, a seeded
# mistake and a correct twin. A program built with the flags of pkg-config reports a mistake.
# Programs and libraries of the two builds do not run together.
# From the environment: BUILD and CC.
set -u
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

report() {
    if [ "$1" -eq 0 ]; then echo "ok checker: $2"; else echo "FAIL checker: $2"; fi
}

# ---- codes ----------------------------------------------------------------------------------

codes=$(sed -n 's/^OURO_CODE(\([A-Z0-9]*\),.*/\1/p' src/check/codes.h)
documented=$(sed -n 's/^| `GC-\([A-Z0-9]*\)` |.*/\1/p' docs/checker.md)
bad=0
for code in $codes; do
    grep -q "^SEED($code, " tests/check/*.c || { echo "$code: no SEED in tests/check"; bad=1; }
done
report $bad "every code has a seeded mistake and a twin"
[ "$(echo "$codes" | sort)" = "$(echo "$documented" | sort)" ]
report $? "docs/checker.md has a row for every code"

# How sure each code is, and whether it ends the process: source and document agree.
sed -n 's/^OURO_CODE(\([A-Z0-9]*\), *\([A-Z]*\), *\([a-z]*\)).*/\1 \2 \3/p' src/check/codes.h |
    sed -e 's/ true$/ †/' -e 's/ false$//' | tr '[:upper:]' '[:lower:]' | sort >"$root/codes"
sed -n 's/^| `GC-\([A-Z0-9]*\)` |.*| \([a-z]* *†*\) |$/\1 \2/p' docs/checker.md |
    tr '[:upper:]' '[:lower:]' | sort | diff "$root/codes" -
report $? "docs/checker.md says how sure each code is, and which end the process"

# ---- as it is installed ---------------------------------------------------------------------

make -j "$(nproc)" BUILD="$BUILD" CC="$CC" CHECK=1 PREFIX=/opt/ouro DESTDIR="$root" \
    install >"$root/log" 2>&1
report $? "make install CHECK=1"
if command -v pkg-config >/dev/null 2>&1; then
    export PKG_CONFIG_PATH="$root/opt/ouro/lib/pkgconfig"
    # shellcheck disable=SC2046
    $CC tests/scripts/box.c -o "$root/mistake" \
        $(pkg-config --cflags --libs ouroboros-check) &&
        "$root/mistake" 2>"$root/output"
    grep -q 'gc-check\[GC-T01\]: mine.Box object at .*offset 16' "$root/output" &&
        grep -q 'allocated at' "$root/output"
    report $? "a program that forgets a visit is told so"
    line=$(grep -n 'PyType_GenericAlloc(&Box_Type' tests/scripts/box.c | cut -d : -f 1)
    if command -v addr2line >/dev/null 2>&1; then
        for kind in so a; do
            # shellcheck disable=SC2046
            $CC -g $(pkg-config --cflags ouroboros-check) tests/scripts/box.c -o "$root/lines" \
                "$root/opt/ouro/lib/libouroboros-check.$kind" -Wl,-rpath,"$root/opt/ouro/lib" \
                -pthread -lm -ldl && "$root/lines" 2>"$root/output"
            sed -n '/allocated at/,$p' "$root/output" | tail -n +2 >"$root/places"
            echo "    tests/scripts/box.c:$line (main)" | diff - "$root/places"
            report $? "a report shows lines, without those of the library (.$kind)"
        done
        PATH='' "$root/lines" 2>"$root/output"
        grep -qE '^    lines\+0x' "$root/output"
        report $? "without addr2line a report shows addresses"
    else
        echo "skip checker: a report shows lines: no addr2line (binutils)"
    fi

    # shellcheck disable=SC2046
    $CC $(pkg-config --cflags ouroboros-check | sed 's/-DOURO_CHECK=1//') \
        tests/scripts/box.c -o "$root/mixed" $(pkg-config --libs ouroboros-check) &&
        { (ulimit -c 0; "$root/mixed") 2>"$root/output"
          grep -q 'pkg-config --cflags ouroboros-check' "$root/output"; }
    report $? "a program compiled without the flag is refused"
else
    echo "skip checker: a program that forgets a visit is told so: no pkg-config"
fi

# ---- the examples ---------------------------------------------------------------------------

make -j "$(nproc)" BUILD="$BUILD" CC="$CC" CHECK=1 examples >"$root/log" 2>&1
bad=$?
"$BUILD/check/demo" >/dev/null 2>"$root/output" || bad=1
for script in words errors weak; do
    "$BUILD/check/scheme" "examples/scheme/scripts/$script.scm" >/dev/null 2>>"$root/output" ||
        bad=1
done
grep 'gc-check\[' "$root/output" && bad=1
report $bad "the examples raise no alarm"

# shellcheck disable=SC2086
$CC -std=gnu11 -O1 -Iinclude/ouroboros -DOURO_CHECK=1 -fno-omit-frame-pointer \
    -Wno-deprecated-declarations tests/scripts/extensions/*.c examples/modules/*.c \
    "$BUILD/libouroboros-check.a" -pthread -lm -ldl -o "$root/extensions"
bad=$?
for module in linked lru pmap words; do
    DRIVE_QUICK=1 "$root/extensions" $module >/dev/null 2>"$root/output" || bad=1
    grep 'gc-check\[' "$root/output" && bad=1
done
report $bad "the example modules raise no alarm"
