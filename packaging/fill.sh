#!/bin/sh
# SPDX-License-Identifier: MIT
# Fill in a template of this folder, for the folder in which the result will be installed:
#   packaging/fill.sh TEMPLATE FOLDER >FILE
# Folders below the prefix are written relative to the file itself, so that the installed tree
# can be moved. From the environment: PREFIX, LIBDIR, INCLUDEDIR, RPATH, VERSION.
set -eu
template=$1 folder=$2
root=${PREFIX%/}

case $template in
*.pc.in) here='${pcfiledir}' ;;
*) here='${CMAKE_CURRENT_LIST_DIR}' ;;
esac

case $folder/ in
"$root"/*) prefix=$here/$(echo "${folder#"$root"/}" | sed 's|[^/][^/]*|..|g') ;;
*) prefix=$PREFIX ;;
esac

# from_prefix FOLDER: how the templates say it, after their variable `prefix`.
from_prefix() {
    case $1/ in
    "$root"/*) echo "\${prefix}/${1#"$root"/}" ;;
    *) echo "$1" ;;
    esac
}

# fill NAME VALUE: a command for sed.
fill() {
    printf 's|@%s@|%s|g\n' "$1" "$(printf '%s' "$2" | sed 's/[&|\\]/\\&/g')"
}

{
    fill PREFIX "$prefix"
    fill LIBDIR "$(from_prefix "$LIBDIR")"
    fill INCLUDEDIR "$(from_prefix "$INCLUDEDIR")"
    fill RPATH "$RPATH"
    fill VERSION "$VERSION"
    fill SOVERSION "${VERSION%.*}"
} | sed -f /dev/stdin "$template"
