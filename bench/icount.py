#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count instructions per object, by callgrind; `make bench-icount` calls this script.

Only the function that a workload measures is counted. Each row of groups A to C is run with two
sizes, and with fewer and more samples. The differences do not contain costs that are independent of
the objects. Rows of programs (letters D and further) are counted whole, once.
The figures of Ouroboros are compared with those recorded in icount.txt: the exit status is 1 if
one grew by more than 3 %. Another compiler makes other code, so nothing is compared then.
CPython is counted only when figures are recorded.
    make bench-icount RECORD=1      record anew
    make bench-icount BASE=commit   compare with another commit; only rows of programs must not grow
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from rows import GARBAGE, SHAPES, US

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "icount.txt")
FEW, MANY = 8192, 24576
MAY_GROW = 0.03
MAIN = ("chain", "random", "tree")
BASE, FIRST_PROGRAM = "base", "D"
PROGRAMS = [
    # name, workload, shape, size; programs that work for a certain time cannot be counted
    ("D churn, dropped at once", "churn", "now", 20000),
    ("D churn, dropped when old", "churn", "window", 20000),
    ("E trees, depth 10", "trees", "10", 100000),
    ("E trees, depth 16", "trees", "16", 262144),
    ("G queue, rings of 2", "queue", "ring-2-0", 20000),
    ("G queue, rings of 100, 64 B", "queue", "ring-100-64", 20000),
    ("G queue, rings of 10,000", "queue", "ring-10000-0", 40000),
    ("G queue, trees of 10,000, 1,024 B", "queue", "tree-10000-1024", 20000),
    ("H Scheme, 50 accounts", "application", "application.scm", 50),
    ("P documents", "programs", "tree", 50000),
    ("P documents, finalizers", "programs", "tree-ends", 50000),
    ("P documents, all dropped", "programs", "tree-ends-dropped", 50000),
    ("P cache", "programs", "cache", 50000),
    ("P event loop", "programs", "events", 50000),
]


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--peers", required=True, help="folder of the peers' executables")
    p.add_argument("--compiler", default="", help="what the peers were built with")
    p.add_argument("--base", action="store_true", help="compare with the peer `base` instead")
    p.add_argument("--record", action="store_true", default=bool(os.environ.get("RECORD")),
                   help="RECORD=1 in the environment: write icount.txt")
    return p.parse_args()


class Row:
    """`samples` are subtracted: (4, 2) counts the last two samples, collections after the third."""

    def __init__(self, name, workload, shape, function, samples, sizes=(FEW, MANY), python=False):
        self.name, self.workload, self.shape, self.function = name, workload, shape, function
        self.samples, self.sizes, self.python = samples, sizes, python


def rows():
    for shape, _, _ in SHAPES:
        yield Row(f"A live, {shape}, first", "live", shape, "peer_collect", (0,),
                  python=shape in MAIN)
        yield Row(f"A live, {shape}, steady", "live", shape, "peer_collect", (4, 2),
                  python=shape in MAIN)
    for shape, _ in GARBAGE:  # the fourth: by then no proof is tried that garbage is alive
        yield Row(f"B garbage, {shape}", "garbage", shape, "peer_collect", (4, 3),
                  python=shape in MAIN)
    for workload in ("finalizers", "weakrefs"):
        yield Row(f"B {workload}, chain", workload, "chain", "peer_collect", (2, 1), python=True)
    for alive in (1, 100, 10000):
        yield Row(f"C alloc, {alive:,} alive", "alloc", "-", "make_and_drop", (2, 1), (alive,),
                  python=True)
    for name, workload, shape, size in PROGRAMS:
        yield Row(name, workload, shape, f"run_{workload}", (0,), (size,))


class Counter:
    def __init__(self, options):
        self.options = options
        self.runs = {}  # (peer, workload, ...) -> a future of (instructions, objects)

    def run(self, peer, row, size, samples):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                   f"--toggle-collect={row.function}", os.path.join(self.options.peers, peer),
                   row.workload, row.shape, str(size), str(samples), "0"]
        done = subprocess.run(command, text=True, capture_output=True, cwd=HERE)
        counted = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not counted:
            raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[-500:]}")
        objects = re.search(r"^objects (\S+)", done.stdout, re.M)
        return int(counted[1]), float(objects[1]) if objects else size

    def submit(self, pool, peer, row):
        for size in row.sizes:
            for samples in row.samples:
                key = peer, row.workload, row.shape, size, samples
                if key not in self.runs:
                    self.runs[key] = pool.submit(self.run, peer, row, size, samples)

    def at(self, peer, row, size):
        """(instructions of what is counted, objects) at one size."""
        found = [self.runs[peer, row.workload, row.shape, size, s].result() for s in row.samples]
        if len(found) == 1:
            return found[0]
        (more, objects), (less, _) = found
        return (more - less) / (row.samples[0] - row.samples[1]), objects

    def per_object(self, peer, row):
        instructions, objects = self.at(peer, row, row.sizes[-1])
        if len(row.sizes) == 2:
            less, fewer = self.at(peer, row, row.sizes[0])
            instructions, objects = instructions - less, objects - fewer
        return instructions / objects


