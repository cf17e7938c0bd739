#!/bin/sh
# SPDX-License-Identifier: MIT
# Probes for external tracers (USDT): every event of a listener is a probe of the same name, and
# costs a nop. gdb stops there and reads the arguments.
# From the environment: BUILD, CC.
set -u
BUILD=${BUILD:-build}
CC=${CC:-cc}
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

report() {
    if [ "$1" -eq 0 ]; then echo "ok probes: $2"; else echo "FAIL probes: $2"; fi
}

tools/install-packages.sh probes
echo '#include <sys/sdt.h>' | $CC -E - >/dev/null 2>&1 ||
    { echo "skip probes: no <sys/sdt.h> (Debian: systemtap-sdt-dev)"; exit 0; }
command -v readelf >/dev/null || { echo "skip probes: no readelf"; exit 0; }

# The library may have been built before the header was installed. So the files with probes are
# compiled here, and the rest comes from the library.
make BUILD="$BUILD" VARIANT=release all >"$root/output" 2>&1 || cat "$root/output"
for source in $(grep -lw OURO_TELL src/*/*.c); do
    $CC -std=c11 -O2 -D_GNU_SOURCE -Iinclude/ouroboros -ftls-model=initial-exec -c "$source" \
        -o "$root/$(basename "$source" .c).o" || report 1 "$source compiles"
done
$CC -O2 -Iinclude/ouroboros tests/scripts/probes/program.c "$root"/*.o "$BUILD/libouroboros.a" \
    -pthread -lm -ldl -o "$root/program" && "$root/program"
report $? "a program with probes runs as without"

readelf -n "$root/program" >"$root/notes"
sed -n 's/^ *Name: //p' "$root/notes" | sort -u >"$root/probes"
sed -n '/^    void \*arg;$/,/^} Ouro_Listener;$/s/^    Ouro_EventFunction \(.*\);$/\1/p' \
    include/ouroboros/ouroboros.h | tr -d ' ' | tr , '\n' | sort >"$root/events"
[ "$(wc -l <"$root/events")" -ge 11 ] && diff "$root/events" "$root/probes"
report $? "each event of a listener has a probe of its name, and no other is there"

others=$(sed -n 's/^ *Provider: //p' "$root/notes" | grep -v '^ouroboros$')
[ -z "$others" ]
report $? "the provider is ouroboros"

[ "$(grep -c 'Arguments: \([^ ]* \)\{8\}[^ ]*$' "$root/notes")" -eq "$(grep -c 'Name:' "$root/notes")" ]
report $? "each probe has the nine arguments of docs/events.md"

if [ "$(uname -m)" = x86_64 ] && command -v objdump >/dev/null; then
    objdump -d "$root/program" >"$root/code"
    sed -n 's/^ *Location: 0x0*\([0-9a-f]*\),.*/\1/p' "$root/notes" >"$root/places"
    bad=$(while read -r place; do
        grep -qE "^ *$place:.*[[:space:]]nop\$" "$root/code" || echo "$place"
    done <"$root/places")
    [ -s "$root/places" ] && [ -z "$bad" ]
    report $? "a probe is one nop"
else
    echo "skip probes: a probe is one nop (looked at with objdump on x86-64)"
fi

command -v gdb >/dev/null || { echo "skip probes: gdb is not installed"; exit 0; }
gdb -batch -ex 'info probes stap ouroboros' \
    -ex 'break -probe-stap ouroboros:collection_ends if $_probe_arg3 > 0' \
    -ex 'break -probe-stap ouroboros:slice_ends' -ex run \
    -ex 'printf "generation %d, collected %d\n", $_probe_arg1, $_probe_arg3' -ex 'delete 1' -ex continue \
    -ex 'printf "a slice of %s to %s\n", (char *)$_probe_arg7, (char *)$_probe_arg8' \
    "$root/program" >"$root/output" 2>&1
if grep -qE 'ptrace|Cannot run|not permitted' "$root/output"; then
    echo "skip probes: programs cannot be traced here"
    exit 0
fi
grep -q 'generation 2, collected 1' "$root/output" || { cat "$root/output"; false; }
report $? "gdb stops at a probe and reads its arguments"
grep -q 'a slice of count to [a-z]' "$root/output" || { cat "$root/output"; false; }
report $? "the probe of a slice names its phases"
