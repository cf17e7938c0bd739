#!/bin/sh
# SPDX-License-Identifier: MIT
# ouro_gc inside CPython, on the newest CPython found and on the system's: its claims, random
# programs that must print the same with and without it, its command, CPython's own test_gc.
# tools/test-cpython.py has the long version.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPythons; SEEDS, how many random
# programs (3); EVERY=1 for every CPython that is found.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
PYTHONDONTWRITEBYTECODE=1 CC=${CC:-cc}
export PYTHONDONTWRITEBYTECODE CC
unset OURO_GC

report() {
    [ "$1" -eq 0 ] || head -c 3000 "$root/output"
    if [ "$1" -eq 0 ]; then echo "ok ouro_gc: $2, on CPython $version"
    else echo "FAIL ouro_gc: $2, on CPython $version"; fi
}

# says NAME STATUS TEXT COMMAND...: the command ends with this status, and prints the text.
says() {
    name=$1 expected=$2 text=$3
    shift 3
    "$@" >"$root/output" 2>&1
    status=$?
    [ $status -eq "$expected" ] && { [ -z "$text" ] || grep -qF -e "$text" "$root/output"; }
    report $? "$name"
}

check_claims() {
    for file in tests/cpython/ouro_gc/test_*.py; do
        PYTHONPATH=$out "$python" "$file" >"$root/claims" 2>&1
        report $? "the claims of ${file##*/} run to their end"
        sed -n -e "s/^\(ok\|FAIL\|skip\) \([^:]*\)\(.*\)/\1 ouro_gc: \2, on CPython $version\3/p" \
            "$root/claims"
        grep -vE '^(ok|FAIL|skip) ' "$root/claims"
    done
}

check_random() {
    for seed in $(seq 1 "${SEEDS:-3}"); do
        for mode in cpython ouro closures slices; do
            PYTHONPATH=$out "$python" tests/cpython/ouro_gc/random_program.py $mode \
                "$seed" 3000 >"$root/$mode" 2>&1 || echo "status $?" >>"$root/$mode"
        done
        cat "$root/cpython" "$root/ouro" "$root/closures" "$root/slices" | grep -E "Error|status" >"$root/output"
        [ ! -s "$root/output" ] && cmp "$root/cpython" "$root/ouro" >"$root/output" 2>&1 &&
            cmp "$root/cpython" "$root/closures" >"$root/output" 2>&1
        report $? "random program $seed does the same with and without it"
    done
}

check_example() {
    says "the example that collects while it waits" 0 "0 collections in one piece" \
        env PYTHONPATH="$out" "$python" cpython/examples/idle_loop.py
}

check_command() {
    PYTHONPATH=$out
    export PYTHONPATH
    printf 'import sys, ouro_gc\nprint(sys.argv, __name__, ouro_gc.is_enabled())\n' >"$root/show.py"
    printf 'kept = [[i] for i in range(100000)]\n' >"$root/lists.py"
    printf 'import sys; sys.exit(7)\n' >"$root/seven.py"
    says "a script runs with it" 0 "show.py', '-x'] __main__ True" "$python" -m ouro_gc "$root/show.py" -x
    (cd "$root" && says "a module runs with it" 0 "'-y'] __main__ True" "$python" -m ouro_gc -m show -y)
    says "the status is the program's" 7 "" "$python" -m ouro_gc "$root/seven.py"
    says "a missing script is named" 2 "there is no file none.py" "$python" -m ouro_gc none.py
    says "no program is an error" 2 "what is to be run?" "$python" -m ouro_gc
    says "--help" 0 "--install-pth" "$python" -m ouro_gc --help
    says "--pause-budget-us" 0 "True" "$python" -m ouro_gc --pause-budget-us 500 "$root/show.py"
    says "a budget that makes no sense is named" 2 "pause_budget_us must be" \
        "$python" -m ouro_gc --pause-budget-us -1 "$root/show.py"
    says "--stats" 0 '"proofs"' "$python" -m ouro_gc --stats "$root/lists.py"
    says "--compare" 0 "longest pause" "$python" -m ouro_gc --compare "$root/lists.py"
    says "--compare of a program that fails" 0 "ended with status 7" \
        "$python" -m ouro_gc --compare "$root/seven.py"
    says "--rounds must be a positive number" 2 "--rounds" "$python" -m ouro_gc --rounds 0 x.py
    unset PYTHONPATH
}

