#!/bin/sh
# SPDX-License-Identifier: MIT
# The program `ouro`: what it prints about correct modules, modules with mistakes, and files that
# are no modules; its scripts. A module that it checks never crashes it.
# From the environment: BUILD, CC, and PY_CONFIGS to choose the CPython.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT

report() {
    if [ "$1" -eq 0 ]; then echo "ok ouro: $2"; else echo "FAIL ouro: $2"; fi
}

make -s VARIANT=check BUILD="$BUILD" CC="$CC" "$BUILD/ouro" >"$root/output" 2>&1 ||
    { tail -n 20 "$root/output"; report 1 "make ouro"; exit; }
report 0 "make ouro"
# -n: another script builds the demonstration.
line=$(make -n BUILD="$BUILD" CC="$CC" ouro | sed -n '/^echo "cc /,$p' | sh |
    sed "s|MODULE.c|examples/modules/lru.c|; s|MODULE|$root/lru|g")
sh -c "$line" >"$root/output" 2>&1 && grep -q ' 0 findings' "$root/output" ||
    { echo "$line"; cat "$root/output"; false; }
report $? "make ouro prints the command to go on with"
ouro=$BUILD/ouro
cflags="-g -Wall -Wextra ${WERROR-} -shared -fPIC"
check="$cflags -Iinclude/ouroboros -DOURO_CHECK=1"

# built FOLDER FLAGS...: the subject, as FOLDER/subject.so.
built() {
    mkdir -p "$root/$1"
    folder=$1
    shift
    $CC tests/scripts/ouro/subject.c "$@" -o "$root/$folder/subject.so"
}

# says NAME STATUS TEXT ARGS...: `ouro ARGS` ends with this status, and prints the text.
says() {
    name=$1 expected=$2 text=$3
    shift 3
    "$ouro" "$@" >"$root/output" 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -qF -e "$text" "$root/output" ||
        { cat "$root/output"; echo "status $status"; false; }
    report $? "$name"
}

# ---- modules --------------------------------------------------------------------------------

for module in linked lru pmap words; do
    # shellcheck disable=SC2086
    $CC $check "examples/modules/$module.c" -o "$root/$module.so"
    says "examples/modules/$module.c is clean" 0 " checked, 0 findings" \
        check "$root/$module.so"
done
# shellcheck disable=SC2086
for way in CORRECT FORGETS KEEPS NEEDS CRASHES FAULTS HANGS CRASHES_EARLY HANGS_EARLY ENDS_EARLY \
    RAISES_EARLY PLAIN HIDES LACKS SINGLE IMPORTS SIBLING DEMANDS HALF_IMPORTS \
    PACKAGED VIEWS; do
    built "$way" $check -D$way || report 1 "the subject compiles with $way"
done
says "a correct module" 0 "1 type checked, 0 findings" check "$root/CORRECT/subject.so"
says "a field that is not visited" 1 \
    "GC-T01 subject.Node: field at offset 24 holds a tracked 'subject.Node'" \
    check "$root/FORGETS/subject.so"
if $CC -include elfutils/libdw.h -E -xc /dev/null >/dev/null 2>&1; then
    says "the field is named" 1 "field 'cache' of struct node, offset 24" \
        check "$root/FORGETS/subject.so"
    says "the place of the allocation is named" 1 "subject.c:" check "$root/FORGETS/subject.so"
else
    echo "skip ouro: fields and places are named: no libdw"
fi
says "the operation that leaks is named" 1 "LEAK subject.Node: after a.cache = b" \
    check "$root/FORGETS/subject.so"
says "references that nobody accounts for" 1 "LEAK subject.Node: after a.link(b)" \
    check "$root/KEEPS/subject.so"
says "findings as JSON" 1 '"field"' check "$root/FORGETS/subject.so" --json
says "no findings as JSON" 0 '"findings": []' check --json "$root/CORRECT/subject.so"
if command -v python3 >/dev/null 2>&1; then
    "$ouro" check --json "$root/FORGETS/subject.so" | python3 -c 'import json, sys
result = json.load(sys.stdin)
assert result["findings"][0]["offset"] == 24, result
assert result["types"][0]["state"] == "checked", result'
    report $? "the JSON is JSON"
fi
says "one type" 0 "1 type checked" check "$root/CORRECT/subject.so" --type Node
says "a type that is not there" 2 "the module has no type 'Other'" \
    check "$root/CORRECT/subject.so" --type=Other
says "a module without types says so" 2 "the module made no type of its own ready" \
    check "$root/PLAIN/subject.so"
says "a type that is not shown is checked" 0 "1 type checked, 0 findings" \
    check "$root/HIDES/subject.so"
