#!/bin/sh
# SPDX-License-Identifier: MIT
# The extension modules of examples/modules/, from the same source. CPython imports them as modules.
# A program that contains them is compiled against CPython and against this library. It does the
# same operations with both, and must print the same.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPython.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
modules="linked lru pmap words"
sources="tests/scripts/extensions/*.c examples/modules/*.c"
compile="$CC -std=gnu11 -g -O1 -Wall -Wextra ${WERROR-} -Wno-deprecated-declarations"

report() {
    if [ "$1" -eq 0 ]; then echo "ok extensions: $2"; else echo "FAIL extensions: $2"; fi
}

# ---- on this library ------------------------------------------------------------------------

# shellcheck disable=SC2086
$compile -Iinclude/ouroboros $sources "$BUILD/debug/libouroboros.a" -pthread -lm \
    -o "$root/ouroboros"
report $? "compile unchanged against this library"

# ends_well PROGRAM MODULE: the operations run to their end and leave no instance.
ends_well() {
    "$1" "$2" >"$root/output" 2>&1 && tail -n 1 "$root/output" | grep -qx 'end: 0' &&
        ! grep '^end: [^0]' "$root/output" || { tail -n 5 "$root/output"; return 1; }
}

for module in $modules; do
    ends_well "$root/ouroboros" "$module"
    report $? "$module leaves no instance behind"
    DRIVE_QUICK=1 OURO_STRESS=collect ends_well "$root/ouroboros" "$module"
    report $? "$module works when every allocation collects"
done

echo 'int main(void) { return 0; }' >"$root/empty.c"
if $CC -fsanitize=address,undefined "$root/empty.c" -o "$root/empty" 2>/dev/null &&
    "$root/empty"; then
    # shellcheck disable=SC2086
    $compile -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude/ouroboros \
        $sources "$BUILD/debug/libouroboros.a" -pthread -lm -o "$root/asan"
    for module in $modules; do
        ends_well "$root/asan" "$module"
        report $? "$module has no bad access and no leak under AddressSanitizer"
    done
else
    echo "skip extensions: no bad access and no leak under AddressSanitizer: not in $CC"
fi

# ---- beside CPython -------------------------------------------------------------------------

skip_cpython() {
    for module in $modules; do
        echo "skip extensions: $module is a module of CPython: $1"
        echo "skip extensions: $module does the same on CPython: $1"
    done
    exit 0
}

tools/install-packages.sh differential
tools/python-configs.sh >"$root/pythons"
read -r version config <"$root/pythons" || skip_cpython "no python3-config that can embed"
[ "${version#3.}" -ge 11 ] || skip_cpython "CPython $version is older than 3.11"
prefix=$("$config" --prefix)
python=$prefix/bin/python$version

# Our only header that works with CPython's headers.
mkdir "$root/header" && cp include/ouroboros/ouro_fields.h "$root/header"

# A module as setup.py would build it, imported by the interpreter itself.
for module in $modules; do
    # shellcheck disable=SC2046
    $compile -shared -fPIC $("$config" --includes) -I"$root/header" \
        "examples/modules/$module.c" \
        -o "$root/$module.so" &&
        "$python" - "$root" "$module" <<'PYTHON'
import gc, sys, weakref
sys.path.insert(0, sys.argv[1])
module = __import__(sys.argv[2])
if sys.argv[2] == "linked":
    subject = module.List("abc")
    assert list(subject) == ["a", "b", "c"], subject
elif sys.argv[2] == "words":
    subject = module.Index()
    subject.owner = subject
    assert subject.feed("one two two") == 3 and subject.counts() == {"one": 1, "two": 2}
    gc.collect()
    before = sum(type(o) is module.Index for o in gc.get_objects())
    del subject
    gc.collect()
    after = sum(type(o) is module.Index for o in gc.get_objects())
    assert (before, after) == (1, 0), "the cycle was not collected"
    sys.exit()
elif sys.argv[2] == "lru":
    subject = module.Cache(2)
    subject["me"] = subject
    assert subject.keys() == ["me"], subject.keys()
else:
    holder = []
    subject = module.Map({"a": holder}).set("b", 2)
    holder.append(subject)
    assert subject["b"] == 2 and len(subject) == 2, subject
    del holder
alive = weakref.ref(subject)
del subject
gc.collect()
assert alive() is None, "the cycle was not collected"
PYTHON
    report $? "$module is a module of CPython $version"
done

# shellcheck disable=SC2046,SC2086
$compile $("$config" --includes) -I"$root/header" $sources $("$config" --embed --ldflags) \
    -Wl,-rpath,"$prefix/lib" -o "$root/cpython"
report $? "compile unchanged against CPython $version"
for module in $modules; do
    PYTHONHOME=$prefix "$root/cpython" "$module" >"$root/theirs" 2>&1
    "$root/ouroboros" "$module" >"$root/ours" 2>&1
    if [ "${version#3.}" -lt 13 ]; then
        sed -i '/^since 3.13: /d' "$root/ours" "$root/theirs"
    fi
    [ "$(wc -l <"$root/theirs")" -gt 40 ] && diff "$root/theirs" "$root/ours"
    report $? "$module does the same on CPython $version, in $(wc -l <"$root/ours") lines"
done
