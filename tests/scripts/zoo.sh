#!/bin/sh
# SPDX-License-Identifier: MIT
# All tools judge the types of the zoo, and docs/what-finds-what.md says what each tool finds.
# ZOO_WRITE=1 writes the table into the page. From the environment: BUILD, CC, PY_CONFIGS.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT

report() {
    if [ "$1" -eq 0 ]; then echo "ok zoo: $2"; else echo "FAIL zoo: $2"; fi
}

read -r version config <<END
$(tools/python-configs.sh | head -n 1)
END
[ -n "$version" ] || { echo "skip zoo: no python3-config with headers (python3-dev)"; exit; }
python=$("$config" --prefix)/bin/python$version
make -s VARIANT=check BUILD="$BUILD" CC="$CC" "$BUILD/ouro" >"$root/output" 2>&1 ||
    { tail -n 20 "$root/output"; report 1 "make ouro"; exit; }
CFLAGS=-O1 "$python" cpython/backend/ouro_build.py "$root/python" >"$root/output" 2>&1 ||
    { cat "$root/output"; report 1 "ouro_audit builds"; exit; }
flags="-std=gnu11 -g -O1 -Wall -Wextra -Werror -Wno-deprecated-declarations -shared -fPIC"
# shellcheck disable=SC2046,SC2086
$CC $flags $("$config" --includes) tests/cpython/ouro_audit/zoo*.c -o "$root/python/zoo.so"
mkdir "$root/check"
# shellcheck disable=SC2086
$CC $flags -Iinclude/ouroboros -DOURO_CHECK=1 tests/cpython/ouro_audit/zoo*.c -o "$root/check/zoo.so"
report $? "it compiles for the checking library"

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/python
export PYTHONDONTWRITEBYTECODE PYTHONPATH
"$python" -m ouro_audit zoo --format json >"$root/audit.json"
"$python" tests/cpython/ouro_audit/live.py >"$root/live.json"
"$BUILD/ouro" check "$root/check/zoo.so" --json >"$root/check.json"
"$python" tests/cpython/ouro_audit/table.py "$root/python" "$root/audit.json" "$root/live.json" \
    "$root/check.json" docs/what-finds-what.md ${ZOO_WRITE:+--write} >"$root/claims" 2>&1
report $? "the claims run to their end"
sed -n -e 's/^\(ok\|FAIL\) /\1 zoo: /p' "$root/claims"
grep -vE '^(ok|FAIL) ' "$root/claims" || true