says "a type without the flag that owns anything" 1 \
    "GC-K69 subject.Node: after a.link(b); b.back = a, the cycle is never collected" \
    check "$root/LACKS/subject.so"
says "a singleton in static data is a note" 0 "0 findings, 1 note" \
    check "$root/SINGLE/subject.so"
says "a finding about a field says how to declare it" 1 \
    "borrowed on purpose? --borrowed subject.Node:24" check "$root/FORGETS/subject.so"
says "a field can be declared" 1 "LEAK subject.Node" check "$root/FORGETS/subject.so" \
    --borrowed subject.Node:24
! grep -q "GC-T01" "$root/output"
report $? "a declared field is no finding"
says "a bad declaration" 2 "--borrowed takes TYPE:OFFSET" check x.so --borrowed Node
says "a module that is missing gets a stub, and that is said" 0 \
    "not here, so stubs stand in: other, other.part" check "$root/IMPORTS/subject.so"
says "a stub with names" 2 "AttributeError" check "$root/IMPORTS/subject.so" \
    --stub other.part:nothing
says "a stub with the right names" 0 "1 type checked, 0 findings" \
    check "$root/IMPORTS/subject.so" --stub other.part:Thing
says "a sibling can be loaded first" 0 "1 type checked, 0 findings" \
    check "$root/SIBLING/subject.so" --preload "$root/lru.so"
! grep -q "stubs stand in" "$root/output"
report $? "a sibling that was loaded needs no stub"
says "a sibling can be loaded by the name that the module imports" 0 \
    "1 type checked, 0 findings" check "$root/PACKAGED/subject.so" \
    --preload "family.store=$root/lru.so"
says "a module that is loaded first may need a stub" 0 "not here, so stubs stand in: other" \
    check "$root/linked.so" --preload "$root/IMPORTS/subject.so"
says "what a stub has can be called with anything, is 0, and has attributes" 1 \
    "stubs stand in: collections, collections.abc, copyreg" check "$root/DEMANDS/subject.so"
says "a missing module is found behind another exception" 0 "stubs stand in: other" \
    check "$root/HALF_IMPORTS/subject.so"
says "a view that only a method without arguments makes is checked" 0 \
    "2 types checked, 0 findings" check "$root/VIEWS/subject.so"
says "the JSON says which types are containers" 1 '"container": false' \
    check --json "$root/LACKS/subject.so"
printf 'n = subject.Node()\nn.link(n)\ndel n\n' >"$root/packaged.script"
says "a script names a module of a package by the last part" 0 "0 findings" \
    check "$root/PACKAGED/subject.so" --preload "family.store=$root/lru.so" \
    --script "$root/packaged.script"
printf 'n = subject.Node()\ndel n\n' >"$root/single.script"
says "what the module has by itself is not left over from a script" 0 "0 findings" \
    check "$root/SINGLE/subject.so" --script "$root/single.script"
printf 'n = subject.Node()\nv = n.view()\n' >"$root/views.script"
says "the JSON of a script says which types it used" 0 '"subject.View", "container": true, "state": "checked"' \
    check "$root/VIEWS/subject.so" --script "$root/views.script" --json

# This took more than a minute when each look at a static object was a system call.
# shellcheck disable=SC2086
$CC $check tests/scripts/ouro/statics.c -o "$root/statics.so"
says "many static objects do not make it slow" 0 "1 type checked, 0 findings" \
    check "$root/statics.so" --type Tree

# The types of the zoo: some are correct, each of the others has one mistake.
# shellcheck disable=SC2086
$CC $check tests/cpython/ouro_audit/zoo*.c -o "$root/zoo.so"
for type in StaticNode T01; do
    says "one type of many: $type" $([ $type = T01 ]; echo $((1 - $?))) \
        "1 type checked, $([ $type = T01 ] && echo 4 || echo 0) findings" \
        check "$root/zoo.so" --type $type
done

# ---- modules that behave badly -----------------------------------------------------------------

says "a constructor that needs arguments" 2 "not checked: subject.Node: TypeError" \
    check "$root/NEEDS/subject.so"
says "a crash has its lines" 1 "in subject.c:" check "$root/CRASHES/subject.so"
line=$(grep -n 'the place of the fault' tests/scripts/ouro/subject.c | cut -d : -f 1)
says "the place of a bad access is right" 1 "in subject.c:$line (node_link)" \
    check "$root/FAULTS/subject.so"
says "a method that crashes" 1 "CRASH subject.Node: Segmentation fault, at: subject.Node: a.link(b)" \
    check "$root/CRASHES/subject.so"
