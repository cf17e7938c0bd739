#!/bin/sh
# SPDX-License-Identifier: MIT
# The distribution for CPython installs with pip, without a registry, from the checkout and from
# its sdist. `make cpython` prints the folder for PYTHONPATH as its last line.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPythons.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1 PYTHONDONTWRITEBYTECODE=1 CC=${CC:-cc}
export MAKEFLAGS PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INDEX PYTHONDONTWRITEBYTECODE CC

report() {
    [ "$1" -eq 0 ] || cat "$root/output"
    if [ "$1" -eq 0 ]; then echo "ok packaging: $2"; else echo "FAIL packaging: $2"; fi
}

# imports FOLDER: the packages come from there.
imports() {
    (cd "$root" && PYTHONPATH=$1 "$python" -c 'import ouro_audit, sys
assert ouro_audit.__file__.startswith(sys.argv[1]), ouro_audit.__file__' "$1") >>"$root/output" 2>&1
}

check_pip() {
    "$python" -m pip install --quiet --target "$root/wheel" ./cpython >"$root/output" 2>&1 &&
        imports "$root/wheel"
    report $? "pip installs it from a checkout, on CPython $version"

    "$python" -c 'import sys; sys.path.insert(0, "cpython/backend"); import ouro_build
print(ouro_build.build_sdist(sys.argv[1]))' "$root" >"$root/output" 2>&1 &&
        "$python" -m pip install --quiet --target "$root/sdist" "$root"/*.tar.gz >>"$root/output" 2>&1 &&
        imports "$root/sdist"
    report $? "pip installs it from its sdist, on CPython $version"
}

# finds_plugin: in a Python with pytest, pip installs the plugin, and pytest needs no -p for it.
finds_plugin() {
    echo 'def test_nothing(ouro_audit): assert ouro_audit.audit([]) == []' >"$root/test_it.py"
    "$1" -m pip install --quiet --target "$root/tested" ./cpython >"$root/output" 2>&1 &&
        (cd "$root" && PYTHONPATH=$root/tested "$1" -m pytest -q -p no:cacheprovider --ouro-audit \
            test_it.py) >>"$root/output" 2>&1 && grep -q 'C types in 1 tests' "$root/output"
    report $? "pytest finds the plugin that pip installed"
}

check_plugin() {
    tools/python-configs.sh >"$root/pythons"
    while read -r version config; do
        with_pytest=$("$config" --prefix)/bin/python$version
        if "$with_pytest" -c 'import pip, pytest' 2>/dev/null; then
            finds_plugin "$with_pytest"
            return
        fi
    done <"$root/pythons"
    echo "skip packaging: the pytest plugin: no Python with pip and pytest (python3-pytest)"
}

tools/install-packages.sh differential pytest
# shellcheck disable=SC2046
set -- $(tools/python-configs.sh | head -n 1)
if [ $# -ne 2 ]; then
    echo "skip packaging: no python3-config with headers (python3-dev)"
    exit 0
fi
version=$1
python=$("$2" --prefix)/bin/python$version
folder=$(make -s cpython PYTHON="$python" CC="$CC" BUILD="$root/build" 2>"$root/output" | tail -n 1)
imports "$folder"
report $? "make cpython prints the folder for PYTHONPATH, on CPython $version"
CC=no-such-compiler "$python" cpython/backend/ouro_build.py "$root/none" >"$root/output" 2>&1
[ $? -eq 1 ] && grep -q "there is no C compiler 'no-such-compiler'" "$root/output"
report $? "a missing compiler is named, on CPython $version"
if "$python" -m pip --version >/dev/null 2>&1; then
    check_pip
else
    echo "skip packaging: CPython $version has no pip"
fi
check_plugin
