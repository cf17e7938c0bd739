#!/bin/sh
# SPDX-License-Identifier: MIT
# List the tracked files that match the patterns, or all tracked files if there is no pattern. If
# there is no git, as in a release archive, files outside of the build folder count as tracked.
# From the environment: BUILD.
set -u
cd "$(dirname "$0")/.." || exit 2

if [ -e .git ] && git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -- "$@"
else
    for pattern in "${@:-*}"; do
        find . \( -path "./${BUILD:-build}" -o -path ./.git \) -prune -o -type f \
            -name "$pattern" -print
    done | sed 's|^\./||'
fi | while read -r file; do
    [ ! -f "$file" ] || echo "$file"
done
