#!/bin/sh
# SPDX-License-Identifier: MIT
# Make a Debian system in a folder of its own, for chroot:
#   tools/scratch-root.sh SUITE FOLDER PACKAGE,PACKAGE... [FOLDER-OF-DEBS]
# Packages come from Debian, and from the last folder if there is one. The script needs root and
# mmdebstrap. The status is 77 without them, or when Debian's packages are not available. It is 1
# when the packages of the folder cannot be installed.
set -u
suite=$1 folder=$2 packages=$3 debs=${4-}

[ "$(id -u)" -eq 0 ] || { echo "not root"; exit 77; }
command -v mmdebstrap >/dev/null 2>&1 || { echo "no mmdebstrap"; exit 77; }
[ -z "${OURO_NO_INSTALL:-}" ] || { echo "OURO_NO_INSTALL is set"; exit 77; }

# A mirror may be out of date; signatures are still checked.
set -- --quiet --variant=minbase --include="$packages" \
    --aptopt='Acquire::Check-Valid-Until "false"'
if [ -n "$debs" ]; then
    debs=$(cd "$debs" && pwd) || exit 2
    (cd "$debs" && dpkg-scanpackages --multiversion . >Packages 2>/dev/null) || exit 2
    set -- "$@" --setup-hook="echo 'deb [trusted=yes] copy:$debs ./' >\"\$1\"/etc/apt/sources.list.d/0.list"
    # By then Debian's own base is unpacked.
    set -- "$@" --essential-hook="touch '$folder.reached'"
fi
mmdebstrap "$@" "$suite" "$folder" >"$folder.log" 2>&1 </dev/null || {
    [ -n "$debs" ] && [ -e "$folder.reached" ] && { tail -n 30 "$folder.log"; exit 1; }
    tail -n 5 "$folder.log"
    exit 77
}
