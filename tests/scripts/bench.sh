#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmark itself: every workload runs, as small as possible. Its table, JSON file and plots
# are well-formed, and the report writer finds its place in the document.
# From the environment: BUILD and CC.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

report() {
    if [ "$1" -eq 0 ]; then echo "ok bench: $2"; else echo "FAIL bench: $2"; fi
}

if ! command -v python3 >/dev/null 2>&1; then
    echo "skip bench: every workload runs: no python3"
    exit 0
fi
if [ -z "$(tools/python-configs.sh)" ]; then
    echo "skip bench: every workload runs: no CPython that can be embedded"
    exit 0
fi

# The peers use a shared library. Here it is that of the debug build, which checks itself.
$CC -shared -o "$root/libouroboros.so" -Wl,--whole-archive "$BUILD/debug/libouroboros.a" \
    -Wl,--no-whole-archive -pthread -lm -ldl &&
    BUILD=$root CC=$CC bench/run.sh smoke >"$root/table" 2>"$root/errors"
bad=$?
[ $bad -eq 0 ] || cat "$root/errors" "$root/table"
report $bad "every workload runs and finds what it must"

python3 - "$root" <<'CHECK'
import json, os, sys
import xml.etree.ElementTree as tree
root = sys.argv[1]
results = json.load(open(os.path.join(root, "bench.json")))
letters = {row["letter"] for row in results["rows"] if "ouroboros" in row["peers"]}
assert letters == set("ABCDEFGHPY"), letters
for row in results["rows"]:
    for peer in row["peers"].values():
        assert peer["min"] <= peer["median"] <= peer["max"] and peer["samples"], row
    assert row["verdict"] or not row["is_compared"], row
for key in ("machine", "versions", "command", "commit", "compiler"):
    assert results[key] or key == "commit", key
plots = [n for n in os.listdir(os.path.join(root, "bench")) if n.endswith(".svg")]
assert {"cost.svg", "bars-A.svg", "bars-D.svg"} <= set(plots), plots
for name in plots:
    svg = tree.parse(os.path.join(root, "bench", name)).getroot()
    texts = [e for e in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) > 5 and all(e.text for e in texts), name
    for element in texts:
        assert 0 <= float(element.get("x")) <= float(svg.get("width")), (name, element.text)
        assert 0 <= float(element.get("y")) <= float(svg.get("height")), (name, element.text)
CHECK
report $? "the JSON file and the plots are well-formed"

python3 -B bench/table.py "$root/bench.json" | grep -q '^Of [0-9]* rows '
report $? "the table can be printed again from the JSON file"

cp docs/benchmarks.md "$root/document.md"
python3 -B bench/report.py "$root/bench.json" "$root/document.md" >/dev/null &&
    grep -q '^A\. full collection' "$root/document.md" &&
    grep -q '^## What falls short' "$root/document.md" && [ -s "$root/plots/cost.svg" ]
report $? "the report is written between its marks"
