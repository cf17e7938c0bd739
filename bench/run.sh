#!/bin/sh
# SPDX-License-Identifier: MIT
# Build every peer that is present, then measure: `make bench`, `bench-full`, `bench-icount`.
#   bench/run.sh quick|full|smoke|icount
# From the environment:
#   BUILD, CC   where the library was built, and the compiler (the Makefile sets them)
#   BASE        a commit: measure this tree beside it, and nothing else (compare.py, icount.py)
#   PYTHONS     CPythons to take: "3.13 3.11"; else the newest found, for the full set all
# Further settings are those of run.py and icount.py; their --help lists them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${BUILD:-build}" && pwd) || exit 1
out=$build/bench
CC=${CC:-cc}
set=${1:-quick}
flags="-std=gnu11 -O2 -g -Wall -Wextra -pthread"
[ "$set" != smoke ] || flags="-std=gnu11 -O0 -g -Wall -Wextra ${WERROR-} -pthread"
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

# ---- peers -------------------------------------------------------------------------------

scheme=$here/../examples/scheme
shared="main.c measure.c watch.c alloc.c shapes.c graph.c churn.c trees.c queue.c"
python="$shared live.c garbage.c young.c holes.c work.c pauses.c programs.c peer_types.c peer_python.c"
# The sources of a tree's Scheme, without memory.c, which depends on the library.
application_of() {
    echo "application.c $(ls "$1"/*.c | grep -v -e /main.c -e /memory.c | tr '\n' ' ')"
}
application=$(application_of "$scheme")

# Whether a peer was built by the same command, after the last change of a source or header.
is_current() {
    [ -e "$out/peers/$1" ] && [ "$(cat "$out/$1.command" 2>/dev/null)" = "$2" ] &&
        [ -z "$(find "$here" "$scheme" "$here/../include" "$here/../tests/scripts/scheme" \
            -name '*.[ch]' -newer "$out/peers/$1" | head -n 1)" ]
}

# peer NAME HEADER SOURCES FLAGS LIBRARIES...: build one peer; say so when that fails.
# Workloads are shared objects, as extension modules are. The distance in memory between the
# handlers and the library costs up to a third (see docs/benchmarks.md).
peer() {
    name=$1 header=$2 sources=$3 own=$4
    shift 4
    wanted="$wanted $name"
    command="$CC $flags $own -fPIC -shared -DPEER_HEADER=\"$header\" $sources $*"
    ! is_current "$name" "$command" || return 0
    rm -f "$out/peers/$name"
    (cd "$here" && $CC $flags $own -fPIC -shared -DPEER_HEADER="\"$header\"" $sources \
        -Wl,--wrap,scheme_safe_point -o "$out/libwork-$name.so" &&
        $CC $flags start.c -o "$out/peers/$name" -L"$out" -Wl,--no-as-needed -l"work-$name" \
            -Wl,-rpath,"$out" -rdynamic "$@") >"$out/$name.log" 2>&1 ||
        { say "skipped $name: it does not build, see $out/$name.log"; return 1; }
    echo "$command" >"$out/$name.command"
}

# python_peer VERSION CONFIG: the Scheme interpreter needs names that exist since 3.13.
python_peer() {
    sources=$python own=$("$2" --includes)
    if [ "${1#3.}" -ge 13 ]; then
        sources="$python $application $here/../tests/scripts/scheme/memory_cpython.c"
        own="$own -DBENCH_SCHEME=1 -I$scheme -I$out/header"
        mkdir -p "$out/header" && cp "$here/../include/ouroboros/ouro_fields.h" "$out/header"
    else
        say "CPython $1 runs no application (H): it needs 3.13"
    fi
    peer "cpython-$1" peer_python.h "$sources" "$own" \
        $("$2" --embed --ldflags) -Wl,-rpath,"$("$2" --prefix)/lib"
}

is_chosen() {
    if [ -n "${PYTHONS:-}" ]; then
        case " $PYTHONS " in *" $1 "*) return 0 ;; esac
        return 1
    fi
    [ "$set" = full ] || [ "$1" = "$newest" ]
}

wanted=
peer ouroboros peer_python.h "$python $application $scheme/memory.c" \
    "-DBENCH_SCHEME=1 -I$here/../include/ouroboros" \
    -L"$build" -louroboros -Wl,-rpath,"$build" || { cat "$out/ouroboros.log" >&2; exit 1; }
if [ -n "${BASE:-}" ]; then
    commit=$(git -C "$here" rev-parse --short "$BASE^{commit}") || exit 1
    base=$out/base-$commit
    if [ ! -e "$base/build/libouroboros.so" ]; then
        say "building $commit"
        mkdir -p "$base" && git -C "$here/.." archive "$commit" | tar -x -C "$base" &&
            make -C "$base" BUILD=build CC="$CC" VARIANT=release all >"$base.log" 2>&1 ||
            { say "$commit does not build, see $base.log"; exit 1; }
    fi
    peer base peer_python.h \
        "$python $(application_of "$base/examples/scheme") $base/examples/scheme/memory.c" \
        "-DBENCH_SCHEME=1 -I$base/include/ouroboros" \
        -L"$base/build" -louroboros -Wl,-rpath,"$base/build" || { cat "$out/base.log" >&2; exit 1; }
    [ "$set" != icount ] || exec python3 -B "$here/icount.py" --peers "$out/peers" --base
    exec python3 -B "$here/compare.py" --set "$set" --peers "$out/peers" --json "$build/bench.json" \
        --plots "$out"
fi
if [ "$set" != icount ]; then
    # The same workloads with types that declare their fields.
    peer fields peer_python.h "$python" "-DBENCH_FIELDS -I$here/../include/ouroboros" \
        -L"$build" -louroboros -Wl,-rpath,"$build"
    peer glibc peer_malloc.h "$shared" ""
    peer mimalloc peer_malloc.h "$shared" -DBENCH_MIMALLOC -lmimalloc
    peer boehm peer_boehm.h "$shared live.c" "" -lgc
fi

"$here/../tools/python-configs.sh" >"$out/pythons"
newest=$(sed -n '1s/ .*//p' "$out/pythons")
[ -n "$newest" ] || say "skipped CPython: none that can be embedded was found (python3-dev)"
while read -r version config; do
    is_chosen "$version" || continue
    if [ "${version#3.}" -lt 10 ]; then
        say "skipped CPython $version: no PyGC_Disable in C before 3.10"
        continue
    fi
    python_peer "$version" "$config"
done <"$out/pythons"

for name in $(ls "$out/peers"); do # of an earlier run, and not wanted in this one
    case " $wanted " in *" $name "*) ;; *) rm -f "$out/peers/$name" ;; esac
done

# ---- measuring ------------------------------------------------------------------------------

if [ "$set" = icount ]; then
    exec python3 -B "$here/icount.py" --peers "$out/peers" --compiler "$($CC --version | head -n 1)"
fi
exec python3 -B "$here/run.py" --set "$set" --peers "$out/peers" --json "$build/bench.json" \
    --plots "$out" --compiler "$($CC --version | head -n 1)"
