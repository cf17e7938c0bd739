#!/bin/sh
# SPDX-License-Identifier: MIT
# The audit for CPython builds for the newest CPython found, the oldest and the system's (all with
# AUDIT_PYTHONS=all). It finds the one mistake of each broken type of the zoo, and none in correct
# types. Its command and its pytest plugin work.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPythons.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

report() {
    if [ "$1" -eq 0 ]; then echo "ok audit: $2"; else echo "FAIL audit: $2"; fi
}

# says NAME STATUS TEXT COMMAND...: the command ends with this status, and prints the text.
says() {
    name=$1 expected=$2 text=$3
    shift 3
    "$@" >"$root/output" 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -qF -e "$text" "$root/output" ||
        { cat "$root/output"; echo "status $status"; false; }
    report $? "$name, on CPython $version"
}

# audits NAME STATUS TEXT ARGS...: the same for `python -m ouro_audit ARGS`.
audits() {
    name=$1 expected=$2 text=$3
    shift 3
    says "$name" "$expected" "$text" "$python" -m ouro_audit "$@"
}

# claims FILE: its lines "ok" and "FAIL" are claims.
claims() {
    sed -n -e "s/^ok \(.*\)/ok audit: \1, on CPython $version/p" \
        -e "s/^FAIL \(.*\)/FAIL audit: \1, on CPython $version/p" "$1"
    grep -vE '^(ok|FAIL) ' "$1"
}

build() {
    CFLAGS="-Werror -O1" "$python" cpython/backend/ouro_build.py "$out" >"$root/output" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$root/output"
    report $status "builds for CPython $version"
    [ $status -eq 0 ] || return
    # shellcheck disable=SC2046
    $CC -std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-deprecated-declarations -shared -fPIC \
        $("$config" --includes) tests/cpython/ouro_audit/zoo*.c -o "$out/zoo.so"
    report $? "the zoo compiles for CPython $version"
}

check_zoo() {
    "$python" tests/cpython/ouro_audit/check_types.py >"$root/claims" 2>&1
    report $? "the claims about live objects run to their end on CPython $version"
    claims "$root/claims"
    "$python" -m ouro_audit zoo --format json >"$root/zoo.json"
    [ $? -eq 1 ]
    report $? "the zoo has findings on CPython $version"
    "$python" tests/cpython/ouro_audit/check_zoo.py "$root/zoo.json" >"$root/claims" 2>&1
    report $? "the claims about the zoo run to their end on CPython $version"
    claims "$root/claims"
}

check_command() {
    printf 'import zoo\nx = zoo.T01()\nx.b = []\n' >"$root/missing.py"
    printf 'import sys\nimport zoo\nx = zoo.HeapNode()\nx.b = []\nassert sys.argv[1:] == ["-v"]\n' \
        >"$root/correct.py"
    echo 'import sys; sys.exit(3)' >"$root/ends.py"
    audits "a script with a mistake" 1 "GC-T01 zoo.T01: field at offset 24" "$root/missing.py"
    audits "a correct script with arguments" 0 " objects audited: 0 findings" "$root/correct.py" -- -v
    audits "without experiments" 1 "0 types examined" "$root/missing.py" --no-exercise
    audits "findings as JSON" 1 '"code": "GC-T01"' "$root/missing.py" --json
    audits "a field can be declared" 0 "0 findings, 0 suspicions" "$root/missing.py" \
        --borrowed zoo.T01:24 --no-exercise
    audits "a code can be ignored" 0 "0 findings, 0 suspicions" "$root/missing.py" \
        --ignore GC-T01:zoo.T01
    audits "a type can be chosen" 0 "0 findings, 0 suspicions" "$root/missing.py" --type StaticNode
    audits "a type that is not there" 2 "--type T99: there is no such type" zoo --type T99
    audits "a code that is not there" 2 "--ignore GC-X: there is no such code" zoo --ignore GC-X
    audits "an ignored type that is not there" 2 "--ignore T99: there is no such type" zoo \
        --ignore GC-T01:T99 --type T01
    audits "types that were examined are listed" 1 "examined: zoo.T01" zoo --type T01
    audits "types that were not are listed, with the reason" 0 \
        "not examined: zoo.Meta: Meta(): TypeError" zoo --type Meta
    audits "a missing module" 2 "No module named 'no_such_module'" no_such_module
    audits "a script that fails" 2 "ended with status 3" "$root/ends.py"
    audits "no subject" 2 "which script, module or package?"
    audits "--help" 0 "exit status: 0 when" --help
    audits "--version" 0 "ouro_audit 0.1.0" --version
}

