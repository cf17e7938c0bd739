#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of tests/differential/, compiled against the newest CPython that is found and
# against this library: both must print the same.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPython.
set -u
out=$BUILD/differential
folder=tests/differential
programs=$(cd $folder && ls ./*.c | sed -e 's|^\./||' -e 's|\.c$||' | grep -vx differential)
mkdir -p "$out"

# Keep the reason in one line, and count the programs that it skips.
skip_all() {
    for program in $programs; do
        echo "skip differential: $program: $1"
    done
    exit 0
}

tools/install-packages.sh differential
tools/python-configs.sh >"$out/pythons"
read -r version config <"$out/pythons" || skip_all "no python3-config that can embed"
[ "${version#3.}" -ge 11 ] || skip_all "CPython $version is older than 3.11"

cflags="$("$config" --includes) -DPEER_HOME='\"$("$config" --prefix)\"'"
libs="$("$config" --embed --ldflags) -Wl,-rpath,$("$config" --prefix)/lib"
# constant NAME: its value in CPython's patchlevel.h.
constant() {
    printf '#include <patchlevel.h>\n%s\n' "$1" | $CC $("$config" --includes) -E -P - |
        tail -n 1 | tr -d '"'
}
hex=$(($(constant PY_VERSION_HEX)))
full=$(constant PY_VERSION)

MAKEFLAGS='' make --no-print-directory -k -j "$(nproc)" -f $folder/Makefile CC="$CC" \
    OUT="$out" LIBRARY="$BUILD/debug/libouroboros.a" \
    PEER_CFLAGS="$cflags" PEER_LIBS="$libs" PEER_HEX="$hex"

run=0 skipped=0 failed=0
for program in $programs; do
    peer=$out/peer/$program.trace ours=$out/ouro/$program.trace
    if head -n 1 "$peer" | grep -q '^skip: '; then
        echo "skip differential: $program: $(sed 's/^skip: //' "$peer")"
        skipped=$((skipped + 1))
        continue
    fi
    run=$((run + 1))
    if [ -s "$peer" ] && grep -q '^end ' "$peer" && cmp -s "$peer" "$ours"; then
        echo "ok differential: $program: $(head -n 1 "$ours")"
    else
        echo "FAIL differential: $program: - is CPython $full, + is Ouroboros"
        diff -U 3 "$peer" "$ours" | tail -n +3
        head -n 20 "$peer.err" "$ours.err" 2>/dev/null
        failed=$((failed + 1))
    fi
done
depends=$(cat "$out"/ouro/*.trace | grep -c '^version-dependent ')
echo "summary differential: $run programs against CPython $full: $failed differ, $skipped skipped," \
    "$depends version-dependent lines"