# A virtual environment of its own, so that nothing is written into this machine's Python.
check_pth() {
    "$python" -m venv --without-pip "$root/venv-$version" >"$root/output" 2>&1 ||
        { echo "skip ouro_gc: no venv, on CPython $version"; return; }
    venv=$root/venv-$version/bin/python
    site=$("$venv" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    cp -r "$out/ouro_gc" "$site/"
    state='import sys; print("loaded" if "ouro_gc" in sys.modules else "not loaded")'
    says "--install-pth prints the file" 0 "$site/ouro_gc_enable.pth" "$venv" -m ouro_gc --install-pth
    says "without OURO_GC=1 nothing is loaded" 0 "not loaded" "$venv" -c "$state"
    says "OURO_GC=1 enables it" 0 "True" env OURO_GC=1 "$venv" -c "import ouro_gc; print(ouro_gc.is_enabled())"
    says "-I ignores OURO_GC" 0 "not loaded" env OURO_GC=1 "$venv" -I -c "$state"
    says "-E ignores OURO_GC" 0 "not loaded" env OURO_GC=1 "$venv" -E -c "$state"
    mv "$site/ouro_gc" "$site/gone"
    says "after uninstalling a program starts as always" 0 "not loaded" \
        env OURO_GC=1 "$venv" -c "$state"
    [ "$(wc -l <"$root/output")" -eq 1 ]
    report $? "and says nothing about it"
    mv "$site/gone" "$site/ouro_gc"
    says "--remove-pth" 0 "$site/ouro_gc_enable.pth" "$venv" -m ouro_gc --remove-pth
    says "--remove-pth without one" 1 "there is no" "$venv" -m ouro_gc --remove-pth
}

# CPython's own tests of its collector, with ouro_gc enabled before they start.
check_test_gc() {
    mkdir -p "$root/site"
    if "$python" -c 'import test.test_gc' 2>/dev/null; then
        echo 'import ouro_gc; ouro_gc.enable()' >"$root/site/sitecustomize.py"
        says "CPython's own test_gc passes" 0 "OK" \
            env PYTHONPATH="$out:$root/site" "$python" -m test test_gc
        cp tests/cpython/ouro_gc/always_slices.py "$root/site/sitecustomize.py"
        says "CPython's own test_gc passes with a cycle always under way" 0 "OK" \
            env PYTHONPATH="$out:$root/site" "$python" -m test test_gc
    else
        echo "skip ouro_gc: CPython $version came without its tests"
    fi
}

# The module itself, with the compiler's checks of every access, and as if every heap were large.
check_sanitized() {
    library=$(${CC:-cc} -print-file-name=libasan.so)
    flags="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover -DFETCH_BLOCKS=0 -DFAR_SLOTS=0"
    if [ ! -f "$library" ] || ! CFLAGS=$flags \
        "$python" cpython/backend/ouro_build.py "$root/asan-$version" >"$root/output" 2>&1; then
        echo "skip ouro_gc: no AddressSanitizer, on CPython $version"
        return
    fi
    for file in slices lists faults; do
        says "the claims of test_$file.py hold under ASan and UBSan" 0 "" \
            env LD_PRELOAD="$library" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
            PYTHONPATH="$root/asan-$version" "$python" "tests/cpython/ouro_gc/test_$file.py"
    done
}

# check_python VERSION EXECUTABLE
check_python() {
    version=$1 python=$2
    out=$root/$version
    CFLAGS=${WERROR-} "$python" cpython/backend/ouro_build.py "$out" >"$root/output" 2>&1
    status=$?
    report $status "it builds"
    [ $status -eq 0 ] || return
    case $version in
    3.8)
        says "an untested CPython is refused" 1 "enable(untested=True) tries it all the same" \
            env PYTHONPATH="$out" "$python" -c 'import ouro_gc; ouro_gc.enable()'
        return ;;
    esac
    check_claims
    check_random
    check_command
    check_example
    check_pth
    check_test_gc
    [ -z "${EVERY:-}" ] || check_sanitized
}

tools/install-packages.sh differential greenlet ${EVERY:+debug-python}
tools/python-configs.sh | while read -r number config; do
    echo "$number $("$config" --prefix)/bin/python$number"
done >"$root/pythons"
if [ -n "${EVERY:-}" ]; then
    cp "$root/pythons" "$root/chosen"
    # Debian's python3-dbg has the assertions of CPython itself
    command -v python3-dbg >/dev/null && echo "debug $(command -v python3-dbg)" >>"$root/chosen" ||
        echo "skip ouro_gc: no python3-dbg"
else
    { grep -m 1 . "$root/pythons"; grep -m 1 ' /usr/bin/' "$root/pythons"
        grep -m 1 '^3\.8 ' "$root/pythons"; } | awk '!seen[$1]++' >"$root/chosen"
fi
while read -r number executable; do
    check_python "$number" "$executable"
done <"$root/chosen"
[ -s "$root/chosen" ] || echo "skip ouro_gc: no python3-config with headers (python3-dev)"