says "a method that hangs" 2 "no end after 1 seconds, at: subject.Node: a.link(b)" \
    check "$root/HANGS/subject.so" --timeout 1
says "a crash in the init function" 2 "Segmentation fault, at: loading the module" \
    check "$root/CRASHES_EARLY/subject.so"
says "an init function that hangs" 2 "no end after 1 seconds, at: loading the module" \
    check "$root/HANGS_EARLY/subject.so" --timeout=1
says "an init function that ends the process" 2 "ended the process with status 7" \
    check "$root/ENDS_EARLY/subject.so"
says "an init function that raises" 2 "ValueError: not today" \
    check "$root/RAISES_EARLY/subject.so"
cp "$root/CORRECT/subject.so" "$root/other.so"
says "the name is that of the init function" 0 "0 findings" check "$root/other.so"
says "another name for the module" 2 "PyInit_another" check "$root/other.so" --name another
says "a file that is not there" 2 "No such file" check "$root/nothing.so"
echo 'no module' >"$root/text.so"
says "a file that is no module" 2 "could not be checked" check "$root/text.so"
# shellcheck disable=SC2086
built PLAINLY $cflags -Iinclude/ouroboros
says "a module for the plain library" 2 "pkg-config --cflags ouroboros-check" \
    check "$root/PLAINLY/subject.so"
tools/python-configs.sh >"$root/pythons"
if read -r version config <"$root/pythons" && [ "${version#3.}" -ge 10 ]; then
    # shellcheck disable=SC2046,SC2086
    built CPYTHON $cflags -Wno-deprecated-declarations -Wno-cpp $("$config" --includes)
    says "a module for CPython" 2 "pkg-config --cflags ouroboros-check" \
        check "$root/CPYTHON/subject.so"
else
    echo "skip ouro: a module for CPython: no python3-config with headers"
fi

# ---- scripts --------------------------------------------------------------------------------------

# script NAME STATUS TEXT MODULE: the script is on standard input.
script() {
    cat >"$root/script"
    says "$1" "$2" "$3" check "$root/$4/subject.so" --script "$root/script"
}

script "a script makes what needs arguments" 0 "script $root/script, 0 findings" NEEDS <<'END'
# every kind of statement that a script can have
a = subject.Node("x", 1)
b = subject.Node('it\'s', -2)
a.cache = [b, (1, 2.5, None), {"key": a, 1: True}, [], (), {}]
b.link(a)
a.cache[0].link(a.cache)
END
script "a script that is right" 0 "0 findings" NEEDS <<'END'
a = subject.Node("x", 1)
b = subject.Node('it\'s', -2)
a.cache = [b, (1, 2.5, None), {"key": a, 1: True}, [], (), {}]
b.link(a)
a.cache[0].link(a.cache)
a.cache[1] = dict(x=a, y=list((1, 2)))
del a.cache[2]
del a.cache
collect
a.cache = (b)
del b
END
script "a script finds the mistake" 1 "GC-T01 subject.Node" FORGETS <<'END'
a = subject.Node()
a.cache = subject.Node()
collect
END
script "a script tells what is left" 1 "LEAK subject.Node: 1 still alive" KEEPS <<'END'
a = subject.Node()
a.link(a)
END
script "an error of the script" 2 "script:2: AttributeError" CORRECT <<'END'
a = subject.Node()
a.nothing()
END
script "an unknown name" 2 "script:1: NameError: name 'b' is not defined" CORRECT <<'END'
a = b
END
script "a script that cannot be read" 2 "script:1: SyntaxError: expected" CORRECT <<'END'
a = subject.Node(
END
script "text behind a statement" 2 "SyntaxError: unexpected text" CORRECT <<'END'
a = 1 + 1
END
says "a script that is not there" 2 "there is no script $root/none" \
    check "$root/CORRECT/subject.so" --script "$root/none"

# ---- the rest -------------------------------------------------------------------------------------

says "--help" 0 "exit status: 0 clean" --help
says "--version" 0 "ouro $(sed -n 's/^VERSION *:= *//p' Makefile)" --version
says "no command" 2 "usage: ouro check" 
says "an unknown command" 2 "there is no command 'chekc'" chekc
says "an unknown option" 2 "'--jsno' is no option" check x.so --jsno
says "an option without its value" 2 "lacks its value" check x.so --type
says "a bad number of seconds" 2 "is not a number of seconds" check x.so --timeout soon
says "no module" 2 "which module?" check --json
if command -v man >/dev/null 2>&1; then
    man --warnings -l docs/ouro.1 2>&1 >/dev/null | { ! grep . ; }
    report $? "the manual page has no mistakes"
fi
