#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read a JSON report of gcovr; print figures per folder, and the lines that never ran.

    tools/coverage.py REPORT

In the folders below every line must have run. Every branch that did not run must be named in
tools/coverage-exceptions, with a reason:

    file src/heap/heap.c
    line if (heap->size == 0) {            the source line, without its indentation
    why  a heap without range never gets here

An entry that is not needed is an error, too.
"""

import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "tools" / "coverage-exceptions"
STRICT = ("heap", "object", "collector")
BRANCHES_WANTED = 95.0


def read_exceptions():
    """{(file, line text): why}"""
    found = {}
    file = text = None
    for number, line in enumerate(EXCEPTIONS.read_text().splitlines(), 1):
        kind, _, rest = line.partition(" ")
        if kind == "file":
            file = rest.strip()
        elif kind == "line":
            text = rest.strip()
        elif kind == "why":
            found[file, text] = rest.strip()
        elif line and not line.startswith("#"):
            sys.exit(f"{EXCEPTIONS}:{number}: what is this? {line}")
    return found


class Folder:
    def __init__(self):
        self.lines = self.lines_run = self.branches = self.branches_run = 0

    def add(self, line):
        self.lines += 1
        self.lines_run += line["count"] > 0
        self.branches += len(line["branches"])
        self.branches_run += sum(branch["count"] > 0 for branch in line["branches"])

    def figures(self):
        def share(part, whole):
            return 100.0 * part / whole if whole else 100.0

        return share(self.lines_run, self.lines), share(self.branches_run, self.branches)


def print_figures(folders):
    print(f"{'folder':<12} {'lines':>8} {'run':>8}  {'':>7}  {'branches':>8} {'taken':>8}")
    for name, folder in sorted(folders.items()):
        lines, branches = folder.figures()
        print(f"{name:<12} {folder.lines:>8} {folder.lines_run:>8}  {lines:6.2f}%  "
              f"{folder.branches:>8} {folder.branches_run:>8}  {branches:6.2f}%")


def main():
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    exceptions = read_exceptions()
    unused = set(exceptions)
    folders = collections.defaultdict(Folder)
    missing = []
    excused = 0
    for entry in report["files"]:
        file = entry["file"]
        folder = file.split("/")[1]
        source = (ROOT / file).read_text().splitlines()
        for line in entry["lines"]:
            if line.get("gcovr/noncode"):
                continue
            folders[folder].add(line)
            text = source[line["line_number"] - 1].strip()
            where = f"{file}:{line['line_number']}"
            left = sum(branch["count"] == 0 for branch in line["branches"])
            if folder not in STRICT:
                continue
            if line["count"] == 0:
                missing.append(f"{where}: the line never ran: {text}")
            elif left and (file, text) in exceptions:
                unused.discard((file, text))
                excused += left
            elif left:
                missing.append(f"{where}: {left} of {len(line['branches'])} branches were never "
                               f"taken: {text}")
    print_figures(folders)
    for file, text in sorted(unused):
        missing.append(f"tools/coverage-exceptions: {file} needs no exception for: {text}")
    for name in STRICT:
        if folders[name].figures()[1] < BRANCHES_WANTED:
            missing.append(f"src/{name}: fewer than {BRANCHES_WANTED:.0f}% of the branches were taken")
    for text in missing:
        print(text)
    print(f"{len(missing)} gaps, {excused} branches with a reason not to be taken")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
