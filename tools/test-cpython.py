#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make test-cpython: run CPython's own regression tests with ouro_gc, on every CPython found.

    tools/test-cpython.py [--whole] [--python PATH ...] [TEST ...]

Each set of tests runs without ouro_gc, with ouro_gc, and with full collections in slices, one of
which is always under way. The same tests must fail in all three runs: usually none, unless the
machine does not suit them. A test that fails only with ouro_gc is run once more, both ways, by
itself, because some of CPython's tests fail now and then. --whole runs all of `-m test` and takes
hours. Before all this, tests/scripts/ouro_gc.sh runs on every CPython. The last line counts the
results.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile

TESTS = """test_gc test_weakref test_weakset test_finalization test_generators test_coroutines
test_asyncgen test_descr test_dict test_list test_tuple test_set test_deque test_functools
test_itertools test_io test_threading test_subprocess test_ast test_copy test_pickle
test_contextlib test_asyncio""".split()

with open("tests/cpython/ouro_gc/always_slices.py", encoding="ascii") as source:
    MODES = {"in one piece": "import ouro_gc; ouro_gc.enable()\n", "in slices": source.read()}

passed = failed = skipped = 0


def report(is_good, text):
    global passed, failed
    passed += is_good
    failed += not is_good
    print(("ok " if is_good else "FAIL ") + text, flush=True)


def skip(text):
    global skipped
    skipped += 1
    print("skip " + text, flush=True)


def pythons():
    """(version, executable) of every CPython that has headers, newest first."""
    lines = subprocess.check_output(["tools/python-configs.sh"], text=True).split("\n")
    for version, config in (line.split() for line in lines if line):
        prefix = subprocess.check_output([config, "--prefix"], text=True).strip()
        yield version, os.path.join(prefix, "bin", "python" + version)


def failing(python, tests, environment):
    """The test files that fail, or None if the run itself did not end."""
    command = [python, "-m", "test", "-j2", "--timeout", "900"] + tests
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    with open(os.path.join(environment["OURO_LOGS"], "last.log"), "w", encoding="utf-8") as log:
        log.write(done.stdout)
    if not re.search(r"tests? OK|Result: ", done.stdout):
        return None
    names = set()
    for block in re.findall(r"^\d+ tests? failed[^\n]*:\n((?: +.*\n)+)", done.stdout, re.M):
        names.update(block.split())
    return names


def has_test(python, name):
    return subprocess.call([python, "-c", "import test.%s" % name],
                           stderr=subprocess.DEVNULL) == 0


def check(version, python, tests, folder):
    if not has_test(python, "test_gc"):
        return skip("CPython %s came without its tests" % version)
    out = os.path.join(folder, version)
    subprocess.check_call([python, "cpython/backend/ouro_build.py", out],
                          stdout=subprocess.DEVNULL)
    alone = dict(os.environ, PYTHONPATH=out, OURO_LOGS=folder)
    tests = [name for name in tests if has_test(python, name)]
    without = failing(python, tests, alone)
    if without is None:
        return report(False, "the tests of CPython %s run to their end without it" % version)
    print("# CPython %s alone: %d test files fail: %s"
          % (version, len(without), " ".join(sorted(without)) or "none"))
    for mode, customize in MODES.items():
        site = os.path.join(folder, version + "-" + mode)
        os.mkdir(site)
        with open(os.path.join(site, "sitecustomize.py"), "w", encoding="ascii") as file:
            file.write(customize)
        ours = dict(alone, PYTHONPATH=out + os.pathsep + site)
        compare(version, python, tests, mode, without, alone, ours)


def compare(version, python, tests, mode, without, alone, ours):
    with_ours = failing(python, tests, ours)
    if with_ours is None:
        return report(False, "the tests of CPython %s run to their end, %s" % (version, mode))
    for name in sorted(with_ours - without):
        again = [name.split(".")[-1]] if name.startswith("test.") else [name]
        is_ours = bool(failing(python, again, ours)) and not failing(python, again, alone)
        report(not is_ours, "%s of CPython %s fails no more often, %s" % (name, version, mode))
    report(True, "%d test files of CPython %s run with it, %s"
           % (len(tests) or 400, version, mode))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--whole", action="store_true", help="all of -m test")
    parser.add_argument("--python", action="append", default=[], metavar="PATH",
                        help="only this CPython; may be repeated")
    parser.add_argument("tests", nargs="*", metavar="TEST")
    options = parser.parse_args()
    # A shell has its background jobs ignore SIGINT. Tests that send it to themselves never end then.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tests = [] if options.whole else options.tests or TESTS
    chosen = [(os.path.basename(path).replace("python", ""), path) for path in options.python]
    with tempfile.TemporaryDirectory() as folder:
        for version, python in chosen or pythons():
            if tuple(map(int, version.split(".")[:2])) < (3, 9):
                skip("CPython %s is not one that ouro_gc is for" % version)
                continue
            check(version, python, tests, folder)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