check_formats() {
    audits "SARIF" 1 '"ruleId": "GC-T01"' zoo --type T01 --format sarif
    audits "JUnit" 1 '<testcase classname="ouro_audit" name="zoo.T01">' zoo --type T01 \
        --format junit
    "$python" -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$root/output"
    report $? "JUnit is XML, on CPython $version"
    audits "GitHub" 1 "::error title=GC-T01 zoo.T01::GC-T01 zoo.T01: field" zoo --type T01 \
        --format github
    audits "a baseline is written" 0 "GC-T01 zoo.T01" zoo --type T01 --write-baseline "$root/known"
    audits "what is in the baseline does not count" 0 "1 more are in the baseline" zoo --type T01 \
        --baseline "$root/known"
    audits "what is not in the baseline counts" 1 "GC-T03 zoo.T03" zoo --type T01 --type T03 \
        --baseline "$root/known"
    audits "a file that is no baseline" 2 "is no baseline" zoo --baseline "$root/ends.py"
}

# pytests NAME STATUS TEXT ARGS...: the same for pytest with the tests for the plugin.
pytests() {
    name=$1 expected=$2 text=$3
    shift 3
    says "$name" "$expected" "$text" "$python" -m pytest -q -p no:cacheprovider \
        tests/cpython/ouro_audit/test_with_plugin.py "$@"
}

check_plugin() {
    pytests "the plugin is silent unless it is asked for" 0 "36 passed"
    pytests "the plugin finds what a test has in its variables" 1 \
        "in tests/cpython/ouro_audit/test_with_plugin.py::test_with_a_mistake" --ouro-audit
    ! grep -qE 'GC-T(03|10)' "$root/output"
    report $? "marks leave tests and codes out, on CPython $version"
    pytests "a baseline is written by the plugin" 0 "36 passed" --ouro-audit \
        --ouro-audit-write-baseline "$root/plugin"
    pytests "what is in the baseline does not fail the run" 0 "0 findings, 1 in the baseline" \
        --ouro-audit --ouro-audit-baseline "$root/plugin"
    pytests "types of the tests are tried at the end" 1 "GC-D36 zoo.D36" --ouro-audit \
        --ouro-audit-exercise -k only_experiments
    pytests "a limit that makes no sense" 4 "--ouro-audit-limit takes 1 or more, or 0" \
        --ouro-audit --ouro-audit-limit 0.5
    pytests "tests that there is no time for are counted" 0 " tests were not audited" \
        --ouro-audit --ouro-audit-limit 1 --ouro-audit-baseline "$root/plugin"
    if "$python" -c 'import xdist' 2>/dev/null; then
        check_workers
    else
        echo "skip audit: pytest-xdist: it is not there (python3-pytest-xdist)"
    fi
}

check_workers() {
    pytests "workers of pytest-xdist hand in what they find" 1 \
        "in tests/cpython/ouro_audit/test_with_plugin.py::test_with_a_mistake" --ouro-audit -n 2
    grep -qE ' C types in 35 tests.*: 1 findings, 0 in the baseline' "$root/output"
    report $? "what workers did is added up, on CPython $version"
    pytests "a baseline holds for workers" 0 "0 findings, 1 in the baseline" -n 2 \
        --ouro-audit --ouro-audit-baseline "$root/plugin"
    pytests "workers try the types of their tests" 1 "GC-D36 zoo.D36" -n 2 --ouro-audit \
        --ouro-audit-exercise -k only_experiments
}

