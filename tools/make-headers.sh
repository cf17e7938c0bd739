#!/bin/sh
# SPDX-License-Identifier: MIT
# Write the headers that tools/header-names.txt lists. Each has one line, which includes Python.h.
# With --list print their names, with --check say which of them are missing or differ.
set -eu
cd "$(dirname "$0")/.."

names() {
    grep -v '^#' tools/header-names.txt | tr ' ' '\n' | grep .
}

# content NAME: the text of the header.
content() {
    case $1 in cpython/*) up=../ ;; *) up= ;; esac
    printf '/* SPDX-License-Identifier: MIT */\n#include "%sPython.h"\n' "$up"
}

status=0
for name in $(names); do
    file=include/ouroboros/$name
    case ${1-} in
    --list) echo "$name" ;;
    --check)
        [ "$(cat "$file" 2>/dev/null)" = "$(content "$name")" ] ||
            { echo "$file: run tools/make-headers.sh"; status=1; } ;;
    *)
        mkdir -p "$(dirname "$file")"
        content "$name" >"$file" ;;
    esac
done
exit $status
