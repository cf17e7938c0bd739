#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make bench-audit: how long suites of tests take with `pytest --ouro-audit`, and without.

    bench/cpython/plugin.py [--rounds 3] [SUITE ...]

The suites are made here, of the types in tests/cpython/ouro_audit/: quick tests, tests of many
types, tests in a large heap, tests that take time. A SUITE is a file or folder of tests to
measure instead. Both runs take turns, and the least time counts. The exit status is 1 when a suite
takes more than twice its time, and more than half a second longer. The script needs Debian's
python3 with python3-pytest."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = "/usr/bin/python3"
MOST_TIMES = 2.0
ALLOWED = 0.5  # seconds, for short suites

# name: the source of its tests
SUITES = {
    "quick tests": """
import pytest, zoo
@pytest.mark.parametrize("number", range(500))
def test_quick(number):
    node = zoo.HeapNode()
    node.a = [number]
""",
    "one type for each test": """
import pytest, zoo
KINDS = [kind for name, kind in vars(zoo).items()
         if isinstance(kind, type) and not name[1:3].isdigit()]  # the correct ones
@pytest.mark.parametrize("number", range(len(KINDS)))
def test_type(number):
    try:
        node = KINDS[number]()
    except TypeError:
        return
""",
    "a large heap": """
import pytest, zoo
heap = [[number] for number in range(1000000)]
@pytest.mark.parametrize("number", range(100))
def test_small(number):
    node = zoo.HeapNode()
    node.a = [number]
""",
    "tests that take time": """
import pytest, zoo
@pytest.mark.parametrize("number", range(20))
def test_slow(number):
    node = zoo.HeapNode()
    node.a = [sum(range(3000000))]
""",
}


def build(folder):
    subprocess.run([PYTHON, os.path.join(ROOT, "cpython", "backend", "ouro_build.py"), folder],
                   check=True, stdout=subprocess.DEVNULL)
    includes = subprocess.check_output([PYTHON + "-config", "--includes"], text=True).split()
    zoo = os.path.join(ROOT, "tests", "cpython", "ouro_audit")
    subprocess.run(
        ["cc", "-O1", "-g", "-w", "-shared", "-fPIC"] + includes
        + sorted(os.path.join(zoo, name) for name in os.listdir(zoo) if name.endswith(".c"))
        + ["-o", os.path.join(folder, "zoo.so")], check=True)


def write_suites(folder):
    paths = {}
    for number, (name, source) in enumerate(SUITES.items()):
        paths[name] = os.path.join(folder, "test_suite_%d.py" % number)
        with open(paths[name], "w", encoding="utf-8") as file:
            file.write(source)
    return paths


def seconds(path, folder, options):
    """How long pytest takes, and the last line of the audit's summary."""
    start = time.monotonic()
    done = subprocess.run(
        [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", path] + options,
        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.pathsep.join(
            [folder] + os.environ.get("PYTHONPATH", "").split(os.pathsep))),
        cwd=folder, stdout=subprocess.PIPE, text=True)
    taken = time.monotonic() - start
    said = [line for line in done.stdout.splitlines() if " C types in " in line]
    if done.returncode not in (0, 1):
        sys.exit("%s: pytest ended with status %d\n%s" % (path, done.returncode, done.stdout))
    return taken, said[0] if said else ""


def measure(name, path, folder, rounds):
    """Print a line; return whether the suite is quick enough."""
    runs = [(seconds(path, folder, ["-p", "no:ouro_audit"])[0], *seconds(path, folder, ["--ouro-audit"]))
            for _ in range(rounds)]
    without, with_audit = min(run[0] for run in runs), min(run[1] for run in runs)
    ratio = with_audit / without
    print("%-24s %6.2f s alone, %6.2f s with audits: %.2f times  (%s)" % (
        name, without, with_audit, ratio, runs[-1][2].partition(":")[0]), flush=True)
    return ratio <= MOST_TIMES or with_audit - without <= ALLOWED


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        paths = ({path: os.path.abspath(path) for path in options.suites}
                 or write_suites(folder))
        good = [measure(name, path, folder, options.rounds) for name, path in paths.items()]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