# example NAME SOURCE: a module of examples/, compiled for CPython.
mkdir "$root/header" && cp include/ouroboros/ouro_fields.h "$root/header"

example() {
    # shellcheck disable=SC2046
    $CC -std=gnu11 -O1 -g -shared -fPIC $("$config" --includes) -I"$root/header" "$2" -o "$out/$1.so"
}

check_own_modules() {
    audits "ouro_gc is clean" 0 " 0 findings, 0 suspicions" ouro_gc
    audits "ouro_audit is clean" 0 " 0 findings, 0 suspicions" ouro_audit
    [ "${version#3.}" -ge 11 ] || {
        echo "skip audit: the examples are clean: CPython $version is older than 3.11"
        return
    }
    for module in linked lru pmap words; do
        example $module examples/modules/$module.c
        audits "the example $module is clean" 0 " 0 findings, 0 suspicions" $module
    done
    audits "the examples are clean while ouro_gc collects" 0 " 0 findings, 0 suspicions" \
        tests/cpython/ouro_audit/own.py
    sed 's/Py_VISIT(self->value);//' examples/modules/lru.c >"$root/lru.c"
    example lru "$root/lru.c"
    audits "the examples with a mistake are not clean" 1 "GC-T01 lru.Entry: field" \
        tests/cpython/ouro_audit/own.py --no-exercise
    audits "a type that only others make is blamed for its own mistake" 1 \
        "audited inside others: lru.Entry" lru
    grep -qF "GC-T01 lru.Entry: field" "$root/output" && ! grep -q "GC-T01 lru.Cache" "$root/output"
    report $? "and no other type is, on CPython $version"
}

check_wrong_build() {
    mkdir -p "$root/wrong/ouro_audit"
    cp cpython/ouro_audit/*.py "$root/wrong/ouro_audit"
    : >"$root/wrong/ouro_audit/_ouro_audit.cpython-27-x86_64-linux-gnu.so"
    PYTHONPATH=$root/wrong says "a build for another Python is named as such" 1 \
        "it has _ouro_audit.cpython-27-x86_64-linux-gnu.so" "$python" -m ouro_audit zoo
}

check_python() {
    version=$1 config=$2
    python=$("$config" --prefix)/bin/python$version
    out=$root/$version
    build || return
    PYTHONPATH=$out
    export PYTHONPATH
    check_zoo
    # In 3.13 these types have the flag.
    [ "${version#3.}" -ge 13 ] ||
        audits "handlers for derived classes are no dead code" 0 "0 findings, 0 suspicions" \
            _ctypes --everything --type Array
    [ "$version" = "$newest" ] || return
    check_command
    check_formats
    check_own_modules
    check_wrong_build
}

tools/install-packages.sh differential pytest
tools/python-configs.sh >"$root/pythons"
newest=$(head -n 1 "$root/pythons" | cut -d ' ' -f 1)
if [ "${AUDIT_PYTHONS:-}" = all ]; then
    cat "$root/pythons"
else
    { head -n 1 "$root/pythons"; tail -n 1 "$root/pythons"; grep '/usr/bin/' "$root/pythons" |
        head -n 1; } | awk '!seen[$1]++'
fi >"$root/chosen"
while read -r version config; do
    check_python "$version" "$config"
done <"$root/chosen"
[ -s "$root/chosen" ] || echo "skip audit: no python3-config with headers (python3-dev)"

# The plugin, in a Python that has pytest.
tested=
while read -r version config; do
    python=$("$config" --prefix)/bin/python$version
    if [ -z "$tested" ] && "$python" -c 'import pytest' 2>/dev/null; then
        tested=$version
        PYTHONPATH=$root/$version
        export PYTHONPATH
        check_plugin
    fi
done <"$root/chosen"
[ -n "$tested" ] || echo "skip audit: the pytest plugin: no Python with pytest (python3-pytest)"
