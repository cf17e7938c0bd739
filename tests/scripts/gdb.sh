#!/bin/sh
# SPDX-License-Identifier: MIT
# The script for gdb shows objects, references, paths and pages of a running program and of a core
# file. gdb finds the script by itself beside an installed library.
# From the environment: BUILD, CC.
set -u
BUILD=${BUILD:-build}
CC=${CC:-cc}
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS

report() {
    if [ "$1" -eq 0 ]; then echo "ok gdb: $2"; else echo "FAIL gdb: $2"; fi
}

# says NAME TEXT: the last session of gdb printed the text.
says() {
    grep -qF -e "$2" "$root/output" || { cat "$root/output"; false; }
    report $? "$1"
}

command -v gdb >/dev/null || { echo "skip gdb: gdb is not installed"; exit 0; }
gdb -batch -ex 'python print("yes")' 2>/dev/null | grep -q yes ||
    { echo "skip gdb: this gdb has no Python"; exit 0; }

make LIBDIR="$root/lib" PREFIX="$root" BUILD="$BUILD" VARIANT=release install >"$root/output" 2>&1 ||
    { cat "$root/output"; report 1 "the library can be installed"; exit 0; }
$CC -g -O1 -I"$root/include/ouroboros" tests/scripts/gdb/program.c -L"$root/lib" -louroboros \
    -Wl,-rpath,"$root/lib" -o "$root/program" || { report 1 "the program compiles"; exit 0; }

# Here gdb is told where to look. For a library in /usr it looks there by itself.
find="set auto-load scripts-directory $root/share/gdb/auto-load"
gdb -batch -iex "set auto-load safe-path /" -iex "$find" -ex 'break stop_here' \
    -ex 'set environment OURO_HEAP_RANGE 16M' -ex run \
    -ex 'ouro print kept' -ex 'ouro print held' -ex 'ouro types' -ex 'ouro page kept' \
    -ex 'set $tuple = ((PyListObject *)kept)->ob_item[1]' -ex 'ouro refs $tuple' \
    -ex 'ouro why $tuple' -ex 'ouro why kept' -ex 'help ouro' \
    -ex "generate-core-file $root/core" "$root/program" >"$root/output" 2>&1
if grep -qE 'ptrace|Cannot run|not permitted' "$root/output"; then
    echo "skip gdb: programs cannot be traced here"
    exit 0
fi
says "finds the script of an installed library by itself" "what refers to them, why they are alive"
says "prints the items of a list" "[0]              'str'"
says "prints the text of a str" "'hello'"
says "prints the items of a dict by key" "['answer']       'tuple'"
says "counts the containers by type" "   objects        bytes  type"
says "names the page and the object of an address" "of 2 items, at offset 0"
says "finds who refers to an object" ": references 2, found in containers 2"
says "finds a path from the modules" "held by the interpreter's field 'modules'"
says "finds the static variable that holds an object" "held by the static variable kept in section"

if [ -f "$root/core" ]; then
    gdb -batch -ex 'source tools/gdb/ouroboros-gdb.py' -ex 'ouro print kept' -ex 'ouro types' \
        -ex 'ouro why ((PyListObject *)kept)->ob_item[1]' -ex 'ouro print 1' \
        "$root/program" "$root/core" >"$root/output" 2>&1
    says "prints objects of a core file" "[0]              'str'"
    says "finds paths in a core file" "held by the interpreter's field 'modules'"
    says "an address that cannot be read has a message" "no memory can be read at 0x1"
else
    echo "skip gdb: no core file could be written"
fi
