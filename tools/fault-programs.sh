#!/bin/sh
# SPDX-License-Identifier: MIT
# Run ordinary programs, which know nothing of fault injection, again and again. In each run
# another allocation fails. The programs are the modules of examples/modules, driven by
# tests/scripts/extensions, the scripts of examples/scheme, and the programs of
# tests/differential. Each run must end by itself with status 0 or 1, without a report of a
# sanitizer, and without an exception that blames the library. If a run completes its work, no
# object may be left.
#
#     tools/fault-programs.sh BUILD/faults [TEXT]
#
# TEXT picks the programs with the text in their path.
# The first allocations of a program fail one by one, later ones more and more sparsely: a
# program with a million allocations runs a few hundred times. The allocations of Py_Initialize
# have tests of their own. churn.scm is left out: it does nothing that the other scripts do not
# do. From the environment: CC.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
wanted=${2-}
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
flags="-std=gnu11 -g -O1 -D_GNU_SOURCE -Iinclude/ouroboros -DOURO_DEBUG=1 -fsanitize=address,undefined \
-fno-sanitize-recover=all -Wno-deprecated-declarations"
libraries="tests/faults/count.c $build/libouroboros.a -pthread -lm -ldl"

echo '#include <Python.h>
int main(void) { Py_Initialize(); return Py_FinalizeEx(); }' >"$root/start.c"
# shellcheck disable=SC2086
${CC:-cc} $flags "$root/start.c" $libraries -o "$root/start" &&
    ${CC:-cc} $flags tests/scripts/extensions/*.c examples/modules/*.c $libraries -o "$root/drive" &&
    ${CC:-cc} $flags examples/scheme/*.c $libraries -o "$root/scheme" || exit 1

# allocations COMMAND...: how many there are when none fails.
allocations() {
    OURO_FAIL_ALLOC=1000000000000 "$@" 9>"$root/count" >"$root/output" 2>&1 || return 1
    cat "$root/count"
}

# judge STATUS: whether the output is one that a program without memory may print.
judge() {
    case $1 in 0 | 1) ;; *) return 1 ;; esac
    ! grep -qE 'Sanitizer|runtime error|SystemError|without exception|with exception' \
        "$root/output" || return 1
    ! grep -qE '^end: [^0]|; [1-9][0-9]* objects left' "$root/output"
}

failed=0 total=0
# sweep NAME COMMAND...
sweep() {
    name=$1
    shift
    case $name in *"$wanted"*) ;; *) return ;; esac
    count=$(allocations "$@") || { cat "$root/output"; echo "FAIL $name"; failed=1; return; }
    n=$((first + 1)) bad=0 done=0 gave_up=0
    while [ "$n" -le "$count" ]; do
        # A program that gives up may leave objects.
        ASAN_OPTIONS=detect_leaks=0 OURO_FAIL_ALLOC=$n timeout 60 "$@" \
            9>/dev/null >"$root/output" 2>&1
        status=$?
        if ! judge $status; then
            echo "$name: status $status when allocation $n failed"
            tail -n 30 "$root/output"
            bad=$((bad + 1))
            [ $bad -lt 5 ] || break
        fi
        [ $status -ne 1 ] || gave_up=$((gave_up + 1))
        done=$((done + 1)) n=$((n + 1 + (n - first) / 25))
    done
    echo "faults: $name: $done of $((count - first)) allocations failed, one in each run;" \
        "$gave_up gave up, $bad ended badly"
    total=$((total + done)) failed=$((failed + bad))
}

first=$(allocations "$root/start") || exit 1
for module in linked lru pmap words; do
    DRIVE_QUICK=1 sweep "examples/modules/$module.c" "$root/drive" $module
done
for script in examples/scheme/scripts/*.scm; do
    [ "${script##*/}" = churn.scm ] || sweep "$script" "$root/scheme" --stats "$script"
done
# A program that gives up says so and ends with status 1. All programs check for NULL: a program
# that goes wrong because it ignores a NULL would say nothing about the library.
for source in tests/differential/*.c; do
    program=${source##*/} program=${program%.c}
    case $source in *"$wanted"*) ;; *) continue ;; esac
    [ "$program" != differential ] || continue
    # shellcheck disable=SC2086
    ${CC:-cc} $flags -DPEER_HEX=0x7fffffff "$source" tests/differential/differential.c $libraries \
        -o "$root/program" || { failed=$((failed + 1)); continue; }
    # The program prints about exceptions to stdout; messages of the library go to stderr.
    sweep "$source" sh -c "exec '$root/program' >/dev/null"
    rm "$root/program"
done
echo "faults: $total runs of programs, $failed ended badly"
[ "$failed" -eq 0 ]
