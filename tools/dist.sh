#!/bin/sh
# SPDX-License-Identifier: MIT
# Write the release archive, $BUILD/ouroboros-VERSION.tar.gz, and print its hash. The archive has
# every tracked file, in the order of the names, with the time of the last commit or of
# SOURCE_DATE_EPOCH. It contains nothing that depends on the machine, so two runs make the same
# bytes. This also holds in the unpacked archive, where there is no git.
# From the environment: BUILD, VERSION.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
name=ouroboros-$VERSION

if [ -e .git ] && git rev-parse --git-dir >/dev/null 2>&1; then
    seconds=$(git log -1 --format=%ct)
    changed=$(git status --porcelain --untracked-files=no)
    [ -z "$changed" ] || printf 'dist: with changes that are not committed:\n%s\n' "$changed" >&2
else
    seconds=$(stat -c %Y Makefile)
fi

mkdir -p "$BUILD"
tools/tracked.sh | sort |
    tar --create --format=ustar --files-from=- --transform="s|^|$name/|" \
        --mtime="@${SOURCE_DATE_EPOCH:-$seconds}" --mode=u=rwX,go=rX --owner=0 --group=0 \
        --numeric-owner |
    gzip -9 -n >"$BUILD/$name.tar.gz"
(cd "$BUILD" && sha256sum "$name.tar.gz")
