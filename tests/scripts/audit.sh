#!/bin/sh
# SPDX-License-Identifier: MIT
# The audit for CPython: it builds for the newest CPython found and for the system's, finds
# the one mistake of each broken type, none in correct ones, and its command works.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPythons.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS

report() {
    if [ "$1" -eq 0 ]; then echo "ok audit: $2"; else echo "FAIL audit: $2"; fi
}

# audits NAME STATUS TEXT ARGS...: the command ends so, and prints the text.
audits() {
    name=$1 expected=$2 text=$3
    shift 3
    "$python" -m ouro_audit "$@" >"$root/output" 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -qF -e "$text" "$root/output" ||
        { cat "$root/output"; echo "status $status"; false; }
    report $? "$name, on CPython $version"
}

check_python() {
    version=$1 config=$2
    python=$("$config" --prefix)/bin/python$version
    out=$root/$version
    CFLAGS=${WERROR-} "$python" cpython/backend/ouro_build.py "$out" >"$root/output" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$root/output"
    report $status "builds for CPython $version"
    [ $status -eq 0 ] || return
    # shellcheck disable=SC2046
    $CC -std=gnu11 -O1 -g -Wall -Wextra ${WERROR-} -Wno-deprecated-declarations -shared -fPIC \
        $("$config" --includes) tests/cpython/ouro_audit/audit_types.c -o "$out/audit_types.so"
    report $? "a module with mistakes compiles for CPython $version"

    PYTHONPATH=$out
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONPATH PYTHONDONTWRITEBYTECODE
    "$python" tests/cpython/ouro_audit/check_types.py >"$root/claims" 2>&1
    report $? "the claims about types run to their end on CPython $version"
    sed -n -e "s/^ok \(.*\)/ok audit: \1, on CPython $version/p" \
        -e "s/^FAIL \(.*\)/FAIL audit: \1, on CPython $version/p" "$root/claims"
    grep -vE '^(ok|FAIL) ' "$root/claims"

    printf 'import audit_types\nx = audit_types.T01()\nx.b = []\n' >"$root/missing.py"
    printf 'import sys\nimport audit_types\nx = audit_types.HeapNode()\nx.b = []\nassert sys.argv[1:] == ["-v"]\n' \
        >"$root/correct.py"
    echo 'import sys; sys.exit(3)' >"$root/ends.py"
    audits "a script with a mistake" 1 "GC-T01 audit_types.T01: field at offset 24" "$root/missing.py"
    audits "a correct script with arguments" 0 " objects audited: 0 findings" "$root/correct.py" -- -v
    audits "findings as JSON" 1 '"code": "GC-T01"' "$root/missing.py" --json
    audits "suspicions can be left out of the status" 0 "1 suspicions" \
        "$root/missing.py" --fail-on certain
    audits "a field can be declared" 0 "0 findings, 0 suspicions" "$root/missing.py" \
        --borrowed audit_types.T01:24
    audits "a code can be ignored" 0 "0 findings, 0 suspicions" "$root/missing.py" \
        --ignore GC-T01:audit_types.T01
    audits "a type can be chosen" 0 "0 findings, 0 suspicions" "$root/missing.py" --type T02
    audits "a module, and an instance of each type" 1 "GC-T04 audit_types.T04_heap" audit_types
    audits "a missing module" 2 "No module named 'no_such_module'" no_such_module
    audits "a script that fails" 2 "ended with status 3" "$root/ends.py"
    audits "--help" 0 "exit status: 0 when" --help
}

tools/install-packages.sh differential
tools/python-configs.sh >"$root/pythons"
tested=
for line in "$(head -n 1 "$root/pythons")" "$(grep '/usr/bin/' "$root/pythons" | head -n 1)"; do
    # shellcheck disable=SC2086
    set -- $line
    [ $# -eq 2 ] || continue
    case " $tested " in *" $1 "*) continue ;; esac
    tested="$tested $1"
    check_python "$1" "$2"
done
[ -n "$tested" ] || echo "skip audit: no python3-config with headers (python3-dev)"
