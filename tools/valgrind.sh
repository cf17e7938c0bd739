#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a part of the tests under valgrind's memcheck; `make valgrind` calls this script. There must
# be no bad access, no use of memory that was never written, and nothing definitely lost when the
# process of a test ends. `tools/valgrind.sh TEXT ...` picks other tests. From the environment:
# BUILD.
set -u
cd "$(dirname "$0")/.." || exit 2
if ! command -v valgrind >/dev/null 2>&1; then
    echo "skip valgrind: not installed"
    exit 0
fi
# Left out are tests that need a stack or a limit that valgrind cannot give, and tests that only
# take long.
[ $# -gt 0 ] || set -- heap/ object/ base/fault api/lifecycle api/gcsupport api/weakref \
    api/modulestate api/finalize collector/candidates_tracking collector/clear \
    collector/finalize collector/freeze collector/legacy collector/trigger \
    collector/untrack collector/weak modules/ types/spec
valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite \
    --show-leak-kinds=definite --error-exitcode=9 --child-silent-after-fork=no \
    "${BUILD:-build}/debug/tests" "$@"