def read_record():
    """(compiler, {row: (instructions of Ouroboros, those of CPython as text)})"""
    compiler, figures = "", {}
    try:
        with open(RECORD) as f:
            for line in f:
                if line.startswith("# compiler: "):
                    compiler = line.split(": ", 1)[1].strip()
                elif not line.startswith("#") and line.strip():
                    name, us, them = re.split(r"  +", line.strip())
                    figures[name] = float(us), them
    except FileNotFoundError:
        pass
    return compiler, figures


def number(value):
    return "-" if value is None else f"{value:.1f}"


def write_record(options, python, table):
    with open(RECORD, "w") as f:
        f.write("# SPDX-License-Identifier: MIT\n"
                "# Instructions per object, by callgrind. Written by: make bench-icount RECORD=1\n"
                f"# compiler: {options.compiler}\n"
                f"# {'row':34}  {'ouroboros':>9}  {python or 'cpython':>12}\n")
        for name, us, them in table:
            f.write(f"{name:36}  {us:9.1f}  {them:>12}\n")
    print(f"recorded in {os.path.relpath(RECORD)}")


def compare(compiler, table):
    """Return the rows that grew."""
    recorded_with, recorded = read_record()
    if recorded_with != compiler:
        print(f"not compared: recorded with \"{recorded_with}\", this is \"{compiler}\"")
        return []
    known = [(name, recorded[name][0], us) for name, us, _ in table if name in recorded]
    grown = [k for k in known if k[2] > k[1] * (1 + MAY_GROW) + 0.1]
    less = sum(1 for _, before, now in known if now < before * (1 - MAY_GROW))
    for name, before, now in grown:
        print(f"GREW {name}: {before:.1f} -> {now:.1f}, {100 * (now / before - 1):+.1f} %")
    print(f"{len(table)} rows: {len(grown)} grew by more than {100 * MAY_GROW:g} %, {less} shrank so"
          + (" (RECORD=1 records them anew)" if less else ""))
    return grown


def compare_with_base(options):
    """Print both, and return the rows of programs that grew."""
    counter, grown, every = Counter(options), [], list(rows())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for row in every:
            counter.submit(pool, US, row)
            counter.submit(pool, BASE, row)
        print(f"{'instructions per object':36}  {BASE:>9}  {'now':>9}  {'now/base':>9}")
        for row in every:
            now, before = (counter.per_object(peer, row) for peer in (US, BASE))
            has_grown = row.name >= FIRST_PROGRAM and now > before * (1 + MAY_GROW)
            grown += [row] if has_grown else []
            print(f"{row.name:36}  {before:9.1f}  {now:9.1f}  {now / before:9.3f}"
                  + ("  GREW" if has_grown else ""), flush=True)
    print(f"{len(every)} rows: {len(grown)} of programs grew by more than {100 * MAY_GROW:g} %")
    return grown


def count_all(options, python):
    """[(row, instructions of Ouroboros, those of CPython as text)]; printed as they come."""
    _, recorded = read_record()
    counter, table, every = Counter(options), [], list(rows())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for row in every:
            counter.submit(pool, US, row)
            if python and row.python:
                counter.submit(pool, python, row)
        print(f"{'instructions per object':36}  {US:>9}  {'recorded':>9}  {'cpython':>9}")
        for row in every:
            us = counter.per_object(US, row)
            before, them = recorded.get(row.name, (None, "-"))
            if python:
                them = number(counter.per_object(python, row) if row.python else None)
            table.append((row.name, us, them))
            print(f"{row.name:36}  {us:9.1f}  {number(before):>9}  {them:>9}", flush=True)
    return table


def main():
    options = parse_arguments()
    if not shutil.which("valgrind"):
        print("bench: valgrind is missing and could not be installed; nothing was counted",
              file=sys.stderr)
        sys.exit(1)
    if options.base:
        sys.exit(1 if compare_with_base(options) else 0)
    pythons = [p for p in sorted(os.listdir(options.peers)) if p.startswith("cpython-")]
    python = pythons[-1] if pythons and options.record else None
    table = count_all(options, python)
    if options.record:
        write_record(options, python, table)
    elif compare(options.compiler, table):
        sys.exit(1)


main()
