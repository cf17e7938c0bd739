#!/bin/sh
# SPDX-License-Identifier: MIT
# Build every peer that is present, then measure them side by side: `make bench`.
#   BUILD, CC     where the library was built, and the compiler (the Makefile sets them)
#   BENCH=full    bigger heaps and more rounds; else a quick run of under 3 minutes
#   PY_CONFIGS    python3-config programs to use instead of those found
# Further settings are run.py's; `bench/run.py --help` lists them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${BUILD:-build}" && pwd) || exit 1
out=$build/bench
CC=${CC:-cc}
flags="-std=gnu11 -O2 -g -Wall -Wextra -pthread"
mkdir -p "$out/peers"

say() { echo "bench: $*" >&2; }

if ! command -v python3 >/dev/null 2>&1; then
    say "python3 is missing; it runs the peers and prints the table. Nothing was measured."
    exit 1
fi
if [ ! -e "$build/libouroboros.so" ]; then
    say "$build/libouroboros.so is missing; run make first."
    exit 1
fi
rm -f "$out"/peers/* "$out"/*.so

# peer NAME HEADER SOURCES FLAGS LIBRARIES...: build one; say so when it cannot be.
shared_sources="main.c measure.c alloc.c"
collector_sources="$shared_sources shapes.c graph.c live.c garbage.c"
python_sources="$collector_sources young.c holes.c pauses.c peer_python.c"
# Workloads are shared objects, as extension modules are: how far apart in memory the
# handlers and the library lie costs up to a third (see docs/benchmarks.md).
peer() {
    name=$1 header=$2 sources=$3 own=$4
    shift 4
    (cd "$here" && $CC $flags $own -fPIC -shared -DPEER_HEADER="\"$header\"" $sources \
        -o "$out/libwork-$name.so" &&
        $CC $flags start.c -o "$out/peers/$name" -L"$out" -Wl,--no-as-needed -l"work-$name" \
            -Wl,-rpath,"$out" -rdynamic "$@") >"$out/$name.log" 2>&1 ||
        { say "skipped $name: it does not build, see $out/$name.log"; return 1; }
}

peer ouroboros peer_python.h "$python_sources" -I"$here/../include/ouroboros" \
    -L"$build" -louroboros -Wl,-rpath,"$build" || { cat "$out/ouroboros.log" >&2; exit 1; }
peer glibc peer_malloc.h "$shared_sources" ""
peer mimalloc peer_malloc.h "$shared_sources" -DBENCH_MIMALLOC -lmimalloc
peer boehm peer_boehm.h "$collector_sources" "" -lgc

"$here/../tools/python-configs.sh" >"$out/pythons"
while read -r version config; do
    if [ "${version#3.}" -lt 10 ]; then
        say "skipped CPython $version: no PyGC_Disable in C before 3.10"
        continue
    fi
    peer "cpython-$version" peer_python.h "$python_sources" "$("$config" --includes)" \
        $("$config" --embed --ldflags) -Wl,-rpath,"$("$config" --prefix)/lib"
done <"$out/pythons"

# A dying chain recurses once per object in CPython; peers ask for a big stack themselves.
exec python3 -B "$here/run.py" --peers "$out/peers" --json "$out/results.json" \
    ${BENCH:+--set "$BENCH"}
