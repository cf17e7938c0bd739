#!/bin/sh
# SPDX-License-Identifier: MIT
# Print src/all.c: every source of the library, in the order of tools/layers.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../src"

cat <<'EOT'
/* SPDX-License-Identifier: MIT */
/* The whole library as one file: `cc -Iinclude/ouroboros -c src/all.c`.
 * Written by `make amalgam` from the sources that are there; do not edit. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

EOT

# The contract checker is part of the checking build alone.
guard() {
    if [ "$1" = check ]; then
        echo "$2"
    fi
}

sed -e '/^#/d' -e '/^ *$/d' ../tools/layers | while read -r _ folder _; do
    guard "$folder" "#if defined(OURO_CHECK) && OURO_CHECK"
    for file in "$folder"/*.c; do
        if [ -f "$file" ]; then
            echo "#include \"$file\""
        fi
    done
    guard "$folder" "#endif"
done
