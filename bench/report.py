#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Put a run into docs/benchmarks.md: `bench/report.py [build/bench.json [document]]`.

The script replaces the text between the two marks of the document. The other text stays. The
plots go to plots/ beside the document.
"""
import json
import os
import re
import shutil
import sys
import tempfile

import plot
import table

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "build", "bench.json")
DOCUMENT = os.path.join(ROOT, "docs", "benchmarks.md")
BEGIN, END = "<!-- bench/report.py writes from here -->", "<!-- to here -->"
SHOWN = {"bars-A.svg": "full collections of live heaps", "bars-D.svg": "rings over a live background",
         "bars-H.svg": "the Scheme interpreter",
         "cost.svg": "cost per object against the size of the heap",
         "pauses.svg": "pauses by length"}


def copy_plots(results, plots):
    """Copy the plots that the document shows and that could be drawn."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = {os.path.basename(p): p for p in plot.write_all(results, folder)}
        os.makedirs(plots, exist_ok=True)
        for name in SHOWN:
            if name in drawn:
                shutil.copy(drawn[name], plots)
            elif os.path.exists(os.path.join(plots, name)):
                os.remove(os.path.join(plots, name))
        return [n for n in SHOWN if n in drawn]


def losing_rows(results):
    for row in results["rows"]:
        if row["verdict"] in ("MISSED", "BEHIND"):
            yield f"| {row['verdict']} | {row['group']} | {row['label']} | " \
                f"{table.ratio_text(row['ratio'])} |"


def section(results, plots):
    m = results["machine"]
    lines = [f"`{results['command']}` on commit {results['commit']}, {results['date']}; {m['cpu']}, "
             f"{m['cores']} cores, load {m['load'][0]} at the end. Columns are the best samples, "
             "\"ratio\" is CPython / Ouroboros.", ""]
    for name in copy_plots(results, plots):
        lines += [f"![{SHOWN[name]}](plots/{name})", ""]
    lines += ["```", table.text(results), "```", ""]
    losing = list(losing_rows(results))
    if losing:
        lines += ["Rows that miss what is promised (MISSED), or are behind CPython in one of the "
                  "two modes:", "", "| | | | ratio |", "| --- | --- | --- | --- |", *losing, ""]
    return "\n".join(lines)


def main():
    source, document = (sys.argv[1:] + [SOURCE, DOCUMENT][len(sys.argv) - 1:])[:2]
    with open(source) as f:
        results = json.load(f)
    with open(document) as f:
        parts = re.split(f"{re.escape(BEGIN)}|{re.escape(END)}", f.read())
    if len(parts) != 3:
        sys.exit(f"{document}: the marks are missing")
    plots = os.path.join(os.path.dirname(document), "plots")
    with open(document, "w") as f:
        f.write(f"{parts[0]}{BEGIN}\n{section(results, plots)}{END}{parts[2]}")
    print(f"wrote {os.path.relpath(document)} and {os.path.relpath(plots)}")


main()
