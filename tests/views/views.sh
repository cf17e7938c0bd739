#!/bin/sh
# SPDX-License-Identifier: MIT
# Open snapshots in the tools of others: memlab, Graphviz, Chromium. `make test-views` runs this. It
# installs memlab and puppeteer-core with npm, below BUILD, unless OURO_NO_INSTALL is set.
# From the environment: BUILD, CC; SCREENSHOT, a file for a picture of the page.
set -u
cd "$(dirname "$0")/../.." || exit 2
BUILD=${BUILD:-build}
work=$BUILD/views
mkdir -p "$work"
rm -f "$work"/*.heapsnapshot "$work"/*.html "$work"/*.json "$work"/*.dot
status=0
tools/install-packages.sh views

report() {
    if [ "$1" -eq 0 ]; then echo "ok views: $2"; else echo "FAIL views: $2"; status=1; fi
}

skip() {
    echo "skip views: $1"
}

# run_claims COMMAND...: print its claims, and note those that fail.
run_claims() {
    "$@" >"$work/output" 2>&1
    grep -E '^(ok|FAIL) ' "$work/output" || { cat "$work/output"; status=1; }
    if grep -q '^FAIL ' "$work/output"; then cat "$work/output"; status=1; fi
}

${CC:-cc} -O2 -Iinclude/ouroboros tests/views/program.c "$BUILD/libouroboros.a" -lm -ldl -pthread \
    -o "$work/program" || exit 1
"$work/program" "$work/small.heapsnapshot" 8000 >"$work/small.expected"
"$work/program" "$work/large.heapsnapshot" 200000 >"$work/large.expected"

for size in small large; do
    "$BUILD/ouro" heap "$work/$size.heapsnapshot" --html "$work/$size.html"
    report $? "ouro heap writes a page of the $size heap"
done

if [ ! -d "$work/node_modules/puppeteer-core" ] && [ -z "${OURO_NO_INSTALL:-}" ] &&
    command -v npm >/dev/null; then
    (cd "$work" && echo '{"private": true}' >package.json &&
        PUPPETEER_SKIP_DOWNLOAD=1 npm install --no-audit --no-fund --silent \
            @memlab/heap-analysis puppeteer-core) >"$work/npm.log" 2>&1 || cat "$work/npm.log"
fi
NODE_PATH=$PWD/$work/node_modules
CHROMIUM=$(command -v chromium || command -v chromium-browser)
export NODE_PATH CHROMIUM

if command -v dot >/dev/null; then
    "$work/program" "$work/small.dot" 8000 >/dev/null && dot -Tsvg "$work/small.dot" |
        grep -q '<svg'
    report $? "Graphviz draws a snapshot"
else
    skip "Graphviz (dot is missing)"
fi
if [ -d "$work/node_modules/@memlab" ]; then
    run_claims node tests/views/memlab.js "$work/small.heapsnapshot" "$work/small.expected"
else
    skip "memlab (npm has not installed it)"
fi
if [ -d "$work/node_modules/puppeteer-core" ] && [ -n "$CHROMIUM" ]; then
    run_claims node tests/views/page.js "$work/small.html" "$work/small.expected" \
        ${SCREENSHOT:+"$SCREENSHOT"}
    run_claims node tests/views/page.js "$work/large.html" "$work/large.expected"
else
    skip "the page in Chromium (npm or chromium is missing)"
fi
exit $status
