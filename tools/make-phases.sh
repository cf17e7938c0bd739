#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the phases of a cycle as a drawing, from the table in src/collector/phases.c. docs/pauses.md
# has this drawing between its two marks. --check compares the two, and checks that every phase is
# reached and that no other file sets the phase.
set -eu
cd "$(dirname "$0")/.."
table=src/collector/phases.c

draw() {
    echo '```mermaid'
    echo 'stateDiagram-v2'
    echo '    [*] --> count'
    echo '    [*] --> doubt: short'
    sed -n 's/^    \[CYCLE_\([A-Z]*\)\] *= {[a-z_"]*, *[a-z_]*, *[a-z_]*, *\(.*\)},$/\1, \2/p' $table |
        tr -d ' ' | tr 'A-Z' 'a-z' | sed -e 's/cycle_//g' -e 's/done/[*]/' -e 's/no_way//g' |
        awk -F , '
            function arrow(next_phase, way) {
                if (next_phase != "") {
                    printf "    %s --> %s%s\n", $1, next_phase, way == "" ? "" : ": " way
                }
            }
            { arrow($2, ""); arrow($3, "aside"); arrow($4, "failed") }'
    echo '```'
}

unreached() {
    sed -n 's/^    CYCLE_\([A-Z]*\),.*/\1/p' src/collector/cycle.h | tr 'A-Z' 'a-z' |
        grep -v done | while read -r phase; do
        draw | grep -qE -- "--> $phase(:|\$)" || echo "$phase: no phase leads to it"
    done
}

if [ "${1-}" = --check ]; then
    drawing=$(mktemp)
    trap 'rm -f "$drawing"' EXIT
    sed -n '/^<!-- phases -->$/,/^<!-- end -->$/p' docs/pauses.md | sed -e '1d' -e '$d' >"$drawing"
    draw | diff "$drawing" - || { echo "docs/pauses.md: run tools/make-phases.sh"; exit 1; }
    others=$(grep -nE '(->|[a-z]\.)phase = ' src/collector/*.c | grep -v "^$table:") || true
    [ -z "$others" ] || { echo "$others: only phases.c sets the phase"; exit 1; }
    missing=$(unreached)
    [ -z "$missing" ] || { echo "$missing"; exit 1; }
else
    draw
fi
