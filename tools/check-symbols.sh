#!/bin/sh
# SPDX-License-Identifier: MIT
# Check from the symbols of the object files that the core calls lower layers only: an object file
# of a folder that tools/layers marks `core` refers to nothing that a higher folder defines, except
# the seam (src/thread/seam.h). Usage: tools/check-symbols.sh OBJECTS, the folder of src/.
set -eu
objects=$1
cd "$(dirname "$0")/.."

for folder in $(sed -e '/^#/d' -e '/^ *$/d' tools/layers | awk '{ print $2 }'); do
    for object in "$objects/$folder"/*.o; do
        [ ! -f "$object" ] || nm -g "$object" | sed "s|^|$folder $(basename "$object" .o) |"
    done
done | awk '
    FILENAME == "tools/layers" {
        if ($0 !~ /^#/ && NF >= 2) {
            rank[$2] = $1 == "public" ? 99 : $1
            core[$2] = $3 == "core"
        }
        next
    }
    $(NF - 1) == "U" { uses[++count] = $1 " " $2 " " $NF; next }
    { home[$NF] = $1 }
    END {
        for (i = 1; i <= count; i++) {
            split(uses[i], use)
            there = home[use[3]]
            if (core[use[1]] && there != "" && rank[there] > rank[use[1]] && use[3] != "ouro_seam") {
                printf "src/%s/%s.c refers to %s of src/%s\n", use[1], use[2], use[3], there
                bad = 1
            }
        }
        if (count == 0) { print "no objects"; bad = 1 }
        exit bad
    }' tools/layers -
