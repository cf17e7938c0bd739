#!/bin/sh
# SPDX-License-Identifier: MIT
# Check the #include lines: files include headers of lower layers only (tools/layers has the
# order), and include/, cli/, bench/ and examples/ use the public headers alone. The script
# prints each line that breaks a rule, and fails if there is one.
set -eu
cd "$(dirname "$0")/.."

files=$(find src include cli bench examples -name '*.[ch]' 2>/dev/null | sort) || true
[ -n "$files" ] || { echo "no sources"; exit 1; }

# shellcheck disable=SC2086
awk '
function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
}

# "src/heap/../base/bits.h" -> "src/base/bits.h"
function normal(path,    n, i, kept, parts, out) {
    n = split(path, parts, "/")
    kept = 0
    for (i = 1; i <= n; i++) {
        if (parts[i] == "..") {
            kept--
        } else if (parts[i] != ".") {
            out[++kept] = parts[i]
        }
    }
    path = out[1]
    for (i = 2; i <= kept; i++) {
        path = path "/" out[i]
    }
    return path
}

function exists(path,    line, found) {
    if (!(path in known)) {
        found = (getline line < path) >= 0
        close(path)
        known[path] = found
    }
    return known[path]
}

# src/heap/page.c -> heap; anything else of src/ -> "?"
function layer_of(path,    parts) {
    return split(path, parts, "/") >= 3 ? parts[2] : "?"
}

FILENAME == "tools/layers" {
    if ($0 !~ /^#/ && NF >= 2) {
        rank[$2] = $1
    }
    next
}

FNR == 1 {
    inside = FILENAME ~ /^src\//
    mine = inside ? layer_of(FILENAME) : "public headers only"
    if (FILENAME == "src/all.c") {
        mine = "all"
    } else if (inside && !(mine in rank)) {
        complain("folder is not in tools/layers")
    }
    directory = FILENAME
    sub(/\/[^\/]*$/, "", directory)
}

mine != "all" && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    name = $0
    quoted = name ~ /include[ \t]*"/
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*$/, "", name)

    target = normal(directory "/" name)
    if (!quoted || !exists(target)) {
        # There is no such file in this folder: it is a public header, or one of the system.
        if (quoted && !exists("include/ouroboros/" name)) {
            complain("\"" name "\" is not there (internal includes are relative)")
        }
        next
    }
    if (target ~ /^include\// || (!inside && target !~ /^src\//)) {
        next
    }
    if (!inside) {
        complain("includes \"" name "\" of the library; only public headers here")
        next
    }
    theirs = layer_of(target)
    if (theirs == mine) {
        next
    }
    if (rank[mine] == "public" || rank[theirs] == "public") {
        complain(mine "/ includes \"" name "\" of " theirs "/: only public headers between them")
    } else if (rank[theirs] + 0 >= rank[mine] + 0) {
        complain(mine "/ includes \"" name "\" of " theirs "/, which is not below it")
    }
}

END { exit bad }
' tools/layers $files
