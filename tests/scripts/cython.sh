#!/bin/sh
# SPDX-License-Identifier: MIT
# The C code that Cython makes from a class with object attributes, in Limited API mode, compiles
# against our Python.h. The module can be imported, and its cycles are collected.
# From the environment: BUILD, CC, and CYTHON for another program than cython3.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT

report() {
    if [ "$1" -eq 0 ]; then echo "ok cython: $2"; else echo "FAIL cython: $2"; fi
}

skip() {
    echo "skip cython: a class in Limited API mode: $1"
    exit 0
}

tools/install-packages.sh cython
cython=${CYTHON-cython3}
version=$($cython --version 2>&1 | sed -n 's/^Cython version //p')
case $version in
'') skip "there is no $cython" ;;
0.* | 3.0.*) skip "Cython $version does not have it, 3.1 does" ;;
esac

cat >"$root/node.pyx" <<'END'
cdef class Node:
    cdef public object left, right

    def __init__(self, left=None):
        self.left = left

    def link(self, other):
        self.right = other
        return self
END
cat >"$root/node.script" <<'END'
a = node.Node(1)
b = node.Node(left=a)
a.link(b)
a.left = [a, b.link(a)]
collect
del a
del b
collect
END

# -w: warnings about generated code do not matter.
$cython -3 "$root/node.pyx" -o "$root/node.c" >"$root/output" 2>&1 &&
    $CC -w -g -shared -fPIC -Iinclude/ouroboros -DOURO_CHECK=1 -DCYTHON_LIMITED_API=1 \
        -DPy_LIMITED_API=0x030b0000 "$root/node.c" -o "$root/node.so" >>"$root/output" 2>&1 ||
    { grep -E 'rror' "$root/output" | head -n 20; report 1 "a class compiles"; exit; }
report 0 "a class compiles"

make -s VARIANT=check BUILD="$BUILD" CC="$CC" "$BUILD/ouro" >"$root/output" 2>&1 ||
    { tail -n 20 "$root/output"; report 1 "make ouro"; exit; }
# checked NAME TEXT ARGS...: `ouro check` prints the text, and nothing bad about the class.
checked() {
    name=$1 text=$2
    shift 2
    "$BUILD/ouro" check "$root/node.so" "$@" >"$root/output" 2>&1
    grep -qF -e "$text" "$root/output" &&
        ! grep -E 'CRASH|LEAK|could not be checked|"type": "node\.Node' "$root/output" ||
        { cat "$root/output"; false; }
    report $? "$name"
}
checked "its cycles, made in every way, are collected" "checked, 0 findings" --type Node
checked "its cycles, made by its methods, are collected" \
    '"name": "node.Node", "container": true, "state": "checked"' \
    --script "$root/node.script" --json
